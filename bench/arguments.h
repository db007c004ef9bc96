// SPDX-License-Identifier: Apache-2.0

#ifndef CLND_BENCH_ARGUMENTS_H
#define CLND_BENCH_ARGUMENTS_H

#include "cases.h"
#include "measure.h"

struct arguments {
    const char *device; // NULL: clnd's default
    enum bench_size size;
    const char *filter; // globs separated by commas; NULL: all cases
    const char *folder; // of the built-in Spatter files
    const char *compare, *from, *json, *plot;
    bool csv, list, describe, sweeps, quick, help;
    int n_files;
    const char *files[16]; // --spatter
    bool free_case;
    struct bench_case what;
    uint64_t seed;
    int threads; // of the C loops; 0: as many as the device
    enum pages pages;
    struct measure_options measure;
};

// Reads the command line. False after fail().
bool arguments_read(int argc, char **argv, struct arguments *arguments);

void arguments_help(void);

#endif

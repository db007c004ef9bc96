// SPDX-License-Identifier: Apache-2.0
//
// OpenCL drivers as an OpenCL loader loads them (cl_khr_icd), one by one.

#ifndef CLND_CLI_ICD_H
#define CLND_CLI_ICD_H

#include <stdbool.h>
#include <stddef.h>

enum { ICD_PLATFORMS = 8 };

struct icd {
    char problem[512]; // why it gives no platform; "" where it does
    bool loads;        // and is a driver
    bool is_deadly;    // ends, or holds up, any program that loads it
    int n_platforms;   // at most ICD_PLATFORMS
    struct {
        char name[128];
        unsigned devices;
    } platforms[ICD_PLATFORMS];
};

// The file that this program's OpenCL loader came from.
void icd_loader(char *path, size_t size);

// Loads a library in a process of its own, which may crash or hang. At most ten seconds.
void icd_try(const char *library, struct icd *icd);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// A run's document for the eye and for other programs.

#ifndef CLND_BENCH_REPORT_H
#define CLND_BENCH_REPORT_H

#include <jansson.h>
#include <stdbool.h>

// A table with one line for each case, and the averages below.
void report_table(const json_t *document);

// Comma-separated values, with the names of the columns in the first line.
void report_csv(const json_t *document);

// Beside the results of an older run. False after fail().
bool report_compare(const json_t *document, const json_t *old);

#endif

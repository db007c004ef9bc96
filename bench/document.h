// SPDX-License-Identifier: Apache-2.0
//
// What a run found, as the JSON that is written to files; tables, comparisons and pictures are made
// from it. docs/benchmarking.md, "JSON", lists the keys.

#ifndef CLND_BENCH_DOCUMENT_H
#define CLND_BENCH_DOCUMENT_H

#include <jansson.h>

#include "cases.h"
#include "measure.h"

// The header: what was measured with what, and an empty list of results. NULL after fail().
json_t *document_create(const struct device *device, const struct calibration *calibration,
                        const struct measure_options *options, enum bench_size size, uint64_t seed);

// Adds the result of a case. `measured` has one for each part, or one. False after fail().
bool document_add(json_t *document, const struct device *device, const struct bench_case *what,
                  struct measured *measured);

// Reads what document_create made and document_save wrote; only what is needed of it is checked.
// NULL after fail().
json_t *document_load(const char *path);

// Whether document_save can write there, as far as can be told before. Changes no file. False after
// fail().
bool document_check_path(const char *path);

// "-" is standard output. False after fail().
bool document_save(const json_t *document, const char *path);

size_t document_count(const json_t *document);
const json_t *document_result(const json_t *document, size_t i);

// A number of a result; NAN where there is none.
double document_number(const json_t *result, const char *key);

// "" where there is none.
const char *document_text(const json_t *result, const char *key);

#endif

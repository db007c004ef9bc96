// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a run, drawn by gnuplot as PNG and SVG.

#ifndef CLND_BENCH_PLOT_H
#define CLND_BENCH_PLOT_H

#include <jansson.h>
#include <stdbool.h>

// Writes into `folder`, which is made when it is not there, each picture that the document has the
// cases for, with its data and its script beside it. False after fail().
bool plot_all(const json_t *document, const char *folder);

#endif

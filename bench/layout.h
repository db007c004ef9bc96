// SPDX-License-Identifier: Apache-2.0
//
// Which elements of a case's data belong to which of its dense tensor, and how large all is.

#ifndef CLND_BENCH_LAYOUT_H
#define CLND_BENCH_LAYOUT_H

#include "call.h"
#include "device.h"

// Row i of dense, `width` elements, belongs to as many elements of data. `rows` and `data_rows`
// count them; index_rows are those that are drawn. A slice has no rows, and one that is assigned to
// has one for each element.
struct layout {
    int64_t rows, width, data_rows, index_rows;
    int64_t data_count, dense_count; // elements
    size_t data_bytes, index_bytes, dense_bytes;
    size_t element;     // bytes
    size_t index_width; // bytes of the index values of one index row
    int axis;           // not negative
};

// False after fail().
bool layout_describe(const struct bench_case *what, const struct operands *operands,
                     struct layout *layout);

// Draws the indices, writes them to `indices`, and gives the row of data of each row of dense,
// which the caller frees. `weights` is as distribution_draw's. NULL after fail().
uint32_t *layout_draw(const struct bench_case *what, const struct layout *layout, struct team *team,
                      void *indices, float *weights);

// Bytes that the measurement of a case takes, with all that runs beside it.
struct needs {
    double device;  // of the device's memory
    double largest; // of one buffer
    double host;    // of the machine's, which on a CPU has the device's in it
};

void layout_needs(const struct bench_case *what, const struct layout *layout,
                  const struct device *device, double workspace, struct needs *needs);

// Whether there is so much. `reason` says what is missing where there is not.
bool needs_met(const struct needs *needs, const struct device *device, char reason[160]);

#endif

// SPDX-License-Identifier: Apache-2.0

#include "host/shape/index_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool clnd__index_check_is_empty(const clnd__index_check *check)
{
    return check->n_coordinates == 0 || clnd__is_empty(&check->indices);
}

int clnd__index_check_dimensions(const clnd__index_check *check, int dimensions[CLND_MAX_RANK],
                                 int64_t *rows)
{
    int n = 0;
    *rows = 1;
    for (int d = 0; d < check->n_location; ++d) {
        const int64_t size = check->indices.shape[d];
        if (size == 0 || (size > 1 && check->indices.strides[d] != 0)) {
            dimensions[n++] = d;
            *rows *= size;
        }
    }
    return n;
}

void clnd__index_check_locate(const clnd__index_check *check, int64_t row,
                              int64_t location[CLND_MAX_RANK])
{
    int dimensions[CLND_MAX_RANK];
    int64_t rows;
    memset(location, 0, CLND_MAX_RANK * sizeof *location);
    for (int i = clnd__index_check_dimensions(check, dimensions, &rows) - 1; i >= 0; --i) {
        const int64_t size = check->indices.shape[dimensions[i]];
        location[dimensions[i]] = row % size;
        row /= size;
    }
}

// TensorFlow's form: "indices[0,1]", or "indices" where there is a single tuple.
static void format_location(const clnd__index_check *check, const int64_t *location, char *text,
                            size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%s", check->indices.name);
    for (int d = 0; d < check->n_location && length < size; ++d)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64 "%s", d ? "," : "[",
                                   location[d], d == check->n_location - 1 ? "]" : "");
}

void clnd__index_check_describe(const clnd__index_check *check, const int64_t *location,
                                const int64_t *values, char *text, size_t size)
{
    char row[24 * CLND_MAX_RANK + 32];
    format_location(check, location, row, sizeof row);
    if (check->shape_name)
        snprintf(text, size, "%s = %s does not index into %s %s", row,
                 clnd__format_list(check->n_coordinates, values).text, check->shape_name,
                 clnd__format_list(check->shape_rank, check->shape).text);
    else
        snprintf(text, size, "%s = %" PRId64 " is not in [%" PRId64 ", %" PRId64 ")", row,
                 values[0], check->wrap ? -check->extents[0] : 0, check->extents[0]);
}

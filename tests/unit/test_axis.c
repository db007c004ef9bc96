// SPDX-License-Identifier: Apache-2.0
//
// Single index values along one axis: how axis and batch_dims resolve, shapes and refusals.

#include "host/shape/axis.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

// "2,3" is a dense shape; "" a scalar.
static clnd__view view_from(const char *name, clnd_dtype dtype, const char *shape)
{
    clnd__view view = {.name = name, .dtype = dtype};
    while (*shape) {
        char *end;
        view.shape[view.rank++] = strtoll(shape, &end, 10);
        shape = end + (*end == ',');
    }
    check_status(clnd__make_dense(&view), CLND_OK);
    return view;
}

static void check_view_shape(const clnd__view *view, const char *expected)
{
    const clnd__view wanted = view_from("wanted", CLND_INT8, expected);
    check(view->rank == wanted.rank &&
              memcmp(view->shape, wanted.shape, (size_t)wanted.rank * sizeof *view->shape) == 0,
          "shape %s, expected [%s]", clnd__format_list(view->rank, view->shape).text, expected);
}

#define DEFAULT_AXIS INT64_C(99)

static const struct {
    const char *data;
    int64_t axis;
    int resolved; // -1: INVALID_AXIS
} axes[] = {
    {"2", 0, 0},
    {"2", -1, 0},
    {"2", 1, -1},
    {"2", -2, -1},
    {"2,3,4", 2, 2},
    {"2,3,4", -1, 2},
    {"2,3,4", -3, 0},
    {"2,3,4", 3, -1},
    {"2,3,4", -4, -1},
    {"2,3,4", INT64_MIN, -1},
    {"2,3,4", INT64_MAX, -1},
    {"2,3,4", INT64_C(1) << 32, -1},
    {"2,3,4", -(INT64_C(1) << 32), -1},
    {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", -16, 0},
    {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 15, 15},
    {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 16, -1},
    {"", 0, -1},
    {"", -1, -1},
};

Test(axis, resolve)
{
    for (size_t i = 0; i < sizeof axes / sizeof *axes; ++i) {
        const clnd__view data = view_from("params", CLND_INT32, axes[i].data);
        int resolved = -1;
        case_begin("resolve axis", (int)i);
        check_status(clnd__resolve_axis(&data, axes[i].axis, &resolved),
                     axes[i].resolved < 0 ? CLND_INVALID_AXIS : CLND_OK);
        check(resolved == axes[i].resolved, "axis %d", resolved);
    }
    check_message("axis is -1, allowed are 0 to -1 for params of shape []");
}

typedef struct gather_row {
    const char *data, *indices;
    int64_t axis, batch; // DEFAULT_AXIS: none is given
    clnd_status status;
    int resolved_axis, resolved_batch;
    const char *text; // shape of dense, or a piece of the message
} gather_row;

static const gather_row gathers[] = {
    {"2,3", "", 1, 0, CLND_OK, 1, 0, "2"},
    {"2,3", "4,5", 0, 0, CLND_OK, 0, 0, "4,5,3"},
    {"2,3", "4,5", -1, 0, CLND_OK, 1, 0, "2,4,5"},
    {"2,3,4", "5,6", 1, 0, CLND_OK, 1, 0, "2,5,6,4"},
    {"2,3,4", "2,6", 1, 1, CLND_OK, 1, 1, "2,6,4"},
    {"2,3,4", "2,6", 2, 1, CLND_OK, 2, 1, "2,3,6"},
    {"2,3,4", "2,6", DEFAULT_AXIS, 1, CLND_OK, 1, 1, "2,6,4"},
    {"2,3,4", "2,6", DEFAULT_AXIS, -1, CLND_OK, 1, 1, "2,6,4"},
    {"2,3,4", "2,6", DEFAULT_AXIS, 0, CLND_OK, 0, 0, "2,6,3,4"},
    {"2,3,4", "2,3", 2, 2, CLND_OK, 2, 2, "2,3"},
    {"2,3,4", "5,6", 0, -2, CLND_OK, 0, 0, "5,6,3,4"},
    {"2,0,4", "5", 1, 0, CLND_OK, 1, 0, "2,5,4"},
    {"2,3", "0", 0, 0, CLND_OK, 0, 0, "0,3"},
    {"", "1", 0, 0, CLND_INVALID_RANK, 0, 0, "params has rank 0"},
    {"2,3", "1", 2, 0, CLND_INVALID_AXIS, 0, 0, "axis is 2, allowed are -2 to 1"},
    {"2,3", "1", INT64_MIN, 0, CLND_INVALID_AXIS, 0, 0, "axis is -9223372036854775808"},
    {"2,3", "1", INT64_MAX, 0, CLND_INVALID_AXIS, 0, 0, "axis is 9223372036854775807"},
    {"2,3", "2,1", 0, 1, CLND_INVALID_AXIS, 0, 0, "axis is 0, must be at least 1 (batch_dims)"},
    {"2,3", "2,1", -2, 1, CLND_INVALID_AXIS, 0, 0, "axis is 0, must be at least 1"},
    {"2,3", "2", 0, 2, CLND_INVALID_AXIS, 0, 0, "batch_dims is 2, allowed are -1 to 1"},
    {"2,3", "2", 0, -2, CLND_INVALID_AXIS, 0, 0, "batch_dims is -2, allowed are -1 to 1"},
    {"2,3", "", 0, -1, CLND_INVALID_AXIS, 0, 0, "batch_dims is -1, allowed are 0 to 0"},
    {"2,3", "2,3", 0, 2, CLND_INVALID_AXIS, 0, 0, "batch_dims is 2, must be less than 2"},
    {"2,3", "2", 0, INT64_MIN, CLND_INVALID_AXIS, 0, 0, "batch_dims is -9223372036854775808"},
    {"2,3", "2", 0, INT64_MAX, CLND_INVALID_AXIS, 0, 0, "batch_dims is 9223372036854775807"},
    {"2,3,4", "2,6,5", 2, 2, CLND_INVALID_SHAPE, 0, 0, "batch dimension 1 is 3 in params and 6 in"},
    {"1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1", 0, 0, CLND_OK, 0, 0,
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
    {"1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1,1", 0, 0, CLND_INVALID_RANK, 0, 0,
     "dense would have rank 17, at most 16"},
    {"1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1,1", 1, 1, CLND_OK, 1, 1,
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
};

Test(axis, gather_shapes)
{
    for (size_t i = 0; i < sizeof gathers / sizeof *gathers; ++i) {
        const gather_row *row = &gathers[i];
        const clnd__view data = view_from("params", CLND_FLOAT64, row->data);
        const clnd__view indices = view_from("indices", CLND_INT32, row->indices);
        clnd__view dense;
        int axis = 0, batch = 0;
        clnd_status status;
        case_begin("gather shapes", (int)i);
        if ((status = clnd__gather_resolve(&data, &indices,
                                           row->axis == DEFAULT_AXIS ? NULL : &row->axis,
                                           row->batch, &axis, &batch)) == CLND_OK &&
            (status = clnd__gather_check_shapes(&data, &indices, batch)) == CLND_OK)
            status = clnd__gather_dense_shape(&data, &indices, axis, batch, "dense", &dense);
        check_status(status, row->status);
        if (status) {
            check_message(row->text);
            continue;
        }
        check(axis == row->resolved_axis && batch == row->resolved_batch, "axis %d, batch %d", axis,
              batch);
        check_view_shape(&dense, row->text);
        check(dense.dtype == CLND_FLOAT64 && strcmp(dense.name, "dense") == 0, "dtype or name");
    }
}

static const struct {
    const char *data, *indices;
    int axis;
    clnd_status status;
    const char *message;
} elements_rows[] = {
    {"2,3", "2,3", 0, CLND_OK, NULL},
    {"2,3", "9,3", 0, CLND_OK, NULL},
    {"2,3", "1,9", 1, CLND_OK, NULL},
    {"2,3", "0,0", 1, CLND_OK, NULL},
    {"0,3", "5,3", 0, CLND_OK, NULL},
    {"2,3", "2,4", 0, CLND_INVALID_SHAPE,
     "indices of shape [2, 4] reach beyond params of shape "
     "[2, 3] in dimension 1"},
    {"2,3", "3,3", 1, CLND_INVALID_SHAPE, "in dimension 0"},
    {"0,3", "1,3", 1, CLND_INVALID_SHAPE, "in dimension 0"},
    {"2,3", "0,4", 0, CLND_INVALID_SHAPE, "in dimension 1"},
    {"2,3", "3", 0, CLND_INVALID_RANK, "indices has rank 1, params has rank 2"},
    {"3", "2,3", 0, CLND_INVALID_RANK, "indices has rank 2, params has rank 1"},
    {"", "", 0, CLND_INVALID_RANK, "params has rank 0, at least 1 is needed"},
};

Test(axis, elements_shapes)
{
    for (size_t i = 0; i < sizeof elements_rows / sizeof *elements_rows; ++i) {
        const clnd__view data = view_from("params", CLND_FLOAT64, elements_rows[i].data);
        const clnd__view indices = view_from("indices", CLND_INT8, elements_rows[i].indices);
        case_begin("elements shapes", (int)i);
        clnd_status status = clnd__elements_check_ranks(&data, &indices);
        if (status == CLND_OK)
            status = clnd__elements_check_shapes(&data, &indices, elements_rows[i].axis);
        check_status(status, elements_rows[i].status);
        if (status)
            check_message(elements_rows[i].message);
    }
}

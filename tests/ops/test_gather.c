// SPDX-License-Identifier: Apache-2.0
//
// gather: worked examples and refusals.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "text.h"

static const char *const strategies[] = {NULL, "must,lanes", "must,blocks"};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

// Examples ---------------------------------------------------------------------------------------

typedef struct example {
    const char *label;
    const char *params;  // int32
    const char *indices; // int32
    int axis, batch_dims;
    clnd_bounds bounds;
    clnd_status status;
    const char *out; // the result; when refused, its shape
    const char *message;
} example;

#define ERR     CLND_BOUNDS_ERROR
#define ZERO    CLND_BOUNDS_ZERO
#define OUTSIDE CLND_INDEX_OUT_OF_BOUNDS

// clang-format off
static const example examples[] = {
    {"g13 the default axis is the number of batch dims", "2,3", "2,2: 0 2 1 1", 0, 1, ERR, CLND_OK,
     "2,2: 0 2 4 4", NULL},
    {"g13 negative batch_dims", "2,3", "2,2: 0 2 1 1", -1, -1, ERR, CLND_OK, "2,2: 0 2 4 4", NULL},
    {"batch_dims as many as indices", "2,3", "2: 2 0", 1, 1, ERR, CLND_OK, "2: 2 3", NULL},
    {"nothing before the axis, bad index", "0,3:", "1: 7", 1, 0, ERR, OUTSIDE, "0,1:",
     "gather: indices[0] = 7 is not in [0, 3)"},
    {"g15 zero", "2,3,0:", "1: 7", 1, 0, ZERO, CLND_OK, "2,1,0:", NULL},
    {"first bad row", "3: 1 2 3", "2,2: 0 7 -1 9", 0, 0, ERR, OUTSIDE, "2,2",
     "gather: indices[0,1] = 7 is not in [0, 3)"},
    {"bad scalar", "3: 1 2 3", ": -1", 0, 0, ERR, OUTSIDE, ":",
     "gather: indices = -1 is not in [0, 3)"},
    {"wrap", "3: 1 2 3", "2: -1 -3", 0, 0, CLND_BOUNDS_WRAP, CLND_OK, "2: 3 1", NULL},
    {"wrap once", "3: 1 2 3", "2: -1 -4", 0, 0, CLND_BOUNDS_WRAP, OUTSIDE, "2",
     "gather: indices[1] = -4 is not in [-3, 3)"},
    {"clamp", "3: 1 2 3", "3: -9 1 9", 0, 0, CLND_BOUNDS_CLAMP, CLND_OK, "3: 1 2 3", NULL},
    {"clamp in a size of 0", "0,2:", "1: 0", 0, 0, CLND_BOUNDS_CLAMP, CLND_OK, "1,2: 0 0", NULL},
    {"size of 0", "0,2:", "1: 0", 0, 0, ERR, OUTSIDE, "1,2",
     "gather: indices[0] = 0 is not in [0, 0)"},
    {"no indices", "0,2:", "0,3:", 0, 0, ERR, CLND_OK, "0,3,2:", NULL},
    {"rows", "3,2", "2: 2 0", 0, 0, ERR, CLND_OK, "2,2: 4 5 0 1", NULL},
    {"middle axis", "2,2,2", "1: 1", 1, 0, ERR, CLND_OK, "2,1,2: 2 3 6 7", NULL},
    {"dimensions between batch and axis", "2,2,3", "2,2: 0 2 1 1", 2, 1, ERR, CLND_OK,
     "2,2,2: 0 2 3 5 7 7 10 10", NULL},
    {"axis too high", "2,3", "1: 0", 2, 0, ERR, CLND_INVALID_AXIS, "1,3", "axis is 2"},
    {"axis too low", "2,3", "1: 0", -3, 0, ERR, CLND_INVALID_AXIS, "1,3", "axis is -3"},
    {"axis far too low", "2,3", "1: 0", INT32_MIN, 0, ERR, CLND_INVALID_AXIS, "1,3",
     "axis is -2147483648"},
    {"axis far too high", "2,3", "1: 0", INT32_MAX, 0, ERR, CLND_INVALID_AXIS, "1,3",
     "axis is 2147483647"},
    {"axis before the batch", "2,3", "2,1: 0 0", -2, 1, ERR, CLND_INVALID_AXIS, "2,1", "axis is 0"},
    {"batch_dims above the rank of indices", "2,3", "2: 0 0", 0, 2, ERR, CLND_INVALID_AXIS, "2",
     "batch_dims is 2"},
    {"batch_dims below", "2,3", "2: 0 0", 0, -2, ERR, CLND_INVALID_AXIS, "2", "batch_dims is -2"},
    {"batch_dims of all params", "2,3", "2,3: 0 0 0 0 0 0", 0, 2, ERR, CLND_INVALID_AXIS, "2,3",
     "batch_dims is 2"},
    {"batch_dims far below", "2,3", "2: 0 0", 0, INT32_MIN, ERR, CLND_INVALID_AXIS, "2",
     "batch_dims"},
    {"batch sizes differ", "2,3", "3,1: 0 0 0", 1, 1, ERR, CLND_INVALID_SHAPE, "2,1",
     "batch dimension 0 is 2 in params and 3 in indices"},
    {"rank-0 params", ": 5", "1: 0", 0, 0, ERR, CLND_INVALID_RANK, "1", "params has rank 0"},
    {"rank of the result", "1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1,1: 0", 0, 0, ERR,
     CLND_INVALID_RANK, "1", "rank 17"},
    {"out of another shape", "2,3", "2: 0 1", 1, 0, ERR, CLND_INVALID_SHAPE, "2,3", "out"},
    {"out with a size of 1", "2,3", "2: 0 1", 1, 0, ERR, CLND_INVALID_SHAPE, "2,1", "out"},
};
// clang-format on

Test(gather, worked_examples)
{
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * N_STRATEGIES; i++) {
        const device *d = device_with(device_get(), strategies[i % N_STRATEGIES]);
        const example *e = &examples[i / N_STRATEGIES];
        placed params, indices, out;
        clnd_tensor shape;
        cl_event event = NULL;
        case_begin("gather worked examples", i);
        case_note("%s", e->label);
        text_tensor(&params, "params", case_rng(), CLND_INT32, e->params);
        text_tensor(&indices, "indices", case_rng(), CLND_INT32, e->indices);
        text_space(&out, "out", case_rng(), CLND_INT32, e->out);
        placed_upload(&params, d);
        placed_upload(&indices, d);
        placed_upload(&out, d);
        clnd_gather_options options = {
            .axis = e->axis, .batch_dims = e->batch_dims, .bounds = e->bounds};
        bool wrong_out = e->message && strcmp(e->message, "out") == 0;
        clnd_status expected = e->status == OUTSIDE || wrong_out ? CLND_OK : e->status;
        check_status(clnd_gather_shape(&params.tensor, &indices.tensor, &options, &shape),
                     expected);
        if (expected)
            check(shape.rank == 0 && shape.dtype == 0, "*out is not zeroed");
        else if (!wrong_out)
            check(shape.rank == out.tensor.rank &&
                      memcmp(shape.shape, out.tensor.shape,
                             (size_t)shape.rank * sizeof *shape.shape) == 0,
                  "the result's shape");
        check_status(clnd_gather(d->engine, d->queue, &params.tensor, &indices.tensor, &out.tensor,
                                 &options, 0, NULL, &event),
                     e->status);
        check((event != NULL) == (e->status == CLND_OK), "the event");
        if (event)
            check_cl(clReleaseEvent(event));
        if (e->message)
            check_message(e->message);
        else
            text_elements(&out, e->out);
        placed_check(&out, d, e->status == OUTSIDE ? EQUAL_AROUND : EQUAL_BITS, NULL);
        placed_free(&params);
        placed_free(&indices);
        placed_free(&out);
    }
}

// out may not share memory with params or indices; params and indices may. All on one buffer.
Test(gather, overlap)
{
    const device *d = device_get();
    placed all;
    case_begin("gather overlap", 0);
    text_tensor(&all, "all", case_rng(), CLND_INT32, "6: 1 0 5 6 7 8");
    placed_upload(&all, d);
    clnd_tensor params = all.tensor, indices = all.tensor, out = all.tensor;
    params.shape[0] = 4;
    indices.shape[0] = 2;
    out.shape[0] = 2;
    for (size_t at = 0; at < 6; at++) {
        clnd_gather_options options = {.bounds = CLND_BOUNDS_ERROR};
        out.offset = 4 * at;
        clnd_status status = at < 4 ? CLND_OVERLAP : at == 4 ? CLND_OK : CLND_BUFFER_TOO_SMALL;
        check_status(
            clnd_gather(d->engine, d->queue, &params, &indices, &out, &options, 0, NULL, NULL),
            status);
        if (at == 4)
            text_elements(&all, "6: 1 0 5 6 0 1");
        placed_check(&all, d, EQUAL_BITS, NULL);
    }
    placed_free(&all);
}

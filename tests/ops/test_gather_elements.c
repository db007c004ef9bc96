// SPDX-License-Identifier: Apache-2.0
//
// gather_elements: worked examples and refusals.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "text.h"

static const char *const strategies[] = {NULL, "must,lanes", "must,blocks"};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

typedef struct example {
    const char *label;
    const char *params;  // int32
    const char *indices; // int32
    int axis;
    clnd_bounds bounds;
    clnd_status status;
    const char *out; // the result; when refused, its shape
    const char *message;
} example;

#define ERR     CLND_BOUNDS_ERROR
#define OUTSIDE CLND_INDEX_OUT_OF_BOUNDS
#define NINE    "3,3: 1 2 3 4 5 6 7 8 9"

// clang-format off
// The first three are ONNX's and PyTorch's own.
static const example examples[] = {
    {"onnx axis 1", "2,2: 1 2 3 4", "2,2: 0 0 1 0", 1, ERR, CLND_OK, "2,2: 1 1 4 3", NULL},
    {"onnx axis 0, fewer rows", NINE, "2,3: 1 2 0 2 0 0", 0, ERR, CLND_OK, "2,3: 4 8 3 7 2 3",
     NULL},
    {"onnx negative", NINE, "2,3: -1 -2 0 -2 0 0", 0, CLND_BOUNDS_WRAP, CLND_OK, "2,3: 7 5 3 4 2 3",
     NULL},
    {"negative axis", "2,2: 1 2 3 4", "2,2: 0 0 1 0", -1, ERR, CLND_OK, "2,2: 1 1 4 3", NULL},
    {"more along the axis", "2,2: 1 2 3 4", "1,5: 0 1 0 1 1", 1, ERR, CLND_OK, "1,5: 1 2 1 2 2",
     NULL},
    {"rank 1", "3: 5 6 7", "4: 2 2 0 1", 0, ERR, CLND_OK, "4: 7 7 5 6", NULL},
    {"nothing", "3: 5 6 7", "0:", 0, ERR, CLND_OK, "0:", NULL},
    {"nothing of nothing", "0,3:", "0,3:", 0, ERR, CLND_OK, "0,3:", NULL},
    {"nothing beside the axis", "2,3", "0,7:", 1, ERR, CLND_OK, "0,7:", NULL},
    {"zero", "2,2: 1 2 3 4", "1,2: 2 -1", 0, CLND_BOUNDS_ZERO, CLND_OK, "1,2: 0 0", NULL},
    {"clamp", "2,2: 1 2 3 4", "1,2: 2 -1", 0, CLND_BOUNDS_CLAMP, CLND_OK, "1,2: 3 2", NULL},
    {"first bad row", "2,3", "2,2: 0 7 -1 9", 1, ERR, OUTSIDE, "2,2",
     "gather_elements: indices[0,1] = 7 is not in [0, 3)"},
    {"axis of size 0", "0,2:", "1,2: 0 0", 0, ERR, OUTSIDE, "1,2",
     "indices[0,0] = 0 is not in [0, 0)"},
    {"axis too high", "2,3", "2,3", 2, ERR, CLND_INVALID_AXIS, "2,3", "axis is 2"},
    {"axis too low", "2,3", "2,3", -3, ERR, CLND_INVALID_AXIS, "2,3", "axis is -3"},
    {"axis far too low", "2,3", "2,3", INT32_MIN, ERR, CLND_INVALID_AXIS, "2,3",
     "axis is -2147483648"},
    {"indices of a higher rank", "3", "1,3", 0, ERR, CLND_INVALID_RANK, "1,3", "rank 2"},
    {"indices of a lower rank", "2,3", "3", 0, ERR, CLND_INVALID_RANK, "3", "rank 1"},
    {"rank 0", ": 1", ": 0", 0, ERR, CLND_INVALID_RANK, ":", "rank 0"},
    {"larger outside the axis", "2,3", "3,3: 0 0 0 0 0 0 0 0 0", 1, ERR, CLND_INVALID_SHAPE, "3,3",
     "indices of shape [3, 3] reach beyond params of shape [2, 3] in dimension 0"},
    {"larger, but empty", "2,3", "0,4:", 0, ERR, CLND_INVALID_SHAPE, "0,4:", "in dimension 1"},
    {"out of another shape", "2,3", "1,3: 0 0 0", 0, ERR, CLND_INVALID_SHAPE, "2,3", "out"},
};
// clang-format on

Test(gather_elements, worked_examples)
{
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * N_STRATEGIES; i++) {
        const device *d = device_with(device_get(), strategies[i % N_STRATEGIES]);
        const example *e = &examples[i / N_STRATEGIES];
        placed params, indices, out;
        clnd_tensor shape;
        cl_event event = NULL;
        case_begin("gather_elements worked examples", i);
        case_note("%s", e->label);
        text_tensor(&params, "params", case_rng(), CLND_INT32, e->params);
        text_tensor(&indices, "indices", case_rng(), CLND_INT32, e->indices);
        text_space(&out, "out", case_rng(), CLND_INT32, e->out);
        placed_upload(&params, d);
        placed_upload(&indices, d);
        placed_upload(&out, d);
        clnd_gather_elements_options options = {.axis = e->axis, .bounds = e->bounds};
        bool wrong_out = e->message && strcmp(e->message, "out") == 0;
        clnd_status expected = e->status == OUTSIDE || wrong_out ? CLND_OK : e->status;
        check_status(clnd_gather_elements_shape(&params.tensor, &indices.tensor, &options, &shape),
                     expected);
        if (expected)
            check(shape.rank == 0 && shape.dtype == 0, "*out is not zeroed");
        else
            check(shape.rank == indices.tensor.rank &&
                      memcmp(shape.shape, indices.tensor.shape,
                             (size_t)shape.rank * sizeof *shape.shape) == 0,
                  "the result's shape");
        check_status(clnd_gather_elements(d->engine, d->queue, &params.tensor, &indices.tensor,
                                          &out.tensor, &options, 0, NULL, &event),
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

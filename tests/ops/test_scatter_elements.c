// SPDX-License-Identifier: Apache-2.0
//
// scatter_elements: worked examples and refusals.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "text.h"

typedef struct example {
    const char *label;
    const char *target; // int32, as the updates
    const char *indices;
    const char *updates;
    int axis;
    clnd_reduce reduce;
    clnd_bounds bounds;
    bool deterministic;
    clnd_status status;
    const char *result; // or
    const char *message;
} example;

#define OUTSIDE CLND_INDEX_OUT_OF_BOUNDS
#define SET     CLND_REDUCE_DEFAULT
#define ADD     CLND_REDUCE_ADD
#define ERR     CLND_BOUNDS_ERROR
#define SKIP    CLND_BOUNDS_SKIP
#define WRAP    CLND_BOUNDS_WRAP

// clang-format off
// The first five are ONNX's own.
static const example examples[] = {
    {"onnx axis 0", "3,3: 0 0 0 0 0 0 0 0 0", "2,3: 1 0 2 0 2 1", "2,3: 10 11 12 20 21 22", 0, SET,
     ERR, false, CLND_OK, "3,3: 20 11 0 10 0 22 0 21 12", NULL},
    {"onnx axis 1", "1,5: 1 2 3 4 5", "1,2: 1 3", "1,2: 11 21", 1, SET, ERR, false, CLND_OK,
     "1,5: 1 11 3 21 5", NULL},
    {"onnx negative", "1,5: 1 2 3 4 5", "1,2: 1 -3", "1,2: 11 21", 1, SET, WRAP, false, CLND_OK,
     "1,5: 1 11 21 4 5", NULL},
    {"onnx add", "1,5: 1 2 3 4 5", "1,2: 1 1", "1,2: 11 21", 1, ADD, ERR, false, CLND_OK,
     "1,5: 1 34 3 4 5", NULL},
    {"onnx max", "1,5: 1 2 3 4 5", "1,2: 1 1", "1,2: 1 21", 1, CLND_REDUCE_MAX, ERR, false, CLND_OK,
     "1,5: 1 21 3 4 5", NULL},
    {"negative axis", "1,5: 1 2 3 4 5", "1,2: 1 3", "1,2: 11 21", -1, SET, ERR, false, CLND_OK,
     "1,5: 1 11 3 21 5", NULL},
    {"the last update wins", "2: 1 2", "3: 1 1 1", "3: 5 6 7", 0, SET, ERR, true, CLND_OK, "2: 1 7",
     NULL},
    {"mul", "2: 3 2", "3: 0 0 1", "3: 5 -1 7", 0, CLND_REDUCE_MUL, ERR, false, CLND_OK, "2: -15 14",
     NULL},
    {"sub", "2: 3 2", "3: 0 0 1", "3: 5 -1 7", 0, CLND_REDUCE_SUB, ERR, false, CLND_OK, "2: -1 -5",
     NULL},
    {"min", "2: 3 2", "3: 0 0 1", "3: 5 -1 7", 0, CLND_REDUCE_MIN, ERR, false, CLND_OK, "2: -1 2",
     NULL},
    {"smaller beside the axis", "3,2: 0 0 0 0 0 0", "2,1: 0 0", "2,1: 4 5", 1, SET, ERR, false,
     CLND_OK, "3,2: 4 0 5 0 0 0", NULL},
    {"nothing", "2: 1 2", "0:", "0:", 0, ADD, ERR, false, CLND_OK, "2: 1 2", NULL},
    {"skip", "2: 1 2", "3: 2 1 -1", "3: 5 6 7", 0, ADD, SKIP, false, CLND_OK, "2: 1 8", NULL},
    {"clamp", "2: 1 2", "3: 2 1 -1", "3: 5 6 7", 0, ADD, CLND_BOUNDS_CLAMP, false, CLND_OK,
     "2: 8 13",
     NULL},
    {"first bad row", "2,3", "2,2: 0 7 -1 9", "2,2", 1, ADD, ERR, false, OUTSIDE, NULL,
     "scatter_elements: indices[0,1] = 7 is not in [0, 3)"},
    {"wrap once", "2,3", "2,1: -3 -4", "2,1", 1, ADD, WRAP, false, OUTSIDE, NULL,
     "scatter_elements: indices[1,0] = -4 is not in [-3, 3)"},
    {"axis of size 0", "0:", "1: 0", "1: 5", 0, ADD, ERR, false, OUTSIDE, NULL,
     "scatter_elements: indices[0] = 0 is not in [0, 0)"},
    {"axis of size 0, clamp", "0:", "1: 0", "1: 5", 0, ADD, CLND_BOUNDS_CLAMP, false, CLND_OK, "0:",
     NULL},
    {"axis too high", "2,3", "2,3", "2,3", 2, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "axis is 2"},
    {"axis too low", "2,3", "2,3", "2,3", -3, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "axis is -3"},
    {"axis far too low", "2,3", "2,3", "2,3", INT32_MIN, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "axis is -2147483648"},
    {"indices of another rank", "2,3", "3", "3", 0, ADD, ERR, false, CLND_INVALID_RANK, NULL,
     "rank 1"},
    {"rank 0", ": 1", ": 0", ": 0", 0, ADD, ERR, false, CLND_INVALID_RANK, NULL, "rank 0"},
    {"updates of another shape", "2,3", "1,3: 0 0 0", "1,2", 0, ADD, ERR, false, CLND_INVALID_SHAPE,
     NULL, "updates"},
    {"updates of another rank", "2,3", "1,3: 0 0 0", "3", 0, ADD, ERR, false, CLND_INVALID_SHAPE,
     NULL, "updates"},
    {"updates are not broadcast", "2,3", "2,3: 0 0 0 0 0 0", "1,3", 0, ADD, ERR, false,
     CLND_INVALID_SHAPE, NULL, "updates"},
    {"larger outside the axis", "2,3", "3,3: 0 0 0 0 0 0 0 0 0", "3,3", 1, ADD, ERR, false,
     CLND_INVALID_SHAPE, NULL, "reach beyond target of shape [2, 3] in dimension 0"},
    {"larger, but empty", "2,3", "0,4:", "0,4:", 0, ADD, ERR, false, CLND_INVALID_SHAPE, NULL,
     "in dimension 1"},
    {"fill", "2", "1: 0", "1: 5", 0, ADD, CLND_BOUNDS_FILL, false, CLND_INVALID_OPTION, NULL,
     "FILL"},
};
// clang-format on

static void run_example(const device *d, const example *e, const char *words)
{
    rng *r = case_rng();
    placed indices, updates, target;
    cl_event event = NULL;
    text_tensor(&target, "target", r, CLND_INT32, e->target);
    text_tensor(&indices, "indices", r, CLND_INT64, e->indices);
    text_tensor(&updates, "updates", r, CLND_INT32, e->updates);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);
    clnd_scatter_elements_options options = {.axis = e->axis,
                                             .reduce = e->reduce,
                                             .bounds = e->bounds,
                                             .deterministic = e->deterministic};
    check_status(
        clnd_scatter_elements_check(&indices.tensor, &updates.tensor, &target.tensor, &options),
        e->status == OUTSIDE ? CLND_OK : e->status);
    clnd_status status =
        clnd_scatter_elements(device_with(d, words)->engine, d->queue, &indices.tensor,
                              &updates.tensor, &target.tensor, &options, 0, NULL, &event);
    bool refused = status == CLND_INVALID_OPTION &&
                   ((device_lists(words, "atomic") && (e->reduce == SET || e->deterministic)) ||
                    (device_lists(words, "private") && e->reduce == SET));
    if (!refused)
        check_status(status, e->status);
    check((event != NULL) == (status == CLND_OK), "the event");
    if (event)
        check_cl(clReleaseEvent(event));
    if (e->message)
        check_message(e->message);
    else if (!refused)
        text_elements(&target, e->result);
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
}

Test(scatter_elements, worked_examples)
{
    static const char *const strategies[] = {NULL, "must,owner", "must,atomic", "must,private"};
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * 4; i++) {
        case_begin("scatter_elements worked examples", i);
        case_note("%s, number %d", examples[i / 4].label, i % 4);
        run_example(d, &examples[i / 4], strategies[i % 4]);
    }
}

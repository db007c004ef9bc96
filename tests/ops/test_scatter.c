// SPDX-License-Identifier: Apache-2.0
//
// scatter: worked examples and refusals.

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
    int axis, batch_dims;
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
// The first four are PyTorch's index_copy_, index_add_ and index_reduce_.
static const example examples[] = {
    {"index_copy_", "4,3: 0 0 0 0 0 0 0 0 0 0 0 0", "3: 0 3 2", "3,3: 1 2 3 4 5 6 7 8 9", 0, 0, SET,
     ERR, false, CLND_OK, "4,3: 1 2 3 0 0 0 7 8 9 4 5 6", NULL},
    {"index_copy_ of columns", "2,3: 0 0 0 0 0 0", "2: 2 0", "2,2: 1 2 3 4", 1, 0, SET, ERR, false,
     CLND_OK, "2,3: 2 0 1 4 0 3", NULL},
    {"index_add_", "3,2: 1 1 1 1 1 1", "3: 0 2 0", "3,2: 1 2 3 4 5 6", 0, 0, ADD, ERR, false,
     CLND_OK, "3,2: 7 9 1 1 4 5", NULL},
    {"index_reduce_", "3,2: 1 2 3 4 5 6", "3: 0 2 0", "3,2: 2 1 9 0 -1 3", 0, 0, CLND_REDUCE_MAX,
     ERR, false, CLND_OK, "3,2: 2 3 3 4 9 6", NULL},
    {"negative axis", "2,3: 0 0 0 0 0 0", "2: 2 2", "2,2: 1 2 3 4", -1, 0, ADD, ERR, false, CLND_OK,
     "2,3: 0 0 3 0 0 7", NULL},
    {"between dimensions", "2,2,2: 0 0 0 0 0 0 0 0", "1: 1", "2,1,2: 1 2 3 4", 1, 0, SET, ERR,
     false, CLND_OK, "2,2,2: 0 0 1 2 0 0 3 4", NULL},
    {"indices of rank 0", "2,3: 0 0 0 0 0 0", ": 1", "2: 8 9", 1, 0, SET, ERR, false, CLND_OK,
     "2,3: 0 8 0 0 9 0", NULL},
    {"indices of rank 2", "3,2: 0 0 0 0 0 0", "2,2: 0 2 2 0", "2,2,2: 1 2 3 4 5 6 7 8", 0, 0, ADD,
     ERR, false, CLND_OK, "3,2: 8 10 0 0 8 10", NULL},
    {"batch dims", "2,3: 0 0 0 0 0 0", "2,2: 0 2 1 1", "2,2: 1 2 3 4", 0, 1, ADD, ERR, false,
     CLND_OK, "2,3: 1 0 2 0 7 0", NULL},
    {"batch dims, negative", "2,3: 0 0 0 0 0 0", "2,2: 0 2 1 1", "2,2: 1 2 3 4", 1, -1, ADD, ERR,
     false, CLND_OK, "2,3: 1 0 2 0 7 0", NULL},
    {"batch dims before another", "2,2,2: 0 0 0 0 0 0 0 0", "2,1: 1 0", "2,2,1: 1 2 3 4", 2, 1, SET,
     ERR, false, CLND_OK, "2,2,2: 0 1 0 2 3 0 4 0", NULL},
    {"the last update wins", "2,1: 1 2", "3: 1 1 1", "3,1: 5 6 7", 0, 0, SET, ERR, true, CLND_OK,
     "2,1: 1 7", NULL},
    {"nothing", "2,2: 1 2 3 4", "0:", "0,2:", 0, 0, ADD, ERR, false, CLND_OK, "2,2: 1 2 3 4", NULL},
    {"skip", "2: 1 2", "3: 2 1 -1", "3: 5 6 7", 0, 0, ADD, SKIP, false, CLND_OK, "2: 1 8", NULL},
    {"wrap", "3: 1 2 3", "2: -1 -3", "2: 5 6", 0, 0, SET, WRAP, false, CLND_OK, "3: 6 2 5", NULL},
    {"first bad value", "2,3", "4: 0 2 7 9", "2,4", 1, 0, ADD, ERR, false, OUTSIDE, NULL,
     "scatter: indices[2] = 7 is not in [0, 3)"},
    {"bad value of a batch", "2,3", "2,2: 0 2 -1 9", "2,2", 1, 1, ADD, ERR, false, OUTSIDE, NULL,
     "scatter: indices[1,0] = -1 is not in [0, 3)"},
    {"axis outside", "2,3", "1: 0", "2,1", 2, 0, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "scatter: axis is 2"},
    {"axis before the batch", "2,3", "2,1: 0 0", "2,1", -2, 1, ADD, ERR, false, CLND_INVALID_AXIS,
     NULL, "scatter: axis is 0, must be at least 1 (batch_dims)"},
    {"other batches", "2,3", "1,1: 0", "2,1", 1, 1, ADD, ERR, false, CLND_INVALID_SHAPE, NULL,
     "scatter: batch dimension 0"},
    {"updates of another shape", "2,3", "2: 0 1", "2,3", 1, 0, ADD, ERR, false, CLND_INVALID_SHAPE,
     NULL, "scatter: updates has shape [2, 3], expected [2, 2]"},
    {"rank 0", ": 5", "1: 0", "1", 0, 0, ADD, ERR, false, CLND_INVALID_RANK, NULL,
     "scatter: target has rank 0"},
    {"fill", "2", "1: 0", "1: 5", 0, 0, ADD, CLND_BOUNDS_FILL, false, CLND_INVALID_OPTION, NULL,
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
    clnd_scatter_options options = {.axis = e->axis,
                                    .batch_dims = e->batch_dims,
                                    .reduce = e->reduce,
                                    .bounds = e->bounds,
                                    .deterministic = e->deterministic};
    check_status(clnd_scatter_check(&indices.tensor, &updates.tensor, &target.tensor, &options),
                 e->status == OUTSIDE ? CLND_OK : e->status);
    clnd_status status = clnd_scatter(device_with(d, words)->engine, d->queue, &indices.tensor,
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

Test(scatter, worked_examples)
{
    static const char *const strategies[] = {NULL, "must,owner", "must,atomic", "must,private"};
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * 4; i++) {
        case_begin("scatter worked examples", i);
        case_note("%s, number %d", examples[i / 4].label, i % 4);
        run_example(d, &examples[i / 4], strategies[i % 4]);
    }
}

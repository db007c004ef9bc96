// SPDX-License-Identifier: Apache-2.0
//
// A forced strategy that cannot give the right result is refused, and nothing else is. What makes
// the difference can often not be seen in the result: a byte read behind a buffer, an element that
// is torn once in a million times.

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "device.h"

enum { ROWS = 3, BUFFER_BYTES = 256 };

// A scatter of three rows of one element each into a vector.
static const struct {
    const char *what;
    clnd_dtype dtype;
    int64_t length;      // elements of the target
    size_t offset;       // bytes of the target in its buffer
    size_t buffer_bytes; // 0: BUFFER_BYTES
    clnd_reduce reduce;
    bool deterministic, unique;
    const char *strategy;
    bool possible;
} cases[] = {
    {"the last word reaches outside", CLND_UINT8, 5, 0, 5, CLND_REDUCE_ADD, false, false,
     "must,atomic", false},
    {"the last word is whole", CLND_UINT8, 5, 0, 8, CLND_REDUCE_ADD, false, false, "must,atomic",
     true},
    {"half a word at the end", CLND_FLOAT16, 3, 0, 6, CLND_REDUCE_MAX, false, false, "must,atomic",
     false},
    {"a half at the end of a word", CLND_FLOAT16, 3, 2, 8, CLND_REDUCE_MAX, false, false,
     "must,atomic", true},
    {"without atomics the end does not matter", CLND_UINT8, 5, 0, 5, CLND_REDUCE_ADD, false, false,
     "must,owner", true},
    {"an update is no atomic", CLND_INT32, 5, 0, 0, CLND_REDUCE_UPDATE, false, false, "must,atomic",
     false},
    {"float sums depend on the order", CLND_FLOAT32, 5, 0, 0, CLND_REDUCE_ADD, true, false,
     "must,atomic", false},
    {"integer sums do not", CLND_INT32, 5, 0, 0, CLND_REDUCE_ADD, true, false, "must,atomic", true},
    {"8 bytes are stored whole", CLND_COMPLEX64, 5, 0, 0, CLND_REDUCE_UPDATE, false, false,
     "must,store", true},
    {"16 bytes are not", CLND_COMPLEX128, 5, 0, 0, CLND_REDUCE_UPDATE, false, false, "must,store",
     false},
    {"16 bytes that do not meet", CLND_COMPLEX128, 5, 0, 0, CLND_REDUCE_UPDATE, false, true,
     "must,store", true},
    {"3 bytes are not", CLND_OPAQUE(3), 5, 0, 0, CLND_REDUCE_UPDATE, false, false, "must,store",
     false},
    {"8 bytes across their alignment are not", CLND_FLOAT64, 5, 4, 0, CLND_REDUCE_UPDATE, false,
     false, "must,store", false},
    {"the last update wins", CLND_INT32, 5, 0, 0, CLND_REDUCE_UPDATE, true, false, "must,store",
     false},
    {"no update meets another", CLND_INT32, 5, 0, 0, CLND_REDUCE_UPDATE, true, true, "must,store",
     true},
    {"products apart from the target could overflow", CLND_FLOAT32, 5, 0, 0, CLND_REDUCE_MUL, false,
     false, "must,private", false},
    {"those of integers wrap all the same", CLND_INT32, 5, 0, 0, CLND_REDUCE_MUL, false, false,
     "must,private", true},
    {"sums of complex numbers have one", CLND_COMPLEX64, 5, 0, 0, CLND_REDUCE_ADD, false, false,
     "must,private", true},
    {"copies change the order", CLND_FLOAT32, 5, 0, 0, CLND_REDUCE_ADD, true, false, "must,private",
     false},
    {"which integers do not mind", CLND_INT32, 5, 0, 0, CLND_REDUCE_SUB, true, false,
     "must,private", true},
    {"extrema of halves are converted", CLND_FLOAT16, 5, 0, 0, CLND_REDUCE_MAX, true, false,
     "must,private", false},
    {"copies need no words around elements", CLND_UINT8, 5, 0, 5, CLND_REDUCE_ADD, false, false,
     "must,private", true},
    {"sums may meet", CLND_INT32, 5, 0, 0, CLND_REDUCE_ADD, false, false, "must,store", false},
    {"sums that do not meet", CLND_INT32, 5, 0, 0, CLND_REDUCE_ADD, false, true, "must,store",
     true},
};

static cl_mem new_buffer(const device *d, size_t size, const void *content)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &code);
    check_cl(code);
    check_cl(clEnqueueWriteBuffer(d->queue, buffer, CL_TRUE, 0, size, content, 0, NULL, NULL));
    return buffer;
}

static void run_case(const device *d, int number)
{
    static const unsigned char zeros[BUFFER_BYTES];
    static const int32_t rows[ROWS] = {0, 2, 1};
    const size_t bytes = cases[number].buffer_bytes ? cases[number].buffer_bytes : BUFFER_BYTES;
    cl_mem buffers[3] = {new_buffer(d, bytes, zeros), new_buffer(d, sizeof rows, rows),
                         new_buffer(d, BUFFER_BYTES, zeros)};
    clnd_tensor target, indices, updates;
    check_status(clnd_tensor_dense(buffers[0], cases[number].offset, cases[number].dtype, 1,
                                   &cases[number].length, &target),
                 CLND_OK);
    check_status(clnd_tensor_dense(buffers[1], 0, CLND_INT32, 2, (int64_t[]){ROWS, 1}, &indices),
                 CLND_OK);
    check_status(
        clnd_tensor_dense(buffers[2], 0, cases[number].dtype, 1, (int64_t[]){ROWS}, &updates),
        CLND_OK);
    const clnd_scatter_nd_options options = {.reduce = cases[number].reduce,
                                             .deterministic = cases[number].deterministic,
                                             .unique_indices = cases[number].unique};
    check_status(clnd_scatter_nd_into(device_with(d, cases[number].strategy)->engine, d->queue,
                                      &indices, &updates, &target, &options, 0, NULL, NULL),
                 cases[number].possible ? CLND_OK : CLND_INVALID_OPTION);
    if (!cases[number].possible)
        check_message("cannot do this scatter");
    check_cl(clFinish(d->queue));
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(buffers[i]));
}

Test(strategies, scatters_are_refused_what_they_cannot_do)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        case_begin("strategies", i);
        case_note("%s", cases[i].what);
        run_case(d, i);
    }
}

// On CPUs, threads that update few locations would contend for their cache lines, so only the last
// row of each is moved, or one owner does it; few updates do not meet.
Test(strategies, updates_of_few_places)
{
    enum { PLACES = 100 };
    static const struct {
        int64_t rows, width;
        bool unique;
        const char *strategy, *without; // kernels for rows, on a CPU
    } all[] = {
        {17 * PLACES, 1, false, "private", "owner"}, {16 * PLACES, 1, false, "store", "store"},
        {17 * PLACES, 1, true, "store", "store"},    {17 * PLACES, 40, false, "private", "owner"},
        {6 * PLACES, 16, false, "private", "store"}, // whole lines
        {6 * PLACES, 15, false, "store", "store"},   {6 * PLACES, 16, true, "store", "store"},
        {2 * PLACES, 16, false, "store", "store"}, // little to do
    };
    const device *d = device_get();
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        case_begin("few places", (int)i);
        const int64_t rows = all[i].rows, width = all[i].width;
        clnd_tensor target, indices, updates;
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){PLACES, width}, &target),
                     CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){rows, 1}, &indices),
                     CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){rows, width}, &updates),
                     CLND_OK);
        clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_UPDATE,
                                           .unique_indices = all[i].unique};
        clnd_plan plan;
        check_status(
            clnd_scatter_nd_into_plan(d->engine, &indices, &updates, &target, &options, &plan),
            CLND_OK);
        const char *expected = device_has_buckets(d) ? all[i].strategy
                               : d->facts->is_cpu    ? all[i].without
                                                     : "store";
        check(plan_takes(&plan, expected), "%s: %s", plan.strategy, plan.reason);
        check_status(clnd_scatter_nd_into_plan(device_with(d, "must,private")->engine, &indices,
                                               &updates, &target, &options, &plan),
                     device_has_buckets(d) ? CLND_OK : CLND_INVALID_OPTION);
    }
}

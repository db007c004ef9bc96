// SPDX-License-Identifier: Apache-2.0
//
// One bad row among thousands, wherever it is and whichever kernel looks for it: the check, or the
// first kernel of private copies and buckets. The call names it, leaves the target as it was, and
// the next call finds nothing.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "device.h"

enum { ROWS = 10000, PLACES = ROWS };

static cl_mem new_buffer(const device *d, size_t size, const void *content)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                   (void *)content, &code);
    check_cl(code);
    return buffer;
}

typedef struct scene {
    clnd_tensor indices, updates, target;
    int32_t rows[ROWS];
    int16_t result[PLACES];
} scene;

// Whether the strategy can do it; then the target must be what it was, or the result.
static bool scatter(const device *d, const scene *s, const clnd_scatter_nd_options *options,
                    bool into, int64_t bad)
{
    int16_t before[PLACES], after[PLACES];
    for (int i = 0; i < PLACES; i++)
        before[i] = into ? 0 : 77;
    check_cl(clEnqueueWriteBuffer(d->queue, s->target.buffer, CL_TRUE, 0, sizeof before, before, 0,
                                  NULL, NULL));
    check_cl(clEnqueueWriteBuffer(d->queue, s->indices.buffer, CL_TRUE, 0, sizeof s->rows, s->rows,
                                  0, NULL, NULL));
    const clnd_status status =
        into ? clnd_scatter_nd_into(d->engine, d->queue, &s->indices, &s->updates, &s->target,
                                    options, 0, NULL, NULL)
             : clnd_scatter_nd(d->engine, d->queue, &s->indices, &s->updates, &s->target, options,
                               0, NULL, NULL);
    if (status == CLND_INVALID_OPTION)
        return false;
    check(status == (bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS), "%s: %s",
          clnd_status_name(status), clnd_last_error());
    if (bad >= 0) {
        char location[64];
        snprintf(location, sizeof location, "indices[%" PRId64 "]", bad);
        check_message(location);
    }
    check_cl(clEnqueueReadBuffer(d->queue, s->target.buffer, CL_TRUE, 0, sizeof after, after, 0,
                                 NULL, NULL));
    check(memcmp(after, bad < 0 ? s->result : before, sizeof after) == 0, "the target has changed");
    return true;
}

static int run_strategy(const device *d, scene *s, clnd_scatter_nd_options options,
                        const char *words, bool wrap)
{
    static const int places[] = {0, 1, 32, 255, 256, 511, 512, 4095, 4096, 8191, ROWS - 1};
    static const int32_t values[] = {PLACES, -1 - PLACES, INT32_MAX, INT32_MIN};
    int done = 0;
    d = device_with(d, words);
    options.bounds = wrap ? CLND_BOUNDS_WRAP : CLND_BOUNDS_ERROR;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const bool into = i % 2;
        const int bad = places[i], behind = bad + 3000 < ROWS ? bad + 3000 : bad;
        case_note("%s, bad row %d", words ? words : "any strategy", bad);
        const int32_t good = s->rows[bad], good_behind = s->rows[behind];
        s->rows[bad] = s->rows[behind] = values[i % 4];
        done += scatter(d, s, &options, into, bad);
        s->rows[behind] = good_behind;
        s->rows[bad] = good;
        done += scatter(d, s, &options, into, -1);
    }
    return done;
}

// A float16 of bits n < 1024 is n times the smallest one, so its sums are those of integers.
static void run_all(clnd_reduce reduce, clnd_dtype dtype)
{
    // With lanes groups look at neighbouring rows, as on GPUs.
    static const char *const strategies[] = {NULL,        "must,owner",   "must,atomic",
                                             "must,sort", "must,private", "must,buckets",
                                             "lanes,sort"};
    static scene s;
    static int16_t values[ROWS];
    const device *d = device_get();
    for (int i = 0; i < ROWS; i++) {
        s.rows[i] = (int32_t)((uint32_t)i * 2654435761u % PLACES);
        values[i] = reduce == CLND_REDUCE_ADD ? 1 : (int16_t)i;
        s.result[s.rows[i]] = reduce == CLND_REDUCE_ADD ? s.result[s.rows[i]] + 1 : values[i];
    }
    cl_mem buffers[] = {new_buffer(d, sizeof s.rows, s.rows), new_buffer(d, sizeof values, values),
                        new_buffer(d, sizeof s.result, s.result)};
    check_status(clnd_tensor_dense(buffers[0], 0, CLND_INT32, 2, (int64_t[]){ROWS, 1}, &s.indices),
                 CLND_OK);
    check_status(clnd_tensor_dense(buffers[1], 0, dtype, 1, (int64_t[]){ROWS}, &s.updates),
                 CLND_OK);
    check_status(clnd_tensor_dense(buffers[2], 0, dtype, 1, (int64_t[]){PLACES}, &s.target),
                 CLND_OK);
    for (int i = 0; i < (int)(sizeof strategies / sizeof *strategies); i++) {
        case_begin("one bad row", i);
        const clnd_scatter_nd_options options = {.reduce = reduce, .deterministic = true};
        const int done = run_strategy(d, &s, options, strategies[i], i % 2);
        const bool may_refuse = i > 2 || (i == 2 && d->facts->loop_iterations > 0) ||
                                (device_lists(strategies[i], "atomic") &&
                                 (reduce == CLND_REDUCE_UPDATE || dtype == CLND_FLOAT16));
        check(done > 0 || may_refuse, "nothing was done");
        run_strategy(d, &s, options, strategies[i], !(i % 2));
    }
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(buffers[i]));
}

Test(one_bad_row, of_sums)
{
    run_all(CLND_REDUCE_ADD, CLND_INT16);
}

Test(one_bad_row, of_sums_that_are_rounded_once)
{
    run_all(CLND_REDUCE_ADD, CLND_FLOAT16);
}

Test(one_bad_row, of_updates)
{
    run_all(CLND_REDUCE_UPDATE, CLND_INT16);
}

// Each coordinate has its own extent, also where many tuples are looked at together.
Test(one_bad_row, of_coordinates)
{
    enum { K = 3, CELLS = 2 * 3 * 5 };
    static const int64_t extents[K] = {5, 2, 3};
    static int32_t tuples[ROWS][K];
    static int16_t values[ROWS];
    const device *d = device_get();
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < K; k++)
            tuples[i][k] = (int32_t)(i % extents[k]);
    cl_mem buffers[] = {new_buffer(d, sizeof tuples, tuples), new_buffer(d, sizeof values, values),
                        new_buffer(d, CELLS * sizeof *values, values)};
    clnd_tensor indices, updates, target;
    check_status(clnd_tensor_dense(buffers[0], 0, CLND_INT32, 2, (int64_t[]){ROWS, K}, &indices),
                 CLND_OK);
    check_status(clnd_tensor_dense(buffers[1], 0, CLND_INT16, 1, (int64_t[]){ROWS}, &updates),
                 CLND_OK);
    check_status(clnd_tensor_dense(buffers[2], 0, CLND_INT16, K, extents, &target), CLND_OK);
    const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_UPDATE,
                                             .bounds = CLND_BOUNDS_ERROR};
    for (int i = 0; i < 64 * K; i++) {
        const int row = i * 37, k = i % K;
        const int32_t good = tuples[row][k];
        case_begin("coordinates", i);
        tuples[row][k] = (int32_t)extents[k];
        check_cl(clEnqueueWriteBuffer(d->queue, buffers[0], CL_TRUE, 0, sizeof tuples, tuples, 0,
                                      NULL, NULL));
        tuples[row][k] = good;
        check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices, &updates, &target,
                                          &options, 0, NULL, NULL),
                     CLND_INDEX_OUT_OF_BOUNDS);
        char location[64];
        snprintf(location, sizeof location, "indices[%d]", row);
        check_message(location);
    }
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(buffers[i]));
}

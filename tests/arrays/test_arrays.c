// SPDX-License-Identifier: Apache-2.0
//
// Host arrays: the helpers of array.h, arrays that share memory, empty ones, memory at the edge of
// what may be touched, engines without a queue. What is refused is in test_refused.c.

#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hosted.h"

Test(array_helpers, dense)
{
    static const float table[4][3];
    clnd_array a;
    case_begin("array_dense", 0);
    check_status(clnd_array_dense(table, CLND_FLOAT32, 2, (int64_t[]){4, 3}, &a), CLND_OK);
    check(a.data == (const void *)table && a.dtype == CLND_FLOAT32 && a.rank == 2, "fields");
    check(a.shape[0] == 4 && a.shape[1] == 3 && a.strides[0] == 3 && a.strides[1] == 1, "strides");
    check_status(clnd_array_dense(NULL, CLND_INT8, 0, NULL, &a), CLND_OK);
    check(!a.data && a.rank == 0, "rank 0");
    check_status(clnd_array_dense(table, CLND_INT8, 2, (int64_t[]){0, INT64_MAX}, &a), CLND_OK);
}

Test(array_helpers, dense_refused)
{
    static const struct {
        clnd_dtype dtype;
        int rank;
        int64_t shape[2];
        clnd_status status;
        const char *text;
    } rows[] = {
        {CLND_OPAQUE(0), 1, {1}, CLND_INVALID_DTYPE, "array_dense: array has dtype"},
        {CLND_INT8, 17, {1}, CLND_INVALID_RANK, "array_dense: array has rank 17"},
        {CLND_INT8, 2, {1, -2}, CLND_INVALID_SHAPE, "the negative size -2 at dimension 1"},
        {CLND_INT32, 2, {INT64_MAX / 8, 4}, CLND_SIZE_OVERFLOW, "array of shape"},
    };
    clnd_array a;
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        case_begin("array_dense refused", i);
        memset(&a, 1, sizeof a);
        check_status(clnd_array_dense(&a, rows[i].dtype, rows[i].rank, rows[i].shape, &a),
                     rows[i].status);
        check_message(rows[i].text);
        check(!a.data && a.rank == 0 && a.dtype == 0, "*array is not zeroed");
    }
    check_status(clnd_array_dense(&a, CLND_INT8, 1, NULL, &a), CLND_NULL_POINTER);
    check_message("array_dense: shape is NULL");
    check_status(clnd_array_dense(&a, CLND_INT8, 0, NULL, NULL), CLND_NULL_POINTER);
    check_message("array_dense: array is NULL");
}

Test(array_helpers, count)
{
    int64_t count = 9;
    case_begin("array_count", 0);
    clnd_array a = hosted_dense(NULL, CLND_INT8, 3, (int64_t[]){2, 3, 4});
    check_status(clnd_array_count(&a, &count), CLND_OK);
    check(count == 24, "24");
    a.rank = 0;
    check_status(clnd_array_count(&a, &count), CLND_OK);
    check(count == 1, "1");
    a.rank = -1;
    check_status(clnd_array_count(&a, &count), CLND_INVALID_RANK);
    check(count == 0, "0");
    a.rank = 3;
    a.shape[1] = -1;
    check_status(clnd_array_count(&a, &count), CLND_INVALID_SHAPE);
    a.shape[1] = INT64_MAX;
    check_status(clnd_array_count(&a, &count), CLND_SIZE_OVERFLOW);
    check_message("array_count: array: the sizes");
    check_status(clnd_array_count(NULL, &count), CLND_NULL_POINTER);
    check_status(clnd_array_count(&a, NULL), CLND_NULL_POINTER);
}

// The example of array.h: the shape of a result.
Test(array_helpers, tensor)
{
    static const float table[4][3];
    static const int32_t rows[5];
    clnd_tensor p, i, o;
    case_begin("array_tensor", 0);
    clnd_array params = hosted_dense(table, CLND_FLOAT32, 2, (int64_t[]){4, 3});
    clnd_array indices = hosted_dense(rows, CLND_INT32, 2, (int64_t[]){5, 1});
    params.strides[0] = -7;
    check_status(clnd_array_tensor(&params, &p), CLND_OK);
    check(!p.buffer && p.offset == 0 && p.dtype == CLND_FLOAT32 && p.rank == 2 && p.shape[1] == 3 &&
              p.strides[0] == -7,
          "fields");
    check_status(clnd_array_tensor(&indices, &i), CLND_OK);
    check_status(clnd_gather_nd_shape(&p, &i, NULL, &o), CLND_OK);
    check(o.rank == 2 && o.shape[0] == 5 && o.shape[1] == 3, "shape of the result");
    check_status(clnd_array_tensor(NULL, &p), CLND_NULL_POINTER);
    check(p.rank == 0 && p.dtype == 0, "*tensor is not zeroed");
    check_status(clnd_array_tensor(&params, NULL), CLND_NULL_POINTER);
}

// Each of these runs by every way.
#define FOR_EACH_WAY(w, label)                                                                     \
    for (way w = (case_begin(label, 0), PUBLIC); w < N_WAYS; case_begin(label, (int)++w))

Test(arrays, empty_arrays_need_no_memory)
{
    const device *d = device_get();
    FOR_EACH_WAY(w, "host empty")
    {
        clnd_array params = hosted_dense(NULL, CLND_FLOAT32, 2, (int64_t[]){0, 3});
        clnd_array indices = hosted_dense(NULL, CLND_INT32, 2, (int64_t[]){0, 1});
        clnd_array out = hosted_dense(NULL, CLND_FLOAT32, 2, (int64_t[]){0, 3});
        const clnd_array *none[] = {&params, &indices, &out};
        check_status(hosted_call(d->engine, GATHER_ND, w, none, NULL, NULL), CLND_OK);
        const clnd_array *copy[] = {&params, &out};
        check_status(hosted_call(d->engine, COPY, w, copy, NULL, NULL), CLND_OK);

        // no rows, but a target: zeros
        int32_t zeros[3] = {1, 2, 3};
        clnd_array updates = hosted_dense(NULL, CLND_INT32, 1, (int64_t[]){0});
        clnd_array target = hosted_dense(zeros, CLND_INT32, 1, (int64_t[]){3});
        const clnd_array *scatter[] = {&indices, &updates, &target};
        check_status(hosted_call(d->engine, SCATTER_ND_INTO, w, scatter, NULL, NULL), CLND_OK);
        check(zeros[0] == 1 && zeros[1] == 2 && zeros[2] == 3, "the target has changed");
        check_status(hosted_call(d->engine, SCATTER_ND, w, scatter, NULL, NULL), CLND_OK);
        check(zeros[0] == 0 && zeros[1] == 0 && zeros[2] == 0, "the output is not zero");

        // slices without elements, and an index that is bad all the same
        const int32_t index[1] = {7};
        clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
        clnd_array wide = hosted_dense(NULL, CLND_FLOAT32, 2, (int64_t[]){3, 0});
        clnd_array row = hosted_dense(NULL, CLND_FLOAT32, 2, (int64_t[]){1, 0});
        indices = hosted_dense(index, CLND_INT32, 2, (int64_t[]){1, 1});
        const clnd_array *bad[] = {&wide, &indices, &row};
        check_status(hosted_call(d->engine, GATHER_ND, w, bad, NULL, &options),
                     CLND_INDEX_OUT_OF_BOUNDS);
        check_message("gather_nd: indices[0] = [7] does not index into params shape [3, 0]");
    }
}

// The same memory as params and as indices; parts of it that overlap; a chain of such parts.
Test(arrays, inputs_may_overlap)
{
    const device *d = device_get();
    FOR_EACH_WAY(w, "host overlapping inputs")
    {
        const int32_t self[8] = {3, 0, 1, 2, 7, 6, 5, 4};
        int32_t picked[4] = {0};
        clnd_array params = hosted_dense(self, CLND_INT32, 1, (int64_t[]){8});
        clnd_array indices = hosted_dense(self + 4, CLND_INT32, 2, (int64_t[]){4, 1});
        clnd_array out = hosted_dense(picked, CLND_INT32, 1, (int64_t[]){4});
        const clnd_array *arrays[] = {&params, &indices, &out};
        check_status(hosted_call(d->engine, GATHER_ND, w, arrays, NULL, NULL), CLND_OK);
        check(memcmp(picked, (int32_t[]){4, 5, 6, 7}, sizeof picked) == 0, "part");
        indices = params;
        indices.rank = 2;
        indices.shape[0] = 4;
        indices.shape[1] = indices.strides[1] = 1;
        check_status(hosted_call(d->engine, GATHER_ND, w, arrays, NULL, NULL), CLND_OK);
        check(memcmp(picked, (int32_t[]){2, 3, 0, 1}, sizeof picked) == 0, "the same");
        params.data = (void *)(uintptr_t)(self + 2); // begins behind indices, ends behind them
        params.shape[0] = 6;
        check_status(hosted_call(d->engine, GATHER_ND, w, arrays, NULL, NULL), CLND_OK);
        check(memcmp(picked, (int32_t[]){6, 1, 2, 7}, sizeof picked) == 0, "shifted");
        params.data = (void *)(uintptr_t)(self + 7); // backwards
        params.shape[0] = 8;
        params.strides[0] = -1;
        check_status(hosted_call(d->engine, GATHER_ND, w, arrays, NULL, NULL), CLND_OK);
        check(memcmp(picked, (int32_t[]){7, 4, 5, 6}, sizeof picked) == 0, "backwards");
    }
}

// Fields of records: indices are aligned, though the memory of both inputs begins at an odd byte.
Test(arrays, overlapping_inputs_of_other_alignment)
{
    const device *d = device_get();
    struct {
        int32_t index;
        uint8_t pad, tag[3];
    } records[5] = {{0, 0, {10, 11, 12}},
                    {4, 0, {20, 21, 22}},
                    {0, 0, {30, 31, 32}},
                    {3, 0, {40, 41, 42}},
                    {1, 0, {50, 51, 52}}};
    FOR_EACH_WAY(w, "host records")
    {
        uint8_t picked[4][3];
        clnd_array tags = hosted_dense(records[0].tag, CLND_UINT8, 2, (int64_t[]){5, 3});
        tags.strides[0] = sizeof *records;
        clnd_array indices = hosted_dense(&records[1].index, CLND_INT32, 2, (int64_t[]){4, 1});
        indices.strides[0] = sizeof *records / sizeof(int32_t);
        clnd_array out = hosted_dense(picked, CLND_UINT8, 2, (int64_t[]){4, 3});
        const clnd_array *arrays[] = {&tags, &indices, &out};
        check_status(hosted_call(d->engine, GATHER_ND, w, arrays, NULL, NULL), CLND_OK);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++)
                check(picked[i][j] == records[records[i + 1].index].tag[j], "row %d", i);
    }
}

// `out` may lie in the rest of the input, and the value in the rest of the target.
Test(arrays, slices_within_one_array)
{
    const device *d = device_get();
    FOR_EACH_WAY(w, "host slices within one array")
    {
        int32_t numbers[6] = {0, 1, 2, 3, 4, 5};
        clnd_slice slice;
        check_status(clnd_slice_parse("1::-1", &slice), CLND_OK);
        clnd_array whole = hosted_dense(numbers, CLND_INT32, 1, (int64_t[]){6});
        clnd_array part = hosted_dense(numbers + 3, CLND_INT32, 1, (int64_t[]){2});
        const clnd_array *arrays[] = {&whole, &part};
        check_status(hosted_call(d->engine, STRIDED_SLICE, w, arrays, &slice, NULL), CLND_OK);
        check(memcmp(numbers, (int32_t[]){0, 1, 2, 1, 0, 5}, sizeof numbers) == 0, "slice");
        check_status(clnd_slice_parse("0:3:2", &slice), CLND_OK);
        check_status(hosted_call(d->engine, STRIDED_SLICE_ASSIGN, w, arrays, &slice, NULL),
                     CLND_OK);
        check(memcmp(numbers, (int32_t[]){1, 1, 0, 1, 0, 5}, sizeof numbers) == 0, "assign");
    }
}

// Inputs in memory that cannot be written, and right before and behind memory that cannot even be
// read; an output there too.
Test(arrays, edges_of_memory)
{
    const device *d = device_get();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    enum { BYTES = 37 };
    unsigned char *pages =
        mmap(NULL, 7 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(pages != MAP_FAILED);
    unsigned char *first = pages + page;              // behind an unreadable page
    unsigned char *last = pages + 4 * page - BYTES;   // before one
    unsigned char *target = pages + 6 * page - BYTES; // likewise
    for (int i = 0; i < BYTES; i++) {
        first[i] = (unsigned char)(i + 1);
        last[i] = (unsigned char)(i + 100);
    }
    cr_assert(mprotect(pages, page, PROT_NONE) == 0);
    cr_assert(mprotect(pages + page, 3 * page, PROT_READ) == 0);
    cr_assert(mprotect(pages + 4 * page, page, PROT_NONE) == 0);
    cr_assert(mprotect(pages + 6 * page, page, PROT_NONE) == 0);
    FOR_EACH_WAY(w, "host edges")
    {
        for (int i = 0; i < 4; i++) {
            unsigned char *input = i % 2 ? first : last;
            clnd_array source = hosted_dense(input, CLND_UINT8, 1, (int64_t[]){BYTES});
            clnd_array out = hosted_dense(target, CLND_UINT8, 1, (int64_t[]){BYTES});
            if (i >= 2) { // backwards, with gaps
                source.data = input + BYTES - 1;
                source.strides[0] = -2;
                source.shape[0] = (BYTES + 1) / 2;
                out.strides[0] = 2;
                out.shape[0] = (BYTES + 1) / 2;
            }
            memset(target, 255, BYTES);
            const clnd_array *arrays[] = {&source, &out};
            check_status(hosted_call(d->engine, COPY, w, arrays, NULL, NULL), CLND_OK);
            for (int j = 0; j < BYTES; j++)
                check(target[j] == (i < 2   ? input[j]
                                    : j % 2 ? 255
                                            : input[BYTES - 1 - j]),
                      "byte %d of case %d is %d", j, i, target[j]);
        }
    }
    munmap(pages, 7 * page);
}

// An engine that adopted its context has no queue of its own; the calls bring theirs.
Test(arrays, adopted_engine)
{
    const device *d = device_get();
    clnd_engine *engine;
    case_begin("host adopted engine", 0);
    check_status(clnd_engine_create(d->context, d->id, NULL, &engine), CLND_OK);
    check(!clnd_engine_queue(engine), "it has a queue");
    for (int w = 0; w < N_WAYS; w++) {
        const int32_t from[3] = {1, 2, 3};
        int32_t to[3] = {0};
        clnd_array source = hosted_dense(from, CLND_INT32, 1, (int64_t[]){3});
        clnd_array target = hosted_dense(to, CLND_INT32, 1, (int64_t[]){3});
        const clnd_array *arrays[] = {&source, &target};
        check_status(hosted_call(engine, COPY, (way)w, arrays, NULL, NULL), CLND_OK);
        check(memcmp(from, to, sizeof from) == 0, "copied");
    }
    clnd_engine_destroy(&engine);
}

// Success leaves the thread's last error as it is.
Test(arrays, success_says_nothing)
{
    const device *d = device_get();
    case_begin("host success", 0);
    check_status(clnd_array_count(NULL, NULL), CLND_NULL_POINTER);
    for (int w = 0; w < N_WAYS; w++) {
        int32_t numbers[4] = {1, 2, 0, 0};
        clnd_slice slice;
        check_status(clnd_slice_parse("2:", &slice), CLND_OK);
        clnd_array target = hosted_dense(numbers, CLND_INT32, 1, (int64_t[]){4});
        clnd_array value = hosted_dense(numbers, CLND_INT32, 1, (int64_t[]){2});
        const clnd_array *arrays[] = {&target, &value};
        check_status(hosted_call(d->engine, STRIDED_SLICE_ASSIGN, (way)w, arrays, &slice, NULL),
                     CLND_OK);
        check(strcmp(clnd_last_error(), "array_count: count is NULL") == 0, "\"%s\"",
              clnd_last_error());
    }
}

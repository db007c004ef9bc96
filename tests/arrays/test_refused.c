// SPDX-License-Identifier: Apache-2.0
//
// Calls on host arrays that are refused: the op's status and text, the output as it was, by every
// way. Here gather_nd and scatter_nd_into stand for all; they share the flow, and the ops' own
// errors have their own tests.

#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hosted.h"

// A good gather of two of four rows, and what is done to it.
typedef struct call {
    float table[4][3];
    int32_t rows[2];
    float picked[2][3];
    clnd_engine *engine;
    clnd_array params, indices, out;
    const clnd_array *arrays[3];
    clnd_gather_nd_options options;
} call;

static void make(call *c, const device *d)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < 12; i++)
        c->table[i / 3][i % 3] = (float)i;
    for (int i = 0; i < 6; i++)
        c->picked[i / 3][i % 3] = -1;
    c->rows[0] = 3;
    c->rows[1] = 1;
    c->engine = d->engine;
    c->params = hosted_dense(c->table, CLND_FLOAT32, 2, (int64_t[]){4, 3});
    c->indices = hosted_dense(c->rows, CLND_INT32, 2, (int64_t[]){2, 1});
    c->out = hosted_dense(c->picked, CLND_FLOAT32, 2, (int64_t[]){2, 3});
    c->arrays[0] = &c->params;
    c->arrays[1] = &c->indices;
    c->arrays[2] = &c->out;
    c->options.bounds = CLND_BOUNDS_ERROR;
}

static void nothing(call *c)
{
    (void)c;
}

static void no_engine(call *c)
{
    c->engine = NULL;
}

static void no_params(call *c)
{
    c->arrays[0] = NULL;
}

static void no_indices(call *c)
{
    c->arrays[1] = NULL;
}

static void no_out(call *c)
{
    c->arrays[2] = NULL;
}

static void no_data(call *c)
{
    c->indices.data = NULL;
}

static void no_data_and_more(call *c)
{
    c->params.data = NULL;
    c->params.strides[0] = -3;
    c->options.bounds = (clnd_bounds)99;
}

static void no_fill(call *c)
{
    c->options.bounds = CLND_BOUNDS_FILL;
}

static void bad_option(call *c)
{
    c->options.bounds = (clnd_bounds)99;
    c->params.dtype = 77;
}

static void bad_dtype(call *c)
{
    c->params.dtype = 77;
    c->params.rank = 17;
}

static void other_dtype(call *c)
{
    c->out.dtype = CLND_INT32;
}

static void bad_rank(call *c)
{
    c->params.rank = 17;
    c->params.shape[0] = -1;
}

static void bad_shape(call *c)
{
    c->out.shape[0] = 3;
}

static void huge_shape(call *c) // more than there is memory; not looked at
{
    c->out.shape[0] = (int64_t)1 << 40;
}

static void shared_elements(call *c)
{
    c->out.strides[0] = 2;
}

static void far_strides(call *c)
{
    c->params.strides[0] = INT64_MAX / 4;
}

static void beyond_memory(call *c)
{
    c->params.data = (void *)(uintptr_t)(INTPTR_MAX - 3);
}

static void before_memory(call *c)
{
    c->params.data = (void *)(uintptr_t)64;
    c->params.strides[0] = -20;
}

static void misaligned(call *c)
{
    c->indices.data = (char *)c->rows + 1;
    c->indices.shape[0] = 1;
    c->out.shape[0] = 1;
}

static void overlapping(call *c)
{
    c->out.data = &c->table[2][0];
}

static void overlapping_by_a_byte(call *c)
{
    c->params.dtype = c->out.dtype = CLND_OPAQUE(4);
    c->out.data = (char *)c->table + sizeof c->table - 1;
}

static void bad_index(call *c)
{
    c->rows[1] = 4;
}

static const struct {
    const char *label;
    void (*put)(call *c);
    clnd_status status;
    const char *text;
} faults[] = {
    {"none", nothing, CLND_OK, ""},
    {"no engine", no_engine, CLND_NULL_POINTER, "engine is NULL"},
    {"no params", no_params, CLND_NULL_POINTER, "params is NULL"},
    {"no indices", no_indices, CLND_NULL_POINTER, "indices is NULL"},
    {"no out", no_out, CLND_NULL_POINTER, "out is NULL"},
    {"no data", no_data, CLND_NULL_POINTER, "indices has elements, but its data is NULL"},
    {"no data first", no_data_and_more, CLND_NULL_POINTER,
     "params has elements, but its data is NULL"},
    {"no fill", no_fill, CLND_NULL_POINTER, "options->fill is NULL"},
    {"bad option", bad_option, CLND_INVALID_OPTION, "options->bounds is 99"},
    {"bad dtype", bad_dtype, CLND_INVALID_DTYPE, "params has dtype 0x4d"},
    {"other dtype", other_dtype, CLND_DTYPE_MISMATCH, "params is float32 of size 4, out is int32"},
    {"bad rank", bad_rank, CLND_INVALID_RANK, "params has rank 17, allowed are 0 to 16"},
    {"bad shape", bad_shape, CLND_INVALID_SHAPE, "out has shape [3, 3], expected [2, 3]"},
    {"huge shape", huge_shape, CLND_INVALID_SHAPE, "out has shape [1099511627776, 3]"},
    {"shared elements", shared_elements, CLND_INVALID_STRIDES, "out of shape [2, 3] and strides"},
    {"far strides", far_strides, CLND_SIZE_OVERFLOW, "params of shape [4, 3], strides"},
    {"beyond memory", beyond_memory, CLND_SIZE_OVERFLOW, "reaches beyond 63 bits"},
    {"before memory", before_memory, CLND_BUFFER_TOO_SMALL, "begins 176 bytes before"},
    {"misaligned", misaligned, CLND_MISALIGNED, "indices of dtype int32 begins at byte 0x"},
    {"overlap", overlapping, CLND_OVERLAP,
     "out in bytes 24 to 47 and params in bytes 0 to 47 of one buffer overlap"},
    {"overlap by a byte", overlapping_by_a_byte, CLND_OVERLAP,
     "out in bytes 47 to 70 and params in bytes 0 to 47 of one buffer overlap"},
    {"bad index", bad_index, CLND_INDEX_OUT_OF_BOUNDS,
     "gather_nd: indices[1] = [4] does not index into params shape [4, 3]"},
};

Test(refused_arrays, gather_nd)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof faults / sizeof *faults) * N_WAYS; i++) {
        call c, before;
        case_begin("host refused", i);
        case_note("%s, way %d", faults[i / N_WAYS].label, i % N_WAYS);
        make(&c, d);
        faults[i / N_WAYS].put(&c);
        before = c;
        check_status(
            hosted_call(c.engine, GATHER_ND, (way)(i % N_WAYS), c.arrays, NULL, &c.options),
            faults[i / N_WAYS].status);
        if (faults[i / N_WAYS].status == CLND_OK) {
            check(memcmp(c.picked[0], c.table[3], sizeof c.picked[0]) == 0, "the result");
            continue;
        }
        check_message(faults[i / N_WAYS].text);
        check(strncmp(clnd_last_error(), "gather_nd: ", 11) == 0, "\"%s\"", clnd_last_error());
        check((faults[i / N_WAYS].status == CLND_INDEX_OUT_OF_BOUNDS ||
               memcmp(c.picked, before.picked, sizeof c.picked) == 0) &&
                  memcmp(c.table, before.table, sizeof c.table) == 0,
              "memory has changed");
    }
}

// Mistakes in descriptions are found before any memory is touched: here it cannot be.
Test(refused_arrays, memory_is_not_touched)
{
    static void (*const puts[])(call *) = {bad_option,  bad_dtype,  other_dtype,
                                           bad_rank,    bad_shape,  shared_elements,
                                           far_strides, misaligned, huge_shape};
    const device *d = device_get();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *wall = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(wall != MAP_FAILED);
    for (int i = 0; i < (int)(sizeof puts / sizeof *puts) * N_WAYS; i++) {
        call c;
        case_begin("host untouched", i);
        make(&c, d);
        c.params.data = c.indices.data = c.out.data = wall;
        puts[i / N_WAYS](&c);
        if (puts[i / N_WAYS] == misaligned)
            c.indices.data = (char *)wall + 1;
        clnd_status status =
            hosted_call(c.engine, GATHER_ND, (way)(i % N_WAYS), c.arrays, NULL, &c.options);
        check(status != CLND_OK && status != CLND_OPENCL_ERROR, "%s (%s)", clnd_status_name(status),
              clnd_last_error());
    }
    munmap(wall, page);
}

// All or nothing, also where the output had to be copied to the device first.
Test(refused_arrays, scatter_leaves_its_target)
{
    const device *d = device_get();
    for (int w = 0; w < N_WAYS; w++) {
        int16_t target[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        const int64_t rows[3] = {0, 2, 4};
        const int16_t more[3] = {10, 20, 30};
        case_begin("host scatter refused", w);
        clnd_array indices = hosted_dense(rows, CLND_INT64, 2, (int64_t[]){3, 1});
        clnd_array updates = hosted_dense(more, CLND_INT16, 1, (int64_t[]){3});
        clnd_array into = hosted_dense(target, CLND_INT16, 1, (int64_t[]){4});
        into.strides[0] = 2;
        const clnd_array *arrays[] = {&indices, &updates, &into};
        clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .reduce = CLND_REDUCE_ADD};
        check_status(hosted_call(d->engine, SCATTER_ND_INTO, (way)w, arrays, NULL, &options),
                     CLND_INDEX_OUT_OF_BOUNDS);
        check_message("scatter_nd_into: indices[2] = [4] does not index into shape [4]");
        check_status(hosted_call(d->engine, SCATTER_ND, (way)w, arrays, NULL, &options),
                     CLND_INDEX_OUT_OF_BOUNDS);
        check(memcmp(target, (int16_t[]){1, 2, 3, 4, 5, 6, 7, 8}, sizeof target) == 0, "target");
        updates.data = target + 1;
        check_status(hosted_call(d->engine, SCATTER_ND_INTO, (way)w, arrays, NULL, &options),
                     CLND_OVERLAP);
        check_message("target in bytes 0 to 13 and updates in bytes 2 to 7 of one buffer overlap");
        updates.data = (char *)(uintptr_t)more + 1;
        updates.shape[0] = indices.shape[0] = 2;
        check_status(hosted_call(d->engine, SCATTER_ND_INTO, (way)w, arrays, NULL, &options),
                     CLND_MISALIGNED);
        check_message("scatter_nd_into: updates of dtype int16 begins at byte 0x");
        check(memcmp(target, (int16_t[]){1, 2, 3, 4, 5, 6, 7, 8}, sizeof target) == 0, "target");
    }
}

// With a report the call succeeds, and what the device has not written stays, also where the output
// would not have had to be copied there.
Test(refused_arrays, reports)
{
    static const op_id ops[] = {GATHER_ND,  GATHER,          GATHER_ELEMENTS,
                                SCATTER_ND, SCATTER_ND_INTO, SCATTER_ELEMENTS};
    const device *d = device_get();
    clnd_report *report;
    clnd_report_result result;
    check_status(clnd_report_create(d->engine, &report), CLND_OK);
    for (int i = 0; i < 6 * N_WAYS * 2; i++) {
        const op_id op = ops[i / (2 * N_WAYS)];
        const bool bad = i % 2;
        int32_t from[2] = {5, 6}, to[2] = {-1, -2};
        const int32_t rows[2] = {1, bad ? 2 : 0};
        case_begin("host reports", i);
        case_note("%s", hosted_names[op]);
        const bool tuples = op == GATHER_ND || op == SCATTER_ND || op == SCATTER_ND_INTO;
        clnd_array source = hosted_dense(from, CLND_INT32, 1, (int64_t[]){2});
        clnd_array indices = hosted_dense(rows, CLND_INT32, tuples ? 2 : 1, (int64_t[]){2, 1});
        clnd_array target = hosted_dense(to, CLND_INT32, 1, (int64_t[]){2});
        const clnd_array *gather[] = {&source, &indices, &target};
        const clnd_array *scatter[] = {&indices, &source, &target};
        clnd_gather_nd_options nd = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        clnd_gather_options along = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        clnd_gather_elements_options pick = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        clnd_scatter_nd_options put = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        clnd_scatter_elements_options place = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        const void *options[] = {&nd, &along, &pick, &put, &put, &place};
        check_status(clnd_report_reset(report), CLND_OK);
        check_status(hosted_call(d->engine, op, (way)(i / 2 % N_WAYS),
                                 op <= GATHER_ELEMENTS ? gather : scatter, NULL, options[op]),
                     CLND_OK);
        check_status(clnd_report_wait(report, &result), bad ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK);
        check(to[0] == (bad ? -1 : 6) && to[1] == (bad ? -2 : 5), "[%d, %d]", (int)to[0],
              (int)to[1]);
        if (bad)
            check(strcmp(result.op, hosted_names[op]) == 0 && result.row == 1 && result.call == 0,
                  "\"%s\" of call %d", result.message, (int)result.call);
    }
    clnd_report_destroy(&report);
}

// Every op passes its arrays and its slice on by their names.
Test(refused_arrays, names_of_every_op)
{
    static const char *const names[N_OPS][3] = {
        [GATHER_ND] = {"params", "indices", "out"},
        [GATHER] = {"params", "indices", "out"},
        [GATHER_ELEMENTS] = {"params", "indices", "out"},
        [SCATTER_ND] = {"indices", "updates", "out"},
        [SCATTER_ND_INTO] = {"indices", "updates", "target"},
        [SCATTER_ELEMENTS] = {"indices", "updates", "target"},
        [SCATTER] = {"indices", "updates", "target"},
        [STRIDED_SLICE] = {"input", "out", "slice"},
        [STRIDED_SLICE_ASSIGN] = {"target", "value", "slice"},
        [STRIDED_SLICE_GRAD] = {"dy", "dx", "slice"},
        [COPY] = {"source", "target", NULL},
    };
    const device *d = device_get();
    for (int i = 0; i < N_OPS * 3 * 2; i++) {
        const op_id op = (op_id)(i / 6);
        const int missing = i / 2 % 3;
        int32_t number = 0;
        clnd_slice slice = {0};
        char expected[128];
        case_begin("host names", i);
        if (!names[op][missing])
            continue;
        clnd_array array = hosted_dense(&number, CLND_INT32, 1, (int64_t[]){1});
        clnd_array lacking = hosted_dense(NULL, CLND_INT32, 1, (int64_t[]){1});
        const clnd_array *arrays[3] = {&array, &array, &array};
        const bool is_slice = missing == 2 && op >= STRIDED_SLICE;
        if (!is_slice)
            arrays[missing] = i % 2 ? NULL : &lacking;
        check_status(hosted_call(d->engine, op, PUBLIC, arrays, is_slice ? NULL : &slice, NULL),
                     CLND_NULL_POINTER);
        snprintf(expected, sizeof expected, "%s: %s %s", hosted_names[op], names[op][missing],
                 is_slice || i % 2 ? "is NULL" : "has elements, but its data is NULL");
        check(strcmp(clnd_last_error(), expected) == 0, "\"%s\", expected \"%s\"",
              clnd_last_error(), expected);
    }
}

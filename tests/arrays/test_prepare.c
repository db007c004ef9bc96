// SPDX-License-Identifier: Apache-2.0
//
// Warm-up: after it, calls of the kinds that were named ask for no kernel that is not there.

#include <criterion/criterion.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "device.h"
#include "host/cl/program.h"

// A call on rows of `width` floats, in buffers of its own.
typedef struct rows {
    cl_mem table, places, rows;
    clnd_tensor params, indices, out;
} rows;

static void rows_make(rows *r, clnd_engine *engine, clnd_dtype dtype, int64_t width)
{
    enum { TABLE = 5000, PICKED = 300 };
    const size_t size = clnd_dtype_size(dtype) * (size_t)width;
    cl_context context = clnd_engine_context(engine);
    const cl_int zero = 0;
    cl_int code;
    cl_mem *memory[] = {&r->table, &r->places, &r->rows};
    const size_t bytes[] = {size * TABLE, PICKED * sizeof(cl_int), size * PICKED};
    for (int i = 0; i < 3; ++i) {
        *memory[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes[i], NULL, &code);
        check_cl(code);
    }
    check_cl(clEnqueueFillBuffer(clnd_engine_queue(engine), r->places, &zero, sizeof zero, 0,
                                 bytes[1], 0, NULL, NULL));
    check_status(clnd_tensor_dense(r->table, 0, dtype, 2, (int64_t[]){TABLE, width}, &r->params),
                 CLND_OK);
    check_status(
        clnd_tensor_dense(r->places, 0, CLND_INT32, 2, (int64_t[]){PICKED, 1}, &r->indices),
        CLND_OK);
    check_status(clnd_tensor_dense(r->rows, 0, dtype, 2, (int64_t[]){PICKED, width}, &r->out),
                 CLND_OK);
}

static void rows_free(rows *r)
{
    check_cl(clReleaseMemObject(r->table));
    check_cl(clReleaseMemObject(r->places));
    check_cl(clReleaseMemObject(r->rows));
}

Test(prepare, leaves_nothing_to_compile)
{
    device_get();
    case_begin("prepare", 0);
    static const clnd_preparation kinds[] = {
        {.op = CLND_OP_GATHER_ND, .dtype = CLND_FLOAT32, .bounds = CLND_BOUNDS_ERROR},
        {.op = CLND_OP_SCATTER_ND_INTO,
         .dtype = CLND_FLOAT32,
         .reduce = CLND_REDUCE_ADD,
         .bounds = CLND_BOUNDS_ERROR},
        {.op = CLND_OP_SCATTER_ND_INTO,
         .dtype = CLND_FLOAT16,
         .reduce = CLND_REDUCE_ADD,
         .bounds = CLND_BOUNDS_SKIP,
         .deterministic = true},
        {.op = CLND_OP_STRIDED_SLICE, .dtype = CLND_INT16},
    };
    clnd_engine *engine;
    clnd_slice even;
    check_status(clnd_slice_parse("::2, 3:", &even), CLND_OK);
    check_status(clnd_engine_open(NULL, NULL, &engine), CLND_OK);
    check_status(clnd_engine_prepare(engine, 4, kinds), CLND_OK);
    const int kernels = clnd__kernel_count(engine);
    check(kernels > 3, "%d kernels", kernels);
    // Below 16 KiB, from which on rows of each length may have a kernel.
    static const int64_t widths[] = {1, 2, 3, 4, 7, 8, 12};
    for (int i = 0; i < 7; ++i) {
        case_note("width %d", (int)widths[i]);
        rows r;
        const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR};
        const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD,
                                             .bounds = CLND_BOUNDS_ERROR};
        const clnd_scatter_nd_options once = {
            .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_SKIP, .deterministic = true};
        rows_make(&r, engine, CLND_FLOAT32, widths[i]);
        check_status(
            clnd_gather_nd(engine, NULL, &r.params, &r.indices, &r.out, &gather, 0, NULL, NULL),
            CLND_OK);
        check_status(
            clnd_scatter_nd_into(engine, NULL, &r.indices, &r.out, &r.params, &add, 0, NULL, NULL),
            CLND_OK);
        rows_free(&r);
        rows_make(&r, engine, CLND_FLOAT16, widths[i]);
        check_status(
            clnd_scatter_nd_into(engine, NULL, &r.indices, &r.out, &r.params, &once, 0, NULL, NULL),
            CLND_OK);
        rows_free(&r);
        check(clnd__kernel_count(engine) == kernels, "%d kernels more",
              clnd__kernel_count(engine) - kernels);
    }
    // One that was not named compiles.
    rows r;
    rows_make(&r, engine, CLND_INT64, 1);
    check_status(clnd_scatter_nd_into(engine, NULL, &r.indices, &r.out, &r.params,
                                      &(clnd_scatter_nd_options){.reduce = CLND_REDUCE_MUL}, 0,
                                      NULL, NULL),
                 CLND_OK);
    check(clnd__kernel_count(engine) > kernels, "nothing has been compiled");
    rows_free(&r);
    clnd_engine_destroy(&engine);
}

// Every op, with every kind of dtype that it takes; at every level with one of them.
Test(prepare, takes_every_op_and_dtype)
{
    const device *d = device_get();
    for (int op = CLND_OP_GATHER_ND; op <= CLND_OP_SCATTER; ++op) {
        case_begin("prepare_ops", op);
        static const clnd_dtype dtypes[] = {CLND_BOOL, CLND_COMPLEX128, CLND_OPAQUE(3),
                                            CLND_OPAQUE(CLND_MAX_OPAQUE_SIZE)};
        for (int i = 0; i < 4; ++i) {
            if (i != op % 4 && !case_is_taken(4 * op + i))
                continue;
            const clnd_preparation kind = {
                .op = (clnd_op)op,
                .dtype = dtypes[i],
                .index_dtype = CLND_UINT16,
                .reduce = CLND_REDUCE_UPDATE,
                .bounds = op <= CLND_OP_GATHER_ELEMENTS ? CLND_BOUNDS_FILL : CLND_BOUNDS_CLAMP};
            check_status(clnd_engine_prepare(d->engine, 1, &kind), CLND_OK);
        }
    }
}

Test(prepare, refuses)
{
    const device *d = device_get();
    case_begin("prepare_refuses", 0);
    clnd_preparation kind = {.op = CLND_OP_SCATTER_ND, .dtype = CLND_BOOL};
    check_status(clnd_engine_prepare(d->engine, 0, NULL), CLND_OK);
    check_status(clnd_engine_prepare(NULL, 0, NULL), CLND_NULL_POINTER);
    check_status(clnd_engine_prepare(d->engine, 1, NULL), CLND_NULL_POINTER);
    check_message("engine_prepare: kinds is NULL");
    check_status(clnd_engine_prepare(d->engine, -1, &kind), CLND_INVALID_OPTION);
    kind.reduce = CLND_REDUCE_SUB;
    check_status(clnd_engine_prepare(d->engine, 1, &kind), CLND_UNSUPPORTED_DTYPE);
    check_message("scatter_nd: reduction SUB is not defined for dtype bool");
    kind.dtype = 12345;
    check_status(clnd_engine_prepare(d->engine, 1, &kind), CLND_INVALID_DTYPE);
    kind.dtype = CLND_BOOL;
    kind.op = (clnd_op)77;
    const clnd_preparation kinds[] = {{.op = CLND_OP_COPY, .dtype = CLND_BOOL}, kind};
    check_status(clnd_engine_prepare(d->engine, 2, kinds), CLND_INVALID_OPTION);
    check_message("engine_prepare: kinds[1].op is 77, which is no op");
    kind.op = CLND_OP_COPY;
    kind.reserved[2] = 3;
    check_status(clnd_engine_prepare(d->engine, 1, &kind), CLND_INVALID_OPTION);
    check_message("engine_prepare: kinds[0].reserved[2] is 3, must be 0");
}

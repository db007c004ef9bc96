// SPDX-License-Identifier: Apache-2.0
//
// The public operations: what each checks, and what it is to call.c.

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/checked.h"
#include "internal.h"

static clnd_status check_dense(const mpi_call *call, const char *what, const clnd_tensor *tensor)
{
    clnd_tensor dense;
    clnd_status status = clnd__mpi_op(clnd_tensor_check(tensor));
    if (status != CLND_OK)
        return status;
    clnd_tensor_dense(NULL, 0, tensor->dtype, tensor->rank, tensor->shape, &dense);
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] > 1 && tensor->strides[d] != dense.strides[d])
            return clnd__mpi_fail(CLND_INVALID_STRIDES, "%s: %s is not dense", call->name, what);
    return CLND_OK;
}

static clnd_status check_options(mpi_call *call, const clnd_mpi_call_options *options)
{
    const clnd_mpi_call_options none = {.bounds = CLND_BOUNDS_DEFAULT};
    call->options = options ? *options : none;
    for (int i = 0; i < 8; i++)
        if (call->options.reserved[i])
            return clnd__mpi_fail(CLND_INVALID_OPTION, "%s: reserved[%d] is not zero", call->name,
                                  i);
    if (call->options.bounds == CLND_BOUNDS_FILL && !call->options.fill)
        return clnd__mpi_fail(CLND_NULL_POINTER, "%s: bounds is FILL, and fill is NULL",
                              call->name);
    if (call->options.bounds == CLND_BOUNDS_DEFAULT)
        call->options.bounds = CLND_BOUNDS_ERROR;
    if (call->options.reduce == CLND_REDUCE_DEFAULT)
        call->options.reduce = CLND_REDUCE_UPDATE;
    if (call->scatters)
        call->options.merge_duplicates = false;
    else
        call->options.deterministic = false;
    return CLND_OK;
}

// What must be like `expected` does not fit.
static clnd_status check_like(const mpi_call *call, const clnd_tensor *tensor,
                              const clnd_tensor *expected)
{
    const char *what = call->scatters ? "updates" : "out";
    if (tensor->dtype != expected->dtype)
        return clnd__mpi_fail(CLND_DTYPE_MISMATCH, "%s: %s and the table have two dtypes",
                              call->name, what);
    if (tensor->rank != expected->rank ||
        memcmp(tensor->shape, expected->shape, (size_t)expected->rank * sizeof *tensor->shape) != 0)
        return clnd__mpi_fail(CLND_INVALID_SHAPE, "%s: %s does not have the shape of the result",
                              call->name, what);
    return check_dense(call, what, tensor);
}

// What libclnd says of the shapes, with the whole table in the place of a tensor: *dense is what
// out or updates must look like.
static clnd_status find_shape(const mpi_call *call, bool by_tuples, clnd_tensor *dense)
{
    const clnd_mpi_table *t = call->table;
    const clnd_mpi_call_options *o = &call->options;
    const clnd_gather_nd_options by_tuple = {.bounds = CLND_BOUNDS_ZERO};
    const clnd_gather_options by_index = {.bounds = CLND_BOUNDS_ZERO};
    const clnd_scatter_nd_options scatter = {.reduce = o->reduce, .bounds = o->bounds};
    const clnd_scatter_elements_options elements = {.reduce = o->reduce, .bounds = o->bounds};
    clnd_tensor table;
    clnd_status status =
        clnd_tensor_dense(NULL, 0, t->dtype, t->n_dims + t->row_rank, t->shape, &table);
    if (status == CLND_OK && call->by_elements)
        status =
            clnd_tensor_dense(NULL, 0, t->dtype, call->indices->rank, call->indices->shape, dense);
    else if (status == CLND_OK)
        status = by_tuples ? clnd_gather_nd_shape(&table, call->indices, &by_tuple, dense)
                           : clnd_gather_shape(&table, call->indices, &by_index, dense);
    if (status == CLND_OK && call->by_elements)
        status = clnd_scatter_elements_check(call->indices, dense, &table, &elements);
    else if (status == CLND_OK && call->scatters)
        status = clnd_scatter_nd_check(call->indices, dense, &table, &scatter);
    return clnd__mpi_op(status);
}

// Divides the table's dimensions into those that are indexed and those that travel.
static clnd_status divide(mpi_call *call, int32_t n_values)
{
    const clnd_mpi_table *table = call->table;
    const int rank = table->n_dims + table->row_rank;
    call->n_values = n_values;
    call->inner = call->slice = 1;
    if (n_values < table->n_dims)
        return clnd__mpi_fail(CLND_INVALID_SHAPE,
                              "%s: tuples of %d values select rows of more than one shard; the "
                              "table is divided in %d dimensions",
                              call->name, (int)n_values, (int)table->n_dims);
    memcpy(call->dims, table->shape, (size_t)n_values * sizeof *call->dims);
    for (int d = table->n_dims; d < rank; d++) {
        const bool travels = d >= n_values && !call->by_elements;
        int64_t *product = travels ? &call->slice : &call->inner;
        if (!clnd__multiply(*product, table->shape[d], product))
            return clnd__mpi_fail(CLND_SIZE_OVERFLOW, "%s: rows beyond 63 bits", call->name);
    }
    const int64_t size = (int64_t)clnd_dtype_size(table->dtype);
    if (!clnd__multiply(call->slice, size, &call->slice_bytes) || call->slice_bytes > INT_MAX)
        return clnd__mpi_fail(CLND_SIZE_OVERFLOW, "%s: rows of more than 2^31 - 1 bytes",
                              call->name);
    return CLND_OK;
}

// All but out or updates, which must be like *dense.
static clnd_status check(mpi_call *call, const clnd_mpi_call_options *options, bool by_tuples,
                         clnd_tensor *dense)
{
    const clnd_tensor *indices = call->indices;
    if (!call->engine || !indices)
        return clnd__mpi_fail(CLND_NULL_POINTER, "%s: %s is NULL", call->name,
                              call->engine ? "indices" : "engine");
    call->queue = clnd__mpi_queue(call->engine, call->queue);
    if (!call->queue)
        return clnd__mpi_fail(CLND_INVALID_QUEUE, "%s: no queue, and the engine has none",
                              call->name);
    clnd_status status = check_options(call, options);
    if (status == CLND_OK)
        status = find_shape(call, by_tuples, dense);
    if (status == CLND_OK)
        status = divide(call, by_tuples ? (int32_t)indices->shape[indices->rank - 1] : 1);
    if (status == CLND_OK)
        status = check_dense(call, "indices", indices);
    if (status == CLND_OK)
        status = clnd__mpi_op(clnd_tensor_count(indices, &call->rows));
    call->rows /= status == CLND_OK ? call->n_values : 1;
    return status;
}

static const struct {
    const char *name;
    bool scatters, by_elements, by_tuples;
} ops[] = {
    [CLND_MPI_GATHER_ND] = {"gather_nd", false, false, true},
    [CLND_MPI_GATHER] = {"gather", false, false, false},
    [CLND_MPI_SCATTER_ND_INTO] = {"scatter_nd_into", true, false, true},
    [CLND_MPI_SCATTER_ELEMENTS] = {"scatter_elements", true, true, false},
};

static mpi_call call_of(clnd_mpi_op op, const clnd_mpi_table *table, clnd_engine *engine,
                        cl_command_queue queue, const clnd_tensor *indices)
{
    return (mpi_call){.name = ops[op].name,
                      .table = table,
                      .engine = engine,
                      .queue = queue,
                      .indices = indices,
                      .scatters = ops[op].scatters,
                      .by_elements = ops[op].by_elements};
}

static clnd_status run(clnd_mpi_op op, const clnd_mpi_table *table, clnd_engine *engine,
                       cl_command_queue queue, const clnd_tensor *indices, const clnd_tensor *dense,
                       const clnd_mpi_call_options *options)
{
    mpi_call call = call_of(op, table, engine, queue, indices);
    clnd_tensor expected;
    if (!table)
        return clnd__mpi_fail(CLND_NULL_POINTER, "%s: the table is NULL", call.name);
    clnd_status status = check(&call, options, ops[op].by_tuples, &expected);
    if (status == CLND_OK && !dense)
        status = clnd__mpi_fail(CLND_NULL_POINTER, "%s: %s is NULL", call.name,
                                call.scatters ? "updates" : "out");
    if (status == CLND_OK)
        status = check_like(&call, dense, &expected);
    call.dense = dense;
    return clnd__mpi_run(&call, status);
}

clnd_status clnd_mpi_gather_nd(const clnd_mpi_table *table, clnd_engine *engine,
                               cl_command_queue queue, const clnd_tensor *indices,
                               const clnd_tensor *out, const clnd_mpi_call_options *options)
{
    return run(CLND_MPI_GATHER_ND, table, engine, queue, indices, out, options);
}

clnd_status clnd_mpi_gather(const clnd_mpi_table *table, clnd_engine *engine,
                            cl_command_queue queue, const clnd_tensor *indices,
                            const clnd_tensor *out, const clnd_mpi_call_options *options)
{
    return run(CLND_MPI_GATHER, table, engine, queue, indices, out, options);
}

clnd_status clnd_mpi_scatter_nd_into(const clnd_mpi_table *table, clnd_engine *engine,
                                     cl_command_queue queue, const clnd_tensor *indices,
                                     const clnd_tensor *updates,
                                     const clnd_mpi_call_options *options)
{
    return run(CLND_MPI_SCATTER_ND_INTO, table, engine, queue, indices, updates, options);
}

clnd_status clnd_mpi_scatter_elements(const clnd_mpi_table *table, clnd_engine *engine,
                                      cl_command_queue queue, const clnd_tensor *indices,
                                      const clnd_tensor *updates,
                                      const clnd_mpi_call_options *options)
{
    return run(CLND_MPI_SCATTER_ELEMENTS, table, engine, queue, indices, updates, options);
}

// Plans ------------------------------------------------------------------------------------------

// The plan outlives the caller's options.
static clnd_status keep_fill(clnd_mpi_plan *plan)
{
    const size_t size = clnd_dtype_size(plan->call.table->dtype);
    if (plan->call.options.bounds != CLND_BOUNDS_FILL)
        return CLND_OK;
    plan->fill = malloc(size);
    if (plan->fill)
        memcpy(plan->fill, plan->call.options.fill, size);
    plan->call.options.fill = plan->fill;
    return clnd__mpi_memory(plan->fill, (int64_t)size);
}

clnd_status clnd_mpi_plan_create(const clnd_mpi_table *table, clnd_mpi_op op, clnd_engine *engine,
                                 cl_command_queue queue, const clnd_tensor *indices,
                                 const clnd_mpi_call_options *options, clnd_mpi_plan **plan)
{
    clnd_mpi_plan made = {.number = 0}, *kept = calloc(1, sizeof *kept);
    clnd_status status = clnd__mpi_memory(kept, sizeof *kept);
    if (plan)
        *plan = NULL;
    if (!table) {
        free(kept);
        return clnd__mpi_fail(CLND_NULL_POINTER, "plan: the table is NULL");
    }
    made.call.table = table;
    if (op < CLND_MPI_GATHER_ND || op > CLND_MPI_SCATTER_ELEMENTS)
        status = clnd__mpi_fail(CLND_INVALID_OPTION, "plan: unknown op %d", (int)op);
    else if (!plan)
        status = clnd__mpi_fail(CLND_NULL_POINTER, "plan: the pointer to the result is NULL");
    if (status == CLND_OK) {
        made.call = call_of(op, table, engine, queue, indices);
        status = check(&made.call, options, ops[op].by_tuples, &made.expected);
    }
    if (status == CLND_OK)
        status = keep_fill(&made);
    if (kept) {
        *kept = made;
        status = clnd__mpi_plan(kept, status);
        kept->number = ++table->mpi->plans;
    } else {
        status = clnd__mpi_plan(&made, status);
    }
    if (status == CLND_OK)
        *plan = kept;
    else if (kept)
        clnd_mpi_plan_destroy(&kept);
    return status;
}

clnd_status clnd_mpi_plan_run(clnd_mpi_plan *plan, const clnd_tensor *dense)
{
    if (!plan)
        return clnd__mpi_fail(CLND_NULL_POINTER, "plan: it is NULL");
    const clnd_status status =
        dense ? check_like(&plan->call, dense, &plan->expected)
              : clnd__mpi_fail(CLND_NULL_POINTER, "%s: %s is NULL", plan->call.name,
                               plan->call.scatters ? "updates" : "out");
    return clnd__mpi_run_again(plan, dense, status);
}

void clnd_mpi_plan_destroy(clnd_mpi_plan **plan)
{
    if (!plan || !*plan)
        return;
    clnd__mpi_forget(*plan);
    free((*plan)->fill);
    free(*plan);
    *plan = NULL;
}

// SPDX-License-Identifier: Apache-2.0

#include "call.h"

static clnd_gather_nd_options gather_nd_options(const struct bench_case *what)
{
    return (clnd_gather_nd_options){.batch_dims = what->batch_dims, .bounds = what->bounds};
}

static clnd_gather_options gather_options(const struct bench_case *what)
{
    return (clnd_gather_options){
        .axis = what->axis, .batch_dims = what->batch_dims, .bounds = what->bounds};
}

static clnd_gather_elements_options gather_elements_options(const struct bench_case *what)
{
    return (clnd_gather_elements_options){.axis = what->axis, .bounds = what->bounds};
}

static clnd_scatter_nd_options scatter_nd_options(const struct bench_case *what, bool deterministic)
{
    return (clnd_scatter_nd_options){.reduce = what->reduce,
                                     .bounds = what->bounds,
                                     .deterministic = deterministic,
                                     .unique_indices = what->unique_indices};
}

static clnd_scatter_elements_options scatter_elements_options(const struct bench_case *what,
                                                              bool deterministic)
{
    return (clnd_scatter_elements_options){.axis = what->axis,
                                           .reduce = what->reduce,
                                           .bounds = what->bounds,
                                           .deterministic = deterministic,
                                           .unique_indices = what->unique_indices};
}

static clnd_status dense(clnd_dtype dtype, const struct bench_shape *shape, clnd_tensor *tensor)
{
    return clnd_tensor_dense(NULL, 0, dtype, shape->rank, shape->sizes, tensor);
}

// The shape that updates must have; what does not go together is left to the op's own check.
static clnd_status describe_updates(const struct bench_case *what, struct operands *operands)
{
    struct bench_shape shape = what->indices;
    if (!op_is_elements(what->op) && shape.rank > 0) {
        const int64_t depth = shape.sizes[--shape.rank];
        for (int64_t i = depth; i < what->data.rank && shape.rank < CLND_MAX_RANK; ++i)
            shape.sizes[shape.rank++] = what->data.sizes[i];
    }
    return dense(what->dtype, &shape, &operands->dense);
}

clnd_status operands_describe(const struct bench_case *what, struct operands *operands)
{
    clnd_status status = dense(what->dtype, &what->data, &operands->data);
    if (what->row_step)
        operands->data.strides[0] *= what->row_step;
    if (what->column_major)
        for (int64_t k = 0, step = 1; k < what->data.rank; step *= what->data.sizes[k++])
            operands->data.strides[k] = step;
    if (status == CLND_OK && op_is_slice(what->op)) {
        status = clnd_slice_parse(what->slice, &operands->slice);
        return status
                   ? status
                   : clnd_strided_slice_shape(&operands->data, &operands->slice, &operands->dense);
    }
    if (status == CLND_OK)
        status = dense(what->index_dtype, &what->indices, &operands->indices);
    if (status == CLND_OK && op_is_scatter(what->op))
        status = describe_updates(what, operands);
    if (status)
        return status;
    const clnd_gather_nd_options nd = gather_nd_options(what);
    const clnd_gather_options axis = gather_options(what);
    const clnd_gather_elements_options elements = gather_elements_options(what);
    const clnd_scatter_nd_options scatter_nd = scatter_nd_options(what, false);
    const clnd_scatter_elements_options scatter_elements = scatter_elements_options(what, false);
    switch (what->op) {
    case OP_GATHER_ND:
        return clnd_gather_nd_shape(&operands->data, &operands->indices, &nd, &operands->dense);
    case OP_GATHER:
        return clnd_gather_shape(&operands->data, &operands->indices, &axis, &operands->dense);
    case OP_GATHER_ELEMENTS:
        return clnd_gather_elements_shape(&operands->data, &operands->indices, &elements,
                                          &operands->dense);
    case OP_SCATTER_ELEMENTS:
        return clnd_scatter_elements_check(&operands->indices, &operands->dense, &operands->data,
                                           &scatter_elements);
    default:
        return clnd_scatter_nd_check(&operands->indices, &operands->dense, &operands->data,
                                     &scatter_nd);
    }
}

clnd_status call_plan(clnd_engine *engine, const struct bench_case *what, const struct operands *o,
                      bool deterministic, clnd_plan *plan)
{
    const clnd_gather_nd_options nd = gather_nd_options(what);
    const clnd_gather_options axis = gather_options(what);
    const clnd_gather_elements_options elements = gather_elements_options(what);
    const clnd_scatter_nd_options scatter_nd = scatter_nd_options(what, deterministic);
    const clnd_scatter_elements_options scatter_elements =
        scatter_elements_options(what, deterministic);
    switch (what->op) {
    case OP_GATHER_ND:
        return clnd_gather_nd_plan(engine, &o->data, &o->indices, &o->dense, &nd, plan);
    case OP_GATHER:
        return clnd_gather_plan(engine, &o->data, &o->indices, &o->dense, &axis, plan);
    case OP_GATHER_ELEMENTS:
        return clnd_gather_elements_plan(engine, &o->data, &o->indices, &o->dense, &elements, plan);
    case OP_SCATTER_ND:
        return clnd_scatter_nd_plan(engine, &o->indices, &o->dense, &o->data, &scatter_nd, plan);
    case OP_SCATTER_ND_INTO:
        return clnd_scatter_nd_into_plan(engine, &o->indices, &o->dense, &o->data, &scatter_nd,
                                         plan);
    case OP_SCATTER_ELEMENTS:
        return clnd_scatter_elements_plan(engine, &o->indices, &o->dense, &o->data,
                                          &scatter_elements, plan);
    case OP_SLICE_ASSIGN:
        return clnd_strided_slice_assign_plan(engine, &o->dense, &o->slice, &o->data, NULL, plan);
    default:
        return clnd_strided_slice_plan(engine, &o->data, &o->slice, &o->dense, NULL, plan);
    }
}

clnd_status call_enqueue(clnd_engine *engine, cl_command_queue queue, const struct bench_case *what,
                         const struct operands *o, bool deterministic, cl_event *event)
{
    const clnd_gather_nd_options nd = gather_nd_options(what);
    const clnd_gather_options axis = gather_options(what);
    const clnd_gather_elements_options elements = gather_elements_options(what);
    const clnd_scatter_nd_options scatter_nd = scatter_nd_options(what, deterministic);
    const clnd_scatter_elements_options scatter_elements =
        scatter_elements_options(what, deterministic);
    switch (what->op) {
    case OP_GATHER_ND:
        return clnd_gather_nd(engine, queue, &o->data, &o->indices, &o->dense, &nd, 0, NULL, event);
    case OP_GATHER:
        return clnd_gather(engine, queue, &o->data, &o->indices, &o->dense, &axis, 0, NULL, event);
    case OP_GATHER_ELEMENTS:
        return clnd_gather_elements(engine, queue, &o->data, &o->indices, &o->dense, &elements, 0,
                                    NULL, event);
    case OP_SCATTER_ND:
        return clnd_scatter_nd(engine, queue, &o->indices, &o->dense, &o->data, &scatter_nd, 0,
                               NULL, event);
    case OP_SCATTER_ND_INTO:
        return clnd_scatter_nd_into(engine, queue, &o->indices, &o->dense, &o->data, &scatter_nd, 0,
                                    NULL, event);
    case OP_SCATTER_ELEMENTS:
        return clnd_scatter_elements(engine, queue, &o->indices, &o->dense, &o->data,
                                     &scatter_elements, 0, NULL, event);
    case OP_SLICE_ASSIGN:
        return clnd_strided_slice_assign(engine, queue, &o->dense, &o->slice, &o->data, NULL, 0,
                                         NULL, event);
    default:
        return clnd_strided_slice(engine, queue, &o->data, &o->slice, &o->dense, NULL, 0, NULL,
                                  event);
    }
}

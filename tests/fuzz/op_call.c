// SPDX-License-Identifier: Apache-2.0

#include "op_call.h"

const char *const op_names[N_OPS] = {
    "gather_nd",
    "gather",
    "gather_elements",
    "scatter_nd",
    "scatter_nd_into",
    "scatter_elements",
    "scatter",
    "strided_slice",
    "strided_slice_assign",
    "strided_slice_grad",
    "copy",
};

bool op_has_indices(op_id op)
{
    return op <= SCATTER;
}

bool op_is_scatter(op_id op)
{
    return op >= SCATTER_ND && op <= SCATTER;
}

int op_output(op_id op)
{
    return op_is_scatter(op) || op == STRIDED_SLICE_ASSIGN || op == STRIDED_SLICE_GRAD ? DATA
                                                                                       : DENSE;
}

#define OPTIONS(field) (c->has_options ? &c->options.field : NULL)

clnd_status op_shape(const op_call *c, clnd_tensor *result)
{
    const clnd_tensor *data = &c->tensors[DATA], *indices = &c->tensors[INDICES],
                      *dense = &c->tensors[DENSE];
    switch (c->op) {
    case GATHER_ND:
        return clnd_gather_nd_shape(data, indices, OPTIONS(gather_nd), result);
    case GATHER:
        return clnd_gather_shape(data, indices, OPTIONS(gather), result);
    case GATHER_ELEMENTS:
        return clnd_gather_elements_shape(data, indices, OPTIONS(gather_elements), result);
    case SCATTER_ND:
    case SCATTER_ND_INTO:
        return clnd_scatter_nd_check(indices, dense, data, OPTIONS(scatter_nd));
    case SCATTER:
        return clnd_scatter_check(indices, dense, data, OPTIONS(scatter));
    case SCATTER_ELEMENTS:
        return clnd_scatter_elements_check(indices, dense, data, OPTIONS(scatter_elements));
    case STRIDED_SLICE:
    case STRIDED_SLICE_GRAD:
        return clnd_strided_slice_shape(data, c->slice_arg, result);
    case STRIDED_SLICE_ASSIGN:
        return clnd_strided_slice_assign_shape(dense, c->slice_arg, data, result);
    default:
        return clnd_copy_shape(data, result);
    }
}

clnd_status op_plan(const op_call *c, clnd_engine *engine, clnd_plan *plan)
{
    const clnd_tensor *data = &c->tensors[DATA], *indices = &c->tensors[INDICES],
                      *dense = &c->tensors[DENSE];
    switch (c->op) {
    case GATHER_ND:
        return clnd_gather_nd_plan(engine, data, indices, dense, OPTIONS(gather_nd), plan);
    case GATHER:
        return clnd_gather_plan(engine, data, indices, dense, OPTIONS(gather), plan);
    case GATHER_ELEMENTS:
        return clnd_gather_elements_plan(engine, data, indices, dense, OPTIONS(gather_elements),
                                         plan);
    case SCATTER_ND:
        return clnd_scatter_nd_plan(engine, indices, dense, data, OPTIONS(scatter_nd), plan);
    case SCATTER_ND_INTO:
        return clnd_scatter_nd_into_plan(engine, indices, dense, data, OPTIONS(scatter_nd), plan);
    case SCATTER:
        return clnd_scatter_plan(engine, indices, dense, data, OPTIONS(scatter), plan);
    case SCATTER_ELEMENTS:
        return clnd_scatter_elements_plan(engine, indices, dense, data, OPTIONS(scatter_elements),
                                          plan);
    case STRIDED_SLICE:
        return clnd_strided_slice_plan(engine, data, c->slice_arg, dense, OPTIONS(strided_slice),
                                       plan);
    case STRIDED_SLICE_ASSIGN:
        return clnd_strided_slice_assign_plan(engine, dense, c->slice_arg, data,
                                              OPTIONS(strided_slice), plan);
    case STRIDED_SLICE_GRAD:
        return clnd_strided_slice_grad_plan(engine, dense, c->slice_arg, data,
                                            OPTIONS(strided_slice), plan);
    default:
        return clnd_copy_plan(engine, data, dense, OPTIONS(copy), plan);
    }
}

clnd_status op_enqueue(const op_call *c, clnd_engine *engine, cl_event *event)
{
    const clnd_tensor *data = &c->tensors[DATA], *indices = &c->tensors[INDICES],
                      *dense = &c->tensors[DENSE];
    switch (c->op) {
    case GATHER_ND:
        return clnd_gather_nd(engine, NULL, data, indices, dense, OPTIONS(gather_nd), 0, NULL,
                              event);
    case GATHER:
        return clnd_gather(engine, NULL, data, indices, dense, OPTIONS(gather), 0, NULL, event);
    case GATHER_ELEMENTS:
        return clnd_gather_elements(engine, NULL, data, indices, dense, OPTIONS(gather_elements), 0,
                                    NULL, event);
    case SCATTER_ND:
        return clnd_scatter_nd(engine, NULL, indices, dense, data, OPTIONS(scatter_nd), 0, NULL,
                               event);
    case SCATTER_ND_INTO:
        return clnd_scatter_nd_into(engine, NULL, indices, dense, data, OPTIONS(scatter_nd), 0,
                                    NULL, event);
    case SCATTER:
        return clnd_scatter(engine, NULL, indices, dense, data, OPTIONS(scatter), 0, NULL, event);
    case SCATTER_ELEMENTS:
        return clnd_scatter_elements(engine, NULL, indices, dense, data, OPTIONS(scatter_elements),
                                     0, NULL, event);
    case STRIDED_SLICE:
        return clnd_strided_slice(engine, NULL, data, c->slice_arg, dense, OPTIONS(strided_slice),
                                  0, NULL, event);
    case STRIDED_SLICE_ASSIGN:
        return clnd_strided_slice_assign(engine, NULL, dense, c->slice_arg, data,
                                         OPTIONS(strided_slice), 0, NULL, event);
    case STRIDED_SLICE_GRAD:
        return clnd_strided_slice_grad(engine, NULL, dense, c->slice_arg, data,
                                       OPTIONS(strided_slice), 0, NULL, event);
    default:
        return clnd_copy(engine, NULL, data, dense, OPTIONS(copy), 0, NULL, event);
    }
}

clnd_status op_host(const op_call *c, clnd_engine *engine)
{
    const clnd_array *data = &c->arrays[DATA], *indices = &c->arrays[INDICES],
                     *dense = &c->arrays[DENSE];
    switch (c->op) {
    case GATHER_ND:
        return clnd_host_gather_nd(engine, data, indices, dense, OPTIONS(gather_nd));
    case GATHER:
        return clnd_host_gather(engine, data, indices, dense, OPTIONS(gather));
    case GATHER_ELEMENTS:
        return clnd_host_gather_elements(engine, data, indices, dense, OPTIONS(gather_elements));
    case SCATTER_ND:
        return clnd_host_scatter_nd(engine, indices, dense, data, OPTIONS(scatter_nd));
    case SCATTER_ND_INTO:
        return clnd_host_scatter_nd_into(engine, indices, dense, data, OPTIONS(scatter_nd));
    case SCATTER:
        return clnd_host_scatter(engine, indices, dense, data, OPTIONS(scatter));
    case SCATTER_ELEMENTS:
        return clnd_host_scatter_elements(engine, indices, dense, data, OPTIONS(scatter_elements));
    case STRIDED_SLICE:
        return clnd_host_strided_slice(engine, data, c->slice_arg, dense, OPTIONS(strided_slice));
    case STRIDED_SLICE_ASSIGN:
        return clnd_host_strided_slice_assign(engine, dense, c->slice_arg, data,
                                              OPTIONS(strided_slice));
    case STRIDED_SLICE_GRAD:
        return clnd_host_strided_slice_grad(engine, dense, c->slice_arg, data,
                                            OPTIONS(strided_slice));
    default:
        return clnd_host_copy(engine, data, dense, OPTIONS(copy));
    }
}

bool op_reference(const op_call *c, const ref_array *arrays)
{
    const ref_array *data = &arrays[DATA], *indices = &arrays[INDICES], *dense = &arrays[DENSE];
    const ref_scatter_options scatter = {.reduce = c->reduce, .bounds = c->bounds};
    const void *fill = NULL;
    switch (c->op) {
    case GATHER_ND:
        fill = c->has_options ? c->options.gather_nd.fill : NULL;
        return ref_gather_nd(data, indices, dense, c->batch_dims, c->bounds, fill) < 0;
    case GATHER:
        fill = c->has_options ? c->options.gather.fill : NULL;
        return ref_gather(data, indices, dense, c->axis, c->batch_dims, c->bounds, fill) < 0;
    case GATHER_ELEMENTS:
        fill = c->has_options ? c->options.gather_elements.fill : NULL;
        return ref_gather_elements(data, indices, dense, c->axis, c->bounds, fill) < 0;
    case SCATTER_ND:
        return ref_scatter_nd(indices, dense, data, &scatter) < 0;
    case SCATTER_ND_INTO:
        return ref_scatter_nd_into(indices, dense, data, &scatter) < 0;
    case SCATTER:
        return ref_scatter(indices, dense, data, c->axis, c->batch_dims, &scatter) < 0;
    case SCATTER_ELEMENTS:
        return ref_scatter_elements(indices, dense, data, c->axis, &scatter) < 0;
    case STRIDED_SLICE:
        return ref_strided_slice(data, &c->slice, dense) == REF_SLICE_OK;
    case STRIDED_SLICE_ASSIGN:
        return ref_strided_slice_assign(data, &c->slice, dense) == REF_SLICE_OK;
    case STRIDED_SLICE_GRAD:
        return ref_strided_slice_grad(dense, &c->slice, data) == REF_SLICE_OK;
    default:
        ref_copy(data, dense);
        return true;
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// The call of a problem. The event is what `launch` says, also under a fault.

#include "problem.h"

static clnd_status call_gather(const problem *p, const device *d, const launch *l)
{
    const clnd_tensor *params = &p->given_input, *indices = &p->given_indices, *out = &p->given_out;
    const void *fill = p->bounds == CLND_BOUNDS_FILL ? p->fill : NULL;
    if (p->op == OP_GATHER_ND) {
        clnd_gather_nd_options o = {.batch_dims = p->said_batch_dims,
                                    .bounds = p->given_bounds,
                                    .fill = fill,
                                    .strategy = p->given_strategy,
                                    .reserved = {p->given_reserved}};
        return clnd_gather_nd(d->engine, l->queue, params, indices, out, &o, l->n_wait, l->wait,
                              l->event_out);
    }
    if (p->op == OP_GATHER) {
        clnd_gather_options o = {.axis = p->said_axis,
                                 .batch_dims = p->said_batch_dims,
                                 .bounds = p->given_bounds,
                                 .fill = fill,
                                 .strategy = p->given_strategy,
                                 .reserved = {p->given_reserved}};
        return clnd_gather(d->engine, l->queue, params, indices, out, &o, l->n_wait, l->wait,
                           l->event_out);
    }
    clnd_gather_elements_options o = {.axis = p->said_axis,
                                      .bounds = p->given_bounds,
                                      .fill = fill,
                                      .strategy = p->given_strategy,
                                      .reserved = {p->given_reserved}};
    return clnd_gather_elements(d->engine, l->queue, params, indices, out, &o, l->n_wait, l->wait,
                                l->event_out);
}

static clnd_status call_scatter(const problem *p, const device *d, const launch *l)
{
    const clnd_tensor *indices = &p->given_indices, *updates = &p->given_input;
    const clnd_tensor *target = &p->given_out;
    clnd_reduce reduce = p->default_reduce ? CLND_REDUCE_DEFAULT : p->reduce;
    if (p->op == OP_SCATTER_ELEMENTS) {
        clnd_scatter_elements_options o = {.axis = p->said_axis,
                                           .reduce = reduce,
                                           .bounds = p->given_bounds,
                                           .deterministic = p->deterministic,
                                           .unique_indices = p->unique,
                                           .strategy = p->given_strategy,
                                           .reserved = {p->given_reserved}};
        return clnd_scatter_elements(d->engine, l->queue, indices, updates, target, &o, l->n_wait,
                                     l->wait, l->event_out);
    }
    clnd_scatter_nd_options o = {.reduce = reduce,
                                 .bounds = p->given_bounds,
                                 .deterministic = p->deterministic,
                                 .unique_indices = p->unique,
                                 .strategy = p->given_strategy,
                                 .reserved = {p->given_reserved}};
    return (p->op == OP_SCATTER_ND ? clnd_scatter_nd : clnd_scatter_nd_into)(
        d->engine, l->queue, indices, updates, target, &o, l->n_wait, l->wait, l->event_out);
}

static clnd_status call_copy(const problem *p, const device *d, const launch *l,
                             const clnd_tensor *source)
{
    clnd_copy_options o = {.strategy = p->given_strategy, .reserved = {p->given_reserved}};
    return clnd_copy(d->engine, l->queue, source, &p->given_out, &o, l->n_wait, l->wait,
                     l->event_out);
}

static clnd_status call_view(const problem *p, const device *d, const launch *l)
{
    clnd_tensor view;
    clnd_status status = clnd_strided_slice_view(&p->given_input, &p->taken, &view);
    if (status == CLND_OK)
        return call_copy(p, d, l, &view);
    if (l->event_out)
        *l->event_out = NULL; // as a call would
    return status;
}

static clnd_status call_slice(const problem *p, const device *d, const launch *l)
{
    clnd_strided_slice_options o = {.strategy = p->given_strategy, .reserved = {p->given_reserved}};
    if (p->op == OP_STRIDED_SLICE)
        return clnd_strided_slice(d->engine, l->queue, &p->given_input, &p->taken, &p->given_out,
                                  &o, l->n_wait, l->wait, l->event_out);
    if (p->op == OP_STRIDED_SLICE_ASSIGN)
        return clnd_strided_slice_assign(d->engine, l->queue, &p->given_out, &p->taken,
                                         &p->given_input, &o, l->n_wait, l->wait, l->event_out);
    return clnd_strided_slice_grad(d->engine, l->queue, &p->given_input, &p->taken, &p->given_out,
                                   &o, l->n_wait, l->wait, l->event_out);
}

clnd_status problem_call(const problem *p, const device *d, const launch *l)
{
    if (op_is_gather(p->op))
        return call_gather(p, d, l);
    if (op_is_scatter(p->op))
        return call_scatter(p, d, l);
    if (p->op == OP_COPY)
        return call_copy(p, d, l, &p->given_input);
    if (p->op == OP_STRIDED_SLICE_VIEW)
        return call_view(p, d, l);
    return call_slice(p, d, l);
}

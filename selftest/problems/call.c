// SPDX-License-Identifier: Apache-2.0
//
// The call of a problem, or its plan: the same tensors and options go to both.

#include "problem.h"

// Either of the two.
typedef struct use {
    clnd_engine *engine;
    const launch *l; // of the call
    clnd_plan *plan; // NULL: the call
} use;

static clnd_status use_gather_nd(const problem *p, const use *u, const void *fill)
{
    const clnd_gather_nd_options o = {.batch_dims = p->said_batch_dims,
                                      .bounds = p->given_bounds,
                                      .fill = fill,
                                      .report = p->report,
                                      .reserved = {p->given_reserved}};
    return u->plan ? clnd_gather_nd_plan(u->engine, &p->given_input, &p->given_indices,
                                         &p->given_out, &o, u->plan)
                   : clnd_gather_nd(u->engine, u->l->queue, &p->given_input, &p->given_indices,
                                    &p->given_out, &o, u->l->n_wait, u->l->wait, u->l->event_out);
}

static clnd_status use_gather(const problem *p, const use *u, const void *fill)
{
    const clnd_gather_options o = {.axis = p->said_axis,
                                   .batch_dims = p->said_batch_dims,
                                   .bounds = p->given_bounds,
                                   .fill = fill,
                                   .report = p->report,
                                   .reserved = {p->given_reserved}};
    return u->plan ? clnd_gather_plan(u->engine, &p->given_input, &p->given_indices, &p->given_out,
                                      &o, u->plan)
                   : clnd_gather(u->engine, u->l->queue, &p->given_input, &p->given_indices,
                                 &p->given_out, &o, u->l->n_wait, u->l->wait, u->l->event_out);
}

static clnd_status use_gather_elements(const problem *p, const use *u, const void *fill)
{
    const clnd_gather_elements_options o = {.axis = p->said_axis,
                                            .bounds = p->given_bounds,
                                            .fill = fill,
                                            .report = p->report,
                                            .reserved = {p->given_reserved}};
    return u->plan
               ? clnd_gather_elements_plan(u->engine, &p->given_input, &p->given_indices,
                                           &p->given_out, &o, u->plan)
               : clnd_gather_elements(u->engine, u->l->queue, &p->given_input, &p->given_indices,
                                      &p->given_out, &o, u->l->n_wait, u->l->wait, u->l->event_out);
}

static clnd_status use_scatter_nd(const problem *p, const use *u)
{
    const bool into = p->op == OP_SCATTER_ND_INTO;
    const clnd_scatter_nd_options o = {.reduce = p->default_reduce ? 0 : p->reduce,
                                       .bounds = p->given_bounds,
                                       .deterministic = p->deterministic,
                                       .unique_indices = p->unique,
                                       .report = p->report,
                                       .workspace = p->lent.buffer ? &p->lent : NULL,
                                       .reserved = {p->given_reserved}};
    return u->plan ? (into ? clnd_scatter_nd_into_plan : clnd_scatter_nd_plan)(
                         u->engine, &p->given_indices, &p->given_input, &p->given_out, &o, u->plan)
                   : (into ? clnd_scatter_nd_into : clnd_scatter_nd)(
                         u->engine, u->l->queue, &p->given_indices, &p->given_input, &p->given_out,
                         &o, u->l->n_wait, u->l->wait, u->l->event_out);
}

static clnd_status use_scatter_elements(const problem *p, const use *u)
{
    const clnd_scatter_elements_options o = {.axis = p->said_axis,
                                             .reduce = p->default_reduce ? 0 : p->reduce,
                                             .bounds = p->given_bounds,
                                             .deterministic = p->deterministic,
                                             .unique_indices = p->unique,
                                             .report = p->report,
                                             .workspace = p->lent.buffer ? &p->lent : NULL,
                                             .reserved = {p->given_reserved}};
    return u->plan ? clnd_scatter_elements_plan(u->engine, &p->given_indices, &p->given_input,
                                                &p->given_out, &o, u->plan)
                   : clnd_scatter_elements(u->engine, u->l->queue, &p->given_indices,
                                           &p->given_input, &p->given_out, &o, u->l->n_wait,
                                           u->l->wait, u->l->event_out);
}

static clnd_status use_scatter(const problem *p, const use *u)
{
    const clnd_scatter_options o = {.axis = p->said_axis,
                                    .batch_dims = p->said_batch_dims,
                                    .reduce = p->default_reduce ? 0 : p->reduce,
                                    .bounds = p->given_bounds,
                                    .deterministic = p->deterministic,
                                    .unique_indices = p->unique,
                                    .report = p->report,
                                    .workspace = p->lent.buffer ? &p->lent : NULL,
                                    .reserved = {p->given_reserved}};
    return u->plan ? clnd_scatter_plan(u->engine, &p->given_indices, &p->given_input, &p->given_out,
                                       &o, u->plan)
                   : clnd_scatter(u->engine, u->l->queue, &p->given_indices, &p->given_input,
                                  &p->given_out, &o, u->l->n_wait, u->l->wait, u->l->event_out);
}

static clnd_status use_copy(const problem *p, const use *u, const clnd_tensor *source)
{
    const clnd_copy_options o = {.reserved = {p->given_reserved}};
    return u->plan ? clnd_copy_plan(u->engine, source, &p->given_out, &o, u->plan)
                   : clnd_copy(u->engine, u->l->queue, source, &p->given_out, &o, u->l->n_wait,
                               u->l->wait, u->l->event_out);
}

static clnd_status use_view(const problem *p, const use *u)
{
    clnd_tensor view;
    clnd_status status = clnd_strided_slice_view(&p->given_input, &p->taken, &view);
    if (status == CLND_OK)
        return use_copy(p, u, &view);
    if (u->l && u->l->event_out)
        *u->l->event_out = NULL; // as a call would
    return status;
}

static clnd_status use_slice(const problem *p, const use *u)
{
    const clnd_strided_slice_options o = {.reserved = {p->given_reserved}};
    return u->plan
               ? clnd_strided_slice_plan(u->engine, &p->given_input, &p->taken, &p->given_out, &o,
                                         u->plan)
               : clnd_strided_slice(u->engine, u->l->queue, &p->given_input, &p->taken,
                                    &p->given_out, &o, u->l->n_wait, u->l->wait, u->l->event_out);
}

static clnd_status use_assign(const problem *p, const use *u)
{
    const clnd_strided_slice_options o = {.reserved = {p->given_reserved}};
    return u->plan ? clnd_strided_slice_assign_plan(u->engine, &p->given_input, &p->taken,
                                                    &p->given_out, &o, u->plan)
                   : clnd_strided_slice_assign(u->engine, u->l->queue, &p->given_input, &p->taken,
                                               &p->given_out, &o, u->l->n_wait, u->l->wait,
                                               u->l->event_out);
}

static clnd_status use_grad(const problem *p, const use *u)
{
    const clnd_strided_slice_options o = {.reserved = {p->given_reserved}};
    return u->plan ? clnd_strided_slice_grad_plan(u->engine, &p->given_input, &p->taken,
                                                  &p->given_out, &o, u->plan)
                   : clnd_strided_slice_grad(u->engine, u->l->queue, &p->given_input, &p->taken,
                                             &p->given_out, &o, u->l->n_wait, u->l->wait,
                                             u->l->event_out);
}

static clnd_status use_op(const problem *p, const use *u)
{
    const void *fill = p->bounds == CLND_BOUNDS_FILL ? p->fill : NULL;
    switch (p->op) {
    case OP_GATHER_ND:
        return use_gather_nd(p, u, fill);
    case OP_GATHER:
        return use_gather(p, u, fill);
    case OP_GATHER_ELEMENTS:
        return use_gather_elements(p, u, fill);
    case OP_SCATTER:
        return use_scatter(p, u);
    case OP_SCATTER_ELEMENTS:
        return use_scatter_elements(p, u);
    case OP_STRIDED_SLICE:
        return use_slice(p, u);
    case OP_STRIDED_SLICE_VIEW:
        return use_view(p, u);
    case OP_STRIDED_SLICE_ASSIGN:
        return use_assign(p, u);
    case OP_STRIDED_SLICE_GRAD:
        return use_grad(p, u);
    case OP_COPY:
        return use_copy(p, u, &p->given_input);
    default:
        return use_scatter_nd(p, u);
    }
}

clnd_status problem_call(const problem *p, const device *d, const launch *l)
{
    return use_op(p, &(use){.engine = d->engine, .l = l});
}

clnd_status problem_plan(const problem *p, const device *d, clnd_plan *plan)
{
    return use_op(p, &(use){.engine = d->engine, .plan = plan});
}

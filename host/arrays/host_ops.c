// SPDX-License-Identifier: Apache-2.0
//
// The calls of host.h: what each array is to its op, and the op that does the work.

#include "host/arrays/host_call.h"

#include <stddef.h>

// clang-format off
#define INPUT(NAME)    {.name = NAME, .use = CLND__INPUT}
#define OUTPUT(NAME)   {.name = NAME, .use = CLND__OUTPUT}
#define IN_PLACE(NAME) {.name = NAME, .use = CLND__IN_PLACE}
// clang-format on

static clnd_status gather_nd(clnd__host_step *s)
{
    return s->plan ? clnd_gather_nd_plan(s->engine, s->tensors[0], s->tensors[1], s->tensors[2],
                                         s->options, s->plan)
                   : clnd_gather_nd(s->engine, s->queue, s->tensors[0], s->tensors[1],
                                    s->tensors[2], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_gather_nd = {
    .name = "gather_nd",
    .n_arrays = 3,
    .arrays = {INPUT("params"), INPUT("indices"), OUTPUT("out")},
    .report = offsetof(clnd_gather_nd_options, report),
    .run = gather_nd,
};

clnd_status clnd_host_gather_nd(clnd_engine *engine, const clnd_array *params,
                                const clnd_array *indices, const clnd_array *out,
                                const clnd_gather_nd_options *options)
{
    const clnd_array *arrays[] = {params, indices, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_gather_nd, arrays, NULL,
                           options);
}

static clnd_status gather(clnd__host_step *s)
{
    return s->plan ? clnd_gather_plan(s->engine, s->tensors[0], s->tensors[1], s->tensors[2],
                                      s->options, s->plan)
                   : clnd_gather(s->engine, s->queue, s->tensors[0], s->tensors[1], s->tensors[2],
                                 s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_gather = {
    .name = "gather",
    .n_arrays = 3,
    .arrays = {INPUT("params"), INPUT("indices"), OUTPUT("out")},
    .report = offsetof(clnd_gather_options, report),
    .run = gather,
};

clnd_status clnd_host_gather(clnd_engine *engine, const clnd_array *params,
                             const clnd_array *indices, const clnd_array *out,
                             const clnd_gather_options *options)
{
    const clnd_array *arrays[] = {params, indices, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_gather, arrays, NULL,
                           options);
}

static clnd_status gather_elements(clnd__host_step *s)
{
    return s->plan ? clnd_gather_elements_plan(s->engine, s->tensors[0], s->tensors[1],
                                               s->tensors[2], s->options, s->plan)
                   : clnd_gather_elements(s->engine, s->queue, s->tensors[0], s->tensors[1],
                                          s->tensors[2], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_gather_elements = {
    .name = "gather_elements",
    .n_arrays = 3,
    .arrays = {INPUT("params"), INPUT("indices"), OUTPUT("out")},
    .report = offsetof(clnd_gather_elements_options, report),
    .run = gather_elements,
};

clnd_status clnd_host_gather_elements(clnd_engine *engine, const clnd_array *params,
                                      const clnd_array *indices, const clnd_array *out,
                                      const clnd_gather_elements_options *options)
{
    const clnd_array *arrays[] = {params, indices, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_gather_elements, arrays,
                           NULL, options);
}

static clnd_status scatter_nd(clnd__host_step *s)
{
    return s->plan ? clnd_scatter_nd_plan(s->engine, s->tensors[0], s->tensors[1], s->tensors[2],
                                          s->options, s->plan)
                   : clnd_scatter_nd(s->engine, s->queue, s->tensors[0], s->tensors[1],
                                     s->tensors[2], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_scatter_nd = {
    .name = "scatter_nd",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), OUTPUT("out")},
    .report = offsetof(clnd_scatter_nd_options, report),
    .run = scatter_nd,
};

clnd_status clnd_host_scatter_nd(clnd_engine *engine, const clnd_array *indices,
                                 const clnd_array *updates, const clnd_array *out,
                                 const clnd_scatter_nd_options *options)
{
    const clnd_array *arrays[] = {indices, updates, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter_nd, arrays, NULL,
                           options);
}

static clnd_status scatter_nd_into(clnd__host_step *s)
{
    return s->plan ? clnd_scatter_nd_into_plan(s->engine, s->tensors[0], s->tensors[1],
                                               s->tensors[2], s->options, s->plan)
                   : clnd_scatter_nd_into(s->engine, s->queue, s->tensors[0], s->tensors[1],
                                          s->tensors[2], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_scatter_nd_into = {
    .name = "scatter_nd_into",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), IN_PLACE("target")},
    .report = offsetof(clnd_scatter_nd_options, report),
    .run = scatter_nd_into,
};

clnd_status clnd_host_scatter_nd_into(clnd_engine *engine, const clnd_array *indices,
                                      const clnd_array *updates, const clnd_array *target,
                                      const clnd_scatter_nd_options *options)
{
    const clnd_array *arrays[] = {indices, updates, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter_nd_into, arrays,
                           NULL, options);
}

static clnd_status scatter(clnd__host_step *s)
{
    return s->plan ? clnd_scatter_plan(s->engine, s->tensors[0], s->tensors[1], s->tensors[2],
                                       s->options, s->plan)
                   : clnd_scatter(s->engine, s->queue, s->tensors[0], s->tensors[1], s->tensors[2],
                                  s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_scatter = {
    .name = "scatter",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), IN_PLACE("target")},
    .report = offsetof(clnd_scatter_options, report),
    .run = scatter,
};

clnd_status clnd_host_scatter(clnd_engine *engine, const clnd_array *indices,
                              const clnd_array *updates, const clnd_array *target,
                              const clnd_scatter_options *options)
{
    const clnd_array *arrays[] = {indices, updates, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter, arrays, NULL,
                           options);
}

static clnd_status scatter_elements(clnd__host_step *s)
{
    return s->plan ? clnd_scatter_elements_plan(s->engine, s->tensors[0], s->tensors[1],
                                                s->tensors[2], s->options, s->plan)
                   : clnd_scatter_elements(s->engine, s->queue, s->tensors[0], s->tensors[1],
                                           s->tensors[2], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_scatter_elements = {
    .name = "scatter_elements",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), IN_PLACE("target")},
    .report = offsetof(clnd_scatter_elements_options, report),
    .run = scatter_elements,
};

clnd_status clnd_host_scatter_elements(clnd_engine *engine, const clnd_array *indices,
                                       const clnd_array *updates, const clnd_array *target,
                                       const clnd_scatter_elements_options *options)
{
    const clnd_array *arrays[] = {indices, updates, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter_elements, arrays,
                           NULL, options);
}

static clnd_status strided_slice(clnd__host_step *s)
{
    return s->plan ? clnd_strided_slice_plan(s->engine, s->tensors[0], s->slice, s->tensors[1],
                                             s->options, s->plan)
                   : clnd_strided_slice(s->engine, s->queue, s->tensors[0], s->slice, s->tensors[1],
                                        s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_strided_slice = {
    .name = "strided_slice",
    .n_arrays = 2,
    .arrays = {INPUT("input"), OUTPUT("out")},
    .slices_first = true,
    .run = strided_slice,
};

clnd_status clnd_host_strided_slice(clnd_engine *engine, const clnd_array *input,
                                    const clnd_slice *slice, const clnd_array *out,
                                    const clnd_strided_slice_options *options)
{
    const clnd_array *arrays[] = {input, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_strided_slice, arrays,
                           slice, options);
}

static clnd_status strided_slice_assign(clnd__host_step *s)
{
    return s->plan ? clnd_strided_slice_assign_plan(s->engine, s->tensors[1], s->slice,
                                                    s->tensors[0], s->options, s->plan)
                   : clnd_strided_slice_assign(s->engine, s->queue, s->tensors[1], s->slice,
                                               s->tensors[0], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_strided_slice_assign = {
    .name = "strided_slice_assign",
    .n_arrays = 2,
    .arrays = {OUTPUT("target"), INPUT("value")},
    .slices_first = true,
    .run = strided_slice_assign,
};

clnd_status clnd_host_strided_slice_assign(clnd_engine *engine, const clnd_array *value,
                                           const clnd_slice *slice, const clnd_array *target,
                                           const clnd_strided_slice_options *options)
{
    const clnd_array *arrays[] = {target, value};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_strided_slice_assign,
                           arrays, slice, options);
}

static clnd_status strided_slice_grad(clnd__host_step *s)
{
    return s->plan ? clnd_strided_slice_grad_plan(s->engine, s->tensors[0], s->slice, s->tensors[1],
                                                  s->options, s->plan)
                   : clnd_strided_slice_grad(s->engine, s->queue, s->tensors[0], s->slice,
                                             s->tensors[1], s->options, 0, NULL, &s->event);
}

const clnd__host_op clnd__host_strided_slice_grad = {
    .name = "strided_slice_grad",
    .n_arrays = 2,
    .arrays = {INPUT("dy"), OUTPUT("dx")},
    .run = strided_slice_grad,
};

clnd_status clnd_host_strided_slice_grad(clnd_engine *engine, const clnd_array *dy,
                                         const clnd_slice *slice, const clnd_array *dx,
                                         const clnd_strided_slice_options *options)
{
    const clnd_array *arrays[] = {dy, dx};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_strided_slice_grad,
                           arrays, slice, options);
}

static clnd_status copy(clnd__host_step *s)
{
    return s->plan ? clnd_copy_plan(s->engine, s->tensors[0], s->tensors[1], s->options, s->plan)
                   : clnd_copy(s->engine, s->queue, s->tensors[0], s->tensors[1], s->options, 0,
                               NULL, &s->event);
}

const clnd__host_op clnd__host_copy = {
    .name = "copy",
    .n_arrays = 2,
    .arrays = {INPUT("source"), OUTPUT("target")},
    .run = copy,
};

clnd_status clnd_host_copy(clnd_engine *engine, const clnd_array *source, const clnd_array *target,
                           const clnd_copy_options *options)
{
    const clnd_array *arrays[] = {source, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_copy, arrays, NULL,
                           options);
}

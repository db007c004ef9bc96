// SPDX-License-Identifier: Apache-2.0
//
// The calls of host.h: what each array is to its op, and the op that does the work.

#include "host/arrays/host_call.h"

// The arguments of all that are an `enqueue`; `t` are the tensors.
#define CALL                                                                                       \
    clnd_engine *engine, cl_command_queue queue, const clnd_tensor *const *t,                      \
        const clnd_slice *slice, const void *options, cl_event *event

// clang-format off
#define INPUT(NAME)    {.name = NAME, .use = CLND__INPUT}
#define OUTPUT(NAME)   {.name = NAME, .use = CLND__OUTPUT}
#define IN_PLACE(NAME) {.name = NAME, .use = CLND__IN_PLACE}
// clang-format on

static clnd_status gather_nd(CALL)
{
    (void)slice;
    return clnd_gather_nd(engine, queue, t[0], t[1], t[2], options, 0, NULL, event);
}

const clnd__host_op clnd__host_gather_nd = {
    .name = "gather_nd",
    .n_arrays = 3,
    .arrays = {INPUT("params"), INPUT("indices"), OUTPUT("out")},
    .enqueue = gather_nd,
};

clnd_status clnd_host_gather_nd(clnd_engine *engine, const clnd_array *params,
                                const clnd_array *indices, const clnd_array *out,
                                const clnd_gather_nd_options *options)
{
    const clnd_array *arrays[] = {params, indices, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_gather_nd, arrays, NULL,
                           options);
}

static clnd_status gather(CALL)
{
    (void)slice;
    return clnd_gather(engine, queue, t[0], t[1], t[2], options, 0, NULL, event);
}

const clnd__host_op clnd__host_gather = {
    .name = "gather",
    .n_arrays = 3,
    .arrays = {INPUT("params"), INPUT("indices"), OUTPUT("out")},
    .enqueue = gather,
};

clnd_status clnd_host_gather(clnd_engine *engine, const clnd_array *params,
                             const clnd_array *indices, const clnd_array *out,
                             const clnd_gather_options *options)
{
    const clnd_array *arrays[] = {params, indices, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_gather, arrays, NULL,
                           options);
}

static clnd_status gather_elements(CALL)
{
    (void)slice;
    return clnd_gather_elements(engine, queue, t[0], t[1], t[2], options, 0, NULL, event);
}

const clnd__host_op clnd__host_gather_elements = {
    .name = "gather_elements",
    .n_arrays = 3,
    .arrays = {INPUT("params"), INPUT("indices"), OUTPUT("out")},
    .enqueue = gather_elements,
};

clnd_status clnd_host_gather_elements(clnd_engine *engine, const clnd_array *params,
                                      const clnd_array *indices, const clnd_array *out,
                                      const clnd_gather_elements_options *options)
{
    const clnd_array *arrays[] = {params, indices, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_gather_elements, arrays,
                           NULL, options);
}

static clnd_status scatter_nd(CALL)
{
    (void)slice;
    return clnd_scatter_nd(engine, queue, t[0], t[1], t[2], options, 0, NULL, event);
}

const clnd__host_op clnd__host_scatter_nd = {
    .name = "scatter_nd",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), OUTPUT("out")},
    .enqueue = scatter_nd,
};

clnd_status clnd_host_scatter_nd(clnd_engine *engine, const clnd_array *indices,
                                 const clnd_array *updates, const clnd_array *out,
                                 const clnd_scatter_nd_options *options)
{
    const clnd_array *arrays[] = {indices, updates, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter_nd, arrays, NULL,
                           options);
}

static clnd_status scatter_nd_into(CALL)
{
    (void)slice;
    return clnd_scatter_nd_into(engine, queue, t[0], t[1], t[2], options, 0, NULL, event);
}

const clnd__host_op clnd__host_scatter_nd_into = {
    .name = "scatter_nd_into",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), IN_PLACE("target")},
    .enqueue = scatter_nd_into,
};

clnd_status clnd_host_scatter_nd_into(clnd_engine *engine, const clnd_array *indices,
                                      const clnd_array *updates, const clnd_array *target,
                                      const clnd_scatter_nd_options *options)
{
    const clnd_array *arrays[] = {indices, updates, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter_nd_into, arrays,
                           NULL, options);
}

static clnd_status scatter_elements(CALL)
{
    (void)slice;
    return clnd_scatter_elements(engine, queue, t[0], t[1], t[2], options, 0, NULL, event);
}

const clnd__host_op clnd__host_scatter_elements = {
    .name = "scatter_elements",
    .n_arrays = 3,
    .arrays = {INPUT("indices"), INPUT("updates"), IN_PLACE("target")},
    .enqueue = scatter_elements,
};

clnd_status clnd_host_scatter_elements(clnd_engine *engine, const clnd_array *indices,
                                       const clnd_array *updates, const clnd_array *target,
                                       const clnd_scatter_elements_options *options)
{
    const clnd_array *arrays[] = {indices, updates, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_scatter_elements, arrays,
                           NULL, options);
}

static clnd_status strided_slice(CALL)
{
    return clnd_strided_slice(engine, queue, t[0], slice, t[1], options, 0, NULL, event);
}

const clnd__host_op clnd__host_strided_slice = {
    .name = "strided_slice",
    .n_arrays = 2,
    .arrays = {INPUT("input"), OUTPUT("out")},
    .slices_first = true,
    .enqueue = strided_slice,
};

clnd_status clnd_host_strided_slice(clnd_engine *engine, const clnd_array *input,
                                    const clnd_slice *slice, const clnd_array *out,
                                    const clnd_strided_slice_options *options)
{
    const clnd_array *arrays[] = {input, out};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_strided_slice, arrays,
                           slice, options);
}

static clnd_status strided_slice_assign(CALL)
{
    return clnd_strided_slice_assign(engine, queue, t[0], slice, t[1], options, 0, NULL, event);
}

const clnd__host_op clnd__host_strided_slice_assign = {
    .name = "strided_slice_assign",
    .n_arrays = 2,
    .arrays = {OUTPUT("target"), INPUT("value")},
    .slices_first = true,
    .enqueue = strided_slice_assign,
};

clnd_status clnd_host_strided_slice_assign(clnd_engine *engine, const clnd_array *target,
                                           const clnd_slice *slice, const clnd_array *value,
                                           const clnd_strided_slice_options *options)
{
    const clnd_array *arrays[] = {target, value};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_strided_slice_assign,
                           arrays, slice, options);
}

static clnd_status strided_slice_grad(CALL)
{
    return clnd_strided_slice_grad(engine, queue, t[0], slice, t[1], options, 0, NULL, event);
}

const clnd__host_op clnd__host_strided_slice_grad = {
    .name = "strided_slice_grad",
    .n_arrays = 2,
    .arrays = {INPUT("dy"), OUTPUT("dx")},
    .enqueue = strided_slice_grad,
};

clnd_status clnd_host_strided_slice_grad(clnd_engine *engine, const clnd_array *dy,
                                         const clnd_slice *slice, const clnd_array *dx,
                                         const clnd_strided_slice_options *options)
{
    const clnd_array *arrays[] = {dy, dx};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_strided_slice_grad,
                           arrays, slice, options);
}

static clnd_status copy(CALL)
{
    (void)slice;
    return clnd_copy(engine, queue, t[0], t[1], options, 0, NULL, event);
}

const clnd__host_op clnd__host_copy = {
    .name = "copy",
    .n_arrays = 2,
    .arrays = {INPUT("source"), OUTPUT("target")},
    .enqueue = copy,
};

clnd_status clnd_host_copy(clnd_engine *engine, const clnd_array *source, const clnd_array *target,
                           const clnd_copy_options *options)
{
    const clnd_array *arrays[] = {source, target};
    return clnd__host_call(engine, clnd__host_way_for(engine), &clnd__host_copy, arrays, NULL,
                           options);
}

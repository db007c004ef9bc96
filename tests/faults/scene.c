// SPDX-License-Identifier: Apache-2.0

#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "host/cl/engine.h"

static bool scatters(op_id op)
{
    return op == SCATTER_ND || op == SCATTER_ND_INTO || op == SCATTER_ELEMENTS || op == SCATTER;
}

static bool gathers(op_id op)
{
    return op == GATHER_ND || op == GATHER || op == GATHER_ELEMENTS;
}

void scene_open_engine(device *d)
{
    scene_open_engine_with(d, NULL);
}

void scene_open_engine_with(device *d, const clnd_engine_options *options)
{
    *d = *device_get();
    opencl_begin();
    opencl_enter();
    check_status(clnd_engine_open(NULL, options, &d->engine), CLND_OK);
    opencl_leave();
    d->context = clnd_engine_context(d->engine);
    d->queue = clnd_engine_queue(d->engine);
}

void scene_close_engine(device *d, const holdings *before)
{
    opencl_enter();
    clnd_engine_destroy(&d->engine);
    opencl_leave();
    case_note("after the engine");
    holdings_check(before);
}

// Arrays -----------------------------------------------------------------------------------------

static void make_array(scene *s, const char *name, clnd_dtype dtype, int rank, const int64_t *shape)
{
    static const values small = {.kind = VALUES_SUM, .limit = 9};
    placed *p = &s->arrays[s->n++].image;
    placed_from(p, name, case_rng(), dtype, rank, shape, NULL);
    placed_fill(p, case_rng(), &small);
}

// Rows 3 and 1, by the op's kind of indices.
static void make_indices(scene *s)
{
    static const int32_t rows[] = {3, 1};
    static const int32_t elements[] = {3, 0, 1, 1, 2, 3};
    placed *p = &s->arrays[s->n++].image;
    switch (s->plot->op) {
    case GATHER:
    case SCATTER:
        placed_from(p, "indices", case_rng(), CLND_INT32, 1, (int64_t[]){2}, rows);
        break;
    case GATHER_ELEMENTS:
    case SCATTER_ELEMENTS:
        placed_from(p, "indices", case_rng(), CLND_INT32, 2, (int64_t[]){2, 3}, elements);
        break;
    default:
        if (s->plot->whole)
            placed_from(p, "indices", case_rng(), CLND_INT32, 1, (int64_t[]){0}, NULL);
        else
            placed_from(p, "indices", case_rng(), CLND_INT32, 2, (int64_t[]){2, 1}, rows);
    }
}

static void make_arrays(scene *s)
{
    const scene_plot *plot = s->plot;
    const clnd_dtype dtype = plot->dtype ? plot->dtype : CLND_INT32;
    const int64_t table[] = {plot->empty ? 0 : 4, 3}, rows[] = {2, 3};
    clnd_tensor whole, part = {0};
    if (plot->slice) {
        check_status(clnd_slice_parse(plot->slice, &s->slice), CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, dtype, 2, table, &whole), CLND_OK);
        check_status(clnd_strided_slice_shape(&whole, &s->slice, &part), CLND_OK);
    }
    if (gathers(plot->op)) {
        make_array(s, "params", dtype, 2, table);
        make_indices(s);
        make_array(s, "out", dtype, 2, plot->whole ? table : rows);
    } else if (scatters(plot->op)) {
        make_indices(s);
        make_array(s, "updates", dtype, 2, rows);
        make_array(s, "target", dtype, 2, table);
    } else if (plot->op == STRIDED_SLICE || plot->op == STRIDED_SLICE_ASSIGN) {
        make_array(s, "whole", dtype, 2, table);
        make_array(s, "part", dtype, part.rank, part.shape);
    } else if (plot->op == STRIDED_SLICE_GRAD) {
        make_array(s, "part", dtype, part.rank, part.shape);
        make_array(s, "whole", dtype, 2, table);
    } else {
        make_array(s, "source", dtype, 2, table);
        make_array(s, "target", dtype, 2, table);
    }
    s->output = plot->op == STRIDED_SLICE_ASSIGN ? 0 : s->n - 1;
}

// What the op makes of the images.
static void compute(scene *s)
{
    const scene_plot *plot = s->plot;
    const ref_array *a[3];
    for (int i = 0; i < 3; i++)
        a[i] = &s->arrays[i].image.host;
    const clnd_bounds bounds = device_bounds(s->d, plot->bounds);
    ref_scatter_options how = {plot->reduce, bounds, plot->deterministic, NULL};
    if (!how.reduce)
        how.reduce = plot->op == SCATTER_ND ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
    static const unsigned char zero[16];
    switch (plot->op) {
    case GATHER_ND:
        ref_gather_nd(a[0], a[1], a[2], 0, bounds, zero);
        break;
    case GATHER:
        ref_gather(a[0], a[1], a[2], 0, 0, bounds, zero);
        break;
    case GATHER_ELEMENTS:
        ref_gather_elements(a[0], a[1], a[2], 0, bounds, zero);
        break;
    case SCATTER_ND:
        ref_scatter_nd(a[0], a[1], a[2], &how);
        break;
    case SCATTER_ND_INTO:
        ref_scatter_nd_into(a[0], a[1], a[2], &how);
        break;
    case SCATTER:
        ref_scatter(a[0], a[1], a[2], 0, 0, &how);
        break;
    case SCATTER_ELEMENTS:
        ref_scatter_elements(a[0], a[1], a[2], 0, &how);
        break;
    case STRIDED_SLICE:
        ref_strided_slice(a[0], &s->slice, a[1]);
        break;
    case STRIDED_SLICE_ASSIGN:
        ref_strided_slice_assign(a[0], &s->slice, a[1]);
        break;
    case STRIDED_SLICE_GRAD:
        ref_strided_slice_grad(a[0], &s->slice, a[1]);
        break;
    default:
        ref_copy(a[0], a[1]);
    }
}

static unsigned char *copy_of(const placed *p)
{
    unsigned char *bytes = malloc(p->bytes + 1);
    check(bytes, "out of memory");
    memcpy(bytes, p->host.data, p->bytes);
    return bytes;
}

// Options ----------------------------------------------------------------------------------------

static void set_options(scene *s)
{
    static const unsigned char zero[16];
    const scene_plot *p = s->plot;
    const clnd_workspace *workspace = p->lends ? &s->workspace : NULL;
    switch (p->op) {
    case GATHER_ND:
        s->options.gather_nd =
            (clnd_gather_nd_options){.bounds = p->bounds, .fill = zero, .report = s->report};
        break;
    case GATHER:
        s->options.gather =
            (clnd_gather_options){.bounds = p->bounds, .fill = zero, .report = s->report};
        break;
    case GATHER_ELEMENTS:
        s->options.gather_elements =
            (clnd_gather_elements_options){.bounds = p->bounds, .fill = zero, .report = s->report};
        break;
    case SCATTER_ND:
    case SCATTER_ND_INTO:
        s->options.scatter_nd = (clnd_scatter_nd_options){.reduce = p->reduce,
                                                          .bounds = p->bounds,
                                                          .deterministic = p->deterministic,
                                                          .workspace = workspace,
                                                          .report = s->report};
        break;
    case SCATTER:
        s->options.scatter = (clnd_scatter_options){.reduce = p->reduce,
                                                    .bounds = p->bounds,
                                                    .deterministic = p->deterministic,
                                                    .workspace = workspace,
                                                    .report = s->report};
        break;
    case SCATTER_ELEMENTS:
        s->options.scatter_elements =
            (clnd_scatter_elements_options){.reduce = p->reduce,
                                            .bounds = p->bounds,
                                            .deterministic = p->deterministic,
                                            .workspace = workspace,
                                            .report = s->report};
        break;
    case COPY:
        s->options.copy = (clnd_copy_options){.reserved = {0}};
        break;
    default:
        s->options.slice = (clnd_strided_slice_options){.reserved = {0}};
    }
}

void scene_make(scene *s, const scene_plot *plot, const device *d, clnd_engine *engine)
{
    cl_int code;
    *s = (scene){.plot = plot, .d = d, .engine = engine};
    case_note("%s", plot->name);
    make_arrays(s);
    placed *out = &s->arrays[s->output].image;
    s->before = copy_of(out);
    compute(s);
    s->after = copy_of(out);
    check(plot->empty || memcmp(s->before, s->after, out->bytes) != 0, "it changes nothing");
    memcpy(out->host.data, s->before, out->bytes);
    for (int i = 0; i < s->n; i++) {
        placed_upload(&s->arrays[i].image, d);
        hosted_lay(&s->arrays[i]);
    }
    if (plot->own_queue)
        s->queue = device_new_queue(d, false);
    if (plot->lends) {
        s->workspace = (clnd_workspace){.size = 1 << 16};
        s->workspace.buffer =
            clCreateBuffer(d->context, CL_MEM_READ_WRITE, s->workspace.size, NULL, &code);
        check_cl(code);
    }
    opencl_enter();
    if (plot->reports)
        check_status(clnd_report_create(engine, &s->report), CLND_OK);
    opencl_leave();
    if (plot->waits) {
        s->gate = clCreateUserEvent(d->context, &code);
        check_cl(code);
        check_cl(clSetUserEventStatus(s->gate, CL_COMPLETE));
    }
    set_options(s);
}

void scene_free(scene *s)
{
    opencl_enter();
    clnd_report_destroy(&s->report);
    opencl_leave();
    if (s->queue)
        check_cl(clReleaseCommandQueue(s->queue));
    if (s->gate)
        check_cl(clReleaseEvent(s->gate));
    if (s->workspace.buffer)
        check_cl(clReleaseMemObject(s->workspace.buffer));
    for (int i = 0; i < s->n; i++)
        hosted_free(&s->arrays[i]);
    free(s->before);
    free(s->after);
}

// Calls ------------------------------------------------------------------------------------------

// X(identifier, op, operands...)
#define THREE(X, id, op) X(id, op, t[0], t[1], t[2])
#define OPS(X)                                                                                     \
    THREE(X, GATHER_ND, gather_nd)                                                                 \
    THREE(X, GATHER, gather)                                                                       \
    THREE(X, GATHER_ELEMENTS, gather_elements)                                                     \
    THREE(X, SCATTER_ND, scatter_nd)                                                               \
    THREE(X, SCATTER_ND_INTO, scatter_nd_into)                                                     \
    THREE(X, SCATTER_ELEMENTS, scatter_elements)                                                   \
    THREE(X, SCATTER, scatter)                                                                     \
    X(STRIDED_SLICE, strided_slice, t[0], &s->slice, t[1])                                         \
    X(STRIDED_SLICE_ASSIGN, strided_slice_assign, t[1], &s->slice, t[0])                           \
    X(STRIDED_SLICE_GRAD, strided_slice_grad, t[0], &s->slice, t[1])                               \
    X(COPY, copy, t[0], t[1])

static clnd_status call_tensors(scene *s, const clnd_tensor *const *t, cl_event *event)
{
    const void *options = &s->options;
    const cl_uint n_wait = s->gate ? 1 : 0;
    const cl_event *wait = s->gate ? &s->gate : NULL;
    switch (s->plot->op) {
#define CASE(id, op, ...)                                                                          \
    case id:                                                                                       \
        return clnd_##op(s->engine, s->queue, __VA_ARGS__, options, n_wait, wait, event);
        OPS(CASE)
#undef CASE
    default:
        return CLND_INTERNAL;
    }
}

static clnd_status call_plan(scene *s, const clnd_tensor *const *t, clnd_plan *plan)
{
    const void *options = &s->options;
    switch (s->plot->op) {
#define CASE(id, op, ...)                                                                          \
    case id:                                                                                       \
        return clnd_##op##_plan(s->engine, __VA_ARGS__, options, plan);
        OPS(CASE)
#undef CASE
    default:
        return CLND_INTERNAL;
    }
}

// Into the library, whose engine takes the plot's words meanwhile.
static void enter(const scene *s)
{
    clnd__engine_replace_words(s->plot->strategy);
    opencl_enter();
}

static void leave(void)
{
    opencl_leave();
    clnd__engine_replace_words(NULL);
}

static void find_tensors(const scene *s, const clnd_tensor **tensors)
{
    for (int i = 0; i < s->n; i++)
        tensors[i] = &s->arrays[i].image.tensor;
}

clnd_status scene_begin(scene *s, cl_event *event)
{
    const clnd_tensor *tensors[CLND__MAX_ARRAYS];
    find_tensors(s, tensors);
    enter(s);
    const clnd_status status = call_tensors(s, tensors, event);
    leave();
    return status;
}

static clnd_status play_on_device(scene *s)
{
    static char somewhere;
    cl_event event = (cl_event)(void *)&somewhere;
    const clnd_status status = scene_begin(s, &event);
    const opencl_log log = opencl;
    opencl_begin();
    check((event == NULL) == (status != CLND_OK), "*event is %s",
          event ? "not NULL although the call failed" : "NULL although the call succeeded");
    if (event) {
        check_cl(clFlush(s->queue ? s->queue : clnd_engine_queue(s->engine)));
        check_cl(clWaitForEvents(1, &event));
        check_cl(clReleaseEvent(event));
    }
    opencl = log;
    return status;
}

static clnd_status play_on_arrays(scene *s)
{
    const clnd_array *arrays[CLND__MAX_ARRAYS];
    for (int i = 0; i < s->n; i++)
        arrays[i] = &s->arrays[i].array;
    enter(s);
    const clnd_status status =
        hosted_call(s->engine, s->plot->op, s->plot->way == BY_COPIES ? COPIED : PUBLIC, arrays,
                    s->plot->slice ? &s->slice : NULL, &s->options);
    leave();
    return status;
}

clnd_status scene_play(scene *s)
{
    return s->plot->way == ON_DEVICE ? play_on_device(s) : play_on_arrays(s);
}

clnd_status scene_plan(scene *s, clnd_plan *plan)
{
    const clnd_tensor *tensors[CLND__MAX_ARRAYS];
    find_tensors(s, tensors);
    enter(s);
    const clnd_status status = call_plan(s, tensors, plan);
    leave();
    return status;
}

// Results ----------------------------------------------------------------------------------------

static bool is_all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static bool is_mixture(const scene *s, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != s->before[i] && bytes[i] != s->after[i] && bytes[i] != 0)
            return false;
    return true;
}

void scene_check(scene *s, scene_output expected)
{
    hosted *out = &s->arrays[s->output];
    placed *image = &out->image;
    unsigned char *bytes;
    if (s->plot->way == ON_DEVICE) {
        if (s->queue)
            check_cl(clFinish(s->queue));
        check_cl(clFinish(clnd_engine_queue(s->engine)));
        bytes = placed_read(image, s->d);
    } else {
        bytes = malloc(image->bytes + 1);
        check(bytes, "out of memory");
        if (out->memory)
            memcpy(bytes, out->memory, image->bytes);
    }
    const bool zero_is_fine = expected == IS_BEFORE_OR_ZERO && is_all(bytes, image->bytes, 0);
    if (expected == IS_ANYTHING) {
        check(is_mixture(s, bytes, image->bytes), "the output is neither old nor new");
    } else if (!zero_is_fine) {
        memcpy(image->host.data, expected == IS_AFTER ? s->after : s->before, image->bytes);
        placed_compare(image, bytes, EQUAL_BITS, NULL);
    }
    free(bytes);
    memcpy(image->host.data, s->before, image->bytes);
    placed_upload(image, s->d);
    if (out->memory)
        memcpy(out->memory, s->before, image->bytes);
}

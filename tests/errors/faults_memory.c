// SPDX-License-Identifier: Apache-2.0
//
// Faults in strides, sizes, buffers, queues, events and index values.

#include <string.h>

#include "faults.h"

// An engine with a context of its own; opened once a process.
static clnd_engine *other_engine(void)
{
    static clnd_engine *other;
    if (!other)
        check_status(clnd_engine_open(NULL, NULL, &other), CLND_OK);
    return other;
}

// Strides, sizes, buffers ------------------------------------------------------------------------

static void broadcast_out(call *c)
{
    c->out.strides[0] = 0;
}
static void interlocked_out(call *c)
{
    c->out.strides[0] = 2; // below the 3 elements of a row
}
static void huge_stride(call *c)
{
    c->in.strides[0] = INT64_MAX;
}
static void huge_offset(call *c)
{
    c->in.offset = SIZE_MAX - 2;
}
static void huge_shape(call *c)
{
    // an empty tensor's sizes are never multiplied; these are
    c->in.rank = c->out.rank = 4;
    for (int d = 0; d < 4; d++) {
        c->in.shape[d] = c->out.shape[d] = INT64_C(1) << 20;
        c->in.strides[d] = c->out.strides[d] = INT64_C(1) << (60 - 20 * d);
    }
    c->out.strides[0] = INT64_MAX;
    check_status(clnd_slice_parse("", &c->slice), CLND_OK);
}
static void no_buffer(call *c)
{
    c->in.buffer = NULL;
}
static void no_index_buffer(call *c)
{
    c->indices.buffer = NULL;
}
static void foreign_buffer(call *c)
{
    cl_int code;
    c->extra_buffer =
        clCreateBuffer(clnd_engine_context(other_engine()), CL_MEM_READ_WRITE, 4096, NULL, &code);
    check_cl(code);
    c->in.buffer = c->extra_buffer;
}
static void image_for_buffer(call *c)
{
    cl_int code;
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    c->extra_buffer = clCreateImage(c->d->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    if (code == CL_SUCCESS)
        c->in.buffer = c->extra_buffer;
    else
        c->in.buffer = NULL; // a device without images: the same status
}
static void small_buffer(call *c)
{
    c->in.offset = 28;
}
static void small_index_buffer(call *c)
{
    c->indices.strides[0] = 20;
}
static void before_the_buffer(call *c)
{
    c->in.strides[1] = -30;
}
static void small_out(call *c)
{
    c->out.offset = 1;
}
static void misaligned_indices(call *c)
{
    cl_int code;
    c->extra_buffer = clCreateBuffer(c->d->context, CL_MEM_READ_WRITE, 64, NULL, &code);
    check_cl(code);
    c->indices.buffer = c->extra_buffer;
    c->indices.offset = 2;
}
static void misaligned_updates(call *c)
{
    cl_int code;
    c->extra_buffer = clCreateBuffer(c->d->context, CL_MEM_READ_WRITE, 64, NULL, &code);
    check_cl(code);
    c->in.buffer = c->extra_buffer;
    c->in.offset = 6;
}
static void out_is_in(call *c)
{
    c->out.buffer = c->in.buffer;
    if (c->op == INTO || c->op == SCATTER) { // the target is larger than the updates
        c->out = c->memory[2].tensor;
        c->in.buffer = c->out.buffer;
        c->in.offset = 24;
    }
}
static void out_is_indices(call *c)
{
    c->indices.buffer = c->out.buffer;
}

// Queues, device, indices ------------------------------------------------------------------------

static void foreign_queue(call *c)
{
    cl_int code;
    c->extra_queue = clCreateCommandQueue(clnd_engine_context(other_engine()), c->d->id, 0, &code);
    check_cl(code);
    c->queue = c->extra_queue;
}
static void no_queue(call *c)
{
    static clnd_engine *without_queue;
    if (!without_queue)
        check_status(clnd_engine_create(c->d->context, c->d->id, NULL, &without_queue), CLND_OK);
    c->engine = without_queue;
}
static void put_index(call *c, int32_t value)
{
    placed *p = &c->memory[1];
    memcpy(p->host.data + 4, &value, sizeof value);
    placed_upload(p, c->d);
}
static void bad_index(call *c)
{
    put_index(c, 4);
}
static void negative_index(call *c)
{
    put_index(c, -1);
}
static void bad_index_under_wrap(call *c)
{
    c->gather.bounds = c->scatter.bounds = CLND_BOUNDS_WRAP;
    put_index(c, -5);
}
static void wait_for_event(call *c, cl_context context, cl_int status)
{
    cl_int code;
    c->extra_event = clCreateUserEvent(context, &code);
    check_cl(code);
    check_cl(clSetUserEventStatus(c->extra_event, status));
    c->n_wait = 1;
    c->wait = &c->extra_event;
}
static void foreign_event(call *c)
{
    wait_for_event(c, clnd_engine_context(other_engine()), CL_COMPLETE);
}
static void failed_event(call *c)
{
    wait_for_event(c, c->d->context, -77);
}
static void null_event(call *c)
{
    static const cl_event none;
    c->n_wait = 1;
    c->wait = &none;
}

// clang-format off
const fault memory_faults[] = {
    {CLND_INVALID_STRIDES, "broadcast output", ON_ALL, STRIDES, true, broadcast_out,
     {"[0, 1]", "share memory"}},
    {CLND_INVALID_STRIDES, "rows that overlap", ON_ALL, STRIDES, true, interlocked_out,
     {"[2, 1]", "share memory"}},
    {CLND_SIZE_OVERFLOW, "stride", ON_ALL, OVERFLOW_, true, huge_stride,
     {"9223372036854775807", "63 bits"}},
    {CLND_SIZE_OVERFLOW, "offset", ON_ALL, OVERFLOW_, true, huge_offset,
     {"18446744073709551613", "63 bits"}},
    {CLND_SIZE_OVERFLOW, "shape", ON_SLICE | ON_COPY, OVERFLOW_, false, huge_shape,
     {"1048576", "63 bits"}},
    {CLND_INVALID_BUFFER, "NULL", ON_ALL, BUFFERS, true, no_buffer, {"buffer is NULL"}},
    {CLND_INVALID_BUFFER, "NULL indices", ON_INDEXED, BUFFERS, true, no_index_buffer,
     {"indices", "buffer is NULL"}},
    {CLND_INVALID_BUFFER, "other context", ON_ALL, BUFFERS, true, foreign_buffer,
     {"another context"}},
    {CLND_INVALID_BUFFER, "image", ON_ALL, BUFFERS, true, image_for_buffer, {"buffer"}},
    {CLND_BUFFER_TOO_SMALL, "offset", ON_ALL, BUFFERS, true, small_buffer, {"bytes"}},
    {CLND_BUFFER_TOO_SMALL, "indices", ON_INDEXED, BUFFERS, true, small_index_buffer,
     {"indices", "84 bytes", "8"}},
    {CLND_BUFFER_TOO_SMALL, "before byte 0", ON_ALL, BUFFERS, true, before_the_buffer,
     {"240 bytes before"}},
    {CLND_BUFFER_TOO_SMALL, "output", ON_ALL, BUFFERS, false, small_out, {"bytes"}},
    {CLND_MISALIGNED, "indices", ON_INDEXED, BUFFERS, false, misaligned_indices,
     {"indices", "int32", "byte 2", "4"}},
    {CLND_MISALIGNED, "updates of a sum", ON_SCATTERS, BUFFERS, false, misaligned_updates,
     {"updates", "float32", "byte 6", "4"}},
    {CLND_OVERLAP, "output and input", ON_ALL, OVERLAP, true, out_is_in, {"overlap", "bytes"}},
    {CLND_OVERLAP, "output and indices", ON_INDEXED, OVERLAP, true, out_is_indices,
     {"overlap", "indices", "bytes"}},
    {CLND_INVALID_QUEUE, "other context", ON_ALL, CAPABILITY, true, foreign_queue,
     {"queue", "context"}},
    {CLND_INVALID_QUEUE, "none", ON_ALL, CAPABILITY, true, no_queue, {"queue is NULL"}},
    {CLND_INVALID_EVENT, "event of another context", ON_ALL, CAPABILITY, true, foreign_event,
     {"wait[0]", "another context"}},
    {CLND_INVALID_EVENT, "NULL", ON_ALL, CAPABILITY, true, null_event, {"wait[0] is NULL"}},
    {CLND_WAIT_FAILED, "failed event", ON_ALL, CAPABILITY, true, failed_event,
     {"wait[0] has failed with -77"}},
    {CLND_INDEX_OUT_OF_BOUNDS, "past the end", ON_INDEXED, INDICES, true, bad_index,
     {"indices[1] = [4] does not index into", "shape [4, 3]"}},
    {CLND_INDEX_OUT_OF_BOUNDS, "negative", ON_INDEXED, INDICES, true, negative_index,
     {"indices[1] = [-1] does not index into", "shape [4, 3]"}},
    {CLND_INDEX_OUT_OF_BOUNDS, "wrap", ON_INDEXED, INDICES, false, bad_index_under_wrap,
     {"indices[1] = [-5]"}},
};
// clang-format on
const int n_memory_faults = sizeof memory_faults / sizeof *memory_faults;

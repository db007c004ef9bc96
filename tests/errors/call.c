// SPDX-License-Identifier: Apache-2.0

#include "call.h"

#include <ctype.h>
#include <string.h>

#include "text.h"

const char *const call_names[N_OPS] = {"gather_nd", "scatter_nd", "scatter_nd_into",
                                       "strided_slice", "copy"};

void call_make(call *c, const device *d, op_id op)
{
    rng *r = case_rng();
    memset(c, 0, sizeof *c);
    c->d = d;
    c->op = op;
    c->engine = d->engine;
    bool scatters = op == SCATTER || op == INTO;
    const char *large = "4,3", *small = "2,3";
    text_space(&c->memory[0], "in", r, CLND_FLOAT32, op == GATHER || op == SLICE ? large : small);
    text_tensor(&c->memory[1], "indices", r, CLND_INT32, "2,1: 1 3");
    text_space(&c->memory[2], "out", r, CLND_FLOAT32, scatters ? large : small);
    for (int i = 0; i < 3; i++)
        placed_upload(&c->memory[i], d);
    c->in = c->memory[0].tensor;
    c->indices = c->memory[1].tensor;
    c->out = c->memory[2].tensor;
    c->in_arg = &c->in;
    c->indices_arg = &c->indices;
    c->out_arg = &c->out;
    c->slice_arg = &c->slice;
    check_status(clnd_slice_parse("1:3", &c->slice), CLND_OK);
    c->gather.bounds = c->scatter.bounds = CLND_BOUNDS_ERROR;
    c->scatter.reduce = CLND_REDUCE_ADD;
}

clnd_status call_run(call *c, cl_event *event)
{
    switch (c->op) {
    case GATHER:
        return clnd_gather_nd(c->engine, c->queue, c->in_arg, c->indices_arg, c->out_arg,
                              &c->gather, c->n_wait, c->wait, event);
    case SCATTER:
        return clnd_scatter_nd(c->engine, c->queue, c->indices_arg, c->in_arg, c->out_arg,
                               &c->scatter, c->n_wait, c->wait, event);
    case INTO:
        return clnd_scatter_nd_into(c->engine, c->queue, c->indices_arg, c->in_arg, c->out_arg,
                                    &c->scatter, c->n_wait, c->wait, event);
    case SLICE:
        return clnd_strided_slice(c->engine, c->queue, c->in_arg, c->slice_arg, c->out_arg,
                                  &c->slicing, c->n_wait, c->wait, event);
    default:
        return clnd_copy(c->engine, c->queue, c->in_arg, c->out_arg, &c->copying, c->n_wait,
                         c->wait, event);
    }
}

void call_check_refused(call *c, clnd_status status)
{
    static char somewhere;
    cl_event event = (cl_event)(void *)&somewhere;
    clnd_status got = call_run(c, &event);
    const char *text = clnd_last_error();
    check(got == status, "gave %s (%s), expected %s", clnd_status_name(got), text,
          clnd_status_name(status));
    check(event == NULL, "*event is not NULL");
    size_t length = strlen(call_names[c->op]);
    check(strncmp(text, call_names[c->op], length) == 0 && strncmp(text + length, ": ", 2) == 0,
          "\"%s\" does not begin with \"%s: \"", text, call_names[c->op]);
    check(strlen(text) > length + 10 && strlen(text) < 1000, "\"%s\" is no sentence", text);
    for (const char *at = text; *at; at++)
        check(isprint((unsigned char)*at), "\"%s\" has a control character", text);
    check((clnd_last_error_code() != 0) == (status == CLND_WAIT_FAILED) ||
              status == CLND_INVALID_BUFFER || status == CLND_INVALID_QUEUE,
          "OpenCL code %d", (int)clnd_last_error_code());
    if (c->queue == NULL || c->queue == c->d->queue)
        check_cl(clFinish(c->d->queue));
    const bool written = c->op == GATHER && status == CLND_INDEX_OUT_OF_BOUNDS;
    for (int i = 0; i < 3; i++)
        placed_check(&c->memory[i], c->d, i == 2 && written ? EQUAL_AROUND : EQUAL_BITS, NULL);
}

void call_free(call *c)
{
    for (int i = 0; i < 3; i++)
        placed_free(&c->memory[i]);
    if (c->extra_buffer)
        check_cl(clReleaseMemObject(c->extra_buffer));
    if (c->extra_queue)
        check_cl(clReleaseCommandQueue(c->extra_queue));
    if (c->extra_event)
        check_cl(clReleaseEvent(c->extra_event));
}

void call_force(call *c, const char *words)
{
    c->engine = device_with(c->d, words)->engine;
    if (!c->queue)
        c->queue = c->d->queue;
}

void call_set_reserved(call *c, int field)
{
    c->gather.reserved[field] = c->scatter.reserved[field] = 5;
    c->slicing.reserved[field] = c->copying.reserved[field] = 5;
}

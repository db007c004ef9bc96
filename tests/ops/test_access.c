// SPDX-License-Identifier: Apache-2.0
//
// Flags of buffers: what an op reads is not write-only, what it writes not read-only.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "problem.h"

enum { SEED = 18, PROBLEMS = 2, BASE = 4096 }; // bytes; no device aligns sub-buffers to more

enum { INPUT, INDICES, OUT, N_TENSORS };

// As messages have them, in that order.
static const char *const names[N_OPS][N_TENSORS] = {
    [OP_GATHER_ND] = {"params", "indices", "out"},
    [OP_GATHER] = {"params", "indices", "out"},
    [OP_GATHER_ELEMENTS] = {"params", "indices", "out"},
    [OP_SCATTER_ND] = {"updates", "indices", "out"},
    [OP_SCATTER_ND_INTO] = {"updates", "indices", "target"},
    [OP_SCATTER_ELEMENTS] = {"updates", "indices", "target"},
    [OP_SCATTER] = {"updates", "indices", "target"},
    [OP_STRIDED_SLICE] = {"input", NULL, "out"},
    [OP_STRIDED_SLICE_VIEW] = {"source", NULL, "target"}, // moved by copy
    [OP_STRIDED_SLICE_ASSIGN] = {"value", NULL, "target"},
    [OP_STRIDED_SLICE_GRAD] = {"dy", NULL, "dx"},
    [OP_COPY] = {"source", NULL, "target"},
};

// A buffer with these flags and the tensor's bytes; or a part of one, which has its flags from it.
static cl_mem flagged(const device *d, const placed *p, cl_mem_flags flags, bool part)
{
    cl_int code;
    const size_t before = part ? BASE : 0;
    const cl_buffer_region region = {before, p->bytes};
    cl_mem whole = clCreateBuffer(d->context, flags, before + p->bytes, NULL, &code);
    check_cl(code);
    check_cl(clEnqueueWriteBuffer(d->queue, whole, CL_TRUE, before, p->bytes, p->host.data, 0, NULL,
                                  NULL));
    check_cl(clFinish(d->queue));
    if (!part)
        return whole;
    cl_mem buffer = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check_cl(code);
    check_cl(clReleaseMemObject(whole));
    return buffer;
}

static void give(problem *p)
{
    p->given_input = p->input.tensor;
    p->given_indices = p->indices.tensor;
    p->given_out = p->out.tensor;
    p->given_bounds = p->bounds;
}

static clnd_status call(problem *p, const device *d)
{
    launch l;
    launch_pick(&l, d, case_rng());
    const clnd_status status = problem_call(p, d, &l);
    launch_finish(&l, d, status);
    return status;
}

static void refuse(problem *p, const device *d, int tensor, cl_mem_flags flags, bool part)
{
    char message[128];
    placed *tensors[] = {&p->input, &p->indices, &p->out};
    placed *one = tensors[tensor];
    const cl_mem own = one->tensor.buffer;
    const bool written = flags == CL_MEM_READ_ONLY;
    case_note("%s, %s%s", op_names[p->op], names[p->op][tensor], part ? ", part" : "");
    one->tensor.buffer = flagged(d, one, flags, part);
    give(p);
    snprintf(message, sizeof message, ": %s is %s, but its buffer is CL_MEM_%s_ONLY",
             names[p->op][tensor], written ? "written" : "read", written ? "READ" : "WRITE");
    check_status(problem_plan(p, d, &p->plan), CLND_INVALID_BUFFER);
    check_message(message);
    check_status(call(p, d), CLND_INVALID_BUFFER);
    check_message(message);
    placed_check(one, d, EQUAL_BITS, NULL);
    check_cl(clReleaseMemObject(one->tensor.buffer));
    one->tensor.buffer = own;
    placed_check(&p->out, d, EQUAL_BITS, NULL);
}

static void accept(problem *p, const device *d, bool part)
{
    placed *tensors[] = {&p->input, &p->indices, &p->out};
    case_note("%s%s", op_names[p->op], part ? ", parts" : "");
    for (int i = 0; i < N_TENSORS; i++) {
        if (!names[p->op][i])
            continue;
        const cl_mem_flags flags = i != OUT               ? CL_MEM_READ_ONLY
                                   : op_is_scatter(p->op) ? CL_MEM_READ_WRITE
                                                          : CL_MEM_WRITE_ONLY;
        check_cl(clReleaseMemObject(tensors[i]->tensor.buffer));
        tensors[i]->tensor.buffer = flagged(d, tensors[i], flags, part);
    }
    give(p);
    check_status(problem_plan(p, d, &p->plan), CLND_OK);
    problem_judge(p, d, call(p, d));
}

static bool has_elements(const placed *p)
{
    return ref_count(p->host.rank, p->host.shape) > 0;
}

// Draws the problem; false: it is of another op, or does not read and write all its tensors.
static bool draw(problem *p, const device *d, op_id op, uint64_t number)
{
    rng r;
    if (problem_op(SEED, number) != op)
        return false;
    problem_draw(p, SEED, number, &r);
    case_begin("access", (int)number);
    p->must = false;
    p->forced[0] = '\0';
    problem_make(p, d, &r);
    give(p);
    return has_elements(&p->input) && has_elements(&p->out) &&
           (!op_has_indices(op) || has_elements(&p->indices)) &&
           problem_plan(p, d, &p->plan) == CLND_OK && !plan_takes(&p->plan, "none");
}

static void run(problem *p, const device *d)
{
    placed_upload(&p->input, d);
    placed_upload(&p->out, d);
    if (op_has_indices(p->op))
        placed_upload(&p->indices, d);
    for (int part = 0; part < 2; part++) {
        refuse(p, d, INPUT, CL_MEM_WRITE_ONLY, part);
        refuse(p, d, OUT, CL_MEM_READ_ONLY, part);
        if (op_has_indices(p->op))
            refuse(p, d, INDICES, CL_MEM_WRITE_ONLY, part);
        if (op_is_scatter(p->op))
            refuse(p, d, OUT, CL_MEM_WRITE_ONLY, part);
    }
}

Test(access, flags_of_buffers)
{
    static problem p;
    const device *d = device_get();
    for (op_id op = 0; op < N_OPS; op++) {
        uint64_t number = 0;
        for (int drawn = 0; drawn < PROBLEMS; number++) {
            if (draw(&p, d, op, number)) {
                run(&p, d);
                accept(&p, d, drawn % 2);
                drawn++;
            }
            placed_free(&p.input);
            placed_free(&p.indices);
            placed_free(&p.out);
            free(p.fill);
            memset(&p, 0, sizeof p);
        }
    }
}

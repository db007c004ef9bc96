// SPDX-License-Identifier: Apache-2.0
//
// Workspaces on huge pages of the library's own: what is there, what comes in their place, and that
// they are freed once, when no command uses them any more.

#include <criterion/criterion.h>
#include <time.h>

#include "attempt.h"
#include "host/base/alloc.h"
#include "host/cl/scratch.h"
#include "memory.h"
#include "scene.h"

static clnd__scratch take(const device *d, clnd__spare_scratch *spare, size_t size)
{
    clnd__scratch scratch = {.size = 0};
    opencl_enter();
    check(clnd__scratch_take(spare, d->context, size, &scratch) == CL_SUCCESS, "no memory");
    opencl_leave();
    check(scratch.memory && scratch.size >= size, "%zu bytes of %zu", scratch.size, size);
    return scratch;
}

static void give(clnd__spare_scratch *spare, clnd__scratch scratch, bool known, cl_event used)
{
    opencl_enter();
    clnd__scratch_return(spare, scratch, known, used);
    opencl_leave();
}

static void close_spare(clnd__spare_scratch *spare, const holdings *before)
{
    opencl_enter();
    clnd__spare_scratch_close(spare);
    opencl_leave();
    check(!spare->scratch.memory && !spare->used, "something is left");
    holdings_check(before);
}

static cl_event new_event(const device *d)
{
    cl_int code;
    const cl_event event = clCreateUserEvent(d->context, &code);
    check_cl(code);
    return event;
}

#define LARGE (CLND__HUGE_SCRATCH + 1000)

// OpenCL may delete a buffer, and free its memory, in a thread of its own.
static void check_freed(int before)
{
    const struct timespec moment = {.tv_nsec = 1000 * 1000};
    for (int i = 0; i < 5000 && memory_count() > before; i++)
        nanosleep(&moment, NULL);
    check(memory_count() == before, "%d blocks of memory, not %d", memory_count(), before);
}

Test(faults_huge_pages, large_memory_is_on_huge_pages)
{
    const device *d = device_get();
    case_begin("large scratch", 0);
    const holdings before = holdings_now();
    clnd__spare_scratch spare = {.huge_pages = true};
    opencl_begin();
    const clnd__scratch small = take(d, &spare, CLND__HUGE_SCRATCH - 1);
    check(opencl.buffers[0].flags == CL_MEM_READ_WRITE && !opencl.buffers[0].host,
          "small memory is not the driver's");
    const clnd__scratch large = take(d, &spare, LARGE);
    check(opencl.n_buffers == 2 && memory_count() == before.memory + 1, "%d buffers",
          opencl.n_buffers);
    check(opencl.buffers[1].flags == (CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR) &&
              (uintptr_t)opencl.buffers[1].host % CLND__HUGE_PAGE == 0,
          "large memory is at %p", opencl.buffers[1].host);
    give(&spare, small, true, NULL);
    give(&spare, large, true, NULL);
    check(spare.scratch.memory == large.memory, "it is not kept");
    const clnd__scratch again = take(d, &spare, LARGE);
    check(again.memory == large.memory && spare.huge_pages, "it is not taken");
    give(&spare, again, true, NULL);
    close_spare(&spare, &before);
    check_freed(before.memory);
}

// What cannot be had becomes memory of the driver's.
Test(faults_huge_pages, no_huge_pages)
{
    const device *d = device_get();
    for (int i = 0; i < 3; i++) {
        case_begin("no huge pages", i);
        const holdings before = holdings_now();
        clnd__spare_scratch spare = {.huge_pages = true};
        opencl_begin();
        if (i == 0)
            memory_fail(0);
        else if (i == 1)
            opencl_fail(OPENCL_CreateBuffer, 0, true, CL_INVALID_HOST_PTR);
        else
            opencl_fail(OPENCL_SetMemObjectDestructorCallback, 0, false, CL_OUT_OF_HOST_MEMORY);
        const clnd__scratch scratch = take(d, &spare, LARGE);
        check(i > 0 ? opencl.failed != OPENCL_NONE : memory_has_failed(), "nothing has failed");
        memory_fail(-1);
        const int last = opencl.n_buffers - 1;
        check(last == (i == 2) && !opencl.buffers[last].host, "%d buffers", opencl.n_buffers);
        check(memory_count() == before.memory, "memory is left over");
        opencl_begin();
        give(&spare, scratch, true, NULL);
        close_spare(&spare, &before);
    }
}

Test(faults_huge_pages, huge_pages_outlive_commands)
{
    const device *d = device_get();
    const cl_int pattern = 1;
    for (int i = 0; i < 2; i++) {
        case_begin("large scratch under way", i);
        const holdings before = holdings_now();
        clnd__spare_scratch spare = {.huge_pages = true};
        cl_event gate = new_event(d), filled;
        const cl_command_queue queue = device_new_queue(d, false);
        const clnd__scratch scratch = take(d, &spare, LARGE);
        check_cl(clEnqueueFillBuffer(queue, scratch.memory, &pattern, sizeof pattern, 0, LARGE, 1,
                                     &gate, &filled));
        check_cl(clFlush(queue));
        give(&spare, scratch, i == 0, filled);
        opencl_enter();
        clnd__spare_scratch_close(&spare);
        opencl_leave();
        check(memory_count() == before.memory + 1, "the command has no memory");
        check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
        check_cl(clFinish(queue));
        check_cl(clReleaseEvent(filled));
        check_cl(clReleaseEvent(gate));
        check_cl(clReleaseCommandQueue(queue));
        check_freed(before.memory);
        holdings_check(&before);
    }
}

// Sums in private copies of a target of 8 MiB: each element is the target of two rows.
enum { PLACES = 1 << 21, ROWS = 2 * PLACES };

typedef struct sums {
    cl_mem buffers[3]; // rows, updates, target
    clnd_tensor tensors[3];
} sums;

static void make_sums(const device *d, sums *s)
{
    static int32_t rows[ROWS];
    static float ones[ROWS], zeros[PLACES];
    for (int i = 0; i < ROWS; i++) {
        rows[i] = i % PLACES;
        ones[i] = 1;
    }
    const void *content[] = {rows, ones, zeros};
    const int64_t counts[] = {ROWS, ROWS, PLACES};
    for (int i = 0; i < 3; i++) {
        cl_int code;
        s->buffers[i] = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, 4 * (size_t)counts[i],
                                       (void *)(uintptr_t)content[i], &code);
        check_cl(code);
        check_status(clnd_tensor_dense(s->buffers[i], 0, i ? CLND_FLOAT32 : CLND_INT32, i ? 1 : 2,
                                       (int64_t[]){counts[i], 1}, &s->tensors[i]),
                     CLND_OK);
    }
}

static void check_and_free_sums(cl_command_queue queue, sums *s, float expected)
{
    static float target[PLACES];
    check_cl(clEnqueueReadBuffer(queue, s->buffers[2], CL_TRUE, 0, sizeof target, target, 0, NULL,
                                 NULL));
    for (int i = 0; i < PLACES; i++)
        check(target[i] == expected, "target[%d] is %g", i, (double)target[i]);
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(s->buffers[i]));
}

// A call whose commands wait for `gate` (NULL: for nothing).
static void add(clnd_engine *engine, cl_command_queue queue, const sums *s, clnd_report *report,
                const cl_event *gate)
{
    const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD, .report = report};
    clnd_plan plan;
    check_status(clnd_scatter_nd_into_plan(engine, &s->tensors[0], &s->tensors[1], &s->tensors[2],
                                           &options, &plan),
                 CLND_OK);
    check(plan.workspace_bytes >= CLND__HUGE_SCRATCH, "a workspace of %llu bytes only",
          (unsigned long long)plan.workspace_bytes);
    check_status(clnd_scatter_nd_into(engine, queue, &s->tensors[0], &s->tensors[1], &s->tensors[2],
                                      &options, gate ? 1 : 0, gate, NULL),
                 CLND_OK);
}

// The first call's workspace is kept for the second, which is under way when the engine ends.
Test(faults_huge_pages, workspaces_outlive_the_engine)
{
    const device *d = device_get();
    if (!d->facts->is_cpu || d->facts->compute_units < 2 || d->facts->loop_iterations)
        cr_skip_test("%s is no CPU with two cores, or ends loops early", d->facts->name);
    case_begin("workspace on huge pages", 0);
    const clnd_engine_options options = {.strategy = "must,private"};
    const cl_command_queue queue = device_new_queue(d, false);
    const int before = memory_count();
    const cl_event gate = new_event(d);
    clnd_engine *engine;
    clnd_report *report;
    sums s;
    make_sums(d, &s);
    check_status(clnd_engine_create(d->context, d->id, &options, &engine), CLND_OK);
    check_status(clnd_report_create(engine, &report), CLND_OK);
    add(engine, queue, &s, NULL, NULL);
    check_cl(clFinish(queue));
    opencl_begin();
    add(engine, queue, &s, report, &gate);
    check(opencl.n_buffers == 1, "%d buffers, not the verdict alone", opencl.n_buffers);
    check_cl(clFlush(queue));
    clnd_engine_destroy(&engine);
    const int held = memory_count();
    check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    check_cl(clFinish(queue));
    check_freed(held - 1);
    check_status(clnd_report_wait(report, NULL), CLND_OK);
    clnd_report_destroy(&report);
    check_and_free_sums(queue, &s, 4);
    check_cl(clReleaseEvent(gate));
    check_cl(clReleaseCommandQueue(queue));
    check(memory_count() == before, "%d blocks of memory, not %d", memory_count(), before);
}

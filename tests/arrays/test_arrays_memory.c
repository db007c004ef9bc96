// SPDX-License-Identifier: Apache-2.0
//
// How memory reaches the device and comes back: nothing is copied where host and device share it,
// no byte too many elsewhere, and when OpenCL fails the call says so and keeps nothing.

#include <criterion/criterion.h>
#include <string.h>

#include "host/cl/probe.h"
#include "host/cl/queue_pool.h"
#include "hosted.h"
#include "opencl.h"

// picked[i, :] = table[rows[i], :], with a policy that needs no check of the indices.
typedef struct call {
    int32_t table[4][3];
    int32_t rows[2];
    int32_t picked[2][3];
    clnd_array params, indices, out;
    const clnd_array *arrays[3];
} call;

static const clnd_gather_nd_options zero = {.bounds = CLND_BOUNDS_ZERO};

static void make(call *c)
{
    memset(c, 0xee, sizeof *c);
    for (int i = 0; i < 12; i++)
        c->table[i / 3][i % 3] = i;
    c->rows[0] = 3;
    c->rows[1] = 1;
    c->params = hosted_dense(c->table, CLND_INT32, 2, (int64_t[]){4, 3});
    c->indices = hosted_dense(c->rows, CLND_INT32, 2, (int64_t[]){2, 1});
    c->out = hosted_dense(c->picked, CLND_INT32, 2, (int64_t[]){2, 3});
    c->arrays[0] = &c->params;
    c->arrays[1] = &c->indices;
    c->arrays[2] = &c->out;
}

static clnd_status gather(const device *d, call *c, way w)
{
    return hosted_call(d->engine, GATHER_ND, w, c->arrays, NULL, &zero);
}

static void check_result(const call *c)
{
    check(memcmp(c->picked[0], c->table[3], 12) == 0 && memcmp(c->picked[1], c->table[1], 12) == 0,
          "the result is wrong");
}

static void check_unchanged(const call *c)
{
    for (int i = 0; i < 6; i++)
        check(c->picked[i / 3][i % 3] == (int32_t)0xeeeeeeee, "the output has changed");
}

// The kernels of the call are compiled, and a queue is idle.
static const device *warm(void)
{
    const device *d = device_get();
    call c;
    make(&c);
    for (int w = 0; w < N_WAYS; w++)
        check_status(gather(d, &c, (way)w), CLND_OK);
    return d;
}

static void check_range(const opencl_transfer *t, const void *host, size_t size)
{
    check(t->host == host && t->size == size, "%zu bytes at %p, expected %zu at %p", t->size,
          t->host, size, host);
}

// The buffers are the arrays themselves, and mapping gives their own addresses.
Test(arrays_memory, shared_memory_is_not_copied)
{
    case_begin("host zero-copy", 0);
    const device *d = warm();
    if (!d->facts->unified_memory && !d->facts->is_cpu)
        cr_skip_test("%s has memory of its own", d->facts->name);
    for (int w = PUBLIC; w <= SHARED; w++) {
        call c;
        make(&c);
        opencl_begin();
        opencl.watched = &c.picked[1][2];
        check_status(gather(d, &c, (way)w), CLND_OK);
        check_result(&c);
        check(opencl.n_buffers == 3 && opencl.n_writes == 0 && opencl.n_reads == 0,
              "%d buffers, %d writes, %d reads", opencl.n_buffers, opencl.n_writes, opencl.n_reads);
        check(opencl.n_maps == 1 && opencl.n_queues == 0, "maps and queues");
        check_range(&opencl.maps[0], c.picked, sizeof c.picked);
        const void *const memory[] = {c.table, c.rows, c.picked};
        const size_t sizes[] = {sizeof c.table, sizeof c.rows, sizeof c.picked};
        for (int i = 0; i < 3; i++) {
            const opencl_buffer *b = &opencl.buffers[i];
            check(b->host == memory[i] && b->size == sizes[i], "buffer %d", i);
            check(b->flags == (CL_MEM_USE_HOST_PTR |
                               (cl_mem_flags)(i < 2 ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE)),
                  "flags of buffer %d", i);
        }
        check(opencl.n_released == 3, "%d buffers released", opencl.n_released);
        // PoCL's kernels wrote there themselves: it was there before the driver was asked for it.
        if (strstr(d->facts->platform, "Portable Computing Language"))
            check(opencl.seen == 5, "the device did not write to the array: %d", opencl.seen);
    }
}

// GPUs that claim to share memory are tried: PoCL is made to look like one.
Test(arrays_memory, a_claim_to_share_memory_is_tried)
{
    const device *d = device_get();
    const struct {
        bool claimed, detached, refused, is_cpu, shares;
    } cases[] = {{true, .shares = true},
                 {true, .detached = true},
                 {true, .refused = true},
                 {false},
                 {true, .detached = true, .is_cpu = true, .shares = true}};
    for (int i = 0; i < 5; i++) {
        case_begin("claim to share memory", i);
        clnd_device_facts facts = *d->facts;
        facts.is_cpu = cases[i].is_cpu;
        facts.unified_memory = cases[i].claimed;
        opencl_begin();
        if (cases[i].detached)
            opencl_detach();
        if (cases[i].refused)
            opencl_fail(OPENCL_CreateBuffer, 0, true, CL_INVALID_HOST_PTR);
        check_status(clnd__memory_probe(d->context, d->id, &facts), CLND_OK);
        opencl_begin();
        check(facts.unified_memory == cases[i].shares, "unified memory: %d", facts.unified_memory);
    }
}

// A driver may not be able to use this memory.
Test(arrays_memory, what_cannot_be_shared_is_copied)
{
    static const cl_int codes[] = {CL_INVALID_HOST_PTR, CL_OUT_OF_RESOURCES,
                                   CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_VALUE};
    case_begin("host not shared", 0);
    const device *d = warm();
    for (int i = 0; i < 12; i++) {
        call c;
        case_begin("host not shared", i);
        make(&c);
        opencl_begin();
        opencl_fail(OPENCL_CreateBuffer, i % 3, true, codes[i / 3]);
        check_status(gather(d, &c, SHARED), CLND_OK);
        check_result(&c);
        check(opencl.n_writes == (i % 3 < 2) && opencl.n_reads == (i % 3 == 2),
              "%d writes, %d reads", opencl.n_writes, opencl.n_reads);
        check(opencl.n_buffers == 3 && opencl.n_released == 3, "buffers");
    }
}

Test(arrays_memory, copies_are_no_larger_than_they_must)
{
    case_begin("host copies", 0);
    const device *d = warm();
    call c;
    make(&c);
    opencl_begin();
    check_status(gather(d, &c, COPIED), CLND_OK);
    check_result(&c);
    check(opencl.n_writes == 2 && opencl.n_reads == 1 && opencl.n_maps == 0, "transfers");
    check_range(&opencl.writes[0], c.table, sizeof c.table);
    check_range(&opencl.writes[1], c.rows, sizeof c.rows);
    check_range(&opencl.reads[0], c.picked, sizeof c.picked);
    check(opencl.n_buffers == 3 && opencl.n_released == 3, "buffers");
    for (int i = 0; i < 3; i++)
        check(!(opencl.buffers[i].flags & CL_MEM_USE_HOST_PTR), "a shared buffer");

    // an output with gaps goes to the device first
    case_begin("host copies", 1);
    make(&c);
    int32_t wide[2][5];
    memset(wide, 0x77, sizeof wide);
    c.out.data = wide;
    c.out.strides[0] = 5;
    opencl_begin();
    check_status(gather(d, &c, COPIED), CLND_OK);
    check(opencl.n_writes == 3 && opencl.n_reads == 1, "transfers");
    check_range(&opencl.writes[2], wide, 8 * sizeof(int32_t));
    check_range(&opencl.reads[0], wide, 8 * sizeof(int32_t));
    for (int i = 0; i < 10; i++)
        check(wide[i / 5][i % 5] == (i % 5 < 3 ? c.table[c.rows[i / 5]][i % 5] : 0x77777777),
              "element %d", i);
}

// Of a sliced array only the slice moves.
Test(arrays_memory, only_slices_are_copied)
{
    case_begin("host slices", 0);
    const device *d = warm();
    int32_t numbers[100], part[6];
    clnd_slice slice;
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    clnd_array whole = hosted_dense(numbers, CLND_INT32, 2, (int64_t[]){10, 10});
    clnd_array few = hosted_dense(part, CLND_INT32, 2, (int64_t[]){2, 3});
    const clnd_array *arrays[] = {&whole, &few};
    check_status(clnd_slice_parse("3:5, 2:5", &slice), CLND_OK);
    opencl_begin();
    check_status(hosted_call(d->engine, STRIDED_SLICE, COPIED, arrays, &slice, NULL), CLND_OK);
    check(opencl.n_writes == 1 && opencl.n_reads == 1, "transfers");
    check_range(&opencl.writes[0], numbers + 32, 13 * sizeof *numbers);
    check_range(&opencl.reads[0], part, sizeof part);
    check(memcmp(part, (int32_t[]){32, 33, 34, 42, 43, 44}, sizeof part) == 0, "slice");

    // into a slice with gaps, and into one without
    for (int i = 0; i < 2; i++) {
        case_begin("host slices", 1 + i);
        check_status(clnd_slice_parse(i ? "7" : "::-9, 4", &slice), CLND_OK);
        few = hosted_dense(part, CLND_INT32, 1, (int64_t[]){1});
        opencl_begin();
        check_status(hosted_call(d->engine, STRIDED_SLICE_ASSIGN, COPIED, arrays, &slice, NULL),
                     CLND_OK);
        check(opencl.n_writes == 2 - i && opencl.n_reads == 1, "transfers");
        check_range(&opencl.reads[0], numbers + (i ? 70 : 4), (i ? 10 : 91) * sizeof *numbers);
        if (!i)
            check_range(&opencl.writes[0], numbers + 4, 91 * sizeof *numbers);
        for (int j = 0; j < 100; j++)
            check(numbers[j] == (j == 4 || j == 94 || (i && j / 10 == 7) ? 32 : j),
                  "element %d is %d", j, numbers[j]);
    }

    case_begin("host slices", 3);
    check_status(clnd_slice_parse("7:7", &slice), CLND_OK);
    opencl_begin();
    check_status(hosted_call(d->engine, STRIDED_SLICE_ASSIGN, COPIED, arrays, &slice, NULL),
                 CLND_OK);
    check(opencl.n_writes == 1 && opencl.n_reads == 0, "an empty slice moves");
}

// Arrays that overlap lie in one buffer, all others in their own.
Test(arrays_memory, one_buffer_for_what_overlaps)
{
    case_begin("host one buffer", 0);
    const device *d = warm();
    for (int w = SHARED; w <= COPIED; w++) {
        int32_t memory[16];
        for (int i = 0; i < 16; i++)
            memory[i] = i % 6;
        clnd_array params = hosted_dense(memory + 2, CLND_INT32, 1, (int64_t[]){8});
        clnd_array indices = hosted_dense(memory, CLND_INT32, 2, (int64_t[]){4, 1});
        clnd_array out = hosted_dense(memory + 10, CLND_INT32, 1, (int64_t[]){4}); // right behind
        const clnd_array *arrays[] = {&params, &indices, &out};
        opencl_begin();
        check_status(hosted_call(d->engine, GATHER_ND, (way)w, arrays, NULL, &zero), CLND_OK);
        check(opencl.n_buffers == 2 && opencl.n_released == 2, "%d buffers", opencl.n_buffers);
        check(opencl.buffers[0].size == 40 && opencl.buffers[1].size == 16, "sizes");
        check(memcmp(memory + 10, (int32_t[]){2, 3, 4, 5}, 16) == 0, "the result");
    }
}

// Whatever OpenCL refuses: the status that fits, the op's name, the code, an output that is as it
// was, and no buffer that is left behind.
Test(arrays_memory, failures)
{
    static const struct {
        opencl_function call;
        int number;
        way way;
        cl_int code;
        clnd_status status;
        const char *text;
    } rows[] = {
        {OPENCL_CreateBuffer, 0, COPIED, CL_MEM_OBJECT_ALLOCATION_FAILURE,
         CLND_OUT_OF_DEVICE_MEMORY, "gather_nd: clCreateBuffer: out of device memory"},
        {OPENCL_CreateBuffer, 1, COPIED, CL_INVALID_BUFFER_SIZE, CLND_OUT_OF_DEVICE_MEMORY,
         "gather_nd: clCreateBuffer: out of device memory"},
        {OPENCL_CreateBuffer, 2, COPIED, CL_OUT_OF_HOST_MEMORY, CLND_OUT_OF_HOST_MEMORY,
         "gather_nd: clCreateBuffer: out of host memory"},
        {OPENCL_EnqueueWriteBuffer, 0, COPIED, CL_OUT_OF_RESOURCES, CLND_OUT_OF_DEVICE_MEMORY,
         "gather_nd: clEnqueueWriteBuffer: out of"},
        {OPENCL_EnqueueWriteBuffer, 1, COPIED, CL_INVALID_OPERATION, CLND_OPENCL_ERROR,
         "gather_nd: clEnqueueWriteBuffer failed with OpenCL error -59"},
        {OPENCL_EnqueueReadBuffer, 0, COPIED, CL_INVALID_OPERATION, CLND_OPENCL_ERROR,
         "gather_nd: clEnqueueReadBuffer failed with OpenCL error -59"},
        {OPENCL_EnqueueMapBuffer, 0, SHARED, CL_MAP_FAILURE, CLND_OPENCL_ERROR,
         "gather_nd: clEnqueueMapBuffer failed with OpenCL error -12"},
        {OPENCL_Finish, 0, COPIED, CL_OUT_OF_RESOURCES, CLND_OUT_OF_DEVICE_MEMORY,
         "gather_nd: clFinish: out of"},
    };
    case_begin("host failures", 0);
    const device *d = warm();
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        call c;
        case_begin("host failures", i);
        make(&c);
        opencl_begin();
        opencl_fail(rows[i].call, rows[i].number, false, rows[i].code);
        check_status(gather(d, &c, rows[i].way), rows[i].status);
        check_message(rows[i].text);
        check(clnd_last_error_code() == rows[i].code, "code %d", (int)clnd_last_error_code());
        check(opencl.n_buffers == opencl.n_released, "%d buffers made, %d released",
              opencl.n_buffers, opencl.n_released);
        if (rows[i].way == COPIED && rows[i].call != OPENCL_Finish)
            check_unchanged(&c);
        // the next call goes on
        opencl_begin();
        make(&c);
        check_status(gather(d, &c, rows[i].way), CLND_OK);
        check_result(&c);
    }
}

// Queues are made when they are needed, and used again unless they failed.
Test(arrays_memory, queues)
{
    case_begin("host queues", 0);
    const device *d = device_get();
    clnd_engine *engine;
    call c;
    make(&c);
    check_status(clnd_engine_create(d->context, d->id, NULL, &engine), CLND_OK);
    opencl_begin();
    opencl_fail(OPENCL_CreateCommandQueue, 0, false, CL_OUT_OF_HOST_MEMORY);
    check_status(clnd_host_gather_nd(engine, &c.params, &c.indices, &c.out, &zero),
                 CLND_OUT_OF_HOST_MEMORY);
    check_message("gather_nd: clCreateCommandQueue");
    check_unchanged(&c);
    for (int i = 0; i < 5; i++)
        check_status(clnd_host_gather_nd(engine, &c.params, &c.indices, &c.out, &zero), CLND_OK);
    check(opencl.n_queues == 1 && opencl.n_queues_released == 0, "%d queues", opencl.n_queues);
    opencl_fail(OPENCL_Finish, 0, false, CL_OUT_OF_RESOURCES);
    check_status(clnd_host_gather_nd(engine, &c.params, &c.indices, &c.out, &zero),
                 CLND_OUT_OF_DEVICE_MEMORY);
    check(opencl.n_queues_released == 1, "a queue that failed is kept");
    check_status(clnd_host_gather_nd(engine, &c.params, &c.indices, &c.out, &zero), CLND_OK);
    check(opencl.n_queues == 2, "%d queues", opencl.n_queues);
    // a call that is refused needs none
    check_status(clnd_host_gather_nd(engine, &c.params, &c.indices, NULL, &zero),
                 CLND_NULL_POINTER);
    clnd_engine_destroy(&engine);
    check(opencl.n_queues_released == 2, "%d queues released", opencl.n_queues_released);
}

// More calls at once than queues are kept; the rest goes back.
Test(arrays_memory, idle_queues_are_limited)
{
    enum { AT_ONCE = CLND__IDLE_QUEUES + 5 };
    case_begin("host idle queues", 0);
    const device *d = device_get();
    clnd_engine *engine;
    cl_command_queue queues[AT_ONCE];
    check_status(clnd_engine_create(d->context, d->id, NULL, &engine), CLND_OK);
    for (int round = 0; round < 2; round++) {
        opencl_begin();
        for (int i = 0; i < AT_ONCE; i++) {
            check_status(clnd__queue_borrow(engine, &queues[i]), CLND_OK);
            for (int j = 0; j < i; j++)
                check(queues[i] != queues[j], "a queue is lent twice");
        }
        check(opencl.n_queues == (round ? 5 : AT_ONCE), "%d queues made", opencl.n_queues);
        for (int i = 0; i < AT_ONCE; i++)
            check_status(clnd__queue_return(engine, queues[i], CLND_OVERLAP), CLND_OVERLAP);
        check(opencl.n_queues_released == 5, "%d queues released", opencl.n_queues_released);
    }
    clnd_engine_destroy(&engine);
    check(opencl.n_queues_released == AT_ONCE, "%d queues released", opencl.n_queues_released);
}

// SPDX-License-Identifier: Apache-2.0
//
// Memory of clnd_host_alloc: where it begins, when there is none, and that calls work on it, as
// arrays and as buffers.

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "device.h"
#include "hosted.h"

#define HUGE_PAGE ((size_t)2 << 20)

static unsigned char *take(size_t size)
{
    unsigned char *memory = clnd_host_alloc(size);
    check(memory, "no memory for %zu bytes: %s", size, clnd_last_error());
    return memory;
}

Test(host_alloc, alignment)
{
    const size_t sizes[] = {
        0, 1, 127, 129, 4096, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE + 1, 5 * HUGE_PAGE};
    enum { N = sizeof sizes / sizeof *sizes };
    unsigned char *memory[N];
    for (int i = 0; i < N; i++) {
        case_begin("alignment", i);
        memory[i] = take(sizes[i]);
        const size_t alignment = sizes[i] < HUGE_PAGE ? 128 : HUGE_PAGE;
        check((uintptr_t)memory[i] % alignment == 0, "%zu bytes at %p", sizes[i],
              (void *)memory[i]);
        memset(memory[i], i, sizes[i]);
    }
    for (int i = 0; i < N; i++) {
        check(sizes[i] == 0 || (memory[i][0] == i && memory[i][sizes[i] - 1] == i),
              "%zu bytes share memory with others", sizes[i]);
        clnd_host_free(memory[i]);
    }
    clnd_host_free(NULL);
}

Test(host_alloc, more_than_there_can_be)
{
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4096, (size_t)PTRDIFF_MAX + 1};
    for (int i = 0; i < 3; i++) {
        char text[64];
        case_begin("too much", i);
        check(!clnd_host_alloc(sizes[i]), "memory of %zu bytes", sizes[i]);
        snprintf(text, sizeof text, "host_alloc: no memory for %zu bytes", sizes[i]);
        check_message(text);
    }
}

// The flags of the mapping in which an address lies: "VmFlags: rd wr mr mw me ac sd hg".
static void find_flags(const void *address, char *flags, size_t size)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_there = false;
    *flags = '\0';
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long begin, end;
        if (sscanf(line, "%llx-%llx ", &begin, &end) == 2)
            is_there = begin <= (uintptr_t)address && (uintptr_t)address < end;
        else if (is_there && strncmp(line, "VmFlags:", 8) == 0)
            snprintf(flags, size, "%s", line);
    }
    if (file)
        fclose(file);
}

Test(host_alloc, huge_pages_are_asked_for)
{
    case_begin("huge pages", 0);
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0)
        cr_skip_test("the kernel has no transparent huge pages");
    char flags[512];
    unsigned char *memory = take(3 * HUGE_PAGE);
    find_flags(memory + HUGE_PAGE, flags, sizeof flags);
    if (!*flags)
        cr_skip_test("the kernel does not tell the flags of a mapping");
    check(strstr(flags, " hg"), "flags of the mapping: %s", flags);
    clnd_host_free(memory);
}

// out[i, :] = table[rows[i], :], of which the last element is next to the memory's end.
enum { ROWS = 1 << 18, WIDTH = 3, PICKED = 1 << 17 };

typedef struct call {
    int32_t *table, *rows, *out;
    clnd_array arrays[3];
} call;

static void make(call *c)
{
    c->table = (int32_t *)(void *)take(sizeof(int32_t) * ROWS * WIDTH);
    c->rows = (int32_t *)(void *)take(sizeof(int32_t) * PICKED);
    c->out = (int32_t *)(void *)take(sizeof(int32_t) * PICKED * WIDTH);
    for (int i = 0; i < ROWS * WIDTH; i++)
        c->table[i] = i;
    for (int i = 0; i < PICKED; i++)
        c->rows[i] = (int32_t)((i * INT64_C(7919) + ROWS - 1) % ROWS);
    memset(c->out, 0xee, sizeof(int32_t) * PICKED * WIDTH);
    c->arrays[0] = hosted_dense(c->table, CLND_INT32, 2, (int64_t[]){ROWS, WIDTH});
    c->arrays[1] = hosted_dense(c->rows, CLND_INT32, 2, (int64_t[]){PICKED, 1});
    c->arrays[2] = hosted_dense(c->out, CLND_INT32, 2, (int64_t[]){PICKED, WIDTH});
}

static void check_and_free(call *c)
{
    for (int i = 0; i < PICKED; i++)
        for (int k = 0; k < WIDTH; k++)
            check(c->out[i * WIDTH + k] == c->rows[i] * WIDTH + k, "out[%d, %d] is %d", i, k,
                  (int)c->out[i * WIDTH + k]);
    clnd_host_free(c->table);
    clnd_host_free(c->rows);
    clnd_host_free(c->out);
}

Test(host_alloc, arrays)
{
    const device *d = device_get();
    call c;
    case_begin("arrays of clnd_host_alloc", 0);
    make(&c);
    check_status(clnd_host_gather_nd(d->engine, &c.arrays[0], &c.arrays[1], &c.arrays[2], NULL),
                 CLND_OK);
    check_and_free(&c);
}

Test(host_alloc, buffers)
{
    const device *d = device_get();
    call c;
    clnd_tensor tensors[3];
    case_begin("buffers of clnd_host_alloc", 0);
    make(&c);
    for (int i = 0; i < 3; i++) {
        const clnd_array *a = &c.arrays[i];
        cl_int code;
        check_status(clnd_array_tensor(a, &tensors[i]), CLND_OK);
        tensors[i].buffer =
            clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                           sizeof(int32_t) * (size_t)(a->shape[0] * a->shape[1]), a->data, &code);
        check_cl(code);
    }
    check_status(clnd_gather_nd(d->engine, d->queue, &tensors[0], &tensors[1], &tensors[2], NULL, 0,
                                NULL, NULL),
                 CLND_OK);
    cl_int code;
    void *mapped = clEnqueueMapBuffer(d->queue, tensors[2].buffer, CL_TRUE, CL_MAP_READ, 0,
                                      sizeof(int32_t) * PICKED * WIDTH, 0, NULL, NULL, &code);
    check(mapped == c.out, "mapped at %p, not at %p", mapped, (void *)c.out);
    check_cl(clEnqueueUnmapMemObject(d->queue, tensors[2].buffer, mapped, 0, NULL, NULL));
    check_cl(clFinish(d->queue));
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(tensors[i].buffer));
    check_and_free(&c);
}

// Threads share an engine, and each call needs a workspace of its own on huge pages: private copies
// of a target of 8 MiB, where each element is the target of two rows.
enum { THREADS = 4, CALLS = 2, PLACES = 1 << 21 };

static void *add_in_copies(void *engine)
{
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
    bool good = true;
    for (int round = 0; round < CALLS && good; round++) {
        int32_t *rows = clnd_host_alloc(2 * PLACES * sizeof *rows);
        int32_t *sums = clnd_host_alloc(PLACES * sizeof *sums);
        if ((good = rows && sums)) {
            for (int i = 0; i < 2 * PLACES; i++)
                rows[i] = i % PLACES;
            memset(sums, 0, PLACES * sizeof *sums);
            const clnd_array indices =
                                 hosted_dense(rows, CLND_INT32, 2, (int64_t[]){2 * PLACES, 1}),
                             updates = hosted_dense(rows, CLND_INT32, 1, (int64_t[]){2 * PLACES}),
                             target = hosted_dense(sums, CLND_INT32, 1, (int64_t[]){PLACES});
            good = clnd_host_scatter_nd_into(engine, &indices, &updates, &target, &add) == CLND_OK;
        }
        for (int i = 0; i < PLACES && good; i++)
            good = sums[i] == 2 * i;
        clnd_host_free(rows);
        clnd_host_free(sums);
    }
    return good ? engine : NULL;
}

Test(host_alloc, workspaces_of_threads)
{
    const device *d = device_get();
    case_begin("workspaces of threads", 0);
    if (!d->facts->is_cpu || d->facts->compute_units < 2 || d->facts->loop_iterations)
        cr_skip_test("%s is no CPU with two cores, or ends loops early", d->facts->name);
    const device *private = device_with(d, "must,private");
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, add_in_copies, private->engine) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *good;
        cr_assert(pthread_join(threads[i], &good) == 0);
        check(good, "thread %d: a wrong result, or none", i);
    }
}

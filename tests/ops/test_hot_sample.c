// SPDX-License-Identifier: Apache-2.0
//
// The sample of rows by which an atomic scatter knows hot locations, of numbers of rows that no
// buffer of updates can have: rows share indices along broadcast axes.

#include "host/exec/strategies/atomic.c"

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "plans.h"
#include "rng.h"

enum { VALUES = 4096 };

static cl_mem new_buffer(const device *d, size_t size, const void *content)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &code);
    check_cl(code);
    check_cl(clEnqueueWriteBuffer(d->queue, buffer, CL_TRUE, 0, size, content, 0, NULL, NULL));
    return buffer;
}

// What the sample says of `outer` times `inner` rows, the first `inner` values repeated.
static uint32_t decision(const device *d, int64_t outer, int64_t inner, const int32_t *values)
{
    planned p = planned_rows(d->facts, CLND_FLOAT32, CLND_REDUCE_ADD, 1, 1, VALUES);
    const uint32_t unset = 0xa5a5a5a5;
    uint32_t word;
    clnd__call call;
    p.words = "must,atomic,lanes,sample";
    p.problem.n_outer = 2;
    p.problem.outer[0] = (clnd__axis){outer, 0, 0, 0};
    p.problem.outer[1] = (clnd__axis){inner, 0, 0, 4};
    planned_expect(&p, "atomic");
    const atomic_plan *atomic = own(&p.plan);
    check(atomic->sampled && p.plan.workspace.bytes == sizeof word, "no sample");
    cl_mem indices = new_buffer(d, VALUES * sizeof *values, values);
    cl_mem memory = new_buffer(d, sizeof unset, &unset);
    p.plan.indices = indices;
    p.plan.workspace.buffer = memory;
    check_status(clnd__call_begin(&call, d->engine, d->queue, 0, NULL), CLND_OK);
    const clnd_status status = enqueue_sample(&call, &p.plan, atomic);
    check_status(clnd__call_end(&call, status, NULL), CLND_OK);
    check_cl(clEnqueueReadBuffer(d->queue, memory, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    check_cl(clReleaseMemObject(indices));
    check_cl(clReleaseMemObject(memory));
    return word;
}

static const struct {
    const char *what;
    int64_t outer, inner;
    int hot_percent; // of the values
    uint32_t hot;
} cases[] = {
    {"fewer rows than are looked at", 1, 500, 0, 0},
    {"fewer rows, half of them hot", 1, 500, 50, 1},
    {"as many", 1, 1024, 0, 0},
    {"one more", 1, 1025, 0, 0},
    {"one more, a tenth of them hot", 1, 1025, 10, 1},
    {"2^31 + 4096 rows", (INT64_C(1) << 19) + 1, 4096, 0, 0},
    {"2^31 + 4096 rows, a tenth of them hot", (INT64_C(1) << 19) + 1, 4096, 10, 1},
    {"2^32 * 1023 rows", INT64_C(1) << 32, 1023, 0, 0},
    {"2^62 rows", INT64_C(1) << 50, 4096, 0, 0},
    {"2^62 rows, a tenth of them hot", INT64_C(1) << 50, 4096, 10, 1},
    {"2^62 rows of one value", INT64_C(1) << 62, 1, 0, 1},
};

Test(hot_sample, any_number_of_rows)
{
    static int32_t values[VALUES];
    const device *d = device_get();
    if (d->facts->max_work_group_size < CLND_SAMPLE_LANES)
        cr_skip_test("the device's work-groups are too small for lanes");
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        case_begin("hot_sample", i);
        case_note("%s", cases[i].what);
        for (int v = 0; v < VALUES; v++)
            values[v] = rng_chance(case_rng(), cases[i].hot_percent) ? 5 : v * 1021 % VALUES;
        const uint32_t word = decision(d, cases[i].outer, cases[i].inner, values);
        check(word == cases[i].hot, "the decision is %u", word);
    }
}

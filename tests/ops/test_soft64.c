// SPDX-License-Identifier: Apache-2.0
//
// Doubles on devices without fp64 (kernels_cl/soft64.clh), on whatever device there is: the
// arithmetic against the host's doubles, bit by bit, and whole scatters of an engine that is told
// that its device has no fp64.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cl/kernel_source.h"
#include "problem.h"

#define SIGN     UINT64_C(0x8000000000000000)
#define INFINITE UINT64_C(0x7ff0000000000000)
#define QUIET    UINT64_C(0x0008000000000000)
#define INVALID  UINT64_C(0xfff8000000000000)

enum { FRACTION_BITS = 52, LARGEST_EXPONENT = 0x7fe, BIAS = 1023, BATCH = 1 << 17 };

static const clnd_reduce reductions[] = {CLND_REDUCE_ADD, CLND_REDUCE_SUB, CLND_REDUCE_MUL,
                                         CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

static const char probe_text[] =
    "__kernel void probe(__global const uchar *old, __global const uchar *update,\n"
    "                    __global uchar *result)\n"
    "{\n"
    "    const ulong at = get_global_id(0) * sizeof(element);\n"
    "    store_element(result + at, combine(load_element(old + at), load_element(update + at)));\n"
    "}\n";

// The device, and the kernel that combines pairs of elements.
typedef struct prober {
    const device *d;
    clnd_dtype dtype;
    clnd_reduce reduce;
    cl_kernel kernel;
    cl_mem buffers[3]; // old, update, result
    uint64_t *numbers[3];
} prober;

// The library's own preludes before the probe.
static cl_kernel build_probe(const prober *p)
{
    const char *texts[CLND__MOST_PARTS];
    cl_uint n = 0;
    for (const struct clnd__kernel_source *s = clnd__kernel_prelude; s->name; s++) {
        check(n < CLND__MOST_PARTS - 1, "more preludes than the test has room for");
        texts[n++] = s->text;
    }
    texts[n++] = probe_text;
    cl_int code;
    cl_program program = clCreateProgramWithSource(p->d->context, n, texts, NULL, &code);
    check_cl(code);
    char options[100];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DSOFT_FP64=1 -DDTYPE=%d -DREDUCE=%d",
             (int)(p->dtype & 0xff), (int)p->reduce);
    cl_int built = clBuildProgram(program, 1, &p->d->id, options, NULL, NULL);
    if (built == CL_BUILD_PROGRAM_FAILURE) // as host/cl/program.h says
        built = clBuildProgram(program, 1, &p->d->id, options, NULL, NULL);
    if (built != CL_SUCCESS) {
        static char log[2000];
        clGetProgramBuildInfo(program, p->d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        check(false, "the probe does not compile: %s", log);
    }
    cl_kernel kernel = clCreateKernel(program, "probe", &code);
    check_cl(code);
    check_cl(clReleaseProgram(program));
    return kernel;
}

static void prober_open(prober *p, const device *d, clnd_dtype dtype, clnd_reduce reduce)
{
    const size_t bytes = BATCH * ref_size(dtype);
    *p = (prober){.d = d, .dtype = dtype, .reduce = reduce};
    p->kernel = build_probe(p);
    for (cl_uint i = 0; i < 3; i++) {
        cl_int code;
        p->buffers[i] = clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        check_cl(code);
        check_cl(clSetKernelArg(p->kernel, i, sizeof p->buffers[i], &p->buffers[i]));
        p->numbers[i] = malloc(bytes);
        check(p->numbers[i], "out of memory");
    }
}

static void prober_close(prober *p)
{
    for (int i = 0; i < 3; i++) {
        check_cl(clReleaseMemObject(p->buffers[i]));
        free(p->numbers[i]);
    }
    check_cl(clReleaseKernel(p->kernel));
}

static bool is_nan(uint64_t bits)
{
    return (bits & ~SIGN) > INFINITE;
}

// The NaN that a result must be: that of the first operand, made quiet by arithmetic.
static uint64_t expected_nan(clnd_reduce reduce, uint64_t old, uint64_t update)
{
    const bool arithmetic = reduce <= CLND_REDUCE_MUL;
    const uint64_t nan = is_nan(old) ? old : is_nan(update) ? update : INVALID;
    return arithmetic ? nan | QUIET : nan;
}

// Runs the first `count` pairs of elements. Parts of complex products meet in two operations each,
// so their NaN may be any.
static void prober_run(prober *p, size_t count)
{
    const size_t size = ref_size(p->dtype), parts = size / 8;
    const size_t local = p->d->facts->max_work_group_size >= 64 && count % 64 == 0 ? 64 : 1;
    for (int i = 0; i < 2; i++)
        check_cl(clEnqueueWriteBuffer(p->d->queue, p->buffers[i], CL_TRUE, 0, count * size,
                                      p->numbers[i], 0, NULL, NULL));
    check_cl(
        clEnqueueNDRangeKernel(p->d->queue, p->kernel, 1, NULL, &count, &local, 0, NULL, NULL));
    check_cl(clEnqueueReadBuffer(p->d->queue, p->buffers[2], CL_TRUE, 0, count * size,
                                 p->numbers[2], 0, NULL, NULL));
    const bool any_nan = parts == 2 && p->reduce == CLND_REDUCE_MUL;
    for (size_t i = 0; i < count * parts; i += parts) {
        const uint64_t *update = p->numbers[1] + i, *result = p->numbers[2] + i;
        uint64_t expected[2];
        memcpy(expected, p->numbers[0] + i, size);
        ref_reduce(p->dtype, p->reduce, (unsigned char *)expected, (const unsigned char *)update);
        for (size_t k = 0; k < parts; k++) {
            const uint64_t old = p->numbers[0][i + k];
            if (is_nan(expected[k]))
                expected[k] = any_nan && is_nan(result[k])
                                  ? result[k]
                                  : expected_nan(p->reduce, old, update[k]);
            check(result[k] == expected[k],
                  "part %zu: %016" PRIx64 " and %016" PRIx64 " gave %016" PRIx64
                  ", expected %016" PRIx64,
                  k, old, update[k], result[k], expected[k]);
        }
    }
}

// Fractions of the kinds that rounding and normalising treat differently.
static uint64_t pick_fraction(rng *r)
{
    const uint64_t all = (UINT64_C(1) << FRACTION_BITS) - 1;
    const uint64_t random = rng_u64(r) & all;
    const int n = (int)rng_range(r, 0, FRACTION_BITS);
    switch (rng_range(r, 0, 6)) {
    case 0:
        return rng_chance(r, 50) ? 0 : all;
    case 1:
        return (UINT64_C(1) << n) & all;
    case 2: // short ones: products and sums that lie half way
        return random >> n << n;
    case 3:
        return random & ((UINT64_C(1) << n) - 1);
    case 4:
        return all >> n << n;
    default:
        return random;
    }
}

static uint64_t assemble(rng *r, int64_t exponent)
{
    exponent = exponent < 0 ? 0 : exponent > LARGEST_EXPONENT + 1 ? LARGEST_EXPONENT : exponent;
    return (rng_u64(r) & SIGN) | (uint64_t)exponent << FRACTION_BITS | pick_fraction(r);
}

static void pick_pair(rng *r, uint64_t *a, uint64_t *b)
{
    static const int64_t edges[] = {0, 0, 1, 2, BIAS, 0x7fd, LARGEST_EXPONENT, 0x7ff};
    enum { N_EDGES = sizeof edges / sizeof *edges };
    int64_t exponent = rng_range(r, 0, LARGEST_EXPONENT);
    switch (rng_range(r, 0, 4)) {
    case 0:
        *a = rng_u64(r);
        *b = rng_u64(r);
        break;
    case 1:
        *a = assemble(r, edges[rng_range(r, 0, N_EDGES - 1)]);
        *b = assemble(r, edges[rng_range(r, 0, N_EDGES - 1)]);
        break;
    case 2: // sums that overlap
        exponent = rng_chance(r, 30) ? rng_range(r, 0, 70) : exponent;
        *a = assemble(r, exponent);
        *b = rng_chance(r, 5) ? *a ^ (rng_u64(r) & (SIGN | 1))
                              : assemble(r, exponent + rng_range(r, -60, 60));
        break;
    case 3: // products at both ends of the range
        *a = assemble(r, exponent);
        *b = assemble(r, BIAS + (rng_chance(r, 70) ? 0 : 2046) - exponent + rng_range(r, -60, 4));
        break;
    default: // products of middle size
        *a = assemble(r, BIAS + rng_range(r, -30, 30));
        *b = assemble(r, BIAS + rng_range(r, -30, 30));
        break;
    }
}

static bool is_slow(const device *d)
{
    return strcmp(d->facts->platform, "Oclgrind") == 0;
}

static void run_random(clnd_dtype dtype, int n_reductions)
{
    const device *d = device_get();
    const size_t count = is_slow(d) ? 2048 : BATCH;
    const int batches = is_slow(d) ? 1 : case_count(8);
    int number = 0;
    for (int i = 0; i < n_reductions; i++) {
        prober p;
        prober_open(&p, d, dtype, reductions[i]);
        for (int batch = 0; batch < batches; batch++) {
            case_begin("soft64 random", number++);
            case_note("%s reduce %d", clnd_dtype_name(dtype), (int)reductions[i]);
            for (size_t k = 0; k < count * ref_size(dtype) / 8; k++)
                pick_pair(case_rng(), &p.numbers[0][k], &p.numbers[1][k]);
            prober_run(&p, count);
        }
        prober_close(&p);
    }
}

Test(soft64, float64_arithmetic)
{
    run_random(CLND_FLOAT64, N_REDUCTIONS);
}

Test(soft64, complex128_arithmetic)
{
    run_random(CLND_COMPLEX128, 3);
}

// Every number at an edge with every other, of both signs.
Test(soft64, edges_with_edges)
{
    static const uint64_t exponents[] = {0, 1, 2, 53, 511, 970, 1022, 1023, 1024, 1075, 2045, 2046};
    static const uint64_t fractions[] = {0,
                                         1,
                                         2,
                                         QUIET,
                                         QUIET - 1,
                                         QUIET + 1,
                                         QUIET >> 1,
                                         0x555,
                                         UINT64_C(0xffffffffffffe),
                                         1 << 26,
                                         (1 << 26) - 1,
                                         UINT64_C(0xfffffffffffff)};
    static const uint64_t specials[] = {
        INFINITE, INFINITE | 1,          INFINITE | QUIET, INFINITE | QUIET | 0x1234,
        ~SIGN,    INFINITE | (QUIET - 1)};
    enum {
        N_EXPONENTS = sizeof exponents / sizeof *exponents,
        N_FRACTIONS = sizeof fractions / sizeof *fractions,
        N_SPECIALS = sizeof specials / sizeof *specials,
        N_NUMBERS = N_EXPONENTS * N_FRACTIONS + N_SPECIALS,
    };
    const device *d = device_get();
    uint64_t edges[2 * N_NUMBERS];
    size_t n = 0;
    for (int e = 0; e < N_EXPONENTS; e++)
        for (int f = 0; f < N_FRACTIONS; f++)
            edges[n++] = exponents[e] << FRACTION_BITS | fractions[f];
    for (int i = 0; i < N_SPECIALS; i++)
        edges[n++] = specials[i];
    for (size_t i = 0; i < N_NUMBERS; i++)
        edges[n++] = edges[i] | SIGN;
    check(n * n <= BATCH, "%zu numbers", n);
    const size_t step = is_slow(d) ? 37 : 1;
    for (int i = 0; i < N_REDUCTIONS; i++) {
        case_begin("soft64 edges", i);
        case_note("reduce %d", (int)reductions[i]);
        prober p;
        size_t count = 0;
        prober_open(&p, d, CLND_FLOAT64, reductions[i]);
        for (size_t pair = 0; pair < n * n; pair += step) {
            p.numbers[0][count] = edges[pair / n];
            p.numbers[1][count++] = edges[pair % n];
        }
        prober_run(&p, count);
        prober_close(&p);
    }
}

// An engine that believes its device to have no fp64: the facts lie in the engine's memory, and all
// plans go by them.
static device without_fp64(void)
{
    device d;
    device_open(&d);
    ((clnd_device_facts *)d.facts)->fp64 = false;
    d.subnormals = true;
    return d;
}

// A strategy of scatters that no problem has taken, though the device has it; BY_NONE: there is
// none.
static strategy_id not_taken(const device *d, const uint64_t taken[N_STRATEGIES])
{
    for (int s = BY_STORE; s < N_STRATEGIES; s++)
        if (!taken[s] && (s != BY_ATOMIC || d->facts->int64_atomics))
            return (strategy_id)s;
    return BY_NONE;
}

// The reductions of doubles among the differential test's problems: of so many, and of more until
// they have taken all strategies.
Test(soft64, whole_scatters)
{
    enum { N_PROBLEMS = 6000, MOST_PROBLEMS = 100000 };
    if (case_count(N_PROBLEMS) < N_PROBLEMS)
        check_skip("takes minutes: with all random cases only");
    static problem p;
    rng r;
    device d = without_fp64();
    const uint64_t step = is_slow(&d) ? 40 : 1;
    const uint64_t n_problems = (uint64_t)case_count(N_PROBLEMS);
    uint64_t taken[N_STRATEGIES] = {0};
    for (uint64_t number = 0;
         number < n_problems || (not_taken(&d, taken) && number < MOST_PROBLEMS); number += step) {
        problem_draw(&p, rng_base_seed(), number, &r);
        if (!op_is_scatter(p.op) || !values_is_double(p.dtype) || p.reduce == CLND_REDUCE_UPDATE)
            continue;
        problem_run(&p, &d, rng_base_seed(), number, NULL, false);
        if (p.done)
            taken[strategy_of_plan(&p.plan)]++;
    }
    check(!not_taken(&d, taken), "strategy %s was never taken",
          strategy_names[not_taken(&d, taken)]);
    device_close(&d);
}

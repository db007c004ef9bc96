// SPDX-License-Identifier: Apache-2.0
//
// Prints the options of the kernels that plans ask for: of random problems, for devices of all
// kinds that need not be there. Lines: file, function, options; some more than once.
//
//     list-options COUNT
//
// The linker puts the function below in the place of the one that compiles (meson.build).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/exec/strategies/table.h"
#include "problems.h"

clnd_status __wrap_clnd__call_prepare(clnd__call *call, const clnd__kernel_id *id);

clnd_status __wrap_clnd__call_prepare(clnd__call *call, const clnd__kernel_id *id)
{
    char text[CLND__OPTIONS_TEXT];
    (void)call;
    clnd__kernel_options_print(&id->options, text);
    printf("%s %s %s\n", id->source, id->function, text);
    return CLND_OK;
}

static const char *any_words(rng *r)
{
    static const char *const words[] = {
        "",           "lanes", "blocks",       "store",     "owner",        "buckets",
        "outer",      "sort",  "private",      "atomic",    "atomic,lanes", "tiles",
        "lanes,long", "packs", "lanes,sample", "aggregate", "exchange"};
    static char text[64];
    const int n = (int)(sizeof words / sizeof *words);
    snprintf(text, sizeof text, "%s,%s", words[rng_range(r, 0, n - 1)],
             rng_chance(r, 80) ? "rows" : "plain");
    return text;
}

static clnd_device_facts any_device(rng *r)
{
    clnd_device_facts facts = {.platform = "any",
                               .is_cpu = rng_chance(r, 50),
                               .fp64 = rng_chance(r, 50),
                               .int64_atomics = rng_chance(r, 80),
                               .compute_units = (uint32_t)rng_range(r, 1, 100),
                               .max_work_group_size = rng_chance(r, 90) ? 256 : 32,
                               .local_memory = rng_chance(r, 80) ? 49152 : 16384,
                               .max_allocation = UINT64_C(1) << 40,
                               .cache = UINT64_C(1) << 25};
    const bool adds = rng_chance(r, 60);
    facts.float_atomics.language =
        adds ? (clnd_atomics_language)rng_range(r, CLND_ATOMICS_OPENCL, CLND_ATOMICS_AMD)
             : CLND_ATOMICS_NONE;
    facts.float_atomics.float32 = facts.float_atomics.float16 = adds;
    facts.float_atomics.float64 = adds && facts.fp64;
    facts.float_atomics.bfloat16 = adds && facts.float_atomics.language != CLND_ATOMICS_OPENCL;
    facts.float_atomics.float32_packs = facts.float_atomics.language == CLND_ATOMICS_PTX;
    facts.float_atomics.float16_packs = facts.float_atomics.bfloat16_packs =
        facts.float_atomics.float32_packs;
    return facts;
}

// Contiguous rows of an element's size times a power of two or three, by one to four coordinates.
static void plain_problem(rng *r, clnd__problem *p)
{
    static const clnd_dtype dtypes[] = {CLND_BOOL,     CLND_INT8,      CLND_INT16,     CLND_INT32,
                                        CLND_INT64,    CLND_UINT8,     CLND_UINT16,    CLND_UINT32,
                                        CLND_UINT64,   CLND_FLOAT16,   CLND_FLOAT32,   CLND_FLOAT64,
                                        CLND_BFLOAT16, CLND_COMPLEX64, CLND_COMPLEX128};
    const clnd_dtype dtype = dtypes[rng_range(r, 0, 14)];
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    const int64_t columns =
        rng_chance(r, 30) ? rng_range(r, 1, 9) : INT64_C(1) << rng_range(r, 0, 9);
    const clnd__view view = {.dtype = dtype};
    const clnd__view indices = {.dtype = rng_chance(r, 40)   ? CLND_INT32
                                         : rng_chance(r, 50) ? CLND_INT64
                                                             : CLND_UINT8};
    clnd__problem_begin(p, &view, &view, &indices);
    clnd__problem_add_outer(p, rng_range(r, 2, 100000), 0, columns * size, 64);
    int64_t stride = columns * size;
    for (int k = (int)rng_range(r, 0, 4); k > 0; --k) {
        const int64_t extent = rng_range(r, 1, 100);
        clnd__problem_add_coordinate(p, extent, stride);
        stride *= extent;
    }
    if (columns > 1)
        clnd__problem_add_slice(p, columns, size, size);
}

static bool is_defined(clnd_dtype dtype, clnd_reduce reduce)
{
    const bool is_complex = dtype == CLND_COMPLEX64 || dtype == CLND_COMPLEX128;
    return !clnd__dtype_is_opaque(dtype) && !(dtype == CLND_BOOL && reduce == CLND_REDUCE_SUB) &&
           !(is_complex && (reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX));
}

static void list(rng *r)
{
    const clnd_device_facts facts = any_device(r);
    const clnd__planner planner = clnd__planner_make(&facts, any_words(r));
    const clnd__memory memory = {.buffer = (cl_mem)&facts, .size = SIZE_MAX / 2, .alignment = 128};
    const int adjust = (int)rng_range(r, CLND_ADJUST_NONE, CLND_ADJUST_WRAP);
    clnd__call call = {0};
    clnd__problem problem;
    clnd__gather_plan gather;
    clnd__scatter_plan scatter;
    if (rng_chance(r, 30))
        random_problem(r, &problem);
    else
        plain_problem(r, &problem);
    if (rng_chance(r, 40)) {
        const void *fill = rng_chance(r, 50) ? &facts : NULL;
        if (clnd__gather_plan_make(&planner, problem, adjust, fill, &memory, &memory, &memory,
                                   &gather) == CLND_OK &&
            gather.n_buffers > 0)
            clnd__call_prepare(&call, &gather.move.kernel);
        return;
    }
    const clnd__scatter_options options = {.reduce = (clnd_reduce)rng_range(r, 1, 6),
                                           .adjust = adjust,
                                           .deterministic = rng_chance(r, 50),
                                           .unique = rng_chance(r, 10)};
    if (options.reduce != CLND_REDUCE_UPDATE && !is_defined(problem.dtype, options.reduce))
        return;
    int64_t first, last;
    for (int k = 0; k < problem.n_coordinates; ++k)
        if (problem.coordinates[k].extent == 0)
            return;
    clnd__problem_row_range(&problem, &first, &last);
    const int64_t size = (int64_t)clnd_dtype_size(problem.dtype);
    const int64_t row = clnd__problem_slice_size(&problem) * size;
    if (clnd__scatter_plan_make(&planner, problem, &options, &memory, first, last + row, &memory,
                                &memory, &scatter) == CLND_OK &&
        scatter.strategy)
        scatter.strategy->prepare(&call, &scatter);
}

int main(int argc, char **argv)
{
    const int count = argc == 2 ? atoi(argv[1]) : 0;
    for (int i = 0; i < count; ++i) {
        rng r = rng_for("options", i);
        list(&r);
    }
    return count == 0;
}

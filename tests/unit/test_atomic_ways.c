// SPDX-License-Identifier: Apache-2.0
//
// Which way ATOMIC takes on devices of all kinds, and what a column is there; and the probe that
// finds what a device adds by itself.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "host/cl/atomic_probe.h"
#include "host/exec/scatter_atomics.h"

static const clnd_device_facts without = {.int64_atomics = true, .fp64 = true};

static void force(const char *strategy)
{
    if (strategy)
        clnd__strategy_use(strategy);
    else
        clnd__strategy_use(NULL);
}

static clnd_device_facts adding(clnd_atomics_language language)
{
    clnd_device_facts facts = without;
    facts.float_atomics =
        (clnd_float_atomics){language, true, true, true, true, language == CLND_ATOMICS_PTX, {0}};
    return facts;
}

// Rows of `width` elements, `pitch` bytes from one to the next, the first at byte `offset`.
static clnd__problem rows_of(clnd_dtype dtype, int64_t width, int64_t pitch, int64_t offset)
{
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    clnd__problem p;
    memset(&p, 0, sizeof p);
    p.dtype = dtype;
    p.index_dtype = CLND_INT32;
    p.n_outer = p.n_coordinates = 1;
    p.n_slice = width > 1;
    p.outer[0] = (clnd__axis){.size = 10, .dense = width * size, .index = 4};
    p.coordinates[0].extent = 7;
    p.coordinates[0].stride = pitch;
    p.slice[0] = (clnd__axis){.size = width, .data = size, .dense = size};
    p.data_offset = offset;
    return p;
}

static clnd__atomics lower(const clnd_device_facts *facts, const clnd__problem *p,
                           clnd_reduce reduce, bool reached_by_host, clnd__move *move)
{
    const clnd__memory memory = {
        .size = 1000, .alignment = 128, .reached_by_host = reached_by_host};
    return clnd__atomics_lower(facts, p, reduce, &memory, &memory, move);
}

static int way_of(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce)
{
    const clnd__problem p = rows_of(dtype, 8, 8 * (int64_t)clnd_dtype_size(dtype), 0);
    clnd__move move;
    memset(&move, 0, sizeof move);
    return lower(facts, &p, reduce, false, &move).way;
}

Test(atomic_ways, ways)
{
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool summed_by_all; // of those languages that have it
        int otherwise;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, CLND_ATOMIC_EXCHANGE},
        {CLND_FLOAT32, CLND_REDUCE_SUB, true, CLND_ATOMIC_EXCHANGE},
        {CLND_FLOAT64, CLND_REDUCE_ADD, true, CLND_ATOMIC_EXCHANGE},
        {CLND_COMPLEX64, CLND_REDUCE_SUB, true, CLND_ATOMIC_EXCHANGE},
        {CLND_COMPLEX128, CLND_REDUCE_ADD, true, CLND_ATOMIC_EXCHANGE},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, CLND_ATOMIC_EXCHANGE},
        {CLND_BFLOAT16, CLND_REDUCE_SUB, true, CLND_ATOMIC_EXCHANGE},
        {CLND_FLOAT32, CLND_REDUCE_MUL, false, CLND_ATOMIC_LOOP},
        {CLND_FLOAT32, CLND_REDUCE_MIN, false, CLND_ATOMIC_ORDER},
        {CLND_FLOAT32, CLND_REDUCE_MAX, false, CLND_ATOMIC_ORDER},
        {CLND_FLOAT64, CLND_REDUCE_MAX, false, CLND_ATOMIC_LOOP},
        {CLND_FLOAT16, CLND_REDUCE_MIN, false, CLND_ATOMIC_LOOP},
        {CLND_COMPLEX64, CLND_REDUCE_MUL, false, CLND_ATOMIC_LOOP},
        {CLND_INT32, CLND_REDUCE_ADD, false, CLND_ATOMIC_LOOP},
        {CLND_INT16, CLND_REDUCE_SUB, false, CLND_ATOMIC_LOOP},
        {CLND_BOOL, CLND_REDUCE_MAX, false, CLND_ATOMIC_LOOP},
    };
    static const struct {
        clnd_atomics_language language;
        int way;
    } languages[] = {{CLND_ATOMICS_OPENCL, CLND_ATOMIC_OPENCL},
                     {CLND_ATOMICS_PTX, CLND_ATOMIC_PTX},
                     {CLND_ATOMICS_AMD, CLND_ATOMIC_AMD}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const clnd_dtype dtype = cases[i].dtype;
        const clnd_reduce reduce = cases[i].reduce;
        case_begin("ways", (int)i);
        force(NULL);
        check(way_of(&without, dtype, reduce) == cases[i].otherwise, "without");
        for (int l = 0; l < 3; ++l) {
            const clnd_device_facts facts = adding(languages[l].language);
            force(NULL);
            check(way_of(&facts, dtype, reduce) ==
                      (cases[i].summed_by_all ? languages[l].way : cases[i].otherwise),
                  "language %d", l);
            force("atomic,exchange");
            check(way_of(&facts, dtype, reduce) == cases[i].otherwise, "exchange");
            force("lanes,cas");
            check(way_of(&facts, dtype, reduce) == CLND_ATOMIC_LOOP, "cas");
        }
    }
    force(NULL);
}

// Loops for sums of floats are compiled for few axes only.
Test(atomic_ways, many_axes)
{
    force("lanes,cas");
    for (int n = 1; n <= 4; ++n) {
        clnd__problem p = rows_of(CLND_COMPLEX64, 8, 64, 0);
        clnd__move move;
        memset(&move, 0, sizeof move);
        case_begin("ways on many axes", n);
        p.n_coordinates = n;
        for (int k = 0; k < n; ++k)
            p.coordinates[k] = (clnd__coordinate){2, 64};
        const bool few = n <= CLND_SMALL_COORDINATES;
        check(lower(&without, &p, CLND_REDUCE_ADD, false, &move).way ==
                  (few ? CLND_ATOMIC_LOOP : CLND_ATOMIC_EXCHANGE),
              "sums");
        check(lower(&without, &p, CLND_REDUCE_MUL, false, &move).way == CLND_ATOMIC_LOOP, "others");
    }
    force(NULL);
}

Test(atomic_ways, each_dtype_has_a_fact_of_its_own)
{
    static const clnd_dtype dtypes[] = {CLND_FLOAT32, CLND_FLOAT64, CLND_FLOAT16, CLND_BFLOAT16};
    case_begin("facts", 0);
    force(NULL);
    for (int has = 0; has < 4; ++has) {
        clnd_device_facts facts = without;
        facts.float_atomics = (clnd_float_atomics){CLND_ATOMICS_PTX, has == 0, has == 1, has == 2,
                                                   has == 3,         false,    {0}};
        for (int of = 0; of < 4; ++of)
            check((way_of(&facts, dtypes[of], CLND_REDUCE_ADD) == CLND_ATOMIC_PTX) == (of == has),
                  "fact %d, dtype %d", has, of);
        check((way_of(&facts, CLND_COMPLEX64, CLND_REDUCE_ADD) == CLND_ATOMIC_PTX) == (has == 0) &&
                  (way_of(&facts, CLND_COMPLEX128, CLND_REDUCE_ADD) == CLND_ATOMIC_PTX) ==
                      (has == 1),
              "parts of complex numbers, fact %d", has);
    }
}

Test(atomic_ways, amd_leaves_memory_of_the_host_alone)
{
    case_begin("host memory", 0);
    force(NULL);
    const clnd__problem p = rows_of(CLND_FLOAT32, 4, 16, 0);
    for (int host = 0; host < 2; ++host) {
        clnd__move move;
        clnd_device_facts facts = adding(CLND_ATOMICS_AMD);
        memset(&move, 0, sizeof move);
        check(lower(&facts, &p, CLND_REDUCE_ADD, host, &move).way ==
                  (host ? CLND_ATOMIC_EXCHANGE : CLND_ATOMIC_AMD),
              "AMD, host %d", host);
        facts = adding(CLND_ATOMICS_PTX);
        check(lower(&facts, &p, CLND_REDUCE_ADD, host, &move).way == CLND_ATOMIC_PTX,
              "NVIDIA, host %d", host);
    }
}

Test(atomic_ways, columns)
{
    static const struct {
        const char *what;
        clnd_atomics_language language;
        clnd_dtype dtype;
        int64_t width, pitch, offset;
        const char *words;
        int pack;
        int64_t columns;
    } cases[] = {
        {"pairs", CLND_ATOMICS_NONE, CLND_FLOAT16, 8, 16, 4, NULL, 2, 4},
        {"a single one behind pairs", CLND_ATOMICS_NONE, CLND_FLOAT16, 7, 16, 0, NULL, 2, 4},
        {"single ones at both ends", CLND_ATOMICS_NONE, CLND_FLOAT16, 8, 16, 2, NULL, 2, 5},
        {"rows that begin anywhere", CLND_ATOMICS_NONE, CLND_BFLOAT16, 7, 14, 0, NULL, 2, 4},
        {"even ones, too", CLND_ATOMICS_NONE, CLND_BFLOAT16, 6, 14, 0, NULL, 2, 4},
        {"two elements", CLND_ATOMICS_AMD, CLND_FLOAT16, 2, 4, 0, NULL, 2, 1},
        {"one element has no neighbour", CLND_ATOMICS_PTX, CLND_FLOAT16, 1, 2, 0, NULL, 1, 1},
        {"OpenCL adds single halves", CLND_ATOMICS_OPENCL, CLND_FLOAT16, 8, 16, 0, NULL, 1, 8},
        {"unless loops do it", CLND_ATOMICS_OPENCL, CLND_FLOAT16, 8, 16, 0, "cas", 2, 4},
        {"integers of 16 bits", CLND_ATOMICS_NONE, CLND_UINT16, 8, 16, 0, NULL, 2, 4},
        {"not of 8", CLND_ATOMICS_NONE, CLND_UINT8, 8, 8, 0, NULL, 1, 8},
        {"four of float32", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 0, NULL, 4, 2},
        {"two, as rows end", CLND_ATOMICS_PTX, CLND_FLOAT32, 6, 24, 0, NULL, 2, 3},
        {"two, as rows begin", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 8, NULL, 2, 4},
        {"one, as rows begin", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 4, NULL, 1, 8},
        {"only by PTX", CLND_ATOMICS_AMD, CLND_FLOAT32, 8, 32, 0, NULL, 1, 8},
        {"unless they are asked for", CLND_ATOMICS_NONE, CLND_FLOAT32, 8, 32, 0, "packs", 4, 2},
        {"not of what has 8 bytes", CLND_ATOMICS_PTX, CLND_FLOAT64, 8, 64, 0, "packs", 1, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        clnd__move move;
        case_begin("columns", (int)i);
        case_note("%s", cases[i].what);
        force(cases[i].words);
        const clnd_device_facts facts = cases[i].language ? adding(cases[i].language) : without;
        const clnd__problem p =
            rows_of(cases[i].dtype, cases[i].width, cases[i].pitch, cases[i].offset);
        const clnd__atomics atomics = lower(&facts, &p, CLND_REDUCE_ADD, false, &move);
        check(atomics.pack == cases[i].pack && move.args.columns == cases[i].columns,
              "packs of %d, %" PRId64 " columns", atomics.pack, (int64_t)move.args.columns);
        const clnd_axis_args *inner = &move.args.axes[CLND_SLICE_AXIS(0)];
        const int64_t bytes = atomics.pack * (int64_t)clnd_dtype_size(cases[i].dtype);
        check(inner->size == cases[i].columns && inner->data == bytes && inner->dense == bytes &&
                  move.unit == bytes,
              "%" PRId64 " steps of %" PRId64 " bytes", (int64_t)inner->size, (int64_t)inner->data);
        if (bytes == 4 && atomics.pack == 2)
            check(inner->index == cases[i].width, "%" PRId64 " elements", (int64_t)inner->index);
    }
    force(NULL);
}

// Loops and exchanges add up on every device. What it cannot compile, or has no code for, does not.
Test(atomic_ways, probe)
{
    static const struct {
        int way;
        clnd_dtype dtype;
        int pack;
        bool adds;
    } cases[] = {
        {CLND_ATOMIC_LOOP, CLND_FLOAT32, 1, true},
        {CLND_ATOMIC_EXCHANGE, CLND_FLOAT32, 4, true},
        {CLND_ATOMIC_LOOP, CLND_FLOAT16, 2, true},
        {CLND_ATOMIC_EXCHANGE, CLND_BFLOAT16, 2, true},
        {CLND_ATOMIC_EXCHANGE, CLND_FLOAT64, 1, true},
        {CLND_ATOMIC_AMD, CLND_FLOAT32, 1, false},
        {CLND_ATOMIC_AMD, CLND_BFLOAT16, 2, false},
    };
    const device *d = device_get();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bool adds = !cases[i].adds;
        case_begin("probe", (int)i);
        if (cases[i].dtype == CLND_FLOAT64 && !(d->facts->fp64 && d->facts->int64_atomics))
            continue;
        check_status(clnd__atomic_probe(d->context, d->id, cases[i].way, cases[i].dtype,
                                        cases[i].pack, &adds),
                     CLND_OK);
        check(adds == cases[i].adds, "adds: %d", adds);
    }
    clnd_device_facts facts = *d->facts;
    facts.float_atomics = (clnd_float_atomics){CLND_ATOMICS_AMD, true, true, true, true, true, {0}};
    check_status(clnd__float_atomics_probe(d->context, d->id, &facts), CLND_OK);
    const clnd_float_atomics *found = &facts.float_atomics;
    check(memcmp(found, &d->facts->float_atomics, sizeof *found) == 0 ||
              found->language == CLND_ATOMICS_OPENCL,
          "a claim of AMD's language ends as %d", (int)found->language);
}

// SPDX-License-Identifier: Apache-2.0
//
// Which way atomics take on devices of all kinds, and what a column is there; and the probe that
// finds what a device adds by itself.

#include "host/exec/strategies/atomic.c"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "plans.h"

// A device that adds floats in this way, as far as there is one.
static clnd_device_facts adding(clnd_atomics_language language)
{
    const bool adds = language != CLND_ATOMICS_NONE, ptx = language == CLND_ATOMICS_PTX;
    clnd_device_facts facts = plain_gpu;
    facts.int64_atomics = facts.fp64 = true;
    facts.float_atomics =
        (clnd_float_atomics){language, adds, adds, adds, adds, ptx, ptx, ptx, {0}};
    return facts;
}

// Rows of `width` elements.
static planned rows_of(clnd_atomics_language language, clnd_dtype dtype, clnd_reduce reduce,
                       int64_t width)
{
    const clnd_device_facts facts = adding(language);
    planned p = planned_rows(&facts, dtype, reduce, 10, width, 7);
    p.memory.size = 1000;
    return p;
}

// How a column is added; `words` beside those that ask for it.
static const clnd__move *plan_move(planned *p, const char *words)
{
    char all[64];
    snprintf(all, sizeof all, "must,atomic,%s", words ? words : "");
    p->words = all;
    planned_expect(p, "atomic");
    return &own(&p->plan)->cold;
}

static int way_of(planned *p, const char *words)
{
    return plan_move(p, words)->kernel.options.atomic;
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
        planned p = rows_of(CLND_ATOMICS_NONE, cases[i].dtype, cases[i].reduce, 8);
        case_begin("ways", (int)i);
        check(way_of(&p, NULL) == cases[i].otherwise, "without");
        for (int l = 0; l < 3; ++l) {
            p.facts = adding(languages[l].language);
            check(way_of(&p, NULL) ==
                      (cases[i].summed_by_all ? languages[l].way : cases[i].otherwise),
                  "language %d", l);
            check(way_of(&p, "exchange") == cases[i].otherwise, "exchange");
        }
    }
}

// Copies in local memory: NVIDIA's additions are for both memories, the others' for global memory.
Test(atomic_ways, private_copies)
{
    static const struct {
        clnd_atomics_language language;
        clnd_dtype dtype;
        clnd_reduce reduce;
        int way;
    } cases[] = {
        {CLND_ATOMICS_PTX, CLND_FLOAT32, CLND_REDUCE_ADD, CLND_ATOMIC_PTX},
        {CLND_ATOMICS_PTX, CLND_FLOAT16, CLND_REDUCE_SUB, CLND_ATOMIC_PTX},
        {CLND_ATOMICS_PTX, CLND_COMPLEX128, CLND_REDUCE_ADD, CLND_ATOMIC_PTX},
        {CLND_ATOMICS_PTX, CLND_FLOAT32, CLND_REDUCE_MAX, CLND_ATOMIC_LOOP},
        {CLND_ATOMICS_PTX, CLND_INT32, CLND_REDUCE_ADD, CLND_ATOMIC_LOOP},
        {CLND_ATOMICS_AMD, CLND_FLOAT32, CLND_REDUCE_ADD, CLND_ATOMIC_LOOP},
        {CLND_ATOMICS_OPENCL, CLND_FLOAT32, CLND_REDUCE_ADD, CLND_ATOMIC_LOOP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        planned p = rows_of(cases[i].language, cases[i].dtype, cases[i].reduce, 1);
        case_begin("private copies", (int)i);
        p.words = "must,private,lanes";
        planned_expect(&p, "private");
        const clnd__move *fill = (const clnd__move *)&p.plan.own; // the first of its plan
        check(strcmp(fill->kernel.function, "private_lanes") == 0, "function %s",
              fill->kernel.function);
        check(fill->kernel.options.atomic == cases[i].way, "way %d", fill->kernel.options.atomic);
    }
}

Test(atomic_ways, each_dtype_has_a_fact_of_its_own)
{
    static const struct {
        clnd_dtype dtype;
        int fact;
    } sums[] = {{CLND_FLOAT32, 0},  {CLND_FLOAT64, 1},   {CLND_FLOAT16, 2},
                {CLND_BFLOAT16, 3}, {CLND_COMPLEX64, 0}, {CLND_COMPLEX128, 1}};
    for (int has = 0; has < 4; ++has)
        for (int i = 0; i < 6; ++i) {
            planned p = rows_of(CLND_ATOMICS_NONE, sums[i].dtype, CLND_REDUCE_ADD, 8);
            case_begin("facts", 6 * has + i);
            p.facts.float_atomics = (clnd_float_atomics){
                CLND_ATOMICS_PTX, has == 0, has == 1, has == 2, has == 3, false, false, false, {0}};
            check((way_of(&p, NULL) == CLND_ATOMIC_PTX) == (sums[i].fact == has),
                  "fact %d, sum number %d", has, i);
        }
}

Test(atomic_ways, amd_leaves_memory_of_the_host_alone)
{
    for (int host = 0; host < 2; ++host) {
        planned p = rows_of(CLND_ATOMICS_AMD, CLND_FLOAT32, CLND_REDUCE_ADD, 4);
        case_begin("host memory", host);
        p.memory.reached_by_host = host;
        check(way_of(&p, NULL) == (host ? CLND_ATOMIC_EXCHANGE : CLND_ATOMIC_AMD), "AMD");
        p.facts = adding(CLND_ATOMICS_PTX);
        check(way_of(&p, NULL) == CLND_ATOMIC_PTX, "NVIDIA");
    }
}

// Elements of 8 and 16 bits are updated by the word around them.
Test(atomic_ways, what_there_are_atomics_for)
{
    static const struct {
        const char *what;
        clnd_dtype dtype;
        clnd_reduce reduce;
        int64_t end;
        size_t size, alignment;
        bool deterministic, wide, possible;
    } cases[] = {
        {"bytes", CLND_INT8, CLND_REDUCE_ADD, 56, 56, 128, true, false, true},
        {"half a word", CLND_INT8, CLND_REDUCE_ADD, 54, 54, 128, true, false, false},
        {"a word that has room", CLND_INT8, CLND_REDUCE_ADD, 54, 56, 128, true, false, true},
        {"words anywhere", CLND_INT8, CLND_REDUCE_ADD, 56, 56, 2, true, false, false},
        {"halves", CLND_FLOAT16, CLND_REDUCE_ADD, 112, 112, 128, false, false, true},
        {"words", CLND_INT32, CLND_REDUCE_ADD, 224, 224, 4, true, false, true},
        {"double words", CLND_INT64, CLND_REDUCE_ADD, 448, 448, 128, true, true, true},
        {"no double words", CLND_INT64, CLND_REDUCE_ADD, 448, 448, 128, true, false, false},
        {"parts of complex sums", CLND_COMPLEX64, CLND_REDUCE_SUB, 448, 448, 4, false, false, true},
        {"complex products", CLND_COMPLEX64, CLND_REDUCE_MUL, 448, 448, 8, false, true, true},
        {"without double words", CLND_COMPLEX64, CLND_REDUCE_MUL, 448, 448, 8, false, false, false},
        {"not aligned", CLND_COMPLEX64, CLND_REDUCE_MUL, 448, 448, 4, false, true, false},
        {"too long", CLND_COMPLEX128, CLND_REDUCE_MUL, 896, 896, 128, false, true, false},
        {"floats in order", CLND_FLOAT32, CLND_REDUCE_ADD, 224, 224, 128, true, true, false},
        {"no combination", CLND_INT32, CLND_REDUCE_UPDATE, 224, 224, 128, false, true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        planned p = rows_of(CLND_ATOMICS_NONE, cases[i].dtype, cases[i].reduce, 8);
        case_begin("atomics for", (int)i);
        case_note("%s", cases[i].what);
        p.end = cases[i].end;
        p.memory.size = cases[i].size;
        p.memory.alignment = cases[i].alignment;
        p.facts.int64_atomics = cases[i].wide;
        p.options.deterministic = cases[i].deterministic;
        if (cases[i].possible)
            plan_move(&p, NULL);
        else
            planned_refuse(&p, "atomic");
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
        {"two halves", CLND_ATOMICS_NONE, CLND_FLOAT16, 8, 16, 4, NULL, 2, 4},
        {"of odd rows single ones", CLND_ATOMICS_NONE, CLND_FLOAT16, 7, 16, 0, NULL, 1, 7},
        {"of rows within words, too", CLND_ATOMICS_NONE, CLND_FLOAT16, 8, 16, 2, NULL, 1, 8},
        {"and of rows that begin anywhere", CLND_ATOMICS_AMD, CLND_BFLOAT16, 6, 14, 0, NULL, 1, 6},
        {"two elements", CLND_ATOMICS_AMD, CLND_FLOAT16, 2, 4, 0, NULL, 2, 1},
        {"one element has no neighbour", CLND_ATOMICS_PTX, CLND_FLOAT16, 1, 2, 0, NULL, 1, 1},
        {"OpenCL adds single halves", CLND_ATOMICS_OPENCL, CLND_FLOAT16, 8, 16, 0, NULL, 1, 8},
        {"unless swaps do it", CLND_ATOMICS_OPENCL, CLND_FLOAT16, 8, 16, 0, "exchange", 2, 4},
        {"eight halves", CLND_ATOMICS_PTX, CLND_FLOAT16, 16, 32, 0, NULL, 8, 2},
        {"four, as rows begin", CLND_ATOMICS_PTX, CLND_BFLOAT16, 16, 32, 8, NULL, 4, 4},
        {"two, as rows end", CLND_ATOMICS_PTX, CLND_FLOAT16, 6, 16, 0, NULL, 2, 3},
        {"not of integers", CLND_ATOMICS_PTX, CLND_INT16, 16, 32, 0, "packs", 2, 8},
        {"eight that are asked for", CLND_ATOMICS_NONE, CLND_FLOAT16, 16, 32, 0, "packs", 8, 2},
        {"integers of 16 bits", CLND_ATOMICS_NONE, CLND_UINT16, 8, 16, 0, NULL, 2, 4},
        {"not of 8", CLND_ATOMICS_NONE, CLND_UINT8, 8, 8, 0, NULL, 1, 8},
        {"four of float32", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 0, NULL, 4, 2},
        {"two, as rows end", CLND_ATOMICS_PTX, CLND_FLOAT32, 6, 24, 0, NULL, 2, 3},
        {"two, as rows begin", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 8, NULL, 2, 4},
        {"one, as rows begin", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 4, NULL, 1, 8},
        {"only by PTX", CLND_ATOMICS_AMD, CLND_FLOAT32, 8, 32, 0, NULL, 1, 8},
        {"not by swaps", CLND_ATOMICS_PTX, CLND_FLOAT32, 8, 32, 0, "exchange", 1, 8},
        {"unless they are asked for", CLND_ATOMICS_NONE, CLND_FLOAT32, 8, 32, 0, "packs", 4, 2},
        {"not of what has 8 bytes", CLND_ATOMICS_PTX, CLND_FLOAT64, 8, 64, 0, "packs", 1, 8},
    };
    // Columns of several elements are for rows that are worth a kernel of their own.
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; ++i) {
        const bool few = i % 2;
        const size_t n = i / 2;
        planned p = rows_of(cases[n].language, cases[n].dtype, CLND_REDUCE_ADD, cases[n].width);
        char words[32];
        case_begin("columns", (int)i);
        case_note("%s", cases[n].what);
        snprintf(words, sizeof words, "%s,%s", few ? "" : "rows",
                 cases[n].words ? cases[n].words : "");
        p.problem.coordinates[0].stride = cases[n].pitch;
        p.problem.data_offset = p.begin = cases[n].offset;
        p.end = p.begin + 7 * cases[n].pitch;
        const clnd__move *move = plan_move(&p, words);
        const int64_t size = (int64_t)clnd_dtype_size(cases[n].dtype);
        const int expected = few ? 1 : cases[n].pack;
        const int64_t columns = few ? cases[n].width : cases[n].columns;
        const int pack = move->kernel.options.pack;
        check((pack ? pack : 1) == expected && move->args.columns == columns,
              "packs of %d, %" PRId64 " columns", pack, (int64_t)move->args.columns);
        const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
        const int64_t bytes = expected * size;
        check(inner->size == columns && inner->data == bytes && inner->dense == bytes &&
                  move->unit == bytes,
              "%" PRId64 " steps of %" PRId64 " bytes", (int64_t)inner->size, (int64_t)inner->data);
        const bool lanes = strcmp(move->kernel.source, "scatter_lanes") == 0;
        check(!lanes || !few, "a kernel for few rows");
        check(lanes || few || size == 1, "no kernel for rows");
    }
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
        {CLND_ATOMIC_EXCHANGE, CLND_FLOAT16, 8, true},
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
    facts.float_atomics =
        (clnd_float_atomics){CLND_ATOMICS_AMD, true, true, true, true, true, true, true, {0}};
    check_status(clnd__float_atomics_probe(d->context, d->id, &facts), CLND_OK);
    const clnd_float_atomics *found = &facts.float_atomics;
    check(memcmp(found, &d->facts->float_atomics, sizeof *found) == 0 ||
              found->language == CLND_ATOMICS_OPENCL,
          "a claim of AMD's language ends as %d", (int)found->language);
}

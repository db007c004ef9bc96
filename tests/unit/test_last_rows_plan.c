// SPDX-License-Identifier: Apache-2.0
//
// When the last row of each location is found first, by sizes on both sides of each bound, and what
// is planned then.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "plans.h"

static bool are_found(planned *p)
{
    planned_make(p);
    return strstr(p->plan.reason, "only the last row") != NULL;
}

Test(last_rows_plan, choice)
{
    enum { MIB = 1 << 20 };
    static const struct {
        int64_t locations, each, width; // rows of a location, float32 of a row
        bool deterministic, unique;
        uint64_t cache;       // 0: not known
        const char *platform; // NULL: one whose compiler has kernels for rows
        bool last;
    } cases[] = {
        {100, 17, 1, false, false, 0, NULL, true}, // threads would contend
        {100, 16, 1, false, false, 0, NULL, false},
        {100, 16, 1, true, false, 0, NULL, true},
        {1000, 2, 1, true, false, 0, NULL, true},
        {1000, 1, 1, true, false, 0, NULL, false},
        {1000, 2, 16, false, false, 0, NULL, true}, // whole lines
        {1000, 2, 15, false, false, 0, NULL, false},
        {1000, 1, 16, false, false, 0, NULL, false},
        {1000, 2, 16, false, true, 0, NULL, false},
        {100, 2, 16, false, false, 0, NULL, false},    // little to do
        {4 * MIB, 2, 16, false, false, 0, NULL, true}, // copies of 64 MiB
        {4 * MIB + 1, 2, 16, false, false, 0, NULL, false},
        {MIB, 2, 16, false, false, 32 * MIB, NULL, true}, // half of the cache
        {MIB + 1, 2, 16, false, false, 32 * MIB, NULL, false},
        {1000, 2147483, 16, true, false, 0, NULL, true},
        {1000, 2147484, 16, true, false, 0, NULL, false}, // numbers of more than 31 bits
        {100, 17, 16, true, false, 0, "rusticl", false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        case_begin("last rows", i);
        planned p =
            planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_UPDATE,
                         cases[i].each * cases[i].locations, cases[i].width, cases[i].locations);
        p.options.deterministic = cases[i].deterministic;
        p.options.unique = cases[i].unique;
        p.facts.cache = cases[i].cache;
        if (cases[i].platform)
            strcpy(p.facts.platform, cases[i].platform);
        check(are_found(&p) == cases[i].last, "%s: %s", p.plan.strategy->name, p.plan.reason);
    }
}

// Elements that no store writes whole, and a workspace that has no room for the copies.
Test(last_rows_plan, whole_stores_and_room)
{
    planned p = planned_rows(&plain_cpu, CLND_COMPLEX64, CLND_REDUCE_UPDATE, 10000, 1, 1000);
    case_begin("elements of last rows", 8);
    planned_expect(&p, "store");
    p = planned_rows(&plain_cpu, CLND_COMPLEX128, CLND_REDUCE_UPDATE, 10000, 1, 1000);
    case_begin("elements of last rows", 16);
    check(are_found(&p), "%s", p.plan.reason);
    p = planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_UPDATE, 10000, 16, 1000);
    case_begin("room for last rows", 0);
    planned_lend(&p, 0, 4 * 4032);
    check(are_found(&p), "%s", p.plan.reason);
    planned_lend(&p, 0, 4 * 4000 - 1);
    planned_expect(&p, "store");
}

// A target that rows can address whole becomes zeros on the way; what lies between such rows does
// not.
Test(last_rows_plan, zeros_and_workspace)
{
    planned p = planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_UPDATE, 10000, 16, 1000);
    case_begin("zeros of last rows", 0);
    check(are_found(&p) && !p.plan.zeroes && p.plan.first, "first");
    check(p.plan.workspace.bytes % 4032 == 0 && p.plan.workspace.bytes >= UINT64_C(4) * 4032,
          "%" PRIu64 " bytes", p.plan.workspace.bytes); // 1000 numbers in whole lines
    p.options.zeros = true;
    check(are_found(&p) && p.plan.zeroes, "all are addressed");
    p.end += 64;
    check(are_found(&p) && !p.plan.zeroes, "one more row is not addressed");
}

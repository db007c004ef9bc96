// SPDX-License-Identifier: Apache-2.0
//
// When one owner moves only the last row of each location, by sizes on both sides of each bound.

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "plans.h"

Test(owner_plan, last_rows)
{
    static const struct {
        int64_t locations, each, width; // rows of a location, float32 of a row
        const char *platform;           // NULL: one whose compiler has kernels for rows
        bool unique, last;
    } cases[] = {
        {100, 17, 8, NULL, false, true},       {100, 17, 7, NULL, false, false},
        {100, 16, 8, NULL, false, false},      {100, 17, 8, NULL, true, false},
        {8192, 17, 15, NULL, false, true}, // 480 KiB
        {8192, 17, 17, NULL, false, true},     {20000, 17, 15, NULL, false, false},
        {20000, 17, 16, NULL, false, true},    {100, 17, 10485, NULL, false, true}, // 4 MiB
        {100, 17, 10486, NULL, false, false},  {100, 17, 1311, "rusticl", false, false},
        {100, 17, 8, "rusticl", false, false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        case_begin("last rows", i);
        planned p =
            planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_UPDATE,
                         cases[i].each * cases[i].locations, cases[i].width, cases[i].locations);
        p.options.unique = cases[i].unique;
        if (cases[i].platform)
            strcpy(p.facts.platform, cases[i].platform);
        const char *strategy = planned_make(&p);
        check((strstr(p.plan.reason, "only the last row") != NULL) == cases[i].last, "%s: %s",
              strategy, p.plan.reason);
    }
    // More than few locations need all threads, which such a platform has only stores for.
    planned p = planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_UPDATE, 1700, 1311, 100);
    case_begin("last rows", 100);
    strcpy(p.facts.platform, "rusticl");
    planned_expect(&p, "store");
}

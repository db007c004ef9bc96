// SPDX-License-Identifier: Apache-2.0
//
// Scatters whose rows lie along an outer axis of the target, which work-items share out: random
// problems of every op that has such axes, dtypes, reductions and strides.

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "problem.h"

Test(outer, random_problems)
{
    enum { N_PROBLEMS = 6000 };
    static const char *const words[] = {"must,outer", "must,outer,rows"};
    static problem p;
    rng r;
    const device *d = device_get();
    int taken = 0;
    const uint64_t count = (uint64_t)case_count(N_PROBLEMS);
    for (uint64_t number = 0; number < count; number++) {
        const op_id op = problem_op(rng_base_seed(), number);
        if (!op_is_scatter(op))
            continue;
        problem_draw(&p, rng_base_seed(), number, &r);
        if (p.scale != SCALE_SMALL && number % 8)
            continue;
        problem_run(&p, d, rng_base_seed(), number, words[number % 2], false);
        taken += p.done && strcmp(p.plan.strategy, "outer") == 0;
    }
    problem_end();
    check(!d->facts->is_cpu || taken > 0, "taken by none");
}

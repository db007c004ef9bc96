// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic that says when it overflows, compared with the compiler's own.

#include <criterion/criterion.h>
#include <inttypes.h>

#include "check.h"
#include "host/base/checked.h"

// Numbers around which something changes: sign, 32 bits, the root of the largest, the limits.
static const int64_t middles[] = {
    0, INT32_MAX, UINT32_MAX, 3037000499, INT64_MAX / 3, INT64_MAX / 2, INT64_MAX - 3};

static int64_t near_a_limit(rng *r)
{
    const int64_t middle = middles[rng_range(r, 0, sizeof middles / sizeof *middles - 1)];
    const int64_t value = middle + rng_range(r, -3, 3);
    return rng_chance(r, 50) ? value : -value - rng_chance(r, 50);
}

// The divisor of a limit, or a number beside it.
static int64_t partner(rng *r, int64_t a)
{
    const int64_t limit = rng_chance(r, 50) ? INT64_MAX : INT64_MIN;
    if ((a >= -1 && a <= 1) || rng_chance(r, 50))
        return near_a_limit(r);
    return limit / a + rng_range(r, -1, 1);
}

Test(checked, sums_and_products_are_those_of_the_compiler)
{
    for (int number = 0; number < case_count(200000); ++number) {
        case_begin("checked", number);
        const int64_t a = near_a_limit(case_rng());
        const int64_t b = partner(case_rng(), a);
        int64_t wanted, got = 0;
        const bool has_sum = !__builtin_add_overflow(a, b, &wanted);
        check(clnd__add(a, b, &got) == has_sum, "%" PRId64 " + %" PRId64, a, b);
        check(!has_sum || got == wanted, "%" PRId64 " + %" PRId64 " = %" PRId64, a, b, got);
        const bool has_product = !__builtin_mul_overflow(a, b, &wanted);
        check(clnd__multiply(a, b, &got) == has_product, "%" PRId64 " * %" PRId64, a, b);
        check(!has_product || got == wanted, "%" PRId64 " * %" PRId64 " = %" PRId64, a, b, got);
    }
}

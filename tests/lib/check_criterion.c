// SPDX-License-Identifier: Apache-2.0
//
// How a Criterion test ends.

#include <criterion/criterion.h>
#include <stdlib.h>

#include "check.h"

void check_fail(const char *text)
{
    cr_assert_fail("%s", text);
    abort();
}

void check_skip(const char *reason)
{
    cr_skip_test("%s", reason);
    abort();
}

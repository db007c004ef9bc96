// SPDX-License-Identifier: Apache-2.0
//
// A driver that ends whatever program loads it, by the signal CRASH_BY.

#include <signal.h>
#include <stdlib.h>

__attribute__((constructor)) static void crash(void)
{
    const char *number = getenv("CRASH_BY");
    raise(number ? atoi(number) : SIGSEGV);
}

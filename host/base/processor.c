// SPDX-License-Identifier: Apache-2.0

#include "host/base/processor.h"

#if defined(__GNUC__) && defined(__x86_64__)

#include <cpuid.h>

enum { AMD_ZEN_5 = 26 };

static bool is_by_amd(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_AMD_ebx &&
           ecx == signature_AMD_ecx && edx == signature_AMD_edx;
}

// As AMD's manual has it (CPUID, function 1): the base family, and from 15 on an extension's eight
// bits.
static unsigned family(void)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return 0;
    const unsigned base = eax >> 8 & 15;
    return base == 15 ? base + (eax >> 20 & 255) : base;
}

bool clnd__processor_fetches_into_first_cache(void)
{
    return is_by_amd() && family() >= AMD_ZEN_5;
}

#else

bool clnd__processor_fetches_into_first_cache(void)
{
    return false;
}

#endif

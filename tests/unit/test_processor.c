// SPDX-License-Identifier: Apache-2.0
//
// What is found of the processor, compared with what Linux says of it.

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "host/base/processor.h"

Test(processor, only_zen_5_and_later_fetches_into_the_first_cache)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        cr_skip_test("/proc/cpuinfo is not there");
    bool is_amd = false;
    int family = 0;
    for (char line[4096]; fgets(line, sizeof line, file);) {
        is_amd = is_amd || strstr(line, ": AuthenticAMD");
        (void)sscanf(line, "cpu family : %d", &family);
    }
    fclose(file);
    check(clnd__processor_fetches_into_first_cache() == (is_amd && family >= 26),
          "family %d, of AMD: %d", family, is_amd);
}

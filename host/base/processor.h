// SPDX-License-Identifier: Apache-2.0
//
// The processor that this program runs on. Devices that are CPUs are no other.

#ifndef CLND_BASE_PROCESSOR_H
#define CLND_BASE_PROCESSOR_H

#include <stdbool.h>

// Whether its cores have rows sooner that are prefetched into their first cache at once, not by way
// of the second: AMD's from family 26 on, which is Zen 5. Those of Zen 4 take up to twice as long
// then (docs/measurements-rows.md). Only GCC and Clang for x86-64 can ask; others say no. In a
// virtual machine it takes microseconds.
bool clnd__processor_fetches_into_first_cache(void);

#endif

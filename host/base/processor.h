// SPDX-License-Identifier: Apache-2.0
//
// The processor that this program runs on. Devices that are CPUs are no other.

#ifndef CLND_BASE_PROCESSOR_H
#define CLND_BASE_PROCESSOR_H

#include <stdbool.h>

// Whether its cores have rows sooner that are prefetched into their first cache at once, not by way
// of the second: AMD's from family 26 on, which is Zen 5. Those of Zen 4 take up to twice as long
// then (docs/measurements.md). Asked once and kept: a virtual machine may take microseconds.
bool clnd__processor_fetches_into_first_cache(void);

#endif

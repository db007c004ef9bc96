// SPDX-License-Identifier: Apache-2.0
//
// Scatters that are planned as a whole, for devices that need not be there.

#ifndef LIB_PLANS_H
#define LIB_PLANS_H

#include "host/exec/scatter.h"

extern const clnd_device_facts plain_cpu; // PoCL, 4 units
extern const clnd_device_facts plain_gpu; // work-groups of 256, 20 units, no 64-bit atomics

typedef struct planned {
    clnd_device_facts facts;
    const char *words; // that force strategies; NULL: none
    clnd__problem problem;
    clnd__scatter_options options;
    clnd__memory memory; // of target, indices and updates
    clnd_workspace lent;
    int64_t begin, end; // bytes of its buffer that the target has
    clnd__scatter_plan plan;
} planned;

// Contiguous updates: `rows` of `columns` elements, of which each selects one of `locations`.
planned planned_rows(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                     int64_t rows, int64_t columns, int64_t locations);

// Lends bytes [offset, offset + size) as a workspace.
void planned_lend(planned *p, size_t offset, size_t size);

clnd_status planned_try(planned *p);

// Plans what can be planned; returns the strategy's name.
const char *planned_make(planned *p);

// Plans, and fails unless the strategy is taken and has room in what is lent.
void planned_expect(planned *p, const char *strategy);

// Fails unless the strategy, forced, cannot do the scatter.
void planned_refuse(planned *p, const char *strategy);

// Fails unless the kernel is this one and is compiled with the options, in their order.
void check_kernel(const clnd__kernel_id *kernel, const char *source, const char *function,
                  const char *options);

#endif

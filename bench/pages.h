// SPDX-License-Identifier: Apache-2.0
//
// Memory on pages of a chosen size, for the buffers of CPU devices and for what the C loops write.

#ifndef CLND_BENCH_PAGES_H
#define CLND_BENCH_PAGES_H

#include <stddef.h>

enum pages { PAGES_HUGE, PAGES_SMALL };

// "huge" or "small".
const char *pages_name(enum pages pages);

// Memory that begins on a boundary of 2 MiB and shares no huge page with anything else; it holds
// anything. The system is asked for the pages; whether it has huge ones is in machine.h. A process
// asks for pages of one size only. Not thread-safe. NULL without memory.
void *pages_take(size_t size, enum pages pages);

// Gives back what pages_take gave. It is kept for the next one, because new pages can take longer
// than a measurement. NULL is nothing.
void pages_give(void *memory);

// Returns to the system what is kept.
void pages_drop(void);

#endif

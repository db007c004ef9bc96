// SPDX-License-Identifier: Apache-2.0
//
// The machine and what its system gives to programs, as every result names them.

#ifndef CLND_BENCH_MACHINE_H
#define CLND_BENCH_MACHINE_H

struct machine {
    char processor[128];   // "unknown" where the system does not say, and so below
    int cores;             // online
    double l2_cache;       // bytes, of one core; 0 where the system does not say
    double l3_cache;       // bytes, of the cores that share it
    char huge_pages[16];   // the system's policy: "always", "madvise" or "never"
    double huge_bytes;     // of this process, that now lie on huge pages
    const char *allocator; // "jemalloc" where it is loaded, else "system"
};

void machine_describe(struct machine *machine);

#endif

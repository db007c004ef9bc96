// SPDX-License-Identifier: Apache-2.0
//
// What the tests of clnd-mpi begin with: MPI, a device, buffers.

#ifndef TESTS_MPI_WORLD_H
#define TESTS_MPI_WORLD_H

#include <clnd/mpi.h>

extern int my_rank, n_ranks;
extern int at_problem; // that failures name
extern clnd_engine *engine;

void world_begin(int *argc, char ***argv);
void world_end(void);

// Ends all ranks.
__attribute__((format(printf, 1, 2))) _Noreturn void die(const char *format, ...);
void check(clnd_status status, const char *what);

cl_mem make_buffer(const void *bytes, size_t size);
clnd_tensor tensor_of(const void *bytes, clnd_dtype dtype, int32_t rank, const int64_t *shape);

#endif

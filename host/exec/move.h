// SPDX-License-Identifier: Apache-2.0
//
// What the executors share: a folded problem becomes the arguments of a kernel, and the work is
// spread over work-items.

#ifndef CLND_EXEC_MOVE_H
#define CLND_EXEC_MOVE_H

#include "clnd/options.h"
#include "host/cl/call.h"
#include "host/exec/strategy.h"
#include "host/shape/problem.h"
#include "kernels_cl/args.h"

// A kernel to launch on one lowered problem.
typedef struct clnd__move {
    clnd__kernel_id kernel;
    clnd_move_args args;
    int64_t unit; // bytes of a column
    size_t global[2];
    size_t local;
} clnd__move;

// The most bytes, up to 16, that can move at once: they divide all strides, offsets and the gapless
// runs, and `alignment`, that of the buffers.
int64_t clnd__widest_unit(const clnd__problem *folded, size_t alignment);

// Sets the problem's part of move->args, in columns of `unit` bytes, which divides the gapless
// runs.
void clnd__lower(const clnd__problem *folded, int64_t unit, clnd__move *move);

// A strategy, and why it was chosen: a static text that needs no subject.
typedef struct clnd__choice {
    clnd_strategy strategy;
    const char *reason;
} clnd__choice;

// Which way to go: `wanted` if it is set, else what the words force if that is
// possible, else `automatic`. `possible` has the bits 1 << strategy.
clnd__choice clnd__choose(clnd_strategy wanted, unsigned possible, clnd__choice automatic);

// LANES where the device has groups of CLND_LANES and BLOCKS everywhere; INVALID_OPTION otherwise.
clnd_status clnd__choose_movement(const clnd_device_facts *facts, clnd_strategy wanted,
                                  clnd__choice *choice);

// Spread the lowered problem over the device. `spread_pieces` is `spread_lanes` where lanes take
// `pieces` of a row instead of its columns; `spread_tiles` divides the two slice axes into tiles
// of `side` units each way; `spread_not` has one work-item take it all. `spread_owners` needs the
// problem for the range of bytes to divide among the owners.
void clnd__spread_blocks(const clnd_device_facts *facts, clnd__move *move);
void clnd__spread_lanes(const clnd_device_facts *facts, clnd__move *move);
void clnd__spread_pieces(const clnd_device_facts *facts, int64_t pieces, clnd__move *move);
void clnd__spread_tiles(const clnd_device_facts *facts, int64_t side, clnd__move *move);
void clnd__spread_not(clnd__move *move);
void clnd__spread_owners(const clnd_device_facts *facts, const clnd__problem *folded,
                         clnd__move *move);

// Whether kernels for few axes do (-DSMALL=1).
bool clnd__move_is_small(const clnd__move *move);

// Names the kernel of a move that is lowered and spread. The options that all kernels have are
// added to those of `format`.
__attribute__((format(printf, 4, 5))) void clnd__move_set_kernel(clnd__move *move,
                                                                 const char *source,
                                                                 const char *function,
                                                                 const char *format, ...);

// The option of a reduction of doubles on a device that has none: they are computed in integers.
const char *clnd__soft_option(const clnd_device_facts *facts, clnd_dtype dtype);

// Launches the move's kernel on `n` buffers.
clnd_status clnd__move_enqueue(clnd__call *call, const clnd__move *move, int n,
                               const cl_mem *buffers);

#endif

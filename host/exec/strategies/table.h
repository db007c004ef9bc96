// SPDX-License-Identifier: Apache-2.0
//
// The strategies, in order of preference: the first that can do a call and pays is taken, and the
// last of each list always can. Each is one file of this folder.

#ifndef CLND_EXEC_STRATEGIES_TABLE_H
#define CLND_EXEC_STRATEGIES_TABLE_H

#include "host/exec/gather.h"
#include "host/exec/scatter.h"

#define CLND__GATHERS(EACH)                                                                        \
    EACH(buffer)                                                                                   \
    EACH(tiles)                                                                                    \
    EACH(lanes)                                                                                    \
    EACH(blocks)

#define CLND__SCATTERS(EACH)                                                                       \
    EACH(store)                                                                                    \
    EACH(outer)                                                                                    \
    EACH(private)                                                                                  \
    EACH(buckets)                                                                                  \
    EACH(atomic)                                                                                   \
    EACH(sort)                                                                                     \
    EACH(owner)

#define DECLARE(name) extern const clnd__gather_strategy clnd__gather_##name;
CLND__GATHERS(DECLARE)
#undef DECLARE
#define DECLARE(name) extern const clnd__scatter_strategy clnd__scatter_##name;
CLND__SCATTERS(DECLARE)
#undef DECLARE

#endif

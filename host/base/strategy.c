// SPDX-License-Identifier: Apache-2.0

#include "clnd/options.h"

const char *clnd_strategy_name(clnd_strategy strategy)
{
    switch (strategy) {
    case CLND_STRATEGY_AUTO:
        return "auto";
    case CLND_STRATEGY_LANES:
        return "lanes";
    case CLND_STRATEGY_BLOCKS:
        return "blocks";
    case CLND_STRATEGY_STORE:
        return "store";
    case CLND_STRATEGY_ATOMIC:
        return "atomic";
    case CLND_STRATEGY_OWNER:
        return "owner";
    case CLND_STRATEGY_SORT:
        return "sort";
    case CLND_STRATEGY_PRIVATE:
        return "private";
    case CLND_STRATEGY_BUFFER:
        return "buffer";
    case CLND_STRATEGY_TILES:
        return "tiles";
    case CLND_STRATEGY_BUCKETS:
        return "buckets";
    }
    return "unknown";
}

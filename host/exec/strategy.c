// SPDX-License-Identifier: Apache-2.0

#include "host/exec/strategy.h"

#include <stddef.h>
#include <string.h>

#include "host/cl/engine.h"

const char *clnd__strategy_name(clnd_strategy strategy)
{
    switch (strategy) {
    case CLND_STRATEGY_AUTO:
        return "none";
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

static _Thread_local const char *words_in_use;

const clnd_device_facts *clnd__planner_facts(const clnd_engine *engine)
{
    clnd__strategy_use(clnd__engine_words(engine));
    return clnd_engine_facts(engine);
}

void clnd__strategy_use(const char *words)
{
    words_in_use = words;
}

bool clnd__strategy_is_listed(const char *word)
{
    const size_t length = strlen(word);
    const char *list = words_in_use;
    while (list) {
        if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
        list = strchr(list, ',');
        if (list)
            ++list;
    }
    return false;
}

clnd_strategy clnd__strategy_demanded(unsigned allowed)
{
    if (!clnd__strategy_is_listed("must"))
        return CLND_STRATEGY_AUTO;
    for (int s = CLND_STRATEGY_LANES; allowed >> s; ++s)
        if ((allowed >> s & 1) && clnd__strategy_is_listed(clnd__strategy_name((clnd_strategy)s)))
            return (clnd_strategy)s;
    return CLND_STRATEGY_AUTO;
}

// SPDX-License-Identifier: Apache-2.0

#include "host/exec/planner.h"

#include <string.h>

#include "host/base/integers.h"
#include "host/cl/engine.h"
#include "kernels_cl/args.h"

clnd__planner clnd__planner_make(const clnd_device_facts *facts, const char *words)
{
    return (clnd__planner){facts, &clnd__default_tuning, words ? words : ""};
}

clnd__planner clnd__planner_of(const clnd_engine *engine)
{
    return clnd__planner_make(clnd_engine_facts(engine), clnd__engine_words(engine));
}

bool clnd__is_asked(const clnd__planner *planner, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = planner->words; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

int64_t clnd__most_steps(const clnd__planner *planner)
{
    const int64_t limit = (int64_t)planner->facts->loop_iterations;
    return limit == 0 ? INT64_MAX : at_least(limit / planner->tuning->loops.iterations_per_step, 1);
}

bool clnd__has_lanes(const clnd__planner *planner)
{
    return planner->facts->max_work_group_size >= CLND_LANES;
}

bool clnd__takes_lanes(const clnd__planner *planner)
{
    if (!clnd__has_lanes(planner))
        return false;
    if (clnd__is_asked(planner, "lanes"))
        return true;
    return !planner->facts->is_cpu && !clnd__is_asked(planner, "blocks");
}

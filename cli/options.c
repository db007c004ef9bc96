// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <stdio.h>
#include <string.h>

#include "terminal.h"
#include "text.h"

struct option {
    const char *name;
    const char *value;
    const char *help;
    char letter;
};

static const struct option options[] = {
    [OPTION_AXIS] = {"axis", "A", "dimension that is indexed; negative: from the end (0)", 0},
    [OPTION_BATCH_DIMS] = {"batch-dims", "B",
                           "leading dimensions that params and indices share (0)", 0},
    [OPTION_BEGIN] = {"begin", "LIST", "first place in each dimension, such as 1,2,0", 0},
    [OPTION_BEGIN_MASK] = {"begin-mask", "N",
                           "bit i: entry i of --begin does not count; all from the edge on (0)", 0},
    [OPTION_BOUNDS] = {"bounds", "default|error|zero|skip|fill=V|clamp|wrap", WITHOUT_EFFECT, 0},
    [OPTION_DETERMINISTIC] = {"deterministic", NULL, WITHOUT_EFFECT, 0},
    [OPTION_DEVICE] = {"device", "SPEC",
                       "gpu, cpu, P:D as `clnd devices` lists them, or part of a name; without it\n"
                       "the environment variable CLND_DEVICE, else the first GPU, else any device",
                       0},
    [OPTION_DTYPE] = {"dtype", "bfloat16", "elements of dtype V2 are bfloat16", 0},
    [OPTION_ELLIPSIS_MASK] = {"ellipsis-mask", "N",
                              "bit i: entry i is '...', all dimensions that no other takes (0)", 0},
    [OPTION_END] = {"end", "LIST", "the place behind the last in each dimension", 0},
    [OPTION_END_MASK] = {"end-mask", "N",
                         "bit i: entry i of --end does not count; all up to the edge (0)", 0},
    [OPTION_HELP] = {"help", NULL, "print this", 'h'},
    [OPTION_INTO] = {"into", "TENSOR.npy", "start from a copy of this tensor", 0},
    [OPTION_JSON] = {"json", NULL, "print JSON", 0},
    [OPTION_LIST] = {"list", NULL, "only P:D and name, one line a device", 0},
    [OPTION_NEW_AXIS_MASK] = {"new-axis-mask", "N",
                              "bit i: entry i makes a new dimension of size 1 (0)", 0},
    [OPTION_ONLY] = {"only", "K", "run problem number K alone, and say what it is", 0},
    [OPTION_OUTPUT] = {"output", "OUT.npy",
                       "write the result to this file ('-': to standard output, as .npy);\n"
                       "without it the result is printed",
                       'o'},
    [OPTION_QUIET] = {"quiet", NULL, "do not print the result", 'q'},
    [OPTION_REDUCE] = {"reduce", "add|sub|mul|min|max|update",
                       "how an update combines with the element that it meets", 0},
    [OPTION_SEED] = {"seed", "N", "which random problems (20240607)", 0},
    [OPTION_SHAPE] = {"shape", "LIST", "shape of the result, such as 3,4", 0},
    [OPTION_SHRINK_AXIS_MASK] = {"shrink-axis-mask", "N",
                                 "bit i: entry i of --begin is a single index, its dimension goes "
                                 "(0)",
                                 0},
    [OPTION_STRIDES] = {"strides", "LIST", "steps in each dimension (all 1)", 0},
    [OPTION_TIME] = {"time", NULL, "say on standard error how long the operation took", 0},
    [OPTION_TIME_LIMIT] = {"time-limit", "SECONDS", "begin no problem after so many seconds (40)",
                           0},
    [OPTION_VERSION] = {"version", NULL, "print the version", 'V'},
};

const char *option_name(enum option_id id)
{
    return options[id].name;
}

const char *option_value(enum option_id id)
{
    return options[id].value;
}

char option_letter(enum option_id id)
{
    return options[id].letter;
}

enum option_id options_find_letter(const struct option_use *uses, char letter)
{
    while (uses->id && options[uses->id].letter != letter)
        ++uses;
    return uses->id;
}

static enum option_id find_exactly(const struct option_use *uses, const char *name)
{
    while (uses->id && strcmp(options[uses->id].name, name) != 0)
        ++uses;
    return uses->id;
}

// What to say of a name that is no option of the subcommand.
static void explain(const struct option_use *uses, const char *name, char *why, size_t why_size)
{
    struct text_nearest nearest = {0};
    for (size_t i = 1; i < sizeof options / sizeof *options; ++i)
        if (strcmp(options[i].name, name) == 0) {
            snprintf(why, why_size, "belongs to other commands; see --help");
            return;
        }
    for (; uses->id; ++uses)
        text_offer(&nearest, name, options[uses->id].name);
    if (nearest.word)
        snprintf(why, why_size, "is unknown; did you mean --%s?", nearest.word);
    else
        snprintf(why, why_size, "is unknown; see --help");
}

enum option_id options_find(const struct option_use *uses, const char *name, size_t length,
                            char *why, size_t why_size)
{
    char text[64], begun[128] = "";
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text), name);
    enum option_id found = find_exactly(uses, text);
    if (found)
        return found;
    int count = 0;
    for (const struct option_use *use = uses; use->id && length > 0 && length < sizeof text;
         ++use) {
        if (strncmp(options[use->id].name, name, length) != 0)
            continue;
        found = use->id;
        const size_t used = strlen(begun);
        snprintf(begun + used, sizeof begun - used, "%s--%s", count++ ? ", " : "",
                 options[use->id].name);
    }
    if (count == 1)
        return found;
    if (count > 1)
        snprintf(why, why_size, "may be any of %s", begun);
    else
        explain(uses, text, why, why_size);
    return OPTION_NONE;
}

// Help begins in one column, beside the option where that leaves room.
static void print_use(const struct option_use *use)
{
    enum { COLUMN = 24 };
    const struct option *option = &options[use->id];
    const char *help = use->help ? use->help : option->help;
    int width = printf("  ");
    if (option->letter)
        width += printf("-%c, ", option->letter);
    width += printf("--%s%s%s", option->name, option->value ? " " : "",
                    option->value ? option->value : "");
    if (width > COLUMN - 2) {
        printf("\n");
        width = 0;
    }
    printf("%*s", COLUMN - width, "");
    terminal_print_wrapped(help, COLUMN);
}

void options_print(const struct option_use *uses)
{
    for (; uses->id; ++uses)
        print_use(uses);
}

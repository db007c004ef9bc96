// SPDX-License-Identifier: Apache-2.0
//
// The options of all subcommands: how they are called, and how --help shows them. Shell completion
// reads that listing, so its form is fixed: man page, section "Listings".

#ifndef CLND_CLI_OPTIONS_H
#define CLND_CLI_OPTIONS_H

#include <stddef.h>

enum option_id {
    OPTION_NONE, // ends a list
    OPTION_AXIS,
    OPTION_BATCH_DIMS,
    OPTION_BEGIN,
    OPTION_BEGIN_MASK,
    OPTION_BOUNDS,
    OPTION_DETERMINISTIC,
    OPTION_DEVICE,
    OPTION_DTYPE,
    OPTION_ELLIPSIS_MASK,
    OPTION_END,
    OPTION_END_MASK,
    OPTION_HELP,
    OPTION_INTO,
    OPTION_JSON,
    OPTION_LIST,
    OPTION_NEW_AXIS_MASK,
    OPTION_ONLY,
    OPTION_OUTPUT,
    OPTION_QUIET,
    OPTION_REDUCE,
    OPTION_SEED,
    OPTION_SHAPE,
    OPTION_SHRINK_AXIS_MASK,
    OPTION_STRIDES,
    OPTION_TIME,
    OPTION_TIME_LIMIT,
    OPTION_VERSION,
};

// Every subcommand takes the common options, so that a script can pass the same to all.
#define WITHOUT_EFFECT "accepted as everywhere, without effect here"

// An option of one subcommand.
struct option_use {
    enum option_id id;
    const char *help; // words; NULL: what is said of the option everywhere
};

enum { MAX_OPTION_USES = 24 };

// The name behind "--".
const char *option_name(enum option_id id);

// What --help calls the value: words separated by '|' where nothing else is allowed, a word in
// capitals otherwise, NULL for an option without a value.
const char *option_value(enum option_id id);

// Its letter behind "-", or 0.
char option_letter(enum option_id id);

// Whether `letter`, as in "-o", is one of the `uses`: its id, else OPTION_NONE.
enum option_id options_find_letter(const struct option_use *uses, char letter);

// The option that `name` (`length` bytes, without "--") is or begins, if it begins only one.
// Otherwise OPTION_NONE, with a text in `why` that goes behind the name of the option.
enum option_id options_find(const struct option_use *uses, const char *name, size_t length,
                            char *why, size_t why_size);

// Prints the listing of --help.
void options_print(const struct option_use *uses);

#endif

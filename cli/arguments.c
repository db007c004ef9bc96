// SPDX-License-Identifier: Apache-2.0

#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

// What getopt_long returns for long options: their numbers, beyond all letters.
enum { FIRST_LONG = 256 };

void command_print_usage(FILE *out, const struct command *command)
{
    for (const char *form = command->usage; form; form = strchr(form, '\n')) {
        form += *form == '\n';
        const size_t length = strcspn(form, "\n");
        fprintf(out, "%s clnd %s%s%.*s\n", form == command->usage ? "usage:" : "      ",
                command->name, length ? " " : "", (int)length, form);
    }
}

int refuse(const struct command *command, int status, const char *format, ...)
{
    char text[2048], shown[sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_escape(shown, sizeof shown, text, strlen(text));
    fprintf(stderr, "clnd: %s%s%s\n", command ? command->name : "", command ? ": " : "", shown);
    return status;
}

// A decimal number that ends at `end` of `text`.
static bool read_number(const char *text, const char **end, int64_t *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits < '0' || *digits > '9')
        return false;
    char *stop;
    errno = 0;
    const long long number = strtoll(text, &stop, 10);
    *value = number;
    *end = stop;
    return errno == 0;
}

// An option of the command line, and the text of its value.
struct given {
    const struct command *command;
    enum option_id id;
    const char *text;
};

static int refuse_value(const struct given *given, int status, const char *takes)
{
    return refuse(given->command, status, "--%s takes %s, not '%s'", option_name(given->id), takes,
                  given->text);
}

static int read_integer(const struct given *given, int64_t *value)
{
    const char *end;
    if (!read_number(given->text, &end, value) || *end)
        return refuse_value(given, STATUS_USAGE, "a number of 64 bits");
    return 0;
}

// A number of dimensions or one of them.
static int read_dimension(const struct given *given, int32_t *dimension)
{
    int64_t value = 0;
    const int status = read_integer(given, &value);
    if (status)
        return status;
    if (value < -CLND_MAX_RANK || value > CLND_MAX_RANK)
        return refuse(given->command, STATUS_USAGE,
                      "--%s %s is outside every shape, which has at most %d dimensions",
                      option_name(given->id), given->text, CLND_MAX_RANK);
    *dimension = (int32_t)value;
    return 0;
}

static int read_natural(const struct given *given, uint64_t *natural)
{
    int64_t value = 0;
    const int status = read_integer(given, &value);
    if (status)
        return status;
    if (value < 0)
        return refuse_value(given, STATUS_USAGE, "a number from 0 up");
    *natural = (uint64_t)value;
    return 0;
}

static int read_number_option(const struct given *given, struct number *number)
{
    number->given = true;
    return read_natural(given, &number->value);
}

static int read_list(const struct given *given, struct number_list *list)
{
    list->given = true;
    list->length = 0;
    if (!*given->text)
        return 0;
    for (const char *at = given->text;; ++at) {
        if (list->length == CLND_MAX_SLICE_ENTRIES)
            return refuse(given->command, STATUS_USAGE, "--%s has more than %d numbers",
                          option_name(given->id), CLND_MAX_SLICE_ENTRIES);
        at += strspn(at, " ");
        if (!read_number(at, &at, &list->values[list->length++]))
            break;
        at += strspn(at, " ");
        if (!*at)
            return 0;
        if (*at != ',')
            break;
    }
    return refuse_value(given, STATUS_USAGE, "numbers of 64 bits separated by commas");
}

static int read_shape(const struct given *given, struct number_list *shape)
{
    const int status = read_list(given, shape);
    if (status)
        return status;
    if (shape->length > CLND_MAX_RANK)
        return refuse(given->command, STATUS_USAGE,
                      "--shape %s has %d sizes, at most %d are allowed", given->text, shape->length,
                      CLND_MAX_RANK);
    for (int i = 0; i < shape->length; ++i)
        if (shape->values[i] < 0)
            return refuse(given->command, STATUS_USAGE, "--shape %s has a negative size",
                          given->text);
    return 0;
}

// The position of the text among the words that --help shows as the value: "a|b|c".
static int read_word(const struct given *given, int *position)
{
    const char *words = option_value(given->id);
    for (*position = 0; *words; ++*position) {
        const size_t length = strcspn(words, "|");
        if (strlen(given->text) == length && memcmp(given->text, words, length) == 0)
            return 0;
        words += length + (words[length] == '|');
    }
    return refuse_value(given, STATUS_USAGE, option_value(given->id));
}

static bool is_scatter(const struct command *command)
{
    const struct option_use *use = command->options;
    while (use->id && use->id != OPTION_REDUCE)
        ++use;
    return use->id == OPTION_REDUCE;
}

// The tables of the next two functions are in the order of the words.

static int read_bounds(const struct given *given, struct arguments *arguments)
{
    static const clnd_bounds policies[] = {
        CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO, CLND_BOUNDS_SKIP,
        CLND_BOUNDS_FILL,    CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
    static const char fill[] = "fill=";
    arguments->fill = NULL;
    if (strncmp(given->text, fill, sizeof fill - 1) == 0) {
        if (is_scatter(given->command))
            return refuse(given->command, STATUS_USAGE, "--bounds %s is for gathers, not scatters",
                          given->text);
        arguments->bounds = CLND_BOUNDS_FILL;
        arguments->fill = given->text + sizeof fill - 1;
        return 0;
    }
    int position;
    const int status = read_word(given, &position);
    if (!status)
        arguments->bounds = policies[position];
    return status;
}

static int read_reduce(const struct given *given, struct arguments *arguments)
{
    static const clnd_reduce reductions[] = {CLND_REDUCE_ADD, CLND_REDUCE_SUB, CLND_REDUCE_MUL,
                                             CLND_REDUCE_MIN, CLND_REDUCE_MAX, CLND_REDUCE_UPDATE};
    int position;
    const int status = read_word(given, &position);
    if (!status)
        arguments->reduce = reductions[position];
    return status;
}

static int read_option(const struct given *given, struct arguments *arguments)
{
    int position;
    switch (given->id) {
    case OPTION_AXIS:
        arguments->axis_given = true;
        return read_dimension(given, &arguments->axis);
    case OPTION_BATCH_DIMS:
        return read_dimension(given, &arguments->batch_dims);
    case OPTION_BEGIN:
        return read_list(given, &arguments->begin);
    case OPTION_BEGIN_MASK:
        return read_natural(given, &arguments->begin_mask);
    case OPTION_BOUNDS:
        return read_bounds(given, arguments);
    case OPTION_DETERMINISTIC:
        arguments->deterministic = true;
        return 0;
    case OPTION_DEVICE:
        arguments->device = given->text;
        return 0;
    case OPTION_DTYPE:
        arguments->bfloat16 = true;
        return read_word(given, &position);
    case OPTION_ELLIPSIS_MASK:
        return read_natural(given, &arguments->ellipsis_mask);
    case OPTION_END:
        return read_list(given, &arguments->end);
    case OPTION_END_MASK:
        return read_natural(given, &arguments->end_mask);
    case OPTION_HELP:
        arguments->help = true;
        return 0;
    case OPTION_INTO:
        arguments->into = given->text;
        return 0;
    case OPTION_JSON:
        arguments->json = true;
        return 0;
    case OPTION_LIST:
        arguments->list = true;
        return 0;
    case OPTION_NEW_AXIS_MASK:
        return read_natural(given, &arguments->new_axis_mask);
    case OPTION_ONLY:
        return read_number_option(given, &arguments->only);
    case OPTION_OUTPUT:
        arguments->output = given->text;
        return 0;
    case OPTION_QUIET:
        arguments->quiet = true;
        return 0;
    case OPTION_REDUCE:
        return read_reduce(given, arguments);
    case OPTION_SEED:
        return read_number_option(given, &arguments->seed);
    case OPTION_SHAPE:
        return read_shape(given, &arguments->shape);
    case OPTION_SHRINK_AXIS_MASK:
        return read_natural(given, &arguments->shrink_axis_mask);
    case OPTION_STRIDES:
        return read_list(given, &arguments->strides);
    case OPTION_TIME:
        arguments->time = true;
        return 0;
    case OPTION_TIME_LIMIT:
        return read_number_option(given, &arguments->time_limit);
    case OPTION_VERSION:
        arguments->version = true;
        return 0;
    case OPTION_NONE:
        break;
    }
    return STATUS_USAGE;
}

static int add_operand(const struct command *command, const char *text, struct arguments *arguments)
{
    if (arguments->n_operands == command->max_operands)
        return refuse(command, STATUS_USAGE, "operand '%s' is one too many; see `clnd %s --help`",
                      text, command->name);
    arguments->operands[arguments->n_operands++] = text;
    return 0;
}

// The subcommand's options as getopt_long takes them: abbreviations are looked up among these only.
struct option_table {
    struct option longs[MAX_OPTION_USES + 1];
    char letters[2 * MAX_OPTION_USES + 3];
};

static void make_table(const struct option_use *uses, struct option_table *table)
{
    size_t n = 0, length = 0;
    // Operands come where they stand, and a missing value is told from an unknown option.
    table->letters[length++] = '-';
    table->letters[length++] = ':';
    for (; uses->id; ++uses) {
        const bool takes_value = option_value(uses->id) != NULL;
        const char letter = option_letter(uses->id);
        table->longs[n++] =
            (struct option){option_name(uses->id), takes_value, NULL, FIRST_LONG + (int)uses->id};
        if (!letter)
            continue;
        table->letters[length++] = letter;
        if (takes_value)
            table->letters[length++] = ':';
    }
    table->longs[n] = (struct option){0};
    table->letters[length] = '\0';
}

// What getopt_long did not take: `word` is what it looked at.
static int refuse_option(const struct command *command, const char *word)
{
    char why[160];
    if (word[1] != '-')
        return refuse(command, STATUS_USAGE, "option '-%c' is unknown; see `clnd %s --help`",
                      optopt, command->name);
    const size_t length = strcspn(word + 2, "=");
    const enum option_id id = options_find(command->options, word + 2, length, why, sizeof why);
    if (id)
        return refuse(command, STATUS_USAGE, "option --%s takes no value", option_name(id));
    return refuse(command, STATUS_USAGE, "option '--%.*s' %s", (int)length, word + 2, why);
}

static int refuse_without_value(const struct command *command, const char *word)
{
    char why[160];
    const enum option_id id =
        word[1] == '-' ? options_find(command->options, word + 2, strlen(word + 2), why, sizeof why)
                       : options_find_letter(command->options, (char)optopt);
    return refuse(command, STATUS_USAGE, "option --%s needs a value", option_name(id));
}

// "-1" and "-3:, 0" are slices.
static bool is_negative_number(const char *text)
{
    return text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

static int take(const struct command *command, int found, const char *word,
                struct arguments *arguments)
{
    enum { OPERAND = 1 }; // what getopt_long gives for operands, because of the leading '-'
    if (found == OPERAND)
        return add_operand(command, optarg, arguments);
    if (found == ':')
        return refuse_without_value(command, word);
    if (found == '?')
        return refuse_option(command, word);
    const struct given given = {command,
                                found >= FIRST_LONG
                                    ? (enum option_id)(found - FIRST_LONG)
                                    : options_find_letter(command->options, (char)found),
                                optarg};
    return read_option(&given, arguments);
}

static int read_all(const struct command *command, int argc, char **argv,
                    struct arguments *arguments)
{
    struct option_table table;
    make_table(command->options, &table);
    opterr = 0;
    optind = 1;
    int status = 0;
    while (!status && !arguments->help && !arguments->version) {
        if (optind < argc && is_negative_number(argv[optind])) {
            status = add_operand(command, argv[optind++], arguments);
            continue;
        }
        const char *word = optind < argc ? argv[optind] : "";
        const int found = getopt_long(argc, argv, table.letters, table.longs, NULL);
        if (found == -1) {
            while (!status && optind < argc)
                status = add_operand(command, argv[optind++], arguments);
            break;
        }
        status = take(command, found, word, arguments);
    }
    return status;
}

static int count_standard_input(const struct arguments *arguments)
{
    int count = arguments->into && strcmp(arguments->into, "-") == 0;
    for (int i = 0; i < arguments->n_operands; ++i)
        count += strcmp(arguments->operands[i], "-") == 0;
    return count;
}

static int refuse_operands(const struct command *command, int n_given)
{
    const int status =
        refuse(command, STATUS_USAGE, "%d operand%s needed, %d given", command->min_operands,
               command->min_operands == 1 ? " is" : "s are", n_given);
    command_print_usage(stderr, command);
    return status;
}

int arguments_read(const struct command *command, int argc, char **argv,
                   struct arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    const int status = read_all(command, argc, argv, arguments);
    if (status || arguments->help || arguments->version)
        return status;
    if (arguments->n_operands < command->min_operands)
        return refuse_operands(command, arguments->n_operands);
    if (arguments->json && !arguments->time && command->max_operands > 0)
        return refuse(command, STATUS_USAGE, "--json is about what --time says, and goes with it");
    if (count_standard_input(arguments) > 1)
        return refuse(command, STATUS_USAGE, "standard input ('-') can be one operand only");
    return 0;
}

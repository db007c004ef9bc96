// SPDX-License-Identifier: Apache-2.0

#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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

enum option_id {
    OPTION_BATCH_DIMS = 256,
    OPTION_AXIS,
    OPTION_BEGIN,
    OPTION_BEGIN_MASK,
    OPTION_BOUNDS,
    OPTION_DETERMINISTIC,
    OPTION_DEVICE,
    OPTION_DTYPE,
    OPTION_ELLIPSIS_MASK,
    OPTION_END,
    OPTION_END_MASK,
    OPTION_INTO,
    OPTION_NEW_AXIS_MASK,
    OPTION_REDUCE,
    OPTION_SHAPE,
    OPTION_SHRINK_AXIS_MASK,
    OPTION_STRIDES,
    OPTION_TIME,
};

static const struct option long_options[] = {
    {"axis", required_argument, NULL, OPTION_AXIS},
    {"batch-dims", required_argument, NULL, OPTION_BATCH_DIMS},
    {"begin", required_argument, NULL, OPTION_BEGIN},
    {"begin-mask", required_argument, NULL, OPTION_BEGIN_MASK},
    {"bounds", required_argument, NULL, OPTION_BOUNDS},
    {"deterministic", no_argument, NULL, OPTION_DETERMINISTIC},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"dtype", required_argument, NULL, OPTION_DTYPE},
    {"ellipsis-mask", required_argument, NULL, OPTION_ELLIPSIS_MASK},
    {"end", required_argument, NULL, OPTION_END},
    {"end-mask", required_argument, NULL, OPTION_END_MASK},
    {"help", no_argument, NULL, 'h'},
    {"into", required_argument, NULL, OPTION_INTO},
    {"new-axis-mask", required_argument, NULL, OPTION_NEW_AXIS_MASK},
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"reduce", required_argument, NULL, OPTION_REDUCE},
    {"shape", required_argument, NULL, OPTION_SHAPE},
    {"shrink-axis-mask", required_argument, NULL, OPTION_SHRINK_AXIS_MASK},
    {"strides", required_argument, NULL, OPTION_STRIDES},
    {"time", no_argument, NULL, OPTION_TIME},
    {NULL, 0, NULL, 0},
};

static const char *name_of(int id)
{
    const struct option *option = long_options;
    while (option->name && option->val != id)
        ++option;
    return option->name ? option->name : "?";
}

static bool takes(const struct command *command, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = command->options; *at;) {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, name, word) == 0)
            return true;
        at += word + strspn(at + word, " ");
    }
    return false;
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

static int read_integer(const struct command *command, int id, int64_t *value)
{
    const char *end;
    if (!read_number(optarg, &end, value) || *end)
        return refuse(command, STATUS_USAGE, "--%s takes a number of 64 bits, not '%s'",
                      name_of(id), optarg);
    return 0;
}

// A number of dimensions or one of them. No rank comes near 31 bits.
static int read_dimension(const struct command *command, int id, int32_t *dimension)
{
    int64_t value = 0;
    const int status = read_integer(command, id, &value);
    if (status)
        return status;
    if (value < -CLND_MAX_SLICE_ENTRIES || value > CLND_MAX_SLICE_ENTRIES)
        return refuse(command, STATUS_REFUSED, "--%s %s is outside every shape", name_of(id),
                      optarg);
    *dimension = (int32_t)value;
    return 0;
}

static int read_mask(const struct command *command, int id, uint64_t *mask)
{
    int64_t value = 0;
    const int status = read_integer(command, id, &value);
    if (status)
        return status;
    if (value < 0)
        return refuse(command, STATUS_USAGE, "--%s takes a number from 0 up, not '%s'", name_of(id),
                      optarg);
    *mask = (uint64_t)value;
    return 0;
}

static int read_list(const struct command *command, int id, struct number_list *list)
{
    list->given = true;
    list->length = 0;
    if (!*optarg)
        return 0;
    for (const char *at = optarg;; ++at) {
        if (list->length == CLND_MAX_SLICE_ENTRIES)
            return refuse(command, STATUS_REFUSED, "--%s has more than %d numbers", name_of(id),
                          CLND_MAX_SLICE_ENTRIES);
        at += strspn(at, " ");
        if (!read_number(at, &at, &list->values[list->length++]))
            break;
        at += strspn(at, " ");
        if (!*at)
            return 0;
        if (*at != ',')
            break;
    }
    return refuse(command, STATUS_USAGE,
                  "--%s takes numbers of 64 bits separated by commas, not '%s'", name_of(id),
                  optarg);
}

static int read_word(const struct command *command, int id, int n, const char *const *words,
                     int *value)
{
    for (int i = 0; i < n; ++i)
        if (words[i] && strcmp(optarg, words[i]) == 0) {
            *value = i;
            return 0;
        }
    char allowed[256] = "";
    for (int i = 0; i < n; ++i)
        if (words[i])
            snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%s",
                     *allowed ? ", " : "", words[i]);
    return refuse(command, STATUS_USAGE, "--%s takes one of %s, not '%s'", name_of(id), allowed,
                  optarg);
}

static int read_bounds(const struct command *command, struct arguments *arguments)
{
    static const char *const words[] = {
        [CLND_BOUNDS_DEFAULT] = "default", [CLND_BOUNDS_ERROR] = "error",
        [CLND_BOUNDS_ZERO] = "zero",       [CLND_BOUNDS_FILL] = "fill=V",
        [CLND_BOUNDS_CLAMP] = "clamp",     [CLND_BOUNDS_WRAP] = "wrap",
        [CLND_BOUNDS_WRAP + 1] = "skip",
    };
    static const char fill[] = "fill=";
    arguments->fill = NULL;
    if (strncmp(optarg, fill, sizeof fill - 1) == 0) {
        arguments->bounds = CLND_BOUNDS_FILL;
        arguments->fill = optarg + sizeof fill - 1;
        return 0;
    }
    int value = 0;
    const int status =
        read_word(command, OPTION_BOUNDS, sizeof words / sizeof *words, words, &value);
    arguments->bounds = value > CLND_BOUNDS_WRAP ? CLND_BOUNDS_SKIP : (clnd_bounds)value;
    return status;
}

static int read_reduce(const struct command *command, struct arguments *arguments)
{
    static const char *const words[] = {
        [CLND_REDUCE_UPDATE] = "update", [CLND_REDUCE_ADD] = "add", [CLND_REDUCE_SUB] = "sub",
        [CLND_REDUCE_MUL] = "mul",       [CLND_REDUCE_MIN] = "min", [CLND_REDUCE_MAX] = "max",
    };
    int value = 0;
    const int status =
        read_word(command, OPTION_REDUCE, sizeof words / sizeof *words, words, &value);
    arguments->reduce = (clnd_reduce)value;
    return status;
}

static int read_dtype(const struct command *command, struct arguments *arguments)
{
    static const char *const words[] = {"bfloat16"};
    int value;
    arguments->bfloat16 = true;
    return read_word(command, OPTION_DTYPE, 1, words, &value);
}

static int read_option(const struct command *command, int id, struct arguments *arguments)
{
    switch (id) {
    case 'o':
        arguments->output = optarg;
        return 0;
    case 'q':
        arguments->quiet = true;
        return 0;
    case 'h':
        arguments->help = true;
        return 0;
    case OPTION_AXIS:
        arguments->axis_given = true;
        return read_dimension(command, id, &arguments->axis);
    case OPTION_BATCH_DIMS:
        return read_dimension(command, id, &arguments->batch_dims);
    case OPTION_BEGIN:
        return read_list(command, id, &arguments->begin);
    case OPTION_BEGIN_MASK:
        return read_mask(command, id, &arguments->begin_mask);
    case OPTION_BOUNDS:
        return read_bounds(command, arguments);
    case OPTION_DETERMINISTIC:
        arguments->deterministic = true;
        return 0;
    case OPTION_DEVICE:
        arguments->device = optarg;
        return 0;
    case OPTION_DTYPE:
        return read_dtype(command, arguments);
    case OPTION_ELLIPSIS_MASK:
        return read_mask(command, id, &arguments->ellipsis_mask);
    case OPTION_END:
        return read_list(command, id, &arguments->end);
    case OPTION_END_MASK:
        return read_mask(command, id, &arguments->end_mask);
    case OPTION_INTO:
        arguments->into = optarg;
        return 0;
    case OPTION_NEW_AXIS_MASK:
        return read_mask(command, id, &arguments->new_axis_mask);
    case OPTION_REDUCE:
        return read_reduce(command, arguments);
    case OPTION_SHAPE:
        return read_list(command, id, &arguments->shape);
    case OPTION_SHRINK_AXIS_MASK:
        return read_mask(command, id, &arguments->shrink_axis_mask);
    case OPTION_STRIDES:
        return read_list(command, id, &arguments->strides);
    default:
        arguments->time = true;
        return 0;
    }
}

static int add_operand(const struct command *command, const char *text, struct arguments *arguments)
{
    if (arguments->n_operands == command->max_operands)
        return refuse(command, STATUS_USAGE, "operand '%s' is one too many; see `clnd %s --help`",
                      text, command->name);
    arguments->operands[arguments->n_operands++] = text;
    return 0;
}

// "-1" and "-3:, 0" are slices.
static bool is_negative_number(const char *text)
{
    return text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

static int read_all(const struct command *command, int argc, char **argv,
                    struct arguments *arguments)
{
    enum { OPERAND = 1 }; // what getopt gives for operands, because of the leading '-' below
    opterr = 0;
    optind = 1;
    int status = 0;
    while (!status) {
        if (optind < argc && is_negative_number(argv[optind])) {
            status = add_operand(command, argv[optind++], arguments);
            continue;
        }
        const char *word = optind < argc ? argv[optind] : "";
        const int id = getopt_long(argc, argv, "-:o:qh", long_options, NULL);
        if (id == -1)
            break;
        if (id == OPERAND)
            status = add_operand(command, optarg, arguments);
        else if (id == ':')
            status = refuse(command, STATUS_USAGE, "option '%s' needs a value", word);
        else if (id == '?')
            status = refuse(command, STATUS_USAGE,
                            "option '%s' is unknown, or not used as it is meant; "
                            "see `clnd %s --help`",
                            word, command->name);
        else if (id != 'h' && !takes(command, name_of(id)))
            status = refuse(command, STATUS_USAGE, "%s does not take option --%s", command->name,
                            name_of(id));
        else
            status = read_option(command, id, arguments);
    }
    while (!status && optind < argc)
        status = add_operand(command, argv[optind++], arguments);
    return status;
}

static int count_standard_input(const struct arguments *arguments)
{
    int count = arguments->into && strcmp(arguments->into, "-") == 0;
    for (int i = 0; i < arguments->n_operands; ++i)
        count += strcmp(arguments->operands[i], "-") == 0;
    return count;
}

int arguments_read(const struct command *command, int argc, char **argv,
                   struct arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    const int status = read_all(command, argc, argv, arguments);
    if (status || arguments->help)
        return status;
    if (arguments->n_operands < command->min_operands)
        return refuse(command, STATUS_USAGE, "%d operands are given, %d are needed: clnd %s %s",
                      arguments->n_operands, command->min_operands, command->name, command->usage);
    if (count_standard_input(arguments) > 1)
        return refuse(command, STATUS_USAGE, "standard input ('-') can be one operand only");
    return 0;
}

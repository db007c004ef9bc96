// SPDX-License-Identifier: Apache-2.0
//
// The command line of every subcommand. The first byte of an input says which of three things the
// rest is, the second the subcommand:
//
//   words    arguments, one a line: any of them may be refused, in one line
//   option   one option with a value, of which a naive reader knows what must come of it
//   value    the text of an element, such as fill=V has
//
// With words and options the slice that they spell is read too.

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/slice_spec.h"
#include "cli/value.h"
#include "fuzz.h"

enum { MAX_WORDS = 64, MESSAGE_SIZE = 1 << 16 };

static const struct command *const commands[] = {
    &command_devices,          &command_gather_nd,  &command_gather,
    &command_gather_elements,  &command_scatter_nd, &command_scatter,
    &command_scatter_elements, &command_slice,      &command_slice_assign,
    &command_slice_grad,       &command_show,       &command_selftest,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

// What the command writes to standard error.
static char message[MESSAGE_SIZE];
static FILE *captured, *terminal;

const char *fuzz_prepare(void)
{
#ifdef __GLIBC__
    captured = fmemopen(message, sizeof message, "w");
    fuzz_check(captured, "no stream in memory");
#endif
    return NULL;
}

static void capture_begin(void)
{
#ifdef __GLIBC__
    rewind(captured);
    message[0] = '\0';
    terminal = stderr;
    stderr = captured; // glibc allows it
#endif
}

static void capture_end(void)
{
#ifdef __GLIBC__
    fflush(captured);
    stderr = terminal;
#endif
}

// The first line, which is for the user; others show the usage.
static void check_message(const struct command *command, int status)
{
    char begin[64];
    fuzz_check(status == STATUS_USAGE || status == STATUS_REFUSED, "status %d", status);
    if (!captured)
        return;
    char *end = strchr(message, '\n');
    fuzz_check(end, "no message, or one without a line end");
    *end = '\0';
    fuzz_check_line(message);
    snprintf(begin, sizeof begin, "clnd: %s: ", command->name);
    fuzz_check(strncmp(message, begin, strlen(begin)) == 0, "the message \"%s\"", message);
}

static void check_list(const struct number_list *list)
{
    fuzz_check(list->length >= 0 && list->length <= CLND_MAX_SLICE_ENTRIES &&
                   (list->given || !list->length),
               "a list of %d numbers", list->length);
}

static void check_arguments(const struct command *command, const struct arguments *a)
{
    enum { HIGHEST = CLND_MAX_RANK };
    fuzz_check(a->n_operands >= 0 && a->n_operands <= command->max_operands, "%d operands",
               a->n_operands);
    int standard_input = a->into && strcmp(a->into, "-") == 0;
    for (int i = 0; i < a->n_operands; ++i)
        standard_input += strcmp(a->operands[i], "-") == 0;
    fuzz_check(a->help || a->version ||
                   (a->n_operands >= command->min_operands && standard_input <= 1),
               "%d operands, %d of them standard input", a->n_operands, standard_input);
    fuzz_check(abs(a->axis) <= HIGHEST && abs(a->batch_dims) <= HIGHEST, "axis %d, batch dims %d",
               a->axis, a->batch_dims);
    fuzz_check((a->bounds == CLND_BOUNDS_FILL && a->fill) || !a->fill, "a value to fill with");
    const struct number_list *lists[] = {&a->shape, &a->begin, &a->end, &a->strides};
    for (int i = 0; i < 4; ++i)
        check_list(lists[i]);
}

static void check_slice(const struct command *command, const struct arguments *a, const char *text)
{
    struct session session = {.command = command, .arguments = a};
    clnd_slice slice;
    capture_begin();
    const bool is_good = slice_spec_read(&session, text, &slice);
    capture_end();
    fuzz_check(slice.length >= 0 && slice.length <= CLND_MAX_SLICE_ENTRIES, "a slice of %d",
               slice.length);
    fuzz_check(is_good == (session.status == 0), "status %d of a slice", session.status);
    if (!is_good)
        check_message(command, session.status);
}

// Like the first call of a process: getopt keeps the place where it stopped.
static int read_arguments(const struct command *command, int argc, char **argv,
                          struct arguments *arguments)
{
    char name[] = "clnd", *nothing[] = {name, NULL};
    optind = 0;
    getopt(1, nothing, "-"); // operands in order, as the command has them
    capture_begin();
    const int status = arguments_read(command, argc, argv, arguments);
    capture_end();
    fuzz_check(status == 0 || status == STATUS_USAGE, "status %d of arguments", status);
    if (status)
        check_message(command, status);
    else
        fuzz_check(!message[0], "\"%s\" although the arguments are good", message);
    return status;
}

static void run_words(const struct command *command, fuzz_input *in)
{
    char *words[MAX_WORDS + 2] = {strdup(command->name)};
    struct arguments arguments;
    int n = 1;
    while (in->at < in->end && n <= MAX_WORDS)
        words[n++] = fuzz_text(in, '\n');
    if (!read_arguments(command, n, words, &arguments)) {
        check_arguments(command, &arguments);
        check_slice(command, &arguments, NULL);
        for (int i = 0; i < arguments.n_operands; ++i)
            check_slice(command, &arguments, arguments.operands[i]);
    }
    for (int i = 0; i < n; ++i)
        free(words[i]);
}

// A number, and nothing else.
static bool model_number(const char *text, int64_t *value)
{
    __extension__ typedef __int128 wide;
    const wide limit = (wide)1 << 64;
    const bool negative = *text == '-';
    wide number = 0;
    text += *text == '-' || *text == '+';
    if (!*text)
        return false;
    for (; *text; ++text) {
        if (*text < '0' || *text > '9')
            return false;
        number = number * 10 + (*text - '0');
        number = number > limit ? limit : number;
    }
    number = negative ? -number : number;
    *value = (int64_t)number;
    return number >= INT64_MIN && number <= INT64_MAX;
}

static int model_list(const char *text, struct number_list *list)
{
    *list = (struct number_list){.given = true};
    while (*text || list->length) {
        char piece[MESSAGE_SIZE];
        if (list->length == CLND_MAX_SLICE_ENTRIES)
            return STATUS_USAGE;
        text += strspn(text, " ");
        size_t length = strcspn(text, ",");
        const bool is_last = !text[length];
        memcpy(piece, text, length);
        text += length + !is_last;
        while (length && piece[length - 1] == ' ')
            --length;
        piece[length] = '\0';
        if (!model_number(piece, &list->values[list->length++]))
            return STATUS_USAGE;
        if (is_last)
            break;
    }
    return 0;
}

static const struct number_list *given_list(const struct arguments *a, enum option_id id)
{
    switch (id) {
    case OPTION_SHAPE:
        return &a->shape;
    case OPTION_BEGIN:
        return &a->begin;
    case OPTION_END:
        return &a->end;
    default:
        return id == OPTION_STRIDES ? &a->strides : NULL;
    }
}

static void check_given_list(const char *text, int status, const struct number_list *list,
                             bool is_shape)
{
    struct number_list expected;
    int expected_status = model_list(text, &expected);
    for (int i = 0; i < expected.length && is_shape; ++i)
        if (i == CLND_MAX_RANK || expected.values[i] < 0)
            expected_status = STATUS_USAGE;
    fuzz_check(status == expected_status, "list \"%s\": status %d, not %d", text, status,
               expected_status);
    if (status)
        return;
    fuzz_check(list->given && list->length == expected.length &&
                   memcmp(list->values, expected.values,
                          (size_t)expected.length * sizeof *expected.values) == 0,
               "list \"%s\"", text);
}

static const uint64_t *given_natural(const struct arguments *a, enum option_id id)
{
    switch (id) {
    case OPTION_BEGIN_MASK:
        return &a->begin_mask;
    case OPTION_END_MASK:
        return &a->end_mask;
    case OPTION_ELLIPSIS_MASK:
        return &a->ellipsis_mask;
    case OPTION_NEW_AXIS_MASK:
        return &a->new_axis_mask;
    case OPTION_SHRINK_AXIS_MASK:
        return &a->shrink_axis_mask;
    case OPTION_ONLY:
        return &a->only.value;
    case OPTION_SEED:
        return &a->seed.value;
    default:
        return id == OPTION_TIME_LIMIT ? &a->time_limit.value : NULL;
    }
}

static void check_given(enum option_id id, const char *text, int status, const struct arguments *a)
{
    int64_t number = 0;
    const bool is_number = model_number(text, &number);
    const uint64_t *natural = given_natural(a, id);
    if (given_list(a, id)) {
        check_given_list(text, status, given_list(a, id), id == OPTION_SHAPE);
    } else if (natural) {
        const bool is_good = is_number && number >= 0;
        fuzz_check((status == 0) == is_good && (!is_good || *natural == (uint64_t)number),
                   "number \"%s\": status %d", text, status);
    } else if (id == OPTION_AXIS || id == OPTION_BATCH_DIMS) {
        const int32_t value = id == OPTION_AXIS ? a->axis : a->batch_dims;
        const bool is_rank = is_number && number >= -CLND_MAX_RANK && number <= CLND_MAX_RANK;
        fuzz_check(status == (is_rank ? 0 : STATUS_USAGE) && (!is_rank || value == number),
                   "dimension \"%s\": status %d, %d", text, status, value);
    } else if (!option_value(id)) {
        fuzz_check(status == STATUS_USAGE, "an option without value took \"%s\"", text);
    } else if (id == OPTION_DEVICE || id == OPTION_OUTPUT || id == OPTION_INTO) {
        const char *taken = id == OPTION_DEVICE   ? a->device
                            : id == OPTION_OUTPUT ? a->output
                                                  : a->into;
        fuzz_check(!status && strcmp(taken, text) == 0, "text \"%s\": status %d", text, status);
    }
}

static void run_option(const struct command *command, fuzz_input *in)
{
    int n_uses = 0;
    while (n_uses < MAX_OPTION_USES && command->options[n_uses].id)
        ++n_uses;
    const enum option_id id = command->options[fuzz_byte(in) % n_uses].id;
    char *text = fuzz_text(in, 0);
    const size_t size = strlen(text) + 64;
    char *word = malloc(size), operand[] = "x.npy";
    char *words[MAX_OPERANDS + 3] = {operand, word};
    struct arguments arguments;
    fuzz_check(word, "out of memory");
    snprintf(word, size, "--%s=%s", option_name(id), text);
    for (int i = 0; i < command->min_operands; ++i)
        words[2 + i] = operand;
    const int status = read_arguments(command, 2 + command->min_operands, words, &arguments);
    check_given(id, text, status, &arguments);
    if (!status) {
        check_arguments(command, &arguments);
        check_slice(command, &arguments, NULL);
    }
    free(word);
    free(text);
}

static void run_value(int which, fuzz_input *in)
{
    static const char *const descrs[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2",
                                         "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16",
                                         "|S1", "|S7", "<U1", "<U5", "|V2"};
    enum { N_DESCRS = sizeof descrs / sizeof *descrs };
    const char *descr = descrs[which % N_DESCRS];
    char error[TEXT_ERROR_SIZE] = "", again_error[TEXT_ERROR_SIZE];
    struct npy_type type;
    fuzz_check(npy_type_parse(descr, strlen(descr), &type, error), "%s", error);
    if (type.kind == 'V')
        type.dtype = CLND_BFLOAT16;
    const size_t size = clnd_dtype_size(type.dtype);
    char *text = fuzz_text(in, 0), *element = malloc(size), *again = malloc(size);
    fuzz_check(element && again, "out of memory");
    const bool is_good = value_parse(&type, text, element, error);
    fuzz_check(value_parse(&type, text, again, again_error) == is_good &&
                   (!is_good || memcmp(element, again, size) == 0),
               "\"%s\" is not always the same", text);
    if (!is_good)
        fuzz_check_line(error);
    int64_t number;
    if (strcmp(descr, "<i8") == 0) {
        const bool is_number = model_number(text, &number);
        fuzz_check(is_good == is_number && (!is_good || memcmp(element, &number, size) == 0),
                   "int64 \"%s\"", text);
    }
    free(again);
    free(element);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_begin(data, size);
    const int kind = fuzz_range(&in, 0, 2), which = fuzz_byte(&in);
    const struct command *command = commands[which % N_COMMANDS];
    if (size > MESSAGE_SIZE / 8)
        return 0;
    if (kind == 0)
        run_words(command, &in);
    else if (kind == 1)
        run_option(command, &in);
    else
        run_value(which, &in);
    return 0;
}

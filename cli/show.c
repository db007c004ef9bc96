// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "session.h"

static void describe(const struct npy_array *array)
{
    char descr[NPY_DESCR_SIZE];
    npy_type_format(&array->type, descr);
    printf("dtype %s, shape [", descr);
    for (int d = 0; d < array->rank; ++d)
        printf("%s%" PRId64, d ? ", " : "", array->shape[d]);
    printf("]%s\n", array->fortran_order ? ", Fortran order" : "");
}

static int run(const struct command *command, const struct arguments *arguments)
{
    struct session session;
    struct input input;
    int64_t strides[CLND_MAX_RANK];
    session_begin(&session, command, arguments);
    if (session_read(&session, arguments->operands[0], false, &input)) {
        const struct npy_array *array = &input.array;
        npy_strides(array, strides);
        if (!arguments->quiet)
            describe(array);
        session_give_array(&session, &array->type, array->rank, array->shape, strides, array->data);
    }
    return session_end(&session);
}

const struct command command_show = {
    .name = "show",
    .usage = "FILE.npy [OPTIONS]",
    .summary = "print an array the way NumPy does",
    .example = "a matrix of byte strings:\n"
               "  $ clnd show letters.npy\n"
               "  dtype |S1, shape [2, 2]\n"
               "  [[b'a' b'b']\n"
               "   [b'c' b'd']]\n",
    .options = {{OPTION_DTYPE, NULL},
                {OPTION_QUIET, "only read the file, and say what is wrong with it"},
                {OPTION_HELP, NULL},
                {OPTION_VERSION, NULL},
                {OPTION_DEVICE, WITHOUT_EFFECT},
                {OPTION_BOUNDS, NULL},
                {OPTION_DETERMINISTIC, NULL},
                {OPTION_TIME, WITHOUT_EFFECT}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

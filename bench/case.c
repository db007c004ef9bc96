// SPDX-License-Identifier: Apache-2.0

#include "case.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

static const char *const op_names[N_OPS] = {
    [OP_GATHER_ND] = "gather-nd",
    [OP_GATHER] = "gather",
    [OP_GATHER_ELEMENTS] = "gather-elements",
    [OP_SCATTER_ND] = "scatter-nd",
    [OP_SCATTER_ND_INTO] = "scatter-nd-into",
    [OP_SCATTER_ELEMENTS] = "scatter-elements",
    [OP_SLICE] = "slice",
    [OP_SLICE_ASSIGN] = "slice-assign",
};

const char *op_name(enum bench_op op)
{
    return op_names[op];
}

enum bench_op op_from_name(const char *name)
{
    int op = 0;
    while (op < N_OPS && strcmp(op_names[op], name) != 0)
        ++op;
    return (enum bench_op)op;
}

const char *reduce_name(clnd_reduce reduce)
{
    static const char *const names[] = {
        [CLND_REDUCE_DEFAULT] = "default", [CLND_REDUCE_UPDATE] = "update",
        [CLND_REDUCE_ADD] = "add",         [CLND_REDUCE_SUB] = "sub",
        [CLND_REDUCE_MUL] = "mul",         [CLND_REDUCE_MIN] = "min",
        [CLND_REDUCE_MAX] = "max",
    };
    return names[reduce];
}

const char *bounds_name(clnd_bounds bounds)
{
    static const char *const names[] = {
        [CLND_BOUNDS_DEFAULT] = "default", [CLND_BOUNDS_ERROR] = "error",
        [CLND_BOUNDS_ZERO] = "zero",       [CLND_BOUNDS_FILL] = "fill",
        [CLND_BOUNDS_CLAMP] = "clamp",     [CLND_BOUNDS_WRAP] = "wrap",
    };
    return names[bounds];
}

static const struct {
    const char *text;
    clnd_dtype dtype;
} dtypes[] = {
    {"bool", CLND_BOOL},     {"i8", CLND_INT8},       {"i16", CLND_INT16},
    {"i32", CLND_INT32},     {"i64", CLND_INT64},     {"u8", CLND_UINT8},
    {"u16", CLND_UINT16},    {"u32", CLND_UINT32},    {"u64", CLND_UINT64},
    {"f16", CLND_FLOAT16},   {"f32", CLND_FLOAT32},   {"f64", CLND_FLOAT64},
    {"bf16", CLND_BFLOAT16}, {"c64", CLND_COMPLEX64}, {"c128", CLND_COMPLEX128},
};

void dtype_text(clnd_dtype dtype, char text[16])
{
    snprintf(text, 16, "o%zu", clnd_dtype_size(dtype));
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; ++i)
        if (dtypes[i].dtype == dtype)
            snprintf(text, 16, "%s", dtypes[i].text);
}

// A decimal number, digits only, of at most 18 of them. NULL when there is none.
static const char *read_size(const char *text, int64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    *value = number;
    return errno || end - text > 18 ? NULL : end;
}

clnd_dtype dtype_from_text(const char *text)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; ++i)
        if (strcmp(dtypes[i].text, text) == 0)
            return dtypes[i].dtype;
    int64_t bytes;
    const char *end = *text == 'o' ? read_size(text + 1, &bytes) : NULL;
    return end && !*end && bytes > 0 && bytes <= 4096 ? CLND_OPAQUE(bytes) : 0;
}

bool shape_parse(const char *text, struct bench_shape *shape)
{
    shape->rank = 0;
    if (!*text)
        return true;
    for (const char *at = text;; ++at) {
        if (shape->rank == CLND_MAX_RANK || !(at = read_size(at, &shape->sizes[shape->rank])))
            return false;
        ++shape->rank;
        if (!*at)
            return true;
        if (*at != 'x')
            return false;
    }
}

bool tensor_parse(const char *name, const char *which, const char *text, clnd_dtype *dtype,
                  struct bench_shape *shape)
{
    const char *colon = strchr(text, ':');
    char word[16] = "";
    if (colon && (size_t)(colon - text) < sizeof word)
        snprintf(word, sizeof word, "%.*s", (int)(colon - text), text);
    *dtype = dtype_from_text(word);
    if (!colon || !*dtype || !shape_parse(colon + 1, shape))
        return fail("--%s takes a dtype and a shape of at most %d sizes, as in i32:1000x128, "
                    "not '%s'; dtypes are %s",
                    name, CLND_MAX_RANK, text, which);
    return true;
}

void shape_text(const struct bench_shape *shape, char text[256])
{
    size_t length = (size_t)snprintf(text, 256, "[");
    for (int i = 0; i < shape->rank && length < 256; ++i)
        length += (size_t)snprintf(text + length, 256 - length, "%s%lld", i ? ", " : "",
                                   (long long)shape->sizes[i]);
    if (length < 255)
        snprintf(text + length, 256 - length, "]");
}

int64_t shape_count(const struct bench_shape *shape)
{
    int64_t count = 1;
    for (int i = 0; i < shape->rank; ++i)
        count *= shape->sizes[i];
    return count;
}

bool case_sums_floats(const struct bench_case *what)
{
    if (what->reduce != CLND_REDUCE_ADD && what->reduce != CLND_REDUCE_SUB)
        return false;
    switch (what->dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
    case CLND_FLOAT32:
    case CLND_FLOAT64:
    case CLND_COMPLEX64:
    case CLND_COMPLEX128:
        return op_is_scatter(what->op);
    default:
        return false;
    }
}

void case_free(struct bench_case *what)
{
    for (int i = 0; i < what->n_parts; ++i)
        case_free(&what->parts[i]);
    free(what->parts);
    free(what->distribution.pattern);
    what->parts = NULL;
    what->n_parts = 0;
    what->distribution.pattern = NULL;
}

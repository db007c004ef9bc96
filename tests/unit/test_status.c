// SPDX-License-Identifier: Apache-2.0
//
// Statuses, the last error, dtypes, the version.

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "clnd/dtype.h"
#include "clnd/version.h"
#include "host/base/dtype.h"
#include "host/base/error.h"

static const struct {
    clnd_status status;
    int number;
    const char *name;
    const char *meaning;
} statuses[] = {
#define ROW(name, number, meaning) {CLND_##name, number, "CLND_" #name, meaning},
    CLND_STATUS_LIST(ROW)
#undef ROW
};

enum { STATUSES = sizeof statuses / sizeof *statuses };

Test(status, list_is_complete_and_unique)
{
    check(STATUSES == 28, "%d statuses; a new one needs a new number here", STATUSES);
    for (int i = 0; i < STATUSES; ++i) {
        check((int)statuses[i].status == i && statuses[i].number == i, "%s is not number %d",
              statuses[i].name, i);
        check(statuses[i].meaning[0] != '\0', "%s means nothing", statuses[i].name);
        for (int j = 0; j < i; ++j)
            check(strcmp(statuses[i].name, statuses[j].name) != 0 &&
                      strcmp(statuses[i].meaning, statuses[j].meaning) != 0,
                  "%s is there twice", statuses[i].name);
    }
    check(CLND_OK == 0 && CLND_NULL_POINTER == 1 && CLND_INVALID_SHAPE == 7 &&
              CLND_INDEX_OUT_OF_BOUNDS == 18 && CLND_INTERNAL == 24 && CLND_WAIT_FAILED == 26,
          "numbers never change");
}

Test(status, names)
{
    for (int i = 0; i < STATUSES; ++i)
        check(strcmp(clnd_status_name(statuses[i].status), statuses[i].name) == 0,
              "%s is called %s", statuses[i].name, clnd_status_name(statuses[i].status));
    check(strcmp(clnd_status_name((clnd_status)STATUSES), "unknown status") == 0, "a number more");
    check(strcmp(clnd_status_name((clnd_status)1000), "unknown status") == 0, "1000");
}

Test(last_error, begins_empty_and_keeps_the_last_failure)
{
    check(strcmp(clnd_last_error(), "") == 0 && clnd_last_error_code() == 0, "at the start");
    clnd__enter("some_op");
    check(clnd__fail(CLND_INVALID_AXIS, "axis %d", 7) == CLND_INVALID_AXIS, "status");
    check(strcmp(clnd_last_error(), "some_op: axis 7") == 0, "%s", clnd_last_error());
    check(clnd__fail_code(CLND_OPENCL_ERROR, -5, "clFoo failed") == CLND_OPENCL_ERROR, "status");
    check(strcmp(clnd_last_error(), "some_op: clFoo failed") == 0, "%s", clnd_last_error());
    check(clnd_last_error_code() == -5, "code %d", (int)clnd_last_error_code());
    clnd__enter("other_op");
    check(strcmp(clnd_last_error(), "some_op: clFoo failed") == 0, "entering clears the error");
    clnd__fail(CLND_INVALID_RANK, "rank");
    check(strcmp(clnd_last_error(), "other_op: rank") == 0, "%s", clnd_last_error());
    check(clnd_last_error_code() == 0, "the code of the failure before is left");
}

Test(last_error, long_texts_are_cut)
{
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    clnd__enter("op");
    clnd__fail(CLND_INTERNAL, "%s", text);
    check(strlen(clnd_last_error()) == CLND__ERROR_TEXT - 1, "length %zu",
          strlen(clnd_last_error()));
    check(strncmp(clnd_last_error(), "op: xxx", 7) == 0, "%.20s", clnd_last_error());
}

static void *fail_elsewhere(void *seen)
{
    *(bool *)seen = strcmp(clnd_last_error(), "") == 0 && clnd_last_error_code() == 0;
    clnd__enter("there");
    clnd__fail_code(CLND_OPENCL_ERROR, -30, "elsewhere");
    *(bool *)seen &= strcmp(clnd_last_error(), "there: elsewhere") == 0;
    return NULL;
}

Test(last_error, belongs_to_its_thread)
{
    pthread_t thread;
    bool seen = false;
    clnd__enter("here");
    clnd__fail(CLND_INVALID_RANK, "mine");
    const char *text = clnd_last_error();
    check(pthread_create(&thread, NULL, fail_elsewhere, &seen) == 0, "no thread");
    pthread_join(thread, NULL);
    check(seen, "the other thread saw this one's error");
    check(text == clnd_last_error() && strcmp(text, "here: mine") == 0, "%s", clnd_last_error());
    check(clnd_last_error_code() == 0, "code %d", (int)clnd_last_error_code());
}

typedef struct dtype_row {
    clnd_dtype dtype;
    int kind;
    size_t size;
    const char *name;
    bool is_index, is_half, is_complex, needs_fp64;
} dtype_row;

// The kinds are what the kernels know as -DDTYPE and args.index_kind.
static const dtype_row dtypes[] = {
    {CLND_BOOL, 1, 1, "bool", false, false, false, false},
    {CLND_INT8, 2, 1, "int8", true, false, false, false},
    {CLND_INT16, 3, 2, "int16", true, false, false, false},
    {CLND_INT32, 4, 4, "int32", true, false, false, false},
    {CLND_INT64, 5, 8, "int64", true, false, false, false},
    {CLND_UINT8, 6, 1, "uint8", true, false, false, false},
    {CLND_UINT16, 7, 2, "uint16", true, false, false, false},
    {CLND_UINT32, 8, 4, "uint32", true, false, false, false},
    {CLND_UINT64, 9, 8, "uint64", false, false, false, false},
    {CLND_FLOAT16, 10, 2, "float16", false, true, false, false},
    {CLND_BFLOAT16, 11, 2, "bfloat16", false, true, false, false},
    {CLND_FLOAT32, 12, 4, "float32", false, false, false, false},
    {CLND_FLOAT64, 13, 8, "float64", false, false, false, true},
    {CLND_COMPLEX64, 14, 8, "complex64", false, false, true, false},
    {CLND_COMPLEX128, 15, 16, "complex128", false, false, true, true},
    {CLND_OPAQUE(1), 16, 1, "opaque", false, false, false, false},
    {CLND_OPAQUE(12), 16, 12, "opaque", false, false, false, false},
    {CLND_OPAQUE(CLND_MAX_OPAQUE_SIZE), 16, INT32_MAX, "opaque", false, false, false, false},
};

Test(dtype, names_sizes_and_kinds)
{
    for (int i = 0; i < (int)(sizeof dtypes / sizeof *dtypes); ++i) {
        const dtype_row *row = &dtypes[i];
        case_begin("dtype", i);
        case_note("%s", row->name);
        check(clnd_dtype_is_valid(row->dtype), "is not valid");
        check(clnd_dtype_size(row->dtype) == row->size, "size %zu", clnd_dtype_size(row->dtype));
        check(strcmp(clnd_dtype_name(row->dtype), row->name) == 0, "name %s",
              clnd_dtype_name(row->dtype));
        check(clnd__dtype_kind(row->dtype) == row->kind, "kind %d", clnd__dtype_kind(row->dtype));
        check(clnd_dtype_is_index(row->dtype) == row->is_index, "can be an index or not");
        check(clnd__dtype_is_half(row->dtype) == row->is_half, "is half or not");
        check(clnd__dtype_is_complex(row->dtype) == row->is_complex, "is complex or not");
        check(clnd__dtype_needs_fp64(row->dtype) == row->needs_fp64, "needs fp64 or not");
        check(clnd__dtype_is_opaque(row->dtype) == (row->kind == 16), "is opaque or not");
        for (int j = 0; j < i; ++j)
            check(dtypes[j].dtype != row->dtype, "equals %s", dtypes[j].name);
    }
}

Test(dtype, other_numbers_are_invalid)
{
    static const clnd_dtype invalid[] = {
        0,
        1,
        CLND_DTYPE_OF(0, 4),
        CLND_DTYPE_OF(1, 2),
        CLND_DTYPE_OF(4, 8),
        CLND_DTYPE_OF(12, 8),
        CLND_DTYPE_OF(17, 4),
        CLND_DTYPE_OF(255, 1),
        CLND_OPAQUE(0),
        CLND_OPAQUE((uint64_t)CLND_MAX_OPAQUE_SIZE + 1),
        CLND_OPAQUE(UINT64_C(1) << 55),
        UINT64_MAX,
    };
    for (int i = 0; i < (int)(sizeof invalid / sizeof *invalid); ++i) {
        case_begin("invalid dtype", i);
        case_note("%llx", (unsigned long long)invalid[i]);
        check(!clnd_dtype_is_valid(invalid[i]), "is valid");
        check(!clnd_dtype_is_index(invalid[i]), "can be an index");
        check(clnd_dtype_size(invalid[i]) == 0, "has a size");
        check(strcmp(clnd_dtype_name(invalid[i]), "invalid") == 0, "has a name");
    }
}

Test(version, text_is_the_header_s_numbers)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", CLND_VERSION_MAJOR, CLND_VERSION_MINOR,
             CLND_VERSION_PATCH);
    check(clnd_version() == CLND_VERSION, "%d, expected %d", (int)clnd_version(), CLND_VERSION);
    check(strcmp(clnd_version_text(), expected) == 0, "%s, expected %s", clnd_version_text(),
          expected);
}

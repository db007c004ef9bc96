// SPDX-License-Identifier: Apache-2.0
//
// What a kernel is compiled for: small integers, 0 where an option is not given. kernels_cl/ says
// what each one means, kernels_cl/options.toml which values each kernel may be asked for.

#ifndef CLND_CL_KERNEL_OPTIONS_H
#define CLND_CL_KERNEL_OPTIONS_H

#include <stdint.h>

#define CLND__KERNEL_OPTIONS(EACH)                                                                 \
    EACH(small, SMALL)                                                                             \
    EACH(index, INDEX)                                                                             \
    EACH(lanes, LANES)                                                                             \
    EACH(offsets, OFFSETS)                                                                         \
    EACH(unit, UNIT)                                                                               \
    EACH(row, ROW)                                                                                 \
    EACH(slices, SLICES)                                                                           \
    EACH(data_step, DATA_STEP)                                                                     \
    EACH(along, ALONG)                                                                             \
    EACH(outer, OUTER)                                                                             \
    EACH(words, WORDS)                                                                             \
    EACH(fill, FILL)                                                                               \
    EACH(coordinates, COORDINATES)                                                                 \
    EACH(unadjusted, UNADJUSTED)                                                                   \
    EACH(key, KEY)                                                                                 \
    EACH(dtype, DTYPE)                                                                             \
    EACH(reduce, REDUCE)                                                                           \
    EACH(wide, WIDE)                                                                               \
    EACH(soft_fp64, SOFT_FP64)                                                                     \
    EACH(atomic, ATOMIC)                                                                           \
    EACH(pack, PACK)                                                                               \
    EACH(columns, COLUMNS)                                                                         \
    EACH(private, PRIVATE)                                                                         \
    EACH(copies, COPIES)                                                                           \
    EACH(local_kib, LOCAL_KIB)                                                                     \
    EACH(first_cache, FIRST_CACHE)

typedef struct clnd__kernel_options {
#define FIELD(field, name) int16_t field;
    CLND__KERNEL_OPTIONS(FIELD)
#undef FIELD
    int16_t far; // Intel's GPUs: buffers may have more than 4 GiB
} clnd__kernel_options;

// Room for the text of any options.
enum { CLND__OPTIONS_TEXT = 480 };

// Writes the text that a compiler takes.
void clnd__kernel_options_print(const clnd__kernel_options *options, char text[CLND__OPTIONS_TEXT]);

#endif

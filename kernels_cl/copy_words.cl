// SPDX-License-Identifier: Apache-2.0
//
// copy_words: a gather without coordinates of 1- or 2-byte units whose rows are contiguous in
// dense, at any address there, on GPUs. Each work-item puts together words of dense from units that
// lie anywhere in data, so that nothing outside of a row is read or written.
//
// Arguments     data, dense, args. Slice axis 0 is the innermost of dense. If there is a slice axis
//               1, it follows in dense without a gap: pixels.
// Options       -DUNIT=1 or 2 (units.clh), -DOFFSETS, -DSMALL, -DALONG (common.clh)
// Work size     groups of CLND_LANES x 1; words of a row along dimension 0, rows along 1. A row has
//               at least one word.

#if UNIT == 1
#define WORD_UNITS 4
#else
#define WORD_UNITS 2
#endif
typedef VECTOR(UNIT_NAME, WORD_UNITS) word;

// The column at which word number i of a row begins. Words are aligned, so that the first may begin
// before the row and the last ends behind it.
static inline offset first_column(__global const uchar *to, offset i)
{
    return i * WORD_UNITS - (offset)((ulong)to % sizeof(word)) / UNIT;
}

// The first of as many columns, all of them in the row.
static inline offset first_inside(offset first, offset columns)
{
    return clamp(first, (offset)0, columns - WORD_UNITS);
}

static inline word load_word(const clnd_move_args *args, __global const uchar *from, offset column)
{
    const clnd_axis_args inner = args->axes[CLND_SLICE_AXIS(0)];
    const offset size = (offset)inner.size, step = (offset)inner.data;
    const offset pixel_step =
        args->n_slice > 1 ? (offset)args->axes[CLND_SLICE_AXIS(1)].data : (offset)0;
    const offset pixel = divide(column, args->columns_per_item, size);
    offset i = column - pixel * size, at = pixel * pixel_step + i * step;
    unit units[WORD_UNITS];
    units[0] = *(__global const unit *)(from + at);
    for (int n = 1; n < WORD_UNITS; ++n) {
        const bool ends = ++i == size;
        at += ends ? pixel_step - (size - 1) * step : step;
        i = ends ? 0 : i;
        units[n] = *(__global const unit *)(from + at);
    }
    return VECTOR(vload, WORD_UNITS)(0, units);
}

// Of a word that is not whole in the row, `value` has the nearest columns that are.
static inline void store_word(word value, __global uchar *to, offset first, offset columns)
{
    const offset inside = first_inside(first, columns);
    if (inside == first) {
        *(__global word *)(to + first * UNIT) = value;
        return;
    }
    unit units[WORD_UNITS];
    VECTOR(vstore, WORD_UNITS)(value, 0, units);
    for (int n = 0; n < WORD_UNITS; ++n)
        if (inside + n >= first && inside + n < first + WORD_UNITS)
            ((__global unit *)to)[inside + n] = units[n];
}

__kernel void copy_words(__global const uchar *data, __global uchar *dense,
                         clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const offset columns = (offset)args.columns;
    const range rows = rows_of_item(&args);
    const range words = pieces_of_item(&args, (columns + 2 * (WORD_UNITS - 1)) / WORD_UNITS);
    for (offset row = rows.first; row < rows.last; row += ROWS_AT_ONCE * rows.step) {
        FIND_ROWS
#define FROM(n) (data + starts[ROW_OF(n)].data)
#define TO(n)   (dense + starts[ROW_OF(n)].dense)
#define LOAD(n)                                                                                    \
    const offset first##n = first_column(TO(n), PIECE(n));                                         \
    const word value##n = load_word(&args, FROM(n), first_inside(first##n, columns));
#define STORE(n)                                                                                   \
    if (IS_TAKEN(n))                                                                               \
        store_word(value##n, TO(n), first##n, columns);
        EACH_PIECE(words, LOAD, STORE)
    }
}

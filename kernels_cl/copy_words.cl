// SPDX-License-Identifier: Apache-2.0
//
// copy_words: a gather without coordinates of 1- or 2-byte units whose rows are contiguous in
// dense, and lie anywhere in data, on GPUs (words.clh).
//
// Arguments     data, dense, args. Slice axis 0 is the innermost of dense. If there is a slice axis
//               1, it follows in dense without a gap: pixels.
// Options       -DUNIT=1 or 2 (units.clh), -DOFFSETS, -DSMALL, -DALONG (common.clh)
// Work size     groups of CLND_LANES x 1; words of a row along dimension 0, rows along 1.

// The word that begins with column `column` of the row at `from`.
static inline word load_columns(const clnd_move_args *args, __global const uchar *from,
                                offset column)
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

__kernel void copy_words(__global const uchar *data, __global uchar *dense,
                         clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const offset columns = (offset)args.columns;
    const range rows = rows_of_item(&args);
    const range words = pieces_of_item(&args, words_of_row(columns));
    for (offset row = rows.first; row < rows.last; row += ROWS_AT_ONCE * rows.step) {
        FIND_ROWS
#define FROM(n) (data + starts[ROW_OF(n)].data)
#define TO(n)   (dense + starts[ROW_OF(n)].dense)
#define LOAD(n)                                                                                    \
    const offset first##n = first_inside(first_column(TO(n), PIECE(n)), columns);                  \
    const word value##n = load_columns(&args, FROM(n), first##n);
#define STORE(n)                                                                                   \
    if (IS_TAKEN(n))                                                                               \
        store_word(value##n, TO(n), PIECE(n), columns);
        EACH_PIECE(words, LOAD, STORE)
    }
}

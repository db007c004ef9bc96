// SPDX-License-Identifier: Apache-2.0
//
// Slices as slice.h puts them in words: each entry takes its dimension and lists the positions that
// it takes of it, walking from place to place in 128 bits.

#include "ref.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

typedef enum entry_kind { ENTRY_ELLIPSIS, ENTRY_NEW_AXIS, ENTRY_INTEGER, ENTRY_RANGE } entry_kind;

static bool has_bit(uint32_t mask, int entry)
{
    return mask >> entry & 1;
}

static entry_kind kind_of(const clnd_slice *slice, int entry)
{
    if (has_bit(slice->ellipsis_mask, entry))
        return ENTRY_ELLIPSIS;
    if (has_bit(slice->new_axis_mask, entry))
        return ENTRY_NEW_AXIS;
    return has_bit(slice->shrink_axis_mask, entry) ? ENTRY_INTEGER : ENTRY_RANGE;
}

static void add_position(ref_slice *taken, int dimension, wide position)
{
    taken->positions[dimension][taken->counts[dimension]] = (int64_t)position;
    taken->counts[dimension]++;
}

static bool take_integer(const clnd_slice *slice, int entry, int64_t size, int dimension,
                         ref_slice *taken)
{
    wide place = slice->begin[entry];
    if (slice->strides[entry] <= 0)
        return false;
    if (place < 0)
        place += size;
    if (place < 0 || place >= size)
        return false;
    add_position(taken, dimension, place);
    return true;
}

// A place that the caller gave: negative ones count from the end, once; then the nearest place of
// the window from `lowest` to `highest`.
static wide given_place(int64_t value, int64_t size, wide lowest, wide highest)
{
    wide place = value;
    if (place < 0)
        place += size;
    if (place < lowest)
        place = lowest;
    if (place > highest)
        place = highest;
    return place;
}

static bool take_range(const clnd_slice *slice, int entry, int64_t size, int dimension,
                       ref_slice *taken)
{
    wide stride = slice->strides[entry];
    if (stride == 0)
        return false;
    // going up: from 0 to just after the last; going down: from the last to just before 0
    wide first = stride > 0 ? 0 : (wide)size - 1;
    wide past = stride > 0 ? (wide)size : -1;
    wide lowest = stride > 0 ? first : past;
    wide highest = stride > 0 ? past : first;
    wide place = has_bit(slice->begin_mask, entry)
                     ? first
                     : given_place(slice->begin[entry], size, lowest, highest);
    wide end = has_bit(slice->end_mask, entry)
                   ? past
                   : given_place(slice->end[entry], size, lowest, highest);
    while (stride > 0 ? place < end : place > end) {
        add_position(taken, dimension, place);
        place += stride;
    }
    return true;
}

static void take_all(int64_t size, int dimension, ref_slice *taken)
{
    for (int64_t place = 0; place < size; place++)
        add_position(taken, dimension, place);
}

// Adds a dimension to the result; it may grow past the maximum, which is looked at in the end.
static void add_result(ref_slice *taken, int dimension)
{
    if (taken->rank < CLND_MAX_RANK) {
        taken->dimension[taken->rank] = dimension;
        taken->shape[taken->rank] = dimension < 0 ? 1 : taken->counts[dimension];
    }
    taken->rank++;
}

static bool take_entries(int rank, const int64_t *shape, const clnd_slice *slice, ref_slice *taken)
{
    int ellipses = 0, consumed = 0, dimension = 0;
    if (slice->length < 0 || slice->length > CLND_MAX_SLICE_ENTRIES)
        return false;
    for (int i = 0; i < slice->length; i++) {
        entry_kind kind = kind_of(slice, i);
        ellipses += kind == ENTRY_ELLIPSIS;
        consumed += kind == ENTRY_INTEGER || kind == ENTRY_RANGE;
    }
    if (ellipses > 1 || consumed > rank)
        return false;
    for (int i = 0; i <= slice->length; i++) {
        bool at_end = i == slice->length;
        entry_kind kind = at_end ? ENTRY_ELLIPSIS : kind_of(slice, i);
        if (at_end && ellipses == 1)
            break;
        if (kind == ENTRY_ELLIPSIS) {
            for (int more = rank - consumed; more > 0; more--) {
                take_all(shape[dimension], dimension, taken);
                add_result(taken, dimension);
                dimension++;
            }
        } else if (kind == ENTRY_NEW_AXIS) {
            add_result(taken, -1);
        } else if (kind == ENTRY_INTEGER) {
            if (!take_integer(slice, i, shape[dimension], dimension, taken))
                return false;
            dimension++;
        } else {
            if (!take_range(slice, i, shape[dimension], dimension, taken))
                return false;
            add_result(taken, dimension);
            dimension++;
        }
    }
    return true;
}

ref_slice_status ref_slice_take(int rank, const int64_t *shape, const clnd_slice *slice,
                                ref_slice *taken)
{
    memset(taken, 0, sizeof *taken);
    taken->input_rank = rank;
    for (int d = 0; d < rank; d++) {
        taken->positions[d] = malloc(((size_t)shape[d] + 1) * sizeof(int64_t));
        if (!taken->positions[d])
            abort();
    }
    ref_slice_status status = REF_SLICE_OK;
    if (!take_entries(rank, shape, slice, taken))
        status = REF_SLICE_INVALID;
    else if (taken->rank > CLND_MAX_RANK)
        status = REF_SLICE_TOO_HIGH;
    if (status != REF_SLICE_OK)
        ref_slice_free(taken);
    return status;
}

void ref_slice_free(ref_slice *taken)
{
    for (int d = 0; d < taken->input_rank; d++)
        free(taken->positions[d]);
    memset(taken, 0, sizeof *taken);
}

void ref_slice_position(const ref_slice *taken, const int64_t *result, int64_t *input)
{
    for (int d = 0; d < taken->input_rank; d++)
        input[d] = taken->counts[d] ? taken->positions[d][0] : 0; // integers keep this one
    for (int d = 0; d < taken->rank; d++)
        if (taken->dimension[d] >= 0)
            input[taken->dimension[d]] = taken->positions[taken->dimension[d]][result[d]];
}

ref_slice_status ref_strided_slice(const ref_array *input, const clnd_slice *slice,
                                   const ref_array *out)
{
    ref_slice taken;
    int64_t at[CLND_MAX_RANK], from[CLND_MAX_RANK];
    ref_slice_status status = ref_slice_take(input->rank, input->shape, slice, &taken);
    if (status != REF_SLICE_OK)
        return status;
    for (bool more = ref_first(taken.rank, taken.shape, at); more;
         more = ref_next(taken.rank, taken.shape, at)) {
        ref_slice_position(&taken, at, from);
        memcpy(ref_at(out, at), ref_at(input, from), ref_size(input->dtype));
    }
    ref_slice_free(&taken);
    return REF_SLICE_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Each row of the target by itself: the updates that it gets are known, in the order of their rows.

#include "verify_scatter.h"

#include <math.h>
#include <string.h>

#include "ref.h"

// Elements that are looked at together, so that a thread needs no memory of its own.
enum { BLOCK = 256, MAX_NUMBER = 16 };

// The updates of one row of the target.
struct group {
    const struct verifier *verifier;
    const struct sort_item *begin, *end;
    const unsigned char *result; // the row
    int64_t row;
};

static const unsigned char *update_at(const struct group *group, const struct sort_item *item,
                                      int64_t element)
{
    const struct run *run = group->verifier->run;
    const int64_t place = (int64_t)item->value * run->layout.width + element;
    return (const unsigned char *)run->dense.view + (size_t)place * run->layout.element;
}

// What the element was before.
static const unsigned char *initial_at(const struct group *group, int64_t element)
{
    const struct run *run = group->verifier->run;
    return contents_at(&run->data_contents, group->row * run->layout.width + element);
}

// UPDATE: the last row wins, or some whole element.
static bool is_update(const struct group *group, enum verify_mode mode)
{
    const struct layout *layout = &group->verifier->run->layout;
    for (int64_t j = 0; j < layout->width; ++j) {
        const struct sort_item *item = group->end - 1;
        while (memcmp(group->result + (size_t)j * layout->element, update_at(group, item, j),
                      layout->element) != 0)
            if (mode == VERIFY_SERIAL || item-- == group->begin)
                return false;
    }
    return true;
}

// The loop over the rows, rounded as the dtype is, or, for 16-bit floats, once at the end.
static bool is_serial(const struct group *group, enum verify_mode mode)
{
    const struct run *run = group->verifier->run;
    const clnd_dtype dtype = run->what->dtype;
    const size_t size = run->layout.element;
    const bool half = dtype == CLND_FLOAT16 || dtype == CLND_BFLOAT16;
    unsigned char expected[MAX_NUMBER];
    for (int64_t j = 0; j < run->layout.width; ++j) {
        memcpy(expected, initial_at(group, j), size);
        uint16_t bits = 0;
        if (half)
            memcpy(&bits, expected, sizeof bits);
        float wide = half ? ref_widen(dtype, bits) : 0;
        for (const struct sort_item *item = group->begin; item < group->end; ++item) {
            const unsigned char *update = update_at(group, item, j);
            if (half && mode == VERIFY_SERIAL) {
                memcpy(&bits, update, sizeof bits);
                wide = ref_reduce_float(run->what->reduce, wide, ref_widen(dtype, bits));
            } else {
                ref_reduce(dtype, run->what->reduce, expected, update);
            }
        }
        if (half && mode == VERIFY_SERIAL) {
            bits = ref_narrow(dtype, wide);
            memcpy(expected, &bits, sizeof bits);
        }
        if (memcmp(group->result + (size_t)j * size, expected, size) != 0)
            return false;
    }
    return true;
}

// The real numbers that an array of floats or of complex numbers consists of.
struct numbers {
    clnd_dtype dtype;
    size_t size;
    int64_t width;   // of a row
    double relative; // error that a sum may have, as a part of the sum of the absolute values
};

static struct numbers numbers_of(const struct run *run)
{
    const int64_t width = run->layout.width;
    switch (run->what->dtype) {
    case CLND_FLOAT16:
        return (struct numbers){CLND_FLOAT16, 2, width, 2e-2};
    case CLND_BFLOAT16:
        return (struct numbers){CLND_BFLOAT16, 2, width, 16e-2};
    case CLND_FLOAT32:
        return (struct numbers){CLND_FLOAT32, 4, width, 2e-5};
    case CLND_COMPLEX64:
        return (struct numbers){CLND_FLOAT32, 4, 2 * width, 2e-5};
    case CLND_FLOAT64:
        return (struct numbers){CLND_FLOAT64, 8, width, 4e-14};
    default:
        return (struct numbers){CLND_FLOAT64, 8, 2 * width, 4e-14};
    }
}

static double number_at(const struct numbers *numbers, const unsigned char *row, int64_t i)
{
    const unsigned char *at = row + (size_t)i * numbers->size;
    uint16_t half;
    float single;
    double value;
    switch (numbers->dtype) {
    case CLND_FLOAT32:
        memcpy(&single, at, sizeof single);
        return single;
    case CLND_FLOAT64:
        memcpy(&value, at, sizeof value);
        return value;
    default:
        memcpy(&half, at, sizeof half);
        return ref_widen(numbers->dtype, half);
    }
}

// Sums in any order, against the sum in float64. All of them start at zero.
static bool is_sum(const struct group *group)
{
    static const double absolute = 1e-6;
    const struct run *run = group->verifier->run;
    const struct numbers numbers = numbers_of(run);
    const double sign = run->what->reduce == CLND_REDUCE_SUB ? -1 : 1;
    for (int64_t first = 0; first < numbers.width; first += BLOCK) {
        const int64_t left = numbers.width - first, count = left < BLOCK ? left : BLOCK;
        double sums[BLOCK] = {0}, sizes[BLOCK] = {0};
        for (const struct sort_item *item = group->begin; item < group->end; ++item) {
            const unsigned char *row = update_at(group, item, 0);
            for (int64_t j = 0; j < count; ++j) {
                const double value = number_at(&numbers, row, first + j);
                sums[j] += value;
                sizes[j] += fabs(value);
            }
        }
        for (int64_t j = 0; j < count; ++j) {
            const double got = number_at(&numbers, group->result, first + j);
            // Written so that a NaN is wrong.
            if (!(fabs(got - sign * sums[j]) <= numbers.relative * sizes[j] + absolute))
                return false;
        }
    }
    return true;
}

static bool is_right(const struct group *group, enum verify_mode mode)
{
    const struct run *run = group->verifier->run;
    const int64_t width = run->layout.width;
    if (group->begin == group->end)
        return contents_equal(&run->data_contents, group->result, group->row * width, width);
    if (run->what->reduce == CLND_REDUCE_UPDATE)
        return is_update(group, mode);
    if (mode == VERIFY_VALUE && case_sums_floats(run->what))
        return is_sum(group);
    return is_serial(group, mode);
}

// The first item for this row of the target or a later one.
static const struct sort_item *find(const struct verifier *verifier, int64_t row)
{
    int64_t low = 0, high = verifier->run->layout.rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (verifier->items[middle].key < (uint64_t)row)
            low = middle + 1;
        else
            high = middle;
    }
    return verifier->items + low;
}

int64_t verify_scatter(const struct verifier *verifier, const unsigned char *result,
                       enum verify_mode mode, int64_t begin, int64_t end)
{
    const struct layout *layout = &verifier->run->layout;
    const struct sort_item *last = verifier->items + layout->rows;
    struct group group = {.verifier = verifier, .end = find(verifier, begin)};
    for (int64_t row = begin; row < end; ++row) {
        group.row = row;
        group.begin = group.end;
        while (group.end < last && group.end->key == (uint64_t)row)
            ++group.end;
        group.result = result + (size_t)(row * layout->width) * layout->element;
        if (!is_right(&group, mode))
            return row;
    }
    return end;
}

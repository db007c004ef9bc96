// SPDX-License-Identifier: Apache-2.0

#include "host/exec/parts.h"

#include "host/base/integers.h"
#include "host/exec/rows.h"

// What an entry has room for beside the row's number.
#define MOST_LOCATIONS (INT64_C(1) << (32 - CLND_BUCKET_ROW_BITS))

// The greatest power of two, up to `most`, that all rows of the target begin at multiples of.
static int64_t location_step(const clnd__problem *problem, int64_t most)
{
    uint64_t all = (uint64_t)most | (uint64_t)problem->data_offset;
    for (int i = 0; i < problem->n_outer; ++i)
        all |= (uint64_t)problem->outer[i].data;
    for (int k = 0; k < problem->n_coordinates; ++k)
        all |= (uint64_t)problem->coordinates[k].stride;
    return (int64_t)(all & (0 - all));
}

clnd__parts clnd__parts_of(const clnd__scatter_case *c, const clnd__problem *problem)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    int64_t first, last;
    clnd__problem_row_range(problem, &first, &last);
    first -= first % tuning->line_bytes;
    const int64_t span = last - first + 1;
    const int64_t threads = (int64_t)c->facts->compute_units * tuning->parts_per_unit;
    const int64_t most =
        at_most(at_least(threads, divide_up(span, tuning->part_bytes)), CLND_BUCKET_PARTS);
    int64_t bytes = tuning->line_bytes;
    while (bytes < divide_up(span, most))
        bytes *= 2;
    return (clnd__parts){first, bytes, divide_up(span, bytes),
                         location_step(problem, tuning->line_bytes)};
}

void clnd__parts_lower(const clnd__scatter_case *c, const clnd__problem *problem, clnd__move *move)
{
    const bool update = c->options.reduce == CLND_REDUCE_UPDATE;
    clnd__lower(problem, update ? clnd__widest_unit(problem, c->alignment) : c->element, move);
    move->args.adjust = c->options.adjust;
    move->args.columns_per_item = move->args.columns;
}

bool clnd__parts_can_divide(const clnd__scatter_case *c, const clnd__problem *problem)
{
    int64_t step;
    if (!clnd__rows_can_compile(c->planner) ||
        !clnd__rows_have_coordinates(problem->n_coordinates) ||
        !clnd__problem_rows_are_even(problem, &step))
        return false;
    clnd__move move;
    clnd__parts_lower(c, problem, &move);
    const clnd__parts parts = clnd__parts_of(c, problem);
    const bool rows = c->options.reduce == CLND_REDUCE_UPDATE ? clnd__rows_are_contiguous(&move)
                                                              : move.args.n_slice == 1;
    return rows && parts.bytes / parts.step <= MOST_LOCATIONS;
}

// Owners look at all rows, which takes each of them some 1 ns a row. Divided, a thread also knows
// its rows ahead of time and can ask for what they need.
bool clnd__parts_pay(const clnd__scatter_case *c, const clnd__problem *problem)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const int64_t row = c->row_elements * c->element;
    return c->facts->compute_units > 1 && c->rows >= tuning->divide_rows &&
           c->rows >= tuning->divide_bytes / (row + tuning->divide_row_bytes) &&
           clnd__parts_of(c, problem).count > 1;
}

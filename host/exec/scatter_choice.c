// SPDX-License-Identifier: Apache-2.0

#include "host/exec/scatter_choice.h"

#include "host/base/dtype.h"
#include "host/base/error.h"
#include "host/exec/rows.h"

// Bytes that a device stores at once, so that no other store can come in between.
enum { WHOLE_STORE = 8 };

enum { ATOMIC_WORD = 4 };

static unsigned bit_of(clnd_strategy strategy)
{
    return 1u << strategy;
}

static bool order_matters(clnd_dtype dtype)
{
    switch (dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
    case CLND_FLOAT32:
    case CLND_FLOAT64:
    case CLND_COMPLEX64:
    case CLND_COMPLEX128:
        return true;
    default:
        return false;
    }
}

// Whether the words around all elements up to byte `end` lie inside the buffer, on word boundaries.
static bool words_inside(const clnd__memory *data, int64_t end)
{
    const uint64_t last = ((uint64_t)end + ATOMIC_WORD - 1) / ATOMIC_WORD * ATOMIC_WORD;
    return data->alignment % ATOMIC_WORD == 0 && last <= data->size;
}

static bool is_aligned(const clnd__problem *problem, const clnd__memory *data, int64_t size)
{
    uint64_t all = (uint64_t)problem->data_offset | data->alignment;
    for (int i = 0; i < problem->n_outer; ++i)
        all |= (uint64_t)problem->outer[i].data;
    for (int i = 0; i < problem->n_slice; ++i)
        all |= (uint64_t)problem->slice[i].data;
    for (int k = 0; k < problem->n_coordinates; ++k)
        all |= (uint64_t)problem->coordinates[k].stride;
    return all % (uint64_t)size == 0;
}

static bool has_atomics(const clnd__scatter_case *scatter)
{
    const clnd_device_facts *facts = scatter->facts;
    const clnd_dtype dtype = scatter->problem->dtype;
    const clnd_reduce reduce = scatter->options->reduce;
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    if (clnd__dtype_is_opaque(dtype) || reduce == CLND_REDUCE_UPDATE)
        return false;
    if (clnd__dtype_is_complex(dtype) && reduce == CLND_REDUCE_MUL) // both parts at once
        return size == 8 && facts->int64_atomics && is_aligned(scatter->problem, scatter->data, 8);
    if (size < ATOMIC_WORD)
        return words_inside(scatter->data, scatter->end);
    return size == ATOMIC_WORD || dtype == CLND_COMPLEX64 || facts->int64_atomics;
}

// UPDATE, and any of the rows that meet may win, because a store holds whole elements.
static bool any_store_may_win(const clnd__scatter_case *scatter)
{
    const int64_t size = (int64_t)clnd_dtype_size(scatter->problem->dtype);
    const size_t alignment = scatter->data->alignment | scatter->dense->alignment;
    return scatter->options->reduce == CLND_REDUCE_UPDATE && !scatter->options->deterministic &&
           size <= WHOLE_STORE && clnd__widest_unit(scatter->problem, alignment) % size == 0;
}

// Whether the serial loop's result is that of any order.
static bool any_order_will_do(const clnd__scatter_case *scatter)
{
    return !scatter->options->deterministic || !order_matters(scatter->problem->dtype);
}

bool clnd__scatter_rounds(clnd_dtype dtype, clnd_reduce reduce)
{
    return clnd__dtype_is_half(dtype) &&
           (reduce == CLND_REDUCE_ADD || reduce == CLND_REDUCE_SUB || reduce == CLND_REDUCE_MUL);
}

// Where no two rows meet, sums have one update each and are rounded once in any case.
static bool rounds_once(const clnd__scatter_case *scatter)
{
    return scatter->options->deterministic && !scatter->options->unique &&
           clnd__scatter_rounds(scatter->problem->dtype, scatter->options->reduce);
}

// Owners that round once work on a float32 copy of the whole target, a sort on what it meets.
static bool copy_outweighs_sort(const clnd__scatter_case *scatter)
{
    enum { SORT_COSTS = 4 }; // as much as so many passes over the updates
    if (!rounds_once(scatter))
        return false;
    const int64_t size = (int64_t)clnd_dtype_size(scatter->problem->dtype);
    const int64_t target = (scatter->end - scatter->begin) / size;
    return clnd__problem_rows(scatter->problem) <
           target / SORT_COSTS / clnd__problem_slice_size(scatter->problem);
}

// How BUCKETS makes its sums. To sort the rows of a part costs as much for each row as a float32
// copy for each element of the target; long rows spare more (docs/design.md).
static clnd__sums bucket_sums(const clnd__scatter_case *scatter)
{
    enum { LONG_ROW = 32 }; // elements
    const clnd__problem *problem = scatter->problem;
    if (!rounds_once(scatter))
        return CLND__SUMS_PLAIN;
    const int64_t size = (int64_t)clnd_dtype_size(problem->dtype);
    const bool pays = clnd__problem_slice_size(problem) >= LONG_ROW ||
                      clnd__problem_rows(problem) <= (scatter->end - scatter->begin) / size;
    const bool rounded =
        pays &&
        clnd__buckets_are_possible(scatter->facts, problem, scatter->options->reduce,
                                   scatter->data->alignment | scatter->dense->alignment) &&
        clnd__buckets_can_round(scatter->facts, problem,
                                clnd__workspace_room(scatter->options->workspace, 0));
    return rounded ? CLND__SUMS_ROUNDED : CLND__SUMS_WIDE;
}

// What rows are put into buckets of: the target, or a float32 copy of it, which has *before bytes
// of the workspace, and where entries follow. False: it is too large.
static bool find_bucket_target(const clnd__scatter_case *scatter, clnd__problem *target,
                               uint64_t *before)
{
    const int64_t bytes = scatter->end - scatter->begin, wide = (int64_t)sizeof(float);
    const int64_t narrow = (int64_t)clnd_dtype_size(scatter->problem->dtype);
    *target = *scatter->problem;
    *before = 0;
    if (bucket_sums(scatter) != CLND__SUMS_WIDE)
        return true;
    if (bytes > INT64_MAX / wide * narrow)
        return false;
    clnd__problem_scale_data(target, scatter->begin, wide, narrow);
    *before = clnd__sort_align((uint64_t)(bytes / narrow * wide));
    return true;
}

static bool has_buckets(const clnd__scatter_case *scatter)
{
    clnd__problem target;
    uint64_t before;
    return find_bucket_target(scatter, &target, &before) &&
           clnd__buckets_are_possible(scatter->facts, &target, scatter->options->reduce,
                                      scatter->data->alignment | scatter->dense->alignment);
}

// Why buckets are the way to take the rows in order, or NULL.
static const char *buckets_advantage(const clnd__scatter_case *scatter, unsigned possible)
{
    clnd__problem target;
    uint64_t before;
    if (!(possible & bit_of(CLND_STRATEGY_BUCKETS)) ||
        !find_bucket_target(scatter, &target, &before))
        return NULL;
    return clnd__buckets_advantage(scatter->facts, &target,
                                   clnd__workspace_room(scatter->options->workspace, before));
}

// In row order, by the threads of a CPU.
static clnd__choice in_order(const char *buckets)
{
    if (buckets)
        return (clnd__choice){CLND_STRATEGY_BUCKETS, buckets};
    return (clnd__choice){CLND_STRATEGY_OWNER, "a CPU: atomics cost more than they spare"};
}

// Many rows on a CPU that select few places.
static bool has_few_places(const clnd__scatter_case *scatter)
{
    enum { FEW_BYTES = 32768, OFTEN = 16 };
    const int64_t size = (int64_t)clnd_dtype_size(scatter->problem->dtype);
    const int64_t target = scatter->end - scatter->begin;
    return scatter->facts->is_cpu && !scatter->options->unique && target <= FEW_BYTES &&
           clnd__problem_rows(scatter->problem) >
               OFTEN * target / size / clnd__problem_slice_size(scatter->problem);
}

// Threads that store to few lines take them from one another all the time.
static bool threads_share_lines(const clnd__scatter_case *scatter)
{
    return scatter->options->reduce == CLND_REDUCE_UPDATE && has_few_places(scatter);
}

// To apply a short row takes one thread less than it takes several to put it into a bucket, or each
// of them to find that it is another's (docs/design.md).
static bool threads_spare_little(const clnd__scatter_case *scatter)
{
    enum { SHORT_ROW = 16, FEW_THREADS = 8 };
    const int64_t row = clnd__problem_slice_size(scatter->problem) *
                        (int64_t)clnd_dtype_size(scatter->problem->dtype);
    return scatter->options->reduce != CLND_REDUCE_UPDATE && has_few_places(scatter) &&
           row <= SHORT_ROW && scatter->facts->compute_units <= FEW_THREADS;
}

// llvmpipe's work-items end their loops after 65535 turns: there, owners share the work.
bool clnd__scatter_is_for_one_thread(const clnd__scatter_case *scatter)
{
    return (threads_share_lines(scatter) || threads_spare_little(scatter)) &&
           clnd__rows_can_compile(scatter->facts);
}

static const char *atomic_reason(const clnd__scatter_case *scatter)
{
    return clnd__hot_way_of(scatter) == CLND__HOT_ASKED
               ? "the device has the atomics; rows that crowd on one place are combined first"
               : "the device has the atomics";
}

static clnd__choice automatic(const clnd__scatter_case *scatter, unsigned possible)
{
    const clnd_device_facts *facts = scatter->facts;
    const char *buckets = buckets_advantage(scatter, possible);
    const bool room = scatter->private && clnd__workspace_room(scatter->options->workspace, 0) >=
                                              scatter->private->workspace_bytes;
    if (threads_share_lines(scatter) && room)
        return (clnd__choice){CLND_STRATEGY_PRIVATE, "few places: only rows that win are moved"};
    if (threads_share_lines(scatter))
        return (clnd__choice){CLND_STRATEGY_OWNER,
                              "few places: threads would wait for one another's lines"};
    if (possible & bit_of(CLND_STRATEGY_STORE))
        return (clnd__choice){CLND_STRATEGY_STORE, scatter->options->unique
                                                       ? "no two rows meet"
                                                       : "an update is one whole store"};
    const char *private = room ? clnd__private_advantage(facts, scatter->private, buckets) : NULL;
    if (private)
        return (clnd__choice){CLND_STRATEGY_PRIVATE, private};
    if (clnd__scatter_is_for_one_thread(scatter))
        return (clnd__choice){CLND_STRATEGY_OWNER,
                              "few places, in order: threads would spare little"};
    if ((possible & bit_of(CLND_STRATEGY_BUCKETS)) && bucket_sums(scatter) == CLND__SUMS_ROUNDED)
        return (clnd__choice){CLND_STRATEGY_BUCKETS,
                              "a CPU: a place's rows are brought together and rounded once"};
    if (facts->is_cpu && (possible & bit_of(CLND_STRATEGY_SORT)) && copy_outweighs_sort(scatter))
        return (clnd__choice){CLND_STRATEGY_SORT,
                              "few rows: a float32 copy of all would cost more"};
    if (facts->is_cpu)
        return in_order(buckets);
    if (possible & bit_of(CLND_STRATEGY_ATOMIC))
        return (clnd__choice){CLND_STRATEGY_ATOMIC, atomic_reason(scatter)};
    return (clnd__choice){possible & bit_of(CLND_STRATEGY_SORT) ? CLND_STRATEGY_SORT
                                                                : CLND_STRATEGY_OWNER,
                          any_order_will_do(scatter) ? "the device has no atomics for it"
                                                     : "the order of the rows matters"};
}

static const char *why_not(clnd_strategy strategy)
{
    switch (strategy) {
    case CLND_STRATEGY_STORE:
        return "STORE cannot do this scatter: rows may meet in elements that are not stored whole";
    case CLND_STRATEGY_SORT:
        return "SORT cannot do this scatter: the device's work-groups or their local memory are "
               "too small";
    case CLND_STRATEGY_BUCKETS:
        return "BUCKETS cannot do this scatter: it is for CPUs whose compilers can cope with its "
               "kernels, one to three coordinates, columns that are one stretch, rows that lie "
               "evenly in the updates, and targets whose places an entry has room for";
    case CLND_STRATEGY_PRIVATE:
        return "PRIVATE cannot do this scatter: a copy cannot begin as nothing, the result would "
               "depend on the order, or the target is too large; updates have numbers of rows for "
               "copies, on CPUs, where they are gapless in data and lie evenly in dense";
    default:
        return "ATOMIC cannot do this scatter: the device has no atomics for it, or its result "
               "would depend on the order";
    }
}

clnd__sums clnd__scatter_sums(const clnd__scatter_case *scatter, clnd_strategy strategy)
{
    if (strategy == CLND_STRATEGY_BUCKETS)
        return bucket_sums(scatter);
    return strategy == CLND_STRATEGY_OWNER && rounds_once(scatter) ? CLND__SUMS_WIDE
                                                                   : CLND__SUMS_PLAIN;
}

clnd_status clnd__scatter_choose(const clnd__scatter_case *scatter, clnd__choice *choice)
{
    unsigned possible = bit_of(CLND_STRATEGY_OWNER);
    if (scatter->options->unique || any_store_may_win(scatter))
        possible |= bit_of(CLND_STRATEGY_STORE);
    if (any_order_will_do(scatter) && has_atomics(scatter))
        possible |= bit_of(CLND_STRATEGY_ATOMIC);
    if (clnd__sort_is_possible(scatter->facts))
        possible |= bit_of(CLND_STRATEGY_SORT);
    if (scatter->private)
        possible |= bit_of(CLND_STRATEGY_PRIVATE);
    if (has_buckets(scatter))
        possible |= bit_of(CLND_STRATEGY_BUCKETS);
    *choice = clnd__choose(scatter->options->strategy, possible, automatic(scatter, possible));
    if (possible & bit_of(choice->strategy))
        return CLND_OK;
    return clnd__fail(CLND_INVALID_OPTION, "strategy %s", why_not(choice->strategy));
}

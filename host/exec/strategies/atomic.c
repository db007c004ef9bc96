// SPDX-License-Identifier: Apache-2.0
//
// atomic: all rows at once, atomic operations. Sums of floats then depend on the order. Where many
// rows select one location, their atomic operations wait for one another, so three launches may
// take the place of one, and nothing waits for the device:
//
//     sample  looks at some rows and leaves word whether a location is hot
//     cold    if there is none: as without the others
//     hot     if there is one: rows that meet in a work-group are combined there first, and data is
//             touched once for all of them

#include "host/base/dtype.h"
#include "host/base/integers.h"
#include "host/cl/probe.h"
#include "host/exec/lanes.h"
#include "host/exec/strategies/table.h"

enum { WORD = 4, MOST_AT_ONCE = 16 };

// Local memory that the kernels for hot locations take, with what a compiler may add.
enum { LOCAL_MEMORY = 8192 };

// Rows are sorted by 64-bit words that hold the byte that they select and a number in the block.
#define LARGEST_END (INT64_MAX >> CLND_HOT_ROW_BITS)

typedef struct atomic_plan {
    clnd__move cold, hot;
    bool sampled;        // otherwise `cold` is all
    bool may_be_sampled; // not sampled, but calls with more rows would be
    clnd__kernel_id sample;
    clnd_i64 share;    // one in so many sampled rows makes a location hot
    clnd_i64 decision; // 32-bit word of the workspace's buffer
} atomic_plan;

static atomic_plan *own(clnd__scatter_plan *plan)
{
    _Static_assert(sizeof(atomic_plan) <= CLND__STRATEGY_PLAN, "room for the plan");
    return (atomic_plan *)&plan->own;
}

// Whether the words around all elements up to byte `end` lie inside the buffer, on word boundaries.
static bool words_inside(const clnd__scatter_case *c)
{
    const uint64_t last = ((uint64_t)c->end + WORD - 1) / WORD * WORD;
    return c->data->alignment % WORD == 0 && last <= c->data->size;
}

static bool has_atomics(const clnd__scatter_case *c)
{
    const clnd_dtype dtype = c->problem->dtype;
    const clnd_reduce reduce = c->options.reduce;
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    if (clnd__dtype_is_opaque(dtype) || reduce == CLND_REDUCE_UPDATE)
        return false;
    if (clnd__dtype_is_complex(dtype) && reduce == CLND_REDUCE_MUL) // both parts at once
        return size == 8 && c->facts->int64_atomics &&
               clnd__widest_unit(c->problem, c->alignment) >= 8;
    if (size < WORD)
        return words_inside(c);
    return size == WORD || dtype == CLND_COMPLEX64 || c->facts->int64_atomics;
}

// Sums of whole words need no compare-and-swap.
static bool may_retry(const clnd__scatter_case *c)
{
    return c->element < WORD || c->is_float || !c->is_sum;
}

static const char *why_not(const clnd__scatter_case *c)
{
    if (!c->loops_end && may_retry(c))
        return "cannot do this scatter: the driver would end its loops early";
    return c->any_order && has_atomics(c)
               ? NULL
               : "cannot do this scatter: the device has no atomics for it, or its result would "
                 "depend on the order";
}

static bool sums_floats(const clnd_float_atomics *atomics, clnd_dtype dtype)
{
    switch (dtype) {
    case CLND_FLOAT32:
    case CLND_COMPLEX64:
        return atomics->float32;
    case CLND_FLOAT64:
    case CLND_COMPLEX128:
        return atomics->float64;
    case CLND_FLOAT16:
        return atomics->float16;
    case CLND_BFLOAT16:
        return atomics->bfloat16;
    default:
        return false;
    }
}

// AMD's instructions may do nothing, without a word, to memory that the host can reach.
static bool adds_by_itself(const clnd__scatter_case *c)
{
    const clnd_float_atomics *atomics = &c->facts->float_atomics;
    return c->is_sum && sums_floats(atomics, c->problem->dtype) &&
           !(atomics->language == CLND_ATOMICS_AMD && c->data->reached_by_host);
}

// The best way that there is; `exchange` leaves out what the device adds by itself.
static int choose_way(const clnd__scatter_case *c)
{
    const clnd_reduce reduce = c->options.reduce;
    if (!clnd__is_asked(c->planner, "exchange") && adds_by_itself(c))
        return clnd__atomic_way(c->facts->float_atomics.language);
    if (c->is_sum && c->is_float)
        return CLND_ATOMIC_EXCHANGE;
    if ((reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX) &&
        c->problem->dtype == CLND_FLOAT32)
        return CLND_ATOMIC_ORDER;
    return CLND_ATOMIC_LOOP;
}

static bool adds_packs(const clnd_float_atomics *atomics, clnd_dtype dtype)
{
    return (dtype == CLND_FLOAT32 && atomics->float32_packs) ||
           (dtype == CLND_FLOAT16 && atomics->float16_packs) ||
           (dtype == CLND_BFLOAT16 && atomics->bfloat16_packs);
}

// Bytes that one operation takes at most, where they begin at a multiple of that. Of 16 bits
// cl_ext_float_atomics adds single elements only.
static int64_t most_at_once(const clnd__scatter_case *c, int way)
{
    const clnd_dtype dtype = c->problem->dtype;
    const bool can = dtype == CLND_FLOAT32 || clnd__dtype_is_half(dtype);
    if (can && ((way == CLND_ATOMIC_PTX && adds_packs(&c->facts->float_atomics, dtype)) ||
                (way == CLND_ATOMIC_EXCHANGE && clnd__is_asked(c->planner, "packs"))))
        return MOST_AT_ONCE;
    return c->element == WORD / 2 && way != CLND_ATOMIC_OPENCL ? WORD : c->element;
}

static void set_way(const clnd__scatter_case *c, int64_t pack, clnd__move *move)
{
    move->args.adjust = c->options.adjust;
    move->args.part_bytes = offsetof(clnd_verdict, launch) / WORD;
    move->args.part_first = CLND_NO_BAD_ROW;
    move->kernel.options.atomic = (int16_t)choose_way(c);
    move->kernel.options.pack = (int16_t)(pack > 1 ? pack : 0);
}

// Bytes that one operation can take of each row of the problem.
static int64_t widest_pack(const clnd__scatter_case *c)
{
    const int64_t most = most_at_once(c, choose_way(c));
    return at_least(at_most(clnd__widest_unit(c->problem, c->alignment), most), c->element);
}

// Lowers the problem to columns that one atomic operation takes, and sets how it is made: of sums
// of contiguous rows, which have a kernel of their own, columns of several elements. Returns
// whether these are such.
static bool lower(const clnd__scatter_case *c, clnd__move *move)
{
    const int64_t size = c->element, unit = widest_pack(c);
    clnd__lower(c->problem, unit, move);
    const bool lanes = c->is_sum && size > 1 && clnd__takes_lanes(c->planner) &&
                       clnd__lanes_suit(c->planner, move);
    if (!lanes)
        clnd__lower(c->problem, size, move);
    set_way(c, lanes ? unit / size : 1, move);
    return lanes;
}

// Rows of hot locations are combined as many floats at a time as one atomic operation takes.
static void lower_hot(const clnd__scatter_case *c, clnd__move *move)
{
    const bool packs = c->is_float && c->is_sum && most_at_once(c, choose_way(c)) > c->element;
    const int64_t unit = packs ? widest_pack(c) : c->element;
    clnd__lower(c->problem, unit, move);
    set_way(c, unit / c->element, move);
}

// Few axes only: at a kernel for many, Intel's compiler (IGC 1.0.12504) aborts.
static bool can_combine(const clnd__scatter_case *c, const clnd__move *hot)
{
    const clnd_workspace *lent = c->options.workspace;
    const bool product_of_floats = c->is_float && c->options.reduce == CLND_REDUCE_MUL;
    return c->loops_end && clnd__takes_lanes(c->planner) &&
           c->facts->max_work_group_size >= CLND_SAMPLE_LANES &&
           c->facts->local_memory >= LOCAL_MEMORY && !product_of_floats && c->end <= LARGEST_END &&
           (!lent || lent->size >= WORD) && clnd__move_is_small(hot);
}

// Whether some rows are looked at first.
static bool is_sampled(const clnd__scatter_case *c, const clnd__move *hot)
{
    if (!can_combine(c, hot) || clnd__is_asked(c->planner, "plain"))
        return false;
    return c->rows >= c->planner->tuning->gpu.sample_rows ||
           clnd__is_asked(c->planner, "aggregate") || clnd__is_asked(c->planner, "sample");
}

static const char *pays(const clnd__scatter_case *c)
{
    clnd__move hot;
    if (c->facts->is_cpu)
        return NULL;
    lower_hot(c, &hot);
    return is_sampled(c, &hot)
               ? "the device has the atomics; rows that meet in hot locations are combined first"
               : "the device has the atomics";
}

static void plan_sample(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    atomic_plan *atomic = own(plan);
    clnd__move *hot = &atomic->hot;
    const bool always = clnd__is_asked(c->planner, "aggregate");
    lower_hot(c, hot);
    atomic->sampled = is_sampled(c, hot);
    // CPUs come here only when they are told to.
    atomic->may_be_sampled = !atomic->sampled && !c->facts->is_cpu && can_combine(c, hot);
    if (!atomic->sampled && !atomic->may_be_sampled)
        return;
    clnd__spread(c->planner, hot);
    clnd__move sample = *hot;
    clnd__set_reduction(c->facts, c->problem->dtype, c->options.reduce, &hot->kernel.options);
    clnd__move_set_kernel(hot, "scatter_hot", "scatter_hot");
    sample.kernel.options = (clnd__kernel_options){0};
    clnd__move_set_kernel(&sample, "scatter_sample", "sample_rows");
    atomic->sample = sample.kernel;
    atomic->share = always ? CLND_HOT_SAMPLE : CLND_HOT_SHARE; // always: one row is enough
    atomic->decision = clnd__workspace_offset(&plan->workspace) / WORD;
    if (!atomic->sampled)
        return;
    atomic->cold.args.part_bytes = hot->args.part_bytes = atomic->decision;
    atomic->cold.args.part_first = CLND_SAMPLE_COLD;
    hot->args.part_first = CLND_SAMPLE_HOT;
    plan->workspace.bytes = WORD;
}

// No kernel with atomics looks at its indices itself: they are for many work-items, and of those
// that would, Intel's compiler (IGC 1.0.12504) aborts at 42.
static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    clnd__move *cold = &own(plan)->cold;
    const bool lanes = lower(c, cold);
    clnd__set_reduction(c->facts, c->problem->dtype, c->options.reduce, &cold->kernel.options);
    if (lanes) {
        clnd__lanes_plan(c->planner, "scatter_lanes", cold);
    } else {
        clnd__spread(c->planner, cold);
        clnd__move_set_kernel(cold, "scatter", "scatter");
    }
    plan_sample(c, plan);
}

static clnd_status prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    const atomic_plan *atomic = own(plan);
    clnd_status status = clnd__call_prepare(call, &atomic->cold.kernel);
    if (status || !(atomic->sampled || atomic->may_be_sampled))
        return status;
    status = clnd__call_prepare(call, &atomic->sample);
    return status ? status : clnd__call_prepare(call, &atomic->hot.kernel);
}

static clnd_status enqueue_sample(clnd__call *call, const clnd__scatter_plan *plan,
                                  const atomic_plan *atomic)
{
    const clnd_sample_args args = {
        .move = atomic->hot.args, .share = atomic->share, .decision = atomic->decision};
    const clnd__launch launch = {.kernel = atomic->sample,
                                 .n_buffers = 2,
                                 .buffers = {plan->indices, plan->workspace.buffer},
                                 .args = &args,
                                 .args_size = sizeof args,
                                 .global = {CLND_SAMPLE_LANES, 1},
                                 .local = CLND_SAMPLE_LANES};
    return clnd__call_launch(call, &launch);
}

static clnd_status enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    atomic_plan *atomic = own(plan);
    const cl_mem buffers[] = {data, plan->indices, plan->dense};
    if (!atomic->sampled)
        return clnd__move_enqueue(call, &atomic->cold, 3, buffers);
    atomic->cold.gate = atomic->hot.gate = plan->workspace.buffer;
    clnd_status status = enqueue_sample(call, plan, atomic);
    if (status == CLND_OK)
        status = clnd__move_enqueue(call, &atomic->cold, 3, buffers);
    return status ? status : clnd__move_enqueue(call, &atomic->hot, 3, buffers);
}

const clnd__scatter_strategy clnd__scatter_atomic = {
    .name = "atomic",
    .divides_loops = true,
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = prepare,
    .enqueue = enqueue,
};

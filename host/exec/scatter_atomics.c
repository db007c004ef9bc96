// SPDX-License-Identifier: Apache-2.0

#include "host/exec/scatter_atomics.h"

#include "host/base/dtype.h"
#include "host/cl/atomic_probe.h"

enum { WORD = 4 };

static bool is_sum(clnd_reduce reduce)
{
    return reduce == CLND_REDUCE_ADD || reduce == CLND_REDUCE_SUB;
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
static bool adds_by_itself(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                           const clnd__memory *data)
{
    const clnd_float_atomics *atomics = &facts->float_atomics;
    return is_sum(reduce) && sums_floats(atomics, dtype) &&
           !(atomics->language == CLND_ATOMICS_AMD && data->reached_by_host);
}

static bool is_float(clnd_dtype dtype)
{
    return clnd__dtype_is_half(dtype) || clnd__dtype_is_complex(dtype) || dtype == CLND_FLOAT32 ||
           dtype == CLND_FLOAT64;
}

static int choose_way(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                      const clnd__memory *data)
{
    const bool cas = clnd__strategy_is_listed("cas");
    if (!cas && !clnd__strategy_is_listed("exchange") && adds_by_itself(facts, dtype, reduce, data))
        return clnd__atomic_way(facts->float_atomics.language);
    if (!cas && is_sum(reduce) && is_float(dtype))
        return CLND_ATOMIC_EXCHANGE;
    if (!cas && (reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX) && dtype == CLND_FLOAT32)
        return CLND_ATOMIC_ORDER;
    return CLND_ATOMIC_LOOP;
}

// Whether all runs of elements begin on a word.
static bool begins_on_words(const clnd_move_args *args)
{
    uint64_t all = (uint64_t)args->data_offset;
    for (int i = 0; i < args->n_outer; ++i)
        all |= (uint64_t)args->axes[i].data;
    for (int j = 1; j < args->n_slice; ++j)
        all |= (uint64_t)args->axes[CLND_SLICE_AXIS(j)].data;
    for (int k = 0; k < args->n_coordinates; ++k)
        all |= (uint64_t)args->coordinates[k].stride;
    return all % WORD == 0;
}

// A word holds two elements; of runs that begin or end in the middle of one there is one word more.
static bool lower_pairs(clnd__move *move)
{
    clnd_move_args *args = &move->args;
    clnd_axis_args *inner = &args->axes[CLND_SLICE_AXIS(0)];
    if (inner->data != WORD / 2 || inner->size < 2)
        return false;
    const int64_t elements = inner->size;
    const int64_t pairs = elements / 2 + (elements % 2 || !begins_on_words(args));
    args->columns = args->columns / elements * pairs;
    *inner = (clnd_axis_args){pairs, WORD, 2 * inner->dense, elements};
    move->unit = WORD;
    return true;
}

// What the device adds four or two at a time begins at a multiple of its size.
static bool takes_packs(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                        int way)
{
    return dtype == CLND_FLOAT32 && is_sum(reduce) &&
           ((way == CLND_ATOMIC_PTX && facts->float_atomics.float32_packs) ||
            clnd__strategy_is_listed("packs"));
}

// Rows of hot places are combined an element at a time (scatter_hot.h), where that is asked for.
static bool combines_rows(void)
{
    return clnd__strategy_is_listed("aggregate") || clnd__strategy_is_listed("sample");
}

clnd__atomics clnd__atomics_lower(const clnd_device_facts *facts, const clnd__problem *problem,
                                  clnd_reduce reduce, const clnd__memory *data,
                                  const clnd__memory *dense, clnd__move *move)
{
    const clnd_dtype dtype = problem->dtype;
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    clnd__atomics atomics = {choose_way(facts, dtype, reduce, data), 1};
    const bool by_elements = combines_rows();
    if (!by_elements && takes_packs(facts, dtype, reduce, atomics.way)) {
        const int64_t unit = clnd__widest_unit(problem, data->alignment | dense->alignment);
        atomics.pack = unit > size ? (int)(unit / size) : 1;
    }
    clnd__lower(problem, size * atomics.pack, move);
    // Where single elements are added by the device, so must all be: what meets is of one size.
    if (!by_elements && size == WORD / 2 && atomics.way != CLND_ATOMIC_OPENCL && lower_pairs(move))
        atomics.pack = 2;
    // Intel's compiler (IGC 1.0.12504) dies at two of these loops, as of parts of complex numbers,
    // in a kernel for many axes.
    if (atomics.way == CLND_ATOMIC_LOOP && is_sum(reduce) && is_float(dtype) &&
        !clnd__move_is_small(move))
        atomics.way = CLND_ATOMIC_EXCHANGE;
    return atomics;
}

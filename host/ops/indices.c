// SPDX-License-Identifier: Apache-2.0

#include "host/ops/indices.h"

#include <inttypes.h>
#include <stdio.h>

#include "host/base/error.h"
#include "kernels_cl/args.h"

clnd_status clnd__check_bounds(clnd_bounds bounds, const void *fill, bool is_scatter)
{
    if ((int)bounds < CLND_BOUNDS_DEFAULT || (int)bounds > CLND_BOUNDS_WRAP)
        return clnd__fail(CLND_INVALID_OPTION, "options->bounds is %d, which is no index policy",
                          (int)bounds);
    if (bounds == CLND_BOUNDS_FILL && is_scatter)
        return clnd__fail(CLND_INVALID_OPTION, "options->bounds is FILL, which is for gathers");
    if (bounds == CLND_BOUNDS_FILL && !fill)
        return clnd__fail(CLND_NULL_POINTER, "options->bounds is FILL, but options->fill is NULL");
    return CLND_OK;
}

clnd_status clnd__policy_choose(const clnd_engine *engine, clnd_bounds bounds, const void *fill,
                                bool is_scatter, clnd__policy *policy)
{
    *policy = (clnd__policy){.adjust = CLND_ADJUST_NONE};
    clnd_status status = clnd__check_bounds(bounds, fill, is_scatter);
    if (status)
        return status;
    if (bounds == CLND_BOUNDS_DEFAULT)
        bounds = clnd_engine_facts(engine)->is_cpu ? CLND_BOUNDS_ERROR : CLND_BOUNDS_ZERO;
    policy->check = bounds == CLND_BOUNDS_ERROR || bounds == CLND_BOUNDS_WRAP;
    if (bounds == CLND_BOUNDS_WRAP)
        policy->adjust = CLND_ADJUST_WRAP;
    if (bounds == CLND_BOUNDS_CLAMP)
        policy->adjust = CLND_ADJUST_CLAMP;
    if (bounds == CLND_BOUNDS_FILL)
        policy->fill = fill;
    return CLND_OK;
}

clnd_status clnd__check_index_dtype(const clnd__operand *indices)
{
    if (clnd_dtype_is_index(indices->view.dtype))
        return CLND_OK;
    return clnd__fail(CLND_UNSUPPORTED_DTYPE,
                      "%s has dtype %s, allowed are int8 to int64 and uint8 to uint32",
                      indices->name, clnd_dtype_name(indices->view.dtype));
}

// TensorFlow's form: "indices[0,1]", or "indices" where there is a single tuple.
static void format_location(const clnd__index_check *check, const clnd__bad_row *bad, char *text,
                            size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%s", check->indices->name);
    for (int d = 0; d < check->n_location && length < size; ++d)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRId64 "%s", d ? "," : "[",
                                   bad->location[d], d == check->n_location - 1 ? "]" : "");
}

clnd_status clnd__require_good_indices(clnd__call *call, const clnd__policy *policy,
                                       clnd__index_check *check, const clnd__memory *memory,
                                       const char *shape_name, const clnd__view *shape)
{
    if (!policy->check)
        return CLND_OK;
    check->wrap = policy->adjust == CLND_ADJUST_WRAP;
    clnd__bad_row bad;
    clnd_status status = clnd__check_indices(call, check, memory, &bad);
    if (status || !bad.found)
        return status;
    char location[24 * CLND_MAX_RANK + 32];
    format_location(check, &bad, location, sizeof location);
    if (shape_name)
        return clnd__fail(CLND_INDEX_OUT_OF_BOUNDS, "%s = %s does not index into %s %s", location,
                          clnd__format_list(check->n_coordinates, bad.values).text, shape_name,
                          clnd__format_list(shape->rank, shape->shape).text);
    return clnd__fail(CLND_INDEX_OUT_OF_BOUNDS,
                      "%s = %" PRId64 " is not in [%" PRId64 ", %" PRId64 ")", location,
                      bad.values[0], check->wrap ? -check->extents[0] : 0, check->extents[0]);
}

// SPDX-License-Identifier: Apache-2.0

#include "host/ops/indices.h"

#include "host/base/error.h"
#include "host/cl/engine.h"
#include "kernels_cl/args.h"

clnd_status clnd__check_bounds(clnd_bounds bounds, const void *fill, bool is_scatter)
{
    if ((int)bounds < CLND_BOUNDS_DEFAULT || (int)bounds > CLND_BOUNDS_WRAP)
        return clnd__fail(CLND_INVALID_OPTION, "options->bounds is %d, which is no index policy",
                          (int)bounds);
    if (bounds == CLND_BOUNDS_FILL && is_scatter)
        return clnd__fail(CLND_INVALID_OPTION,
                          "bounds is FILL, which is for gathers, not scatters");
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
        bounds = clnd__engine_bounds(engine);
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
                      "%s has dtype %s, allowed are int8 to int64 and uint8 to uint32; int64 "
                      "holds every valid index",
                      indices->name, clnd_dtype_name(indices->view.dtype));
}

// SPDX-License-Identifier: Apache-2.0

#include "host/ops/reduction.h"

#include "host/base/dtype.h"
#include "host/base/error.h"

static const char *name_of(clnd_reduce reduce)
{
    static const char *const names[] = {
        [CLND_REDUCE_DEFAULT] = "DEFAULT", [CLND_REDUCE_UPDATE] = "UPDATE",
        [CLND_REDUCE_ADD] = "ADD",         [CLND_REDUCE_SUB] = "SUB",
        [CLND_REDUCE_MUL] = "MUL",         [CLND_REDUCE_MIN] = "MIN",
        [CLND_REDUCE_MAX] = "MAX",
    };
    return names[reduce];
}

clnd_status clnd__check_reduce(clnd_reduce reduce)
{
    if ((int)reduce < CLND_REDUCE_DEFAULT || (int)reduce > CLND_REDUCE_MAX)
        return clnd__fail(CLND_INVALID_OPTION, "options->reduce is %d, which is no reduction",
                          (int)reduce);
    return CLND_OK;
}

clnd_status clnd__check_reduce_dtype(clnd_reduce reduce, const clnd__view *target)
{
    const clnd_dtype dtype = target->dtype;
    const bool refused =
        (clnd__dtype_is_opaque(dtype) && reduce > CLND_REDUCE_UPDATE) ||
        (dtype == CLND_BOOL && reduce == CLND_REDUCE_SUB) ||
        (clnd__dtype_is_complex(dtype) && (reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX));
    if (refused)
        return clnd__fail(CLND_UNSUPPORTED_DTYPE, "reduction %s is not defined for dtype %s",
                          name_of(reduce), clnd_dtype_name(dtype));
    return CLND_OK;
}

clnd_status clnd__check_reduce_memory(clnd_reduce reduce, const clnd__operand *updates,
                                      const clnd__operand *target)
{
    if (reduce == CLND_REDUCE_UPDATE)
        return CLND_OK;
    const clnd_status status = clnd__check_alignment(updates);
    return status ? status : clnd__check_alignment(target);
}

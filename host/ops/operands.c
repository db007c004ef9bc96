// SPDX-License-Identifier: Apache-2.0

#include "host/ops/operands.h"

#include <inttypes.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"

static void make_view(clnd__operand *operand)
{
    const clnd_tensor *tensor = operand->tensor;
    clnd__view *view = &operand->view;
    memset(view, 0, sizeof *view);
    view->name = operand->name;
    view->dtype = tensor->dtype;
    view->rank = tensor->rank;
    view->offset = tensor->offset;
    // The rank has not been checked yet, so only what exists is read.
    for (int d = 0; d < tensor->rank && d < CLND_MAX_RANK; ++d) {
        view->shape[d] = tensor->shape[d];
        view->strides[d] = tensor->strides[d];
    }
}

clnd_status clnd__check_call(const clnd_engine *engine, cl_uint n_wait, const cl_event *wait)
{
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    if (n_wait > 0 && !wait)
        return clnd__fail(CLND_NULL_POINTER, "wait is NULL, but n_wait is %u", n_wait);
    return CLND_OK;
}

clnd_status clnd__take_tensors(int n, clnd__operand *operands)
{
    for (int i = 0; i < n; ++i) {
        if (!operands[i].tensor)
            return clnd__fail(CLND_NULL_POINTER, "%s is NULL", operands[i].name);
        make_view(&operands[i]);
    }
    return CLND_OK;
}

clnd_status clnd__check_dtypes(int n, const clnd__operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i)
        status = clnd__check_dtype(&operands[i].view);
    return status;
}

clnd_status clnd__check_ranks(int n, const clnd__operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i)
        status = clnd__check_rank(&operands[i].view);
    return status;
}

clnd_status clnd__check_shapes(int n, const clnd__operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i)
        status = clnd__check_shape(&operands[i].view);
    return status;
}

clnd_status clnd__check_dense_sizes(int n, const clnd__operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i) {
        clnd__view dense = operands[i].view;
        status = clnd__make_dense(&dense);
    }
    return status;
}

static cl_mem_flags flags_refused(const clnd__operand *operand)
{
    if (!operand->is_output)
        return CL_MEM_WRITE_ONLY;
    return CL_MEM_READ_ONLY | (operand->is_in_place ? CL_MEM_WRITE_ONLY : 0);
}

// Without elements there is no memory to check. A planned tensor without a buffer stands for one
// whose buffer suits. Without an engine there is no op yet that reads or writes.
static clnd_status check_buffer(clnd_engine *engine, bool planned, clnd__operand *operand)
{
    operand->memory = (clnd__memory){.size = SIZE_MAX, .alignment = 128};
    if (operand->end == 0 || (planned && !operand->tensor->buffer))
        return CLND_OK;
    clnd_status status =
        clnd__memory_inspect(operand->tensor->buffer, clnd_engine_context(engine),
                             engine ? flags_refused(operand) : 0, operand->name, &operand->memory);
    if (status)
        return status;
    if ((uint64_t)operand->end > operand->memory.size)
        return clnd__fail(
            CLND_BUFFER_TOO_SMALL, "%s of shape %s needs %" PRId64 " bytes, its buffer has %zu",
            operand->name, clnd__format_list(operand->view.rank, operand->view.shape).text,
            operand->end, operand->memory.size);
    return CLND_OK;
}

// Sub-buffers share memory if they have one root, so bytes are counted from its beginning. Buffers
// on memory of the caller's may share it whatever they are, so bytes are counted by address.
clnd_status clnd__check_overlap(const clnd__operand *output, const clnd__operand *other)
{
    const clnd__memory *to = &output->memory, *from = &other->memory;
    const bool one_root = to->root && to->root == from->root;
    if (output == other || output->end == 0 || other->end == 0 ||
        (!one_root && !(to->host && from->host)))
        return CLND_OK;
    const uint64_t a = one_root ? to->root_offset : to->host;
    const uint64_t b = one_root ? from->root_offset : from->host;
    if (a + (uint64_t)output->begin >= b + (uint64_t)other->end ||
        b + (uint64_t)other->begin >= a + (uint64_t)output->end)
        return CLND_OK;
    return clnd__fail(CLND_OVERLAP,
                      "%s in bytes %" PRIu64 " to %" PRIu64 " and %s in bytes %" PRIu64
                      " to %" PRIu64 " of %s overlap",
                      output->name, a + (uint64_t)output->begin, a + (uint64_t)output->end - 1,
                      other->name, b + (uint64_t)other->begin, b + (uint64_t)other->end - 1,
                      one_root ? "one buffer" : "the host's memory");
}

// Each check covers all operands before the next check begins: status.h promises the order of
// checks, not of tensors.
static clnd_status check_memory(clnd_engine *engine, bool planned, int n, clnd__operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i)
        if (operands[i].is_output)
            status = clnd__check_output_strides(&operands[i].view);
    for (int i = 0; i < n && !status; ++i)
        status = clnd__extent(&operands[i].view, &operands[i].begin, &operands[i].end);
    for (int i = 0; i < n && !status; ++i)
        status = check_buffer(engine, planned, &operands[i]);
    for (int i = 0; i < n && !status; ++i)
        for (int j = 0; operands[i].is_output && j < n && !status; ++j)
            status = clnd__check_overlap(&operands[i], &operands[j]);
    return status;
}

clnd_status clnd__check_memory(clnd_engine *engine, int n, clnd__operand *operands)
{
    return check_memory(engine, false, n, operands);
}

clnd_status clnd__check_planned_memory(clnd_engine *engine, int n, clnd__operand *operands)
{
    return check_memory(engine, true, n, operands);
}

clnd_status clnd__check_alignment(const clnd__operand *operand)
{
    if (operand->end == 0)
        return CLND_OK;
    const clnd_dtype dtype = operand->view.dtype;
    const size_t size = clnd_dtype_size(dtype) / (clnd__dtype_is_complex(dtype) ? 2 : 1);
    if ((operand->view.offset | operand->memory.alignment) % size == 0)
        return CLND_OK;
    if (!operand->memory.buffer) // as arrays: their address stands for the offset
        return clnd__fail(CLND_MISALIGNED,
                          "%s of dtype %s begins at byte 0x%" PRIx64
                          "; a multiple of %zu is needed",
                          operand->name, clnd_dtype_name(dtype), operand->view.offset, size);
    return clnd__fail(CLND_MISALIGNED,
                      "%s of dtype %s begins at byte %" PRIu64
                      " of a buffer aligned to %zu; a multiple of %zu is needed",
                      operand->name, clnd_dtype_name(dtype), operand->view.offset,
                      operand->memory.alignment, size);
}

clnd_status clnd__check_reserved(int n, const uint64_t *reserved)
{
    for (int i = 0; i < n; ++i)
        if (reserved[i])
            return clnd__fail(CLND_INVALID_OPTION,
                              "options->reserved[%d] is %" PRIu64 ", must be 0", i, reserved[i]);
    return CLND_OK;
}

clnd_status clnd__give_tensor(clnd_status status, const clnd__view *view, cl_mem buffer,
                              clnd_tensor *tensor)
{
    memset(tensor, 0, sizeof *tensor);
    if (status)
        return status;
    tensor->buffer = buffer;
    tensor->offset = (size_t)view->offset;
    tensor->dtype = view->dtype;
    tensor->rank = view->rank;
    memcpy(tensor->shape, view->shape, sizeof tensor->shape);
    memcpy(tensor->strides, view->strides, sizeof tensor->strides);
    return CLND_OK;
}

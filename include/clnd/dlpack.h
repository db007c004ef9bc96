// SPDX-License-Identifier: Apache-2.0
//
// DLPack: tensors of other libraries as tensors and arrays of clnd, and the other way. clnd.h does
// not include this header. It needs dlpack.h of DLPack 0.6 or later: <dlpack/dlpack.h>, unless the
// program has included it already, from wherever it has it. Nothing of it is in the library.
//
// Nothing is copied, retained or freed. What a description points to must live as long as it is
// used: the deleter of a managed tensor is called when the work is complete.
//
// On an OpenCL device `data` is the cl_mem, as DLPack says. In TVM it is a pointer to a struct that
// begins with the cl_mem: set `data` of a copy of the DLTensor to *(cl_mem *)data. DLPack does not
// say which cl_device_id its device_id is; ops refuse a buffer of another context than theirs.
//
// Pointers other than `text` must not be NULL. `text`, if not NULL, has room for CLND_DLPACK_TEXT
// bytes and receives "", or on failure one line that says why.

#ifndef CLND_DLPACK_H
#define CLND_DLPACK_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef DLPACK_DLPACK_H_
#include <dlpack/dlpack.h>
#endif

#include "clnd/array.h"
#include "clnd/dtype.h"
#include "clnd/status.h"
#include "clnd/tensor.h"

#define CLND_DLPACK_TEXT 256

// Not for programs: writes the text of a refusal.
static inline clnd_status clnd__dlpack_refuse(clnd_status status, char *text, const char *what,
                                              int64_t value)
{
    if (text != NULL)
        snprintf(text, CLND_DLPACK_TEXT, "dlpack: %s %lld", what, (long long)value);
    return status;
}

// Not for programs: the outcome of a call of the library.
static inline clnd_status clnd__dlpack_end(clnd_status status, char *text)
{
    if (text != NULL)
        snprintf(text, CLND_DLPACK_TEXT, "%s", status == CLND_OK ? "" : clnd_last_error());
    return status;
}

// Gives the dtype of clnd that is DLPack's.
//
// Errors        UNSUPPORTED_DTYPE: lanes (vectors of elements), elements smaller than a byte, 8-bit
//               floats, handles. *dtype is 0 then.
// Threads       Thread-safety: Safe. Host only.
static inline clnd_status clnd_dtype_from_dlpack(DLDataType type, clnd_dtype *dtype, char *text)
{
    static const clnd_dtype dtypes[7][5] = {
        {CLND_INT8, CLND_INT16, CLND_INT32, CLND_INT64, 0}, // of 8, 16, 32, 64, 128 bits
        {CLND_UINT8, CLND_UINT16, CLND_UINT32, CLND_UINT64, 0},
        {0, CLND_FLOAT16, CLND_FLOAT32, CLND_FLOAT64, 0},
        {0, 0, 0, 0, 0}, // handles
        {0, CLND_BFLOAT16, 0, 0, 0},
        {0, 0, 0, CLND_COMPLEX64, CLND_COMPLEX128},
        {CLND_BOOL, 0, 0, 0, 0}, // DLPack 0.6 lacks its kDLBool
    };
    *dtype = 0;
    if (type.lanes != 1)
        return clnd__dlpack_refuse(CLND_UNSUPPORTED_DTYPE, text, "a dtype must have 1 lane, not",
                                   type.lanes);
    for (int i = 0; i < 5 && type.code < 7; i++)
        if (type.bits == 8 << i)
            *dtype = dtypes[type.code][i];
    if (*dtype != 0)
        return clnd__dlpack_end(CLND_OK, text);
    if (text != NULL)
        snprintf(text, CLND_DLPACK_TEXT, "dlpack: clnd has no dtype of type code %d and %d bits",
                 type.code, type.bits);
    return CLND_UNSUPPORTED_DTYPE;
}

// The other way.
//
// Errors        INVALID_DTYPE; UNSUPPORTED_DTYPE: opaque elements. *type is zeroed then.
// Threads       Thread-safety: Safe. Host only.
static inline clnd_status clnd_dtype_to_dlpack(clnd_dtype dtype, DLDataType *type, char *text)
{
    clnd_dtype same;
    type->lanes = 1;
    type->bits = (uint8_t)(8 * clnd_dtype_size(dtype));
    for (type->code = 0; type->code < 7; type->code++)
        if (clnd_dtype_from_dlpack(*type, &same, NULL) == CLND_OK && same == dtype)
            return clnd__dlpack_end(CLND_OK, text);
    type->code = type->bits = 0;
    type->lanes = 0;
    if (clnd_dtype_is_valid(dtype))
        return clnd__dlpack_refuse(
            CLND_UNSUPPORTED_DTYPE, text,
            "DLPack has no dtype for opaque elements of bytes:", (int64_t)clnd_dtype_size(dtype));
    return clnd__dlpack_refuse(CLND_INVALID_DTYPE, text, "clnd has no dtype", (int64_t)dtype);
}

// Describes a tensor in OpenCL memory: dtype, shape, strides and offset as in `dl`. `strides` may
// be NULL there, as before DLPack 1.2: row-major.
//
// Errors        INVALID_BUFFER (a device other than kDLOpenCL), UNSUPPORTED_DTYPE, and those of
//               clnd_tensor_strided. *tensor is zeroed on failure.
// Threads       Thread-safety: Safe. Host only; the buffer is not looked at.
static inline clnd_status clnd_tensor_from_dlpack(const DLTensor *dl, clnd_tensor *tensor,
                                                  char *text)
{
    clnd_dtype dtype;
    memset(tensor, 0, sizeof *tensor);
    if (dl->device.device_type != kDLOpenCL)
        return clnd__dlpack_refuse(CLND_INVALID_BUFFER, text,
                                   "the device must be OpenCL (kDLOpenCL, 4), not device type",
                                   (int64_t)dl->device.device_type);
    if (dl->byte_offset > SIZE_MAX)
        return clnd__dlpack_refuse(CLND_SIZE_OVERFLOW, text,
                                   "byte_offset is too large:", (int64_t)dl->byte_offset);
    const clnd_status status = clnd_dtype_from_dlpack(dl->dtype, &dtype, text);
    if (status != CLND_OK)
        return status;
    const size_t offset = (size_t)dl->byte_offset;
    cl_mem buffer = (cl_mem)dl->data;
    return clnd__dlpack_end(
        dl->strides == NULL
            ? clnd_tensor_dense(buffer, offset, dtype, dl->ndim, dl->shape, tensor)
            : clnd_tensor_strided(buffer, offset, dtype, dl->ndim, dl->shape, dl->strides, tensor),
        text);
}

// The same for host memory, kDLCPU: NumPy's arrays, CPU tensors of PyTorch and others.
//
// Errors        as clnd_tensor_from_dlpack, where the device must be kDLCPU. *array is zeroed on
//               failure.
// Threads       Thread-safety: Safe. `data` is not looked at.
static inline clnd_status clnd_array_from_dlpack(const DLTensor *dl, clnd_array *array, char *text)
{
    clnd_tensor seen;
    DLTensor as_buffer = *dl;
    memset(array, 0, sizeof *array);
    if (dl->device.device_type != kDLCPU)
        return clnd__dlpack_refuse(CLND_INVALID_BUFFER, text,
                                   "the device must be a CPU (kDLCPU, 1), not device type",
                                   (int64_t)dl->device.device_type);
    as_buffer.device.device_type = kDLOpenCL;
    const clnd_status status = clnd_tensor_from_dlpack(&as_buffer, &seen, text);
    if (status != CLND_OK)
        return status;
    array->data = dl->data == NULL ? NULL : (char *)dl->data + dl->byte_offset;
    array->dtype = seen.dtype;
    array->rank = seen.rank;
    memcpy(array->shape, seen.shape, sizeof array->shape);
    memcpy(array->strides, seen.strides, sizeof array->strides);
    return CLND_OK;
}

// Describes a tensor of clnd for others. `shape` and `strides` of *dl are those of `tensor`, which
// must live as long. `device_id` is what the other library calls the device; 0 is the usual one.
//
// Errors        INVALID_DTYPE, UNSUPPORTED_DTYPE (opaque). *dl is zeroed on failure.
// Threads       Thread-safety: Safe. Host only.
static inline clnd_status clnd_tensor_to_dlpack(clnd_tensor *tensor, int32_t device_id,
                                                DLTensor *dl, char *text)
{
    memset(dl, 0, sizeof *dl);
    const clnd_status status = clnd_dtype_to_dlpack(tensor->dtype, &dl->dtype, text);
    if (status != CLND_OK)
        return status;
    dl->data = tensor->buffer;
    dl->device.device_type = kDLOpenCL;
    dl->device.device_id = device_id;
    dl->ndim = tensor->rank;
    dl->shape = tensor->shape;
    dl->strides = tensor->strides;
    dl->byte_offset = tensor->offset;
    return CLND_OK;
}

// The same for an array: on kDLCPU, device 0.
static inline clnd_status clnd_array_to_dlpack(clnd_array *array, DLTensor *dl, char *text)
{
    memset(dl, 0, sizeof *dl);
    const clnd_status status = clnd_dtype_to_dlpack(array->dtype, &dl->dtype, text);
    if (status != CLND_OK)
        return status;
    dl->data = array->data;
    dl->device.device_type = kDLCPU;
    dl->ndim = array->rank;
    dl->shape = array->shape;
    dl->strides = array->strides;
    return CLND_OK;
}

#ifdef DLPACK_FLAG_BITMASK_READ_ONLY
// What only a managed tensor of DLPack 1.0 and later tells. Look before its dl_tensor is used;
// `writes` says whether it is an output or the target of a scatter.
//
// Errors        INVALID_BUFFER: of another major version, so that its dl_tensor must not be looked
//               at; or read-only, where it is to be written.
// Threads       Thread-safety: Safe. Host only.
static inline clnd_status clnd_dlpack_check(const struct DLManagedTensorVersioned *managed,
                                            bool writes, char *text)
{
    if (managed->version.major != DLPACK_MAJOR_VERSION)
        return clnd__dlpack_refuse(
            CLND_INVALID_BUFFER, text,
            "a tensor of another major version of DLPack:", managed->version.major);
    if (writes && (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0)
        return clnd__dlpack_refuse(CLND_INVALID_BUFFER, text,
                                   "a tensor that is to be written is read-only; its flags are",
                                   (int64_t)managed->flags);
    return clnd__dlpack_end(CLND_OK, text);
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
//
// clnd/dlpack.h against whichever dlpack.h the compiler is given. Prints TAP; needs no device.

#include <CL/cl.h>
#include <clnd/clnd.h>
#include <clnd/dlpack.h>
#include <stdio.h>
#include <string.h>

static int tests, failures;

static void check(int good, const char *label, const char *text)
{
    tests++;
    failures += !good;
    printf("%s %d - %s\n", good ? "ok" : "not ok", tests, label);
    if (!good)
        printf("# %s\n", text);
}

static char text[CLND_DLPACK_TEXT];
static int64_t shape[3] = {2, 3, 4}, strides[3] = {-100, 4, 1};
static char memory[8];

// A tensor of float32, behind 400 bytes, in memory that nobody looks at.
static DLTensor theirs(DLDeviceType device)
{
    DLTensor dl = {.data = memory, .ndim = 3, .shape = shape, .strides = strides};
    dl.device.device_type = device;
    dl.dtype.code = kDLFloat;
    dl.dtype.bits = 32;
    dl.dtype.lanes = 1;
    dl.byte_offset = 400;
    return dl;
}

static int same_layout(const clnd_tensor *tensor)
{
    return tensor->rank == 3 && tensor->dtype == CLND_FLOAT32 &&
           memcmp(tensor->shape, shape, sizeof shape) == 0 &&
           memcmp(tensor->strides, strides, sizeof strides) == 0;
}

static void there_and_back(void)
{
    DLTensor dl = theirs(kDLOpenCL), back;
    clnd_tensor tensor;
    clnd_array array;
    clnd_status status = clnd_tensor_from_dlpack(&dl, &tensor, text);
    check(status == CLND_OK && !*text && same_layout(&tensor) && tensor.offset == 400 &&
              (void *)tensor.buffer == (void *)memory,
          "an OpenCL tensor keeps buffer, offset, dtype, shape and strides", text);
    status = clnd_tensor_to_dlpack(&tensor, 7, &back, text);
    check(status == CLND_OK && back.data == memory && back.byte_offset == 400 && back.ndim == 3 &&
              back.device.device_type == kDLOpenCL && back.device.device_id == 7 &&
              memcmp(&back.dtype, &dl.dtype, sizeof dl.dtype) == 0 &&
              memcmp(back.shape, shape, sizeof shape) == 0 &&
              memcmp(back.strides, strides, sizeof strides) == 0,
          "and comes back", text);

    dl.strides = NULL;
    status = clnd_tensor_from_dlpack(&dl, &tensor, text);
    check(status == CLND_OK && tensor.strides[0] == 12 && tensor.strides[1] == 4 &&
              tensor.strides[2] == 1,
          "no strides are those of a dense tensor", text);

    dl = theirs(kDLCPU);
    dl.byte_offset = 4;
    status = clnd_array_from_dlpack(&dl, &array, text);
    check(status == CLND_OK && array.data == memory + 4 && array.rank == 3 &&
              memcmp(array.strides, strides, sizeof strides) == 0,
          "a CPU tensor is an array at its offset", text);
    status = clnd_array_to_dlpack(&array, &back, text);
    check(status == CLND_OK && back.data == memory + 4 && back.byte_offset == 0 &&
              back.device.device_type == kDLCPU && back.shape == array.shape,
          "and comes back as one", text);
    dl.data = NULL;
    shape[1] = 0;
    status = clnd_array_from_dlpack(&dl, &array, text);
    shape[1] = 3;
    check(status == CLND_OK && array.data == NULL, "an empty array may have no memory", text);
}

static void dtypes(void)
{
    static const struct {
        clnd_dtype dtype;
        uint8_t code, bits;
    } all[] = {
        {CLND_INT8, 0, 8},     {CLND_INT16, 0, 16},     {CLND_INT32, 0, 32},
        {CLND_INT64, 0, 64},   {CLND_UINT8, 1, 8},      {CLND_UINT16, 1, 16},
        {CLND_UINT32, 1, 32},  {CLND_UINT64, 1, 64},    {CLND_FLOAT16, 2, 16},
        {CLND_FLOAT32, 2, 32}, {CLND_FLOAT64, 2, 64},   {CLND_BFLOAT16, 4, 16},
        {CLND_BOOL, 6, 8},     {CLND_COMPLEX64, 5, 64}, {CLND_COMPLEX128, 5, 128},
    };
    int wrong = 0, taken = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        DLDataType type;
        wrong += clnd_dtype_to_dlpack(all[i].dtype, &type, text) != CLND_OK ||
                 type.code != all[i].code || type.bits != all[i].bits || type.lanes != 1;
    }
    check(wrong == 0, "every dtype but opaque ones goes", text);
    for (int code = 0; code < 256; code++)
        for (int bits = 0; bits < 256; bits++) {
            const DLDataType type = {(uint8_t)code, (uint8_t)bits, 1};
            clnd_dtype dtype, expected = 0;
            const clnd_status status = clnd_dtype_from_dlpack(type, &dtype, text);
            for (size_t i = 0; i < sizeof all / sizeof *all; i++)
                if (all[i].code == code && all[i].bits == bits)
                    expected = all[i].dtype;
            taken += dtype == expected && (status == CLND_OK) == (expected != 0);
        }
    check(taken == 65536, "every dtype comes, and no other", text);
}

static void refused(const char *label, clnd_status expected, const char *line, clnd_status status)
{
    check(status == expected && strcmp(text, line) == 0, label, text);
}

static void refusals(void)
{
    clnd_tensor tensor;
    clnd_array array;
    DLTensor dl = theirs(kDLCPU), back;
    refused("a CPU tensor is no buffer", CLND_INVALID_BUFFER,
            "dlpack: the device must be OpenCL (kDLOpenCL, 4), not device type 1",
            clnd_tensor_from_dlpack(&dl, &tensor, text));
    dl = theirs(kDLOpenCL);
    refused("an OpenCL tensor is no array", CLND_INVALID_BUFFER,
            "dlpack: the device must be a CPU (kDLCPU, 1), not device type 4",
            clnd_array_from_dlpack(&dl, &array, text));
    dl.dtype.lanes = 4;
    refused("float32 x 4", CLND_UNSUPPORTED_DTYPE, "dlpack: a dtype must have 1 lane, not 4",
            clnd_tensor_from_dlpack(&dl, &tensor, text));
    dl.dtype.lanes = 1;
    dl.dtype.bits = 4;
    refused("4-bit elements", CLND_UNSUPPORTED_DTYPE,
            "dlpack: clnd has no dtype of type code 2 and 4 bits",
            clnd_tensor_from_dlpack(&dl, &tensor, text));
    dl.dtype.bits = 32;
    dl.ndim = 17;
    refused("17 dimensions", CLND_INVALID_RANK, clnd_last_error(),
            (clnd_tensor_from_dlpack(&dl, &tensor, NULL), // for the text of clnd_last_error
             clnd_tensor_from_dlpack(&dl, &tensor, text)));
    check(tensor.rank == 0 && *text, "and the tensor is zeroed", text);
    clnd_tensor_dense(NULL, 0, CLND_OPAQUE(32), 1, shape, &tensor);
    refused("opaque elements", CLND_UNSUPPORTED_DTYPE,
            "dlpack: DLPack has no dtype for opaque elements of bytes: 32",
            clnd_tensor_to_dlpack(&tensor, 0, &back, text));
    tensor.dtype = 1;
    refused("a dtype that is none", CLND_INVALID_DTYPE, "dlpack: clnd has no dtype 1",
            clnd_tensor_to_dlpack(&tensor, 0, &back, text));
#ifdef DLPACK_FLAG_BITMASK_READ_ONLY
    struct DLManagedTensorVersioned managed = {.version = {DLPACK_MAJOR_VERSION, 0},
                                               .flags = DLPACK_FLAG_BITMASK_READ_ONLY};
    check(clnd_dlpack_check(&managed, false, text) == CLND_OK, "a read-only input", text);
    refused("a read-only output", CLND_INVALID_BUFFER,
            "dlpack: a tensor that is to be written is read-only; its flags are 1",
            clnd_dlpack_check(&managed, true, text));
    managed.version.major = DLPACK_MAJOR_VERSION + 1;
    refused("another major version", CLND_INVALID_BUFFER,
            "dlpack: a tensor of another major version of DLPack: 2",
            clnd_dlpack_check(&managed, false, text));
#endif
}

int main(void)
{
    there_and_back();
    dtypes();
    refusals();
    printf("1..%d\n", tests);
    return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// DLPack both ways: rows of a tensor of another library, and the result as a managed DLPack tensor,
// which its receiver deletes. A tensor that is not in OpenCL memory is refused.
//
//     cc dlpack_rows.c -o dlpack_rows $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <clnd/dlpack.h>
#include <stdio.h>
#include <stdlib.h>

static void need(int good)
{
    if (good)
        return;
    fprintf(stderr, "dlpack_rows: failed. %s\n", clnd_last_error());
    exit(EXIT_FAILURE);
}

// The deleter of gather's results.
static void delete_result(DLManagedTensor *managed)
{
    clReleaseMemObject(managed->dl_tensor.data);
    free(managed);
}

// params[indices], as a tensor for others.
static DLManagedTensor *gather(clnd_engine *engine, const DLTensor *from,
                               const clnd_tensor *indices)
{
    char text[CLND_DLPACK_TEXT];
    clnd_tensor params;
    size_t begin = 0, end = 0;
    if (clnd_tensor_from_dlpack(from, &params, text) != CLND_OK) {
        puts(text);
        return NULL;
    }
    // Behind the managed tensor is the one of clnd, whose shape and strides it uses.
    DLManagedTensor *managed = calloc(1, sizeof *managed + sizeof(clnd_tensor));
    clnd_tensor *out = (clnd_tensor *)(managed + 1);
    need(managed && !clnd_gather_shape(&params, indices, NULL, out) &&
         !clnd_tensor_extent(out, &begin, &end));
    cl_context context = clnd_engine_context(engine);
    out->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, end, NULL, NULL);
    need(out->buffer && !clnd_gather(engine, NULL, &params, indices, out, NULL, 0, NULL, NULL) &&
         !clnd_tensor_to_dlpack(out, 0, &managed->dl_tensor, text));
    managed->deleter = delete_result;
    return managed;
}

int main(void)
{
    float values[13] = {-1, 0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}, picked[2][3];
    int32_t which[2] = {2, 0};
    clnd_tensor indices;
    clnd_engine *engine;
    need(!clnd_engine_open(NULL, NULL, &engine));
    cl_context context = clnd_engine_context(engine);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, NULL);
    cl_mem by = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof which, which, NULL);
    need(!clnd_tensor_dense(by, 0, CLND_INT32, 1, (int64_t[]){2}, &indices));

    // What another library hands over: 4 rows of 3, behind one float of something else.
    DLTensor theirs = {in, {kDLOpenCL, 0}, 2, {kDLFloat, 32, 1}, (int64_t[]){4, 3}, NULL, 4};
    DLManagedTensor *ours = gather(engine, &theirs, &indices);
    need(!clEnqueueReadBuffer(clnd_engine_queue(engine), ours->dl_tensor.data, CL_TRUE, 0,
                              sizeof picked, picked, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        printf("%g %g %g\n", picked[i][0], picked[i][1], picked[i][2]);
    ours->deleter(ours);

    theirs.device.device_type = kDLCUDA;
    (void)gather(engine, &theirs, &indices);
    clReleaseMemObject(in);
    clReleaseMemObject(by);
    clnd_engine_destroy(&engine);
}

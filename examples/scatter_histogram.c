// SPDX-License-Identifier: Apache-2.0
//
// Counts how often each value occurs: a scatter in which duplicates add up. The output starts as
// zeros, and every sample adds its weight, 1, to the counter that it selects. A sample outside the
// histogram is left out (CLND_BOUNDS_SKIP).
//
//     cc scatter_histogram.c -o scatter_histogram $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 12, BINS = 5 };

static void need_cl(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "scatter_histogram: %s: OpenCL error %d\n", what, (int)code);
        exit(EXIT_FAILURE);
    }
}

static void need(clnd_status status)
{
    if (status != CLND_OK) {
        fprintf(stderr, "scatter_histogram: %s: %s\n", clnd_status_name(status), clnd_last_error());
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    uint8_t samples[SAMPLES] = {3, 1, 4, 1, 5, 9, 2, 6, 1, 3, 0, 4}; // 5, 9 and 6 have no bin
    int32_t one = 1;
    int32_t counts[BINS];
    cl_int code;

    // The device that $CLND_DEVICE names, else the first GPU, else any.
    clnd_engine *engine;
    need(clnd_engine_open(NULL, NULL, &engine));
    cl_context context = clnd_engine_context(engine);
    const cl_mem_flags copied = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem samples_buffer = clCreateBuffer(context, copied, sizeof samples, samples, &code);
    need_cl(code, "samples");
    cl_mem one_buffer = clCreateBuffer(context, copied, sizeof one, &one, &code);
    need_cl(code, "weight");
    cl_mem counts_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof counts, NULL, &code);
    need_cl(code, "counts");

    clnd_tensor indices, updates, out;
    need(clnd_tensor_dense(samples_buffer, 0, CLND_UINT8, 2, (int64_t[]){SAMPLES, 1}, &indices));
    need(clnd_tensor_dense(counts_buffer, 0, CLND_INT32, 1, (int64_t[]){BINS}, &out));
    // One weight for all samples: a stride of 0 repeats an element.
    need(clnd_tensor_dense(one_buffer, 0, CLND_INT32, 1, (int64_t[]){SAMPLES}, &updates));
    updates.strides[0] = 0;

    // for every sample i: counts[samples[i]] += 1
    const clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_SKIP};
    need(clnd_scatter_nd(engine, NULL, &indices, &updates, &out, &options, 0, NULL, NULL));

    need_cl(clEnqueueReadBuffer(clnd_engine_queue(engine), counts_buffer, CL_TRUE, 0, sizeof counts,
                                counts, 0, NULL, NULL),
            "reading the counts");
    for (int i = 0; i < BINS; i++)
        printf("%d: %d\n", i, (int)counts[i]);

    clReleaseMemObject(counts_buffer);
    clReleaseMemObject(one_buffer);
    clReleaseMemObject(samples_buffer);
    clnd_engine_destroy(&engine);
    return EXIT_SUCCESS;
}

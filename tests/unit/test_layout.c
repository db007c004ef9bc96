// SPDX-License-Identifier: Apache-2.0
//
// The structs of kernels_cl/args.h: the device lays them out as the host does, and gets them whole.

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clnd/dtype.h"
#include "clnd/options.h"
#include "device.h"
#include "host/cl/call.h"
#include "host/cl/kernel_source.h"
#include "kernels_cl/args.h"

#define MOVE_FIELDS(X)                                                                             \
    X(rows)                                                                                        \
    X(first_row)                                                                                   \
    X(columns)                                                                                     \
    X(n_outer)                                                                                     \
    X(n_slice)                                                                                     \
    X(n_coordinates)                                                                               \
    X(data_offset)                                                                                 \
    X(dense_offset)                                                                                \
    X(index_offset)                                                                                \
    X(index_step)                                                                                  \
    X(index_kind)                                                                                  \
    X(adjust)                                                                                      \
    X(fill_units)                                                                                  \
    X(rows_per_item)                                                                               \
    X(columns_per_item)                                                                            \
    X(lanes_shift)                                                                                 \
    X(part_first)                                                                                  \
    X(part_bytes)                                                                                  \
    X(stream)                                                                                      \
    X(gate)                                                                                        \
    X(axes)                                                                                        \
    X(axes[0].data)                                                                                \
    X(axes[0].dense)                                                                               \
    X(axes[0].index)                                                                               \
    X(axes[1])                                                                                     \
    X(axes[CLND_SLICE_AXIS(0)])                                                                    \
    X(axes[CLND_SLICE_AXIS(16)])                                                                   \
    X(coordinates)                                                                                 \
    X(coordinates[0].stride)                                                                       \
    X(coordinates[CLND_ARGS_COORDINATES - 1])

#define WIDEN_FIELDS(X)                                                                            \
    X(offset)                                                                                      \
    X(wide_offset)                                                                                 \
    X(count)

#define ROUTE_FIELDS(X)                                                                            \
    X(shards)                                                                                      \
    X(block)                                                                                       \
    X(inner)                                                                                       \
    X(columns)                                                                                     \
    X(column_step)                                                                                 \
    X(shard_step)                                                                                  \
    X(places_offset)                                                                               \
    X(places_step)                                                                                 \
    X(counts_offset)                                                                               \
    X(counts_step)

#define VERDICT_FIELDS(X)                                                                          \
    X(row)                                                                                         \
    X(launch)                                                                                      \
    X(values)                                                                                      \
    X(values[CLND_ARGS_COORDINATES - 1])

#define SORT_KEYS_FIELDS(X)                                                                        \
    X(move)                                                                                        \
    X(step_shift)                                                                                  \
    X(step_inverse)                                                                                \
    X(block)                                                                                       \
    X(digit_bits)                                                                                  \
    X(keys)                                                                                        \
    X(counts)

#define SORT_FIELDS(X)                                                                             \
    X(rows)                                                                                        \
    X(first)                                                                                       \
    X(shift)                                                                                       \
    X(digit_bits)                                                                                  \
    X(block)                                                                                       \
    X(blocks)                                                                                      \
    X(keys_from)                                                                                   \
    X(rows_from)                                                                                   \
    X(keys_to)                                                                                     \
    X(rows_to)                                                                                     \
    X(counts)                                                                                      \
    X(totals)                                                                                      \
    X(kept)

#define SORT_APPLY_FIELDS(X)                                                                       \
    X(move)                                                                                        \
    X(keys)                                                                                        \
    X(rows)                                                                                        \
    X(kept)

#define SAMPLE_FIELDS(X)                                                                           \
    X(move)                                                                                        \
    X(share)                                                                                       \
    X(decision)

#define BUCKET_FIELDS(X)                                                                           \
    X(move)                                                                                        \
    X(parts)                                                                                       \
    X(entries)                                                                                     \
    X(update_step)                                                                                 \
    X(zero_bytes)

// Writes sizeof, the offset of each field, then the struct itself, number by number.
#define OFFSET(field) "    *out++ = (__private const char *)&args." #field " - base;\n"
#define PROBE(type, fields)                                                                        \
    "__kernel void probe_" #type "(__global long *out, " #type " args)\n"                          \
    "{\n"                                                                                          \
    "    __private const char *base = (__private const char *)&args;\n"                            \
    "    *out++ = sizeof args;\n" fields(                                                          \
        OFFSET) "    for (int i = 0; i < sizeof args / sizeof(long); ++i)\n"                       \
                "        out[i] = ((__private const long *)&args)[i];\n"                           \
                "}\n"

static const char probes[] = PROBE(clnd_move_args, MOVE_FIELDS) PROBE(clnd_widen_args, WIDEN_FIELDS)
    PROBE(clnd_verdict, VERDICT_FIELDS);
static const char sort_probes[] =
    PROBE(clnd_sort_keys_args, SORT_KEYS_FIELDS) PROBE(clnd_sort_args, SORT_FIELDS)
        PROBE(clnd_sort_apply_args, SORT_APPLY_FIELDS) PROBE(clnd_sample_args, SAMPLE_FIELDS);
static const char other_probes[] =
    PROBE(clnd_bucket_args, BUCKET_FIELDS) PROBE(clnd_route_layout, ROUTE_FIELDS);

#define HOST_MOVE(field)    (int64_t) offsetof(clnd_move_args, field),
#define HOST_WIDEN(field)   (int64_t) offsetof(clnd_widen_args, field),
#define HOST_VERDICT(field) (int64_t) offsetof(clnd_verdict, field),
#define HOST_KEYS(field)    (int64_t) offsetof(clnd_sort_keys_args, field),
#define HOST_SORT(field)    (int64_t) offsetof(clnd_sort_args, field),
#define HOST_APPLY(field)   (int64_t) offsetof(clnd_sort_apply_args, field),
#define HOST_SAMPLE(field)  (int64_t) offsetof(clnd_sample_args, field),
#define HOST_BUCKET(field)  (int64_t) offsetof(clnd_bucket_args, field),
#define HOST_ROUTE(field)   (int64_t) offsetof(clnd_route_layout, field),
static const int64_t host_move[] = {sizeof(clnd_move_args), MOVE_FIELDS(HOST_MOVE)};
static const int64_t host_widen[] = {sizeof(clnd_widen_args), WIDEN_FIELDS(HOST_WIDEN)};
static const int64_t host_verdict[] = {sizeof(clnd_verdict), VERDICT_FIELDS(HOST_VERDICT)};
static const int64_t host_keys[] = {sizeof(clnd_sort_keys_args), SORT_KEYS_FIELDS(HOST_KEYS)};
static const int64_t host_sort[] = {sizeof(clnd_sort_args), SORT_FIELDS(HOST_SORT)};
static const int64_t host_apply[] = {sizeof(clnd_sort_apply_args), SORT_APPLY_FIELDS(HOST_APPLY)};
static const int64_t host_sample[] = {sizeof(clnd_sample_args), SAMPLE_FIELDS(HOST_SAMPLE)};
static const int64_t host_bucket[] = {sizeof(clnd_bucket_args), BUCKET_FIELDS(HOST_BUCKET)};
static const int64_t host_route[] = {sizeof(clnd_route_layout), ROUTE_FIELDS(HOST_ROUTE)};

#define NAME(field) #field,
static const char *const move_names[] = {"sizeof", MOVE_FIELDS(NAME)};
static const char *const widen_names[] = {"sizeof", WIDEN_FIELDS(NAME)};
static const char *const verdict_names[] = {"sizeof", VERDICT_FIELDS(NAME)};
static const char *const keys_names[] = {"sizeof", SORT_KEYS_FIELDS(NAME)};
static const char *const sort_names[] = {"sizeof", SORT_FIELDS(NAME)};
static const char *const apply_names[] = {"sizeof", SORT_APPLY_FIELDS(NAME)};
static const char *const sample_names[] = {"sizeof", SAMPLE_FIELDS(NAME)};
static const char *const bucket_names[] = {"sizeof", BUCKET_FIELDS(NAME)};
static const char *const route_names[] = {"sizeof", ROUTE_FIELDS(NAME)};

// args.h as the library embeds it.
static const struct clnd__kernel_source *args_text(void)
{
    const struct clnd__kernel_source *source = clnd__kernel_prelude;
    while (source->name && strcmp(source->name, "args.h") != 0)
        ++source;
    check(source->name, "the prelude has no args.h");
    return source;
}

static cl_program build_probes(const device *d)
{
    cl_int code;
    const char *texts[] = {args_text()->text, probes, sort_probes, other_probes};
    const size_t lengths[] = {args_text()->length, sizeof probes - 1, sizeof sort_probes - 1,
                              sizeof other_probes - 1};
    cl_program program = clCreateProgramWithSource(d->context, 4, texts, lengths, &code);
    check_cl(code);
    if (clnd__program_build(program, d->id, "-cl-std=CL1.2", NULL) != CL_SUCCESS) {
        static char log[2000];
        clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        check(false, "the probes do not compile: %s", log);
    }
    return program;
}

enum { MAX_FIELDS = 64, MAX_NUMBERS = MAX_FIELDS + CLND_ARGS_MAX / 8 };

static void check_layout(const char *kernel_name, int n, const int64_t *host,
                         const char *const *names)
{
    const device *d = device_get();
    unsigned char args[CLND_ARGS_MAX];
    int64_t seen[MAX_NUMBERS];
    const size_t size = (size_t)host[0];
    cl_int code;
    check(size <= CLND_ARGS_MAX && size % 8 == 0 && n <= MAX_FIELDS, "size %zu", size);
    for (size_t i = 0; i < size; ++i)
        args[i] = (unsigned char)(i * 37 + i / 251 + 11);

    cl_program program = build_probes(d);
    cl_kernel kernel = clCreateKernel(program, kernel_name, &code);
    check_cl(code);
    cl_mem out = clCreateBuffer(d->context, CL_MEM_READ_WRITE, sizeof seen, NULL, &code);
    check_cl(code);
    const size_t one = 1;
    memset(seen, 0xee, sizeof seen);
    check_cl(clEnqueueWriteBuffer(d->queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    check_cl(clSetKernelArg(kernel, 0, sizeof out, &out));
    check_cl(clSetKernelArg(kernel, 1, size, args));
    check_cl(clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    check_cl(clEnqueueReadBuffer(d->queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    check_cl(clReleaseMemObject(out));
    check_cl(clReleaseKernel(kernel));
    check_cl(clReleaseProgram(program));

    for (int i = 0; i < n; ++i)
        check(seen[i] == host[i], "%s: %s is %lld on the device, %lld on the host", kernel_name,
              names[i], (long long)seen[i], (long long)host[i]);
    check(memcmp(&seen[n], args, size) == 0, "%s: the device gets other values", kernel_name);
}

Test(layout, move_args)
{
    check_layout("probe_clnd_move_args", (int)(sizeof host_move / sizeof *host_move), host_move,
                 move_names);
}

Test(layout, widen_args)
{
    check_layout("probe_clnd_widen_args", (int)(sizeof host_widen / sizeof *host_widen), host_widen,
                 widen_names);
}

Test(layout, verdict)
{
    check_layout("probe_clnd_verdict", (int)(sizeof host_verdict / sizeof *host_verdict),
                 host_verdict, verdict_names);
}

Test(layout, sort_args)
{
    check_layout("probe_clnd_sort_keys_args", (int)(sizeof host_keys / sizeof *host_keys),
                 host_keys, keys_names);
    check_layout("probe_clnd_sort_args", (int)(sizeof host_sort / sizeof *host_sort), host_sort,
                 sort_names);
    check_layout("probe_clnd_sort_apply_args", (int)(sizeof host_apply / sizeof *host_apply),
                 host_apply, apply_names);
}

Test(layout, sample_args)
{
    check_layout("probe_clnd_sample_args", (int)(sizeof host_sample / sizeof *host_sample),
                 host_sample, sample_names);
}

Test(layout, bucket_args)
{
    check_layout("probe_clnd_bucket_args", (int)(sizeof host_bucket / sizeof *host_bucket),
                 host_bucket, bucket_names);
}

Test(layout, route_layout)
{
    check_layout("probe_clnd_route_layout", (int)(sizeof host_route / sizeof *host_route),
                 host_route, route_names);
}

#define REDUCTIONS(X)                                                                              \
    X(CLND_REDUCE_UPDATE)                                                                          \
    X(CLND_REDUCE_ADD)                                                                             \
    X(CLND_REDUCE_SUB)                                                                             \
    X(CLND_REDUCE_MUL)                                                                             \
    X(CLND_REDUCE_MIN)                                                                             \
    X(CLND_REDUCE_MAX)

#define KINDS(X)                                                                                   \
    X(BOOL)                                                                                        \
    X(INT8)                                                                                        \
    X(INT16)                                                                                       \
    X(INT32)                                                                                       \
    X(INT64)                                                                                       \
    X(UINT8)                                                                                       \
    X(UINT16)                                                                                      \
    X(UINT32)                                                                                      \
    X(UINT64)                                                                                      \
    X(FLOAT16)                                                                                     \
    X(BFLOAT16)                                                                                    \
    X(FLOAT32)                                                                                     \
    X(FLOAT64)                                                                                     \
    X(COMPLEX64)                                                                                   \
    X(COMPLEX128)

// Kernels know reductions and kinds by the numbers of the public headers.
Test(layout, names_of_numbers)
{
    const char *text = args_text()->text;
#define CHECK_REDUCTION(name)                                                                      \
    {                                                                                              \
        const char *line = strstr(text, "#define " #name " ");                                     \
        check(line &&strtol(line + strlen("#define " #name), NULL, 10) == name, #name);            \
    }
    REDUCTIONS(CHECK_REDUCTION)
#define CHECK_KIND(name) check(CLND_KIND_##name == (CLND_##name & 0xff), "CLND_KIND_" #name);
    KINDS(CHECK_KIND)
}

// A field that the lists above lack would go unseen: numbers and arrays must fill the struct.
Test(layout, lists_are_complete)
{
    enum { NUMBERS = 19 }; // two halves together are one
    check(sizeof(clnd_move_args) == 8 * NUMBERS + CLND_ARGS_AXES * sizeof(clnd_axis_args) +
                                        CLND_ARGS_COORDINATES * sizeof(clnd_coordinate_args),
          "clnd_move_args has %zu bytes", sizeof(clnd_move_args));
    check(sizeof(clnd_axis_args) == 4 * 8 && sizeof(clnd_coordinate_args) == 2 * 8, "axes");
    check(sizeof(clnd_widen_args) == 3 * 8, "clnd_widen_args");
    check(sizeof(clnd_verdict) == (1 + CLND_ARGS_COORDINATES) * 8, "clnd_verdict");
    enum { MOST_BUFFERS = CLND__MAX_BUFFERS + 1 }; // and the gate
    check(sizeof(clnd_move_args) + MOST_BUFFERS * sizeof(cl_mem) <= CLND_ARGS_MAX,
          "the arguments of a kernel with all buffers are more than OpenCL promises");
    check(sizeof(clnd_sort_args) == 13 * 8, "clnd_sort_args");
    check(sizeof(clnd_sort_keys_args) == sizeof(clnd_move_args) + 6 * 8, "clnd_sort_keys_args");
    check(sizeof(clnd_sort_apply_args) == sizeof(clnd_move_args) + 3 * 8, "clnd_sort_apply_args");
    check(sizeof(clnd_sort_keys_args) + 2 * sizeof(cl_mem) <= CLND_ARGS_MAX &&
              sizeof(clnd_sort_apply_args) + 4 * sizeof(cl_mem) <= CLND_ARGS_MAX,
          "the arguments of the sort are more than OpenCL promises");
    check(sizeof(clnd_sample_args) == sizeof(clnd_move_args) + 2 * 8, "clnd_sample_args");
    check(sizeof(clnd_sample_args) + 3 * sizeof(cl_mem) <= CLND_ARGS_MAX,
          "the arguments of a sample are more than OpenCL promises");
    check(sizeof(clnd_route_layout) == 10 * 8, "clnd_route_layout");
    check(sizeof(clnd_bucket_args) == sizeof(clnd_move_args) + 4 * 8, "clnd_bucket_args");
    check(sizeof(clnd_bucket_args) + 5 * sizeof(cl_mem) <= CLND_ARGS_MAX,
          "the arguments of buckets are more than OpenCL promises");
}

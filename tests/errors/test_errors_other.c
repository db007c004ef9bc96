// SPDX-License-Identifier: Apache-2.0
//
// The last error, and the errors of functions that are no ops: engines, tensors, shapes, slices.

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "call.h"

// The last error -------------------------------------------------------------------------------

Test(last_error, names_of_all_statuses)
{
#define STATUS_ROW(name, number, meaning) {CLND_##name, number, "CLND_" #name},
    static const struct {
        clnd_status status;
        int number;
        const char *name;
    } rows[] = {CLND_STATUS_LIST(STATUS_ROW)};
#undef STATUS_ROW
    case_begin("status names", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check((int)rows[i].status == rows[i].number, "%s", rows[i].name);
        check(strcmp(clnd_status_name(rows[i].status), rows[i].name) == 0, "%s", rows[i].name);
    }
    check(strcmp(clnd_status_name((clnd_status)28), "unknown status") == 0, "28");
    check(strcmp(clnd_status_name((clnd_status)-1), "unknown status") == 0, "-1");
}

Test(last_error, stays_until_the_next_failure)
{
    clnd_tensor tensor;
    int64_t count;
    case_begin("last error", 0);
    check(strcmp(clnd_last_error(), "") == 0, "not empty at first");
    check(clnd_last_error_code() == 0, "code at first");
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT8, 1, (int64_t[]){-2}, &tensor),
                 CLND_INVALID_SHAPE);
    const char *text = clnd_last_error();
    check_message("tensor_dense: ");
    check_message("-2");
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT8, 1, (int64_t[]){2}, &tensor), CLND_OK);
    check_message("-2"); // success leaves it
    check_status(clnd_tensor_count(NULL, &count), CLND_NULL_POINTER);
    check(clnd_last_error() == text, "the memory moved");
    check_message("tensor_count: ");
    check(!strstr(text, "-2"), "the old text is still there");
}

static void *fail_on_a_thread(void *result)
{
    int64_t count;
    const char **texts = result;
    if (clnd_last_error()[0])
        texts[0] = "a new thread begins with an error";
    clnd_tensor_count(NULL, &count);
    if (!strstr(clnd_last_error(), "tensor_count"))
        texts[0] = "the thread's own error is missing";
    return NULL;
}

Test(last_error, is_per_thread)
{
    clnd_slice slice;
    pthread_t thread;
    const char *problem = NULL;
    case_begin("last error threads", 0);
    check_status(clnd_slice_parse("1:2:3:4", &slice), CLND_INVALID_SLICE);
    check(pthread_create(&thread, NULL, fail_on_a_thread, &problem) == 0, "no thread");
    pthread_join(thread, NULL);
    check(!problem, "%s", problem);
    check_message("slice_parse: ");
}

// OpenCL's code comes with failures of OpenCL calls and goes with the next failure.
Test(last_error, code_belongs_to_the_text)
{
    const device *d = device_get();
    call c;
    cl_int code;
    case_begin("last error code", 0);
    call_make(&c, d, COPY);
    cl_event failed = clCreateUserEvent(d->context, &code);
    check_cl(code);
    check_cl(clSetUserEventStatus(failed, -77));
    c.n_wait = 1;
    c.wait = &failed;
    check_status(call_run(&c, NULL), CLND_WAIT_FAILED);
    check(clnd_last_error_code() == -77, "code %d", (int)clnd_last_error_code());
    c.out_arg = NULL;
    check_status(call_run(&c, NULL), CLND_NULL_POINTER);
    check(clnd_last_error_code() == 0, "code %d", (int)clnd_last_error_code());
    check_cl(clReleaseEvent(failed));
    call_free(&c);
}

// Engines and devices ---------------------------------------------------------------------------

static clnd_engine *garbage(void)
{
    static char somewhere;
    return (clnd_engine *)(void *)&somewhere;
}

Test(engine_errors, no_device)
{
    int32_t count;
    char spec[24];
    clnd_device_facts facts;
    clnd_engine *engine = garbage();
    device_get();
    case_begin("engine errors", 0);
    check_status(clnd_engine_open("no such device", NULL, &engine), CLND_NO_DEVICE);
    check(engine == NULL, "*engine is not NULL");
    check_message("engine_open: ");
    check_message("\"no such device\"");
    check_status(clnd_engine_open("99:99", NULL, &engine), CLND_NO_DEVICE);
    check_message("99:99");
    check_status(clnd_device_count(&count), CLND_OK);
    check_status(clnd_device_describe(count, spec, &facts), CLND_NO_DEVICE);
    check_message("device_describe: ");
}

Test(engine_errors, null_pointer)
{
    const device *d = device_get();
    clnd_engine *engine = garbage();
    char spec[24];
    clnd_device_facts facts;
    case_begin("engine errors", 1);
    check_status(clnd_engine_open(NULL, NULL, NULL), CLND_NULL_POINTER);
    check_message("engine_open: engine is NULL");
    check_status(clnd_engine_create(d->context, d->id, NULL, NULL), CLND_NULL_POINTER);
    check_message("engine_create: engine is NULL");
    check_status(clnd_engine_create(NULL, d->id, NULL, &engine), CLND_NULL_POINTER);
    check_message("context is NULL");
    check(engine == NULL, "*engine is not NULL");
    check_status(clnd_engine_create(d->context, NULL, NULL, &engine), CLND_NULL_POINTER);
    check_message("device is NULL");
    check_status(clnd_device_count(NULL), CLND_NULL_POINTER);
    check_status(clnd_device_describe(0, NULL, &facts), CLND_NULL_POINTER);
    check_status(clnd_device_describe(0, spec, NULL), CLND_NULL_POINTER);
}

Test(engine_errors, invalid_option)
{
    const device *d = device_get();
    case_begin("engine errors", 2);
    for (int i = 0; i < 8; i++) {
        clnd_engine *engine = garbage();
        clnd_engine_options options = {.strategy = NULL};
        options.reserved[i] = 1;
        check_status(clnd_engine_create(d->context, d->id, &options, &engine), CLND_INVALID_OPTION);
        check(engine == NULL, "*engine is not NULL");
        check_message("reserved[");
    }
    char words[257] = "";
    memset(words, 'x', 256);
    const clnd_engine_options longer = {.strategy = words}, longest = {.strategy = words + 1};
    clnd_engine *engine = garbage();
    check_status(clnd_engine_create(d->context, d->id, &longer, &engine), CLND_INVALID_OPTION);
    check(engine == NULL, "*engine is not NULL");
    check_message("options->strategy has 256 characters, at most 255 are taken");
    check_status(clnd_engine_open(NULL, &longer, &engine), CLND_INVALID_OPTION);
    check_status(clnd_engine_create(d->context, d->id, &longest, &engine), CLND_OK);
    clnd_engine_destroy(&engine);
}

// A float32 copy of the target that no buffer can hold.
Test(engine_errors, out_of_device_memory)
{
    const device *d = device_get();
    cl_int code;
    case_begin("out of device memory", 0);
    uint64_t bytes = d->facts->max_allocation / 4 * 3 / 64 * 64;
    if (bytes > UINT64_C(4) << 30)
        cr_skip_test("would need a buffer of %llu bytes", (unsigned long long)bytes);
    cl_mem large = clCreateBuffer(d->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (code != CL_SUCCESS)
        cr_skip_test("a buffer of %llu bytes cannot be had", (unsigned long long)bytes);
    cl_mem twice = clCreateBuffer(d->context, CL_MEM_READ_WRITE, 2 * (size_t)bytes, NULL, &code);
    if (code == CL_SUCCESS) {
        check_cl(clReleaseMemObject(twice));
        check_cl(clReleaseMemObject(large));
        cr_skip_test("a buffer beyond the largest allocation can be had");
    }
    call c;
    call_make(&c, d, INTO);
    cl_event event = NULL;
    c.scatter.deterministic = true;
    call_force(&c, "must,owner"); // buckets and sorted rows are rounded without a copy
    c.in.dtype = c.out.dtype = CLND_FLOAT16;
    c.out.buffer = large;
    c.out.strides[0] = (int64_t)(bytes / 2 - 3) / 3;
    check_status(call_run(&c, &event), CLND_OUT_OF_DEVICE_MEMORY);
    check(event == NULL, "*event is not NULL");
    check(clnd_last_error_code() != 0, "no OpenCL code");
    check_message("scatter_nd_into: ");
    call_free(&c);
    check_cl(clReleaseMemObject(large));
}

// Tensors ----------------------------------------------------------------------------------------

Test(tensor_errors, dense)
{
    static const struct {
        clnd_status status;
        clnd_dtype dtype;
        int rank;
        int64_t shape[3];
        size_t offset;
        const char *piece;
    } rows[] = {
        {CLND_INVALID_DTYPE, 0, 1, {1}, 0, "dtype"},
        {CLND_INVALID_DTYPE, CLND_OPAQUE(0), 1, {1}, 0, "dtype"},
        {CLND_INVALID_DTYPE, CLND_OPAQUE((uint64_t)INT32_MAX + 1), 1, {1}, 0, "dtype"},
        {CLND_INVALID_RANK, CLND_INT8, 17, {1}, 0, "17"},
        {CLND_INVALID_RANK, CLND_INT8, -1, {1}, 0, "-1"},
        {CLND_INVALID_SHAPE, CLND_INT8, 2, {1, -7}, 0, "-7"},
        {CLND_INVALID_SHAPE, CLND_INT8, 2, {0, -7}, 0, "-7"},
        {CLND_SIZE_OVERFLOW, CLND_INT16, 2, {INT64_C(1) << 32, INT64_C(1) << 30}, 0, "4294967296"},
        {CLND_SIZE_OVERFLOW, CLND_INT8, 2, {INT64_C(1) << 32, INT64_C(1) << 31}, 0, "4294967296"},
        {CLND_SIZE_OVERFLOW, CLND_INT8, 1, {8}, SIZE_MAX / 2 - 3, "8"},
    };
    int64_t ones[17];
    case_begin("tensor dense", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clnd_tensor tensor, zero;
        memset(&tensor, 1, sizeof tensor);
        memset(&zero, 0, sizeof zero);
        for (int d = 0; d < 17; d++)
            ones[d] = 1;
        memcpy(ones, rows[i].shape, sizeof rows[i].shape);
        case_note("row %zu", i);
        check_status(
            clnd_tensor_dense(NULL, rows[i].offset, rows[i].dtype, rows[i].rank, ones, &tensor),
            rows[i].status);
        check_message("tensor_dense: ");
        check_message(rows[i].piece);
        check(memcmp(&tensor, &zero, sizeof tensor) == 0, "*tensor is not zeroed");
    }
    clnd_tensor tensor;
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT8, 1, NULL, &tensor), CLND_NULL_POINTER);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT8, 0, NULL, NULL), CLND_NULL_POINTER);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT8, 0, NULL, &tensor), CLND_OK);
}

Test(tensor_errors, count_and_extent)
{
    clnd_tensor tensor;
    int64_t count = 5;
    size_t begin = 5, end = 5;
    case_begin("tensor extent", 0);
    check_status(clnd_tensor_dense(NULL, 16, CLND_INT32, 2, (int64_t[]){3, 4}, &tensor), CLND_OK);
    check_status(clnd_tensor_count(&tensor, &count), CLND_OK);
    check(count == 12, "count");
    check_status(clnd_tensor_extent(&tensor, &begin, &end), CLND_OK);
    check(begin == 16 && end == 64, "extent %zu to %zu", begin, end);
    tensor.strides[0] = -4;
    check_status(clnd_tensor_extent(&tensor, &begin, &end), CLND_BUFFER_TOO_SMALL);
    check(begin == 0 && end == 0, "not 0 on failure");
    check_message("tensor_extent: ");
    tensor.offset = 32;
    check_status(clnd_tensor_extent(&tensor, &begin, &end), CLND_OK);
    check(begin == 0 && end == 48, "extent %zu to %zu", begin, end);
    tensor.strides[0] = INT64_MIN;
    check_status(clnd_tensor_extent(&tensor, &begin, &end), CLND_SIZE_OVERFLOW);
    tensor.shape[0] = INT64_MAX;
    count = 5;
    check_status(clnd_tensor_count(&tensor, &count), CLND_SIZE_OVERFLOW);
    check(count == 0, "count is not 0");
    tensor.shape[1] = 0;
    check_status(clnd_tensor_count(&tensor, &count), CLND_OK);
    check(count == 0, "count of none");
    check_status(clnd_tensor_extent(&tensor, &begin, &end), CLND_OK);
    check(begin == 0 && end == 0, "extent of none");
    tensor.rank = 17;
    check_status(clnd_tensor_count(&tensor, &count), CLND_INVALID_RANK);
    check_status(clnd_tensor_extent(&tensor, NULL, &end), CLND_NULL_POINTER);
    check_status(clnd_tensor_extent(&tensor, &begin, NULL), CLND_NULL_POINTER);
    check_status(clnd_tensor_extent(NULL, &begin, &end), CLND_NULL_POINTER);
    check_status(clnd_tensor_count(&tensor, NULL), CLND_NULL_POINTER);
}

Test(tensor_errors, check)
{
    const device *d = device_get();
    call c;
    case_begin("tensor check", 0);
    call_make(&c, d, GATHER);
    check_status(clnd_tensor_check(NULL), CLND_NULL_POINTER);
    check_status(clnd_tensor_check(&c.in), CLND_OK);
    c.in.offset = 1;
    check_status(clnd_tensor_check(&c.in), CLND_BUFFER_TOO_SMALL);
    check_message("tensor_check: ");
    check_message("48");
    c.in.offset = 0;
    c.in.buffer = NULL;
    check_status(clnd_tensor_check(&c.in), CLND_INVALID_BUFFER);
    c.in.shape[0] = 0;
    check_status(clnd_tensor_check(&c.in), CLND_OK);
    call_free(&c);
}

// Slices in text ---------------------------------------------------------------------------------

Test(slice_errors, parse)
{
    static const char *const texts[] = {
        "1:2:3:4",
        ",",
        "1,,2",
        "a",
        "1 2",
        "..",
        "..., ...",
        "1:b",
        "--1",
        "0x10",
        "1.5",
        "new",
        ": :",
        "newaxis1",
        "1;",
        "+",
        "-",
        "1, 2 3",
        "....",
        "None:",
        "[1]",
        "1\n2",
        "None None",
        "9223372036854775808",
        "-9223372036854775809",
        "1:99999999999999999999",
    };
    clnd_slice slice, zero;
    memset(&zero, 0, sizeof zero);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        case_begin("slice parse", (int)i);
        case_note("\"%s\"", texts[i]);
        memset(&slice, 1, sizeof slice);
        clnd_status status = clnd_slice_parse(texts[i], &slice);
        if (strcmp(texts[i], ": :") == 0) { // blanks are ignored: this is "::"
            check(status == CLND_OK, "%s", clnd_last_error());
            continue;
        }
        check(status == CLND_INVALID_SLICE, "gave %s", clnd_status_name(status));
        check_message("slice_parse: ");
        check(!strchr(clnd_last_error(), '\n'), "two lines");
        check(memcmp(&slice, &zero, sizeof slice) == 0, "*slice is not zeroed");
    }
    char many[33 * 2];
    for (int i = 0; i < 33; i++)
        memcpy(many + 2 * i, ":,", 2);
    many[65] = '\0';
    check_status(clnd_slice_parse(many, &slice), CLND_INVALID_SLICE);
    check_message("32");
    many[63] = '\0';
    check_status(clnd_slice_parse(many, &slice), CLND_OK);
    check(slice.length == 32, "length %d", slice.length);
    check_status(clnd_slice_parse(NULL, &slice), CLND_NULL_POINTER);
    check_status(clnd_slice_parse("1", NULL), CLND_NULL_POINTER);
}

// Shape functions --------------------------------------------------------------------------------

Test(shape_errors, give_what_the_op_gives)
{
    const device *d = device_get();
    clnd_tensor out, zero;
    call c;
    case_begin("shape errors", 0);
    memset(&zero, 0, sizeof zero);
    call_make(&c, d, GATHER);
    c.indices.shape[1] = 3;
    memset(&out, 1, sizeof out);
    check_status(clnd_gather_nd_shape(&c.in, &c.indices, NULL, &out), CLND_INVALID_SHAPE);
    check(memcmp(&out, &zero, sizeof out) == 0, "*out is not zeroed");
    c.indices.shape[1] = 1;
    c.gather.batch_dims = 2;
    check_status(clnd_gather_nd_shape(&c.in, &c.indices, &c.gather, &out), CLND_INVALID_AXIS);
    check_status(clnd_gather_nd_shape(NULL, &c.indices, NULL, &out), CLND_NULL_POINTER);
    check_status(clnd_gather_nd_shape(&c.in, NULL, NULL, &out), CLND_NULL_POINTER);
    check_status(clnd_gather_nd_shape(&c.in, &c.indices, NULL, NULL), CLND_NULL_POINTER);
    c.in.shape[1] = INT64_C(1) << 61;
    memset(&out, 1, sizeof out);
    check_status(clnd_gather_nd_shape(&c.in, &c.indices, NULL, &out), CLND_SIZE_OVERFLOW);
    check(memcmp(&out, &zero, sizeof out) == 0, "*out is not zeroed");
    memset(&out, 1, sizeof out);
    c.in.shape[1] = -1;
    check_status(clnd_copy_shape(&c.in, &out), CLND_INVALID_SHAPE);
    check(memcmp(&out, &zero, sizeof out) == 0, "*out is not zeroed");
    check_status(clnd_copy_shape(NULL, &out), CLND_NULL_POINTER);
    check_status(clnd_copy_shape(&c.in, NULL), CLND_NULL_POINTER);
    check_status(clnd_strided_slice_shape(NULL, &c.slice, &out), CLND_NULL_POINTER);
    check_status(clnd_strided_slice_shape(&c.in, NULL, &out), CLND_NULL_POINTER);
    check_status(clnd_strided_slice_view(&c.in, &c.slice, NULL), CLND_NULL_POINTER);
    call_free(&c);
    call_make(&c, d, INTO);
    check_status(clnd_scatter_nd_check(&c.indices, &c.in, &c.out, NULL), CLND_OK);
    c.in.shape[1] = 2;
    check_status(clnd_scatter_nd_check(&c.indices, &c.in, &c.out, NULL), CLND_INVALID_SHAPE);
    check_status(clnd_scatter_nd_check(NULL, &c.in, &c.out, NULL), CLND_NULL_POINTER);
    call_free(&c);
}

// SPDX-License-Identifier: Apache-2.0

#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "print.h"
#include "text.h"
#include "value.h"

void session_begin(struct session *session, const struct command *command,
                   const struct arguments *arguments)
{
    *session = (struct session){.command = command, .arguments = arguments};
}

static bool fail(struct session *session, const char *subject, const char *error)
{
    session->status = refuse(session->command, STATUS_REFUSED, "%s%s%s", subject ? subject : "",
                             subject ? ": " : "", error);
    return false;
}

static bool fail_cl(struct session *session, cl_int code, const char *what)
{
    char error[TEXT_ERROR_SIZE];
    text_fail(error, "%s failed with OpenCL error %d", what, (int)code);
    return fail(session, NULL, error);
}

const char *session_last_error(void)
{
    const char *text = clnd_last_error();
    const char *behind = strstr(text, ": ");
    return behind ? behind + 2 : text;
}

bool session_check(struct session *session, clnd_status status)
{
    if (session->status)
        return false;
    if (status == CLND_OK)
        return true;
    return fail(session, NULL, session_last_error());
}

static void name_file(const char *path, char *name, size_t size)
{
    if (strcmp(path, "-") == 0)
        snprintf(name, size, "standard input");
    else if (!*path)
        snprintf(name, size, "''");
    else
        text_escape(name, size, path, strlen(path));
}

bool session_read(struct session *session, const char *path, bool indices, struct input *input)
{
    memset(input, 0, sizeof *input);
    if (session->status)
        return false;
    char error[TEXT_ERROR_SIZE], name[1024];
    name_file(path, name, sizeof name);
    if (!npy_read(path, &input->array, error))
        return fail(session, name, error);
    session->arrays[session->n_arrays++] = &input->array;
    if (!session->arguments->bfloat16 || indices)
        return true;
    if (input->array.type.kind != 'V' || clnd_dtype_size(input->array.type.dtype) != 2)
        return fail(session, name,
                    "--dtype bfloat16 is for elements of dtype V2, which these are not");
    input->array.type.dtype = CLND_BFLOAT16;
    return true;
}

bool session_same_type(struct session *session, const char *name_a, const struct input *a,
                       const char *name_b, const struct input *b)
{
    if (session->status)
        return false;
    const struct npy_type *x = &a->array.type, *y = &b->array.type;
    if (x->kind == y->kind && x->dtype == y->dtype)
        return true;
    char descr_a[NPY_DESCR_SIZE], descr_b[NPY_DESCR_SIZE], error[TEXT_ERROR_SIZE];
    npy_type_format(x, descr_a);
    npy_type_format(y, descr_b);
    text_fail(error, "%s has dtype %s, %s has dtype %s; they must be the same", name_a, descr_a,
              name_b, descr_b);
    return fail(session, NULL, error);
}

bool session_open(struct session *session)
{
    if (session->status || session->engine)
        return session->status == 0;
    return session_check(session,
                         clnd_engine_open(session->arguments->device, NULL, &session->engine));
}

static bool fail_memory(struct session *session, size_t size, cl_int code)
{
    char error[TEXT_ERROR_SIZE];
    const uint64_t largest = clnd_engine_facts(session->engine)->max_allocation;
    if (code == CL_INVALID_BUFFER_SIZE && size > largest)
        text_fail(error,
                  "an array of %zu bytes is too large: the device's largest buffer has %" PRIu64
                  " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
                  size, largest);
    else
        text_fail(error, "the device has no memory for an array of %zu bytes (OpenCL error %d)",
                  size, (int)code);
    return fail(session, NULL, error);
}

// With `content` the buffer is this memory, where device and driver can do that, else a copy.
static bool add_buffer(struct session *session, cl_mem_flags access, size_t size, void *content,
                       clnd_tensor *tensor)
{
    const cl_context context = clnd_engine_context(session->engine);
    const clnd_device_facts *facts = clnd_engine_facts(session->engine);
    cl_int code;
    tensor->buffer = NULL;
    if (content && (facts->is_cpu || facts->unified_memory))
        tensor->buffer =
            clCreateBuffer(context, access | CL_MEM_USE_HOST_PTR, size, content, &code);
    if (!tensor->buffer)
        tensor->buffer = clCreateBuffer(context, access | (content ? CL_MEM_COPY_HOST_PTR : 0),
                                        size, content, &code);
    if (!tensor->buffer)
        return fail_memory(session, size, code);
    session->buffers[session->n_buffers++] = tensor->buffer;
    return true;
}

bool session_describe(struct session *session, struct input *input)
{
    const struct npy_array *array = &input->array;
    if (!session_open(session) ||
        !session_check(session, clnd_tensor_dense(NULL, 0, array->type.dtype, array->rank,
                                                  array->shape, &input->tensor)))
        return false;
    npy_strides(array, input->tensor.strides);
    return true;
}

static bool upload(struct session *session, const struct npy_array *array, cl_mem_flags access,
                   clnd_tensor *part)
{
    size_t begin, end;
    if (session->status || !session_check(session, clnd_tensor_extent(part, &begin, &end)))
        return false;
    begin -= begin % NPY_ALIGNMENT; // so the buffer is aligned as the array is
    part->offset -= begin;
    return end == 0 || add_buffer(session, access, end - begin, (char *)array->data + begin, part);
}

bool session_upload_part(struct session *session, const struct input *input, clnd_tensor *part)
{
    return upload(session, &input->array, CL_MEM_READ_ONLY, part);
}

bool session_upload(struct session *session, struct input *input, bool in_place)
{
    char error[TEXT_ERROR_SIZE];
    if (!session_open(session))
        return false;
    if (in_place && !npy_make_c_order(&input->array, error))
        return fail(session, NULL, error);
    return session_describe(session, input) &&
           upload(session, &input->array, in_place ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY,
                  &input->tensor);
}

bool session_shape(struct session *session, clnd_dtype dtype, clnd_tensor *tensor)
{
    const struct number_list *shape = &session->arguments->shape;
    return session->status == 0 &&
           session_check(session,
                         clnd_tensor_dense(NULL, 0, dtype, shape->length, shape->values, tensor));
}

bool session_allocate(struct session *session, clnd_tensor *tensor)
{
    size_t begin, end;
    if (!session_open(session) || !session_check(session, clnd_tensor_extent(tensor, &begin, &end)))
        return false;
    return end == 0 || add_buffer(session, CL_MEM_READ_WRITE, end, NULL, tensor);
}

bool session_fill_value(struct session *session, const struct npy_type *type, void **element)
{
    *element = NULL;
    if (session->status)
        return false;
    if (session->arguments->bounds != CLND_BOUNDS_FILL)
        return true;
    char error[TEXT_ERROR_SIZE];
    *element = calloc(1, clnd_dtype_size(type->dtype));
    if (!*element)
        return fail(session, NULL, "no memory for the fill value");
    if (value_parse(type, session->arguments->fill, *element, error))
        return true;
    return fail(session, "--bounds fill", error);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void session_start_clock(struct session *session)
{
    session->seconds = -now();
}

void session_stop_clock(struct session *session)
{
    if (session->status)
        return;
    const cl_int code = clFinish(clnd_engine_queue(session->engine));
    session->seconds += now();
    if (code != CL_SUCCESS)
        fail_cl(session, code, "clFinish");
}

static bool print(struct session *session, const struct npy_type *type, int rank,
                  const int64_t *shape, const int64_t *strides, const void *data)
{
    const struct print_view view = {type->dtype, type->kind, rank, shape, strides, data};
    errno = 0;
    if (print_array(stdout, &view) && fflush(stdout) == 0)
        return true;
    return fail(session, "standard output", errno ? strerror(errno) : "writing failed");
}

bool session_give_array(struct session *session, const struct npy_type *type, int rank,
                        const int64_t *shape, const int64_t *strides, const void *data)
{
    const struct arguments *arguments = session->arguments;
    char error[TEXT_ERROR_SIZE], name[1024];
    if (session->status)
        return false;
    if (arguments->output) {
        if (npy_write(arguments->output, type, rank, shape, data, error))
            return true;
        name_file(arguments->output, name, sizeof name);
        return fail(session, strcmp(arguments->output, "-") ? name : "standard output", error);
    }
    return arguments->quiet || print(session, type, rank, shape, strides, data);
}

static void tell_time(const struct session *session)
{
    const char *device = clnd_engine_facts(session->engine)->name;
    struct json json = {.out = stderr};
    if (!session->arguments->json) {
        fprintf(stderr, "clnd: %s: %.6f s on %s\n", session->command->name, session->seconds,
                device);
        return;
    }
    json_open(&json, NULL, '{');
    json_text(&json, "command", session->command->name);
    json_seconds(&json, "seconds", session->seconds);
    json_text(&json, "device", device);
    json_close(&json, '}');
}

bool session_give(struct session *session, const clnd_tensor *tensor, const struct npy_type *type)
{
    size_t begin, size;
    if (session->status || !session_check(session, clnd_tensor_extent(tensor, &begin, &size)))
        return false;
    const cl_command_queue queue = clnd_engine_queue(session->engine);
    cl_int code = CL_SUCCESS;
    void *data = NULL;
    if (size > 0)
        data = clEnqueueMapBuffer(queue, tensor->buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL,
                                  NULL, &code);
    if (code != CL_SUCCESS)
        return fail_cl(session, code, "clEnqueueMapBuffer");
    const bool good = session_give_array(session, type, tensor->rank, tensor->shape, NULL, data);
    if (data)
        clEnqueueUnmapMemObject(queue, tensor->buffer, data, 0, NULL, NULL);
    if (good && session->arguments->time)
        tell_time(session);
    return good;
}

int session_end(struct session *session)
{
    while (session->n_buffers > 0)
        clReleaseMemObject(session->buffers[--session->n_buffers]);
    if (session->engine)
        clFinish(clnd_engine_queue(session->engine)); // nothing may use the arrays any more
    clnd_engine_destroy(&session->engine);
    while (session->n_arrays > 0)
        npy_free(session->arrays[--session->n_arrays]);
    return session->status;
}

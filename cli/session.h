// SPDX-License-Identifier: Apache-2.0
//
// A subcommand at work: files to tensors on a device, and the result to a file or to the screen.
// The first failure is reported in one line. After it every call returns false and does nothing, so
// a subcommand reads as if nothing could fail.

#ifndef CLND_CLI_SESSION_H
#define CLND_CLI_SESSION_H

#include "arguments.h"
#include "clnd/clnd.h"
#include "npy.h"

enum { MAX_TENSORS = 4 };

struct session {
    const struct command *command;
    const struct arguments *arguments;
    int status; // 0, or what the program will end with
    clnd_engine *engine;
    int n_buffers;
    cl_mem buffers[MAX_TENSORS];
    int n_arrays;
    struct npy_array *arrays[MAX_TENSORS]; // that were read; buffers may use their memory
    double seconds;                        // of the operation, from call to completion
};

// An array that was read, and its tensor on the device.
struct input {
    struct npy_array array;
    clnd_tensor tensor;
};

void session_begin(struct session *session, const struct command *command,
                   const struct arguments *arguments);

// Reads a file; --dtype bfloat16 is applied to it unless it holds `indices`. `input` must live
// until session_end, which frees it.
bool session_read(struct session *session, const char *path, bool indices, struct input *input);

// Both hold the same kind of elements: what clnd moves as opaque bytes, NumPy tells apart.
bool session_same_type(struct session *session, const char *name_a, const struct input *a,
                       const char *name_b, const struct input *b);

// Opens the device, if it is not open yet.
bool session_open(struct session *session);

// Makes input->tensor the array, without a buffer, and opens the device.
bool session_describe(struct session *session, struct input *input);

// Puts the array on the device as input->tensor. `in_place`: it will be written, and is brought
// into C order first.
bool session_upload(struct session *session, struct input *input, bool in_place);

// Puts only that on the device which lies between the ends of `part`, a view of input->tensor; the
// buffer and the offset of `part` are set for it.
bool session_upload_part(struct session *session, const struct input *input, clnd_tensor *part);

// Describes a dense tensor of the shape that --shape says.
bool session_shape(struct session *session, clnd_dtype dtype, clnd_tensor *tensor);

// Makes memory for a tensor that has none yet.
bool session_allocate(struct session *session, clnd_tensor *tensor);

// The value of --bounds fill=V as an element of `type`: memory that the caller frees.
bool session_fill_value(struct session *session, const struct npy_type *type, void **element);

// Takes a clnd status; a failure is shown as the subcommand's refusal.
bool session_check(struct session *session, clnd_status status);

// What the last clnd call complained of, without the name of the C function that begins the text.
const char *session_last_error(void);

// Runs between these two are what --time measures.
void session_start_clock(struct session *session);
void session_stop_clock(struct session *session);

// Brings the dense tensor back and writes or prints it as elements of `type`.
bool session_give(struct session *session, const clnd_tensor *tensor, const struct npy_type *type);

// Writes or prints an array in host memory.
bool session_give_array(struct session *session, const struct npy_type *type, int rank,
                        const int64_t *shape, const int64_t *strides, const void *data);

// Frees everything and returns the status.
int session_end(struct session *session);

#endif

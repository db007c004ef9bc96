// SPDX-License-Identifier: Apache-2.0

#include "strategies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "session.h"
#include "terminal.h"

// Sizes of the typical calls. The man page tells them too.
enum {
    TABLE_ROWS = 1000000, // a table of rows, of which some are taken or changed
    ROW = 128,
    ROWS = 65536,
    SQUARE = 4096, // rows and columns of a matrix
    COLUMNS = 1024,
    VALUES = 1000000, // that are counted
    BINS = 256,
};

// A call that a user may well make.
struct typical {
    const char *op, *text;
    clnd_status (*plan)(clnd_engine *engine, const struct typical *call, clnd_plan *plan);
    clnd_dtype dtype;
    clnd_reduce reduce;
    bool deterministic;
    const char *slice;
};

// Tensors without memory: a plan needs none.
static clnd_tensor dense(clnd_dtype dtype, int rank, int64_t rows, int64_t columns)
{
    clnd_tensor tensor;
    clnd_tensor_dense(NULL, 0, dtype, rank, (int64_t[]){rows, columns}, &tensor);
    return tensor;
}

static clnd_status plan_gather_nd(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    const clnd_tensor params = dense(call->dtype, 2, TABLE_ROWS, ROW),
                      indices = dense(CLND_INT32, 2, ROWS, 1),
                      out = dense(call->dtype, 2, ROWS, ROW);
    return clnd_gather_nd_plan(engine, &params, &indices, &out, NULL, plan);
}

static clnd_status plan_gather(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    const clnd_gather_options options = {.axis = 1};
    const clnd_tensor params = dense(call->dtype, 2, SQUARE, SQUARE),
                      indices = dense(CLND_INT32, 1, COLUMNS, 0),
                      out = dense(call->dtype, 2, SQUARE, COLUMNS);
    return clnd_gather_plan(engine, &params, &indices, &out, &options, plan);
}

static clnd_status plan_gather_elements(clnd_engine *engine, const struct typical *call,
                                        clnd_plan *plan)
{
    const clnd_gather_elements_options options = {.axis = 1};
    const clnd_tensor params = dense(call->dtype, 2, SQUARE, SQUARE),
                      indices = dense(CLND_INT32, 2, SQUARE, SQUARE);
    return clnd_gather_elements_plan(engine, &params, &indices, &params, &options, plan);
}

static clnd_status plan_scatter_nd(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    const clnd_scatter_nd_options options = {.reduce = call->reduce,
                                             .deterministic = call->deterministic};
    const clnd_tensor indices = dense(CLND_INT32, 2, ROWS, 1),
                      updates = dense(call->dtype, 2, ROWS, ROW),
                      target = dense(call->dtype, 2, TABLE_ROWS, ROW);
    return clnd_scatter_nd_into_plan(engine, &indices, &updates, &target, &options, plan);
}

static clnd_status plan_histogram(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    const clnd_scatter_nd_options options = {.reduce = call->reduce,
                                             .deterministic = call->deterministic};
    const clnd_tensor indices = dense(CLND_INT32, 2, VALUES, 1),
                      updates = dense(call->dtype, 1, VALUES, 0),
                      out = dense(call->dtype, 1, BINS, 0);
    return clnd_scatter_nd_plan(engine, &indices, &updates, &out, &options, plan);
}

static clnd_status plan_scatter(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    const clnd_scatter_options options = {
        .axis = 1, .reduce = call->reduce, .deterministic = call->deterministic};
    const clnd_tensor indices = dense(CLND_INT32, 1, COLUMNS, 0),
                      updates = dense(call->dtype, 2, SQUARE, COLUMNS),
                      target = dense(call->dtype, 2, SQUARE, SQUARE);
    return clnd_scatter_plan(engine, &indices, &updates, &target, &options, plan);
}

static clnd_status plan_scatter_elements(clnd_engine *engine, const struct typical *call,
                                         clnd_plan *plan)
{
    const clnd_scatter_elements_options options = {
        .axis = 1, .reduce = call->reduce, .deterministic = call->deterministic};
    const clnd_tensor indices = dense(CLND_INT32, 2, SQUARE, SQUARE),
                      updates = dense(call->dtype, 2, SQUARE, SQUARE);
    return clnd_scatter_elements_plan(engine, &indices, &updates, &updates, &options, plan);
}

// The slice of a square matrix, and the tensor that has its shape.
static clnd_status slice_of(const struct typical *call, clnd_slice *slice, clnd_tensor *square,
                            clnd_tensor *part)
{
    *square = dense(call->dtype, 2, SQUARE, SQUARE);
    const clnd_status status = clnd_slice_parse(call->slice, slice);
    return status ? status : clnd_strided_slice_shape(square, slice, part);
}

static clnd_status plan_slice(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    clnd_slice slice;
    clnd_tensor square, part;
    const clnd_status status = slice_of(call, &slice, &square, &part);
    return status ? status : clnd_strided_slice_plan(engine, &square, &slice, &part, NULL, plan);
}

static clnd_status plan_assign(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    clnd_slice slice;
    clnd_tensor square, part;
    const clnd_status status = slice_of(call, &slice, &square, &part);
    return status ? status
                  : clnd_strided_slice_assign_plan(engine, &part, &slice, &square, NULL, plan);
}

static clnd_status plan_grad(clnd_engine *engine, const struct typical *call, clnd_plan *plan)
{
    clnd_slice slice;
    clnd_tensor square, part;
    const clnd_status status = slice_of(call, &slice, &square, &part);
    return status ? status
                  : clnd_strided_slice_grad_plan(engine, &part, &slice, &square, NULL, plan);
}

static clnd_status plan_transposition(clnd_engine *engine, const struct typical *call,
                                      clnd_plan *plan)
{
    const clnd_tensor target = dense(call->dtype, 2, SQUARE, SQUARE);
    clnd_tensor source = target;
    source.strides[0] = target.strides[1];
    source.strides[1] = target.strides[0];
    return clnd_copy_plan(engine, &source, &target, NULL, plan);
}

static const struct typical calls[] = {
    {"gather-nd", "float32 rows", plan_gather_nd, .dtype = CLND_FLOAT32},
    {"gather", "float32 columns", plan_gather, .dtype = CLND_FLOAT32},
    {"gather-elements", "float32", plan_gather_elements, .dtype = CLND_FLOAT32},
    {"scatter-nd", "update of float32 rows", plan_scatter_nd, CLND_FLOAT32,
     .reduce = CLND_REDUCE_UPDATE},
    {"scatter-nd", "update, deterministic", plan_scatter_nd, CLND_FLOAT32,
     .reduce = CLND_REDUCE_UPDATE, .deterministic = true},
    {"scatter-nd", "sum of float32 rows", plan_scatter_nd, CLND_FLOAT32, .reduce = CLND_REDUCE_ADD},
    {"scatter-nd", "sum, deterministic", plan_scatter_nd, CLND_FLOAT32, .reduce = CLND_REDUCE_ADD,
     .deterministic = true},
    {"scatter-nd", "sum of float16 rows", plan_scatter_nd, CLND_FLOAT16, .reduce = CLND_REDUCE_ADD},
    {"scatter-nd", "float16, deterministic", plan_scatter_nd, CLND_FLOAT16,
     .reduce = CLND_REDUCE_ADD, .deterministic = true},
    {"scatter-nd", "sum of float64 rows", plan_scatter_nd, CLND_FLOAT64, .reduce = CLND_REDUCE_ADD},
    {"scatter-nd", "sum of int64 rows", plan_scatter_nd, CLND_INT64, .reduce = CLND_REDUCE_ADD},
    {"scatter-nd", "int32 histogram", plan_histogram, CLND_INT32, .reduce = CLND_REDUCE_ADD},
    {"scatter", "sum of float32 columns", plan_scatter, CLND_FLOAT32, .reduce = CLND_REDUCE_ADD},
    {"scatter-elements", "maximum of float32", plan_scatter_elements, CLND_FLOAT32,
     .reduce = CLND_REDUCE_MAX},
    {"slice", "float32 [::2, ::-1]", plan_slice, CLND_FLOAT32, .slice = "::2, ::-1"},
    {"slice", "float32 [1000:2000]", plan_slice, CLND_FLOAT32, .slice = "1000:2000"},
    {"slice-assign", "float32 [::2, ::-1]", plan_assign, CLND_FLOAT32, .slice = "::2, ::-1"},
    {"slice-grad", "float32 [::2, ::-1]", plan_grad, CLND_FLOAT32, .slice = "::2, ::-1"},
    {"copy", "float32, transposed", plan_transposition, .dtype = CLND_FLOAT32},
};

static void print_call(clnd_engine *engine, const struct typical *call, int indent)
{
    clnd_plan plan;
    char why[256];
    const clnd_status status = call->plan(engine, call, &plan);
    if (status)
        snprintf(why, sizeof why, "%s", session_last_error());
    else if (plan.workspace_bytes)
        snprintf(why, sizeof why, "%s; needs a workspace of %" PRIu64 " KiB", plan.reason,
                 (plan.workspace_bytes + 1023) / 1024);
    else
        snprintf(why, sizeof why, "%s", plan.reason);
    terminal_print_wrapped(why, printf("%*s%-16s  %-22s  %-8s  ", indent, "", call->op, call->text,
                                       status ? "refused" : plan.strategy));
}

void strategies_print(clnd_engine *engine, int indent)
{
    printf("%*s%-16s  %-22s  %-8s  why\n", indent, "", "operation", "typical call", "strategy");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        print_call(engine, &calls[i], indent);
}

void strategies_json(struct json *json, clnd_engine *engine)
{
    json_open(json, "calls", '[');
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        clnd_plan plan = {0};
        const clnd_status status = calls[i].plan(engine, &calls[i], &plan);
        json_open(json, NULL, '{');
        json_text(json, "operation", calls[i].op);
        json_text(json, "call", calls[i].text);
        json_text(json, "strategy", status ? "refused" : plan.strategy);
        json_text(json, "why", status ? session_last_error() : plan.reason);
        json_integer(json, "workspace_bytes", status ? 0 : plan.workspace_bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

// SPDX-License-Identifier: Apache-2.0

#include "host/arrays/host_call.h"

#include <string.h>

#include "host/base/error.h"
#include "host/cl/host_memory.h"
#include "host/cl/queue_pool.h"

typedef struct range {
    size_t begin, end; // addresses; equal if it is empty
} range;

// An array on its way to the device.
typedef struct operand {
    clnd__array_use use;
    clnd_tensor tensor;
    size_t address;                  // of element (0, ..., 0)
    range touched;                   // of what the op reads or writes
    bool has_gaps;                   // there are bytes between the elements that are touched
    range region;                    // of the array, then of all that overlap it: its buffer
    const clnd__host_memory *memory; // the region's; NULL if it is empty
    clnd__host_memory own;           // of the first array of a region
} operand;

static bool is_empty(range r)
{
    return r.begin == r.end;
}

static bool overlap(range a, range b)
{
    return a.begin < b.end && b.begin < a.end && !is_empty(a) && !is_empty(b);
}

// The address stands in for the offset: until there is a buffer, all memory is the buffer.
static bool take_array(const clnd_array *array, operand *o)
{
    int64_t count;
    clnd_array_tensor(array, &o->tensor);
    o->address = o->tensor.offset = (size_t)(uintptr_t)array->data;
    return array->data || clnd_array_count(array, &count) || count == 0;
}

// Checks all that needs no memory, so that a call that is refused for it touches none.
static clnd_status take_arrays(const clnd__host_op *op, const clnd_array *const *arrays,
                               clnd__host_step *step, operand *operands)
{
    const char *lacks_data = NULL;
    for (int i = 0; i < op->n_arrays; ++i) {
        operands[i] = (operand){.use = op->arrays[i].use};
        if (!arrays[i])
            continue;
        step->tensors[i] = &operands[i].tensor;
        if (!take_array(arrays[i], &operands[i]) && !lacks_data)
            lacks_data = op->arrays[i].name;
    }
    clnd__enter(op->name);
    if (lacks_data)
        return clnd__fail(CLND_NULL_POINTER, "%s has elements, but its data is NULL", lacks_data);
    clnd_plan plan;
    step->plan = &plan;
    const clnd_status status = op->run(step);
    step->plan = NULL;
    return status;
}

// What the op needs to know of a valid array. `slice` may be NULL.
static clnd_status find_ranges(const clnd_slice *slice, operand *o)
{
    clnd_tensor part = o->tensor;
    int64_t count = 0;
    clnd_status status;
    if ((slice && (status = clnd_strided_slice_view(&o->tensor, slice, &part))) ||
        (status = clnd_tensor_extent(&o->tensor, &o->region.begin, &o->region.end)) ||
        (status = clnd_tensor_extent(&part, &o->touched.begin, &o->touched.end)) ||
        (status = clnd_tensor_count(&part, &count)))
        return status;
    // Elements of an output do not share memory. So if as many fit the range, they fill it.
    o->has_gaps =
        (size_t)count != (o->touched.end - o->touched.begin) / clnd_dtype_size(part.dtype);
    return CLND_OK;
}

// OpenCL leaves buffers that overlap undefined, so arrays that overlap lie in one buffer. Whether
// the op allows the overlap is decided by the op.
static void join_regions(int n, operand *operands)
{
    for (int pass = 0; pass < n; ++pass)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                range *a = &operands[i].region;
                const range b = operands[j].region;
                if (!overlap(*a, b))
                    continue;
                a->begin = b.begin < a->begin ? b.begin : a->begin;
                a->end = b.end > a->end ? b.end : a->end;
            }
}

// Alignment of the elements, up to 16 bytes. It is the same for all, because strides are counted in
// elements.
static size_t alignment_of(const operand *o)
{
    const size_t bits = o->address | clnd_dtype_size(o->tensor.dtype) | 16;
    return bits & (~bits + 1);
}

static bool are_together(const operand *a, const operand *b)
{
    return overlap(a->region, b->region);
}

// Makes the buffer of a region; `first` is the first of the arrays in it. An op knows the alignment
// of a buffer's base only. If the region began at an odd address, nothing in it would seem aligned.
// Then the buffer becomes a copy that begins at the same distance from an aligned address.
static clnd_status open_region(clnd_engine *engine, clnd__host_way way, operand *first,
                               operand *end)
{
    const range region = first->region;
    bool written = false;
    size_t alignment = 1;
    for (operand *o = first; o < end; ++o)
        if (are_together(o, first)) {
            written = written || o->use != CLND__INPUT;
            alignment = alignment_of(o) > alignment ? alignment_of(o) : alignment;
        }
    const size_t offset = region.begin % alignment;
    const bool share = way == CLND__HOST_SHARE && offset == 0;
    clnd_status status = clnd__host_memory_open(engine, share, written, region.begin,
                                                region.end - region.begin, offset, &first->own);
    for (operand *o = first; o < end && status == CLND_OK; ++o)
        if (are_together(o, first)) {
            o->memory = &first->own;
            o->tensor.buffer = first->own.buffer;
            o->tensor.offset = clnd__host_memory_place(&first->own, o->address);
        }
    return status;
}

static clnd_status open_regions(clnd_engine *engine, clnd__host_way way, int n, operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i)
        if (!is_empty(operands[i].region) && !operands[i].memory)
            status = open_region(engine, way, &operands[i], operands + n);
    return status;
}

// With a report, OK does not mean that the op has written anything.
static bool may_write_nothing(const clnd__host_op *op, const void *options)
{
    clnd_report *report = NULL;
    if (options && op->report)
        memcpy(&report, (const char *)options + op->report, sizeof report);
    return report != NULL;
}

// `all`: also outputs that the op will write.
static clnd_status push(cl_command_queue queue, bool all, int n, const operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i) {
        const operand *o = &operands[i];
        if (o->memory && (all || o->use != CLND__OUTPUT || o->has_gaps))
            status = clnd__host_memory_push(o->memory, queue, o->touched.begin, o->touched.end);
    }
    return status;
}

static clnd_status pull(cl_command_queue queue, cl_event event, int n, const operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < n && !status; ++i) {
        const operand *o = &operands[i];
        if (o->memory && o->use != CLND__INPUT)
            status =
                clnd__host_memory_pull(o->memory, queue, event, o->touched.begin, o->touched.end);
    }
    return status;
}

static clnd_status run(const clnd__host_op *op, clnd__host_way way, clnd__host_step *step,
                       operand *operands)
{
    clnd_status status = open_regions(step->engine, way, op->n_arrays, operands);
    if (status == CLND_OK)
        status = push(step->queue, may_write_nothing(op, step->options), op->n_arrays, operands);
    if (status == CLND_OK)
        status = op->run(step);
    if (status == CLND_OK)
        status = pull(step->queue, step->event, op->n_arrays, operands);
    clnd__event_release(step->event);
    return status;
}

clnd_status clnd__host_call(clnd_engine *engine, clnd__host_way way, const clnd__host_op *op,
                            const clnd_array *const *arrays, const clnd_slice *slice,
                            const void *options)
{
    operand operands[CLND__MAX_ARRAYS];
    clnd__host_step step = {.engine = engine, .slice = slice, .options = options};
    clnd_status status = take_arrays(op, arrays, &step, operands);
    for (int i = 0; i < op->n_arrays && !status; ++i)
        status = find_ranges(i == 0 && op->slices_first ? slice : NULL, &operands[i]);
    clnd__enter(op->name);
    if (status || (status = clnd__queue_borrow(engine, &step.queue)))
        return status;
    join_regions(op->n_arrays, operands);
    status = run(op, way, &step, operands);
    status = clnd__queue_return(engine, step.queue, status);
    for (int i = 0; i < op->n_arrays; ++i)
        clnd__host_memory_close(&operands[i].own);
    return status;
}

clnd__host_way clnd__host_way_for(const clnd_engine *engine)
{
    const clnd_device_facts *facts = clnd_engine_facts(engine);
    return facts && (facts->unified_memory || facts->is_cpu) ? CLND__HOST_SHARE : CLND__HOST_COPY;
}

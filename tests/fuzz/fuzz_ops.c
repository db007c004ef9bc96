// SPDX-License-Identifier: Apache-2.0
//
// Whole ops with arbitrary descriptors on a device: plans with and without buffers, calls on
// buffers, calls on plain arrays.
//
// The operands lie in blocks of memory with pages around them that nobody may touch; buffers are
// made on that memory, so that on a device that shares it a kernel that leaves its buffer ends the
// program. What is accepted must lie inside its block and give the reference's bytes everywhere;
// what is refused must have touched nothing, and a plan must refuse what the call does.

#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "host/cl/engine.h"
#include "op_call.h"

__extension__ typedef __int128 wide;

enum { BLOCK = 4096, GUARD = 1 << 16, MOST_WORK = 1 << 14, N_PLACES = 2 };
enum place { BUFFERS, ARRAYS };

static clnd_engine *engine;
static clnd_report *report;
static unsigned char *blocks[N_PLACES][N_OPERANDS];
static cl_mem buffers[N_OPERANDS], spare;

static unsigned char *guarded_block(void)
{
    unsigned char *memory =
        mmap(NULL, BLOCK + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fuzz_check(memory != MAP_FAILED && !mprotect(memory + GUARD, BLOCK, PROT_READ | PROT_WRITE),
               "no memory");
    return memory + GUARD;
}

const char *fuzz_prepare(void)
{
    cl_int code;
    if (clnd_engine_open(NULL, NULL, &engine))
        return clnd_last_error();
    fuzz_check(!clnd_report_create(engine, &report), "%s", clnd_last_error());
    for (int i = 0; i < N_OPERANDS; ++i) {
        blocks[BUFFERS][i] = guarded_block();
        blocks[ARRAYS][i] = guarded_block();
        buffers[i] =
            clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                           BLOCK, blocks[BUFFERS][i], &code);
        fuzz_check(!code, "a buffer: %d", code);
    }
    spare = clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE, 1 << 16, NULL, &code);
    fuzz_check(!code, "a buffer: %d", code);
    return NULL;
}

// A little further on, or where the tensor ends with its block, give or take some bytes.
static void place_near(clnd_tensor *t, int kind)
{
    enum { FIRST_AT_END = 10, AT_END = 14 };
    size_t begin, end;
    if (kind < FIRST_AT_END)
        t->offset += (size_t)kind;
    else if (!clnd_tensor_extent(t, &begin, &end))
        t->offset += (size_t)BLOCK - end + (size_t)kind - AT_END;
}

// Layouts begin dense; then a few things are changed, each of which may make it anything.
static void vary(fuzz_input *in, clnd_tensor *t)
{
    const int64_t size = (int64_t)clnd_dtype_size(t->dtype);
    const int changes = fuzz_range(in, 0, 5);
    t->offset = (size_t)(fuzz_range(in, 0, 9) * (size ? size : 1));
    for (int i = 0; i < changes && t->rank > 0 && t->rank <= CLND_MAX_RANK; ++i) {
        const int d = fuzz_range(in, 0, t->rank - 1);
        const int64_t number = fuzz_number(in);
        switch (fuzz_range(in, 0, 9)) {
        case 0:
        case 1: // backwards, from the other end
            if (t->shape[d] > 0 && t->shape[d] < BLOCK && llabs(t->strides[d]) < BLOCK)
                t->offset += (size_t)((t->shape[d] - 1) * t->strides[d] * size);
            t->strides[d] = (int64_t)(0 - (uint64_t)t->strides[d]);
            break;
        case 2:
        case 3: // gaps
            for (int k = 0; k < t->rank; ++k)
                t->strides[k] = (int64_t)((uint64_t)t->strides[k] * (d <= k ? 1 : 2));
            break;
        case 4:
            t->strides[d] = 0;
            break;
        case 5:
            t->strides[d] = number;
            break;
        case 6:
            t->shape[d] = number;
            break;
        case 7:
            t->offset = (size_t)number;
            break;
        case 8:
            place_near(t, fuzz_range(in, 0, 17));
            break;
        default:
            if (number < -40)
                t->rank = (int)number;
        }
    }
}

static void any_tensor(fuzz_input *in, clnd_dtype dtype, clnd_tensor *t)
{
    int64_t shape[CLND_MAX_RANK];
    const int rank = fuzz_range(in, 0, 255) == 255 ? CLND_MAX_RANK : fuzz_range(in, 0, 4);
    for (int d = 0; d < rank; ++d)
        shape[d] = rank > 4 ? fuzz_range(in, 1, 2) : fuzz_range(in, 0, 4);
    if (clnd_tensor_dense(NULL, 0, dtype, rank, shape, t))
        *t = (clnd_tensor){.dtype = dtype, .rank = rank};
}

static clnd_dtype any_dtype(fuzz_input *in)
{
    static const clnd_dtype dtypes[] = {CLND_INT32,   CLND_INT32,  CLND_UINT8,     CLND_INT16,
                                        CLND_FLOAT64, CLND_INT64,  CLND_OPAQUE(3), CLND_OPAQUE(16),
                                        CLND_FLOAT32, CLND_FLOAT32};
    const int which = fuzz_range(in, 0, 99);
    return which == 99 ? (clnd_dtype)fuzz_word(in) : dtypes[which % 10];
}

static clnd_dtype any_index_dtype(fuzz_input *in)
{
    static const clnd_dtype dtypes[] = {CLND_INT32, CLND_INT64, CLND_INT8, CLND_UINT32};
    const int which = fuzz_range(in, 0, 99);
    return which == 99 ? CLND_FLOAT32 : dtypes[which % 4];
}

// Index values, mostly small, over all of the block.
static void fill_indices(fuzz_input *in, clnd_dtype dtype, unsigned char *block)
{
    const size_t size = clnd_dtype_size(dtype) ? clnd_dtype_size(dtype) : 1;
    const size_t period = (size_t)fuzz_range(in, 1, 16);
    int64_t values[16];
    for (size_t i = 0; i < period; ++i) {
        const int value = fuzz_byte(in);
        values[i] = value < 230 ? value % 4 : value < 250 ? value - 240 : fuzz_word(in);
    }
    for (size_t at = 0, i = 0; at + size <= BLOCK; at += size, ++i)
        memcpy(block + at, &values[i % period], size < 8 ? size : 8);
}

static void make_options(fuzz_input *in, op_call *c)
{
    static unsigned char fill[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static clnd_workspace workspace;
    const bool is_likely = fuzz_range(in, 0, 7) > 0;
    const int64_t axis = fuzz_number(in), batch = fuzz_number(in);
    const clnd_bounds bounds = (clnd_bounds)fuzz_range(in, 0, is_likely ? 5 : 7);
    const clnd_reduce reduce = (clnd_reduce)fuzz_range(in, 0, is_likely ? 6 : 8);
    const int flags = fuzz_byte(in);
    static const char *const words[] = {
        NULL,        "must,lanes",   "must,blocks", "must,store", "must,atomic",  "must,owner",
        "must,sort", "must,private", "must,buffer", "must,tiles", "must,buckets", "must,nothing"};
    c->words = words[flags & 16 ? fuzz_range(in, 0, is_likely ? 6 : 11) : 0];
    clnd__engine_replace_words(c->words);
    const uint64_t reserved = flags >> 2 == 63;
    clnd_report *told = flags >> 4 == 10 ? report : NULL;
    const void *filled = fuzz_range(in, 0, 15) ? fill : NULL;
    workspace = (clnd_workspace){spare, 128 * (size_t)fuzz_range(in, 0, 4), 1 << 15};
    if (fuzz_range(in, 0, 31) == 31)
        workspace.offset = (size_t)fuzz_number(in), workspace.size = (size_t)fuzz_number(in);
    const clnd_workspace *lent = flags & 8 ? &workspace : NULL;
    c->has_options = flags & 3 || bounds || reduce;
    c->lent = c->has_options && op_is_scatter(c->op) ? lent : NULL;
    c->axis = (int32_t)(is_likely ? axis % 3 : axis);
    c->batch_dims = (int32_t)(is_likely ? batch % 2 : batch);
    c->bounds = bounds;
    c->reduce = reduce;
    if (c->op == SCATTER_ELEMENTS && flags & 32)
        c->op = SCATTER;
    switch (c->op) {
    case GATHER_ND:
        c->options.gather_nd =
            (clnd_gather_nd_options){c->batch_dims, bounds, filled, told, {reserved}};
        break;
    case GATHER:
        c->options.gather =
            (clnd_gather_options){c->axis, c->batch_dims, bounds, filled, told, {reserved}};
        break;
    case GATHER_ELEMENTS:
        c->options.gather_elements =
            (clnd_gather_elements_options){c->axis, bounds, filled, told, {reserved}};
        break;
    case SCATTER_ND:
    case SCATTER_ND_INTO:
        c->options.scatter_nd =
            (clnd_scatter_nd_options){reduce, bounds, flags & 1, false, lent, told, {reserved}};
        break;
    case SCATTER:
        c->options.scatter = (clnd_scatter_options){
            c->axis, c->batch_dims, reduce, bounds, flags & 1, false, lent, told, {reserved}};
        break;
    case SCATTER_ELEMENTS:
        c->options.scatter_elements = (clnd_scatter_elements_options){
            c->axis, reduce, bounds, flags & 1, false, lent, told, {reserved}};
        break;
    case COPY:
        c->options.copy = (clnd_copy_options){{reserved}};
        break;
    default:
        c->options.strided_slice = (clnd_strided_slice_options){{reserved}};
    }
}

// Where the dimension exists; ranks may be any number.
static int32_t from_front(int32_t dimension, const clnd_tensor *t)
{
    return (int32_t)((int64_t)dimension + t->rank);
}

// What the reference has to be told: no defaults, and dimensions counted from the front.
static void resolve_options(op_call *c)
{
    if (!c->has_options) {
        c->axis = c->batch_dims = 0;
        c->bounds = CLND_BOUNDS_DEFAULT;
        c->reduce = CLND_REDUCE_DEFAULT;
    }
    if ((c->op == GATHER || c->op == SCATTER) && c->batch_dims < 0)
        c->batch_dims = from_front(c->batch_dims, &c->tensors[INDICES]);
    if ((c->op == GATHER || c->op == SCATTER) && c->axis == 0)
        c->axis = c->batch_dims;
    if (c->axis < 0)
        c->axis = from_front(c->axis, &c->tensors[DATA]);
    if (c->bounds == CLND_BOUNDS_DEFAULT)
        c->bounds = clnd_engine_facts(engine)->is_cpu ? CLND_BOUNDS_ERROR : CLND_BOUNDS_ZERO;
    if (c->reduce == CLND_REDUCE_DEFAULT)
        c->reduce = c->op == SCATTER_ND ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
}

static void make_slice(fuzz_input *in, op_call *c)
{
    const bool is_likely = fuzz_range(in, 0, 7) > 0;
    c->slice.length = is_likely ? fuzz_range(in, 0, 4) : fuzz_range(in, -1, 34);
    for (int i = 0; i < c->slice.length && i < CLND_MAX_SLICE_ENTRIES; ++i) {
        c->slice.begin[i] = is_likely ? fuzz_range(in, -4, 4) : fuzz_number(in);
        c->slice.end[i] = is_likely ? fuzz_range(in, -4, 6) : fuzz_number(in);
        c->slice.strides[i] = is_likely ? fuzz_range(in, -2, 2) | 1 : fuzz_number(in);
    }
    c->slice.begin_mask = fuzz_byte(in);
    c->slice.end_mask = fuzz_byte(in);
    c->slice.ellipsis_mask = fuzz_byte(in) & 24u;
    c->slice.new_axis_mask = fuzz_byte(in) & 6u;
    c->slice.shrink_axis_mask = fuzz_byte(in) & 9u;
    c->slice_arg = fuzz_range(in, 0, 255) == 255 ? NULL : &c->slice;
}

static void make_dense(fuzz_input *in, op_call *c)
{
    const clnd_dtype dtype = fuzz_range(in, 0, 63) ? c->tensors[DATA].dtype : any_dtype(in);
    clnd_tensor shape = {0};
    op_call gather = *c;
    // Updates have the shape of what a gather would give.
    if (c->op == SCATTER_ND || c->op == SCATTER_ND_INTO)
        gather.op = GATHER_ND, gather.has_options = false;
    else if (c->op == SCATTER)
        gather.op = GATHER,
        gather.options.gather = (clnd_gather_options){.axis = c->axis, .batch_dims = c->batch_dims};
    else if (c->op == SCATTER_ELEMENTS)
        gather.op = GATHER_ELEMENTS,
        gather.options.gather_elements = (clnd_gather_elements_options){.axis = c->axis};
    else if (c->op == STRIDED_SLICE_ASSIGN)
        gather.op = STRIDED_SLICE;
    if (op_shape(&gather, &shape) ||
        clnd_tensor_dense(NULL, 0, dtype, shape.rank, shape.shape, &c->tensors[DENSE]))
        any_tensor(in, dtype, &c->tensors[DENSE]);
}

static void make_call(fuzz_input *in, op_call *c)
{
    memset(c, 0, sizeof *c);
    c->op = (op_id)fuzz_range(in, 0, N_OPS - 2);
    c->op += c->op >= SCATTER; // which make_options draws, in the place of SCATTER_ELEMENTS
    any_tensor(in, any_dtype(in), &c->tensors[DATA]);
    any_tensor(in, any_index_dtype(in), &c->tensors[INDICES]);
    clnd_tensor *indices = &c->tensors[INDICES];
    const int kind = fuzz_range(in, 0, 3);
    if (kind && c->op == GATHER_ELEMENTS + (op_is_scatter(c->op) ? 3 : 0)) {
        const clnd_tensor *data = &c->tensors[DATA];
        clnd_tensor_dense(NULL, 0, indices->dtype, data->rank, data->shape, indices);
    } else if (kind && indices->rank > 0 && indices->rank < 5) {
        indices->shape[indices->rank - 1] %= c->tensors[DATA].rank + 1;
        clnd_tensor_dense(NULL, 0, indices->dtype, indices->rank, indices->shape, indices);
    }
    make_options(in, c);
    make_slice(in, c);
    make_dense(in, c);
    for (int i = 0; i < N_OPERANDS; ++i)
        vary(in, &c->tensors[i]);
    resolve_options(c); // of the ranks that the call gets
}

// Now and then two operands lie in one block, where they may overlap, or an array has no data.
static void share(fuzz_input *in, op_call *c)
{
    const int kind = fuzz_range(in, 0, 7), shared = kind & 1 ? INDICES : DENSE;
    for (int i = 0; i < N_OPERANDS; ++i)
        c->home[i] = i;
    c->lacking = fuzz_range(in, 0, 31) % 8 - 5;
    if (kind < 4)
        return;
    c->home[shared] = DATA;
    if (kind & 2)
        c->tensors[shared].offset += BLOCK / 2;
}

// Elements, at most a little more than MOST_WORK.
static int64_t work_of(const clnd_tensor *t)
{
    int64_t count = 1;
    for (int d = 0; d < t->rank; ++d)
        if (t->shape[d] == 0)
            return 0;
    for (int d = 0; d < t->rank; ++d)
        count = t->shape[d] > MOST_WORK || count > MOST_WORK ? MOST_WORK + 1 : count * t->shape[d];
    return count;
}

// The bytes from the first to the last element; none of an empty tensor.
static void range_of(const clnd_tensor *t, wide *low, wide *high)
{
    const wide size = (wide)clnd_dtype_size(t->dtype), far = (wide)1 << 80;
    *low = *high = 0;
    if (work_of(t) == 0)
        return;
    *low = t->offset;
    *high = *low + size;
    for (int d = 0; d < t->rank; ++d) {
        wide reach = (wide)(t->shape[d] - 1) * t->strides[d];
        reach = reach > far ? far : reach < -far ? -far : reach;
        *(reach < 0 ? low : high) += reach * size;
    }
}

static bool is_inside(const clnd_tensor *t)
{
    wide low, high;
    range_of(t, &low, &high);
    return low >= 0 && high <= BLOCK;
}

static bool is_used(const op_call *c, int operand)
{
    return operand != INDICES || op_has_indices(c->op);
}

static bool all_inside(const op_call *c)
{
    for (int i = 0; i < N_OPERANDS; ++i)
        if (is_used(c, i) && !is_inside(&c->tensors[i]))
            return false;
    return true;
}

// Whether the output shares memory with an input; of a target only the slice that is written.
static bool is_overlapping(const op_call *c)
{
    const int output = op_output(c->op);
    clnd_tensor data = c->tensors[DATA]; // what the op moves of it
    wide low, high, other_low, other_high;
    if (c->op == STRIDED_SLICE_ASSIGN || c->op == STRIDED_SLICE)
        (void)clnd_strided_slice_view(&c->tensors[DATA], c->slice_arg, &data);
    range_of(output == DATA ? &data : &c->tensors[output], &low, &high);
    for (int i = 0; i < N_OPERANDS; ++i) {
        if (i == output || !is_used(c, i) || c->home[i] != c->home[output])
            continue;
        range_of(i == DATA ? &data : &c->tensors[i], &other_low, &other_high);
        if (low < other_high && other_low < high)
            return true;
    }
    return false;
}

// Whether what kernels load as numbers lies where such numbers may lie.
static bool is_aligned(const op_call *c)
{
    const bool computes = op_is_scatter(c->op) && c->reduce != CLND_REDUCE_UPDATE;
    for (int i = 0; i < N_OPERANDS; ++i) {
        const clnd_tensor *t = &c->tensors[i];
        const bool is_number = i == INDICES ? op_has_indices(c->op) : computes;
        if (is_number && work_of(t) > 0 && t->offset % clnd_dtype_size(t->dtype) != 0)
            return false;
    }
    return true;
}

// The reference lists the places of each dimension of what is sliced, also where nothing is.
static bool slices_long_dimension(const op_call *c)
{
    const clnd_tensor *data = &c->tensors[DATA];
    if (c->op != STRIDED_SLICE && c->op != STRIDED_SLICE_ASSIGN && c->op != STRIDED_SLICE_GRAD)
        return false;
    for (int d = 0; d < data->rank; ++d)
        if (data->shape[d] > MOST_WORK)
            return true;
    return false;
}

static bool is_too_much(const op_call *c)
{
    if (slices_long_dimension(c))
        return true;
    for (int i = 0; i < N_OPERANDS; ++i)
        if (is_used(c, i) && work_of(&c->tensors[i]) > MOST_WORK)
            return true;
    return false;
}

static void check_refusal(const op_call *c, clnd_status status)
{
    const char *text = clnd_last_error(), *name = op_names[c->op];
    fuzz_check(status > CLND_OK && status <= CLND_SIZE_OVERFLOW + 5, "%s is refused with %s: %s",
               name, clnd_status_name(status), text);
    fuzz_check_line(text);
    fuzz_check(strncmp(text, name, strlen(name)) == 0, "\"%s\" does not begin with %s", text, name);
}

// Whether the result has one form only, bit for bit.
static bool is_exact(const op_call *c)
{
    const clnd_dtype dtype = c->tensors[DATA].dtype;
    if (!op_is_scatter(c->op))
        return true;
    if (c->reduce != CLND_REDUCE_UPDATE)
        return dtype != CLND_FLOAT32 && dtype != CLND_FLOAT64;
    return c->has_options &&
           (c->op == SCATTER            ? c->options.scatter.deterministic
            : c->op == SCATTER_ELEMENTS ? c->options.scatter_elements.deterministic
                                        : c->options.scatter_nd.deterministic);
}

// Marks the bytes of all elements.
static void mark(const clnd_tensor *t, unsigned char *marks)
{
    int64_t position[CLND_MAX_RANK];
    ref_array array = {.data = marks, .offset = t->offset, .dtype = t->dtype, .rank = t->rank};
    memcpy(array.shape, t->shape, sizeof array.shape);
    memcpy(array.strides, t->strides, sizeof array.strides);
    for (bool more = ref_first(t->rank, t->shape, position); more;
         more = ref_next(t->rank, t->shape, position))
        memset(ref_at(&array, position), 1, clnd_dtype_size(t->dtype));
}

typedef unsigned char images[N_OPERANDS][BLOCK];

// Compares memory with what it must be after a call with this outcome.
static void check_memory(const op_call *c, clnd_status status, images before, images after)
{
    static unsigned char free_bytes[BLOCK];
    static images expected;
    ref_array arrays[N_OPERANDS];
    memcpy(expected, before, sizeof expected);
    memset(free_bytes, 0, sizeof free_bytes);
    for (int i = 0; i < N_OPERANDS; ++i) {
        const clnd_tensor *t = &c->tensors[i];
        arrays[i] = (ref_array){
            .data = expected[c->home[i]], .offset = t->offset, .dtype = t->dtype, .rank = t->rank};
        memcpy(arrays[i].shape, t->shape, sizeof arrays[i].shape);
        memcpy(arrays[i].strides, t->strides, sizeof arrays[i].strides);
    }
    if (status == CLND_OK || status == CLND_INDEX_OUT_OF_BOUNDS) {
        const bool is_good = op_reference(c, arrays);
        fuzz_check(is_good == (status == CLND_OK), "%s: %s", op_names[c->op],
                   clnd_status_name(status));
    }
    const int out = op_output(c->op);
    if (status ? status == CLND_INDEX_OUT_OF_BOUNDS && !op_is_scatter(c->op) : !is_exact(c))
        mark(&c->tensors[out], free_bytes);
    for (int i = 0; i < N_OPERANDS; ++i)
        for (int at = 0; at < BLOCK; ++at)
            fuzz_check(after[i][at] == expected[i][at] || (i == c->home[out] && free_bytes[at]),
                       "%s (%s): byte %d of operand %d is %d, not %d", op_names[c->op],
                       clnd_status_name(status), at, i, after[i][at], expected[i][at]);
}

// The verdict of a call that was given a report is that of its report.
static clnd_status verdict(const op_call *c, clnd_status status)
{
    if (status)
        return status;
    status = clnd_report_wait(report, NULL);
    fuzz_check(!status || (status == CLND_INDEX_OUT_OF_BOUNDS && ref_refuses(c->bounds)), "%s: %s",
               clnd_status_name(status), clnd_last_error());
    fuzz_check(!clnd_report_reset(report), "%s", clnd_last_error());
    return status;
}

// Whether atomic updates need to know the memory, of which a plan without buffers knows nothing.
static bool may_lack_words(const op_call *c)
{
    return op_is_scatter(c->op) && c->words && strstr(c->words, "atomic") &&
           clnd_dtype_size(c->tensors[DATA].dtype) < sizeof(uint32_t);
}

static void check_outcome(const op_call *c, bool on_arrays, clnd_status planned, clnd_status status)
{
    if (!planned && on_arrays && may_lack_words(c) && status == CLND_INVALID_OPTION)
        planned = status;
    if (planned)
        fuzz_check(status == planned, "%s is planned with %s and called with %s", op_names[c->op],
                   clnd_status_name(planned), clnd_status_name(status));
    else
        fuzz_check(!status || (status == CLND_INDEX_OUT_OF_BOUNDS && op_has_indices(c->op)),
                   "%s is planned and gives %s: %s", op_names[c->op], clnd_status_name(status),
                   clnd_last_error());
    if (planned)
        check_refusal(c, status);
}

static void run_buffers(op_call *c, images before)
{
    static images after;
    cl_command_queue queue = clnd_engine_queue(engine);
    cl_event event = (cl_event)(void *)before;
    clnd_plan plan;
    clnd_tensor shape;
    const clnd_status without = op_plan(c, engine, &plan);
    if (without)
        check_refusal(c, without);
    for (int i = 0; i < N_OPERANDS; ++i)
        c->tensors[i].buffer = buffers[c->home[i]];
    const clnd_status planned = op_plan(c, engine, &plan);
    fuzz_check(planned || !without, "%s is planned with buffers, but not without: %s",
               op_names[c->op], clnd_status_name(without));
    if (!planned) {
        fuzz_check(all_inside(c), "%s: a tensor outside its buffer is accepted", op_names[c->op]);
        fuzz_check(is_aligned(c), "%s: a misaligned tensor is accepted", op_names[c->op]);
        fuzz_check(!is_overlapping(c), "%s: an overlap is accepted", op_names[c->op]);
        fuzz_check(!op_shape(c, &shape), "%s has no shape: %s", op_names[c->op], clnd_last_error());
        if (is_too_much(c))
            return;
    }
    for (int i = 0; i < N_OPERANDS; ++i)
        fuzz_check(
            !clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, BLOCK, before[i], 0, NULL, NULL),
            "a buffer is not written");
    clnd_status status = op_enqueue(c, engine, &event);
    check_outcome(c, false, planned, status);
    fuzz_check((event == NULL) == (status != CLND_OK), "an event after %s",
               clnd_status_name(status));
    if (event)
        fuzz_check(!clWaitForEvents(1, &event) && !clReleaseEvent(event), "the event");
    status = verdict(c, status);
    for (int i = 0; i < N_OPERANDS; ++i)
        fuzz_check(
            !clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, BLOCK, after[i], 0, NULL, NULL),
            "a buffer is not read");
    check_memory(c, status, before, after);
}

static void run_arrays(op_call *c, images before)
{
    static images after;
    clnd_plan plan;
    op_call plain = *c;
    for (int i = 0; i < N_OPERANDS; ++i) {
        const uintptr_t block = (uintptr_t)blocks[ARRAYS][c->home[i]];
        const uintptr_t address = i == c->lacking ? 0 : block + c->tensors[i].offset;
        clnd_array *array = &c->arrays[i];
        array->data = (void *)address;
        array->dtype = c->tensors[i].dtype;
        array->rank = c->tensors[i].rank;
        memcpy(array->shape, c->tensors[i].shape, sizeof array->shape);
        memcpy(array->strides, c->tensors[i].strides, sizeof array->strides);
        plain.tensors[i].offset = address;
        memcpy(blocks[ARRAYS][i], before[i], BLOCK);
    }
    const clnd_status planned = op_plan(&plain, engine, &plan);
    const bool lacks_data = !planned && c->lacking >= 0 && is_used(c, c->lacking) &&
                            work_of(&c->tensors[c->lacking]) > 0;
    // A call that is not refused works on whatever memory it is told.
    if (!planned && !lacks_data && (!all_inside(c) || is_too_much(c)))
        return;
    clnd_status status = op_host(c, engine);
    if (lacks_data)
        fuzz_check(status == CLND_NULL_POINTER, "%s: %s without data", op_names[c->op],
                   clnd_status_name(status));
    else if (!planned)
        fuzz_check((status == CLND_OVERLAP) == is_overlapping(c), "%s: %s", op_names[c->op],
                   clnd_status_name(status));
    if (status == (planned || lacks_data ? CLND_NULL_POINTER : CLND_OVERLAP))
        check_refusal(c, status);
    else
        check_outcome(c, true, planned, status);
    status = verdict(c, status);
    for (int i = 0; i < N_OPERANDS; ++i)
        memcpy(after[i], blocks[ARRAYS][i], BLOCK);
    check_memory(c, status, before, after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static images before;
    fuzz_input in = fuzz_begin(data, size);
    op_call c;
    const bool on_arrays = fuzz_range(&in, 0, 3) == 3;
    make_call(&in, &c);
    fill_indices(&in, c.tensors[INDICES].dtype, before[INDICES]);
    share(&in, &c);
    for (int at = 0; at < BLOCK; ++at) {
        before[DATA][at] = (unsigned char)(at * 7 + 1);
        before[DENSE][at] = (unsigned char)(at * 11 + 3);
    }
    if (c.home[INDICES] == DATA)
        memcpy(before[DATA], before[INDICES], BLOCK);
    if (on_arrays)
        run_arrays(&c, before);
    else
        run_buffers(&c, before);
    return 0;
}

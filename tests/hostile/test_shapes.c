// SPDX-License-Identifier: Apache-2.0
//
// Sizes, ranks and axes that have made other libraries read outside tensors, divide by zero, abort
// or allocate without bounds.

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

#include "attack.h"

// A good call that a test then breaks: params or target [5, 3], indices [2, 1] or, for gather, [2]
// along axis 0, or [2, 3].
static attack good(const device *d, op_id op)
{
    attack a = {.d = d, .op = op, .rank = 2, .shape = {5, 3}, .index_rank = 2};
    a.index_shape[0] = 2;
    a.index_shape[1] = op == OP_GATHER_ELEMENTS || op == OP_SCATTER_ELEMENTS ? 3 : 1;
    if (op == OP_GATHER)
        a.index_rank = 1;
    return a;
}

static void each_op(const char *test, void (*run)(const device *d, op_id op))
{
    const device *d = device_get();
    for (int op = OP_GATHER_ND; op <= OP_SCATTER_ELEMENTS; op++) {
        case_begin(test, op);
        case_note("%s", op_names[op]);
        run(d, (op_id)op);
    }
}

// Sizes that are 0 --------------------------------------------------------------------------------

// ResourceGather divided by the product of the batch sizes.
Test(hostile_shapes, CVE_2021_37653_no_batch_to_divide_by)
{
    const device *d = device_get();
    case_begin("CVE-2021-37653", 0);
    for (int64_t n = 0; n < 3; n++) {
        attack a = {.d = d, .op = OP_GATHER, .rank = 2, .shape = {0, 1}, .axis = 1};
        a.batch_dims = 1;
        a.index_rank = 2;
        a.index_shape[1] = n;
        attack_everywhere(&a);
        a.op = OP_GATHER_ND;
        a.axis = 0;
        a.index_rank = 3;
        a.index_shape[2] = 1;
        attack_everywhere(&a);
    }
}

// Every choice of sizes that are 0: those of the batch, of the indexed dimensions, of slices, of
// the indices. Where rows are left but no place, each of them is bad.
static void zeros_everywhere(const device *d, op_id op)
{
    const bool elements = op == OP_GATHER_ELEMENTS || op == OP_SCATTER_ELEMENTS;
    const bool batched = op == OP_GATHER || op == OP_GATHER_ND;
    for (unsigned zeros = 0; zeros < 64; zeros++) {
        attack a = {.d = d, .op = op, .rank = 3, .index_rank = 3};
        a.forces_none = !case_are_all();
        a.axis = op == OP_GATHER || elements;
        a.batch_dims = batched;
        for (int i = 0; i < 3; i++) {
            a.shape[i] = zeros >> i & 1 ? 0 : 2;
            a.index_shape[i] = zeros >> (3 + i) & 1 ? 0 : 2;
            if (elements && i != a.axis && a.index_shape[i] > a.shape[i])
                a.index_shape[i] = a.shape[i];
        }
        if (batched)
            a.index_shape[0] = a.shape[0];
        if (!elements && op != OP_GATHER && a.index_shape[2] == 2)
            a.index_shape[2] = 1 + (zeros & 1);
        attack_everywhere(&a);
    }
}

Test(hostile_shapes, zero_sizes_in_every_position)
{
    each_op("zero sizes", zeros_everywhere);
}

// Ranks and axes ----------------------------------------------------------------------------------

// ResourceGather looked at sizes behind the rank.
Test(hostile_shapes, CVE_2021_37654_batch_dims_beyond_the_rank)
{
    static const int wrong[] = {10, 2, 3, 16, 17, INT32_MAX, -3, -17, INT32_MIN};
    const device *d = device_get();
    for (int op = OP_GATHER_ND; op <= OP_GATHER; op++) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            problem p;
            attack a = good(d, (op_id)op);
            case_begin("CVE-2021-37654", wrong[i]);
            attack_make(&p, &a);
            p.said_batch_dims = wrong[i];
            attack_refused(&p, d, CLND_INVALID_AXIS, "batch_dims is ");
        }
    }
}

Test(hostile_shapes, axes_at_the_ends_of_their_type)
{
    static const int wrong[] = {2, 16, INT32_MAX, -3, -17, INT32_MIN};
    static const op_id ops[] = {OP_GATHER, OP_GATHER_ELEMENTS, OP_SCATTER_ELEMENTS};
    const device *d = device_get();
    for (int op = 0; op < 3; op++) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            problem p;
            attack a = good(d, ops[op]);
            case_begin("axes", wrong[i]);
            attack_make(&p, &a);
            p.said_axis = wrong[i];
            attack_refused(&p, d, CLND_INVALID_AXIS, "axis ");
        }
    }
}

// TensorListScatter and others aborted where an operand had another rank than they took for
// granted.
static void wrong_ranks(const device *d, op_id op)
{
    static const int wrong[] = {-1, CLND_MAX_RANK + 1, INT_MAX, INT_MIN};
    for (int operand = 0; operand < 3; operand++) {
        for (int i = 0; i < 4; i++) {
            problem p;
            attack a = good(d, op);
            attack_make(&p, &a);
            clnd_tensor *tensors[] = {&p.given_input, &p.given_indices, &p.given_out};
            tensors[operand]->rank = wrong[i];
            attack_refused(&p, d, CLND_INVALID_RANK, "has rank ");
        }
    }
}

Test(hostile_shapes, CVE_2022_35935_and_35991_ranks_outside_all_bounds)
{
    each_op("CVE-2022-35935", wrong_ranks);
}

// CollectiveGather aborted on scalars. gather_nd and scatter_nd have a meaning for them.
static void scalars(const device *d, op_id op)
{
    problem p;
    attack a = good(d, op);
    attack_make(&p, &a);
    clnd_tensor *data = op_is_gather(op) ? &p.given_input : &p.given_out;
    data->rank = 0;
    const bool tuples = op != OP_GATHER && op != OP_GATHER_ELEMENTS && op != OP_SCATTER_ELEMENTS;
    attack_refused(&p, d, tuples ? CLND_INVALID_SHAPE : CLND_INVALID_RANK, op_names[op]);
}

Test(hostile_shapes, CVE_2022_35994_scalars)
{
    const device *d = device_get();
    each_op("CVE-2022-35994", scalars);
    case_begin("CVE-2022-35994, tuples of nothing", 0);
    const op_id ops[] = {OP_GATHER_ND, OP_SCATTER_ND, OP_SCATTER_ND_INTO};
    for (int i = 0; i < 3; i++) {
        const attack a = {.d = d, .op = ops[i], .rank = 0, .index_rank = 2, .index_shape = {3, 0}};
        attack_everywhere(&a);
    }
}

// Shapes that do not go together ------------------------------------------------------------------

// ResourceScatterUpdate only asked whether sizes divide one another.
Test(hostile_shapes, CVE_2021_37655_sizes_that_only_divide)
{
    static const struct {
        int rank;
        int64_t shape[3];
    } wrong[] = {{2, {4, 3}}, {2, {10, 3}}, {2, {2, 6}},    {2, {6, 1}}, {1, {6}},
                 {1, {2}},    {0, {0}},     {3, {2, 3, 1}}, {2, {1, 3}}, {3, {1, 2, 3}}};
    const device *d = device_get();
    for (int op = OP_SCATTER_ND; op <= OP_SCATTER_ELEMENTS; op++) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            problem p;
            attack a = good(d, (op_id)op);
            case_begin("CVE-2021-37655", (int)i);
            attack_make(&p, &a);
            p.given_input.rank = wrong[i].rank;
            memcpy(p.given_input.shape, wrong[i].shape, sizeof wrong[i].shape);
            attack_refused(&p, d, CLND_INVALID_SHAPE, "updates");
        }
    }
}

// RaggedGather believed splits that did not fit its values. clnd has no ragged tensors; what two
// of its operands must agree on are the batch sizes.
Test(hostile_shapes, CVE_2021_37641_operands_that_disagree)
{
    const device *d = device_get();
    for (int op = OP_GATHER_ND; op <= OP_GATHER; op++) {
        for (int64_t size = 0; size < 5; size++) {
            problem p;
            attack a = good(d, (op_id)op);
            case_begin("CVE-2021-37641", (int)size);
            a.index_rank = 2;
            a.batch_dims = a.axis = 1;
            a.index_shape[0] = 5;
            a.index_shape[1] = 1;
            attack_make(&p, &a);
            p.given_indices.shape[0] = size;
            attack_refused(&p, d, CLND_INVALID_SHAPE, "batch dimension 0");
        }
    }
}

// ResourceScatterDiv divided by an update of 0. No reduction divides: numbers that are none are
// refused, and a product with 0 is 0.
Test(hostile_shapes, CVE_2021_37642_nothing_divides)
{
    const device *d = device_get();
    for (int op = OP_SCATTER_ND; op <= OP_SCATTER_ELEMENTS; op++) {
        for (int reduce = CLND_REDUCE_MAX + 1; reduce < CLND_REDUCE_MAX + 9; reduce++) {
            problem p;
            attack a = good(d, (op_id)op);
            case_begin("CVE-2021-37642", reduce);
            attack_make(&p, &a);
            p.reduce = (clnd_reduce)reduce;
            attack_refused(&p, d, CLND_INVALID_OPTION, "reduce");
        }
    }
    attack a = good(d, OP_SCATTER_ND);
    a.reduce = CLND_REDUCE_MUL; // of the zeros that scatter_nd begins with
    attack_everywhere(&a);
}

// Sizes without end -------------------------------------------------------------------------------

static void negative_sizes(const device *d, op_id op)
{
    static const int64_t wrong[] = {-1, INT32_MIN, INT64_MIN, INT64_MIN + 1};
    for (int operand = 0; operand < 3; operand++) {
        for (int dim = 0; dim < 2; dim++) {
            for (int i = 0; i < 4; i++) {
                problem p;
                attack a = good(d, op);
                attack_make(&p, &a);
                clnd_tensor *tensors[] = {&p.given_input, &p.given_indices, &p.given_out};
                tensors[operand]->shape[dim < tensors[operand]->rank ? dim : 0] = wrong[i];
                attack_refused(&p, d, CLND_INVALID_SHAPE, "-");
            }
        }
    }
}

Test(hostile_shapes, negative_sizes)
{
    each_op("negative sizes", negative_sizes);
}

// Sizes whose product, or whose product with the element's size, is beyond 63, or 64 bits: what is
// left of it would look small.
static void products(const device *d, op_id op)
{
    static const int64_t sizes[][2] = {
        {INT64_C(1) << 32, INT64_C(1) << 32},       // 2^64: 0
        {INT64_C(1) << 62, 3},                      // with 4 bytes each: 0 and a carry
        {INT64_MAX, INT64_MAX},                     // 1, multiplied
        {INT64_C(4294967297), INT64_C(4294967295)}, // 2^64 - 1
        {INT64_C(1) << 61, 1},                      // 2^63 bytes
    };
    const bool elements = op == OP_GATHER_ELEMENTS || op == OP_SCATTER_ELEMENTS;
    for (int i = 0; i < 5; i++) {
        problem p;
        attack a = good(d, op);
        attack_make(&p, &a);
        clnd_tensor *data = op_is_gather(op) ? &p.given_input : &p.given_out;
        clnd_tensor *dense = op_is_gather(op) ? &p.given_out : &p.given_input;
        clnd_tensor *all[] = {data, dense, &p.given_indices};
        case_note("%s, sizes %d", op_names[op], i);
        // The sizes go together, so that nothing but their product is wrong.
        data->shape[0] = sizes[i][0];
        data->shape[1] = dense->shape[1] = sizes[i][1];
        if (elements)
            for (int t = 0; t < 3; t++)
                memcpy(all[t]->shape, sizes[i], sizeof sizes[i]);
        for (int t = 0; t < 3; t++)
            if (all[t]->rank == 2)
                all[t]->strides[0] = all[t]->shape[1];
        attack_refused(&p, d, CLND_SIZE_OVERFLOW, "63 bits");
    }
}

Test(hostile_shapes, products_beyond_64_bits)
{
    each_op("products", products);
}

// The number of rows times the length of a tuple.
Test(hostile_shapes, rows_times_depth_beyond_64_bits)
{
    const device *d = device_get();
    static const op_id ops[] = {OP_GATHER_ND, OP_SCATTER_ND, OP_SCATTER_ND_INTO};
    static const int64_t rows[] = {INT64_C(1) << 62, INT64_C(1) << 61, INT64_MAX / 2 + 1};
    for (int i = 0; i < 9; i++) {
        problem p;
        attack a = good(d, ops[i / 3]);
        case_begin("rows times depth", i);
        a.index_shape[1] = 2;
        attack_make(&p, &a);
        clnd_tensor *dense = op_is_gather(a.op) ? &p.given_out : &p.given_input;
        p.given_indices.shape[0] = dense->shape[0] = rows[i % 3];
        attack_refused(&p, d, CLND_SIZE_OVERFLOW, "63 bits");
    }
}

// Strides and offsets whose sum comes around to a place inside the buffer.
static void reaches(const device *d, op_id op)
{
    static const struct {
        size_t offset;
        int64_t stride;
        clnd_status status;
    } wrong[] = {
        {512, INT64_MAX, CLND_SIZE_OVERFLOW},
        {512, INT64_MIN, CLND_SIZE_OVERFLOW},
        {512, INT64_C(1) << 62, CLND_SIZE_OVERFLOW},    // times 4 bytes is 0
        {512, -(INT64_C(1) << 62), CLND_SIZE_OVERFLOW}, // likewise
        {512, (INT64_C(1) << 62) + 3, CLND_SIZE_OVERFLOW},
        {512, INT64_C(1) << 30, CLND_BUFFER_TOO_SMALL}, // times 4 bytes is 0 in 32 bits
        {512, -(INT64_C(1) << 30), CLND_BUFFER_TOO_SMALL},
        {SIZE_MAX - 3, 3, CLND_SIZE_OVERFLOW},
        {(size_t)INT64_MAX - 3, 3, CLND_SIZE_OVERFLOW},
        {(size_t)1 << 32, 3, CLND_BUFFER_TOO_SMALL},
    };
    for (int operand = 0; operand < 3; operand++) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            problem p;
            attack a = good(d, op);
            attack_make(&p, &a);
            case_note("%s, operand %d, reach %d", op_names[op], operand, (int)i);
            clnd_tensor *tensors[] = {&p.given_input, &p.given_indices, &p.given_out};
            tensors[operand]->offset = wrong[i].offset;
            tensors[operand]->strides[0] = wrong[i].stride;
            attack_refused(&p, d, wrong[i].status, "b");
        }
    }
}

Test(hostile_shapes, strides_and_offsets_that_come_around)
{
    each_op("reaches", reaches);
}

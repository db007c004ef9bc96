// SPDX-License-Identifier: Apache-2.0

#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"

enum { GRAIN = 4096 };

static int64_t product(const int64_t *sizes, int begin, int end)
{
    int64_t value = 1;
    for (int i = begin; i < end; ++i)
        value *= sizes[i];
    return value;
}

// Index values go up to `extent` - 1.
static bool index_holds(clnd_dtype dtype, int64_t extent)
{
    const int unsigned_bit = dtype == CLND_UINT8 || dtype == CLND_UINT16 || dtype == CLND_UINT32;
    const int bits = (int)clnd_dtype_size(dtype) * 8 - 1 + unsigned_bit;
    return bits >= 62 || extent <= INT64_C(1) << bits;
}

static void describe_rows(const struct bench_case *what, struct layout *layout)
{
    const struct bench_shape *data = &what->data, *indices = &what->indices;
    const int batch = what->batch_dims < 0 ? what->batch_dims + indices->rank : what->batch_dims;
    layout->axis = what->axis < 0 ? what->axis + data->rank : what->axis;
    layout->index_rows = shape_count(indices);
    layout->index_width = clnd_dtype_size(what->index_dtype);
    if (op_is_elements(what->op)) {
        layout->rows = layout->index_rows;
        layout->width = 1;
        layout->data_rows = layout->data_count;
    } else if (what->op == OP_GATHER) {
        if (what->axis == 0)
            layout->axis = batch;
        layout->width = product(data->sizes, layout->axis + 1, data->rank);
        layout->data_rows = product(data->sizes, 0, layout->axis + 1);
        layout->rows =
            product(data->sizes, 0, layout->axis) * product(indices->sizes, batch, indices->rank);
    } else {
        const int depth = (int)indices->sizes[indices->rank - 1];
        layout->index_rows = product(indices->sizes, 0, indices->rank - 1);
        layout->index_width *= (size_t)depth;
        layout->rows = layout->index_rows;
        layout->width = product(data->sizes, batch + depth, data->rank);
        layout->data_rows = product(data->sizes, 0, batch + depth);
    }
}

// What the index values of a row select from.
static struct index_space space_of(const struct bench_case *what, const struct layout *layout)
{
    if (op_is_elements(what->op) || what->op == OP_GATHER)
        return (struct index_space){1, what->data.sizes + layout->axis};
    return (struct index_space){(int)what->indices.sizes[what->indices.rank - 1],
                                what->data.sizes + what->batch_dims};
}

static bool check_rows(const struct layout *layout)
{
    return layout->data_rows <= UINT32_MAX ||
           fail("the benchmark takes data of at most %u rows, not %lld", UINT32_MAX,
                (long long)layout->data_rows);
}

bool layout_describe(const struct bench_case *what, const struct operands *operands,
                     struct layout *layout)
{
    *layout = (struct layout){.element = clnd_dtype_size(what->dtype)};
    if (clnd_tensor_count(&operands->data, &layout->data_count) ||
        clnd_tensor_count(&operands->dense, &layout->dense_count))
        return fail_clnd();
    if (what->row_step)
        layout->data_count *= what->row_step;
    if (!layout->data_count || !layout->dense_count)
        return fail("a case without elements cannot be measured");
    layout->data_bytes = (size_t)layout->data_count * layout->element;
    layout->dense_bytes = (size_t)layout->dense_count * layout->element;
    if (what->op == OP_SLICE)
        return true;
    if (what->op == OP_SLICE_ASSIGN) {
        layout->rows = layout->dense_count;
        layout->data_rows = layout->data_count;
        layout->width = 1;
        return check_rows(layout);
    }
    layout->index_bytes = (size_t)shape_count(&what->indices) * clnd_dtype_size(what->index_dtype);
    describe_rows(what, layout);
    if (!check_rows(layout))
        return false;
    const struct index_space space = space_of(what, layout);
    for (int k = 0; k < space.depth; ++k)
        if (!index_holds(what->index_dtype, space.extents[k]))
            return fail("indices of %s cannot name %lld places", clnd_dtype_name(what->index_dtype),
                        (long long)space.extents[k]);
    return true;
}

// Rows that were drawn, on their way to index values and to rows of data.
struct encoding {
    const struct bench_case *what;
    const struct layout *layout;
    struct index_space space;
    const uint32_t *drawn;
    unsigned char *indices;
    uint32_t *row;
    int64_t strides[CLND_MAX_RANK]; // of data, elements
};

static void put_index(unsigned char *to, int64_t value, size_t size)
{
    const int32_t four = (int32_t)value;
    if (size == sizeof four)
        memcpy(to, &four, sizeof four);
    else if (size == sizeof value)
        memcpy(to, &value, sizeof value);
    else
        for (size_t i = 0; i < size; ++i)
            to[i] = (unsigned char)(value >> 8 * i);
}

static void encode(void *context, int64_t begin, int64_t end)
{
    const struct encoding *e = context;
    const size_t size = clnd_dtype_size(e->what->index_dtype);
    for (int64_t i = begin; i < end; ++i) {
        int64_t rest = e->drawn[i];
        unsigned char *tuple = e->indices + (size_t)i * e->layout->index_width;
        for (int k = e->space.depth - 1; k >= 0; --k) {
            put_index(tuple + (size_t)k * size, rest % e->space.extents[k], size);
            rest /= e->space.extents[k];
        }
    }
}

// Each batch has rows of its own.
static void place_tuples(void *context, int64_t begin, int64_t end)
{
    const struct encoding *e = context;
    const int64_t batches = product(e->what->data.sizes, 0, e->what->batch_dims);
    const int64_t rows = e->layout->rows / batches, data_rows = e->layout->data_rows / batches;
    const int64_t step = e->what->row_step ? e->what->row_step : 1;
    for (int64_t i = begin; i < end; ++i)
        e->row[i] = (uint32_t)((i / rows * data_rows + e->drawn[i]) * step);
}

static void place_along_axis(void *context, int64_t begin, int64_t end)
{
    const struct encoding *e = context;
    const struct bench_shape *indices = &e->what->indices;
    const int batch =
        e->what->batch_dims < 0 ? e->what->batch_dims + indices->rank : e->what->batch_dims;
    const int64_t extent = *e->space.extents;
    const int64_t inner = product(indices->sizes, batch, indices->rank);
    const int64_t before = product(e->what->data.sizes, batch, e->layout->axis);
    for (int64_t i = begin; i < end; ++i) {
        const int64_t outer = i / inner;
        e->row[i] = (uint32_t)(outer * extent + e->drawn[outer / before * inner + i % inner]);
    }
}

static void place_elements(void *context, int64_t begin, int64_t end)
{
    const struct encoding *e = context;
    const struct bench_shape *indices = &e->what->indices;
    for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i, place = 0;
        for (int k = indices->rank - 1; k >= 0; --k) {
            const int64_t position = rest % indices->sizes[k];
            rest /= indices->sizes[k];
            place += (k == e->layout->axis ? e->drawn[i] : position) * e->strides[k];
        }
        e->row[i] = (uint32_t)place;
    }
}

// Elements that one drawn number serves. Exporters of models write indices that are repeated.
static int64_t repeats_of(const struct bench_case *what, const struct layout *layout)
{
    int64_t repeats = 1;
    if (what->op == OP_SCATTER_ELEMENTS && what->repeated_indices)
        for (int k = layout->axis + 1; k < what->indices.rank; ++k)
            repeats *= what->indices.sizes[k];
    return repeats > 0 ? repeats : 1;
}

uint32_t *layout_draw(const struct bench_case *what, const struct layout *layout, struct team *team,
                      void *indices, float *weights)
{
    const size_t drawn = (size_t)layout->index_rows, rows = (size_t)layout->rows;
    struct encoding e = {what, layout, space_of(what, layout), NULL, indices, NULL, {0}};
    uint32_t *first = malloc((drawn + 1) * sizeof *first);
    uint32_t *second = malloc((rows + 1) * sizeof *second);
    const int64_t repeats = repeats_of(what, layout);
    bool good = first && second;
    if (!good)
        fail_memory("the rows that the indices name", (double)(drawn + rows) * sizeof *first);
    if (good)
        good = distribution_draw(&what->distribution, what->seed, team, &e.space,
                                 layout->index_rows / repeats, first, weights);
    for (int64_t i = layout->index_rows; good && repeats > 1 && i-- > 0;)
        first[i] = first[i / repeats];
    if (good) {
        for (int64_t k = what->data.rank - 1, step = 1; k >= 0; step *= what->data.sizes[k--])
            e.strides[k] = step;
        e.drawn = first;
        e.row = second;
        team_for(team, layout->index_rows, GRAIN, encode, &e);
        team_for(team, layout->rows, GRAIN,
                 op_is_elements(what->op) ? place_elements
                 : what->op == OP_GATHER  ? place_along_axis
                                          : place_tuples,
                 &e);
    }
    free(first);
    if (good)
        return second;
    free(second);
    return NULL;
}

// Memory that programs can still have, in bytes; 0 when the system does not say.
static double available_memory(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    double kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

void layout_needs(const struct bench_case *what, const struct layout *layout,
                  const struct device *device, double workspace, struct needs *needs)
{
    const double parts[3] = {(double)layout->data_bytes, (double)layout->index_bytes,
                             (double)layout->dense_bytes};
    const bool scatter = op_is_scatter(what->op);
    *needs = (struct needs){.device = workspace};
    for (int i = 0; i < 3; ++i) {
        needs->device += parts[i];
        if (parts[i] > needs->largest)
            needs->largest = parts[i];
    }
    // The check sorts the rows of a scatter; the C loop has an output of its own.
    needs->host = (double)layout->rows * (scatter ? 36 : 4) + parts[scatter ? 0 : 2] +
                  (device->facts->is_cpu ? needs->device : parts[0] + parts[1] + parts[2]);
}

bool needs_met(const struct needs *needs, const struct device *device, char reason[160])
{
    const double gib = 1 << 30, memory = (double)device->facts->global_memory,
                 buffer = (double)device->facts->max_allocation, host = available_memory();
    if (needs->device > memory)
        snprintf(reason, 160, "needs %.3f GiB of device memory, the device has %.3f",
                 needs->device / gib, memory / gib);
    else if (needs->largest > buffer)
        snprintf(reason, 160, "needs a buffer of %.3f GiB, the device has at most %.3f",
                 needs->largest / gib, buffer / gib);
    else if (host > 0 && needs->host > host)
        snprintf(reason, 160, "needs %.3f GiB of host memory, %.3f are free", needs->host / gib,
                 host / gib);
    else
        return true;
    return false;
}

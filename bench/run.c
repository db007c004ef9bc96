// SPDX-License-Identifier: Apache-2.0

#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "failure.h"
#include "ref.h"

enum { GRAIN = 1 << 14, POISON = 0xA5 };

static enum contents_kind data_kind(const struct bench_case *what)
{
    if (!op_is_scatter(what->op))
        return CONTENTS_MOVED;
    // A Spatter update is what the target would hold.
    const bool sums = what->reduce == CLND_REDUCE_ADD || what->reduce == CLND_REDUCE_SUB;
    return sums || what->op == OP_SCATTER_ND || what->distribution.kind == DIST_PATTERN
               ? CONTENTS_ZERO
               : CONTENTS_MOVED;
}

static enum contents_kind update_kind(const struct bench_case *what)
{
    switch (what->reduce) {
    case CLND_REDUCE_ADD:
    case CLND_REDUCE_SUB:
        return CONTENTS_SUMMED;
    case CLND_REDUCE_MUL:
        return CONTENTS_SIGNS;
    default:
        return CONTENTS_MOVED;
    }
}

static bool has_weights(const struct bench_case *what)
{
    return op_is_scatter(what->op) &&
           (what->distribution.kind == DIST_PIC || what->distribution.kind == DIST_PIC_SORTED);
}

struct by_target {
    struct run *run;
    const struct contents *contents;
};

static void fill_by_target(void *context, int64_t begin, int64_t end)
{
    const struct by_target *fill = context;
    const size_t row = (size_t)fill->run->layout.width * fill->contents->size;
    for (int64_t i = begin; i < end; ++i)
        memcpy((char *)fill->run->dense.view + (size_t)i * row,
               contents_at(fill->contents, fill->run->row[i]), row);
}

static bool fill_updates(struct run *run)
{
    struct contents contents;
    bool good = contents_create(update_kind(run->what), run->what->dtype, &contents);
    if (good && run->what->distribution.kind == DIST_PATTERN)
        team_for(run->device->team, run->layout.rows, GRAIN, fill_by_target,
                 &(struct by_target){run, &contents});
    else if (good)
        contents_fill(&contents, run->device->team, run->dense.view, run->layout.dense_count);
    contents_free(&contents);
    return good;
}

static bool make_buffers(struct run *run)
{
    const struct layout *layout = &run->layout;
    if (!buffer_create(run->device, layout->data_bytes, &run->data) ||
        !buffer_create(run->device, layout->index_bytes, &run->indices) ||
        !buffer_create(run->device, layout->dense_bytes, &run->dense))
        return false;
    run->operands.data.buffer = run->data.memory;
    run->operands.indices.buffer = run->indices.memory;
    run->operands.dense.buffer = run->dense.memory;
    return true;
}

// For each element of the slice its place in the data.
static uint32_t *slice_places(const struct run *run)
{
    const struct bench_shape *shape = &run->what->data;
    ref_slice slice;
    int64_t position[CLND_MAX_RANK], place[CLND_MAX_RANK];
    uint32_t *places = malloc((size_t)run->layout.rows * sizeof *places), *next = places;
    if (!places) {
        fail_memory("the places of the slice", (double)run->layout.rows * sizeof *places);
        return NULL;
    }
    if (ref_slice_take(shape->rank, shape->sizes, &run->operands.slice, &slice)) {
        fail("the reference cannot take the slice %s", run->what->slice);
        free(places);
        return NULL;
    }
    bool more = ref_first(slice.rank, slice.shape, position);
    for (; more; more = ref_next(slice.rank, slice.shape, position)) {
        int64_t number = 0;
        ref_slice_position(&slice, position, place);
        for (int k = 0; k < shape->rank; ++k)
            number = number * shape->sizes[k] + place[k];
        *next++ = (uint32_t)number;
    }
    ref_slice_free(&slice);
    return places;
}

static bool fill_buffers(struct run *run)
{
    const struct bench_case *what = run->what;
    const bool scatter = op_is_scatter(what->op), weights = has_weights(what);
    if (weights && (what->dtype != CLND_FLOAT32 || run->layout.width != 1))
        return fail("particles take a target of f32 whose elements the indices name");
    if (what->op == OP_SLICE_ASSIGN && !(run->row = slice_places(run)))
        return false;
    if (!op_is_slice(what->op)) {
        run->row = layout_draw(what, &run->layout, run->device->team, run->indices.view,
                               weights ? run->dense.view : NULL);
        if (!run->row || !buffer_send(run->device, &run->indices))
            return false;
    }
    if (!contents_create(data_kind(what), what->dtype, &run->data_contents))
        return false;
    if (scatter)
        return (weights || fill_updates(run)) && buffer_send(run->device, &run->dense);
    contents_fill(&run->data_contents, run->device->team, run->data.view, run->layout.data_count);
    return buffer_send(run->device, &run->data);
}

bool run_engine(const struct device *device, const struct bench_case *what, clnd_engine **engine)
{
    const clnd_engine_options options = {.strategy = what->strategy};
    return !clnd_engine_create(device->context, device->id, &options, engine) || fail_clnd();
}

bool run_open(struct run *run, struct device *device, const struct bench_case *what)
{
    *run = (struct run){.what = what, .device = device};
    if (operands_describe(what, &run->operands))
        return fail_clnd();
    if (!layout_describe(what, &run->operands, &run->layout) || !make_buffers(run) ||
        !fill_buffers(run) || !run_reset(run))
        return false;
    const double start = clock_now();
    if (!run_engine(device, what, &run->engine))
        return false;
    run->engine_s = clock_now() - start;
    return true;
}

void run_close(struct run *run)
{
    clnd_engine_destroy(&run->engine);
    buffer_free(run->device, &run->data);
    buffer_free(run->device, &run->indices);
    buffer_free(run->device, &run->dense);
    contents_free(&run->data_contents);
    free(run->row);
    run->row = NULL;
}

struct buffer *run_output(struct run *run)
{
    return op_is_scatter(run->what->op) ? &run->data : &run->dense;
}

static void poison(void *memory, int64_t begin, int64_t end)
{
    memset((char *)memory + begin, POISON, (size_t)(end - begin));
}

bool run_reset(struct run *run)
{
    struct buffer *output = run_output(run);
    const bool in_place = op_is_scatter(run->what->op) && run->what->op != OP_SCATTER_ND;
    if (!buffer_open(run->device, output))
        return false;
    // What the op must write whole holds something else, so that what it leaves out is seen.
    if (in_place)
        contents_fill(&run->data_contents, run->device->team, output->view, run->layout.data_count);
    else
        team_for(run->device->team, (int64_t)output->size, GRAIN, poison, output->view);
    return buffer_send(run->device, output) && buffer_hide(run->device, output);
}

bool run_call(struct run *run, bool deterministic)
{
    cl_event event;
    if (call_enqueue(run->engine, run->device->queue, run->what, &run->operands, deterministic,
                     &event))
        return fail_clnd();
    return device_finish(event, NULL, NULL);
}

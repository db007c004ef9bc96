// SPDX-License-Identifier: Apache-2.0
//
// A round: ranks tell each other what they ask for, and rows travel.
//
//     gather     places ->   the owner gathers them   rows ->   gathered into out by position
//     scatter    updates gathered by shard   places and rows ->   the owner scatters them
//
// begin leaves the rows on their way; end waits for them. So the next round begins while the rows
// of the one before travel.

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/checked.h"
#include "internal.h"

enum { PLACE = sizeof(int64_t), HOST_BYTES_OF_A_ROW = 64 }; // route.c: requests, places, order

static int n_shards(const clnd_mpi_table *table)
{
    return table->first[table->mpi->rank + 1] - table->first[table->mpi->rank];
}

static cl_command_queue queue_of(const clnd_mpi_table *table, int k)
{
    return clnd__mpi_queue(table->shards[k].engine, table->shards[k].queue);
}

// That others ask of shard k.
static int64_t places_of(const mpi_round *round, int k)
{
    return (int64_t)(round->places[k].bytes / PLACE);
}

static void keep_first(clnd_status *status, clnd_status next)
{
    if (*status == CLND_OK)
        *status = next;
}

// Planning ---------------------------------------------------------------------------------------

// asked[k * size + r] from what each rank r counts for this rank's shards.
static clnd_status exchange_counts(mpi_round *round)
{
    const clnd_mpi_table *table = round->call->table;
    const int size = table->mpi->size, most = table->most;
    int *told = round->displacements, *heard = told + size * most; // both are free yet
    for (int r = 0; r < size; r++)
        for (int k = 0; k < most; k++)
            told[r * most + k] = round->route.counts[k * size + r];
    const clnd_status status = clnd__mpi_code(
        MPI_Alltoall(told, most, MPI_INT, heard, most, MPI_INT, table->mpi->comm), "MPI_Alltoall");
    for (int r = 0; status == CLND_OK && r < size; r++)
        for (int k = 0; k < most; k++)
            round->asked[k * size + r] = heard[r * most + k];
    return status;
}

static int64_t sum(const int *counts, int n)
{
    int64_t total = 0;
    for (int i = 0; i < n; i++)
        total += counts[i];
    return total;
}

// INT64_MAX where MPI's counts do not reach.
static int64_t memory_needed(const mpi_round *round)
{
    const mpi_call *call = round->call;
    const int size = call->table->mpi->size;
    int64_t rows = round->route.sent, bytes, own;
    for (int k = 0; k < call->table->most; k++) {
        const int64_t asked = sum(round->asked + k * size, size);
        if (asked > INT_MAX)
            return INT64_MAX;
        rows += asked;
    }
    if (!clnd__multiply(rows, call->slice_bytes + PLACE, &bytes) ||
        !clnd__multiply(round->route.rows, HOST_BYTES_OF_A_ROW, &own) ||
        !clnd__add(bytes, own, &bytes))
        return INT64_MAX;
    return bytes;
}

clnd_status clnd__mpi_round_plan(mpi_round *round, const mpi_call *call, clnd_status mine,
                                 int64_t first, int64_t rows, int64_t *need)
{
    const size_t buckets = (size_t)call->table->most * (size_t)call->table->mpi->size;
    *round = (mpi_round){.call = call, .first = first};
    *need = 0;
    round->asked = calloc(buckets, sizeof *round->asked);
    round->displacements = calloc(2 * buckets, sizeof *round->displacements);
    round->requests = calloc((size_t)call->table->most, sizeof *round->requests);
    round->places = calloc(2 * (size_t)call->table->most, sizeof *round->places);
    const bool all = round->asked && round->displacements && round->requests && round->places;
    clnd_status status = mine;
    if (status == CLND_OK)
        status = clnd__mpi_memory(all ? round->asked : NULL,
                                  (int64_t)(buckets * 3 * sizeof *round->asked));
    for (int k = 0; all && k < call->table->most; k++)
        round->requests[k] = MPI_REQUEST_NULL;
    if (status == CLND_OK)
        status = clnd__mpi_route(call, first, rows, &round->route);
    status = clnd__mpi_agree(call->table->mpi, status, 0, NULL);
    if (status != CLND_OK)
        return status;
    round->served = round->places + call->table->most;
    status = exchange_counts(round);
    *need = status == CLND_OK ? memory_needed(round) : 0;
    return status;
}

clnd_status clnd__mpi_round_allocate(mpi_round *round)
{
    const mpi_call *call = round->call;
    clnd_status status = CLND_OK;
    for (int k = 0; status == CLND_OK && k < n_shards(call->table); k++) {
        const int size = call->table->mpi->size;
        status = clnd__mpi_stage(call->table->shards[k].engine,
                                 sum(round->asked + k * size, size) * PLACE, &round->places[k]);
        if (status == CLND_OK)
            status = clnd__mpi_map(&round->places[k], queue_of(call->table, k), NULL);
    }
    return status;
}

clnd_status clnd__mpi_round_open(mpi_round *round)
{
    const mpi_call *call = round->call;
    const int64_t order = call->scatters ? round->route.sent : round->route.rows;
    clnd_status status =
        clnd__mpi_stage(call->engine, round->route.sent * call->slice_bytes, &round->rows);
    if (status == CLND_OK)
        status = clnd__mpi_stage(call->engine, order * PLACE, &round->order);
    if (status == CLND_OK)
        status = clnd__mpi_map(&round->order, call->queue, NULL);
    for (int k = 0; status == CLND_OK && k < n_shards(call->table); k++)
        status = clnd__mpi_stage(call->table->shards[k].engine,
                                 places_of(round, k) * call->slice_bytes, &round->served[k]);
    return status;
}

// The ops of libclnd -----------------------------------------------------------------------------

static void flat(const mpi_call *call, cl_mem buffer, size_t offset, int64_t rows,
                 clnd_tensor *tensor)
{
    clnd_tensor_dense(buffer, offset, call->table->dtype, 2, (int64_t[]){rows, call->slice},
                      tensor);
}

static void numbers(const mpi_stage *stage, clnd_tensor *tensor)
{
    const int64_t rows = (int64_t)(stage->bytes / PLACE);
    clnd_tensor_dense(stage->buffer, 0, CLND_INT64, 2, (int64_t[]){rows, 1}, tensor);
}

// This rank's rows of out or updates that the round is about.
static void window_of(const mpi_round *round, clnd_tensor *tensor)
{
    const mpi_call *call = round->call;
    flat(call, call->dense->buffer,
         call->dense->offset + (size_t)(round->first * call->slice_bytes), round->route.rows,
         tensor);
}

// Places of a shard, as rows of what travels.
static void shard_of(const mpi_call *call, int k, clnd_tensor *tensor)
{
    const clnd_tensor *whole = &call->table->shards[k].tensor;
    flat(call, whole->buffer, whole->offset, whole->shape[0] * call->inner, tensor);
}

static void release(int n, cl_event *events)
{
    for (int i = 0; i < n; i++)
        if (events[i])
            clReleaseEvent(events[i]);
}

// One of libclnd's ops behind the unmapping of its operands; *done may be NULL.
static clnd_status run(const mpi_call *call, clnd_engine *engine, cl_command_queue queue, bool fill,
                       bool scatters, const clnd_tensor *from, const clnd_tensor *numbers,
                       const clnd_tensor *to, cl_event unmapped[2], cl_event *done)
{
    cl_event wait[2];
    cl_uint n = 0;
    for (int i = 0; i < 2; i++)
        if (unmapped[i])
            wait[n++] = unmapped[i];
    const clnd_gather_nd_options gather = {.bounds = fill ? CLND_BOUNDS_FILL : CLND_BOUNDS_ZERO,
                                           .fill = fill ? call->options.fill : NULL};
    const clnd_scatter_nd_options scatter = {.reduce = call->options.reduce,
                                             .bounds = CLND_BOUNDS_SKIP,
                                             .deterministic = call->options.deterministic};
    const clnd_status status = scatters ? clnd_scatter_nd_into(engine, queue, numbers, from, to,
                                                               &scatter, n, n ? wait : NULL, done)
                                        : clnd_gather_nd(engine, queue, from, numbers, to, &gather,
                                                         n, n ? wait : NULL, done);
    release(2, unmapped);
    return clnd__mpi_op(status);
}

static clnd_status finish(cl_event done)
{
    if (!done)
        return CLND_OK;
    const cl_int code = clWaitForEvents(1, &done);
    clReleaseEvent(done);
    return clnd__mpi_cl(code, "clWaitForEvents");
}

// An owner gathers what others ask of its shard k.
static clnd_status serve(mpi_round *round, int k)
{
    const mpi_call *call = round->call;
    cl_event unmapped[2] = {NULL, NULL}, done = NULL;
    clnd_tensor table, places, rows;
    clnd_status status = CLND_OK;
    shard_of(call, k, &table);
    numbers(&round->places[k], &places);
    flat(call, round->served[k].buffer, 0, places_of(round, k), &rows);
    if (places_of(round, k))
        status = run(call, call->table->shards[k].engine, queue_of(call->table, k), false, false,
                     &table, &places, &rows, unmapped, &done);
    keep_first(&status, clnd__mpi_map(&round->served[k], queue_of(call->table, k), done));
    return status;
}

// Updates in the order in which they travel.
static clnd_status pack(mpi_round *round)
{
    const mpi_call *call = round->call;
    cl_event unmapped[2] = {NULL, NULL}, done = NULL;
    clnd_tensor updates, order, rows;
    for (int64_t i = 0; i < round->route.rows; i++)
        if (round->route.position[i] >= 0)
            ((int64_t *)round->order.mapped)[round->route.position[i]] = i;
    clnd_status status = clnd__mpi_unmap(&round->order, call->queue, &unmapped[0]);
    window_of(round, &updates);
    numbers(&round->order, &order);
    flat(call, round->rows.buffer, 0, round->route.sent, &rows);
    if (status == CLND_OK && round->route.sent)
        status = run(call, call->engine, call->queue, false, false, &updates, &order, &rows,
                     unmapped, &done);
    else
        release(2, unmapped);
    keep_first(&status, clnd__mpi_map(&round->rows, call->queue, done));
    return status;
}

// Travel -----------------------------------------------------------------------------------------

static void prefix(const int *counts, int n, int *begin)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        begin[i] = total;
        total += counts[i];
    }
}

static clnd_status send_places(mpi_round *round, int k, const int *sent_at, const int *asked_at)
{
    const int base = k * round->call->table->mpi->size;
    void *places = k < n_shards(round->call->table) ? round->places[k].mapped : NULL;
    return clnd__mpi_code(MPI_Alltoallv(round->route.places, round->route.counts + base,
                                        sent_at + base, MPI_INT64_T, places, round->asked + base,
                                        asked_at + base, MPI_INT64_T,
                                        round->call->table->mpi->comm),
                          "MPI_Alltoallv");
}

static clnd_status send_rows(mpi_round *round, int k, const int *sent_at, const int *asked_at)
{
    const mpi_call *call = round->call;
    const int base = k * call->table->mpi->size;
    void *served = k < n_shards(call->table) ? round->served[k].mapped : NULL;
    const bool out = call->scatters; // from this rank to the owners
    return clnd__mpi_code(
        MPI_Ialltoallv(
            out ? round->rows.mapped : served, (out ? round->route.counts : round->asked) + base,
            (out ? sent_at : asked_at) + base, call->row_type, out ? served : round->rows.mapped,
            (out ? round->asked : round->route.counts) + base, (out ? asked_at : sent_at) + base,
            call->row_type, call->table->mpi->comm, &round->requests[round->n_requests++]),
        "MPI_Ialltoallv");
}

clnd_status clnd__mpi_round_meet(mpi_round *round)
{
    const clnd_mpi_table *table = round->call->table;
    const int size = table->mpi->size, buckets = table->most * size;
    const int *sent_at = round->route.begins;
    int *asked_at = round->displacements + buckets;
    clnd_status status = CLND_OK;
    for (int k = 0; k < table->most; k++) {
        cl_event unmapped = NULL;
        prefix(round->asked + k * size, size, asked_at + k * size);
        keep_first(&status, send_places(round, k, sent_at, asked_at));
        if (k < n_shards(table))
            keep_first(&status, clnd__mpi_unmap(&round->places[k], queue_of(table, k), &unmapped));
        keep_first(&status, finish(unmapped));
    }
    round->met = true;
    return status;
}

clnd_status clnd__mpi_round_begin(mpi_round *round)
{
    const mpi_call *call = round->call;
    const clnd_mpi_table *table = call->table;
    const int *sent_at = round->route.begins;
    const int *asked_at = round->displacements + table->most * table->mpi->size;
    clnd_status status = CLND_OK;
    if (call->scatters) {
        status = pack(round);
    } else {
        if (round->route.rows)
            memcpy(round->order.mapped, round->route.position, round->order.bytes);
        status = clnd__mpi_map(&round->rows, call->queue, NULL);
    }
    round->begun = true;
    for (int k = 0; k < table->most; k++) {
        if (k < n_shards(table))
            keep_first(&status, call->scatters
                                    ? clnd__mpi_map(&round->served[k], queue_of(table, k), NULL)
                                    : serve(round, k));
        keep_first(&status, send_rows(round, k, sent_at, asked_at));
    }
    return status;
}

static clnd_status apply(mpi_round *round, int k)
{
    const mpi_call *call = round->call;
    cl_event unmapped[2] = {NULL, NULL}, done = NULL;
    clnd_tensor table, places, rows;
    clnd_status status = clnd__mpi_unmap(&round->served[k], queue_of(call->table, k), &unmapped[0]);
    shard_of(call, k, &table);
    numbers(&round->places[k], &places);
    flat(call, round->served[k].buffer, 0, places_of(round, k), &rows);
    if (status == CLND_OK && places_of(round, k))
        status = run(call, call->table->shards[k].engine, queue_of(call->table, k), false, true,
                     &rows, &places, &table, unmapped, &done);
    else
        release(2, unmapped);
    keep_first(&status, finish(done));
    return status;
}

static clnd_status deliver(mpi_round *round)
{
    const mpi_call *call = round->call;
    cl_event unmapped[2], done = NULL;
    clnd_tensor rows, positions, out;
    clnd_status status = clnd__mpi_unmap(&round->order, call->queue, &unmapped[0]);
    keep_first(&status, clnd__mpi_unmap(&round->rows, call->queue, &unmapped[1]));
    flat(call, round->rows.buffer, 0, round->route.sent, &rows);
    numbers(&round->order, &positions);
    window_of(round, &out);
    if (status == CLND_OK && round->route.rows)
        status = run(call, call->engine, call->queue, call->options.bounds == CLND_BOUNDS_FILL,
                     false, &rows, &positions, &out, unmapped, &done);
    else
        release(2, unmapped);
    keep_first(&status, finish(done));
    return status;
}

clnd_status clnd__mpi_round_end(mpi_round *round)
{
    if (!round->begun)
        return CLND_OK;
    clnd_status status = clnd__mpi_code(
        MPI_Waitall(round->n_requests, round->requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
    round->n_requests = 0;
    round->begun = false;
    if (status == CLND_OK && !round->call->scatters)
        status = deliver(round);
    for (int k = 0; round->call->scatters && k < n_shards(round->call->table); k++)
        if (status == CLND_OK)
            status = apply(round, k);
    return status;
}

void clnd__mpi_round_close(mpi_round *round)
{
    const clnd_mpi_table *table = round->call ? round->call->table : NULL;
    if (!table)
        return;
    clnd__mpi_stage_free(&round->rows, round->call->queue);
    clnd__mpi_stage_free(&round->order, round->call->queue);
    for (int k = 0; round->served && k < n_shards(table); k++)
        clnd__mpi_stage_free(&round->served[k], queue_of(table, k));
}

void clnd__mpi_round_free(mpi_round *round)
{
    clnd__mpi_round_close(round);
    for (int k = 0; round->served && k < n_shards(round->call->table); k++)
        clnd__mpi_stage_free(&round->places[k], queue_of(round->call->table, k));
    clnd__mpi_route_free(&round->route);
    free(round->asked);
    free(round->displacements);
    free(round->requests);
    free(round->places);
    *round = (mpi_round){.call = NULL};
}

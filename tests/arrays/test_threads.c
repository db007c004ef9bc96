// SPDX-License-Identifier: Apache-2.0
//
// Many threads, one engine: each call waits for its own work alone, and gives its own result.

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hosted.h"

enum { THREADS = 24, CALLS = 40, ROWS = 500, WIDTH = 8 };

typedef struct worker {
    pthread_t thread;
    int number;
    clnd_engine *engine;
    int32_t (*table)[WIDTH]; // all threads read it
    char failure[256];
} worker;

// Threads may not end the test, so they note what they found.
static bool good(worker *w, clnd_status status, clnd_status expected, const char *what)
{
    if (status == expected)
        return true;
    snprintf(w->failure, sizeof w->failure, "%s gave %s: %.180s", what, clnd_status_name(status),
             clnd_last_error());
    return false;
}

static bool one_call(worker *w, int round)
{
    int32_t rows[ROWS], picked[ROWS][WIDTH], sums[WIDTH] = {0};
    const way by = (way)(round % N_WAYS);
    clnd_array params, indices, out, updates, target;
    clnd_array_dense(w->table, CLND_INT32, 2, (int64_t[]){ROWS, WIDTH}, &params);
    clnd_array_dense(rows, CLND_INT32, 2, (int64_t[]){ROWS, 1}, &indices);
    clnd_array_dense(picked, CLND_INT32, 2, (int64_t[]){ROWS, WIDTH}, &out);
    clnd_array_dense(rows, CLND_INT32, 1, (int64_t[]){ROWS}, &updates);
    clnd_array_dense(sums, CLND_INT32, 1, (int64_t[]){WIDTH}, &target);
    for (int i = 0; i < ROWS; i++)
        rows[i] = (i * 7 + w->number * 13 + round) % ROWS;

    clnd_gather_nd_options checked = {.bounds = CLND_BOUNDS_ERROR};
    const clnd_array *gather[] = {&params, &indices, &out};
    if (!good(w, hosted_call(w->engine, GATHER_ND, by, gather, NULL, &checked), CLND_OK, "gather"))
        return false;
    for (int i = 0; i < ROWS; i++)
        if (memcmp(picked[i], w->table[rows[i]], sizeof picked[i]) != 0)
            return good(w, CLND_INTERNAL, CLND_OK, "comparing rows");

    // sums[i % WIDTH] += i, by indices that the next call changes
    int32_t places[ROWS];
    for (int i = 0; i < ROWS; i++)
        places[i] = (i + w->number + round) % WIDTH;
    indices.data = places;
    clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR};
    const clnd_array *scatter[] = {&indices, &updates, &target};
    if (!good(w, hosted_call(w->engine, SCATTER_ND_INTO, by, scatter, NULL, &add), CLND_OK,
              "scatter"))
        return false;
    for (int i = 0; i < ROWS; i++)
        sums[places[i]] -= rows[i];
    for (int i = 0; i < WIDTH; i++)
        if (sums[i] != 0)
            return good(w, CLND_INTERNAL, CLND_OK, "comparing sums");

    // The text is the thread's own.
    char text[64];
    places[w->number] = WIDTH + w->number;
    snprintf(text, sizeof text, "indices[%d] = [%d] ", w->number, WIDTH + w->number);
    if (!good(w, hosted_call(w->engine, SCATTER_ND_INTO, by, scatter, NULL, &add),
              CLND_INDEX_OUT_OF_BOUNDS, "a bad index"))
        return false;
    return strstr(clnd_last_error(), text) || good(w, CLND_INTERNAL, CLND_OK, text);
}

static void *work(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < CALLS; round++)
        if (!one_call(w, round))
            break;
    return NULL;
}

Test(arrays, threads_share_an_engine)
{
    static int32_t table[ROWS][WIDTH];
    static worker workers[THREADS];
    const device *d = device_get();
    case_begin("host threads", 0);
    for (int i = 0; i < ROWS * WIDTH; i++)
        table[i / WIDTH][i % WIDTH] = i;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i, .engine = d->engine, .table = table};
        cr_assert(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        cr_assert(pthread_join(workers[i].thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(!workers[i].failure[0], "thread %d: %s", i, workers[i].failure);
}

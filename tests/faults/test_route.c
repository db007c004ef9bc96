// SPDX-License-Identifier: Apache-2.0
//
// route with every fault: each call of OpenCL and each allocation that it makes fails once. It says
// so, has touched nothing and keeps nothing.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "check.h"
#include "text.h"

enum { POSITIONS, PLACES, COUNTS, N_RESULTS };

typedef struct play {
    placed indices, results[N_RESULTS];
    unsigned char *before[N_RESULTS], *after[N_RESULTS]; // images
} play;

// A table of 6 rows in blocks of 2, which 2 shards own in turn.
static void make(play *p)
{
    static const char *const names[N_RESULTS] = {"positions", "places", "counts"};
    static const char *const texts[N_RESULTS] = {"3: 0 2 1", "3: 3 1 1", "2: 2 1"};
    static const int64_t sizes[N_RESULTS] = {3, 3, 2};
    text_tensor(&p->indices, "indices", case_rng(), CLND_INT32, "3,1: 5 3 1");
    for (int i = 0; i < N_RESULTS; i++) {
        placed *result = &p->results[i];
        placed_make(result, names[i], case_rng(), CLND_INT64, 1, &sizes[i], PLACED_ALIGNED);
        p->before[i] = malloc(result->bytes);
        p->after[i] = result->host.data;
        memcpy(p->before[i], result->host.data, result->bytes);
        text_elements(result, texts[i]);
    }
}

static void upload(play *p, const device *d)
{
    placed_upload(&p->indices, d);
    for (int i = 0; i < N_RESULTS; i++) {
        p->results[i].host.data = p->before[i];
        placed_upload(&p->results[i], d);
    }
}

static void check_results(play *p, const device *d, unsigned char *const images[N_RESULTS])
{
    for (int i = 0; i < N_RESULTS; i++) {
        p->results[i].host.data = images[i];
        placed_check(&p->results[i], d, EQUAL_BITS, NULL);
    }
}

static void let_go(play *p)
{
    placed_free(&p->indices);
    for (int i = 0; i < N_RESULTS; i++) {
        p->results[i].host.data = p->before[i];
        placed_free(&p->results[i]);
        free(p->after[i]);
    }
}

static clnd_status route(const play *p, const device *d, clnd_bounds bounds)
{
    const clnd_shards shards = {
        .n_shards = 2, .n_dims = 1, .n_divided = 1, .shape = {6}, .block = 2};
    const clnd_route_options options = {.bounds = bounds};
    return clnd_route(d->engine, d->queue, &p->indices.tensor, &shards,
                      &p->results[POSITIONS].tensor, &p->results[PLACES].tensor,
                      &p->results[COUNTS].tensor, &options, 0, NULL, NULL);
}

// As for the other ops: a verdict can be given up or read another way.
static bool is_tolerated(void)
{
    return opencl.failed == OPENCL_RetainEvent || opencl.failed == OPENCL_GetEventInfo ||
           opencl.failed == OPENCL_WaitForEvents || opencl.failed == OPENCL_EnqueueReadBuffer;
}

static bool attempt(play *p, const device *d, const fault *f, clnd_bounds bounds)
{
    fault_arm(f);
    const clnd_status status = route(p, d, bounds);
    const bool came = fault_disarm(f);
    fault_note(f, "route");
    if (!came || (status == CLND_OK && is_tolerated())) {
        check_status(status, CLND_OK);
        check_results(p, d, p->after);
    } else {
        check(status != CLND_OK, "the call goes on as if nothing had happened");
        fault_check_told(f, status);
        check_results(p, d, p->before);
    }
    return came;
}

Test(faults_route, calls, .timeout = 120)
{
    static const clnd_bounds bounds[] = {CLND_BOUNDS_SKIP, CLND_BOUNDS_ERROR};
    const device *d = device_get();
    for (int i = 0; i < 2; i++) {
        play p;
        fault f = {0};
        bool came = false;
        int n = 0;
        case_begin("faults in route", i);
        make(&p);
        upload(&p, d);
        opencl_begin();
        check_status(route(&p, d, bounds[i]), CLND_OK);
        check_results(&p, d, p.after);
        while (fault_next(&f, came)) {
            upload(&p, d);
            const holdings before = holdings_now();
            came = attempt(&p, d, &f, bounds[i]);
            holdings_check(&before);
            n += came;
        }
        check(n > 50, "%d faults", n);
        let_go(&p);
    }
}

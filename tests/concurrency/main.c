// SPDX-License-Identifier: Apache-2.0
//
// What threads do to one engine at once: first uses that race to compile, queues of both kinds,
// reports, failures, strategies, plain arrays, and engines that come and go.
//
//     concurrency [--race]
//
// Prints TAP. --race does what no program may do instead, to see that it is noticed.

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "host/cl/engine.h"

enum { ROWS = 500, FRESH_ENGINES = 3, ROUNDS = 20 };

// A thread's tensors: sums[places] += table[places], by way of rows. The places are a permutation
// that begins elsewhere in each round.
typedef struct site {
    cl_mem memory[4];
    clnd_tensor table, places, rows, sums;
} site;

// Ends the program when there is no memory for it.
static void site_open(const worker *w, site *s)
{
    clnd_tensor *tensors[] = {&s->table, &s->places, &s->rows, &s->sums};
    const int64_t shape[] = {ROWS, 1};
    int32_t numbers[ROWS];
    for (int i = 0; i < ROWS; i++)
        numbers[i] = 3 * i + 1;
    for (int i = 0; i < 4; i++) {
        cl_int code;
        s->memory[i] = clCreateBuffer(clnd_engine_context(w->engine), CL_MEM_COPY_HOST_PTR,
                                      sizeof numbers, numbers, &code);
        check_cl(code);
        check_status(
            clnd_tensor_dense(s->memory[i], 0, CLND_INT32, 1 + (i == 1), shape, tensors[i]),
            CLND_OK);
    }
}

static void site_close(site *s)
{
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(s->memory[i]);
}

static cl_command_queue queue_of(const worker *w)
{
    return w->queue ? w->queue : clnd_engine_queue(w->engine);
}

static bool put_places(worker *w, site *s, int first, int bad_row, int32_t bad)
{
    int32_t places[ROWS];
    for (int i = 0; i < ROWS; i++)
        places[i] = (i * 7 + first) % ROWS;
    if (bad_row >= 0)
        places[bad_row] = bad;
    const cl_int code = clEnqueueWriteBuffer(queue_of(w), s->memory[1], CL_TRUE, 0, sizeof places,
                                             places, 0, NULL, NULL);
    return worker_check(w, code == CL_SUCCESS, "clEnqueueWriteBuffer gave %d", (int)code);
}

static const char *const strategies[] = {NULL, "atomic", "owner", "private", "sort"};

// One round: a gather, a scatter behind its event, the results. The plan is that of this call.
static bool play(worker *w, site *s, int round, clnd_report *report)
{
    const device d = {.facts = clnd_engine_facts(w->engine)};
    const char *strategy = strategies[(w->number + round) % (4 + (int)device_sorts(&d))];
    const clnd_bounds bounds = round % 3 ? CLND_BOUNDS_ERROR : CLND_BOUNDS_ZERO;
    const clnd_gather_nd_options gather = {.bounds = bounds, .report = report};
    const clnd_scatter_nd_options scatter = {.bounds = bounds, .report = report};
    char words[32];
    snprintf(words, sizeof words, "must,%s", strategy ? strategy : "");
    clnd_plan plan;
    cl_event gathered = NULL, scattered = NULL;
    int32_t got[ROWS];
    if (!put_places(w, s, 13 * w->number + round, -1, 0) ||
        !worker_status(w,
                       clnd_gather_nd(w->engine, w->queue, &s->table, &s->places, &s->rows, &gather,
                                      0, NULL, &gathered),
                       CLND_OK, "gather_nd"))
        return false;
    clnd__engine_replace_words(words); // of this thread's calls
    clnd_status status =
        clnd_scatter_nd_plan(w->engine, &s->places, &s->rows, &s->sums, &scatter, &plan);
    bool good = worker_status(w, status, CLND_OK, "the plan") &&
                worker_check(w, !strategy || plan_takes(&plan, strategy), "%s was planned, not %s",
                             plan.strategy, strategy);
    status = clnd_scatter_nd(w->engine, w->queue, &s->places, &s->rows, &s->sums, &scatter, 1,
                             &gathered, &scattered);
    clnd__engine_replace_words(NULL);
    clReleaseEvent(gathered);
    if (!worker_status(w, status, CLND_OK, "scatter_nd"))
        return false;
    const cl_int code = clEnqueueReadBuffer(queue_of(w), s->memory[3], CL_TRUE, 0, sizeof got, got,
                                            1, &scattered, NULL);
    clReleaseEvent(scattered);
    good = good && worker_check(w, code == CL_SUCCESS, "clEnqueueReadBuffer gave %d", (int)code);
    for (int i = 0; i < ROWS && good; i++)
        good = worker_check(w, got[i] == 3 * i + 1, "round %d: element %d is %d, expected %d",
                            round, i, (int)got[i], 3 * i + 1);
    return good;
}

// Parts -------------------------------------------------------------------------------------------

// The engine has compiled nothing yet. One thread names what the others are about to call.
static void first_use(worker *w)
{
    const clnd_preparation kind = {
        .op = CLND_OP_GATHER_ND, .dtype = CLND_INT32, .bounds = CLND_BOUNDS_ERROR};
    site s;
    site_open(w, &s);
    if (w->number == THREADS - 1)
        worker_status(w, clnd_engine_prepare(w->engine, 1, &kind), CLND_OK, "engine_prepare");
    for (int round = 0; round < 3; round++)
        play(w, &s, round, NULL);
    site_close(&s);
}

static void steady_use(worker *w)
{
    site s;
    site_open(w, &s);
    for (int round = 0; round < ROUNDS && !w->failure[0]; round++)
        play(w, &s, round, NULL);
    site_close(&s);
}

// Each thread fails in its own way, then looks at what it was told when all have failed.
static void own_errors(worker *w)
{
    site s;
    char text[64];
    const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR};
    site_open(w, &s);
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t bad = ROWS + 100 * w->number + round;
        put_places(w, &s, round, w->number, bad);
        worker_status(w,
                      clnd_gather_nd(w->engine, w->queue, &s.table, &s.places, &s.rows, &gather, 0,
                                     NULL, NULL),
                      CLND_INDEX_OUT_OF_BOUNDS, "a bad index");
        worker_meet(w);
        snprintf(text, sizeof text, "gather_nd: indices[%d] = [%d] does", w->number, (int)bad);
        worker_check(w, strncmp(clnd_last_error(), text, strlen(text)) == 0, "\"%s\" is not \"%s\"",
                     clnd_last_error(), text);
        worker_check(w, clnd_last_error_code() == 0, "code %d", (int)clnd_last_error_code());
    }
    site_close(&s);
}

// A report of each thread's own says what its own calls did.
static void own_reports(worker *w)
{
    site s;
    clnd_report *report;
    clnd_report_result result;
    site_open(w, &s);
    for (int round = 0; round < ROUNDS; round++) {
        if (!worker_status(w, clnd_report_create(w->engine, &report), CLND_OK, "report_create"))
            break;
        const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        play(w, &s, round, report); // calls 0 and 1
        put_places(w, &s, round, w->number, ROWS + w->number);
        worker_status(w,
                      clnd_gather_nd(w->engine, w->queue, &s.table, &s.places, &s.rows, &gather, 0,
                                     NULL, NULL),
                      CLND_OK, "a gather with a report");
        if (round % 4) {
            worker_status(w, clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS,
                          "report_wait");
            worker_check(w,
                         result.call == 2 && result.row == w->number &&
                             result.values[0] == ROWS + w->number,
                         "call %d, row %d, value %d", (int)result.call, (int)result.row,
                         (int)result.values[0]);
        } // otherwise it goes while its call is under way
        clnd_report_destroy(&report);
        clFinish(queue_of(w));
    }
    site_close(&s);
}

typedef struct crowd {
    clnd_report *report;
    atomic_int callers; // threads that have calls to make
} crowd;

// Calls without a pause, of few rows, so that nearly all of their time is spent around the report.
// The first threads ask, and now and then make it forget, as long as the others call.
static void ask_or_call(worker *w, site *s, crowd *c)
{
    enum { CALLS = 300 };
    const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR, .report = c->report};
    clnd_tensor places = s->places, rows = s->rows;
    clnd_report_result result;
    places.shape[0] = rows.shape[0] = 2;
    // relaxed: asking must not order what the threads do to the report
    while (w->number < 3 && atomic_load_explicit(&c->callers, memory_order_relaxed) > 0) {
        bool done = false;
        worker_status(w,
                      w->number == 0   ? clnd_report_wait(c->report, &result)
                      : w->number == 1 ? clnd_report_poll(c->report, &done, &result)
                                       : clnd_report_reset(c->report),
                      CLND_OK, "asking the report");
        for (int i = 0; w->number == 2 && i < 50; i++)
            sched_yield();
    }
    for (int i = 0; w->number >= 3 && i < CALLS; i++)
        worker_status(
            w,
            clnd_gather_nd(w->engine, w->queue, &s->table, &places, &rows, &gather, 0, NULL, NULL),
            CLND_OK, "a gather with a report");
    if (w->number >= 3)
        atomic_fetch_sub_explicit(&c->callers, 1, memory_order_relaxed);
}

// One report for the calls of all.
static void one_report(worker *w)
{
    site s;
    crowd *c = w->shared;
    clnd_report_result result;
    site_open(w, &s);
    put_places(w, &s, 0, -1, 0);
    worker_meet(w);
    ask_or_call(w, &s, c);
    worker_meet(w);
    // Now every thread has one bad call in it; which was the first, only the report knows.
    const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR, .report = c->report};
    put_places(w, &s, 0, 10 + w->number, ROWS + w->number);
    worker_status(
        w,
        clnd_gather_nd(w->engine, w->queue, &s.table, &s.places, &s.rows, &gather, 0, NULL, NULL),
        CLND_OK, "a gather with a report");
    worker_meet(w);
    const clnd_status status = clnd_report_wait(c->report, &result);
    worker_status(w, status, CLND_INDEX_OUT_OF_BOUNDS, "report_wait");
    worker_check(w, result.values[0] - ROWS == result.row - 10 && result.row >= 10,
                 "row %d has the value %d", (int)result.row, (int)result.values[0]);
    worker_check(w, status && strcmp(result.message, clnd_last_error()) == 0, "%s",
                 clnd_last_error());
    site_close(&s);
}

// Plain arrays, which borrow queues from the engine.
static void plain_arrays(worker *w)
{
    int32_t table[ROWS] = {0}, places[ROWS] = {0}, rows[ROWS] = {0};
    clnd_array params, indices, out;
    clnd_array_dense(table, CLND_INT32, 1, (int64_t[]){ROWS}, &params);
    clnd_array_dense(places, CLND_INT32, 2, (int64_t[]){ROWS, 1}, &indices);
    clnd_array_dense(rows, CLND_INT32, 1, (int64_t[]){ROWS}, &out);
    for (int round = 0; round < 2 * ROUNDS && !w->failure[0]; round++) {
        for (int i = 0; i < ROWS; i++) {
            table[i] = 1000 * w->number + i + round;
            places[i] = (i * 7 + round) % ROWS;
        }
        worker_status(w, clnd_host_gather_nd(w->engine, &params, &indices, &out, NULL), CLND_OK,
                      "host_gather_nd");
        for (int i = 0; i < ROWS; i++)
            worker_check(w, rows[i] == table[places[i]], "round %d: row %d is %d", round, i,
                         (int)rows[i]);
    }
}

// Kernels that do not compile: each thread hears of it, and all read the engine's log meanwhile.
static void failing_builds(worker *w)
{
    site s;
    char log[256];
    site_open(w, &s);
    for (int round = 0; round < ROUNDS; round++) {
        const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ZERO};
        const size_t size = clnd_engine_build_log(w->engine, log, sizeof log);
        worker_check(w, size >= 1 && strlen(log) < sizeof log, "a log of %zu bytes", size);
        clnd__engine_replace_words(round % 2 ? "must,lanes" : "must,blocks");
        worker_status(w,
                      clnd_gather_nd(w->engine, w->queue, &s.table, &s.places, &s.rows, &gather, 0,
                                     NULL, NULL),
                      CLND_BUILD_FAILED, "a gather that does not compile");
    }
    clnd__engine_replace_words(NULL);
    site_close(&s);
}

// Engines that come and go, and devices that are asked about.
static void own_engines(worker *w)
{
    for (int round = 0; round < 2; round++) {
        site s;
        char spec[24];
        int32_t count = 0;
        clnd_device_facts facts;
        worker_status(w, clnd_device_count(&count), CLND_OK, "device_count");
        worker_status(w, clnd_device_describe(0, spec, &facts), CLND_OK, "device_describe");
        worker_status(w, clnd_device_describe(count, spec, &facts), CLND_NO_DEVICE, "no device");
        if (!worker_status(w, clnd_engine_open(NULL, NULL, &w->engine), CLND_OK, "engine_open"))
            return;
        site_open(w, &s);
        play(w, &s, w->number, NULL);
        site_close(&s);
        clnd_engine_destroy(&w->engine);
    }
}

static clnd_engine *fresh_engine(void)
{
    clnd_engine *engine;
    check_status(clnd_engine_open(NULL, NULL, &engine), CLND_OK);
    return engine;
}

// Two threads that add to one number without a lock: what ThreadSanitizer must report.
static void *race(void *number)
{
    for (int i = 0; i < 1000; i++)
        ++*(volatile int *)number;
    return NULL;
}

static int race_on_purpose(void)
{
    pthread_t threads[2];
    int number = 0;
    for (int i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, race, &number) == 0, "no thread");
    for (int i = 0; i < 2; i++)
        check(pthread_join(threads[i], NULL) == 0, "no join");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "--race") == 0 ? race_on_purpose() : 2;
    const device *d = device_get();
    printf("# %s\n", d->facts->name);
    for (int i = 0; i < FRESH_ENGINES; i++) {
        char name[64];
        clnd_engine *engine = fresh_engine();
        snprintf(name, sizeof name, "first uses race to compile, engine %d", i);
        crew_run(name, engine, first_use, NULL);
        clnd_engine_destroy(&engine);
    }
    crew_run("queues of both kinds", d->engine, steady_use, NULL);
    crew_run("last errors belong to their threads", d->engine, own_errors, NULL);
    crew_run("reports belong to their calls", d->engine, own_reports, NULL);
    for (int i = 0; i < 3; i++) {
        crowd c = {.callers = THREADS - 3};
        check_status(clnd_report_create(d->engine, &c.report), CLND_OK);
        crew_pauses = true;
        crew_run("a report of all threads", d->engine, one_report, &c);
        crew_pauses = false;
        clnd_report_destroy(&c.report);
    }
    crew_run("plain arrays", d->engine, plain_arrays, NULL);
    clnd_engine *engine = fresh_engine();
    crew_refuses_builds = true;
    crew_run("kernels that do not compile", engine, failing_builds, NULL);
    crew_refuses_builds = false;
    crew_run("and then do", engine, first_use, NULL);
    clnd_engine_destroy(&engine);
    crew_run("engines of their own", NULL, own_engines, NULL);
    return crew_end();
}

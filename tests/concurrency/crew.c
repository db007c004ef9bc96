// SPDX-License-Identifier: Apache-2.0

#include "crew.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int n_points, n_failures;

_Atomic bool crew_refuses_builds, crew_pauses;

// The linker gives the library this one, and that for unlocking.
cl_int __real_clBuildProgram(cl_program program, cl_uint n_devices, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                             void *data);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint n_devices, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                             void *data);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint n_devices, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                             void *data)
{
    if (crew_refuses_builds)
        return CL_BUILD_PROGRAM_FAILURE;
    return __real_clBuildProgram(program, n_devices, devices, options, notify, data);
}

// The library's locks. What a thread does between two of them is where it would meet others if the
// second were missing, so it pauses there now and then.
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    static _Thread_local unsigned turn;
    const int result = __real_pthread_mutex_unlock(lock);
    if (atomic_load_explicit(&crew_pauses, memory_order_relaxed) && ++turn % 4 == 0)
        nanosleep(&(struct timespec){0, 1000}, NULL);
    return result;
}

void check_fail(const char *text)
{
    printf("Bail out! %s\n", text);
    exit(1);
}

void check_skip(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

bool worker_check(worker *w, bool condition, const char *format, ...)
{
    va_list arguments;
    if (condition || w->failure[0])
        return condition;
    va_start(arguments, format);
    vsnprintf(w->failure, sizeof w->failure, format, arguments);
    va_end(arguments);
    return false;
}

bool worker_status(worker *w, clnd_status status, clnd_status expected, const char *what)
{
    return worker_check(w, status == expected, "%s gave %s (%s), expected %s", what,
                        clnd_status_name(status), clnd_last_error(), clnd_status_name(expected));
}

void worker_meet(worker *w)
{
    pthread_barrier_wait(w->barrier);
}

typedef struct job {
    worker *w;
    void (*work)(worker *w);
} job;

static void *run(void *data)
{
    const job *j = data;
    worker_meet(j->w);
    j->work(j->w);
    return NULL;
}

void crew_run(const char *name, clnd_engine *engine, void (*work)(worker *w), void *shared)
{
    worker workers[THREADS];
    job jobs[THREADS];
    pthread_barrier_t barrier;
    cl_command_queue queues[QUEUES] = {NULL}; // the first is the engine's own
    int failures = 0;
    case_enter(name, rng_for(name, 0));
    check(pthread_barrier_init(&barrier, NULL, THREADS) == 0, "no barrier");
    for (int i = 1; i < QUEUES && engine; i++) {
        const device d = {.engine = engine,
                          .context = clnd_engine_context(engine),
                          .id = clnd_engine_device(engine),
                          .facts = clnd_engine_facts(engine)};
        queues[i] = device_new_queue(&d, i % 2 && d.facts->out_of_order_queues);
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i,
                              .engine = engine,
                              .queue = queues[i % QUEUES],
                              .shared = shared,
                              .barrier = &barrier};
        jobs[i] = (job){&workers[i], work};
        check(pthread_create(&workers[i].thread, NULL, run, &jobs[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; i++) {
        check(pthread_join(workers[i].thread, NULL) == 0, "no join");
        failures += workers[i].failure[0] != '\0';
        if (workers[i].failure[0])
            printf("# %s: thread %d: %s\n", name, i, workers[i].failure);
    }
    for (int i = 1; i < QUEUES; i++)
        if (queues[i])
            check_cl(clReleaseCommandQueue(queues[i]));
    pthread_barrier_destroy(&barrier);
    printf("%s %d - %s\n", failures ? "not ok" : "ok", ++n_points, name);
    fflush(stdout);
    n_failures += failures > 0;
}

int crew_end(void)
{
    printf("1..%d\n", n_points);
    return n_failures > 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Eight threads that begin at once. A plain program runs them, because ThreadSanitizer and
// Criterion do not go together. Threads note what went wrong; the program prints TAP.

#ifndef CONCURRENCY_CREW_H
#define CONCURRENCY_CREW_H

#include <pthread.h>

#include "check.h"
#include "device.h"

enum { THREADS = 8, QUEUES = 5 };

typedef struct worker {
    pthread_t thread;
    int number;
    clnd_engine *engine;
    cl_command_queue queue; // NULL: the engine's own. Some threads share one
    void *shared;
    pthread_barrier_t *barrier; // of all threads
    char failure[512];          // empty: none
} worker;

// Notes the first failure; returns `condition`.
__attribute__((format(printf, 3, 4))) bool worker_check(worker *w, bool condition,
                                                        const char *format, ...);

// The same for a call's status; says what its text was.
bool worker_status(worker *w, clnd_status status, clnd_status expected, const char *what);

// Waits until all threads are here, failed ones too.
void worker_meet(worker *w);

// Lets all threads do `work`, on in-order and out-of-order queues of the engine. Prints the point.
void crew_run(const char *name, clnd_engine *engine, void (*work)(worker *w), void *shared);

// Prints the plan; the program's exit status.
int crew_end(void);

// While it is set, no program compiles.
extern _Atomic bool crew_refuses_builds;

// While it is set, threads pause now and then behind the library's locks.
extern _Atomic bool crew_pauses;

#endif

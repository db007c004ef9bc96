// SPDX-License-Identifier: Apache-2.0

#include "trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

problem trial_problem;

static struct {
    jmp_buf back;
    char reason[4096];
    void (*last_words)(int number);
} state;

static _Noreturn void leave(const char *reason, trial_end end)
{
    snprintf(state.reason, sizeof state.reason, "%s", reason);
    longjmp(state.back, (int)end);
}

void check_fail(const char *text)
{
    leave(text, TRIAL_WRONG);
}

void check_skip(const char *reason)
{
    leave(reason, TRIAL_SKIPPED);
}

trial_end trial_run(const device *d, uint64_t seed, uint64_t number, const char *forced,
                    bool describe)
{
    const int end = setjmp(state.back);
    if (end)
        return (trial_end)end;
    problem_run(&trial_problem, d, seed, number, forced, describe);
    return TRIAL_RIGHT;
}

trial_end trial_work(void (*work)(void *), void *what)
{
    const int end = setjmp(state.back);
    if (end)
        return (trial_end)end;
    work(what);
    return TRIAL_RIGHT;
}

const char *trial_reason(void)
{
    return state.reason;
}

static void on_crash(int number)
{
    state.last_words(number);
    signal(number, SIG_DFL);
    raise(number);
}

void trial_on_crash(void (*last_words)(int number))
{
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
    state.last_words = last_words;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_crash);
}

double trial_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// SPDX-License-Identifier: Apache-2.0
//
// The differential test: random problems over everything that the ops take, against tests/ref.
// A plain program, so that it runs under any sanitizer and on any driver.
//
//     differential [--seed S] [--count N] [--op NAME[,NAME...]] [--only K] [--strategy LIST]
//                  [--time-limit SECONDS]
//
// Prints TAP: a point for each op, with the number of its problems that were run. A problem depends
// on the seed and its number alone: `--seed S --only K` repeats one, and says what it is.
// --strategy puts LIST into CLND_STRATEGY for all problems, whatever they would have there; what
// they are stays the same.

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "problem.h"

enum { USAGE = 2, MOST_MISMATCHES = 10 };

static struct {
    uint64_t seed, count;
    bool ops[N_OPS];
    bool has_only;
    uint64_t only;
    double time_limit; // seconds; 0: none
} asked = {.seed = 20240607, .count = 20000};

static problem current;
static jmp_buf failed;
static uint64_t runs[N_OPS], mismatches[N_OPS];

static const char usage[] =
    "usage: differential [--seed S] [--count N] [--op NAME[,NAME...]] [--only K]\n"
    "                    [--strategy LIST] [--time-limit SECONDS]\n";

// Ending a test ----------------------------------------------------------------------------------

static const char *repeat_command(void)
{
    static char text[128];
    snprintf(text, sizeof text, "# repeat: differential --seed %" PRIu64 " --only %" PRIu64 "\n",
             current.seed, current.number);
    return text;
}

void check_fail(const char *text)
{
    printf("# %s\n", text);
    longjmp(failed, 1);
}

void check_skip(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

// A driver that crashes takes the process with it, so this says on which problem.
static void on_crash(int number)
{
    const char *text = repeat_command();
    (void)!write(STDOUT_FILENO, text, strlen(text));
    signal(number, SIG_DFL);
    raise(number);
}

// Arguments --------------------------------------------------------------------------------------

static _Noreturn void refuse(const char *what, const char *value)
{
    fprintf(stderr, "differential: %s: %s\n%s", what, value, usage);
    exit(USAGE);
}

static uint64_t read_number(const char *name, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-')
        refuse(name, text);
    return value;
}

static void read_ops(const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        int found = -1;
        for (int i = 0; i < N_OPS; i++)
            if (strlen(op_names[i]) == length && strncmp(op_names[i], list, length) == 0)
                found = i;
        if (found < 0)
            refuse("no such op", list);
        asked.ops[found] = true;
        list += length;
        list += *list == ',';
    }
}

static void read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!value) {
            refuse("a value is missing after", name);
        } else if (strcmp(name, "--seed") == 0) {
            asked.seed = read_number(name, value);
        } else if (strcmp(name, "--count") == 0) {
            asked.count = read_number(name, value);
        } else if (strcmp(name, "--op") == 0) {
            read_ops(value);
        } else if (strcmp(name, "--only") == 0) {
            asked.only = read_number(name, value);
            asked.has_only = true;
        } else if (strcmp(name, "--strategy") == 0) {
            problem_force(value);
        } else if (strcmp(name, "--time-limit") == 0) {
            asked.time_limit = (double)read_number(name, value);
        } else {
            refuse("no such option", name);
        }
    }
    bool any = false;
    for (int i = 0; i < N_OPS; i++)
        any |= asked.ops[i];
    for (int i = 0; i < N_OPS && !any; i++)
        asked.ops[i] = true;
}

// Running ----------------------------------------------------------------------------------------

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool run_one(const device *d, uint64_t number)
{
    op_id op = problem_op(asked.seed, number);
    runs[op]++;
    if (setjmp(failed) == 0) {
        problem_run(&current, d, asked.seed, number);
        return true;
    }
    mismatches[current.op]++;
    problem_describe(&current, stdout);
    printf("%s", repeat_command());
    fflush(stdout);
    return false;
}

static void run_all(const device *d)
{
    double start = seconds();
    uint64_t done = 0, wrong = 0;
    for (uint64_t number = 0; done < asked.count && wrong < MOST_MISMATCHES; number++) {
        if (!asked.ops[problem_op(asked.seed, number)])
            continue;
        if (asked.time_limit > 0 && seconds() - start > asked.time_limit) {
            printf("# stopped by the time limit of %.0f s\n", asked.time_limit);
            break;
        }
        wrong += !run_one(d, number);
        if (++done % 50000 == 0 && done < asked.count) {
            printf("# %" PRIu64 " problems, %" PRIu64 " mismatches, %.0f s\n", done, wrong,
                   seconds() - start);
            fflush(stdout);
        }
    }
    printf("# %" PRIu64 " problems in %.1f s\n", done, seconds() - start);
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    if (setjmp(failed))
        return 1;
    const device *d = device_get();
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_crash);
    printf("# seed %" PRIu64 ", on %s, %s\n", asked.seed, d->facts->name, d->facts->driver);
    if (asked.has_only) {
        printf("1..1\n");
        bool same = run_one(d, asked.only);
        if (same)
            problem_describe(&current, stdout);
        printf("%s 1 - problem %" PRIu64 "\n", same ? "ok" : "not ok", asked.only);
        return !same;
    }
    run_all(d);
    int points = 0, bad = 0;
    for (int op = 0; op < N_OPS; op++) {
        if (!asked.ops[op])
            continue;
        printf("%s %d - %s: %" PRIu64 " problems", mismatches[op] ? "not ok" : "ok", ++points,
               op_names[op], runs[op]);
        printf(mismatches[op] ? ", %" PRIu64 " mismatches\n" : "\n", mismatches[op]);
        bad += mismatches[op] > 0;
    }
    printf("1..%d\n", points);
    return bad > 0;
}

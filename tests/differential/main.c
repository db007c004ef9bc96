// SPDX-License-Identifier: Apache-2.0
//
// The differential test: random problems over everything that the ops take, against selftest/ref.
// A plain program, so that it runs under any sanitizer and on any driver.
//
//     differential [--seed S] [--count N] [--op NAME[,NAME...]] [--only K] [--strategy LIST]
//                  [--time-limit SECONDS] [--jobs J] [--block N]
//
// Prints TAP: a point for each op, with the number of its problems that were run, and one for each
// strategy, with the number of calls that took it. A problem depends on the seed and its number
// alone: `--seed S --only K` repeats one, and says what it is. --strategy gives all problems the
// words of LIST in the place of their own; what they are stays the same, but for the values of sums
// whose order is open then.
// --jobs divides the problems among processes. --block is how many in a row share dtype, reduction
// and strategies (250): with more of them long runs compile fewer kernels. It takes part in what a
// problem is.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trial.h"

enum {
    USAGE = 2,
    NO_DEVICE = 77,
    MOST_MISMATCHES = 10,
    MOST_JOBS = 64,
    ENOUGH = 5000, // problems of which some must have taken each strategy
    STUCK = 600,   // seconds after which a problem is taken for endless
};

static struct {
    uint64_t seed, count;
    bool ops[N_OPS];
    bool has_only;
    uint64_t only;
    const char *strategy;
    double time_limit; // seconds; 0: none
    int jobs;
} asked = {.seed = 20240607, .count = 20000, .jobs = 1};

typedef struct totals {
    bool has_buckets; // the device
    uint64_t runs[N_OPS], mismatches[N_OPS], taken[N_OPS][N_STRATEGIES];
} totals;

static totals mine; // of this process

static const char usage[] =
    "usage: differential [--seed S] [--count N] [--op NAME[,NAME...]] [--only K]\n"
    "                    [--strategy LIST] [--time-limit SECONDS] [--jobs J] [--block N]\n";

// Ending a test ----------------------------------------------------------------------------------

static const char *repeat_command(void)
{
    static char text[160];
    snprintf(text, sizeof text,
             "# repeat: differential --seed %" PRIu64 " --block %" PRIu64 " --only %" PRIu64 "\n",
             trial_problem.seed, menu_problems, trial_problem.number);
    return text;
}

static _Noreturn void skip(void)
{
    if (asked.jobs > 1 && !asked.has_only) {
        printf("# %s\n", trial_reason());
        exit(NO_DEVICE);
    }
    printf("1..0 # SKIP %s\n", trial_reason());
    exit(0);
}

// A driver that crashes or hangs takes the process with it, so this says on which problem.
static void on_crash(int number)
{
    const char *text = repeat_command();
    (void)number;
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(1);
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

static void read_argument(const char *name, const char *value)
{
    if (!value)
        refuse("a value is missing after", name);
    if (strcmp(name, "--op") == 0) {
        read_ops(value);
        return;
    }
    if (strcmp(name, "--strategy") == 0) {
        asked.strategy = value;
        return;
    }
    uint64_t number = read_number(name, value);
    if (strcmp(name, "--seed") == 0) {
        asked.seed = number;
    } else if (strcmp(name, "--count") == 0) {
        asked.count = number;
    } else if (strcmp(name, "--only") == 0) {
        asked.only = number;
        asked.has_only = true;
    } else if (strcmp(name, "--block") == 0 && number >= 1) {
        menu_problems = number;
    } else if (strcmp(name, "--time-limit") == 0) {
        asked.time_limit = (double)number;
    } else if (strcmp(name, "--jobs") == 0 && number >= 1 && number <= MOST_JOBS) {
        asked.jobs = (int)number;
    } else {
        refuse(name, value);
    }
}

static void read_arguments(int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i += 2)
        read_argument(argv[i], argv[i + 1]);
    for (int i = 0; i < N_OPS; i++)
        any |= asked.ops[i];
    for (int i = 0; i < N_OPS && !any; i++)
        asked.ops[i] = true;
}

// Running ----------------------------------------------------------------------------------------

static void get_device(void *d)
{
    *(const device **)d = device_get();
}

static const device *open_device(void)
{
    const device *d;
    const trial_end end = trial_work(get_device, &d);
    if (end == TRIAL_SKIPPED)
        skip();
    if (end == TRIAL_WRONG) {
        printf("# %s\n", trial_reason());
        exit(1);
    }
    trial_on_crash(on_crash);
    return d;
}

// Whether the problem came out as it should.
static bool run_one(const device *d, uint64_t number, bool describe)
{
    const problem *p = &trial_problem;
    alarm(STUCK);
    const bool right = trial_run(d, asked.seed, number, asked.strategy, describe) == TRIAL_RIGHT;
    mine.runs[p->op]++;
    if (right) {
        if (p->done)
            mine.taken[p->op][strategy_of_plan(&p->plan)]++;
        return true;
    }
    mine.mismatches[p->op]++;
    printf("# %s\n", trial_reason());
    if (!describe)
        problem_describe(p, stdout);
    printf("%s", repeat_command());
    fflush(stdout);
    return false;
}

// Of the blocks of problems, every jobs-th from `job` on. A block's kernels are compiled in one
// process only.
static void run_job(const device *d, int job)
{
    double start = trial_seconds(), reported = start;
    uint64_t number = 0, wrong = 0;
    mine.has_buckets = device_has_buckets(d);
    for (uint64_t done = 0; done < asked.count && wrong < MOST_MISMATCHES; number++) {
        if (!asked.ops[problem_op(asked.seed, number)])
            continue;
        done++;
        if ((int)(number / menu_problems % (uint64_t)asked.jobs) != job)
            continue;
        double now = trial_seconds();
        if (asked.time_limit > 0 && now - start > asked.time_limit) {
            printf("# stopped by the time limit of %.0f s\n", asked.time_limit);
            break;
        }
        if (now - reported > 300) {
            printf("# at problem %" PRIu64 " after %.0f s\n", number, now - start);
            fflush(stdout);
            reported = now;
        }
        wrong += !run_one(d, number, false);
    }
}

static void add(const totals *more)
{
    mine.has_buckets |= more->has_buckets;
    for (int op = 0; op < N_OPS; op++) {
        mine.runs[op] += more->runs[op];
        mine.mismatches[op] += more->mismatches[op];
        for (int s = 0; s < N_STRATEGIES; s++)
            mine.taken[op][s] += more->taken[op][s];
    }
}

// Runs the jobs in processes, which write their totals into a pipe. Whether all came to their end.
static bool run_processes(bool *no_device)
{
    int ends[2], all_ended = true;
    totals more;
    fflush(stdout);
    if (pipe(ends))
        refuse("no pipe", strerror(errno));
    for (int job = 0; job < asked.jobs; job++) {
        pid_t child = fork();
        if (child < 0)
            refuse("cannot fork", strerror(errno));
        if (child == 0) {
            run_job(open_device(), job);
            fflush(stdout);
            exit(write(ends[1], &mine, sizeof mine) != (ssize_t)sizeof mine);
        }
    }
    close(ends[1]);
    while (read(ends[0], &more, sizeof more) == (ssize_t)sizeof more)
        add(&more);
    close(ends[0]);
    for (int job = 0; job < asked.jobs; job++) {
        int status = 0;
        wait(&status);
        all_ended &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
        *no_device |= WIFEXITED(status) && WEXITSTATUS(status) == NO_DEVICE;
    }
    return all_ended;
}

// Reporting --------------------------------------------------------------------------------------

static int report_ops(int *points)
{
    int bad = 0;
    for (int op = 0; op < N_OPS; op++) {
        if (!asked.ops[op])
            continue;
        bool ok = mine.runs[op] > 0 && mine.mismatches[op] == 0;
        printf("%s %d - %s: %" PRIu64 " problems, %" PRIu64 " mismatches;", ok ? "ok" : "not ok",
               ++*points, op_names[op], mine.runs[op], mine.mismatches[op]);
        for (int s = 0; s < N_STRATEGIES; s++)
            if (mine.taken[op][s])
                printf(" %s %" PRIu64, s ? strategy_names[s] : "nothing to do", mine.taken[op][s]);
        printf("\n");
        bad += !ok;
    }
    return bad;
}

// A strategy that no call has taken would not have been tested at all.
static int report_strategies(int *points)
{
    int bad = 0;
    uint64_t problems[2] = {0, 0}; // of scatters, and of the others
    bool all_ways = asked.count / menu_problems * MENU_WAYS >= (uint64_t)n_ways;
    for (int op = 0; op < N_OPS; op++)
        problems[!op_is_scatter((op_id)op)] += mine.runs[op];
    for (int s = BY_LANES; s < N_STRATEGIES; s++) {
        bool moves = s < BY_STORE;
        uint64_t taken = 0;
        for (int op = 0; op < N_OPS; op++)
            taken += mine.taken[op][s];
        bool judged = problems[moves] >= ENOUGH && all_ways && !asked.strategy &&
                      (s != BY_BUCKETS || mine.has_buckets);
        printf("%s %d - strategy %s was taken by %" PRIu64 " calls%s\n",
               taken || !judged ? "ok" : "not ok", ++*points, strategy_names[s], taken,
               taken || judged ? "" : " # SKIP too few problems, or none that the device takes so");
        bad += !taken && judged;
    }
    return bad;
}

int main(int argc, char **argv)
{
    int points = 0;
    bool ended = true, no_device = false;
    read_arguments(argc, argv);
    printf("# seed %" PRIu64 "\n", asked.seed);
    if (asked.has_only) {
        bool same = run_one(open_device(), asked.only, true);
        printf("%s 1 - problem %" PRIu64 "\n1..1\n", same ? "ok" : "not ok", asked.only);
        return !same;
    }
    double start = trial_seconds();
    if (asked.jobs > 1)
        ended = run_processes(&no_device);
    else
        run_job(open_device(), 0);
    if (no_device) {
        printf("1..0 # SKIP no device\n");
        return 0;
    }
    printf("# %.1f s\n", trial_seconds() - start);
    int bad = report_ops(&points) + report_strategies(&points) + !ended;
    printf("%s %d - every process came to its end\n", ended ? "ok" : "not ok", ++points);
    printf("1..%d\n", points);
    return bad > 0;
}

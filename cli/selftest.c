// SPDX-License-Identifier: Apache-2.0
//
// Random problems on a device, against plain loops that share no code with the library: those of
// selftest/problems, in an order that meets everything early.

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "facts.h"
#include "selftest_order.h"
#include "session.h"
#include "trial.h"

enum {
    USUAL_SEED = 20240607,
    USUAL_SECONDS = 40,
    MOST_SECONDS = 1000000,
    GRACE = 15,      // seconds for a problem that begins when the time is over, or runs then
    MOST_WRONG = 10, // of a group: then the others have their turn
};

// `taken` and `refused` count problems with the right result: by strategy, or rightly refused.
// `failed` counts wrong ones by the strategy of their plan.
struct tally {
    unsigned run, wrong, refused;
    unsigned taken[N_STRATEGIES], failed[N_STRATEGIES];
};

static struct {
    const struct arguments *arguments;
    struct session session;
    device device;
    uint64_t seed;
    double begin, end; // times
    char environment[256];
    const char *forced; // CLND_STRATEGY of all problems, or NULL
    const char *stage;  // before the first problem: what is done
    char repeat[512];   // the call that repeats the first wrong problem
    struct tally all;
    struct selftest_order order;
} test;

// Unless --quiet is given.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    if (test.arguments->quiet)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

// The call that repeats the problem that runs.
static void write_repeat(char *text, size_t size)
{
    const char *spec = test.arguments->device;
    snprintf(text, size, "%s%s%sclnd selftest%s%s%s --seed %" PRIu64 " --only %" PRIu64,
             test.forced ? "CLND_STRATEGY=" : "", test.forced ? test.forced : "",
             test.forced ? " " : "", spec ? " --device '" : "", spec ? spec : "", spec ? "'" : "",
             test.seed, trial_problem.number);
}

// In a signal handler, of a process whose driver may be broken, write() is all that is sure to
// work.
static void last_words(int number)
{
    static char repeat[512], text[1024];
    if (test.stage)
        snprintf(repeat, sizeof repeat, "%s", test.stage);
    else
        write_repeat(repeat, sizeof repeat);
    snprintf(text, sizeof text, "\nclnd: selftest: %s (signal %d) in: %s\n",
             number == SIGALRM ? "the device did not come back in time" : "the driver crashed",
             number, repeat);
    _exit(write(STDERR_FILENO, text, strlen(text)) < 0 ? STATUS_USAGE : STATUS_REFUSED);
}

// The device --------------------------------------------------------------------------------------

struct lack {
    bool is_there;
    const char *feature, *instead;
};

static void print_lacks(const device *d)
{
    const clnd_device_facts *facts = d->facts;
    const struct lack lacks[] = {
        {facts->fp64, "fp64", "float64 and complex128 are reduced in integers, to the same bits"},
        {facts->fp16, "fp16", "nothing is lost: 16-bit floats are computed in float32 everywhere"},
        {facts->int64_atomics, "64-bit atomics",
         "8-byte elements are reduced by sort, owner or private"},
        {facts->float_atomics.float32, "float atomics",
         "nothing is lost: atomic sums of floats use exchanges"},
        {device_sorts(d), "groups that sort",
         "scatters take owner or private: work-groups of 64 and 16 KiB of local memory are needed"},
        {facts->out_of_order_queues, "out-of-order queues",
         "nothing is lost: calls are chained by events; in-order queues are tested"},
        {facts->unified_memory, "unified memory", "calls on host arrays copy"},
        {d->subnormals, "float32 subnormals", "arithmetic on them may give 0"},
        {facts->loop_iterations == 0, "long loops",
         "the driver ends them early: scatters take store or owner, in short launches"},
    };
    const char *title = "lacks";
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; ++i) {
        if (lacks[i].is_there)
            continue;
        say("     %-9s  %-19s  %s\n", title, lacks[i].feature, lacks[i].instead);
        title = "";
    }
}

static void open_engine(void *nothing)
{
    clnd_engine *engine = NULL;
    (void)nothing;
    if (session_check(&test.session, clnd_engine_open(test.arguments->device, NULL, &engine)))
        device_use(&test.device, engine);
}

static bool begin(void)
{
    test.stage = "opening the device";
    if (trial_work(open_engine, NULL) != TRIAL_RIGHT)
        test.session.status =
            refuse(test.session.command, STATUS_REFUSED, "the device: %s", trial_reason());
    if (test.session.status)
        return false;
    if (!test.arguments->quiet) {
        facts_print_text(test.device.facts->name);
        printf("\n");
        facts_print(test.device.facts, true);
        print_lacks(&test.device);
        fflush(stdout);
    }
    return true;
}

// Problems ----------------------------------------------------------------------------------------

static void count(struct tally *tally, bool right)
{
    const problem *p = &trial_problem;
    const strategy_id strategy = p->plan.strategy ? strategy_of_plan(&p->plan) : BY_NONE;
    tally->run++;
    if (!right) {
        tally->wrong++;
        tally->failed[strategy]++;
    } else if (p->done) {
        tally->taken[strategy]++;
    } else {
        tally->refused++;
    }
}

// A driver that hangs is given up.
static void set_alarm(void)
{
    const double left = test.end - trial_seconds();
    alarm((left > 0 ? (unsigned)left : 0) + GRACE);
}

static bool run_problem(uint64_t number, struct tally *tally)
{
    test.stage = NULL;
    set_alarm();
    trial_problem.number = number; // for the last words
    const bool right =
        trial_run(&test.device, test.seed, number, test.forced, false) == TRIAL_RIGHT;
    count(tally, right);
    count(&test.all, right);
    return right;
}

// Describes a wrong problem, and how to repeat it. The first one in full.
static void note_wrong(FILE *notes)
{
    fprintf(notes, "  wrong: %s\n", trial_reason());
    if (test.repeat[0])
        return;
    problem_describe(&trial_problem, notes);
    write_repeat(test.repeat, sizeof test.repeat);
    fprintf(notes, "  repeat: %s\n", test.repeat);
}

static const char *name_of(int strategy)
{
    return strategy ? strategy_names[strategy] : "no work";
}

static void say_tally(const struct tally *tally)
{
    const char *comma = "";
    say("%8u  %6u  %5u  ", tally->run, tally->run - tally->wrong, tally->wrong);
    for (int i = 0; i < N_STRATEGIES; ++i) {
        if (!tally->taken[i] && !tally->failed[i])
            continue;
        say("%s%s %u", comma, name_of(i), tally->taken[i] + tally->failed[i]);
        if (tally->failed[i])
            say(" (%u wrong)", tally->failed[i]);
        comma = ", ";
    }
    say("%s%s", tally->refused ? comma : "", tally->refused ? "refused " : "");
    if (tally->refused)
        say("%u", tally->refused);
    say("\n");
}

// However little time there is, each line has a problem.
static bool may_run(const struct tally *tally, double now)
{
    return tally->run == 0 || (now < test.end && tally->wrong < MOST_WRONG);
}

// Runs the problems that there is time for, and those that share their kernels, which cost next to
// nothing.
static void run_problems(int i, double end, struct tally *tally, FILE *notes)
{
    uint64_t number;
    for (double now; may_run(tally, now = trial_seconds());)
        if (!selftest_order_next(&test.order, i, tally->run && now >= end, &number))
            break;
        else if (!run_problem(number, tally) && tally->wrong == 1 && notes)
            note_wrong(notes);
}

// A line begins before the problems run, so that one can see where a driver hangs.
static void run_group(int i)
{
    static const char *const reductions[] = {"", "update", "add", "sub", "mul", "min", "max"};
    const struct selftest_group *group = &test.order.groups[i];
    const double now = trial_seconds(), end = now + (test.end - now) / (SELFTEST_GROUPS - i);
    struct tally tally = {0};
    char *notes_text = NULL;
    size_t notes_size;
    FILE *notes = open_memstream(&notes_text, &notes_size);
    say("%-20s  %-9s  ", op_names[group->op], reductions[group->reduce]);
    fflush(stdout);
    run_problems(i, end, &tally, notes);
    say_tally(&tally);
    if (notes)
        fclose(notes);
    say("%s", notes_text ? notes_text : "");
    fflush(stdout);
    free(notes_text);
}

// Results by strategy, and the strategies that no call took.
static void say_strategies(void)
{
    bool any = false;
    say("\n%-20s  %-9s  %8s  %6s  %5s\n", "strategy", "", "problems", "passed", "wrong");
    for (int i = BY_NONE + 1; i < N_STRATEGIES; ++i)
        if (test.all.taken[i] || test.all.failed[i])
            say("%-20s  %-9s  %8u  %6u  %5u\n", name_of(i), "",
                test.all.taken[i] + test.all.failed[i], test.all.taken[i], test.all.failed[i]);
    for (int strategy = BY_STORE; strategy < N_STRATEGIES; ++strategy) {
        if (test.all.taken[strategy] || test.all.failed[strategy])
            continue;
        say("%s%s", any ? ", " : "not taken by any call: ", name_of(strategy));
        any = true;
    }
    say("%s", any ? "\n" : "");
}

static void sort_problems(void *nothing)
{
    (void)nothing;
    selftest_order_make(&test.order, test.seed);
}

static void run_groups(unsigned seconds)
{
    test.stage = "drawing the problems";
    if (trial_work(sort_problems, NULL) != TRIAL_RIGHT) {
        test.session.status = refuse(test.session.command, STATUS_REFUSED, "%s", trial_reason());
        return;
    }
    say("\n%-20s  %-9s  %8s  %6s  %5s  %s\n", "operation", "reduction", "problems", "passed",
        "wrong", "strategies");
    for (int i = 0; i < SELFTEST_GROUPS; ++i)
        run_group(i);
    say_strategies();
    say("\n%u of %d problems (%.1f %%) of seed %" PRIu64 " ran in %.1f s, the limit is %u s\n",
        test.all.run, SELFTEST_PROBLEMS, 100.0 * test.all.run / (double)SELFTEST_PROBLEMS,
        test.seed, trial_seconds() - test.begin, seconds);
}

static void run_only(void)
{
    test.stage = NULL;
    say("\n");
    const bool right = trial_run(&test.device, test.seed, test.arguments->only.value, test.forced,
                                 !test.arguments->quiet) == TRIAL_RIGHT;
    count(&test.all, right);
    if (!right) {
        write_repeat(test.repeat, sizeof test.repeat);
        say("  wrong: %s\n", trial_reason());
    } else {
        say("  right: strategy %s\n", trial_problem.plan.strategy);
    }
}

static void judge(void)
{
    struct session *session = &test.session;
    if (session->status)
        return;
    if (test.all.wrong)
        session->status = refuse(session->command, STATUS_REFUSED,
                                 "%u of %u problems came out wrong; the first: %s", test.all.wrong,
                                 test.all.run, test.repeat);
}

static int run(const struct command *command, const struct arguments *arguments)
{
    const struct number *limit = &arguments->time_limit;
    const char *strategy = getenv("CLND_STRATEGY");
    const unsigned seconds = !limit->given                 ? USUAL_SECONDS
                             : limit->value < MOST_SECONDS ? (unsigned)limit->value
                                                           : MOST_SECONDS;
    test.arguments = arguments;
    test.seed = arguments->seed.given ? arguments->seed.value : USUAL_SEED;
    test.begin = trial_seconds();
    test.end = test.begin + seconds;
    if (strategy && *strategy) { // the problems have words of their own
        snprintf(test.environment, sizeof test.environment, "%s", strategy);
        test.forced = test.environment;
    }
    session_begin(&test.session, command, arguments);
    trial_on_crash(last_words);
    set_alarm();
    if (begin() && arguments->only.given)
        run_only();
    else if (!test.session.status)
        run_groups(seconds);
    problem_end();
    device_close(&test.device);
    alarm(0);
    judge();
    return session_end(&test.session);
}

const struct command command_selftest = {
    .name = "selftest",
    .usage = "[OPTIONS]",
    .summary = "check a device: random problems against plain loops",
    .notes = "Status 1 says that something came out wrong, crashed, or hung. One problem of\n"
             "each line runs however long it takes, so the first run on a device, which\n"
             "compiles most kernels, may overrun --time-limit. CLND_STRATEGY, where it is\n"
             "set, holds for all problems.\n",
    .example = "the default device, for five seconds, or longer if it has no kernels yet:\n"
               "  $ clnd selftest --time-limit 5\n",
    .options = {{OPTION_DEVICE, NULL},
                {OPTION_SEED, NULL},
                {OPTION_TIME_LIMIT, NULL},
                {OPTION_ONLY, NULL},
                {OPTION_QUIET, "nothing on standard output; the status tells"},
                {OPTION_HELP, NULL},
                {OPTION_VERSION, NULL},
                {OPTION_BOUNDS, NULL},
                {OPTION_DETERMINISTIC, NULL},
                {OPTION_TIME, WITHOUT_EFFECT}},
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};

// SPDX-License-Identifier: Apache-2.0
//
// The soak test: the differential test's problems in a random mix, for a given time, on engines and
// queues that come and go. Nothing may pile up.
//
//     soak [--time SECONDS] [--seed N] [--plant memory,buffer]
//
// Now and then everything is released. Then no OpenCL object that this program or the library has
// made may be alive, no memory of the library either, and the process may not have grown: its heap
// and its resident memory are compared with those after a warm-up, in which every kernel is
// compiled once; it comes before the time. Prints TAP. --plant leaks on purpose, as a test of the
// test.
//
// The heap is exact, but knows only malloc. Resident memory knows all, but grows somewhat without
// any leak: compilers inside drivers leave the heap in pieces. So the one has a close bound and the
// other a wide one, with an allowance for each engine.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "memory.h"
#include "opencl.h"
#include "trial.h"

enum {
    USAGE = 2,
    ENGINES = 3,
    POOL = 30,     // problems of each menu that take part
    PROBLEMS = 60, // of a round, in which one engine is made anew
    ROUNDS = 3,    // from one look at memory to the next
    ENOUGH = 3,    // such looks after the warm-up, also where the time is over
    SECONDS_A_MENU = 30,
    MOST_MISMATCHES = 10,
    STUCK = 600,              // seconds after which a problem is taken for endless
    HEAP_MAY_GROW = 1024,     // KiB
    RESIDENT_MAY_GROW = 8192, // KiB, and
    GROWTH_AN_ENGINE = 64,    // KiB
    PLANTED = 8 << 20,        // bytes a round
};

static struct {
    double seconds;
    uint64_t seed;
    const char *plant;
} asked = {.seconds = 60, .seed = 20240607, .plant = ""};

static struct {
    device devices[ENGINES];
    rng rng;
    double begin;
    uint64_t rounds, menus; // menus: how many take part
    uint64_t problems, mismatches, engines, queues;
    int looks, settled;           // settled: after the warm-up
    int objects, blocks;          // the most that was alive when nothing should
    long heap, most_heap;         // KiB, after the warm-up
    long resident, most_resident; // KiB, likewise
    uint64_t engines_before;      // made until then
} soak;

// Arguments ---------------------------------------------------------------------------------------

static _Noreturn void refuse(const char *name, const char *value)
{
    fprintf(stderr,
            "soak: %s %s\n"
            "usage: soak [--time SECONDS] [--seed N] [--plant memory,buffer]\n",
            name, value ? value : "needs a value");
    exit(USAGE);
}

static uint64_t read_number(const char *name, const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-')
        refuse(name, text);
    return value;
}

static void read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (!value)
            refuse(name, value);
        if (strcmp(name, "--time") == 0)
            asked.seconds = (double)read_number(name, value);
        else if (strcmp(name, "--seed") == 0)
            asked.seed = read_number(name, value);
        else if (strcmp(name, "--plant") == 0)
            asked.plant = value;
        else
            refuse(name, value);
    }
}

// Engines and queues ------------------------------------------------------------------------------

static void open_engine(void *d)
{
    device_open(d);
    soak.engines++;
}

static void close_engine(device *d)
{
    problem_end(); // its report may be this engine's
    device_close(d);
}

// Another out-of-order queue, where the device has such.
static void renew_queue(void *what)
{
    device *d = what;
    if (d->other == d->queue)
        return;
    check_cl(clReleaseCommandQueue(d->other));
    d->other = d->queue;
    d->other = device_new_queue(d, true);
    soak.queues++;
}

static void try(void (*work)(void *), void *what)
{
    const trial_end end = trial_work(work, what);
    if (end == TRIAL_RIGHT)
        return;
    printf(end == TRIAL_SKIPPED ? "1..0 # SKIP %s\n" : "Bail out! %s\n", trial_reason());
    exit(end == TRIAL_WRONG);
}

// A round -----------------------------------------------------------------------------------------

static void plant(void)
{
    if (strstr(asked.plant, "memory")) {
        char *block = malloc(PLANTED);
        if (block)
            memset(block, 1, PLANTED);
    }
    if (strstr(asked.plant, "buffer")) {
        cl_int code;
        clCreateBuffer(soak.devices[0].context, CL_MEM_READ_WRITE, 1, NULL, &code);
    }
}

static void run_problem(const device *d, uint64_t number)
{
    soak.problems++;
    alarm(STUCK);
    if (trial_run(d, asked.seed, number, NULL, false) == TRIAL_RIGHT)
        return;
    soak.mismatches++;
    printf("# %s\n", trial_reason());
    problem_describe(&trial_problem, stdout);
    fflush(stdout);
}

static void open_engines(void)
{
    for (int i = 0; i < ENGINES; i++)
        if (!soak.devices[i].engine)
            try(open_engine, &soak.devices[i]);
}

// All problems of all menus, each once.
static void warm_up(void)
{
    open_engines();
    for (uint64_t i = 0; i < soak.menus * POOL && soak.mismatches < MOST_MISMATCHES; i++)
        run_problem(&soak.devices[0], i / POOL * MENU_PROBLEMS + i % POOL);
}

// Problems of one menu, on all engines.
static void run_round(void)
{
    rng *r = &soak.rng;
    const uint64_t which = (uint64_t)rng_range(r, 0, (int64_t)soak.menus - 1);
    close_engine(&soak.devices[soak.rounds % ENGINES]);
    open_engines();
    for (int i = 0; i < PROBLEMS && soak.mismatches < MOST_MISMATCHES; i++) {
        device *d = &soak.devices[rng_range(r, 0, ENGINES - 1)];
        if (rng_chance(r, 5))
            try(renew_queue, d);
        run_problem(d, which * MENU_PROBLEMS + (uint64_t)rng_range(r, 0, POOL - 1));
    }
    plant();
    soak.rounds++;
}

// Looking at memory -------------------------------------------------------------------------------

// Bytes that malloc has given and not got back, in KiB; 0 where nobody knows.
static long heap_size(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return (long)((info.uordblks + info.hblkhd) / 1024);
#else
    return 0;
#endif
}

static long resident_size(void)
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
#ifdef __GLIBC__
    malloc_trim(0); // what is free is no growth
#endif
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void look(bool settled)
{
    int objects = 0;
    for (int i = 0; i < ENGINES; i++)
        close_engine(&soak.devices[i]);
    for (int kind = 0; kind < OPENCL_KINDS; kind++)
        objects += opencl_count().count[kind];
    const long heap = heap_size(), resident = resident_size();
    soak.looks++;
    if (objects > soak.objects) {
        soak.objects = objects;
        printf("# %s\n", opencl_complaint(NULL));
    }
    if (memory_count() > soak.blocks)
        soak.blocks = memory_count();
    printf("# %6.1f s: %" PRIu64 " problems, %" PRIu64 " engines, %" PRIu64
           " queues; alive: %d objects, %d blocks; heap %ld, resident %ld KiB%s\n",
           trial_seconds() - soak.begin, soak.problems, soak.engines, soak.queues, objects,
           memory_count(), heap, resident, settled ? "" : ", warming up");
    fflush(stdout);
    if (!settled)
        return;
    if (soak.settled++ == 0) {
        soak.heap = heap;
        soak.resident = resident;
        soak.engines_before = soak.engines;
    }
    soak.most_heap = heap > soak.most_heap ? heap : soak.most_heap;
    soak.most_resident = resident > soak.most_resident ? resident : soak.most_resident;
}

static void run(void)
{
    warm_up();
    look(false);
    soak.begin = trial_seconds();
    while ((trial_seconds() - soak.begin < asked.seconds || soak.settled < ENOUGH) &&
           soak.mismatches < MOST_MISMATCHES) {
        for (int i = 0; i < ROUNDS; i++)
            run_round();
        look(soak.looks > 1);
    }
}

static void last_words(int number)
{
    static char text[160];
    snprintf(text, sizeof text,
             "# signal %d in: differential --seed %" PRIu64 " --only %" PRIu64 "\n", number,
             asked.seed, trial_problem.number);
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

static int points, bad;

static const char *point(bool good)
{
    static char text[32];
    bad += !good;
    snprintf(text, sizeof text, "%s %d -", good ? "ok" : "not ok", ++points);
    return text;
}

static void report_size(const char *what, long first, long most, long growth)
{
    printf("%s %s in KiB: %ld after the warm-up, at most %ld, bound %ld%s\n",
           point(most == 0 || most - first <= growth), what, first, most, first + growth,
           most ? "" : " # SKIP not known here");
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    printf("# seed %" PRIu64 ", %.0f s\n", asked.seed, asked.seconds);
    soak.rng = rng_of(asked.seed, "soak", 0);
    soak.menus = 1 + (uint64_t)asked.seconds / SECONDS_A_MENU;
    trial_on_crash(last_words);
    opencl_enter(); // everything counts, also what the problems make
    soak.begin = trial_seconds();
    run();
    printf("%s %" PRIu64 " problems, %" PRIu64 " mismatches\n",
           point(soak.problems > 0 && soak.mismatches == 0), soak.problems, soak.mismatches);
    printf("%s %d OpenCL objects are left over, looked %d times\n", point(soak.objects == 0),
           soak.objects, soak.looks);
    printf("%s %d blocks and locks of the library are left over\n", point(soak.blocks == 0),
           soak.blocks);
    printf("%s memory was looked at %d times after the warm-up\n", point(soak.settled >= ENOUGH),
           soak.settled);
    report_size("heap", soak.heap, soak.most_heap, HEAP_MAY_GROW);
    report_size("resident memory", soak.resident, soak.most_resident,
                RESIDENT_MAY_GROW + GROWTH_AN_ENGINE * (long)(soak.engines - soak.engines_before));
    printf("1..%d\n", points);
    return bad > 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Gathers and sums over a table on the ranks of an MPI communicator, by clnd-mpi and by others:
//
//     mpirun -n RANKS clnd-bench-mpi ROWS ASKED DISTRIBUTION SAMPLES
//
// ROWS of the whole table, ASKED by each rank. All results are verified, then all ways are timed in
// turn. Rank 0 writes JSON. bench/mpi/scaling.py runs this for many sizes: docs/mpi.md, "How fast".

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "failure.h"
#include "machine.h"
#include "problem.h"
#include "samples.h"

enum { NEW, KEPT, N_PATTERNS }; // what follows from indices: found again in each call, or once

struct contender {
    const struct way *way;
    bool merges;
    void *states[N_PATTERNS];
    int64_t sent[N_PATTERNS];
    struct samples seconds[N_PATTERNS];
};

static void call(const struct contender *c, int pattern)
{
    if (pattern == NEW)
        c->way->once(c->states[NEW]);
    else
        c->way->run(c->states[KEPT]);
}

static void open_state(struct contender *c, struct problem *problem, bool scatters, int pattern)
{
    problem_fill(problem, scatters);
    c->states[pattern] = c->way->open(problem, scatters, c->merges);
    if (pattern == KEPT)
        c->way->prepare(c->states[KEPT]);
}

static void close_state(struct contender *c, int pattern)
{
    if (pattern == KEPT)
        c->way->forget(c->states[KEPT]);
    c->way->close(c->states[pattern]);
}

// Bytes that have left by the loopback interface, of all programs; 0 where Linux does not tell.
static int64_t loopback_bytes(void)
{
    char line[256];
    int64_t bytes = 0;
    FILE *file = fopen("/proc/net/dev", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, " lo: %*d %*d %*d %*d %*d %*d %*d %*d %" SCNd64, &bytes);
    if (file)
        fclose(file);
    return bytes;
}

// What one call sends: over the loopback interface, where MPI was told to take it. Other programs
// can only add to it.
static int64_t sent(const struct contender *c, int pattern)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const int64_t before = loopback_bytes();
        MPI_Barrier(MPI_COMM_WORLD);
        call(c, pattern);
        MPI_Barrier(MPI_COMM_WORLD);
        const int64_t bytes = loopback_bytes() - before;
        least = bytes < least ? bytes : least;
    }
    return least;
}

static void verify(struct contender *c, struct problem *problem, bool scatters)
{
    for (int pattern = 0; pattern < N_PATTERNS; pattern++) {
        open_state(c, problem, scatters, pattern);
        call(c, pattern);
        close_state(c, pattern);
        need(problem_holds(problem, scatters) || fail("a wrong result"), c->way->name);
    }
}

// All ranks begin together; the slowest counts.
static double seconds_of(const struct contender *c, int pattern)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = clock_now();
    call(c, pattern);
    const double mine = clock_now() - begin;
    double slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void measure(struct contender *all, int n, int samples)
{
    for (int i = -1; i < samples; i++) // the first to warm up
        for (int c = 0; c < n; c++)
            for (int pattern = 0; pattern < N_PATTERNS; pattern++) {
                const double seconds = seconds_of(&all[c], pattern);
                need(i < 0 || samples_add(&all[c].seconds[pattern], seconds), "samples");
            }
}

static json_int_t over_ranks(int64_t number, MPI_Op op)
{
    int64_t result;
    MPI_Allreduce(&number, &result, 1, MPI_INT64_T, op, MPI_COMM_WORLD);
    return (json_int_t)result;
}

static void add_result(json_t *results, struct contender *c, bool scatters, int pattern)
{
    const struct statistics times = samples_statistics(&c->seconds[pattern]);
    json_t *one =
        json_pack("{s:s s:s s:s s:b s:i s:f s:f s:I}", "op", scatters ? "scatter" : "gather", "way",
                  c->way->name, "pattern", pattern == NEW ? "new" : "kept", "merged", c->merges,
                  "n", times.n, "median_s", times.median, "min_s", times.minimum, "sent_bytes",
                  (json_int_t)c->sent[pattern]);
    need(one && json_array_append_new(results, one) == 0, "JSON");
}

static void run_op(struct problem *problem, bool scatters, int samples, json_t *results)
{
    struct contender all[] = {{.way = &way_clnd},
                              {.way = &way_clnd, .merges = true},
                              {.way = &way_mpi},
#ifdef BENCH_PETSC
                              {.way = &way_petsc}
#endif
    };
    int n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i].merges && scatters))
            all[n++] = all[i];
    for (int c = 0; c < n; c++) {
        verify(&all[c], problem, scatters);
        for (int pattern = 0; pattern < N_PATTERNS; pattern++)
            open_state(&all[c], problem, scatters, pattern);
        for (int pattern = 0; pattern < N_PATTERNS; pattern++)
            all[c].sent[pattern] = sent(&all[c], pattern);
    }
    measure(all, n, samples);
    for (int c = 0; c < n; c++)
        for (int pattern = 0; pattern < N_PATTERNS; pattern++) {
            close_state(&all[c], pattern);
            add_result(results, &all[c], scatters, pattern);
            samples_free(&all[c].seconds[pattern]);
        }
}

static json_t *describe(const struct problem *problem, const char *distribution)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], date[32];
    const struct traffic traffic = problem_traffic(problem);
    struct machine machine;
    int length;
    machine_describe(&machine);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = 0;
    clock_date(date);
    return json_pack("{s:s s:s s:i s:s s:i s:I s:I s:i s:s s:I s:I}", "date", date, "processor",
                     machine.processor, "cores", machine.cores, "mpi", version, "ranks",
                     problem->ranks, "rows", (json_int_t)problem->rows, "asked",
                     (json_int_t)problem->asked, "row_bytes", ROW_BYTES, "distribution",
                     distribution, "least_bytes", ROW_BYTES * over_ranks(traffic.distinct, MPI_SUM),
                     "most_served", over_ranks(traffic.served, MPI_MAX));
}

int main(int argc, char **argv)
{
    struct problem problem;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    need(argc == 5 || fail("ROWS ASKED DISTRIBUTION SAMPLES are asked for"), "reading arguments");
    problem_create(&problem, atoll(argv[1]), atoll(argv[2]), argv[3]);
    json_t *document = describe(&problem, argv[3]), *results = json_array();
    need(document && results, "JSON");
    for (int scatters = 0; scatters < 2; scatters++)
        run_op(&problem, scatters, atoi(argv[4]), results);
    need(json_object_set_new(document, "results", results) == 0, "JSON");
    if (problem.rank == 0) {
        json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        printf("\n");
    }
    json_decref(document);
    problem_free(&problem);
    MPI_Finalize();
}

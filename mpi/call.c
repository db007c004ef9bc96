// SPDX-License-Identifier: Apache-2.0
//
// One operation: all ranks agree that it can be done, then rows travel in rounds. Two rounds are
// under way at once, so each may take half of the memory.

#include <limits.h>
#include <stdlib.h>

#include "internal.h"

enum { LEFT, NEED, ROWS, N_TOLD }; // what ranks tell each other of a round

typedef struct progress {
    int64_t done;  // rows of this rank
    int64_t round; // rows of a round, at most
    int turn;      // the rank whose rows go; -1: all ranks'
    bool last;     // nothing is left
} progress;

static bool is_16_bit_float(clnd_dtype dtype)
{
    return dtype == CLND_FLOAT16 || dtype == CLND_BFLOAT16;
}

static bool is_rounded_once(const mpi_call *call)
{
    const clnd_reduce reduce = call->options.reduce;
    return call->options.deterministic && is_16_bit_float(call->table->dtype) &&
           (reduce == CLND_REDUCE_ADD || reduce == CLND_REDUCE_SUB || reduce == CLND_REDUCE_MUL);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t rows_left(const mpi_call *call, const progress *p)
{
    return p->turn < 0 || p->turn == call->table->mpi->rank ? call->rows - p->done : 0;
}

// In turns only where a serial loop's order asks for it and more than one round is needed.
static clnd_status take_turns(const mpi_call *call, progress *p)
{
    if (is_rounded_once(call))
        return clnd__mpi_fail(CLND_BUFFER_TOO_SMALL,
                              "%s: sums of 16-bit floats that are rounded once must fit into one "
                              "round, and staging_bytes is %lld",
                              call->name, (long long)call->table->mpi->staging);
    p->turn = 0;
    return CLND_OK;
}

static clnd_status too_little(const mpi_call *call, int64_t need)
{
    return clnd__mpi_fail(CLND_INVALID_OPTION,
                          "%s: staging_bytes is %lld, but one row of each rank needs %lld",
                          call->name, (long long)call->table->mpi->staging,
                          (long long)(need > INT64_MAX / 2 ? INT64_MAX : 2 * need));
}

// Begins the next round, or a part of it: places travel, and rows wait for clnd__mpi_run_again. All
// ranks come to the same end. `mine` is how the rounds so far went on this rank.
static clnd_status next_round(const mpi_call *call, clnd_status mine, bool places_alone,
                              progress *p, mpi_round *round)
{
    const clnd_mpi *mpi = call->table->mpi;
    const bool in_order = call->scatters && call->options.deterministic;
    const int64_t limit = mpi->staging / 2;
    for (;;) {
        const int64_t rows = smaller(rows_left(call, p), p->round);
        int64_t told[N_TOLD] = {rows_left(call, p) - rows, 0, rows};
        clnd_status status = clnd__mpi_round_plan(round, call, mine, p->done, rows, &told[NEED]);
        if (status != CLND_OK)
            return status;
        if (told[NEED] <= limit)
            status = clnd__mpi_round_allocate(round);
        if (told[NEED] <= limit && status == CLND_OK && !places_alone)
            status = clnd__mpi_round_open(round);
        status = clnd__mpi_largest(mpi, status, N_TOLD, told);
        if (status != CLND_OK)
            return status;
        const bool fits = told[NEED] <= limit;
        if (in_order && p->turn < 0 && (!fits || told[LEFT])) {
            status = take_turns(call, p);
        } else if (fits) {
            p->done += rows;
            p->last = !told[LEFT] && (p->turn < 0 || ++p->turn == mpi->size);
            status = clnd__mpi_round_meet(round);
            if (places_alone || status == CLND_MPI_ERROR)
                return status;
            const clnd_status begun = clnd__mpi_round_begin(round);
            return status == CLND_OK ? begun : status;
        } else if (told[ROWS] > 1) {
            p->round = told[ROWS] / 2;
        } else {
            status = too_little(call, told[NEED]);
        }
        clnd__mpi_round_free(round);
        if (status != CLND_OK)
            return status;
    }
}

static progress no_progress(const mpi_call *call)
{
    enum { BESIDE_A_ROW = 80 }; // its places, and what the host keeps
    const int64_t each = call->table->mpi->staging / 2 / (call->slice_bytes + BESIDE_A_ROW);
    return (progress){.turn = -1, .round = smaller(each > 1 ? each : 1, INT_MAX)};
}

static clnd_status run_rounds(const mpi_call *call)
{
    progress p = no_progress(call);
    mpi_round rounds[2] = {{.call = NULL}, {.call = NULL}};
    clnd_status mine = CLND_OK, all = CLND_OK;
    int n = 0;
    for (; all == CLND_OK && mine != CLND_MPI_ERROR && !p.last; n = !n) {
        clnd_status status = next_round(call, mine, false, &p, &rounds[n]);
        if (!rounds[n].met)
            all = status; // of all ranks
        else if (mine == CLND_OK)
            mine = status; // which the others learn in the next round
        status = mine == CLND_MPI_ERROR ? mine : clnd__mpi_round_end(&rounds[!n]);
        mine = mine == CLND_OK ? status : mine;
        clnd__mpi_round_free(&rounds[!n]);
    }
    if (mine != CLND_MPI_ERROR) {
        const clnd_status status = clnd__mpi_round_end(&rounds[!n]);
        mine = mine == CLND_OK ? status : mine;
    }
    clnd__mpi_round_free(&rounds[!n]);
    if (all != CLND_OK || mine == CLND_MPI_ERROR)
        return all != CLND_OK ? all : mine;
    return clnd__mpi_agree(call->table->mpi, mine, 0, NULL);
}

// Under ERROR and WRAP nothing begins unless every row of every rank is good.
static clnd_status check_indices(const mpi_call *call)
{
    if (call->options.bounds != CLND_BOUNDS_ERROR && call->options.bounds != CLND_BOUNDS_WRAP)
        return CLND_OK;
    return clnd__mpi_agree(call->table->mpi, clnd__mpi_check_rows(call), 0, NULL);
}

// What must be the same on all ranks, and then what no index may be.
static clnd_status agree(const mpi_call *call, clnd_status mine)
{
    const mpi_field fields[] = {
        {"an operation with the number", call->by_elements + 2 * call->scatters},
        {"bounds", call->options.bounds},
        {"reduce", call->scatters ? (int64_t)call->options.reduce : 0},
        {"deterministic", call->options.deterministic},
        {"merge_duplicates", call->options.merge_duplicates},
        {"tuples of length", call->n_values},
        {"rows of bytes", call->slice_bytes},
    };
    const clnd_status status =
        clnd__mpi_agree(call->table->mpi, mine, sizeof fields / sizeof *fields, fields);
    return status == CLND_OK ? check_indices(call) : status;
}

static clnd_status make_row_type(mpi_call *call)
{
    const clnd_status status =
        clnd__mpi_code(MPI_Type_contiguous((int)call->slice_bytes, MPI_BYTE, &call->row_type),
                       "MPI_Type_contiguous");
    if (status != CLND_OK)
        return status;
    return clnd__mpi_code(MPI_Type_commit(&call->row_type), "MPI_Type_commit");
}

clnd_status clnd__mpi_run(mpi_call *call, clnd_status mine)
{
    clnd_status status = agree(call, mine);
    if (status != CLND_OK || !call->slice_bytes)
        return status;
    status = make_row_type(call);
    if (status != CLND_OK)
        return status;
    status = run_rounds(call);
    MPI_Type_free(&call->row_type);
    return status;
}

// Plans ------------------------------------------------------------------------------------------

// Room for one more; a failure is told in the next round.
static clnd_status add_round(struct clnd_mpi_plan *plan)
{
    mpi_round *more = realloc(plan->rounds, (size_t)(plan->n_rounds + 1) * sizeof *more);
    if (more)
        plan->rounds = more;
    return clnd__mpi_memory(more, (int64_t)sizeof *more);
}

clnd_status clnd__mpi_plan(struct clnd_mpi_plan *plan, clnd_status mine)
{
    const mpi_call *call = &plan->call;
    clnd_status status = agree(call, mine);
    if (status != CLND_OK || !call->slice_bytes)
        return status;
    progress p = no_progress(call);
    while (status == CLND_OK && !p.last) {
        mine = clnd__mpi_agree(call->table->mpi, add_round(plan), 0, NULL);
        if (mine != CLND_OK)
            return mine;
        mpi_round *round = &plan->rounds[plan->n_rounds];
        plan->n_rounds++;
        status = next_round(call, CLND_OK, true, &p, round);
        if (status == CLND_OK || round->met)
            status = clnd__mpi_agree(call->table->mpi, status, 0, NULL);
    }
    return status == CLND_OK ? make_row_type(&plan->call) : status;
}

clnd_status clnd__mpi_run_again(struct clnd_mpi_plan *plan, const clnd_tensor *dense,
                                clnd_status mine)
{
    const clnd_mpi *mpi = plan->call.table->mpi;
    clnd_status status =
        clnd__mpi_agree(mpi, mine, 1, &(mpi_field){"a plan with the number", plan->number});
    plan->call.dense = dense;
    for (int n = 0; status == CLND_OK && n <= plan->n_rounds; n++) {
        mpi_round *next = n < plan->n_rounds ? &plan->rounds[n] : NULL;
        mpi_round *last = n > 0 ? &plan->rounds[n - 1] : NULL;
        if (next)
            status = clnd__mpi_agree(mpi, clnd__mpi_round_open(next), 0, NULL);
        mine = CLND_OK;
        if (next && status == CLND_OK)
            mine = clnd__mpi_round_begin(next);
        const clnd_status ended = last ? clnd__mpi_round_end(last) : CLND_OK;
        if (last)
            clnd__mpi_round_close(last);
        mine = mine == CLND_OK ? ended : mine;
        if (status == CLND_OK)
            status = clnd__mpi_agree(mpi, mine, 0, NULL);
    }
    for (int n = 0; n < plan->n_rounds; n++) {
        clnd__mpi_round_end(&plan->rounds[n]);
        clnd__mpi_round_close(&plan->rounds[n]);
    }
    return status;
}

void clnd__mpi_forget(struct clnd_mpi_plan *plan)
{
    if (plan->call.row_type)
        MPI_Type_free(&plan->call.row_type);
    for (int n = 0; n < plan->n_rounds; n++)
        clnd__mpi_round_free(&plan->rounds[n]);
    free(plan->rounds);
}

// SPDX-License-Identifier: Apache-2.0
//
// What the files of clnd-mpi share. Of libclnd they use the public functions alone.
//
//     mpi.c      communicator, errors, and how ranks agree
//     table.c    which shard has a row
//     call.c     one operation: checks, then rounds
//     route.c    the rows of a round: to which shard each goes, and in which order
//     round.c    what travels in a round, and the ops of libclnd on both sides
//     stage.c    memory that both MPI and the device can use

#ifndef CLND_MPI_INTERNAL_H
#define CLND_MPI_INTERNAL_H

#include <clnd/mpi.h>
#include <stddef.h>
#include <stdint.h>

struct clnd_mpi {
    MPI_Comm comm;
    int rank, size;
    int64_t staging; // bytes
    int64_t plans;   // made so far
};

struct clnd_mpi_table {
    clnd_mpi *mpi;
    clnd_mpi_kind kind; // CYCLIC, or OFFSETS for all others
    int32_t n_dims, row_rank;
    int64_t shape[CLND_MAX_RANK]; // of the whole table
    int64_t rows, block, row_elements;
    int64_t *offsets;       // OFFSETS
    int *first;             // first[r]: the first shard of rank r; first[size]: how many there are
    int most;               // shards that a rank has at most
    clnd_mpi_shard *shards; // of this rank
    clnd_dtype dtype;
};

// Errors: set the text and return the status.
__attribute__((format(printf, 2, 3))) clnd_status clnd__mpi_fail(clnd_status status,
                                                                 const char *format, ...);
clnd_status clnd__mpi_code(int code, const char *call);          // of an MPI function
clnd_status clnd__mpi_cl(cl_int code, const char *call);         // of an OpenCL function
clnd_status clnd__mpi_op(clnd_status status);                    // of a function of libclnd
clnd_status clnd__mpi_memory(const void *memory, int64_t bytes); // NULL: OUT_OF_HOST_MEMORY

// A number that must be the same on all ranks.
typedef struct mpi_field {
    const char *name;
    int64_t value;
} mpi_field;

enum { MPI_MOST_FIELDS = 64 };

// Makes one status of all ranks': that of the lowest rank that refuses, with its text.
clnd_status clnd__mpi_agree(const clnd_mpi *mpi, clnd_status mine, int n, const mpi_field *fields);

// The largest of each of n numbers on all ranks, and one status.
clnd_status clnd__mpi_largest(const clnd_mpi *mpi, clnd_status mine, int n, int64_t *numbers);

// One operation.
typedef struct mpi_call {
    const char *name;
    const clnd_mpi_table *table;
    clnd_engine *engine;
    cl_command_queue queue;
    const clnd_tensor *indices, *dense; // out or updates
    clnd_mpi_call_options options;      // bounds and reduce without DEFAULT
    bool scatters, by_elements;
    int32_t n_values;            // K
    int64_t dims[CLND_MAX_RANK]; // that the values index
    int64_t rows;                // of this rank
    int64_t inner;               // places in a row of the table
    int64_t slice, slice_bytes;  // elements and bytes that travel for one row
    MPI_Datatype row_type;       // slice_bytes
} mpi_call;

clnd_status clnd__mpi_run(mpi_call *call, clnd_status mine);

// The rounds of a call, of which places have travelled.
struct clnd_mpi_plan {
    mpi_call call;        // `dense` is of the run
    clnd_tensor expected; // what dense must look like
    void *fill;
    int64_t number;
    struct mpi_round *rounds;
    int n_rounds;
};

clnd_status clnd__mpi_plan(struct clnd_mpi_plan *plan, clnd_status mine);
clnd_status clnd__mpi_run_again(struct clnd_mpi_plan *plan, const clnd_tensor *dense,
                                clnd_status mine);
void clnd__mpi_forget(struct clnd_mpi_plan *plan);

// Memory that both sides can use. Not mapped: the device's.
typedef struct mpi_stage {
    cl_mem buffer; // NULL: of no bytes
    void *mapped;
    void *spare; // what `mapped` is where the device refused
    size_t bytes;
} mpi_stage;

clnd_status clnd__mpi_stage(clnd_engine *engine, int64_t bytes, mpi_stage *stage);
// Waits for `after`, if it is not NULL, and releases it. Other ranks wait for what was announced to
// them, so there is something to send even after a failure.
clnd_status clnd__mpi_map(mpi_stage *stage, cl_command_queue queue, cl_event after);
// *done, the caller's, is NULL where nothing was mapped.
clnd_status clnd__mpi_unmap(mpi_stage *stage, cl_command_queue queue, cl_event *done);
void clnd__mpi_stage_free(mpi_stage *stage, cl_command_queue queue);
cl_command_queue clnd__mpi_queue(clnd_engine *engine, cl_command_queue queue);

// Where the rows of a round go. A bucket is one shard of one rank: bucket k * size + r is shard k
// of rank r. Places are sorted by rank, then by shard; of one they are in the order of rows.
typedef struct mpi_route {
    int64_t rows;      // of this rank in the round
    int64_t sent;      // that travel: good ones, merged where that is asked for
    int64_t *places;   // [sent] where in its shard each is
    int64_t *position; // [rows] where in `places` a row is; -1: nowhere, it is bad
    int *counts;       // [buckets]
    int *begins;       // [buckets] the first of its places
} mpi_route;

clnd_status clnd__mpi_route(const mpi_call *call, int64_t first, int64_t rows, mpi_route *route);
void clnd__mpi_route_free(mpi_route *route);
// INDEX_OUT_OF_BOUNDS, with the first row of this rank that the policy refuses.
clnd_status clnd__mpi_check_rows(const mpi_call *call);

// What is on its way.
typedef struct mpi_round {
    const mpi_call *call;
    int64_t first; // row of this rank
    mpi_route route;
    int *asked;                 // [buckets] rows that rank r asks of shard k of this rank
    mpi_stage rows;             // of this rank, as they travel
    mpi_stage order;            // of these rows, for the device
    mpi_stage *places, *served; // [shards of this rank] what others ask for, and its rows
    int *displacements;         // of `counts` and of `asked`
    MPI_Request *requests;
    int n_requests;
    bool met, begun;
} mpi_round;

// Finds out what travels, unless a rank has failed: `mine` is how this one is. *need is the memory
// that it takes on this rank.
clnd_status clnd__mpi_round_plan(mpi_round *round, const mpi_call *call, clnd_status mine,
                                 int64_t first, int64_t rows, int64_t *need);
clnd_status clnd__mpi_round_allocate(mpi_round *round); // for places
clnd_status clnd__mpi_round_open(mpi_round *round);     // for rows
clnd_status clnd__mpi_round_meet(mpi_round *round);     // places travel
clnd_status clnd__mpi_round_begin(mpi_round *round);    // rows begin to
clnd_status clnd__mpi_round_end(mpi_round *round);
void clnd__mpi_round_close(mpi_round *round); // open again for the same places and other rows
void clnd__mpi_round_free(mpi_round *round);

#endif

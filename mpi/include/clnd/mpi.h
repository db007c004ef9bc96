// SPDX-License-Identifier: Apache-2.0
//
// clnd-mpi: gather and scatter over a table whose rows lie on many machines.
//
// A table is a tensor that no device holds whole. Its first dimensions are divided into rows, and
// the rows over the shards of a communicator's ranks; each rank has any number of shards, each in a
// buffer of a device. Indices, results and updates are each rank's own. A call gives each rank what
// the op of libclnd would give it with the whole table at hand.
//
// Everything is collective: all ranks of the communicator make the same calls in the same order,
// with options that agree, but each with indices of its own, of any number, also none. Calls
// block until this rank's part is done, and return the same status on all ranks: where one refuses,
// all do, and clnd_mpi_last_error() says the same everywhere.
//
//     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
//     clnd_engine_open(NULL, NULL, &engine);
//     clnd_mpi_create(MPI_COMM_WORLD, NULL, &mpi);
//     const clnd_mpi_layout layout = {.n_dims = 1, .shape = {1000000}};
//     clnd_mpi_rows(mpi, &layout, 1, &rows);          // of this rank: make a buffer for them
//     clnd_tensor_dense(buffer, 0, CLND_FLOAT32, 2, (int64_t[]){rows, 64}, &part);
//     clnd_mpi_table_create(mpi, &layout, 1, &(clnd_mpi_shard){engine, NULL, part}, &table);
//     clnd_mpi_gather_nd(table, engine, NULL, &indices, &out, NULL);

#ifndef CLND_MPI_H
#define CLND_MPI_H

#include <clnd/clnd.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety of all functions here: one thread at a time, the one that may call MPI.

// The text of the last failure, one line: what, where, got, bound, and on which rank. "" before the
// first one. It stays valid until the next call. Success does not clear it.
CLND_API const char *clnd_mpi_last_error(void);

// The communicator ----------------------------------------------------------------------------

typedef struct clnd_mpi clnd_mpi;

typedef struct clnd_mpi_options {
    uint64_t
        staging_bytes;    // memory that a call may take on each rank for what travels, on host and
                          // device together; 0: 256 MiB. Larger calls go in rounds
    uint64_t reserved[8]; // zero
} clnd_mpi_options;

// Makes what the other functions work with, of a duplicate of `comm`: the caller's may be freed.
//
// Errors        NULL_POINTER; INVALID_OPTION (MPI_COMM_NULL; MPI is not initialised, is finalised,
//               or was initialised with MPI_THREAD_SINGLE, although OpenCL drivers have threads;
//               reserved field set; options that differ, with the first rank that differs from
//               rank 0), OUT_OF_HOST_MEMORY, MPI_ERROR. *mpi is NULL on failure.
// Async         collective; waits for all ranks.
// Ownership     destroy it with clnd_mpi_destroy, which is collective too, before MPI_Finalize and
//               after its tables. A pointer to NULL is fine.
CLND_API clnd_status clnd_mpi_create(MPI_Comm comm, const clnd_mpi_options *options,
                                     clnd_mpi **mpi);
CLND_API void clnd_mpi_destroy(clnd_mpi **mpi);

// Tables --------------------------------------------------------------------------------------

typedef enum clnd_mpi_kind {
    CLND_MPI_BLOCK = 0,   // equal stretches of rows; the first ones have one row more
    CLND_MPI_CYCLIC = 1,  // blocks of `block` rows, dealt to the shards in turn
    CLND_MPI_OFFSETS = 2, // shard s has the rows offsets[s] to offsets[s + 1] - 1
} clnd_mpi_kind;

// How the rows lie. Shards are numbered by rank, then by their order on the rank. A row is what
// one tuple of the first n_dims coordinates selects; rows are counted in row-major order.
typedef struct clnd_mpi_layout {
    clnd_mpi_kind kind;
    int32_t n_dims;               // dimensions that are divided; 1 or more
    int64_t shape[CLND_MAX_RANK]; // their sizes; the first n_dims entries count
    int64_t block;                // CYCLIC: rows of a block, 1 or more
    const int64_t *offsets;       // OFFSETS: one more than there are shards on all ranks, from 0
                                  // to the number of rows, none below the one before. Read by the
                                  // call alone
    uint64_t reserved[4];         // zero
} clnd_mpi_layout;

// Tells how many rows each of this rank's `n_shards` shards gets.
//
// Errors        NULL_POINTER, INVALID_OPTION (kind, block, reserved fields, layouts that differ
//               between ranks), INVALID_RANK (n_dims), INVALID_SHAPE (sizes; offsets that do not
//               cover the table; no shard at all), SIZE_OVERFLOW, MPI_ERROR.
// Async         collective.
CLND_API clnd_status clnd_mpi_rows(clnd_mpi *mpi, const clnd_mpi_layout *layout, int32_t n_shards,
                                   int64_t *rows);

// One shard: its rows in a dense tensor [rows, shape of a row...], all of one dtype and row shape.
typedef struct clnd_mpi_shard {
    clnd_engine *engine;    // of the device that has the buffer
    cl_command_queue queue; // NULL: the engine's own
    clnd_tensor tensor;
} clnd_mpi_shard;

typedef struct clnd_mpi_table clnd_mpi_table;

// Describes a table by this rank's shards, of which there may be none.
//
// Errors        those of clnd_mpi_rows; INVALID_RANK and INVALID_SHAPE of a shard that has other
//               rows than the layout gives it; INVALID_STRIDES (a shard that is not dense);
//               INVALID_OPTION (dtype or shape of rows that differ between ranks);
//               OUT_OF_HOST_MEMORY, MPI_ERROR. *table is NULL on failure.
// Async         collective. The buffers are not looked at.
// Ownership     engines, queues and buffers are borrowed until clnd_mpi_table_destroy, which is
//               not collective.
CLND_API clnd_status clnd_mpi_table_create(clnd_mpi *mpi, const clnd_mpi_layout *layout,
                                           int32_t n_shards, const clnd_mpi_shard *shards,
                                           clnd_mpi_table **table);
CLND_API void clnd_mpi_table_destroy(clnd_mpi_table **table);

// Operations ----------------------------------------------------------------------------------

// Of gathers and scatters; each looks at what it needs, and all of it must agree between ranks.
typedef struct clnd_mpi_call_options {
    clnd_bounds bounds;    // DEFAULT: ERROR, whatever the devices are
    clnd_reduce reduce;    // scatters: as for the op of one device
    bool deterministic;    // scatters: the result is that of a serial loop over rank 0's rows, then
                           // rank 1's, and so on, bit for bit: of the same rows on any number of
                           // ranks
    bool merge_duplicates; // gathers: a row that a rank asks for more than once travels once
    const void *fill;      // CLND_BOUNDS_FILL: one element in host memory
    uint64_t reserved[8];  // zero
} clnd_mpi_call_options;

// Collects rows: clnd_gather_nd of the table, by every rank with its own indices and out.
//
// Computes      out[i..., s...] = table[indices[i..., 0], ..., indices[i..., K-1], s...]
// Shapes        indices: rank 1 or more, the last dimension K, at least the table's n_dims and at
//               most its rank. out: indices.shape[:-1] + table.shape[K:]. Both dense.
// Types         as clnd_gather_nd.
// Index policy  options->bounds. Under ERROR and WRAP all ranks check their indices first, and one
//               bad row refuses the call on all of them; the message names the first bad row of
//               the lowest rank that has one.
// Aliasing      out must not share memory with indices or with any shard.
// Errors        NULL_POINTER, INVALID_OPTION (also options, K or element sizes that differ between
//               ranks, with the first rank that differs from rank 0; a limit of memory below what
//               one row needs), INVALID_RANK, INVALID_SHAPE, INVALID_STRIDES, DTYPE_MISMATCH,
//               UNSUPPORTED_DTYPE, INDEX_OUT_OF_BOUNDS, SIZE_OVERFLOW (a row of more than 2^31 - 1
//               bytes), MPI_ERROR, and what libclnd's ops return. The elements of out are
//               unspecified after an error of a device, of MPI, or of the index check; unchanged
//               after all others.
// Async         collective; blocks until out is complete. What writes to the shards must be
//               complete on all ranks before, or be in the shards' in-order queues.
CLND_API clnd_status clnd_mpi_gather_nd(const clnd_mpi_table *table, clnd_engine *engine,
                                        cl_command_queue queue, const clnd_tensor *indices,
                                        const clnd_tensor *out,
                                        const clnd_mpi_call_options *options);

// The same by single indices into the first dimension: clnd_gather along axis 0.
//
// Computes      out[i..., s...] = table[indices[i...], s...]
// Shapes        indices: any rank; the table's n_dims is 1.
// Everything else as clnd_mpi_gather_nd.
CLND_API clnd_status clnd_mpi_gather(const clnd_mpi_table *table, clnd_engine *engine,
                                     cl_command_queue queue, const clnd_tensor *indices,
                                     const clnd_tensor *out, const clnd_mpi_call_options *options);

// Combines rows of updates with rows of the table: clnd_scatter_nd_into, by every rank with its own
// indices and updates, all of which take part.
//
// Computes      table[indices[i..., :], s...] (reduce)= updates[i..., s...]
// Shapes        as clnd_mpi_gather_nd, with updates in the place of out.
// Types, reductions   as clnd_scatter_nd_into; reduce DEFAULT is UPDATE.
// Index policy  ERROR and WRAP: as clnd_mpi_gather_nd, and the table is untouched on every rank.
// Errors        as clnd_mpi_gather_nd, and BUFFER_TOO_SMALL: deterministic sums of 16-bit floats
//               are rounded once, so all rows must fit into one round. FILL is INVALID_OPTION. The
//               table is unchanged on every rank after an error, unless a device or MPI failed
//               while rows were on their way.
// Async         collective; blocks until this rank's shards have all that came for them.
CLND_API clnd_status clnd_mpi_scatter_nd_into(const clnd_mpi_table *table, clnd_engine *engine,
                                              cl_command_queue queue, const clnd_tensor *indices,
                                              const clnd_tensor *updates,
                                              const clnd_mpi_call_options *options);

// Combines single elements: clnd_scatter_elements along axis 0 of the table.
//
// Computes      table[indices[i, j...], j...] (reduce)= updates[i, j...]
// Shapes        indices and updates: the same, of the table's rank; sizes behind the first at most
//               the table's. The table's n_dims is 1. Both dense.
// Everything else as clnd_mpi_scatter_nd_into. An element travels as a row of its own, with 8
// bytes for its place.
CLND_API clnd_status clnd_mpi_scatter_elements(const clnd_mpi_table *table, clnd_engine *engine,
                                               cl_command_queue queue, const clnd_tensor *indices,
                                               const clnd_tensor *updates,
                                               const clnd_mpi_call_options *options);

// Plans ---------------------------------------------------------------------------------------

typedef enum clnd_mpi_op {
    CLND_MPI_GATHER_ND = 0,
    CLND_MPI_GATHER = 1,
    CLND_MPI_SCATTER_ND_INTO = 2,
    CLND_MPI_SCATTER_ELEMENTS = 3,
} clnd_mpi_op;

// One operation whose indices stay as they are while other data moves: indices are checked, sorted
// by shard and sent once.
typedef struct clnd_mpi_plan clnd_mpi_plan;

// Makes a plan of an operation with these indices.
//
// Errors        as the operation, but for out and updates; INVALID_OPTION for an unknown op. *plan
//               is NULL on failure.
// Async         collective. indices are not looked at afterwards.
// Ownership     the plan borrows table, engine and queue, and keeps about 24 bytes of host memory
//               for each row of indices and 8 bytes of a shard's device for each row asked of it,
//               beside staging_bytes. Destroy it with clnd_mpi_plan_destroy, which is not
//               collective, before the table.
CLND_API clnd_status clnd_mpi_plan_create(const clnd_mpi_table *table, clnd_mpi_op op,
                                          clnd_engine *engine, cl_command_queue queue,
                                          const clnd_tensor *indices,
                                          const clnd_mpi_call_options *options,
                                          clnd_mpi_plan **plan);

// Does what the operation does: `dense` is its out or updates.
//
// Errors        those that the operation has for out or updates, and for devices and MPI;
//               INVALID_OPTION where ranks run two plans.
// Async         collective; blocks as the operation.
CLND_API clnd_status clnd_mpi_plan_run(clnd_mpi_plan *plan, const clnd_tensor *dense);
CLND_API void clnd_mpi_plan_destroy(clnd_mpi_plan **plan);

#ifdef __cplusplus
}
#endif

#endif

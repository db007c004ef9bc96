// SPDX-License-Identifier: Apache-2.0
//
// Layouts: how many rows each shard has, and which shard has a row.

#include <stdlib.h>
#include <string.h>

#include "host/base/checked.h"
#include "internal.h"

static void forget(clnd_mpi_table *table)
{
    free(table->offsets);
    free(table->first);
    free(table->shards);
    memset(table, 0, sizeof *table);
}

static clnd_status check_layout(const clnd_mpi_layout *layout, int32_t n_shards, int64_t *rows)
{
    if (!layout)
        return clnd__mpi_fail(CLND_NULL_POINTER, "table: the layout is NULL");
    for (int i = 0; i < 4; i++)
        if (layout->reserved[i])
            return clnd__mpi_fail(CLND_INVALID_OPTION, "table: reserved[%d] is not zero", i);
    if (layout->kind < CLND_MPI_BLOCK || layout->kind > CLND_MPI_OFFSETS)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "table: unknown kind %d", (int)layout->kind);
    if (layout->n_dims < 1 || layout->n_dims > CLND_MAX_RANK)
        return clnd__mpi_fail(CLND_INVALID_RANK, "table: n_dims is %d, not 1 to %d",
                              (int)layout->n_dims, CLND_MAX_RANK);
    if (n_shards < 0)
        return clnd__mpi_fail(CLND_INVALID_SHAPE, "table: %d shards", (int)n_shards);
    *rows = 1;
    for (int d = 0; d < layout->n_dims; d++) {
        if (layout->shape[d] < 0)
            return clnd__mpi_fail(CLND_INVALID_SHAPE, "table: shape[%d] is %lld", d,
                                  (long long)layout->shape[d]);
        if (!clnd__multiply(*rows, layout->shape[d], rows))
            return clnd__mpi_fail(CLND_SIZE_OVERFLOW, "table: more than 2^63 - 1 rows");
    }
    if (layout->kind == CLND_MPI_CYCLIC && layout->block < 1)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "table: blocks of %lld rows",
                              (long long)layout->block);
    if (layout->kind == CLND_MPI_OFFSETS && !layout->offsets)
        return clnd__mpi_fail(CLND_NULL_POINTER, "table: offsets is NULL");
    return CLND_OK;
}

// Who has how many shards.
static clnd_status count_shards(clnd_mpi_table *table, int32_t n_shards)
{
    const int size = table->mpi->size;
    table->first = calloc((size_t)size + 1, sizeof *table->first);
    clnd_status status = clnd__mpi_agree(
        table->mpi, clnd__mpi_memory(table->first, (size + 1) * (int64_t)sizeof *table->first), 0,
        NULL);
    if (status == CLND_OK)
        status = clnd__mpi_code(
            MPI_Allgather(&n_shards, 1, MPI_INT, table->first + 1, 1, MPI_INT, table->mpi->comm),
            "MPI_Allgather");
    if (status != CLND_OK)
        return status;
    for (int r = 0; r < size; r++) {
        const int count = table->first[r + 1];
        table->most = count > table->most ? count : table->most;
        if (count > INT32_MAX - table->first[r])
            return clnd__mpi_fail(CLND_SIZE_OVERFLOW, "table: more than 2^31 - 1 shards");
        table->first[r + 1] = table->first[r] + count;
    }
    if (!table->first[size])
        return clnd__mpi_fail(CLND_INVALID_SHAPE, "table: no rank has a shard");
    return CLND_OK;
}

static clnd_status check_offsets(const clnd_mpi_table *table, const int64_t *offsets)
{
    const int shards = table->first[table->mpi->size];
    if (offsets[0] != 0)
        return clnd__mpi_fail(CLND_INVALID_SHAPE, "table: offsets[0] is %lld, not 0",
                              (long long)offsets[0]);
    for (int s = 0; s < shards; s++)
        if (offsets[s + 1] < offsets[s])
            return clnd__mpi_fail(CLND_INVALID_SHAPE,
                                  "table: offsets[%d] = %lld is below "
                                  "offsets[%d] = %lld",
                                  s + 1, (long long)offsets[s + 1], s, (long long)offsets[s]);
    if (offsets[shards] != table->rows)
        return clnd__mpi_fail(CLND_INVALID_SHAPE,
                              "table: offsets[%d] = %lld, but the table has %lld rows", shards,
                              (long long)offsets[shards], (long long)table->rows);
    return CLND_OK;
}

// A number that tells tables of offsets apart, by FNV-1a's multiplication.
static int64_t digest(const int64_t *numbers, int n)
{
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < n; i++)
        sum = (sum ^ (uint64_t)numbers[i]) * 1099511628211u;
    return (int64_t)sum;
}

static clnd_status place_shards(clnd_mpi_table *table, const clnd_mpi_layout *layout)
{
    const int shards = table->first[table->mpi->size];
    const int64_t bytes = ((int64_t)shards + 1) * (int64_t)sizeof *table->offsets;
    table->offsets = malloc((size_t)bytes);
    clnd_status status = clnd__mpi_memory(table->offsets, bytes);
    if (status == CLND_OK && layout->kind == CLND_MPI_OFFSETS) {
        status = check_offsets(table, layout->offsets);
        if (status == CLND_OK)
            memcpy(table->offsets, layout->offsets, (size_t)bytes);
    } else if (status == CLND_OK) {
        const int64_t each = table->rows / shards, more = table->rows % shards;
        for (int s = 0; s <= shards; s++)
            table->offsets[s] = s * each + (s < more ? s : more);
    }
    const int64_t sum = status == CLND_OK ? digest(table->offsets, shards + 1) : 0;
    return clnd__mpi_agree(table->mpi, status, 1, &(mpi_field){"offsets with the digest", sum});
}

// `status` is what this rank has found so far.
static clnd_status make_layout(clnd_mpi_table *table, clnd_mpi *mpi, const clnd_mpi_layout *layout,
                               int32_t n_shards, clnd_status status)
{
    int64_t rows = 0;
    mpi_field fields[3 + CLND_MAX_RANK];
    if (status == CLND_OK)
        status = check_layout(layout, n_shards, &rows);
    const clnd_mpi_layout none = {.n_dims = 0}, *given = status == CLND_OK ? layout : &none;
    fields[0] = (mpi_field){"the kind", given->kind};
    fields[1] = (mpi_field){"n_dims", given->n_dims};
    fields[2] = (mpi_field){"block", given->kind == CLND_MPI_CYCLIC ? given->block : 0};
    for (int d = 0; d < CLND_MAX_RANK; d++)
        fields[3 + d] = (mpi_field){"a size", d < given->n_dims ? given->shape[d] : 0};
    *table = (clnd_mpi_table){.mpi = mpi, .rows = rows};
    status = clnd__mpi_agree(mpi, status, 3 + CLND_MAX_RANK, fields);
    if (status == CLND_OK)
        status = count_shards(table, n_shards);
    if (status != CLND_OK)
        return status;
    table->kind = layout->kind == CLND_MPI_CYCLIC ? CLND_MPI_CYCLIC : CLND_MPI_OFFSETS;
    table->n_dims = layout->n_dims;
    table->block = layout->block;
    memcpy(table->shape, layout->shape, sizeof table->shape);
    return table->kind == CLND_MPI_CYCLIC ? CLND_OK : place_shards(table, layout);
}

static int64_t rows_of(const clnd_mpi_table *table, int shard)
{
    if (table->kind == CLND_MPI_OFFSETS)
        return table->offsets[shard + 1] - table->offsets[shard];
    const int64_t shards = table->first[table->mpi->size], blocks = table->rows / table->block;
    const int64_t rest = table->rows % table->block, turn = blocks % shards;
    return (blocks / shards + (shard < turn)) * table->block + (shard == turn ? rest : 0);
}

clnd_status clnd_mpi_rows(clnd_mpi *mpi, const clnd_mpi_layout *layout, int32_t n_shards,
                          int64_t *rows)
{
    clnd_mpi_table table;
    if (!mpi)
        return clnd__mpi_fail(CLND_NULL_POINTER, "table: mpi is NULL");
    clnd_status status = CLND_OK;
    if (!rows && n_shards > 0)
        status = clnd__mpi_fail(CLND_NULL_POINTER, "table: rows is NULL");
    status = make_layout(&table, mpi, layout, n_shards, status);
    for (int k = 0; status == CLND_OK && k < n_shards; k++)
        rows[k] = rows_of(&table, table.first[mpi->rank] + k);
    forget(&table);
    return status;
}

// Shards -----------------------------------------------------------------------------------------

static clnd_status check_shard(const clnd_mpi_table *table, int k, const clnd_tensor *first)
{
    const clnd_mpi_shard *shard = &table->shards[k];
    const clnd_tensor *tensor = &shard->tensor;
    const int64_t rows = rows_of(table, table->first[table->mpi->rank] + k);
    clnd_tensor dense;
    if (!shard->engine)
        return clnd__mpi_fail(CLND_NULL_POINTER, "table: shard %d has no engine", k);
    clnd_status status = clnd__mpi_op(
        clnd_tensor_dense(NULL, 0, tensor->dtype, tensor->rank, tensor->shape, &dense));
    if (status != CLND_OK)
        return status;
    if (tensor->rank < 1 || tensor->rank - 1 + table->n_dims > CLND_MAX_RANK)
        return clnd__mpi_fail(CLND_INVALID_RANK, "table: shard %d has rank %d", k,
                              (int)tensor->rank);
    if (tensor->shape[0] != rows)
        return clnd__mpi_fail(CLND_INVALID_SHAPE,
                              "table: shard %d has %lld rows, the layout gives "
                              "it %lld",
                              k, (long long)tensor->shape[0], (long long)rows);
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] > 1 && tensor->strides[d] != dense.strides[d])
            return clnd__mpi_fail(CLND_INVALID_STRIDES, "table: shard %d is not dense", k);
    const size_t row = sizeof *tensor->shape * (size_t)(tensor->rank - 1);
    if (tensor->dtype != first->dtype || tensor->rank != first->rank ||
        memcmp(tensor->shape + 1, first->shape + 1, row) != 0)
        return clnd__mpi_fail(CLND_INVALID_SHAPE,
                              "table: rows of shard %d are not like those of "
                              "shard 0",
                              k);
    return CLND_OK;
}

// Ranks without shards learn what a row is from the others.
static clnd_status agree_on_rows(clnd_mpi_table *table, clnd_status mine, const clnd_tensor *first)
{
    int64_t row[2 + CLND_MAX_RANK];
    mpi_field fields[2 + CLND_MAX_RANK];
    for (int d = 0; d < 2 + CLND_MAX_RANK; d++)
        row[d] = -1;
    if (first && mine == CLND_OK) {
        row[0] = (int64_t)first->dtype;
        row[1] = first->rank - 1;
        for (int d = 1; d < first->rank; d++)
            row[1 + d] = first->shape[d];
    }
    int64_t largest[2 + CLND_MAX_RANK];
    memcpy(largest, row, sizeof row);
    clnd_status status = clnd__mpi_largest(table->mpi, mine, 2 + CLND_MAX_RANK, largest);
    if (status != CLND_OK)
        return status;
    for (int d = 0; d < 2 + CLND_MAX_RANK; d++)
        fields[d] = (mpi_field){d == 0   ? "rows of dtype"
                                : d == 1 ? "rows of rank"
                                         : "a row's size",
                                first ? row[d] : largest[d]};
    status = clnd__mpi_agree(table->mpi, CLND_OK, 2 + CLND_MAX_RANK, fields);
    table->dtype = (clnd_dtype)largest[0];
    table->row_rank = (int32_t)largest[1];
    table->row_elements = 1;
    for (int d = 0; status == CLND_OK && d < table->row_rank; d++) {
        table->shape[table->n_dims + d] = largest[2 + d];
        if (!clnd__multiply(table->row_elements, largest[2 + d], &table->row_elements))
            status = clnd__mpi_fail(CLND_SIZE_OVERFLOW, "table: a row of more than 2^63 - 1 "
                                                        "elements");
    }
    return status;
}

clnd_status clnd_mpi_table_create(clnd_mpi *mpi, const clnd_mpi_layout *layout, int32_t n_shards,
                                  const clnd_mpi_shard *shards, clnd_mpi_table **table)
{
    clnd_mpi_table made;
    if (!mpi)
        return clnd__mpi_fail(CLND_NULL_POINTER, "table: mpi is NULL");
    clnd_status status = CLND_OK;
    if (!table || (n_shards > 0 && !shards))
        status = clnd__mpi_fail(CLND_NULL_POINTER, "table: %s is NULL",
                                table ? "shards" : "the pointer to the result");
    if (table)
        *table = NULL;
    status = make_layout(&made, mpi, layout, n_shards, status);
    if (status != CLND_OK) {
        forget(&made);
        return status;
    }
    clnd_mpi_table *kept = malloc(sizeof *kept);
    made.shards = malloc(((size_t)n_shards + 1) * sizeof *made.shards);
    status = clnd__mpi_memory(kept && made.shards ? kept : NULL, sizeof *kept);
    if (status == CLND_OK && n_shards > 0)
        memcpy(made.shards, shards, (size_t)n_shards * sizeof *shards);
    for (int k = 0; status == CLND_OK && k < n_shards; k++)
        status = check_shard(&made, k, &shards[0].tensor);
    status = agree_on_rows(&made, status, n_shards > 0 ? &shards[0].tensor : NULL);
    if (status != CLND_OK) {
        forget(&made);
        free(kept);
        return status;
    }
    *kept = made;
    *table = kept;
    return CLND_OK;
}

void clnd_mpi_table_destroy(clnd_mpi_table **table)
{
    if (!table || !*table)
        return;
    forget(*table);
    free(*table);
    *table = NULL;
}

// SPDX-License-Identifier: Apache-2.0
//
// One buffer that crosses 4 GiB. Only windows of it are looked at, and most of its pages are never
// touched: places at which offsets would wrap around in 31, 32 or 33 bits, and both ends.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "check.h"

#define GIB      (INT64_C(1) << 30)
#define ELEMENTS (GIB + (INT64_C(1) << 24)) // of int32: 4 GiB and 64 MiB

enum { N_WINDOWS = 7, REACH = 16, WIDTH = 2 * REACH };

// The middles of the windows. Those of one size lie on one another where 32 bits are too few.
static const int64_t middles[N_WINDOWS] = {
    REACH, GIB / 4, GIB / 2, GIB / 2 + REACH * 2, GIB, GIB + REACH * 2, ELEMENTS - REACH};

typedef struct large {
    const device *d;
    clnd_tensor all; // the whole buffer, one dimension
    int32_t image[N_WINDOWS][WIDTH];
} large;

static int64_t available_memory(void)
{
    char line[128];
    int64_t kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib * 1024;
}

static void move_windows(large *l, bool to_device, int32_t (*image)[WIDTH])
{
    for (int i = 0; i < N_WINDOWS; i++) {
        const size_t at = (size_t)(middles[i] - REACH) * sizeof(int32_t);
        check_cl(to_device ? clEnqueueWriteBuffer(l->d->queue, l->all.buffer, CL_TRUE, at,
                                                  sizeof image[i], image[i], 0, NULL, NULL)
                           : clEnqueueReadBuffer(l->d->queue, l->all.buffer, CL_TRUE, at,
                                                 sizeof image[i], image[i], 0, NULL, NULL));
    }
}

static void open_large(large *l)
{
    const size_t bytes = (size_t)ELEMENTS * sizeof(int32_t);
    char reason[128];
    cl_int code = CL_SUCCESS;
    l->d = device_get();
    if (l->d->facts->max_allocation < bytes || l->d->facts->address_bits < 64) {
        snprintf(reason, sizeof reason, "%.60s allocates %" PRIu64 " MiB at most",
                 l->d->facts->name, l->d->facts->max_allocation >> 20);
        check_skip(reason);
    }
    const int64_t available = available_memory();
    if (l->d->facts->is_cpu && available < (int64_t)bytes + GIB) {
        snprintf(reason, sizeof reason, "%" PRId64 " MiB of memory are available, 5184 needed",
                 available >> 20);
        check_skip(reason);
    }
    cl_mem buffer = clCreateBuffer(l->d->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!buffer) {
        snprintf(reason, sizeof reason, "a buffer of 4 GiB and 64 MiB could not be had: %d",
                 (int)code);
        check_skip(reason);
    }
    check_status(clnd_tensor_dense(buffer, 0, CLND_INT32, 1, (int64_t[]){ELEMENTS}, &l->all),
                 CLND_OK);
    for (int i = 0; i < N_WINDOWS; i++)
        for (int k = 0; k < WIDTH; k++)
            l->image[i][k] = (i + 1) * 1000 + k;
    move_windows(l, true, l->image);
}

// The element of the image at this place of the buffer.
static int32_t *cell(large *l, int64_t place)
{
    for (int i = 0; i < N_WINDOWS; i++)
        if (place >= middles[i] - REACH && place < middles[i] + REACH)
            return &l->image[i][place - middles[i] + REACH];
    check(false, "%" PRId64 " lies in no window", place);
    return NULL;
}

static void check_windows(large *l)
{
    static int32_t got[N_WINDOWS][WIDTH];
    check_cl(clFinish(l->d->queue));
    move_windows(l, false, got);
    for (int i = 0; i < N_WINDOWS; i++)
        for (int k = 0; k < WIDTH; k++)
            check(got[i][k] == l->image[i][k],
                  "element %" PRId64 " is %" PRId32 ", expected %" PRId32, middles[i] - REACH + k,
                  got[i][k], l->image[i][k]);
}

static void close_large(large *l)
{
    check_windows(l);
    check_cl(clReleaseMemObject(l->all.buffer));
}

// A small tensor of its own.
static clnd_tensor small(large *l, clnd_dtype dtype, int rank, const int64_t *shape, void *content)
{
    clnd_tensor tensor;
    int64_t count;
    cl_int code;
    check_status(clnd_tensor_dense(NULL, 0, dtype, rank, shape, &tensor), CLND_OK);
    check_status(clnd_tensor_count(&tensor, &count), CLND_OK);
    tensor.buffer = clCreateBuffer(l->d->context, CL_MEM_COPY_HOST_PTR,
                                   (size_t)count * clnd_dtype_size(dtype), content, &code);
    check_cl(code);
    return tensor;
}

static void read_small(large *l, const clnd_tensor *tensor, size_t count, int32_t *numbers)
{
    check_cl(clEnqueueReadBuffer(l->d->queue, tensor->buffer, CL_TRUE, 0, count * sizeof *numbers,
                                 numbers, 0, NULL, NULL));
    check_cl(clReleaseMemObject(tensor->buffer));
}

// Places in all windows, of which some are the same in fewer bits, some twice, some outside.
enum { ROWS = N_WINDOWS * 4 + 4 };

static void pick_places(int64_t places[ROWS])
{
    int n = 0;
    for (int i = 0; i < N_WINDOWS; i++) {
        places[n++] = middles[i] - 1;
        places[n++] = middles[i];
        places[n++] = middles[i] + 1;
        places[n++] = middles[i] - 1;
    }
    places[n++] = ELEMENTS;
    places[n++] = -1;
    places[n++] = 4 * GIB + REACH;
    places[n++] = ELEMENTS + REACH;
}

static bool is_inside(int64_t place)
{
    return place >= 0 && place < ELEMENTS;
}

Test(hostile_large, gathers)
{
    static const char *const ways[] = {"blocks", "lanes"};
    int64_t places[ROWS];
    int32_t got[ROWS], expected[ROWS];
    large l;
    case_begin("large gathers", 0);
    open_large(&l);
    pick_places(places);
    for (int i = 0; i < ROWS; i++)
        expected[i] = is_inside(places[i]) ? *cell(&l, places[i]) : 0;
    clnd_tensor indices = small(&l, CLND_INT64, 2, (int64_t[]){ROWS, 1}, places);
    for (int i = 0; i < 6; i++) {
        case_note("op %d, %s", i / 2, ways[i % 2]);
        l.d = device_with(l.d, ways[i % 2]);
        memset(got, 0x55, sizeof got);
        clnd_tensor out = small(&l, CLND_INT32, 1, (int64_t[]){ROWS}, got);
        const clnd_gather_nd_options nd = {.bounds = CLND_BOUNDS_ZERO};
        const clnd_gather_options along = {.bounds = CLND_BOUNDS_ZERO};
        const clnd_gather_elements_options pick = {.bounds = CLND_BOUNDS_ZERO};
        clnd_tensor line = indices;
        line.rank = 1;
        check_status(i < 2 ? clnd_gather_nd(l.d->engine, l.d->queue, &l.all, &indices, &out, &nd, 0,
                                            NULL, NULL)
                     : i < 4 ? clnd_gather(l.d->engine, l.d->queue, &l.all, &line, &out, &along, 0,
                                           NULL, NULL)
                             : clnd_gather_elements(l.d->engine, l.d->queue, &l.all, &line, &out,
                                                    &pick, 0, NULL, NULL),
                     CLND_OK);
        read_small(&l, &out, ROWS, got);
        for (int k = 0; k < ROWS; k++)
            check(got[k] == expected[k], "place %" PRId64 " gave %" PRId32 ", expected %" PRId32,
                  places[k], got[k], expected[k]);
    }
    const clnd_gather_nd_options strict = {.bounds = CLND_BOUNDS_ERROR};
    clnd_tensor out = small(&l, CLND_INT32, 1, (int64_t[]){ROWS}, got);
    check_status(
        clnd_gather_nd(l.d->engine, l.d->queue, &l.all, &indices, &out, &strict, 0, NULL, NULL),
        CLND_INDEX_OUT_OF_BOUNDS);
    check_message("gather_nd: indices[28] = [1090519040] does not index into params shape "
                  "[1090519040]");
    read_small(&l, &out, ROWS, got);
    check_cl(clReleaseMemObject(indices.buffer));
    close_large(&l);
}

// One scatter by one strategy.
static void scatter(large *l, const clnd_tensor *indices, const clnd_tensor *updates,
                    clnd_reduce reduce, const char *strategy, bool elements)
{
    case_note("reduce %d, %s, %s", (int)reduce, strategy, elements ? "elements" : "nd");
    const device *d = device_with(l->d, strategy);
    const clnd_scatter_nd_options into = {.reduce = reduce, .bounds = CLND_BOUNDS_SKIP};
    const clnd_scatter_elements_options put = {.reduce = reduce, .bounds = CLND_BOUNDS_SKIP};
    clnd_tensor line = *indices;
    line.rank = 1;
    check_status(elements ? clnd_scatter_elements(d->engine, d->queue, &line, updates, &l->all,
                                                  &put, 0, NULL, NULL)
                          : clnd_scatter_nd_into(d->engine, d->queue, indices, updates, &l->all,
                                                 &into, 0, NULL, NULL),
                 CLND_OK);
}

Test(hostile_large, scatters)
{
    static const char *const ways[] = {"",     "store,lanes", "atomic,lanes", "owner",
                                       "sort", "private",     "buckets"};
    int64_t places[ROWS];
    int32_t numbers[ROWS];
    large l;
    case_begin("large scatters", 0);
    open_large(&l);
    pick_places(places);
    clnd_tensor indices = small(&l, CLND_INT64, 2, (int64_t[]){ROWS, 1}, places);
    for (int i = 0; i < 24; i++) {
        const bool sum = i >= 12;
        for (int k = 0; k < ROWS; k++) // rows that meet bring the same
            numbers[k] = 7 * (k % 4 == 3 ? k - 3 : k) + 100 * i;
        clnd_tensor updates = small(&l, CLND_INT32, 1, (int64_t[]){ROWS}, numbers);
        scatter(&l, &indices, &updates, sum ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE, ways[i % 6],
                i / 6 % 2);
        for (int k = 0; k < ROWS; k++)
            if (is_inside(places[k]))
                *cell(&l, places[k]) = numbers[k] + (sum ? *cell(&l, places[k]) : 0);
        check_windows(&l);
        read_small(&l, &updates, ROWS, numbers);
    }
    check_cl(clReleaseMemObject(indices.buffer));
    close_large(&l);
}

// Places that themselves need more than 32 bits: the buffer as bytes.
Test(hostile_large, places_beyond_32_bits)
{
    static const char *const ways[] = {"store,lanes",  "owner", "sort",
                                       "atomic,lanes", "owner", "sort"};
    int64_t places[ROWS];
    unsigned char numbers[ROWS], got[ROWS];
    large l;
    case_begin("large places", 0);
    open_large(&l);
    pick_places(places);
    for (int k = 0; k < ROWS; k++)
        places[k] = 4 * places[k] + k % 4;
    clnd_tensor bytes = l.all, indices = small(&l, CLND_INT64, 2, (int64_t[]){ROWS, 1}, places);
    bytes.dtype = CLND_UINT8;
    bytes.shape[0] *= 4;
    for (int i = 0; i < 6; i++) {
        const bool sum = i >= 3;
        for (int k = 0; k < ROWS; k++)
            numbers[k] = (unsigned char)(k + 31 * i);
        clnd_tensor updates = small(&l, CLND_UINT8, 1, (int64_t[]){ROWS}, numbers), out;
        memset(got, 0x55, sizeof got);
        out = small(&l, CLND_UINT8, 1, (int64_t[]){ROWS}, got);
        case_note("%s", ways[i]);
        l.d = device_with(l.d, ways[i]);
        const clnd_scatter_nd_options into = {.reduce = sum ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE,
                                              .bounds = CLND_BOUNDS_SKIP};
        const clnd_gather_nd_options back = {.bounds = CLND_BOUNDS_ZERO};
        check_status(clnd_scatter_nd_into(l.d->engine, l.d->queue, &indices, &updates, &bytes,
                                          &into, 0, NULL, NULL),
                     CLND_OK);
        check_status(
            clnd_gather_nd(l.d->engine, l.d->queue, &bytes, &indices, &out, &back, 0, NULL, NULL),
            CLND_OK);
        for (int k = 0; k < ROWS; k++) {
            if (!is_inside(places[k] >> 2))
                continue;
            unsigned char *byte = (unsigned char *)cell(&l, places[k] >> 2) + places[k] % 4;
            *byte = (unsigned char)(numbers[k] + (sum ? *byte : 0));
        }
        check_windows(&l);
        check_cl(clEnqueueReadBuffer(l.d->queue, out.buffer, CL_TRUE, 0, sizeof got, got, 0, NULL,
                                     NULL));
        for (int k = 0; k < ROWS; k++) {
            const bool inside = is_inside(places[k] >> 2);
            const int expected =
                inside ? ((unsigned char *)cell(&l, places[k] >> 2))[places[k] % 4] : 0;
            check(got[k] == expected, "place %" PRId64 " gave %d, expected %d", places[k], got[k],
                  expected);
        }
        check_cl(clReleaseMemObject(updates.buffer));
        check_cl(clReleaseMemObject(out.buffer));
    }
    check_cl(clReleaseMemObject(indices.buffer));
    close_large(&l);
}

// Parts of the buffer that begin before byte 2^32 and end after it: contiguous, backwards, steps.
Test(hostile_large, copies_and_slices_across_4_gib)
{
    static const char *const ways[] = {"", "blocks", "lanes"};
    large l;
    case_begin("large copies", 0);
    open_large(&l);
    for (int i = 0; i < 3; i++) {
        case_note("%s", ways[i]);
        l.d = device_with(l.d, ways[i]);
        clnd_tensor low = l.all, high = l.all;
        low.shape[0] = high.shape[0] = 2 * REACH - i;
        low.offset = 4 * (size_t)i;
        high.offset = (size_t)(GIB - REACH) * 4;
        check_status(clnd_copy(l.d->engine, l.d->queue, &low, &high, NULL, 0, NULL, NULL), CLND_OK);
        for (int k = 0; k < 2 * REACH - i; k++)
            *cell(&l, GIB - REACH + k) = *cell(&l, i + k);
        check_windows(&l);
        low.offset = (size_t)(middles[2] + REACH - 1) * 4; // backwards, from above
        low.strides[0] = -1;
        low.shape[0] = high.shape[0] = REACH;
        check_status(clnd_copy(l.d->engine, l.d->queue, &high, &low, NULL, 0, NULL, NULL), CLND_OK);
        for (int k = 0; k < REACH; k++)
            *cell(&l, middles[2] + REACH - 1 - k) = *cell(&l, GIB - REACH + k);
        check_windows(&l);
    }
    // 16, 16 + 2^29, 16 + 2^30: the last one is past 4 GiB
    const clnd_slice steps = {
        .length = 1, .begin = {REACH}, .end = {INT64_MAX}, .strides = {GIB / 2}};
    const clnd_slice back = {
        .length = 1, .begin = {GIB + REACH}, .end = {INT64_MIN}, .strides = {-GIB / 2}};
    int32_t got[3], three[3] = {-5, -6, -7};
    clnd_tensor out = small(&l, CLND_INT32, 1, (int64_t[]){3}, three);
    check_status(clnd_strided_slice_assign(l.d->engine, l.d->queue, &out, &back, &l.all, NULL, 0,
                                           NULL, NULL),
                 CLND_OK);
    for (int k = 0; k < 3; k++)
        *cell(&l, REACH + (2 - k) * GIB / 2) = three[k];
    check_windows(&l);
    check_status(
        clnd_strided_slice(l.d->engine, l.d->queue, &l.all, &steps, &out, NULL, 0, NULL, NULL),
        CLND_OK);
    read_small(&l, &out, 3, got);
    for (int k = 0; k < 3; k++)
        check(got[k] == three[2 - k], "element %d is %" PRId32, k, got[k]);
    close_large(&l);
}

// Outputs of their own across byte 2^32: rows that a gather writes, and zeros under a scatter.
Test(hostile_large, outputs_across_4_gib)
{
    int32_t numbers[WIDTH];
    int64_t order[WIDTH];
    large l;
    case_begin("large outputs", 0);
    open_large(&l);
    for (int i = 0; i < WIDTH; i++) {
        numbers[i] = 50000 + i;
        order[i] = WIDTH - 1 - i;
    }
    clnd_tensor table = small(&l, CLND_INT32, 1, (int64_t[]){WIDTH}, numbers);
    clnd_tensor indices = small(&l, CLND_INT64, 2, (int64_t[]){WIDTH, 1}, order);
    clnd_tensor out = l.all;
    out.shape[0] = WIDTH;
    out.offset = (size_t)(GIB - REACH) * 4;
    const clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR};
    check_status(
        clnd_gather_nd(l.d->engine, l.d->queue, &table, &indices, &out, &gather, 0, NULL, NULL),
        CLND_OK);
    for (int i = 0; i < WIDTH; i++)
        *cell(&l, GIB - REACH + i) = numbers[order[i]];
    check_windows(&l);
    indices.shape[0] = table.shape[0] = WIDTH / 2;
    const clnd_scatter_nd_options add = {.bounds = CLND_BOUNDS_ERROR};
    check_status(
        clnd_scatter_nd(l.d->engine, l.d->queue, &indices, &table, &out, &add, 0, NULL, NULL),
        CLND_OK);
    for (int i = 0; i < WIDTH; i++)
        *cell(&l, GIB - REACH + i) = i < WIDTH / 2 ? 0 : numbers[WIDTH - 1 - i];
    check_cl(clFinish(l.d->queue));
    check_cl(clReleaseMemObject(table.buffer));
    check_cl(clReleaseMemObject(indices.buffer));
    close_large(&l);
}

// The shape of the advisory: 3 rows of 2^29, of which the fourth begins where 32 bits come around
// with 8-byte elements, and is not there.
Test(hostile_large, CVE_2022_35939_row_3_of_3)
{
    static const int64_t tuples[][2] = {{3, 0}, {0, GIB / 2}, {-1, 5}, {3, -GIB / 2}, {2, GIB / 2}};
    static const char *const ways[] = {"store,lanes", "owner", "sort"};
    int32_t one = 1;
    large l;
    case_begin("CVE-2022-35939, large", 0);
    open_large(&l);
    // bytes, so that all of it is inside the buffer
    clnd_tensor target = l.all;
    target.dtype = CLND_UINT8;
    target.rank = 2;
    target.shape[0] = 3;
    target.shape[1] = target.strides[0] = GIB / 2;
    target.strides[1] = 1;
    clnd_tensor updates = small(&l, CLND_INT32, 1, (int64_t[]){1}, &one);
    updates.dtype = CLND_UINT8;
    clnd_tensor rows = small(&l, CLND_INT64, 2, (int64_t[]){5, 2}, (void *)tuples);
    for (int i = 0; i < 3; i++) {
        const clnd_scatter_nd_options skip = {.bounds = CLND_BOUNDS_SKIP};
        const clnd_scatter_nd_options strict = {.bounds = CLND_BOUNDS_ERROR};
        clnd_tensor slices = rows, each = updates;
        l.d = device_with(l.d, ways[i]);
        each.shape[0] = 5;
        each.strides[0] = 0;
        check_status(clnd_scatter_nd_into(l.d->engine, l.d->queue, &rows, &each, &target, &skip, 0,
                                          NULL, NULL),
                     CLND_OK);
        check_windows(&l);
        // row 3 as a whole slice, of one update that repeats
        slices.shape[0] = slices.shape[1] = 1;
        each.rank = 2;
        each.shape[0] = 1;
        each.shape[1] = GIB / 2;
        each.strides[1] = 0;
        check_status(clnd_scatter_nd_into(l.d->engine, l.d->queue, &slices, &each, &target, &strict,
                                          0, NULL, NULL),
                     CLND_INDEX_OUT_OF_BOUNDS);
        check_message("indices[0] = [3] does not index into shape [3, 536870912]");
        check_windows(&l);
    }
    check_cl(clReleaseMemObject(updates.buffer));
    check_cl(clReleaseMemObject(rows.buffer));
    close_large(&l);
}

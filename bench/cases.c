// SPDX-License-Identifier: Apache-2.0

#include "cases.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "spatter.h"
#include "sweeps.h"

// "f32 1048576x128 = 512x128": the dtype and the shapes at the three sizes; "=" is the CPU's shape.
struct row {
    const char *id;
    int group;
    enum bench_op op;
    const char *data, *indices;
    const char *distribution;
    int reduce; // one of those below
    int32_t axis, batch_dims;
    enum bench_kind kind;
};

enum {
    NONE = CLND_REDUCE_DEFAULT,
    UPDATE = CLND_REDUCE_UPDATE,
    ADD = CLND_REDUCE_ADD,
    MUL = CLND_REDUCE_MUL,
    MIN = CLND_REDUCE_MIN,
    MAX = CLND_REDUCE_MAX,
};

static const struct row rows[] = {
    {"embed-f32-uniform", 1, OP_GATHER_ND, "f32 1048576x128 = 512x128", "i32 262144x1 = 128x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"embed-f32-zipf", 1, OP_GATHER_ND, "f32 1048576x128 = 512x128", "i32 262144x1 = 128x1", "zipf",
     NONE, 0, 0, KIND_PLAIN},
    {"llm-embed-f16", 2, OP_GATHER_ND, "f16 151936x2560 = 64x2560", "i64 10000x1 = 8x1", "uniform",
     NONE, 0, 0, KIND_PLAIN},
    {"rows-4", 3, OP_GATHER_ND, "f32 134217728 536870912 8192", "i32 16777216x1 67108864x1 1024x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-8", 4, OP_GATHER_ND, "f32 67108864x2 268435456x2 4096x2",
     "i32 8388608x1 33554432x1 512x1", "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-16", 4, OP_GATHER_ND, "f32 33554432x4 134217728x4 2048x4",
     "i32 4194304x1 16777216x1 256x1", "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-32", 4, OP_GATHER_ND, "f32 16777216x8 67108864x8 1024x8",
     "i32 2097152x1 8388608x1 128x1", "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-64", 4, OP_GATHER_ND, "f32 8388608x16 33554432x16 512x16",
     "i32 1048576x1 4194304x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-128", 4, OP_GATHER_ND, "f32 4194304x32 16777216x32 256x32",
     "i32 524288x1 2097152x1 32x1", "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-256", 4, OP_GATHER_ND, "f32 2097152x64 8388608x64 128x64", "i32 262144x1 1048576x1 16x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-512", 4, OP_GATHER_ND, "f32 1048576x128 4194304x128 64x128", "i32 131072x1 524288x1 8x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-1k", 4, OP_GATHER_ND, "f32 524288x256 2097152x256 32x256", "i32 65536x1 262144x1 8x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-4k", 4, OP_GATHER_ND, "f32 131072x1024 524288x1024 16x1024", "i32 16384x1 65536x1 4x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-16k", 4, OP_GATHER_ND, "f32 32768x4096 131072x4096 8x4096", "i32 4096x1 16384x1 2x1",
     "uniform", NONE, 0, 0, KIND_PLAIN},
    {"rows-64-sorted", 4, OP_GATHER_ND, "f32 8388608x16 33554432x16 512x16",
     "i32 1048576x1 4194304x1 64x1", "sorted", NONE, 0, 0, KIND_PLAIN},
    {"batched-gather-nd", 5, OP_GATHER_ND, "f32 32x32768x64 32x131072x64 4x64x16",
     "i32 32x8192x1 32x32768x1 4x16x1", "uniform", NONE, 0, 1, KIND_PLAIN},
    {"voxel-k3-random", 6, OP_GATHER_ND, "f32 512x512x256 512x512x512 16x16x8",
     "i32 4194304x3 16777216x3 512x3", "uniform", NONE, 0, 0, KIND_PLAIN},
    {"voxel-k3-jitter", 6, OP_GATHER_ND, "f32 512x512x256 512x512x512 16x16x8",
     "i32 4194304x3 16777216x3 512x3", "jitter", NONE, 0, 0, KIND_PLAIN},
    {"kv-tokens-f16", 7, OP_GATHER_ND, "f16 262144x576 1048576x576 128x576",
     "i64 65536x1 98304x1 32x1", "paged", NONE, 0, 0, KIND_PLAIN},
    {"gather-elements-f32", 0, OP_GATHER_ELEMENTS, "f32 4096x16384 16384x16384 16x256",
     "i64 4096x2048 16384x4096 16x32", "uniform", NONE, 1, 0, KIND_PLAIN},
    {"gnn-add-f32", 8, OP_SCATTER_ND_INTO, "f32 33840x256 135361x256 34x64",
     "i64 119316x1 477263x1 120x1", "power", ADD, 0, 0, KIND_PLAIN},
    {"hot-row-f32", 9, OP_SCATTER_ND_INTO, "f32 53760x128 215040x128 54x32",
     "i32 242688x1 970752x1 243x1", "hot:0.5", ADD, 0, 0, KIND_PLAIN},
    {"hist-f32-uniform", 10, OP_SCATTER_ND_INTO, "f32 256 = 64", "i32 4194304x1 16777216x1 1024x1",
     "uniform", ADD, 0, 0, KIND_PLAIN},
    {"hist-f32-skew", 10, OP_SCATTER_ND_INTO, "f32 256 = 64", "i32 4194304x1 16777216x1 1024x1",
     "hot:0.9", ADD, 0, 0, KIND_PLAIN},
    {"hist-i32-uniform", 10, OP_SCATTER_ND_INTO, "i32 256 = 64", "i32 4194304x1 16777216x1 1024x1",
     "uniform", ADD, 0, 0, KIND_PLAIN},
    {"hist-i32-skew", 10, OP_SCATTER_ND_INTO, "i32 256 = 64", "i32 4194304x1 16777216x1 1024x1",
     "hot:0.9", ADD, 0, 0, KIND_PLAIN},
    {"sparse-grad-f32", 11, OP_SCATTER_ND_INTO, "f32 2097152x64 4194304x64 512x64",
     "i64 65536x1 1048576x1 64x1", "zipf", ADD, 0, 0, KIND_PLAIN},
    {"sparse-grad-f16", 11, OP_SCATTER_ND_INTO, "f16 2097152x64 4194304x64 512x64",
     "i64 65536x1 1048576x1 64x1", "zipf", ADD, 0, 0, KIND_PLAIN},
    {"voxelize-f32", 12, OP_SCATTER_ND, "f32 214272x4 = 1728x4", "i32 1048576x1 4194304x1 512x1",
     "clustered", ADD, 0, 0, KIND_PLAIN},
    {"scatter-elements-add", 12, OP_SCATTER_ELEMENTS, "f32 139104x80 556416x80 140x8",
     "i64 120346x80 481385x80 120x8", "uniform", ADD, 0, 0, KIND_PLAIN},
    {"pic-unsorted", 13, OP_SCATTER_ND_INTO, "f32 512x512x256 512x512x512 16x16x8",
     "i32 2097152x3 33554432x3 512x3", "pic-unsorted", ADD, 0, 0, KIND_PLAIN},
    {"pic-sorted", 13, OP_SCATTER_ND_INTO, "f32 512x512x256 512x512x512 16x16x8",
     "i32 2097152x3 33554432x3 512x3", "pic-sorted", ADD, 0, 0, KIND_PLAIN},
    {"overwrite-f16", 14, OP_SCATTER_ND_INTO, "f16 524288x512 1048576x512 128x128",
     "i64 65536x1 262144x1 32x1", "unique", UPDATE, 0, 0, KIND_PLAIN},
    {"small-gather", 0, OP_GATHER_ND, "f32 1024x64 = 64x16", "i32 64x1 = 16x1", "uniform", NONE, 0,
     0, KIND_SMALL},
    {"small-scatter-add", 0, OP_SCATTER_ND_INTO, "f32 1024x64 = 64x16", "i32 64x1 = 16x1",
     "uniform", ADD, 0, 0, KIND_SMALL},
    {"call-overhead", 0, OP_GATHER_ND, "f32 1024x64 = 64x16", "i32 64x1 = 16x1", "uniform", NONE, 0,
     0, KIND_HOST},
};

// What nobody tuned for.
static const struct other_row {
    struct row row;
    clnd_bounds bounds;
    int32_t row_step;
} other_rows[] = {
    {.row = {"other-rows-12", GROUP_OTHER, OP_GATHER_ND, "f32 8388608x3 33554432x3 256x3",
             "i32 2097152x1 8388608x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-rows-20", GROUP_OTHER, OP_GATHER_ND, "f32 8388608x5 33554432x5 256x5",
             "i32 2097152x1 8388608x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-rows-37", GROUP_OTHER, OP_GATHER_ND, "u8 4194304x37 16777216x37 256x37",
             "i32 1048576x1 4194304x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-rows-100", GROUP_OTHER, OP_GATHER_ND, "f32 1572864x25 6291456x25 256x25",
             "i32 393216x1 1572864x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-rows-148", GROUP_OTHER, OP_GATHER_ND, "f32 1048576x37 4194304x37 256x37",
             "i32 262144x1 1048576x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-rows-1000", GROUP_OTHER, OP_GATHER_ND, "f32 196608x250 786432x250 256x250",
             "i32 49152x1 196608x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-update-12", GROUP_OTHER, OP_SCATTER_ND_INTO, "f32 4194304x3 16777216x3 256x3",
             "i32 2097152x1 8388608x1 64x1", "unique", UPDATE, 0, 0, KIND_PLAIN}},
    {.row = {"other-update-20", GROUP_OTHER, OP_SCATTER_ND_INTO, "f32 4194304x5 16777216x5 256x5",
             "i32 2097152x1 8388608x1 64x1", "unique", UPDATE, 0, 0, KIND_PLAIN}},
    {.row = {"other-update-37", GROUP_OTHER, OP_SCATTER_ND_INTO, "u8 2097152x37 8388608x37 256x37",
             "i32 1048576x1 4194304x1 64x1", "unique", UPDATE, 0, 0, KIND_PLAIN}},
    {.row = {"other-update-100", GROUP_OTHER, OP_SCATTER_ND_INTO, "f32 786432x25 3145728x25 256x25",
             "i32 393216x1 1572864x1 64x1", "unique", UPDATE, 0, 0, KIND_PLAIN}},
    {.row = {"other-update-148", GROUP_OTHER, OP_SCATTER_ND_INTO, "f32 524288x37 2097152x37 256x37",
             "i32 262144x1 1048576x1 64x1", "unique", UPDATE, 0, 0, KIND_PLAIN}},
    {.row = {"other-update-1000", GROUP_OTHER, OP_SCATTER_ND_INTO,
             "f32 98304x250 393216x250 256x250", "i32 49152x1 196608x1 64x1", "unique", UPDATE, 0,
             0, KIND_PLAIN}},
    {.row = {"other-gather-k4", GROUP_OTHER, OP_GATHER_ND,
             "f32 64x64x64x128 128x128x64x256 4x4x4x8", "i32 2621440x4 10485760x4 256x4", "uniform",
             NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-sum-k4", GROUP_OTHER, OP_SCATTER_ND_INTO,
             "f32 64x64x64x128 128x128x64x256 4x4x4x8", "i32 2621440x4 10485760x4 256x4", "uniform",
             ADD, 0, 0, KIND_PLAIN}},
    {.row = {"other-gather-k2-i64", GROUP_OTHER, OP_GATHER_ND, "f32 4096x8192 16384x16384 32x64",
             "i64 2621440x2 10485760x2 256x2", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-gather-k5-i64", GROUP_OTHER, OP_GATHER_ND,
             "f32 10x10x5x5x4 20x20x10x5x4 3x3x2x2x2", "i64 2097152x5 8388608x5 256x5", "uniform",
             NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-gather-wrap-i64", GROUP_OTHER, OP_GATHER_ND, "f32 1048576x32 4194304x32 256x32",
             "i64 262144x1 1048576x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN},
     .bounds = CLND_BOUNDS_WRAP},
    {.row = {"other-gather-wrap-k5", GROUP_OTHER, OP_GATHER_ND,
             "f32 10x10x5x5x4 20x20x10x5x4 3x3x2x2x2", "i32 2097152x5 8388608x5 256x5", "uniform",
             NONE, 0, 0, KIND_PLAIN},
     .bounds = CLND_BOUNDS_WRAP},
    {.row = {"other-gather-u32", GROUP_OTHER, OP_GATHER_ND, "f32 100000 1000000 256",
             "u32 4194304x1 16777216x1 512x1", "uniform", NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-gather-batch2", GROUP_OTHER, OP_GATHER_ND,
             "f32 16x16x4096x32 32x32x4096x32 2x3x16x32", "i32 16x16x1024x1 32x32x1024x1 2x3x8x1",
             "uniform", NONE, 0, 2, KIND_PLAIN}},
    {.row = {"other-gather-strided", GROUP_OTHER, OP_GATHER_ND, "f32 524288x32 2097152x32 128x32",
             "i32 262144x1 1048576x1 64x1", "uniform", NONE, 0, 0, KIND_PLAIN},
     .row_step = 2},
    {.row = {"other-gather-elements-axis0", GROUP_OTHER, OP_GATHER_ELEMENTS,
             "f32 512x256x256 512x512x512 16x8x16", "i64 96x256x256 96x512x512 6x8x16", "uniform",
             NONE, 0, 0, KIND_PLAIN}},
    {.row = {"other-gather-elements-rank4", GROUP_OTHER, OP_GATHER_ELEMENTS,
             "f32 300x40x50x6 1200x40x50x6 4x4x5x6", "i32 300x40x50x6 1200x40x50x6 4x4x5x6",
             "uniform", NONE, 2, 0, KIND_PLAIN}},
    {.row = {"other-scatter-elements-axis0", GROUP_OTHER, OP_SCATTER_ELEMENTS,
             "f32 8192x1024 32768x1024 32x64", "i32 6144x1024 24576x1024 24x64", "uniform", UPDATE,
             0, 0, KIND_PLAIN}},
    {.row = {"other-scatter-elements-last", GROUP_OTHER, OP_SCATTER_ELEMENTS,
             "f32 8192x4096 16384x8192 16x128", "i32 8192x768 16384x1536 16x32", "uniform", ADD, 1,
             0, KIND_PLAIN}},
    {.row = {"other-sum-sorted", GROUP_OTHER, OP_SCATTER_ND_INTO, "f32 3145728 12582912 256",
             "i32 4194304x1 16777216x1 512x1", "sorted", ADD, 0, 0, KIND_PLAIN}},
    {.row = {"other-sum-f64", GROUP_OTHER, OP_SCATTER_ND_INTO, "f64 131072x16 524288x16 64x16",
             "i32 262144x1 1048576x1 128x1", "uniform", ADD, 0, 0, KIND_PLAIN}},
    {.row = {"other-sum-c64", GROUP_OTHER, OP_SCATTER_ND_INTO, "c64 131072x16 524288x16 64x16",
             "i32 262144x1 1048576x1 128x1", "uniform", ADD, 0, 0, KIND_PLAIN}},
    {.row = {"other-max-i16", GROUP_OTHER, OP_SCATTER_ND_INTO, "i16 131072x32 524288x32 64x32",
             "i32 524288x1 2097152x1 128x1", "uniform", MAX, 0, 0, KIND_PLAIN}},
    {.row = {"other-add-u8", GROUP_OTHER, OP_SCATTER_ND_INTO, "u8 131072x64 524288x64 64x64",
             "i32 524288x1 2097152x1 128x1", "uniform", ADD, 0, 0, KIND_PLAIN}},
    {.row = {"other-mul-u8", GROUP_OTHER, OP_SCATTER_ND_INTO, "u8 131072x64 524288x64 64x64",
             "i32 524288x1 2097152x1 128x1", "uniform", MUL, 0, 0, KIND_PLAIN}},
    {.row = {"other-min-u8", GROUP_OTHER, OP_SCATTER_ND_INTO, "u8 131072x64 524288x64 64x64",
             "i32 524288x1 2097152x1 128x1", "uniform", MIN, 0, 0, KIND_PLAIN}},
};

static const struct slice_row {
    const char *id;
    const char *data;
    const char *slice[N_SIZES];
} slice_rows[] = {
    {"slice-crop-nhwc-u8",
     "u8 128x512x512x3 512x512x512x3 2x32x32x3",
     {":, 144:368, 144:368, :", ":, 144:368, 144:368, :", ":, 9:23, 9:23, :"}},
    {"slice-crop-nhwc-f32",
     "f32 64x512x512x3 256x512x512x3 2x32x32x3",
     {":, 144:368, 144:368, :", ":, 144:368, 144:368, :", ":, 9:23, 9:23, :"}},
    {"slice-crop-nchw-f32",
     "f32 64x3x512x512 256x3x512x512 2x3x32x32",
     {":, :, 144:368, 144:368", ":, :, 144:368, 144:368", ":, :, 9:23, 9:23"}},
    {"slice-step2-nchw-f32",
     "f32 64x3x512x512 256x3x512x512 2x3x32x32",
     {":, :, ::2, ::2", ":, :, ::2, ::2", ":, :, ::2, ::2"}},
    {"slice-step2-nhwc-f32",
     "f32 64x512x512x3 256x512x512x3 2x32x32x3",
     {":, ::2, ::2, :", ":, ::2, ::2, :", ":, ::2, ::2, :"}},
    {"slice-hflip-nhwc-u8",
     "u8 128x512x512x3 512x512x512x3 2x32x32x3",
     {":, :, ::-1, :", ":, :, ::-1, :", ":, :, ::-1, :"}},
    {"slice-reverse-f32", "f32 32768x1024 131072x1024 32x64", {":, ::-1", ":, ::-1", ":, ::-1"}},
    {"slice-rank5-f32",
     "f32 16x64x32x64x48 64x64x32x64x48 2x8x4x8x12",
     {":, ::2, :, ::2, ::3", ":, ::2, :, ::2, ::3", ":, ::2, :, ::2, ::3"}},
    {"slice-contig-f32",
     "f32 65536x1024 262144x1024 64x64",
     {"16384:49152, :", "65536:196608, :", "16:48, :"}},
};

static const struct slice_row other_slice_rows[] = {
    {"other-slice-crop-pixel-u8",
     "u8 64x512x512x3 256x512x512x3 2x32x32x3",
     {":, :, 1:, :", ":, :, 1:, :", ":, :, 1:, :"}},
    {"other-slice-rank4-u16",
     "u16 32x256x256x32 128x256x256x32 2x16x16x8",
     {":, ::2, 1::2, ::2", ":, ::2, 1::2, ::2", ":, ::2, 1::2, ::2"}},
    {"other-slice-rank6-f32",
     "f32 16x8x16x32x16x32 64x8x16x32x16x32 2x4x6x8x4x8",
     {":, ::2, 2:14, ::2, :, 4:28", ":, ::2, 2:14, ::2, :, 4:28", ":, ::2, 2:5, ::2, :, 1:7"}},
    {"other-slice-step-minus2-f32",
     "f32 8192x2048 32768x2048 16x64",
     {":, ::-2", ":, ::-2", ":, ::-2"}},
    {"other-copy-bool", "bool 16384x2048 65536x2048 32x64", {":, :", ":, :", ":, :"}},
};

// Of inputs that are column-major.
static const struct slice_row other_transposed_rows[] = {
    {"other-transpose-f32", "f32 5000x4000 20000x16000 40x50", {":, :", ":, :", ":, :"}},
    {"other-transpose-u8", "u8 7000x6000 28000x24000 70x130", {":, :", ":, :", ":, :"}},
};

static const struct slice_row other_assign_row = {"other-slice-assign-f32",
                                                  "f32 4096x4096 16384x8192 32x64",
                                                  {"::2, ::-1", "::2, ::-1", "::2, ::-1"}};

static const struct spatter_row {
    const char *id;
    const char *cpu_file, *gpu_file;
    enum spatter_kernels kernels;
} spatter_rows[] = {
    {"spatter-ustride-gather", "cpu-ustride.json", "gpu-ustride.json", SPATTER_GATHERS},
    {"spatter-ustride-scatter", "cpu-ustride.json", "gpu-ustride.json", SPATTER_SCATTERS},
    {"spatter-amg", "amg.json", "amg_gpu.json", SPATTER_ALL},
    {"spatter-nekbone", "nekbone.json", "nekbone_gpu.json", SPATTER_ALL},
    {"spatter-lulesh", "lulesh.json", "lulesh_gpu.json", SPATTER_ALL},
    {"spatter-pennant", "pennant.json", "pennant_gpu.json", SPATTER_ALL},
};

enum {
    N_ROWS = sizeof rows / sizeof *rows,
    N_SLICES = sizeof slice_rows / sizeof *slice_rows,
    N_OTHER_ROWS = sizeof other_rows / sizeof *other_rows,
    N_OTHER_SLICES = sizeof other_slice_rows / sizeof *other_slice_rows,
    N_OTHER_TRANSPOSED = sizeof other_transposed_rows / sizeof *other_transposed_rows,
    N_SPATTER = sizeof spatter_rows / sizeof *spatter_rows,
};

const char *size_name(enum bench_size size)
{
    static const char *const names[N_SIZES] = {"cpu", "gpu", "tiny"};
    return names[size];
}

bool case_list_add(struct case_list *list, const struct bench_case *what)
{
    struct bench_case *cases =
        realloc(list->cases, ((size_t)list->count + 1) * sizeof *list->cases);
    if (!cases) {
        struct bench_case lost = *what;
        case_free(&lost);
        return fail_memory("the list of cases", sizeof *cases * ((double)list->count + 1));
    }
    list->cases = cases;
    list->cases[list->count++] = *what;
    return true;
}

void case_list_free(struct case_list *list)
{
    for (int i = 0; i < list->count; ++i)
        case_free(&list->cases[i]);
    free(list->cases);
    *list = (struct case_list){0};
}

static void parse(const char *text, enum bench_size size, clnd_dtype *dtype,
                  struct bench_shape *shape)
{
    char words[1 + N_SIZES][48];
    const int n = sscanf(text, "%47s %47s %47s %47s", words[0], words[1], words[2], words[3]);
    const char *word = words[1 + size];
    *dtype = dtype_from_text(words[0]);
    const bool good = n == 4 && *dtype && shape_parse(strcmp(word, "=") ? word : words[1], shape);
    assert(good && "a tensor in the table of cases");
    (void)good;
}

static bool read_row(const struct row *row, enum bench_size size, uint64_t seed,
                     struct bench_case *what)
{
    *what = (struct bench_case){
        .group = row->group,
        .kind = row->kind,
        .op = row->op,
        .seed = seed,
        .reduce = (clnd_reduce)row->reduce,
        .axis = row->axis,
        .batch_dims = row->batch_dims,
        .repeated_indices = true,
    };
    snprintf(what->id, sizeof what->id, "%s", row->id);
    // A call that waits for a check would be timed with the wait.
    if (row->kind == KIND_HOST)
        what->bounds = CLND_BOUNDS_ZERO;
    parse(row->data, size, &what->dtype, &what->data);
    parse(row->indices, size, &what->index_dtype, &what->indices);
    return distribution_parse(row->distribution, &what->distribution);
}

static bool add_row(const struct row *row, enum bench_size size, uint64_t seed,
                    struct case_list *list)
{
    struct bench_case what;
    return read_row(row, size, seed, &what) && case_list_add(list, &what);
}

static bool add_other(const struct other_row *row, enum bench_size size, uint64_t seed,
                      struct case_list *list)
{
    struct bench_case what;
    if (!read_row(&row->row, size, seed, &what))
        return false;
    what.bounds = row->bounds;
    what.row_step = row->row_step;
    return case_list_add(list, &what);
}

static bool add_slice(const struct slice_row *row, enum bench_op op, int group,
                      enum bench_size size, struct case_list *list)
{
    struct bench_case what = {.group = group, .op = op};
    if (op == OP_SLICE_ASSIGN)
        what.reduce = CLND_REDUCE_UPDATE;
    snprintf(what.id, sizeof what.id, "%s", row->id);
    snprintf(what.slice, sizeof what.slice, "%s", row->slice[size]);
    parse(row->data, size, &what.dtype, &what.data);
    return case_list_add(list, &what);
}

static bool add_spatter(const struct spatter_row *row, enum bench_size size, const char *folder,
                        struct case_list *list)
{
    const char *name = size == SIZE_GPU ? row->gpu_file : row->cpu_file;
    char path[sizeof((struct bench_case *)0)->file];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return fail("the folder of the Spatter files has too long a name: %s", folder);
    struct bench_case what;
    if (!spatter_read(path, row->kernels, size, &what))
        return false;
    snprintf(what.id, sizeof what.id, "%s", row->id);
    return case_list_add(list, &what);
}

bool cases_builtin(enum bench_size size, const char *folder, uint64_t seed, bool sweeps,
                   struct case_list *list)
{
    bool good = true;
    for (int i = 0; i < N_ROWS && good; ++i)
        if (rows[i].kind == KIND_PLAIN)
            good = add_row(&rows[i], size, seed, list);
    for (int i = 0; i < N_SLICES && good; ++i)
        good = add_slice(&slice_rows[i], OP_SLICE, 15, size, list);
    for (int i = 0; i < N_ROWS && good; ++i)
        if (rows[i].kind != KIND_PLAIN)
            good = add_row(&rows[i], size, seed, list);
    for (int i = 0; i < N_SPATTER && good; ++i)
        good = add_spatter(&spatter_rows[i], size, folder, list);
    for (int i = 0; i < N_OTHER_ROWS && good; ++i)
        good = add_other(&other_rows[i], size, seed, list);
    for (int i = 0; i < N_OTHER_SLICES && good; ++i)
        good = add_slice(&other_slice_rows[i], OP_SLICE, GROUP_OTHER, size, list);
    for (int i = 0; i < N_OTHER_TRANSPOSED && good; ++i) {
        good = add_slice(&other_transposed_rows[i], OP_SLICE, GROUP_OTHER, size, list);
        if (good)
            list->cases[list->count - 1].column_major = true;
    }
    good = good && add_slice(&other_assign_row, OP_SLICE_ASSIGN, GROUP_OTHER, size, list);
    return good && (!sweeps || sweeps_add(size, seed, list));
}

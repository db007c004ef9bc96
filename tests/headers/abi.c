// SPDX-License-Identifier: Apache-2.0
//
// What compiled programs know of public structs: sizes, and where members lie. A change here breaks
// them (docs/versioning.md): new members take the place of reserved ones, with a line of their own.
// The numbers are those of 64-bit systems.

#include <stddef.h>
#include <stdio.h>

#include "clnd/clnd.h"

// SIZE(struct, bytes), and AT(struct, member, byte).
#define STRUCTS                                                                                    \
    SIZE(clnd_array, 280)                                                                          \
    AT(clnd_array, data, 0)                                                                        \
    AT(clnd_array, dtype, 8)                                                                       \
    AT(clnd_array, rank, 16)                                                                       \
    AT(clnd_array, shape, 24)                                                                      \
    AT(clnd_array, strides, 152)                                                                   \
    SIZE(clnd_copy_options, 64)                                                                    \
    AT(clnd_copy_options, reserved, 0)                                                             \
    SIZE(clnd_engine_options, 104)                                                                 \
    AT(clnd_engine_options, bounds, 0)                                                             \
    AT(clnd_engine_options, log, 8)                                                                \
    AT(clnd_engine_options, log_user, 16)                                                          \
    AT(clnd_engine_options, keep_bytes, 24)                                                        \
    AT(clnd_engine_options, strategy, 32)                                                          \
    AT(clnd_engine_options, reserved, 40)                                                          \
    SIZE(clnd_float_atomics, 16)                                                                   \
    AT(clnd_float_atomics, language, 0)                                                            \
    AT(clnd_float_atomics, float32, 4)                                                             \
    AT(clnd_float_atomics, float64, 5)                                                             \
    AT(clnd_float_atomics, float16, 6)                                                             \
    AT(clnd_float_atomics, bfloat16, 7)                                                            \
    AT(clnd_float_atomics, float32_packs, 8)                                                       \
    AT(clnd_float_atomics, float16_packs, 9)                                                       \
    AT(clnd_float_atomics, bfloat16_packs, 10)                                                     \
    AT(clnd_float_atomics, reserved, 11)                                                           \
    SIZE(clnd_device_facts, 656)                                                                   \
    AT(clnd_device_facts, name, 0)                                                                 \
    AT(clnd_device_facts, platform, 128)                                                           \
    AT(clnd_device_facts, driver, 256)                                                             \
    AT(clnd_device_facts, opencl_c, 384)                                                           \
    AT(clnd_device_facts, is_cpu, 448)                                                             \
    AT(clnd_device_facts, fp64, 449)                                                               \
    AT(clnd_device_facts, fp16, 450)                                                               \
    AT(clnd_device_facts, int64_atomics, 451)                                                      \
    AT(clnd_device_facts, float_atomics, 452)                                                      \
    AT(clnd_device_facts, compute_units, 468)                                                      \
    AT(clnd_device_facts, max_work_group_size, 472)                                                \
    AT(clnd_device_facts, local_memory, 480)                                                       \
    AT(clnd_device_facts, global_memory, 488)                                                      \
    AT(clnd_device_facts, cache, 496)                                                              \
    AT(clnd_device_facts, max_allocation, 504)                                                     \
    AT(clnd_device_facts, max_parameter_size, 512)                                                 \
    AT(clnd_device_facts, address_bits, 520)                                                       \
    AT(clnd_device_facts, out_of_order_queues, 524)                                                \
    AT(clnd_device_facts, unified_memory, 525)                                                     \
    AT(clnd_device_facts, fetches_into_first_cache, 526)                                           \
    AT(clnd_device_facts, loop_iterations, 528)                                                    \
    AT(clnd_device_facts, reserved, 536)                                                           \
    SIZE(clnd_gather_options, 96)                                                                  \
    AT(clnd_gather_options, axis, 0)                                                               \
    AT(clnd_gather_options, batch_dims, 4)                                                         \
    AT(clnd_gather_options, bounds, 8)                                                             \
    AT(clnd_gather_options, fill, 16)                                                              \
    AT(clnd_gather_options, report, 24)                                                            \
    AT(clnd_gather_options, reserved, 32)                                                          \
    SIZE(clnd_gather_elements_options, 88)                                                         \
    AT(clnd_gather_elements_options, axis, 0)                                                      \
    AT(clnd_gather_elements_options, bounds, 4)                                                    \
    AT(clnd_gather_elements_options, fill, 8)                                                      \
    AT(clnd_gather_elements_options, report, 16)                                                   \
    AT(clnd_gather_elements_options, reserved, 24)                                                 \
    SIZE(clnd_gather_nd_options, 88)                                                               \
    AT(clnd_gather_nd_options, batch_dims, 0)                                                      \
    AT(clnd_gather_nd_options, bounds, 4)                                                          \
    AT(clnd_gather_nd_options, fill, 8)                                                            \
    AT(clnd_gather_nd_options, report, 16)                                                         \
    AT(clnd_gather_nd_options, reserved, 24)                                                       \
    SIZE(clnd_workspace, 24)                                                                       \
    AT(clnd_workspace, buffer, 0)                                                                  \
    AT(clnd_workspace, offset, 8)                                                                  \
    AT(clnd_workspace, size, 16)                                                                   \
    SIZE(clnd_plan, 88)                                                                            \
    AT(clnd_plan, strategy, 0)                                                                     \
    AT(clnd_plan, reason, 8)                                                                       \
    AT(clnd_plan, workspace_bytes, 16)                                                             \
    AT(clnd_plan, reserved, 24)                                                                    \
    SIZE(clnd_preparation, 72)                                                                     \
    AT(clnd_preparation, op, 0)                                                                    \
    AT(clnd_preparation, dtype, 8)                                                                 \
    AT(clnd_preparation, index_dtype, 16)                                                          \
    AT(clnd_preparation, reduce, 24)                                                               \
    AT(clnd_preparation, bounds, 28)                                                               \
    AT(clnd_preparation, deterministic, 32)                                                        \
    AT(clnd_preparation, reserved, 40)                                                             \
    SIZE(clnd_report_result, 1384)                                                                 \
    AT(clnd_report_result, status, 0)                                                              \
    AT(clnd_report_result, op, 8)                                                                  \
    AT(clnd_report_result, call, 16)                                                               \
    AT(clnd_report_result, row, 24)                                                                \
    AT(clnd_report_result, rank, 32)                                                               \
    AT(clnd_report_result, n_values, 36)                                                           \
    AT(clnd_report_result, location, 40)                                                           \
    AT(clnd_report_result, values, 168)                                                            \
    AT(clnd_report_result, message, 296)                                                           \
    AT(clnd_report_result, reserved, 1320)                                                         \
    SIZE(clnd_scatter_options, 104)                                                                \
    AT(clnd_scatter_options, axis, 0)                                                              \
    AT(clnd_scatter_options, batch_dims, 4)                                                        \
    AT(clnd_scatter_options, reduce, 8)                                                            \
    AT(clnd_scatter_options, bounds, 12)                                                           \
    AT(clnd_scatter_options, deterministic, 16)                                                    \
    AT(clnd_scatter_options, unique_indices, 17)                                                   \
    AT(clnd_scatter_options, workspace, 24)                                                        \
    AT(clnd_scatter_options, report, 32)                                                           \
    AT(clnd_scatter_options, reserved, 40)                                                         \
    SIZE(clnd_route_options, 80)                                                                   \
    AT(clnd_route_options, bounds, 0)                                                              \
    AT(clnd_route_options, report, 8)                                                              \
    AT(clnd_route_options, reserved, 16)                                                           \
    SIZE(clnd_shards, 192)                                                                         \
    AT(clnd_shards, n_shards, 0)                                                                   \
    AT(clnd_shards, n_dims, 4)                                                                     \
    AT(clnd_shards, n_divided, 8)                                                                  \
    AT(clnd_shards, shape, 16)                                                                     \
    AT(clnd_shards, block, 144)                                                                    \
    AT(clnd_shards, offsets, 152)                                                                  \
    AT(clnd_shards, reserved, 160)                                                                 \
    SIZE(clnd_scatter_elements_options, 96)                                                        \
    AT(clnd_scatter_elements_options, axis, 0)                                                     \
    AT(clnd_scatter_elements_options, reduce, 4)                                                   \
    AT(clnd_scatter_elements_options, bounds, 8)                                                   \
    AT(clnd_scatter_elements_options, deterministic, 12)                                           \
    AT(clnd_scatter_elements_options, unique_indices, 13)                                          \
    AT(clnd_scatter_elements_options, workspace, 16)                                               \
    AT(clnd_scatter_elements_options, report, 24)                                                  \
    AT(clnd_scatter_elements_options, reserved, 32)                                                \
    SIZE(clnd_scatter_nd_options, 96)                                                              \
    AT(clnd_scatter_nd_options, reduce, 0)                                                         \
    AT(clnd_scatter_nd_options, bounds, 4)                                                         \
    AT(clnd_scatter_nd_options, deterministic, 8)                                                  \
    AT(clnd_scatter_nd_options, unique_indices, 9)                                                 \
    AT(clnd_scatter_nd_options, workspace, 16)                                                     \
    AT(clnd_scatter_nd_options, report, 24)                                                        \
    AT(clnd_scatter_nd_options, reserved, 32)                                                      \
    SIZE(clnd_slice, 800)                                                                          \
    AT(clnd_slice, length, 0)                                                                      \
    AT(clnd_slice, begin, 8)                                                                       \
    AT(clnd_slice, end, 264)                                                                       \
    AT(clnd_slice, strides, 520)                                                                   \
    AT(clnd_slice, begin_mask, 776)                                                                \
    AT(clnd_slice, end_mask, 780)                                                                  \
    AT(clnd_slice, ellipsis_mask, 784)                                                             \
    AT(clnd_slice, new_axis_mask, 788)                                                             \
    AT(clnd_slice, shrink_axis_mask, 792)                                                          \
    SIZE(clnd_strided_slice_options, 64)                                                           \
    AT(clnd_strided_slice_options, reserved, 0)                                                    \
    SIZE(clnd_tensor, 288)                                                                         \
    AT(clnd_tensor, buffer, 0)                                                                     \
    AT(clnd_tensor, offset, 8)                                                                     \
    AT(clnd_tensor, dtype, 16)                                                                     \
    AT(clnd_tensor, rank, 24)                                                                      \
    AT(clnd_tensor, shape, 32)                                                                     \
    AT(clnd_tensor, strides, 160)

static int number, bad;

static void judge(const char *what, size_t is, size_t was)
{
    printf("%s %d - %s\n", is == was ? "ok" : "not ok", ++number, what);
    if (is != was)
        printf("# %zu, was %zu\n", is, was);
    bad += is != was;
}

int main(void)
{
    if (sizeof(void *) != 8) {
        printf("1..0 # SKIP not a 64-bit system\n");
        return 0;
    }
#define SIZE(name, bytes)       judge("size of " #name, sizeof(name), bytes);
#define AT(name, member, bytes) judge(#name "." #member, offsetof(name, member), bytes);
    STRUCTS
#undef AT
#undef SIZE
    printf("1..%d\n", number);
    return bad > 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Functions that look at the caller's buffers only, or at nothing but their arguments: plans, the
// check of a tensor, shapes, texts.

#include <criterion/criterion.h>
#include <string.h>

#include "attempt.h"
#include "memory.h"
#include "scene.h"

static const scene_plot plots[] = {
    {.name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_FILL},
    {.name = "gather", .op = GATHER, .reports = true},
    {.name = "gather_elements", .op = GATHER_ELEMENTS},
    {.name = "scatter_nd", .op = SCATTER_ND, .lends = true},
    {.name = "scatter_nd_into", .op = SCATTER_ND_INTO, .reduce = CLND_REDUCE_ADD},
    {.name = "scatter_elements", .op = SCATTER_ELEMENTS, .reduce = CLND_REDUCE_MAX},
    {.name = "scatter", .op = SCATTER, .reduce = CLND_REDUCE_ADD},
    {.name = "strided_slice", .op = STRIDED_SLICE, .slice = "::2"},
    {.name = "strided_slice_assign", .op = STRIDED_SLICE_ASSIGN, .slice = "::2"},
    {.name = "strided_slice_grad", .op = STRIDED_SLICE_GRAD, .slice = "::2"},
    {.name = "copy", .op = COPY},
};

static bool plan_with(scene *s, const fault *f)
{
    static const clnd_plan zero;
    clnd_plan plan;
    memset(&plan, 1, sizeof plan);
    fault_arm(f);
    const clnd_status status = scene_plan(s, &plan);
    const bool came = fault_disarm(f);
    fault_note(f, s->plot->name);
    if (!came) {
        check_status(status, CLND_OK);
        check(plan.reason != NULL, "no reason");
    } else {
        check(status != CLND_OK, "the plan goes on as if nothing had happened");
        fault_check_told(f, status);
        check(memcmp(&plan, &zero, sizeof plan) == 0, "*plan is not zeroed");
    }
    return came;
}

Test(faults_others, plans)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof plots / sizeof *plots); i++) {
        scene s;
        fault f = {0};
        bool came = false;
        int n = 0;
        case_begin("faults in plans", i);
        scene_make(&s, &plots[i], d, d->engine);
        const holdings before = holdings_now();
        while (fault_next(&f, came)) {
            came = plan_with(&s, &f);
            n += came;
            holdings_check(&before);
        }
        check(n >= 2 * 7 * OPENCL_VARIANTS, "%d faults", n);
        scene_check(&s, IS_BEFORE);
        scene_free(&s);
    }
}

Test(faults_others, tensor_check)
{
    const device *d = device_get();
    scene s;
    fault f = {0};
    bool came = false;
    int n = 0;
    case_begin("faults in tensor_check", 0);
    scene_make(&s, &plots[9], d, d->engine);
    while (fault_next(&f, came)) {
        fault_arm(&f);
        const clnd_status status = clnd_tensor_check(&s.arrays[0].image.tensor);
        came = fault_disarm(&f);
        fault_note(&f, "tensor_check");
        if (came)
            fault_check_told(&f, status);
        else
            check_status(status, CLND_OK);
        n += came;
    }
    check(n == 7 * OPENCL_VARIANTS, "%d faults", n);
    scene_free(&s);
}

Test(faults_others, host_alloc)
{
    case_begin("faults in host_alloc", 0);
    const holdings before = holdings_now();
    memory_fail(0);
    check(!clnd_host_alloc(1000), "memory that there is not");
    check_message("host_alloc: no memory for 1000 bytes");
    memory_fail(-1);
    void *memory = clnd_host_alloc(1000);
    check(memory, "no memory after all");
    clnd_host_free(memory);
    holdings_check(&before);
}

// Everything else needs neither OpenCL nor memory: nothing comes up, and nothing fails.
Test(faults_others, what_needs_nothing)
{
    const device *d = device_get();
    const int64_t shape[] = {4, 3}, rows[] = {2, 1}, parts[] = {2, 3}, row[] = {2};
    clnd_tensor table, indices, list, elements, part, out;
    clnd_array array;
    clnd_slice slice;
    clnd_engine *none = NULL;
    clnd_report *no_report = NULL;
    int64_t count;
    size_t begin, end;
    case_begin("what needs nothing", 0);
    opencl_fail_any(0, 0);
    memory_fail(0);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, shape, &table), CLND_OK);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, rows, &indices), CLND_OK);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 1, row, &list), CLND_OK);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, parts, &part), CLND_OK);
    elements = part;
    check_status(clnd_tensor_permute(&table, NULL, &out), CLND_OK);
    check_status(clnd_tensor_strided(NULL, 0, CLND_INT32, 1, row, row, &out), CLND_OK);
    check_status(clnd_tensor_count(&table, &count), CLND_OK);
    check_status(clnd_tensor_extent(&table, &begin, &end), CLND_OK);
    check_status(clnd_array_dense(shape, CLND_INT64, 1, row, &array), CLND_OK);
    check_status(clnd_array_count(&array, &count), CLND_OK);
    check_status(clnd_array_tensor(&array, &out), CLND_OK);
    check_status(clnd_slice_parse("1:3", &slice), CLND_OK);
    check_status(clnd_gather_nd_shape(&table, &indices, NULL, &out), CLND_OK);
    check_status(clnd_gather_shape(&table, &list, NULL, &out), CLND_OK);
    check_status(clnd_gather_elements_shape(&table, &elements, NULL, &out), CLND_OK);
    check_status(clnd_scatter_nd_check(&indices, &part, &table, NULL), CLND_OK);
    check_status(clnd_scatter_elements_check(&elements, &part, &table, NULL), CLND_OK);
    check_status(clnd_scatter_check(&list, &part, &table, NULL), CLND_OK);
    check_status(clnd_strided_slice_shape(&table, &slice, &out), CLND_OK);
    check_status(clnd_strided_slice_view(&table, &slice, &out), CLND_OK);
    check_status(clnd_strided_slice_assign_shape(&part, &slice, &table, &out), CLND_OK);
    check_status(clnd_copy_shape(&table, &out), CLND_OK);
    check(clnd_engine_context(d->engine) && clnd_engine_device(d->engine) &&
              clnd_engine_queue(d->engine) && clnd_engine_facts(d->engine) &&
              clnd_engine_build_log(d->engine, NULL, 0) == 1,
          "what an engine says of itself");
    check(clnd_dtype_is_valid(CLND_INT8) && clnd_dtype_is_index(CLND_INT8) &&
              clnd_dtype_size(CLND_INT8) == 1 && *clnd_dtype_name(CLND_INT8) &&
              *clnd_status_name(CLND_OK) && *clnd_version_text() &&
              clnd_version() == CLND_VERSION && clnd_last_error() && !clnd_last_error_code(),
          "names and numbers");
    clnd_engine_destroy(&none);
    clnd_report_destroy(&no_report);
    check(opencl.failed == OPENCL_NONE, "%s was called", opencl_name(opencl.failed));
    check(!memory_has_failed(), "memory was taken");
    opencl_begin();
    memory_fail(-1);
}

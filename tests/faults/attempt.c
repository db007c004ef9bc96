// SPDX-License-Identifier: Apache-2.0

#include "attempt.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

// What compiles and what makes, with codes.
static const struct {
    opencl_function function;
    cl_int code;
} building[] = {{OPENCL_BuildProgram, CL_BUILD_PROGRAM_FAILURE},
                {OPENCL_BuildProgram, CL_OUT_OF_HOST_MEMORY},
                {OPENCL_CreateProgramWithSource, CL_OUT_OF_RESOURCES},
                {OPENCL_CreateKernel, CL_INVALID_KERNEL_NAME},
                {OPENCL_CreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE},
                {OPENCL_CreateCommandQueue, CL_OUT_OF_RESOURCES}};

static int variants_of(const fault *f)
{
    return f->builds ? (int)(sizeof building / sizeof *building) : OPENCL_VARIANTS;
}

bool fault_next(fault *f, bool came)
{
    if (came && f->kind != FAULT_NONE) {
        f->number++;
        return true;
    }
    f->number = 0;
    if (f->kind == FAULT_MEMORY)
        return false;
    if (f->kind == FAULT_NONE) {
        f->kind = FAULT_OPENCL;
        f->variant = 0;
    } else if (f->variant + 1 < variants_of(f)) {
        f->variant++;
    } else {
        f->kind = FAULT_MEMORY;
    }
    return true;
}

void fault_arm(const fault *f)
{
    opencl_begin();
    memory_fail(f->kind == FAULT_MEMORY ? f->number : -1);
    if (f->kind == FAULT_OPENCL && f->builds)
        opencl_fail(building[f->variant].function, f->number, false, building[f->variant].code);
    else if (f->kind == FAULT_OPENCL)
        opencl_fail_any(f->number, f->variant);
}

bool fault_disarm(const fault *f)
{
    const opencl_log log = opencl;
    const bool came = f->kind == FAULT_MEMORY ? memory_has_failed() : log.failed != OPENCL_NONE;
    opencl_begin();
    memory_fail(-1);
    opencl.failed = log.failed;
    opencl.failed_code = log.failed_code;
    return came;
}

void fault_note(const fault *f, const char *what)
{
    if (f->kind == FAULT_NONE)
        case_note("%s without a fault", what);
    else if (f->kind == FAULT_MEMORY)
        case_note("%s without memory for allocation %d", what, f->number);
    else
        case_note("%s with code %d of call %d, %s", what, (int)opencl.failed_code, f->number,
                  opencl_name(opencl.failed));
}

clnd_status fault_status(opencl_function function, cl_int code)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return CLND_OUT_OF_HOST_MEMORY;
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return CLND_OUT_OF_DEVICE_MEMORY;
    default:
        break;
    }
    switch (function) {
    case OPENCL_BuildProgram:
        return CLND_BUILD_FAILED;
    case OPENCL_GetMemObjectInfo:
        return CLND_INVALID_BUFFER;
    case OPENCL_GetCommandQueueInfo:
        return CLND_INVALID_QUEUE;
    case OPENCL_GetEventInfo:
        return CLND_INVALID_EVENT;
    case OPENCL_WaitForEvents:
        return CLND_WAIT_FAILED;
    default:
        return CLND_OPENCL_ERROR;
    }
}

void fault_check_told(const fault *f, clnd_status status)
{
    char code[16];
    if (f->kind == FAULT_MEMORY) {
        check(status == CLND_OUT_OF_HOST_MEMORY, "gave %s (%s)", clnd_status_name(status),
              clnd_last_error());
        check(clnd_last_error_code() == 0, "code %d", (int)clnd_last_error_code());
        check_message("no memory for");
        return;
    }
    const clnd_status expected = fault_status(opencl.failed, opencl.failed_code);
    check(status == expected, "gave %s (%s), expected %s", clnd_status_name(status),
          clnd_last_error(), clnd_status_name(expected));
    check(clnd_last_error_code() == opencl.failed_code, "code %d", (int)clnd_last_error_code());
    if (status == CLND_OUT_OF_HOST_MEMORY || status == CLND_OUT_OF_DEVICE_MEMORY ||
        status == CLND_OPENCL_ERROR)
        check_message(opencl_name(opencl.failed));
    snprintf(code, sizeof code, "%d", (int)opencl.failed_code);
    if (status == CLND_OUT_OF_DEVICE_MEMORY || status == CLND_OPENCL_ERROR)
        check_message(code);
}

holdings holdings_now(void)
{
    return (holdings){opencl_count(), memory_count()};
}

void holdings_check(const holdings *before)
{
    const char *complaint = opencl_complaint(&before->owned);
    check(!complaint, "%s", complaint);
    check(memory_count() <= before->memory, "leak: %d blocks of host memory too many",
          memory_count() - before->memory);
}

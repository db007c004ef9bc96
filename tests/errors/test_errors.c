// SPDX-License-Identifier: Apache-2.0
//
// Every status, the text that comes with it, and the order in which ops check. A refused call has
// touched nothing and enqueued nothing.

#include <criterion/criterion.h>
#include <string.h>

#include "faults.h"

static int count_faults(void)
{
    return n_argument_faults + n_memory_faults;
}

static const fault *fault_at(int i)
{
    return i < n_argument_faults ? &argument_faults[i] : &memory_faults[i - n_argument_faults];
}

// Faults that this device cannot show.
static bool is_impossible(const device *d, const fault *f)
{
    // Oclgrind takes any event.
    return f->status == CLND_OPENCL_ERROR && strcmp(d->facts->platform, "Oclgrind") == 0;
}

// Puts every fault with this status into every op that it is one of.
static void run_status(clnd_status status)
{
    const device *d = device_get();
    int ran = 0;
    for (int i = 0; i < count_faults(); i++) {
        const fault *f = fault_at(i);
        if (f->status != status || is_impossible(d, f))
            continue;
        for (int op = 0; op < N_OPS; op++) {
            if (!(f->ops >> op & 1))
                continue;
            call c;
            case_begin("errors", i);
            case_note("%s: %s: %s", clnd_status_name(status), f->label, call_names[op]);
            call_make(&c, d, (op_id)op);
            f->put(&c);
            call_check_refused(&c, status);
            for (int k = 0; k < 4 && f->pieces[k]; k++)
                check_message(f->pieces[k]);
            call_free(&c);
            ran++;
        }
    }
    if (!ran)
        cr_skip_test("not to be had on %s", d->facts->name);
}

Test(errors, good_calls_are_good)
{
    const device *d = device_get();
    for (int op = 0; op < N_OPS; op++) {
        call c;
        cl_event event = NULL;
        case_begin("errors good", op);
        call_make(&c, d, (op_id)op);
        check_status(call_run(&c, &event), CLND_OK);
        check_cl(clReleaseEvent(event));
        check_cl(clFinish(d->queue));
        call_free(&c);
    }
}

#define STATUS_TEST(name, status)                                                                  \
    Test(errors, name)                                                                             \
    {                                                                                              \
        run_status(status);                                                                        \
    }

STATUS_TEST(null_pointer, CLND_NULL_POINTER)
STATUS_TEST(invalid_option, CLND_INVALID_OPTION)
STATUS_TEST(invalid_dtype, CLND_INVALID_DTYPE)
STATUS_TEST(dtype_mismatch, CLND_DTYPE_MISMATCH)
STATUS_TEST(unsupported_dtype, CLND_UNSUPPORTED_DTYPE)
STATUS_TEST(invalid_rank, CLND_INVALID_RANK)
STATUS_TEST(invalid_shape, CLND_INVALID_SHAPE)
STATUS_TEST(invalid_strides, CLND_INVALID_STRIDES)
STATUS_TEST(invalid_slice, CLND_INVALID_SLICE)
STATUS_TEST(invalid_axis, CLND_INVALID_AXIS)
STATUS_TEST(size_overflow, CLND_SIZE_OVERFLOW)
STATUS_TEST(invalid_buffer, CLND_INVALID_BUFFER)
STATUS_TEST(buffer_too_small, CLND_BUFFER_TOO_SMALL)
STATUS_TEST(misaligned, CLND_MISALIGNED)
STATUS_TEST(overlap, CLND_OVERLAP)
STATUS_TEST(invalid_queue, CLND_INVALID_QUEUE)
STATUS_TEST(index_out_of_bounds, CLND_INDEX_OUT_OF_BOUNDS)
STATUS_TEST(invalid_event, CLND_INVALID_EVENT)
STATUS_TEST(wait_failed, CLND_WAIT_FAILED)

// Two faults in one call: the one whose stage comes first in status.h is reported.
Test(errors, checks_come_in_the_documented_order)
{
    const device *d = device_get();
    int pairs = 0;
    for (int i = 0; i < count_faults(); i++) {
        for (int j = 0; j < count_faults(); j++) {
            const fault *first = fault_at(i), *second = fault_at(j);
            if (first->stage >= second->stage || !first->combines || !second->combines)
                continue;
            for (int op = 0; op < N_OPS; op++) {
                if (!(first->ops & second->ops & 1u << op))
                    continue;
                call c;
                case_begin("errors order", i * 1000 + j);
                case_note("%s and %s: %s", first->label, second->label, call_names[op]);
                call_make(&c, d, (op_id)op);
                second->put(&c);
                first->put(&c);
                clnd_status got = call_run(&c, NULL);
                check(got == first->status, "gave %s (%s), expected %s before %s",
                      clnd_status_name(got), clnd_last_error(), clnd_status_name(first->status),
                      clnd_status_name(second->status));
                call_free(&c);
                pairs++;
            }
        }
    }
    cr_assert(pairs > 500, "%d pairs", pairs);
}

// Statuses that calls with other arguments give, and those that cannot be provoked from outside.
static const struct {
    clnd_status status;
    const char *where;
} elsewhere[] = {
    {CLND_OK, "every other test"},
    {CLND_NO_DEVICE, "test_errors_other.c"},
    {CLND_UNSUPPORTED_DEVICE, "needs a device without a compiler, or a big-endian one"},
    {CLND_OUT_OF_DEVICE_MEMORY, "test_errors_other.c, and suite faults"},
    {CLND_OUT_OF_HOST_MEMORY, "needs an allocator that fails: suite faults"},
    {CLND_BUILD_FAILED, "needs a compiler that refuses the library's own kernels: suite faults"},
    {CLND_OPENCL_ERROR, "needs a driver that fails where it should not: suite faults"},
    {CLND_INTERNAL, "would be a mistake in clnd"},
    {CLND_MPI_ERROR, "of clnd-mpi: tests/mpi/refused.c"},
};

// A status that is added to the list must be provoked or accounted for.
Test(errors, every_status_is_accounted_for)
{
#define STATUS_NUMBER(name, number, meaning) number,
    static const int numbers[] = {CLND_STATUS_LIST(STATUS_NUMBER)};
#undef STATUS_NUMBER
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        int found = 0;
        for (int i = 0; i < count_faults(); i++)
            found |= (int)fault_at(i)->status == numbers[n];
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            found |= (int)elsewhere[i].status == numbers[n];
        cr_expect(found, "nothing provokes %s", clnd_status_name((clnd_status)numbers[n]));
    }
}

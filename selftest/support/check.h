// SPDX-License-Identifier: Apache-2.0
//
// Checks that say which case failed and how to run it again. A test loops over many cases;
// case_begin names the current one, and every failure prints that name and the seed.

#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <CL/cl.h>
#include <stdbool.h>

#include "clnd/status.h"
#include "rng.h"

// Enters case `number` of `test` and seeds case_rng().
void case_begin(const char *test, int number);

// Enters a case with a generator of its own. `name` says how to run it again.
void case_enter(const char *name, rng r);

// Says in words what the current case is.
__attribute__((format(printf, 1, 2))) void case_note(const char *format, ...);

rng *case_rng(void);

// How many random cases to run where `count` is usual: times CLND_TEST_CASES, at least 1.
int case_count(int count);

// Whether to run this one of cases that go through all of something: as many of them, always the
// same.
bool case_is_taken(int number);

// Whether CLND_TEST_CASES asks for all of them.
bool case_are_all(void);

// Turns of a loop of such cases: at least `count`, of which some are not taken.
int case_turns(int count);

// "name: note: message", one line. Static storage.
__attribute__((format(printf, 1, 2))) const char *case_text(const char *format, ...);

// End the test, each kind of program in its own way: check_criterion.c, problems/trial.c.
_Noreturn void check_fail(const char *text);
_Noreturn void check_skip(const char *reason);

// Ends the test with that text unless `condition` holds.
#define check(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            check_fail(case_text(__VA_ARGS__));                                                    \
    } while (0)

// An OpenCL call of the test itself that must succeed.
#define check_cl(call)                                                                             \
    do {                                                                                           \
        cl_int check_cl_code = (call);                                                             \
        check(check_cl_code == CL_SUCCESS, "%s gave %d", #call, (int)check_cl_code);               \
    } while (0)

// A clnd call with its status.
#define check_status(call, expected)                                                               \
    do {                                                                                           \
        clnd_status check_status_got = (call);                                                     \
        clnd_status check_status_expected = (expected);                                            \
        check(check_status_got == check_status_expected, "%s gave %s (%s), expected %s", #call,    \
              clnd_status_name(check_status_got), clnd_last_error(),                               \
              clnd_status_name(check_status_expected));                                            \
    } while (0)

// The thread's last error has this piece in it.
#define check_message(piece)                                                                       \
    check(strstr(clnd_last_error(), piece), "message \"%s\" lacks \"%s\"", clnd_last_error(), piece)

#endif

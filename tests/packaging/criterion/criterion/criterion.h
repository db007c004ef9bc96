// SPDX-License-Identifier: Apache-2.0
//
// What the unit tests need of Criterion, where that does not run: all tests are one process, which
// prints TAP and ends with the first failure.

#ifndef CRITERION_CRITERION_H
#define CRITERION_CRITERION_H

#include <stdio.h>
#include <stdlib.h>

typedef struct criterion_test {
    const char *name;
    void (*run)(void);
    struct criterion_test *next;
} criterion_test;

void criterion_add(criterion_test *test);

#define Test(suite, test)                                                                          \
    static void suite##_##test(void);                                                              \
    __attribute__((constructor)) static void suite##_##test##_is_added(void)                       \
    {                                                                                              \
        static criterion_test entry = {#suite ": " #test, suite##_##test, NULL};                   \
        criterion_add(&entry);                                                                     \
    }                                                                                              \
    static void suite##_##test(void)

#define cr_assert_fail(...) (printf("Bail out! " __VA_ARGS__), exit(1))
#define cr_skip_test(...)   (printf("Bail out! skipped: " __VA_ARGS__), exit(1))

#endif

// SPDX-License-Identifier: Apache-2.0

#include <criterion/criterion.h>

static criterion_test *tests;

void criterion_add(criterion_test *test)
{
    test->next = tests;
    tests = test;
}

int main(void)
{
    int number = 0;
    for (const criterion_test *test = tests; test; test = test->next) {
        test->run();
        printf("ok %d - %s\n", ++number, test->name);
    }
    printf("1..%d\n", number);
    return 0;
}

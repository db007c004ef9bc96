// SPDX-License-Identifier: Apache-2.0
//
// A library that is no OpenCL driver.

int answer(void);
int answer(void)
{
    return 42;
}

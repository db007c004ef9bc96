// SPDX-License-Identifier: Apache-2.0

#include "clnd/version.h"

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

int32_t clnd_version(void)
{
    return CLND_VERSION;
}

const char *clnd_version_text(void)
{
    return TEXT(CLND_VERSION_MAJOR) "." TEXT(CLND_VERSION_MINOR) "." TEXT(CLND_VERSION_PATCH);
}

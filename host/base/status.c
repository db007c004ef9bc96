// SPDX-License-Identifier: Apache-2.0

#include "clnd/status.h"

const char *clnd_status_name(clnd_status status)
{
    switch (status) {
#define CASE(name, number, meaning)                                                                \
    case CLND_##name:                                                                              \
        return "CLND_" #name;
        CLND_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

// SPDX-License-Identifier: Apache-2.0
#include "plot.h"
bool plot_all(const json_t *document, const char *folder)
{
    (void)document;
    (void)folder;
    return true;
}

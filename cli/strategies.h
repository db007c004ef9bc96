// SPDX-License-Identifier: Apache-2.0
//
// Which strategy typical calls would take on a device, and why, as a table.

#ifndef CLND_CLI_STRATEGIES_H
#define CLND_CLI_STRATEGIES_H

#include "clnd/clnd.h"
#include "json.h"

// Prints the table, each line behind `indent` blanks and with at most 100 columns. Nothing is
// compiled or enqueued.
void strategies_print(clnd_engine *engine, int indent);

// The same as a member of the object that is open.
void strategies_json(struct json *json, clnd_engine *engine);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What is known of a device, as text.

#ifndef CLND_CLI_FACTS_H
#define CLND_CLI_FACTS_H

#include <stdbool.h>

#include "clnd/engine.h"
#include "json.h"

// Prints a text of a driver, without control characters and without the blanks that end some.
void facts_print_text(const char *text);

// Prints "     name       text" as a line.
void facts_print_field(const char *name, const char *text);

// Prints all but the name. `probed`: they are an engine's.
void facts_print(const clnd_device_facts *facts, bool probed);

// The same as members of the object that is open.
void facts_json(struct json *json, const clnd_device_facts *facts, bool probed);

#endif

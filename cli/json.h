// SPDX-License-Identifier: Apache-2.0
//
// JSON on a stream, written as it comes. A driver's text may hold anything; it is shown as
// everywhere, without control characters.

#ifndef CLND_CLI_JSON_H
#define CLND_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    int depth;
    bool has_members; // what is open now
};

// `key` is NULL in arrays and for the whole document.
void json_open(struct json *json, const char *key, char bracket); // '{' or '['
void json_close(struct json *json, char bracket);                 // '}' or ']'

void json_text(struct json *json, const char *key, const char *text);
void json_bool(struct json *json, const char *key, bool value);
void json_integer(struct json *json, const char *key, uint64_t value);
void json_seconds(struct json *json, const char *key, double value); // to the nanosecond

#endif

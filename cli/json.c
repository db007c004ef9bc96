// SPDX-License-Identifier: Apache-2.0

#include "json.h"

#include <inttypes.h>
#include <string.h>

#include "text.h"

static void begin_member(struct json *json, const char *key)
{
    if (json->depth > 0)
        fprintf(json->out, "%s\n%*s", json->has_members ? "," : "", json->depth, "");
    if (key)
        fprintf(json->out, "\"%s\": ", key);
    json->has_members = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_member(json, key);
    fputc(bracket, json->out);
    ++json->depth;
    json->has_members = false;
}

void json_close(struct json *json, char bracket)
{
    --json->depth;
    if (json->has_members)
        fprintf(json->out, "\n%*s", json->depth, "");
    fputc(bracket, json->out);
    json->has_members = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_text(struct json *json, const char *key, const char *text)
{
    char shown[4096];
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        --length;
    text_escape(shown, sizeof shown, text, length);
    begin_member(json, key);
    fputc('"', json->out);
    for (const char *at = shown; *at; ++at) {
        if (*at == '"' || *at == '\\')
            fputc('\\', json->out);
        fputc(*at, json->out);
    }
    fputc('"', json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_member(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_integer(struct json *json, const char *key, uint64_t value)
{
    begin_member(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_seconds(struct json *json, const char *key, double value)
{
    begin_member(json, key);
    fprintf(json->out, "%.9f", value);
}

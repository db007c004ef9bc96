// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "document.h"
#include "report.h"

static const char *const columns[] = {
    "case",
    "op",
    "dtype",
    "index_dtype",
    "distribution",
    "reduce",
    "strategy",
    "n",
    "median_s",
    "min_s",
    "p95_s",
    "wall_s",
    "device_s",
    "first_call_s",
    "engine_s",
    "plan_s",
    "payload_bytes",
    "moved_bytes",
    "cold_bytes",
    "payload_GBps",
    "moved_GBps",
    "updates_M",
    "limit_s",
    "limit_percent",
    "no_reuse_limit_s",
    "no_reuse_limit_percent",
    "copy_GBps",
    "copy_ratio",
    "c_median_s",
    "c_threads",
    "c_ratio",
    "workspace_bytes",
    "launch_bound",
    "cache_resident",
    "error",
};

static const char *const second_columns[] = {"median_s", "min_s", "p95_s", "strategy",
                                             "workspace_bytes"};

// A field is quoted when it has to be.
static void print_text(const char *text)
{
    const bool quote = strpbrk(text, ",\"\n") != NULL;
    if (quote)
        putchar('"');
    for (; *text; ++text) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    if (quote)
        putchar('"');
}

static void print_value(const json_t *value)
{
    if (json_is_string(value))
        print_text(json_string_value(value));
    else if (json_is_boolean(value))
        printf("%d", json_is_true(value));
    else if (json_is_number(value))
        printf("%.6g", json_number_value(value));
}

void report_csv(const json_t *document)
{
    enum {
        N = sizeof columns / sizeof *columns,
        M = sizeof second_columns / sizeof *second_columns
    };
    for (int k = 0; k < N; ++k)
        printf("%s,", columns[k]);
    for (int k = 0; k < M; ++k)
        printf("deterministic_%s%c", second_columns[k], k + 1 < M ? ',' : '\n');
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        const json_t *second = json_object_get(result, "deterministic");
        for (int k = 0; k < N; ++k) {
            print_value(json_object_get(result, columns[k]));
            putchar(',');
        }
        for (int k = 0; k < M; ++k) {
            print_value(json_object_get(second, second_columns[k]));
            putchar(k + 1 < M ? ',' : '\n');
        }
    }
}

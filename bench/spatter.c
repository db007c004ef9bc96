// SPDX-License-Identifier: Apache-2.0

#include "spatter.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "failure.h"

enum { DEFAULT_DELTA = 8, DEFAULT_COUNT = 1024, MAX_LENGTH = 1 << 20 };

// What an entry may have at most: index values, and elements of the source or target.
static const struct {
    int64_t indices, source;
} limits[N_SIZES] = {
    [SIZE_CPU] = {1 << 22, 1 << 26},
    [SIZE_GPU] = {1 << 24, 1 << 28},
    [SIZE_TINY] = {1 << 10, 1 << 16},
};

// Of an entry, as the file says it.
struct entry {
    const char *path;
    int number;
    int64_t *pattern;
    int64_t length, delta, count;
    bool scatter;
};

static bool refuse(const struct entry *entry, const char *what)
{
    return fail("%s: entry %d: %s", entry->path, entry->number, what);
}

static bool allocate(struct entry *entry)
{
    if (entry->length < 1 || entry->length > MAX_LENGTH)
        return refuse(entry, "the pattern has no length from 1 to 1048576");
    entry->pattern = malloc((size_t)entry->length * sizeof *entry->pattern);
    return entry->pattern || fail_memory("a pattern", (double)entry->length * 8);
}

// "UNIFORM:8:4:NR": 8 numbers in steps of 4, and rows that do not overlap.
static bool read_uniform(struct entry *entry, const char *text)
{
    static const char word[] = "UNIFORM:";
    long long length, gap;
    int used = 0;
    if (strncasecmp(text, word, sizeof word - 1) != 0)
        return refuse(entry, "only patterns UNIFORM:LENGTH:GAP[:NR] and lists are known");
    text += sizeof word - 1;
    if (sscanf(text, "%9lld:%9lld%n", &length, &gap, &used) != 2 || gap < 0)
        return refuse(entry, "a UNIFORM pattern needs a length and a gap");
    const bool apart = strcasecmp(text + used, ":NR") == 0;
    if (text[used] && !apart)
        return refuse(entry, "a UNIFORM pattern ends with its gap or with :NR");
    entry->length = length;
    if (!allocate(entry))
        return false;
    for (int64_t j = 0; j < length; ++j)
        entry->pattern[j] = j * gap;
    if (apart)
        entry->delta = length * gap;
    return true;
}

static bool read_list(struct entry *entry, const json_t *list)
{
    entry->length = (int64_t)json_array_size(list);
    if (!allocate(entry))
        return false;
    for (int64_t j = 0; j < entry->length; ++j) {
        const json_t *value = json_array_get(list, (size_t)j);
        entry->pattern[j] = json_integer_value(value);
        if (!json_is_integer(value) || entry->pattern[j] < 0 || entry->pattern[j] > INT32_MAX)
            return refuse(entry, "a pattern has whole numbers from 0 to 2147483647");
    }
    return true;
}

static bool read_number(struct entry *entry, const json_t *object, const char *key, int64_t lowest,
                        int64_t *value)
{
    const json_t *given = json_object_get(object, key);
    if (!given)
        return true;
    *value = json_integer_value(given);
    if (!json_is_integer(given) || *value < lowest || *value > INT32_MAX)
        return refuse(entry, "delta and count are whole numbers of at most 31 bits");
    return true;
}

static bool read_entry(struct entry *entry, const json_t *object)
{
    const char *kernel = json_string_value(json_object_get(object, "kernel"));
    const json_t *pattern = json_object_get(object, "pattern");
    entry->scatter = kernel && strcasecmp(kernel, "scatter") == 0;
    if (!kernel || (!entry->scatter && strcasecmp(kernel, "gather") != 0))
        return refuse(entry, "its kernel is neither Gather nor Scatter");
    entry->delta = DEFAULT_DELTA;
    entry->count = DEFAULT_COUNT;
    if (!read_number(entry, object, "delta", 0, &entry->delta) ||
        !read_number(entry, object, "count", 1, &entry->count))
        return false;
    if (json_is_string(pattern))
        return read_uniform(entry, json_string_value(pattern));
    return json_is_array(pattern) ? read_list(entry, pattern) : refuse(entry, "it has no pattern");
}

static int64_t largest(const struct entry *entry)
{
    int64_t value = 0;
    for (int64_t j = 0; j < entry->length; ++j)
        if (entry->pattern[j] > value)
            value = entry->pattern[j];
    return value;
}

// The call that the entry stands for. Takes over the pattern.
static bool make_part(const struct entry *entry, enum bench_size size, struct bench_case *part)
{
    const int64_t top = largest(entry);
    int64_t n = limits[size].indices / entry->length;
    if (n > entry->count)
        n = entry->count;
    if (entry->delta > 0) {
        const int64_t room = (limits[size].source - 1 - top) / entry->delta + 1;
        if (n > room)
            n = room;
    }
    if (n < 1)
        n = 1;
    *part = (struct bench_case){
        .group = 16,
        .op = entry->scatter ? OP_SCATTER_ND_INTO : OP_GATHER_ND,
        .dtype = CLND_FLOAT64,
        .index_dtype = CLND_INT32,
        .data = {1, {top + entry->delta * (n - 1) + 1}},
        .indices = {3, {n, entry->length, 1}},
        .distribution = {DIST_PATTERN, 0, entry->pattern, entry->length, entry->delta},
        .reduce = entry->scatter ? CLND_REDUCE_UPDATE : CLND_REDUCE_DEFAULT,
    };
    snprintf(part->id, sizeof part->id, "entry-%d", entry->number);
    return part->data.sizes[0] <= INT32_MAX ||
           refuse(entry, "it reaches beyond what 32-bit indices can name");
}

static bool add_part(struct bench_case *what, const struct entry *entry, enum bench_size size)
{
    struct bench_case *parts =
        realloc(what->parts, ((size_t)what->n_parts + 1) * sizeof *what->parts);
    if (!parts) {
        free(entry->pattern);
        return fail_memory("the entries of a Spatter file", sizeof *parts);
    }
    what->parts = parts;
    return make_part(entry, size, &parts[what->n_parts++]);
}

bool spatter_read(const char *path, enum spatter_kernels kernels, enum bench_size size,
                  struct bench_case *what)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    *what = (struct bench_case){
        .group = 16, .kind = KIND_SPATTER, .dtype = CLND_FLOAT64, .index_dtype = CLND_INT32};
    snprintf(what->file, sizeof what->file, "%s", path);
    if (!document)
        return fail_json(path, &error);
    bool good = json_is_array(document) || fail("%s: is no list of patterns", path);
    for (size_t i = 0; good && i < json_array_size(document); ++i) {
        struct entry entry = {.path = path, .number = (int)i};
        good = read_entry(&entry, json_array_get(document, i));
        const bool wanted = kernels & (entry.scatter ? SPATTER_SCATTERS : SPATTER_GATHERS);
        if (good && wanted)
            good = add_part(what, &entry, size);
        else
            free(entry.pattern);
    }
    json_decref(document);
    if (good && !what->n_parts)
        good = fail("%s: has no pattern", path);
    if (!good)
        case_free(what);
    return good;
}

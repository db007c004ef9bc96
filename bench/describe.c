// SPDX-License-Identifier: Apache-2.0

#include "describe.h"

#include <stdio.h>
#include <string.h>

#include "call.h"
#include "failure.h"

static const char *kind_name(enum bench_kind kind)
{
    static const char *const names[] = {
        [KIND_PLAIN] = "plain",
        [KIND_SMALL] = "small",
        [KIND_HOST] = "host",
        [KIND_SPATTER] = "spatter",
    };
    return names[kind];
}

// Sets a key and takes over the value. False when there is no memory.
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0 || fail_memory("JSON", 0);
}

static json_t *shape_json(int rank, const int64_t *sizes)
{
    json_t *list = json_array();
    for (int i = 0; i < rank; ++i)
        json_array_append_new(list, json_integer(sizes[i]));
    return list;
}

bool describe_case(const struct bench_case *what, json_t *object)
{
    char dtype[16], index_dtype[16], distribution[32];
    dtype_text(what->dtype, dtype);
    bool good = set(object, "group", json_integer(what->group)) &&
                set(object, "kind", json_string(kind_name(what->kind))) &&
                set(object, "dtype", json_string(dtype));
    if (!good || what->kind == KIND_SPATTER)
        return good;
    if (!set(object, "op", json_string(op_name(what->op))))
        return false;
    if (op_is_slice(what->op))
        return set(object, "column_major", json_boolean(what->column_major));
    dtype_text(what->index_dtype, index_dtype);
    distribution_text(&what->distribution, distribution);
    good = set(object, "index_dtype", json_string(index_dtype)) &&
           set(object, "distribution", json_string(distribution)) &&
           set(object, "bounds", json_string(bounds_name(what->bounds))) &&
           set(object, "seed", json_integer((json_int_t)what->seed));
    if (good && op_is_scatter(what->op))
        good = set(object, "reduce", json_string(reduce_name(what->reduce)));
    if (good && (op_is_elements(what->op) || what->op == OP_GATHER))
        good = set(object, "axis", json_integer(what->axis));
    if (good && what->batch_dims)
        good = set(object, "batch_dims", json_integer(what->batch_dims));
    if (good && what->row_step)
        good = set(object, "row_step", json_integer(what->row_step));
    if (good && what->sweep)
        good = set(object, "sweep", json_string(what->sweep)) &&
               set(object, "series", json_string(what->series)) &&
               set(object, "x", json_real(what->x));
    return good;
}

static bool describe_parts(const struct bench_case *what, json_t *object)
{
    json_t *entries = json_array();
    if (!set(object, "entries", entries) || !set(object, "file", json_string(what->file)))
        return false;
    for (int i = 0; i < what->n_parts; ++i) {
        const struct bench_case *part = &what->parts[i];
        json_t *entry = json_object();
        if (json_array_append_new(entries, entry) || !set(entry, "id", json_string(part->id)) ||
            !describe_case(part, entry) || !describe_shapes(part, entry) ||
            !set(entry, "pattern",
                 shape_json((int)part->distribution.length, part->distribution.pattern)) ||
            !set(entry, "delta", json_integer(part->distribution.delta)))
            return false;
    }
    return true;
}

bool describe_shapes(const struct bench_case *what, json_t *object)
{
    if (what->kind == KIND_SPATTER)
        return describe_parts(what, object);
    struct operands operands;
    if (operands_describe(what, &operands))
        return fail_clnd();
    int64_t count;
    if (clnd_tensor_count(&operands.dense, &count))
        return fail_clnd();
    const size_t size = clnd_dtype_size(what->dtype);
    return set(object, "data", shape_json(what->data.rank, what->data.sizes)) &&
           set(object, "dense", shape_json(operands.dense.rank, operands.dense.shape)) &&
           set(object, "payload_bytes", json_integer((json_int_t)count * (json_int_t)size)) &&
           (op_is_slice(what->op)
                ? set(object, "slice", json_string(what->slice))
                : set(object, "indices", shape_json(what->indices.rank, what->indices.sizes)));
}

static bool describe_all(struct case_list lists[N_SIZES], json_t *document)
{
    json_t *cases = json_array();
    if (!set(document, "cases", cases))
        return false;
    for (int i = 0; i < lists[0].count; ++i) {
        json_t *one = json_object(), *sizes = json_object();
        if (json_array_append_new(cases, one) ||
            !set(one, "case", json_string(lists[0].cases[i].id)) ||
            !describe_case(&lists[0].cases[i], one) || !set(one, "sizes", sizes))
            return false;
        for (int size = 0; size < N_SIZES; ++size) {
            json_t *shapes = json_object();
            if (!set(sizes, size_name((enum bench_size)size), shapes) ||
                !describe_shapes(&lists[size].cases[i], shapes))
                return false;
        }
    }
    return true;
}

// How all data follow from numbers, in words and in streams.
static bool describe_data(json_t *document)
{
    static const char *const texts[][2] = {
        {"mix", "z ^= z >> 30; z *= 0xBF58476D1CE4E5B9; z ^= z >> 27; z *= 0x94D049BB133111EB; "
                "z ^= z >> 31"},
        {"h", "h(s, i) = mix(mix(s + (seed << 32)) + (i + 1) * 0x9E3779B97F4A7C15), 64 bits"},
        {"below", "below(s, i, m) = ((h(s, i) >> 32) * m) >> 32"},
        {"unit", "unit(s, i) = (h(s, i) >> 11) * 2^-53"},
        {"perm", "perm(m) = rows 0 to m-1 in ascending order of h(2, row)"},
        {"moved", "element i is i mod 1021, of 8-bit types i mod 251"},
        {"summed", "update i is (i mod 1021 - 510) / 1024, of integers 1; targets start as zeros"},
        {"uniform", "below(1, i, M); tuples: below(k + 1, i, extent k) for k = 0, 1, ..."},
        {"sorted", "the uniform ones, sorted ascending"},
        {"zipf", "zipf:S: perm(M)[k - 1], smallest k whose cumulated weight k^-S exceeds "
                 "unit(1, i) times the total"},
        {"power", "power:E: perm(M)[floor(M unit(1, i)^E)]"},
        {"hot", "hot:P: 0 if unit(3, i) < P, else below(1, i, M)"},
        {"unique", "perm(M)[i]"},
        {"paged", "paged:R: R perm(M / R)[i / R] + i mod R"},
        {"clustered", "grid of M / 432 x 432 cells, cluster c = floor(512 i / N), y = below(4, c, "
                      "M / 432) + floor(12 (unit(5, i) + unit(6, i) - 1)), x = below(7, c, 432) + "
                      "floor(12 (unit(8, i) + unit(9, i) - 1)), clamped; row 432 y + x"},
        {"jitter",
         "cell l = i floor(D H W / N) as (z, y, x), plus below(s, i, 9) - 4 for s = 1, 2, "
         "3, clamped"},
        {"pic-unsorted", "particle p at unit(s, p) (extent - 1) for s = 1, 2, 3; cell = floor, at "
                         "most extent - 2; corners 000 to 111 are rows 8 p to 8 p + 7; the update "
                         "is the trilinear weight"},
        {"pic-sorted", "the same particles, sorted stably by the number of their cell"},
        {"pattern", "row i, column j: pattern[j] + delta i; source element t is t mod 1021, the "
                    "update for target element t is t mod 1021"},
    };
    json_t *data = json_object();
    if (!set(document, "data", data))
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        if (!set(data, texts[i][0], json_string(texts[i][1])))
            return false;
    return true;
}

bool describe_print(const char *folder)
{
    struct case_list lists[N_SIZES] = {{0}};
    json_t *document = json_object();
    bool good = document || fail_memory("JSON", 0);
    for (int size = 0; size < N_SIZES && good; ++size)
        good = cases_builtin((enum bench_size)size, folder, 0, false, &lists[size]);
    good = good && describe_data(document) && describe_all(lists, document);
    if (good && json_dumpf(document, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER))
        good = fail("standard output cannot be written");
    if (good)
        putchar('\n');
    for (int size = 0; size < N_SIZES; ++size)
        case_list_free(&lists[size]);
    json_decref(document);
    return good;
}

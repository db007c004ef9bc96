// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "document.h"
#include "failure.h"
#include "report.h"

// Medians of two runs of one case differ by this much without a reason, however quiet it was.
static const double least_noise = 0.05;

static const json_t *find(const json_t *document, const char *name)
{
    for (size_t i = 0; i < document_count(document); ++i)
        if (strcmp(document_text(document_result(document, i), "case"), name) == 0)
            return document_result(document, i);
    return NULL;
}

// What tells that two results are of different problems, or NULL. Older versions recorded less, so
// what is in one of them only does not count.
static const char *find_difference(const json_t *now, const json_t *then)
{
    static const char *const keys[] = {
        "op",    "dtype",        "index_dtype",  "data",   "indices", "dense",
        "slice", "column_major", "distribution", "reduce", "axis",    "bounds",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const json_t *one = json_object_get(now, keys[i]), *other = json_object_get(then, keys[i]);
        if (one && other && !json_equal(one, other))
            return keys[i];
    }
    const json_t *ones = json_object_get(now, "entries"),
                 *others = json_object_get(then, "entries");
    const size_t n = json_array_size(ones);
    if (ones && others && n != json_array_size(others))
        return "entries";
    const char *difference = NULL;
    for (size_t i = 0; i < n && !difference; ++i)
        difference = find_difference(json_array_get(ones, i), json_array_get(others, i));
    return difference;
}

// How far the median is above the minimum, as a part of it: what the machine adds to a run.
static double noise_of(const json_t *times)
{
    const double median = document_number(times, "median_s"),
                 minimum = document_number(times, "min_s");
    return median > 0 && minimum > 0 ? (median - minimum) / median : 0;
}

struct tally {
    int compared, faster, slower;
    double logarithms;
};

// `copies` is the ratio of the rates of the copies beside the two.
static void compare_times(const char *name, const char *mode, const json_t *now, const json_t *then,
                          double copies, struct tally *tally)
{
    const double old = document_number(then, "median_s"), new = document_number(now, "median_s");
    if (!(old > 0 && new > 0))
        return;
    const double ratio = old / new, noise = fmax(least_noise, noise_of(now) + noise_of(then));
    const char *word = ratio > 1 + noise ? "faster" : ratio < 1 / (1 + noise) ? "SLOWER" : "";
    printf("%-28s %-5s %10.4f %10.4f %7.2f", name, mode, old * 1e3, new * 1e3, ratio);
    if (isfinite(copies))
        printf(" %9.2f", ratio / copies);
    else
        printf(" %9s", "-");
    printf(" %6.0f%% %s\n", noise * 100, word);
    ++tally->compared;
    tally->faster += *word == 'f';
    tally->slower += *word == 'S';
    tally->logarithms += log(ratio);
}

static void print_header_value(const json_t *value)
{
    if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", stdout);
    else if (json_is_string(value))
        fputs(json_string_value(value), stdout);
    else if (json_is_number(value))
        printf("%.0f", json_number_value(value));
    else
        fputs("not known", stdout);
}

// What makes times of two runs differ although clnd is the same. Returns what makes them times of
// different things, or NULL.
static const char *compare_headers(const json_t *document, const json_t *old)
{
    enum { DIFFERENT_THINGS = 3 };
    static const char *const keys[] = {
        "device",   "size",   "hot", // these are DIFFERENT_THINGS
        "platform", "driver", "processor",  "cores",     "l2_cache",
        "l3_cache", "pages",  "huge_pages", "allocator", "c_threads",
    };
    const char *different = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const json_t *now = json_object_get(document, keys[i]);
        const json_t *then = json_object_get(old, keys[i]);
        if ((!now && !then) || json_equal(now, then))
            continue;
        printf("warning: %s differs: ", keys[i]);
        print_header_value(then);
        fputs(" before, ", stdout);
        print_header_value(now);
        fputs(" now\n", stdout);
        if (i < DIFFERENT_THINGS && !different)
            different = keys[i];
    }
    return different;
}

bool report_compare(const json_t *document, const json_t *old)
{
    struct tally tally = {0};
    const char *different = compare_headers(document, old);
    printf("%-28s %-5s %10s %10s %7s %9s %7s\n", "case", "mode", "before ms", "now ms", "times",
           "per copy", "noise");
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *now = document_result(document, i);
        const char *name = document_text(now, "case");
        const json_t *then = find(old, name);
        const char *difference = find_difference(now, then);
        if (difference) {
            printf("%-28s not compared: %s differs\n", name, difference);
            continue;
        }
        const double copies =
            document_number(now, "copy_GBps") / document_number(then, "copy_GBps");
        compare_times(name, "", now, then, copies, &tally);
        compare_times(name, "det.", json_object_get(now, "deterministic"),
                      json_object_get(then, "deterministic"), copies, &tally);
    }
    if (!tally.compared)
        return fail("no case is the same in both files and has a time in both");
    printf("\n%d compared: %d faster, %d slower beyond noise; ", tally.compared, tally.faster,
           tally.slower);
    if (different)
        printf("no mean, because %s differs\n", different);
    else
        printf("geometric mean %.3f times as fast\n", exp(tally.logarithms / tally.compared));
    return true;
}

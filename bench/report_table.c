// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "document.h"
#include "report.h"

// A number of at most `width` characters, or as many blanks.
static void print_number(int width, int digits, double value)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, digits, value);
}

// About four digits, from microseconds to seconds.
static void print_milliseconds(double seconds)
{
    const double value = seconds * 1e3;
    print_number(9, value < 1 ? 4 : value < 100 ? 3 : 1, value);
}

// Fewer samples than this are marked: a median of them may be chance.
enum { FEW = 5 };

static bool is_true(const json_t *result, const char *key)
{
    return json_is_true(json_object_get(result, key));
}

static int widest_name(const json_t *document)
{
    int width = 24;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        const int length = (int)strlen(document_text(result, "case"));
        width = length > width ? length : width;
    }
    return width;
}

static void print_result(const json_t *result, int width)
{
    printf("%-*s", width, document_text(result, "case"));
    const char *error = document_text(result, "error");
    if (*error) {
        printf(" %s: %s\n", is_true(result, "failed") ? "FAILED" : "skipped", error);
        return;
    }
    const json_t *second = json_object_get(result, "deterministic");
    print_milliseconds(document_number(result, "median_s"));
    print_milliseconds(document_number(result, "min_s"));
    print_milliseconds(document_number(result, "p95_s"));
    print_number(5, 0, document_number(result, "n"));
    print_number(8, 2, document_number(result, "payload_GBps"));
    print_number(7, 0, document_number(result, "updates_M"));
    print_number(6, 0, document_number(result, "limit_percent"));
    print_number(5, 2, document_number(result, "copy_ratio"));
    print_number(6, 2, document_number(result, "c_ratio"));
    print_number(5, 2, second ? document_number(second, "ratio") : (double)NAN);
    printf(" %-8s%s%s%s\n", document_text(result, "strategy"),
           (int)document_number(result, "n") < FEW ? " few-samples" : "",
           is_true(result, "launch_bound") ? " launch-bound" : "",
           is_true(result, "cache_resident") ? " cached" : "");
}

// At the smallest size such a case shows what any call costs, and nothing of its own.
static bool is_too_small(const json_t *document, const json_t *result)
{
    return strcmp(document_text(document, "size"), "tiny") == 0 && is_true(result, "launch_bound");
}

static bool is_other(const json_t *result)
{
    return (int)document_number(result, "group") == GROUP_OTHER;
}

// Geometric mean over the results that count, or over the others.
static double mean_of(const json_t *document, const char *key, bool other, int *n)
{
    double sum = 0;
    *n = 0;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        const double value = document_number(result, key);
        if (value > 0 && !is_too_small(document, result) &&
            (other ? is_other(result) : is_true(result, "in_averages"))) {
            sum += log(value);
            ++*n;
        }
    }
    return *n ? exp(sum / *n) : (double)NAN;
}

static void print_header(const json_t *document)
{
    const json_t *calibration = json_object_get(document, "calibration");
    printf("clnd %s (%s build) on %s, %s, driver %s, %s\n", document_text(document, "clnd"),
           document_text(document, "build_type"), document_text(document, "device"),
           document_text(document, "platform"), document_text(document, "driver"),
           document_text(document, "opencl_c"));
    printf("%s, %.0f cores, L2 %.0f KiB a core, L3 %.0f KiB\n",
           document_text(document, "processor"), document_number(document, "cores"),
           document_number(document, "l2_cache") / 1024,
           document_number(document, "l3_cache") / 1024);
    printf("buffers on %s pages, %.0f MiB in huge ones (system: %s); allocator %s\n",
           document_text(document, "pages"), document_number(document, "huge_bytes") / (1 << 20),
           document_text(document, "huge_pages"), document_text(document, "allocator"));
    printf("size %s, seed %.0f, %.0f threads in C, %s caches; %s, calibrated %s\n",
           document_text(document, "size"), document_number(document, "seed"),
           document_number(document, "c_threads"), is_true(document, "hot") ? "hot" : "cold",
           document_text(document, "date"), document_text(document, "calibrated"));
    printf(
        "launch + finish %.1f us; copies, read and write: kernel %.1f, clEnqueueCopyBuffer %.1f, "
        "plain %.1f GB/s\n",
        document_number(calibration, "launch_s") * 1e6,
        document_number(calibration, "copy_kernel_GBps"),
        document_number(calibration, "copy_buffer_GBps"),
        document_number(calibration, "plain_copy_GBps"));
    printf("random granules of %.0f B: read %.3f, written %.3f G/s; atomic additions: rows %.3f, "
           "random %.3f, one address %.4f G/s\n\n",
           document_number(document, "granule"), document_number(calibration, "random_read_G"),
           document_number(calibration, "random_write_G"),
           document_number(calibration, "atomic_rows_G"),
           document_number(calibration, "atomic_random_G"),
           document_number(calibration, "atomic_one_address_G"));
}

static void print_legend(void)
{
    puts(
        "\nGB/s    bytes of the output, or of a scatter's updates; higher is better, and so below\n"
        "limit%  part of what the device could do at best\n"
        "copy    rate as a part of a plain copy's at the same time\n"
        "C loop  how many times as fast as a plain C loop on the host\n"
        "det.    speed of the deterministic mode as a part of the default's");
}

static void print_means(const json_t *document)
{
    static const struct {
        const char *key, *text;
    } means[] = {
        {"limit_percent", "% of the limit"},
        {"copy_ratio", "times the copy's rate"},
        {"c_ratio", "times as fast as the C loop"},
    };
    for (size_t i = 0; i < sizeof means / sizeof *means; ++i) {
        int n, others;
        const double mean = mean_of(document, means[i].key, false, &n);
        const double other = mean_of(document, means[i].key, true, &others);
        if (n > 1)
            printf("geometric mean of %d cases: %.2f %s\n", n, mean, means[i].text);
        if (others > 1)
            printf("geometric mean of the %d other cases: %.2f %s\n", others, other, means[i].text);
    }
    int left_out = 0;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        left_out +=
            is_too_small(document, result) && (is_true(result, "in_averages") || is_other(result));
    }
    if (left_out > 0)
        printf("%d launch-bound cases are in no mean\n", left_out);
}

// First calls compile what the driver has not kept.
static void print_first_calls(const json_t *document)
{
    const json_t *slowest = NULL;
    double sum = 0, most = 0;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        const double seconds = document_number(result, "first_call_s");
        if (!(seconds > 0))
            continue;
        sum += seconds;
        if (seconds > most) {
            most = seconds;
            slowest = result;
        }
    }
    if (slowest)
        printf("first calls, with what they compile: %.2f s in all, %.2f s at most (%s)\n", sum,
               most, document_text(slowest, "case"));
}

static void print_verdict(const json_t *document)
{
    const json_t *worst = NULL;
    int failed = 0, right = 0;
    double least = 0;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        const double percent = document_number(result, "limit_percent");
        failed += is_true(result, "failed");
        right += !json_object_get(result, "error");
        if (is_true(result, "in_averages") && percent > 0 && (!worst || percent < least)) {
            worst = result;
            least = percent;
        }
    }
    printf("verdict: %d of %d right", right, right + failed);
    if (failed)
        printf(", %d FAILED\n", failed);
    else if (worst)
        printf("; furthest from the limit: %s, at %.0f %%\n", document_text(worst, "case"), least);
    else
        putchar('\n');
}

void report_table(const json_t *document)
{
    const int width = widest_name(document);
    print_header(document);
    printf("%-*s %9s %9s %9s %5s %8s %7s %6s %5s %6s %5s %s\n", width, "case", "median ms",
           "min ms", "p95 ms", "n", "GB/s", "M upd/s", "limit%", "copy", "C loop", "det.",
           "strategy");
    for (size_t i = 0; i < document_count(document); ++i)
        print_result(document_result(document, i), width);
    print_legend();
    putchar('\n');
    print_means(document);
    print_first_calls(document);
    if (document_count(document) > 1)
        print_verdict(document);
}

// SPDX-License-Identifier: Apache-2.0

#include "limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

// Rows of the data, as the granules that they touch.
static bool count_granules(const struct run *run, struct traffic *traffic)
{
    const size_t granule = (size_t)run->device->granule;
    const size_t row = (size_t)run->layout.width * run->layout.element;
    const size_t words = run->layout.data_bytes / granule / 64 + 2;
    uint64_t *seen = calloc(words, sizeof *seen);
    if (!seen)
        return fail_memory("the count of granules", (double)words * 8);
    int64_t spans = 0, granules = 0;
    for (int64_t i = 0; i < run->layout.rows; ++i) {
        const size_t first = run->row[i] * row / granule;
        const size_t last = (run->row[i] * row + row - 1) / granule;
        spans += (int64_t)(last - first + 1);
        for (size_t g = first; g <= last; ++g) {
            granules += !(seen[g / 64] >> g % 64 & 1);
            seen[g / 64] |= UINT64_C(1) << g % 64;
        }
    }
    free(seen);
    traffic->spans = (double)spans;
    traffic->granules = (double)granules;
    return true;
}

static int by_stride(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (llabs(x[1]) > llabs(y[1])) - (llabs(x[1]) < llabs(y[1]));
}

// Bytes of the input in runs without gaps of a granule or more, rounded to whole granules.
static bool measure_slice(const struct run *run, struct traffic *traffic)
{
    const double granule = run->device->granule;
    clnd_tensor view;
    if (clnd_strided_slice_view(&run->operands.data, &run->operands.slice, &view))
        return fail_clnd();
    int64_t axes[CLND_MAX_RANK][2];
    int n = 0;
    for (int d = 0; d < view.rank; ++d)
        if (view.shape[d] > 1 && view.strides[d]) {
            axes[n][0] = view.shape[d];
            axes[n++][1] = view.strides[d];
        }
    qsort(axes, (size_t)n, sizeof *axes, by_stride);
    double span = (double)run->layout.element, count = 1;
    for (int d = 0; d < n; ++d) {
        const double step = (double)llabs(axes[d][1]) * (double)run->layout.element;
        if (step <= fmax(span, granule))
            span += (double)(axes[d][0] - 1) * step;
        else
            count *= (double)axes[d][0];
    }
    double touched = ceil(span / granule);
    if (count > 1 && fmod(span, granule) != 0)
        touched = 1 + (span - (double)run->layout.element) / granule; // on average
    traffic->granules = traffic->spans = count * touched;
    return true;
}

bool traffic_measure(const struct run *run, struct traffic *traffic)
{
    const struct bench_case *what = run->what;
    const double granule = run->device->granule;
    const bool slice = op_is_slice(what->op), scatter = op_is_scatter(what->op);
    *traffic = (struct traffic){.payload = (double)run->layout.dense_bytes};
    if (!(slice ? measure_slice(run, traffic) : count_granules(run, traffic)))
        return false;
    // A scatter reads what it adds to, and what it writes a part of.
    const size_t row = (size_t)run->layout.width * run->layout.element;
    const bool partial = slice ? granule * traffic->granules > traffic->payload
                               : row % (size_t)run->device->granule != 0;
    const double times = scatter && (what->reduce != CLND_REDUCE_UPDATE || partial) ? 2 : 1;
    const double fixed = (double)run->layout.index_bytes + traffic->payload +
                         (what->op == OP_SCATTER_ND ? (double)run->layout.data_bytes : 0);
    traffic->moved = fixed + times * granule * traffic->spans;
    traffic->cold = fixed + times * granule * traffic->granules;
    traffic->working_set = fixed + granule * traffic->granules;
    return true;
}

static double seconds(double amount, double giga_per_second)
{
    return giga_per_second > 0 ? amount / giga_per_second * 1e-9 : 0;
}

void limits_find(const struct limit_facts *facts, const struct traffic *traffic,
                 const struct device *device, const struct calibration *calibration,
                 struct limits *limits)
{
    const bool scatter = op_is_scatter(facts->what->op);
    const size_t row = (size_t)facts->layout->width * facts->layout->element;
    const size_t granule = (size_t)device->granule;
    limits->moved_s = fmax(calibration->empty_s, seconds(traffic->moved, facts->copy_GBps));
    limits->cold_s = fmax(calibration->empty_s, seconds(traffic->cold, facts->copy_GBps));
    const bool is_random = distribution_is_random(&facts->what->distribution);
    if (!op_is_slice(facts->what->op) && row <= granule && is_random) {
        const double rate = scatter ? calibration->write_G : calibration->read_G;
        limits->moved_s = fmax(limits->moved_s, seconds(traffic->spans, rate));
        limits->cold_s = fmax(limits->cold_s, seconds(traffic->granules, rate));
    }
    if (scatter && strcmp(facts->strategy, "atomic") == 0) {
        // Neighbours of scatter_elements are neighbours in the target too.
        const bool near = row >= granule || !is_random || facts->what->op == OP_SCATTER_ELEMENTS ||
                          (double)facts->layout->data_bytes < device->last_level_cache;
        const double least =
            near ? seconds((double)facts->layout->dense_bytes / 4, calibration->add_rows_G)
                 : seconds((double)facts->layout->dense_count, calibration->add_random_G);
        limits->moved_s = fmax(limits->moved_s, least);
        limits->cold_s = fmax(limits->cold_s, least);
    }
}

// SPDX-License-Identifier: Apache-2.0

#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "clock.h"
#include "failure.h"
#include "verify.h"

enum {
    MOST_SAMPLES = 2000, // of a variant in a round; very short calls would take too many
    WARM_CALLS = 3,
    COPIES = 3,      // beside a case, in a round
    HOST_CALLS = 32, // enqueued in a row, and plans that are made in a row
};

static const double small_sample = 2e-3; // seconds of back-to-back calls

// One case in one round.
struct round {
    struct measured *measured;
    struct device *device;
    const struct bench_case *what;
    const struct measure_options *options;
    struct plain_copy *copy;
    struct run run;
    struct baseline baseline;
    int calls[N_VARIANTS]; // a sample
};

static void say(struct measured *measured, enum outcome outcome)
{
    measured->outcome = outcome;
    snprintf(measured->text, sizeof measured->text, "%s", failure_text());
}

static bool is_deterministic(const struct round *round, enum variant variant)
{
    return variant == VARIANT_DETERMINISTIC || round->what->deterministic;
}

static bool is_cold(const struct round *round)
{
    return round->what->kind == KIND_PLAIN && !round->options->hot;
}

static bool call(struct round *round, enum variant variant)
{
    if (variant == VARIANT_C) {
        baseline_call(&round->baseline);
        return true;
    }
    return run_call(&round->run, is_deterministic(round, variant));
}

// Nothing of the case's data is left in the caches, and the device has nothing to do.
static bool clear_caches(struct round *round)
{
    if (!is_cold(round))
        return true;
    cl_event event;
    return plain_copy_clear_caches(round->copy, &event) && device_finish(event, NULL, NULL);
}

static bool enqueue(struct round *round, enum variant variant, cl_event *event)
{
    return !call_enqueue(round->run.engine, round->device->queue, round->what, &round->run.operands,
                         is_deterministic(round, variant), event) ||
           fail_clnd();
}

// From call to completion, and what the device's clock says of the call's last command.
static bool sample_call(struct round *round, enum variant variant)
{
    cl_event event;
    double started, ended;
    if (!clear_caches(round))
        return false;
    const double start = clock_now();
    if (!enqueue(round, variant, &event))
        return false;
    clWaitForEvents(1, &event);
    const double taken = clock_now() - start;
    if (!device_finish(event, &started, &ended))
        return false;
    const bool pipelined = is_cold(round) && !round->device->facts->is_cpu;
    return samples_add(&round->measured->wall[variant], taken) &&
           (pipelined || samples_add(&round->measured->device[variant], ended - started));
}

// The call is enqueued while the device still clears its caches, so that the host's part does not
// show: from the end of that to the end of the call, all of its commands.
static bool sample_pipelined(struct round *round, enum variant variant)
{
    cl_event cleared, event;
    double before, ended;
    if (!plain_copy_clear_caches(round->copy, &cleared))
        return false;
    if (!enqueue(round, variant, &event)) {
        clReleaseEvent(cleared);
        return false;
    }
    const bool good = device_finish(event, NULL, &ended);
    return device_finish(cleared, NULL, &before) && good &&
           samples_add(&round->measured->device[variant], ended - before);
}

static bool sample_calls(struct round *round, enum variant variant)
{
    const int calls = round->calls[variant];
    const double start = clock_now();
    for (int i = 0; i < calls; ++i)
        if (!call(round, variant))
            return false;
    return samples_add(&round->measured->wall[variant], (clock_now() - start) / calls);
}

// Only the time in which the calls are made; they are waited for afterwards.
static bool sample_host(struct round *round)
{
    cl_event events[HOST_CALLS];
    int made = 0;
    const double start = clock_now();
    while (made < HOST_CALLS && enqueue(round, VARIANT_DEFAULT, &events[made]))
        ++made;
    const double taken = clock_now() - start;
    bool good = made == HOST_CALLS;
    for (int i = 0; i < made; ++i)
        good = device_finish(events[i], NULL, NULL) && good;
    const double planning = clock_now();
    for (int i = 0; i < HOST_CALLS && good; ++i) {
        clnd_plan plan;
        good = !call_plan(round->run.engine, round->what, &round->run.operands, false, &plan) ||
               fail_clnd();
    }
    return good &&
           samples_add(&round->measured->planning, (clock_now() - planning) / (double)HOST_CALLS) &&
           samples_add(&round->measured->wall[VARIANT_DEFAULT], taken / (double)HOST_CALLS);
}

static bool sample_loop(struct round *round)
{
    if (!clear_caches(round))
        return false;
    const double start = clock_now();
    baseline_call(&round->baseline);
    return samples_add(&round->measured->wall[VARIANT_C], clock_now() - start);
}

static bool sample(struct round *round, enum variant variant)
{
    if (round->what->kind == KIND_HOST)
        return sample_host(round);
    if (round->what->kind == KIND_SMALL)
        return sample_calls(round, variant);
    if (variant == VARIANT_C)
        return sample_loop(round);
    if (!sample_call(round, variant))
        return false;
    return !is_cold(round) || round->device->facts->is_cpu || sample_pipelined(round, variant);
}

// Calls until the time is over, and finds out how many calls make a sample.
static bool warm_up(struct round *round, enum variant variant)
{
    const double start = clock_now();
    double fastest = small_sample, now = start;
    for (int i = 0;
         i < WARM_CALLS || (now - start) * round->options->parts < round->options->warm_up; ++i) {
        const double before = now;
        if (!call(round, variant))
            return false;
        now = clock_now();
        if (now - before < fastest)
            fastest = now - before;
    }
    round->calls[variant] = (int)ceil(small_sample / fmax(fastest, 1e-8));
    return true;
}

static bool has_enough(const struct measure_options *options, int count, double spent)
{
    const int times = options->rounds * options->parts;
    return count >= MOST_SAMPLES ||
           (count * times >= options->samples && spent * times >= options->seconds);
}

// Plain copies beside the case.
static bool take_copies(struct round *round)
{
    double seconds;
    for (int i = 0; i * round->options->parts < COPIES && is_cold(round); ++i)
        if (!plain_copy_seconds(round->copy, &seconds) ||
            !samples_add(&round->measured->copy, seconds))
            return false;
    return true;
}

static bool take_samples(struct round *round)
{
    int counts[N_VARIANTS] = {0};
    double spent[N_VARIANTS] = {0};
    bool left = true;
    while (left) {
        left = false;
        for (int v = 0; v < N_VARIANTS; ++v) {
            if (!round->measured->has[v] || has_enough(round->options, counts[v], spent[v]))
                continue;
            const double start = clock_now();
            if (!sample(round, (enum variant)v))
                return false;
            spent[v] += clock_now() - start;
            ++counts[v];
            left = true;
        }
    }
    return take_copies(round);
}

// Whether the output is right after the call that was just made.
static bool check(struct round *round, const struct verifier *verifier, enum variant variant)
{
    struct run *run = &round->run;
    const enum verify_mode mode =
        variant != VARIANT_C && is_deterministic(round, variant) ? VERIFY_SERIAL : VERIFY_VALUE;
    struct buffer *output = run_output(run);
    if (variant != VARIANT_C && !buffer_fetch(run->device, output))
        return false;
    const bool right =
        verify(verifier, variant == VARIANT_C ? round->baseline.output : output->view, mode);
    if (!right)
        say(round->measured, OUTCOME_WRONG);
    return (variant == VARIANT_C || buffer_hide(run->device, output)) && right;
}

// The first calls, each on a fresh output, and what they must give.
static bool verify_all(struct round *round)
{
    struct measured *measured = round->measured;
    struct verifier verifier;
    const double start = clock_now();
    bool good = call(round, VARIANT_DEFAULT);
    measured->first_call_s = clock_now() - start;
    measured->engine_s = round->run.engine_s;
    good = verifier_create(&verifier, &round->run) && good;
    measured->distinct_rows = verifier.distinct_rows;
    good = good && check(round, &verifier, VARIANT_DEFAULT);
    if (good && measured->has[VARIANT_DETERMINISTIC])
        good = run_reset(&round->run) && call(round, VARIANT_DETERMINISTIC) &&
               check(round, &verifier, VARIANT_DETERMINISTIC);
    if (good && measured->has[VARIANT_C])
        good = call(round, VARIANT_C) && check(round, &verifier, VARIANT_C);
    verifier_free(&verifier);
    return good && traffic_measure(&round->run, &measured->traffic);
}

// Whether the call can be made on this device at all. What cannot is no failure.
static bool is_possible(struct measured *measured, struct device *device, clnd_engine *engine,
                        const struct bench_case *what)
{
    struct operands operands;
    struct needs needs;
    char reason[160];
    if (operands_describe(what, &operands)) {
        fail_clnd();
        say(measured, OUTCOME_FAILED);
        return false;
    }
    if (!layout_describe(what, &operands, &measured->layout)) {
        say(measured, OUTCOME_FAILED);
        return false;
    }
    if (call_plan(engine, what, &operands, what->deterministic, &measured->plans[0])) {
        fail_clnd();
        say(measured, OUTCOME_SKIPPED);
        return false;
    }
    layout_needs(what, &measured->layout, device, (double)measured->plans[0].workspace_bytes,
                 &needs);
    bool is_met = needs_met(&needs, device, reason);
    if (!is_met) { // what other cases have left behind may be missing
        pages_drop();
        is_met = needs_met(&needs, device, reason);
    }
    if (!is_met) {
        fail("%s", reason);
        say(measured, OUTCOME_SKIPPED);
        return false;
    }
    measured->has[VARIANT_DEFAULT] = true;
    if (!op_is_scatter(what->op) || what->op == OP_SLICE_ASSIGN || what->deterministic ||
        what->sweep)
        return true;
    measured->has[VARIANT_DETERMINISTIC] =
        !call_plan(engine, what, &operands, true, &measured->plans[1]);
    if (!measured->has[VARIANT_DETERMINISTIC])
        snprintf(measured->deterministic_text, sizeof measured->deterministic_text, "%s",
                 clnd_last_error());
    return true;
}

// The same by the engine that the case has.
static bool may_begin(struct measured *measured, struct device *device,
                      const struct bench_case *what)
{
    clnd_engine *engine = NULL;
    bool possible = false;
    if (what->strategy && !run_engine(device, what, &engine))
        say(measured, OUTCOME_FAILED);
    else
        possible = is_possible(measured, device, engine ? engine : device->engine, what);
    clnd_engine_destroy(&engine);
    return possible;
}

static bool go(struct round *round, bool first)
{
    struct measured *measured = round->measured;
    if (!run_open(&round->run, round->device, round->what))
        return false;
    if (measured->has[VARIANT_C] && !baseline_create(&round->run, &round->baseline))
        return false;
    measured->c_threads = round->baseline.threads;
    if (first && !verify_all(round))
        return false;
    for (int v = 0; v < N_VARIANTS; ++v)
        if (measured->has[v] && !warm_up(round, (enum variant)v))
            return false;
    return take_samples(round);
}

void measure_round(struct measured *measured, struct device *device, const struct bench_case *what,
                   const struct measure_options *options, struct plain_copy *copy)
{
    struct round round = {
        .measured = measured, .device = device, .what = what, .options = options, .copy = copy};
    const bool first = measured->outcome == OUTCOME_NONE;
    if (first && !may_begin(measured, device, what))
        return;
    if (!first && measured->outcome != OUTCOME_GOOD)
        return;
    if (first)
        measured->has[VARIANT_C] = options->baseline && what->kind != KIND_HOST;
    measured->outcome = OUTCOME_GOOD;
    if (!go(&round, first) && measured->outcome == OUTCOME_GOOD)
        say(measured, OUTCOME_FAILED);
    baseline_free(&round.baseline);
    run_close(&round.run);
}

void measure_finish(struct measured *measured, const struct device *device,
                    const struct calibration *calibration, const struct bench_case *what)
{
    if (measured->outcome != OUTCOME_GOOD)
        return;
    const struct statistics copy = samples_statistics(&measured->copy);
    struct limit_facts facts = {
        .what = what,
        .layout = &measured->layout,
        .strategy = measured->plans[0].strategy,
        .copy_GBps = calibration->copy_GBps,
    };
    // The best kernel is as much better than the plain copy now as it was then.
    if (copy.n && calibration->plain_copy_GBps > 0) {
        const double better = fmax(1, calibration->copy_GBps / calibration->plain_copy_GBps);
        facts.copy_GBps = 2e-9 * calibration->plain_copy_bytes / copy.median * better;
    }
    limits_find(&facts, &measured->traffic, device, calibration, &measured->limits);
}

struct samples *measured_samples(struct measured *measured, const struct device *device,
                                 const struct bench_case *what, enum variant variant)
{
    const bool wall = device->facts->is_cpu || what->kind != KIND_PLAIN || variant == VARIANT_C;
    return wall ? &measured->wall[variant] : &measured->device[variant];
}

void measured_free(struct measured *measured)
{
    for (int v = 0; v < N_VARIANTS; ++v) {
        samples_free(&measured->wall[v]);
        samples_free(&measured->device[v]);
    }
    samples_free(&measured->copy);
    samples_free(&measured->planning);
}

// SPDX-License-Identifier: Apache-2.0

#include "document.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "calibration_file.h"
#include "clock.h"
#include "describe.h"
#include "failure.h"
#include "machine.h"

// Sets a key and takes over the value. False when there is no memory.
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0 || fail_memory("JSON", 0);
}

// What is not finite is left out.
static bool put(json_t *object, const char *key, double value)
{
    return !isfinite(value) || set(object, key, json_real(value));
}

static bool put_bytes(json_t *object, const char *key, double bytes)
{
    return set(object, key, json_integer((json_int_t)bytes));
}

static bool put_device(json_t *header, const struct device *device)
{
    const clnd_device_facts *facts = device->facts;
    return set(header, "device", json_string(facts->name)) &&
           set(header, "platform", json_string(facts->platform)) &&
           set(header, "driver", json_string(facts->driver)) &&
           set(header, "opencl_c", json_string(facts->opencl_c)) &&
           set(header, "is_cpu", json_boolean(facts->is_cpu)) &&
           set(header, "compute_units", json_integer(facts->compute_units)) &&
           put_bytes(header, "last_level_cache", device->last_level_cache) &&
           set(header, "granule", json_integer(device->granule)) &&
           set(header, "c_threads", json_integer(team_size(device->team)));
}

static bool put_machine(json_t *header, const struct device *device)
{
    struct machine machine;
    machine_describe(&machine);
    const char *pages = device->facts->is_cpu ? pages_name(device->pages) : "the driver's";
    return set(header, "processor", json_string(machine.processor)) &&
           set(header, "cores", json_integer(machine.cores)) &&
           put_bytes(header, "l2_cache", machine.l2_cache) &&
           put_bytes(header, "l3_cache", machine.l3_cache) &&
           set(header, "pages", json_string(pages)) &&
           set(header, "huge_pages", json_string(machine.huge_pages)) &&
           put_bytes(header, "huge_bytes", machine.huge_bytes) &&
           set(header, "allocator", json_string(machine.allocator));
}

json_t *document_create(const struct device *device, const struct calibration *calibration,
                        const struct measure_options *options, enum bench_size size, uint64_t seed)
{
    json_t *header = json_object();
    char date[32];
    clock_date(date);
    if (put_device(header, device) && put_machine(header, device) &&
        set(header, "clnd", json_string(clnd_version_text())) &&
        set(header, "build_type", json_string(BENCH_BUILD_TYPE)) &&
        set(header, "date", json_string(date)) &&
        set(header, "size", json_string(size_name(size))) &&
        set(header, "seed", json_integer((json_int_t)seed)) &&
        set(header, "hot", json_boolean(options->hot)) &&
        set(header, "rounds", json_integer(options->rounds)) &&
        set(header, "calibrated", json_string(calibration->date)) &&
        set(header, "calibration", calibration_json(calibration)) &&
        set(header, "results", json_array()))
        return header;
    json_decref(header);
    return NULL;
}

static bool put_times(json_t *object, struct measured *measured, const struct device *device,
                      const struct bench_case *what, enum variant variant)
{
    const struct statistics times =
        samples_statistics(measured_samples(measured, device, what, variant));
    const struct statistics wall = samples_statistics(&measured->wall[variant]);
    const struct statistics own = samples_statistics(&measured->device[variant]);
    return put(object, "median_s", times.median) && put(object, "min_s", times.minimum) &&
           put(object, "p95_s", times.p95) && set(object, "n", json_integer(times.n)) &&
           put(object, "wall_s", wall.n ? wall.median : NAN) &&
           put(object, "device_s", own.n ? own.median : NAN);
}

static bool put_plan(json_t *object, const clnd_plan *plan)
{
    return set(object, "strategy", json_string(plan->strategy)) &&
           set(object, "reason", json_string(plan->reason ? plan->reason : "")) &&
           put_bytes(object, "workspace_bytes", (double)plan->workspace_bytes);
}

static bool put_rates(json_t *object, const struct measured *measured,
                      const struct bench_case *what, double median)
{
    const struct traffic *traffic = &measured->traffic;
    const bool sums = op_is_scatter(what->op) && what->reduce != CLND_REDUCE_UPDATE;
    return put_bytes(object, "payload_bytes", traffic->payload) &&
           put_bytes(object, "moved_bytes", traffic->moved) &&
           put_bytes(object, "cold_bytes", traffic->cold) &&
           put(object, "payload_GBps", traffic->payload / median * 1e-9) &&
           put(object, "moved_GBps", traffic->moved / median * 1e-9) &&
           put(object, "updates_M",
               sums ? (double)measured->layout.dense_count / median * 1e-6 : NAN) &&
           put(object, "limit_s", measured->limits.cold_s) &&
           put(object, "no_reuse_limit_s", measured->limits.moved_s) &&
           put(object, "limit_percent", measured->limits.cold_s / median * 100) &&
           put(object, "no_reuse_limit_percent", measured->limits.moved_s / median * 100);
}

// The copy that was timed beside the case, counted once, and the C loop.
static bool put_peers(json_t *object, struct measured *measured, double copied_bytes, double median)
{
    const struct statistics copy = samples_statistics(&measured->copy);
    const struct statistics loop = samples_statistics(&measured->wall[VARIANT_C]);
    const double rate = copy.n ? copied_bytes / copy.median * 1e-9 : NAN;
    if (!put(object, "copy_GBps", rate) ||
        !put(object, "copy_ratio", measured->traffic.payload / median * 1e-9 / rate))
        return false;
    return !loop.n ||
           (put(object, "c_median_s", loop.median) && put(object, "c_min_s", loop.minimum) &&
            set(object, "c_threads", json_integer(measured->c_threads)) &&
            put(object, "c_ratio", loop.median / median));
}

static bool put_deterministic(json_t *object, struct measured *measured,
                              const struct device *device, const struct bench_case *what,
                              double median)
{
    json_t *second = json_object();
    if (*measured->deterministic_text)
        return set(second, "error", json_string(measured->deterministic_text)) &&
               set(object, "deterministic", second);
    if (!measured->has[VARIANT_DETERMINISTIC]) {
        json_decref(second);
        return true;
    }
    const struct statistics times =
        samples_statistics(measured_samples(measured, device, what, VARIANT_DETERMINISTIC));
    return set(object, "deterministic", second) &&
           put_times(second, measured, device, what, VARIANT_DETERMINISTIC) &&
           put_plan(second, &measured->plans[1]) && put(second, "ratio", median / times.median);
}

static bool put_result(json_t *object, const struct device *device, const struct bench_case *what,
                       struct measured *measured, double copied_bytes, double launch_s)
{
    if (measured->outcome != OUTCOME_GOOD)
        return set(object, "error", json_string(measured->text)) &&
               set(object, "failed", json_boolean(measured->outcome != OUTCOME_SKIPPED));
    const double median =
        samples_statistics(measured_samples(measured, device, what, VARIANT_DEFAULT)).median;
    const struct statistics planning = samples_statistics(&measured->planning);
    return put_times(object, measured, device, what, VARIANT_DEFAULT) &&
           put(object, "engine_s", measured->engine_s) &&
           put(object, "first_call_s", measured->first_call_s) &&
           put(object, "plan_s", planning.n ? planning.median : NAN) &&
           put_plan(object, &measured->plans[0]) &&
           (what->kind == KIND_HOST || (put_rates(object, measured, what, median) &&
                                        put_peers(object, measured, copied_bytes, median))) &&
           set(object, "launch_bound",
               json_boolean(what->kind != KIND_HOST && median < 5 * launch_s)) &&
           set(object, "cache_resident",
               json_boolean(measured->traffic.working_set < device->last_level_cache)) &&
           set(object, "in_averages",
               json_boolean(what->kind == KIND_PLAIN && !what->sweep &&
                            what->group != GROUP_OTHER)) &&
           put_deterministic(object, measured, device, what, median);
}

// Sums over the entries of a Spatter file.
static bool put_sums(json_t *object, const json_t *entries)
{
    static const char *const keys[] = {
        "median_s",    "min_s",      "p95_s",   "wall_s",     "device_s",         "payload_bytes",
        "moved_bytes", "cold_bytes", "limit_s", "c_median_s", "no_reuse_limit_s", "first_call_s",
    };
    double sums[sizeof keys / sizeof *keys] = {0}, copies = 0;
    for (size_t i = 0; i < json_array_size(entries); ++i) {
        const json_t *entry = json_array_get(entries, i);
        if (json_object_get(entry, "error"))
            return set(object, "error", json_string(document_text(entry, "error"))) &&
                   set(object, "failed",
                       json_boolean(json_is_true(json_object_get(entry, "failed"))));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
            sums[k] += document_number(entry, keys[k]);
        copies += 1 / document_number(entry, "copy_GBps");
    }
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
        if (!put(object, keys[k], sums[k]))
            return false;
    const double n = (double)json_array_size(entries), median = sums[0], payload = sums[5];
    return set(object, "n",
               json_integer(
                   json_integer_value(json_object_get(json_array_get(entries, 0), "n")))) &&
           put(object, "payload_GBps", payload / median * 1e-9) &&
           put(object, "moved_GBps", sums[6] / median * 1e-9) &&
           put(object, "limit_percent", sums[8] / median * 100) &&
           put(object, "no_reuse_limit_percent", sums[10] / median * 100) &&
           put(object, "copy_GBps", n / copies) &&
           put(object, "copy_ratio", payload / median * 1e-9 / (n / copies)) &&
           put(object, "c_ratio", sums[9] / median) &&
           // 8 bytes for each value that is gathered or scattered are what Spatter counts, too.
           put(object, "spatter_GBps", payload / median * 1e-9) &&
           set(object, "in_averages", json_true());
}

bool document_add(json_t *document, const struct device *device, const struct bench_case *what,
                  struct measured *measured)
{
    json_t *results = json_object_get(document, "results"), *result = json_object();
    const json_t *calibration = json_object_get(document, "calibration");
    const double launch_s = document_number(calibration, "launch_s");
    const double copied = document_number(calibration, "plain_copy_bytes");
    if (json_array_append_new(results, result) || !set(result, "case", json_string(what->id)) ||
        !describe_case(what, result) ||
        (what->kind != KIND_SPATTER && measured->outcome == OUTCOME_GOOD &&
         !describe_shapes(what, result)))
        return false;
    if (what->kind != KIND_SPATTER)
        return put_result(result, device, what, measured, copied, launch_s);
    json_t *entries = json_array();
    if (!set(result, "entries", entries))
        return false;
    for (int i = 0; i < what->n_parts; ++i) {
        const struct bench_case *part = &what->parts[i];
        json_t *entry = json_object();
        if (json_array_append_new(entries, entry) || !set(entry, "case", json_string(part->id)) ||
            !set(entry, "op", json_string(op_name(part->op))) || !describe_shapes(part, entry) ||
            !put_result(entry, device, part, &measured[i], copied, launch_s))
            return false;
    }
    return put_sums(result, entries);
}

json_t *document_load(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    if (!document) {
        fail_json(path, &error);
        return NULL;
    }
    const json_t *results = json_object_get(document, "results");
    bool good = json_is_array(results) || fail("%s: has no list \"results\"", path);
    for (size_t i = 0; good && i < json_array_size(results); ++i) {
        const json_t *result = json_array_get(results, i);
        const json_t *name = json_object_get(result, "case");
        const bool timed =
            json_object_get(result, "error") || document_number(result, "median_s") > 0;
        if (json_object_get(result, "library"))
            good = fail("%s: has results of several libraries; bench/peers.py --join shows them",
                        path);
        else
            good = (json_is_string(name) && timed) ||
                   fail("%s: result %zu has no \"case\" with a \"median_s\" above 0", path, i);
    }
    if (good)
        return document;
    json_decref(document);
    return NULL;
}

bool document_check_path(const char *path)
{
    struct stat found;
    const bool is_new = lstat(path, &found) != 0;
    // Whoever reads a FIFO would take the end of this for the end of the results.
    if (strcmp(path, "-") == 0 || (!is_new && S_ISFIFO(found.st_mode)))
        return true;
    FILE *file = fopen(path, "a"); // older results stay as they are
    if (!file)
        return fail("%s cannot be written: %s", path, strerror(errno));
    fclose(file);
    if (is_new)
        remove(path);
    return true;
}

bool document_save(const json_t *document, const char *path)
{
    // Six digits are more than a measurement has.
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(6);
    const bool to_stdout = strcmp(path, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(path, "w");
    bool good = file && json_dumpf(document, file, flags) == 0 && fputc('\n', file) != EOF;
    if (file && !to_stdout)
        good = fclose(file) == 0 && good;
    return good || fail("%s cannot be written", path);
}

size_t document_count(const json_t *document)
{
    return json_array_size(json_object_get(document, "results"));
}

const json_t *document_result(const json_t *document, size_t i)
{
    return json_array_get(json_object_get(document, "results"), i);
}

double document_number(const json_t *result, const char *key)
{
    const json_t *value = json_object_get(result, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *document_text(const json_t *result, const char *key)
{
    const char *text = json_string_value(json_object_get(result, key));
    return text ? text : "";
}

// SPDX-License-Identifier: Apache-2.0

#include "calibration_file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "document.h"
#include "machine.h"

#define FIELD(key, member)                                                                         \
    {                                                                                              \
        key, offsetof(struct calibration, member)                                                  \
    }
static const struct {
    const char *key;
    size_t offset; // of a double
} fields[] = {
    FIELD("launch_s", launch_s),
    FIELD("empty_kernel_s", empty_s),
    FIELD("copy_kernel_GBps", copy_GBps),
    FIELD("copy_buffer_GBps", copy_buffer_GBps),
    FIELD("plain_copy_GBps", plain_copy_GBps),
    FIELD("plain_copy_bytes", plain_copy_bytes),
    FIELD("random_read_G", read_G),
    FIELD("random_write_G", write_G),
    FIELD("atomic_rows_G", add_rows_G),
    FIELD("atomic_random_G", add_random_G),
    FIELD("atomic_one_address_G", add_one_G),
};
enum { N_FIELDS = sizeof fields / sizeof *fields, PATH_SIZE = 4096 };

json_t *calibration_json(const struct calibration *calibration)
{
    json_t *object = json_object();
    for (int i = 0; i < N_FIELDS; ++i) {
        double value;
        memcpy(&value, (const char *)calibration + fields[i].offset, sizeof value);
        if (json_object_set_new(object, fields[i].key, json_real(value)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static bool read_fields(const json_t *object, struct calibration *calibration)
{
    *calibration = (struct calibration){0};
    snprintf(calibration->date, sizeof calibration->date, "%s", document_text(object, "date"));
    for (int i = 0; i < N_FIELDS; ++i) {
        const double value = document_number(object, fields[i].key);
        if (!(value > 0))
            return false;
        memcpy((char *)calibration + fields[i].offset, &value, sizeof value);
    }
    return *calibration->date != '\0';
}

// Everything that a calibration depends on.
static void describe(const struct device *device, char *key, size_t size)
{
    struct machine machine;
    machine_describe(&machine);
    snprintf(key, size, "%s, %s, %s; %s, %d of %d cores, %s pages%s", device->facts->name,
             device->facts->platform, device->facts->driver, machine.processor,
             team_size(device->team), machine.cores, pages_name(device->pages),
             device->tiny ? ", tiny" : "");
}

// The folder is made where `make` says so.
static bool find_path(char path[PATH_SIZE], bool make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool is_set = cache && *cache == '/'; // others are to be ignored, says the standard
    if (!is_set && !(home && *home == '/'))
        return false;
    int length = snprintf(path, PATH_SIZE, "%s%s", is_set ? cache : home, is_set ? "" : "/.cache");
    for (int i = 0; i < 2; ++i) {
        if (length >= PATH_SIZE)
            return false;
        if (make)
            mkdir(path, i == 0 ? 0700 : 0755);
        length += snprintf(path + length, (size_t)(PATH_SIZE - length), "%s",
                           i == 0 ? "/clnd" : "/calibration.json");
    }
    return length < PATH_SIZE;
}

bool calibration_find(const struct device *device, struct calibration *calibration)
{
    char path[PATH_SIZE], key[1024];
    if (!find_path(path, false))
        return false;
    json_t *all = json_load_file(path, 0, NULL);
    describe(device, key, sizeof key);
    const bool found = read_fields(json_object_get(all, key), calibration);
    json_decref(all);
    return found;
}

void calibration_keep(const struct device *device, const struct calibration *calibration)
{
    char path[PATH_SIZE], written[PATH_SIZE + 16], key[1024];
    if (!find_path(path, true))
        return;
    json_t *all = json_load_file(path, 0, NULL), *own = calibration_json(calibration);
    if (!json_is_object(all)) {
        json_decref(all);
        all = json_object();
    }
    describe(device, key, sizeof key);
    snprintf(written, sizeof written, "%s.%ld", path, (long)getpid());
    // A reader finds the old file or the new one.
    if (json_object_set_new(own, "date", json_string(calibration->date)) != 0 ||
        json_object_set(all, key, own) != 0 || json_dump_file(all, written, JSON_INDENT(1)) != 0 ||
        rename(written, path) != 0)
        unlink(written);
    json_decref(own);
    json_decref(all);
}

// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "icd.h"
#include "json.h"
#include "session.h"
#include "terminal.h"
#include "text.h"

enum { INDENT = 11 };
enum mark { MARK_OK, MARK_NOTE, MARK_PROBLEM };

struct doctor {
    bool quiet;
    struct json *json;   // NULL: text
    const char *section; // of the last finding
    bool is_deadly;      // OpenCL cannot be called: a driver ends the program
    bool is_hidden;      // a variable keeps the loader from drivers that are installed
    bool is_misled;      // CLND_DEVICE names no device that can be used
    int usable, others;  // devices that can be opened; those of them that are no CPU
};

// A finding: a line of text, or an object.
__attribute__((format(printf, 5, 6))) static void say(struct doctor *doctor, enum mark mark,
                                                      const char *section, const char *subject,
                                                      const char *format, ...)
{
    static const char *const words[] = {"ok", "note", "problem"};
    static const enum colour colours[] = {COLOUR_GREEN, COLOUR_NONE, COLOUR_RED};
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (doctor->quiet)
        return;
    if (doctor->json) {
        json_open(doctor->json, NULL, '{');
        json_text(doctor->json, "section", section);
        json_text(doctor->json, "state", words[mark]);
        json_text(doctor->json, "subject", subject);
        json_text(doctor->json, "text", text);
        json_close(doctor->json, '}');
        return;
    }
    if (doctor->section != section)
        printf("%s%s\n", doctor->section ? "\n" : "", section);
    doctor->section = section;
    printf("  ");
    terminal_print_word(words[mark], colours[mark]);
    printf("%*s", INDENT - 2 - (int)strlen(words[mark]), "");
    char line[3072], shown[3072];
    snprintf(line, sizeof line, "%s: %s", subject, text);
    text_escape(shown, sizeof shown, line, strlen(line));
    terminal_print_wrapped(shown, INDENT);
}

static const char section_loader[] = "loader", section_drivers[] = "drivers",
                  section_access[] = "access", section_devices[] = "devices",
                  section_install[] = "to install";

#define USUAL_FOLDER "/etc/OpenCL/vendors"

static void check_loader(struct doctor *doctor)
{
    char path[1024];
    icd_loader(path, sizeof path);
    say(doctor, MARK_OK, section_loader, "libOpenCL", "%s", path);
}

// An empty variable counts as one that is not there.
static const char *unless_empty(const char *value)
{
    return value && *value ? value : NULL;
}

static void explain_no_device(char *text, size_t size, const char *platform)
{
    const char *enabled = unless_empty(getenv("RUSTICL_ENABLE"));
    if (strcmp(platform, "rusticl") != 0)
        snprintf(text, size, "its hardware is not here, or may not be opened");
    else if (enabled)
        snprintf(text, size, "RUSTICL_ENABLE is %s, which gives none here", enabled);
    else
        snprintf(text, size,
                 "RUSTICL_ENABLE is not set; set it to radeonsi (AMD), iris (Intel) "
                 "or llvmpipe (CPU)");
}

static void check_library(struct doctor *doctor, const char *subject, const char *library)
{
    struct icd icd;
    char why[512];
    icd_try(library, &icd);
    doctor->is_deadly |= icd.is_deadly;
    if (strncmp(icd.problem, library, strlen(library)) == 0) // as dlerror writes it
        say(doctor, MARK_PROBLEM, section_drivers, subject, "%s", icd.problem);
    else if (*icd.problem)
        say(doctor, icd.loads ? MARK_NOTE : MARK_PROBLEM, section_drivers, subject, "%s %s",
            library, icd.problem);
    for (int i = 0; i < icd.n_platforms; ++i) {
        const char *name = icd.platforms[i].name;
        const unsigned n = icd.platforms[i].devices;
        if (n > 0) {
            say(doctor, MARK_OK, section_drivers, subject, "%s: %s, %u device%s", library, name, n,
                n == 1 ? "" : "s");
            continue;
        }
        explain_no_device(why, sizeof why, name);
        say(doctor, MARK_NOTE, section_drivers, subject, "%s: %s, no device: %s", library, name,
            why);
    }
}

// An .icd file has the name of a library in its first line.
static void check_file(struct doctor *doctor, const char *path, const char *subject)
{
    char library[1024] = "";
    FILE *file = fopen(path, "r");
    errno = file ? 0 : errno;
    const bool is_read = file && fgets(library, sizeof library, file);
    const int error = errno;
    if (file)
        fclose(file);
    library[strcspn(library, "\r\n")] = '\0';
    if (is_read && *library)
        check_library(doctor, subject, library);
    else if (error)
        say(doctor, MARK_PROBLEM, section_drivers, subject, "cannot be read: %s", strerror(error));
    else
        say(doctor, MARK_PROBLEM, section_drivers, subject, "names no library");
}

static bool ends_in_icd(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

static int is_icd(const struct dirent *entry)
{
    return ends_in_icd(entry->d_name);
}

static void check_folder(struct doctor *doctor, const char *folder, const char *why)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_icd, alphasort);
    if (n < 0)
        say(doctor, MARK_PROBLEM, section_drivers, folder, "cannot be read: %s%s", strerror(errno),
            why);
    else if (n == 0)
        say(doctor, MARK_PROBLEM, section_drivers, folder,
            "has no .icd file: no driver is "
            "installed%s",
            why);
    else
        say(doctor, MARK_OK, section_drivers, folder, "has %d .icd file%s%s", n, n == 1 ? "" : "s",
            why);
    for (int i = 0; i < n; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        check_file(doctor, path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

// As ocl-icd, the loader of Debian and others, takes OCL_ICD_VENDORS: a folder, an .icd file, or
// a library.
static void check_drivers(struct doctor *doctor)
{
    const char *asked = unless_empty(getenv("OCL_ICD_VENDORS")),
               *other = unless_empty(getenv("OPENCL_VENDOR_PATH"));
    const char *folder = other ? other : USUAL_FOLDER;
    char path[4096];
    struct stat state;
    if (!asked)
        check_folder(doctor, folder, other ? " (OPENCL_VENDOR_PATH)" : "");
    else if (stat(asked, &state) == 0 && S_ISDIR(state.st_mode))
        check_folder(doctor, asked, " (OCL_ICD_VENDORS)");
    else if (!ends_in_icd(asked))
        check_library(doctor, "OCL_ICD_VENDORS", asked);
    else {
        snprintf(path, sizeof path, "%s/%s", folder, asked);
        const bool inside = !strchr(asked, '/') && access(path, F_OK) == 0;
        check_file(doctor, inside ? path : asked, "OCL_ICD_VENDORS");
    }
}

static void check_node(struct doctor *doctor, const char *path)
{
    struct stat state;
    if (access(path, R_OK | W_OK) == 0) {
        say(doctor, MARK_OK, section_access, path, "may be opened");
        return;
    }
    const int error = errno;
    const struct group *group = stat(path, &state) == 0 ? getgrgid(state.st_gid) : NULL;
    if (error == EACCES && group && (state.st_mode & S_IRGRP) && state.st_gid != 0)
        say(doctor, MARK_PROBLEM, section_access, path,
            "may not be opened by you; its group may: sudo usermod -aG %s $USER, then log in again",
            group->gr_name);
    else
        say(doctor, MARK_PROBLEM, section_access, path, "may not be opened: %s", strerror(error));
}

// The files of the kernel's drivers for GPUs.
static void check_access(struct doctor *doctor)
{
    glob_t found;
    glob("/dev/dri/renderD*", 0, NULL, &found);
    glob("/dev/kfd", GLOB_APPEND, NULL, &found);
    glob("/dev/nvidiactl", GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; ++i)
        check_node(doctor, found.gl_pathv[i]);
    if (found.gl_pathc == 0)
        say(doctor, MARK_NOTE, section_access, "/dev",
            "has no dri/renderD*, kfd or nvidiactl: the kernel shows no GPU here");
    globfree(&found);
}

// Where no device can be used: whether the loader was told to look elsewhere than in the usual
// folder, which has drivers.
static void check_hidden(struct doctor *doctor)
{
    const char *asked = unless_empty(getenv("OCL_ICD_VENDORS"));
    const char *place = asked ? asked : unless_empty(getenv("OPENCL_VENDOR_PATH"));
    glob_t found;
    if (!place || strcmp(place, USUAL_FOLDER) == 0)
        return;
    glob(USUAL_FOLDER "/*.icd", 0, NULL, &found);
    doctor->is_hidden = found.gl_pathc > 0;
    if (doctor->is_hidden)
        say(doctor, MARK_PROBLEM, section_devices, asked ? "OCL_ICD_VENDORS" : "OPENCL_VENDOR_PATH",
            "keeps the loader from %s, which has %zu .icd file%s: unset it", USUAL_FOLDER,
            found.gl_pathc, found.gl_pathc == 1 ? "" : "s");
    globfree(&found);
}

// What all commands do without --device.
static void check_choice(struct doctor *doctor)
{
    clnd_engine *engine = NULL;
    if (!unless_empty(getenv("CLND_DEVICE")))
        return;
    doctor->is_misled = clnd_engine_open(NULL, NULL, &engine) != CLND_OK;
    if (doctor->is_misled)
        say(doctor, MARK_PROBLEM, section_devices, "CLND_DEVICE", "%s", session_last_error());
    clnd_engine_destroy(&engine);
}

static void check_devices(struct doctor *doctor)
{
    int32_t count = 0;
    if (doctor->is_deadly) {
        say(doctor, MARK_PROBLEM, section_devices, "none",
            "a driver above ends every program that calls OpenCL: remove its .icd file");
        return;
    }
    fflush(stdout);
    if (clnd_device_count(&count) || count == 0)
        say(doctor, MARK_PROBLEM, section_devices, "none", "the loader finds no device");
    for (int32_t i = 0; i < count; ++i) {
        char spec[24];
        clnd_device_facts facts;
        clnd_engine *engine = NULL;
        if (clnd_device_describe(i, spec, &facts))
            continue;
        if (clnd_engine_open(spec, NULL, &engine)) {
            say(doctor, MARK_PROBLEM, section_devices, spec, "%s: %s", facts.name,
                session_last_error());
            continue;
        }
        ++doctor->usable;
        doctor->others += !facts.is_cpu;
        say(doctor, MARK_OK, section_devices, spec, "%s", facts.name);
        clnd_engine_destroy(&engine);
    }
    if (doctor->usable)
        check_choice(doctor);
    else
        check_hidden(doctor);
}

static unsigned read_hexadecimal(const char *path)
{
    unsigned value = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%x", &value) != 1)
        value = 0;
    if (file)
        fclose(file);
    return value;
}

// GPUs on the PCI bus, by their vendors.
static bool has_gpu_of(unsigned vendor)
{
    enum { DISPLAY = 3 };
    glob_t found;
    bool has = false;
    glob("/sys/bus/pci/devices/*", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && !has; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/class", found.gl_pathv[i]);
        if (read_hexadecimal(path) >> 16 != DISPLAY)
            continue;
        snprintf(path, sizeof path, "%s/vendor", found.gl_pathv[i]);
        has = read_hexadecimal(path) == vendor;
    }
    globfree(&found);
    return has;
}

// Packages of Debian and Ubuntu.
static void advise(struct doctor *doctor)
{
    static const struct {
        unsigned vendor;
        const char *name, *packages;
    } gpus[] = {
        {0x10de, "NVIDIA GPU", "nvidia-opencl-icd (Ubuntu: libnvidia-compute-N of driver N)"},
        {0x1002, "AMD GPU", "mesa-opencl-icd, with RUSTICL_ENABLE=radeonsi; or AMD's ROCm"},
        {0x8086, "Intel GPU", "intel-opencl-icd"},
    };
    if (doctor->is_hidden)
        return;
    if (doctor->usable == 0 && !doctor->is_deadly)
        say(doctor, MARK_NOTE, section_install, "CPU", "sudo apt install pocl-opencl-icd");
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus && doctor->others == 0; ++i)
        if (has_gpu_of(gpus[i].vendor))
            say(doctor, MARK_NOTE, section_install, gpus[i].name, "%s", gpus[i].packages);
}

static void check_all(struct doctor *doctor)
{
    check_loader(doctor);
    check_drivers(doctor);
    check_access(doctor);
    check_devices(doctor);
    advise(doctor);
}

static int run(const struct command *command, const struct arguments *arguments)
{
    struct json json = {.out = stdout};
    struct doctor doctor = {.quiet = arguments->quiet, .json = arguments->json ? &json : NULL};
    const bool writes = arguments->json && !arguments->quiet;
    if (writes) {
        json_open(&json, NULL, '{');
        json_open(&json, "findings", '[');
    }
    check_all(&doctor);
    if (writes) {
        json_close(&json, ']');
        json_integer(&json, "usable_devices", (uint64_t)doctor.usable);
        json_close(&json, '}');
    }
    fflush(stdout); // before what comes on standard error
    if (doctor.is_misled)
        return refuse(command, STATUS_REFUSED, "CLND_DEVICE names no device that can be used");
    return doctor.usable ? 0 : refuse(command, STATUS_REFUSED, "no device can be used");
}

const struct command command_doctor = {
    .name = "doctor",
    .usage = "[OPTIONS]",
    .summary = "say what is wrong with the OpenCL of this machine",
    .notes = "Each driver is loaded in a process of its own, so that a broken one is found.\n"
             "Status 1 says that no device can be used, or none that CLND_DEVICE names.\n",
    .example = "whether anything can be used:\n"
               "  $ clnd doctor --quiet\n",
    .options = {{OPTION_JSON, NULL},
                {OPTION_QUIET, "nothing on standard output; the status tells"},
                {OPTION_HELP, NULL},
                {OPTION_VERSION, NULL},
                {OPTION_DEVICE, WITHOUT_EFFECT},
                {OPTION_BOUNDS, NULL},
                {OPTION_DETERMINISTIC, NULL},
                {OPTION_TIME, WITHOUT_EFFECT}},
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};

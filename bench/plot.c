// SPDX-License-Identifier: Apache-2.0

#include "plot.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "document.h"
#include "failure.h"
#include "plot_scripts.h"
#include "sweeps.h"

// Writes a picture's data and returns how many points there are, or -1 when writing fails.
typedef int write_data(const json_t *document, const char *what, FILE *file);

static double row_bytes(const json_t *result)
{
    const json_t *dense = json_object_get(result, "dense"),
                 *shape = json_object_get(result, "data");
    const double rows = json_number_value(json_array_get(dense, 0));
    return json_array_size(shape) && rows > 0 ? document_number(result, "payload_bytes") / rows
                                              : NAN;
}

// What is not a number is a gap for gnuplot.
static void print_values(FILE *file, int n, const double *values)
{
    for (int i = 0; i < n; ++i)
        if (isfinite(values[i]))
            fprintf(file, " %.6g", values[i]);
        else
            fprintf(file, " ?");
    fputc('\n', file);
}

// GB/s of payload: reached, at the limit, by the C loop, by the copy.
static void rates(const json_t *result, double values[4])
{
    const double payload = document_number(result, "payload_bytes") * 1e-9;
    values[0] = document_number(result, "payload_GBps");
    values[1] = payload / document_number(result, "limit_s");
    values[2] = payload / document_number(result, "c_median_s");
    values[3] = document_number(result, "copy_GBps");
}

static int write_limits(const json_t *document, const char *what, FILE *file)
{
    int n = 0;
    (void)what;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        double values[4];
        if (!json_is_true(json_object_get(result, "in_averages")))
            continue;
        rates(result, values);
        fprintf(file, "%d \"%s\"", n++, document_text(result, "case"));
        print_values(file, 4, values);
    }
    return n;
}

static int write_rows(const json_t *document, const char *what, FILE *file)
{
    int n = 0;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        const char *name = document_text(result, "case");
        double values[5];
        if (fnmatch(what, name, 0) != 0 || strstr(name, "sorted") ||
            json_object_get(result, "error"))
            continue;
        values[0] = row_bytes(result);
        rates(result, values + 1);
        print_values(file, 5, values);
        ++n;
    }
    return n;
}

// One block of lines for each series, which gnuplot draws as one curve.
static int write_sweep(const json_t *document, const char *what, FILE *file)
{
    const char *series = NULL;
    int n = 0;
    for (size_t i = 0; i < document_count(document); ++i) {
        const json_t *result = document_result(document, i);
        if (strcmp(document_text(result, "sweep"), what) != 0 || json_object_get(result, "error"))
            continue;
        if (!series || strcmp(series, document_text(result, "series")) != 0) {
            fprintf(file, "%s\"%s\"\n", series ? "\n\n" : "", document_text(result, "series"));
            series = document_text(result, "series");
        }
        double values[5] = {document_number(result, "x")};
        rates(result, values + 1);
        values[4] = document_number(result, "updates_M");
        print_values(file, 5, values);
        ++n;
    }
    return n;
}

static const struct picture {
    const char *name;
    write_data *write;
    const char *what; // for `write`
    const char *script;
} pictures[] = {
    {"limits", write_limits, "", script_limits},
    {"row-sizes", write_rows, "rows-*", script_row_sizes},
    {SWEEP_GATHER, write_sweep, SWEEP_GATHER, script_gather_strategies},
    {SWEEP_SCATTER, write_sweep, SWEEP_SCATTER, script_scatter_strategies},
    {SWEEP_DUPLICATES, write_sweep, SWEEP_DUPLICATES, script_duplicates},
};

// Device names may have what a script would take for its own.
static void plain_text(const char *from, char *to, size_t size)
{
    size_t n = 0;
    for (; *from && n + 1 < size; ++from)
        if (*from >= ' ' && *from <= '~' && !strchr("\"'\\`$@{}^_&%", *from))
            to[n++] = *from;
    to[n] = '\0';
}

static FILE *open_file(const char *folder, const char *name, const char *ending)
{
    char path[1024];
    FILE *file = NULL;
    const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    if (length < (int)sizeof path)
        file = fopen(path, "w");
    if (!file)
        fail("%s cannot be written", path);
    return file;
}

static bool close_file(FILE *file, const char *folder)
{
    const bool good = !ferror(file);
    return (fclose(file) == 0 && good) || fail("a file in %s cannot be written", folder);
}

// Runs gnuplot in the folder, so that a script names files without it.
static bool run_gnuplot(const char *folder, const char *script)
{
    enum { NO_PROGRAM = 127 };
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(NO_PROGRAM);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return fail("gnuplot cannot be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
        return fail("the pictures need gnuplot, which is not installed");
    return status == 0 || fail("gnuplot could not draw %s/%s", folder, script);
}

// *drawn is whether there was something to draw.
static bool draw(const json_t *document, const struct picture *picture, const char *folder,
                 bool *drawn)
{
    static const char *const terminals[][2] = {{"png", "pngcairo"}, {"svg", "svg"}};
    FILE *file = open_file(folder, picture->name, "dat");
    if (!file)
        return false;
    const int points = picture->write(document, picture->what, file);
    if (!close_file(file, folder))
        return false;
    *drawn = points > 1;
    if (!*drawn)
        return true;
    char device[128], script[64];
    plain_text(document_text(document, "device"), device, sizeof device);
    for (int i = 0; i < 2; ++i) {
        snprintf(script, sizeof script, "%s-%s", picture->name, terminals[i][0]);
        file = open_file(folder, script, "gp");
        if (!file)
            return false;
        fprintf(file, "device = \"%s, clnd %s\"\nterminal = \"%s\"\npoints = %d\n", device,
                document_text(document, "clnd"), terminals[i][1], points);
        fprintf(file, "data = \"%s.dat\"\npicture = \"%s.%s\"\n%s%s", picture->name, picture->name,
                terminals[i][0], script_common, picture->script);
        snprintf(script, sizeof script, "%s-%s.gp", picture->name, terminals[i][0]);
        if (!close_file(file, folder) || !run_gnuplot(folder, script))
            return false;
    }
    return true;
}

bool plot_all(const json_t *document, const char *folder)
{
    bool any = false;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail("the folder %s cannot be made: %s", folder, strerror(errno));
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; ++i) {
        bool drawn = false;
        if (!draw(document, &pictures[i], folder, &drawn))
            return false;
        any = any || drawn;
    }
    return any || fail("there are not enough results for a picture");
}

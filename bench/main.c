// SPDX-License-Identifier: Apache-2.0
//
// clnd-bench: how fast clnd's operations are on a device, and how far from what it can do.
// docs/benchmarking.md is its manual.

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "describe.h"
#include "document.h"
#include "failure.h"
#include "layout.h"
#include "plot.h"
#include "report.h"
#include "session.h"
#include "spatter.h"

enum { STATUS_GOOD, STATUS_FAILED, STATUS_USAGE };

static int refuse(int status)
{
    fprintf(stderr, "clnd-bench: %s\n", failure_text());
    return status;
}

// Whether a name matches one of the globs in a list with commas.
static bool matches(const char *name, const char *globs)
{
    char glob[128];
    while (*globs) {
        const size_t length = strcspn(globs, ",");
        snprintf(glob, sizeof glob, "%.*s", (int)length, globs);
        if (fnmatch(glob, name, 0) == 0)
            return true;
        globs += length + (globs[length] == ',');
    }
    return false;
}

static bool filter(struct case_list *cases, const char *globs)
{
    int kept = 0;
    for (int i = 0; i < cases->count; ++i)
        if (matches(cases->cases[i].id, globs))
            cases->cases[kept++] = cases->cases[i];
        else
            case_free(&cases->cases[i]);
    cases->count = kept;
    return kept || fail("no case is called %s; see clnd-bench --list", globs);
}

// Names of files stand for their cases.
static bool add_file(const char *path, enum bench_size size, struct case_list *cases)
{
    struct bench_case what;
    if (!spatter_read(path, SPATTER_ALL, size, &what))
        return false;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const int length = dot ? (int)(dot - name) : (int)strlen(name);
    snprintf(what.id, sizeof what.id, "%.*s", length < 70 ? length : 70, name);
    return case_list_add(cases, &what);
}

static bool check_shapes(const struct bench_case *what)
{
    struct operands operands;
    struct layout layout;
    if (operands_describe(what, &operands))
        return fail_clnd();
    return layout_describe(what, &operands, &layout);
}

static bool choose_cases(const struct arguments *arguments, enum bench_size size,
                         struct case_list *cases)
{
    if (arguments->free_case)
        return check_shapes(&arguments->what) && case_list_add(cases, &arguments->what);
    bool good = true;
    for (int i = 0; i < arguments->n_files && good; ++i)
        good = add_file(arguments->files[i], size, cases);
    if (!arguments->n_files)
        good = cases_builtin(size, arguments->folder, arguments->seed,
                             arguments->sweeps || arguments->plot, cases);
    return good && (!arguments->filter || filter(cases, arguments->filter));
}

static int list(const struct arguments *arguments)
{
    struct case_list cases = {0};
    const enum bench_size size = arguments->size == SIZE_AUTO ? SIZE_CPU : arguments->size;
    const bool good = choose_cases(arguments, size, &cases);
    for (int i = 0; good && i < cases.count; ++i)
        puts(cases.cases[i].id);
    case_list_free(&cases);
    return good ? STATUS_GOOD : refuse(STATUS_USAGE);
}

static json_t *measure(const struct arguments *arguments, int *status)
{
    struct device device = {0};
    struct case_list cases = {0};
    json_t *document = NULL;
    enum bench_size size = arguments->size;
    bool good = false;
    *status = STATUS_FAILED;
    if (device_open(&device, arguments->device, arguments->threads, arguments->pages,
                    size == SIZE_TINY)) {
        if (size == SIZE_AUTO)
            size = device.facts->is_cpu ? SIZE_CPU : SIZE_GPU;
        const struct session session = {&device, arguments->measure, size, arguments->seed,
                                        arguments->quick || arguments->free_case};
        if (!choose_cases(arguments, size, &cases))
            *status = STATUS_USAGE;
        else
            document = session_run(&session, &cases, &good);
    }
    if (document)
        *status = good ? STATUS_GOOD : STATUS_FAILED;
    case_list_free(&cases);
    device_close(&device);
    return document;
}

static bool report(const struct arguments *arguments, const json_t *document, const json_t *old)
{
    if (arguments->csv)
        report_csv(document);
    else if (!arguments->json || strcmp(arguments->json, "-") != 0)
        report_table(document);
    if (arguments->json && !document_save(document, arguments->json))
        return false;
    if (old)
        putchar('\n');
    return (!old || report_compare(document, old)) &&
           (!arguments->plot || plot_all(document, arguments->plot));
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    int status = STATUS_GOOD;
    if (!arguments_read(argc, argv, &arguments))
        return refuse(STATUS_USAGE);
    if (arguments.help) {
        arguments_help();
        return STATUS_GOOD;
    }
    if (arguments.list)
        return list(&arguments);
    if (arguments.describe)
        return describe_print(arguments.folder) ? STATUS_GOOD : refuse(STATUS_USAGE);
    // A file that cannot be read or written is found out before minutes of measuring.
    if (arguments.json && !document_check_path(arguments.json))
        return refuse(STATUS_USAGE);
    json_t *old = arguments.compare ? document_load(arguments.compare) : NULL;
    if (arguments.compare && !old)
        return refuse(STATUS_USAGE);
    json_t *document =
        arguments.from ? document_load(arguments.from) : measure(&arguments, &status);
    if (!document)
        status = refuse(arguments.from ? STATUS_USAGE : status);
    else if (!report(&arguments, document, old))
        status = refuse(STATUS_FAILED);
    json_decref(document);
    json_decref(old);
    if (fflush(stdout) || ferror(stdout)) {
        fail("standard output cannot be written");
        status = refuse(STATUS_FAILED);
    }
    return status;
}

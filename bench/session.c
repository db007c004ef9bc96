// SPDX-License-Identifier: Apache-2.0

#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "calibration_file.h"
#include "clock.h"
#include "document.h"
#include "failure.h"

static int parts_of(const struct bench_case *what)
{
    return what->kind == KIND_SPATTER ? what->n_parts : 1;
}

static const struct bench_case *part_of(const struct bench_case *what, int part)
{
    return what->kind == KIND_SPATTER ? &what->parts[part] : what;
}

// A line that is written over and over, for whoever waits at a terminal.
static void show_progress(const char *text)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s", text);
    fflush(stderr);
}

static void show_case(const struct session *session, int round, int number, int count,
                      const char *name)
{
    char text[160];
    snprintf(text, sizeof text, "round %d/%d, case %d/%d: %s", round + 1, session->options.rounds,
             number + 1, count, name);
    show_progress(text);
}

static void skip_late(const struct session *session, struct measured *measured)
{
    if (session->options.until <= 0 || clock_now() < session->options.until ||
        measured->outcome != OUTCOME_NONE)
        return;
    measured->outcome = OUTCOME_SKIPPED;
    snprintf(measured->text, sizeof measured->text, "there was no time left for it");
}

// The next round of all parts. A part that fails once is left alone later.
static void do_round(const struct session *session, const struct case_list *cases, int round,
                     struct plain_copy *copy, struct measured **measured)
{
    for (int i = 0; i < cases->count; ++i) {
        const struct bench_case *what = &cases->cases[i];
        show_case(session, round, i, cases->count, what->id);
        struct measure_options options = session->options;
        options.parts = parts_of(what);
        for (int part = 0; part < options.parts; ++part) {
            skip_late(session, &measured[i][part]);
            measure_round(&measured[i][part], session->device, part_of(what, part), &options, copy);
        }
    }
    show_progress("");
}

static bool report_failures(const struct session *session, const struct bench_case *what,
                            const struct measured *measured)
{
    bool good = true;
    for (int part = 0; part < parts_of(what); ++part) {
        const enum outcome outcome = measured[part].outcome;
        if (outcome != OUTCOME_WRONG && outcome != OUTCOME_FAILED)
            continue;
        good = false;
        fprintf(stderr, "clnd-bench: %s%s%s: %s%s%s\n", what->id, what->n_parts ? " " : "",
                what->n_parts ? what->parts[part].id : "", measured[part].text,
                outcome == OUTCOME_WRONG ? " on device " : "",
                outcome == OUTCOME_WRONG ? session->device->facts->name : "");
    }
    return good;
}

static bool find_calibration(const struct session *session, struct plain_copy *copy,
                             struct calibration *calibration)
{
    if (session->takes_kept && calibration_find(session->device, calibration))
        return true;
    show_progress("calibrating the device");
    const bool good = calibrate(session->device, copy, calibration);
    show_progress("");
    if (good)
        calibration_keep(session->device, calibration);
    return good;
}

static json_t *measure_all(const struct session *session, const struct case_list *cases,
                           struct plain_copy *copy, struct measured **measured, bool *good)
{
    struct calibration calibration;
    if (!plain_copy_create(session->device, copy) || !find_calibration(session, copy, &calibration))
        return NULL;
    for (int round = 0; round < session->options.rounds; ++round)
        do_round(session, cases, round, copy, measured);
    json_t *document = document_create(session->device, &calibration, &session->options,
                                       session->size, session->seed);
    for (int i = 0; i < cases->count && document; ++i) {
        const struct bench_case *what = &cases->cases[i];
        *good = report_failures(session, what, measured[i]) && *good;
        for (int part = 0; part < parts_of(what); ++part)
            measure_finish(&measured[i][part], session->device, &calibration, part_of(what, part));
        if (!document_add(document, session->device, what, measured[i])) {
            json_decref(document);
            document = NULL;
        }
    }
    return document;
}

json_t *session_run(const struct session *session, const struct case_list *cases, bool *good)
{
    struct plain_copy copy = {0};
    json_t *document = NULL;
    struct measured **measured = calloc((size_t)cases->count, sizeof *measured);
    bool memory = measured != NULL;
    for (int i = 0; i < cases->count && memory; ++i) {
        measured[i] = calloc((size_t)parts_of(&cases->cases[i]), sizeof *measured[i]);
        memory = measured[i] != NULL;
    }
    *good = memory || fail_memory("the results", 0);
    if (memory)
        document = measure_all(session, cases, &copy, measured, good);
    for (int i = 0; measured && i < cases->count; ++i) {
        for (int part = 0; measured[i] && part < parts_of(&cases->cases[i]); ++part)
            measured_free(&measured[i][part]);
        free(measured[i]);
    }
    free(measured);
    plain_copy_free(&copy);
    return document;
}

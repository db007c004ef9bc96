// SPDX-License-Identifier: Apache-2.0

#include "baseline.h"

#include <string.h>

#include "baseline_loops.h"
#include "failure.h"
#include "plain_copy.h"

// Bytes below which a second thread costs more than it helps.
enum { SHARE = 1 << 15 };

bool baseline_create(struct run *run, struct baseline *baseline)
{
    const struct bench_case *what = run->what;
    const size_t size = run_output(run)->size;
    *baseline = (struct baseline){.run = run};
    baseline->output = pages_take(size, run->device->pages);
    if (!baseline->output)
        return fail_memory("the C loop", (double)size);
    const bool serial =
        op_is_scatter(what->op) &&
        !(what->reduce == CLND_REDUCE_UPDATE && what->op != OP_SCATTER_ND &&
          (what->op == OP_SLICE_ASSIGN || distribution_is_unique(&what->distribution)));
    baseline->threads = serial || size <= SHARE ? 1 : team_size(run->device->team);
    if (op_is_slice(what->op) &&
        clnd_strided_slice_view(&run->operands.data, &run->operands.slice, &baseline->view))
        return fail_clnd();
    baseline_reset(baseline);
    return true;
}

void baseline_free(struct baseline *baseline)
{
    pages_give(baseline->output);
    baseline->output = NULL;
}

void baseline_reset(struct baseline *baseline)
{
    struct run *run = baseline->run;
    if (op_is_scatter(run->what->op))
        contents_fill(&run->data_contents, run->device->team, baseline->output,
                      run->layout.data_count);
    else
        plain_copy_fill(run->device->team, baseline->output, run_output(run)->size);
}

// What is divided among the threads, and how.
static void rows_of(const struct baseline *baseline, int64_t *n, int64_t *grain, team_work **work)
{
    const struct run *run = baseline->run;
    const int64_t bytes = run->layout.width * (int64_t)run->layout.element;
    switch (run->what->op) {
    case OP_SLICE:
    case OP_SLICE_ASSIGN:
        *work = loop_slice;
        *n = loop_slice_rows(&baseline->view);
        *grain = SHARE / (run->layout.dense_count / *n * (int64_t)run->layout.element) + 1;
        return;
    case OP_GATHER_ELEMENTS:
    case OP_SCATTER_ELEMENTS:
        *work = run->what->op == OP_GATHER_ELEMENTS ? loop_gather_elements : loop_scatter_elements;
        *n = loop_elements_rows(run);
        *grain = 1;
        return;
    case OP_GATHER_ND:
    case OP_GATHER:
        *work = loop_gather;
        break;
    default:
        *work = loop_scatter;
        break;
    }
    *n = run->layout.rows;
    *grain = SHARE / bytes + 1;
}

void baseline_call(struct baseline *baseline)
{
    struct run *run = baseline->run;
    int64_t n = 0, grain = 1;
    team_work *work = NULL;
    if (run->what->op == OP_SCATTER_ND)
        memset(baseline->output, 0, run->layout.data_bytes);
    rows_of(baseline, &n, &grain, &work);
    team_for(run->device->team, n, baseline->threads == 1 ? n : grain, work, baseline);
}

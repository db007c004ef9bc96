// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>

#include "arguments.h"

static const char help[] =
    "usage: clnd-bench [OPTION]...\n"
    "       clnd-bench OP TENSORS [OPTION]...\n"
    "Times clnd's operations on an OpenCL device, each verified before it is timed.\n"
    "docs/benchmarking.md says how, and what the columns mean.\n"
    "\n"
    "What is measured:\n"
    "  --device SPEC        gpu, cpu, P:D, or part of a name; default as for the clnd command\n"
    "  --size SIZE          cpu, gpu or tiny (a smoke test); default by the device\n"
    "  --quick              a few cases that tell what a device is worth, in half a minute\n"
    "  --filter GLOB[,...]  only the cases whose names match\n"
    "  --spatter FILE.json  a pattern file of the Spatter benchmark in place of the cases\n"
    "  --spatter-dir DIR    where the Spatter files of the built-in cases are\n"
    "  --sweeps             also the series of cases that --plot draws as curves\n"
    "  --seed N             other random data; default 0\n"
    "\n"
    "A case of its own:\n"
    "  gather-nd, gather, gather-elements   --params f32:1000000x128 --indices i32:65536x1\n"
    "  scatter-nd, scatter-nd-into, scatter-elements\n"
    "                                       --target f32:1000x64 --indices i64:5000x1\n"
    "  slice, slice-assign                  --input f32:64x512x512x3 --slice ':, ::2, ::2, :'\n"
    "  dtypes: " DTYPE_WORDS "\n"
    "  --dist NAME          uniform, sorted, zipf[:S], power[:E], hot[:SHARE], unique,\n"
    "                       paged[:ROWS], clustered, jitter, pic-unsorted, pic-sorted\n"
    "  --axis A --batch-dims B\n"
    "  --reduce R           update, add, sub, mul, min or max; default add\n"
    "  --bounds POLICY      default, error, zero, skip, clamp or wrap\n"
    "  --strategy WORDS     force a way to use the device, such as must,sort (docs/testing.md)\n"
    "  --deterministic --unique\n"
    "  --column-major       the input of a slice is, so that the slice is a transposition\n"
    "\n"
    "How:\n"
    "  --hot                caches stay as they are; no copy is timed beside a case\n"
    "  --pages SIZE         huge or small: of the buffers on a CPU; default huge\n"
    "  --samples N          of each call at least, 5 by default\n"
    "  --seconds S          that these take at least, with the clearing of caches; default 0.3\n"
    "  --warm-up S          before the samples, 0.02 by default\n"
    "  --rounds N           in which the samples are taken, 2 by default\n"
    "  --threads N          of the C loops; default as many as a CPU device has\n"
    "  --no-c               without the C loops\n"
    "\n"
    "What comes out:\n"
    "  --json FILE          all that was found; - is standard output, in place of the table\n"
    "  --csv                comma-separated values in place of the table\n"
    "  --compare OLD.json   beside an older run; not with --csv or --json -\n"
    "  --plot DIR           pictures, by gnuplot\n"
    "  --from FILE.json     nothing is measured; the results are those of an older run\n"
    "  --list               the names of the cases\n"
    "  --describe-json      the cases for other programs\n"
    "  --help\n";

void arguments_help(void)
{
    fputs(help, stdout);
}

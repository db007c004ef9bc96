#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write down what the kernels take on GPUs: registers, spills, private and local memory.

    tools/kernel_table.py [--jobs N] [--sets] [--update]

Compiles typical sets of options with the compilers that are installed (tests/kernels/targets.py)
and prints a table; --update puts it into docs/kernels.md instead, between its two marks. Targets
without a compiler are named below it. The exit status is 1 when a kernel does not compile.

With --sets the table is the one of how many sets of options kernels_cl/options.toml has, and how
many of them the tests compile by default.
"""

import argparse
import concurrent.futures
import os
import re
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "kernels"))

import options as domains  # noqa: E402
import targets  # noqa: E402

DOCUMENT = os.path.join(ROOT, "docs", "kernels.md")
BEGIN, END = "<!-- table: tools/kernel_table.py --update -->\n", "<!-- end of table -->\n"
BEGIN_SETS = "<!-- table: tools/kernel_table.py --sets --update -->\n"

LANES = {"LANES": 1, "SMALL": 1}
BLOCKS = {"SMALL": 1}
ROWS = {"INDEX": 4, **LANES}
SUM = {"REDUCE": 2, **ROWS}
SORTED_SUM = {"REDUCE": 2, "KEY": 4, "OUTER": 1, **LANES}
ATOMIC_SUM = {"ATOMIC": targets.LOOP, **SUM}
EXCHANGED = {"ATOMIC": targets.EXCHANGE, **SUM}
BY_DEVICE = {"ATOMIC": "device", **SUM}  # as the chip is told to, where it can
NEAR = {"OFFSETS": 4, **LANES}
NEAR_ROWS = {"INDEX": 4, "COORDINATES": 1, **NEAR}

# What GPUs run most often, and what takes most: (title, file, options).
SETS = [
    ("float32 rows", "gather.cl", {"UNIT": 4, **ROWS}),
    ("16-byte units", "gather.cl", {"UNIT": 16, **ROWS}),
    ("16 axes", "gather.cl", {"UNIT": 4, "LANES": 1}),
    ("blocks", "gather.cl", {"UNIT": 4, "INDEX": 4, **BLOCKS}),
    ("elements, 1 coordinate", "gather_lanes.cl", {"UNIT": 4, **NEAR_ROWS}),
    ("elements, 3 coordinates", "gather_lanes.cl", {"UNIT": 4, **NEAR_ROWS, "COORDINATES": 3}),
    ("16-byte units", "gather_lanes.cl", {"UNIT": 16, **NEAR_ROWS}),
    ("long rows", "gather_lanes.cl", {"UNIT": 16, **NEAR_ROWS, "ALONG": 1}),
    ("64-bit, any", "gather_lanes.cl",
     {"UNIT": 16, "COORDINATES": 3, "OFFSETS": 8, **LANES}),
    ("words of bytes", "gather_lanes.cl", {"UNIT": 1, "WORDS": 1, **NEAR_ROWS}),
    ("16-byte units", "scatter_lanes.cl", {"UNIT": 16, "REDUCE": 1, **NEAR_ROWS}),
    ("float32 sum by the device", "scatter_lanes.cl",
     {"DTYPE": 12, **BY_DEVICE, **NEAR_ROWS, "UNADJUSTED": 1, "OUTER": 1}),
    ("four float32 by the device", "scatter_lanes.cl",
     {"DTYPE": 12, "PACK": 4, **BY_DEVICE, **NEAR_ROWS, "UNADJUSTED": 1, "OUTER": 1}),
    ("any step", "copy_lanes.cl", {"UNIT": 4, **NEAR}),
    ("step 3 of bytes", "copy_lanes.cl", {"UNIT": 1, "DATA_STEP": 3, **NEAR}),
    ("16 axes, 64-bit", "copy_lanes.cl",
     {"UNIT": 16, "OFFSETS": 8, "LANES": 1}),
    ("words of bytes", "copy_words.cl", {"UNIT": 1, **NEAR}),
    ("4-byte units", "copy_tiles.cl", {"UNIT": 4, **NEAR}),
    ("16-byte units", "copy_tiles.cl", {"UNIT": 16, **NEAR}),
    ("int64 indices", "check.cl", {**NEAR_ROWS, "INDEX": 5}),
    ("float32 rows", "scatter.cl", {"REDUCE": 1, "UNIT": 4, **ROWS}),
    ("int32 sum", "scatter.cl", {"DTYPE": 4, **ATOMIC_SUM}),
    ("int64 sum", "scatter.cl", {"DTYPE": 5, **ATOMIC_SUM}),
    ("float16 sum by swaps", "scatter.cl", {"DTYPE": 10, **EXCHANGED}),
    ("float32 sum by swaps", "scatter.cl", {"DTYPE": 12, **EXCHANGED}),
    ("float64 sum by swaps", "scatter.cl", {"DTYPE": 13, **EXCHANGED}),
    ("float32 sum by the device", "scatter.cl", {"DTYPE": 12, **BY_DEVICE}),
    ("float64 sum by the device", "scatter.cl", {"DTYPE": 13, **BY_DEVICE}),
    (
        "float32 maximum",
        "scatter.cl",
        {"DTYPE": 12, "REDUCE": 6, "ATOMIC": targets.ORDER, **ROWS},
    ),
    ("float32 sum", "scatter_hot.cl", {"DTYPE": 12, **EXCHANGED}),
    ("float16 sum", "scatter_hot.cl", {"DTYPE": 10, **EXCHANGED}),
    ("int32 indices", "scatter_sample.cl", ROWS),
    (
        "float32 sum",
        "scatter_private.cl",
        {"DTYPE": 12, "REDUCE": 2, "PRIVATE": 1, "ATOMIC": 1, "LOCAL_KIB": 16, **ROWS},
    ),
    ("keys", "sort_keys.cl", {"KEY": 4, **ROWS}),
    ("int64 indices", "route.cl", {"INDEX": 5, **BLOCKS}),
    ("32-bit keys", "sort.cl", {"KEY": 4}),
    ("64-bit keys", "sort.cl", {"KEY": 8}),
    ("float32 rows", "sort_update.cl", {"KEY": 4, "UNIT": 4, "REDUCE": 1, **LANES}),
    ("float32 sum", "sort_reduce.cl", {"DTYPE": 12, **SORTED_SUM}),
    ("float16 sum", "sort_reduce.cl", {"DTYPE": 10, "WIDE": 2, **SORTED_SUM}),
    ("complex64 sum", "sort_reduce.cl", {"DTYPE": 14, **SORTED_SUM}),
]

NO_FP64 = ("dg2", "tgllp")
# The kernels of a file that have no use for a set of options.
ELSEWHERE = {"scatter_owner"}


def options_for(chip, name, options):
    """Those of a set; None where the chip does not make the sum by itself, or has no fp64."""
    if options.get("DTYPE") == targets.DOUBLE and chip in NO_FP64:
        return None
    if options.get("ATOMIC") != "device":
        return options
    way = targets.ADDS.get(chip, (0,))[0]
    if not way or not targets.has_sum(chip, way, options["DTYPE"], options.get("PACK", 1)):
        return None
    return {**options, "ATOMIC": way}


def files_of(name):
    """The files of a list in kernels_cl/meson.build."""
    with open(os.path.join(ROOT, "kernels_cl", "meson.build"), encoding="utf-8") as file:
        text = re.search(rf"^{name} = files\((.*?)\)", file.read(), re.M | re.S).group(1)
    return [os.path.join(ROOT, "kernels_cl", word) for word in re.findall(r"'([^']+)'", text)]


def cell(use):
    """Registers, or how many work-items share them; what does not fit; local memory."""
    parts = [f"SIMD{use.width}" if use.width else str(use.registers)]
    if use.spilled:
        parts.append(f"spills {use.spilled}")
    if use.stack:
        parts.append(f"stack {use.stack}")
    if use.local:
        parts.append(f"local {use.local}")
    return ", ".join(parts)


def table(chosen, rows):
    lines = [" | ".join(["| kernel", "options", *(chip for _, chip in chosen)]) + " |"]
    lines.append("|---" * (len(chosen) + 2) + "|")
    for (kernel, title), cells in rows.items():
        words = [cells.get(chip, "") for _, chip in chosen]
        lines.append(" | ".join([f"| `{kernel}`", title, *words]) + " |")
    return "\n".join(lines) + "\n"


def table_of_sets():
    """How many there are, and how many hold every pair of values, or every value."""
    domain = domains.load()
    for_gpus = lambda kernel, _: kernel.get("on") != "cpu"  # noqa: E731
    lines = ["| source | sets | every pair | every value, on GPUs |", "|---|---|---|---|"]
    totals = [0, 0, 0]
    for source in domains.sources(domain):
        counts = [
            sum(1 for kernel in domain["kernel"] if kernel["source"] == source
                for _ in domains.sets(domain, kernel)),
            len(domains.sets_of(domain, source, 2)),
            len(domains.sets_of(domain, source, 1, for_gpus)),
        ]
        totals = [a + b for a, b in zip(totals, counts)]
        lines.append(f"| `{source}` | {counts[0]} | {counts[1]} | {counts[2]} |")
    lines.append(f"| all | {totals[0]} | {totals[1]} | {totals[2]} |")
    return "\n".join(lines) + "\n"


def write(begin, text, document=DOCUMENT):
    """Puts the text between its marks in the document."""
    with open(document, encoding="utf-8") as file:
        before, rest = file.read().split(begin)
    with open(document, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + text + "\n" + END + rest.split(END, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--update", action="store_true", help="write docs/kernels.md")
    parser.add_argument("--sets", action="store_true", help="how many sets of options there are")
    arguments = parser.parse_args()
    if arguments.sets:
        text = table_of_sets()
        write(BEGIN_SETS, text) if arguments.update else print(text, end="")
        return 0
    prelude = files_of("kernel_prelude")
    lacking = {chip: targets.missing(vendor, chip) for vendor, chip in targets.TARGETS}
    chosen = [target for target in targets.TARGETS if not lacking[target[1]]]

    domain = domains.load()
    failed = False
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = []
        for title, name, options in SETS:
            path = os.path.join(ROOT, "kernels_cl", name)
            for vendor, chip in chosen:
                fitting = options_for(chip, name, options)
                if not fitting:
                    continue
                if not domains.contains(domain, name.removesuffix(".cl"), fitting):
                    sys.exit(f"options.toml has no such set: {name} {fitting}")
                job = pool.submit(targets.compile_for, vendor, chip, prelude, path, fitting)
                jobs.append((title, chip, job))
        for title, chip, job in jobs:
            complaint, uses = job.result()
            if complaint:
                print(complaint, file=sys.stderr)
                failed = True
            for use in uses:
                if use.kernel in ELSEWHERE and not title.endswith(" sum"):
                    continue
                rows.setdefault((use.kernel, title), {})[chip] = cell(use)

    text = table(chosen, rows)
    for chip, reason in lacking.items():
        if reason:
            text += f"\nNot in the table: {chip} ({reason}).\n"
    if not arguments.update:
        print(text, end="")
        return 1 if failed else 0
    if failed:
        return 1
    write(BEGIN, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

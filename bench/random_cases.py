#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases of clnd-bench beside the C loop, to find those that clnd is slow for.

random_cases.py CLND_BENCH [--seed N] [--count N] [--bytes N] [--ops NAME,...] [--show N]
                [-- OPTION...]

--bytes is about what a case moves. What follows -- goes to clnd-bench, as --pages small.

Prints a line for each case, those furthest behind the C loop first: how many times as fast clnd is,
its time, its strategy, and the arguments that repeat the case. Small calls, which are a launch and
little else, stand apart. The status is 1 if a case failed, and 2 for a mistake on the command line.
"""

import argparse
import json
import math
import random
import subprocess
import sys

GATHERS = ["gather-nd", "gather", "gather-elements"]
SCATTERS = ["scatter-nd", "scatter-nd-into", "scatter-elements"]
SLICES = ["slice", "slice-assign"]

MOVED = {"bool": 1, "u8": 1, "i16": 2, "f16": 2, "f32": 4, "i64": 8, "f64": 8, "c128": 16,
         "o3": 3, "o12": 12}
INDICES = {"i8": 1 << 7, "u8": 1 << 8, "i16": 1 << 15, "u16": 1 << 16, "u32": 1 << 32}
REDUCED = {"u8": 1, "i16": 2, "f16": 2, "bf16": 2, "f32": 4, "i32": 4, "f64": 8, "i64": 8, "c64": 8}


class Drawer:
    """What random cases are drawn with: all of one seed are the same."""

    def __init__(self, seed, size):
        self.random = random.Random(seed)
        self.size = size

    def near(self, low, high):
        """A number whose logarithm is uniform."""
        return round(math.exp(self.random.uniform(math.log(low), math.log(high))))

    def shape(self, total, rank):
        """About so many elements."""
        sizes = []
        for _ in range(rank - 1):
            sizes.append(max(1, min(self.near(2, 64), total)))
            total //= sizes[-1]
        sizes.append(max(2, total))
        self.random.shuffle(sizes)
        return sizes

    def dtype(self, sizes):
        return self.random.choice(list(sizes) + ["f32"] * 3)

    def index(self, sizes):
        """A dtype of indices into dimensions of these sizes."""
        others = [name for name, limit in INDICES.items() if max(sizes) <= limit]
        return self.random.choice(["i32", "i64"] * len(others) + others)

    def row(self, element):
        """Elements of a row."""
        size = self.random.choice([element, self.near(1, 64), self.near(1, 4096)])
        return max(1, size // element)

    def term(self, size):
        """Of a slice: one axis."""
        low, high = self.random.randint(0, size // 3), self.random.randint(size - size // 3, size)
        return self.random.choice([":", ":", ":", f"{low}:{max(high, low + 1)}", "::-1",
                                   f"::{self.random.choice([2, 2, 3, 4, -2])}"])


def tensor(dtype, shape):
    return f"{dtype}:{'x'.join(str(size) for size in shape)}"


def draw_slice(op, draw):
    dtype = draw.dtype(MOVED)
    shape = draw.shape(2 * draw.size // MOVED[dtype], draw.random.randint(1, 6))
    return [op, "--input", tensor(dtype, shape),
            "--slice", ",".join(draw.term(size) for size in shape)]


def draw_tuples(op, draw, sizes):
    """gather-nd and the scatters of its kind."""
    dtype = draw.dtype(sizes)
    row = draw.row(sizes[dtype])
    rows = max(4, min(draw.size // (row * sizes[dtype]), 1 << 21))
    table = draw.shape(draw.near(4, max(8, 4 * rows)), draw.random.randint(1, 5))
    batch = draw.random.choice([0, 0, 1, 2]) if op == "gather-nd" else 0
    batch = min(batch, len(table) - 1)
    picked = [max(1, rows // math.prod(table[:batch])), len(table) - batch]
    return [op, "--params" if op in GATHERS else "--target", tensor(dtype, table + [row]),
            "--indices", tensor(draw.index(table[batch:]), table[:batch] + picked),
            "--dist", draw.random.choice(["uniform", "uniform", "sorted", "zipf", "hot:0.3"]),
            *(["--batch-dims", str(batch)] if batch else [])]


def draw_axis(op, draw, sizes):
    """gather, whose indices are a list, and the ops on elements, whose indices have all axes."""
    dtype = draw.dtype(sizes)
    shape = draw.shape(draw.size // sizes[dtype], draw.random.randint(1, 3))
    axis = draw.random.randrange(len(shape))
    taken = max(1, draw.near(max(1, shape[axis] // 4), 2 * shape[axis]))
    picked = [taken] if op == "gather" else shape[:axis] + [taken] + shape[axis + 1:]
    return [op, "--params" if op in GATHERS else "--target", tensor(dtype, shape),
            "--indices", tensor(draw.index([shape[axis]]), picked), "--axis", str(axis)]


def draw_case(ops, draw):
    op = draw.random.choice(ops)
    if op in SLICES:
        return draw_slice(op, draw)
    sizes = MOVED if op in GATHERS else REDUCED
    kind = draw_axis if op in ("gather", "gather-elements", "scatter-elements") else draw_tuples
    case = kind(op, draw, sizes)
    if op in SCATTERS:
        ordered = "c64" not in case[2]
        others = ["sub", "mul"] + ["min", "max"] * ordered
        other = draw.random.choice(others)
        case += ["--reduce", draw.random.choice(["add", "add", "add", "update", other])]
    policies = ["clamp", "wrap", "zero" if op in GATHERS else "skip"]
    policy = draw.random.choice(["default"] * 3 + policies)
    return case + (["--bounds", policy] if policy != "default" else [])


def measure(bench, case, options):
    """A result of clnd-bench's JSON; {"error": ...} of a case that failed."""
    done = subprocess.run([bench, *case, "--json", "-", *options], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["results"][0]
    except (ValueError, LookupError):
        return {"error": done.stderr.strip() or f"status {done.returncode}"}


def report(name, measured, show):
    if not measured:
        return
    measured.sort(key=lambda one: one[1]["c_ratio"])
    for case, result in measured[:show]:
        print(f"{result['c_ratio']:6.2f} {result['median_s'] * 1e3:9.3f} ms  "
              f"{result['strategy']:8} {' '.join(case)}")
    ratios = [result["c_ratio"] for _, result in measured]
    mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    print(f"{name}: {len(ratios)}, {mean:.2f} of the C loop in the mean, "
          f"{sum(ratio < 0.95 for ratio in ratios)} below 0.95\n")


def main():
    own = sys.argv[1:]
    end = own.index("--") if "--" in own else len(own)
    own, options = own[:end], own[end + 1:]
    parser = argparse.ArgumentParser(description="Random cases of clnd-bench beside the C loop.",
                                     epilog="Behind -- follow options for clnd-bench.")
    parser.add_argument("bench", metavar="CLND_BENCH")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--bytes", type=int, default=1 << 24)
    parser.add_argument("--ops", default=",".join(GATHERS + SCATTERS + SLICES))
    parser.add_argument("--show", type=int, default=20, help="lines of each kind")
    arguments = parser.parse_args(own)
    ops = arguments.ops.split(",")
    for op in ops:
        if op not in GATHERS + SCATTERS + SLICES:
            parser.error(f"no operation {op!r}")
    draw = Drawer(arguments.seed, arguments.bytes)
    cases = [draw_case(ops, draw) for _ in range(arguments.count)]
    try:
        results = [(case, measure(arguments.bench, case, options)) for case in cases]
    except OSError as error:
        parser.error(f"{arguments.bench}: {error.strerror}")
    failed = [one for one in results if one[1].get("c_ratio") is None]
    timed = [one for one in results if one[1].get("c_ratio") is not None]
    report("small calls", [one for one in timed if one[1]["launch_bound"]], arguments.show)
    report("cases", [one for one in timed if not one[1]["launch_bound"]], arguments.show)
    for case, result in failed:
        print(f"failed: {' '.join(case)}: {result.get('error')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

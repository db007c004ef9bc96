#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile every kernel with the sets of options that the host asks for. Prints TAP.

    compile_kernels.py [--all] [--targets] --prelude args.h ... -- gather.cl scatter_update.cl ...

A test is one file under one OpenCL C standard; a warning is a failure. Clang compiles for SPIR, as
a device compiler would, so no device is needed. With --targets a test is one file for one GPU, by
the compiler that its users have (targets.py), a few sets of options of each; with --all every one.

All sets for all GPUs take a processor eight hours. --time SECONDS gives each test that much: it
takes its sets in a random order, always the same one, begins none later, gives up one that takes
ten times as long as that, and says how many it tried. What spills is told, but fails no test.
"""

import argparse
import concurrent.futures
import itertools
import os
import random
import shutil
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True  # the source folder stays as it is

import targets  # noqa: E402

STANDARDS = ["CL1.2", "CL2.0", "CL3.0"]

# The prelude is included, not pasted in front: its functions that a kernel does not call are no
# mistake.
FLAGS = ["-x", "cl", "-Xclang", "-finclude-default-header", "-target", "spir64", "-fsyntax-only"]
FLAGS += ["-Wall", "-Wextra", "-Werror", "-Wundef", "-Wno-unused-parameter"]

UNITS = [{"UNIT": unit} for unit in (1, 2, 4, 8, 16)]
INDEXES = [{"INDEX": index} for index in (0, 4, 8)]
SHAPES = [{"LANES": lanes, "SMALL": small} for lanes in (0, 1) for small in (0, 1)]
LANE_SHAPES = [shape for shape in SHAPES if shape["LANES"]]
FEW_AXES = [{"LANES": 1, "SMALL": 1}]
BLOCK_SHAPES = [{"LANES": 0, "SMALL": small} for small in (0, 1)]
OFFSETS = [{"OFFSETS": 4}, {"OFFSETS": 8}]
COORDINATES = [{"COORDINATES": n} for n in range(4)]
ADJUSTS = [{}, {"ADJUST": 0}]
KEYS = [{"KEY": 4}, {"KEY": 8}]

# clnd/dtype.h's kinds and clnd/options.h's reductions.
BOOL, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 = 1, 10, 11, 12, 13, 14, 15
TWO_BYTES = (3, 7, FLOAT16, BFLOAT16)
ADD, SUB, MUL, MIN, MAX = 2, 3, 4, 5, 6


# Of failures.
SHOWN_SETS, SHOWN_LINES = 3, 20


def product(*lists):
    for parts in itertools.product(*lists):
        options = {}
        for part in parts:
            options.update(part)
        yield options


def defined():
    """What host/ops/reduction.c lets pass, with and without fp64."""
    for dtype, reduce in itertools.product(range(BOOL, COMPLEX128 + 1), (ADD, SUB, MUL, MIN, MAX)):
        if dtype == BOOL and reduce == SUB:
            continue
        if dtype in (COMPLEX64, COMPLEX128) and reduce in (MIN, MAX):
            continue
        options = {"DTYPE": dtype, "REDUCE": reduce}
        yield options
        if dtype in (FLOAT64, COMPLEX128):
            yield {**options, "SOFT_FP64": 1}


def rows():
    """What host/exec/rows.c makes of it: all lengths of rows that are compiled for, and others."""
    lengths = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512]
    for unit, length in itertools.product(UNITS, lengths):
        options = {**unit, "ROW": length}
        if length % unit["UNIT"] == 0:
            yield options


def rows_of_indices():
    frames = list(product(INDEXES, BLOCK_SHAPES, COORDINATES[1:], ADJUSTS))
    for number, options in enumerate(rows()):
        for frame in frames if ALL else [frames[number % len(frames)]]:
            yield {**options, **frame}


def copy_rows():
    for options in rows():
        for step in (1, -1, 2, 3, 4):
            if step == 1 or (options["ROW"] == 0 and options["UNIT"] < 16):
                for frame in product([{"INDEX": 0}], BLOCK_SHAPES):
                    yield {**options, **frame, "DATA_STEP": step}


def lanes_of_indices():
    """What host/exec/lanes.c makes of it."""
    frames = list(product(INDEXES, OFFSETS, [{"ALONG": 0}, {"ALONG": 1}], COORDINATES[1:]))
    for number, unit in enumerate(UNITS):
        for frame in frames if ALL else frames[number % 2 :: 2]:
            yield {**unit, "LANES": 1, "SMALL": 1, **frame}


def copy_lanes():
    frames = list(product([{"INDEX": 0}], OFFSETS, LANE_SHAPES, [{"ALONG": 0}, {"ALONG": 1}]))
    for unit, step in itertools.product((1, 2, 4, 8, 16), (0, -1, 2, 3, 4)):
        if step == 0 or unit < 8 or (unit == 8 and step < 3):
            for frame in frames:
                yield {"UNIT": unit, "DATA_STEP": step, **frame}


def reductions():
    """What host/exec/scatter.c makes of it."""
    for options in defined():
        yield {**options, "ATOMIC": 0, "WIDE": 0}
        if (options["DTYPE"], options["REDUCE"]) != (COMPLEX128, MUL):
            yield {**options, "ATOMIC": 1, "WIDE": 0}
        if options["DTYPE"] in (FLOAT16, BFLOAT16):
            yield {**options, "ATOMIC": 0, "WIDE": 1}


def ways_of_sums(dtype, standard):
    """host/exec/scatter_atomics.c's for sums of floats, but for loops and for vendors' own."""
    ways = [{"ATOMIC": targets.EXCHANGE}]
    if dtype != BFLOAT16 and standard == "CL3.0":
        ways.append({"ATOMIC": targets.BY_OPENCL})
    return ways


def atomics(standard):
    """What it makes of ATOMIC besides: other ways, and columns of several elements."""
    for options in defined():
        dtype, reduce = options["DTYPE"], options["REDUCE"]
        options = {**options, "WIDE": 0}
        if dtype in TWO_BYTES:
            yield {**options, "ATOMIC": targets.LOOP, "PACK": 2}
        if dtype == FLOAT32 and reduce in (MIN, MAX):
            yield {**options, "ATOMIC": targets.ORDER}
        if dtype < FLOAT16 or reduce not in (ADD, SUB):
            continue
        for way in ways_of_sums(dtype, standard):
            if "SOFT_FP64" not in options or way["ATOMIC"] == targets.EXCHANGE:
                yield {**options, **way}
        if dtype in TWO_BYTES:
            yield {**options, "ATOMIC": targets.EXCHANGE, "PACK": 2}
        if dtype == FLOAT32:
            yield {**options, "ATOMIC": targets.LOOP, "PACK": 2}
            yield {**options, "ATOMIC": targets.EXCHANGE, "PACK": 4}


def probes(standard):
    """host/cl/atomic_probe.c's, and tests'."""
    sums = {"REDUCE": ADD, "WIDE": 0}
    for dtype in (FLOAT32, FLOAT64, FLOAT16, BFLOAT16):
        pack = {"PACK": 2 if dtype in TWO_BYTES else 1}
        for way in (targets.LOOP, targets.EXCHANGE):
            yield {"DTYPE": dtype, **sums, "ATOMIC": way, **pack}
        if standard == "CL3.0" and dtype != BFLOAT16:
            yield {"DTYPE": dtype, **sums, "ATOMIC": targets.BY_OPENCL, "PACK": 1}


def probes_of(chip):
    """All that the probe is compiled for there: every way that its compiler knows."""
    for way in range(targets.LOOP, targets.BY_AMD + 1):
        if way == targets.ORDER:
            continue
        for dtype in (FLOAT32, FLOAT64, FLOAT16, BFLOAT16):
            halves = dtype in TWO_BYTES and way != targets.BY_OPENCL
            for pack in (2,) if halves else (1, 4) if dtype == FLOAT32 else (1,):
                if targets.has_sum(chip, way, dtype, pack):
                    options = {"DTYPE": dtype, "REDUCE": ADD, "WIDE": 0}
                    yield {**options, "ATOMIC": way, "PACK": pack}


def in_order(number):
    """host/exec/rows.c's options for rows of updates: one set for each number."""
    columns = [{"COLUMNS": n} for n in (0, 1, 2, 4)]
    sets = [{}, *product(COORDINATES[1:], ADJUSTS, columns)]
    return sets[number % len(sets)]


def scatter_buckets():
    """What host/exec/scatter_buckets.c makes of it: rows are divided, then applied."""
    yield from product(INDEXES, BLOCK_SHAPES, COORDINATES[1:], ADJUSTS)
    apply = {"INDEX": 0, "LANES": 0, "SMALL": 1}
    for options in rows():
        yield {**apply, **options, "REDUCE": 1}
    for number, options in enumerate(defined()):
        for wide in (0, 1) if options["DTYPE"] in (FLOAT16, BFLOAT16) else (0,):
            yield {**apply, **options, "WIDE": wide, "COLUMNS": (0, 1, 2, 4)[number % 4]}


def scatter_buckets_rounded():
    for dtype, reduce in itertools.product((FLOAT16, BFLOAT16), (ADD, SUB, MUL)):
        for columns in (0, 1, 2, 4):
            options = {"INDEX": 0, "LANES": 0, "SMALL": 1, "DTYPE": dtype, "REDUCE": reduce}
            yield {**options, "WIDE": 2, "COLUMNS": columns}


def scatter_last():
    """What host/exec/scatter_private.c makes of it: rows are numbered, then those that win move."""
    yield from product(INDEXES, BLOCK_SHAPES, COORDINATES[1:], ADJUSTS)
    for options in rows():
        yield {"INDEX": 0, "LANES": 0, "SMALL": 1, **options}


def is_asked_for(options):
    """host/exec/scatter_atomics.c has no loops for sums of floats on many axes."""
    loops = options["ATOMIC"] == targets.LOOP and options["DTYPE"] >= FLOAT16
    return not loops or options["REDUCE"] not in (ADD, SUB) or options["SMALL"]


def scatter_reduce(standard):
    frames = list(product(INDEXES, SHAPES))
    for number, options in enumerate(reductions()):
        for frame in in_turn(frames, number, standard):
            if options["WIDE"] and frame["LANES"] or not is_asked_for({**options, **frame}):
                continue
            rows = {} if frame["LANES"] or options["ATOMIC"] else in_order(number)
            yield {**options, **frame, **rows}
            if rows and standard == "CL1.2":
                yield {**options, **frame, **rows, "ALONE": 1}
    for number, options in enumerate(atomics(standard)):
        for frame in in_turn(frames, number, "CL3.0"):
            if is_asked_for({**options, **frame}):
                yield {**options, **frame}


def scatter_hot(standard):
    """What host/exec/scatter_hot.c lets be combined before it meets the target."""
    frames = list(product(INDEXES, FEW_AXES))
    for number, options in enumerate(gathered()):
        atomic = {**options, "ATOMIC": 1, "WIDE": 0}
        for frame in in_turn(frames, number, standard):
            yield {**atomic, **frame}
        if standard == "CL3.0":
            yield {**atomic, **frames[0], "FLOAT_ATOMICS": 1}


def sort_reduce(standard):
    frames = list(product(KEYS, LANE_SHAPES))
    for number, options in enumerate(defined()):
        for wide in (0, 1, 2) if options["DTYPE"] in (FLOAT16, BFLOAT16) else (0,):
            for frame in in_turn(frames, number, standard):
                yield {**options, "WIDE": wide, **frame}


def gathered():
    """What host/exec/scatter_private.c combines apart from the target."""
    for options in defined():
        if options["DTYPE"] < FLOAT16 or options["REDUCE"] != MUL:
            yield options


def scatter_private(standard):
    frames = list(product(INDEXES, SHAPES))
    for number, options in enumerate(gathered(), 1):
        wide = 2 if options["DTYPE"] in (FLOAT16, BFLOAT16) else 0
        for frame in in_turn(frames, number, standard):
            lanes = frame["LANES"]
            local = {"LOCAL_BYTES": (16384, 32768)[number % 2]} if lanes else in_order(number)
            private = {**options, **frame, "WIDE": wide, "PRIVATE": 1, "ATOMIC": lanes, **local}
            yield private
            if "COORDINATES" in private:
                yield {**private, "COPIES": 4}


# With --all, every frame with everything.
ALL = False


class Share:
    """The time of one test, which begins with its first set of options."""

    seconds = None  # of every test; None: as long as it takes

    def __init__(self):
        self.lock = threading.Lock()
        self.end = None
        self.tried = 0
        self.given_up = []
        self.spills = []

    def run(self, compiler, *arguments):
        """What is wrong with one set of options, the last argument, if it is tried at all."""
        with self.lock:
            now = time.monotonic()
            self.end = self.end or now + (self.seconds or float("inf"))
            if now >= self.end:
                return None
        options = arguments[-1]
        try:
            text, uses = compiler(*arguments, limit=self.seconds and 10 * self.seconds)
        except subprocess.TimeoutExpired:
            with self.lock:
                self.given_up.append(options)
            return None
        with self.lock:
            self.tried += 1
            self.spills += [(use, options) for use in uses if use.spilled]
        return text

    def summary(self, sets):
        if self.tried == sets:
            return f"{sets} sets of options"
        lost = f", {len(self.given_up)} given up" if self.given_up else ""
        return f"{self.tried} of {sets} sets of options{lost}"


def in_turn(frames, number, standard):
    """How indices are read and rows are found has nothing to do with dtypes: some of these frames
    for each set of options, all of them for some. Two steps on, LANES is the other one."""
    if ALL:
        return frames
    steps = (0, 2, 5) if standard == "CL1.2" else (0,)
    return [frames[i] for i in sorted({(number + step) % len(frames) for step in steps})]


GATED_SHARE = 5
DECIDE_THEMSELVES = ("gather.cl", "scatter_update.cl", "scatter_reduce.cl")
LOOK_FIRST = ("scatter_private.cl", "scatter_buckets.cl", "scatter_last.cl")


def with_gates(kernel, sets):
    """The gate has nothing to do with the rest: every kernel has it, but not every option set."""
    decides = kernel in DECIDE_THEMSELVES
    for number, options in enumerate(sets):
        yield options
        if number % GATED_SHARE == 0:
            yield {**options, "GATED": 1}
        alone = decides and not options["LANES"] and not options.get("ATOMIC")
        if alone and number % GATED_SHARE == 1:
            yield {**options, "GATED": 2}
        if kernel in LOOK_FIRST and number % GATED_SHARE == 1 and not options["LANES"]:
            yield {**options, "GATED": 3}


def option_sets(kernel, standard):
    if kernel == "atomic_probe.cl":
        return probes(standard)
    if kernel == "check.cl":
        return product(INDEXES, SHAPES, COORDINATES)
    if kernel == "sort.cl":
        return iter(KEYS)
    if kernel == "scatter_sample.cl":
        return product(INDEXES, FEW_AXES)
    if kernel == "sort_keys.cl":
        return product(KEYS, INDEXES, LANE_SHAPES)
    sets = ungated_sets(kernel, standard)
    return with_gates(kernel, sets) if sets else None


def ungated_sets(kernel, standard):
    if kernel == "fill.cl":
        return product(UNITS, [{"INDEX": 0}], SHAPES)
    if kernel in ("gather.cl", "scatter_update.cl"):
        return product(UNITS, INDEXES, SHAPES)
    if kernel in ("gather_rows.cl", "scatter_rows.cl"):
        return rows_of_indices()
    if kernel in ("gather_lanes.cl", "scatter_lanes.cl"):
        return lanes_of_indices()
    if kernel == "copy_lanes.cl":
        return copy_lanes()
    if kernel == "copy_tiles.cl":
        return product(UNITS, [{"INDEX": 0}], OFFSETS, LANE_SHAPES)
    if kernel == "copy_rows.cl":
        return copy_rows()
    if kernel == "scatter_buckets.cl":
        return scatter_buckets()
    if kernel == "scatter_buckets_rounded.cl":
        return scatter_buckets_rounded()
    if kernel == "scatter_hot.cl":
        return scatter_hot(standard)
    if kernel == "scatter_last.cl":
        return scatter_last()
    if kernel == "scatter_private.cl":
        return scatter_private(standard)
    if kernel == "scatter_reduce.cl":
        return scatter_reduce(standard)
    if kernel == "sort_reduce.cl":
        return sort_reduce(standard)
    if kernel == "sort_update.cl":
        return product(KEYS, UNITS, LANE_SHAPES)
    if kernel == "widen.cl":
        return iter([{"DTYPE": FLOAT16}, {"DTYPE": BFLOAT16}])
    return None


def find_clang():
    for name in ("clang-15", "clang-14", "clang"):
        path = shutil.which(name)
        if path:
            return path
    return None


def extensions(options):
    """What devices that get these options have, and what they lack."""
    if options.get("ATOMIC") == targets.BY_OPENCL:
        return ["-Xclang", "-cl-ext=+cl_ext_float_atomics"]
    if options.get("SOFT_FP64"):
        return ["-Xclang", "-cl-ext=-cl_khr_fp64,-__opencl_c_fp64"]
    return []


def compile_one(clang, standard, prelude, path, options, limit=None):
    """(complaint or None, nothing that it takes)"""
    defines = [f"-D{name}={value}" for name, value in options.items()]
    includes = [word for file in prelude for word in ("-include", file)]
    command = [clang, f"-cl-std={standard}", *FLAGS, *extensions(options), *defines, *includes]
    result = subprocess.run(
        [*command, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        timeout=limit,
    )
    if result.returncode == 0:
        return None, []
    return " ".join([f"-cl-std={standard}", *defines]) + "\n" + result.stdout, []


def sample(sets, count):
    """The first, the last, and what lies between them at equal steps."""
    sets = list(sets)
    if Share.seconds:
        random.Random(len(sets)).shuffle(sets)
    if ALL or len(sets) <= count:
        return sets
    return [sets[i * (len(sets) - 1) // max(count - 1, 1)] for i in range(count)]


# Of the option sets of a kernel, for one GPU. Intel's compiler takes seconds for each.
SAMPLE = {"intel": 1, "amd": 2, "nvidia": 2}


def sets_for_standard(kernel, standard):
    """What OpenCL C 1.2 has seen is given to later standards by turns, without --all."""
    sets = option_sets(kernel, standard)
    if sets is None or ALL or standard == STANDARDS[0]:
        return sets
    seen = {frozenset(options.items()) for options in option_sets(kernel, STANDARDS[0])}
    turn = STANDARDS.index(standard)
    return [
        options
        for number, options in enumerate(sets)
        if number % 8 == turn or number == 0 or frozenset(options.items()) not in seen
    ]


def for_standards(pool, prelude, kernels):
    clang = find_clang()
    for path, standard in itertools.product(kernels, STANDARDS):
        sets = sets_for_standard(os.path.basename(path), standard)
        share = Share()
        jobs = [
            pool.submit(share.run, compile_one, clang, standard, prelude, path, options)
            for options in (sets or [] if clang else [])
        ]
        skip = None if clang else "no clang-15, clang-14 or clang"
        yield path, f"as {standard}", sets, skip, jobs, share


# host/exec/rows.c gives these to CPUs only, and so it does with options for coordinates to all but
# the kernels of host/exec/lanes.c.
FOR_CPUS = ("copy_rows.cl", "gather_rows.cl", "scatter_buckets.cl", "scatter_buckets_rounded.cl",
            "scatter_last.cl", "scatter_rows.cl")


def is_for(vendor, options):
    """The Intel GPUs here have no fp64, and get what the host asks for instead; the others do."""
    if options.get("COORDINATES") and "OFFSETS" not in options:
        return False
    if options.get("DTYPE") not in (FLOAT64, COMPLEX128):
        return True
    return ("SOFT_FP64" in options) == (vendor == "intel")


# Without --all, one chip of each vendor.
USUAL_CHIPS = ("dg2", "gfx1030", "sm_90")
# One more where sums are made by the chip.
PROBED_CHIPS = (*USUAL_CHIPS, "gfx90a")


def chosen_targets(kernel, chips):
    usual = PROBED_CHIPS if kernel == "atomic_probe.cl" else USUAL_CHIPS
    wanted = chips or (None if ALL else usual)
    return [target for target in targets.TARGETS if not wanted or target[1] in wanted]


def sets_for(vendor, chip, kernel):
    """What is compiled for the chip: of probes all, of others a sample."""
    if kernel == "atomic_probe.cl":
        return [options for options in probes_of(chip) if is_for(vendor, options)]
    sets = option_sets(kernel, "CL1.2")
    sets = sets and [options for options in sets if is_for(vendor, options)]
    return sets and sample(sets, SAMPLE[vendor])


def for_targets(pool, chips, prelude, kernels):
    for path in kernels:
        kernel = os.path.basename(path)
        for vendor, chip in chosen_targets(kernel, chips):
            skip = targets.missing(vendor, chip)
            sets = sets_for(vendor, chip, kernel)
            share = Share()
            jobs = []
            if sets and not skip:
                arguments = (targets.compile_for, vendor, chip, prelude, path)
                jobs = [
                    pool.submit(share.run, *arguments, options)
                    for options in sets
                ]
            yield path, f"for {vendor} {chip}", sets, skip, jobs, share


def words(options):
    return " ".join(f"-D{name}={value}" for name, value in options.items())


def tell(messages, share):
    """Diagnostics of one test."""
    for message in messages[:SHOWN_SETS]:
        for line in message.splitlines()[:SHOWN_LINES]:
            print(f"# {line}")
    if len(messages) > SHOWN_SETS:
        print(f"# ... and {len(messages) - SHOWN_SETS} more sets of options")
    for options in share.given_up:
        print(f"# given up: {words(options)}")
    for use, options in share.spills[:SHOWN_SETS]:
        print(f"# {use.kernel} spills {use.spilled} of {use.registers}: {words(options)}")
    if len(share.spills) > SHOWN_SETS:
        print(f"# ... and {len(share.spills) - SHOWN_SETS} more that spill")


def arguments_of():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prelude", nargs="*", default=[], help="files before every kernel")
    parser.add_argument("--all", action="store_true", help="every set of options; takes long")
    parser.add_argument("--targets", action="store_true", help="for GPUs")
    parser.add_argument("--chip", action="append", help="only for this GPU (any number of times)")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="time for each test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("kernels", nargs="+", help="kernel files")
    return parser.parse_args()


def main():
    arguments = arguments_of()
    global ALL
    ALL = arguments.all
    Share.seconds = arguments.time

    kernels = arguments.kernels
    if arguments.targets:
        kernels = [path for path in kernels if os.path.basename(path) not in FOR_CPUS]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # A list, so that all are under way while the first are waited for.
        if arguments.targets:
            tests = list(for_targets(pool, arguments.chip, arguments.prelude, kernels))
        else:
            tests = list(for_standards(pool, arguments.prelude, kernels))
        print(f"1..{len(tests)}", flush=True)
        for number, (path, what, sets, skip, jobs, share) in enumerate(tests, 1):
            kernel = os.path.basename(path)
            title = f"{number} - {kernel} {what}"
            if sets is None:
                print(f"not ok {title}\n# compile_kernels.py does not know the options of {kernel}")
                failed = True
                continue
            if skip:
                print(f"ok {title} # SKIP {skip}")
                continue
            messages = [text for text in (job.result() for job in jobs) if text]
            failed = failed or bool(messages)
            print(f"{'not ok' if messages else 'ok'} {title}, {share.summary(len(jobs))}")
            tell(messages, share)
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile every kernel with the sets of options that the host asks for. Prints TAP.

    compile_kernels.py [--all] [--chip NAME...] --prelude args.h ... -- gather.cl scatter.cl ...

kernels_cl/options.toml has the sets. A test is one file for one target; a warning is a failure. The
targets are clang for SPIR, as CPU devices compile, and GPUs, by the compilers that their users
have (targets.py). By default every pair of values is compiled for SPIR; with --all every
set for every target and every OpenCL C standard.

All sets for all targets take a processor many hours. --time SECONDS gives each test that much: it
takes its sets in a random order, always the same one, begins none later, gives up one that takes
ten times as long as that, and says how many it tried. What spills is told, but fails no test.
"""

import argparse
import concurrent.futures
import functools
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # the source folder stays as it is

import options as domains  # noqa: E402
import targets  # noqa: E402

STANDARDS = ["CL1.2", "CL2.0", "CL3.0"]

# Of clang's own front end, which takes many files at once: to begin takes longer than a file does.
FLAGS = ["-cc1", "-x", "cl", "-fdeclare-opencl-builtins", "-finclude-default-header", "-triple",
         "spir64", "-Wspir-compat", "-fsyntax-only"]
AT_ONCE = 12

# Of failures.
SHOWN_SETS, SHOWN_LINES = 3, 20


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
        """What is wrong with sets of options, the last argument, if they are tried at all."""
        with self.lock:
            now = time.monotonic()
            self.end = self.end or now + (self.seconds or float("inf"))
            if now >= self.end:
                return None
        sets = arguments[-1]
        try:
            text, uses = compiler(*arguments, limit=self.seconds and 10 * self.seconds)
        except subprocess.TimeoutExpired:
            with self.lock:
                self.given_up += sets
            return None
        with self.lock:
            self.tried += len(sets)
            self.spills += [(use, sets[0]) for use in uses if use.spilled]
        return text

    def summary(self, sets):
        if self.tried == sets:
            return f"{sets} sets of options"
        lost = f", {len(self.given_up)} given up" if self.given_up else ""
        return f"{self.tried} of {sets} sets of options{lost}"


def standard_of(options, standard):
    """cl_ext_float_atomics builds on the atomic types, which OpenCL C 1.2 lacks."""
    return "CL3.0" if options.get("ATOMIC") == targets.BY_OPENCL else standard


def extensions(options):
    """What devices that get these options have, and what they lack."""
    if options.get("ATOMIC") == targets.BY_OPENCL:
        return ["-cl-ext=+cl_ext_float_atomics"]
    if options.get("SOFT_FP64"):
        return ["-cl-ext=-cl_khr_fp64,-__opencl_c_fp64"]
    return []


@functools.cache
def resources():
    """Where clang has its headers."""
    folder = targets.run([targets.find_clang(), "-print-resource-dir"])[1].strip()
    return ["-resource-dir", folder, "-internal-isystem", f"{folder}/include"]


def compile_for_spir(standard, prelude, path, sets, limit=None):
    """(complaint or None, nothing that they take) of sets for which a compiler has the same words.
    The prelude is included, not pasted in front: its functions that a kernel does not call are no
    mistake."""
    words = [f"-cl-std={standard_of(sets[0], standard)}", *extensions(sets[0])]
    command = [targets.find_clang(), *FLAGS, *resources(), *targets.WARNINGS, *words]
    files = [os.path.abspath(file) for file in [*prelude, path]]
    with tempfile.TemporaryDirectory(prefix="clnd-kernel-") as folder:
        for number, options in enumerate(sets):
            with open(f"{folder}/{number}.cl", "w", encoding="utf-8") as file:
                file.write("".join(f"#define {name} {n}\n" for name, n in options.items()))
                file.write("".join(f'#include "{name}"\n' for name in files))
            command.append(file.name)
        status, text = targets.run(command, timeout=limit)
    for number, options in enumerate(sets):
        text = text.replace(f"{folder}/{number}.cl", " ".join(targets.defines(options)))
    return (None if status == 0 else " ".join(words) + "\n" + text), []


def together(compiler, sets):
    """Sets that one compiler is given."""
    if compiler is not compile_for_spir:
        return [[options] for options in sets]
    alike = {}
    for options in sets:
        alike.setdefault((standard_of(options, ""), *extensions(options)), []).append(options)
    return [
        some[first : first + AT_ONCE]
        for some in alike.values()
        for first in range(0, len(some), AT_ONCE)
    ]


def compile_for_gpu(vendor, chip, prelude, path, sets, limit=None):
    return targets.compile_for(vendor, chip, prelude, path, *sets, limit)


def is_for_spir(_kernel, options):
    """Vendors' own atomics are for their compilers."""
    return options.get("ATOMIC") not in (targets.BY_PTX, targets.BY_AMD)


def is_for(vendor, chip):
    """The Intel GPUs here have no fp64, and get what the host asks for instead; the others do."""

    def wanted(kernel, options):
        way, dtype = options.get("ATOMIC", 0), options.get("DTYPE")
        has_sum = targets.has_sum(chip, way, dtype, options.get("PACK", 1))
        if kernel.get("on") == "cpu" or not has_sum:
            return False
        if dtype not in (targets.DOUBLE, targets.DOUBLES):
            return True
        return ("SOFT_FP64" in options) == (vendor == "intel")

    return wanted


def chosen_targets(everything, chips):
    """(name, why it is skipped or None, width of the cover, which sets are for it, what compiles
    one)"""
    no_clang = None if targets.find_clang() else "no " + ", ".join(targets.CLANGS)
    for standard in [] if chips else STANDARDS if everything else STANDARDS[:1]:
        width = None if everything else 2
        yield f"as {standard}", no_clang, width, is_for_spir, (compile_for_spir, standard)
    for vendor, chip in targets.TARGETS:
        if chip in (chips or ()) or (not chips and everything):
            skip = targets.missing(vendor, chip)
            compiler = compile_for_gpu, vendor, chip
            yield f"for {chip}", skip, None if everything else 1, is_for(vendor, chip), compiler


def tests(pool, arguments):
    """(title, sets, why it is skipped or None, jobs, share) of each."""
    table = domains.load()
    for path in arguments.kernels:
        source = os.path.splitext(os.path.basename(path))[0]
        if source not in domains.sources(table):
            yield f"{source}.cl has no options in options.toml", [], None, None, None
            continue
        for name, skip, width, wanted, compiler in chosen_targets(arguments.all, arguments.chip):
            sets = domains.sets_of(table, source, width, wanted)
            if not sets:
                continue
            if arguments.time:
                random.Random(len(sets)).shuffle(sets)
            share = Share()
            jobs = [
                pool.submit(share.run, *compiler, arguments.prelude, path, some)
                for some in together(compiler[0], [] if skip else sets)
            ]
            yield f"{source}.cl {name}", sets, skip, jobs, share


def tell(messages, share):
    """Diagnostics of one test."""
    for message in messages[:SHOWN_SETS]:
        for line in message.splitlines()[:SHOWN_LINES]:
            print(f"# {line}")
    if len(messages) > SHOWN_SETS:
        print(f"# ... and {len(messages) - SHOWN_SETS} more")
    for options in share.given_up:
        print("# given up:", *targets.defines(options))
    for use, options in share.spills[:SHOWN_SETS]:
        words = " ".join(targets.defines(options))
        print(f"# {use.kernel} spills {use.spilled} of {use.registers}: {words}")
    if len(share.spills) > SHOWN_SETS:
        print(f"# ... and {len(share.spills) - SHOWN_SETS} more that spill")


def arguments_of():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prelude", nargs="*", default=[], help="files before every kernel")
    parser.add_argument("--all", action="store_true", help="every set and target; takes long")
    parser.add_argument("--chip", action="append", help="only this GPU (any number of times)")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="time for each test")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("kernels", nargs="+", help="kernel files")
    return parser.parse_args()


def main():
    arguments = arguments_of()
    Share.seconds = arguments.time
    failed = False
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # A list, so that all are under way while the first are waited for.
        found = list(tests(pool, arguments))
        print(f"1..{len(found)}", flush=True)
        for number, (what, sets, skip, jobs, share) in enumerate(found, 1):
            title = f"{number} - {what}"
            if skip:
                print(f"ok {title} # SKIP {skip}")
                continue
            messages = [text for text in (job.result() for job in jobs or []) if text]
            good = jobs is not None and not messages
            failed = failed or not good
            print(f"{'ok' if good else 'not ok'} {title}", end="")
            print(f", {share.summary(len(sets))}" if share else "")
            if share:
                tell(messages, share)
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

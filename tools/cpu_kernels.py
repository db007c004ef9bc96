#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Show what LLVM makes of the kernels' hot loops on CPUs: AVX2, AVX-512, NEON.

    tools/cpu_kernels.py [--filter TEXT] [--cpu NAME,...] [--json | --update | --asm | --loops]

Prints, for the kernels of tools/cpu_kernels.toml, what one iteration of each hot loop does.
--asm prints the loops themselves, --loops counts every innermost loop of the kernels, --update
writes the table to docs/cpu-kernels.md, which says what is counted. No kernel runs, and a CPU need
not be here. The exit status is 1 when a kernel does not compile or a hot loop is not found.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

sys.dont_write_bytecode = True  # the source folder stays as it is

import cpu_assembly  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(ROOT, "kernels_cl")
sys.path.insert(0, os.path.join(ROOT, "tests", "kernels"))

import options as domains  # noqa: E402

DOCUMENT = os.path.join(ROOT, "docs", "cpu-kernels.md")
BEGIN, END = "<!-- table: tools/cpu_kernels.py --update -->\n", "<!-- end of table -->\n"
CLANGS = ("clang-15", "clang-16", "clang-14", "clang-19")  # PoCL 3.1 is of LLVM 15
CPUS = "x86-64-v3,skylake-avx512,neoverse-n1"
ARM = re.compile(r"neoverse|cortex|apple|a64fx|thunderx|kryo|carmel|exynos|tsv110|ampere")
# As PoCL does: all functions are inlined, and no loop becomes a call of memcpy.
OPTIMISE = ["-O3", "-fno-builtin", "-mllvm", "-inline-threshold=1000000", "-w"]
COMPILE = ["-x", "cl", "-cl-std=CL1.2", "-gline-tables-only", *OPTIMISE]


def find_clang():
    return next(filter(None, map(shutil.which, CLANGS)), None)


def prelude():
    with open(os.path.join(KERNELS, "meson.build"), encoding="utf-8") as file:
        text = re.search(r"^kernel_prelude = files\((.*?)\)", file.read(), re.M | re.S).group(1)
    return [os.path.join(KERNELS, name) for name in re.findall(r"'([^']+)'", text)]


def run(command, text=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, input=text).stdout


def compile_for(cpu, source, options):
    """Assembly. Kernels become plain functions: AArch64 lacks their calling convention."""
    if ARM.match(cpu):
        target = ["-target", "aarch64-linux-gnu", f"-mcpu={cpu}"]
    else:
        target = ["-target", "x86_64-linux-gnu", f"-march={cpu}", "-mstackrealign", "-masm=intel"]
    files = [os.path.join(ROOT, "tools", "cpu_builtins.clh"), *prelude()]
    words = [word for file in files for word in ("-include", file)]
    words += [f"-D{name}={value}" for name, value in options.items()]
    words += ["-Xclang", "-fdeclare-opencl-builtins", "-Xclang", "-finclude-default-header"]
    words += [os.path.join(KERNELS, source + ".cl")]
    clang = find_clang()
    code = run([clang, *COMPILE, *target, *words, "-S", "-emit-llvm", "-o", "-"])
    code = re.sub(r"\bspir_(kernel|func) ", "", code)
    return run([clang, "-x", "ir", *OPTIMISE, *target, "-S", "-o", "-", "-"], code)


def lines_of(source, text):
    """(file, lines) of a function in a kernel's file or the prelude, or those with the text."""
    for path in [os.path.join(KERNELS, source + ".cl"), *prelude()]:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for first, line in enumerate(lines, 1):
            if re.match(rf"[A-Za-z_].*\b{re.escape(text)}\(", line) and not line.endswith(";"):
                return os.path.basename(path), range(first, lines.index("}", first) + 2)
        with_text = [number for number, line in enumerate(lines, 1) if text in line]
        if with_text and not text.isidentifier():
            return os.path.basename(path), with_text
    sys.exit(f"cpu_kernels.py: no {text} for {source}.cl")


def loops_of(entry, cpu):
    """All innermost loops of the entry's kernel, and of the functions that it calls."""
    assembly = compile_for(cpu, entry["source"], entry["options"])
    functions = dict(cpu_assembly.functions(assembly))
    kernel = entry.get("kernel", entry["source"])
    if kernel not in functions:
        sys.exit(f"cpu_kernels.py: {entry['source']}.cl has no {kernel}")
    names = [kernel]
    for name in names:
        called = cpu_assembly.calls(functions[name])
        names += [other for other in called if other in functions and other not in names]
    return [loop for name in names
            for loop in cpu_assembly.innermost_loops(functions[name], bool(ARM.match(cpu)))]


def hot_loop(entry, loops):
    """The first one in the lines that the entry names; of what LLVM made of it, where it unrolls
    and vectorises, the one that moves most at once."""
    file, lines = lines_of(entry["source"], entry["loop"])
    firsts = {}
    for loop in loops:
        inside = [line for line in lines if (file, line) in loop.lines]
        if inside and loop.memory() > 0:
            firsts.setdefault(inside[0], []).append(loop)
    if not firsts:
        return None
    return max(firsts[min(firsts)], key=lambda loop: (loop.stored(), loop.loaded()))


def places(loop):
    """Such as rows.clh:229 gather_rows.cl:47-48."""
    by_file = {}
    for file, line in loop.lines:
        if file != "cpu_builtins.clh":
            by_file.setdefault(file, []).append(line)
    spans = {file: sorted({min(lines), max(lines)}) for file, lines in by_file.items()}
    return " ".join(f"{file}:{'-'.join(map(str, span))}" for file, span in sorted(spans.items()))


def widths(counter):
    return " ".join(f"{n}x{width}" for width, n in sorted(counter.items(), reverse=True)) or "0"


def remarks(entry, loop):
    """What should not be in a loop that moves bytes."""
    found = [f"{loop.counts[name]} {name}" for name in ("spills", "gathers", "calls", "divisions")
             if loop.counts[name]]
    whole = 1 << min(entry.get("row", 1), 16).bit_length() - 1  # the widest that fits the row
    pieces = sum(n for width, n in loop.stores.items() if width < whole)
    return ", ".join(found + ([f"{pieces} piecewise stores"] if pieces else []))


def describe(entry, cpu, loop):
    rows = loop.stored() / entry["row"] if entry.get("row") else 0
    return {
        "case": entry["title"],
        "cpu": cpu,
        "place": places(loop),
        "label": loop.label,
        "rows": round(rows, 2),
        "instructions": loop.counts["instructions"],
        "loads": dict(loop.loads),
        "stores": dict(loop.stores),
        "streamed": loop.streamed,
        "shuffles": loop.counts["shuffles"],
        "prefetches": loop.counts["prefetches"],
        "stands_out": remarks(entry, loop),
    }


def table(described):
    titles = ["case", "CPU", "loop", "rows", "instructions", "loads", "stores", "shuffles",
              "stands out"]
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for row in described:
        cells = [row["case"], row["cpu"], row["place"], f"{row['rows']:g}", row["instructions"],
                 widths(row["loads"]), widths(row["stores"]) + " past" * bool(row["streamed"]),
                 row["shuffles"], row["stands_out"]]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def update(text):
    """Puts the table between its marks in the document."""
    with open(DOCUMENT, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + text + "\n" + END + rest.split(END, 1)[1])


def entries(text):
    with open(os.path.join(ROOT, "tools", "cpu_kernels.toml"), "rb") as file:
        chosen = [entry for entry in tomllib.load(file)["case"] if text in entry["title"]]
    domain = domains.load()
    for entry in chosen:
        if not domains.contains(domain, entry["source"], entry["options"]):
            sys.exit(f"options.toml has no such set: {entry['title']} {entry['options']}")
    return chosen or sys.exit(f"cpu_kernels.py: no case has {text} in its title")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="only the cases whose titles hold this text")
    parser.add_argument("--cpu", default=CPUS, help=f"as clang names them; default {CPUS}")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="the counts, for programs")
    shape.add_argument("--update", action="store_true", help="write docs/cpu-kernels.md")
    shape.add_argument("--asm", action="store_true", help="the instructions of the hot loops")
    shape.add_argument("--loops", action="store_true", help="every innermost loop of the kernels")
    arguments = parser.parse_args()
    if not find_clang():
        sys.exit("cpu_kernels.py: no " + ", ".join(CLANGS))
    described, lost = [], False
    for entry in entries(arguments.filter):
        for cpu in arguments.cpu.split(","):
            loops = loops_of(entry, cpu)
            hot = hot_loop(entry, loops)
            if not hot:
                print(f"{entry['title']}, {cpu}: no loop in {entry['loop']}", file=sys.stderr)
                lost = True
            chosen = loops if arguments.loops else [hot] if hot else []
            described += [describe(entry, cpu, loop) for loop in chosen]
            if arguments.asm and hot:
                print(f"{entry['title']}, {cpu}\n" + "\n".join(hot.text))
    if arguments.json:
        print(json.dumps(described, indent=1))
    elif arguments.update and not lost:
        update(table(described))
    elif not arguments.asm and not arguments.update:
        print(table(described), end="")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Say from machine code how fast the benchmark's cases will be on GPUs. No GPU is needed.

    tools/gpu_model.py [--device NAME,...|--all] [--case GLOB] [--json | --update | --asm]
    tools/gpu_model.py --check [--device NAME,...|--all] [--case GLOB]
    tools/gpu_model.py --ratchet [--device NAME,...|--all] [--update]

Plans the cases of GPU size for the devices of tools/gpu_model.toml, compiles the kernels that the
plans ask for, reads from their machine code what the busiest loop does, and estimates times. None
of them is measured: docs/gpu-model.md. The tests must have been built (build*/tests/kernels/
list-launches, or --launches).

--check fails by name where a case got slower, or takes more instructions, than tools/gpu_model.toml
allows; --ratchet writes today's numbers there. --update writes the tables of docs/gpu-model.md, of
these cases. --asm prints the instructions that are counted. The exit status is 1 after a failure,
77 where a compiler is missing.
"""

import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True  # the source folder stays as it is

TOOLS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TOOLS)
for folder in (os.path.join(TOOLS, "gpu"), os.path.join(ROOT, "tests", "kernels")):
    sys.path.insert(0, folder)

import assembly  # noqa: E402
import kernel_table  # noqa: E402
import machine  # noqa: E402
import paths  # noqa: E402
import targets  # noqa: E402

DATA = os.path.join(TOOLS, "gpu_model.toml")
DOCUMENT = os.path.join(ROOT, "docs", "gpu-model.md")
BEGIN, END = "<!-- table: tools/gpu_model.py --update -->\n", "<!-- end of table -->\n"
SKIPPED = 77
MARGIN = 1.02  # of what --check allows, and one more: compilers differ a little


def data():
    with open(DATA, "rb") as file:
        return tomllib.load(file)


def find_nvdisasm():
    places = ["/usr/local/cuda*/bin", os.path.join(ROOT, "build-nvidia", "lib", "python*",
                                                   "site-packages", "nvidia", "*", "bin")]
    found = [path for place in places for path in glob.glob(os.path.join(place, "nvdisasm"))]
    return shutil.which("nvdisasm") or next(iter(found), None)


def missing(device):
    """Why nothing can be said of the device here, or None."""
    if device["vendor"] == "nvidia" and not find_nvdisasm():
        return "no nvdisasm (of CUDA, or nvidia-cuda-nvdisasm from PyPI in build-nvidia/)"
    return targets.missing(device["vendor"], device["chip"])


def find_launches(given):
    places = sorted(glob.glob(os.path.join(ROOT, "build*", "tests", "kernels", "list-launches")),
                    key=os.path.getmtime)
    if not given and not places:
        sys.exit("gpu_model.py: no build*/tests/kernels/list-launches; build the tests")
    return given or places[-1]


def matches(case, pattern):
    """Whether one of the patterns, between commas, is its name."""
    return any(fnmatch.fnmatch(case, one) for one in pattern.split(","))


def plans(program, device, pattern):
    """The cases whose names match, with the launches that the device would get."""
    command = [program, os.path.join(ROOT, "bench", "spatter")]
    result = subprocess.run(command, input=json.dumps(device["opencl"]), check=True,
                            stdout=subprocess.PIPE, text=True)
    return [case for case in json.loads(result.stdout) if matches(case["case"], pattern)]


def program_of(launch):
    return launch["source"], tuple(sorted(machine.options_of(launch).items()))


def compile_program(device, prelude, program):
    """{kernel: (Use, blocks)}; prints the compiler's complaint and gives none."""
    source, options = program
    path = os.path.join(ROOT, "kernels_cl", source + ".cl")
    with tempfile.TemporaryDirectory(prefix="clnd-model-") as folder:
        complaint, uses = targets.compile_into(folder, device["vendor"], device["chip"], prelude,
                                               path, dict(options))
        if complaint:
            print(complaint[:800], file=sys.stderr)
            return {}
        if device["vendor"] == "nvidia":
            words = [find_nvdisasm(), "-c", os.path.join(folder, "code.bin")]
            kernels = assembly.nvidia(targets.run(words)[1])
        elif device["vendor"] == "amd":
            with open(os.path.join(folder, "code.s"), encoding="utf-8") as file:
                kernels = assembly.amd(file.read())
        else:
            kernels = {}
            for name in sorted(glob.glob(os.path.join(folder, "dump", "*.asm"))):
                with open(name, encoding="utf-8", errors="replace") as file:
                    kernels.update(assembly.intel(file.read()))
    return {use.kernel: (use, kernels[use.kernel]) for use in uses if use.kernel in kernels}


def compiled(device, cases, jobs):
    """{program: {kernel: (Use, blocks)}} of all that the cases launch."""
    prelude = kernel_table.files_of("kernel_prelude")
    programs = list(dict.fromkeys(program_of(launch) for case in cases
                                  for launch in case["commands"] if launch["what"] == "launch"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda program: compile_program(device, prelude, program), programs)
        return dict(zip(programs, found))


def models(device, cases, constants, jobs):
    """What machine.time_of_case says of each case; None where a kernel does not compile."""
    programs = compiled(device, cases, jobs)
    for case in cases:
        def code(launch, case=case):
            found = programs[program_of(launch)].get(launch["kernel"])
            if not found:
                return None
            expected = machine.expected_loads(case, launch)
            return (found[0], *paths.hot_turns(found[1], expected))
        yield case, machine.time_of_case(case, code, device, constants), code


def main_launch(model):
    return None if model["main"] is None else model["launches"][model["main"]]


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def row_of(model):
    one = main_launch(model)
    cells = [model["case"], number(model["bound_us"]), number(model["us"]),
             f"{model['percent']:.0f} %", model["limit"]]
    if not one:
        return cells + [model["strategy"]] + [""] * 6
    extras = [f"{one[name]} {text}" for name, text in
              (("spilled", "spilled"), ("divisions", "divisions"), ("barriers", "barriers"))
              if one[name]]
    return cells + [f"`{one['kernel']}`", f"{one['registers']}", f"{one['fit']} x {one['rounds']}",
                    " + ".join(filter(None, (one["loads"], one["stores"] or one["adds"]))),
                    f"{one['waits']}, {one['in_flight'] / 1024:.0f} KiB",
                    f"{one['instructions']}, {one['per_16_bytes']:g}, {one['wide']}",
                    ", ".join(extras)]


TITLES = ["case", "bound us", "model us", "of bound", "limit", "kernel", "registers",
          "groups x rounds", "loads + stores", "waits, in flight",
          "instructions, per 16 bytes, wide", "more"]


def table(rows):
    lines = ["| " + " | ".join(TITLES) + " |", "|---" * len(TITLES) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def counts(model):
    """What --check compares: microseconds, and instructions for 16 bytes in the main launch."""
    one = main_launch(model)
    return {"us": round(model["us"]), "per_16": round(one["per_16_bytes"]) if one else 0}


def check(found, demanded):
    """(case, what is worse than demanded) of each."""
    for name, limits in demanded.items():
        model = found.get(name)
        now = counts(model) if model else {}
        worse = [f"{what} {now[what]}, at most {limits[what]}" for what in now
                 if now[what] > limits[what] * MARGIN + 1]
        yield name, worse if model else ["a kernel does not compile, or there is no such case"]


def ratchet(name, found):
    """Writes today's numbers in the place of a device's demands."""
    with open(DATA, encoding="utf-8") as file:
        before, mark, rest = file.read().partition(f"[check.{name}]\n")
    section = re.match(r"(?:[^\[\n].*\n|\n)*", rest).group()
    after = rest[len(section):]
    for case, model in found.items():
        now = counts(model)
        section = re.sub(rf'^("{re.escape(case)}" = {{) us = \d+, per_16 = \d+',
                         rf"\1 us = {now['us']}, per_16 = {now['per_16']}", section,
                         flags=re.M)
    with open(DATA, "w", encoding="utf-8") as file:
        file.write(before + mark + section + after)


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="h200", help="names in gpu_model.toml, with commas")
    parser.add_argument("--all", action="store_true", help="every device")
    parser.add_argument("--case", help="only cases that match one of these patterns")
    parser.add_argument("--launches", metavar="PROGRAM", help="list-launches of the build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--ratchet", action="store_true")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true")
    shape.add_argument("--check", action="store_true")
    shape.add_argument("--update", action="store_true")
    shape.add_argument("--asm", action="store_true")
    return parser.parse_args()


def asm(case, code):
    for launch in case["commands"]:
        found = code(launch) if launch["what"] == "launch" else None
        if found:
            print(f"# {case['case']}: {launch['kernel']} {launch['options']}")
            print("\n".join(i.text for i in found[1].instructions))


def demands(everything, name, pattern):
    """What --check and --ratchet look at: {case: limits} of a device."""
    return {case: limits for case, limits in everything.get("check", {}).get(name, {}).items()
            if matches(case, pattern)}


def of_device(name, arguments, everything, pattern):
    """{case: model}"""
    device = everything["device"][name]
    cases = plans(find_launches(arguments.launches), device, pattern)
    found = {}
    for case, model, code in models(device, cases, everything["model"], arguments.jobs):
        if arguments.asm:
            asm(case, code)
        if model:
            found[case["case"]] = model
    return found


def described(everything, name, found):
    device = everything["device"][name]
    stands = f", standing in for {device['stand_in']}" if "stand_in" in device else ""
    text = f"### {device['opencl']['name']} ({device['chip']}{stands})\n\n"
    shown = [model for case, model in found.items() if not case.startswith("spatter-")]
    return text + table([row_of(model) for model in shown])


def main():
    arguments = arguments_of()
    everything = data()
    names = list(everything["device"]) if arguments.all else arguments.device.split(",")
    worse, skipped, texts, documents = 0, 0, [], {}
    for name in names:
        reason = missing(everything["device"][name])
        if reason:
            print(f"{name}: skipped: {reason}", file=sys.stderr)
            skipped += 1
            continue
        demanded = demands(everything, name, arguments.case or "*")
        limited = arguments.check or arguments.ratchet or arguments.update
        found = of_device(name, arguments, everything,
                          ",".join(demanded) if limited else arguments.case or "*")
        if arguments.ratchet:
            ratchet(name, found)
        for case, complaints in check(found, demanded) if arguments.check else ():
            worse += bool(complaints)
            print("".join(f"{name}: {case}: {text}\n" for text in complaints), end="")
        documents[name] = list(found.values())
        texts.append(described(everything, name, found))
    if arguments.json:
        print(json.dumps(documents, indent=1))
    elif arguments.update and not skipped:
        kernel_table.write(BEGIN, "\n".join(texts), DOCUMENT)
    elif not (arguments.check or arguments.ratchet or arguments.asm or arguments.update):
        print("\n".join(texts), end="")
    return 1 if worse else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the commands of docs/interop.md; each has to print what the page says. Prints TAP.

    check_interop.py [--update] SOURCE_DIR LIBRARY PROGRAM...

PROGRAM is an example as it was built, interop-NAME; one that is missing is skipped, and so is a
script whose modules are missing. Times (`1.23 ms`) may differ. --update writes the page.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))

import fences  # noqa: E402

PAGE, EXAMPLES = "docs/interop.md", "examples/interop"
PROGRAM = re.compile(r"(?:mpirun -n \d )?(?:\./|python3 )(\w+(?:\.py)?)")
ON_RANKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../mpi/run.sh")


def lacking(name, folder):
    """Why an example cannot run, or None."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return f"{name} is not built: what it needs is not installed"
    if name.endswith(".py"):
        with open(path, encoding="utf-8") as file:
            modules = re.findall(r"^(?:import|from) (\w+)", file.read(), re.M)
        for module in modules:
            if not os.path.exists(f"{folder}/{module}.py") and not importlib.util.find_spec(module):
                return f"no Python module {module}"
            if module == "clnd_pyopencl" and not importlib.util.find_spec("pyopencl"):
                return "no Python module pyopencl"
    return None


def lay_out(source, programs, folder):
    """Scripts and programs in one folder, by the names that the page uses."""
    for path in programs:
        os.symlink(os.path.abspath(path), f"{folder}/{os.path.basename(path)[len('interop-'):]}")
    for name in os.listdir(os.path.join(source, EXAMPLES)):
        if name.endswith(".py"):
            shutil.copy(os.path.join(source, EXAMPLES, name), folder)


def run(command, folder, environment):
    text = command.replace("python3 ", f"'{sys.executable}' ")
    text = text.replace("mpirun -n", f"sh '{ON_RANKS}' mpirun")
    result = subprocess.run(["sh", "-c", text], cwd=folder, env=environment, timeout=120, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    errors = [] if result.returncode == 0 else [f"exit status {result.returncode}", result.stderr]
    return result.stdout.rstrip("\n").split("\n") if result.stdout else [], errors


def timeless(lines):
    return [re.sub(r"\d+\.\d\d ms", "N ms", line) for line in lines]


def boxes(path):
    """How many boxes a picture of gnuplot's has, whatever its version."""
    with open(path, encoding="utf-8") as file:
        return len(re.findall(r"<polygon", file.read()))


def judge(command, folder, source, environment):
    """(what it printed, complaints)"""
    printed, problems = run(command.text, folder, environment)
    if not problems and timeless(printed) != timeless(command.output):
        problems = ["printed", *printed, "the page says", *command.output]
    picture = re.search(r"> (\S+\.svg)$", command.text)
    if picture and not problems:
        drawn, shown = folder, os.path.join(source, "docs")
        counts = [boxes(os.path.join(place, picture.group(1))) for place in (drawn, shown)]
        if counts[0] != counts[1] or not counts[0]:
            problems = [f"boxes of the picture: {counts[0]}, of the one in docs: {counts[1]}"]
    return printed, problems


def check(source, library, programs, update):
    with open(os.path.join(source, PAGE), encoding="utf-8") as file:
        text = file.read()
    lines, longer, failed = text.split("\n"), 0, False
    commands = [c for block in fences.blocks(text) for c in fences.commands(block)]
    with tempfile.TemporaryDirectory(prefix="clnd-interop-") as folder:
        lay_out(source, programs, folder)
        environment = {**os.environ, "CLND_LIBRARY": os.path.abspath(library),
                       "CLND_INCLUDE": os.path.join(os.path.abspath(source), "include"),
                       "XDG_CACHE_HOME": folder, "STARPU_HOME": folder}
        print(f"1..{len(commands) + 1}")
        for number, command in enumerate(commands, 1):
            reason = lacking(PROGRAM.match(command.text).group(1), folder)
            if not reason and "gnuplot" in command.text and not shutil.which("gnuplot"):
                reason = "gnuplot is not installed"
            if reason:
                print(f"ok {number} - {command.text} # SKIP {reason}")
                continue
            printed, problems = judge(command, folder, source, environment)
            if update:
                place = command.line + longer
                lines[place : place + len(command.output)] = printed
                longer += len(printed) - len(command.output)
            failed |= report(number, command.text, problems)
    shown = {PROGRAM.match(c.text).group(1).removesuffix(".py") for c in commands}
    there = {os.path.splitext(name)[0] for name in os.listdir(os.path.join(source, EXAMPLES))}
    missing = sorted(there - shown - {"meson", "clnd_pyopencl"})
    failed |= report(len(commands) + 1, "the page shows every example", missing)
    if update:
        with open(os.path.join(source, PAGE), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return 1 if failed else 0


def report(number, label, problems):
    print(f"{'not ok' if problems else 'ok'} {number} - {label}", flush=True)
    for line in "\n".join(problems).splitlines():
        print(f"# {line}")
    return bool(problems)


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    sys.exit(check(*arguments[:2], arguments[2:], "--update" in sys.argv))

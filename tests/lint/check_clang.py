#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is shipped must pass clang, too, without warnings. Prints TAP.

    check_clang.py SOURCE BUILD CLANG

BUILD may be made by gcc, whose warnings have the same names and other meanings: clang's
-Wconversion also looks at signs and, since clang 19, at enums that meet floating-point numbers.
Files of tests/ are left out, because they would take most of the time.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

KEPT = ("-I", "-isystem", "-D", "-U", "-W", "-std", "-f", "-pthread")


def shipped(source, build):
    """{name: how it is compiled} of C files."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    paths = [os.path.join(command["directory"], command["file"]) for command in commands]
    names = [os.path.relpath(path, source) for path in paths]
    return {name: command for name, command in zip(names, commands)
            if name.endswith(".c") and not name.startswith("tests" + os.sep)}


def complaints(clang, command):
    words = [word for word in shlex.split(command["command"]) if word.startswith(KEPT)]
    result = subprocess.run([clang, *words, "-Werror", "-fsyntax-only", command["file"]],
                            cwd=command["directory"], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    if result.returncode == 0:
        return ""
    return result.stdout.decode(errors="replace") or "exit status %d" % result.returncode


def main():
    source, build, clang = sys.argv[1:]
    if not clang:
        print("1..0 # SKIP no clang")
        return 0
    commands = shipped(source, build)
    print("1..%d" % len(commands))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = pool.map(lambda command: complaints(clang, command), commands.values())
        for number, (name, text) in enumerate(zip(commands, told), 1):
            failures += bool(text)
            print("%sok %d - %s" % ("not " if text else "", number, name))
            print("".join("# %s\n" % line for line in text.splitlines()), end="")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())

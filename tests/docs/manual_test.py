#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test clnd(3) and clnd-bench(1); tests/cli/docs_test.py has clnd(1). Prints TAP.

    manual_test.py BUILD_DIR SOURCE_DIR
"""

import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
from outside import Outside, read, run, write  # noqa: E402

FUNCTION = re.compile(r"^CLND_API [^;(]*?\b(clnd_\w+)\(", re.M)
LIBRARY, BENCH = "docs/clnd.3", "docs/clnd-bench.1"


def names_the_functions(tests):
    text = read(tests.source, LIBRARY)
    named = set(re.findall(r"\bFn (clnd_\w+)", text))
    folder = os.path.join(tests.source, "include/clnd")
    declared = {name for header in os.listdir(folder) if header.endswith(".h")
                for name in FUNCTION.findall(read(folder, header))}
    tests.check("clnd(3) names every function", named == declared, sorted(named ^ declared))


def example_works(tests, build):
    [code] = re.findall(r"^\.Bd -literal\n(.*?)^\.Ed$", read(tests.source, LIBRARY), re.M | re.S)
    [printed] = re.findall(r"^It prints\n\.Ql (.*) \.$", read(tests.source, LIBRARY), re.M)
    write(tests.path("program.c"), code.replace(r"\e", "\\"))
    environment = {"PKG_CONFIG_PATH": os.path.join(build, "meson-uninstalled"),
                   "LD_LIBRARY_PATH": os.path.join(build, "host")}
    [line] = re.findall(r"^\.Dl (cc .*)$", read(tests.source, LIBRARY), re.M)
    line += " -std=c11 -Wall -Wextra -Werror -o program && ./program"
    result = run("sh", "-c", f"cd '{tests.folder}' && {line}", **environment)
    if result.returncode == 1 and os.environ.get("CLND_TEST_REQUIRE_DEVICE") != "1":
        tests.skip("the example of clnd(3) works", "no OpenCL device")
        return
    tests.check("the example of clnd(3) works", result.stdout == printed + "\n",
                result.stdout + result.stderr)


def names_the_options(tests, build):
    program = os.path.join(build, "bench", "clnd-bench")
    if not os.path.exists(program):
        tests.skip("clnd-bench(1) has the options", "clnd-bench is not built")
        return
    text = re.sub(r"(?m)^usage:.*\n.*", "", run(program, "--help").stdout)
    helped = set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", text))
    named = re.findall(r"^\.It Fl -([\w-]+)", read(tests.source, BENCH), re.M)
    tests.check("clnd-bench(1) has the options of --help, once", sorted(named) == sorted(helped),
                sorted(set(named) ^ helped))
    used = {name for line in re.findall(r"^\.It Li (.*)$", read(tests.source, BENCH), re.M)
            for name in re.findall(r" --([\w-]+)", line)}
    tests.check("its examples have options that exist", used and used <= helped, used - helped)


def is_well_formed(tests, page):
    for name, *command in (("mandoc", "-Tlint", "-W", "warning"),
                           ("groff", "-mdoc", "-ww", "-Tutf8")):
        label = f"{name} has no complaint about {page}"
        if shutil.which(name) is None:
            tests.skip(label, f"{name} is not installed")
            continue
        result = run(name, *command, os.path.join(tests.source, page))
        tests.check(label, result.returncode == 0 and not result.stderr,
                    result.stdout + result.stderr)


def main(build, source):
    build = os.path.abspath(build)
    with tempfile.TemporaryDirectory(prefix="clnd-manual-") as folder:
        tests = Outside(os.path.abspath(source), os.path.realpath(folder))
        names_the_functions(tests)
        example_works(tests, build)
        names_the_options(tests, build)
        for page in LIBRARY, BENCH:
            is_well_formed(tests, page)
        return tests.done()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

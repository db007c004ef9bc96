#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that suite faults reaches everything: prints TAP.

    check_interposed.py LIBRARY.a SYMBOLS TESTS_DIR INTERPOSED...

Every OpenCL function that the library's objects call must be among INTERPOSED, and none but the
allocator's object may take memory from C. Every function of the list SYMBOLS must be called in
TESTS_DIR.
"""

import os
import re
import subprocess
import sys

ALLOCATORS = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "strdup"}


def undefined(library):
    """(object, symbol) of every symbol that an object of the archive takes from elsewhere."""
    text = subprocess.run(
        ["nm", "-u", library], check=True, capture_output=True, text=True
    ).stdout
    source = ""
    for line in text.splitlines():
        if line.endswith(":"):
            source = line[:-1]
        elif line.strip():
            yield source, line.split()[-1].split("@")[0]


def words(folder):
    found = set()
    for name in os.listdir(folder):
        if name.endswith((".c", ".h")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            found |= set(re.findall(r"\bclnd_\w+", text))
            # the ops of scene.c: X(IDENTIFIER, op, ...)
            ops = re.findall(r"\b(?:X|THREE)\((?:X, )?[A-Z_]+, (\w+)[,)]", text)
            found |= {f"clnd_{op}" for op in ops} | {f"clnd_{op}_plan" for op in ops}
            found |= {f"clnd_host_{op}" for op in ops}
    return found


def main():
    library, symbols, folder, *interposed = sys.argv[1:]
    calls = list(undefined(library))
    with open(symbols, encoding="utf-8") as file:
        public = re.findall(r" (\w+)@", file.read())
    problems = [
        sorted({s for _, s in calls if re.match(r"cl[A-Z]", s)} - set(interposed)),
        sorted({f"{o}: {s}" for o, s in calls if s in ALLOCATORS and "base_alloc" not in o}),
        sorted(set(public) - words(folder)),
    ]
    titles = [
        "every OpenCL function of the library can fail",
        "all memory of the library can fail",
        "every public function is called",
    ]
    found = len([s for _, s in calls if re.match(r"cl[A-Z]", s)])
    if found < 30:
        problems[0].append(f"only {found} calls of OpenCL seen")
    print(f"1..{len(titles)}")
    for title, problem in zip(titles, problems):
        print("not ok -" if problem else "ok -", title)
        for line in problem:
            print("#", line)
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())

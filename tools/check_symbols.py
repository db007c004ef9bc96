#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the library exports what the public headers declare, and nothing else. Prints TAP.

    check_symbols.py LIBCLND.so LIST            compare the library, the list and the headers
    check_symbols.py LIBCLND.so LIST --update   write the list anew from the library

LIST is debian/libclnd0.symbols: a line for each symbol, sorted, with the version that brought it.
A change of it is a change of the binary interface, so it is reviewed like one.
"""

import argparse
import os
import re
import subprocess
import sys

# Put into every shared library by linkers and sanitizers.
NOT_OURS = re.compile(r"_init|_fini|_end|_edata|__bss_start|__odr_asan.*|__asan_.*|___asan_.*")

TOOLS = os.path.dirname(os.path.abspath(__file__))
VERSION_TOOL = os.path.join(TOOLS, "read_version.py")
PUBLIC_HEADERS = os.path.join(TOOLS, "..", "include", "clnd")


def exported(library):
    result = subprocess.run(
        ["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True
    )
    symbols = set()
    for line in result.stdout.splitlines():
        kind, name = line.split()[-2:]
        name = name.split("@")[0]
        if kind != "A" and not NOT_OURS.fullmatch(name):
            symbols.add(name)
    return symbols


# What a library may not do to the program it is in: print, end it, stay registered with it, change
# its environment or its signals.
FORBIDDEN = re.compile(
    r"_*(v?f?printf|v?dprintf|puts|fputs|putc|fputc|putchar|fwrite|write|perror)(_chk)?"
    r"|abort|_*exit|_Exit|quick_exit|_*atexit|__cxa_atexit|on_exit|__assert_fail|errx?|warnx?"
    r"|signal|sigaction|raise|kill|system|fork|exec\w*|setenv|unsetenv|putenv|setlocale|srand"
)


def imported(library):
    result = subprocess.run(
        ["nm", "-D", "--undefined-only", library], stdout=subprocess.PIPE, text=True, check=True
    )
    return {line.split()[-1].split("@")[0] for line in result.stdout.splitlines()}


def declared(folder):
    symbols = set()
    for file_name in sorted(os.listdir(folder)):
        if not file_name.endswith(".h"):
            continue
        with open(os.path.join(folder, file_name), encoding="ascii") as file:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", file.read(), flags=re.S)
        text = re.sub(r"(?m)^[ \t]*#.*$", "", text)
        for declaration in re.findall(r"\bCLND_API\b([^;{]*)", text):
            name = re.search(r"\b(clnd_\w+)\s*\(", declaration)
            name = name or re.search(r"\b(clnd_\w+)\s*(?:\[[^\]]*\]\s*)?$", declaration.rstrip())
            symbols.add(name.group(1) if name else f"unreadable: {declaration.strip()[:60]}")
    return symbols


SYMBOL = re.compile(r"(?m)^ (\w+)@Base ([\d.]+)\n")


def listed(path):
    """The names, in their order, each with its version."""
    with open(path, encoding="ascii") as file:
        return dict(SYMBOL.findall(file.read()))


def update(path, symbols):
    """What is new is of the version that include/clnd/version.h has."""
    command = [sys.executable, VERSION_TOOL, os.path.join(PUBLIC_HEADERS, "version.h")]
    version = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    versions = listed(path)
    with open(path, "r+", encoding="ascii", newline="\n") as file:
        text = SYMBOL.sub("", file.read())
        file.seek(0)
        file.write(text)
        file.writelines(f" {name}@Base {versions.get(name, version)}\n" for name in sorted(symbols))
        file.truncate()


def compare(number, title, have, want):
    problems = [f"missing: {name}" for name in sorted(want - have)]
    problems += [f"too many: {name}" for name in sorted(have - want)]
    print(f"{'not ok' if problems else 'ok'} {number} - {title}")
    for problem in problems:
        print(f"# {problem}")
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("list")
    parser.add_argument("--update", action="store_true", help="write the list from the library")
    parser.add_argument("--headers", default=PUBLIC_HEADERS, help="folder of the public headers")
    options = parser.parse_args()

    symbols = exported(options.library)
    if options.update:
        update(options.list, symbols)
        return 0

    names = list(listed(options.list))
    print("1..5")
    good = compare(1, "the library exports the listed symbols", symbols, set(names))
    public = declared(options.headers)
    good &= compare(2, "the headers declare the listed symbols", public, set(names))
    strangers = {name for name in names if not name.startswith("clnd_") or "__" in name}
    good &= compare(3, "listed names begin with clnd_ and are not private", strangers, set())
    in_order = bool(names) and names == sorted(names)
    print(f"{'ok' if in_order else 'not ok'} 4 - the list is not empty, and sorted")
    forbidden = {name for name in imported(options.library) if FORBIDDEN.fullmatch(name)}
    good &= compare(5, "the library neither prints nor ends the program", forbidden, set())
    return 0 if good and in_order else 1


if __name__ == "__main__":
    sys.exit(main())

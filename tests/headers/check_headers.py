#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile every public header alone, and twice in a row, as C11 and as C++17. Prints TAP.

    check_headers.py INCLUDE_DIR CC CXX

CC and CXX may hold several words ("ccache gcc"); an empty CXX skips the C++ half.
"""

import os
import shlex
import shutil
import subprocess
import sys

FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
FLAGS += ["-DCL_TARGET_OPENCL_VERSION=120"]

# What a header needs besides OpenCL, where it may be missing.
NEEDS = {"clnd/dlpack.h": "dlpack/dlpack.h"}

LANGUAGES = [("C11", ["-x", "c", "-std=c11"]), ("C++17", ["-x", "c++", "-std=c++17"])]


def public_headers(include_dir):
    headers = []
    for folder, _, files in os.walk(include_dir):
        for name in files:
            if name.endswith((".h", ".hpp")):
                path = os.path.relpath(os.path.join(folder, name), include_dir)
                headers.append(path.replace(os.sep, "/"))
    return sorted(headers)


def compile_text(compiler, language, include_dir, text):
    """The compiler's messages, or None when it is content."""
    result = subprocess.run(
        [*compiler, *language, *FLAGS, f"-I{include_dir}", "-"],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode == 0:
        return None
    return result.stdout or f"exit status {result.returncode}"


def check(compiler, language, include_dir, header):
    # ISO C wants a declaration in every translation unit; a header may hold macros alone.
    include = f"#include <{header}>\n"
    end = "extern int clnd_header_was_read;\n"
    for text in (include + end, include + include + end):
        messages = compile_text(compiler, language, include_dir, text)
        if messages:
            return messages
    return None


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    include_dir = sys.argv[1]
    compilers = [shlex.split(command) for command in sys.argv[2:4]]
    headers = public_headers(include_dir)
    if not headers:
        print(f"Bail out! no header in {include_dir}")
        return 1

    failed = False
    as_c = [header for header in headers if not header.endswith(".hpp")]
    print(f"1..{len(as_c) + len(headers)}")
    number = 0
    for (language, flags), compiler in zip(LANGUAGES, compilers):
        missing = not compiler or shutil.which(compiler[0]) is None
        for header in as_c if language == "C11" else headers:
            number += 1
            title = f"{number} - {header} as {language}"
            if missing:
                print(f"ok {title} # SKIP no {language} compiler")
                continue
            need = NEEDS.get(header)
            if need and compile_text(compiler, flags, include_dir, f"#include <{need}>\n"):
                print(f"ok {title} # SKIP {need} is not installed")
                continue
            messages = check(compiler, flags, include_dir, header)
            print(f"{'not ok' if messages else 'ok'} {title}")
            for line in (messages or "").splitlines():
                print(f"# {line}")
            failed = failed or messages is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

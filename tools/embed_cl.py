#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write one C file that holds the OpenCL C sources (see host/cl/kernel_source.h).

    embed_cl.py --output kernels.c --prelude args.h common.clh -- gather.cl scatter.cl ...

Sources become byte arrays, because C11 promises only 4095 bytes for a string literal. The output
depends on nothing but the files' names and bytes.
"""

import argparse
import os
import re
import sys

BYTES_PER_LINE = 20


def read_source(path):
    with open(path, "rb") as file:
        data = file.read()
    for number, byte in enumerate(data):
        if byte == 0 or byte > 126:
            line = data.count(b"\n", 0, number) + 1
            sys.exit(f"embed_cl.py: {path}:{line}: byte {byte:#04x} is not ASCII text")
    if not data.endswith(b"\n"):
        data += b"\n"
    file_name = os.path.basename(path)
    return f'#line 1 "kernels_cl/{file_name}"\n'.encode() + data


def array_name(file_name):
    return "text_" + re.sub(r"\W", "_", file_name)


def write_array(out, file_name, data):
    out.append(f"static const char {array_name(file_name)}[] = {{")
    for start in range(0, len(data), BYTES_PER_LINE):
        row = data[start : start + BYTES_PER_LINE]
        out.append("    " + "".join(f"{byte}," for byte in row))
    out.append("    0};")
    out.append("")


def write_table(out, table, entries):
    out.append(f"const struct clnd__kernel_source {table}[] = {{")
    for name, file_name, _ in entries:
        array = array_name(file_name)
        out.append(f'    {{"{name}", {array}, sizeof {array} - 1}},')
    out.append("    {NULL, NULL, 0},")
    out.append("};")
    out.append("")


def load(paths, kernels):
    entries = []
    for path in paths:
        file_name = os.path.basename(path)
        name, extension = os.path.splitext(file_name)
        if kernels and extension != ".cl":
            sys.exit(f"embed_cl.py: {path}: a kernel file is named *.cl")
        entries.append((name if kernels else file_name, file_name, read_source(path)))
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True, help="C file to write")
    parser.add_argument("--include", default="host/cl/kernel_source.h", help="header to include")
    parser.add_argument("--prelude", nargs="*", default=[], help="files before every kernel")
    parser.add_argument("kernels", nargs="+", help="kernel files")
    options = parser.parse_args()

    prelude = load(options.prelude, kernels=False)
    kernels = load(options.kernels, kernels=True)
    arrays = [array_name(file_name) for _, file_name, _ in prelude + kernels]
    for array in arrays:
        if arrays.count(array) > 1:
            sys.exit(f"embed_cl.py: two files would both be called {array}")

    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Written by tools/embed_cl.py: change the files in kernels_cl/ instead.",
        "",
        f'#include "{options.include}"',
        "",
    ]
    for _, file_name, data in prelude + kernels:
        write_array(out, file_name, data)
    write_table(out, "clnd__kernel_prelude", prelude)
    write_table(out, "clnd__kernel_sources", kernels)
    out.pop()
    with open(options.output, "w", encoding="ascii", newline="\n") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()

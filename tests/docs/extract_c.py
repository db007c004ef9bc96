#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the C blocks of a Markdown file into one C file, in order.

    extract_c.py DOCUMENT OUTPUT

Compilers name the document and its lines when they complain about that file.
"""

import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

import fences  # noqa: E402


def main(document, output):
    with open(document, encoding="utf-8") as file:
        blocks = [block for block in fences.blocks(file.read()) if block.language == "c"]
    with open(output, "w", encoding="utf-8") as file:
        for block in blocks:
            file.write(f'#line {block.line} "{document}"\n' + "\n".join(block.lines) + "\n")
    return 0 if blocks else f"{document} has no C"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

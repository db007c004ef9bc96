#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the C blocks of a Markdown file into one C file, in order.

    extract_c.py [--apart] DOCUMENT OUTPUT

Compilers name the document and its lines when they complain about that file. With --apart, block
number N, from 1, is there only if the macro BLOCK is N.
"""

import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

import fences  # noqa: E402


def main(*arguments):
    apart = arguments[0] == "--apart"
    document, output = arguments[apart:]
    with open(document, encoding="utf-8") as file:
        blocks = [block for block in fences.blocks(file.read()) if block.language == "c"]
    with open(output, "w", encoding="utf-8") as file:
        for number, block in enumerate(blocks, 1):
            text = f'#line {block.line} "{document}"\n' + "\n".join(block.lines) + "\n"
            file.write(f"#if BLOCK == {number}\n{text}#endif\n" if apart else text)
    return 0 if blocks else f"{document} has no C"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

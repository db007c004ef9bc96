#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that plans and documents ask for no kernel but those of options.toml. Prints TAP.

    check_options.py LIST_OPTIONS COUNT
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))

import kernel_table  # noqa: E402
import options as domains  # noqa: E402
import targets  # noqa: E402


def missing_rows(table):
    """Rows of docs/kernels.md that could not be compiled anew."""
    for title, name, options in kernel_table.SETS:
        for _, chip in targets.TARGETS:
            given = kernel_table.options_for(chip, name, options)
            if given and not domains.contains(table, name.removesuffix(".cl"), given):
                yield f"{name}, {title}, for {chip}: {given}"


def main():
    program, count = sys.argv[1:]
    listed = subprocess.run([program, count], capture_output=True, text=True, check=True).stdout
    table = domains.load()
    unknown = []
    asked = sorted(set(listed.splitlines()))
    for line in asked:
        source, text = line.split(" ", 1)
        given = {name: int(value) for name, value in re.findall(r"-D(\w+)=(-?\d+)", text)}
        if not domains.contains(table, source, given):
            unknown.append(line)
    rows = list(missing_rows(table))
    print("1..2")
    print(f"{'not ok' if unknown or not asked else 'ok'} 1 - {len(asked)} kernels are in the table")
    print(f"{'not ok' if rows else 'ok'} 2 - so are those of docs/kernels.md")
    for line in unknown[:20] + rows:
        print(f"# not in kernels_cl/options.toml: {line}")
    return 1 if unknown or rows or not asked else 0


if __name__ == "__main__":
    sys.exit(main())

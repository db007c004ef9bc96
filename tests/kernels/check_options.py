#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that plans ask for no kernel but those of kernels_cl/options.toml. Prints TAP.

    check_options.py LIST_OPTIONS COUNT
"""

import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

import options as domains  # noqa: E402


def main():
    program, count = sys.argv[1:]
    listed = subprocess.run([program, count], capture_output=True, text=True, check=True).stdout
    table = domains.load()
    unknown = []
    asked = sorted(set(listed.splitlines()))
    for line in asked:
        source, text = line.split(" ", 1)
        given = {name: int(value) for name, value in re.findall(r"-D(\w+)=(-?\d+)", text)}
        gates = ({**given, "GATED": gate} if gate else given for gate in range(4))
        if not any(domains.contains(table, source, options) for options in gates):
            unknown.append(line)
    print("1..1")
    print(f"{'not ok' if unknown or not asked else 'ok'} 1 - {len(asked)} kernels are in the table")
    for line in unknown[:20]:
        print(f"# not in kernels_cl/options.toml: {line}")
    return 1 if unknown or not asked else 0


if __name__ == "__main__":
    sys.exit(main())

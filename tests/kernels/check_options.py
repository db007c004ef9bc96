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
    known = {}
    unknown = []
    asked = sorted(set(listed.splitlines()))
    for line in asked:
        source, text = line.split(" ", 1)
        if source not in known:
            known[source] = {
                frozenset((k, v) for k, v in some.items() if k != "GATED")
                for kernel in table["kernel"]
                if kernel["source"] == source
                for some in domains.sets(table, kernel)
            }
        given = {(name, int(value)) for name, value in re.findall(r"-D(\w+)=(-?\d+)", text)}
        if frozenset(given) not in known[source]:
            unknown.append(line)
    print("1..1")
    print(f"{'not ok' if unknown or not asked else 'ok'} 1 - {len(asked)} kernels are in the table")
    for line in unknown[:20]:
        print(f"# not in kernels_cl/options.toml: {line}")
    return 1 if unknown or not asked else 0


if __name__ == "__main__":
    sys.exit(main())

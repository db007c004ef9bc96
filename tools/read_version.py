#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the library's version as include/clnd/version.h states it: the only place where it stands.

read_version.py VERSION_H          prints "major.minor.patch"
read_version.py --abi VERSION_H    prints the number of the binary interface
"""

import re
import sys


def main():
    text = open(sys.argv[-1], encoding="utf-8").read()
    numbers = dict(re.findall(r"^#define CLND_(\w+)\s+(\d+)$", text, re.MULTILINE))
    if sys.argv[1] == "--abi":
        print(numbers["ABI_VERSION"])
    else:
        print(".".join(numbers["VERSION_" + part] for part in ("MAJOR", "MINOR", "PATCH")))


main()

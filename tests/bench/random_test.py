#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/random_cases.py as a program: a short run, cases that fail, bad input.

random_test.py CLND_BENCH
"""

import os
import re
import sys

sys.dont_write_bytecode = True
import tap  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(FOLDER, "../../bench/random_cases.py")
SHORT = ["--", "--samples", "2", "--seconds", "0", "--warm-up", "0", "--rounds", "1"]


def check_run(tests, bench):
    done = tap.run(PROGRAM, bench, "--count", "6", "--bytes", "16384", "--seed", "5", *SHORT)
    counts = re.findall(r"(?m)^(?:small calls|cases): (\d+), [\d.]+ of the C loop", done.stdout)
    lines = re.findall(r"(?m)^ *[\d.]+ +[\d.]+ ms  \w+ +[\w-]+ --", done.stdout)
    tests.check("six cases", done.returncode == 0 and sum(map(int, counts)) == len(lines) == 6,
                done.stdout + done.stderr)


def check_failures(tests):
    done = tap.run(PROGRAM, "false", "--count", "3")
    tests.check("cases that fail", done.returncode == 1 and done.stdout.count("failed: ") == 3,
                done.stdout + done.stderr)


def check_input(tests):
    done = tap.run(PROGRAM, "true", "--ops", "gather,sort")
    tests.check("an unknown operation",
                done.returncode == 2 and "no operation 'sort'" in done.stderr, done.stderr)


def main():
    folder = tap.keep_apart()
    tests = tap.Tests()
    if tap.skipped(sys.argv[1]):
        return 0
    check_run(tests, sys.argv[1])
    check_failures(tests)
    check_input(tests)
    folder.cleanup()
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

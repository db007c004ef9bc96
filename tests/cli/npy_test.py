#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of cli/npy*.c, cli/print*.c and cli/value.c against NumPy.

usage: npy_test.py PATH_TO_NPY_DRIVER [PART_OF_A_NAME]
       npy_test.py --stored-texts

The second prints what tests/data/numpy-text.json has to hold; it needs NumPy 2.4.

Only the properties whose function has the part in its name are looked at, if one is given.
Every TAP line is a property that holds over many cases. Random cases come from one seed, printed
first; CLND_TEST_SEED sets another.
"""
import multiprocessing
import os
import random
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True  # the source tree stays clean
import npy_test_print
import npy_test_read
import npy_test_replace
import npy_test_value
from npy_support import Place, Skip

SEED = int(os.environ.get("CLND_TEST_SEED", "20240229"))
MODULES = npy_test_read, npy_test_replace, npy_test_print, npy_test_value


def properties(part):
    """The functions called test_* with the part in their names, in the order of definition."""
    for module in MODULES:
        for name, function in vars(module).items():
            if name.startswith("test_") and part in name:
                yield name[len("test_"):].replace("_", " "), function


def run_property(name, function):
    """Whether a property holds, and its TAP lines."""
    with tempfile.TemporaryDirectory(prefix="clnd-npy-") as Place.directory:
        try:
            function(random.Random("%d %s" % (SEED, name)))
        except Skip as reason:
            return True, "ok %s # SKIP %s" % (name, reason)
        except Exception as error:  # a test that cannot run has failed, too
            lines = ("%s: %s" % (type(error).__name__, error)).splitlines()
            told = ["# " + line.encode("unicode_escape").decode() for line in lines]
            return False, "\n".join(["not ok %s" % name, *told])
    return True, "ok %s" % name


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if sys.argv[1] == "--stored-texts":
        print(npy_test_print.stored_texts())
        return 0
    Place.driver = os.path.abspath(sys.argv[1])
    tests = list(properties("".join(sys.argv[2:])))
    print("1..%d" % len(tests))
    print("# seed %d, NumPy %s" % (SEED, np.__version__), flush=True)
    numbered = [("%d - %s" % (number, name), function)
                for number, (name, function) in enumerate(tests, 1)]
    failed = False
    # One takes a third of the time, so more than two would wait for it.
    with multiprocessing.get_context("fork").Pool(2) as pool:
        running = [pool.apply_async(run_property, test) for test in numbered]
        for result in running:
            good, text = result.get()
            failed = failed or not good
            print(text, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

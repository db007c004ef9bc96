# SPDX-License-Identifier: Apache-2.0
"""Compares the library with that of the last release, by abidiff.

usage: abi_test.py SOURCE_DIR --library LIBCLND.so [--release TAG]

The release is the newest tag vX.Y.Z before the tree; its library is built anew. New functions are
no difference. A struct with a new member in the place of a reserved one is: tests/headers/abi.c has
its layout, so abidiff then gets a --suppr with the name of that struct.
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import Outside, arguments, is_clone, run

TITLE = "programs of the last release run"
PARTS = "bench", "cli", "mpi", "tests"
ONLY_LIBRARY = ["-Dexamples=false", *(f"-D{part}=disabled" for part in PARTS)]


def abi_number(tests, source):
    header = os.path.join(source, "include/clnd/version.h")
    tool = os.path.join(tests.source, "tools/read_version.py")
    return run(sys.executable, tool, "--abi", header).stdout.strip()


def compare(tests, library, release):
    old = tests.path("release")
    os.makedirs(old)
    archive = subprocess.run(["git", "-C", tests.source, "archive", release],
                             stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", old], input=archive.stdout, check=True)
    numbers = abi_number(tests, old), abi_number(tests, tests.source)
    if numbers[0] != numbers[1]:
        tests.skip(TITLE, f"{release} has another CLND_ABI_VERSION, {numbers[0]}")
        return
    build = tests.path("build")
    if (tests.succeeds(f"{release}: configured", "meson", "setup", build, old, "--buildtype=debug",
                       "-Ddefault_library=shared", *ONLY_LIBRARY)
            and tests.succeeds(f"{release}: built", "ninja", "-C", build)):
        tests.succeeds(TITLE, "abidiff", "--no-added-syms",
                       os.path.join(build, "host/libclnd.so"), library)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--library", required=True, help="of this tree, with debugging symbols")
    parser.add_argument("--release", help="a tag or commit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-abi-") as folder:
        tests = Outside(options.source, os.path.realpath(folder))
        release = options.release
        if not release and is_clone(options.source):
            release = run("git", "-C", options.source, "describe", "--tags", "--abbrev=0",
                          "--match", "v[0-9]*").stdout.strip()
        if not shutil.which("abidiff"):
            tests.skip(TITLE, "there is no abidiff")
        elif not is_clone(options.source):
            tests.skip(TITLE, "this is no clone of the repository")
        elif not release:
            tests.skip(TITLE, "there is no release yet")
        else:
            compare(tests, options.library, release)
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

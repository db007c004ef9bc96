# SPDX-License-Identifier: Apache-2.0
"""What the tests of programs outside of the tree share."""

import argparse
import os
import shutil
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path += [os.path.join(TESTS, "bench"), os.path.join(TESTS, "docs")]
from fences import blocks  # noqa: E402
from tap import Tests, run  # noqa: E402

SYMBOLS = "debian/libclnd0.symbols"
PROGRAM = "examples/gather_rows.c"
PRINTS = "row 2: 20 21 22\nrow 0: 0 1 2\nrow 2: 20 21 22\n"


def arguments(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("source", help="root of the repository")
    parser.add_argument("--cc", default="cc", help="C compiler")
    return parser


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def is_clone(source):
    """Not of an archive, or where there is no git."""
    return shutil.which("git") and run("git", "-C", source, "rev-parse").returncode == 0


class Outside(Tests):
    """Checks of programs that use clnd."""

    def __init__(self, source, folder):
        super().__init__()
        self.source, self.folder = source, folder

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def from_readme(self, language, word):
        """The block with the word."""
        [text] = ["\n".join(block.lines) for block in blocks(read(self.source, "README.md"))
                  if block.language == language and word in "\n".join(block.lines)]
        return text

    def add_program(self, *parts):
        os.makedirs(self.path(*parts), exist_ok=True)
        shutil.copy(os.path.join(self.source, PROGRAM), self.path(*parts, "program.c"))

    def copy_source(self, folder):
        """As it would be in an archive."""
        ignored = shutil.ignore_patterns("build*", ".git", "OpenCL-*", "packagecache")
        shutil.copytree(self.source, folder, ignore=ignored)

    def succeeds(self, name, *command, **environment):
        result = run(*command, **environment)
        lines = (result.stdout + result.stderr).splitlines()
        last = "\n".join(line[-300:] for line in lines[-30:])
        return self.check(name, result.returncode == 0, last)

    def program_works(self, name, program):
        result = run(program)
        if result.returncode and os.environ.get("CLND_TEST_REQUIRE_DEVICE") != "1":
            self.skip(name, f"no OpenCL device: {result.stderr.strip()}")
        else:
            self.check(name, result.stdout == PRINTS, result.stdout + result.stderr)

    def exports_the_list(self, name, library):
        result = run(sys.executable, os.path.join(self.source, "tools", "check_symbols.py"),
                     library, os.path.join(self.source, SYMBOLS))
        self.check(name, result.returncode == 0, result.stdout + result.stderr)

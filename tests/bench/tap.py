# SPDX-License-Identifier: Apache-2.0
"""What the benchmark's tests have in common: TAP, and runs of the program."""

import json
import os
import subprocess
import tempfile

# Few and short samples: nothing here looks at a time.
SHORT = ["--size", "tiny", "--rounds", "1", "--samples", "2", "--seconds", "0", "--warm-up", "0"]


def keep_apart():
    """Calibrations are kept in a folder that goes away; drivers keep their caches."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    os.environ.setdefault("POCL_CACHE_DIR", os.path.join(cache, "pocl", "kcache"))
    os.environ.setdefault("MESA_SHADER_CACHE_DIR", cache)
    folder = tempfile.TemporaryDirectory()
    os.environ["XDG_CACHE_HOME"] = folder.name
    return folder


class Tests:
    """Counts checks, each a line of TAP."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, name, condition, detail=""):
        self.count += 1
        print(f"{'ok' if condition else 'not ok'} {self.count} - {name}")
        if not condition:
            self.failed += 1
            for line in str(detail).splitlines()[:40]:
                print(f"# {line}")
        return condition

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}")

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def run(program, *arguments, **environment):
    """The finished process, with what it wrote as text."""
    return subprocess.run(
        [program, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def measure(program, *arguments, **environment):
    """The process and the JSON of a short run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        result = run(program, *SHORT, "--json", path, *arguments, **environment)
        document = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        return result, document


def skipped(bench):
    """Whether there is no device, and need not be."""
    result = run(bench, *SHORT, "--filter", "small-gather")
    if "no OpenCL device" not in result.stderr or os.environ.get("CLND_TEST_REQUIRE_DEVICE") == "1":
        return False
    print("1..0 # SKIP there is no OpenCL device")
    return True

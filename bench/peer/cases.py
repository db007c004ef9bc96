# SPDX-License-Identifier: Apache-2.0
"""The cases, as `clnd-bench --describe-json` tells them, so that there is one table of them."""
import fnmatch
import json
import os
import shlex
import shutil
import subprocess

SIZES = ("cpu", "gpu", "tiny")
OTHER = 17  # the group whose measure is the C loop; peers run it when it is named
BENCH_PLACES = ("build/bench/clnd-bench", "build-test/bench/clnd-bench")


class Trouble(Exception):
    """What the user is told, in one line."""


class Case:
    """calls: one, or those of a Spatter file."""

    def __init__(self, described, size):
        self.id = described["case"]
        self.kind = described["kind"]
        self.is_other = described["group"] == OTHER
        own = described["sizes"][size]
        entries = own.get("entries")
        common = {key: value for key, value in described.items() if key != "sizes"}
        self.calls = entries if entries else [{**common, **own}]
        self.is_list = bool(entries)
        self.payload = sum(call["payload_bytes"] for call in self.calls)
        self.in_averages = self.kind in ("plain", "spatter") and not self.is_other

    @property
    def sample_kind(self):
        return "small" if self.kind == "small" else "cold"


def find_bench(root, interleaved=None):
    """clnd-bench: the one that is run in turns, of a build beside the sources, or in PATH."""
    if interleaved:
        words = shlex.split(interleaved)
        for word in words:
            if os.path.basename(word) == "clnd-bench":
                return word
    for place in BENCH_PLACES:
        path = os.path.join(root, place)
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("clnd-bench")
    if not found:
        raise Trouble("clnd-bench, which describes the cases, is not in build/bench; "
                      "build it, or name it with --bench or its cases with --cases")
    return found


def described_by(bench):
    try:
        done = subprocess.run([bench, "--describe-json"], capture_output=True, text=True,
                              check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise Trouble("%s --describe-json: %s" % (bench, fault)) from None
    if done.returncode:
        raise Trouble("%s --describe-json: %s" % (bench, done.stderr.strip() or "failed"))
    return done.stdout


def read_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as fault:
        raise Trouble("%s: %s" % (path, fault)) from None


def parse(text, size, origin):
    try:
        document = json.loads(text)
        # What only the host does has no equal in other libraries.
        return [Case(one, size) for one in document["cases"] if one["kind"] != "host"]
    except (ValueError, KeyError, TypeError) as fault:
        raise Trouble("%s: no description of cases: %s" % (origin, fault)) from None


def matching(cases, globs):
    """Those whose names match one of the globs between commas; without globs all but the others."""
    if not globs:
        return [case for case in cases if not case.is_other]
    kept = [case for case in cases
            if any(fnmatch.fnmatchcase(case.id, glob) for glob in globs.split(","))]
    if not kept:
        raise Trouble("no case is called %s; see --list" % globs)
    return kept

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the benchmark measures with: pages, samples, and a calibration that is kept.

pace_test.py CLND_BENCH
"""

import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import tap  # noqa: E402


def check_pages(tests, bench):
    """Buffers lie on the pages that were asked for."""
    found = {}
    for pages in ("huge", "small"):
        _, found[pages] = tap.measure(bench, "--filter", "rows-4", "--pages", pages)
    named = all(one and one["pages"] in (pages, "the driver's") for pages, one in found.items())
    tests.check("the pages are named", named, found)
    one = found["huge"]
    if not named or one["pages"] != "huge" or one["huge_pages"] != "madvise":
        tests.skip("pages are huge where they are asked for", "no CPU device, or other pages")
        return
    tests.check(
        "pages are huge where they are asked for, and only there",
        one["huge_bytes"] > 0 and found["small"]["huge_bytes"] == 0,
        found,
    )


def check_pace(tests, bench):
    """Samples end in time, with the clearing of caches, and parts share what a case may take."""
    _, document = tap.measure(bench, "--filter", "spatter-amg,rows-4", "--samples", "60", "--no-c")
    counts = {one["case"]: [part["n"] for part in one.get("entries", [one])]
              for one in document["results"]}  # fmt: skip
    parts = len(counts["spatter-amg"])
    tests.check(
        "the entries of a file share the samples of a case",
        counts["rows-4"] == [60] and counts["spatter-amg"] == [-(-60 // parts)] * parts,
        counts,
    )
    # A call of microseconds, beside the clearing of real caches.
    free = ["gather-nd", "--params", "f32:64x4", "--indices", "i32:8x1", "--size", "cpu"]
    _, document = tap.measure(bench, *free, "--samples", "1", "--seconds", "0.05", "--no-c")
    count = document["results"][0]["n"]
    tests.check("the clearing of caches counts", 1 <= count < 50, count)
    few, _ = tap.measure(bench, "--filter", "rows-4", "--samples", "4", "--no-c")
    enough, _ = tap.measure(bench, "--filter", "rows-4", "--samples", "5", "--no-c")
    tests.check(
        "too few samples are marked",
        "few-samples" in few.stdout and "few-samples" not in enough.stdout,
        few.stdout + enough.stdout,
    )


def check_kept(tests, bench):
    """A case of one's own and --quick take the calibration that is kept, other runs do not."""
    free = ["gather-nd", "--params", "f32:64x4", "--indices", "i32:8x1", "--no-c"]
    with tempfile.TemporaryDirectory() as cache:
        path = os.path.join(cache, "clnd", "calibration.json")

        def calibration(*arguments):
            result, document = tap.measure(bench, *arguments, XDG_CACHE_HOME=cache)
            good = result.returncode == 0 and document
            return document["calibration"] if good else result.stderr

        first, again = calibration(*free), calibration(*free)
        tests.check("a calibration is kept", first == again, f"{first}\n{again}")
        anew, quick = calibration("--filter", "small-gather"), calibration("--quick")
        tests.check("a run of the cases makes a new one", anew != first, anew)
        tests.check("which --quick takes", quick == anew, f"{quick}\n{anew}")
        small = calibration(*free, "--threads", "1")
        tests.check("other threads have their own", small not in (first, anew), small)
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)
        part = {key: {"launch_s": 1, "date": "today"} for key in entries}
        tests.check("both are in the file", len(entries) == 2, entries)
        for text in ("nonsense", "[]", json.dumps(part)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            made = calibration(*free)
            tests.check(f"a file with {text[:8]} is replaced",
                        made["launch_s"] != 1 and calibration(*free) == made, made)  # fmt: skip
        tests.check("there is no other file", os.listdir(os.path.dirname(path)) ==
                    ["calibration.json"], os.listdir(os.path.dirname(path)))  # fmt: skip
    result, document = tap.measure(bench, *free, XDG_CACHE_HOME="/dev/null")
    tests.check("without a folder for it nothing is kept", result.returncode == 0, result.stderr)
    result, document = tap.measure(bench, "--quick")
    tests.check(
        "--quick ends with a verdict",
        result.returncode == 0
        and len(document["results"]) == 6
        and result.stdout.splitlines()[-1].startswith("verdict: 6 of 6 right; furthest from "),
        result.stdout,
    )


def main():
    tests = tap.Tests()
    apart = tap.keep_apart()
    bench = sys.argv[1]
    if tap.skipped(bench):
        return 0
    check_pages(tests, bench)
    check_pace(tests, bench)
    check_kept(tests, bench)
    apart.cleanup()
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

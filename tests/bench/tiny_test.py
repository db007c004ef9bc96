#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every case of the benchmark at its smallest size, verified, and what is reported of it.

tiny_test.py CLND_BENCH CLND_BENCH_WRONG [--rusticl]

CLND_BENCH_WRONG spoils results, which must be seen. --rusticl: all of it on Mesa's llvmpipe.
"""

import json
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import tap  # noqa: E402

RUSTICL = "/etc/OpenCL/vendors/rusticl.icd"

N_OTHER = 40  # cases that nobody tuned for
N_CASES = 51 + N_OTHER  # the fifty, the time of the host, and these

HEADER = [
    "device", "platform", "driver", "opencl_c", "clnd", "build_type", "date", "size", "seed",
    "calibration", "results", "processor", "cores", "l2_cache", "l3_cache", "pages", "huge_pages",
    "huge_bytes", "allocator", "calibrated",
]  # fmt: skip
CALIBRATION = [
    "launch_s", "copy_kernel_GBps", "copy_buffer_GBps", "plain_copy_GBps", "random_read_G",
    "random_write_G", "atomic_rows_G", "atomic_random_G", "atomic_one_address_G",
]  # fmt: skip
TIMES = ["median_s", "min_s", "p95_s", "n"]
RATES = ["payload_bytes", "payload_GBps", "moved_bytes", "limit_percent", "c_median_s", "c_ratio"]

LEGEND = ["GB/s  ", "limit%  ", "copy  ", "C loop  ", "det.  ", "first calls, with what they "]

OTHER = 17  # the group of these

ONE_ROW = ["scatter-nd-into", "--target", "f32:1x1", "--indices", "i32:64x1"]

# Outputs that are spoiled, and cases that must see it: (CLND_BENCH_WRONG, case, seen). A case is a
# name or the arguments of a free one.
WRONG = [
    ("nothing", "rows-64", True),
    ("nothing", "gather-elements-f32", True),
    ("nothing", "gnn-add-f32", True),
    ("nothing", "voxelize-f32", True),
    ("nothing", "scatter-elements-add", True),
    ("nothing", "overwrite-f16", True),
    ("nothing", "slice-rank5-f32", True),
    ("nothing", "spatter-lulesh", True),
    ("nothing", "other-slice-assign-f32", True),
    ("0 1", "rows-4", True),
    # An element that the slice leaves alone, and one that it writes.
    ("256 1", "other-slice-assign-f32", True),
    ("0 1", "other-slice-assign-f32", True),
    ("-1 255", "embed-f32-zipf", True),
    ("2 1", "llm-embed-f16", True),
    ("1000 64", "batched-gather-nd", True),
    ("-4 1", "slice-contig-f32", True),
    ("7 128", "slice-hflip-nhwc-u8", True),
    # An element that no update meets, and one that every bin has.
    ("-1 64", "sparse-grad-f32", True),
    ("0 1", "hist-i32-skew", True),
    ("-2 1", "overwrite-f16", True),
    # The last bit of a sum of floats is within its bound, its exponent is not. This case has no
    # deterministic call; where there is one, it must be what the serial loop gives, bit for bit.
    ("0 1", "sweep-duplicates-default-4", False),
    ("1 128", "sweep-duplicates-default-4", True),
    ("3 64", "sweep-duplicates-default-4", True),
    ("0 1", "sweep-duplicates-deterministic-4", True),
    ("0 1 det", "hot-row-f32", True),
    ("0 1 det", "hist-i32-skew", True),
    ("0 1 det", "rows-4", False),
    # Of 64 updates, the numbers 0 to 63, some number must win, and 63 where it is to be the last.
    ("3 64", [*ONE_ROW, "--reduce", "update"], True),
    ("2 4 det", [*ONE_ROW, "--reduce", "update"], True),
    ("2 4 det", [*ONE_ROW, "--reduce", "max"], True),
]


def check_result(tests, result):
    """What must be there of a case that was timed."""
    keys = TIMES + ["strategy", "first_call_s", "engine_s"]
    if result["kind"] == "spatter":
        keys = TIMES + RATES + ["spatter_GBps", "entries"]
    elif result["kind"] == "host":
        keys += ["plan_s"]
    else:
        keys += RATES + ["workspace_bytes", "reason"]
    missing = [key for key in keys if key not in result]
    good = not missing and 0 < result["min_s"] <= result["median_s"] <= result["p95_s"]
    is_scatter = result.get("op", "").startswith("scatter")
    if is_scatter:
        second = result.get("deterministic", {})
        good = good and second.get("median_s", 0) > 0 and "strategy" in second
    if result["kind"] == "plain":
        good = good and result["copy_GBps"] > 0
        good = good and result["in_averages"] == (result["group"] != OTHER)
    tests.check(
        f"{result['case']} is verified and timed",
        good and "error" not in result,
        f"missing: {missing}\n{json.dumps(result, indent=1)}",
    )


def expected_means(document):
    """How many cases the means are of: at this size those that are not launch-bound."""
    counted = [one for one in document["results"] if one["in_averages"] or one["group"] == OTHER]
    timed = [one for one in counted if not one.get("launch_bound")]
    own = sum(one["in_averages"] for one in timed)
    others = len(timed) - own
    return [n for n in (own, others) if n > 1] * 3 + [len(counted) - len(timed)]


def means_of(text):
    lines = re.findall(r"geometric mean of (?:the )?(\d+)|(\d+) launch-bound cases", text)
    return [int(first or second) for first, second in lines]


def check_all(tests, bench, *arguments):
    """Runs all cases and returns the document."""
    result, document = tap.measure(bench, *arguments)
    if not tests.check("all cases run", result.returncode == 0 and document, result.stderr):
        return None
    missing = [key for key in HEADER if key not in document]
    missing += [key for key in CALIBRATION if not document["calibration"].get(key, 0) > 0]
    tests.check("the header is whole", not missing, missing)
    tests.check(f"there are {N_CASES} cases", len(document["results"]) == N_CASES)
    others = [one for one in document["results"] if one["group"] == OTHER]
    tests.check(
        "cases that nobody tuned for have means of their own",
        len(others) == N_OTHER and means_of(result.stdout) == expected_means(document),
        f"{result.stdout}{expected_means(document)}",
    )
    for one in document["results"]:
        check_result(tests, one)
    lines = result.stdout.splitlines()
    tests.check(
        "below it are a legend, what first calls took, and a verdict",
        all(any(line.startswith(word) for line in lines) for word in LEGEND)
        and lines[-1].startswith(f"verdict: {N_CASES} of {N_CASES} right; furthest from the "),
        result.stdout,
    )
    tests.check(
        "the table has a line for each",
        {one["case"] for one in document["results"]} <= {line.split(" ")[0] for line in lines},
        result.stdout,
    )
    return document


def check_one_wrong(tests, result, device, one, wrong, seen):
    case = one["case"]
    lines = [line for line in result.stderr.splitlines() if f"clnd-bench: {case}" in line]
    if not seen:
        tests.check(f"{case} is right with {wrong}", not lines and "error" not in one, lines)
        return
    tests.check(
        f"{case} sees {wrong}",
        lines
        and all("wrong result: row" in line and f"on device {device}" in line for line in lines)
        and "wrong result" in one.get("error", "")
        and "median_s" not in one,
        f"{result.stderr}{json.dumps(one)}",
    )


def check_wrong(tests, bench, spatter):
    """A wrong result is a failure that names case and device, and no time."""
    runs = {}  # what is spoiled in one way, together
    for wrong, case, seen in WRONG:
        own = isinstance(case, list)
        key = (wrong, *case) if own else (wrong,)
        runs.setdefault(key, {})[case[0] if own else case] = seen
    for (wrong, *free), cases in runs.items():
        arguments = free or ["--spatter-dir", spatter, "--sweeps", "--filter", ",".join(cases)]
        result, document = tap.measure(bench, *arguments, CLND_BENCH_WRONG=wrong)
        if not tests.check(f"'{wrong}' is reported", document is not None, result.stderr):
            continue
        found = {one["case"]: one for one in document["results"]}
        for case, seen in cases.items():
            check_one_wrong(tests, result, document["device"], found[case], f"'{wrong}'", seen)
        tests.check(
            f"'{wrong}' is in the exit status and the verdict",
            result.returncode == any(cases.values())
            and (len(cases) == 1 or not any(cases.values()) or " FAILED\n" in result.stdout),
            result.stdout,
        )


def check_reports(tests, bench, document):
    """CSV, comparison and pictures of a result that is there."""
    with tempfile.TemporaryDirectory() as folder:
        now, old = os.path.join(folder, "now.json"), os.path.join(folder, "old.json")
        with open(now, "w", encoding="utf-8") as file:
            json.dump(document, file)
        for one in document["results"]:
            factor = {"rows-64": 3, "rows-128": 1 / 3}.get(one["case"], 1)
            one["median_s"], one["min_s"] = one["median_s"] * factor, one["min_s"] * factor
            if one["case"] in ("rows-64", "rows-128"):
                one["min_s"] = one["median_s"]
        with open(old, "w", encoding="utf-8") as file:
            json.dump(document, file)
        result = tap.run(bench, "--from", now, "--csv")
        rows = result.stdout.splitlines()
        tests.check(
            "CSV has a line for each case",
            result.returncode == 0
            and len(rows) == N_CASES + 1
            and rows[0].startswith("case,op,dtype,")
            and [row.split(",")[0] for row in rows[1:]]
            == [one["case"] for one in document["results"]],
            result.stdout,
        )
        result = tap.run(bench, "--from", now, "--compare", old)
        compared = result.stdout.split("case ")[-1].splitlines()
        lines = {line.split()[0]: line for line in compared if len(line.split()) > 4}
        tests.check(
            "a comparison says what is faster or slower",
            result.returncode == 0
            and " 3.00 " in lines["rows-64"]
            and " 0.33 " in lines["rows-128"]
            and " 1.00 " in lines["rows-16k"]
            and "faster" not in lines["rows-16k"]
            and "SLOWER" not in lines["rows-16k"],
            result.stdout,
        )
        check_pictures(tests, bench, now, os.path.join(folder, "pictures"))


def check_headers(tests, bench, document):
    """A comparison says what else differs."""
    with tempfile.TemporaryDirectory() as folder:
        now, old = os.path.join(folder, "now.json"), os.path.join(folder, "old.json")
        with open(now, "w", encoding="utf-8") as file:
            json.dump(document, file)
        same = tap.run(bench, "--from", now, "--compare", now).stdout
        means = [same.splitlines()[-1]]
        for key, value in (("hot", True), ("size", "gpu"), ("device", "Abacus")):
            with open(old, "w", encoding="utf-8") as file:
                json.dump({**document, key: value}, file)
            result = tap.run(bench, "--from", now, "--compare", old)
            means.append(result.stdout.splitlines()[-1].split("; ")[-1])
        tests.check(
            "a comparison of different things has no mean",
            "geometric mean 1.000 times as fast" in means[0]
            and means[1:]
            == [f"no mean, because {key} differs" for key in ("hot", "size", "device")],
            means,
        )
        before = {**document, "pages": "square", "l3_cache": 1234567}
        del before["allocator"]
        with open(old, "w", encoding="utf-8") as file:
            json.dump(before, file)
        result = tap.run(bench, "--from", now, "--compare", old)
        warnings = [line for line in result.stdout.splitlines() if line.startswith("warning: ")]
        tests.check(
            "a comparison warns when the machine or its memory differs",
            warnings
            == [
                f"warning: l3_cache differs: 1234567 before, {document['l3_cache']} now",
                f"warning: pages differs: square before, {document['pages']} now",
                f"warning: allocator differs: not known before, {document['allocator']} now",
            ],
            result.stdout,
        )


def check_pictures(tests, bench, document, folder):
    name = "pictures are drawn"
    if shutil.which("gnuplot") is None:
        tests.skip(name, "gnuplot is not installed")
        result = tap.run(bench, "--from", document, "--plot", folder)
        tests.check(
            "without gnuplot one line says so",
            result.returncode == 1 and "pictures need gnuplot" in result.stderr,
            result.stderr,
        )
        return
    result = tap.run(bench, "--from", document, "--plot", folder)
    if not tests.check(name, result.returncode == 0 and not result.stderr, result.stderr):
        return
    for picture in ("limits", "row-sizes"):
        with open(os.path.join(folder, picture + ".png"), "rb") as file:
            png = file.read(8) == b"\x89PNG\r\n\x1a\n"
        with open(os.path.join(folder, picture + ".svg"), encoding="utf-8") as file:
            svg = file.read()
        tests.check(f"{picture} is there as PNG and SVG", png and "</svg>" in svg)


def check_sweeps(tests, bench):
    result, document = tap.measure(bench, "--sweeps", "--filter", "sweep-*")
    good = result.returncode == 0 and document and len(document["results"]) > 20
    good = good and all(
        one.get("median_s", 0) > 0 or "strategy" in one.get("error", "")
        for one in document["results"]
    )
    tests.check("the sweeps run", good, result.stdout + result.stderr)


def check_description(tests, bench, document):
    """Other programs get all cases with their shapes, and they are those that run."""
    result = tap.run(bench, "--describe-json")
    described = {one["case"]: one for one in json.loads(result.stdout)["cases"]}
    names = tap.run(bench, "--list").stdout.split()
    tests.check("the names are listed and described", names == list(described), names)
    differ = [
        one["case"]
        for one in document["results"]
        if one["kind"] != "spatter"
        and any(one[key] != described[one["case"]]["sizes"]["tiny"][key]
                for key in ("data", "dense", "payload_bytes"))
    ]  # fmt: skip
    tests.check("what runs is what is described", not differ, differ)
    sizes = {
        ("embed-f32-uniform", "cpu"): 128 << 20,
        ("rows-4", "gpu"): 256 << 20,
        ("gnn-add-f32", "cpu"): 119316 * 256 * 4,
        ("slice-crop-nhwc-u8", "cpu"): 128 * 224 * 224 * 3,
        ("small-gather", "gpu"): 16384,
    }
    wrong = [
        (case, size)
        for (case, size), payload in sizes.items()
        if described[case]["sizes"][size]["payload_bytes"] != payload
    ]
    tests.check("sizes are those of the documentation", not wrong, wrong)


def only_rusticl(folder):
    """Whether the benchmark now finds Mesa's llvmpipe, and nothing else."""
    if not os.path.isfile(RUSTICL):
        return False
    shutil.copy(RUSTICL, folder)
    os.environ["OCL_ICD_VENDORS"] = folder
    return True


def check_everything(tests, bench, wrong):
    document = check_all(tests, bench)
    if document:
        check_description(tests, bench, document)
        check_reports(tests, bench, document)
        check_headers(tests, bench, document)
    check_sweeps(tests, bench)
    check_wrong(tests, wrong, os.path.join(os.path.dirname(bench), "spatter"))


def main():
    tests = tap.Tests()
    apart = tap.keep_apart()
    bench, wrong, *device = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if device == ["--rusticl"] and not only_rusticl(folder):
            print(f"1..0 # SKIP there is no {RUSTICL}")
            return 0
        if tap.skipped(bench):
            return 0
        check_everything(tests, bench, wrong)
    apart.cleanup()
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

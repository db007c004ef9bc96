#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the benchmark refuses, and the one line with which it does.

input_test.py CLND_BENCH
"""

import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import tap  # noqa: E402

TESTING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/testing.md")
GATHER = ["gather-nd", "--params", "f32:100x4", "--indices", "i32:10x1"]

DTYPES = "bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, c64, c128, o1 to o4096"

# Arguments, the exit status, and a part of the message.
REFUSED = [
    (["--filter", "rows-65"], 2, "no case is called rows-65; see clnd-bench --list"),
    (["--size", "huge"], 2, "--size takes one of cpu, gpu, tiny, not 'huge'"),
    (["--device", "no such device"], 1, "no such device"),
    (["--samples", "0"], 2, "--samples takes a whole number from 1 to 1000000, not '0'"),
    (["--pages", "large"], 2, "--pages takes one of huge, small, not 'large'"),
    (["--seconds", "-1"], 2, "--seconds takes seconds from 0 to 3600, not '-1'"),
    (["--what"], 2, "option '--what' is unknown"),
    (["--filter"], 2, "option '--filter' needs a value"),
    (["--reduce", "add"], 2, "--reduce describes a case of its own; name its op first"),
    (["--smaples", "3"], 2, "option '--smaples' is unknown; did you mean --samples?"),
    (["--hot=1"], 2, "option '--hot=1' is unknown, or not used as it is meant"),
    (["gather-md"], 2, "'gather-md' is no op; did you mean 'gather-nd'?"),
    (["fold"], 2, "'fold' is no op; an op is gather-nd, "),
    (["gather-nd"], 2, "gather-nd needs --params"),
    (["gather-nd", "--params", "f32:4x4"], 2, "gather-nd needs --indices"),
    (["gather-nd", "--params", "f32:4xx4"], 2, "--params takes a dtype and a shape"),
    (["gather-nd", "--params", "f99:4"], 2, "--params takes a dtype and a shape"),
    (["gather-nd", "--params", "float32:4"], 2, f"not 'float32:4'; dtypes are {DTYPES}"),
    (["gather-nd", "--indices", "int32:4"], 2, "not 'int32:4'; dtypes are i8 to i64, u8 to u32"),
    (["gather-nd", "--params", "f32:" + "1x" * 16 + "1"], 2, "at most 16 sizes"),
    (["gather-nd", "--params", "f32:9", "--indices", "f32:1x1"], 2, "--indices takes i8 to i64"),
    (["gather-nd", "--params", "f32:9", "--indices", "i32:1x2"], 2, "gather_nd"),
    (["gather-nd", "--params", "f32:9x0", "--indices", "i32:1x1"], 2, "without elements"),
    (["gather-nd", "--params", "f32:300", "--indices", "i8:9x1"], 2, "int8 cannot name 300 places"),
    (
        ["gather-nd", "--params", "f32:999999999999999999x99", "--indices", "i64:1x1"],
        2,
        "more than 63 bits",
    ),
    ([*GATHER, "--dist", "gauss"], 2, "not 'gauss'"),
    ([*GATHER, "--dist", "hot:2"], 2, "--dist hot takes a number from 0 to 1"),
    ([*GATHER, "--strategy", "magic"], 2, "--strategy takes one of lanes, blocks, "),
    ([*GATHER, "--strategy", "must,sorted"], 2, "not 'sorted'"),
    ([*GATHER, "--strategy", "must,,sort"], 2, "not ''"),
    ([*GATHER, "--quick"], 2, "goes without --filter, --quick, "),
    (["--quick", "--filter", "rows-*"], 2, "--quick goes without --filter"),
    ([*GATHER, "more"], 2, "'more' is one operand too many"),
    ([*GATHER, "--filter", "rows-*"], 2, "goes without --filter"),
    ([*GATHER, "--dist", "pic-sorted"], 1, "particles take indices of 3 values"),
    (["slice", "--input", "f32:9"], 2, "slice needs --slice"),
    (["slice-assign", "--input", "f32:9"], 2, "slice-assign needs --slice"),
    (["slice", "--input", "f32:9", "--slice", ""], 2, "slice needs --slice"),
    (["slice", "--input", "f32:9", "--slice", "::0"], 2, "slice"),
    (
        ["scatter-nd-into", "--target", "o3:9", "--indices", "i32:2x1", "--reduce", "add"],
        2,
        "scatter_nd",
    ),
    (["--compare", "missing.json"], 2, "missing.json"),
    (["--from", "broken.json"], 2, "broken.json: line 2: "),
    (["--compare", "broken.json"], 2, "broken.json: line 2: "),
    (["--compare", "list.json"], 2, 'list.json: has no list "results"'),
    (["--compare", "untimed.json"], 2, 'untimed.json: result 0 has no "case" with a "median_s"'),
    (["--from", "peers.json"], 2, "peers.json: has results of several libraries; bench/peers.py"),
    (["--compare", "peers.json"], 2, "peers.json: has results of several libraries"),
    (["--from", "good.json", "--compare", "good.json", "--csv"], 2, "standard output takes one of"),
    (["--from", "good.json", "--compare", "good.json", "--json", "-"], 2, "standard output takes"),
    (["--from", "good.json", "--csv", "--json", "-"], 2, "standard output takes one of"),
    (["--from", "good.json", "--compare", "other.json"], 1, "no case is the same in both files"),
    (["--from", "good.json", "--json", "no/such.json"], 2, "no/such.json cannot be written: No "),
    ([*GATHER, "--json", "no/such.json"], 2, "no/such.json cannot be written: No such file"),
    ([*GATHER, "--json", "."], 2, ". cannot be written: Is a directory"),
    (["--from", "good.json", "--plot", "no/such"], 1, "the folder no/such cannot be made"),
    (["--from", "good.json", "--plot", "pictures"], 1, "not enough results for a picture"),
    (["--spatter", "missing.json"], 2, "missing.json"),
    (["--spatter", "good.json"], 2, "good.json: is no list of patterns"),
    (["--spatter", "empty.json"], 2, "empty.json: has no pattern"),
    (["--spatter", "kernel.json"], 2, "entry 0: its kernel is neither Gather nor Scatter"),
    (["--spatter", "laplace.json"], 2, "entry 0: only patterns UNIFORM:LENGTH:GAP"),
    (["--spatter", "negative.json"], 2, "entry 1: a pattern has whole numbers from 0"),
    (["--spatter", "count.json"], 2, "entry 0: delta and count are whole numbers"),
    (["--spatter-dir", "no such folder"], 2, "no such folder/cpu-ustride.json"),
]

# Options of other ops, each with a value that it takes where it belongs.
NOT_TAKEN = {
    "gather-nd": "target input axis reduce slice column-major deterministic unique",
    "gather": "target input reduce slice column-major deterministic unique",
    "gather-elements": "target input batch-dims reduce slice column-major deterministic unique",
    "scatter-nd": "params input axis batch-dims slice column-major",
    "scatter-nd-into": "params input axis batch-dims slice column-major",
    "scatter-elements": "params input batch-dims slice column-major",
    "slice": "params target indices dist bounds axis batch-dims reduce deterministic unique",
    "slice-assign": "params target indices dist bounds axis batch-dims reduce deterministic unique"
    " column-major",
}
VALUES = {
    **dict.fromkeys(["params", "target", "input"], ["f32:1000x4"]),
    **dict.fromkeys(["column-major", "deterministic", "unique"], []),
    "indices": ["i32:500x1"], "slice": ["1"], "axis": ["1"], "batch-dims": ["1"],
    "reduce": ["add"], "dist": ["zipf"], "bounds": ["wrap"],
}  # fmt: skip
REFUSED += [
    (
        ["scatter-nd", "--target", "f32:9x4", "--indices", "i32:5x1", "--batch-dims", "1"],
        2,
        "scatter-nd takes no --batch-dims\n",
    )
] + [
    ([op, f"--{option}", *VALUES[option]], 2, f"{op} takes no --{option}\n")
    for op, options in NOT_TAKEN.items()
    for option in options.split()
]

# What a comparison finds to differ, in two results.
DIFFERENT = [
    (key, {key: [1]}, {key: [2]})
    for key in "op dtype index_dtype data indices dense slice column_major distribution reduce axis"
    " bounds".split()
] + [
    ("data", {"entries": [{}, {"data": [1]}]}, {"entries": [{}, {"data": [2]}]}),
    ("entries", {"entries": [{}, {}]}, {"entries": [{}]}),
]

FILES = {
    "broken.json": '{"results":\n [{"case": ',
    "list.json": "[1, 2]",
    "untimed.json": '{"results": [{"case": "rows-64"}]}',
    "good.json": '{"results": [{"case": "rows-64", "median_s": 0.5, "min_s": 0.5}]}',
    "peers.json": '{"results": [{"case": "rows-64", "library": "numpy", "median_s": 0.5}]}',
    "other.json": '{"results": [{"case": "rows-65", "median_s": 0.5, "min_s": 0.5}]}',
    "empty.json": "[]",
    "kernel.json": '[{"kernel": "GS", "pattern": [1]}]',
    "laplace.json": '[{"kernel": "Gather", "pattern": "LAPLACIAN:1:2:3"}]',
    "negative.json": '[{"kernel": "Gather", "pattern": [1]},'
    ' {"kernel": "Gather", "pattern": [-1]}]',
    "count.json": '[{"kernel": "Gather", "pattern": [1], "count": 0}]',
    # A second row would end one element behind the 65536 that there are at most.
    "edge.json": '[{"kernel": "Gather", "pattern": [0], "delta": 65536, "count": 9},'
    ' {"kernel": "Gather", "pattern": [0], "delta": 65535, "count": 9}]',
    "mine.json": '[{"kernel": "gather", "pattern": [0, 5, 5], "delta": 2, "count": 20},'
    ' {"kernel": "SCATTER", "pattern": "uniform:4:3:nr"}]',
}

# Free cases of every op, dtype and reduction that the others leave out.
FREE = [
    ["gather", "--params", "f16:20x30x7", "--indices", "u8:5x6", "--axis", "1"],
    ["gather", "--params", "o5:4x9x7", "--indices", "u16:4x6", "--axis", "1", "--batch-dims", "1"],
    ["gather-nd", "--params", "c128:40x3", "--indices", "i16:7x1", "--dist", "zipf"],
    ["gather-nd", "--params", "f32:4x5", "--indices", "i32:7x0"],
    ["gather-elements", "--params", "bf16:20x30x7", "--indices", "i8:20x5x7", "--axis", "-2"],
    ["scatter-nd", "--target", "u8:300x4", "--indices", "i16:3000x1", "--dist", "hot:0.1"],
    ["scatter-nd-into", "--target", "i64:30x4x5", "--indices", "i32:300x2", "--reduce", "min"],
    ["scatter-nd-into", "--target", "i16:30x4", "--indices", "i64:300x1", "--reduce", "mul"],
    ["scatter-nd-into", "--target", "f16:30x4", "--indices", "i32:300x1", "--reduce", "max"],
    ["scatter-nd-into", "--target", "f16:9x4", "--indices", "i32:90x1", "--deterministic"],
    ["scatter-nd-into", "--target", "c64:30x40", "--indices", "i32:300x1", "--reduce", "sub"],
    ["scatter-nd-into", "--target", "bool:30x4", "--indices", "i32:300x1"],
    ["scatter-nd-into", "--target", "f32:9x4", "--indices", "i32:90x1", "--bounds", "wrap"],
    ["scatter-nd-into", "--target", "f32:9x4", "--indices", "i32:90x1", "--strategy", "atomic"],
    ["scatter-nd-into", "--target", "o12:300x4", "--indices", "i32:300x1", "--reduce", "update",
     "--dist", "unique", "--unique"],
    ["scatter-elements", "--target", "bf16:30x4x5", "--indices", "u32:10x4x5"],
    ["slice", "--input", "o3:20x30x40", "--slice", "1:9, 5, ::-2"],
    ["slice", "--input", "f32:20", "--slice", "3"],
    ["slice-assign", "--input", "o3:20x30x40", "--slice", "1:9, 5, ::-2"],
    ["slice-assign", "--input", "u8:20x30", "--slice", "3:9"],
]  # fmt: skip


def check_refusals(tests, bench):
    for arguments, status, text in REFUSED:
        result = tap.run(bench, *tap.SHORT, *arguments)
        tests.check(
            f"refused: {' '.join(arguments)[:70]}",
            result.returncode == status
            and text in result.stderr
            and result.stderr.startswith("clnd-bench: ")
            and result.stderr.count("\n") == 1,
            f"{result.returncode}\n{result.stderr}",
        )


def check_kept(tests, bench):
    """A run that fails before it has results leaves no file, and older results as they are."""
    for name in ("good.json", "new.json"):
        tap.run(bench, "--device", "no such device", "--json", name)
    with open("good.json", encoding="utf-8") as file:
        kept = file.read() == FILES["good.json"]
    tests.check("files stay as they are without results", kept and not os.path.exists("new.json"))
    os.mkfifo("fifo")
    both = 'cat fifo & timeout 20 "$0" --from good.json --json fifo'
    result = tap.run("sh", "-c", both, bench)
    tests.check("a FIFO gets the results", '"case": "rows-64"' in result.stdout, result.stdout)


def compare(bench, now, old):
    """What a comparison of two lists of results says, and its exit status."""
    for name, results in (("now.json", now), ("old.json", old)):
        with open(name, "w", encoding="utf-8") as file:
            json.dump({"results": results}, file)
    result = tap.run(bench, "--from", "now.json", "--compare", "old.json")
    return result.returncode, result.stdout


def check_compare(tests, bench):
    """Results of different problems are not compared; what is not recorded may be the same."""
    rest = {"case": "rows-64", "median_s": 0.5}
    own = {"case": "gather-nd", "median_s": 0.5}
    for key, now, old in DIFFERENT:
        status, text = compare(bench, [{**own, **now}, rest], [{**own, **old}, rest])
        tests.check(
            f"not compared: {now} and {old}",
            status == 0
            and re.search(f"^gather-nd +not compared: {key} differs$", text, re.MULTILINE)
            and "\n1 compared: " in text,
            text,
        )
        status, text = compare(bench, [{**own, **now}, rest], [own, rest])
        tests.check(f"compared: {now} and none", "\n2 compared: " in text, text)


def check_memory(tests, bench):
    huge = ["gather-nd", "--params", "f32:1000000000x4096", "--indices", "i32:9x1"]
    result, document = tap.measure(bench, *huge)
    one = document["results"][0] if document else {}
    tests.check(
        "too large: skipped with the figure",
        result.returncode == 0
        and one.get("error", "").startswith("needs 15258.789 GiB of device memory, the device has")
        and "median_s" not in one
        and "skipped: needs 15258.789 GiB" in result.stdout,
        f"{result.returncode}\n{result.stdout}{result.stderr}{one}",
    )


def check_words(tests, bench):
    """Words that force a strategy are those of the documentation."""
    result = tap.run(bench, *GATHER, "--strategy", "")
    with open(TESTING, encoding="utf-8") as file:
        table = file.read().split("## Forcing a strategy")[1].split("\n\n")[2]
    words = {word for row in table.splitlines()[2:]
             for word in re.findall(r"`(\w+)`", row.split("|")[1])}  # fmt: skip
    shown = result.stderr.split("takes one of ")[-1].split(", not ")[0].split(", ")
    tests.check("words of strategies", set(shown) == words and len(words) > 10, f"{shown}\n{words}")


def check_help(tests, bench):
    result = tap.run(bench, "--help")
    tests.check("--help names the dtypes", f"dtypes: {DTYPES}\n" in result.stdout, result.stdout)


def check_spatter(tests, bench):
    result, document = tap.measure(bench, "--spatter", "mine.json")
    one = document["results"][0] if document else {}
    entries = one.get("entries", [])
    # 20 rows of 3, the last of which reach 5 + 2 * 19; 256 rows of 4 cut to 1024 values.
    tests.check(
        "a Spatter file of one's own",
        result.returncode == 0
        and one.get("case") == "mine"
        and [entry["data"] for entry in entries] == [[5 + 2 * 19 + 1], [9 + 12 * 255 + 1]]
        and [entry["op"] for entry in entries] == ["gather-nd", "scatter-nd-into"]
        and [entry["payload_bytes"] for entry in entries] == [480, 8192]
        and one["payload_bytes"] == 480 + 8192
        and abs(one["median_s"] - sum(entry["median_s"] for entry in entries)) < 1e-6
        and one["spatter_GBps"] > 0,
        f"{result.stderr}{one}",
    )
    result, document = tap.measure(bench, "--spatter", "edge.json")
    entries = document["results"][0].get("entries", []) if document else []
    tests.check(
        "a pattern is cut to the data that there may be",
        [entry["data"] for entry in entries] == [[1], [65536]],
        f"{result.stderr}{entries}",
    )


def check_free_cases(tests, bench):
    for arguments in FREE:
        result, document = tap.measure(bench, *arguments)
        one = document["results"][0] if document else {}
        is_slice = arguments[0].startswith("slice")
        bounds = "wrap" if "wrap" in arguments else "default"
        tests.check(
            f"runs: {' '.join(arguments)}",
            result.returncode == 0 and one.get("median_s", 0) > 0
            and one.get("bounds") == (None if is_slice else bounds)
            and one.get("column_major") == (False if is_slice else None),
            f"{result.stderr}{one}",
        )


def check_elements(tests, bench):
    """Updates of elements have an index each, so they write to as many lines; unique indices, of
    which there may be too few, are those of whole rows."""
    sizes = ["--target", "f32:100000x64", "--indices", "i32:100x64", "--axis", "0"]
    lines = []
    for distribution in ("uniform", "unique"):
        _, document = tap.measure(bench, "scatter-elements", *sizes, "--dist", distribution)
        lines.append(document["results"][0]["cold_bytes"] if document else 0)
    tests.check("an index for each element", lines[0] > 5 * lines[1] > 0, lines)


def main():
    tests = tap.Tests()
    apart = tap.keep_apart()
    bench = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in FILES.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        check_refusals(tests, bench)
        check_kept(tests, bench)
        check_compare(tests, bench)
        check_memory(tests, bench)
        check_words(tests, bench)
        check_help(tests, bench)
        check_spatter(tests, bench)
        check_free_cases(tests, bench)
        check_elements(tests, bench)
        os.chdir("/")
    apart.cleanup()
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

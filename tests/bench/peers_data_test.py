#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The data that bench/peers.py draws, and its checks of results.

peers_data_test.py CLND_BENCH DATA_DRIVER
"""

import json
import os
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))

import tap  # noqa: E402
from data_test import CASES  # noqa: E402
from peer import data, measure, problem  # noqa: E402
from peer.on_numpy import Library  # noqa: E402

# The first numbers of SplitMix64 with state 0, as its authors' program prints them.
SPLITMIX = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]

# Cases of clnd-bench that the peers have no call for.
NO_CALL = ["other-" + name for name in (
    "gather-batch2", "gather-strided", "gather-elements-axis0", "gather-elements-rank4",
    "scatter-elements-axis0", "scatter-elements-last", "sum-c64", "max-i16", "mul-u8", "min-u8",
    "copy-bool", "slice-assign-f32")]


def test_numbers(tests):
    got = [int(value) for value in data.numbers(0, np.arange(3))]
    tests.check("stream 0 is SplitMix64", got == SPLITMIX, got)
    thirds = [value >> 32 for value in SPLITMIX]
    got = data.below(0, np.arange(3), 1000).tolist()
    tests.check("below", got == [value * 1000 >> 32 for value in thirds], got)
    got = data.unit(0, np.arange(3)).tolist()
    tests.check("unit", got == [(value >> 11) / 2**53 for value in SPLITMIX], got)
    small = data.CHUNK
    data.CHUNK = 7
    parts = data.draw("uniform", 40, [1000])[0].tolist()
    data.CHUNK = small
    tests.check("chunks do not show", parts == data.draw("uniform", 40, [1000])[0].tolist(), parts)


def test_contents(tests):
    moved = data.moved((3, 1000), np.float16).reshape(-1)
    tests.check("moved", [moved[i] for i in (0, 1020, 1021, 2999)] == [0, 1020, 0, 957])
    small = data.moved((600,), np.uint8)[[250, 251, 599]].tolist()
    tests.check("moved bytes", small == [250, 0, 97], small)
    summed = data.summed((1022,), np.float32)
    tests.check("summed", summed[[0, 510, 1020, 1021]].tolist() == [-510 / 1024, 0, 510 / 1024,
                                                                    -510 / 1024])
    tests.check("summed integers", (data.summed((5,), np.int32) == 1).all())


def test_distributions(tests, driver):
    """Against what clnd-bench draws."""
    for name, _, _, n, extents in CASES:
        for seed in (0, 7):
            result = tap.run(driver, name, str(seed), str(n), *map(str, extents))
            wanted = np.array([line.split() for line in result.stdout.splitlines()], dtype=float)
            rows, weights = data.draw(name, n, extents, seed)
            tests.check(f"{name}, seed {seed}: rows", np.array_equal(rows, wanted[:, 0]),
                        rows[:20])
            if weights is not None:
                tests.check(f"{name}, seed {seed}: weights",
                            np.array_equal(weights, wanted[:, 1].astype(np.float32)), weights[:9])


def call_of(**keys):
    return {"dtype": "f32", "index_dtype": "i64", "distribution": "uniform", "seed": 0, **keys}


def test_indices(tests):
    """How the rows that are drawn become index arrays."""
    drawn = data.draw("uniform", 12, [50])[0]
    call = call_of(op="scatter-elements", reduce="add", axis=0, data=[50, 3], indices=[12, 3])
    got = problem.draw_indices(call)[0]
    tests.check("scatter_elements has one row for all columns",
                np.array_equal(got, np.repeat(drawn[:, None], 3, axis=1)) and
                got.dtype == np.int64, got)
    call = call_of(op="gather-elements", axis=1, data=[4, 50], indices=[4, 3], index_dtype="i32")
    got = problem.draw_indices(call)[0]
    tests.check("gather_elements takes rows in order",
                np.array_equal(got.reshape(-1), drawn) and got.dtype == np.int32, got)
    call = call_of(op="gather-nd", batch_dims=1, data=[2, 50, 8], indices=[2, 6, 1])
    got = problem.draw_indices(call)[0]
    tests.check("batches take rows in order", np.array_equal(got.reshape(-1), drawn), got)
    call = call_of(op="gather-nd", data=[5, 6, 7], indices=[9, 3])
    got = problem.draw_indices(call)[0]
    wanted = [data.below(k + 1, np.arange(9), extent) for k, extent in enumerate((5, 6, 7))]
    tests.check("tuples", np.array_equal(got.T, wanted), got)
    call = call_of(op="gather-nd", data=[99], indices=[3, 2, 1], pattern=[4, 1], delta=10)
    got = problem.draw_indices(call)[0]
    tests.check("patterns", got.reshape(-1).tolist() == [4, 1, 14, 11, 24, 21], got)
    tests.check("slices", problem.parse_slice(":, 1:9:2, ::-1, -3:") == (
        slice(None), slice(1, 9, 2), slice(None, None, -1), slice(-3, None)))


def cases_of(bench):
    text = subprocess.run([bench, "--describe-json"], capture_output=True, check=True).stdout
    for case in json.loads(text)["cases"]:
        own = case["sizes"]["tiny"]
        for call in own.get("entries", [own]):
            if case["kind"] != "host":
                yield case["case"], {**{key: case[key] for key in case if key != "sizes"}, **call}


def spoiled(result, place):
    """The result with one element changed by more than any rounding."""
    copy = result.copy()
    flat = copy.reshape(-1)
    flat[place] = flat[place] + 1 if flat[place] < 2 else 0
    return copy


def fault_of(made, result):
    try:
        made.check(result)
    except problem.Wrong as fault:
        return str(fault)
    return ""


def refused(call):
    try:
        problem.form_of(call)
    except problem.Unknown:
        return True
    return False


def loop(made):
    """The result, element by element: what a reader believes at first sight."""
    call = made.call
    if made.form == problem.SLICE:
        array = made.data().T if call.get("column_major") else made.data()
        return np.ascontiguousarray(array[made.slices])
    index = made.given.reshape(-1, made.given.shape[-1])
    if made.is_scatter:
        target, updates = made.target(), made.updates()
        wide = target.astype(np.float64 if made.dtype.kind == "f" else made.dtype)
        if call["op"] == "scatter-elements":
            for row in range(updates.shape[0]):
                for column in range(updates.shape[1]):
                    wide[made.given[row, column], column] += updates[row, column]
            return wide.astype(made.dtype)
        for place, update in zip(index, updates):
            if call["reduce"] == "update":
                wide[tuple(place)] = update
            else:
                wide[tuple(place)] += update
        return wide.astype(made.dtype)
    x = made.data()
    if call["op"] == "gather-elements":
        return np.array([[x[row, i] for i in indices] for row, indices in enumerate(made.given)])
    if call.get("batch_dims"):
        return np.array([[x[b, i[0]] for i in rows] for b, rows in enumerate(made.given)])
    return np.array([x[tuple(place)] for place in index]).reshape(made.out_shape)


def test_checks(tests, bench):
    """Every check accepts what a loop gives and what NumPy gives, and refuses one other element."""
    seen, numpy = set(), Library("cpu", 1)
    for name, call in cases_of(bench):
        if name.startswith("spatter") and (name, call["op"]) in seen:
            continue  # one gather and one scatter of each file
        seen.add((name, call["op"]))
        if name in NO_CALL:
            tests.check(f"{name}: is refused", refused(call), call)
            continue
        indices, weights = problem.draw_indices(call) if call["op"] != "slice" else (None, None)
        made = problem.Problem(call, indices, weights)
        result = loop(made)
        faults = [fault_of(made, result)]
        for way, make in getattr(numpy, made.form)(made):
            faults.append(fault_of(made, make()()))
        tests.check(f"{name}: right results", not any(faults), faults)
        places = {0, result.size // 2, result.size - 1}
        if made.is_scatter:  # the others may be places that no index names
            rows = made.rows()
            places.add(int(rows[0]) * made.updates().size // len(rows))
        missed = [p for p in places if "wrong result" not in fault_of(made, spoiled(result, p))]
        tests.check(f"{name}: one wrong element is found", not missed, missed)
        tests.check(f"{name}: another shape is found",
                    "wrong result" in fault_of(made, result.reshape(-1)[:-1]))
    tests.check("all cases were seen", len(seen) > 80, len(seen))


def test_choice(tests):
    def slow():
        return sum(range(200000)) and "right"

    def check(value):
        if value != "right":
            raise problem.Wrong("wrong result: %s" % value)

    def refuse():
        raise ValueError("no such\ncall")

    ways = [("slow", lambda: slow), ("wrong", lambda: lambda: "wrong"),
            ("fast", lambda: lambda: "right"), ("none", refuse)]
    chosen, faults = measure.choose(ways, check)
    tests.check("the fastest right call is taken", chosen == "fast", chosen)
    tests.check("the others' faults are kept",
                faults == {"wrong": "wrong result: wrong", "none": "no such call"}, faults)
    try:
        measure.choose(ways[1:2], check)
        said = ""
    except RuntimeError as fault:
        said = str(fault)
    tests.check("no right call is an error", said == "wrong: wrong result: wrong", said)


def test_samples(tests):
    options = {"samples": 20, "rounds": 3, "seconds": 0.0, "parts": 1}
    tests.check("20 samples in three rounds", not measure.enough(6, 0.1, options) and
                measure.enough(7, 0.1, options))
    shared = {**options, "parts": 4}
    tests.check("20 samples of four calls", not measure.enough(1, 0.1, shared) and
                measure.enough(2, 0.1, shared))
    options["seconds"] = 0.5
    tests.check("half a second", not measure.enough(7, 0.1, options) and
                measure.enough(7, 0.17, options))
    tests.check("median", measure.median([3, 1, 2]) == 2 and measure.median([4, 1, 2, 3]) == 2.5)


def main():
    tests = tap.Tests()
    bench, driver = sys.argv[1:]
    test_numbers(tests)
    test_contents(tests)
    test_distributions(tests, driver)
    test_indices(tests)
    test_checks(tests, bench)
    test_choice(tests)
    test_samples(tests)
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

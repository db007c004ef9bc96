#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/peers.py as a program: tables of ratios, runs at the smallest size, bad input.

peers_test.py CLND_BENCH
"""

import json
import os
import shutil
import sys
import tempfile
import time
import types

sys.dont_write_bytecode = True
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(0, FOLDER)

import tap  # noqa: E402
from peer import cases, measure, session, table  # noqa: E402

PEERS = os.path.join(FOLDER, "peers.py")
SHORT = ["--size", "tiny", "--rounds", "2", "--samples", "2", "--seconds", "0", "--warm-up", "0",
         "--retries", "0"]

# A stand-in for PyTorch that ends its process, as libraries do that run out of memory.
FAKE = """
import os
__version__ = "0.fake"
set_num_threads = set_grad_enabled = lambda value: None
def from_numpy(array):
    os.write(2, b"about to end\\n")
    os._exit(3)
"""

CLND = {
    "clnd": "0.1", "device": "a device", "size": "cpu",
    "results": [
        {"case": "a", "median_s": 0.002, "c_median_s": 0.003, "copy_GBps": 10, "in_averages": True},
        {"case": "b", "median_s": 0.004, "copy_GBps": 10, "in_averages": True},
        {"case": "small", "median_s": 0.001, "in_averages": False},
        {"case": "broken", "error": "wrong result: row 3", "failed": True},
        {"case": "curve", "sweep": "x", "median_s": 1.0},
    ],
}
OTHERS = {
    "threads": 2, "peers": {"numpy": {"version": "2"}, "cupy": {"missing": "not there"}},
    "results": [
        {"case": "a", "library": "numpy", "median_s": 0.016, "n": 4, "copy_GBps": 10},
        {"case": "a", "library": "jax", "median_s": 0.004, "copy_GBps": 12},
        {"case": "b", "library": "numpy", "median_s": 0.002, "copy_GBps": 13},
        {"case": "b", "library": "jax", "error": "no such call"},
        {"case": "small", "library": "numpy", "median_s": 0.0001, "in_averages": False},
        {"case": "broken", "library": "numpy", "median_s": 0.5},
    ],
}


def close(value, wanted):
    return value is not None and abs(value - wanted) < 1e-9


def lines_of(text):
    """The rows of the table, between empty lines, by case."""
    table_text = next(part for part in text.split("\n\n") if part.startswith("case "))
    return {line.split()[0]: line.split()[1:] for line in table_text.splitlines()}


def test_table(tests):
    document = table.joined([CLND, OTHERS])
    rows = {row.case: row for row in table.rows_of(document)}
    tests.check("points of curves are no cases", sorted(rows) == ["a", "b", "broken", "small"])
    a, b = rows["a"], rows["b"]
    tests.check("ratios", close(a.ratio("numpy"), 8) and close(a.ratio("jax"), 2) and
                close(a.ratio("c"), 1.5) and b.ratio("jax") is None)
    tests.check("the best peer is no C loop", a.best_peer() == "jax" and b.best_peer() == "numpy")
    tests.check("drift of copies", not a.drifted() and b.drifted())
    columns = table.columns_of(rows.values())
    tests.check("columns", columns == ["numpy", "jax", "c"], columns)
    means = table.means(rows.values(), columns)
    tests.check("geometric means without small calls and errors",
                close(means["best"][0], 1) and means["best"][1] == 2 and
                close(means["numpy"][0], 2) and close(means["jax"][0], 2) and
                means["jax"][1] == 1 and close(means["c"][0], 1.5), means)
    text = table.text(document)
    shown = lines_of(text)
    tests.check("the row of a case", shown["a"] == ["2", "jax", "2.00", "8.00", "2.00", "1.50",
                                                            "!"], text)
    tests.check("too few samples are explained", "! one of the times rests on fewer than 5 samples."
                in text, text)
    tests.check("errors and drift are shown",
                shown["b"] == ["4", "numpy", "0.50", "0.50", "error", "-", "~"] and
                shown["broken"] == ["error", "numpy", "-", "-", "-", "-"], text)
    tests.check("why there is no time is said", "No time:" in text and
                "JAX: no such call" in text and "clnd: wrong result: row 3" in text, text)
    tests.check("what is missing is said", "CuPy: not there" in text, text)
    tests.check("what is slower is said", "Slower than the best peer:" in text and
                text.index("  small ") < text.index("  b  "), text)
    head, first = table.csv(document).splitlines()[:2]
    tests.check("comma-separated values", first == "a,0.002,jax,2,0.016,8,0.004,2,0.003,1.5" and
                head.startswith("case,clnd_s,best_peer,best_ratio,numpy_s,numpy_ratio,"), first)
    lines = table.markdown(document).splitlines()
    tests.check("a section in Markdown", lines[2:] == [
        "| case | clnd ms | fastest peer | its time | NumPy | JAX | C loop |",
        "|---|---|---|---|---|---|---|",
        "| `a` | 2 | JAX | 2.00 | 8.00 | 2.00 | 1.50 |",
        "| `b` | 4 | NumPy | 0.50 | 0.50 | error | - |",
        "| `small` | 1 | NumPy | 0.10 | 0.10 | - | - |",
        "| geometric mean |  |  | 1.00 | 2.00 | 2.00 | 1.50 |",
    ], lines)
    text = table.text(table.joined([OTHERS]))
    tests.check("without clnd there are times", lines_of(text)["a"] == ["4", "jax", "16", "4", "!"],
                text)
    later = {"results": [{"case": "a", "library": "jax", "median_s": 0.001}]}
    row = table.rows_of(table.joined([CLND, OTHERS, later]))[0]
    tests.check("the last result counts", row.seconds["jax"] == 0.001)


def test_merging(tests):
    rounds = [{"case": "a", "median_s": m, "min_s": m / 2, "n": 7, "copy_GBps": 10 * m}
              for m in (3.0, 1.0, 2.0)]
    line = session.merged(rounds)
    tests.check("rounds of clnd-bench", line["median_s"] == 2 and line["min_s"] == 0.5 and
                line["n"] == 21 and line["copy_GBps"] == 20, line)
    failed = {"case": "a", "error": "wrong result"}
    tests.check("one failed round fails the case", session.merged(rounds + [failed]) == failed)
    parts = [{"median_s": 1.0, "min_s": 0.5, "n": 7, "copy_GBps": 10.0},
             {"median_s": 2.0, "min_s": 1.5, "n": 5, "copy_GBps": 30.0}]
    total = session.sum_of(parts)
    tests.check("sums over entries", total == {"median_s": 3.0, "min_s": 2.0, "n": 5,
                                              "copy_GBps": 15.0}, total)
    total = session.sum_of(parts + [{"error": "no"}])
    tests.check("an entry without a time", total == {"error": "entry 2: no"}, total)


def peers(*arguments, **environment):
    return tap.run(sys.executable, PEERS, *arguments, **environment)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def test_numpy(tests, bench, folder):
    """All cases, verified."""
    path = os.path.join(folder, "numpy.json")
    done = peers(*SHORT, "--bench", bench, "--peers", "numpy", "--json", path)
    tests.check("all cases on NumPy", done.returncode == 0, done.stderr)
    tests.check("nothing on standard error", done.stderr == "", done.stderr)
    document = load(path)
    listed = peers("--bench", bench, "--list").stdout.split()
    names = [line["case"] for line in document["results"]]
    tests.check("every case has a result", names == listed and len(names) == 50, names)
    bad = [line for line in document["results"]
           if "error" in line or not 0 < line["min_s"] <= line["median_s"] or line["n"] < 2 or
           line["payload_bytes"] <= 0 or line["library"] != "numpy"]
    tests.check("every result has times", not bad, bad)
    entries = sum(len(line.get("entries", [])) for line in document["results"])
    tests.check("entries of Spatter files", entries == 50, entries)
    tests.check("calls are named", all("call" in line or "entries" in line
                                       for line in document["results"]))
    return path


def test_copies_beside_clnd(tests):
    """The marks compare copies, so one program makes them all."""
    def rate_beside(kind, line):
        one = session.Session.__new__(session.Session)
        one.options, one.is_tiny = types.SimpleNamespace(device="cpu"), True
        one.copy = types.SimpleNamespace(seconds=lambda: 1e-3)
        one.clnd = types.SimpleNamespace(turn=lambda case: line)
        one.turn_of_clnd(types.SimpleNamespace(sample_kind=kind))
        return line.get("copy_GBps")

    own = measure.copied_bytes(True) / 1e-3 * 1e-9
    tests.check("copies beside clnd", close(rate_beside("cold", {"copy_GBps": 7}), own))
    tests.check("none beside small calls", rate_beside("small", {}) is None)
    tests.check("none beside an error", rate_beside("cold", {"error": "wrong"}) is None)


def test_retries(tests):
    """A case is measured again while its copies differ, and what came before is forgotten."""
    def times_of(copies, retries):
        one = session.Session.__new__(session.Session)
        one.options, one.clnd = types.SimpleNamespace(retries=retries), None
        one.progress = lambda text: None
        one.samples = {("a", "numpy", 0): session.Samples(), ("b", "numpy", 0): session.Samples()}
        for samples in one.samples.values():
            samples.add({"way": "take", "faults": {}, "wall": [7], "device": [], "copies": [7]})
        left = list(copies)

        def turn(process, case):
            answer = {"way": "take", "faults": {}, "wall": [len(left)], "device": [],
                      "copies": [left.pop(0)]}
            one.samples[case.id, "numpy", 0].add(answer)
            return answer["copies"]

        one.turn = turn
        fakes = [types.SimpleNamespace(name="numpy"), types.SimpleNamespace(name="numpy")]
        one.take_turns(types.SimpleNamespace(id="a"), fakes, "round")
        tests.check("other cases keep theirs", one.samples["b", "numpy", 0].wall == [7])
        return one.samples["a", "numpy", 0].wall, left

    tests.check("no retry", times_of([1, 1.2, 9, 9], 2) == ([7, 4, 3], [9, 9]))
    tests.check("one retry", times_of([1, 2, 1, 1], 2)[1] == [])
    tests.check("retries end", times_of([1, 2, 1, 2, 1, 2, 1, 2], 2)[1] == [1, 2])
    tests.check("none at all", times_of([1, 2, 1, 1], 0) == ([7, 4, 3], [1, 1]))
    forgetful = session.Samples()
    for seconds in (1, 2):
        forgetful.add({"way": "take", "faults": {}, "wall": [seconds], "device": [seconds],
                       "copies": [seconds]})
    forgetful.forget_last()
    tests.check("the last samples are forgotten",
                (forgetful.wall, forgetful.device, forgetful.copies) == ([1], [1], [1]))


def test_interleaved(tests, bench, folder):
    path, pictures = os.path.join(folder, "both.json"), os.path.join(folder, "pictures")
    globs = "rows-64,hist-i32-*,slice-contig-f32,small-gather,spatter-amg"
    arguments = [*SHORT, "--interleave", f"{bench} --no-c --json", "--peers", "numpy",
                 "--filter", globs, "--json", path]
    has_gnuplot = shutil.which("gnuplot")
    done = peers(*arguments, *(["--plot", pictures] if has_gnuplot else []))
    tests.check("in turns with clnd-bench", done.returncode == 0, done.stderr)
    document = load(path)
    pairs = {(line["case"], line["library"]) for line in document["results"]
             if line.get("median_s", 0) > 0}
    tests.check("both have a time for every case", len(pairs) == 12, sorted(pairs))
    tests.check("the device is in the file", document["clnd"]["device"] and
                document["peers"]["numpy"]["version"], document["clnd"])
    shown = lines_of(done.stdout)
    tests.check("the table has ratios", float(shown["rows-64"][2]) > 0 and
                "Geometric means" in done.stdout, done.stdout)
    if not has_gnuplot:
        tests.skip("pictures", "gnuplot is not installed")
        return path
    files = [os.path.join(pictures, "peers." + ending) for ending in ("png", "svg")]
    tests.check("pictures", all(os.path.getsize(file) > 1000 for file in files), files)
    svg = open(files[1], encoding="utf-8").read()
    tests.check("the picture names cases and libraries",
                all(word in svg for word in ("rows-64", "spatter-amg", "NumPy")))
    return path


def test_join(tests, bench, folder, numpy):
    own = os.path.join(folder, "clnd.json")
    tap.run(bench, "--size", "tiny", "--rounds", "1", "--samples", "2", "--seconds", "0",
            "--warm-up", "0", "--filter", "rows-*", "--json", own)
    done = peers("--join", own, numpy)
    shown = lines_of(done.stdout)
    tests.check("join of two files", done.returncode == 0 and len(shown["rows-64"]) >= 5 and
                shown["gnn-add-f32"][0] == "-", done.stdout + done.stderr)


def test_other_libraries(tests, bench, folder):
    """One that is not there, and one whose process ends."""
    with open(os.path.join(folder, "torch.py"), "w", encoding="ascii") as file:
        file.write(FAKE)
    with open(os.path.join(folder, "cupy.py"), "w", encoding="ascii") as file:
        file.write("raise ModuleNotFoundError(name='cupy')\n")
    path = os.path.join(folder, "others.json")
    done = peers(*SHORT, "--bench", bench, "--peers", "torch,numpy,cupy", "--filter",
                 "rows-4,rows-8", "--json", path, PYTHONPATH=folder)
    tests.check("a library that ends is no end of the run", done.returncode == 0, done.stderr)
    document = load(path)
    errors = {line["case"]: line.get("error") for line in document["results"]
              if line["library"] == "torch"}
    text = "the process ended with status 3: about to end"
    tests.check("its cases have errors", errors == {"rows-4": text, "rows-8": text}, errors)
    tests.check("the others have times",
                all("median_s" in line for line in document["results"]
                    if line["library"] == "numpy"))
    missing = document["peers"]["cupy"]
    tests.check("what is not installed is said",
                missing == {"missing": "the module cupy is not installed"}, missing)


def test_threads(tests, bench):
    done = peers(*SHORT, "--bench", bench, "--peers", "numpy", "--filter", "rows-4", "--threads",
                 "1", "--json", "-")
    document = json.loads(done.stdout)
    tests.check("one thread, and JSON on standard output", document["threads"] == 1,
                done.stderr)


class Clock:
    """Clearing takes time, calls take none."""

    device = copy_seconds = None

    @staticmethod
    def clear():
        time.sleep(0.02)

    @staticmethod
    def wall(call):
        return 1e-9, call()


def test_pace(tests):
    pace = {"samples": 3, "seconds": 0.2, "rounds": 1, "warm_up": 0, "parts": 1}
    count = len(measure.sample_cold(lambda: None, Clock, pace)["wall"])
    tests.check("the clearing of caches counts", 3 <= count <= 10, count)
    shared = len(measure.sample_cold(lambda: None, Clock, {**pace, "parts": 5})["wall"])
    tests.check("calls of one file share the time", 1 <= shared <= 2, shared)


def test_allocators(tests, bench):
    """A library's process has the allocator that the result names."""
    for name in ("system", "jemalloc"):
        done = peers(*SHORT, "--bench", bench, "--peers", "numpy", "--filter", "rows-4",
                     "--allocator", name, "--json", "-")
        if name == "jemalloc" and measure.find_jemalloc() is None:
            tests.check("jemalloc that is missing is refused", done.returncode == 2 and
                        done.stderr == "peers.py: jemalloc is not installed (on Debian: apt-get "
                        "install libjemalloc2)\n", done.stderr)
            continue
        document = json.loads(done.stdout)
        tests.check(f"allocator {name}", document["allocator"] == name and
                    document["peers"]["numpy"]["allocator"] == name, done.stdout + done.stderr)
        tests.check(f"the machine is named beside allocator {name}",
                    all(key in document for key in ("processor", "cores", "l2_cache", "l3_cache",
                                                    "huge_pages")), document)
    done = tap.run(bench, "--size", "tiny", "--filter", "rows-4", "--json", "-")
    named = json.loads(done.stdout)["processor"]
    tests.check("clnd-bench gives the processor the same name", named == measure.processor(),
                f"{named}, {measure.processor()}")


def test_refusals(tests, bench, folder):
    broken = os.path.join(folder, "broken.json")
    with open(broken, "w", encoding="ascii") as file:
        file.write('{"results": [{"case": "a"}]}')
    texts = [
        (["--bench", bench, "--filter", "nothing*"], "no case is called nothing*; see --list"),
        (["--bench", "/nowhere/clnd-bench"], "/nowhere/clnd-bench --describe-json"),
        (["--cases", broken], "no description of cases"),
        (["--cases", "/nowhere/cases.json"], "No such file"),
        (["--join", broken], "no results"),
        (["--join", "/nowhere/results.json"], "No such file"),
        (["--bench", bench, "--peers", "cupy"], "there is nothing to measure: cupy"),
        (["--bench", bench, "--interleave=--json"], "--interleave takes a command"),
    ]
    for arguments, text in texts:
        done = peers("--size", "tiny", *arguments)
        tests.check(f"refused: {' '.join(arguments[-2:])}",
                    done.returncode == 2 and text in done.stderr and
                    done.stderr.startswith("peers.py: ") and done.stderr.count("\n") == 1,
                    done.stderr)
    for arguments, text in [(["--peers", "matlab"], "'matlab' is none of"),
                            (["--threads", "0"], "not '0'"), (["--rounds", "x"], "not 'x'")]:
        done = peers(*arguments)
        tests.check(f"refused: {' '.join(arguments)}", done.returncode == 2 and
                    text in done.stderr, done.stderr)


def test_wrong(tests, bench, folder):
    """A clnd that is wrong makes the run fail."""
    wrong = os.path.join(folder, "clnd-bench")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n"
                   f'[ "$1" = --describe-json ] && exec {bench} "$@"\n'
                   'while [ "$1" != --json ]; do shift; done\n'
                   'echo \'{"results": [{"case": "rows-4", "error": "wrong result: row 1", '
                   '"failed": true}]}\' >"$2"\n')
    os.chmod(wrong, 0o755)
    done = peers(*SHORT, "--interleave", wrong, "--peers", "numpy", "--filter", "rows-4")
    tests.check("a wrong result of clnd", done.returncode == 1 and
                done.stderr == "peers.py: rows-4, clnd: wrong result: row 1\n", done.stderr)


def test_filter(tests):
    def case(name):
        return type("Case", (), {"id": name, "is_other": name.startswith("other-")})

    chosen = cases.matching([case("rows-4"), case("rows-64"), case("hist")], "rows-*,h?st")
    tests.check("globs", [one.id for one in chosen] == ["rows-4", "rows-64", "hist"])
    chosen = cases.matching([case("rows-4"), case("rows-64")], "rows-6?")
    tests.check("one glob", [one.id for one in chosen] == ["rows-64"])
    both = [case("rows-4"), case("other-rows-12")]
    tests.check("the others run when they are named",
                [one.id for one in cases.matching(both, None)] == ["rows-4"] and
                cases.matching(both, "*") == both)


def main():
    tests = tap.Tests()
    bench = sys.argv[1]
    test_table(tests)
    test_merging(tests)
    test_filter(tests)
    test_pace(tests)
    with tempfile.TemporaryDirectory() as folder:
        numpy = test_numpy(tests, bench, folder)
        test_copies_beside_clnd(tests)
        test_retries(tests)
        test_interleaved(tests, bench, folder)
        test_join(tests, bench, folder, numpy)
        test_other_libraries(tests, bench, folder)
        test_threads(tests, bench)
        test_allocators(tests, bench)
        test_wrong(tests, bench, folder)
        test_refusals(tests, bench, folder)
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

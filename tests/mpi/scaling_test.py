#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of clnd-mpi on one and two ranks, and its model: TAP.

scaling_test.py CLND_BENCH_MPI MPIEXEC

The program ends with an error if a result is wrong. PyTorch is not needed here.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile

MPI_BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/mpi")
FEWEST_WAYS = {("clnd", False), ("clnd", True), ("C loops", False)}


def python(*words):
    return subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, text=True, check=True,
                          timeout=100).stdout


def mistakes(document):
    """What is wrong with a run of scaling.py."""
    found = []
    for run in document["runs"]:
        where = "%d ranks, %s" % (run["ranks"], run["distribution"])
        gathers = [r for r in run["results"] if (r["op"], r["pattern"]) == ("gather", "new")]
        if not FEWEST_WAYS <= {(r["way"], r["merged"]) for r in gathers}:
            found.append(where + ": a way is missing")
        if any(r["min_s"] <= 0 or r["median_s"] < r["min_s"] for r in run["results"]):
            found.append(where + ": times")
        if any(r["sent_bytes"] < run["least_bytes"] for r in gathers):
            found.append(where + ": fewer bytes travelled than have to")
    return found


def main():
    program, mpiexec = sys.argv[1:]
    try:
        socket.create_server(("127.0.0.1", 0)).close()
    except OSError as error:
        print("1..0 # SKIP no loopback interface, where bytes are counted: %s" % error)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scaling.json")
        shown = python(os.path.join(MPI_BENCH, "scaling.py"), program, "--mpiexec", mpiexec,
                       "--ranks", "1,2", "--rows", "2048", "--asked", "512", "--samples", "2",
                       "--json", path)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        model = python(os.path.join(MPI_BENCH, "model.py"), path)
        again = python(os.path.join(MPI_BENCH, "scaling.py"), "--show", path)
    scalings = {word for run in document["runs"] for word in run["scaling"]}
    results = [("all ways are right, and timed", mistakes(document)),
               ("weak and strong scaling, and latency", {"weak", "strong", "latency"} - scalings),
               ("--show prints the same", again != shown),
               ("the model speaks of 64 and 1024 ranks", "| 64 ranks, ms | 1024" not in model)]
    print("1..%d" % len(results))
    for number, (name, bad) in enumerate(results, 1):
        print("%sok %d - %s" % ("not " if bad else "", number, name))
        if bad:
            print("# %s" % (bad,))


if __name__ == "__main__":
    main()

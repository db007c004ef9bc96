#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gathers and sums over a table on many ranks: clnd-mpi beside C loops, PETSc and PyTorch.

    scaling.py build/bench/mpi/clnd-bench-mpi --json scaling.json
    scaling.py --show scaling.json

Weak scaling: rows and requests for each rank stay the same. Strong scaling: those of all ranks do.
docs/mpi.md, "How fast", says how to read the tables.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DISTRIBUTIONS = ("uniform", "zipf:1.05")
FEW = 64  # requests of a rank, of which the time is latency
WAYS = [("clnd", False), ("clnd", True), ("C loops", False), ("PetscSF", False),
        ("torch gloo", False), ("torch gloo", True)]
# All ways by TCP over the loopback interface, where bytes can be counted; each rank a thread.
ENVIRONMENT = {
    "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo", "GLOO_SOCKET_IFNAME": "lo",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",  # Open MPI 4, then 5
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "POCL_MAX_PTHREAD_COUNT": "1", "OMP_NUM_THREADS": "1"}


def plan(ranks, rows, asked):
    """(ranks, rows of the table, requests of a rank, distribution, what the run is for)"""
    most, runs = max(ranks), {}
    for distribution in DISTRIBUTIONS:
        for p in ranks:
            weak, strong = (p, p * rows, asked), (p, most * rows, most * asked // p)
            runs.setdefault((*weak, distribution), []).append("weak")
            runs.setdefault((*strong, distribution), []).append("strong")
    for p in ranks:
        runs.setdefault((p, p * rows, FEW, "uniform"), []).append("latency")
    return [(*run, scaling) for run, scaling in runs.items()]


def finish(processes):
    """What the first one wrote; all of them have to end well."""
    written = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        sys.exit("scaling.py: %s failed" % " ".join(processes[0].args))
    return json.loads(written[0])


def start(command):
    return subprocess.Popen(command, env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE)


def run(arguments, ranks, rows, asked, distribution):
    """One run of the program, with torch's results among the others."""
    words = [str(rows), str(asked), distribution, str(arguments.samples)]
    document = finish([start([arguments.mpiexec, "-n", str(ranks), arguments.program, *words])])
    if arguments.torch:
        with tempfile.TemporaryDirectory() as folder:
            torch = finish([
                start([arguments.torch, os.path.join(HERE, "on_torch.py"), str(rank), str(ranks),
                       os.path.join(folder, "store"), *words]) for rank in range(ranks)])
        document["torch"] = torch["version"]
        document["results"] += torch["results"]
    return document


def measure(arguments):
    runs = []
    for ranks, rows, asked, distribution, scaling in plan(arguments.ranks, arguments.rows,
                                                          arguments.asked):
        if sys.stderr.isatty():
            print("%d ranks, %d rows, each asks for %d, %s" % (ranks, rows, asked, distribution),
                  file=sys.stderr)
        runs.append({"scaling": scaling, **run(arguments, ranks, rows, asked, distribution)})
    return {"runs": runs}


def lines(document, pattern, op):
    """(run, scaling, results by way) of a table."""
    for scaling in ("weak", "strong", "latency"):
        for one in document["runs"]:
            if scaling in one["scaling"]:
                yield one, scaling, {(r["way"], r["merged"]): r for r in one["results"]
                                     if r["pattern"] == pattern and r["op"] == op}


def cell(result, first, key):
    if not result or not first:
        return ""
    return "%.2f" % (result[key] / first)


def table(document, pattern, key, ops=("gather", "scatter")):
    """Times in multiples of clnd's, or bytes in multiples of the least."""
    is_time = key == "min_s"
    print("| | indices | scaling | ranks | %s | %s |" % (
        "clnd ms" if is_time else "least MB",
        " | ".join(way + (", merged" if merged else "") for way, merged in WAYS[is_time:])))
    print("|---" * (5 + len(WAYS[is_time:])) + "|")
    for op in ops:
        for one, scaling, results in lines(document, pattern, op):
            first = results["clnd", False][key] if is_time else one["least_bytes"]
            if first:
                print("| %s | %s | %s | %d | %.3g | %s |" % (
                    op, one["distribution"], scaling, one["ranks"],
                    first * (1e3 if is_time else 1e-6),
                    " | ".join(cell(results.get(way), first, key) for way in WAYS[is_time:])))
    print()


def show(document):
    first = document["runs"][0]
    print("%s, %d cores; %s; rows of %d bytes\n" % (
        first["processor"], first["cores"], first["mpi"], first["row_bytes"]))
    for pattern in ("new", "kept"):
        print("Pattern %s: least times, as multiples of clnd's\n" % pattern)
        table(document, pattern, "min_s")
    print("Bytes that travel, as multiples of the least\n")
    table(document, "new", "sent_bytes", ["gather"])


def main():
    made = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("program", nargs="?", help="clnd-bench-mpi")
    made.add_argument("--show", metavar="FILE", help="the tables of an older run")
    made.add_argument("--json", metavar="FILE", help="keep what was found")
    made.add_argument("--mpiexec", default="mpiexec")
    made.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    made.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")],
                      default=[1, 2, 4])
    made.add_argument("--rows", type=int, default=65536, help="of the table, for each rank")
    made.add_argument("--asked", type=int, default=32768, help="by each rank")
    made.add_argument("--samples", type=int, default=9)
    arguments = made.parse_args()
    if not arguments.program and not arguments.show:
        made.error("a program or --show is needed")
    if arguments.show:
        with open(arguments.show, encoding="utf-8") as file:
            document = json.load(file)
    else:
        document = measure(arguments)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    show(document)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits a model of clnd-mpi's times to a run of scaling.py, and says what it expects of more ranks.

    model.py scaling.json [--latency SECONDS --bandwidth BYTES_PER_SECOND]

    time = o (fixed + latency m (P - 1) + row (asked + served) + byte bytes)

o: ranks that share a core. m: messages between two ranks. served, bytes: of the busiest rank, so
imbalance is in them. The options put another network in the place of the one that was measured.
docs/mpi.md, "The model", has the assumptions.
"""
import argparse
import json
import math

import numpy as np

PLACE_BYTES = 8
MESSAGES = {"new": 3, "kept": 1}  # counts, places and rows; rows
PREDICTED = (64, 1024)
HOT = 1 << 20  # of a Zipf law, the rows whose places are drawn one by one; the others are even


class Run:
    """What a call has to do."""

    def __init__(self, ranks, cores, asked, served, row_bytes):
        self.ranks, self.asked, self.served, self.row_bytes = ranks, asked, served, row_bytes
        self.shared = max(1, ranks / cores)

    def work(self, pattern):
        """What fixed, latency, row and byte are multiplied with."""
        travels = self.row_bytes + (PLACE_BYTES if pattern == "new" else 0)
        return self.shared * np.array([
            1, MESSAGES[pattern] * (self.ranks - 1), self.asked + self.served,
            self.served * (1 - 1 / self.ranks) * travels])


def fit(work, seconds):
    """Least squares of the relative errors; no cost is negative."""
    relative, costs = work / seconds[:, None], np.zeros(work.shape[1])
    columns = list(range(work.shape[1]))
    while columns:
        found = np.linalg.lstsq(relative[:, columns], np.ones(len(seconds)), rcond=None)[0]
        if found.min() >= 0:
            costs[columns] = found
            break
        del columns[int(found.argmin())]
    return costs


def busiest_share(distribution, ranks, rows, asked):
    """Of all requests, those of the rank that gets most, in multiples of an even share."""
    chance = 1 + math.sqrt(2 * math.log(ranks) / asked)
    name, _, exponent = distribution.partition(":")
    if name == "uniform":
        return chance
    s, hot = float(exponent), min(HOT, rows)
    weights = np.arange(1, hot + 1, dtype=np.float64) ** -s
    rest = (hot ** (1 - s) - rows ** (1 - s)) / (s - 1)
    drawn = np.random.default_rng(1).integers(ranks, size=hot)
    shares = np.bincount(drawn, weights, minlength=ranks) + rest / ranks
    return max(chance, float(shares.max() / shares.mean()))


def measured(document, op, pattern):
    """(run as it was measured, what a call of it has to do, seconds)"""
    for one in document["runs"]:
        for result in one["results"]:
            if (result["way"], result["merged"]) == ("clnd", False) and \
                    (result["op"], result["pattern"]) == (op, pattern):
                yield one, Run(one["ranks"], one["cores"], one["asked"], one["most_served"],
                               one["row_bytes"]), result["min_s"]


def expected(document, scaling, distribution, ranks):
    """What a call has to do on more ranks, each with a core of its own."""
    of_one = [run for run in document["runs"]
              if scaling in run["scaling"] and run["distribution"] == distribution]
    first = min(of_one, key=lambda run: run["ranks"])
    is_weak = scaling == "weak"
    rows = first["rows"] * (ranks if is_weak else 1)
    asked = first["asked"] if is_weak else max(1, first["asked"] // ranks)
    served = asked * busiest_share(distribution, ranks, rows, asked)
    return Run(ranks, ranks, asked, served, first["row_bytes"])


def show_costs(costs, errors):
    print("| | pattern | fixed us | latency us | row ns | GB/s | error, mean | worst |\n"
          "|---|---|---|---|---|---|---|---|")
    for (op, pattern), found in costs.items():
        error = errors[op, pattern]
        print("| %s | %s | %.0f | %.1f | %.0f | %s | %.0f %% | %.0f %% |" % (
            op, pattern, found[0] * 1e6, found[1] * 1e6, found[2] * 1e9,
            "%.2f" % (1e-9 / found[3]) if found[3] else "-",
            100 * error.mean(), 100 * error.max()))


def show_expected(document, costs):
    distributions = sorted({run["distribution"] for run in document["runs"]})
    print("\n| | pattern | scaling | indices |%s\n|---|---|---|---|%s" % (
        "".join(" %d ranks, ms |" % ranks for ranks in PREDICTED), "---|" * len(PREDICTED)))
    for (op, pattern), found in costs.items():
        for scaling in ("weak", "strong"):
            for distribution in distributions:
                times = [expected(document, scaling, distribution, ranks).work(pattern) @ found
                         for ranks in PREDICTED]
                print("| %s | %s | %s | %s |%s" % (
                    op, pattern, scaling, distribution,
                    "".join(" %.3g |" % (1e3 * time) for time in times)))


def main():
    made = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("file")
    made.add_argument("--latency", type=float, metavar="SECONDS", help="of a message")
    made.add_argument("--bandwidth", type=float, metavar="B/S", help="of each rank's link")
    arguments = made.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        document = json.load(file)
    costs, errors = {}, {}
    for op in ("gather", "scatter"):
        for pattern in MESSAGES:
            calls = list(measured(document, op, pattern))
            work = np.array([run.work(pattern) for _, run, _ in calls])
            seconds = np.array([time for _, _, time in calls])
            costs[op, pattern] = fit(work, seconds)
            errors[op, pattern] = abs(work @ costs[op, pattern] / seconds - 1)
    show_costs(costs, errors)
    for found in costs.values():
        if arguments.latency is not None:
            found[1] = arguments.latency
        if arguments.bandwidth is not None:
            found[3] = 1 / arguments.bandwidth
    show_expected(document, costs)


if __name__ == "__main__":
    main()

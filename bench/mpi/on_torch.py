#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clnd-bench-mpi does, by torch.distributed on gloo. scaling.py starts one for each rank.

    on_torch.py RANK RANKS STORE ROWS ASKED DISTRIBUTION SAMPLES

STORE is a file that is not there yet, by which the ranks find one another. Rank 0 writes JSON.
"""
import json
import os
import re
import statistics
import sys
import time

import numpy as np
import torch
import torch.distributed as dist

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from peer import data  # noqa: E402

WIDTH = 32


def loopback_bytes():
    """As in main.c."""
    with open("/proc/net/dev", encoding="ascii") as file:
        return int(re.search(r" lo:(?:\s+\d+){8}\s+(\d+)", file.read()).group(1))


class Problem:
    """The data of problem.c."""

    def __init__(self, rank, ranks, rows, asked, distribution):
        self.rank, self.ranks, self.asked = rank, ranks, asked
        self.mine = rows // ranks
        self.first = rank * self.mine
        drawn, _ = data.draw(distribution, asked * ranks, (rows,), seed=1)
        self.drawn = torch.from_numpy(drawn)
        self.indices = self.drawn[rank * asked : (rank + 1) * asked].clone()
        self.numbers = torch.arange(asked * ranks)

    def updates(self, number):
        return (1 + (number[:, None] + torch.arange(WIDTH)) % 7).double()

    def fill(self, scatters):
        rows = self.first * WIDTH + torch.arange(self.mine * WIDTH).reshape(-1, WIDTH).double()
        self.table = torch.zeros_like(rows) if scatters else rows
        self.dense = self.updates(self.rank * self.asked + self.numbers[: self.asked])

    def holds(self, scatters):
        if not scatters:
            expected = (self.indices[:, None] * WIDTH + torch.arange(WIDTH)).double()
            return torch.equal(self.dense, expected)
        mine = torch.nonzero(self.drawn // self.mine == self.rank).ravel()
        expected = np.zeros((self.mine, WIDTH))
        np.add.at(expected, (self.drawn[mine] - self.first).numpy(), self.updates(mine).numpy())
        return torch.equal(self.table, torch.from_numpy(expected))


class Way:
    def __init__(self, problem, scatters, merges):
        self.problem, self.scatters, self.merges = problem, scatters, merges

    def prepare(self):
        p = self.problem
        if self.merges:  # in ascending order, so by owner
            wanted, self.place = torch.unique(p.indices, return_inverse=True)
        else:
            self.order = torch.argsort(p.indices // p.mine, stable=True)
            wanted = p.indices[self.order]
        counts = torch.bincount(wanted // p.mine, minlength=p.ranks)
        asked = torch.empty_like(counts)
        dist.all_to_all_single(asked, counts)
        self.to, self.served = counts.tolist(), asked.tolist()
        self.rows = torch.empty(sum(self.served), dtype=torch.int64)
        dist.all_to_all_single(self.rows, wanted % p.mine, self.served, self.to)

    def run(self):
        p = self.problem
        if self.scatters:
            far = torch.empty(sum(self.served), WIDTH, dtype=torch.float64)
            dist.all_to_all_single(far, p.dense[self.order], self.served, self.to)
            p.table.index_add_(0, self.rows, far)
            return
        near = torch.empty(sum(self.to), WIDTH, dtype=torch.float64)
        dist.all_to_all_single(near, p.table[self.rows], self.to, self.served)
        if self.merges:
            torch.index_select(near, 0, self.place, out=p.dense)
        else:
            p.dense[self.order] = near

    def once(self):
        self.prepare()
        self.run()


def seconds_of(call):
    dist.barrier()
    begin = time.monotonic()
    call()
    mine = torch.tensor(time.monotonic() - begin, dtype=torch.float64)
    dist.all_reduce(mine, dist.ReduceOp.MAX)
    return float(mine)


def sent_by(call):
    least = None
    for _ in range(3):
        dist.barrier()
        before = loopback_bytes()
        dist.barrier()
        call()
        dist.barrier()
        sent = loopback_bytes() - before
        least = sent if least is None else min(least, sent)
    return least


def result(problem, scatters, merges, pattern, samples):
    way = Way(problem, scatters, merges)
    problem.fill(scatters)
    way.prepare()
    call = way.run if pattern == "kept" else way.once
    call()
    if not problem.holds(scatters):
        sys.exit("on_torch.py: a wrong result")
    sent = sent_by(call)
    times = [seconds_of(call) for _ in range(samples)]
    return {"op": "scatter" if scatters else "gather", "way": "torch gloo", "pattern": pattern,
            "merged": merges, "n": samples, "median_s": statistics.median(times),
            "min_s": min(times), "sent_bytes": sent}


def main():
    rank, ranks = int(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + sys.argv[3], rank=rank,
                            world_size=ranks)
    problem = Problem(rank, ranks, int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
    results = [result(problem, scatters, merges, pattern, int(sys.argv[7]))
               for scatters in (False, True) for merges in (False, True)
               for pattern in ("new", "kept") if not (scatters and merges)]
    if rank == 0:
        json.dump({"version": torch.__version__, "results": results}, sys.stdout)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark's data against a second program that follows docs/benchmarking.md.

data_test.py DATA_DRIVER
"""

import math
import sys

import numpy as np

sys.dont_write_bytecode = True

import tap  # noqa: E402

MASK = (1 << 64) - 1


def mix(z):
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & MASK
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Data:
    """Streams of one seed."""

    def __init__(self, seed):
        self.seed = seed

    def h(self, s, i):
        return mix(mix(s + (self.seed << 32)) + (i + 1) * 0x9E3779B97F4A7C15 & MASK)

    def below(self, s, i, m):
        return ((self.h(s, i) >> 32) * m) >> 32

    def unit(self, s, i):
        return (self.h(s, i) >> 11) * 2.0**-53

    def perm(self, m):
        return sorted(range(m), key=lambda row: self.h(2, row))


def flat(place, extents):
    row = 0
    for index, extent in zip(place, extents):
        row = row * extent + index
    return row


def clamp(value, size):
    return min(max(value, 0), size - 1)


def uniform(d, n, extents, _):
    return [flat([d.below(k + 1, i, e) for k, e in enumerate(extents)], extents) for i in range(n)]


def ordered(d, n, extents, _):
    return sorted(uniform(d, n, extents, _))


def zipf(d, n, extents, exponent):
    sums = np.cumsum([(k + 1.0) ** -exponent for k in range(extents[0])])
    perm = d.perm(extents[0])
    return [perm[int(np.argmax(sums > d.unit(1, i) * sums[-1]))] for i in range(n)]


def power(d, n, extents, exponent):
    perm = d.perm(extents[0])
    return [perm[math.floor(extents[0] * d.unit(1, i) ** exponent)] for i in range(n)]


def hot(d, n, extents, share):
    return [0 if d.unit(3, i) < share else d.below(1, i, extents[0]) for i in range(n)]


def unique(d, n, extents, _):
    return d.perm(extents[0])[:n]


def paged(d, n, extents, page):
    page = int(page)
    perm = d.perm(extents[0] // page)
    return [page * perm[i // page] + i % page for i in range(n)]


def clustered(d, n, extents, _):
    height = extents[0] // 432
    rows = []
    for i in range(n):
        c = 512 * i // n
        y = d.below(4, c, height) + math.floor(12 * (d.unit(5, i) + d.unit(6, i) - 1))
        x = d.below(7, c, 432) + math.floor(12 * (d.unit(8, i) + d.unit(9, i) - 1))
        rows.append(clamp(y, height) * 432 + clamp(x, 432))
    return rows


def jitter(d, n, extents, _):
    step = math.prod(extents) // n
    rows = []
    for i in range(n):
        place = np.unravel_index(i * step, extents)
        rows.append(
            flat(
                [
                    clamp(int(p) + d.below(k + 1, i, 9) - 4, extents[k])
                    for k, p in enumerate(place)
                ],
                extents,
            )
        )
    return rows


def particles(d, n, extents, is_sorted):
    cells = []
    for p in range(n // 8):
        places = [d.unit(k + 1, p) * (e - 1) for k, e in enumerate(extents)]
        cell = [min(math.floor(x), e - 2) for x, e in zip(places, extents)]
        cells.append((flat(cell, extents), cell, [x - c for x, c in zip(places, cell)]))
    if is_sorted:
        cells.sort(key=lambda item: item[0])
    rows, weights = [], []
    for _, cell, part in cells:
        for corner in range(8):
            step = [corner >> 2 & 1, corner >> 1 & 1, corner & 1]
            rows.append(flat([c + s for c, s in zip(cell, step)], extents))
            weights.append(np.float32(math.prod(f if s else 1 - f for f, s in zip(part, step))))
    return rows, weights


CASES = [
    ("uniform", uniform, 0, 500, [1000]),
    ("uniform-3", uniform, 0, 500, [7, 11, 13]),
    ("sorted", ordered, 0, 500, [1000]),
    ("zipf:1.05", zipf, 1.05, 500, [300]),
    ("zipf:0.5", zipf, 0.5, 500, [300]),
    ("power", power, 3, 500, [300]),
    ("hot-50", hot, 0.5, 500, [300]),
    ("skew-90", hot, 0.9, 500, [300]),
    ("hot:0.25", hot, 0.25, 500, [300]),
    ("unique", unique, 0, 299, [300]),
    ("paged-16", paged, 16, 300, [320]),
    ("paged:4", paged, 4, 300, [320]),
    ("clustered", clustered, 0, 1500, [432 * 5]),
    ("jitter-3", jitter, 0, 500, [9, 11, 13]),
    ("pic-unsorted", particles, False, 800, [9, 8, 7]),
    ("pic-sorted", particles, True, 800, [9, 8, 7]),
]

REFUSED = [
    (["unique", "0", "11", "10"], "11 unique rows cannot be drawn from 10"),
    (["paged:16", "0", "10", "100"], "pages of 16 rows take a whole number of pages"),
    (["clustered", "0", "10", "100"], "clusters take a multiple of 432 rows"),
    (["pic-sorted", "0", "8", "100"], "particles take indices of 3 values"),
    (["jitter", "0", "11", "10"], "a walk of 11 steps does not fit into 10 rows"),
    (["uniform", "0", "1", "0"], "indices can be drawn from 1 to 4294967295 rows, not from 0"),
    (["zipf:x", "0", "1", "9"], "--dist zipf takes a number"),
    (["sometimes", "0", "1", "9"], "not 'sometimes'"),
]


def main():
    tests = tap.Tests()
    for name, draw, parameter, n, extents in CASES:
        for seed in (0, 7):
            wanted = draw(Data(seed), n, extents, parameter)
            rows, weights = wanted if isinstance(wanted, tuple) else (wanted, [0] * n)
            result = tap.run(sys.argv[1], name, str(seed), str(n), *map(str, extents))
            lines = [line.split() for line in result.stdout.splitlines()]
            got = [int(line[0]) for line in lines]
            tests.check(f"{name}, seed {seed}: rows", got == rows, result.stderr or got[:20])
            if draw is particles:
                close = np.allclose([float(line[1]) for line in lines], weights, rtol=1e-6)
                tests.check(f"{name}, seed {seed}: weights", close, lines[:20])
    for arguments, text in REFUSED:
        result = tap.run(sys.argv[1], *arguments)
        tests.check(
            f"refused: {' '.join(arguments)}",
            result.returncode == 1 and text in result.stderr,
            result.stderr,
        )
    return tests.done()


if __name__ == "__main__":
    sys.exit(main())

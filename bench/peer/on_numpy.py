# SPDX-License-Identifier: Apache-2.0
"""The calls of NumPy, which has one thread."""
import numpy as np


class Library:
    name = "numpy"
    devices = ("cpu",)

    def __init__(self, device, threads):
        self.version = np.__version__
        self.threads = 1

    @staticmethod
    def to_numpy(value):
        return value

    @staticmethod
    def clock(clock):
        return clock

    @staticmethod
    def into(function, out):
        def call():
            function(out)
            return out
        return call

    def rows(self, p):
        x, i = p.data(), p.indices
        return [
            ("take(out=, mode='clip')",
             lambda: self.into(lambda out: np.take(x, i, axis=0, out=out, mode="clip"),
                               p.output())),
            ("x[i]", lambda: lambda: x[i]),
        ]

    def batched(self, p):
        x, i = p.data(), p.indices
        batch = np.arange(len(x))[:, None]

        def take_each(out):
            for b, rows in enumerate(i):
                np.take(x[b], rows, axis=0, out=out[b], mode="clip")

        return [
            ("take(out=, mode='clip') of each batch", lambda: self.into(take_each, p.output())),
            ("x[b, i]", lambda: lambda: x[batch, i]),
        ]

    def tuples(self, p):
        x, columns = p.data(), p.columns

        def flat_take(out):
            flat = np.ravel_multi_index(columns, x.shape)
            np.take(x.reshape(-1), flat, out=out, mode="clip")

        return [
            ("x[z, y, x]", lambda: lambda: x[tuple(columns)]),
            ("ravel_multi_index, take(out=, mode='clip')",
             lambda: self.into(flat_take, p.output())),
        ]

    def elements(self, p):
        x, i = p.data(), p.indices
        return [("take_along_axis", lambda: lambda: np.take_along_axis(x, i, axis=1))]

    def add(self, p):
        i, u = p.indices, p.updates()
        ways = [("add.at", lambda: self.into(lambda t: np.add.at(t, i, u), p.target()))]
        if u.ndim > 1:
            return ways

        def weighted(t):
            t += np.bincount(i, weights=u, minlength=len(t)).astype(t.dtype)

        def counted(t):
            t += np.bincount(i, minlength=len(t)).astype(t.dtype)

        ways.append(("bincount(weights)", lambda: self.into(weighted, p.target())))
        if u.dtype.kind == "i":
            ways.append(("bincount", lambda: self.into(counted, p.target())))
        return ways

    def add_fresh(self, p):
        i, u = p.indices, p.updates()

        def add_at():
            t = np.zeros(p.shape, dtype=p.dtype)
            np.add.at(t, i, u)
            return t

        def columns():
            t = np.empty(p.shape, dtype=p.dtype)
            for k in range(u.shape[1]):
                t[:, k] = np.bincount(i, weights=u[:, k], minlength=len(t))
            return t

        return [("zeros, add.at", lambda: add_at),
                ("bincount(weights) of each column", lambda: columns)]

    def add_tuples(self, p):
        columns, u = tuple(p.columns), p.updates()

        def flat(t):
            np.add.at(t.reshape(-1), np.ravel_multi_index(columns, t.shape), u)

        return [("add.at", lambda: self.into(lambda t: np.add.at(t, columns, u), p.target())),
                ("ravel_multi_index, add.at", lambda: self.into(flat, p.target()))]

    def add_elements(self, p):
        i, u = p.indices, p.updates()
        column = np.arange(u.shape[1])

        def weighted(t):
            flat = (i * t.shape[1] + column).reshape(-1)
            t += np.bincount(flat, weights=u.reshape(-1), minlength=t.size).reshape(t.shape)

        return [("add.at", lambda: self.into(lambda t: np.add.at(t, (i, column), u), p.target())),
                ("bincount(weights)", lambda: self.into(weighted, p.target()))]

    def update(self, p):
        i, u = p.indices, p.updates()

        def assign(t):
            t[i] = u

        return [("t[i] = u", lambda: self.into(assign, p.target()))]

    def slice(self, p):
        x = p.data()
        return [("copyto(out, x[s])",
                 lambda: self.into(lambda out: np.copyto(out, p.sliced(x)), p.output()))]

# SPDX-License-Identifier: Apache-2.0
"""The calls of CuPy, which needs a CUDA device."""
import cupy

from . import measure


class DeviceClock(measure.Clock):
    """Events around the call, enqueued while the caches are still being cleared."""

    def __init__(self, clock):
        super().__init__(clock.caches, clock.tiny)
        size = measure.copied_bytes(clock.tiny)
        self.scratch = cupy.ones(size // 8, dtype=cupy.int64)
        self.source = cupy.ones(size, dtype=cupy.uint8)
        self.sink = cupy.empty_like(self.source)

    def clear(self):
        self.scratch.max()

    def wall(self, call):
        cupy.cuda.get_current_stream().synchronize()
        return measure.Clock.wall(call)

    def device(self, call):
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        call(wait=False)
        after.record()
        after.synchronize()
        return cupy.cuda.get_elapsed_time(before, after) * 1e-3

    def copy_seconds(self):
        return self.device(lambda wait: cupy.copyto(self.sink, self.source))


class Library:
    name = "cupy"
    devices = ("cuda",)

    def __init__(self, device, threads):
        cupy.cuda.runtime.getDeviceCount()
        self.version = cupy.__version__
        self.threads = threads
        self.device = device

    @staticmethod
    def clock(clock):
        return DeviceClock(clock)

    @staticmethod
    def to_numpy(value):
        return value.get()

    @staticmethod
    def fresh(function):
        def call(wait=True):
            result = function()
            if wait:
                cupy.cuda.get_current_stream().synchronize()
            return result
        return call

    def into(self, function, array):
        out = cupy.asarray(array)

        def run():
            function(out)
            return out
        return self.fresh(run)

    def rows(self, p):
        x, i = cupy.asarray(p.data()), cupy.asarray(p.indices)
        return [("take(out=)",
                 lambda: self.into(lambda out: cupy.take(x, i, axis=0, out=out), p.output())),
                ("x[i]", lambda: self.fresh(lambda: x[i]))]

    def batched(self, p):
        x, i = cupy.asarray(p.data()), cupy.asarray(p.indices)
        batch = cupy.arange(len(x))[:, None]
        return [("x[b, i]", lambda: self.fresh(lambda: x[batch, i]))]

    def tuples(self, p):
        x, columns = cupy.asarray(p.data()), tuple(cupy.asarray(c) for c in p.columns)
        return [("x[z, y, x]", lambda: self.fresh(lambda: x[columns]))]

    def elements(self, p):
        x, i = cupy.asarray(p.data()), cupy.asarray(p.indices)
        return [("take_along_axis",
                 lambda: self.fresh(lambda: cupy.take_along_axis(x, i, axis=1)))]

    def add(self, p):
        i, u = cupy.asarray(p.indices), cupy.asarray(p.updates())
        ways = [("add.at", lambda: self.into(lambda t: cupy.add.at(t, i, u), p.target()))]
        if u.ndim == 1:
            def weighted(t):
                t += cupy.bincount(i, weights=u, minlength=len(t)).astype(t.dtype)

            ways.append(("bincount(weights)", lambda: self.into(weighted, p.target())))
        return ways

    def add_fresh(self, p):
        i, u = cupy.asarray(p.indices), cupy.asarray(p.updates())

        def add():
            t = cupy.zeros(p.shape, dtype=p.dtype)
            cupy.add.at(t, i, u)
            return t

        return [("zeros, add.at", lambda: self.fresh(add))]

    def add_tuples(self, p):
        columns = tuple(cupy.asarray(c) for c in p.columns)
        u = cupy.asarray(p.updates())
        return [("add.at", lambda: self.into(lambda t: cupy.add.at(t, columns, u), p.target()))]

    def add_elements(self, p):
        i, u = cupy.asarray(p.indices), cupy.asarray(p.updates())
        column = cupy.arange(p.shape[1])
        return [("add.at",
                 lambda: self.into(lambda t: cupy.add.at(t, (i, column), u), p.target()))]

    def update(self, p):
        i, u = cupy.asarray(p.indices), cupy.asarray(p.updates())

        def assign(t):
            t[i] = u

        return [("t[i] = u", lambda: self.into(assign, p.target()))]

    def slice(self, p):
        x = cupy.asarray(p.data())

        def copy(out):
            out[...] = p.sliced(x)

        return [("out[...] = x[s]", lambda: self.into(copy, p.output()))]

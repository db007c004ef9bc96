# SPDX-License-Identifier: Apache-2.0
"""The calls of PyTorch, on a CPU or a CUDA device."""
import numpy as np
import torch

from . import measure


class CudaClock(measure.Clock):
    """Events around the call, enqueued while the caches are still being cleared."""

    def __init__(self, clock):
        super().__init__(clock.caches, clock.tiny)
        size = measure.copied_bytes(clock.tiny)
        self.scratch = torch.ones(size // 8, dtype=torch.int64, device="cuda")
        self.source = torch.ones(size, dtype=torch.uint8, device="cuda")
        self.sink = torch.empty_like(self.source)

    def clear(self):
        self.scratch.max()

    def wall(self, call):
        torch.cuda.synchronize()
        return measure.Clock.wall(call)

    def device(self, call):
        before = torch.cuda.Event(enable_timing=True)
        after = torch.cuda.Event(enable_timing=True)
        before.record()
        call(wait=False)
        after.record()
        after.synchronize()
        return before.elapsed_time(after) * 1e-3

    def copy_seconds(self):
        return self.device(lambda wait: self.sink.copy_(self.source))


class Library:
    name = "torch"
    devices = ("cpu", "cuda")

    def __init__(self, device, threads):
        if device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("PyTorch finds no CUDA device")
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.version = torch.__version__
        self.threads = threads
        self.device = device

    def clock(self, clock):
        if self.device == "cpu":
            return clock
        return CudaClock(clock)

    @staticmethod
    def to_numpy(value):
        return value.cpu().numpy()

    def put(self, array):
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def waiting(self, function):
        """The call, complete when it returns unless it is told not to wait."""
        if self.device == "cpu":
            return function

        def call(wait=True):
            result = function()
            if wait:
                torch.cuda.synchronize()
            return result
        return call

    def into(self, function, array):
        out = self.put(array)

        def call():
            function(out)
            return out
        return self.waiting(call)

    def fresh(self, function):
        return self.waiting(function)

    def rows(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        ways = [
            ("index_select(out=)",
             lambda: self.into(lambda out: torch.index_select(x, 0, i, out=out), p.output())),
            ("x[i]", lambda: self.fresh(lambda: x[i])),
        ]
        if x.dim() == 2:
            ways.append(("embedding",
                         lambda: self.fresh(lambda: torch.nn.functional.embedding(i, x))))
        else:
            wide = i.long()
            ways.append(("gather(out=), int64 indices",
                         lambda: self.into(lambda out: torch.gather(x, 0, wide, out=out),
                                           p.output())))
        return ways

    def batched(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        batch = torch.arange(len(x), device=self.device)[:, None]
        wide = i.long()[:, :, None].expand(-1, -1, x.shape[2])

        def select_each(out):
            for b in range(len(x)):
                torch.index_select(x[b], 0, i[b], out=out[b])

        return [
            ("x[b, i]", lambda: self.fresh(lambda: x[batch, i])),
            ("gather(out=), int64 indices",
             lambda: self.into(lambda out: torch.gather(x, 1, wide, out=out), p.output())),
            ("index_select(out=) of each batch", lambda: self.into(select_each, p.output())),
        ]

    def tuples(self, p):
        x, columns = self.put(p.data()), [self.put(column) for column in p.columns]
        depth, height, width = x.shape

        def flat():
            z, y, column = columns
            return torch.index_select(x.view(-1), 0, (z * height + y) * width + column)

        return [("x[z, y, x]", lambda: self.fresh(lambda: x[tuple(columns)])),
                ("index_select of (z H + y) W + x", lambda: self.fresh(flat))]

    def elements(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        return [("gather(out=)",
                 lambda: self.into(lambda out: torch.gather(x, 1, i, out=out), p.output()))]

    def add(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        wide = i.long()
        full = wide.view(-1, *[1] * (u.dim() - 1)).expand_as(u)
        ways = [
            ("index_add_", lambda: self.into(lambda t: t.index_add_(0, i, u), p.target())),
            ("scatter_add_, int64 indices",
             lambda: self.into(lambda t: t.scatter_add_(0, full, u), p.target())),
            ("index_put_(accumulate)",
             lambda: self.into(lambda t: t.index_put_((wide,), u, accumulate=True), p.target())),
        ]
        if u.dim() == 1:
            ways.append(("bincount(weights)", lambda: self.into(
                lambda t: t.add_(torch.bincount(i, weights=u, minlength=len(t)).to(t.dtype)),
                p.target())))
            if not u.is_floating_point():
                ways.append(("bincount", lambda: self.into(
                    lambda t: t.add_(torch.bincount(i, minlength=len(t)).to(t.dtype)),
                    p.target())))
        return ways

    def add_fresh(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        full = i.long()[:, None].expand_as(u)

        def zeros():
            return torch.zeros(p.shape, dtype=u.dtype, device=self.device)

        return [
            ("zeros, index_add_", lambda: self.fresh(lambda: zeros().index_add_(0, i, u))),
            ("zeros, scatter_add_, int64 indices",
             lambda: self.fresh(lambda: zeros().scatter_add_(0, full, u))),
        ]

    def add_tuples(self, p):
        columns, u = [self.put(column) for column in p.columns], self.put(p.updates())
        depth, height, width = p.shape

        def flat(t):
            z, y, column = columns
            t.view(-1).index_add_(0, (z * height + y) * width + column, u)

        return [
            ("index_put_(accumulate)",
             lambda: self.into(lambda t: t.index_put_(tuple(columns), u, accumulate=True),
                               p.target())),
            ("index_add_ of (z H + y) W + x", lambda: self.into(flat, p.target())),
        ]

    def add_elements(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        return [("scatter_add_",
                 lambda: self.into(lambda t: t.scatter_add_(0, i, u), p.target()))]

    def update(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        wide = i.long()

        def assign(t):
            t[i] = u

        ways = [("index_copy_, int64 indices",
                 lambda: self.into(lambda t: t.index_copy_(0, wide, u), p.target())),
                ("t[i] = u", lambda: self.into(assign, p.target()))]
        if u.dim() == 1:
            ways.append(("scatter_, int64 indices",
                         lambda: self.into(lambda t: t.scatter_(0, wide, u), p.target())))
        return ways

    def slice(self, p):
        x = self.put(p.data())
        x = x.T if p.is_transposed else x
        reversed_axes = [axis for axis, cut in enumerate(p.slices) if (cut.step or 1) < 0]
        forward = tuple(slice(None) if axis in reversed_axes else cut
                        for axis, cut in enumerate(p.slices))
        if reversed_axes:
            return [("flip", lambda: self.fresh(lambda: torch.flip(x[forward], reversed_axes)))]
        return [("out.copy_(x[s])",
                 lambda: self.into(lambda out: out.copy_(x[forward]), p.output())),
                ("x[s].clone(contiguous)",
                 lambda: self.fresh(lambda: x[forward].clone(
                     memory_format=torch.contiguous_format)))]

# SPDX-License-Identifier: Apache-2.0
"""The calls of JAX, compiled; targets are donated, so that they are changed in place."""
import jax
import jax.numpy as jnp
import numpy as np

from . import measure

jax.config.update("jax_enable_x64", True)  # float64 data, int64 indices


class Library:
    name = "jax"
    devices = ("cpu", "cuda")

    def __init__(self, device, threads):
        self.version = jax.__version__
        self.threads = threads  # by the environment; measure.thread_environment
        jax.config.update("jax_platforms", device)
        self.is_cpu = jax.devices()[0].platform == "cpu"

    def clock(self, clock):
        return clock if self.is_cpu else measure.ReadingClock(clock, self.reader)

    @staticmethod
    def reader(size):
        scratch, read = jnp.ones(size // 8, jnp.int64), jax.jit(jnp.max)
        return lambda: read(scratch).block_until_ready()

    @staticmethod
    def to_numpy(value):
        return np.asarray(value)

    @staticmethod
    def put(array):
        """A copy: what shares memory with NumPy cannot be donated."""
        return jnp.array(array, copy=True)

    @staticmethod
    def fresh(function, *arguments):
        compiled = jax.jit(function)
        return lambda: compiled(*arguments).block_until_ready()

    def into(self, function, p, *arguments):
        """function(target, ...) -> the new target"""
        compiled = jax.jit(function, donate_argnums=0)
        state = [self.put(p.target())]

        def call():
            state[0] = compiled(state[0], *arguments).block_until_ready()
            return state[0]
        return call

    def rows(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        return [
            ("take(mode='clip')",
             lambda: self.fresh(lambda x, i: jnp.take(x, i, axis=0, mode="clip"), x, i)),
            ("x.at[i].get(mode='promise_in_bounds')",
             lambda: self.fresh(lambda x, i: x.at[i].get(mode="promise_in_bounds"), x, i)),
        ]

    def batched(self, p):
        x, i = self.put(p.data()), self.put(p.indices)

        def each(x, i):
            return jax.vmap(lambda x, i: jnp.take(x, i, axis=0, mode="clip"))(x, i)

        return [("vmap(take(mode='clip'))", lambda: self.fresh(each, x, i)),
                ("take_along_axis",
                 lambda: self.fresh(lambda x, i: jnp.take_along_axis(x, i[:, :, None], axis=1,
                                                                     mode="clip"), x, i))]

    def tuples(self, p):
        x, columns = self.put(p.data()), [self.put(column) for column in p.columns]
        return [("x.at[z, y, x].get(mode='%s')" % mode,
                 lambda mode=mode: self.fresh(lambda x, *c: x.at[c].get(mode=mode), x, *columns))
                for mode in ("clip", "promise_in_bounds")]

    def elements(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        return [("take_along_axis(mode='%s')" % mode,
                 lambda mode=mode: self.fresh(
                     lambda x, i: jnp.take_along_axis(x, i, axis=1, mode=mode), x, i))
                for mode in ("clip", "promise_in_bounds")]

    def add(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        ways = [("t.at[i].add(mode='%s')" % mode,
                 lambda mode=mode: self.into(lambda t, i, u: t.at[i].add(u, mode=mode), p, i, u))
                for mode in ("drop", "promise_in_bounds")]
        if u.ndim == 1:
            ways.append(("bincount(weights)", lambda: self.into(
                lambda t, i, u: t + jnp.bincount(i, weights=u, length=p.shape[0]), p, i, u)))
        return ways

    def add_fresh(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        return [("segment_sum",
                 lambda: self.fresh(lambda u, i: jax.ops.segment_sum(u, i, p.shape[0]), u, i)),
                ("zeros.at[i].add",
                 lambda: self.fresh(lambda u, i: jnp.zeros(p.shape, u.dtype).at[i].add(u), u, i))]

    def add_tuples(self, p):
        columns, u = [self.put(column) for column in p.columns], self.put(p.updates())
        return [("t.at[z, y, x].add(mode='%s')" % mode,
                 lambda mode=mode: self.into(lambda t, u, *c: t.at[c].add(u, mode=mode), p, u,
                                             *columns))
                for mode in ("drop", "promise_in_bounds")]

    def add_elements(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        column = jnp.arange(p.shape[1])
        return [("t.at[i, columns].add(mode='%s')" % mode,
                 lambda mode=mode: self.into(
                     lambda t, i, u, c: t.at[i, c].add(u, mode=mode), p, i, u, column))
                for mode in ("drop", "promise_in_bounds")]

    def update(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        return [("t.at[i].set(mode='%s')" % mode,
                 lambda mode=mode: self.into(lambda t, i, u: t.at[i].set(u, mode=mode), p, i, u))
                for mode in ("drop", "promise_in_bounds")]

    def slice(self, p):
        x = self.put(p.data())
        return [("x[s]", lambda: self.fresh(p.sliced, x))]

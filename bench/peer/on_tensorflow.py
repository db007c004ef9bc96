# SPDX-License-Identifier: Apache-2.0
"""The calls of TensorFlow, eager and in tf.function."""
import numpy as np
import tensorflow as tf

from . import measure


class Library:
    name = "tensorflow"
    devices = ("cpu", "cuda")

    def __init__(self, device, threads):
        gpus = tf.config.list_physical_devices("GPU")
        if device == "cuda" and not gpus:
            raise RuntimeError("TensorFlow finds no CUDA device")
        if device == "cpu":
            tf.config.set_visible_devices([], "GPU")
        for gpu in gpus if device == "cuda" else []:
            tf.config.experimental.set_memory_growth(gpu, True)
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        self.version = tf.__version__
        self.threads = threads
        self.device = device

    def clock(self, clock):
        return clock if self.device == "cpu" else measure.ReadingClock(clock, self.reader)

    def reader(self, size):
        scratch = tf.ones(size // 4, tf.float32)
        return self.waiting(lambda: tf.reduce_max(scratch))

    @staticmethod
    def to_numpy(value):
        return value.numpy()

    @staticmethod
    def put(array):
        return tf.convert_to_tensor(np.ascontiguousarray(array))

    def waiting(self, function):
        if self.device == "cpu":
            return function

        def call():
            result = function()
            tf.test.experimental.sync_devices()
            return result
        return call

    def both(self, name, function):
        """Eager and as a graph."""
        return [(name, lambda: self.waiting(function)),
                (name + " in tf.function", lambda: self.waiting(tf.function(function)))]

    def in_place(self, name, function, p):
        """function(variable)"""
        def make(is_graph):
            variable = tf.Variable(self.put(p.target()))
            run = tf.function(lambda: function(variable)) if is_graph else \
                lambda: function(variable)

            def call():
                run()
                return variable
            return self.waiting(call)

        return [(name, lambda: make(False)), (name + " in tf.function", lambda: make(True))]

    def rows(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        return self.both("gather", lambda: tf.gather(x, i))

    def batched(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        column = i[:, :, None]
        return (self.both("gather_nd(batch_dims=1)",
                          lambda: tf.gather_nd(x, column, batch_dims=1)) +
                self.both("gather(batch_dims=1)",
                          lambda: tf.gather(x, i, axis=1, batch_dims=1)))

    def tuples(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        return self.both("gather_nd", lambda: tf.gather_nd(x, i))

    def elements(self, p):
        x, i = self.put(p.data()), self.put(p.indices)
        return (self.both("gather(batch_dims=1)",
                          lambda: tf.gather(x, i, axis=1, batch_dims=1)) +
                self.both("experimental.numpy.take_along_axis",
                          lambda: tf.experimental.numpy.take_along_axis(x, i, 1)))

    def add(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        column = i[:, None]
        ways = (self.in_place("scatter_nd_add", lambda t: t.scatter_nd_add(column, u), p) +
                self.in_place("scatter_add", lambda t: t.scatter_add(tf.IndexedSlices(u, i)), p))
        if u.shape.rank == 1:
            ways += self.in_place(
                "unsorted_segment_sum",
                lambda t: t.assign_add(tf.math.unsorted_segment_sum(u, i, p.shape[0])), p)
            if i.dtype == tf.int32:
                ways += self.in_place(
                    "bincount(weights)",
                    lambda t: t.assign_add(tf.math.bincount(
                        i, weights=u, minlength=p.shape[0], maxlength=p.shape[0],
                        dtype=u.dtype)), p)
        return ways

    def add_fresh(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        column = i[:, None]
        return (self.both("scatter_nd", lambda: tf.scatter_nd(column, u, p.shape)) +
                self.both("unsorted_segment_sum",
                          lambda: tf.math.unsorted_segment_sum(u, i, p.shape[0])))

    def add_tuples(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        return self.in_place("scatter_nd_add", lambda t: t.scatter_nd_add(i, u), p)

    def add_elements(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        columns = tf.range(u.shape[1], dtype=i.dtype)[None, :]

        def add(t):
            pairs = tf.stack([i, tf.broadcast_to(columns, tf.shape(i, out_type=i.dtype))], -1)
            return t.scatter_nd_add(pairs, u)

        return self.in_place("stack, scatter_nd_add", add, p)

    def update(self, p):
        i, u = self.put(p.indices), self.put(p.updates())
        column = i[:, None]
        return (self.in_place("scatter_nd_update", lambda t: t.scatter_nd_update(column, u), p) +
                self.in_place("scatter_update",
                              lambda t: t.scatter_update(tf.IndexedSlices(u, i)), p))

    def slice(self, p):
        x = self.put(p.data())
        if p.is_transposed:
            return self.both("transpose", lambda: tf.transpose(x)[p.slices])
        reversed_axes = [axis for axis, cut in enumerate(p.slices) if (cut.step or 1) < 0]

        def whole(cut):
            return cut.step in (None, 1)

        # A slice of the first axis alone is a view.
        if whole(p.slices[0]) and all(cut == slice(None) for cut in p.slices[1:]):
            return self.both("x[s], DeepCopy", lambda: tf.raw_ops.DeepCopy(x=x[p.slices]))
        ways = self.both("x[s]", lambda: x[p.slices])
        if reversed_axes and all(cut.start is None and cut.stop is None for cut in p.slices):
            ways += self.both("reverse", lambda: tf.reverse(x, reversed_axes))
        return ways

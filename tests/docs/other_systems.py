#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check what docs/semantics.md says about other systems, on those that are installed. Prints TAP.

    other_systems.py [SYSTEM...]    tensorflow, onnx (with onnxruntime), jax, torch, numpy; or all

A claim is a call and its result, or REFUSES. Every row of a table under "Differences" needs claims
for each system that it names; WORDS are those that only quote a documentation. Needs NumPy.
"""

import importlib.util
import os
import re
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
DOCUMENT = os.path.join(DOCUMENT, "semantics.md")

REFUSES = "an exception"
NAN = float("nan")
P = np.arange(6, dtype=np.int32).reshape(2, 3)

# Statements of a documentation that no call can show.
WORDS = {("Repeated updates", "ONNX"), ("Repeated updates", "JAX"), ("Repeated updates", "PyTorch")}


def i32(values):
    return np.array(values, dtype=np.int32)


def i64(values):
    return np.array(values, dtype=np.int64)


def f32(values):
    return np.array(values, dtype=np.float32)


def empty(*shape):
    return np.zeros(shape, dtype=np.float32)


def after(function, array):
    """`array` after `function` has worked on it, whether or not that raised."""
    try:
        function(array)
    except (IndexError, RuntimeError):
        pass
    return array


def changed(function, array):
    function(array)
    return array


def numpy_claims():
    def at(operation, array, updates):
        index = np.arange(len(updates)) if len(updates) == len(array) else [0] * len(updates)
        return changed(lambda x: getattr(np, operation).at(x, index, updates), array)

    def put(array, updates, dtype=None):
        return changed(lambda x: x.__setitem__([1, 1], updates), np.array(array, dtype=dtype))

    def add_twice(array):
        array[[1, 1]] += i32([5, 6])

    def last_axis(indices):
        older = (major, minor) < (2, 3)  # where it has no default
        return np.take_along_axis(P, indices, 1) if older else np.take_along_axis(P, indices)

    major, minor = map(int, np.__version__.split(".")[:2])
    half = np.float16
    return {
        "A bad index in a gather": [(lambda: P[0, 3], REFUSES), (lambda: P[[5]], REFUSES)],
        "A bad index in a scatter": [
            (lambda: np.zeros(3).__setitem__([0, 9], 5), REFUSES),
            (lambda: after(lambda x: x.__setitem__([0, 9], 5), f32([0, 0, 0])), [0.0] * 3),
            (lambda: after(lambda x: np.add.at(x, [0, 9], 5), f32([0, 0, 0])), [0.0] * 3),
            (lambda: after(lambda x: np.put(x, [0, 9], 5), f32([0, 0, 0])), [5.0, 0.0, 0.0]),
        ],
        "Negative indices": [
            (lambda: P[-1, 0], 3),
            (lambda: P[-3, 0], REFUSES),
            (lambda: np.take(P, [7], axis=1, mode="wrap"), [[1], [4]]),
        ],
        "A bad index beside an empty slice": [
            (lambda: np.take(empty(2, 3, 0), [7], axis=1), REFUSES),
        ],
        "Clamping where there is no valid index": [
            (lambda: np.take(empty(0, 2), [0], axis=0, mode="clip"), REFUSES)
        ],
        "Dtypes of indices": [
            (lambda: P[np.array([1], dtype=np.uint64)], [[3, 4, 5]]),
            (lambda: P[np.array([1], dtype=np.int8)], [[3, 4, 5]]),
            (lambda: P[np.array([False, True])], [[3, 4, 5]]),
        ],
        "Empty slices": [(lambda: empty(3, 0)[[1]].shape, [1, 0])],
        "Long tuples and high ranks": [
            (lambda: np.zeros((1,) * (64 if major >= 2 else 32)).ndim, 64 if major >= 2 else 32),
            (lambda: np.zeros((1,) * 65), REFUSES),
        ],
        "The axis when none is given": [
            (lambda: np.take(P, [0]), [0]),
            (lambda: last_axis(i32([[1], [0]])), [[1], [3]]),
        ],
        "Sizes outside the axis": [
            (lambda: np.take_along_axis(P, i32([[0, 2]]), 1), [[0, 2], [3, 5]]),
            (lambda: np.take_along_axis(i32([[0, 2]]), i32([[0], [1]]), 1), [[0], [2]]),
            (lambda: np.take_along_axis(np.zeros((4, 3)), i32([[0], [1]]), 1), REFUSES),
        ],
        "Shapes of updates": [
            (lambda: put([1, 1, 1], 5), [1, 5, 1]),
            (
                lambda: changed(lambda x: np.put_along_axis(x, i64([0, 1]), 5, 0), i32([1, 1, 1])),
                [5, 5, 1],
            ),
        ],
        "Mixed dtypes": [(lambda: put([1, 1], 2.7, np.int32), [1, 2])],
        "Repeated updates": [(lambda: put([1, 1, 1], [5, 6]), [1, 6, 1])],
        "Repeated sums": [
            (lambda: changed(lambda x: np.add.at(x, [1, 1], [5, 6]), i32([1, 1, 1])), [1, 12, 1]),
            (lambda: changed(add_twice, i32([1, 1, 1])), [1, 7, 1]),
        ],
        "Products": [
            (
                lambda: changed(lambda x: np.multiply.at(x, [1, 1], [5, 6]), i32([1, 1, 1])),
                [1, 30, 1],
            )
        ],
        "bool": [
            (lambda: at("add", np.array([False]), [True, True]), [True]),
            (lambda: at("maximum", np.array([False]), [True, True]), [True]),
            (lambda: at("multiply", np.array([True]), [False, True]), [False]),
            (lambda: at("subtract", np.array([False]), [True, True]), REFUSES),
        ],
        "NaN in min and max": [
            (lambda: at("maximum", f32([NAN, 1]), f32([1, NAN])), [NAN, NAN]),
            (lambda: at("minimum", f32([NAN, 1]), f32([1, NAN])), [NAN, NAN]),
        ],
        "Signed zeros in min and max": [
            (lambda: at("maximum", f32([-0.0, 0]), f32([0, -0.0])), [0.0, -0.0]),
            (lambda: at("minimum", f32([-0.0, 0]), f32([0, -0.0])), [0.0, -0.0]),
        ],
        "Sums of 16-bit floats": [
            (lambda: at("add", np.array([2048], half), np.ones(4, half)), [2048.0])
        ],
        "Complex min and max": [
            (lambda: at("maximum", np.array([1 + 1j]), np.array([1 + 2j])), [1 + 2j])
        ],
        "A value for an empty slice": [
            (lambda: np.arange(5).__setitem__(slice(2, 2), [7, 8, 9]), REFUSES)
        ],
        "Extra leading dimensions of a value": [
            (
                lambda: changed(lambda x: x.__setitem__(slice(0, 2), i32([[7, 8]])), np.arange(5)),
                [7, 8, 2, 3, 4],
            )
        ],
        "Negative strides": [(lambda: np.arange(5)[::-2], [4, 2, 0])],
        "A range that begins before the first element and goes back": [
            (lambda: np.arange(5)[-100:-99:-1], [])
        ],
        "An integer outside its dimension": [(lambda: np.arange(5)[5], REFUSES)],
    }


def tensorflow_claims():
    import tensorflow as tf

    raw = tf.raw_ops
    p = tf.constant(P)

    def message(function):
        try:
            function()
        except tf.errors.InvalidArgumentError as error:
            return re.search(r"indices\[\d\] = \S+|Multiple .* not allowed", str(error)).group(0)
        return "no error"

    def combine(name, tensor, updates, dtype):
        tensor, updates = tf.constant(tensor, dtype), tf.constant(updates, dtype)
        rows = [[0]] * len(updates) if len(tensor) == 1 else [[0], [1]]
        return getattr(tf, "tensor_scatter_nd_" + name)(tensor, rows, updates)

    def clamped():
        return tf.function(tf.gather_nd, jit_compile=True)(p, tf.constant([[0, 3]]))

    def assign(end, value):
        return raw.TensorStridedSliceUpdate(
            input=tf.range(5),
            begin=[2 if end == 2 and len(value) == 3 else 0],
            end=[end],
            strides=[1],
            value=value,
        )

    ones = tf.constant([1, 1, 1])
    none = tf.zeros([2, 0], tf.int32)
    return {
        "A bad index in a gather": [
            (lambda: tf.gather_nd(p, [[0, 3]]), REFUSES),
            (lambda: tf.gather_nd(p, [[0, 3]], bad_indices_policy="IGNORE"), [0]),
            (clamped, [2]),
        ],
        "A bad index in a scatter": [(lambda: tf.scatter_nd([[0], [9]], [5, 5], [3]), REFUSES)],
        "Which bad row is named": [
            (
                lambda: message(lambda: tf.scatter_nd([[9], [1], [7]], [1, 2, 3], [5])),
                "indices[2] = [7]",
            )
        ],
        "Negative indices": [
            (lambda: tf.gather_nd(p, [[-1, 0]]), REFUSES),
            (lambda: tf.gather(p, [-1]), REFUSES),
            (lambda: tf.scatter_nd([[-1]], [5], [3]), REFUSES),
        ],
        "A bad index beside an empty slice": [
            (lambda: tf.gather(tf.zeros([2, 3, 0]), [7], axis=1).shape, [2, 1, 0])
        ],
        "Dtypes of indices": [
            (lambda: tf.gather_nd(p, tf.constant([[1]], tf.int16)), [[3, 4, 5]]),
            (lambda: tf.gather(p, tf.constant([1], tf.int64)), [[3, 4, 5]]),
            (lambda: tf.gather(p, tf.constant([1], tf.uint8)), REFUSES),
            (lambda: tf.gather(p, tf.constant([1], tf.int8)), REFUSES),
            (lambda: tf.gather(p, tf.constant([1], tf.uint32)), REFUSES),
            (
                lambda: raw.ScatterNd(indices=np.int16([[1]]), updates=[5], shape=np.int16([3])),
                REFUSES,
            ),
            (lambda: raw.ScatterNd(indices=i64([[1]]), updates=[5], shape=i64([3])), [0, 5, 0]),
        ],
        "One tuple": [
            (lambda: tf.gather_nd(p, [1, 2]), 5),
            (lambda: tf.scatter_nd([1, 2], 9, [3, 3]), REFUSES),
        ],
        "Tuples of length 0": [
            (lambda: tf.gather_nd(p, none), [P.tolist()] * 2),
            (lambda: tf.scatter_nd(none, [[1, 2, 3], [4, 5, 6]], [3]), REFUSES),
        ],
        "Rank 0": [
            (lambda: tf.gather_nd(tf.constant(7), none), REFUSES),
            (lambda: tf.tensor_scatter_nd_add(tf.constant(7), none[:1], [1]), REFUSES),
        ],
        "Empty slices": [
            (lambda: tf.gather_nd(tf.zeros([3, 0]), [[1]]), REFUSES),
            (lambda: tf.scatter_nd([[1]], tf.zeros([1, 0]), [3, 0]), REFUSES),
        ],
        "Long tuples and high ranks": [
            (lambda: tf.gather_nd(tf.zeros([1] * 7), [[0] * 7]), [0.0]),
            (lambda: tf.gather_nd(tf.zeros([1] * 8), [[0] * 8]), REFUSES),
            (lambda: tf.zeros([1] * 7 + [2])[..., ::-1].shape, [1] * 7 + [2]),
            (lambda: tf.zeros([1] * 8 + [2])[..., ::-1], REFUSES),
        ],
        "The axis when none is given": [
            (lambda: tf.gather(p, [0]), [[0, 1, 2]]),
            (lambda: tf.gather(p, [[0, 2], [1, 1]], batch_dims=1), [[0, 2], [4, 4]]),
        ],
        "Shapes of updates": [
            (lambda: tf.tensor_scatter_nd_update(ones, [[1], [1]], [5]), REFUSES),
            (lambda: tf.tensor_scatter_nd_update(ones, [[1], [1]], 5), REFUSES),
        ],
        "Mixed dtypes": [
            (lambda: tf.tensor_scatter_nd_add([1.0], [[0]], tf.constant([1])), REFUSES)
        ],
        "Repeated updates": [
            (lambda: tf.tensor_scatter_nd_update(ones, [[1], [1]], [5, 6]), [1, 6, 1])
        ],
        "Repeated sums": [(lambda: tf.tensor_scatter_nd_add(ones, [[1], [1]], [5, 6]), [1, 12, 1])],
        "Products": [(lambda: tf.tensor_scatter_nd_mul, REFUSES)],
        "What a scatter from zeros starts with": [
            (lambda: tf.scatter_nd([[1]], [-3], [3], reduction="max"), REFUSES)
        ],
        "bool": [
            (lambda: tf.scatter_nd([[0], [0]], [True, True], [1]), [True]),
            (lambda: combine("add", [False], [True], tf.bool), REFUSES),
            (lambda: combine("min", [False], [True], tf.bool), REFUSES),
            (lambda: combine("max", [False], [True], tf.bool), REFUSES),
        ],
        "NaN in min and max": [
            (lambda: combine("max", [NAN, 1], [1, NAN], tf.float32), [NAN, 1.0]),
            (lambda: combine("min", [NAN, 1], [1, NAN], tf.float32), [NAN, 1.0]),
        ],
        "Signed zeros in min and max": [
            (lambda: combine("max", [-0.0, 0], [0, -0.0], tf.float32), [-0.0, 0.0]),
            (lambda: combine("min", [-0.0, 0], [0, -0.0], tf.float32), [-0.0, 0.0]),
        ],
        "Sums of 16-bit floats": [
            (lambda: combine("add", [2048], [1] * 4, tf.float16), [2048.0]),
            (lambda: tf.cast(combine("add", [256], [1] * 4, tf.bfloat16), tf.float32), [256.0]),
        ],
        "Complex min and max": [
            (lambda: combine("max", [1 + 1j], [1 + 2j], tf.complex64), REFUSES)
        ],
        "Sums of strings": [(lambda: tf.scatter_nd([[0], [0]], ["x", "y"], [1]), [b"xy"])],
        "Ellipsis bits beyond the slice": [
            (
                lambda: message(
                    lambda: tf.strided_slice(tf.range(5), [3], [5], [1], ellipsis_mask=6)
                ),
                "Multiple ellipses in slice spec not allowed",
            )
        ],
        "A value for an empty slice": [(lambda: assign(2, [7, 8, 9]), [0, 1, 2, 3, 4])],
        "Extra leading dimensions of a value": [(lambda: assign(2, [[7, 8]]), [7, 8, 2, 3, 4])],
        "Negative strides": [(lambda: tf.range(5)[::-2], [4, 2, 0])],
        "A range that begins before the first element and goes back": [
            (lambda: tf.range(5)[-100:-99:-1], [])
        ],
        "An integer outside its dimension": [(lambda: tf.range(5)[5], REFUSES)],
    }


def onnx_claims():
    import onnx
    import onnxruntime
    from onnx import helper

    onnxruntime.set_default_logger_severity(4)

    def call(op, *inputs, **attributes):
        names = [f"in{k}" for k in range(len(inputs))]
        types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in inputs]
        graph = helper.make_graph(
            [helper.make_node(op, names, ["out"], **attributes)],
            "graph",
            [helper.make_tensor_value_info(n, t, None) for n, t in zip(names, types)],
            [helper.make_tensor_value_info("out", types[0], None)],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        return session.run(None, dict(zip(names, inputs)))[0]

    def combine(reduction, data, updates):
        rows = [[0]] * len(updates) if len(data) == 1 else [[0], [1]]
        return call("ScatterND", data, i64(rows), updates, reduction=reduction)

    def back(begin, end):
        return call("Slice", np.arange(5), i64([begin]), i64([end]), i64([0]), i64([-1]))

    ones = i32([1, 1, 1])
    yes, no = np.array([True]), np.array([False])
    half = np.float16
    strings = [np.array(["x"], object), i64([[0]]), np.array(["y"], object)]
    return {
        "A bad index in a gather": [(lambda: call("GatherND", P, i64([[0, 3]])), REFUSES)],
        "A bad index in a scatter": [
            (lambda: call("ScatterND", f32([0, 0, 0]), i64([[0], [9]]), f32([5, 5])), REFUSES)
        ],
        "Negative indices": [
            (lambda: call("GatherND", P, i64([[-1, 0]])), [3]),
            (lambda: call("GatherND", P, i64([[-3, 0]])), REFUSES),
            (lambda: call("GatherElements", P, i64([[-1], [0]]), axis=1), [[2], [3]]),
        ],
        "A bad index beside an empty slice": [
            (lambda: call("Gather", empty(2, 3, 0), i64([7]), axis=1), REFUSES)
        ],
        "Dtypes of indices": [
            (lambda: call("GatherND", P, i32([[1]])), REFUSES),
            (lambda: call("ScatterND", ones, i32([[1]]), i32([5])), REFUSES),
            (lambda: call("Gather", P, i32([1])), [[3, 4, 5]]),
            (lambda: call("Gather", P, np.uint8([1])), REFUSES),
        ],
        "One tuple": [
            (lambda: call("GatherND", P, i64([1, 2])), 5),
            (
                lambda: call("ScatterND", i32([[0, 0], [0, 0]]), i64([0, 1]), i32(9)),
                [[0, 9], [0, 0]],
            ),
        ],
        "Tuples of length 0": [
            (lambda: call("GatherND", P, np.zeros((2, 0), np.int64)), [P.tolist()] * 2),
            (lambda: combine_whole(call), [6, 7, 8]),
        ],
        "Empty slices": [
            (lambda: call("GatherND", empty(3, 0), i64([[1]])).shape, [1, 0]),
            (lambda: call("ScatterND", empty(3, 0), i64([[1]]), empty(1, 0)).shape, [3, 0]),
        ],
        "The axis when none is given": [
            (lambda: call("Gather", P, i64([0])), [[0, 1, 2]]),
            (lambda: call("GatherElements", P, i64([[1], [0]])), [[3], [0]]),
        ],
        "Sizes outside the axis": [
            (
                lambda: call(
                    "GatherElements", np.arange(12).reshape(4, 3), i64([[0], [1]]), axis=1
                ),
                [[0], [4]],
            ),
            (lambda: call("GatherElements", P, i64([[0, 2]]), axis=1), [[0, 2]]),
            (lambda: call("GatherElements", i32([[0, 2]]), i64([[0], [1]]), axis=1), REFUSES),
        ],
        "Shapes of updates": [
            (lambda: call("ScatterElements", ones, i64([0]), i32([7, 8, 9])), REFUSES),
            (lambda: call("ScatterND", ones, i64([[1], [1]]), i32([1])), REFUSES),
        ],
        "Mixed dtypes": [(lambda: call("ScatterND", f32([0, 0]), i64([[0]]), i32([5])), REFUSES)],
        "Repeated sums": [
            (
                lambda: call("ScatterND", ones, i64([[1], [1]]), i32([5, 6]), reduction="add"),
                [1, 12, 1],
            )
        ],
        "Products": [
            (
                lambda: call("ScatterND", ones, i64([[1], [1]]), i32([5, 6]), reduction="mul"),
                [1, 30, 1],
            )
        ],
        "bool": [
            (lambda: combine("add", no, yes), [True]),
            (lambda: combine("mul", yes, no), [False]),
            (lambda: combine("max", no, yes), REFUSES),
        ],
        "NaN in min and max": [
            (lambda: combine("max", f32([NAN, 1]), f32([1, NAN])), [1.0, NAN]),
            (lambda: combine("min", f32([NAN, 1]), f32([1, NAN])), [1.0, NAN]),
        ],
        "Signed zeros in min and max": [
            (lambda: combine("max", f32([-0.0, 0]), f32([0, -0.0])), [0.0, -0.0]),
            (lambda: combine("min", f32([-0.0, 0]), f32([0, -0.0])), [0.0, -0.0]),
        ],
        "Sums of 16-bit floats": [
            (lambda: combine("add", np.array([2048], half), np.ones(4, half)), REFUSES)
        ],
        "Sums of strings": [(lambda: call("ScatterND", *strings, reduction="add"), ["xy"])],
        "Negative strides": [(lambda: back(4, -6), [4, 3, 2, 1, 0])],
        "A range that begins before the first element and goes back": [
            (lambda: back(-100, -99), [0])
        ],
    }


def combine_whole(call):
    return call(
        "ScatterND", i32([1, 1, 1]), np.zeros((1, 0), np.int64), i32([[5, 6, 7]]), reduction="add"
    )


def jax_claims():
    import jax
    import jax.numpy as jnp

    p = jnp.array(P)
    one = jnp.array([1])
    zero, nine = jnp.array([0]), jnp.array([9])

    def combine(name, array, updates, dtype):
        rows = jnp.zeros(len(updates), int) if len(array) == 1 else jnp.arange(len(array))
        array = jnp.array(array, dtype=dtype)
        return getattr(array.at[rows], name)(jnp.array(updates, dtype=dtype))

    def along(array, indices):
        return jnp.take_along_axis(jnp.array(array), jnp.array(indices), 1)

    def take(dtype):
        return jnp.take(p.astype(dtype), jnp.array([3]), axis=1)[0]

    zeros = jnp.zeros(3)
    ones = jnp.array([1, 1, 1])
    twice = jnp.array([1, 1])
    five_six = jnp.array([5, 6])
    return {
        "A bad index in a gather": [
            (lambda: p[zero, jnp.array([3])], [2]),
            (lambda: take("float32"), [NAN]),
            (lambda: take("int32"), [-(2**31)]),
            (lambda: take("uint8"), [255]),
            (lambda: take("bool"), [True]),
        ],
        "A bad index in a scatter": [
            (lambda: zeros.at[jnp.array([0, 9])].set(5), [5.0, 0.0, 0.0]),
            (lambda: zeros.at[jnp.array([0, 9])].set(5, mode="clip"), [5.0, 0.0, 5.0]),
        ],
        "Negative indices": [
            (lambda: p[jnp.array([-1])], [[3, 4, 5]]),
            (lambda: p[jnp.array([-3])], [[0, 1, 2]]),
        ],
        "A bad index beside an empty slice": [
            (lambda: jnp.take(jnp.zeros((2, 3, 0)), jnp.array([7]), axis=1).shape, [2, 1, 0])
        ],
        "Clamping where there is no valid index": [
            (lambda: jnp.take(jnp.zeros((0, 2)), zero, axis=0, mode="clip"), REFUSES)
        ],
        "Dtypes of indices": [
            (lambda: jnp.arange(300)[np.array([200], np.uint8)], [200]),
            (lambda: jnp.arange(300)[np.array([200], np.uint64)], [200]),
            (lambda: jnp.arange(3)[np.array([False, True, False])], [1]),
        ],
        "Empty slices": [(lambda: jnp.zeros((3, 0))[one].shape, [1, 0])],
        "Long tuples and high ranks": [(lambda: jnp.zeros((1,) * 65).ndim, 65)],
        "The axis when none is given": [
            (lambda: jnp.take(p, zero), [0]),
            (lambda: jnp.take_along_axis(p, jnp.array([[1], [0]])), [[1], [3]]),
        ],
        "Sizes outside the axis": [
            (lambda: along(P, [[0, 2]]), [[0, 2], [3, 5]]),
            (lambda: along([[0, 2]], [[0], [1]]), [[0], [2]]),
            (lambda: along(np.zeros((4, 3)), [[0], [1]]), REFUSES),
        ],
        "Shapes of updates": [
            (lambda: ones.at[twice].set(5), [1, 5, 1]),
            (lambda: jnp.put_along_axis(ones, jnp.array([0, 1]), 5, 0, inplace=False), [5, 5, 1]),
        ],
        "Mixed dtypes": [(lambda: ones.at[one].set(2.7), [1, 2, 1])],
        "Repeated sums": [(lambda: ones.at[twice].add(five_six), [1, 12, 1])],
        "Products": [(lambda: ones.at[twice].multiply(five_six), [1, 30, 1])],
        "What a scatter from zeros starts with": [
            (lambda: jax.ops.segment_max(jnp.array([-3]), one, 3), [-(2**31), -3, -(2**31)])
        ],
        "bool": [
            (lambda: combine("max", [False], [True], bool), [True]),
            (lambda: combine("add", [False], [True], bool), REFUSES),
            (lambda: combine("multiply", [False], [True], bool), REFUSES),
            (lambda: combine("subtract", [False], [True], bool), REFUSES),
        ],
        "NaN in min and max": [
            (lambda: combine("max", [NAN, 1], [1, NAN], "float32"), [NAN, NAN]),
            (lambda: combine("min", [NAN, 1], [1, NAN], "float32"), [NAN, NAN]),
        ],
        "Signed zeros in min and max": [
            (lambda: combine("max", [-0.0, 0], [0, -0.0], "float32"), [0.0, 0.0]),
            (lambda: combine("min", [-0.0, 0], [0, -0.0], "float32"), [-0.0, -0.0]),
        ],
        "Sums of 16-bit floats": [
            (lambda: combine("add", [2048], [1] * 4, "float16"), [2048.0]),
            (lambda: combine("add", [256], [1] * 4, "bfloat16").astype("float32"), [256.0]),
        ],
        "Complex min and max": [
            (lambda: combine("max", [1 + 1j], [1 + 2j], "complex64"), [1 + 2j])
        ],
        "A value for an empty slice": [
            (lambda: jnp.arange(5).at[2:2].set(jnp.array([7, 8, 9])), [0, 1, 2, 3, 4])
        ],
        "Extra leading dimensions of a value": [
            (lambda: jnp.arange(5).at[:2].set(jnp.array([[7, 8]])), REFUSES)
        ],
        "Negative strides": [(lambda: jnp.arange(5)[::-2], [4, 2, 0])],
        "A range that begins before the first element and goes back": [
            (lambda: jnp.arange(5)[-100:-99:-1], [])
        ],
        "An integer outside its dimension": [
            (lambda: jnp.arange(5)[5], 4),
            (lambda: jnp.arange(3).at[5].set(9), [0, 1, 2]),
            (lambda: jnp.arange(3)[nine[0]], 2),
        ],
    }


def torch_claims():
    import torch

    def tensor(values, dtype=None):
        return torch.tensor(values, dtype=dtype)

    p = torch.tensor(P)
    bad = torch.tensor([0, 9])
    minus = torch.tensor([-1])
    twice = torch.tensor([1, 1])
    first = torch.tensor([0])

    def zeros():
        return torch.zeros(3)

    def ones():
        return torch.tensor([1, 1, 1])

    def five_six():
        return torch.tensor([5, 6])

    def combine(name, array, updates, dtype):
        rows = torch.zeros(len(updates), dtype=int) if len(array) == 1 else torch.arange(len(array))
        return tensor(array, dtype).scatter_reduce_(0, rows, tensor(updates, dtype), name)

    def assign(begin, end, value):
        return changed(
            lambda x: x.__setitem__(slice(begin, end), torch.tensor(value)), torch.arange(5)
        )

    def half(call):
        return call(
            tensor([2048], torch.float16),
            torch.zeros(4, dtype=int),
            torch.ones(4, dtype=torch.float16),
        )

    def add_twice(array):
        array[twice] += five_six()

    five = [5.0, 0.0, 0.0]
    fives = torch.tensor([5.0, 5.0])
    return {
        "A bad index in a gather": [
            (lambda: p[0, 3], REFUSES),
            (lambda: torch.gather(p, 1, tensor([[3]])), REFUSES),
        ],
        "A bad index in a scatter": [
            (lambda: zeros().scatter_add_(0, bad, fives), REFUSES),
            (lambda: after(lambda x: x.__setitem__(bad, 5.0), zeros()), five),
            (lambda: after(lambda x: x.scatter_add_(0, bad, fives), zeros()), five),
            (lambda: after(lambda x: x.index_add_(0, bad, fives), zeros()), five),
        ],
        "Negative indices": [
            (lambda: p[minus], [[3, 4, 5]]),
            (lambda: p[tensor([-3])], REFUSES),
            (lambda: torch.take(p, minus), [5]),
            (lambda: torch.take_along_dim(p, tensor([[-1], [0]]), 1), [[2], [3]]),
            (lambda: zeros().index_put_((minus,), tensor(1.0)), [0.0, 0.0, 1.0]),
            (lambda: zeros().index_fill_(0, minus, 1), [0.0, 0.0, 1.0]),
            (lambda: torch.gather(p, 1, tensor([[-1]])), REFUSES),
            (lambda: zeros().scatter_(0, minus, 1.0), REFUSES),
            (lambda: torch.index_select(p, 1, minus), REFUSES),
            (lambda: zeros().index_add_(0, minus, tensor([1.0])), REFUSES),
            (lambda: zeros().index_copy_(0, minus, tensor([1.0])), REFUSES),
        ],
        "A bad index beside an empty slice": [
            (lambda: torch.zeros(2, 3, 0)[:, tensor([7])].shape, [2, 1, 0]),
            (lambda: torch.index_select(torch.zeros(2, 3, 0), 1, tensor([7])), REFUSES),
        ],
        "Dtypes of indices": [
            (lambda: p[tensor([1], torch.int32)], [[3, 4, 5]]),
            (lambda: p[tensor([1], torch.int16)], REFUSES),
            (lambda: torch.gather(p, 1, tensor([[1]], torch.uint8)), REFUSES),
            (lambda: p[tensor([0, 1], torch.uint8)], [[3, 4, 5]]),
            (lambda: p[tensor([False, True])], [[3, 4, 5]]),
        ],
        "Empty slices": [(lambda: torch.zeros(3, 0)[tensor([1])].shape, [1, 0])],
        "Long tuples and high ranks": [(lambda: torch.zeros((1,) * 65).dim(), 65)],
        "The axis when none is given": [
            (lambda: torch.take(p, first), [0]),
            (lambda: torch.gather(p, tensor([[1], [0]])), REFUSES),
        ],
        "Sizes outside the axis": [
            (
                lambda: torch.gather(torch.arange(12).reshape(4, 3), 1, tensor([[0], [1]])),
                [[0], [4]],
            ),
            (lambda: torch.gather(p, 1, tensor([[0, 2]])), [[0, 2]]),
            (lambda: torch.gather(tensor([[0, 2]]), 1, tensor([[0], [1]])), REFUSES),
            (lambda: torch.take_along_dim(p, tensor([[0, 2]]), 1), [[0, 2], [3, 5]]),
        ],
        "Shapes of updates": [
            (lambda: ones().scatter_(0, first, tensor([7, 8, 9])), [7, 1, 1]),
            (lambda: changed(lambda x: x.__setitem__(twice, 5), ones()), [1, 5, 1]),
        ],
        "Mixed dtypes": [
            (lambda: zeros().scatter_(0, first, tensor([1])), REFUSES),
            (lambda: zeros().index_put_((first,), tensor([1])), REFUSES),
        ],
        "Repeated sums": [
            (lambda: ones().index_add_(0, twice, five_six()), [1, 12, 1]),
            (lambda: ones().scatter_add_(0, twice, five_six()), [1, 12, 1]),
            (lambda: ones().index_put_((twice,), five_six(), accumulate=True), [1, 12, 1]),
            (lambda: changed(add_twice, ones()), [1, 7, 1]),
        ],
        "Products": [(lambda: ones().scatter_reduce_(0, twice, five_six(), "prod"), [1, 30, 1])],
        "What a scatter from zeros starts with": [
            (
                lambda: zeros().scatter_reduce_(
                    0, tensor([1]), tensor([-3.0]), "amax", include_self=False
                ),
                [0.0, -3.0, 0.0],
            )
        ],
        "bool": [
            (lambda: tensor([False]).index_add_(0, first, tensor([True])), [True]),
            (lambda: combine("amax", [False], [True], torch.bool), [True]),
            (lambda: combine("prod", [True], [False], torch.bool), [False]),
        ],
        "NaN in min and max": [
            (lambda: combine("amax", [NAN, 1], [1, NAN], torch.float32), [NAN, NAN]),
            (lambda: combine("amin", [NAN, 1], [1, NAN], torch.float32), [NAN, NAN]),
        ],
        "Signed zeros in min and max": [
            (lambda: combine("amax", [-0.0, 0], [0, -0.0], torch.float32), [-0.0, 0.0]),
            (lambda: combine("amin", [-0.0, 0], [0, -0.0], torch.float32), [-0.0, 0.0]),
        ],
        "Sums of 16-bit floats": [
            (lambda: half(lambda x, i, u: x.index_add_(0, i, u)), [2048.0]),
            (lambda: half(lambda x, i, u: x.index_put_((i,), u, accumulate=True)), [2048.0]),
            (lambda: half(lambda x, i, u: x.scatter_add_(0, i, u)), [2052.0]),
        ],
        "Complex min and max": [
            (lambda: combine("amax", [1 + 1j], [1 + 2j], torch.complex64), REFUSES)
        ],
        "A value for an empty slice": [(lambda: assign(2, 2, [7, 8, 9]), REFUSES)],
        "Extra leading dimensions of a value": [(lambda: assign(0, 2, [[7, 8]]), [7, 8, 2, 3, 4])],
        "Negative strides": [(lambda: torch.arange(5)[::-2], REFUSES)],
        "An integer outside its dimension": [(lambda: torch.arange(5)[5], REFUSES)],
    }


SYSTEMS = {
    "tensorflow": ("TensorFlow", tensorflow_claims, ["tensorflow"]),
    "onnx": ("ONNX", onnx_claims, ["onnx", "onnxruntime"]),
    "jax": ("JAX", jax_claims, ["jax"]),
    "torch": ("PyTorch", torch_claims, ["torch"]),
    "numpy": ("NumPy", numpy_claims, ["numpy"]),
}


def rows():
    """(heading, system) of every row under "Differences"."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read().partition("\n## Differences\n")[2].partition("\n## ")[0]
    found = set()
    for section in text.split("\n### ")[1:]:
        heading, _, body = section.partition("\n")
        for names in re.findall(r"^\| ([A-Z][\w, ]*) \|", body, re.M):
            found |= {(heading, name.partition(" ")[0]) for name in names.split(", ")}
    return found


def plain(result):
    """The values of an array of any system; bytes and strings as they are."""
    if isinstance(result, (str, bytes)):
        return result
    result = result.numpy() if hasattr(result, "numpy") else result
    return np.asarray(result).tolist() if not hasattr(result, "as_list") else result.as_list()


def check(call, expected):
    try:
        result = plain(call())
    except Exception as error:  # each system has its own
        return [] if expected is REFUSES else [f"{type(error).__name__}: {error}"]
    return [] if repr(result) == repr(expected) else [f"{result}, expected {expected}"]


def main(arguments):
    unknown = set(arguments) - set(SYSTEMS)
    if unknown:
        print(f"Bail out! unknown: {' '.join(unknown)}")
        return 2
    np.seterr(invalid="ignore")
    count = failures = 0
    wanted = rows() - WORDS
    for name in arguments or SYSTEMS:
        title, make_claims, modules = SYSTEMS[name]
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if missing:
            count += 1
            print(f"ok {count} - {title} # SKIP {missing[0]} is not installed")
            continue
        claims = make_claims()
        headings = {heading for heading, system in wanted if system == title}
        for heading in sorted(headings | set(claims)):
            problems = [p for call, result in claims.get(heading, []) for p in check(call, result)]
            if heading not in headings:
                problems.append("the document has no such row")
            if not claims.get(heading):
                problems.append("a row without a claim")
            count += 1
            failures += bool(problems)
            print(f"{'not ok' if problems else 'ok'} {count} - {title}: {heading}")
            for problem in problems:
                print("# " + " ".join(problem.split()))
    print(f"1..{count}")
    return 1 if failures or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

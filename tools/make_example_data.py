#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the arrays that the README, --help and docs/semantics.md work on. Needs NumPy.

    make_example_data.py [ROOT]

They go to examples/data and docs/data under ROOT, which is the source tree when left out. Those in
docs/data are not kept there, those in examples/data are, for readers who only have the command. The
first ones are from TensorFlow's documentation of gather_nd, scatter_nd and strided_slice.
"""

import os
import sys

import numpy as np


def index_array(rows):
    return np.array(rows, dtype=np.int32)


def slice_updates():
    """Two 4x4 blocks whose rows are all 5, all 6, all 7 and all 8."""
    block = np.repeat(np.array([[5], [6], [7], [8]], dtype=np.int32), 4, axis=1)
    return np.stack([block, block])


SCORES = np.array([[0.5, 0.1, 0.9], [0.3, 0.8, 0.2]], dtype=np.float32)

EXAMPLES = {
    # gather_nd
    "letters": np.array([[b"a", b"b"], [b"c", b"d"]]),
    "letters-pick": index_array([[0, 0], [1, 1]]),
    "cube": np.array([[[b"a0", b"b0"], [b"c0", b"d0"]], [[b"a1", b"b1"], [b"c1", b"d1"]]]),
    "cube-pick": index_array([[0, 1], [1, 0]]),
    # scatter_nd
    "places": index_array([[4], [3], [1], [7]]),
    "places-values": np.array([9, 10, 11, 12], dtype=np.int32),
    "repeats": index_array([[1], [1], [3]]),
    "repeats-values": np.array([10, 20, 30], dtype=np.int32),
    "blocks": index_array([[0], [2]]),
    "blocks-values": slice_updates(),
    # strided_slice
    "grid": np.arange(2 * 4 * 2 * 3 * 2, dtype=np.int32).reshape(2, 4, 2, 3, 2),
    # what indexes along an axis, and slices that are written
    "matrix": np.arange(12, dtype=np.int32).reshape(3, 4),
    "columns": index_array([3, 0]),
    "value": np.array(-1, dtype=np.int32),
    "dy": np.array([1, 2, 3], dtype=np.float32),
    "scores": SCORES,
    "order": np.argsort(SCORES, axis=1).astype(np.int32),
    "ranks": index_array([[0, 1, 2], [0, 1, 2]]),
}


def whole(values, shape=None):
    return np.array(values, dtype=np.int32).reshape(np.shape(values) if shape is None else shape)


def single(values, shape=None):
    return np.array(values, dtype=np.float32).reshape(np.shape(values) if shape is None else shape)


# One per rule of docs/semantics.md. Elements of `brain` are the bits of bfloat16.
RULES = {
    # to read from and to write to
    "p": whole(range(6), (2, 3)),
    "five": whole(range(5)),
    "tall": whole(range(12), (4, 3)),
    "zeros": single([0, 0, 0]),
    "ones": whole([1, 1, 1]),
    "lone": whole(7),
    "long": np.arange(2000, dtype=np.int16),
    "deep": whole([0, 1], (1,) * 8 + (2,)),
    "bare": single([], (3, 0)),
    "hollow": single([], (2, 3, 0)),
    "void": single([], (0, 2)),
    "letter": np.array([b"x"]),
    "byte": np.array([250], dtype=np.uint8),
    "no": np.array([False]),
    "half": np.array([2048], dtype=np.float16),
    "brain": np.array([0x4380], dtype=np.uint16).view("V2"),
    "million": single([2**24]),
    "huge": single([1e8]),
    "nan-one": single([np.nan, 1]),
    "signs": single([-0.0, 0.0]),
    "complex": np.array([1 + 1j], dtype=np.complex64),
    # indices: tuples
    "row-0": whole([[0]]),
    "row-1": whole([[1]]),
    "rows-1-0": whole([[1], [0]]),
    "pair": whole([1, 2]),
    "right": whole([[0, 3]]),
    "last": whole([[-1, 0]]),
    "before": whole([[-3, 0]]),
    "bad-two": whole([[0, 9], [0, 0], [7, 7]]),
    "good-bad": whole([[0], [9]]),
    "empty-two": whole([], (2, 0)),
    "empty-one": whole([], (1, 0)),
    "eight": whole([[0] * 8]),
    "twice-0": whole([[0], [0]]),
    "twice-1": whole([[1], [1]]),
    "four-0": whole([[0]] * 4),
    "both": whole([[0], [1]]),
    "b200": np.array([[200]], dtype=np.uint8),
    "u64": np.array([[1]], dtype=np.uint64),
    # indices: single values
    "at-1": whole(1),
    "at-3": whole([3]),
    "at-7": whole([7]),
    "columns": whole([[0, 2], [1, 1]]),
    "one-row": whole([[0, 2]]),
    "first": whole([0]),
    # updates and values
    "u5": single([5, 5]),
    "i56": whole([5, 6]),
    "minus-3": whole([-3]),
    "rows-2": whole([[1, 2, 3], [4, 5, 6]]),
    "no-rows": single([], (1, 0)),
    "scalar": whole(9),
    "one": whole([1]),
    "two-columns": whole([[10], [20]]),
    "three": whole([7, 8, 9]),
    "wide": whole([[7, 8]]),
    "y": np.array([b"y"]),
    "ten": np.array([10], dtype=np.uint8),
    "yes-yes": np.array([True, True]),
    "half-ones": np.array([1, 1, 1, 1], dtype=np.float16),
    "brain-ones": np.array([0x3F80] * 4, dtype=np.uint16).view("V2"),
    "f-ones": single([1, 1, 1, 1]),
    "cancel": single([1, 1, -1e8, 1]),
    "one-nan": single([1, np.nan]),
    "other-signs": single([0.0, -0.0]),
    "complex-2": np.array([1 + 2j], dtype=np.complex64),
}

FOLDERS = {"examples/data": EXAMPLES, "docs/data": RULES}


def main(root):
    for folder, arrays in FOLDERS.items():
        os.makedirs(os.path.join(root, folder), exist_ok=True)
        for name, array in arrays.items():
            np.save(os.path.join(root, folder, f"{name}.npy"), array)


if __name__ == "__main__":
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    main(sys.argv[1] if len(sys.argv) > 1 else source)

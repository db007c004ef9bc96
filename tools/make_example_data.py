#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the arrays in examples/data, which the examples of the command work on. Needs NumPy.

    make_example_data.py [FOLDER]

The first ones are those of TensorFlow's documentation of gather_nd, scatter_nd and strided_slice.
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

ARRAYS = {
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


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "data")
    folder = sys.argv[1] if len(sys.argv) > 1 else default
    os.makedirs(folder, exist_ok=True)
    for name, array in ARRAYS.items():
        np.save(os.path.join(folder, f"{name}.npy"), array)


if __name__ == "__main__":
    main()

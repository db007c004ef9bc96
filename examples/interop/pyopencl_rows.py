# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyOpenCL in and out."""

import numpy as np
import pyopencl
from pyopencl.array import to_device

import clnd_pyopencl as clnd

queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
engine = clnd.engine(queue)

table = to_device(queue, np.arange(12, dtype=np.float32).reshape(4, 3))
picked = clnd.gather(engine, table[:, 1:], to_device(queue, np.array([2, 0, 2])))
print(picked)
clnd.scatter_add(engine, to_device(queue, np.array([3, 3, 1])), picked, table[:, 1:])
print(table)

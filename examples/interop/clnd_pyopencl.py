# SPDX-License-Identifier: Apache-2.0
"""clnd on the arrays and queues of PyOpenCL: gather and scatter along the first axis."""

import ctypes as c
import os

import pyopencl.array

clnd = c.CDLL(os.environ.get("CLND_LIBRARY", "libclnd.so.0"))
clnd.clnd_last_error.restype = c.c_char_p
DTYPES = {"int32": 0x0404, "int64": 0x0805, "float32": 0x040C, "float64": 0x080D}  # dtype.h


class Tensor(c.Structure):  # clnd_tensor
    _fields_ = [("buffer", c.c_void_p), ("offset", c.c_size_t), ("dtype", c.c_uint64),
                ("rank", c.c_int32), ("shape", c.c_int64 * 16), ("strides", c.c_int64 * 16)]


class ScatterOptions(c.Structure):  # clnd_scatter_options
    _fields_ = [("axis", c.c_int32), ("batch_dims", c.c_int32), ("reduce", c.c_int),
                ("bounds", c.c_int), ("deterministic", c.c_bool), ("unique_indices", c.c_bool),
                ("workspace", c.c_void_p), ("report", c.c_void_p), ("reserved", c.c_uint64 * 8)]


ADD = ScatterOptions(reduce=2)  # CLND_REDUCE_ADD


def need(status):
    if status:
        raise RuntimeError(clnd.clnd_last_error().decode())


def engine(queue):
    made = c.c_void_p()
    context, device = c.c_void_p(queue.context.int_ptr), c.c_void_p(queue.device.int_ptr)
    need(clnd.clnd_engine_create(context, device, None, c.byref(made)))
    return made


def tensor(array):
    shape, strides = array.shape, [step // array.dtype.itemsize for step in array.strides]
    return c.byref(Tensor(array.base_data.int_ptr, array.offset, DTYPES[array.dtype.name],
                          array.ndim, (c.c_int64 * 16)(*shape), (c.c_int64 * 16)(*strides)))


def gather(engine, params, indices):
    """params[indices]"""
    out = pyopencl.array.empty(params.queue, indices.shape + params.shape[1:], params.dtype)
    queue = c.c_void_p(params.queue.int_ptr)
    need(clnd.clnd_gather(engine, queue, tensor(params), tensor(indices), tensor(out), None, 0,
                          None, None))
    return out


def scatter_add(engine, indices, updates, target):
    """target[indices] += updates, where an index that occurs twice adds up"""
    queue = c.c_void_p(target.queue.int_ptr)
    need(clnd.clnd_scatter(engine, queue, tensor(indices), tensor(updates), tensor(target),
                           c.byref(ADD), 0, None, None))

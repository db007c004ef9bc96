# SPDX-License-Identifier: Apache-2.0
"""Calls clnd from Python through cffi, which reads clnd's own headers."""

import os
import subprocess
import tempfile

import cffi
import numpy as np

# The preprocessor joins the headers. Empty files stand for those of the system: cffi knows
# int32_t and its like by itself, and of OpenCL a few names are enough.
OPENCL = """typedef struct _cl_mem *cl_mem; typedef struct _cl_event *cl_event;
    typedef struct _cl_context *cl_context; typedef struct _cl_device_id *cl_device_id;
    typedef struct _cl_command_queue *cl_command_queue; typedef uint32_t cl_uint;"""
INCLUDE = os.environ.get("CLND_INCLUDE", "/usr/local/include")
with tempfile.TemporaryDirectory() as empty:
    os.mkdir(f"{empty}/CL")
    for name in ("CL/cl.h", "stdbool.h", "stddef.h", "stdint.h"):
        open(f"{empty}/{name}", "w", encoding="ascii").close()
    call = ["cc", "-E", "-P", "-nostdinc", "-D__attribute__(x)=", f"-I{empty}", f"-I{INCLUDE}"]
    header = subprocess.run([*call, f"{INCLUDE}/clnd/clnd.h"], capture_output=True, check=True)
ffi = cffi.FFI()
ffi.cdef(OPENCL + header.stdout.decode())
clnd = ffi.dlopen(os.environ.get("CLND_LIBRARY", "libclnd.so.0"))


def need(status):
    if status != clnd.CLND_OK:
        raise RuntimeError(ffi.string(clnd.clnd_last_error()).decode())


def array(values):
    """A clnd_array of a NumPy array, which has to live as long."""
    described = ffi.new("clnd_array *")
    dtype = getattr(clnd, f"CLND_{values.dtype.name.upper()}")
    data = ffi.cast("void *", values.ctypes.data)
    need(clnd.clnd_array_dense(data, dtype, values.ndim, values.shape, described))
    return described


engine = ffi.new("clnd_engine **")
need(clnd.clnd_engine_open(ffi.NULL, ffi.NULL, engine))

table = np.arange(12, dtype=np.float32).reshape(4, 3)
rows = np.array([2, 0, 2])
picked = np.empty((3, 3), np.float32)
options = ffi.new("clnd_gather_options *", {"bounds": clnd.CLND_BOUNDS_ERROR})
need(clnd.clnd_host_gather(engine[0], array(table), array(rows), array(picked), options))
print(picked)

rows[1] = 4
try:
    need(clnd.clnd_host_gather(engine[0], array(table), array(rows), array(picked), options))
except RuntimeError as error:
    print(error)
clnd.clnd_engine_destroy(engine)

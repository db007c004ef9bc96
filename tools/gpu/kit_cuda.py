#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run clnd's kernels on an NVIDIA GPU without OpenCL: PTX and launches that kit_pack.py has made,
by the CUDA driver alone. Needs nothing but Python.

    kit_cuda.py [--case GLOB,...] [--out FOLDER] [--samples N] [--hot SHARE] [--once] FOLDER

Each case is written to FOLDER/CASE.json as it ends: times, the rate of a plain copy beside it, and
whether the results are right as far as that is looked at (gathers of rows: some rows; sums: all).
Indices are uniform; --hot makes so many of them 0. --once launches each kernel once, for ncu.
"""

import argparse
import array
import ctypes
import datetime
import fnmatch
import json
import os
import sys

COPY = 1 << 28  # bytes
SHOWN_ROWS = 64
MOST_SUMMED = 1 << 28  # bytes
SKIPPED = 77

cuda = None


class CudaError(Exception):
    pass


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise CudaError(f"{name}: {code} {(text.value or b'').decode()}")


def open_device():
    """The name and driver version; NVIDIA's library stays loaded."""
    global cuda
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, version = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    name = ctypes.create_string_buffer(128)
    call("cuDeviceGetName", name, 128, device)
    call("cuDriverGetVersion", ctypes.byref(version))
    return name.value.decode(), version.value


class Kernels:
    """Of PTX files, each loaded once."""

    def __init__(self, folder):
        self.folder = folder
        self.modules = {}

    def get(self, file, name):
        if file not in self.modules:
            module = ctypes.c_void_p()
            with open(os.path.join(self.folder, file), "rb") as ptx:
                call("cuModuleLoadData", ctypes.byref(module), ptx.read() + b"\0")
            self.modules[file] = module
        function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(function), self.modules[file], name.encode())
        return function


def launch(function, grid, local, values):
    """`values` are ctypes objects or bytes, in the order of the kernel's parameters."""
    values = [ctypes.create_string_buffer(v, len(v)) if isinstance(v, bytes) else v for v in values]
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
    call("cuLaunchKernel", function, *grid, local, 1, 1, 0, None, pointers, None)


class Memory:
    """Buffers of one case, by their numbers."""

    def __init__(self):
        self.buffers = {}

    def get(self, described):
        number, size = described["number"], described["size"]
        if number not in self.buffers:
            address = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size + 4096))
            self.buffers[number] = address
            call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(size + 4096))
            content = bytes.fromhex(described.get("content", ""))
            if content:
                call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
        return self.buffers[number]

    def free(self):
        for address in self.buffers.values():
            cuda.cuMemFree_v2(address)


def read(address, offset, size):
    out = ctypes.create_string_buffer(size)
    call("cuMemcpyDtoH_v2", out, ctypes.c_uint64(address.value + offset), ctypes.c_size_t(size))
    return out.raw


def events(n):
    made = [ctypes.c_void_p() for _ in range(n)]
    for event in made:
        call("cuEventCreate", ctypes.byref(event), 0)
    return made


def timed(work):
    """Seconds between two events around it."""
    begin, end = events(2)
    call("cuEventRecord", begin, None)
    work()
    call("cuEventRecord", end, None)
    call("cuEventSynchronize", end)
    milliseconds = ctypes.c_float()
    call("cuEventElapsedTime", ctypes.byref(milliseconds), begin, end)
    for event in (begin, end):
        call("cuEventDestroy_v2", event)
    return milliseconds.value * 1e-3


def run_command(command, kernels, memory):
    size = ctypes.c_size_t(command.get("bytes", 0))
    if command["what"] == "launch":
        values = [memory.get(a) if "buffer" in a else bytes.fromhex(a["bytes"])
                  for a in command["arguments"]]
        local = command["local"]
        grid = (command["global"][0] // local, command["global"][1], 1)
        launch(kernels.get(command["ptx"], command["kernel"]), grid, local, values)
    elif command["what"] == "fill":
        byte = int(command["pattern"][:2] or "0", 16)
        target = ctypes.c_uint64(memory.get(command["target"]).value + command["offset"])
        call("cuMemsetD8Async", target, ctypes.c_ubyte(byte), size, None)
    elif command["what"] == "copy":
        target = ctypes.c_uint64(memory.get(command["target"]).value + command["offset"])
        source = ctypes.c_uint64(memory.get(command["from"]).value + command["from_offset"])
        call("cuMemcpyDtoDAsync_v2", target, source, size, None)


def operands(case):
    """{name: its buffer} of data, indices and dense."""
    found = {}
    for command in case["commands"]:
        for part in [*command.get("arguments", []), command.get("target"), command.get("from")]:
            if part and part.get("buffer") in ("data", "indices", "dense"):
                found[part["buffer"]] = part
    return found


def is_sum(case):
    return case.get("reduce", "update") == "add"


def fill(case, named, kernels, file, memory, hot):
    """Gathers and copies read words that say where they are; sums add ones to zeros."""
    source = named.get("dense" if case["op"].startswith("scatter") else "data")
    if source and is_sum(case):
        ones = {"f32": 0x3F800000, "i32": 1}.get(case["dtype"], 0)
        call("cuMemsetD32_v2", memory.get(source), ctypes.c_uint(ones),
             ctypes.c_size_t(source["size"] // 4))
    elif source:
        launch(kernels.get(file, "fill_words"), (4096, 1, 1), 256,
               [memory.get(source), ctypes.c_uint64(source["size"] // 4)])
    if "indices" not in named:
        return
    wide = case["index_dtype"] == "i64"
    extents = (case["extents"] + [1, 1])[:3]
    count = named["indices"]["size"] // (8 if wide else 4)
    words = [wide, len(case["extents"]), *extents, min(int(hot * 2**32), 2**32 - 1)]
    launch(kernels.get(file, "fill_indices"), (4096, 1, 1), 256,
           [memory.get(named["indices"]), ctypes.c_uint64(count),
            *[ctypes.c_uint(int(word)) for word in words]])


def mixed(x):
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def is_right(case, named, memory):
    """None where it is not looked at. After one call."""
    if case["op"] == "gather-nd" and len(case["extents"]) == 1 and not case.get("batch_dims") \
            and not case.get("row_step") and case["row_bytes"] % 4 == 0:
        width, words = 8 if case["index_dtype"] == "i64" else 4, case["row_bytes"] // 4
        rows = min(SHOWN_ROWS, case["rows"])
        index = read(memory.get(named["indices"]), 0, rows * width)
        got = array.array("I", read(memory.get(named["dense"]), 0, rows * case["row_bytes"]))
        want = [mixed((int.from_bytes(index[r * width:(r + 1) * width], "little") * words + w)
                      & 0xFFFFFFFF) for r in range(rows) for w in range(words)]
        return list(got) == want
    if is_sum(case) and case["dtype"] in ("f32", "i32") and case["data_bytes"] <= MOST_SUMMED:
        sums = array.array("f" if case["dtype"] == "f32" else "i",
                           read(memory.get(named["data"]), 0, case["data_bytes"]))
        return sum(sums) == case["rows"] * case["row_bytes"] // 4
    return None


def plain_copy(memory):
    from_, to = (memory.get({"number": n, "size": COPY}) for n in (-1, -2))
    return lambda: call("cuMemcpyDtoDAsync_v2", to, from_, ctypes.c_size_t(COPY), None)


def measure(case, plan, kernels, options):
    memory = Memory()
    try:
        named = operands(case)
        fill(case, named, kernels, plan["fill"], memory, options.hot)

        def work():
            for command in case["commands"]:
                run_command(command, kernels, memory)

        work()
        call("cuCtxSynchronize")
        right = is_right(case, named, memory)
        if options.once:
            return {"right": right}
        copy = plain_copy(memory)
        copies, times = [], []
        for _ in range(options.samples):
            copies.append(timed(copy))
            times.append(timed(work))
        times.sort()
        median, copied = times[len(times) // 2], sorted(copies)[len(copies) // 2]
        return {"right": right, "median_s": median, "min_s": times[0], "samples": len(times),
                "payload_GBps": case["payload_bytes"] / median * 1e-9,
                "copy_GBps": COPY / copied * 1e-9,
                "share_of_copy": case["payload_bytes"] / median / (COPY / copied)}
    finally:
        memory.free()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="what kit_pack.py has made")
    parser.add_argument("--case", default="*")
    parser.add_argument("--out", default=".")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--hot", type=float, default=0)
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    with open(os.path.join(options.folder, "launches.json"), encoding="utf-8") as file:
        plan = json.load(file)
    try:
        name, driver = open_device()
    except (OSError, CudaError) as fault:
        print(f"kit_cuda.py: {fault}", file=sys.stderr)
        return SKIPPED
    os.makedirs(options.out, exist_ok=True)
    kernels, wrong = Kernels(options.folder), 0
    for case in plan["cases"]:
        if not any(fnmatch.fnmatch(case["case"], one) for one in options.case.split(",")):
            continue
        result = {"case": case["case"], "device": name, "cuda_driver": driver,
                  "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
                  "strategy": case["strategy"], "hot": options.hot,
                  "kernels": [c.get("kernel", c["what"]) for c in case["commands"]]}
        try:
            result.update(measure(case, plan, kernels, options))
        except CudaError as fault:
            result["error"] = str(fault)
        wrong += result.get("right") is False or "error" in result
        print(json.dumps(result), flush=True)
        with open(os.path.join(options.out, case["case"] + ".json"), "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

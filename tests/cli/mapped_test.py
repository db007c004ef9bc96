#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Input files are mapped: how much of a large one is read, and what changes to it do.

usage: mapped_test.py CLND [PART_OF_A_NAME]

Only the properties whose function has the part in its name are looked at, if one is given.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import check, need_device, Place, run, Skip

MIB = 1 << 20
ROOM = 64 * MIB  # bytes of memory that a call may take more than one on a small file


def path_of(name):
    return os.path.join(Place.scratch, name)


def put_sparse(name, size, dtype="<i8"):
    """Zeros that take no room on the disk, but for the last three elements: 1, 2, 3."""
    count = size // np.dtype(dtype).itemsize
    header = {"descr": dtype, "fortran_order": False, "shape": (count,)}
    with open(path_of(name), "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        end = np.array([1, 2, 3], dtype).tobytes()
        try:
            file.seek(size - len(end), os.SEEK_CUR)
            file.write(end)
        except OSError as error:
            raise Skip("no files of %d bytes: %s" % (size, error.strerror)) from error
        if os.fstat(file.fileno()).st_blocks * 512 > ROOM:
            raise Skip("files without holes")
    return path_of(name)


def most_memory(*arguments):
    """What a call prints, and the most bytes that it had in memory."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([Place.clnd, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return output.read().decode(), process.returncode, usage.ru_maxrss * 1024


def check_memory(wanted, large, small):
    """Prints what it should, and needs hardly more memory than on the small file."""
    for _ in range(2):  # the first compiles kernels, unless they are cached
        text, status, used = most_memory(*large)
        _, small_status, usual = most_memory(*small)
    check((status, text) == (0, wanted) and small_status == 0, status, text)
    check(used - usual < ROOM, large, "takes", used, "bytes, and on a small file", usual)


def test_a_call_reads_what_it_needs():
    need_device()
    # Drivers say how large a buffer may be, some of them by the memory that is free just now.
    buffer = MIB * max(map(int, re.findall(r"buffers of up to (\d+) MiB", run("devices").stdout)))
    large, small = put_sparse("large.npy", 2 * buffer), put_sparse("small.npy", MIB)
    check_memory("[0 0 1 2 3]\n", ["slice", large, " -5:"], ["slice", small, " -5:"])
    check_memory("[3 2 1 0 0]\n", ["slice", large, ":-6:-1"], ["slice", small, ":-6:-1"])
    check_memory("[]\n", ["slice", large, "9:5"], ["slice", small, "9:5"])
    os.unlink(large)
    # A gather has the whole array in one buffer.
    large = put_sparse("large.npy", buffer // 4)
    np.save(path_of("large-at.npy"), [buffer // 32 - 1, 0, buffer // 32 - 3])
    np.save(path_of("small-at.npy"), [2, 1, 0])
    check_memory("[3 0 1]\n", ["gather", large, path_of("large-at.npy")],
                 ["gather", small, path_of("small-at.npy")])
    os.unlink(large)


def test_inputs_stay_as_they_are():
    need_device()
    array = np.arange(50_000)
    np.save(path_of("in.npy"), array)
    np.save(path_of("at.npy"), [[7], [49_999]])
    np.save(path_of("new.npy"), [-1, -2])
    with open(path_of("in.npy"), "rb") as file:
        before = file.read()
    scatter = ["scatter-nd", path_of("at.npy"), path_of("new.npy"), "--into", path_of("in.npy")]
    array[[7, 49_999]] = -1, -2
    check(run(*scatter, "-o", path_of("out.npy")).returncode == 0)
    check((np.load(path_of("out.npy")) == array).all(), "the result")
    with open(path_of("in.npy"), "rb") as file:
        check(file.read() == before, "an input was changed")
    # The output takes the name of an input.
    check(run(*scatter, "-o", path_of("in.npy")).returncode == 0)
    check((np.load(path_of("in.npy")) == array).all(), "in place")
    check(run("slice", path_of("in.npy"), "::-1", "-o", path_of("in.npy")).returncode == 0)
    check((np.load(path_of("in.npy")) == array[::-1]).all(), "reversed in place")


def test_data_at_any_offset_is_read():
    need_device()
    array = np.arange(9, dtype="<f8")
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }"
    np.save(path_of("at.npy"), [3])
    np.save(path_of("one.npy"), [1.0])
    for spaces in range(20):
        header = text + b" " * spaces
        with open(path_of("in.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header +
                       array.tobytes())
        result = run("scatter", path_of("at.npy"), path_of("one.npy"), "--into", path_of("in.npy"),
                     "--reduce", "add")
        check(result.stdout == "[0. 1. 2. 4. 4. 5. 6. 7. 8.]\n", spaces, result)


def wait_for_mapping(process, path):
    for _ in range(1000):
        with open("/proc/%d/maps" % process.pid, encoding="utf-8", errors="replace") as maps:
            if re.search(r" %s$" % re.escape(path), maps.read(), re.MULTILINE):
                return
        time.sleep(0.01)
    check(False, path, "is not mapped")


def test_a_file_that_is_cut_short_meanwhile_is_refused():
    need_device()
    if not os.path.exists("/proc/self/maps"):
        raise Skip("no /proc")
    path = os.path.realpath(path_of("in.npy"))
    np.save(path, np.arange(50_000))
    np.save(path_of("at.npy"), [49_999])
    with open(path_of("at.npy"), "rb") as file:
        indices = file.read()
    process = subprocess.Popen([Place.clnd, "gather", path, "-", "-o", path_of("none.npy")],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    wait_for_mapping(process, path)
    os.truncate(path, 4096)
    output, error = process.communicate(indices, timeout=120)
    check(process.returncode == 1 and output == b"", process.returncode, output, error)
    check(error == b"clnd: a file was cut short while in use, or cannot be read\n", error)
    check(not os.path.exists(path_of("none.npy")), "an output")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd = os.path.abspath(sys.argv[1])
    chosen = [property for property in support.properties_of(sys.modules[__name__])
              if "".join(sys.argv[2:]) in property.__name__]
    with tempfile.TemporaryDirectory(prefix="clnd-mapped-") as Place.scratch:
        sys.exit(support.run_properties(chosen))

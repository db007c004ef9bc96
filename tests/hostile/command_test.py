# SPDX-License-Identifier: Apache-2.0
"""What has harmed other libraries, given to the command as files and options.

usage: command_test.py CLND SOURCE_DIR
"""
import itertools
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
# pylint: disable=wrong-import-position
import command_support as support
import numpy as np
from command_support import Place, check, need_device, run

INDEX_DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4"]
LOWEST, HIGHEST = -2**63, 2**63 - 1
MATRIX = np.arange(12, dtype="<i4").reshape(3, 4) + 100
CLAMP, ZERO, WRAP, ERROR = "clamp", "zero", "wrap", "error"


def save(name, array):
    path = os.path.join(Place.scratch, name)
    np.save(path, array, allow_pickle=False)
    return path


def save_header(name, shape, data=b"", descr="<i4"):
    """A .npy file whose header says what it likes."""
    header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)).encode()
    length = (10 + len(header) + 1 + 63) // 64 * 64 - 10
    path = os.path.join(Place.scratch, name)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + length.to_bytes(2, "little"))
        file.write(header.ljust(length - 1) + b"\n" + data)
    return path


def refused(text, *arguments, status=1):
    """The call ends with one line of message, and leaves a file that is there as it was."""
    output = os.path.join(Place.scratch, "kept.npy")
    if arguments[0] != "show":
        with open(output, "wb") as file:
            file.write(b"kept")
        arguments = (*arguments, "-o", output)
    result = run(*arguments)
    check(result.returncode == status, arguments, "status", result.returncode, result.stderr)
    check(result.stdout == "", arguments, "printed", result.stdout)
    lines = [line for line in result.stderr.splitlines() if line.startswith("clnd: ")]
    check(len(lines) == 1 and text in lines[0], arguments, "lacks", text, result.stderr)
    if arguments[0] != "show":
        with open(output, "rb") as file:
            check(file.read() == b"kept", arguments, "touched its output")


def gives(expected, *arguments):
    """The call's result is this array, of this dtype and shape."""
    output = os.path.join(Place.scratch, "result.npy")
    result = run(*arguments, "--quiet", "-o", output)
    check(result.returncode == 0, arguments, "status", result.returncode, result.stderr)
    got = np.load(output)
    os.unlink(output)
    check(got.shape == expected.shape and got.dtype == expected.dtype, arguments, got, expected)
    check(np.array_equal(got, expected), arguments, got, "expected", expected)


# A model of the policies, in Python's integers ---------------------------------------------------

def place_of(index, size, policy):
    """The place that an index means, or None."""
    index = int(index)
    if policy == CLAMP and size:
        return min(max(index, 0), size - 1)
    if policy == WRAP and -size <= index < 0:
        index += size
    return index if 0 <= index < size else None


def play_everywhere(values, policies=(ZERO, CLAMP, WRAP, ERROR)):
    """Six index values, as rows, elements and tuples, gathered and scattered."""
    pairs = values.reshape(3, 2)
    files = {"matrix": save("matrix.npy", MATRIX), "line": save("line.npy", values),
             "pairs": save("pairs.npy", pairs),
             "updates": save("updates.npy", np.arange(3, dtype="<i4") + 1)}
    for policy in policies:
        along = [place_of(value, 3, policy) for value in values]
        tuples = [(place_of(a, 3, policy), place_of(b, 4, policy)) for a, b in pairs]
        refuses = policy in (WRAP, ERROR)
        bounds = ["--bounds", policy]
        calls = [("gather", files["matrix"], files["line"]),
                 ("gather-nd", files["matrix"], files["pairs"]),
                 ("scatter-nd", files["pairs"], files["updates"], "--reduce", "add", "--into",
                  files["matrix"])]
        rows = np.zeros((6, 4), "<i4")
        elements = np.zeros(3, "<i4")
        sums = MATRIX.copy()
        for i, place in enumerate(along):
            if place is not None:
                rows[i] = MATRIX[place]
        for i, place in enumerate(tuples):
            if None not in place:
                elements[i] = MATRIX[place]
                sums[place] += i + 1
        bad = [None in along, any(None in place for place in tuples)]
        for call, expected, is_bad in zip(calls, (rows, elements, sums), (bad[0], bad[1], bad[1])):
            if refuses and is_bad:
                refused("indices[", *call, *bounds)
            else:
                gives(expected, *call, *bounds)


def test_CVE_2021_37687_and_CVE_2020_15212_negative_indices():
    need_device()
    play_everywhere(np.array([0, -1, -3, -4, 2, -5], "<i4"))


def test_CVE_2022_35937_and_35938_indices_behind_their_dimension():
    need_device()
    play_everywhere(np.array([2, 3, 3, 0, 0, 11], "<i8"))


def test_CVE_2022_35939_offsets_that_wrap_around():
    need_device()
    play_everywhere(np.array([1 << 30, 0, 1 << 28, 1, 0, -2**30], "<i4"))
    play_everywhere(np.array([1 << 62, 0, 1 << 60, 1, 0, 1 << 32], "<i8"))


def test_extremes_of_each_index_dtype():
    need_device()
    for name, policy in zip(INDEX_DTYPES, itertools.cycle((CLAMP, WRAP))):
        limits = np.iinfo(name)
        play_everywhere(np.array([limits.min, limits.max, limits.max - 1, 1, 1,
                                  limits.max // 2 + 1], name), (policy,))


def test_CVE_2022_35939_row_3_of_3():
    """The advisory's shape, of bytes: the result would be 1.5 GiB, and is not made."""
    need_device()
    indices = save("i.npy", np.array([[3, 0], [0, 1 << 29], [-1, 0]], "<i8"))
    updates = save("u.npy", np.ones(3, "u1"))
    refused("indices[0] = [3, 0] does not index into shape [3, 536870912]", "scatter-nd", indices,
            updates, "--shape", "3,536870912", "--bounds", "error")


# Files -------------------------------------------------------------------------------------------

def test_headers_of_too_many_dimensions():
    need_device()
    index = save("i.npy", np.zeros(1, "<i4"))
    for rank in (17, 32, 64, 1000):
        path = save_header("deep.npy", str((1,) * rank), bytes(4))
        refused("shape has %d dimensions, at most 16 are allowed" % rank, "show", path)
        refused("shape has %d dimensions, at most 16 are allowed" % rank, "gather", path, index)
    path = save_header("deep.npy", str((1,) * 16), b"\7\0\0\0")
    gives(np.full((1,) * 16, 7, "<i4"), "gather", path, index)
    # A result of rank 17
    refused("rank 17", "gather", path, save("i2.npy", np.zeros((1, 1), "<i4")))


def test_headers_of_sizes_that_no_memory_has():
    need_device()
    index = save("i.npy", np.zeros(1, "<i4"))
    for shape, text in ((str((HIGHEST,)), "more than"), (str((2**32, 2**32)), "more than"),
                        (str((2**62, 2, 2)), "more than"), (str((2**40,)), "truncated"),
                        (str((-1, 4)), "negative size"), (str((LOWEST,)), "negative size"),
                        (str((2**64,)), "shape"), ("(-0, 4, -4)", "negative size"),
                        (str((0, HIGHEST, HIGHEST)), "more than")):
        path = save_header("wide.npy", shape, bytes(64))
        refused(text, "show", path)
        refused(text, "gather", path, index)
        refused(text, "gather", index, path)


def test_results_that_no_memory_has():
    need_device()
    index = save("i.npy", np.zeros((1, 1), "<i8"))
    update = save("u.npy", np.ones((1,), "<i4"))
    refused("63 bits", "scatter-nd", index, update, "--shape", str(HIGHEST))
    refused("63 bits", "scatter-nd", index, save("u2.npy", np.ones((1, 4), "<i4")), "--shape",
            "4611686018427387904,4")
    refused("array of 4503599627370496 bytes", "scatter-nd", index, update, "--shape", str(2**50))
    refused("negative size", "scatter-nd", index, update, "--shape", "-1", status=2)
    refused("negative size", "scatter-nd", index, update, "--shape", str(LOWEST), status=2)
    refused("17 sizes", "scatter-nd", index, update, "--shape", ",".join(["1"] * 17), status=2)
    refused("64 bits", "scatter-nd", index, update, "--shape", str(HIGHEST + 1), status=2)
    refused("64 bits", "scatter-nd", index, update, "--shape", str(2**64 + 1), status=2)


# Sizes, ranks, axes ------------------------------------------------------------------------------

def test_CVE_2021_37653_params_without_batches():
    need_device()
    params = save("p.npy", np.zeros((0, 1), "<i4"))
    for n in (0, 1, 5):
        gives(np.zeros((0, n), "<i4"), "gather", params, save("i.npy", np.zeros((0, n), "<i4")),
              "--batch-dims", "1")
        gives(np.zeros((0, n), "<i4"), "gather-nd", params,
              save("i.npy", np.zeros((0, n, 1), "<i4")), "--batch-dims", "1")
    # Indices of a dimension without places
    index = save("i.npy", np.zeros((1,), "<i4"))
    refused("indices[0] = 0 is not in [0, 0)", "gather", params, index, "--bounds", "error")
    for policy in (ZERO, CLAMP):
        gives(np.zeros((1, 1), "<i4"), "gather", params, index, "--bounds", policy)


def test_CVE_2021_37654_batch_dims_and_axes_beyond_the_rank():
    need_device()
    params = save("p.npy", MATRIX)
    one = save("i1.npy", np.zeros(3, "<i4"))
    two = save("i2.npy", np.zeros((3, 4), "<i4"))
    for number in (2, 10, -3, -2**31, 2**32 + 1, LOWEST):
        status = 1 if abs(number) <= 16 else 2
        for command, *operands in (("gather", params, one), ("gather-nd", params, one)):
            refused("batch", command, *operands, "--batch-dims", str(number), status=status)
        for command, *operands in (("gather", params, one), ("gather-elements", params, two),
                                   ("scatter-elements", two, two, "--into", params)):
            refused("axis", command, *operands, "--axis", str(number), status=status)
    for number in (HIGHEST + 1, LOWEST - 1, 10**40):
        refused("64 bits", "gather", params, one, "--axis", str(number), status=2)


def test_CVE_2021_37655_sizes_that_only_divide():
    need_device()
    params = save("p.npy", MATRIX)
    index = save("i.npy", np.zeros((2, 1), "<i4"))
    for shape in ((4, 4), (1, 4), (2, 8), (2, 2), (8,), (2,), (), (2, 4, 1), (1, 2, 4)):
        refused("updates", "scatter-nd", index, save("u.npy", np.ones(shape, "<i4")), "--into",
                params)


def test_CVE_2022_35994_scalars():
    need_device()
    scalar, line = save("s.npy", np.array(5, "<i4")), save("i.npy", np.zeros(2, "<i4"))
    refused("rank 0", "gather", scalar, line)
    refused("rank 0", "gather-elements", scalar, line)
    refused("rank 0", "scatter-elements", line, line, "--into", scalar)
    refused("0 dimensions to index", "gather-nd", scalar, line)
    refused("rank 0", "gather-nd", line, scalar)
    refused("rank 0", "scatter-nd", scalar, line, "--shape", "4")
    gives(np.full(3, 5, "<i4"), "gather-nd", scalar, save("i.npy", np.zeros((3, 0), "<i4")))


# Slices ------------------------------------------------------------------------------------------

def test_CVE_2021_37686_ellipses_and_masks():
    need_device()
    matrix = save("m.npy", MATRIX)
    cube = save("c.npy", np.arange(24, dtype="<i4").reshape(2, 3, 4))
    ends = ["--begin", "1,1,1", "--end", "2,2,2"]
    for mask in (0, 1, 2, 4, 8, 2**31, 2**32 - 1 & ~7):
        kept = [mask >> i & 1 for i in range(3)]
        parts = [Ellipsis if kept[i] else slice(1, 2) for i in range(3)]
        gives(np.arange(24, dtype="<i4").reshape(2, 3, 4)[tuple(parts)], "slice", cube, *ends,
              "--ellipsis-mask", str(mask))
    refused("2 ellipses", "slice", cube, *ends, "--ellipsis-mask", "3")
    refused("dimensions", "slice", matrix, *ends)
    refused("--ellipsis-mask takes", "slice", matrix, *ends, "--ellipsis-mask", str(2**64 - 1),
            status=2)
    refused("ellips", "slice", cube, "...,0,...", status=2)


def test_slices_at_the_ends_of_64_bits():
    need_device()
    line = np.arange(5, dtype="<i4")
    path = save("l.npy", line)
    ends = (LOWEST, -1, 0, 3, HIGHEST)
    for begin in ends:
        for stride in (LOWEST, 2):
            end = ends[(abs(begin) + abs(stride)) % 5]
            gives(line[begin:end:stride], "slice", path, "%d:%d:%d" % (begin, end, stride))
    refused("stride 0", "slice", path, "::0")
    refused("64 bits", "slice", path, "%d:" % (HIGHEST + 1), status=2)
    for place in (LOWEST, -6, 5, HIGHEST):
        refused("dimension 0", "slice", path, str(place))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd, Place.source = (os.path.abspath(path) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="clnd-hostile-") as folder:
        Place.scratch = folder
        sys.exit(support.run_properties(support.properties_of(sys.modules[__name__])))

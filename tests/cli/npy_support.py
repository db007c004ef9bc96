# SPDX-License-Identifier: Apache-2.0
"""What the tests of the file, print and value modules share: running the driver, building files."""
import io
import os
import struct
import subprocess
from fractions import Fraction

import numpy as np

NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])
MAGIC = b"\x93NUMPY"

NUMBERS = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8",
           "<c8", "<c16"]
STRINGS = ["|S1", "|S7", "<U1", "<U5", "|V1", "|V2", "|V13"]


class Place:
    """Where the tests run: the driver's path, and a directory of their own for each property."""
    driver = None
    directory = None


def cases(count):
    """How many random cases to run where `count` is usual. They cost a tenth of those on devices,
    so a share of CLND_TEST_CASES takes ten times as many."""
    return max(1, int(count * min(1, 10 * float(os.environ.get("CLND_TEST_CASES") or 1))))


class Skip(Exception):
    """This machine cannot show the property."""


def check(condition, *what):
    if not condition:
        raise AssertionError("\n".join(str(part) for part in what))


def run(*arguments, **options):
    return subprocess.run([Place.driver, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=120, **options)


def path_of(name):
    return os.path.join(Place.directory, name)


def put(name, data):
    with open(path_of(name), "wb") as file:
        file.write(data)
    return path_of(name)


def get(path):
    with open(path, "rb") as file:
        return file.read()


def saved(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def npy(header, data=b"", version=(1, 0), length=None):
    """A file with exactly this dictionary, well-formed or not."""
    if isinstance(header, str):
        header = header.encode("latin1")
    length = len(header) if length is None else length
    return (MAGIC + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", length) +
            header + data)


def dictionary(descr="'<i4'", order="False", shape="(2,)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)


def check_message(result, what):
    """A refusal: one line, nothing that a terminal would obey, nothing on standard output."""
    check(result.returncode == 1, "status %d" % result.returncode, what, result.stderr)
    check(result.stdout == b"", "output in spite of the refusal", what)
    text = result.stderr.decode("utf-8")
    check(text.endswith("\n") and text.count("\n") == 1, "not one line", what, repr(text))
    check(text[:-1].isprintable(), "control characters", what, repr(text))
    check(len(text) > 10, "no message", what)
    return text


def check_refused(data, what, *words):
    result = run("copy", put("in.npy", data), path_of("out.npy"))
    text = check_message(result, what)
    check(not os.path.exists(path_of("out.npy")), "output in spite of the refusal", what)
    for word in words:
        check(word in text, "no %r in the message" % word, what, text)


def check_read(data, expected, what):
    """The driver reads `data` as `expected`, by what it writes."""
    target = path_of("out.npy")
    result = run("copy", put("in.npy", data), target)
    check(result.returncode == 0, "refused", what, result.stderr)
    check(result.stdout == b"" and result.stderr == b"", "output", what, result)
    check_same(np.load(target, allow_pickle=False), expected, what)
    os.unlink(target)


def check_same(got, expected, what):
    check(got.dtype == expected.dtype and got.shape == expected.shape, "other type", what,
          got.dtype, got.shape, expected.dtype, expected.shape)
    check(got.flags.c_contiguous, "not in C order", what)
    check(got.tobytes() == expected.tobytes(), "other bytes", what)


def random_shape(rng, rank, most=3000):
    shape = []
    for _ in range(rank):
        shape.append(rng.choice([1, 1, 2, 2, 3, 4, 7, 9]))
        while np.prod(shape, dtype=object) > most:
            shape[-1] = 1
            most = max(most, int(np.prod(shape, dtype=object)))
    rng.shuffle(shape)
    return tuple(shape)


def random_bits(rng, descr, shape):
    dtype = np.dtype(descr)
    count = int(np.prod(shape))
    if dtype.kind == "U":
        text = "".join(chr(rng.choice([0, 65, 39, 34, 0xe9, 0x4e2d, 0x1f600]))
                       for _ in range(count * dtype.itemsize // 4))
        data = text.encode("utf-32-le")
    elif dtype.kind == "b":
        data = bytes(rng.getrandbits(1) for _ in range(count))
    else:
        data = rng.randbytes(count * dtype.itemsize)
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def all_types_and_ranks(rng):
    for descr in NUMBERS + STRINGS:
        for rank in range(17):
            yield descr, random_bits(rng, descr, random_shape(rng, rank))


def bfloat16_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def to_bfloat16(value):
    """Rounds a double once, by integers alone; nothing is shared with cli/half.c."""
    if value != value:
        return 0x7fc0
    sign = 0x8000 if struct.unpack("<q", struct.pack("<d", value))[0] < 0 else 0
    value = abs(value)
    low, high = 0, 0x7f80
    while high - low > 1:  # the largest bfloat16 that is not above value
        middle = (low + high) // 2
        if bfloat16_value(middle) <= value:
            low = middle
        else:
            high = middle
    if value == float("inf"):
        return sign | high
    above = Fraction(2) ** 128 if high == 0x7f80 else Fraction(bfloat16_value(high))
    below = Fraction(bfloat16_value(low))
    left, right = Fraction(value) - below, above - Fraction(value)
    return sign | (low if left < right or (left == right and low % 2 == 0) else high)

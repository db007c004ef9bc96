# SPDX-License-Identifier: Apache-2.0
"""Arrays as text: what NumPy 2.4 prints, character for character."""
import json
import os
import random
import re
import struct
import unicodedata

import numpy as np

from npy_support import (NUMBERS, NUMPY, STRINGS, Skip, bfloat16_value, cases, check, dictionary,
                         npy, put, random_bits, random_shape, run, saved, to_bfloat16)

STORED = os.path.join(os.path.dirname(__file__), "..", "data", "numpy-text.json")


def expected_text(array):
    if array.ndim == 0 and array.dtype.kind == "S":
        return "np.bytes_(%r)" % bytes(array[()])  # before NumPy 2 without np.bytes_()
    return str(array)


def printed(arrays):
    """What the command prints for each of the arrays."""
    paths = [put("p%d.npy" % i, saved(array)) for i, array in enumerate(arrays)]
    result = run("show", *paths)
    check(result.returncode == 0, result.returncode, result.stderr)
    texts = result.stdout.decode("utf-8").split("\n\f")
    check(len(texts) == len(arrays) + 1, "number of texts")
    return texts[:-1]


def check_text(array, got, want):
    check(got == want, array.dtype.str, array.shape, array.tobytes()[:160].hex(),
          "got:", got[:3000], "NumPy:", want[:3000])


def check_printed(arrays):
    """Every array prints as NumPy prints it."""
    arrays = list(arrays)
    if NUMPY < (2, 4) and any(array.size > 0 and array.dtype.kind in "fc" for array in arrays):
        raise Skip("NumPy %s prints floats by older rules; stored texts of 2.4 are compared" %
                   np.__version__)
    for begin in range(0, len(arrays), 200):
        batch = arrays[begin:begin + 200]
        for array, text in zip(batch, printed(batch)):
            check_text(array, text, expected_text(array))


def arrays_to_store():
    """Arrays that show each rule for the text of floats, and byte strings alone."""
    rng = random.Random(24)
    edges = {"<f2": [1e-4, 9.9e-5, 999.5, 1000, 2048, 65504, 6e-8],
             "<f4": [1e-4, 9.9999e-5, 999999.94, 1e6, 16777216, 1e8, 1e16],
             "<f8": [1e-4, 9.9999e-5, 99999999.5, 1e8, 9999999999999998, 1e16]}
    for descr, values in edges.items():
        for value in [*values, 0.0, -0.0, float("nan"), float("-inf")]:
            yield np.array(value).astype(descr)
            yield np.array([1, value]).astype(descr)
            yield np.array([value]).astype(descr)
        for shape in [(7, 200)] + [(), (2,), (3,), (2, 3)] * 8:
            yield random_floats(rng, descr, shape)
    for descr, part in ("<c8", "<f4"), ("<c16", "<f8"):
        for value in edges[part]:
            yield np.array(complex(value, 1), descr)
            yield np.array([complex(1, value)], descr)
        for shape in [(), (3,)] * 8:
            array = np.empty(shape, descr)
            array.real = random_floats(rng, part, shape)
            array.imag = random_floats(rng, part, shape)
            yield array
    yield from (np.array(text) for text in (b"", b"a", b"it's", b"\xff\n"))


def stored_texts():
    """What tests/data/numpy-text.json has to hold."""
    check(NUMPY == (2, 4), "the texts are those of NumPy 2.4, not", np.__version__)
    rows = [{"dtype": array.dtype.str, "shape": array.shape, "bytes": array.tobytes().hex(),
             "text": str(array)} for array in arrays_to_store()]
    return "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]"


def test_stored_texts_of_numpy_2_4_are_printed(rng):
    with open(STORED, encoding="ascii") as file:
        rows = json.load(file)
    arrays = [np.frombuffer(bytes.fromhex(row["bytes"]), row["dtype"]).reshape(row["shape"])
              for row in rows]
    for array, row, text in zip(arrays, rows, printed(arrays)):
        check_text(array, text, row["text"])
        check(NUMPY < (2, 4) or str(array) == row["text"], "stored:", row, "NumPy:", str(array))


PRINT_SHAPES = [(1,), (2,), (3,), (5,), (11,), (30,), (100,), (2, 3), (3, 2), (1, 1), (7, 7),
                (4, 1, 3), (2, 2, 2, 2), (1, 40), (40, 1), (1000,), (1001,), (25, 40), (13, 11, 10),
                (2, 1001), (1001, 2), (6, 200), (7, 200), (200, 6), (200, 7), (3, 3, 8, 20),
                (2, 2, 2, 2, 2, 2, 2, 2)]


def test_integers_and_bools_print_as_numpy_prints_them(rng):
    arrays = []
    for descr in "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8":
        info = None if descr == "|b1" else np.iinfo(descr)
        for shape in [(), ()] + PRINT_SHAPES:
            array = random_bits(rng, descr, shape)
            arrays.append(array)
            if info is not None:
                scale = max(1, int(info.max) // 10 ** rng.randrange(1, 4))
                arrays.append((array // scale).astype(descr))
        if info is not None:
            arrays += [np.array(value, descr) for value in (info.min, info.max, 0)]
            arrays.append(np.array([info.min, info.max, 0], descr))
        else:
            arrays += [np.zeros(4, "?"), np.ones((2, 2), "?")]
    check_printed(arrays)


def random_floats(rng, descr, shape):
    count = int(np.prod(shape))
    kind = rng.randrange(8)
    if kind == 0:
        values = random_bits(rng, descr, (count,))
    elif kind == 1:
        scale = 10.0 ** rng.randrange(-6, 10)
        values = np.array([rng.uniform(-scale, scale) for _ in range(count)])
    elif kind == 2:
        values = np.array([rng.randrange(-10 ** 5, 10 ** 5) / 10 ** rng.randrange(1, 6)
                           for _ in range(count)])
    elif kind == 3:
        values = np.array([float(rng.randrange(-2 ** 30, 2 ** 30)) for _ in range(count)])
    elif kind == 4:
        values = np.array([rng.uniform(1, 900) * 10.0 ** rng.choice([-5, -4, 0, 5])
                           for _ in range(count)])
    elif kind == 5:
        values = np.array([2.0 ** rng.randrange(-30, 30) for _ in range(count)])
    elif kind == 6:
        values = np.array([float(rng.choice([0, 1, -1, 0.5, 1e-4, 1e3, 1e6, 1e8, 1e-3]))
                           for _ in range(count)])
    else:
        values = np.array([rng.uniform(0.1, 90) for _ in range(count)])
    with np.errstate(all="ignore"):
        values = values.astype(descr)
    if rng.random() < 0.3:
        for _ in range(rng.choice([1, 2, 5])):
            special = rng.choice([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
            values = values.copy()
            values[rng.randrange(count)] = special
    return values.reshape(shape)


def test_random_floats_print_as_numpy_prints_them(rng):
    for descr in "<f2", "<f4", "<f8":
        shapes = PRINT_SHAPES + [(), (1,), (2,), (3,), (4, 4), (6,)] * cases(170)
        check_printed(random_floats(rng, descr, shape) for shape in shapes)


def test_random_complex_numbers_print_as_numpy_prints_them(rng):
    for descr, part in ("<c8", "<f4"), ("<c16", "<f8"):
        arrays = []
        for shape in PRINT_SHAPES + [(), (1,), (2,), (3,), (2, 2)] * 30:
            array = np.empty(shape, descr)
            array.real = random_floats(rng, part, shape)
            array.imag = random_floats(rng, part, shape)
            arrays.append(array)
        for real in 0.0, -0.0, 1.0, 0.1, 1e16, 1e-5, np.nan, np.inf, -np.inf:
            for imaginary in 0.0, -0.0, -2.0, 0.1, 1e16, -1e-5, np.nan, np.inf, -np.inf:
                arrays.append(np.array(complex(real, imaginary), descr))
        check_printed(arrays)


def test_every_float16_prints_as_numpy_prints_it(rng):
    values = np.arange(65536, dtype="<u2").view("<f2")
    check_printed(values[i:i + 1000] for i in range(0, 65536, 1000))
    apart = 65536 // cases(9362)
    check_printed(values[i:i + 1] for i in range(0, 65536, apart))
    check_printed(values[i] for i in range(0, 65536, apart))


def test_chosen_floats_print_as_numpy_prints_them(rng):
    chosen = [0.0, -0.0, 1.0, 0.1, 0.5, 1e-4, 9.9999e-5, 1e8, 99999999.0, 99999999.5, 1e16,
              9999999999999998.0, 123456789.0, 1e15, 5e-324, 2.2250738585072014e-308,
              2.225073858507201e-308, 1.7976931348623157e308, 1e22, 1e23, 9007199254740993.0, 0.3,
              2 / 3, 1 / 3, 3.14159265358979, 2.5, 1000.0, 1000.5, 0.001, 16777216.0, 16777217.0,
              65504.0, 65519.0, 6e-8, 0.00012345678901, 1.123456785, 1.123456775, 0.000030517578125,
              2.0 ** -44, 2.0 ** -1022, 2.0 ** 100, 3.4028235e38, 1.4e-45, 1e-45, 8.5e37,
              0.999999999, 0.9999999949, 0.9999999951, 9.9999999951, 99.999999999]
    chosen += [2.0 ** k for k in range(-1074, 1024, 5)]
    arrays = []
    with np.errstate(all="ignore"):
        for descr in "<f2", "<f4", "<f8":
            for value in chosen:
                arrays += [np.array(sign * value).astype(descr).reshape(shape)
                           for sign in (1, -1) for shape in ((), (1,))]
            for _ in range(cases(600)):
                values = [rng.choice(chosen[:48]) for _ in range(rng.choice([2, 3, 4]))]
                arrays.append(np.array(values).astype(descr))
    several = [[np.nan], [np.inf], [-np.inf], [np.nan, -np.inf], [np.nan, 1.0],
               [np.inf, 1e10], [-np.inf, 1e10, 1.5], [1e100, 1e10], [1e-300, 1e300, -1e5],
               [1.0, 1000.0], [1.0, 1000.0001], [1e-4, 0.1], [1e-4, 0.1001]]
    check_printed(arrays + [np.array(values) for values in several])


def test_float16_ratios_are_taken_in_float16(rng):
    values = [value for value in np.arange(65536, dtype="<u2").view("<f2") if 1e-4 < value < 60]
    arrays = []
    for small in rng.sample(values, 60):
        for delta in range(-6, 7):
            bits = int(np.float16(float(small) * 1000).view("<u2")) + delta
            arrays.append(np.array([small, np.uint16(bits).view("<f2")]))
    check_printed(arrays)


def test_byte_strings_print_as_numpy_prints_them(rng):
    arrays = [np.array(b""), np.array(b"a"), np.array(b"it's"), np.array(b"a\0b\0", "S9")]
    arrays += [np.array([bytes([i]), b"x"]) for i in range(256)]
    for width in 1, 2, 5, 20, 80, 200:
        for shape in [()] + PRINT_SHAPES[:20]:
            count = int(np.prod(shape))
            words = [bytes(rng.choice(b"\0\0ab'\"\\\n\x1b\xff \t")
                           for _ in range(rng.randrange(width + 1)))
                     for _ in range(count)]
            arrays.append(np.array(words, "S%d" % width).reshape(shape))
    check_printed(arrays)


def test_unicode_strings_print_as_numpy_prints_them(rng):
    letters = [c for c in map(chr, range(1, 0x3000)) if unicodedata.category(c) not in ("Cn", "Cs")]
    special = ["\0", "'", '"', "\\", "\n", "z", " ", "\U0001f600", "\ud812"]
    arrays = [np.array(""), np.array("a"), np.array("it's \\ \""), np.array("\u4e2d\u6587")]
    for width in 1, 2, 5, 20, 80:
        for shape in PRINT_SHAPES[:20]:
            words = ["".join(rng.choice(special + [rng.choice(letters)])
                             for _ in range(rng.randrange(width + 1)))
                     for _ in range(int(np.prod(shape)))]
            arrays.append(np.array(words, "U%d" % width).reshape(shape))
    check_printed(arrays)
    # A scalar stands bare, but what a terminal would obey is escaped.
    result = run("show", put("in.npy", saved(np.array("a\x1b[2J\nb\u202e'\\"))))
    check(result.stdout == b"a\\x1b[2J\\nb\\u202e'\\\n\f", result.stdout)
    # Beyond Unicode NumPy raises; here it is escaped.
    data = npy(dictionary("'<U1'"), struct.pack("<II", 0x110000, 0xffffffff))
    check(run("show", put("in.npy", data)).stdout == b"['\\U00110000' '\\Uffffffff']\n\f")


def test_every_assigned_code_point_is_escaped_as_python_escapes_it(rng):
    points = [c for c in map(chr, range(1, 0x110000))
              if unicodedata.category(c) != "Cn" and (c < "\U00020000" or ord(c) % 16 == 0)]
    check_printed(np.array(points[i:i + 1000]) for i in range(0, len(points), 1000))


def test_void_elements_print_as_numpy_prints_them(rng):
    arrays = []
    for width in 1, 2, 3, 17, 90:
        arrays += [random_bits(rng, "|V%d" % width, shape) for shape in [()] + PRINT_SHAPES[:20]]
    check_printed(arrays)


def test_empty_arrays_print_as_numpy_prints_them(rng):
    check_printed(np.zeros(shape, descr) for descr in NUMBERS + STRINGS
                  for shape in [(0,), (0, 3), (3, 0), (2, 0, 3), (0, 0), (1001, 0)])


def test_all_ranks_print_as_numpy_prints_them(rng):
    arrays = []
    for _ in range(cases(20)):
        for rank in range(17):
            shape = random_shape(rng, rank, 2500)
            arrays.append(random_bits(rng, rng.choice(["|i1", "|S1", "|b1"]), shape))
            arrays.append(random_floats(rng, "<f4", shape))
    check_printed(arrays)


def shortest_digits(bits):
    value = abs(bfloat16_value(bits))
    for digits in range(1, 10):
        if to_bfloat16(float("%.*e" % (digits - 1, value))) == bits & 0x7fff:
            return digits
    raise AssertionError(bits)


def test_bfloat16_prints_the_shortest_digits_that_give_it_back(rng):
    picked = list(range(0, 0x7f80, 11)) + [0x0001, 0x007f, 0x0080, 0x7f7f]
    batch = [(bits ^ rng.choice([0, 0x8000])) for bits in picked]
    paths = [put("p%d.npy" % i, saved(np.array(struct.pack("<H", bits), "V2")))
             for i, bits in enumerate(batch)]
    for begin in range(0, len(batch), 500):
        result = run("show", "--bfloat16", *paths[begin:begin + 500])
        check(result.returncode == 0, result.stderr)
        for bits, text in zip(batch[begin:begin + 500], result.stdout.decode().split("\n\f")):
            check(to_bfloat16(float(text)) == bits, "%#06x prints as %s" % (bits, text))
            digits = re.sub(r"e.*", "", text).replace(".", "").strip("-0")
            check(len(digits) <= shortest_digits(bits), "%#06x prints as %s" % (bits, text))
    for values, want in (([1, -2.5, 3], "[ 1.  -2.5  3. ]"), ([0.1, 0.2], "[0.1 0.2]"),
                         ([float("nan"), 1e10], "[   nan 1.e+10]"),
                         ([0.1, 300], "[1.e-01 3.e+02]")):
        data = b"".join(struct.pack("<H", to_bfloat16(value)) for value in values)
        result = run("show", "--bfloat16", put("in.npy", saved(np.frombuffer(data, "V2"))))
        check(result.stdout.decode() == want + "\n\f", values, result.stdout)

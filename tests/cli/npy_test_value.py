# SPDX-License-Identifier: Apache-2.0
"""Elements given as text."""
import struct

import numpy as np

from npy_support import (bfloat16_value, cases, check, check_message, run, to_bfloat16)


def value_of(descr, text):
    return run("value", descr, text)


def check_value(descr, text, expected):
    result = value_of(descr, text)
    check(result.returncode == 0, descr, text, result.stderr)
    check(result.stdout.decode().strip() == bytes(expected).hex(), descr, text, result.stdout,
          bytes(expected).hex())


def check_no_value(descr, text):
    check_message(value_of(descr, text), (descr, text))


def test_integer_values_are_exact_and_in_range(rng):
    for descr in "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8":
        info = np.iinfo(descr)
        low, high = int(info.min), int(info.max)
        for value in [low, high, 0, 1, low + 1,
                      high - 1] + [rng.randint(low, high) for _ in range(12)]:
            check_value(descr, str(value), np.array(value, descr).tobytes())
        check_value(descr, "+7", np.array(7, descr).tobytes())
        check_value(descr, "007", np.array(7, descr).tobytes())
        check_value(descr, "-0", np.array(0, descr).tobytes())
        for value in (low - 1, high + 1, high * 10, high * 2 + 1, 2 ** 64, 2 ** 64 + 1, -2 ** 64,
                      10 ** 40):
            check_no_value(descr, str(value))
        for text in ["", "-", "+", "1.0", "1e3", " 1", "1 ", "0x1", "1_0", "--1", "+-1", "nan",
                     "\u0661", "1\n"]:
            check_no_value(descr, text)


def test_bool_values_are_four_words(rng):
    for text, byte in ("true", 1), ("1", 1), ("false", 0), ("0", 0):
        check_value("|b1", text, [byte])
    for text in "", "True", "2", "yes", "TRUE", "true ", "01", "\x1b[31m":
        check_no_value("|b1", text)


def neighbours(value):
    """Texts of a double and of those next to it."""
    return ["%r" % float(near) for near in (value, np.nextafter(value, 1e300),
                                            np.nextafter(value, 0))]


def test_float_values_are_rounded_once(rng):
    texts = ["0", "-0", "1", "-1.5", "0.1", "1e-3", "nan", "inf", "-inf", "infinity", "1e400",
             "-1e400", "1e-400", "65504", "65519.999", "65520", "65535", "1e10",
             "5.960464477539063e-08", "2.98023223876953125e-08", "2.98023223876953126e-08",
             "3.4028235e38", "3.4028236e38", "1e39", "0x1.8p1", ".5", "5.",
             # Close above the middle of two float16: through float32 they would round to even.
             "1.00048828125000001", "1.000488281250001", "1.00146484375", "2049.0000001", "2049",
             "2051"]
    texts += ["%r" % rng.uniform(-1e5, 1e5) for _ in range(cases(60))]
    texts += ["%r" % (rng.uniform(-1, 1) * 10.0 ** rng.randrange(-9, 6)) for _ in range(cases(60))]
    for _ in range(cases(120)):  # the middles of neighbours and what is next to them
        bits = rng.randrange(0x7bff)
        middle = float(np.uint16(bits).view("<f2")) / 2 + float(np.uint16(bits + 1).view("<f2")) / 2
        texts += neighbours(middle)
        bits = rng.randrange(0x7f7f)
        middle = bfloat16_value(bits) / 2 + bfloat16_value(bits + 1) / 2
        texts += neighbours(middle)
    with np.errstate(all="ignore"):
        for text in texts:
            value = float.fromhex(text) if "x" in text else float(text)
            for descr in "<f2", "<f4", "<f8":
                check_value(descr, text, np.array(value).astype(descr).tobytes())
            check_value("bfloat16", text, struct.pack("<H", to_bfloat16(value)))
    for descr in "<f2", "<f4", "<f8", "bfloat16":
        for text in "", "x", "1x", " 1", "1 ", "1,5", "\t1", "1e", "--1", "1j", "e5", "\x1b":
            check_no_value(descr, text)


def test_complex_values_have_pythons_form(rng):
    texts = ["1.5-2j", "3j", "7", "-3j", "1+2j", "-1-2j", "1e5+2e-3j", "1e5-2e-3J", "nan", "inf",
             "nan+infj", "infj", "nanj", "-inf-nanj", "j", "-j", "+j", "1+j", "1-j", "(1+2j)",
             "(3j)", "(7)", "0", "-0", "-0-0j", "1-0j", ".5+.5j", "1e400", "1E5j"]
    texts += ["{}{:+}j".format(rng.uniform(-9, 9), rng.uniform(-9, 9)) for _ in range(20)]
    for text in texts:
        value = complex(text)
        for descr, part in ("<c8", "<f4"), ("<c16", "<f8"):
            with np.errstate(all="ignore"):
                check_value(descr, text, np.array([value.real, value.imag]).astype(part).tobytes())
    for text in ["", "()", "(", ")", "1+2", "1j+2", "1+2j3", "1 + 2j", " 1", "1+ 2j", "1++2j", "jj",
                 "2jj", "(1+2j", "1+2j)", "(1+2j]", "((1))", "1+2i", "i", "x", "1j2j", "+", "-",
                 "1+", "1e", "(1)j"]:
        try:
            complex(text if text.strip() == text else "x")
        except ValueError:
            check_no_value("<c16", text)
        else:
            raise AssertionError("a bad test: Python reads %r" % text)


def test_string_values_are_padded_and_never_cut(rng):
    for text in "", "a", "abc", "it's \\n", "-1", "\u00e9":
        data = text.encode()
        for width in range(max(1, len(data)), 9):
            check_value("|S%d" % width, text, data.ljust(width, b"\0"))
        if len(data) > 1:
            check_no_value("|S%d" % (len(data) - 1), text)
    for text in ["", "a", "\u00e9", "\u4e2d\u6587", "\U0001f600", "\U0010ffff", "abc\u20ac",
                 "\ufffd"]:
        data = text.encode("utf-32-le")
        for width in range(max(1, len(text)), 6):
            check_value("<U%d" % width, text, data.ljust(4 * width, b"\0"))
        if len(text) > 1:
            check_no_value("<U%d" % (len(text) - 1), text)
    check_value("|S4", b"\xff\x80\x01", b"\xff\x80\x01\0")
    bad = [b"\xff", b"\x80", b"\xc3", b"a\xe4\xb8", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80",
           b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80",
           b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80",
           b"\xc3(", b"\xe4\xb8(", b"\xf0\x9f\x98"]
    for data in bad:
        check_no_value("<U8", data)
    for text in "", "a", "1":
        check_no_value("|V2", text)

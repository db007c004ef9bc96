# SPDX-License-Identifier: Apache-2.0
"""Files: what is read, what is refused, and that what is written is what NumPy writes."""
import io
import os
import re
import struct
import subprocess
import warnings

import numpy as np

from npy_support import (NUMBERS, STRINGS, all_types_and_ranks, cases, check, check_message,
                         check_read, check_refused, check_same, dictionary, get, npy, path_of,
                         Place, put, random_bits, random_shape, run, saved)


def test_numpy_files_are_read_and_written_back_byte_for_byte(rng):
    for descr, array in all_types_and_ranks(rng):
        what = (descr, array.shape)
        data = saved(array)
        target = path_of("out.npy")
        result = run("copy", put("in.npy", data), target)
        check(result.returncode == 0, what, result.stderr)
        check(get(target) == data, "not what numpy.save writes", what)
        check_same(np.load(target), array, what)


def test_fortran_order_is_read(rng):
    for descr, array in all_types_and_ranks(rng):
        if array.ndim >= 2:
            data = saved(np.asfortranarray(array))
            check_read(data, array, ("fortran", descr, array.shape))
            if rng.randrange(100) < cases(100):
                result = run("show", put("in.npy", data))
                check(result.returncode == 0, result.stderr)
                check(result.stdout == run("show", put("c.npy", saved(array))).stdout, "other text")


def test_empty_shapes_are_read_and_written(rng):
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 3), (0,) * 16, (0, 2 ** 40), (2 ** 62, 0)]:
        for order in "False", "True":
            header = dictionary("'|i1'", order, str(shape))
            check_read(npy(header), np.zeros(shape, "|i1"), shape)


def test_headers_are_numpys_at_every_length(rng):
    # The digits move the end of the dictionary over a boundary of 64 bytes.
    for rank in range(1, 16):
        for digits in range(19):
            shape = (10 ** digits,) + (0,) * rank
            for end in shape, shape[::-1]:
                data = saved(np.zeros(end, "|i1"))
                result = run("copy", put("in.npy", data), "-")
                check(result.stdout == data, end, result.stdout, result.stderr)


def test_versions_1_2_and_3_are_read(rng):
    array = random_bits(rng, "<f4", (3, 4))
    for version in (1, 0), (2, 0), (3, 0):
        file = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.lib.format.write_array(file, array, version)
        check_read(file.getvalue(), array, version)


def test_loose_headers_are_read(rng):
    array = np.arange(6, dtype="<i4").reshape(2, 3)
    row = np.arange(6, dtype="<i4")
    entries = ["'descr': '<i4'", "'fortran_order': False", "'shape': (2, 3)"]
    headers = []
    for _ in range(60):
        parts = list(entries)
        rng.shuffle(parts)
        text = ",".join(parts) + rng.choice(["", ","])
        text = "{" + text + "}"
        if rng.getrandbits(1):
            text = text.replace("'", '"')
        blank = rng.choice(["", " ", "  ", "\t", "\n", " \n\t\r\n "])
        text = re.sub(r"([,:{}()])", lambda m: blank + m.group(1) + blank, text)
        headers.append(text.lstrip("\n\r") + rng.choice(["", "\n", "   \n", " " * 99]))
    for header in headers:
        check_read(npy(header, array.tobytes()), array, repr(header))
    for shape in "(2,3)", "(2,3,)", "( 2 , 3 )", "(2L, 3L)", "(2\n,3)":
        check_read(npy(dictionary(shape=shape), array.tobytes()), array, shape)
    for shape in "(6,)", "(6L,)", "( 6 , )":
        check_read(npy(dictionary(shape=shape), row.tobytes()), row, shape)
    for shape in "()", "( )":
        check_read(npy(dictionary(shape=shape), b"\1\0\0\0"), np.array(1, "<i4"), shape)
    for descr, same in ("<i1", "|i1"), ("<u1", "|u1"), ("<b1", "|b1"), ("<S3", "|S3"), ("<V3",
                                                                                        "|V3"):
        value = np.zeros(2, same)
        check_read(npy(dictionary("'%s'" % descr), value.tobytes()), value, descr)
    long = dictionary() + " " * 60000
    check_read(npy(long, bytes(8)), np.zeros(2, "<i4"), "header of 60000 bytes")
    check_read(npy(long + " " * 5000, bytes(8), (2, 0)), np.zeros(2, "<i4"),
               "header of 65000 bytes")


def test_malformed_headers_are_refused(rng):
    data = bytes(8)
    d = dictionary
    bad = {
        "empty header": "", "blanks": "   \n", "no dictionary": "[1, 2]", "open": "{",
           "empty": "{}",
        "half": "{'descr': '<i4'", "comma": "{,}", "newline string": "{'des\ncr': '<i4'}",
        "open string": "{'descr", "open value": "{'descr': '<i4", "NUL": d() + "\0",
        "text after": d() + "x", "dict after": d() + "{}", "comment": d() + "# x",
        "number key": "{1: 2}", "no colon": "{'descr' '<i4'}", "only descr": "{'descr': '<i4'}",
        "missing shape": "{'descr': '<i4', 'fortran_order': False}",
        "missing order": "{'descr': '<i4', 'shape': (2,)}",
        "missing descr": "{'fortran_order': False, 'shape': (2,)}",
        "unknown key": "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'x': 1}",
        "control key": "{'\x1b[31m\x07': '<i4', 'fortran_order': False, 'shape': (2,)}",
        "long key": "{'%s': '<i4', 'fortran_order': False, 'shape': (2,)}" % ("\x9b" * 3000),
        "prefix key": "{'desc': '<i4', 'fortran_order': False, 'shape': (2,)}",
        "escaped key": "{'d\\x65scr': '<i4', 'fortran_order': False, 'shape': (2,)}",
        "twice": "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
        "no comma": "{'descr': '<i4' 'fortran_order': False, 'shape': (2,)}",
        "two commas": "{'descr': '<i4',, 'fortran_order': False, 'shape': (2,)}",
    }
    for text in "1 0 'False' false Falsey None Tru \x1b ( -".split() + [""]:
        bad["order " + text] = d(order=text)
    for text in ["(2)", "[2]", "2", "(2", "2,)", "(,)", "(2,,)", "(-2,)", "(-0,)", "(+2,)",
                 "(2.0,)", "(0x2,)", "(02,)", "(1_0,)", "('2',)", "(True,)", "(2 L,)", "(2l,)",
                 "(2LL,)", "(2;)", "(2 2)", "None", "(2,) (2,)", "((2,),)", "(%s)" % ("1," * 17),
                 "(9223372036854775808,)", "(18446744073709551618,)", "(36893488147419103234,)",
                 "(%s,)" % ("9" * 300), "(9223372036854775807,)", "(4294967296, 4294967296)",
                 "(2147483648, 2147483648, 2)", "(0, 9223372036854775807)",
                 "(0, 4294967296, 4294967296)", "(4611686018427387904,)",
                 "(%s2,)" % ("4611686018427387904," * 3), "(\x80,)", "(2,\0)", ""]:
        bad["shape " + text] = d(shape=text)
    for text in [">i4", "=i4", "i4", "|i4", "|f8", "|c8", "|U2", "<i3", "<i16", "<u16", "<f1",
                 "<f16", "<f12", "<c32", "<c4", "<M8", "<m8", "<M8[s]", "|O", "|O8", "O", "<g",
                 "<i", "<", "|", "", "S", "|S", "|S0", "<U0", "|V0", "|S-1", "|S03", "<i04",
                 "|S2147483648", "<U536870912", "|S99999999999999999999", "<U1073741825",
                 "<U4611686018427387905", "<i4 ", " <i4", "<I4", "float32", "<float32", "<i4,<i4",
                 "(2,)<i4", "2i4", "<b2", "|b0", "<q", "|S2\0", "\x1b[2J", "<i4'", "\x9b\x85",
                 "<" * 5000]:
        bad["descr " + text[:20]] = d(descr="'%s'" % text)
    for text in ["[('a', '<i4')]", "('<i4', (2,))", "None", "4", "'<i4", "'<i4\"", "u'<i4'",
                 "b'<i4'", "'<' 'i4'", "'\\x3ci4'", "'''<i4'''", ""]:
        bad["descr value " + text] = d(descr=text)
    for name, header in bad.items():
        for version in (1, 0), (3, 0):
            check_refused(npy(header, data, version), name)
    check_refused(npy(d(shape="(2L,)"), data, (3, 0)), "L in 3.0")
    check_refused(npy(d(descr="'>i4'"), data), ">i4", "big-endian")
    check_refused(npy(d(descr="'|O'"), data), "|O", "objects")
    check_refused(npy(d(descr="'<M8[D]'"), data), "allowed dtypes",
                  "'<M8[D]' is not supported; bool, int8 to int64")
    check_refused(npy(d(shape="(%s)" % ("1," * 17)), data), "rank 17",
                  "shape has 17 dimensions, at most 16 are allowed")
    check_refused(npy(d(descr="[('a', '<i4')]"), data), "fields", "fields")


def test_malformed_prefixes_are_refused(rng):
    good = saved(np.arange(2, dtype="<i4"))
    for first in range(256):
        if first != 0x93:
            check_refused(bytes([first]) + good[1:], "first byte %d" % first)
    for version in [(0, 0), (1, 1), (2, 1), (4, 0), (0, 1), (255, 255), (3, 9)]:
        check_refused(npy(dictionary(), bytes(8), version), version, ".npy format")
    header = dictionary()
    for length in 65537, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1:
        check_refused(npy(header, bytes(8), (2, 0), length), length, "too long")
    for length in [0, 1, len(header) - 1, len(header) + 8 + 1, 65535]:
        check_refused(npy(header, bytes(8), (1, 0), length), length)
    big = io.BytesIO()
    np.lib.format.write_array(big, np.arange(2, dtype=">i4"), (1, 0))
    check_refused(big.getvalue(), "big-endian", "big-endian; in NumPy, astype('<i4') converts it")
    archive = io.BytesIO()
    np.savez(archive, values=np.arange(2))
    check_refused(archive.getvalue(), "archive", "a .npz archive: unzip it")


def test_every_truncation_is_refused(rng):
    for array in (np.arange(6, dtype="<i2").reshape(2, 3), np.array(b"abc"),
                  np.zeros((3, 0), "<f8")):
        for version in (1, 0), (2, 0), (3, 0):
            file = io.BytesIO()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.lib.format.write_array(file, array, version)
            good = file.getvalue()
            for length in range(len(good)):
                check_refused(good[:length], (version, length))
                if length % 16 == 0:
                    check_message(run("show", "-", input=good[:length]),
                                  ("stream", version, length))
            check_refused(good + b"x", "a byte too many", "after the")
            check_message(run("show", "-", input=good + b"x"), "a byte too many in a stream")


def numpy_reads(data):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.load(io.BytesIO(data), allow_pickle=False)
    except Exception:  # NumPy raises about anything on a bad header
        return None


def test_mutated_files_are_refused_or_read_as_numpy_reads_them(rng):
    pieces = ["{", "}", "(", ")", "[", "'", '"', ",", ":", " ", "L", "0", "1", "9", "-", "<", ">",
              "|", "=", "True", "False", "shape", "descr", "fortran_order", "i", "f", "U", "S", "V",
              "O", "\n", "\\", "\0", "\x1b", "\xff", "99999999999", "None", "i4", "f8"]
    n_cases, n_read = cases(1500), 0
    for case in range(n_cases):
        shape = random_shape(rng, rng.randrange(4), 60)
        array = random_bits(rng, rng.choice(NUMBERS + STRINGS), shape)
        if array.ndim > 1 and rng.getrandbits(1):
            array = np.asfortranarray(array)
        data = bytearray(saved(array))
        end = 10 + struct.unpack("<H", data[8:10])[0]
        header = data[10:end].rstrip().decode("latin1")
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            at = rng.randrange(len(header) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                header = header[:at] + rng.choice(pieces) + header[at:]
            elif kind == 1:
                header = header[:at] + header[at + rng.choice([1, 1, 2, 5]):]
            elif kind == 2:
                header = header[:at] + chr(rng.randrange(256)) + header[at + 1:]
            else:
                tokens = re.findall(r"\w+|\W", header) or [" "]
                i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
                tokens[i], tokens[j] = tokens[j], tokens[i]
                header = "".join(tokens)
        data = npy(header.ljust(rng.choice([0, 118])), bytes(data[end:]),
                   (rng.choice([1, 2, 3]), 0))
        what = "case %d: %r" % (case, header)
        source, target = put("in.npy", data), path_of("out.npy")
        result = run("copy", source, target)
        if result.returncode != 0:
            check_message(result, what)
            check(not os.path.exists(target), what)
            continue
        n_read += 1
        expected = numpy_reads(data)
        check(expected is not None, "read, but NumPy refuses it", what)
        check_same(np.load(target), np.ascontiguousarray(expected).reshape(expected.shape), what)
        os.unlink(target)
    check(n_read > n_cases // 75, "the mutations are too rough to show anything", n_read)


def test_mutated_bytes_never_crash(rng):
    good = saved(np.arange(12, dtype="<i4").reshape(3, 4))
    for case in range(cases(800)):
        data = bytearray(good)
        for _ in range(rng.choice([1, 2, 4])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        result = run("show", "-", input=bytes(data))
        if result.returncode != 0:
            check_message(result, "case %d" % case)


def test_wrong_sizes_are_refused(rng):
    for descr in NUMBERS + STRINGS:
        array = random_bits(rng, descr, (2, 3))
        good = saved(array)
        for data, word in (good[:-1], "truncated"), (good + b"\0", "more bytes"):
            check_refused(data, descr, word)
            text = check_message(run("show", "-", input=data), descr)
            check(word in text, descr, text)


def test_hostile_sizes_allocate_nothing(rng):
    # Only a reader that believes the header can run out of memory.
    for shape in ("(1152921504606846975,)", "(1099511627776,)", "(1125899906842624, 1)",
                  "(1000000000,)"):
        data = npy(dictionary("'<f8'", "False", shape), bytes(1 << 22))
        check_refused(data, shape, "truncated")
        text = check_message(run("show", "-", input=data), shape)
        check("truncated" in text, "stream", shape, text)
    # In 64 bits these products are 8 and 0, as many bytes as there are.
    for shape, data in ("(4611686018427387906,)", bytes(8)), ("(4294967296, 4294967296)", b""):
        check_refused(npy(dictionary(shape=shape), data), shape, "needs more than")
    data = npy(dictionary("'|S2147483647'", "False", "(100000,)"), bytes(100))
    check_refused(data, "wide strings", "truncated")


def test_streams_are_read_and_written(rng):
    for descr in NUMBERS + STRINGS:
        for shape in (), (5,), (3, 4), (0,), (300000 // np.dtype(descr).itemsize, 11):
            array = random_bits(rng, descr, shape)
            data = saved(array)
            result = run("copy", "-", "-", input=data)
            check(result.returncode == 0 and result.stdout == data, descr, shape,
                  result.stderr[:200])
    # In pieces, cut anywhere.
    data = saved(random_bits(rng, "<f8", (30, 10)))
    with subprocess.Popen([Place.driver, "copy", "-", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        at = 0
        while at < len(data):
            step = rng.choice([1, 3, 100, 1000])
            process.stdin.write(data[at:at + step])
            process.stdin.flush()
            at += step
        process.stdin.close()
        check(process.stdout.read() == data, "in pieces")
    # A regular file as standard input, from an offset.
    with open(put("in.npy", b"skipped" + data), "rb") as file:
        os.lseek(file.fileno(), 7, os.SEEK_SET)
        check(run("copy", "-", "-", stdin=file).stdout == data, "from an offset")


def test_unreadable_inputs_are_refused(rng):
    for path, word in ((path_of("missing.npy"), "No such file"), (Place.directory, "directory"),
                       ("", "No such"), ("/dev/null", "not a .npy file"),
                       (put("empty.npy", b""), "not a .npy file")):
        text = check_message(run("copy", path, path_of("out.npy")), path)
        check(word in text, path, text)
    os.unlink(path_of("empty.npy"))


def test_names_are_escaped_in_messages(rng):
    for name, shown in ((b"a\x1b[31mb", "a\\x1b[31mb"), (b"a\nb\tc", "a\\x0ab\\x09c"),
                        (b"\xff\xfe", "\\xff\\xfe"), ("\u4e2d\u6587".encode(), "\u4e2d\u6587"),
                        ("\u202e\x85".encode(), "\\xe2\\x80\\xae\\xc2\\x85"),
                        (b"x" * 3000, "xxx...")):
        text = check_message(run("copy", name, path_of("out.npy")), name)
        check(shown in text, name, repr(text))

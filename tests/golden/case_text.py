# SPDX-License-Identifier: Apache-2.0
"""Golden cases as text, and as the folders that run_cases.py runs.

tests/data/golden/README.md says how a case is written.
"""

import ast
import io
import json
import os
import re
import shlex
import sys

import numpy as np

WIDTH = 100
COUNTING_FROM = 25  # elements: fewer are written out
HEAD = "== "
QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
TOKEN = re.compile(QUOTED + r"""|[\[\]]|[^\s\[\]'"]+""")  # of arrays
PIECE = re.compile(rf"\[+[^][]{{1,80}}\]+(?!\S)|(?:{QUOTED}|\S)+")  # what one line holds
ARRAY = re.compile(r"(fortran )?(?:version (\d) )?(\S+)(?: \(([\d,]*)\))?(?: (.*))?")


class BadText(ValueError):
    """The text is not that of a case."""


# Elements. Each comes as an array of one.


def element_text(one):
    dtype, kind = one.dtype, one.dtype.kind
    if kind in "SV":
        return repr(one.tobytes().rstrip(b"\0") if kind == "S" else one.tobytes())[1:]
    if kind == "U":
        return ascii(str(one[0]))
    text = str(one[0])
    if kind == "c":
        real, imaginary = str(one[0].real), str(one[0].imag)
        text = f"{real}{'' if imaginary[0] == '-' else '+'}{imaginary}j"
    if element_of(text, dtype).tobytes() == one.tobytes():
        return text
    return "0x" + one.tobytes()[::-1].hex()  # a NaN with a payload


def element_of(text, dtype):
    kind = dtype.kind
    if kind in "SUV":
        return np.array([ast.literal_eval("b" * (kind != "U") + text)], dtype)
    if kind in "fc" and text.startswith("0x"):
        return np.frombuffer(bytes.fromhex(text[2:])[::-1], dtype)
    if kind == "b":
        return np.array([{"False": False, "True": True}[text]])
    value = {"c": complex, "f": float}.get(kind, int)(text)
    one = np.array([value]).astype(dtype)
    if kind in "iu" and one[0] != value:
        raise BadText(f"{text} is no {dtype}")
    return one


# bfloat16 is the upper half of float32; to NumPy it is two bytes without a meaning.


def bfloat16_text(one):
    return element_text(np.frombuffer(b"\0\0" + one.tobytes(), "<f4"))


def bfloat16_of(text, dtype):
    wide = element_of(text, np.dtype("<f4")).tobytes()
    if wide[:2] != b"\0\0":
        raise BadText(f"{text} is no bfloat16")
    return np.frombuffer(wide[2:], dtype)


# Arrays


def array_of(text):
    """The content of a .npy file."""
    if text.startswith("raw "):
        return b"".join(ast.literal_eval("b" + part) for part in TOKEN.findall(text[4:]))
    fortran, version, name, shape, values = ARRAY.fullmatch(text).groups()
    dtype = np.dtype("V2" if name == "bfloat16" else name)
    if shape is None:
        array = nested(TOKEN.findall(values), name, dtype)
    else:
        shape = tuple(int(size) for size in shape.split(",") if size)
        array = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
        if values != ("counting" if array.size else None):
            raise BadText("behind a shape comes nothing, or 'counting' if it has elements")
    file = io.BytesIO()
    array = np.asfortranarray(array) if fortran else array
    np.lib.format.write_array(file, array, (int(version or 1), 0))
    # NumPy has '|V2' for it; libraries that have bfloat16 write '<V2'.
    return file.getvalue().replace(b"'|V2'", b"'<V2'", 1 if name == "bfloat16" else 0)


def nested(tokens, name, dtype):
    """The array of brackets and elements; its shape is that of the brackets."""
    element = bfloat16_of if name == "bfloat16" else element_of
    elements, shape, lengths = [], [], [0]
    for token in tokens:
        if token == "[":
            lengths.append(0)
            continue
        if token == "]":
            depth, length = len(lengths) - 2, lengths.pop()
            shape += [None] * (depth + 1 - len(shape))
            if shape[depth] not in (None, length):
                raise BadText(f"{length} and {shape[depth]} in brackets of the same depth")
            shape[depth] = length
        else:
            elements.append(element(token, dtype))
        lengths[-1] += 1
    if lengths != [1] or len(elements) != np.prod(shape, dtype=int):
        raise BadText(f"{len(elements)} elements in brackets of the shape {shape}")
    return np.concatenate(elements).astype(dtype).reshape(shape)


def array_text(content):
    """What array_of() takes."""
    try:
        version = np.lib.format.read_magic(io.BytesIO(content))[0]
        array = np.lib.format.read_array(io.BytesIO(content))
    except ValueError:
        array = None
    if array is not None:
        words = ["fortran"] if not array.flags.c_contiguous else []
        words += [f"version {version}"] if version != 1 else []
        text = " ".join(words + [named_text(array, b"'<V2'" in content[:80])])
        if array_of(text) == content:
            return text
    parts = [content[at : at + 20] for at in range(0, len(content), 20)]
    return "raw " + " ".join(repr(part)[1:] for part in parts or [b""])


def named_text(array, is_bfloat16):
    dtype, flat = array.dtype, np.ravel(array)
    name = dtype.str.lstrip("<|")
    name = "bfloat16" if is_bfloat16 else name if name[0] in ">SUV" else dtype.name
    shape = " (" + ",".join(map(str, array.shape)) + ")"
    if array.size == 0:
        return name + shape
    if array.size >= COUNTING_FROM and dtype.kind in "iuf" and (flat == range(array.size)).all():
        return name + shape + " counting"
    element = bfloat16_text if is_bfloat16 else element_text
    texts = [element(flat[i : i + 1]) for i in range(array.size)]
    for size in array.shape[::-1]:
        texts = ["[" + " ".join(texts[i : i + size]) + "]" for i in range(0, len(texts), size)]
    return f"{name} {texts[0]}"


# Cases


def read(lines, path):
    """(case.json as a dict, {name: content of a file}) of every case."""
    joined = []
    for number, line in enumerate(lines, 1):
        if line.startswith(" ") and joined:
            joined[-1][1] += " " + line.strip()
        elif line.strip() and not line.startswith("#"):
            joined.append([number, line.strip()])
    cases = []
    for number, line in joined:
        try:
            read_line(line, cases)
        except (AttributeError, LookupError, SyntaxError, TypeError, ValueError) as error:
            raise BadText(f"{path}:{number}: {error}") from error
    return cases


def read_line(line, cases):
    if line.startswith(HEAD):
        name, why = line[len(HEAD) :].split(": ", 1)
        cases.append(({"name": name, "why": why}, {}))
        return
    key, value = line.split(None, 1)
    data, files = cases[-1]
    if key in data or key in files or key == "call" and "op" in data:
        raise BadText(f"{key} once more")
    if key.endswith(".npy"):
        files[key] = array_of(value)
    elif key == "call":
        data["op"], *data["args"] = shlex.split(value)
    else:
        data[key] = value_of(value)


def value_of(text):
    """JSON, or a text as it stands."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def value_text(value):
    return value if isinstance(value, str) and value_of(value) == value else json.dumps(value)


def word_text(word):
    return word if re.fullmatch(r"[\w{}.,:=+/@%-]+", word) else shlex.quote(word)


def case_text(data, files):
    rest = dict(data)
    head = f"{HEAD}{rest.pop('name')}: {rest.pop('why')}\n"
    words = [rest.pop("op"), *rest.pop("args")]
    origin = {key: rest.pop(key) for key in ("source", "quirk", "oracles") if key in rest}
    values = {key: value_text(value) for key, value in origin.items()}
    values["call"] = " ".join(map(word_text, words))
    values.update((key, value_text(value)) for key, value in rest.items())
    values.update((name, array_text(content)) for name, content in files.items())
    wide = max(map(len, values)) + 2
    text = head + "".join(wrapped(key.ljust(wide), value) for key, value in values.items())
    if read(io.StringIO(text), data["name"]) != [(data, files)]:
        raise BadText(f"{data['name']} comes back as something else")
    return text


def wrapped(key, value):
    """One line, or several below one another."""
    lines = [key]
    for piece in PIECE.findall(value):
        if lines[-1].strip() and len(lines[-1]) + len(piece) > WIDTH and lines != [key]:
            lines.append(" " * len(key))
        lines[-1] += piece + " "
    return "".join(line.rstrip() + "\n" for line in lines)


# Folders


def unpack(paths, folder):
    """Makes the folders of all cases, and gives their paths."""
    made = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            cases = read(file, path)
        for data, files in cases:
            place = os.path.join(folder, data["name"])
            os.makedirs(place)
            made.append(place)
            for name, content in {**files, "case.json": json.dumps(data).encode()}.items():
                with open(os.path.join(place, name), "wb") as file:
                    file.write(content)
    return sorted(made)


def pack(folder):
    """The text of a folder. It makes all files of the folder again, byte by byte."""
    contents = {}
    for name in sorted(os.listdir(folder), key=lambda name: (name.startswith("expected"), name)):
        with open(os.path.join(folder, name), "rb") as file:
            contents[name] = file.read()
    return case_text(json.loads(contents.pop("case.json")), contents)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corpus of a fuzz target: a text, or a folder of inputs, as libFuzzer wants it.

    fuzz_corpus.py unpack CORPUS.txt DIR    make the folder
    fuzz_corpus.py pack DIR CORPUS.txt      write the text

Each line of the text is an input: its name, a blank, and its bytes. Those that are no visible ASCII
are written \\xNN, and so is the backslash. seed-* and finding-* keep their names; the others, which
libFuzzer found, are named after their content.
"""

import hashlib
import os
import re
import sys

NAMED = ("seed-", "finding-")


def encode(content):
    plain = range(ord("!"), ord("~") + 1)
    return "".join(
        chr(byte) if byte in plain and byte != ord("\\") else f"\\x{byte:02x}" for byte in content
    )


def decode(text):
    return re.sub(rb"\\x(..)", lambda match: bytes.fromhex(match.group(1).decode()), text.encode())


def unpack(corpus, folder):
    os.makedirs(folder)
    with open(corpus, encoding="ascii") as file:
        for line in file:
            name, text = line.rstrip("\n").split(" ")
            with open(os.path.join(folder, name), "wb") as made:
                made.write(decode(text))


def pack(folder, corpus):
    inputs = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        if not name.startswith(NAMED):
            name = hashlib.sha1(content).hexdigest()[:10]
        inputs[name] = content
    named = {content for name, content in inputs.items() if name.startswith(NAMED)}
    with open(corpus, "w", encoding="ascii") as file:
        for name, content in sorted(inputs.items()):
            if name.startswith(NAMED) or content not in named:
                file.write(f"{name} {encode(content)}\n")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])

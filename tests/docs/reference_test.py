#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the reference with Doxygen and check that it has all that the headers say. Prints TAP.

    reference_test.py DOXYGEN DOXYFILE SOURCE_DIR    an empty DOXYGEN is one that is missing

Doxygen has no complaint, every exported function has a description, and the comments of a
header are whole on the page of that header or of its structs.
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

WORD = re.compile(r"[A-Za-z0-9_]{2,}")
FUNCTION = re.compile(r"^CLND_API [^;(]*?\b(clnd_\w+)\(", re.M)
LICENCE = "// SPDX-License-Identifier: Apache-2.0"


def build(doxygen, doxyfile, folder):
    """What Doxygen complains about."""
    with open(doxyfile, encoding="utf-8") as file:
        settings = file.read() + f'\nOUTPUT_DIRECTORY = "{folder}"\n'
    settings += "GENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"
    result = subprocess.run([doxygen, "-"], input=settings, capture_output=True, text=True,
                            check=False)
    complaints = (result.stdout + result.stderr).splitlines()
    return complaints + ([f"exit status {result.returncode}"] if result.returncode else [])


def undescribed(pages, names):
    described = set()
    for page in pages:
        for member in page.iter("memberdef"):
            if "".join(member.find("briefdescription").itertext()).strip():
                described.add(member.findtext("name"))
    return [f"{name} has no description" for name in names if name not in described]


def triples(text):
    words = WORD.findall(text)
    return set(zip(words, words[1:], words[2:])) if len(words) > 2 else set(zip(words))


def lost_words(pages, header, text):
    """Three words in a row, or a line of less, that its page and those of its structs lack."""
    shown = set()
    for page in pages:
        location = page.find(".//compounddef/location")
        if location is not None and location.get("file").endswith(f"clnd/{header}"):
            # Elements begin inside of words, as links do, and between them.
            for separator in ("", " "):
                everything = separator.join(page.itertext())
                shown |= triples(everything) | set(zip(WORD.findall(everything)))
    lost = set()
    for line in re.findall(r"//(.*)", text.replace(LICENCE, "")):
        lost |= triples(line) - shown
    return [f"{header}: the page lacks '{' '.join(words)}'" for words in sorted(lost)]


def main(doxygen, doxyfile, source):
    if not doxygen:
        print("1..0 # SKIP Doxygen is not installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="clnd-reference-") as folder:
        results = {"Doxygen has no complaint": build(doxygen, doxyfile, folder)}
        place = os.path.join(folder, "xml")
        names = sorted(os.listdir(place)) if os.path.isdir(place) else []
        pages = [ElementTree.parse(os.path.join(place, name)).getroot()
                 for name in names if name.endswith(".xml")]
    functions, lost = [], []
    for header in sorted(os.listdir(os.path.join(source, "include/clnd"))):
        if header.endswith(".h"):
            with open(os.path.join(source, "include/clnd", header), encoding="utf-8") as file:
                text = file.read()
            functions += FUNCTION.findall(text)
            lost += lost_words(pages, header, text)
    results["every function has a description"] = undescribed(pages, functions)
    results["nothing that the headers say is lost"] = lost
    print(f"1..{len(results)}")
    for number, (label, problems) in enumerate(results.items(), 1):
        print(f"{'not ok' if problems else 'ok'} {number} - {label}")
        for problem in problems:
            print(f"# {problem}")
    return 1 if any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

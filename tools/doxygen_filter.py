#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a public header with its comments in Doxygen's form; the header itself stays plain C.

    doxygen_filter.py HEADER

The first comment describes the file, others the declarations that follow them without an empty
line, or stand behind members and enumerators. Indented lines are formulas or code. `Label   text`
begins a paragraph with a heading. Where lines of such a paragraph are indented further, it is a
list.
"""

import re
import sys

LABEL = re.compile(r"([A-Z][a-z]+(?: [a-z]+)?)(?: {2,})(\S.*)")
INDENT = 14  # of the text behind a label
BEHIND = re.compile(r"^(.*?)\s*// ?(.*)$")
NAME = re.compile(r"\bclnd_[a-z0-9_]*[a-z0-9]\b(?!\.\w|[_<\\])")  # becomes a link
ITEM = re.compile(r"X\((\w+), (\d+), \"(.*)\"\)")


def escaped(text):
    """Plain text for Doxygen; what stands between backticks is code."""
    text = re.sub(r"([\\@<>&#%$])", r"\\\1", text)
    text = "".join(part if n % 2 else NAME.sub(r"#\g<0>", part)
                   for n, part in enumerate(re.split(r"(`[^`]+`)", text)))
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", text)


def is_continuation(line):
    return line.startswith(" " * INDENT)


def labelled(body):
    """The text behind a label: one paragraph, or a list where lines differ in their indentation."""
    if not any(line.startswith(" ") for line in body):
        return [escaped(line) for line in body]
    broken = [escaped(line) if line.startswith(" ") else "<br>" + escaped(line) for line in body]
    return [escaped(body[0]), *broken[1:]]


def formatted(lines):
    """The lines of a comment, without their slashes, as Doxygen's text."""
    found, place = [], 0
    while place < len(lines):
        line = lines[place]
        end = place + 1
        label = LABEL.fullmatch(line)
        if label:
            while end < len(lines) and is_continuation(lines[end]):
                end += 1
            body = [label.group(2)] + [text[INDENT:] for text in lines[place + 1 : end]]
            found += ["", f"@par {label.group(1)}", *labelled(body), ""]
        elif line.startswith("    "):
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            while not lines[end - 1]:
                end -= 1
            is_code = any(re.search(r";( *//.*)?$", text) for text in lines[place:end])
            code = "code{.c}" if is_code else "verbatim"
            found += [f"@{code}", *(text[4:] for text in lines[place:end])]
            found += ["@end" + code.partition("{")[0]]
        else:
            found.append(escaped(line))
        place = end
    return found


def comment(lines, first=()):
    return ["/**", *first, *formatted(lines), "*/"]


def statuses(text):
    """clnd_status without the macro that lists its values."""
    rows = [f"CLND_{name} = {number}, /**< {escaped(what)} */" for name, number, what
            in ITEM.findall(text)]
    return re.sub(r"#define (\w+_ENUMERATOR).*?#undef \1\n", lambda _: "\n".join(rows) + "\n", text,
                  flags=re.S) if rows else text


def converted(text):
    """All lines of a header, with Doxygen's comments."""
    found, block, last, is_first = [], [], [], True
    for line in statuses(text).split("\n"):
        match = BEHIND.match(line)
        if match and not match.group(1):
            if line.startswith("//"):
                block.append(match.group(2))
            else:  # goes on behind a member
                found[-1] = f"{found[-1][:-3]} {escaped(match.group(2))} */"
            continue
        if block and is_first:
            found += comment(block[2:], ["@file"])  # without the line of the licence
            is_first, block = False, []
        elif block or (last and line.startswith("CLND_API")):
            last = block or last
            found += comment(last)
            block = []
        elif not line:
            last = []
        if match:
            line = f"{match.group(1)} /**< {escaped(match.group(2))} */"
        found.append(line)
    return "\n".join(found)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(converted(file.read()))

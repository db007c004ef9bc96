# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of a Markdown file, and the commands in them."""

import collections
import re

# `line` is the number of the block's first line, that of a command the number of its own line.
Block = collections.namedtuple("Block", "language line lines")
Command = collections.namedtuple("Command", "text line output")


class BadFence(Exception):
    """A fence that is never closed."""


def blocks(text):
    """All fenced blocks, in order."""
    found = []
    opened = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("```"):
            if opened is not None:
                opened.lines.append(line)
        elif opened is None:
            opened = Block(line[3:].strip(), number + 1, [])
        else:
            found.append(opened)
            opened = None
    if opened is not None:
        raise BadFence(f"the block of line {opened.line} has no end")
    return found


def file_name(block):
    """That of a C file, which its first line says; None for other blocks."""
    match = re.fullmatch(r"// (\w+\.c)", block.lines[0]) if block.language == "c" else None
    return match and match.group(1)


def commands(block):
    """The `$ ` lines of a block, each with the lines that follow it: what it prints."""
    found = []
    for number, line in enumerate(block.lines, block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], number, []))
        elif found:
            found[-1].output.append(line)
    return found

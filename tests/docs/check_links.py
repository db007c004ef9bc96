#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that what documents and comments point to exists. Prints TAP.

    check_links.py [SOURCE_DIR]
    check_links.py --links FOLDER    only the links, as in an installed tree
    check_links.py --self-test    check that what is missing is found

Links of Markdown files lead to files and headings that exist. Files that documents name by their
path, and files that comments name, exist. Names in capitals stand for many: OP.h, on_NAME.py. The
page of strategies has a block for each one of the table, in its order. Tests that the page of
drivers names exist.
"""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is

import fences  # noqa: E402

# Where comments begin.
C, SCRIPT = re.compile(r"//(.*)"), re.compile(r"(?:^|\s)#(\s.*)")
SOURCE = {".c": C, ".h": C, ".cl": C, ".clh": C, ".py": SCRIPT, ".sh": SCRIPT}
SKIPPED = {"subprojects", "lint_selftest.py"}  # not ours; a tree of its own, made up
FOLDERS = "host|include|kernels_cl|cli|bench|examples|selftest|tests|tools|docs"

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
PATH = re.compile(rf"`((?:{FOLDERS})/[\w/-]*(?:\.[\w.-]+|/))`")
NAME = re.compile(r"(?<![\w/.*<-])((?:[\w-]+/)*[A-Za-z][\w-]*\.(?:c|h|clh?|py|sh|md))\b(?![\w>*])")

TABLE, PAGE = "host/exec/strategies/table.h", "docs/strategies.md"
DRIVERS = "docs/drivers.md"

# Headers of the system and of others; files that a tool's documentation makes up.
FOREIGN = {"cl_ext.h", "math.h", "none.c"}


def stands_for_many(path):
    return bool(re.search(r"[A-Z]{2,}", os.path.basename(path).rsplit(".", 1)[0])) and not (
        path.endswith(".md")
    )


def anchor(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.lstrip("#").strip().lower())
    return text.replace(" ", "-")


class Tree:
    """The files of a source folder that are not ignored."""

    def __init__(self, root):
        self.root = root
        self.files = []
        for place, folders, names in os.walk(root):
            hidden = [f for f in folders if f in SKIPPED or f.startswith((".", "build"))]
            folders[:] = [f for f in folders if f not in hidden]
            self.files += [os.path.relpath(os.path.join(place, name), root) for name in names]
        self.files.sort()
        self.names = {os.path.basename(path) for path in self.files}

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def has(self, name):
        """Whether a file of this name, or whose path ends like this, exists."""
        if "/" not in name:
            return name in self.names
        return any(path == name or path.endswith("/" + name) for path in self.files)

    def anchors(self, path):
        text = self.text(path)
        inside = {n for b in fences.blocks(text) for n in range(b.line, b.line + len(b.lines))}
        lines = enumerate(text.split("\n"), 1)
        return {anchor(line) for n, line in lines if line.startswith("#") and n not in inside}


def broken_links(tree, path):
    for target, heading in LINK.findall(tree.text(path)):
        if target.startswith(("http:", "https:")):
            continue
        there = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not tree.exists(there):
            yield f"{path}: {target} does not exist"
        elif heading and heading not in tree.anchors(there):
            yield f"{path}: {there} has no heading #{heading}"


def broken_paths(tree, path):
    for target in PATH.findall(tree.text(path)):
        if not stands_for_many(target) and not tree.exists(target):
            yield f"{path}: {target} does not exist"


def broken_names(tree, path):
    comment = SOURCE[os.path.splitext(path)[1]]
    for number, line in enumerate(tree.text(path).split("\n"), 1):
        match = comment.search(line)
        for name in NAME.findall(match.group(1)) if match else ():
            if name not in FOREIGN and not stands_for_many(name) and not tree.has(name):
                yield f"{path}:{number}: {name} does not exist"


def strategies_apart(tree):
    table = re.findall(r"EACH\((\w+)\)", tree.text(TABLE))
    blocks = re.findall(r"^### (.*)$", tree.text(PAGE), re.M)
    if table != blocks:
        yield f"{PAGE} has {blocks}, {TABLE} has {table}"


def missing_tests(tree):
    """The last column of a table there names tests: `rows on rusticl`, `SUITE_rows`."""
    builds = "".join(tree.text(path) for path in tree.files
                     if path.startswith("tests/") and path.endswith("/meson.build"))
    for column in re.findall(r"^\|.*\| ([^|]*) \|$", tree.text(DRIVERS), re.M):
        for test in re.findall(r"`([^`]*)`", column):
            program = test.split("on ")[0].strip()
            names = {program, program.partition("_")[2]} - {""}
            if names and not any(f"'{name}'" in builds for name in names):
                yield f"{DRIVERS}: there is no test '{program}'"


def check_links(tree):
    documents = [path for path in tree.files if path.endswith(".md")]
    return {"links of documents": [c for path in documents for c in broken_links(tree, path)]}


def check(root):
    """{what: complaints}"""
    tree = Tree(root)
    documents = [path for path in tree.files if path.endswith(".md")]
    sources = [path for path in tree.files if os.path.splitext(path)[1] in SOURCE]
    sources = [path for path in sources if os.path.basename(path) not in SKIPPED]
    return {
        **check_links(tree),
        "paths in documents": [c for path in documents for c in broken_paths(tree, path)],
        "files that comments name": [c for path in sources for c in broken_names(tree, path)],
        "strategies of the page": list(strategies_apart(tree)),
        "tests of the page of drivers": list(missing_tests(tree)),
    }


def report(results):
    print(f"1..{len(results)}")
    for number, (label, problems) in enumerate(results.items(), 1):
        print(f"{'not ok' if problems else 'ok'} {number} - {label}")
        for problem in problems:
            print(f"# {problem}")
    return 1 if any(results.values()) else 0


def self_test():
    with tempfile.TemporaryDirectory(prefix="clnd-links-") as root:
        for folder in ("docs", "tests/ops", os.path.dirname(TABLE)):
            os.makedirs(os.path.join(root, folder))
        for path, text in (
            (TABLE, "#define ALL(EACH) EACH(store) EACH(sort)\n"),
            (PAGE, "### store\n### sort\n"),
            (DRIVERS, "| crashes | `rows on rusticl` |\n"),
            ("tests/ops/meson.build", "'rows' ''\n"),
            ("docs/a.md", "# One two\n[b](b.md#three) [here](#one-two) `docs/b.md` `docs/OP.h`\n"),
            ("docs/b.md", "## Three\n```\n# four\n```\n"),
            ("c.c", '#include "gone.h"\n// As in c.c and OP.c.\n'),
        ):
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        good = sum(check(root).values(), [])
        with open(os.path.join(root, "docs/a.md"), "a", encoding="utf-8") as file:
            file.write("[x](x.md) [b](b.md#four) `docs/y.md`\n")
        with open(os.path.join(root, "c.c"), "a", encoding="utf-8") as file:
            file.write("int i; // as in z.h\n")
        with open(os.path.join(root, PAGE), "a", encoding="utf-8") as file:
            file.write("### owner\n")
        with open(os.path.join(root, DRIVERS), "a", encoding="utf-8") as file:
            file.write("| crashes | `columns on rusticl` |\n")
        bad = sum(check(root).values(), [])
    wanted = ["x.md", "#four", "docs/y.md", "z.h", "owner", "columns"]
    found = len(bad) == len(wanted) and all(w in b for w, b in zip(wanted, bad))
    return report({"a sound tree": good, "what is missing": [] if found else [str(bad)]})


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments[:1] == ["--links"]:
        return report(check_links(Tree(arguments[1])))
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    return report(check(os.path.abspath(arguments[0] if arguments else default)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

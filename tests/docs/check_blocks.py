#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that a test runs every command and every piece of code in the documents. Prints TAP.

    check_blocks.py BUILD_DIR
    check_blocks.py BUILD_DIR --self-test    check that what is missing is found

A fenced block is one of these:

- "text" in the fence: a drawing or a formula, nothing to run.
- A language: C that tests/docs/meson.build or check_docs.py compiles, or a language of BY_TEST.
- A transcript, lines that begin with `$ `: check_docs.py runs it.
- Commands, one a line, each with what it does behind two blanks. Those of RUN are run here. The
  programs and long options of those of NOT_RUN have at least to exist.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is

import check_docs  # noqa: E402
import fences  # noqa: E402

SOURCE = os.path.abspath(check_docs.ROOT)
SKIPPED = ("build", ".", "subprojects")

# The test that builds with such a block, or why there is none.
BY_TEST = {
    "cmake": "CMake",
    "meson": "Meson subproject",
    "python": "not run: it loads TensorFlow",
}

# Commands that are run, and those that are not, by their beginning without variables.
RUN = (
    r"build-test/tests/differential/differential --seed 7 --only",
    r"tests/golden/run_cases\.py --clnd build-test/cli/clnd --only 'g07",
    r"tools/mutate\.py --(list|check)",
)
NOT_RUN = (
    (r"(sudo )?apt-get ", "installs packages"),
    (r"sh tools/(quickstart|install-deps|install-intel|install-peers)\.sh", "installs packages"),
    (r"sh tools/(test|devices|coverage|fuzz)\.sh", "runs tests for minutes, or hours"),
    (r"meson (test|compile|subprojects)", "runs in the build that runs this"),
    (r"ninja -C build docs", "the test 'the reference' does the same"),
    (r"ninja -C build-dev|python3 tools/lint\.py", "runs in the build that runs this"),
    (r".*\bOP\b", "OP stands for an operation"),
    (r"meson (setup|install)", "the test 'installed tree' installs into a folder of its own"),
    (r"cmake ", "the test 'CMake' reads these lines and runs them"),
    (r"cc program\.c", "the test 'installed tree' reads these lines and runs them"),
    (r"\./program", "the program is the reader's"),
    (r"build-test/tests/(differential|soak)/", "runs for minutes"),
    (r"build-test/tests/ops/|tests/golden/.* --device gpu", "the device is the reader's"),
    (r"tests/golden/run_cases\.py ", "the suite golden does it"),
    (r"clnd selftest", "the suite cli does it"),
    (r"(build/bench/)?clnd-bench\b", "the suite bench runs all cases and options"),
    (r"(build-peers/\S+ )?bench/peers\.py", "needs the other libraries"),
    (r"build-python/bin/python3", "needs NumPy 2.4"),
    (r"tools/kernel_table\.py", "needs compilers for GPUs"),
    (r"tools/cpu_kernels\.py", "needs clang 15"),
    (r"tools/gpu_model\.py", "the suite kernels does it"),
    (r"sh tools/gpu-kit\.sh", "builds for a minute; the test 'gpu kit' does it"),
    (r"mpirun ", "the suite mpi does it"),
    (r"python3 bench/mpi/", "the suite mpi does it"),
    (r"tests/docs/check_docs\.py .*--update", "changes documents"),
    (r"tests/kernels/compile_kernels\.py", "the suite kernels does it"),
    (r"tools/mutate\.py --(only|setup)", "builds for minutes"),
)

# Commands by the names that documents give them.
COMMANDS = {"clnd": "build/cli/clnd", "clnd-bench": "build/bench/clnd-bench"}

# Blocks that hold no commands though their fence does not say so, by their first word.
TEXTS = {("docs/benchmarking.md", "mix(z)"), ("tests/data/golden/README.md", "==")}

INTEROP = "docs/interop.md"  # check_interop.py runs its transcripts
# Transcripts that no test runs: this one would unpack into /tmp.
TRANSCRIPTS = {("tests/data/golden/README.md",
                "$ tests/golden/run_cases.py --unpack /tmp/cases tests/data/golden")}


def documents():
    for place, folders, names in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders if not name.startswith(SKIPPED))
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(place, name), SOURCE)


def commands(block):
    """(line number, command) without what stands behind, continued lines as one."""
    text = ""
    for number, line in enumerate(block.lines, block.line):
        text += re.split(r"(?<=\S) {2,}(?=[^\s-])| +# ", line.strip())[0]
        if text.endswith("\\"):
            text = text[:-1]
        elif text:
            yield number, " ".join(text.split())
            text = ""


def begins(command, pattern):
    return re.match(rf"(\w+=\S+ )*({pattern})", command)


def known_options(command, tree):
    """(programs of the repository that do not exist, where the options of the others are)"""
    words, absent, known = command.split(), [], ""
    for number, word in enumerate(words):
        word = COMMANDS.get(word, word)
        path = os.path.join(tree, word)
        if not re.fullmatch(r"(build|build-test|tools|tests|bench)/[\w./-]+", word):
            continue
        if not os.path.exists(path):
            absent.append(f"{word} does not exist")
        elif word.endswith((".py", ".sh")):
            with open(path, encoding="utf-8") as file:
                known += file.read()
        elif os.access(path, os.X_OK) and not os.path.isdir(path):
            command_of_clnd = words[number + 1 : number + 2] if words[number] == "clnd" else []
            known += subprocess.run([path, *command_of_clnd, "--help"], capture_output=True,
                                    text=True, check=False).stdout
    return absent, known


def missing(command, tree):
    """Programs of the repository that do not exist, and long options that they do not know."""
    absent, known = known_options(command, tree)
    options = re.findall(r"(?<![\w-])--[a-z][\w-]*", command) if known else []
    return absent + [f"{option}: no such option" for option in options if option not in known]


def run(command, tree):
    environment = {**os.environ, "PATH": os.path.join(tree, "bin") + ":" + os.environ["PATH"]}
    result = subprocess.run(["sh", "-c", command], cwd=tree, env=environment, check=False,
                            capture_output=True, text=True)
    if result.returncode == 0:
        return []
    return [f"exit status {result.returncode}", *(result.stdout + result.stderr).split("\n")[-20:]]


def make_tree(build):
    """A folder like the source, in which `build` and `build-test` are the build folder."""
    tree = tempfile.mkdtemp(prefix="clnd-blocks-")
    for name in os.listdir(SOURCE):
        if not name.startswith("build"):
            os.symlink(os.path.join(SOURCE, name), os.path.join(tree, name))
    for name in ("build", "build-test"):
        os.symlink(os.path.abspath(build), os.path.join(tree, name))
    os.mkdir(os.path.join(tree, "bin"))
    os.symlink(os.path.join(tree, "build/cli/clnd"), os.path.join(tree, "bin/clnd"))
    return tree


def has_test(name):
    for place, _, names in os.walk(os.path.join(SOURCE, "tests")):
        if "meson.build" in names:
            with open(os.path.join(place, "meson.build"), encoding="utf-8") as file:
                if f"test('{name}'" in file.read():
                    return True
    return False


def check_code(document, block):
    """Complaints about a block with a language."""
    language = block.language
    if language == "text" or BY_TEST.get(language, "").startswith("not run: "):
        return []
    if fences.file_name(block):
        return [] if document in check_docs.DOCUMENTS else ["no test compiles this document"]
    if language == "c":
        with open(os.path.join(SOURCE, "tests/docs/meson.build"), encoding="utf-8") as file:
            return [] if f"../../{document}'" in file.read() else ["no test compiles this document"]
    if language in BY_TEST:
        return [] if has_test(BY_TEST[language]) else [f"no test '{BY_TEST[language]}'"]
    return [f"no test runs {language}"]


def check_command(command, tree):
    """(why it is not run, complaints)"""
    if any(begins(command, pattern) for pattern in RUN):
        return "", run(command, tree)
    reasons = [reason for pattern, reason in NOT_RUN if begins(command, pattern)]
    if not reasons:
        return "", ["neither in RUN nor in NOT_RUN; drawings have \"text\" in their fence"]
    return f" (not run: {reasons[0]})", missing(command, tree)


def check_block(document, block, tree, report):
    place = f"{document}:{block.line}"
    if block.language:
        report.add(f"{place}: {block.language}", check_code(document, block))
    elif block.lines[0].startswith("$ "):
        found = document in check_docs.DOCUMENTS
        ours = found and all(map(check_docs.is_ours, fences.commands(block)))
        excused = document == INTEROP or (document, block.lines[0]) in TRANSCRIPTS
        report.add(f"{place}: a transcript", [] if ours or excused else ["no test runs it"])
    elif (document, block.lines[0].split()[0]) not in TEXTS:
        for number, command in commands(block):
            note, problems = check_command(command, tree)
            report.add(f"{document}:{number}: {command}{note}", problems)


def self_test(build):
    report = check_docs.Report()
    tree = make_tree(build)
    for text, good in (
        ("sh tools/test.sh --all  runs all", True),
        ("sh tools/test.sh --most", False),
        ("clnd selftest --device gpu", True),
        ("clnd selftest --devise gpu", False),
        ("tools/mutate.py --only x \\\n    --scratch y", True),
        ("tools/mutant.py --only x", False),
        ("tools/mutate.py --lost", False),
        ("rm -r x", False),
    ):
        [(_, command)] = commands(fences.Block("", 1, text.split("\n")))
        problems = check_command(command, tree)[1]
        report.add(text.split("\n")[0], [] if bool(problems) != good else ["judged wrongly"])
    for fence, line, document, good in (
        ("c", "", "README.md", True),
        ("c", "", "docs/design.md", False),
        ("c", "// x.c", "docs/tutorial.md", True),
        ("c", "// x.c", "docs/design.md", False),
        ("cmake", "", "README.md", True),
        ("perl", "", "README.md", False),
    ):
        problems = check_code(document, fences.Block(fence, 1, [line]))
        label = f"{fence} {line} in {document}"
        report.add(label, [] if bool(problems) != good else ["judged wrongly"])
    shutil.rmtree(tree)
    return report.end()


def main(build, only=""):
    if only == "--self-test":
        return self_test(build)
    report = check_docs.Report()
    tree = make_tree(build)
    try:
        for document in documents():
            with open(os.path.join(SOURCE, document), encoding="utf-8") as file:
                for block in fences.blocks(file.read()):
                    check_block(document, block, tree, report)
    finally:
        shutil.rmtree(tree)
    return report.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the commands in the documents and compare what they print with what stands there. Prints TAP.

    check_docs.py --clnd PATH [--driver-prefix TEXT]
    check_docs.py --clnd PATH --update    write what the commands print into the documents
    check_docs.py --self-test             check that wrong results are found

A fenced block whose lines begin with `$ ` is a transcript: after each such line comes what the
command prints. Commands are clnd, programs in the folder, and cc. Text that begins with the
program's name and a colon is a refusal: it stands on standard error, nothing is on standard output,
and the exit status is 1. Anything else is all of standard output, with nothing on standard error
and exit status 0. The transcripts of a document share a temporary folder with copies of the arrays,
the example programs, and the C files that it shows, which begin with a line "// NAME.c". Needs
NumPy. Without any device nothing is run, as in tests/golden/run_cases.py.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path += [os.path.join(ROOT, "tests", "golden"), os.path.join(ROOT, "tools")]

import fences  # noqa: E402
import make_example_data  # noqa: E402
import run_cases  # noqa: E402

# Where the commands of each document are typed.
DOCUMENTS = {
    "README.md": ".",
    "docs/tutorial.md": ".",
    "docs/faq.md": "docs/data",
    "docs/semantics.md": "docs/data",
    "docs/porting.md": "docs/data",
}
LISTED = ("docs/semantics.md", "docs/data")  # the table of this document lists this folder
EXAMPLES = "examples/data"
LISTED_ROW = re.compile(r"^\| `([\w-]+)` \| (\S+) \| (\[.*?\]) \| (.*) \|$", re.M)

# This prints what the machine has.
DEVICES = "clnd devices"
FACT = re.compile(r"^ {5}(platform|driver|compiler|kind|memory|reported|probed) {2,}(.*)$")


def is_ours(command):
    return command.text.startswith(("clnd ", "./", "cc "))


def is_refusal(command):
    program = os.path.basename(command.text.split()[0])
    return bool(command.output) and command.output[0].startswith(f"{program}: ")


def holds_here(command, kind):
    """A refusal under the default index policy is what CPU devices do."""
    return (
        kind == "cpu"
        or "--bounds" in command.text
        or command.text != "./bad_index"
        and not (
            command.text.startswith("clnd ")
            and is_refusal(command)
            and re.search(r": indices(\[[\d,]+\])? = ", command.output[0])
        )
    )


def form_of_devices(lines):
    """What the listing of the default device is like on any CPU; cut where the lines say `...`."""
    start = [n for n, line in enumerate(lines) if line.endswith(" (default)")]
    form = []
    for line in lines[start[0] + 1 :] if start else []:
        if line.startswith("     sums  "):  # only where there are atomic sums of floats
            continue
        fact = FACT.match(line)
        if not line.startswith("     ") or line.strip() == "...":
            break
        if fact and fact.group(1) in ("platform", "driver", "compiler"):
            line = fact.group(1)
        elif fact:
            line = re.sub(r"float atomics .*|\b(yes|no|claimed|[KMG]iB)\b", "", line)
        form.append(re.sub(r"\b\d+( [KMG]iB)?\b", "N", line))
    return form


def judge_devices(expected, printed):
    """Complaints about a listing that should have the form of `expected`."""
    wanted = form_of_devices(expected)
    found = form_of_devices(printed)[: len(wanted)]
    if wanted and found == wanted:
        return []
    return [f"expected: {line}" for line in wanted] + [f"the command: {line}" for line in found]


def judge(command, status, stdout, stderr):
    """Complaints about a call that should print the lines behind it; none when all is well."""
    expected = command.output
    refused = is_refusal(command)
    wanted = "".join(line + "\n" for line in expected)
    problems = []
    if status != (1 if refused else 0):
        problems.append(f"exit status {status}")
    for name, text, here in (("output", stdout, not refused), ("error", stderr, refused)):
        if text != (wanted if here else ""):
            problems += [f"standard {name}: {line}" for line in text.split("\n")[:40]]
            problems += [f"expected: {line}" for line in expected if here]
    return problems


def run(command, folder, options):
    environment = run_cases.environment_for(options)
    for name, place in (
        ("PATH", options.bin_folder),
        ("LD_LIBRARY_PATH", os.path.join(options.build, "host")),
        ("PKG_CONFIG_PATH", os.path.join(options.build, "meson-uninstalled")),
    ):
        environment[name] = place + os.pathsep + environment.get(name, "")
    result = subprocess.run(
        ["sh", "-c", command.text],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=options.timeout,
        check=False,
    )
    stderr = run_cases.without_driver_lines(result.stderr, options.driver_prefix)
    return (
        result.returncode,
        result.stdout.decode("utf-8", "backslashreplace"),
        stderr.decode("utf-8", "backslashreplace"),
    )


def updated(document, text, folder, options):
    """`text` with what the commands really print."""
    lines = text.split("\n")
    longer = 0  # how many lines the text has grown by
    for block in fences.blocks(text):
        for command in fences.commands(block):
            if not is_ours(command) or command.text == DEVICES:
                continue
            _, *streams = run(command, os.path.join(folder, DOCUMENTS[document]), options)
            printed = "".join(streams).rstrip("\n")
            printed = printed.split("\n") if printed else []
            place = command.line + longer
            lines[place : place + len(command.output)] = printed
            longer += len(printed) - len(command.output)
    return "\n".join(lines)


def check_data(folder):
    """The arrays of the examples in the source tree are those that the tool wrote to `folder`."""
    ours, theirs = os.path.join(ROOT, EXAMPLES), os.path.join(folder, EXAMPLES)
    problems = []
    for name in sorted(set(os.listdir(ours)) | set(os.listdir(theirs))):
        contents = []
        for path in (os.path.join(ours, name), os.path.join(theirs, name)):
            try:
                with open(path, "rb") as file:
                    contents.append(file.read())
            except FileNotFoundError:
                contents.append(None)
        if contents[0] != contents[1]:
            problems.append(f"{EXAMPLES}/{name} is not what the tool writes")
    return problems


def check_listing(text, folder, options):
    """The table of arrays: every file of the folder, with its dtype, shape and values."""
    rows = {name: rest for name, *rest in LISTED_ROW.findall(text)}
    problems = []
    for name in sorted(set(rows) | {n[: -len(".npy")] for n in os.listdir(folder)}):
        brain = " --dtype bfloat16" if name.startswith("brain") else ""
        call = fences.Command(f"clnd show {name}.npy{brain}", 0, [])
        _, stdout, stderr = run(call, folder, options)
        header, _, values = stdout.partition("\n")
        match = re.fullmatch(r"dtype (\S+), shape (\[.*\])", header)
        shown = list(match.groups()) + [run_cases.one_blank(values)] if match else [stderr]
        shown = [part.strip().lstrip("<|") for part in shown]
        if rows.get(name) != shown:
            problems.append(f"{name}: {shown}, the document says {rows.get(name)}")
        if text.count(f"{name}.npy") == 0:
            problems.append(f"{name}: no command uses it")
    return problems


class Report:
    """Prints TAP."""

    def __init__(self):
        self.count = 0
        self.failures = 0

    def add(self, label, problems, skip=None):
        self.count += 1
        self.failures += bool(problems)
        label = label.replace("#", "")
        note = f" # SKIP {skip}" if skip else ""
        print(f"{'not ok' if problems else 'ok'} {self.count} - {label}{note}", flush=True)
        for problem in problems:
            print(f"# {run_cases.printable(problem)}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failures else 0


def add_programs(text, folder, options):
    """The examples, and the files that the document shows."""
    examples = os.path.join(options.build, "examples")
    for name in os.listdir(examples) if os.path.isdir(examples) else ():
        if name.startswith("example-") and not os.path.isdir(os.path.join(examples, name)):
            os.symlink(os.path.join(examples, name), os.path.join(folder, name[len("example-") :]))
    for block in fences.blocks(text):
        name = fences.file_name(block)
        if name:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("\n".join(block.lines) + "\n")


def check_document(document, text, folder, options, report):
    found = 0
    for block in fences.blocks(text):
        for command in filter(is_ours, fences.commands(block)):
            found += 1
            label = f"{document}:{command.line}: {command.text}"
            if not holds_here(command, options.kind):
                report.add(label, [], "the default index policy is another on this device")
                continue
            outcome = run(command, os.path.join(folder, DOCUMENTS[document]), options)
            if command.text == DEVICES and outcome[0] == 0:
                if options.kind == "cpu":
                    report.add(label, judge_devices(command.output, outcome[1].split("\n")))
                else:
                    report.add(label, [], "the listing is that of a CPU")
            else:
                report.add(label, judge(command, *outcome))
    if not found:
        report.add(f"{document} has commands", ["none was found"])


def check_all(folder, options):
    report = Report()
    for document in DOCUMENTS:
        with open(os.path.join(ROOT, document), encoding="utf-8") as file:
            text = file.read()
        place = tempfile.mkdtemp(dir=folder)
        make_example_data.main(place)
        add_programs(text, os.path.join(place, DOCUMENTS[document]), options)
        if options.update:
            text = updated(document, text, place, options)
            with open(os.path.join(ROOT, document), "w", encoding="utf-8") as file:
                file.write(text)
            continue
        check_document(document, text, place, options, report)
        if document == LISTED[0]:
            place = tempfile.mkdtemp(dir=folder)  # without what the commands wrote
            make_example_data.main(place)
            listed = check_listing(text, os.path.join(place, LISTED[1]), options)
            report.add("the table lists all arrays", listed)
            report.add("the examples are the tool's", check_data(place))
    return report.end()


def self_test():
    report = Report()
    refusal = ["clnd: show: cannot open"]
    error = "clnd: show: cannot open\n"
    for label, good, *call in (
        ("a result", True, ["[1]"], 0, "[1]\n", ""),
        ("no output", True, [], 0, "", ""),
        ("an empty line inside", True, ["[1]", "", "[2]"], 0, "[1]\n\n[2]\n", ""),
        ("another value", False, ["[1]"], 0, "[2]\n", ""),
        ("other blanks", False, ["[ 1]"], 0, "[1]\n", ""),
        ("a line left out", False, ["[1]"], 0, "[1]\n[2]\n", ""),
        ("an exit status", False, ["[1]"], 1, "[1]\n", ""),
        ("a warning", False, ["[1]"], 0, "[1]\n", "careful\n"),
        ("a refusal", True, refusal, 1, "", error),
        ("a refusal with another text", False, refusal, 1, "", error + "and more\n"),
        ("a refusal with status 2", False, refusal, 2, "", error),
        ("a refusal on standard output", False, refusal, 1, error, ""),
        ("a refusal that is none", False, refusal, 0, "[1]\n", ""),
    ):
        problems = judge(fences.Command("clnd x", 0, call[0]), *call[1:])
        report.add(label, [] if bool(problems) != good else [f"judged wrongly: {problems}"])
    text = "a\n```\n$ clnd x\n[1]\n\n[2]\n$ other\n```\n\n```c\nint i;\n```\n"
    transcript, code = fences.blocks(text)
    wanted = [("clnd x", 3, ["[1]", "", "[2]"]), ("other", 7, [])]
    found = [tuple(command) for command in fences.commands(transcript)]
    report.add("a transcript is read", [] if found == wanted else [str(found)])
    report.add("other blocks are told apart", [] if code.language == "c" else [str(code)])
    listing = ["0:0  a (default)", "     driver     1", "     kind       CPU, 2 units"]
    listing.append("     gather  lanes")
    other = [listing[0], "     driver     2", "     kind       CPU, 16 units", listing[3], "     y"]
    report.add("other machines have a listing of the same form", judge_devices(listing, other))
    other[3] = "     gather  blocks"
    stale = judge_devices(listing, other) and judge_devices(listing, [])
    report.add("a stale listing is seen", [] if stale else ["judged wrongly"])
    clnd = fences.Command("clnd gather p i", 1, ["clnd: gather: indices[0] = 3 is not in [0, 3)"])
    bounded = clnd._replace(text="clnd gather p i --bounds error")
    kinds = [holds_here(clnd, "cpu"), holds_here(clnd, "gpu"), holds_here(bounded, "gpu")]
    report.add(
        "the default policy's refusals are a CPU's", [] if kinds == [1, 0, 1] else [str(kinds)]
    )
    return report.end()


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="Run the commands in the documents. Prints TAP.")
    parser.add_argument("--clnd", metavar="PATH", help="the command")
    parser.add_argument(
        "--update", action="store_true", help="write the results into the documents"
    )
    parser.add_argument("--self-test", action="store_true", help="check this program")
    parser.add_argument(
        "--driver-prefix", metavar="TEXT", help="lines of standard error that are the driver's"
    )
    options = parser.parse_args(arguments)
    if not options.self_test and not options.clnd:
        parser.error("--clnd is needed")
    options.device = options.icd_folder = options.kind = None
    options.timeout = 120
    return options


def main(arguments):
    options = parse_arguments(arguments)
    if options.self_test:
        return self_test()
    options.clnd = os.path.abspath(options.clnd)
    options.build = os.path.dirname(os.path.dirname(options.clnd))
    if not os.access(options.clnd, os.X_OK):
        return run_cases.bail_out(f"no command at {options.clnd}")
    complaint = run_cases.ask_device(options)
    if complaint and os.environ.get("CLND_TEST_REQUIRE_DEVICE") == "1":
        return run_cases.bail_out(complaint)
    if complaint:
        print(f"1..0 # SKIP {run_cases.printable(complaint)}")
        return 0
    folder = tempfile.mkdtemp(prefix="clnd-docs-")
    try:
        options.bin_folder = os.path.join(folder, "bin")
        os.mkdir(options.bin_folder)
        os.symlink(options.clnd, os.path.join(options.bin_folder, "clnd"))
        return check_all(folder, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run conformance cases through the clnd command. Prints TAP.

    run_cases.py --clnd PATH [--device SPEC] [--kind cpu|gpu] [--only GLOB] [--timeout SECONDS]
                 [-j N] CASES...
    run_cases.py --self-test              check that every rule fails on a result that breaks it
    run_cases.py --unpack DIR CASES...    make the cases' folders in DIR
    run_cases.py --pack FOLDER...         print the text of these cases

CASES is a file of cases, a folder of such files, a case that is a folder, or a folder of those;
tests/data/golden/README.md says what a case is. Every call runs in a temporary folder of its own,
which holds copies of the case's inputs, and is judged by its exit status, its two streams and what
it left in that folder. Needs NumPy.

SPEC is what CLND_DEVICE takes. Without --kind, `clnd devices` says what the device is.
Without any device nothing is run, which is a failure when CLND_TEST_REQUIRE_DEVICE is 1.
"""

import argparse
import atexit
import collections
import concurrent.futures
import fnmatch
import io
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unicodedata

sys.dont_write_bytecode = True  # the source folder stays as it is

import numpy as np  # noqa: E402

import case_text  # noqa: E402

CASE_KEYS = set(
    "name op args output stdin expect compare rtol atol error stdout dtype only "
    "source why quirk oracles".split()
)
VENDORS = "/etc/OpenCL/vendors"
ERROR_KEYS = {"exit", "stderr_contains"}
STDOUT_KEYS = {"text", "contains"}

# What stands where the output will go, in the second run of a call that has to be refused.
OLD_OUTPUT = b"This file was here before the call.\n"


class BadCase(Exception):
    """The case itself is wrong: nothing can be said about the command."""


class Case:
    """One folder: the call, and what it has to do."""

    def __init__(self, folder):
        self.folder = folder
        try:
            with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
                data = json.load(file)
        except (OSError, ValueError) as error:
            raise BadCase(f"case.json: {error}") from error
        self.name = data.get("name")
        self.op = data.get("op")
        self.output = data.get("output", "out.npy")
        self.stdin = data.get("stdin")
        self.compare = data.get("compare")
        expect = data.get("expect", [])
        self.expect = [expect] if isinstance(expect, str) else expect
        self.rtol = data.get("rtol", 0.0)
        self.atol = data.get("atol", 0.0)
        self.dtype = data.get("dtype")
        self.error = data.get("error")
        self.stdout = data.get("stdout")
        self.only = data.get("only")
        self.check_keys(data)
        known = {"case.json", *self.expect}
        self.inputs = sorted(f for f in os.listdir(folder) if f not in known)
        self.args = [self.fill_in(word) for word in data["args"]]

    def check_keys(self, data):
        """A misspelt key would be a rule that is never looked at."""
        unknown = sorted(
            [key for key in data if key not in CASE_KEYS]
            + [f"error.{key}" for key in self.error or {} if key not in ERROR_KEYS]
            + [f"stdout.{key}" for key in self.stdout or {} if key not in STDOUT_KEYS]
        )
        if unknown:
            raise BadCase("unknown key: " + ", ".join(unknown))
        if self.name != name_of(self.folder):
            raise BadCase(f"name is {self.name!r}, the folder's is another")
        if not isinstance(self.op, str) or not isinstance(data.get("args"), list):
            raise BadCase("op or args left out")
        if (self.compare is None) != (not self.expect):
            raise BadCase("expect and compare need each other")
        if self.compare not in (None, "bits", "float", "any-of"):
            raise BadCase(f"unknown compare: {self.compare}")
        if self.compare in ("bits", "float") and len(self.expect) != 1:
            raise BadCase(f"{self.compare} takes one file in expect")
        if self.dtype not in (None, "bfloat16"):
            raise BadCase(f"unknown dtype: {self.dtype}")
        if self.only not in (None, "cpu", "gpu"):
            raise BadCase(f"unknown kind of device: {self.only}")
        if bool(self.expect) + (self.stdout is not None) + (self.error is not None) != 1:
            raise BadCase("exactly one of expect, stdout and error has to be there")
        if self.expect and self.output is None:
            raise BadCase("a result without an output")
        if self.stdout is not None and (self.output is not None or not self.stdout):
            raise BadCase("stdout needs a text or pieces, and output null")
        if self.error is not None and self.error.keys() != ERROR_KEYS:
            raise BadCase("error needs exit and stderr_contains")

    def fill_in(self, word):
        def path(match):
            if match.group(1) not in self.inputs:
                raise BadCase(f"no file for {match.group(0)}")
            return match.group(1)

        return re.sub(r"\{([^{}]+\.npy)\}", path, word)

    def words(self):
        """The command's arguments. Files are named from inside the folder."""
        words = list(self.args)
        if self.output is not None:
            place = words.index("--") if "--" in words else len(words)
            words[place:place] = ["-o", self.output]
        return [self.op, *words]

    def writes_file(self):
        return self.output not in (None, "-")


class Outcome:
    """What one call did."""

    def __init__(self, status, stdout, stderr, before, after):
        self.status = status  # exit status, -N after signal N, or None when time ran out
        self.stdout = stdout
        self.stderr = stderr
        self.before = before  # {path: FileState} before and after the call
        self.after = after


# `identity` changes whenever a file is written or replaced, be it with the same bytes.
FileState = collections.namedtuple("FileState", "content identity")


def snapshot(folder):
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            info = os.lstat(path)
            content = None
            if stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    content = file.read()
            identity = (info.st_mode, info.st_ino, info.st_mtime_ns)
            if stat.S_ISDIR(info.st_mode):
                identity = (info.st_mode, info.st_ino)  # what is inside is listed for itself
            found[os.path.relpath(path, folder)] = FileState(content, identity)
    return found


# Judging: each function gives a list of complaints, empty when all is well.


def judge(case, outcome):
    if outcome.status is None:
        return ["did not end in time"]
    if outcome.status < 0:
        return [f"killed by signal {-outcome.status} ({signal.Signals(-outcome.status).name})"]
    return judge_refused(case, outcome) if case.error else judge_good(case, outcome)


def judge_refused(case, outcome):
    allowed = case.error["exit"]
    allowed = allowed if isinstance(allowed, list) else [allowed]
    problems = []
    if outcome.status not in allowed:
        problems.append(f"exit status {outcome.status}, expected {allowed}")
    problems += judge_message(case.op, outcome.status, outcome.stderr, case.error)
    if outcome.stdout:
        problems.append("wrote to standard output")
    problems += judge_files(outcome, may_write=None)
    return problems


def judge_message(op, status, stderr, error):
    try:
        text = stderr.decode("utf-8")
    except UnicodeDecodeError:
        return ["standard error is not UTF-8"]
    lines = text.split("\n")
    problems = []
    if lines[-1] == "":
        lines.pop()
    else:
        problems.append("standard error does not end with a line end")
    messages = [line for line in lines if line.startswith("clnd: ")]
    if len(messages) != 1:
        problems.append(f"{len(messages)} lines begin with 'clnd: ', expected one")
    if status != 2 and len(lines) != 1:
        problems.append(f"{len(lines)} lines on standard error, expected one")
    for message in messages:
        if any(unicodedata.category(character) == "Cc" for character in message):
            problems.append("control character in the message")
        if status == 1 and not message.startswith(f"clnd: {op}: "):
            problems.append(f"the message does not begin with 'clnd: {op}: '")
    for piece in error["stderr_contains"]:
        if not any(piece in message for message in messages):
            problems.append(f"the message lacks {piece!r}")
    return problems


def judge_good(case, outcome):
    if outcome.status != 0:
        return [f"exit status {outcome.status}, expected 0"]
    problems = judge_files(outcome, may_write=case.output)
    if case.stdout is not None:
        return problems + judge_text(case.stdout, outcome.stdout)
    if case.output == "-":
        return problems + judge_result(case, outcome.stdout)
    if outcome.stdout:
        problems.append("wrote to standard output")
    if case.output not in outcome.after:
        return problems + [f"did not write {case.output}"]
    return problems + judge_result(case, outcome.after[case.output].content)


def judge_files(outcome, may_write):
    problems = []
    for path in sorted(outcome.before.keys() | outcome.after.keys()):
        before, after = outcome.before.get(path), outcome.after.get(path)
        if path == may_write or before == after:
            continue
        if before is None:
            problems.append(f"left a file behind: {path}")
        elif after is None:
            problems.append(f"removed {path}")
        elif before.content != after.content:
            problems.append(f"changed {path}")
        else:
            problems.append(f"wrote {path} again")
    return problems


def one_blank(text):
    """Runs of blanks and line ends become one blank, none after `[` or before `]`."""
    return re.sub(r" (?=\])", "", re.sub(r"(?<=\[) ", "", " ".join(text.split())))


def judge_text(expected, stdout):
    try:
        text = one_blank(stdout.decode("utf-8"))
    except UnicodeDecodeError:
        return ["standard output is not UTF-8"]
    problems = []
    if "text" in expected and text != one_blank(expected["text"]):
        problems.append(f"standard output is {text!r}, expected {one_blank(expected['text'])!r}")
    for piece in expected.get("contains", []):
        if one_blank(piece) not in text:
            problems.append(f"standard output lacks {one_blank(piece)!r}")
    return problems


def judge_result(case, content):
    """`content` against the case's expected files."""
    if content is None:
        return [f"{case.output} is no regular file"]
    try:
        result = read_written_npy(content)
    except Exception as error:  # NumPy raises many kinds for bytes that are no .npy file
        return [f"the result is not a file that clnd may write: {error}"]
    expected = [np.load(os.path.join(case.folder, name)) for name in case.expect]
    if case.compare == "float":
        return compare_float(result, expected[0], case.rtol, case.atol, case.dtype)
    return compare_bits(result, expected)


def read_written_npy(content):
    """Reads what clnd writes: version 1.0, or 2.0 if it must, C order, nothing after the data."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError(f"version {version}")
    shape, fortran, dtype = readers[version](file)
    if version == (2, 0) and file.tell() - 12 <= 0xFFFF:
        raise ValueError("version 2.0 for a header that fits 1.0")
    if fortran:
        raise ValueError("Fortran order")
    data = content[file.tell() :]
    size = dtype.itemsize
    for length in shape:
        size *= length
    if len(data) != size:
        raise ValueError(f"{len(data)} bytes of data for {size}")
    return np.frombuffer(data, dtype=dtype).reshape(shape) if size else np.empty(shape, dtype)


def compare_kind(result, expected):
    problems = []
    if result.dtype != expected.dtype:
        problems.append(f"dtype {result.dtype.str}, expected {expected.dtype.str}")
    if result.shape != expected.shape:
        problems.append(f"shape {result.shape}, expected {expected.shape}")
    return problems


def element_bytes(array):
    """One row of bytes for every element."""
    raw = np.frombuffer(array.tobytes(), dtype=np.uint8)
    return raw.reshape(array.size, array.dtype.itemsize)


def where(array, wrong):
    """A few words on the elements that `wrong`, a flat array of bool, marks."""
    flat = int(np.flatnonzero(wrong)[0])
    place = [int(i) for i in np.unravel_index(flat, array.shape)]
    count = int(np.count_nonzero(wrong))
    return f"{count} of {array.size} elements, the first at {place}", flat


def compare_bits(result, expected):
    """Every element has the bytes of the same element in one of the expected arrays."""
    problems = compare_kind(result, expected[0])
    if problems:
        return problems
    got = element_bytes(result)
    allowed = [element_bytes(array) for array in expected]
    wrong = ~np.any([np.all(got == rows, axis=1) for rows in allowed], axis=0)
    if not wrong.any():
        return []
    text, flat = where(result, wrong)
    shown = " or ".join(sorted({rows[flat].tobytes().hex(" ") for rows in allowed}))
    return [f"bytes differ in {text}: {got[flat].tobytes().hex(' ')}, expected {shown}"]


def compare_float(result, expected, rtol, atol, dtype=None):
    """abs(result - expected) <= atol + rtol * abs(expected), part by part, NaN equal to NaN."""
    problems = compare_kind(result, expected)
    if problems:
        return problems
    got, wanted = floats(result, dtype), floats(expected, dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(got - wanted) <= atol + rtol * np.abs(wanted)
    near &= np.isfinite(got) & np.isfinite(wanted)  # infinite tolerance is none
    near |= (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    wrong = ~near.all(axis=1)
    if not wrong.any():
        return []
    text, flat = where(result, wrong)
    return [f"values differ in {text}: {got[flat]}, expected {wanted[flat]}"]


def floats(array, dtype):
    """One row of float64 for every element: its value, or its real and imaginary part."""
    if dtype == "bfloat16":
        if array.dtype != np.dtype("V2"):
            raise BadCase(f"bfloat16 in {array.dtype.str}")
        wide = np.frombuffer(array.tobytes(), dtype="<u2").astype(np.uint32) << 16
        return wide.view(np.float32).astype(np.float64).reshape(array.size, 1)
    if array.dtype.kind == "f":
        return array.astype(np.float64).reshape(array.size, 1)
    if array.dtype.kind == "c":
        return array.astype(np.complex128).reshape(array.size, 1).view(np.float64)
    raise BadCase(f"compare float of {array.dtype.str}")


# Running


def environment_for(options):
    environment = dict(os.environ)
    if options.device is not None:
        environment["CLND_DEVICE"] = options.device
    if options.icd_folder is not None:
        environment["OCL_ICD_VENDORS"] = options.icd_folder
    return environment


def without_driver_lines(stderr, prefix):
    """What the command wrote to standard error; lines that begin with `prefix` are the driver's."""
    if prefix is None:
        return stderr
    lines = stderr.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(prefix.encode()))


def ask_device(options):
    """Fills in what the device is, and gives the complaint of `clnd devices`, "" when it has none.

    It marks the one that will be used, and prints indented lines for each device:

        0:0  NAME (default)
             kind       CPU, 4 compute units, ...
             probed     fp64 yes, ...
    """
    result = subprocess.run(
        [options.clnd, "devices"],
        env=environment_for(options),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=options.timeout,
        check=False,
    )
    if result.returncode != 0:
        message = result.stderr.decode("utf-8", "backslashreplace").strip()
        return message or f"clnd devices: exit status {result.returncode}"
    text = result.stdout.decode("utf-8", "replace")
    block = re.search(r"^\d+:\d+  .* \(default\)\n((?:     .*\n)+)", text, re.M)
    if block and options.kind is None:
        is_cpu = re.search(r"^     kind +CPU,", block.group(1), re.M)
        options.kind = "cpu" if is_cpu else "gpu"
    return ""


def run_call(case, options, with_old_output):
    """One call in a fresh folder."""
    folder = tempfile.mkdtemp(prefix="clnd-case-")
    try:
        for name in case.inputs:
            shutil.copyfile(os.path.join(case.folder, name), os.path.join(folder, name))
        if with_old_output:
            with open(os.path.join(folder, case.output), "wb") as file:
                file.write(OLD_OUTPUT)
        before = snapshot(folder)
        stdin = os.path.join(folder, case.stdin) if case.stdin else os.devnull
        with open(stdin, "rb") as source:
            process = subprocess.Popen(
                [options.clnd, *case.words()],
                cwd=folder,
                env=environment_for(options),
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        try:
            stdout, stderr = process.communicate(timeout=options.timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            status = None
        stderr = without_driver_lines(stderr, options.driver_prefix)
        return Outcome(status, stdout, stderr, before, snapshot(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_case(folder, options):
    """(complaints, reason to skip or None) of one case."""
    try:
        case = Case(folder)
        if case.only is not None and options.kind is None:
            return [], f"for a {case.only} device only, and this one may be another"
        if case.only is not None and case.only != options.kind:
            return [], f"for a {case.only} device only"
        problems = []
        refused = bool(case.error)
        for with_old_output in (False, True):
            if with_old_output and not (refused and case.writes_file()):
                continue
            if with_old_output and case.output in case.inputs:
                continue  # the output names an input: the file was there in the first run
            outcome = run_call(case, options, with_old_output)
            found = judge(case, outcome)
            if found:
                problems += describe(case, outcome, with_old_output) + found
        return problems, None
    except BadCase as error:
        return [f"the case is wrong: {error}"], None
    except OSError as error:
        return [f"cannot run the case: {error}"], None


def describe(case, outcome, with_old_output):
    """What to type to see it, and what came out."""
    call = "clnd " + " ".join(shlex.quote(word) for word in case.words())
    if case.stdin:
        call += f" < {shlex.quote(case.stdin)}"
    if with_old_output:
        call += f"    ({case.output} was there before)"
    lines = [call]
    if outcome.stderr:
        shown = outcome.stderr[:600].decode("utf-8", "backslashreplace")
        lines += ["standard error: " + line for line in shown.splitlines()]
    return lines


def find_cases(places):
    """The folders of the cases. Those that are text are made in a temporary one."""
    found = []
    for place in places:
        names = [] if os.path.isfile(place) else sorted(os.listdir(place))
        texts = [os.path.join(place, name) for name in names if name.endswith(".txt")]
        if "case.json" in names:
            found.append(place)
        elif texts or not names:
            folder = tempfile.mkdtemp(prefix="clnd-cases-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            found += case_text.unpack(texts or [place], folder)
        else:
            folders = [os.path.join(place, name) for name in names]
            found += [folder for folder in folders if os.path.isdir(folder)]
    return found


def name_of(folder):
    return os.path.basename(os.path.abspath(folder))


def printable(text):
    """`text` without anything that could end a line of TAP or disturb a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def bail_out(reason):
    print(f"Bail out! {reason}")
    return 1


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="Run conformance cases. Prints TAP.")
    parser.add_argument("--clnd", metavar="PATH", help="the command")
    parser.add_argument("--device", metavar="SPEC", help="value for CLND_DEVICE")
    parser.add_argument(
        "--icd", metavar="FILE", help=f"use only the OpenCL implementation {VENDORS}/FILE"
    )
    parser.add_argument(
        "--driver-prefix", metavar="TEXT", help="lines of standard error that are the driver's"
    )
    parser.add_argument("--kind", choices=["cpu", "gpu"], help="which kind of device that is")
    parser.add_argument("--only", metavar="GLOB", default="*", help="only cases of this name")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=120, help="of a call")
    parser.add_argument("-j", dest="jobs", metavar="N", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--self-test", action="store_true", help="check this program")
    parser.add_argument("--unpack", metavar="DIR", help="make the cases' folders here")
    parser.add_argument("--pack", action="store_true", help="print the text of the cases")
    parser.add_argument("places", metavar="CASES", nargs="*")
    options = parser.parse_args(arguments)
    if not options.self_test and not options.places:
        parser.error("CASES are needed")
    if not (options.self_test or options.unpack or options.pack or options.clnd):
        parser.error("--clnd is needed")
    if options.jobs < 1:
        parser.error("-j needs a positive number")
    return options


def convert(options):
    """Cases to text, or to folders."""
    try:
        if options.pack:
            print("\n".join(case_text.pack(folder) for folder in options.places), end="")
        else:
            for folder in find_cases(options.places):
                shutil.copytree(folder, os.path.join(options.unpack, name_of(folder)))
    except (OSError, case_text.BadText) as error:
        sys.exit(f"run_cases.py: {error}")
    return 0


def main(arguments):
    options = parse_arguments(arguments)
    if options.self_test:
        import run_cases_selftest

        return run_cases_selftest.main()
    if options.pack or options.unpack:
        return convert(options)
    options.clnd = os.path.abspath(options.clnd)
    if not os.access(options.clnd, os.X_OK):
        return bail_out(f"no command at {options.clnd}")
    try:
        cases = find_cases(options.places)
    except (OSError, case_text.BadText) as error:
        return bail_out(str(error))
    cases = [folder for folder in cases if fnmatch.fnmatch(name_of(folder), options.only)]
    if not cases:
        return bail_out("no cases")
    options.icd_folder = None
    if options.icd:
        icd = os.path.join(VENDORS, options.icd)
        if not os.path.isfile(icd):
            print(f"1..0 # SKIP there is no {icd}")
            return 0
        options.icd_folder = tempfile.mkdtemp(prefix="clnd-icd-")
        atexit.register(shutil.rmtree, options.icd_folder, ignore_errors=True)
        shutil.copy(icd, options.icd_folder)
    try:
        complaint = ask_device(options)
    except (OSError, subprocess.TimeoutExpired) as error:
        return bail_out(str(error))
    if complaint and os.environ.get("CLND_TEST_REQUIRE_DEVICE") == "1":
        return bail_out(complaint)
    if complaint:
        print(f"1..0 # SKIP {printable(complaint)}")
        return 0

    failed = 0
    print(f"1..{len(cases)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda folder: run_case(folder, options), cases)
        for number, (folder, (problems, skip)) in enumerate(zip(cases, results), 1):
            verdict = "not ok" if problems else "ok"
            note = f" # SKIP {skip}" if skip else ""
            print(f"{verdict} {number} - {name_of(folder)}{note}", flush=True)
            for problem in problems:
                print(f"# {printable(problem)}", flush=True)
            failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Results that break one rule each, and what run_cases.py has to say about them."""

import argparse
import io
import json
import os
import shutil
import tempfile

import numpy as np

import case_text
import run_cases as rc

FINE = None  # the complaint expected of a right result

PARAMS = np.arange(6, dtype=np.float32).reshape(2, 3)
INDICES = np.array([[1]], dtype=np.int32)
ROW = np.array([[1.0, -0.0, np.nan]], dtype=np.float32)
OTHER_ROW = np.array([[2.0, 5.0, 7.0]], dtype=np.float32)
MESSAGE = b"clnd: gather-nd: indices[0] = [5] does not index into params shape [2, 3]\n"
REFUSAL = {"exit": 1, "stderr_contains": ["indices[0] = [5]", "[2, 3]"]}
OPERANDS = ["{params.npy}", "{indices.npy}"]


def npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def npy_with_header(version, text, data):
    header = (text + "\n").encode()
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


def same_bytes(array, dtype):
    return array.view(dtype)


def with_bits(array, flat, bits):
    """`array` with the bits of one float32 element replaced."""
    changed = array.copy()
    changed.view(np.uint32).reshape(-1)[flat] = bits
    return changed


class Workshop:
    """Makes cases in a temporary folder and keeps the TAP count."""

    def __init__(self, folder):
        self.folder = folder
        self.cases = 0
        self.tests = 0
        self.failures = 0

    def case(self, expected=(), files=None, **keys):
        """A folder with a case; a dict of `files` adds to or replaces its inputs."""
        self.cases += 1
        name = f"case-{self.cases}"
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        data = {"name": name, "op": "gather-nd", "args": OPERANDS, **keys}
        contents = {"params.npy": npy(PARAMS), "indices.npy": npy(INDICES), **(files or {})}
        for number, array in enumerate(expected):
            contents[f"expected-{number}.npy"] = npy(array)
        if expected:
            data["expect"] = [f"expected-{number}.npy" for number in range(len(expected))]
            data.setdefault("compare", "bits")
        contents["case.json"] = json.dumps(data).encode()
        for file_name, content in contents.items():
            with open(os.path.join(folder, file_name), "wb") as file:
                file.write(content)
        return folder

    def command(self, script):
        """An executable that stands for clnd."""
        path = os.path.join(self.folder, f"command-{self.tests}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)
        return path

    def check(self, label, complaint, problems):
        """`problems` has to be empty, or to hold exactly one with `complaint` in it."""
        self.tests += 1
        if complaint is FINE:
            passed = not problems
        else:
            passed = len(problems) == 1 and complaint in problems[0]
        print(f"{'ok' if passed else 'not ok'} {self.tests} - {label}")
        if not passed:
            self.failures += 1
            print(f"# expected {complaint or 'no complaint'!r}, got {problems!r}")


def state(content, identity=1):
    return rc.FileState(content, identity)


def outcome(status=0, stdout=b"", stderr=b"", after=None, removed=(), old_output=False):
    """A call on the two inputs; `after` adds or changes files, `removed` takes them away."""
    before = {"params.npy": state(npy(PARAMS)), "indices.npy": state(npy(INDICES))}
    if old_output:
        before["out.npy"] = state(rc.OLD_OUTPUT)
    left = {path: found for path, found in before.items() if path not in removed}
    left.update(after or {})
    return rc.Outcome(status, stdout, stderr, before, left)


def written(content):
    return outcome(after={"out.npy": state(content, 2)})


def check_results(shop):
    """What is written, byte for byte."""
    case = rc.Case(shop.case([ROW]))
    good = npy(ROW)
    header = "{'descr': '<f4', 'fortran_order': %s, 'shape': (1, 3), }"
    data = ROW.tobytes()
    wide = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    wide_case = rc.Case(shop.case([wide]))
    for label, complaint, which, content in [
        ("the right result", FINE, case, good),
        ("a header written another way", FINE, case, npy_with_header(1, header % False, data)),
        ("one wrong bit", "bytes differ", case, npy(with_bits(ROW, 0, 0x3F800001))),
        ("another NaN payload", "bytes differ", case, npy(with_bits(ROW, 2, 0x7FC00001))),
        ("the other zero", "bytes differ", case, npy(with_bits(ROW, 1, 0))),
        ("another dtype, same bytes", "dtype", case, npy(same_bytes(ROW, np.int32))),
        ("big-endian, same bytes", "dtype", case, npy(same_bytes(ROW, ">f4"))),
        ("opaque, same bytes", "dtype", case, npy(same_bytes(ROW, "V4"))),
        ("another shape, same bytes", "shape", case, npy(ROW.reshape(3, 1))),
        ("one rank more", "shape", case, npy(ROW.reshape(1, 1, 3))),
        ("the right values in Fortran order", "Fortran order", wide_case, npy(wide)),
        ("bytes after the data", "13 bytes of data for 12", case, good + b"\0"),
        ("data cut off", "11 bytes of data for 12", case, good[:-1]),
        ("version 3.0", "version (3, 0)", case, npy_with_header(3, header % False, data)),
        ("needless version 2.0", "2.0", case, npy_with_header(2, header % False, data)),
        ("no .npy file", "magic", case, b"1.0, -0.0, nan\n"),
        ("an empty file", "may write", case, b""),
    ]:
        shop.check(label, complaint, rc.judge(which, written(content)))

    strings = np.array([b"ab", b"c"], dtype="S2")
    case = rc.Case(shop.case([strings]))
    shop.check("strings", FINE, rc.judge(case, written(npy(strings))))
    wider = npy(strings.astype("S3"))
    shop.check("strings of another width", "dtype", rc.judge(case, written(wider)))
    empty = np.empty((0, 3), np.float32)
    case = rc.Case(shop.case([empty]))
    shop.check("an empty result", FINE, rc.judge(case, written(npy(empty))))
    other = npy(empty.reshape(3, 0))
    shop.check("an empty result of another shape", "shape", rc.judge(case, written(other)))

    case = rc.Case(shop.case([ROW], output="-"))
    shop.check("the result on standard output", FINE, rc.judge(case, outcome(stdout=good)))
    late = rc.judge(case, outcome(stdout=good + b"0.1 ms\n"))
    shop.check("text after it", "bytes of data", late)
    early = rc.judge(case, outcome(stdout=b"0.1 ms\n" + good))
    shop.check("text before it", "magic", early)


def check_tolerances(shop):
    def judged(expected, result, **keys):
        case = rc.Case(shop.case([expected], compare="float", **keys))
        return rc.judge(case, written(npy(result)))

    one = np.array([1.0], np.float32)
    inf = np.array([np.inf], np.float32)
    beyond = np.array([1.5], np.float32)
    pair = np.array([1 + 2j], np.complex64)
    brain = np.array([0x3F80], "<u2").view("V2")
    brain_next = np.array([0x3F81], "<u2").view("V2")
    for label, complaint, problems in [
        ("equal as numbers", FINE, judged(ROW, with_bits(with_bits(ROW, 1, 0), 2, 0x7FC00001))),
        ("within atol", FINE, judged(one, beyond, atol=0.5)),
        ("within rtol", FINE, judged(one, beyond, rtol=0.5)),
        ("beyond both", "values differ", judged(one, beyond, atol=0.2, rtol=0.2)),
        ("tolerance 0", "values differ", judged(one, np.nextafter(one, inf))),
        ("a number for NaN", "values differ", judged(one * np.nan, one, atol=9.0, rtol=9.0)),
        ("NaN for a number", "values differ", judged(one, one * np.nan, atol=9.0, rtol=9.0)),
        ("infinity", FINE, judged(inf, inf)),
        ("a number for infinity", "values differ", judged(inf, one, rtol=0.1)),
        ("the other infinity", "values differ", judged(inf, -inf, rtol=0.1)),
        ("infinity for a number", "values differ", judged(one, inf, rtol=0.1)),
        ("a wrong imaginary part", "values differ", judged(pair, pair + 1j)),
        ("the tolerance of a part", "values", judged(pair * 100, pair * 100 + 3j, rtol=0.0149)),
        ("dtype under float", "dtype", judged(one, one.astype(np.float64), atol=9.0)),
        ("shape under float", "shape", judged(one, one.reshape(1, 1), atol=9.0)),
        ("bfloat16", FINE, judged(brain, brain_next, atol=0.01, dtype="bfloat16")),
        ("wrong bfloat16", "values", judged(brain, brain_next, atol=0.001, dtype="bfloat16")),
    ]:
        shop.check(label, complaint, problems)


def check_any_of(shop):
    case = rc.Case(shop.case([ROW, OTHER_ROW], compare="any-of"))
    mixed = np.array([[1.0, 5.0, np.nan]], dtype=np.float32)
    torn = with_bits(ROW, 0, 0x40800000)  # 1.0 is 3f800000, 2.0 is 40000000
    neither = np.array([[1.0, 6.0, 7.0]], dtype=np.float32)
    for label, complaint, result in [
        ("elements of both rows", FINE, mixed),
        ("an element of neither", "bytes differ", neither),
        ("an element with bytes of both", "bytes differ", torn),
        ("dtype under any-of", "dtype", same_bytes(ROW, np.int32)),
    ]:
        shop.check(label, complaint, rc.judge(case, written(npy(result))))


def check_good_calls(shop):
    case = rc.Case(shop.case([ROW]))
    result = {"out.npy": state(npy(ROW), 2)}
    for label, complaint, call in [
        ("a good call", FINE, outcome(after=result)),
        ("exit status 1", "exit status 1, expected 0", outcome(1, after=result)),
        ("killed", "SIGSEGV", outcome(-11, after=result)),
        ("no end", "in time", outcome(None, after=result)),
        ("noise", "standard output", outcome(stdout=b"done\n", after=result)),
        ("no output", "did not write out.npy", outcome()),
        ("a folder for output", "no regular file", outcome(after={"out.npy": state(None)})),
        (
            "one more file",
            "left a file behind: out.npy.tmp",
            outcome(after={**result, "out.npy.tmp": state(b"", 3)}),
        ),
        (
            "an input changed",
            "changed params.npy",
            outcome(after={**result, "params.npy": state(b"", 3)}),
        ),
        (
            "an input written again",
            "wrote params.npy again",
            outcome(after={**result, "params.npy": state(npy(PARAMS), 3)}),
        ),
        (
            "an input removed",
            "removed params.npy",
            outcome(after=result, removed=["params.npy"]),
        ),
    ]:
        shop.check(label, complaint, rc.judge(case, call))


def check_text(shop):
    case = rc.Case(shop.case(output=None, stdout={"text": "[[  1 -20]\n [300   4]]"}))
    pieces = rc.Case(shop.case(output=None, stdout={"contains": ["[1 2]", "int32"]}))
    for label, complaint, which, call in [
        ("the text", FINE, case, outcome(stdout=b"[[  1 -20]\n [300   4]]\n")),
        ("the text, other blanks", FINE, case, outcome(stdout=b"[ [1 -20] [300 4 ] ]")),
        ("a missing blank", "standard output is", case, outcome(stdout=b"[[1-20] [300 4]]")),
        ("a missing bracket", "standard output is", case, outcome(stdout=b"[[1 -20] [300 4]")),
        ("one line more", "output is", case, outcome(stdout=b"int32\n[[1 -20] [300 4]]")),
        ("text that is not UTF-8", "not UTF-8", case, outcome(stdout=b"\xff")),
        ("text and a file", "left a file", case, written_text(b"[[1 -20] [300 4]]")),
        ("both pieces", FINE, pieces, outcome(stdout=b"int32\n[ 1  2]\n")),
        ("one piece", "lacks 'int32'", pieces, outcome(stdout=b"[1 2]\n")),
    ]:
        shop.check(label, complaint, rc.judge(which, call))


def written_text(text):
    return outcome(stdout=text, after={"out.npy": state(npy(ROW), 2)})


def check_refused_calls(shop):
    case = rc.Case(shop.case(error=REFUSAL))
    usage = rc.Case(shop.case(error={"exit": [1, 2], "stderr_contains": ["mirror"]}))
    mirror = b"clnd: gather-nd: no such policy: mirror\n"

    def said(stderr):
        return outcome(1, stderr=stderr)

    def left(**keys):
        return outcome(1, stderr=MESSAGE, **keys)

    esc = MESSAGE[:-1] + b"\x1b[2J\n"
    for label, complaint, which, call in [
        ("a refusal", FINE, case, said(MESSAGE)),
        ("exit status 0", "exit status 0, expected [1]", case, outcome(0, stderr=MESSAGE)),
        ("exit status 2", "exit status 2, expected [1]", case, outcome(2, stderr=MESSAGE)),
        ("aborted", "SIGABRT", case, outcome(-6, stderr=MESSAGE)),
        ("a message of two lines", "2 lines on standard", case, said(MESSAGE + b"at row 0\n")),
        ("a warning before it", "2 lines on standard", case, said(b"warning\n" + MESSAGE)),
        ("no line end", "line end", case, said(MESSAGE[:-1])),
        ("another command's name", "begin", case, said(MESSAGE.replace(b"gather", b"scatter"))),
        ("an escape sequence", "control character", case, said(esc)),
        ("a carriage return", "control character", case, said(MESSAGE[:-1] + b"\r\n")),
        ("a tab", "control character", case, said(MESSAGE.replace(b"does ", b"does\t"))),
        ("a C1 control", "control character", case, said(MESSAGE[:-1] + b"\xc2\x9b\n")),
        ("raw bytes", "not UTF-8", case, said(MESSAGE[:-1] + b"\xff\n")),
        ("a missing text", "lacks '[2, 3]'", case, said(MESSAGE.replace(b"[2, 3]", b"[2,3]"))),
        ("words on standard output", "standard output", case, left(stdout=b"\n")),
        ("an output file", "left a file", case, left(after={"out.npy": state(b"", 2)})),
        ("a folder", "left a file behind: tmp", case, left(after={"tmp": state(None, 2)})),
        ("old output kept", FINE, case, left(old_output=True)),
        ("old output removed", "removed", case, left(old_output=True, removed=["out.npy"])),
        (
            "old output emptied",
            "changed out.npy",
            case,
            left(old_output=True, after={"out.npy": state(b"", 2)}),
        ),
        (
            "old output written again",
            "wrote out.npy again",
            case,
            left(old_output=True, after={"out.npy": state(rc.OLD_OUTPUT, 2)}),
        ),
        ("status 1 of two", FINE, usage, outcome(1, stderr=mirror)),
        ("status 2 of two", FINE, usage, outcome(2, stderr=mirror)),
        ("neither of two", "exit status 3", usage, outcome(3, stderr=mirror)),
        ("lines added to status 2", FINE, usage, outcome(2, stderr=mirror + b"usage: ...\n")),
        ("lines added to status 1", "2 lines", usage, outcome(1, stderr=mirror + b"usage\n")),
        ("two messages", "2 lines begin", usage, outcome(2, stderr=mirror + mirror)),
    ]:
        shop.check(label, complaint, rc.judge(which, call))
    for label, call in [
        ("no message", said(b"")),
        ("a message of another program", said(MESSAGE.replace(b"clnd", b"python"))),
        ("the text in an added line only", outcome(2, stderr=b"clnd: no\n" + MESSAGE[6:])),
    ]:
        problems = rc.judge(case, call)
        wanted = {piece for piece in REFUSAL["stderr_contains"]}
        lacking = [p for p in problems if any(f"lacks {piece!r}" in p for piece in wanted)]
        shop.check(label, FINE, [] if len(lacking) == len(wanted) else problems or ["accepted"])


def check_cases(shop):
    """A case that is wrong must not pass for a rule that holds."""

    def reason(script="exit 0", **keys):
        problems, skip = rc.run_case(shop.case(**keys), options_for(shop.command(script)))
        assert skip is None
        return problems

    echo = "cp params.npy out.npy"
    tolerant = {"expected": [PARAMS], "compare": "float"}
    integers = {"expected": [INDICES], "compare": "float", "files": {"params.npy": npy(INDICES)}}
    error = {"exit": 1, "stderr_contains": []}
    refusal_without_exit = {"stderr_contains": []}
    for label, complaint, problems in [
        ("an unknown key", "unknown key: expects", reason(expects="a.npy", error=error)),
        ("an unknown key in error", "error.status", reason(error={**error, "status": 1})),
        ("an error without exit", "needs exit", reason(error=refusal_without_exit)),
        ("no arguments", "args left out", reason(args=None, error=error)),
        ("an unknown dtype", "unknown dtype", reason(expected=[ROW], dtype="float8")),
        ("a result for no output", "without an output", reason(expected=[ROW], output=None)),
        ("compare without a file", "need each other", reason(compare="bits", error=error)),
        ("an unknown compare", "unknown compare", reason(expected=[ROW], compare="bytes")),
        ("two files for bits", "one file", reason(expected=[ROW, ROW])),
        ("nothing to compare with", "exactly one", reason()),
        ("an error and a result", "exactly one", reason(expected=[ROW], error=error)),
        ("a text that is written to a file", "output null", reason(stdout={"text": ""})),
        ("a file that is not there", "no file for {x.npy}", reason(args=["{x.npy}"], error=error)),
        ("float32 for bfloat16", "bfloat16 in <f4", reason(echo, dtype="bfloat16", **tolerant)),
        ("tolerance of integers", "float of <i4", reason(echo, **integers)),
        ("another name", "the folder's", reason(name="case", error=error)),
        ("an unknown device", "kind of device", reason(only="fpga", error=error)),
    ]:
        shop.check(label, complaint, problems)


def check_case_text(shop):
    """A case comes back from its text as it was; a text that is wrong makes no case."""
    payload = np.array([0x7FC12345, 0x80000000], np.uint32).view(np.float32)
    brain = npy(np.array([0x7FC1, 0x8000], np.uint16).view("V2")).replace(b"|V2", b"<V2")
    arrays = [
        np.int64(-3), np.zeros((0, 3), np.uint8), np.arange(60.0).reshape(3, 4, 5),
        np.asfortranarray(PARAMS), PARAMS.astype(">f4"), payload, payload.astype(np.complex64),
        payload.view(np.complex64), np.array([[True, False]]), np.array([b"it's", b"[0 \n"]),
        np.array(["\u00e9 ]", '"']), np.array([b"\0a"], "V2"), np.float16([[0.1, np.inf]]),
        np.array([2**64 - 1, 0], np.uint64), np.linspace(-1, 1, 90).reshape(30, 3),
    ]  # fmt: skip
    files = {f"{i}.npy": npy(array) for i, array in enumerate(arrays)}
    files.update({"brain.npy": brain, "broken.npy": b"\x93NUMPY\x01\0  'x\n", "empty.npy": b""})
    args = ["{0.npy}", "1:2, '", "", "-"]
    keys = {"args": args, "why": "it's so", "output": None, "only": "cpu", "source": "0x1"}
    folder = shop.case(files=files, error={"exit": [1, 2], "stderr_contains": ["  ["]}, **keys)
    text = case_text.pack(folder)
    with open(f"{folder}.txt", "w", encoding="utf-8") as file:
        file.write(text)
    (again,) = rc.find_cases([f"{folder}.txt"])
    same = rc.snapshot(folder).keys() == rc.snapshot(again).keys()
    same = same and all(
        rc.snapshot(folder)[name].content == found.content
        for name, found in rc.snapshot(again).items()
        if name != "case.json"
    )
    same = same and rc.Case(folder).words() == rc.Case(again).words()
    same = same and case_text.pack(again) == text
    shop.check("text: a case comes back", FINE, [] if same else [text])

    def complaint(line):
        try:
            case_text.read(["== a: b", "call show {a.npy}", line], "x.txt")
        except case_text.BadText as error:
            return [str(error)]
        return []

    for label, wanted, line in [
        ("a good line", FINE, "a.npy int32 [[0 1] [2 3]]"),
        ("rows of two lengths", "x.txt:3: 1 and 2 in brackets", "a.npy int32 [[0 1] [2]]"),
        ("an element beside a row", "elements in brackets", "a.npy int32 [[0 1] 2]"),
        ("an open bracket", "elements in brackets", "a.npy int32 [[0 1]"),
        ("a bracket too many", "x.txt:3", "a.npy int32 [0 1]]"),
        ("elements for an empty shape", "behind a shape", "a.npy int32 (0,2) counting"),
        ("none for another", "behind a shape", "a.npy int32 (1,2)"),
        ("too large a number", "128 is no int8", "a.npy int8 [128]"),
        ("a float of integers", "x.txt:3", "a.npy int32 [0.5]"),
        ("no bool", "x.txt:3", "a.npy bool [yes]"),
        ("no bfloat16", "no bfloat16", "a.npy bfloat16 [0.1]"),
        ("no such dtype", "x.txt:3", "a.npy int33 [0]"),
        ("a second call", "call once more", "call show {a.npy}"),
        ("a key without a value", "x.txt:3", "expect"),
    ]:
        shop.check(f"text: {label}", wanted, complaint(line))


def options_for(command, **keys):
    defaults = {"clnd": command, "device": None, "kind": "cpu", "timeout": 60}
    implementation = {"icd_folder": None, "driver_prefix": None}
    return argparse.Namespace(**{**defaults, **implementation, **keys})


def check_runs(shop):
    """Whole runs, with shell scripts in the place of the command."""
    good = shop.case([ROW])
    expected = os.path.join(good, "expected-0.npy")
    wrong = os.path.join(shop.case([OTHER_ROW]), "expected-0.npy")
    copied = shop.case([ROW], args=["--", *OPERANDS])
    from_stdin = shop.case([PARAMS], args=["-", "{indices.npy}"], stdin="params.npy")
    gpu_only = shop.case([ROW], only="gpu")
    refused = shop.case(error=REFUSAL)
    in_place = shop.case(error=REFUSAL, output="params.npy")
    says = f"printf '%s\\n' '{MESSAGE[:-1].decode()}' >&2"

    def complaints(case, script, **keys):
        problems, skip = rc.run_case(case, options_for(shop.command(script), **keys))
        if skip:
            return [f"SKIP {skip}"]
        return [p for p in problems if not p.startswith(("clnd ", "standard error: "))]

    order = f'[ "$*" = "gather-nd -o out.npy -- params.npy indices.npy" ] && cp {expected} out.npy'
    touch = "touch -d 2001-01-01 params.npy"
    device = f'[ "$CLND_DEVICE" = some ] && cp {expected} out.npy'
    inputs_only = f'[ "$(echo *)" = "indices.npy params.npy" ] && cp {expected} out.npy'
    for label, complaint, problems in [
        ("run: a good call", FINE, complaints(good, f"cp {expected} out.npy")),
        ("run: -o goes before --", FINE, complaints(copied, order)),
        ("run: only inputs are there", FINE, complaints(good, inputs_only)),
        ("run: standard input", FINE, complaints(from_stdin, "cat > out.npy")),
        ("run: the device", FINE, complaints(good, device, device="some")),
        ("run: a file left", "left a", complaints(good, f"cp {expected} out.npy; : > x")),
        ("run: a file left below", "left", complaints(good, f"cp {expected} out.npy; mkdir d")),
        ("run: an input touched", "again", complaints(good, f"cp {expected} out.npy; {touch}")),
        ("run: killed", "SIGKILL", complaints(good, "kill -9 $$")),
        ("run: no end", "in time", complaints(good, "sleep 60", timeout=0.2)),
        ("run: no command", "cannot run", complaints(good, "", clnd="/nowhere/clnd")),
        ("run: a refusal", FINE, complaints(refused, f"{says}; exit 1")),
        (
            "run: a refusal that empties an output that was there",
            "changed out.npy",
            complaints(refused, f"[ -f out.npy ] && : > out.npy; {says}; exit 1"),
        ),
        (
            "run: a refusal that makes an output",
            "left a file behind: out.npy",
            complaints(refused, f"[ -f out.npy ] || : > out.npy; {says}; exit 1"),
        ),
        (
            "run: a refusal that harms an input it was to replace",
            "changed params.npy",
            complaints(in_place, f": > params.npy; {says}; exit 1"),
        ),
        ("run: only for another device", "SKIP for a gpu", complaints(gpu_only, "exit 1")),
        ("run: unknown device", "SKIP for a gpu", complaints(gpu_only, "exit 1", kind=None)),
        ("run: on that device", "exit status 1", complaints(gpu_only, "exit 1", kind="gpu")),
        ("run: a wrong result", "bytes differ", complaints(good, f"cp {wrong} out.npy")),
        ("run: a refusal of a good call", "exit status 1", complaints(good, f"{says}; exit 1")),
    ]:
        shop.check(label, complaint, problems)


def check_device(shop):
    """What `clnd devices` says decides which cases hold."""
    cpu = "0:0  some%s\n     driver   1.2\n     kind     CPU, 4\n     probed   fp64 yes\n"
    gpu = "1:0  other%s\n     driver   CPU,\n     kind     GPU or other, 8\n     probed   fp64 no\n"
    mark = " (default)"
    for label, text, wanted in [
        ("device: a CPU", cpu % mark + gpu % "", "cpu"),
        ("device: a GPU", cpu % "" + gpu % mark, "gpu"),
        ("device: unheard of", cpu % "" + gpu % "", None),
        ("device: other words", "some CPU\n", None),
    ]:
        options = options_for(shop.command(f"printf '{text}'"), kind=None)
        complaint = rc.ask_device(options)
        got = options.kind
        shop.check(label, FINE, [] if (complaint, got) == ("", wanted) else [complaint, got])
    options = options_for(shop.command("echo clnd: devices: none >&2; exit 1"))
    shop.check("device: none", "clnd: devices: none", [rc.ask_device(options)])
    chosen = options_for("clnd", icd_folder="/some")
    got = rc.environment_for(chosen).get("OCL_ICD_VENDORS")
    shop.check("device: one implementation", FINE, [] if got == "/some" else [got])
    both = b"DRIVER: x\nclnd: y\n"
    for label, prefix, wanted in [
        ("driver: its lines do not count", "DRIVER: ", b"clnd: y\n"),
        ("driver: all lines count", None, both),
    ]:
        got = rc.without_driver_lines(both, prefix)
        shop.check(label, FINE, [] if got == wanted else [got])


def main():
    folder = tempfile.mkdtemp(prefix="clnd-selftest-")
    try:
        shop = Workshop(folder)
        for part in (
            check_results,
            check_tolerances,
            check_any_of,
            check_good_calls,
            check_text,
            check_refused_calls,
            check_cases,
            check_case_text,
            check_runs,
            check_device,
        ):
            part(shop)
        print(f"1..{shop.tests}")
        return 1 if shop.failures else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)

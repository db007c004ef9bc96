#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sum up what `meson test` really ran, subtest by subtest.

    test_summary.py BUILD_DIR=STATUS...

STATUS is the exit status of building and testing in that folder. Prints every failure with its
output and every skip with its reason; the last line is "N passed, N failed, N skipped". The exit
status is 0 only when something ran and nothing failed.

A TAP program counts each of its "ok" and "not ok" lines, any other program counts as one. A
program that crashed, ran out of time, or did not print as many lines as its plan says is one
failure more, whatever its lines say. So are the sanitizers' reports in BUILD_DIR/reports, together.
"""

import glob
import json
import os
import re
import shlex
import sys

TAP_LINE = re.compile(r"(not )?ok\b[ \t]*(\d+)?[ \t]*(?:-[ \t]*)?([^#\n]*)(?:#[ \t]*(.*))?$")
TAP_PLAN = re.compile(r"1\.\.(\d+)[ \t]*(?:#[ \t]*(.*))?$")

MAX_OUTPUT_LINES = 100


class Summary:
    def __init__(self):
        self.passed = 0
        self.failures = []  # (name, output)
        self.skips = []  # (name, reason)

    def fail(self, name, output):
        self.failures.append((name, output))

    def skip(self, name, reason):
        self.skips.append((name, reason or "no reason given"))

    def line(self):
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


class TapProgram:
    """The lines of one TAP program: its plan, its results, and what follows each result."""

    def __init__(self, text):
        self.results = []  # [good, title, directive, following lines]
        self.plan = None
        self.plan_note = ""
        self.problems = []
        for line in text.splitlines():
            plan, result = TAP_PLAN.match(line), TAP_LINE.match(line)
            if plan:
                if self.plan is not None:
                    self.problems.append("two plans")
                self.plan, self.plan_note = int(plan.group(1)), plan.group(2) or ""
            elif result:
                number = len(self.results) + 1
                if result.group(2) and int(result.group(2)) != number:
                    self.problems.append(f"subtest {result.group(2)} stands in place {number}")
                title = result.group(3).strip() or f"subtest {number}"
                self.results.append([not result.group(1), title, result.group(4) or "", []])
            elif line.startswith("Bail out!"):
                self.problems.append(line)
            elif self.results:
                self.results[-1][3].append(line)
        if self.plan is None:
            self.problems.append("no TAP plan")
        elif self.plan != len(self.results):
            self.problems.append(f"planned {self.plan} subtests, ran {len(self.results)}")

    def count(self, name, summary):
        """Counts the results; true when one of them failed."""
        failed = False
        for good, title, directive, following in self.results:
            word = directive.split(" ")[0].upper().rstrip(":")
            note = directive[len(word) :].strip(" :")
            full = f"{name}: {title}"
            if word.startswith("SKIP") and good:
                summary.skip(full, note)
            elif word == "TODO":
                if good:
                    failed = True
                    summary.fail(full, "passed, but is marked TODO")
                else:
                    summary.skip(full, f"TODO {note}".strip())
            elif good:
                summary.passed += 1
            else:
                failed = True
                summary.fail(full, "\n".join(following))
        if self.plan == 0 and not self.results:
            summary.skip(name, re.sub(r"(?i)^skip\w*:?\s*", "", self.plan_note))
        return failed


def count_plain(name, record, summary):
    result = record["result"]
    lines = record.get("stdout", "").strip().splitlines()
    if result in ("OK", "EXPECTEDFAIL"):
        summary.passed += 1
    elif result == "SKIP":
        summary.skip(name, lines[-1] if lines else "")
    else:
        summary.fail(name, f"{result}: {how_it_ended(record)}\n{output(record)}")


def count_tap(name, record, summary):
    tap = TapProgram(record.get("stdout", ""))
    failed_line = tap.count(name, summary)
    problems = list(tap.problems)
    status = record.get("returncode", 0)
    if record["result"] in ("TIMEOUT", "INTERRUPT"):
        problems.insert(0, f"{record['result']}: {how_it_ended(record)}")
    elif status < 0 or status >= 128 or (status != 0 and not failed_line):
        problems.insert(0, how_it_ended(record))
    if problems:
        summary.fail(name, "\n".join(problems) + "\n" + output(record))
    elif failed_line:
        # Which subtest wrote to stderr is not known, so it goes to the last one that failed.
        last_name, text = summary.failures[-1]
        rest = "\n".join(part for part in (record.get("stderr", "").strip(), again(record)) if part)
        summary.failures[-1] = (last_name, f"{text}\n{rest}")


def how_it_ended(record):
    status = record.get("returncode", 0)
    seconds = f"after {record.get('duration', 0):.1f} s"
    if status < 0:
        return f"ended by signal {-status} {seconds}"
    return f"exit status {status} {seconds}"


def again(record):
    command = " ".join(shlex.quote(word) for word in record.get("command") or [])
    return f"run it alone: {command}" if command else ""


def output(record):
    parts = [record.get("stdout", "").strip(), record.get("stderr", "").strip(), again(record)]
    return "\n".join(part for part in parts if part)


def shorten(text):
    lines = text.strip("\n").splitlines()
    if len(lines) > MAX_OUTPUT_LINES:
        half = MAX_OUTPUT_LINES // 2
        left_out = len(lines) - 2 * half
        lines = lines[:half] + [f"... {left_out} lines left out ..."] + lines[-half:]
    return lines


def read_protocols(build_dir):
    """The registered tests: {name: [(protocol, command)]}."""
    protocols = {}
    path = os.path.join(build_dir, "meson-info", "intro-tests.json")
    with open(path, encoding="utf-8") as file:
        for test in json.load(file):
            protocols.setdefault(test["name"], []).append((test["protocol"], test["cmd"]))
    return protocols


def is_tap(record, protocols):
    short = record["name"].split(" / ")[-1]
    candidates = protocols.get(short) or protocols.get(record["name"], [])
    kinds = {protocol for protocol, _ in candidates}
    if len(kinds) > 1:
        command = record.get("command") or []
        kinds = {kind for kind, cmd in candidates if command[-len(cmd) :] == cmd} or kinds
    if len(kinds) == 1:
        return kinds == {"tap"}
    return TAP_PLAN.search(record.get("stdout", "")) is not None


def count_reports(build_dir, summary):
    folder = os.path.join(build_dir, "reports")
    reports = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    if reports:
        with open(os.path.join(folder, reports[0]), encoding="utf-8", errors="replace") as file:
            text = file.read()
        title = f"{build_dir}: {len(reports)} sanitizer reports in {folder}, the first of them"
        summary.fail(title, text)


def count_folder(build_dir, status, summary):
    logs = glob.glob(os.path.join(build_dir, "meson-logs", "testlog*.json"))
    if len(logs) != 1:  # tools/test.sh removes those of earlier runs
        summary.fail(build_dir, f"no test ran: configuring or building ended with status {status}")
        return "nothing ran"
    protocols = read_protocols(build_dir)
    failures_before = len(summary.failures)
    ran = 0
    with open(logs[0], encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            name = f"{build_dir}: {record['name']}"
            count = count_tap if is_tap(record, protocols) else count_plain
            count(name, record, summary)
            ran += 1
    count_reports(build_dir, summary)
    if status != 0 and len(summary.failures) == failures_before:
        summary.fail(build_dir, f"meson test ended with status {status}, but no test failed")
    registered = sum(len(tests) for tests in protocols.values())
    return f"{ran} of {registered} programs of all levels"


def main():
    folders = [argument.rpartition("=") for argument in sys.argv[1:]]
    if not folders or not all(folder and status.isdigit() for folder, _, status in folders):
        sys.exit(__doc__)

    total = Summary()
    for build_dir, _, status in folders:
        one = Summary()
        ran = count_folder(build_dir, int(status), one)
        print(f"{build_dir}: {one.line()}, {ran}")
        total.passed += one.passed
        total.failures += one.failures
        total.skips += one.skips

    for name, reason in total.skips:
        print(f"SKIPPED {name}: {reason}")
    for name, text in total.failures:
        print(f"\nFAILED {name}")
        for line in shorten(text):
            print(f"    {line}")
    if not total.passed and not total.failures:
        print("\nNothing ran.")
    print()
    print(total.line())
    return 1 if total.failures or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the code in one place after the other and shows which test sees it. Prints TAP.

    mutate.py [OPTIONS]        break the places of the table, one by one, in copies of the tree
    mutate.py --list           say what the table has
    mutate.py --check [BUILD]  check that the table fits the code, and docs/testing.md the table
    mutate.py --self-test      check that --check sees a table that does not fit

The table is tests/data/mutations/*.toml:

    [[mutation]]
    id = "add"                         # file name and id together name it: base/add
    file = "host/base/checked.h"
    breaks = "a sum that overflows counts as good"
    old = '''...'''                    # must be in the file exactly once
    new = '''...'''
    caught_by = ["view"]               # tests of `meson test`, cheapest first; one suffices.
                                       # "view -- ARGS" gives the test more arguments
    survives = "..."                   # only where no test can see it: why

A test must pass before anything is broken, or it proves nothing; one that is skipped here proves
nothing either. A place that no longer compiles is a fault of the table. A point of TAP is one
place: it fails when nothing saw it and no `survives` says why.
"""
import argparse
import datetime
import fcntl
import fnmatch
import glob
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "tests/data/mutations"
DOCUMENT = "docs/testing.md"
KEYS = {"id", "file", "breaks", "old", "new", "caught_by", "survives"}
WIDTH = 98

CAUGHT, SURVIVED, EXPLAINED, FAULTY = "caught", "SURVIVED", "explained", "FAULTY"
SKIPPED = "skipped"


class Fault(Exception):
    """Something is wrong with the table or the tree, so that there is no verdict."""


class Skipped(Exception):
    """The test that should see it needs something that is not here."""


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_table(root):
    """All mutations, in the order of the files; each with its whole name."""
    mutations = []
    for path in sorted(glob.glob(os.path.join(root, TABLE, "*.toml"))):
        area = os.path.splitext(os.path.basename(path))[0]
        for mutation in tomllib.loads(read_text(path)).get("mutation", []):
            mutation["name"] = "%s/%s" % (area, mutation.get("id", "?"))
            mutations.append(mutation)
    return mutations


def complaint_about(mutation, root, names, tests):
    """What is wrong with a mutation, None if nothing is. `tests` may be None: not known."""
    unknown = set(mutation) - KEYS - {"name"}
    missing = KEYS - {"survives"} - set(mutation)
    if unknown or missing:
        return "unknown keys %s, missing keys %s" % (sorted(unknown), sorted(missing))
    if names.count(mutation["name"]) > 1:
        return "there are several of this id"
    if mutation["old"] == mutation["new"]:
        return "old and new are the same"
    if not mutation["caught_by"] and "survives" not in mutation:
        return "no test is expected to catch it, and nothing says why it survives"
    path = os.path.join(root, mutation["file"])
    if not os.path.exists(path):
        return "%s does not exist; name the file in which this now is" % mutation["file"]
    count = read_text(path).count(mutation["old"])
    if count != 1:
        line = mutation["old"].strip().splitlines()[0].strip()
        return ("its text is %d times in %s, must be once: the code has changed. Find what now "
                "does this and give its text as `old`, or choose a place of the same kind. It "
                "begins: %s" % (count, mutation["file"], line))
    for test in mutation["caught_by"]:
        if tests is not None and name_of(test)[0] not in tests:
            return "there is no test '%s', or there are several" % name_of(test)[0]
    if tests and mutation["caught_by"] and not any(
            runs_in("default", tests[name_of(test)[0]]) for test in mutation["caught_by"]):
        return "only --all runs a test that sees it"
    return None


def name_of(test):
    """The name of a test in caught_by, and its further arguments."""
    name, _, arguments = test.partition(" -- ")
    return name, ["--test-args=" + arguments] if arguments else []


def tests_of(build):
    """{name: description} of the tests of a build folder that alone bear their name."""
    with open(os.path.join(build, "meson-info/intro-tests.json"), encoding="utf-8") as file:
        tests = json.load(file)
    names = [test["name"] for test in tests]
    return {test["name"]: test for test in tests if names.count(test["name"]) == 1}


def runs_in(setup, test):
    """Whether `meson test --setup` runs it: tests/meson.build."""
    left_out = {"fast": {"default", "all"}, "default": {"all"}, "all": set()}[setup]
    return not left_out & {suite.split(":")[-1] for suite in test["suite"]}


def complaint_about_document(text, mutations):
    """Whether its list names what survives, None if it does."""
    survivors = {mutation["name"] for mutation in mutations if "survives" in mutation}
    told = set(re.findall(r"^\| `([a-z]+/[\w-]+)` \|", text, re.M))
    if told == survivors:
        return None
    return "of mutations that survive it lacks %s, and should not name %s" % (
        sorted(survivors - told), sorted(told - survivors))


def check(root, build, out=sys.stdout):
    """--check: the number of complaints."""
    tests = tests_of(build) if build else None
    mutations = read_table(root)
    names = [mutation["name"] for mutation in mutations]
    points = [(mutation["name"], complaint_about(mutation, root, names, tests))
              for mutation in mutations]
    text = read_text(os.path.join(root, DOCUMENT))
    points.append((DOCUMENT, complaint_about_document(text, mutations)))
    print("1..%d" % len(points), file=out)
    for number, (name, complaint) in enumerate(points, 1):
        print("%sok %d - %s" % ("not " if complaint else "", number, name), file=out)
        if complaint:
            print("# " + complaint, file=out)
    return sum(bool(complaint) for _, complaint in points)


def self_test():
    """Each kind of fault of a table must be told, and a good table must not."""
    good = {"id": "a", "file": "code.c", "breaks": "b", "old": "x = 1;", "new": "x = 2;",
            "caught_by": ["t"]}
    faults = {"several of this id": [good, good], "are the same": [{**good, "new": "x = 1;"}],
              "does not exist": [{**good, "file": "none.c"}], "0 times": [{**good, "old": "z"}],
              "2 times": [{**good, "old": "y"}], "no test 'u'": [{**good, "caught_by": ["u"]}],
              "nothing says why": [{**good, "caught_by": []}],
              "unknown keys ['odd']": [{**good, "odd": "1"}],
              "only --all runs": [{**good, "caught_by": ["slow"]}]}
    tests = {"t": {"suite": ["clnd:ops"]}, "slow": {"suite": ["clnd:ops", "clnd:all"]}}
    failures = 0
    print("1..%d" % (len(faults) + 4))
    with tempfile.TemporaryDirectory(prefix="clnd-mutate-") as root:
        with open(os.path.join(root, "code.c"), "w", encoding="utf-8") as file:
            file.write("x = 1; y; y;\n")
        for number, (text, table) in enumerate([("", [good]), *faults.items()], 1):
            names = ["area/" + mutation["id"] for mutation in table]
            told = complaint_about({**table[0], "name": names[0]}, root, names, tests)
            passed = told is None if not text else told is not None and text in told
            failures += not passed
            print("%sok %d - %s" % ("" if passed else "not ", number, text or "a good table"))
            if not passed:
                print("# told: %s" % told)
    table = [{"name": "area/a", "survives": "it does"}, {"name": "area/b"}]
    pages = {"": "| `area/a` |", "lacks ['area/a']": "", "not name ['area/b']": "| `area/b` |"}
    for number, (text, page) in enumerate(pages.items(), len(faults) + 2):
        told = complaint_about_document(page, table)
        passed = told is None if not text else told is not None and text in told
        failures += not passed
        print("%sok %d - %s" % ("" if passed else "not ", number, text or "a good document"))
        if not passed:
            print("# told: %s" % told)
    return failures


class Tree:
    """A copy of the tree with a build folder, in which things are broken."""

    def __init__(self, scratch, number, setup):
        self.setup = setup
        self.source = os.path.join(scratch, "tree-%d" % number)
        self.build = os.path.join(scratch, "build-%d" % number)
        self.seconds = {}  # of the tests that pass in the sound tree
        self.environment = {**os.environ, "CLND_TEST_REQUIRE_DEVICE": "1",
                            "POCL_CACHE_DIR": os.path.join(scratch, "kernels-%d" % number)}
        os.makedirs(self.environment["POCL_CACHE_DIR"], exist_ok=True)
        self.choose_implementation(os.path.join(scratch, "icd"))
        self.copy_files()
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            self.call("meson", "setup", self.build, self.source, "-Dtests=enabled",
                      "--buildtype=debugoptimized",
                      "-Dintel_runtime=" + os.path.join(ROOT, "build-intel"))
        self.call("ninja", "-C", self.build, "build.ninja")
        self.tests = tests_of(self.build)
        with open(os.path.join(self.build, "meson-info/intro-targets.json"),
                  encoding="utf-8") as file:
            self.targets = {target["id"]: target["filename"] for target in json.load(file)}

    def choose_implementation(self, folder):
        """PoCL alone, unless the caller chose, as tools/test.sh does it."""
        pocl = "/etc/OpenCL/vendors/pocl.icd"
        if not os.environ.get("OCL_ICD_VENDORS") and os.path.exists(pocl):
            os.makedirs(folder, exist_ok=True)
            shutil.copy(pocl, folder)
            self.environment["OCL_ICD_VENDORS"] = folder

    def copy_files(self):
        """Only what differs, so that a kept scratch folder is not built anew."""
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"],
                                stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        for name in filter(None, listed):
            source, target = os.path.join(ROOT, name), os.path.join(self.source, name)
            if not os.path.isfile(source):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(source, "rb") as file:
                data = file.read()
            if os.path.exists(target):
                with open(target, "rb") as file:
                    if file.read() == data:
                        continue
            shutil.copy(source, target)

    def call(self, *command):
        """(whether it ended well, what it printed)"""
        result = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return result.returncode == 0, result.stdout.decode(errors="replace")

    def build_test(self, test):
        depends = self.tests[name_of(test)[0]]["depends"]
        files = [os.path.relpath(file, self.build) for target in depends
                 for file in self.targets[target]]
        return self.call("ninja", "-C", self.build, "-j1", *files) if files else (True, "")

    def run_test(self, test, limit):
        """None if the test passes, else which of its points fails."""
        name, arguments = name_of(test)
        multiplier = limit / self.tests[name]["timeout"]
        good, _ = self.call("meson", "test", "-C", self.build, "--no-rebuild", "--setup",
                            self.setup, "--timeout-multiplier", str(multiplier), *arguments, name)
        log = os.path.join(self.build, "meson-logs/testlog-%s.json" % self.setup)
        log = read_text(log).splitlines()
        entry = json.loads(log[-1]) if log else {}
        if entry.get("result") == "SKIP":
            if set(re.findall(r"# SKIP (.*)", entry.get("stdout", ""))) == {"test was skipped"}:
                raise Fault("'%s' chooses no test" % test)  # as Criterion says it
            raise Skipped("'%s' is skipped here: %s" % (name, entry.get("stdout", "").strip()))
        if good:
            return None
        point = re.search(r"^not ok\b[ \d]*-? *(.*)", entry.get("stdout", ""), re.M)
        if point:
            # without Criterion's seconds, and where a test was that crashed
            return re.sub(r" +\([\d.]+s\)$| after \.\./.*$", "", point.group(1).strip())
        return "%s, exit status %s" % (entry.get("result", "no result").lower(),
                                       entry.get("returncode"))

    def prove(self, test):
        """The test passes in the sound tree."""
        if test in self.seconds:
            return
        good, output = self.build_test(test)
        if not good:
            raise Fault("the sound tree does not build:\n" + output[-2000:])
        begin = time.monotonic()
        point = self.run_test(test, 1800)
        if point is not None and re.search("timed? ?out", point):
            point = self.run_test(test, 1800)  # what took the time was compiled, and is kept
        if point is not None:
            raise Fault("'%s' fails in the sound tree: %s" % (test, point))
        self.seconds[test] = time.monotonic() - begin

    def try_tests(self, tests):
        """(test, point) of the first that fails, with time for some more than it needs."""
        here = [test for test in tests if runs_in(self.setup, self.tests[name_of(test)[0]])]
        if tests and not here:
            raise Skipped("none of its tests belongs to the tier " + self.setup)
        for test in here:
            good, output = self.build_test(test)
            if not good:
                raise Fault("it does not compile:\n" + output[-2000:])
            usual = self.seconds.get(test, self.tests[name_of(test)[0]]["timeout"] / 5)
            point = self.run_test(test, max(120, 5 * usual))
            if point is not None:
                return test, point
        return "", ""

    def judge(self, mutation):
        """(verdict, test, point)"""
        path = os.path.join(self.source, mutation["file"])
        sound = read_text(path)
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(sound.replace(mutation["old"], mutation["new"]))
            test, point = self.try_tests(mutation["caught_by"])
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(sound)
        if test:
            self.prove(test)
            return CAUGHT, test, point
        return (EXPLAINED if "survives" in mutation else SURVIVED), "", ""


class Run:
    """The verdicts, as they come in from the trees."""

    def __init__(self, mutations, results, setup):
        self.setup = setup
        self.work = queue.Queue()
        for mutation in mutations:
            self.work.put(mutation)
        self.path = results
        self.results = {}
        if results and os.path.exists(results):
            self.results = json.loads(read_text(results))
        self.verdicts = []
        self.lock = threading.Lock()

    def note(self, mutation, verdict, test, point, suite):
        with self.lock:
            self.verdicts.append(verdict)
            seen = "%s / %s: %s" % (suite, test, point) if test else "%s. %s" % (verdict, point)
            if verdict in (SKIPPED, EXPLAINED):
                seen = "# SKIP " + (mutation.get("survives") or point)
            print("%sok %d - %s: %s" % (
                "not " if verdict in (SURVIVED, FAULTY) else "", len(self.verdicts),
                mutation["name"], " ".join(seen.split())), flush=True)
            self.results[mutation["name"]] = [verdict, suite, test, point,
                                              datetime.date.today().isoformat()]
            if self.path:
                with open(self.path, "w", encoding="utf-8") as file:
                    json.dump(self.results, file, indent=1)

    def take_turns(self, scratch, number):
        """What a thread does: takes mutations until there are no more."""
        tree = None
        while True:
            try:
                mutation = self.work.get_nowait()
            except queue.Empty:
                return
            try:
                tree = tree or Tree(scratch, number, self.setup)
                verdict, test, point = tree.judge(mutation)
                test = name_of(test)[0]
                suite = tree.tests[test]["suite"][0].split(":")[-1] if test else ""
            except Skipped as error:
                verdict, test, suite, point = SKIPPED, "", "", str(error)
            except Exception as error:  # the others go on
                verdict, test, suite = FAULTY, "", ""
                point = "%s: %s" % (type(error).__name__, error)
            self.note(mutation, verdict, test, point, suite)


def wrap(text):
    return textwrap.fill(text, WIDTH, initial_indent="- ", subsequent_indent="  ",
                         break_long_words=False, break_on_hyphens=False)


def write_report(path, mutations, results):
    """A page of Markdown: every place, and what saw it."""
    told = [results.get(mutation["name"]) for mutation in mutations]
    dates = sorted(entry[4] for entry in told if entry) or ["never"]
    count = {verdict: sum(entry is not None and entry[0] == verdict for entry in told)
             for verdict in (CAUGHT, EXPLAINED)}
    lines = ["# What the tests see", "",
             "Made by `tools/mutate.py --report`, not by hand. Each place of the code was",
             "broken on its own, and the tests that should see it were run until one failed; they",
             "all pass on the sound code. What is broken how stands in",
             "`tests/data/mutations/`.", "",
             "%d places, broken between %s and %s:" % (len(mutations), dates[0], dates[-1]),
             "%d caught, %d survive for a reason that is told, %d others." % (
                 count[CAUGHT], count[EXPLAINED], len(mutations) - sum(count.values()))]
    file = None
    for mutation, entry in zip(mutations, told):
        if mutation["file"] != file:
            file = mutation["file"]
            lines += ["", "## %s" % file, ""]
        verdict, suite, test, point = entry[:4] if entry else ("not run", "", "", "")
        seen = "%s / %s" % (suite, test) if test else verdict
        if verdict == EXPLAINED:
            seen = "survives: " + mutation["survives"]
        elif point:
            seen += ": `%s`" % point.replace("`", "'")
        form = "`%s`: %s. Seen by %s" if verdict == CAUGHT else "`%s`: %s. **%s**"
        lines.append(wrap(form % (mutation["name"], mutation["breaks"], seen)))
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def run_all(options, mutations):
    names = [mutation["name"] for mutation in mutations]
    for mutation in mutations:
        complaint = complaint_about(mutation, ROOT, names, None)
        if complaint:
            print("%s: %s" % (mutation["name"], complaint), file=sys.stderr)
            return 1
    scratch = options.scratch or tempfile.mkdtemp(prefix="clnd-mutate-")
    os.makedirs(scratch, exist_ok=True)
    lock = os.open(scratch, os.O_RDONLY)  # two runs in one tree would judge each other's changes
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print("another run works in %s" % scratch, file=sys.stderr)
        return 1
    print("1..%d" % len(mutations), flush=True)
    run = Run(mutations, options.results, options.setup)
    threads = [threading.Thread(target=run.take_turns, args=(scratch, number))
               for number in range(min(options.jobs, len(mutations)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if not options.scratch:
        shutil.rmtree(scratch)
    if options.report:
        write_report(options.report, read_table(ROOT), run.results)
    print("# %d places: %s" % (len(mutations), ", ".join(
        "%d %s" % (run.verdicts.count(verdict), verdict)
        for verdict in (CAUGHT, SURVIVED, EXPLAINED, SKIPPED, FAULTY))))
    return 1 if {SURVIVED, FAULTY} & set(run.verdicts) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", nargs="?", const="", metavar="BUILD")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", metavar="GLOB", action="append", help="mutations by name")
    parser.add_argument("--setup", default="all", choices=("fast", "default", "all"),
                        help="only tests of this tier, with as many random cases (all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="trees to work in at once")
    parser.add_argument("--scratch", metavar="DIR", help="keep the trees here for the next time")
    parser.add_argument("--results", metavar="FILE", help="verdicts of this and earlier runs")
    parser.add_argument("--report", metavar="FILE", help="write all verdicts as Markdown")
    options = parser.parse_args()
    if tomllib is None:
        print("1..0 # SKIP the table needs Python 3.11")
        return 0 if options.check is not None or options.self_test else 2
    if options.self_test:
        return 1 if self_test() else 0
    if options.check is not None:
        return 1 if check(ROOT, options.check) else 0
    mutations = [mutation for mutation in read_table(ROOT) if not options.only or any(
        fnmatch.fnmatch(mutation["name"], pattern) for pattern in options.only)]
    if options.list:
        for mutation in mutations:
            print("%-34s %-34s %s" % (mutation["name"], mutation["file"], mutation["breaks"]))
        return 0
    if not mutations:
        print("no mutation has such a name", file=sys.stderr)
        return 1
    return run_all(options, mutations)


if __name__ == "__main__":
    sys.exit(main())

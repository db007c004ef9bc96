# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line and of its documents share: running clnd, reading --help."""
import os
import re
import subprocess


class Place:
    """The program under test, and what else a test was given."""
    clnd = None
    source = None
    no_context = None
    no_driver = None
    crashes = None
    broken_driver = None
    file_calls = None
    scratch = None


class Skip(Exception):
    """This machine cannot show the property."""


def check(condition, *what):
    if not condition:
        raise AssertionError("\n".join(str(part) for part in what))


def run(*arguments, **options):
    """Runs clnd; standard output and error are text."""
    return subprocess.run([Place.clnd, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=120,
                          text=True, errors="backslashreplace", **options)


def need_device():
    result = run("devices", "--quiet")
    if result.returncode and os.environ.get("CLND_TEST_REQUIRE_DEVICE") != "1":
        raise Skip(result.stderr.strip())


def commands():
    """{name: summary} of all subcommands, as `clnd --help` lists them."""
    listing = run("--help").stdout.split("\nCommands:\n")[1].split("\n\n")[0]
    return dict(re.fullmatch(r"  (\S+) +(\S.*)", line).groups() for line in listing.splitlines())


def source_text(path):
    with open(os.path.join(Place.source, path), encoding="utf-8") as file:
        return file.read()


def strategies():
    """The names of all strategies, as the differential test knows them."""
    names = source_text("selftest/problems/menu.c").split("strategy_names[N_STRATEGIES] = {")[1]
    return set(re.findall(r'"(\w+)"', names.split("};")[0])) - {"none"}


class Option:
    """A line of --help: long name, letter or "", value as shown or "", and the help's lines."""

    def __init__(self, line):
        match = re.fullmatch(r"  (?:-(\w), )?--([a-z-]+)(?: (\S+))?(?:  +(\S.*))?", line)
        check(match, "not the form of an option:", line)
        self.letter, self.name, self.value = match.group(1) or "", match.group(2), match.group(3)
        self.value = self.value or ""
        self.help = [match.group(4)] if match.group(4) else []


def options_of(command):
    """The options that --help lists, in order."""
    listing = run(command, "--help").stdout.split("\nOptions:\n")[1].split("\n\n")[0]
    found = []
    for line in listing.splitlines():
        if line.startswith(" " * 24):
            found[-1].help.append(line.strip())
        else:
            found.append(Option(line))
    return found


def example_of(command):
    """(call, what it prints) of the example in --help."""
    text = run(command, "--help").stdout.split("\nExample")[1]
    lines = [line[2:] for line in text.splitlines()[1:]]
    check(lines[0].startswith("$ clnd "), "no call in the example:", text)
    return lines[0][2:], "".join(line + "\n" for line in lines[1:])


def run_properties(functions):
    """Prints TAP; returns the exit status."""
    failures = 0
    print("1..%d" % len(functions))
    for number, function in enumerate(functions, 1):
        name = "%d - %s" % (number, function.__name__[len("test_"):].replace("_", " "))
        try:
            function()
        except Skip as reason:
            print("ok %s # SKIP %s" % (name, reason), flush=True)
        except Exception as error:  # a test that cannot run has failed, too
            failures += 1
            print("not ok %s" % name)
            for line in ("%s: %s" % (type(error).__name__, error)).splitlines():
                print("# " + line.encode("unicode_escape").decode(), flush=True)
        else:
            print("ok %s" % name, flush=True)
    return 1 if failures else 0


def properties_of(module):
    """The functions called test_* in the order of their definition."""
    return [value for name, value in vars(module).items() if name.startswith("test_")]

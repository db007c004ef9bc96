# SPDX-License-Identifier: Apache-2.0
"""Tests that the man page and the shell completions tell what --help tells.

usage: docs_test.py CLND SOURCE_DIR
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import (Place, Skip, check, commands, need_device, options_of, run,
                             source_text, strategies)

PAGE = "docs/clnd.1"
DATA = "examples/data"


def need(program):
    if shutil.which(program) is None:
        raise Skip(program + " is not installed")


def run_text(words, **options):
    """Standard output of another program, which has to succeed."""
    result = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False, timeout=120, text=True, **options)
    check(result.returncode == 0 and not result.stderr, words[0], result.stderr)
    return result.stdout


def environment():
    """One in which `clnd` is the program under test."""
    path = os.path.dirname(Place.clnd) + os.pathsep + os.environ["PATH"]
    return {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}


# The man page


def part(kind, name):
    """Lines of the page from a heading to the next one of its kind or above."""
    end = r"\.S[hs] " if kind == "Ss" else r"\.Sh "
    found = re.search(rf"^\.{kind} {re.escape(name)}\n(.*?)(?=^{end}|\Z)", source_text(PAGE),
                      re.M | re.S)
    check(found, "the page lacks", kind, name)
    return found.group(1)


def described(text):
    """{name: value} of the options that have a paragraph of their own."""
    found = {}
    for line in re.findall(r"^\.It Fl (.*)$", text, re.M):
        match = re.fullmatch(r"(?:(\w) , Fl )?-([a-z-]+)(?: Ar (\S+))?", line)
        check(match, "not the form of an option:", line)
        check(match.group(2) not in found, "described twice:", line)
        found[match.group(2)] = (match.group(1) or "", match.group(3) or "")
    return found


def test_the_page_describes_every_option_of_every_command():
    for command in commands():
        text = part("Ss", command)
        found = described(text)
        for other in re.findall(r"^\.Sx (.* options)\b", text, re.M):
            found.update({**described(part("Ss", other)), **found})
        wanted = {option.name: (option.letter, option.value) for option in options_of(command)}
        # Options without an effect are named in the text.
        for line in re.findall(r"^\.Fl (.*)$", text, re.M):
            match = re.match(r"(?:(\w) , Fl )?-([a-z-]+)(?: Ar (\S+))?", line)
            if match and match.group(2) in wanted:
                found.setdefault(match.group(2), (match.group(1) or "", match.group(3) or ""))
        check(found == wanted, command, "page:", sorted(found.items() - wanted.items()),
              "--help:", sorted(wanted.items() - found.items()))


def test_the_page_has_no_other_commands():
    headings = re.findall(r"^\.Ss (.*)$", part("Sh", "COMMANDS"), re.M)
    check(headings == [*commands(), "Common options", "Slice options"], headings)


def test_the_page_has_the_usage_of_every_command():
    for command in commands():
        usage = run(command, "--help").stdout.split("usage:")[1].split("\n\n")[0]
        forms = [" ".join(line.split()).replace(" [OPTIONS]", "") for line in usage.splitlines()]
        shown = re.findall(r"^\.Dl (clnd .*)$", part("Ss", command), re.M)
        check(shown == forms, command, shown, forms)


def test_the_page_names_policies_and_strategies():
    bounds = [option for option in options_of("gather-nd") if option.name == "bounds"][0]
    words = "|".join(re.findall(r"^\.It Cm (.*)$", part("Sh", "BAD INDICES"), re.M))
    words = words.replace(" , Cm ", "|").replace(" Ns Ar ", "")
    check(words == bounds.value, words, bounds.value)
    words = re.findall(r"^\.It Cm (.*)$", part("Sh", "STRATEGIES"), re.M)
    check(set(words) == strategies() | {"refused"}, words, strategies())


def test_the_page_names_the_environment():
    read = set()
    for folder in ("host", "cli"):
        for place, _, files in os.walk(os.path.join(Place.source, folder)):
            for name in files:
                if name.endswith(".c"):
                    text = source_text(os.path.relpath(os.path.join(place, name), Place.source))
                    read.update(re.findall(r'getenv\("(\w+)"\)', text))
    named = set(re.findall(r"^\.It Ev (.*)$", part("Sh", "ENVIRONMENT"), re.M))
    check(named == read | {"OCL_ICD_VENDORS"}, named, read)


def test_the_examples_of_the_page_print_what_it_says():
    need_device()
    count = 0
    for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", source_text(PAGE), re.M | re.S):
        text = block.replace(r"\(aq", "'").replace(r"\-", "-").replace(r"\e", "\\")
        for example in text.split("$ ")[1:]:
            call, expected = example.split("\n", 1)
            result = subprocess.run(["sh", "-c", call], cwd=os.path.join(Place.source, DATA),
                                    env=environment(), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, check=False, timeout=120, text=True)
            check(result.stdout == expected, call, "printed", result.stdout, "the page", expected)
            count += 1
    check(count > 10, "examples found:", count)


def test_mandoc_has_no_complaint():
    need("mandoc")
    run_text(["mandoc", "-Tlint", "-W", "warning", os.path.join(Place.source, PAGE)])


def test_groff_has_no_complaint():
    need("groff")
    run_text(["groff", "-mdoc", "-ww", "-Tutf8", os.path.join(Place.source, PAGE)])


# Completion. Each shell is asked what it would offer behind some words of a command line.


BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_clnd
printf '%s\\n' "${COMPREPLY[@]}"
"""


def bash(*words):
    script = os.path.join(Place.source, "completions/clnd.bash")
    text = run_text(["bash", "--norc", "-c", BASH, "bash", script, Place.clnd, *words],
                    cwd=os.path.join(Place.source, DATA), env=environment())
    return [line for line in text.splitlines() if line]


def fish(*words):
    script = os.path.join(Place.source, "completions/clnd.fish")
    line = " ".join(["clnd", *words])
    text = run_text(["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script,
                     line], cwd=os.path.join(Place.source, DATA),
                    env={**environment(), "HOME": Place.scratch})
    return [offer.split("\t")[0] for offer in text.splitlines()]


# What the completion gives to zsh's own functions, which need a terminal.
ZSH = """
_call_program() { shift; "$@" }
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- ${(P)argv[-1]} }
script=$1
shift
words=("$@")
CURRENT=$#
source $script
"""


def zsh(*words):
    script = os.path.join(Place.source, "completions/_clnd")
    return run_text(["zsh", "-f", "-c", ZSH, "zsh", script, Place.clnd, *words],
                    env=environment()).splitlines()


def check_offers(shell):
    for option in ("--help", "--version"):
        check(option in shell("-"), option)
    for word in ("", "g"):
        offers = [offer for offer in shell(word) if not offer.startswith("-")]
        wanted = [command for command in commands() if command.startswith(word)]
        check(sorted(offers) == sorted(wanted), word, offers, wanted)
    check(sorted(shell("help", "s")) == sorted(c for c in commands() if c[0] == "s"), "help")
    for command in commands():
        options = options_of(command)
        offers = shell(command, "--")
        check(sorted(offers) == sorted("--" + option.name for option in options), command, offers)
        for option in options:
            if option.value.islower() or "|" in option.value:
                words = re.sub("=[^|]*", "=", option.value).split("|")
                offers = shell(command, "--" + option.name, "")
                check(sorted(offers) == sorted(words), command, option.name, offers)
    arrays = sorted(name for name in os.listdir(os.path.join(Place.source, DATA)))
    check(sorted(shell("gather", "")) == arrays, shell("gather", ""), arrays)
    check(sorted(shell("gather", "matrix.npy", "-o", "")) == arrays, "-o")
    check(shell("scatter-nd", "--into", "mat") == ["matrix.npy"], "--into")
    check(shell("gather", "--axis", "") == [], "--axis")


def test_bash_offers_what_help_lists():
    need("bash")
    check_offers(bash)
    check(bash("gather", "--bounds", "=", "c") == ["clamp"], "--bounds=c")
    check(bash("gather", "--bounds", "=") == bash("gather", "--bounds", ""), "--bounds=")
    check(bash("nothing", "--") == [], "an unknown command")


def listed_devices():
    need_device()
    specs = [line.split()[0] for line in run("devices", "--list").stdout.splitlines()]
    check(specs, "no device is listed")
    return specs


def test_bash_offers_devices():
    need("bash")
    specs = listed_devices()
    check(bash("gather", "--device", "") == specs, specs)
    check(bash("gather", "--device", "=") == specs, specs)
    behind = [spec.split(":")[1] for spec in specs if spec.startswith("0:")]
    check(bash("gather", "--device", "0", ":") == behind, "0:")
    check(bash("gather", "--device", "=", "0", ":", "0") == ["0"], "=0:0")


def test_fish_offers_what_help_lists():
    need("fish")
    check_offers(fish)
    check(fish("gather", "--bounds=c") == ["--bounds=clamp"], "--bounds=c")
    check(fish("nothing", "--") == [], "an unknown command")


def test_fish_offers_devices():
    need("fish")
    specs = listed_devices()
    check(fish("gather", "--device", "") == specs, specs)
    check(fish("gather", "--device=") == ["--device=" + spec for spec in specs], specs)


def test_zsh_is_given_what_help_lists():
    need("zsh")
    lines = zsh("")
    for command, summary in commands().items():
        check("%s:%s" % (command, summary.replace(":", r"\:")) in lines, command, lines)
        options = options_of(command)
        specs = zsh(command, "")
        check(specs[:2] == ["-s", "-S"] and specs[-1].startswith("*:file:_files "), specs)
        for option in options:
            text = " ".join(option.help).replace("[", r"\[").replace("]", r"\]")
            start = "--%s%s[%s]" % (option.name, "=" if option.value else "", text)
            if option.letter:
                start = "(-%s --%s)" % (option.letter, option.name) + start
            found = [spec for spec in specs if spec.startswith(start)]
            check(len(found) == 1, command, "lacks", start, specs)
            action = found[0][len(start):]
            if option.value.endswith(".npy"):
                check(action == ":%s:_files -g '*.npy(-.)'" % option.value, found)
            elif option.value == "SPEC":
                check(action == ":device:_clnd_devices", found)
            elif option.value.islower() or "|" in option.value:
                words = action.replace("\\", "")
                check(words == ":word: _clnd_words " + option.value, found)
            else:
                check(action == (":%s: " % option.value if option.value else ""), found)
        count = len(options) + sum(bool(option.letter) for option in options)
        check(len(specs) == count + 3, command, specs)


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    Place.clnd, Place.source = (os.path.abspath(path) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="clnd-docs-") as Place.scratch:
        return support.run_properties(support.properties_of(sys.modules[__name__]))


if __name__ == "__main__":
    sys.exit(main())

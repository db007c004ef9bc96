# SPDX-License-Identifier: Apache-2.0
"""Tests of the command line of clnd: what it takes, what it refuses, what --help says.

usage: command_test.py CLND SOURCE_DIR
"""
import json
import os
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import Place, check, commands, example_of, need_device, options_of, run

DATA = "examples/data"
GATHER = ["gather", "matrix.npy", "columns.npy"]
COLUMNS = "[[ 3  0]\n [ 7  4]\n [11  8]]\n"
WITHOUT_OPERANDS = {"devices", "doctor", "selftest"}
COMMON = {"device", "bounds", "deterministic", "time", "quiet", "help", "version"}


def run_in_data(*arguments):
    return run(*arguments, cwd=os.path.join(Place.source, DATA))


def refused(status, text, *arguments):
    """The call ends with `status` after one line of message, and prints nothing."""
    result = run_in_data(*arguments)
    call = "clnd " + " ".join(map(shlex.quote, arguments))
    check(result.returncode == status, call, "status", result.returncode, result.stderr)
    check(result.stdout == "", call, "printed", result.stdout)
    messages = [line for line in result.stderr.splitlines() if line.startswith("clnd: ")]
    check(len(messages) == 1 and text in messages[0], call, "lacks", text, result.stderr)
    check("->" not in messages[0], call, "names a member of a struct", messages[0])


def prints(text, *arguments):
    result = run_in_data(*arguments)
    call = "clnd " + " ".join(map(shlex.quote, arguments))
    check(result.returncode == 0 and result.stderr == "", call, result.stderr)
    check(result.stdout == text, call, "printed", result.stdout, "expected", text)


def test_unknown_commands_and_misplaced_options():
    refused(2, "no command is given")
    refused(2, "'doctr' is no command; did you mean 'doctor'?", "doctr")
    refused(2, "'gathr' is no command; did you mean 'gather'?", "gathr")
    refused(2, "did you mean 'scatter-nd'?", "scatter_nd", "a.npy")
    refused(2, "'frobnicate' is no command; see `clnd --help`", "frobnicate")
    refused(2, "'--device' stands where the command should be", "--device", "cpu", "show")
    refused(2, "'nothing' is no command", "help", "nothing")
    refused(2, "'\\x1b' is no command", "\x1b")


def test_unknown_options():
    refused(2, "option '--axiss' is unknown; did you mean --axis?", *GATHER, "--axiss", "1")
    refused(2, "option '--frobnicate' is unknown; see --help", *GATHER, "--frobnicate=1")
    refused(2, "option '--begin' belongs to other commands", *GATHER, "--begin", "1")
    refused(2, "option '-x' is unknown", *GATHER, "-qx")
    refused(2, "option '--' is unknown", *GATHER, "--=1")
    refused(2, "option '--" + "x" * 200, *GATHER, "--" + "x" * 200)
    refused(2, "option '--b' may be any of --batch-dims, --bounds", *GATHER, "--b", "1")
    refused(2, "may be any of --begin, --begin-mask", "slice", "matrix.npy", "--beg", "1")


def test_values():
    refused(2, "option --axis needs a value", *GATHER, "--axis")
    refused(2, "option --output needs a value", *GATHER, "-qo")
    refused(2, "option --quiet takes no value", *GATHER, "--quiet=1")
    refused(2, "--axis takes a number of 64 bits, not '0x1'", *GATHER, "--axis", "0x1")
    refused(2, "--begin-mask takes a number from 0 up, not '-1'", "slice", "matrix.npy",
            "--begin-mask", "-1")
    refused(2, "--seed takes a number from 0 up, not '-1'", "selftest", "--seed", "-1")
    refused(2, "--only takes a number of 64 bits, not ''", "selftest", "--only", "")
    refused(2, "--shape takes numbers of 64 bits separated by commas, not '4,,4'", "scatter-nd",
            "repeats.npy", "repeats-values.npy", "--shape", "4,,4")
    refused(2, "--bounds takes default|error|zero|skip|fill=V|clamp|wrap, not 'mirror'", *GATHER,
            "--bounds", "mirror")
    refused(2, "--bounds takes", *GATHER, "--bounds", "fill")
    refused(2, "--bounds takes", *GATHER, "--bounds", "")
    refused(2, "--reduce takes add|sub|mul|min|max|update, not 'mi'", "scatter-nd", "repeats.npy",
            "repeats-values.npy", "--shape", "4", "--reduce", "mi")
    refused(2, "--dtype takes bfloat16, not 'float16'", "show", "matrix.npy", "--dtype", "float16")
    for name, value in (("axis", "1000"), ("batch-dims", "99999999999"), ("axis", "-17")):
        text = "--%s %s is outside every shape, which has at most 16 dimensions"
        refused(2, text % (name, value), *GATHER, "--" + name, value)
    refused(2, "--shape 3,-4 has a negative size", "slice-grad", "dy.npy", "0", "--shape", "3,-4")
    refused(2, "--shape %s has 17 sizes, at most 16 are allowed" % ("1," * 16 + "1"), "slice-grad",
            "dy.npy", "0", "--shape", "1," * 16 + "1")
    refused(2, "--begin has more than 32 numbers", "slice", "dy.npy", "--begin", "1," * 32 + "1")
    refused(2, "--axis 0 is less than --batch-dims 1", *GATHER, "--axis", "0", "--batch-dims", "1")
    for command in ("scatter", "scatter-elements", "scatter-nd"):
        refused(2, "--bounds fill=1 is for gathers, not scatters", command, "repeats.npy",
                "repeats-values.npy", "--bounds", "fill=1")
    lists = ["slice", "dy.npy", "--begin", "0,0", "--end", "1,1"]
    refused(2, "--begin has length 2, --end has 1; they must be the same", *lists, "--end", "1")
    refused(2, "--begin has length 2, --strides has 3; ", *lists, "--strides", "1,1,1")
    # No file is read.
    refused(2, "expected an integer", "slice", "no.npy", ":, x")
    refused(2, 'item 0 of the slice, "1 2": column 3: expected a comma or the end', "slice",
            "no.npy", "1 2")


def test_operands():
    result = run("slice")
    check(result.returncode == 2, result.returncode)
    check(result.stderr == "clnd: slice: 1 operand is needed, 0 given\n"
          "usage: clnd slice INPUT.npy SPEC [-o OUT.npy] [OPTIONS]\n"
          "       clnd slice INPUT.npy --begin LIST --end LIST [-o OUT.npy] [OPTIONS]\n",
          result.stderr)
    refused(2, "2 operands are needed, 1 given", "gather", "matrix.npy")
    refused(2, "operand 'third' is one too many", *GATHER, "third")
    refused(2, "operand '--axis' is one too many", *GATHER, "--", "--axis", "1")
    refused(2, "standard input ('-') can be one operand only", "gather", "-", "-")
    refused(1, "no.npy: cannot open", "show", "no.npy")
    refused(1, "show: '': cannot open", "show", "")


def test_refusals_of_the_library():
    need_device()
    scatter = ["scatter-nd", "repeats.npy", "repeats-values.npy", "--shape"]
    refused(1, "params of shape [3] has 1 dimension to index; single indices have "
            "shape [2, 1], or go to gather or scatter", "gather-nd", "dy.npy", "columns.npy")
    refused(1, "the slice takes 1 dimension, input of shape [] has 0", "slice", "value.npy", "0")
    refused(1, "indices has dtype float32, allowed are int8 to int64 and uint8 to uint32; int64 "
            "holds every valid index", "gather-nd", "matrix.npy", "dy.npy")
    refused(1, "an array of 4000000000000000 bytes is too large: the device's largest buffer has ",
            *scatter, "1000000000000000")
    refused(1, "no OpenCL device matches \"none such\"; `clnd devices` lists the ", *GATHER,
            "--device", "none such")


def test_ways_to_write_options():
    need_device()
    prints(COLUMNS, *GATHER, "--axis", "1")
    prints(COLUMNS, *GATHER, "--axis=1")
    prints(COLUMNS, *GATHER, "--ax=-1")
    prints(COLUMNS, "gather", "--bound", "clamp", "matrix.npy", "--axis", "1", "--", "columns.npy")
    prints("", *GATHER, "--axis", "1", "-qq")
    prints("[8 9]\n", "slice", "matrix.npy", "-1, :2")
    prints("[8 9]\n", "slice", "--", "matrix.npy", "-1, :2")
    prints("[1 5 9]\n", "slice", "matrix.npy", "--begin", "0,1", "--end=3,2", "--shrink", "2")
    with tempfile.TemporaryDirectory(prefix="clnd-command-") as folder:
        for number, words in enumerate((["-o", "{}"], ["-o{}"], ["-qo", "{}"], ["--out={}"])):
            path = os.path.join(folder, "%d.npy" % number)
            prints("", *GATHER, "--axis", "1", *[word.format(path) for word in words])
            prints("dtype <i4, shape [3, 2]\n" + COLUMNS, "show", path)


def test_quiet_and_time():
    need_device()
    result = run_in_data(*GATHER, "--axis", "1", "--quiet", "--time")
    check(result.returncode == 0 and result.stdout == "", result)
    check(result.stderr.startswith("clnd: gather: 0.") and " s on " in result.stderr, result.stderr)
    result = run_in_data(*GATHER, "--axis", "1", "-q", "--time", "--json")
    told = json.loads(result.stderr)
    check(told["command"] == "gather" and 0 < told["seconds"] < 60 and told["device"], told)
    refused(2, "--json is about what --time says", *GATHER, "--axis", "1", "--json")
    prints("", "show", "matrix.npy", "-q")
    refused(1, "no.npy", "show", "no.npy", "-q")
    for command in WITHOUT_OPERANDS:  # errors are told under -q, too
        helps = [option.help for option in options_of(command) if option.name == "quiet"]
        check(helps[0][0].startswith("nothing on standard output; "), command, helps)


def test_the_version_is_told_anywhere():
    version = run("--version").stdout
    check(version.startswith("clnd "), version)
    for arguments in (["-V"], ["gather", "--version"], ["slice", "x.npy", "--version", "--bad"],
                      ["show", "-V"]):
        prints(version, *arguments)


def test_every_command_takes_the_common_options():
    for command in commands():
        names = {option.name for option in options_of(command)}
        check(COMMON <= names, command, "lacks", COMMON - names)
    prints("dtype <i4, shape []\n-1\n", "show", "value.npy", "--device", "none", "--time",
           "--bounds", "fill=1", "--deterministic")


def test_help():
    for command, summary in commands().items():
        text = run(command, "--help").stdout
        check(text.startswith("clnd %s: %s\n\nusage: clnd %s " % (command, summary, command)), text)
        for arguments in (["help", command], ["--help", command], ["-h", command], [command, "-h"],
                          [command, "--help", "--bad"], [command, "a", "--help"]):
            if command not in WITHOUT_OPERANDS or "a" not in arguments:
                prints(text, *arguments)
        for option in options_of(command):
            check(option.help, command, "says nothing of", option.name)
    for arguments in (["help"], ["--help"], ["-h"]):
        prints(run("--help").stdout, *arguments)


def test_help_has_at_most_100_columns():
    for arguments in (["--help"], *([command, "--help"] for command in commands())):
        for line in run(*arguments).stdout.splitlines():
            check(len(line) <= 100 and line == line.rstrip(), arguments, line)


def test_examples_of_help_print_what_it_says():
    need_device()
    for command in commands():
        call, expected = example_of(command)
        words = shlex.split(call)
        check(words[:2] == ["clnd", command], "the example of", command, "is", call)
        result = run_in_data(*words[1:])
        check(result.returncode == 0, call, result.stderr)
        if expected:
            check(result.stdout == expected, call, "printed", result.stdout)
        else:
            check(command in WITHOUT_OPERANDS, "no result in the example of", command)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd, Place.source = (os.path.abspath(path) for path in sys.argv[1:])
    sys.exit(support.run_properties(support.properties_of(sys.modules[__name__])))

# SPDX-License-Identifier: Apache-2.0
"""Tests of `clnd selftest`: that a good device passes, and that broken ones do not.

usage: selftest_test.py CLND [--broken-driver LIBRARY]

LIBRARY spoils launches of kernels when it is loaded before OpenCL.
"""
import os
import re
import shlex
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import Place, Skip, check, need_device, run

OPERATIONS = {"gather_nd", "gather", "gather_elements", "strided_slice", "strided_slice_view",
              "strided_slice_assign", "strided_slice_grad", "copy"}
SCATTERS = {"scatter_nd", "scatter_nd_into", "scatter_elements", "scatter"}
REDUCTIONS = {"update", "add", "sub", "mul", "min", "max"}
LINES = len(OPERATIONS) + len(SCATTERS) * len(REDUCTIONS)


def table(text, title):
    """Rows [name, name or "", problems, passed, wrong, rest] below a title."""
    check(title in text, "no table", title, text)
    rows = []
    for line in text.split("\n" + title, 1)[1].split("\n\n")[0].splitlines()[1:]:
        match = re.fullmatch(r"(\w+) +([a-z]+)? +(\d+) +(\d+) +(\d+)(?:  (.*))?", line)
        if match:
            rows.append([match.group(1), match.group(2) or "", *map(int, match.groups()[2:5]),
                         match.group(6) or ""])
    return rows


def selftest(*arguments, **environment):
    start = time.monotonic()
    result = run("selftest", *arguments, env={**os.environ, **environment})
    return result, time.monotonic() - start


def broken(way, *arguments, **environment):
    if Place.broken_driver is None:
        raise Skip("no library that breaks the driver")
    need_device()
    return selftest(*arguments, LD_PRELOAD=Place.broken_driver, BROKEN_DRIVER=way, **environment)


def complaint(result, text, status=1):
    check(result.returncode == status, "status", result.returncode, result.stdout, result.stderr)
    lines = [line for line in result.stderr.splitlines() if line.startswith("clnd: selftest: ")]
    check(len(lines) == 1 and text in lines[0], "lacks", text, result.stderr)
    return lines[0]


def test_without_time_and_kernels_each_line_has_a_problem():
    need_device()
    result, _ = selftest("--time-limit", "0")
    rows = table(result.stdout, "operation ")
    check(len(rows) == LINES and all(row[2] for row in rows), result.stdout)
    check(result.returncode == 0 and not result.stderr, result.stderr)


def test_a_good_device_passes():
    need_device()
    result, seconds = selftest("--time-limit", "2")
    text = result.stdout
    rows = table(text, "operation ")
    check(result.returncode == 0 and not result.stderr, result.stdout, result.stderr)
    check(seconds < 60, "it took", seconds, "s")
    wanted = {(op, "") for op in OPERATIONS} | {(op, r) for op in SCATTERS for r in REDUCTIONS}
    check({(row[0], row[1]) for row in rows} == wanted and len(rows) == len(wanted), text)
    for row in rows:
        taken = sum(int(number) for number in re.findall(r" (\d+)(?:,|$)", " " + row[5]))
        check(row[2] == row[3] == taken and row[4] == 0, row)
    total = sum(row[2] for row in rows)
    share = f"\n{total} of 20000 problems ({total / 200:.1f} %) of seed 20240607 ran in "
    check(total > 0 and share in text, share, text)
    for row in table(text, "strategy "):
        taken = re.findall(rf"\b{row[0]} (\d+)", "\n".join(line[5] for line in rows))
        check(row[2] == row[3] == sum(map(int, taken)) and row[4] == 0, row, taken)


def test_one_problem():
    need_device()
    result, _ = selftest("--seed", "7", "--only", "11")
    check(result.returncode == 0 and "# problem 11: " in result.stdout, result)
    check(result.stdout.endswith("\n") and "\n  right: strategy " in result.stdout, result)
    again, _ = selftest("--seed", "7", "--only", "11")
    check(again.stdout == result.stdout, again.stdout, result.stdout)


def test_quiet():
    need_device()
    result, _ = selftest("--only", "3", "-q")
    check(result.returncode == 0 and not result.stdout and not result.stderr, result)


def test_the_strategy_of_the_environment_holds():
    need_device()
    result, _ = selftest("--only", "3", CLND_STRATEGY="owner,lanes")
    check(result.returncode == 0 and "CLND_STRATEGY=owner,lanes" in result.stdout, result)


def test_no_such_device():
    result, _ = selftest("--device", "no such device")
    check(not result.stdout, result)
    complaint(result, "OpenCL device")


def test_wrong_results_are_seen_and_can_be_repeated():
    # An owner is one launch. Where several follow one another, a missing one may crash the next.
    result, _ = broken("wrong", "--time-limit", "2", "--device", "", CLND_STRATEGY="owner,lanes")
    line = complaint(result, "problems came out wrong; the first: CLND_STRATEGY=owner,lanes "
                     "clnd selftest --device ''")
    wrong = [row for row in table(result.stdout, "operation ") if row[4]]
    check(wrong and all(row[2] == row[3] + row[4] for row in wrong), result.stdout)
    check(" wrong)" in wrong[0][5] and "  wrong: --seed 20240607 --only " in result.stdout,
          result.stdout)
    check("# problem " in result.stdout and "  repeat: CLND_STRATEGY=" in result.stdout,
          result.stdout)
    total = sum(row[4] for row in wrong)
    check(line.startswith(f"clnd: selftest: {total} of "), line, total)
    # Without the broken driver the same problem is right.
    words = shlex.split(line.split(" clnd selftest")[1])
    again, _ = selftest(*words, CLND_STRATEGY="owner,lanes")
    check(again.returncode == 0, again.stdout, again.stderr)


def test_a_driver_that_crashes_is_told_with_the_problem():
    result, _ = broken("crash", "--time-limit", "5")
    line = complaint(result, "the driver crashed (signal 11) in: clnd selftest --seed 20240607")
    check(re.search(r"--only \d+$", line), line)
    check("\noperation " in result.stdout, "no progress before the crash", result.stdout)


def broken_hang():
    return broken("hang", "--time-limit", "1", "-q")


def test_a_driver_that_hangs_is_given_up():
    result, seconds = HANGING.result()
    complaint(result, "the device did not come back in time (signal 14) in: clnd selftest")
    check(not result.stdout and 15 < seconds < 25, result.stdout, seconds)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd = os.path.abspath(sys.argv[1])
    Place.broken_driver = sys.argv[3] if len(sys.argv) == 4 else None
    # The first test finds no kernels here; the others find its own.
    with tempfile.TemporaryDirectory(prefix="clnd-kernels-") as KERNELS:
        os.environ["POCL_CACHE_DIR"] = KERNELS
        # Its 16 seconds are spent asleep, beside the others.
        HANGING = ThreadPoolExecutor().submit(broken_hang)
        STATUS = support.run_properties(support.properties_of(sys.modules[__name__]))
    sys.exit(STATUS)

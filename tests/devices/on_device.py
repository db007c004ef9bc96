#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run a test on one OpenCL implementation. The test prints TAP, and so does this.

    on_device.py --device intel [--runtime FOLDER] [OPTIONS] -- COMMAND...
    on_device.py --device rusticl [OPTIONS] -- COMMAND...
    on_device.py --device oclgrind [--memory LIBRARY] [--program PATH] [OPTIONS] -- COMMAND...
    on_device.py --self-test --kernel-program PATH [--memory LIBRARY]

intel     Intel's runtime for CPUs, from the virtual environment FOLDER
rusticl   Mesa's Rusticl on llvmpipe
oclgrind  the simulator, which looks for accesses outside of buffers, data races and the use of
          uninitialised memory. It exits with 0 whatever it finds, so all that it writes is a
          failure

--leave-out NAME[: REASON]
                  a Criterion test, or all of SUITE/*, that cannot run there or would take too
                  long; as often as needed. `all` is the whole COMMAND
--may-read-uninitialised
                  without that check of the simulator's
--only GLOB       only the Criterion tests of these names (suite/test)
--program PATH    COMMAND starts this program, many times and perhaps with its streams redirected:
                  each start of it is a run of its own on the simulator
"""

import argparse
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

VENDORS = "/etc/OpenCL/vendors"
CHECKS = ["--data-races"]
PRELOAD = 'LD_PRELOAD="$0:$LD_PRELOAD" exec "$@"'

# Of one run's reports.
SHOWN_LINES = 40


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    return 0


def choose_icd(environment, folder, library):
    with open(os.path.join(folder, "chosen.icd"), "w", encoding="utf-8") as file:
        file.write(library + "\n")
    environment["OCL_ICD_VENDORS"] = folder


def find_intel(runtime, environment, folder):
    """Why it cannot be used, or None when `environment` chooses it."""
    library = os.path.join(os.path.abspath(runtime), "lib", "libintelocl.so")
    if not os.path.isfile(library):
        return f"no Intel runtime: there is no {library} (sh tools/install-intel.sh)"
    choose_icd(environment, folder, library)
    environment["CLND_TEST_REQUIRE_DEVICE"] = "1"
    return None


def find_rusticl(environment, folder):
    icd = os.path.join(VENDORS, "rusticl.icd")
    if not os.path.isfile(icd):
        return f"there is no {icd}"
    shutil.copy(icd, folder)
    environment["OCL_ICD_VENDORS"] = folder
    environment["RUSTICL_ENABLE"] = "llvmpipe"
    environment["CLND_TEST_REQUIRE_DEVICE"] = ""  # some builds of Mesa are without llvmpipe
    return None


def on_oclgrind(memory, log=None):
    """The words before a command."""
    words = ["oclgrind", *CHECKS]
    if log:
        words += ["--log", log]
    return [*words, "sh", "-c", PRELOAD, os.path.abspath(memory)] if memory else words


def every_suite(name):
    return name if "/" in name else "*/" + name


def reasons_of(words):
    """{pattern of suite/test: why it is left out} of the arguments of --leave-out."""
    pairs = [word.partition(": ") for word in words]
    return {every_suite(name): reason or "left out here" for name, _, reason in pairs}


def tell_skips(line, reasons):
    """Criterion gives no reason for tests that its --filter leaves out."""
    match = re.match(r"(ok - (\w+)::(\w+).*# SKIP) test was skipped\s*$", line)
    if not match:
        return line
    name = f"{match.group(2)}/{match.group(3)}"
    for pattern, reason in reasons.items():
        if fnmatch.fnmatchcase(name, pattern):
            return f"{match.group(1)} {reason}\n"
    return f"{match.group(1)} not one of --only\n"


def run(command, environment, reasons):
    """Prints what the command prints, to the end, and returns its exit status."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        for line in process.stdout:
            print(tell_skips(line, reasons), end="", flush=True)
        return process.wait()


def report(found, where):
    print(f"# Oclgrind's reports{where}:")
    for line in found.splitlines()[:SHOWN_LINES]:
        print(f"# {line}")


def run_watched(command, memory, environment, reasons):
    """One run on the simulator, which writes its reports to standard error."""
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(
            on_oclgrind(memory) + command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            errors="replace",
        ) as process:
            for line in process.stdout:
                print(tell_skips(line, reasons), end="", flush=True)
            status = process.wait()
        errors.seek(0)
        found = errors.read()
    if found.strip():
        report(found, "")
        return status or 1
    return status


def run_each_watched(command, program, memory, environment, folder, reasons):
    """Many runs: `program` is replaced by a script that gives each a log of its own."""
    logs = os.path.join(folder, "logs")
    os.mkdir(logs)
    script = os.path.join(folder, os.path.basename(program))
    words = on_oclgrind(memory, "LOG") + [os.path.abspath(program)]
    start = " ".join(shlex.quote(word) for word in words).replace(
        "LOG", shlex.quote(logs) + "/$$.log", 1
    )
    with open(script, "w", encoding="utf-8") as file:
        # What it was called with comes first in the log's neighbour.
        file.write(f'#!/bin/sh\necho "$*" >{shlex.quote(logs)}/$$.call\nexec {start} "$@"\n')
    os.chmod(script, 0o755)
    environment["OCLGRIND_COPIES"] = "1"  # oclgrind_memory.c
    status = run([script if word == program else word for word in command], environment, reasons)
    calls = [name for name in sorted(os.listdir(logs)) if name.endswith(".call")]
    if not any(name.endswith(".log") for name in os.listdir(logs)):
        print(f"# {program} was not started, or not on the simulator")
        return status or 1
    for name in calls:
        path = os.path.join(logs, name[: -len(".call")] + ".log")
        found = ""
        if os.path.exists(path):  # calls that need no device leave none
            with open(path, encoding="utf-8", errors="replace") as file:
                found = file.read()
        if found.strip():
            with open(os.path.join(logs, name), encoding="utf-8", errors="replace") as file:
                report(found, " of " + file.read().strip())
            status = status or 1
    return status


def self_test(program, memory):
    """A kernel with each mistake has to be reported, one without not."""
    kinds = ["good", "filled", "outside", "race", "uninitialised"]
    if not shutil.which("oclgrind"):
        return skip("oclgrind is not installed")
    print(f"1..{2 * len(kinds)}")
    failed = False
    number = 0
    for kind in kinds:
        expected = kind in ("good", "filled")
        for each in (False, True):
            number += 1
            words = [sys.executable, __file__, "--device", "oclgrind"]
            words += ["--memory", memory] if memory else []
            words += ["--program", program] if each else []
            result = subprocess.run(
                [*words, "--", program, kind],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            right = (result.returncode == 0) == expected and "ok 1" in result.stdout
            failed = failed or not right
            way = "as a program" if each else "as a command"
            print(f"{'ok' if right else 'not ok'} {number} - {kind}, {way}")
            if not right:
                for line in result.stdout.splitlines()[:SHOWN_LINES]:
                    print(f"# {line}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["intel", "rusticl", "oclgrind"])
    parser.add_argument("--runtime", default="build-intel", help="where Intel's runtime is")
    parser.add_argument("--memory", help="the library that oclgrind_memory.c makes")
    parser.add_argument("--program", help="what COMMAND starts")
    parser.add_argument("--leave-out", action="append", default=[], metavar="NAME")
    parser.add_argument("--only", metavar="GLOB")
    parser.add_argument("--may-read-uninitialised", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--kernel-program", help="with --self-test: mistakes.c, compiled")
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test(arguments.kernel_program, arguments.memory)
    if not arguments.device or not arguments.command:
        parser.error("--device and a COMMAND are needed")

    if not arguments.may_read_uninitialised:
        CHECKS.append("--uninitialized")
    reasons = reasons_of(arguments.leave_out)
    if every_suite("all") in reasons:
        return skip(reasons[every_suite("all")])
    command = list(arguments.command)
    if arguments.only:
        command += ["--filter", arguments.only]
    elif reasons:
        command += ["--filter", "!(" + "|".join(reasons) + ")"]
    environment = dict(os.environ, CLND_STRATEGY=os.environ.get("CLND_STRATEGY", ""))
    with tempfile.TemporaryDirectory(prefix="clnd-device-") as folder:
        if arguments.device == "oclgrind":
            if not shutil.which("oclgrind"):
                return skip("oclgrind is not installed")
            # Its library stands in for the loader, whatever this says; others must not be loaded.
            environment["OCL_ICD_VENDORS"] = folder
            environment["CLND_TEST_REQUIRE_DEVICE"] = "1"
            if not arguments.program:
                return run_watched(command, arguments.memory, environment, reasons)
            return run_each_watched(
                command, arguments.program, arguments.memory, environment, folder, reasons
            )
        if arguments.device == "intel":
            missing = find_intel(arguments.runtime, environment, folder)
        else:
            missing = find_rusticl(environment, folder)
        return skip(missing) if missing else run(command, environment, reasons)


if __name__ == "__main__":
    sys.exit(main())

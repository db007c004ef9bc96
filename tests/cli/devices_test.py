# SPDX-License-Identifier: Apache-2.0
"""Tests of what `clnd devices` prints: its form, and what has to agree with itself.

usage: devices_test.py CLND SOURCE_DIR [--no-context LIBRARY] [--icd FILE]

LIBRARY makes all devices fail to open when it is loaded before OpenCL. FILE is an OpenCL
implementation in /etc/OpenCL/vendors; without it those of the environment count.
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import Place, Skip, check, commands, need_device, run, strategies

VENDORS = "/etc/OpenCL/vendors"
FORM = {
    "platform": r"\S.*",
    "driver": r"\S.*",
    "compiler": r"OpenCL C \d.*",
    "kind": r"(CPU|GPU or other), \d+ compute units, work-groups of up to \d+, "
            r"(32|64)-bit addresses",
    "memory": r"\d+ MiB, buffers of up to \d+ MiB, local \d+ KiB",
    "reported": r"out-of-order queues (yes|no), unified memory (yes|no)",
    "probed": r"fp64 (yes|no), fp16 (yes|no), 64-bit atomics (yes|no), float atomics (yes|no)",
}
# Of devices that have float atomics.
SUMS = r"(float32|packs of it|float64|float16|bfloat16)"
SUMS = rf"{SUMS}(, {SUMS})* by (OpenCL|PTX|AMD's compiler)"
# Of Mesa's llvmpipe.
LOOPS = r"the driver ends them after \d+ iterations; plans stay below"


class Device:
    """A device of the listing."""

    def __init__(self, head):
        match = re.fullmatch(r"(\d+:\d+)  (\S.*?)( \(default\))?", head)
        check(match, "not the form of a device:", head)
        self.spec, self.name, self.default = match.groups()
        self.facts = {}
        self.calls = []  # (operation, call, strategy, why)


def without_driver(stderr):
    """Mesa warns on standard error."""
    return "".join(line for line in stderr.splitlines(True) if not line.startswith("MESA: "))


def listing(*arguments, **environment):
    """The devices that a call prints, and its lines before them."""
    result = run("devices", *arguments, env={**os.environ, **environment})
    check(result.returncode == 0, result.stderr)
    check(without_driver(result.stderr) == "", result.stderr)
    devices, before = [], []
    for line in result.stdout.splitlines():
        check(len(line) <= 100 and line == line.rstrip(), "form of the line", line)
        if re.match(r"\d+:\d+  ", line):
            devices.append(Device(line))
        elif not devices:
            before.append(line)
        elif line.startswith(" " * 56):
            devices[-1].calls[-1][3] += " " + line.strip()
        else:
            match = re.fullmatch(r"     (\S+) +(\S.*)", line)
            check(match, "not the form of a line:", line)
            call = re.fullmatch(r"     (\S+) +(\S.{21})  (\S+) +(\S.*)", line)
            if call and (devices[-1].calls or call.group(1) == "operation"):
                devices[-1].calls.append([word.strip() for word in call.groups()])
            else:
                devices[-1].facts[match.group(1)] = match.group(2)
    return devices, before


def test_facts_of_every_device():
    need_device()
    devices, before = listing()
    check(devices and not before, before)
    for device in devices:
        sums = device.facts.pop("sums", None)
        check((sums is not None) == device.facts["probed"].endswith("float atomics yes"), sums)
        check(sums is None or re.fullmatch(SUMS, sums), sums)
        loops = device.facts.pop("loops", None)
        mesa = device.name.startswith("llvmpipe") and int(device.facts["driver"].split(".")[0])
        check((loops is not None) == (0 < mesa < 25), loops)  # 25.0 ends none
        check(loops is None or re.fullmatch(LOOPS, loops), loops)
        check(list(device.facts) == list(FORM), device.facts)
        for name, form in FORM.items():
            check(re.fullmatch(form, device.facts[name]), name, device.facts[name])


def test_one_default():
    need_device()
    check([device.default for device in listing()[0]].count(" (default)") == 1, listing())
    for device in listing()[0]:
        chosen, before = listing(CLND_DEVICE=device.spec)
        check(not before, before)
        check([other.spec for other in chosen if other.default] == [device.spec], chosen)
    devices, before = listing(CLND_DEVICE="no such device")
    check(not any(device.default for device in devices), devices)
    check(len(before) == 1 and before[0].startswith("no default: no OpenCL device matches"), before)


def test_strategies_of_every_operation():
    need_device()
    operations = set(commands()) - {"devices", "doctor", "selftest", "show"} | {"copy"}
    for device in listing()[0]:
        check(device.calls[0] == ["operation", "typical call", "strategy", "why"], device.calls[0])
        rows = device.calls[1:]
        check({row[0] for row in rows} == operations, {row[0] for row in rows} ^ operations)
        check(len({(row[0], row[1]) for row in rows}) == len(rows), "a call twice", rows)
        for row in rows:
            check(row[2] in strategies(), row)


def test_strategies_that_the_environment_asks_for():
    need_device()
    for device in listing(CLND_STRATEGY="atomic,lanes")[0]:
        rows = {(row[0], row[1]): row[2:] for row in device.calls}
        for key in (("gather-nd", "float32 rows"), ("slice", "float32 [::2, ::-1]")):
            check(rows[key] == ["lanes", "asked for by name"], key, rows[key])
        if "loops" in device.facts:
            key = ("scatter-nd", "int32 histogram")
            why = "asked for by name"
        else:
            key = ("scatter-nd", "sum of float32 rows")
            why = "asked for by name; needs a workspace of 1 KiB"  # for the sample's decision
        check(rows[key] == ["atomic", why], key, rows[key])
    for device in listing(CLND_STRATEGY="atomic,lanes,plain")[0]:
        rows = {(row[0], row[1]): row[2:] for row in device.calls}
        check(rows[key] == ["atomic", "asked for by name"], key, rows[key])


def test_one_device():
    need_device()
    for device in listing()[0]:
        alone, before = listing("--device", device.spec)
        check(len(alone) == 1 and not before, alone, before)
        check(vars(alone[0]) == vars(device), vars(alone[0]), vars(device))
        short = run("devices", "--list", "--device", device.name).stdout.splitlines()
        check(len(short) == 1 and short[0].endswith("  " + device.name), short)
    for arguments in ((), ("--list",), ("-q",)):
        result = run("devices", "--device", "no such device", *arguments)
        check(result.returncode == 1 and result.stdout == "", result)
        check("clnd: devices: no OpenCL device matches" in result.stderr, result.stderr)


def test_the_short_list_and_none():
    need_device()
    short = run("devices", "--list").stdout
    lines = ["%s  %s\n" % (device.spec, device.name) for device in listing()[0]]
    check(short == "".join(lines), short, lines)
    check(run("devices", "-q").stdout == "", "not quiet")


def test_json_tells_the_same():
    need_device()
    devices, _ = listing()
    told = json.loads(run("devices", "--json").stdout)
    check([one["device"] for one in told] == [device.spec for device in devices], told)
    for one, device in zip(told, devices):
        check(one["name"] == device.name and one["default"] == bool(device.default), one)
        check(one["platform"] == device.facts["platform"], one)
        check(one["driver"] == device.facts["driver"], one)
        check("%d MiB, buffers" % (one["global_memory"] >> 20) in device.facts["memory"], one)
        check(("fp64 yes" in device.facts["probed"]) == one["fp64"] and one["probed"], one)
        rows = [[call["operation"], call["call"], call["strategy"]] for call in one["calls"]]
        check(rows == [row[:3] for row in device.calls[1:]], rows)
    short = json.loads(run("devices", "--list", "--json").stdout)
    check(short == [{"device": one["device"], "name": one["name"]} for one in told], short)
    check(run("devices", "--json", "-q").stdout == "", "not quiet")


def test_no_device():
    with tempfile.TemporaryDirectory(prefix="clnd-no-icd-") as folder:
        for arguments in ((), ("--list",), ("--device", "cpu"), ("-q",)):
            result = run("devices", *arguments, env={**os.environ, "OCL_ICD_VENDORS": folder})
            check(result.returncode == 1 and result.stdout == "", result)
            line = result.stderr
            check(line.startswith("clnd: devices: no OpenCL device found; a CPU becomes"), line)
            check(line.endswith("`clnd doctor` says what is missing\n"), line)


def test_devices_that_cannot_be_opened():
    need_device()
    if Place.no_context is None:
        raise Skip("under sanitizers nothing can be loaded before the program")
    devices, before = listing(LD_PRELOAD=Place.no_context)
    check(len(before) == 1 and before[0].startswith("no default: clCreateContext: "), before)
    for device in devices:
        check(device.facts["unusable"].startswith("clCreateContext: "), device.facts)
        check("claimed" in device.facts and "probed" not in device.facts, device.facts)
        check(not device.calls and not device.default, vars(device))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("clnd")
    parser.add_argument("source")
    parser.add_argument("--no-context")
    parser.add_argument("--icd")
    options = parser.parse_args()
    Place.clnd, Place.source = os.path.abspath(options.clnd), os.path.abspath(options.source)
    Place.no_context = options.no_context and os.path.abspath(options.no_context)
    functions = support.properties_of(sys.modules[__name__])
    if not options.icd:
        return support.run_properties(functions)
    icd = os.path.join(VENDORS, options.icd)
    if not os.path.isfile(icd):
        print("1..0 # SKIP there is no %s" % icd)
        return 0
    with tempfile.TemporaryDirectory(prefix="clnd-icd-") as folder:
        shutil.copy(icd, folder)
        os.environ["OCL_ICD_VENDORS"] = folder
        return support.run_properties(functions)


if __name__ == "__main__":
    sys.exit(main())

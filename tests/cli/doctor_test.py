# SPDX-License-Identifier: Apache-2.0
"""Tests of `clnd doctor` on set-ups that are broken in one way each.

usage: doctor_test.py CLND LIBRARY [CRASHES]

LIBRARY is no OpenCL driver; CRASHES crashes when it is loaded.
"""
import glob
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import Place, Skip, check, need_device, run

STATES = {"ok", "note", "problem"}
SECTIONS = ["loader", "drivers", "access", "devices", "to install"]


def doctor(vendors, *arguments, **environment):
    """The call with its findings: (section, subject) to (state, text)."""
    environment = {**os.environ, "OCL_ICD_VENDORS": vendors, **environment}
    result = run("doctor", "--json", *arguments, env=environment)
    document = json.loads(result.stdout)
    found = {}
    for one in document["findings"]:
        check(set(one) == {"section", "state", "subject", "text"} and one["state"] in STATES, one)
        found.setdefault((one["section"], one["subject"]), (one["state"], one["text"]))
    check([section for section in SECTIONS if section in {key[0] for key in found}]
          == list(dict.fromkeys(key[0] for key in found)), found)
    check(found["loader", "libOpenCL"][1], found)
    wrong = not document["usable_devices"] or ("devices", "CLND_DEVICE") in found
    check(result.returncode == (1 if wrong else 0), result)
    return result, found, document["usable_devices"]


def broken(files, *, subject, text, state="problem"):
    """A folder with these files gives no device, and one finding says why."""
    with tempfile.TemporaryDirectory(prefix="clnd-doctor-") as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        result, found, usable = doctor(folder)
        told = found["drivers", subject or folder]
    check(told[0] == state and text in told[1], told)
    check(usable == 0 and found["devices", "none"][0] == "problem", found)
    check_advice(found, "OCL_ICD_VENDORS")
    check(result.stderr == "clnd: doctor: no device can be used\n", result.stderr)


def check_advice(found, variable):
    """What is installed is not to be installed again."""
    count = len(glob.glob("/etc/OpenCL/vendors/*.icd"))
    if count:
        text = "keeps the loader from /etc/OpenCL/vendors, which has %d .icd file%s: unset it" % (
            count, "s" * (count != 1))
        check(found["devices", variable] == ("problem", text), found)
        check(not any(section == "to install" for section, _ in found), found)
    else:
        check(found["to install", "CPU"][1] == "sudo apt install pocl-opencl-icd", found)


def test_no_driver_at_all():
    broken({}, subject=None, text="has no .icd file: no driver is installed (OCL_ICD_VENDORS)")


def test_a_library_that_is_missing():
    broken({"none.icd": "libnone-such.so.1\n"}, subject="none.icd",
           text="libnone-such.so.1: cannot open shared object file")


def test_a_library_that_is_no_driver():
    broken({"no.icd": Place.no_driver + "\n"}, subject="no.icd",
           text=Place.no_driver + " is no OpenCL driver that a loader can use")


def test_a_library_that_crashes():
    if Place.crashes is None:
        raise Skip("under sanitizers a library that crashes is another thing")
    for number, text in ((11, "crashes (signal 11)"), (14, "does not answer within 10 seconds")):
        with tempfile.TemporaryDirectory(prefix="clnd-doctor-") as folder:
            with open(os.path.join(folder, "crash.icd"), "w", encoding="utf-8") as file:
                file.write(Place.crashes)
            result, found, _ = doctor(folder, CRASH_BY=str(number))
        check(found["drivers", "crash.icd"] == ("problem", Place.crashes + " " + text), found)
        check("ends every program" in found["devices", "none"][1], found)
        check(result.returncode == 1 and ("to install", "CPU") not in found, result)


def test_a_file_without_a_name():
    broken({"empty.icd": ""}, subject="empty.icd", text="names no library")
    broken({"blank.icd": "\n"}, subject="blank.icd", text="names no library")


def test_a_file_that_cannot_be_read():
    with tempfile.TemporaryDirectory(prefix="clnd-doctor-") as folder:
        os.mkdir(os.path.join(folder, "folder.icd"))
        os.symlink("nowhere", os.path.join(folder, "link.icd"))
        os.symlink("/proc/1/mem", os.path.join(folder, "secret.icd"))
        _, found, _ = doctor(folder)
        check(found["drivers", folder] == ("ok", "has 3 .icd files (OCL_ICD_VENDORS)"), found)
        check(found["drivers", "folder.icd"] == ("problem", "cannot be read: Is a directory"),
              found)
        check(found["drivers", "link.icd"][1] == "cannot be read: No such file or directory", found)
        check(found["drivers", "secret.icd"][1].startswith("cannot be read: "), found)


def test_a_variable_that_names_nothing():
    _, found, usable = doctor("/no/such/folder")
    check(found["drivers", "OCL_ICD_VENDORS"][1].startswith("/no/such/folder: cannot open"), found)
    _, found, usable = doctor("/no/such/file.icd")
    check(found["drivers", "OCL_ICD_VENDORS"][1] == "cannot be read: No such file or directory",
          found)
    check(usable == 0, found)
    _, found, _ = doctor('/no/"such\\folder\x1b')
    text = '/no/"such\\folder\\x1b: cannot open'
    check(found["drivers", "OCL_ICD_VENDORS"][1].startswith(text), found)
    environment = {"OCL_ICD_VENDORS": "", "OPENCL_VENDOR_PATH": "/no/such/path"}
    _, found, _ = doctor("", **environment)
    check(found["drivers", "/no/such/path"][1].endswith("directory (OPENCL_VENDOR_PATH)"), found)
    check_advice(found, "OPENCL_VENDOR_PATH")
    text = subprocess.run([Place.clnd, "doctor"], stdout=subprocess.PIPE, check=False, text=True,
                          stderr=subprocess.STDOUT,
                          env={**os.environ, "OCL_ICD_VENDORS": "/no/such/folder"}).stdout
    check(text.endswith("\nclnd: doctor: no device can be used\n"), text)


def test_a_device_that_is_not_there():
    need_device()
    result, found, usable = doctor(os.environ.get("OCL_ICD_VENDORS", ""), CLND_DEVICE="zzz")
    state, text = found["devices", "CLND_DEVICE"]
    check(state == "problem" and text.startswith('no OpenCL device matches "zzz"'), found)
    check(result.stderr == "clnd: doctor: CLND_DEVICE names no device that can be used\n", result)
    check(usable > 0, found)


def test_rusticl_without_a_device():
    icd = "/etc/OpenCL/vendors/rusticl.icd"
    if not os.path.isfile(icd):
        raise Skip("there is no " + icd)
    environment = {name: value for name, value in os.environ.items() if name != "RUSTICL_ENABLE"}
    result = run("doctor", "--json", env={**environment, "OCL_ICD_VENDORS": icd})
    check("RUSTICL_ENABLE is not set; set it to " in result.stdout, result.stdout)
    _, found, _ = doctor(icd, RUSTICL_ENABLE="abacus")
    check("RUSTICL_ENABLE is abacus, which gives none here" in str(found), found)


def test_files_of_gpus_that_may_not_be_opened():
    """Files in place of /dev/dri, in a namespace of mounts, seen by nobody."""
    script = ("mount -t tmpfs none /dev/dri 2>/dev/null || { mkdir /dev/dri && "
              "mount -t tmpfs none /dev/dri; } || exit 99; "
              "touch /dev/dri/renderD128 /dev/dri/renderD129; chmod 660 /dev/dri/renderD128; "
              "chmod 666 /dev/dri/renderD129; chgrp video /dev/dri/renderD128; "
              "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" doctor --json")
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"):
        raise Skip("only root can show it")
    result = subprocess.run(["unshare", "-m", "sh", "-c", script, Place.clnd], check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not result.stdout:
        raise Skip("no mounts here: " + result.stderr.strip())
    found = {one["subject"]: one for one in json.loads(result.stdout)["findings"]}
    check("sudo usermod -aG video $USER" in found["/dev/dri/renderD128"]["text"], found)
    check(found["/dev/dri/renderD129"]["state"] == "ok", found)


def test_a_set_up_that_works():
    need_device()
    result = run("doctor")
    check(result.returncode == 0 and result.stderr == "", result)
    lines = result.stdout.splitlines()
    check(lines[0] == "loader" and "devices" in lines, lines)
    for line in lines:
        check(len(line) <= 100 and line == line.rstrip() and "\033" not in line, line)
        check(re.match(r"\S|  (ok     |note   |problem)  \S| {11}\S|$", line), line)
    names = run("devices", "--list").stdout.splitlines()
    for name in names:
        check("  ok       %s" % name.replace("  ", ": ") in result.stdout.replace("\n" + " " * 11,
                                                                                  " "), name)
    check(run("doctor", "-q").stdout == "", "not quiet")


def seen_at_a_terminal(columns, **environment):
    """Standard output at a terminal of so many columns."""
    main, end = pty.openpty()
    subprocess.run(["stty", "cols", str(columns)], stdin=end, check=True)
    process = subprocess.Popen([Place.clnd, "doctor"], stdin=subprocess.DEVNULL, stdout=end,
                               stderr=subprocess.DEVNULL,
                               env={**os.environ, "TERM": "xterm", **environment})
    os.close(end)
    text = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    process.wait()
    os.close(main)
    return text.decode().replace("\r\n", "\n")


def test_a_terminal_has_colours_and_its_own_width():
    text = seen_at_a_terminal(80, NO_COLOR="")
    check("\n  \033[32mok\033[0m       libOpenCL: " in text, text)
    plain = re.sub(r"\033\[\d+m", "", text)
    check(plain == seen_at_a_terminal(80, NO_COLOR="1") == seen_at_a_terminal(80, TERM="dumb"),
          text)
    check(all(len(line) <= 80 or " " not in line.strip() for line in plain.splitlines()), plain)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd, Place.no_driver = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    Place.crashes = os.path.abspath(sys.argv[3]) if len(sys.argv) == 4 else None
    sys.exit(support.run_properties(support.properties_of(sys.modules[__name__])))

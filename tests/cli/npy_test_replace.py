# SPDX-License-Identifier: Apache-2.0
"""How an output file comes to be: whole or not at all."""
import os
import resource
import shutil
import signal
import stat
import subprocess
import threading

import numpy as np

from npy_support import (check, check_message, get, path_of, Place, put, run, saved, Skip)


def only(*names):
    found = sorted(os.listdir(Place.directory))
    check(found == sorted(names), "files are left over", found)


def clear():
    for name in os.listdir(Place.directory):
        path = path_of(name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def test_a_good_write_leaves_one_file_with_the_right_mode(rng):
    clear()
    data = saved(np.arange(5))
    source = put("in.npy", data)
    for mask, mode in (0o022, 0o644), (0o027, 0o640), (0o077, 0o600), (0, 0o666):
        target = path_of("out.npy")
        result = run("copy", source, target, preexec_fn=lambda: os.umask(mask))
        check(result.returncode == 0, result.stderr)
        check(os.stat(target).st_mode & 0o7777 == mode, "mode of a new file", oct(mask))
        os.unlink(target)
    for mode in 0o600, 0o644, 0o666, 0o755, 0o620:
        target = put("out.npy", b"old")
        os.chmod(target, mode)
        old = os.stat(target).st_ino
        check(run("copy", source, target).returncode == 0, oct(mode))
        check(os.stat(target).st_mode & 0o7777 == mode, "mode of a file replaced", oct(mode))
        check(os.stat(target).st_ino != old, "written in place")
        check(get(target) == data)
    # Names without a directory, and the input as the output.
    check(run("copy", "in.npy", "here.npy", cwd=Place.directory).returncode == 0)
    check(run("copy", "in.npy", "in.npy", cwd=Place.directory).returncode == 0)
    check(get(source) == data and get(path_of("here.npy")) == data)
    only("in.npy", "out.npy", "here.npy")
    clear()


def test_a_failed_write_leaves_everything_as_it_was(rng):
    clear()
    source = put("in.npy", saved(np.zeros(100000)))

    def too_big(action):
        def limit():
            signal.signal(signal.SIGXFSZ, action)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        return limit

    for old in None, b"old":
        target = path_of("out.npy")
        if old is not None:
            put("out.npy", old)
        expected = ["in.npy"] + (["out.npy"] if old is not None else [])
        # An error in the middle, then a kill in the middle.
        check_message(run("copy", source, target, preexec_fn=too_big(signal.SIG_IGN)),
                      "file too large")
        only(*expected)
        result = run("copy", source, target, preexec_fn=too_big(signal.SIG_DFL))
        check(result.returncode == -signal.SIGXFSZ, "not killed", result)
        for name in os.listdir(Place.directory):
            if name.startswith(".clnd-"):
                os.unlink(path_of(name))
        only(*expected)
        check(old is None or get(target) == old, "changed by a failed write")
    # Directories: missing, no directory, the target itself, and a name that ends in a slash.
    os.mkdir(path_of("folder"))
    for target in (path_of("none/out.npy"), path_of("in.npy/out.npy"), path_of("folder"),
                   path_of("new/"), path_of("x" * 300), ""):
        check_message(run("copy", source, target), target)
    only("in.npy", "out.npy", "folder")
    check(os.listdir(path_of("folder")) == [])
    clear()


def test_write_protection_holds(rng):
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    clear()
    source = put("in.npy", saved(np.arange(5)))
    target = put("out.npy", b"old")
    os.chmod(target, 0o444)
    check_message(run("copy", source, target), "read-only file")
    check(get(target) == b"old")
    os.chmod(Place.directory, 0o555)
    try:
        check_message(run("copy", source, path_of("new.npy")), "read-only directory")
    finally:
        os.chmod(Place.directory, 0o755)
    only("in.npy", "out.npy")
    clear()


def test_symbolic_links_stay_and_their_targets_are_replaced(rng):
    clear()
    data = saved(np.arange(5))
    source = put("in.npy", data)
    os.mkdir(path_of("folder"))
    links = {"relative": "folder/a.npy", "absolute": path_of("folder/b.npy"), "chain": "relative",
             "folder/up": "../up.npy"}
    for name, where in links.items():
        os.symlink(where, path_of(name))
    for existing in False, True:  # at first the links dangle
        for name, where in links.items():
            real = os.path.realpath(path_of(name))
            if existing:
                with open(real, "wb") as file:
                    file.write(b"old")
            result = run("copy", source, path_of(name))
            check(result.returncode == 0, name, result.stderr)
            check(os.readlink(path_of(name)) == where, "the link is gone", name)
            check(get(real) == data, name)
    os.symlink("loop", path_of("loop"))
    check_message(run("copy", source, path_of("loop")), "a loop")
    os.symlink("nowhere/x.npy", path_of("broken"))
    check_message(run("copy", source, path_of("broken")), "a link into nowhere")
    only("in.npy", "folder", "relative", "absolute", "chain", "loop", "broken", "up.npy")
    check(sorted(os.listdir(path_of("folder"))) == ["a.npy", "b.npy", "up"])
    clear()


def device(name, minor):
    """A device to write to. Where the real one could be replaced, because root runs the tests and
    what they test may be broken, it is a node of our own."""
    real = "/dev/" + name
    if not os.access("/dev", os.W_OK):
        return real
    path = path_of(name)
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        with open(path, "rb"):
            return path
    except OSError as error:
        raise Skip("no device node of our own: %s" % error.strerror) from error


def test_devices_and_fifos_are_written_directly(rng):
    clear()
    data = saved(np.arange(50000))
    source = put("in.npy", data)
    null = device("null", 3)
    check(run("copy", source, null).returncode == 0, "null device")
    check(os.stat(null).st_rdev == os.makedev(1, 3), "the null device was replaced")
    os.symlink(null, path_of("link"))
    check(run("copy", source, path_of("link")).returncode == 0 and os.path.islink(path_of("link")))
    check(os.stat(null).st_rdev == os.makedev(1, 3), "the null device was replaced")
    os.symlink("/proc/self/fd/1", path_of("stdout"))
    if os.path.exists("/proc/self/fd/1"):
        check(run("copy", source, path_of("stdout")).stdout == data, "a link to standard output")
    os.mkfifo(path_of("fifo"))
    received = []
    reader = threading.Thread(target=lambda: received.append(get(path_of("fifo"))))
    reader.start()
    check(run("copy", source, path_of("fifo")).returncode == 0, "fifo")
    reader.join()
    check(received == [data], "fifo")
    only("in.npy", "link", "stdout", "fifo", *(["null"] if null == path_of("null") else []))
    clear()


def test_write_errors_are_reported(rng):
    clear()
    source = put("in.npy", saved(np.arange(50000)))
    full = device("full", 7)
    if os.path.exists(full):
        check("No space" in check_message(run("copy", source, full), "full device"))
        check(stat.S_ISCHR(os.stat(full).st_mode), "the full device was replaced")
        with open(full, "wb") as output:
            result = subprocess.run([Place.driver, "copy", source, "-"], stdout=output,
                                    stderr=subprocess.PIPE, check=False)
            check(result.returncode == 1 and b"No space" in result.stderr, result)
            result = subprocess.run([Place.driver, "show", source], stdout=output,
                                    stderr=subprocess.PIPE, check=False)
            check(result.returncode == 1, "print", result)
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = subprocess.run([Place.driver, "copy", source, "-"], stdout=write_end, check=False,
                            stderr=subprocess.PIPE)
    os.close(write_end)
    check(result.returncode == 1 and b"Broken pipe" in result.stderr, result)
    only("in.npy", *(["full"] if full == path_of("full") else []))
    clear()

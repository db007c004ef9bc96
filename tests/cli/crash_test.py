#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of clnd's output when the command is killed, the disk is full, or streams are closed
or pipes.

usage: crash_test.py CLND SOURCE_DIR FILE_CALLS [PART_OF_A_NAME]

FILE_CALLS is the library of file_calls.c. Only the properties whose function has the part in its
name are looked at, if one is given.
"""
import ctypes
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

sys.dont_write_bytecode = True  # the source tree stays clean
import command_support as support
from command_support import check, need_device, Place, Skip, source_text

REVERSE = "::-1"
TEMPORARY = re.compile(r"\.clnd-\d+-[0-9a-f]+")
# Signals that end a process, unless it catches them; of those for real time the first and the last.
ENDING = sorted(signal.valid_signals() - set(range(signal.SIGRTMIN + 1, signal.SIGRTMAX)) -
                {signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
                 signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH, signal.SIGPIPE})
NULL = subprocess.DEVNULL
PIPE = subprocess.PIPE


def path_of(name):
    return os.path.join(Place.scratch, name)


def put(name, array):
    np.save(path_of(name), array)
    return path_of(name)


def get(name):
    with open(path_of(name), "rb") as file:
        return file.read()


def clear():
    for name in os.listdir(Place.scratch):
        os.unlink(path_of(name))


def files():
    return set(os.listdir(Place.scratch))


def clnd(*arguments, stdin=NULL, stdout=PIPE, stderr=PIPE, **options):
    """Runs clnd; what it prints is bytes."""
    return subprocess.run([Place.clnd, *arguments], stdin=stdin, stdout=stdout, stderr=stderr,
                          check=False, timeout=120, **options)


def clnd_in_shell(redirection, *arguments):
    """Runs clnd with a shell's redirections, such as one that closes a stream."""
    return subprocess.run(["sh", "-c", 'exec "$0" "$@" ' + redirection, Place.clnd, *arguments],
                          stdin=NULL, stdout=PIPE, stderr=PIPE, check=False, timeout=120)


def check_refused(result, text, what):
    """Status 1 after one line that has `text`."""
    check(result.returncode == 1, what, "status", result.returncode, result.stderr)
    lines = [line for line in result.stderr.decode().splitlines() if line.startswith("clnd: ")]
    check(len(lines) == 1 and text in lines[0], what, "lacks", text, result.stderr)


def check_done(result, what):
    check(result.returncode == 0, what, "status", result.returncode, result.stderr)


def temporaries():
    return [name for name in files() if TEMPORARY.fullmatch(name)]


class Replacement:
    """A call of clnd that replaces an old file by a new one. `named`: on a file system without
    files that have no name."""

    def __init__(self, named):
        clear()
        source = put("in.npy", np.arange(500_000, dtype=np.int64))
        self.call = ["slice", source, REVERSE, "-o", path_of("out.npy")]
        self.environment = {**os.environ, "LD_PRELOAD": Place.file_calls,
                            "FILE_CALLS": Place.scratch, "FILE_CALLS_LOG": "/dev/null"}
        if named:
            self.environment["FILE_CALLS_NAMED"] = "yes"
        self.old = b"the old file"
        self.put_old()
        with tempfile.NamedTemporaryFile("r", prefix="clnd-calls-") as log:
            self.environment["FILE_CALLS_LOG"] = log.name
            check_done(self.run(), "the call by itself")
            self.calls = log.read().splitlines()
        self.environment["FILE_CALLS_LOG"] = "/dev/null"
        if not named and "unnamed /." not in self.calls:
            raise Skip("every file has a name on this file system")
        self.new = get("out.npy")
        self.put_old()

    def put_old(self):
        with open(path_of("out.npy"), "wb") as file:
            file.write(self.old)

    def run(self, **options):
        return clnd(*self.call, env=self.environment, **options)

    def place(self, word):
        """How many calls are done after the first of this name."""
        return 1 + [call.split()[0] for call in self.calls].index(word)

    def disturb(self, number, at, **options):
        """Runs it with a signal after so many calls. Returns its status, whether the file is the
        new one, and which files are left behind."""
        self.environment["FILE_CALLS_SIGNAL"] = "%d %d" % (number, at)
        status = self.run(**options).returncode
        del self.environment["FILE_CALLS_SIGNAL"]
        what = "signal %d after %s, status %d" % (number, self.calls[at - 1], status)
        got, left = get("out.npy"), temporaries()
        check(status in (0, -number), what)
        check(got in (self.old, self.new), "a damaged file,", len(got), "bytes:", what)
        check(status != 0 or got == self.new, "done, and the file is old:", what)
        check(files() == {"in.npy", "out.npy", *left}, "files are left over", files(), what)
        for name in left:
            os.unlink(path_of(name))
        self.put_old()
        return status, got == self.new, left


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new():
    need_device()
    for named in True, False:
        case = Replacement(named)
        named_at = case.place("create" if named else "link")
        renamed_at = case.place("rename")
        for at in range(1, len(case.calls) + 1):
            what = "a kill after", case.calls[at - 1]
            status, is_new, left = case.disturb(signal.SIGKILL, at)
            check(status == -signal.SIGKILL, *what)
            check(is_new == (at >= renamed_at), *what)
            check(len(left) == (named_at <= at < renamed_at), *what, left)
    check(".Pa .clnd-*" in source_text("docs/clnd.1"), "what may be left is not documented")


def test_a_file_is_on_the_disk_before_it_has_its_name():
    need_device()
    for named, wanted in (
            (True, ["open /in.npy", "create /T", "write /T", "fsync /T"]),
            (False, ["open /in.npy", "unnamed /.", "write /U", "fsync /U", "link /T"])):
        calls = [re.sub(r"#\d+ \(deleted\)", "U", TEMPORARY.sub("T", call))
                 for call in Replacement(named).calls]
        calls = [call for call, _ in itertools.groupby(calls)]
        check(calls == [*wanted, "rename /out.npy", "open /.", "fsync "], calls)


def test_what_a_kill_left_does_not_disturb():
    need_device()
    case = Replacement(True)
    case.environment["FILE_CALLS_SIGNAL"] = "%d %d" % (signal.SIGKILL, case.place("write"))
    for _ in range(2):
        check(case.run().returncode == -signal.SIGKILL, "no kill")
    del case.environment["FILE_CALLS_SIGNAL"]
    before = temporaries()
    check(len(before) == 2, "no kill met a file half way", before)
    check_done(case.run(), "beside files of killed commands")
    check(get("out.npy") == case.new and sorted(temporaries()) == sorted(before), files())


def test_other_signals_leave_nothing_behind():
    need_device()

    def all_as_usual():
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)  # nohup, say, has one ignored
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    for named in True, False:
        case = Replacement(named)
        pairs = [(number, case.place("write")) for number in ENDING]
        pairs += [(signal.SIGINT, at) for at in range(1, len(case.calls) + 1)]
        for number, at in pairs:
            what = "signal %d after %s" % (number, case.calls[at - 1])
            status, _, left = case.disturb(number, at, preexec_fn=all_as_usual)
            check(left == [], what, "leaves", left)
            # From others a handler of LLVM's, in the driver, may come back.
            check(status != 0 or number not in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) or
                  at != case.place("write"), what, "is ignored")
        # What the caller ignores, as nohup does, stays ignored.
        status, _, _ = case.disturb(
            signal.SIGHUP, case.place("write"),
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        check(status == 0, "an ignored signal ended the command")


def test_a_file_that_grows_too_large_is_refused():
    need_device()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))

    for named in True, False:
        case = Replacement(named)
        check_refused(case.run(preexec_fn=limit), "out.npy: cannot write: File too large",
                      "a limit of size")
        check(get("out.npy") == case.old and files() == {"in.npy", "out.npy"}, files())


def on_tmpfs(options, *arguments):
    """Runs clnd in a new mount namespace, where MOUNT is a small file system with an old file."""
    script = ('mount -t tmpfs -o size=256k none "$MOUNT" || exit 77; '
              'printf old > "$MOUNT/out.npy"; mount -o remount,%s "$MOUNT" || exit 77; '
              '"$0" "$@"; status=$?; '
              'cat "$MOUNT/out.npy"; ls -A "$MOUNT"; exit $status' % options)
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else \
        ["unshare", "--user", "--map-root-user", "--mount"]
    try:
        return subprocess.run([*unshare, "sh", "-c", script, Place.clnd, *arguments], stdin=NULL,
                              stdout=PIPE, stderr=PIPE, check=False, timeout=120,
                              env={**os.environ, "MOUNT": path_of("mount")})
    except FileNotFoundError as error:
        raise Skip("no unshare") from error


def test_full_and_read_only_file_systems():
    need_device()
    clear()
    source = put("in.npy", np.arange(100_000))
    os.mkdir(path_of("mount"))
    try:
        target = path_of("mount/out.npy")
        for options, text in (("rw", "cannot write: No space left on device"),
                              ("ro", "cannot write: Read-only file system")):
            result = on_tmpfs(options, "slice", source, REVERSE, "-o", target)
            if b"clnd: " not in result.stderr and result.returncode != 0:
                raise Skip("no mounts here: %s" % result.stderr.decode().strip())
            check_refused(result, text, options)
            check(result.stdout == b"oldout.npy\n", options, result.stdout)
    finally:
        os.rmdir(path_of("mount"))


def test_a_full_device_behind_standard_output():
    need_device()
    clear()
    source = put("in.npy", np.arange(50_000))
    for arguments in (["slice", source, REVERSE, "-o", "-"], ["slice", source, REVERSE],
                      ["show", source], ["--help"], ["--version"], ["devices"]):
        with open("/dev/full", "wb") as full:
            check_refused(clnd(*arguments, stdout=full), "standard output", arguments)


def without_root():
    """Root ignores modes because of this capability; the command does without it."""
    os.umask(0o022)
    PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0):
        os._exit(77)


def test_directories_that_cannot_be_written():
    need_device()
    clear()
    source = put("in.npy", np.arange(5))
    for target, text in (("none/out.npy", "No such file or directory"),
                         ("in.npy/out.npy", "Not a directory"),
                         ("x" * 300, "File name too long"), (".", "Is a directory")):
        result = clnd("slice", source, REVERSE, "-o", path_of(target))
        check_refused(result, text, target)
        check(files() == {"in.npy"}, files())
    os.chmod(Place.scratch, 0o555)
    try:
        result = clnd("slice", source, REVERSE, "-o", path_of("out.npy"), preexec_fn=without_root)
    finally:
        os.chmod(Place.scratch, 0o755)
    check(files() == {"in.npy"}, files())
    if result.returncode == 77:
        raise Skip("root may write everywhere, and this capability cannot be dropped")
    check_refused(result, "Permission denied", "a directory of mode 555")
    with open(path_of("out.npy"), "wb") as file:
        file.write(b"old")
    os.chmod(path_of("out.npy"), 0o444)
    result = clnd("slice", source, REVERSE, "-o", path_of("out.npy"), preexec_fn=without_root)
    check_refused(result, "Permission denied", "a file of mode 444")
    check(get("out.npy") == b"old" and files() == {"in.npy", "out.npy"}, files())


def test_standard_output_that_is_closed():
    need_device()
    clear()
    source = put("in.npy", np.arange(50_000))
    wanted = clnd("slice", source, REVERSE, "-o", "-").stdout
    calls = (["slice", source, REVERSE, "-o", "-"], ["slice", source, REVERSE], ["show", source],
             ["--help"], ["gather", "--help"], ["--version"], ["devices"])
    for arguments in calls:
        # Closed from the start, and a pipe whose reader is gone.
        check_refused(clnd_in_shell(">&-", *arguments), "Bad file descriptor"
                      if arguments[0] in ("slice", "show") else "standard output", arguments)
        read_end, write_end = os.pipe()
        os.close(read_end)
        try:
            check_refused(clnd(*arguments, stdout=write_end), "standard output", arguments)
        finally:
            os.close(write_end)
    # The reader leaves in the middle.
    process = subprocess.Popen([Place.clnd, *calls[0]], stdin=NULL, stdout=PIPE, stderr=PIPE)
    check(len(process.stdout.read(1000)) == 1000)
    process.stdout.close()
    message = process.stderr.read()
    process.stderr.close()
    check(process.wait() == 1 and b"Broken pipe" in message, process.returncode, message)
    # None of the three streams is needed to write a file, nor may the file take their place.
    for redirection in ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-":
        check_done(clnd_in_shell(redirection, "slice", source, REVERSE, "-o", path_of("out.npy")),
                   redirection)
        check(get("out.npy") == wanted, redirection)
        os.unlink(path_of("out.npy"))
    check_done(clnd_in_shell("<&- 2>&-", "slice", source, REVERSE, "--time", "-o",
                             path_of("out.npy")), "--time without standard error")
    check(get("out.npy") == wanted, "--time without standard error")
    check(clnd_in_shell("2>&-", "show", path_of("none")).returncode == 1)
    check_refused(clnd_in_shell("<&-", "show", "-"), "standard input: cannot read",
                  "standard input is closed")


def links_of(process, numbers):
    """What the process has open under these numbers."""
    try:
        return [os.readlink("/proc/%d/fd/%d" % (process.pid, number)) for number in numbers]
    except FileNotFoundError:
        return []


def test_no_file_gets_the_number_of_a_closed_stream():
    if not os.path.exists("/proc/self/fd"):
        raise Skip("no /proc")
    process = subprocess.Popen(["sh", "-c", 'exec "$0" "$@" >&- 2>&-', Place.clnd, "show", "-"],
                               stdin=PIPE)
    for _ in range(1000):  # it waits for its input
        if links_of(process, (1, 2)) == ["/dev/null", "/dev/null"]:
            break
        time.sleep(0.01)
    links = links_of(process, (1, 2))
    process.stdin.close()
    check(process.wait() == 1, "status", process.returncode)
    check(links == ["/dev/null", "/dev/null"], "standard output and error are", links)


def feed(write_end, data, step):
    """A thread that writes `data` into a pipe, `step` bytes at a time, and closes it."""
    def write():
        with os.fdopen(write_end, "wb", buffering=0) as pipe:
            for at in range(0, len(data), step):
                pipe.write(data[at:at + step])

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_input_from_pipes():
    need_device()
    clear()
    source = put("in.npy", np.arange(50_000))
    data = get("in.npy")
    wanted = clnd("slice", source, REVERSE, "-o", "-").stdout
    for name in "-", "/dev/stdin":
        for step in 1 << 20, 4099:
            read_end, write_end = os.pipe()
            thread = feed(write_end, data, step)
            result = clnd("slice", name, REVERSE, "-o", "-", stdin=read_end)
            os.close(read_end)
            thread.join()
            check_done(result, name)
            check(result.stdout == wanted, name, step)
        read_end, write_end = os.pipe()
        thread = feed(write_end, data[:-3], len(data))
        check_refused(clnd("slice", name, REVERSE, stdin=read_end), "data is truncated", name)
        os.close(read_end)
        thread.join()
        with open(source, "rb") as file:
            check(clnd("slice", name, REVERSE, "-o", "-", stdin=file).stdout == wanted, name)


def test_named_pipes():
    need_device()
    clear()
    put("in.npy", np.arange(1000) * 3)
    put("indices.npy", np.arange(999, -1, -2))
    wanted = clnd("gather", path_of("in.npy"), path_of("indices.npy"), "-o", "-").stdout
    for name in "params", "indices", "out":
        os.mkfifo(path_of(name))

    def put_into(name, file):
        with open(path_of(name), "wb") as pipe:
            pipe.write(get(file))

    received = []
    threads = [threading.Thread(target=put_into, args=("params", "in.npy")),
               threading.Thread(target=put_into, args=("indices", "indices.npy")),
               threading.Thread(target=lambda: received.append(get("out")))]
    for thread in threads:
        thread.start()
    result = clnd("gather", path_of("params"), path_of("indices"), "-o", path_of("out"))
    for thread in threads:
        thread.join()
    check_done(result, "named pipes")
    check(received == [wanted] and os.path.exists(path_of("out")), "named pipes")
    check(files() == {"in.npy", "indices.npy", "params", "indices", "out"}, files())


def test_output_to_pipes():
    need_device()
    clear()
    source = put("in.npy", np.arange(50_000))
    wanted = clnd("slice", source, REVERSE, "-o", path_of("out.npy"))
    check_done(wanted, "a file")
    for name in "-", "/dev/stdout":
        check(clnd("slice", source, REVERSE, "-o", name).stdout == get("out.npy"), name)
    # Nobody waits for room in a pipe that does not block.
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    received = []

    def read():
        with os.fdopen(read_end, "rb") as pipe:
            received.append(pipe.read())

    thread = threading.Thread(target=read)
    thread.start()
    result = clnd("slice", source, REVERSE, "-o", "-", stdout=write_end)
    os.close(write_end)
    thread.join()
    check_done(result, "a pipe that does not block")
    check(received == [get("out.npy")], "a pipe that does not block")
    # One after another, as in the man page.
    first = subprocess.Popen([Place.clnd, "slice", source, REVERSE, "-o", "-"], stdin=NULL,
                             stdout=PIPE)
    second = clnd("slice", "-", REVERSE, "-o", "-", stdin=first.stdout)
    first.stdout.close()
    check(first.wait() == 0, "the first of two")
    check_done(second, "the second of two")
    check(second.stdout == get("in.npy"), "two in a row")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd, Place.source, Place.file_calls = map(os.path.abspath, sys.argv[1:4])
    chosen = [property for property in support.properties_of(sys.modules[__name__])
              if "".join(sys.argv[4:]) in property.__name__]
    with tempfile.TemporaryDirectory(prefix="clnd-crash-") as scratch:
        Place.scratch = os.path.realpath(scratch)
        sys.exit(support.run_properties(chosen))

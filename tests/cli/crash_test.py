#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of clnd's output when the command is killed, the disk is full, or streams are closed
or pipes.

usage: crash_test.py CLND SOURCE_DIR [PART_OF_A_NAME]

Only the properties whose function has the part in its name are looked at, if one is given.
Random moments come from a seed, which is printed; CLND_TEST_SEED sets another, CLND_TEST_KILLS how
many kills meet the command, and again how many meet it while it writes.
"""
import ctypes
import os
import random
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

SEED = int(os.environ.get("CLND_TEST_SEED", "20240229"))
REVERSE = "::-1"
TEMPORARY = re.compile(r"\.clnd-\d+-[0-9a-f]+")
KILLS = int(os.environ.get("CLND_TEST_KILLS", "10"))
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


def start(*arguments):
    return subprocess.Popen([Place.clnd, *arguments], stdin=NULL, stdout=NULL, stderr=NULL)


def temporaries():
    return [name for name in files() if TEMPORARY.fullmatch(name)]


def wait_for_temporary(process):
    """Until a new file is being written, or the command has ended."""
    while process.poll() is None and not temporaries():
        time.sleep(0.0005)


class Replacement:
    """A call of clnd that replaces an old file by a new one, large enough to be met half way."""

    def __init__(self):
        clear()
        source = put("in.npy", np.arange(2_000_000, dtype=np.int64))
        self.call = ["slice", source, REVERSE, "-o", path_of("out.npy")]
        begin = time.monotonic()
        process = start(*self.call)
        wait_for_temporary(process)
        middle = time.monotonic()
        check(process.wait() == 0, "the call fails by itself")
        end = time.monotonic()
        self.seconds, self.writing = end - begin, end - middle
        self.new = get("out.npy")
        self.old = b"the old file"
        self.put_old()

    def put_old(self):
        with open(path_of("out.npy"), "wb") as file:
            file.write(self.old)

    def end_early(self, number, moment, while_writing):
        """Sends the signal after `moment` seconds; says whether the call was still running, and
        which files it left behind."""
        process = start(*self.call)
        if while_writing:
            wait_for_temporary(process)
        time.sleep(moment)
        process.send_signal(number)
        status = process.wait()
        check(status in (0, -number), "status", status)
        got = get("out.npy")
        what = "%s after %.6f s%s" % (signal.Signals(number).name, moment,
                                      " of writing" if while_writing else "")
        check(got in (self.old, self.new), "a damaged file,", len(got), "bytes:", what)
        check(status != 0 or got == self.new, "done, and the file is old:", what)
        self.put_old()
        left = temporaries()
        check(len(left) <= 1, "files are left over", left)
        check(files() == {"in.npy", "out.npy", *left}, "files are left over", files())
        for name in left:
            os.unlink(path_of(name))
        return status != 0, left


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new():
    need_device()
    chance = random.Random("%d kill" % SEED)
    case = Replacement()
    killed = [case.end_early(signal.SIGKILL, chance.uniform(0, case.seconds), False)[0]
              for _ in range(KILLS)]
    check(sum(killed) > KILLS // 4, "too few calls were running still", sum(killed))
    # Most of that time is the device's: now from when the new file exists.
    half_way, span = 0, case.writing
    for _ in range(10 * KILLS):
        was_killed, left = case.end_early(signal.SIGKILL, chance.uniform(0, span), True)
        span *= 1.1 if was_killed else 0.7  # so that calls end both ways, however busy all is
        half_way += len(left)
        if half_way == KILLS:
            break
    check(half_way == KILLS, "too few kills met a file half way", half_way)
    check(".Pa .clnd-*" in source_text("docs/clnd.1"), "what may be left is not documented")


def test_what_a_kill_left_does_not_disturb():
    need_device()
    case = Replacement()
    for _ in range(20):
        if len(temporaries()) >= 2:
            break
        before = set(temporaries())
        process = start(*case.call)
        while process.poll() is None and before == set(temporaries()):
            time.sleep(0.0005)
        process.kill()
        process.wait()
    before = temporaries()
    check(len(before) >= 2, "no kill met a file half way", before)
    check_done(clnd(*case.call), "beside files of killed commands")
    check(get("out.npy") == case.new and sorted(temporaries()) == sorted(before), files())


def test_other_signals_leave_nothing_behind():
    need_device()
    chance = random.Random("%d signals" % SEED)
    case = Replacement()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has it ignored, and so would the command
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        ended = 0
        span = case.writing / 2
        for _ in range(40):
            was_ended, left = case.end_early(number, chance.uniform(0, span), True)
            span *= 1 if was_ended else 0.7
            check(left == [], signal.Signals(number).name, "leaves", left)
            ended += was_ended
            if ended == 3:
                break
        check(ended == 3, "the signal met no call", signal.Signals(number).name, ended)
    # What the caller ignores, as nohup does, stays ignored.
    process = subprocess.Popen([Place.clnd, *case.call], stdin=NULL, stdout=NULL, stderr=NULL,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_for_temporary(process)
    process.send_signal(signal.SIGHUP)
    check(process.wait() == 0 and get("out.npy") == case.new, "an ignored signal ended the command")


def test_a_file_that_grows_too_large_is_refused():
    need_device()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    case = Replacement()
    check_refused(clnd(*case.call, preexec_fn=limit), "out.npy: cannot write: File too large",
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
    if len(sys.argv) not in (3, 4):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    Place.clnd, Place.source = (os.path.abspath(path) for path in sys.argv[1:3])
    print("# seed %d" % SEED)
    chosen = [property for property in support.properties_of(sys.modules[__name__])
              if "".join(sys.argv[3:]) in property.__name__]
    with tempfile.TemporaryDirectory(prefix="clnd-crash-") as Place.scratch:
        sys.exit(support.run_properties(chosen))

# SPDX-License-Identifier: Apache-2.0
"""How a call is measured: cold caches, rounds, a plain copy beside it."""
import ctypes
import ctypes.util
import gc
import glob
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

MIB = 1 << 20
WARM_CALLS = 3
MOST_SAMPLES = 2000
SMALL_SAMPLE = 2e-3  # seconds of back-to-back calls
COPIES = 3          # beside a case, in a round
CLEARING_READS = 4  # docs/benchmarking.md has the measurement
ALL_ARENAS = 4096   # MALLCTL_ARENAS_ALL of jemalloc 5
TRIAL_SECONDS = 0.5  # that the ways to make a call are tried for, each


def text_of(path):
    """What is in a file of the system; "" where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def after(word, text, otherwise):
    """The rest of the first line that begins with the word."""
    return next((line[len(word):].lstrip(" \t:") for line in text.splitlines()
                 if line.startswith(word)), otherwise)


def cache_size(level):
    """Bytes; 0 where the system does not say."""
    for folder in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*"):
        size = text_of(folder + "/size")
        if text_of(folder + "/level") == str(level) and size.endswith("K"):
            return int(size[:-1]) << 10
    return 0


def last_level_cache():
    return cache_size(3) or cache_size(2)


def processor():
    """As clnd-bench names it: in virtual machines the name alone does not tell which it is."""
    text = text_of("/proc/cpuinfo")
    family, model = (after(word, text, None) for word in ("cpu family", "model\t"))
    which = f" (family {family}, model {model})" if family and model else ""
    return after("model name", text, "unknown") + which


def machine():
    """What every result file names, with the keys of clnd-bench."""
    policy = text_of("/sys/kernel/mm/transparent_hugepage/enabled")
    return {
        "processor": processor(), "cores": os.cpu_count(),
        "l2_cache": cache_size(2), "l3_cache": cache_size(3),
        "huge_pages": policy.partition("[")[2].partition("]")[0] or "unknown",
    }


def available_memory():
    """Bytes that programs can still have; None where the system does not say."""
    found = after("MemAvailable", text_of("/proc/meminfo"), None)
    return int(found.split()[0]) << 10 if found else None


def find_jemalloc():
    """The name that LD_PRELOAD takes; None where it is not installed."""
    return ctypes.util.find_library("jemalloc")


def allocator():
    """Of this process."""
    return "jemalloc" if "libjemalloc" in text_of("/proc/self/maps") else "system"


def allocator_environment(name):
    """What gives a process an allocator. jemalloc keeps all that is freed, so that a result does
    not cost page faults in every call."""
    if name != "jemalloc":
        return {}
    return {"LD_PRELOAD": find_jemalloc(), "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1"}


def copied_bytes(tiny):
    """Of the plain copy."""
    return MIB // 4 if tiny else 256 * MIB


class Team:
    """Threads that divide a range among them."""

    def __init__(self, threads):
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads)

    def run(self, function, size):
        bounds = [size * i // self.threads for i in range(self.threads + 1)]
        list(self.pool.map(function, bounds[:-1], bounds[1:]))


class Caches:
    """Clears a CPU's caches by reading, with all threads."""

    def __init__(self, threads, tiny):
        self.team = Team(threads)
        size = MIB // 4 if tiny else max(64 * MIB, last_level_cache())
        self.scratch = np.ones(int(size) // 8, dtype=np.uint64)

    def clear(self):
        for _ in range(CLEARING_READS):
            self.team.run(lambda begin, end: int(self.scratch[begin:end].max()), len(self.scratch))


class PlainCopy:
    """The C library's memmove on all threads, which goes past the caches for sizes like these."""

    def __init__(self, threads, tiny):
        self.team = Team(threads)
        self.source = np.ones(copied_bytes(tiny), dtype=np.uint8)
        self.sink = np.ones(copied_bytes(tiny), dtype=np.uint8)

    def seconds(self):
        to, source = self.sink.ctypes.data, self.source.ctypes.data
        start = time.perf_counter()
        self.team.run(lambda begin, end: ctypes.memmove(to + begin, source + begin, end - begin),
                      len(self.sink))
        return time.perf_counter() - start


class Clock:
    """Wall time from the call to the end of it; libraries with a clock of their own replace it."""

    def __init__(self, caches, tiny):
        self.caches = caches
        self.tiny = tiny

    def clear(self):
        self.caches.clear()

    @staticmethod
    def wall(call):
        """Seconds, and the result, which has to stay until the clock has stopped."""
        start = time.perf_counter()
        result = call()
        return time.perf_counter() - start, result

    device = None  # seconds by the device's clock, where there is one
    copy_seconds = None  # of a plain copy on the device; on a CPU the parent process makes it


class ReadingClock(Clock):
    """The caches of a device, which a function of its library reads the scratch buffer through."""

    def __init__(self, clock, make):
        """make(bytes) -> a function that reads so much of the device's memory and waits"""
        super().__init__(clock.caches, clock.tiny)
        self.clear = make(copied_bytes(clock.tiny))


def release_memory():
    """Gives back what a case has left behind, so that the other libraries can have it."""
    gc.collect()
    library = ctypes.CDLL(None)
    try:
        if allocator() == "jemalloc":
            library.mallctl(b"arena.%d.purge" % ALL_ARENAS, None, None, None, 0)
        else:
            library.malloc_trim(0)
    except AttributeError:
        pass  # not the GNU C library


def warm_up(call, options):
    """Calls until the time is over; the shortest."""
    seconds = options["warm_up"] / options["parts"]
    start, shortest, made = time.perf_counter(), math.inf, 0
    while made < WARM_CALLS or time.perf_counter() - start < seconds:
        shortest = min(shortest, Clock.wall(call)[0])
        made += 1
    return shortest


def enough(count, spent, options):
    """Whether a round has its part of the samples; the calls of a Spatter file share theirs."""
    times = options["rounds"] * options["parts"]
    return count >= MOST_SAMPLES or (count * times >= options["samples"] and
                                     spent * times >= options["seconds"])


def copies_of(options):
    return max(1, COPIES // options["parts"])


def sample_small(call, options):
    """Hot caches: means over as many calls as take 2 ms."""
    calls = max(1, math.ceil(SMALL_SAMPLE / max(warm_up(call, options), 1e-8)))
    samples, begin = [], time.perf_counter()
    while not enough(len(samples), time.perf_counter() - begin, options):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter() - start) / calls)
    return {"wall": samples, "device": [], "copies": []}


def sample_cold(call, clock, options):
    warm_up(call, options)
    samples, device, begin = [], [], time.perf_counter()
    while not enough(len(samples), time.perf_counter() - begin, options):
        clock.clear()
        taken, result = clock.wall(call)
        del result  # its memory is free for the next call, as in a program
        samples.append(taken)
        if clock.device:
            clock.clear()
            device.append(clock.device(call))
    copies = [clock.copy_seconds() for _ in range(copies_of(options))] if clock.copy_seconds \
        else []
    return {"wall": samples, "device": device, "copies": copies}


def sample(call, kind, clock, options):
    gc.collect()
    gc.disable()
    try:
        if kind == "small":
            return sample_small(call, options)
        return sample_cold(call, clock, options)
    finally:
        gc.enable()


def trial(call):
    """How long a call takes, roughly."""
    start, shortest = time.perf_counter(), math.inf
    for _ in range(WARM_CALLS):
        shortest = min(shortest, Clock.wall(call)[0])
        if time.perf_counter() - start > TRIAL_SECONDS:
            break
    return shortest


def choose(ways, check):
    """Of several ways to make a call, each a name and a function that makes the call, the fastest
    whose result is right: its name. The others' faults are in the second value."""
    times, faults = {}, {}
    for name, make in ways:
        try:
            call = make()
            check(call())
            times[name] = trial(call)
        except Exception as fault:  # whatever a library raises: this way is not to be had
            faults[name] = " ".join(str(fault).split()) or type(fault).__name__
        call = None
    if not times:
        name = next(iter(faults), None)
        raise RuntimeError("%s: %s" % (name, faults[name]) if name else "no natural call")
    return min(times, key=times.get), faults


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def thread_environment(threads):
    """What sets the number of threads of libraries that read it when they are loaded."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NPROC", "PJRT_NPROC",
             "POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT")
    return {name: str(threads) for name in names}


def all_cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

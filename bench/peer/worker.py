# SPDX-License-Identifier: Apache-2.0
"""One library in a process of its own: reads requests, a JSON object in a line each, from standard
input and answers on what was standard output. The library's own words go to standard error.

usage: python -m peer.worker LIBRARY DEVICE THREADS
"""
import importlib
import json
import os
import sys

import numpy as np

from . import libraries, measure
from .problem import Problem


def take_standard_output():
    """The stream for answers; what else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def load(name, device, threads):
    """The library, or what is said instead."""
    try:
        module = importlib.import_module("peer.on_" + name)
    except ModuleNotFoundError as fault:
        return None, "the module %s is not installed" % fault.name
    except Exception as fault:
        return None, "%s cannot be loaded: %s" % (name, " ".join(str(fault).split()))
    if device not in module.Library.devices:
        return None, "%s does not run on %s" % (name, device)
    try:
        return module.Library(device, threads), None
    except Exception as fault:
        return None, " ".join(str(fault).split())


class Worker:
    def __init__(self, library, threads):
        self.library = library
        self.threads = threads
        self.clocks = {}

    def clock(self, tiny):
        if tiny not in self.clocks:
            caches = measure.Caches(self.threads, tiny)
            self.clocks[tiny] = self.library.clock(measure.Clock(caches, tiny))
        return self.clocks[tiny]

    def measure(self, request):
        """Samples of one call in one round. Without a "way" the ways are tried and verified."""
        clock = self.clock(request["tiny"])
        arrays = [np.load(path) if path else None for path in request["files"]]
        problem = Problem(request["call"], *arrays)
        free = measure.available_memory()
        if free is not None and problem.needs() > free:
            raise MemoryError("needs %.2f GiB of memory, %.2f are free" % (
                problem.needs() / 2 ** 30, free / 2 ** 30))
        ways = getattr(self.library, problem.form)(problem)
        way, faults = request.get("way"), {}
        if way is None:
            way, faults = measure.choose(
                ways, lambda value: problem.check(self.library.to_numpy(value)))
        samples = measure.sample(dict(ways)[way](), request["kind"], clock, request["options"])
        return {"way": way, "faults": faults, **samples}

    def answer(self, request):
        try:
            return self.measure(request)
        except Exception as fault:  # a library may raise anything; the next case may go well
            return {"error": " ".join(str(fault).split()) or type(fault).__name__}


def main():
    name, device, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    answers = take_standard_output()

    def say(what):
        answers.write(json.dumps(what) + "\n")
        answers.flush()

    library, missing = load(name, device, threads)
    if library is None:
        say({"missing": missing})
        return 1
    say({"version": library.version, "threads": library.threads,
         "allocator": measure.allocator()})
    worker = Worker(library, threads)
    for line in sys.stdin:
        answer = worker.answer(json.loads(line))
        measure.release_memory()
        say(answer)
    return 0


if __name__ == "__main__":
    if sys.argv[1] in libraries.NAMES:
        sys.exit(main())

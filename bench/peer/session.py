# SPDX-License-Identifier: Apache-2.0
"""Rounds through the cases, in each of which clnd-bench and every library have their turn."""
import json
import math
import os
import select
import shlex
import subprocess
import sys
import tempfile

import numpy as np

from . import libraries, measure, problem, table
from .cases import Trouble

LOAD_SECONDS = 300  # that a library may take to be loaded


class Process:
    """A library's process, started anew when it has ended."""

    def __init__(self, name, options, folder):
        self.name = name
        self.options = options
        self.log = os.path.join(folder, name + ".log")
        self.process = None
        self.about = None

    def start(self):
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        threads = self.options.threads
        environment = {**os.environ, **measure.thread_environment(threads),
                       **measure.allocator_environment(self.options.allocator),
                       "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "2",
                       "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        environment["PYTHONPATH"] = os.pathsep.join(
            [here] + [path for path in (os.environ.get("PYTHONPATH"),) if path])
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "peer.worker", self.name, self.options.device,
                 str(threads)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log)
        self.about = self.read(LOAD_SECONDS)
        if "error" in self.about:
            self.about = {"missing": self.about["error"]}
        return self.about

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        return ": " + lines[-1][:200] if lines else ""

    def read(self, seconds):
        """The answer, or an error that says why there is none; then the process has ended."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        if not ready:
            self.process.kill()
        status = self.stop()
        if not ready:
            return {"error": "no result after %d seconds" % seconds}
        how = "signal %d" % -status if status < 0 else "status %d" % status
        return {"error": "the process ended with %s%s" % (how, self.last_words())}

    def ask(self, request):
        if self.process is None and "missing" in self.start():
            return {"error": self.about["missing"]}
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended; read says how
        return self.read(self.options.timeout)

    def stop(self):
        if self.process is None:
            return 0
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        status, self.process = self.process.returncode, None
        return status


class Samples:
    """What one library took for one call, over the rounds."""

    def __init__(self):
        self.wall, self.device, self.copies = [], [], []
        self.way = None
        self.faults = {}
        self.error = None
        self.last = []

    def add(self, answer):
        if "error" in answer:
            self.error = answer["error"]
            return
        self.way = answer["way"]
        self.faults.update(answer["faults"])
        self.last = []
        for own, key in ((self.wall, "wall"), (self.device, "device"), (self.copies, "copies")):
            self.last.append((own, len(own)))
            own.extend(answer[key])

    def forget_last(self):
        """What was added last."""
        for own, length in self.last:
            del own[length:]
        self.last = []

    def result(self, copied):
        """As a result file has it. Devices with a clock of their own are timed by it."""
        if self.error:
            return {"error": self.error}
        times = self.device or self.wall
        result = {"median_s": measure.median(times), "min_s": min(times), "n": len(times),
                  "call": self.way}
        if self.device:
            result["wall_s"] = measure.median(self.wall)
        if self.copies:
            result["copy_GBps"] = copied / measure.median(self.copies) * 1e-9
        if self.faults:
            result["other_calls"] = self.faults
        return result


def sum_of(results):
    """The result of a case that consists of several calls."""
    for number, result in enumerate(results):
        if "error" in result:
            return {"error": "entry %d: %s" % (number, result["error"])}
    total = {key: sum(result[key] for result in results) for key in ("median_s", "min_s")}
    total["n"] = min(result["n"] for result in results)
    copies = [1 / result["copy_GBps"] for result in results if result.get("copy_GBps")]
    if copies:
        total["copy_GBps"] = len(copies) / sum(copies)
    return total


def whole(case, library, results):
    """The line of a result file for a case and a library."""
    result = results[0] if not case.is_list else sum_of(results)
    line = {"case": case.id, "library": library, **result}
    if case.is_list:
        line["entries"] = [{"case": call["id"], **one} for call, one in zip(case.calls, results)]
    if "median_s" in line:
        line["payload_bytes"] = case.payload
        line["payload_GBps"] = case.payload / line["median_s"] * 1e-9
    line["in_averages"] = case.in_averages
    return line


def merged(rounds):
    """clnd-bench's results of one case from several rounds: medians of medians, least of least."""
    good = [one for one in rounds if "error" not in one]
    if len(good) < len(rounds) or not good:
        return next((one for one in rounds if "error" in one), {"error": "no result"})
    line = dict(good[-1])
    for key in ("median_s", "wall_s", "device_s", "c_median_s", "copy_GBps"):
        values = [one[key] for one in good if isinstance(one.get(key), (int, float))]
        if values:
            line[key] = measure.median(values)
    for key in ("min_s", "c_min_s"):
        values = [one[key] for one in good if isinstance(one.get(key), (int, float))]
        if values:
            line[key] = min(values)
    line["n"] = sum(one["n"] for one in good)
    return line


class Interleaved:
    """clnd-bench, run for one case at a time."""

    def __init__(self, command, options, folder):
        words = shlex.split(command)
        # "... --json" and "... --json -" say what is done anyway.
        if words[-1:] == ["--json"]:
            words = words[:-1]
        elif words[-2:] == ["--json", "-"]:
            words = words[:-2]
        if not words:
            raise Trouble("--interleave takes a command, as in --interleave 'clnd-bench --json'")
        self.words = words
        self.options = options
        self.path = os.path.join(folder, "clnd.json")
        self.header = {}
        self.lines = {}

    def run(self, case):
        options = self.options
        share = max(1, math.ceil(options.samples / options.rounds))
        command = self.words + [
            "--filter", case.id, "--size", options.size, "--rounds", "1",
            "--samples", str(share), "--seconds", str(options.seconds / options.rounds),
            "--warm-up", str(options.warm_up), "--json", self.path]
        if os.path.exists(self.path):
            os.unlink(self.path)
        environment = {**os.environ, **measure.thread_environment(options.threads)}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  check=False, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return {"case": case.id, "error": "no result after %d seconds" % options.timeout}
        except OSError as fault:
            raise Trouble("%s: %s" % (self.words[0], fault)) from None
        try:
            with open(self.path, encoding="utf-8") as file:
                document = json.load(file)
            line = document.pop("results")[0]
        except (OSError, ValueError, LookupError):
            words = (done.stderr.strip().splitlines() or ["status %d" % done.returncode])[-1]
            return {"case": case.id, "error": words[:300]}
        self.header = document
        return line

    def turn(self, case):
        line = self.run(case)
        self.lines.setdefault(case.id, []).append(line)
        return line


class Session:
    def __init__(self, cases, options, folder, progress):
        self.cases = cases
        self.options = options
        self.folder = folder
        self.progress = progress
        self.processes = [Process(name, options, folder) for name in options.peers]
        self.missing = {}
        self.samples = {}
        self.is_tiny = options.size == "tiny"
        self.copy = measure.PlainCopy(options.threads, self.is_tiny)
        self.clnd = Interleaved(options.interleave, options, folder) if options.interleave \
            else None

    def load(self):
        """Starts the libraries; what is not to be had is kept in `missing`."""
        for process in list(self.processes):
            self.progress("loading " + process.name)
            about = process.start()
            if "missing" in about:
                self.missing[process.name] = about["missing"]
                self.processes.remove(process)
                process.stop()
        if not self.processes and not self.clnd:
            said = ["%s: %s" % pair for pair in self.missing.items()]
            raise Trouble("there is nothing to measure: " + "; ".join(said))

    def files_of(self, case, number):
        """The call's index array and weights, drawn once, for all libraries and rounds."""
        call = case.calls[number]
        if call["op"] == "slice":
            return [None, None]
        if "pattern" in call:  # large in number, quickly made: not kept
            name = os.path.join(self.folder, "pattern")
        else:
            name = os.path.join(self.folder, case.id)
        paths = [name + "-indices.npy", name + "-weights.npy"]
        if "pattern" in call or not os.path.exists(paths[0]):
            indices, weights = problem.draw_indices(call)
            np.save(paths[0], indices)
            if weights is not None:
                np.save(paths[1], weights)
        return [paths[0], paths[1] if os.path.exists(paths[1]) else None]

    def turn(self, process, case):
        """The seconds of the copies beside it."""
        options, copies = self.options, []
        for number, call in enumerate(case.calls):
            own = self.samples.setdefault((case.id, process.name, number), Samples())
            if own.error:
                continue
            try:
                files = self.files_of(case, number)
            except (problem.Unknown, ValueError, MemoryError) as fault:
                own.error = str(fault)
                continue
            pace = {"samples": options.samples, "seconds": options.seconds,
                    "rounds": options.rounds, "warm_up": options.warm_up,
                    "parts": len(case.calls)}
            answer = process.ask({
                "call": call, "kind": case.sample_kind, "files": files, "way": own.way,
                "tiny": self.is_tiny, "options": pace})
            if self.copies_beside(case, answer):
                answer["copies"] = self.copy_seconds(pace)
                copies += answer["copies"]
            own.add(answer)
        return copies

    def turn_of_clnd(self, case):
        """What clnd-bench copies goes past the caches; the marks of the table compare these."""
        line, copies = self.clnd.turn(case), []
        if self.copies_beside(case, line):
            copies = self.copy_seconds({"parts": 1})
            line["copy_GBps"] = measure.copied_bytes(self.is_tiny) / measure.median(copies) * 1e-9
        return copies

    def forget_turns(self, case):
        for key, samples in self.samples.items():
            if key[0] == case.id:
                samples.forget_last()
        if self.clnd:
            self.clnd.lines[case.id].pop()

    def copies_beside(self, case, answer):
        return self.options.device == "cpu" and case.sample_kind == "cold" and \
            "error" not in answer

    def copy_seconds(self, pace):
        return [self.copy.seconds() for _ in range(measure.copies_of(pace))]

    def take_turns(self, case, turns, title):
        """Once more if the machine was in different states, as the copies tell."""
        for tries in range(self.options.retries, -1, -1):
            copies = []
            for one in turns:
                name = libraries.CLND if one is self.clnd else one.name
                self.progress("%s, %s, %s" % (title, case.id, name))
                own = self.turn_of_clnd(case) if one is self.clnd else self.turn(one, case)
                copies += [measure.median(own)] if own else []
            if not tries or not table.differ(copies):
                return
            self.forget_turns(case)

    def run(self):
        turns = ([self.clnd] if self.clnd else []) + self.processes
        for number in range(self.options.rounds):
            title = "round %d of %d" % (number + 1, self.options.rounds)
            # Each is the first one once in a while.
            first = number % len(turns)
            for case in self.cases:
                self.take_turns(case, turns[first:] + turns[:first], title)

    def results(self):
        copied = measure.copied_bytes(self.is_tiny)
        lines = []
        for case in self.cases:
            if self.clnd:
                lines.append({**merged(self.clnd.lines[case.id]), "library": libraries.CLND})
            for process in self.processes:
                lines.append(whole(case, process.name, [
                    self.samples[case.id, process.name, number].result(copied)
                    for number in range(len(case.calls))]))
        return lines

    def about(self):
        peers = {process.name: process.about for process in self.processes}
        peers.update({name: {"missing": text} for name, text in self.missing.items()})
        return peers

    def stop(self):
        for process in self.processes:
            process.stop()


def measured(cases, options, progress):
    """The parts of a result file that come from measuring: peers, clnd's header, results."""
    with tempfile.TemporaryDirectory(prefix="clnd-peers-") as folder:
        session = Session(cases, options, folder, progress)
        try:
            session.load()
            session.run()
            return session.about(), session.clnd.header if session.clnd else None, \
                session.results()
        finally:
            session.stop()

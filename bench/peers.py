#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark's cases on NumPy, PyTorch, TensorFlow, JAX, ONNX Runtime and CuPy.

Each library runs in a process of its own, with its fastest natural call for each case, verified
before it is timed. `sh tools/install-peers.sh` installs the libraries; docs/benchmarking-peers.md
says how to read the numbers.

    peers.py --interleave 'build/bench/clnd-bench --device cpu' --json both.json --plot pictures
    peers.py --json peers.json
    peers.py --join clnd.json peers.json
"""
import argparse
import datetime
import json
import os
import platform
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

try:
    from peer import cases, libraries, measure, plot, session, table
except ModuleNotFoundError as fault:
    sys.exit("peers.py: %s has no %s; sh tools/install-peers.sh makes an environment that has it"
             % (sys.executable, fault.name))

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def bounded(convert, low, high):
    def read(word):
        try:
            value = convert(word)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError("from %s to %s, not '%s'" % (low, high, word))
        return value
    return read


def names(text):
    chosen = text.split(",")
    for name in chosen:
        if name not in libraries.NAMES:
            raise argparse.ArgumentTypeError("'%s' is none of %s" % (
                name, ", ".join(libraries.NAMES)))
    return chosen


def parser():
    whole, real = bounded(int, 1, 1000000), bounded(float, 0, 3600)
    made = argparse.ArgumentParser(
        usage="peers.py [OPTION]...", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    what = made.add_argument_group("what is measured")
    what.add_argument("--size", choices=cases.SIZES, help="default by the device")
    what.add_argument("--filter", metavar="GLOB[,...]", help="only the cases whose names match")
    what.add_argument("--peers", metavar="NAME[,...]", type=names, default=libraries.NAMES,
                      help="of " + ", ".join(libraries.NAMES))
    what.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    what.add_argument("--bench", metavar="CLND_BENCH", help="the program that has the cases")
    what.add_argument("--cases", metavar="FILE.json",
                      help="what clnd-bench --describe-json has written, in place of it")
    what.add_argument("--list", action="store_true", help="the names of the cases")
    how = made.add_argument_group("how")
    how.add_argument("--threads", metavar="N", type=bounded(int, 1, measure.all_cores()),
                     help="of every library; default: all cores")
    how.add_argument("--allocator", choices=("jemalloc", "system"),
                     help="of the libraries' processes; default: jemalloc where it is installed")
    how.add_argument("--rounds", metavar="N", type=whole, default=1)
    how.add_argument("--samples", metavar="N", type=whole, default=5,
                     help="of each call at least")
    how.add_argument("--seconds", metavar="S", type=real, default=0.3,
                     help="that these take at least, with the clearing of caches")
    how.add_argument("--warm-up", metavar="S", type=real, default=0.02)
    how.add_argument("--retries", metavar="N", type=bounded(int, 0, 100), default=2,
                     help="of a case whose copies say that the machine changed meanwhile")
    how.add_argument("--timeout", metavar="S", type=whole, default=900,
                     help="for one library and one call in a round")
    how.add_argument("--interleave", metavar="COMMAND",
                     help="clnd-bench and its options, run in turns with the libraries")
    out = made.add_argument_group("what comes out")
    out.add_argument("--json", metavar="FILE", help="all results; - is standard output")
    out.add_argument("--csv", action="store_true", help="comma-separated values as the table")
    out.add_argument("--markdown", action="store_true",
                     help="the table as a section of docs/benchmarking-peers.md")
    out.add_argument("--plot", metavar="DIR", help="a picture, by gnuplot")
    out.add_argument("--join", metavar="FILE.json", nargs="+",
                     help="results of clnd-bench --json and of this program; nothing is measured")
    return made


def progress(text):
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def limit_threads(threads):
    """All that is started from here on has these cores only."""
    if threads < measure.all_cores():
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def choose_allocator(name):
    has_jemalloc = measure.find_jemalloc() is not None
    if name == "jemalloc" and not has_jemalloc:
        raise cases.Trouble("jemalloc is not installed (on Debian: apt-get install libjemalloc2)")
    return name or ("jemalloc" if has_jemalloc else "system")


def measured(options):
    options.size = options.size or ("gpu" if options.device == "cuda" else "cpu")
    if options.cases:
        origin, text = options.cases, cases.read_text(options.cases)
    else:
        origin = options.bench or cases.find_bench(ROOT, options.interleave)
        text = cases.described_by(origin)
    chosen = cases.matching(cases.parse(text, options.size, origin), options.filter)
    if options.list:
        print("\n".join(case.id for case in chosen))
        return None
    options.threads = options.threads or measure.all_cores()
    limit_threads(options.threads)
    options.allocator = choose_allocator(options.allocator)
    try:
        peers, clnd, results = session.measured(chosen, options, progress)
    finally:
        progress("")
    now = datetime.datetime.now(datetime.timezone.utc)
    document = {
        "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "size": options.size, "seed": 0,
        "machine": platform.machine(), "python": platform.python_version(),
        **measure.machine(), "allocator": options.allocator, "threads": options.threads,
        "peer_device": options.device, "rounds": options.rounds, "peers": peers,
    }
    if clnd is not None:
        document["clnd"] = clnd
    return {**document, "results": results}


def save(document, path):
    if path == "-":
        json.dump(document, sys.stdout, indent=1)
        print()
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    except OSError as fault:
        raise cases.Trouble("%s" % fault) from None


def report(document, options):
    if options.json:
        save(document, options.json)
    if options.csv:
        sys.stdout.write(table.csv(document))
    elif options.markdown:
        sys.stdout.write(table.markdown(document))
    elif options.json != "-":
        sys.stdout.write(table.text(document))
    if options.plot:
        plot.draw(document, options.plot)


def main():
    options = parser().parse_args()
    try:
        document = table.joined([table.load(path) for path in options.join]) if options.join \
            else measured(options)
        if document is not None:
            report(document, options)
    except cases.Trouble as fault:
        print("peers.py: %s" % fault, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("peers.py: interrupted", file=sys.stderr)
        return 130
    # The peers' faults are theirs; the table names them.
    wrong = [line for line in document["results"] if line.get("failed")] if document else []
    for line in wrong:
        print("peers.py: %s, %s: %s" % (line["case"], line["library"], line["error"]),
              file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Results of clnd and of the peers side by side: ratios of times, and their geometric means."""
import json
import math

from . import libraries
from .cases import Trouble, read_text

MOST_OF_AN_ERROR = 150  # characters; all of it is in the JSON
FEW_SAMPLES = 5  # fewer are marked
COPY_DRIFT = 1.25  # copy rates that differ by more are marked


def load(path):
    """A result file of clnd-bench or of peers.py."""
    try:
        document = json.loads(read_text(path))
        for line in document["results"]:
            if not isinstance(line["case"], str) or \
                    ("error" not in line and not line["median_s"] > 0):
                raise ValueError("a result has no \"case\" with a \"median_s\" above 0")
    except (ValueError, KeyError, TypeError) as fault:
        raise Trouble("%s: no results: %s" % (path, fault)) from None
    return document


def joined(documents):
    """One document of several. The last result of a case and library counts."""
    lines, whole = {}, {"peers": {}}
    for document in documents:
        is_clnd = any("library" not in line for line in document["results"])
        for line in document["results"]:
            key = line["case"], line.get("library", libraries.CLND)
            lines[key] = {**line, "library": key[1]}
        header = {key: value for key, value in document.items() if key != "results"}
        whole["peers"].update(header.pop("peers", {}))
        if is_clnd:
            whole["clnd"] = header
        else:
            whole.update(header)
    whole["results"] = list(lines.values())
    return whole


def differ(copies):
    """Whether copies took times, or ran at rates, of different states of the machine."""
    return bool(copies) and max(copies) > COPY_DRIFT * min(copies)


class Row:
    """A case: seconds by library, the copy rates beside them."""

    def __init__(self, case):
        self.case = case
        self.seconds = {}
        self.errors = {}
        self.copies = {}
        self.in_averages = False
        self.has_few = False

    @property
    def clnd(self):
        return self.seconds.get(libraries.CLND)

    def best_peer(self):
        peers = {name: self.seconds[name] for name in libraries.NAMES if name in self.seconds}
        return min(peers, key=peers.get) if peers else None

    def ratio(self, name):
        """How many times as long as clnd; None when one of the two has no time."""
        if self.clnd is None or name not in self.seconds:
            return None
        return self.seconds[name] / self.clnd

    def drifted(self):
        """Whether the machine's copy rate was another one for some of the times."""
        return differ([rate for rate in self.copies.values() if rate > 0])


def rows_of(document):
    rows = {}
    for line in document["results"]:
        if line.get("sweep"):
            continue
        row = rows.setdefault(line["case"], Row(line["case"]))
        name = line["library"]
        if "error" in line:
            row.errors[name] = line["error"]
            continue
        row.seconds[name] = line["median_s"]
        row.has_few = row.has_few or line.get("n", FEW_SAMPLES) < FEW_SAMPLES
        row.in_averages = row.in_averages or bool(line.get("in_averages", True))
        if line.get("copy_GBps"):
            row.copies[name] = line["copy_GBps"]
        if name == libraries.CLND and line.get("c_median_s"):
            row.seconds[libraries.C_LOOP] = line["c_median_s"]
    return list(rows.values())


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def columns_of(rows):
    """The libraries that have a time or an error, in their order."""
    return [name for name in libraries.NAMES + [libraries.C_LOOP]
            if any(name in row.seconds or name in row.errors for row in rows)]


def shown_time(seconds):
    return "-" if seconds is None else "%.4g" % (seconds * 1e3)


def shown_ratio(ratio):
    return "-" if ratio is None else "%.2f" % ratio


def laid_out(lines):
    """Columns as wide as what is in them; all but the first two to the right."""
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) if k in (0, 2) else cell.rjust(width)
                      for k, (cell, width) in enumerate(zip(line, widths))).rstrip()
            for line in lines]


def cell(row, name, has_clnd):
    if name in row.errors:
        return "error"
    return shown_ratio(row.ratio(name)) if has_clnd else shown_time(row.seconds.get(name))


def means(rows, columns):
    """Per column the mean over cases that count and that both have a time for, and their number."""
    counted = [row for row in rows if row.in_averages and row.clnd]
    found = {}
    for name in columns:
        ratios = [row.ratio(name) for row in counted if row.ratio(name)]
        found[name] = geometric_mean(ratios), len(ratios)
    best = [row.ratio(row.best_peer()) for row in counted if row.best_peer()]
    found["best"] = geometric_mean(best), len(best)
    return found


def header(document):
    """The machine, how the libraries ran, and how clnd did."""
    machine = document if "processor" in document else document.get("clnd", {})
    lines = []
    if "processor" in machine:
        lines.append("%s, %d cores, L2 %d KiB a core, L3 %d KiB, huge pages: %s" % (
            machine["processor"], machine["cores"], machine["l2_cache"] >> 10,
            machine["l3_cache"] >> 10, machine["huge_pages"]))
    if "allocator" in document:
        versions = ["%s %s" % (libraries.TITLES[name], about["version"])
                    for name, about in document["peers"].items() if "version" in about]
        lines.append("%s; allocator %s, arrays on the pages that NumPy and the libraries choose" % (
            ", ".join(versions), document["allocator"]))
    clnd = document.get("clnd", {})
    if "pages" in clnd:
        lines.append("clnd %s, %s build, on %s, %s, driver %s; allocator %s, %s pages" % (
            clnd["clnd"], clnd["build_type"], clnd["device"], clnd["platform"], clnd["driver"],
            clnd["allocator"], clnd["pages"]))
    return lines + [""] if lines else []


def text(document):
    """The table. With clnd's times, numbers are ratios to them, above 1 where clnd is faster."""
    rows = rows_of(document)
    columns = columns_of(rows)
    has_clnd = any(row.clnd for row in rows)
    short = [libraries.SHORT.get(name, name) for name in columns]
    lines = [["case", "clnd ms" if has_clnd else "best ms", "best peer"] +
             (["best"] if has_clnd else []) + short + [""]]
    for row in rows:
        best = row.best_peer()
        first = "error" if libraries.CLND in row.errors else \
            shown_time(row.clnd if has_clnd else row.seconds.get(best))
        lines.append([row.case, first, libraries.SHORT.get(best, best) or "-"] +
                     ([shown_ratio(row.ratio(best))] if has_clnd else []) +
                     [cell(row, name, has_clnd) for name in columns] +
                     [("~" if row.drifted() else "") + ("!" if row.has_few else "")])
    shown = header(document) + laid_out(lines)
    if has_clnd:
        shown += ["", "Times as multiples of clnd's: above 1, clnd is faster."]
    else:
        shown += ["", "Milliseconds."]
    if any(row.drifted() for row in rows):
        shown.append("~ the copies beside the case ran at rates that differ by more than a "
                     "quarter: no fair comparison.")
    if any(row.has_few for row in rows):
        shown.append("! one of the times rests on fewer than %d samples." % FEW_SAMPLES)
    if has_clnd:
        shown += summary(rows, columns)
    faults = [(name, row) for row in rows for name in row.errors]
    if faults:
        shown += ["", "No time:"]
    for name, row in faults:
        shown.append("  %-24s %s: %s" % (row.case, libraries.TITLES.get(name, name),
                                         row.errors[name][:MOST_OF_AN_ERROR]))
    for name, about in document.get("peers", {}).items():
        if "missing" in about:
            shown.append("%s: %s" % (libraries.TITLES.get(name, name), about["missing"]))
    return "\n".join(shown) + "\n"


def summary(rows, columns):
    found = means(rows, columns)
    if not found["best"][1] and not any(count for _, count in found.values()):
        return []
    lines = ["", "Geometric means, small calls left out:"]
    for name in ["best"] + columns:
        mean, count = found[name]
        title = "best peer" if name == "best" else libraries.TITLES[name]
        if count:
            lines.append("  %-13s %5.2f  over %d cases" % (title, mean, count))
    slower = [(row.ratio(row.best_peer()), row) for row in rows
              if row.best_peer() and row.clnd and row.ratio(row.best_peer()) < 1]
    if slower:
        lines += ["", "Slower than the best peer:"]
    for ratio, row in sorted(slower, key=lambda pair: pair[0]):
        lines.append("  %-24s %5.2f  %s" % (row.case, ratio,
                                            libraries.TITLES[row.best_peer()]))
    return lines


def markdown(document):
    """A section of docs/benchmarking-peers.md: the machine, the means, the cases."""
    rows = [row for row in rows_of(document) if row.clnd and row.best_peer()]
    columns = columns_of(rows)
    found = means(rows, columns)
    titles = [libraries.TITLES[name] for name in columns]
    machine = header(document)
    lines = ["### " + machine[0].split(",")[0] if machine else "### A processor", ""]
    if machine:
        lines += ["- " + line for line in machine if line] + [""]

    def add(*cells):
        lines.append("| " + " | ".join(cells) + " |")

    add("case", "clnd ms", "fastest peer", "its time", *titles)
    lines.append("|---" * (4 + len(titles)) + "|")
    for row in rows:
        best = row.best_peer()
        add("`%s`" % row.case, shown_time(row.clnd), libraries.TITLES[best],
            shown_ratio(row.ratio(best)), *[cell(row, name, True) for name in columns])
    add("geometric mean", "", "", shown_ratio(found["best"][0]),
        *[shown_ratio(found[name][0]) for name in columns])
    return "\n".join(lines) + "\n"


def csv(document):
    rows = rows_of(document)
    columns = columns_of(rows)
    lines = [",".join(["case", "clnd_s", "best_peer", "best_ratio"] +
                      ["%s_%s" % (name, what) for name in columns for what in ("s", "ratio")])]

    def number(value):
        return "" if value is None else "%.6g" % value

    for row in rows:
        best = row.best_peer()
        cells = [row.case, number(row.clnd), best or "", number(row.ratio(best))]
        for name in columns:
            cells += [number(row.seconds.get(name)), number(row.ratio(name))]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""A picture of the ratios, by gnuplot: one line for each case, one point for each library."""
import os
import subprocess

from . import libraries, table
from .cases import Trouble

TERMINALS = {"png": "pngcairo", "svg": "svg"}
NAME = "peers"

# lc, pt and size by library; the C loop is no peer and is drawn more faintly.
LOOKS = {
    "numpy": ("#0060a0", 7), "torch": ("#c04020", 5), "tensorflow": ("#d09000", 9),
    "jax": ("#408040", 11), "onnxruntime": ("#8040a0", 13), "cupy": ("#008080", 15),
    "c": ("#909090", 2),
}

SCRIPT = """\
set terminal {terminal} size 1000, {high} background '#ffffff'
set output '{picture}'
set title "{title}"
set xlabel "time as a multiple of clnd's (logarithmic); right of 1, clnd is faster"
set logscale x
set xrange [{low:.3g}:{top:.3g}]
set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
set yrange [{last}:-0.5]
set datafile missing '?'
set grid lt 1 lw 0.5 lc rgb '#c8c8c8'
set border 3
set xtics nomirror
set ytics nomirror
set key above horizontal Left reverse samplen 1 width 1
set arrow from 1, graph 0 to 1, graph 1 nohead lw 2 lc rgb '#000000' back
plot {plots}
"""


def plain(text):
    """Without what gnuplot would take for its own."""
    return "".join(c for c in text if " " <= c <= "~" and c not in "\"'\\`$@{}^_&%")


def points(document):
    """The data file's text, its columns, its rows, and all ratios."""
    rows = [row for row in table.rows_of(document) if row.clnd]
    columns = table.columns_of(rows)
    lines, ratios = [], []
    for number, row in enumerate(rows):
        own = [row.ratio(name) for name in columns]
        ratios += [ratio for ratio in own if ratio]
        cells = ["?" if ratio is None else "%.6g" % ratio for ratio in own]
        lines.append('%d "%s" %s' % (number, plain(row.case), " ".join(cells)))
    return "\n".join(lines) + "\n", columns, len(rows), ratios


def script(document, columns, count, ratios, ending):
    about = document.get("clnd", {})
    device = plain("%s, %s" % (about.get("device", "unknown device"),
                               "clnd " + str(about.get("clnd", "")))).strip()
    plots = []
    for k, name in enumerate(columns):
        colour, mark = LOOKS[name]
        plots.append("'%s.dat' using %d:1:ytic(2) with points lc rgb '%s' pt %d ps 1.2 lw 2 "
                     "title '%s'" % (NAME, k + 3, colour, mark, libraries.TITLES[name]))
    return SCRIPT.format(
        terminal=TERMINALS[ending], high=180 + 21 * count, picture="%s.%s" % (NAME, ending),
        title="clnd and others, " + device, last=count - 0.5,
        low=min(0.8, 0.9 * min(ratios)), top=max(1.25, 1.1 * max(ratios)),
        plots=", \\\n     ".join(plots))


def draw(document, folder):
    """Writes peers.png and peers.svg, and what they are made of, into the folder."""
    data, columns, count, ratios = points(document)
    if not ratios:
        raise Trouble("a picture needs results of clnd and of a peer; see --interleave and --join")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, NAME + ".dat"), "w", encoding="ascii") as file:
            file.write(data)
        for ending in TERMINALS:
            name = "%s-%s.gp" % (NAME, ending)
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(script(document, columns, count, ratios, ending))
            done = subprocess.run(["gnuplot", name], cwd=folder, capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                raise Trouble("gnuplot could not draw %s: %s" % (
                    os.path.join(folder, name), " ".join(done.stderr.split())))
    except FileNotFoundError as fault:
        if fault.filename == "gnuplot":
            raise Trouble("the picture needs gnuplot, which is not installed") from None
        raise Trouble(str(fault)) from None
    except OSError as fault:
        raise Trouble(str(fault)) from None

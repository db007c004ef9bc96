#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw what each operation moves: docs/pictures/*.svg, from runs of the clnd command. Needs NumPy.

    draw_ops.py --clnd PATH            write the pictures
    draw_ops.py --clnd PATH --check    compare them with those that are there. Prints TAP

Elements that move have the colour of their row of indices. Which elements of params, input or
target these are is not computed here: the operation is run a second time, on numbers that tell.
"""

import argparse
import html
import os
import subprocess
import sys
import tempfile

import numpy as np

PICTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "pictures")
COLOURS = ["#9ecae1", "#fdc086", "#b2df8a", "#d7b5d8", "#ffe680", "#cccccc"]
PLAIN = "#ffffff"
ARROW = "\N{RIGHTWARDS ARROW}"
WIDTH, HEIGHT, GAP, TOP = 36, 26, 34, 24  # of a cell, between arrays, above them


class Grid:
    """An array, and for each element the colours that it has."""

    def __init__(self, title, values, colours=None):
        self.title = f"{title} {list(values.shape)}"
        # Up to two dimensions; a vector is a row.
        self.values = values.reshape((1,) * (2 - values.ndim) + values.shape)
        if colours is None:
            colours = np.zeros(values.shape, dtype=np.int64)
        self.colours = colours.reshape(self.values.shape)  # bit k: colour k

    def size(self):
        rows, columns = self.values.shape
        return max(columns * WIDTH, 7 * len(self.title)), rows * HEIGHT


def text(x, y, content, anchor="start"):
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">'
            f"{html.escape(content).replace(ARROW, '&#8594;')}</text>")


def cell(x, y, value, bits):
    colours = [COLOURS[k] for k in range(len(COLOURS)) if bits >> k & 1] or [PLAIN]
    part = WIDTH / len(colours)
    found = [f'<rect x="{x + k * part:g}" y="{y:g}" width="{part:g}" height="{HEIGHT}" '
             f'fill="{colour}"/>' for k, colour in enumerate(colours)]
    found.append(f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" fill="none" '
                 'stroke="#555555"/>')
    return [*found, text(x + WIDTH / 2, y + 18, str(value), "middle")]


def svg(lines):
    """A picture of lines (caption, operands, result)."""
    body, right, y = [], 0, 12
    for caption, operands, result in lines:
        body.append(text(12, y + 12, caption))
        y += TOP
        tallest = max(grid.size()[1] for grid in [*operands, result])
        x = 12
        for number, grid in enumerate([*operands, result]):
            if grid is result:
                body.append(f'<g font-size="22">{text(x, y + TOP + HEIGHT / 2 + 7, ARROW)}</g>')
                x += GAP
            body.append(text(x, y + 15, grid.title))
            for row, column in np.ndindex(grid.values.shape):
                body += cell(x + column * WIDTH, y + TOP + row * HEIGHT,
                             grid.values[row, column], int(grid.colours[row, column]))
            x += grid.size()[0] + (GAP if number < len(operands) - 1 else 12)
        right = max(right, x, 24 + 8 * len(caption))
        y += TOP + tallest + 14
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right:g}" height="{y:g}" '
        'font-family="monospace" font-size="13">',
        f'<rect width="{right:g}" height="{y:g}" rx="6" fill="#ffffff"/>', *body, "</svg>", ""])


class Command:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *words):
        """The result; words that are arrays stand for files of them."""
        words = list(words)
        for number, word in enumerate(words):
            if isinstance(word, np.ndarray):
                words[number] = os.path.join(self.folder, f"{number}.npy")
                np.save(words[number], word)
        result = os.path.join(self.folder, "result.npy")
        subprocess.run([self.path, *words, "-o", result], check=True)
        return np.load(result)


def index(values):
    return np.array(values, dtype=np.int32)


def numbered(*shape):
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


def of_rows(indices, axes):
    """Colour bits of the elements of indices: one colour for each of its outer `axes`."""
    rows = np.prod(indices.shape[:axes], dtype=int)
    bits = (1 << np.arange(rows)).reshape(indices.shape[:axes] + (1,) * (indices.ndim - axes))
    return np.broadcast_to(bits, indices.shape)


def gather(command, name, params, indices, *options, axes):
    """A line of a gather, whose rows of indices are its first `axes` dimensions."""
    result = command.run(name, params, indices, *options)
    bits = of_rows(indices, axes)
    # Numbers of elements from 1: what a policy puts in the place of a bad row is none.
    moved = command.run(name, 1 + numbered(*params.shape), indices, *options)
    there = np.zeros(params.size, dtype=np.int64)
    here = np.zeros(result.shape, dtype=np.int64)
    for place in np.ndindex(result.shape):
        rows = bits[place_of(name, place, options)].ravel()[0]
        here[place] = rows
        if moved[place] > 0:
            there[moved[place] - 1] |= rows
    grids = [Grid("params", params, there), Grid("indices", indices, bits)]
    return " ".join(("clnd", name, *options)), grids, Grid("out", result, here)


def place_of(name, place, options):
    """The row of indices that made the element of the output at `place`."""
    if name == "gather-elements":
        return place
    return place[int(options[1]) :] if "--axis" in options else place[:1]


def scatter(command, name, indices, updates, target, *options, axes):
    """A line of a scatter into `target`, or into zeros of its shape."""
    into = "--into" in options
    words = [target if word == "TARGET" else word for word in options]
    result = command.run(name, indices, updates, *words)
    bits = of_rows(indices, axes)
    # Sums of bits tell which rows have reached an element.
    own = of_rows(updates, axes) if name == "scatter-nd" else \
        np.broadcast_to(bits, updates.shape)
    empty = np.zeros(target.shape, dtype=np.int64)
    reduce = ["--reduce", "add"]
    others = [word for word in options if word in ("--axis", "1")]
    reached = command.run(name, indices, np.ascontiguousarray(own), "--into", empty, *reduce,
                          *others)
    grids = [Grid("indices", indices, bits), Grid("updates", updates, own)]
    if into:
        grids.append(Grid("target before", target))
    shown = [word.replace("TARGET", "target.npy") for word in options]
    return " ".join(("clnd", name, *shown)), grids, Grid("target" if into else "out", result,
                                                        reached)


def bits_by_number(values, size):
    """One colour, where a number of `values` names an element."""
    bits = np.zeros(size, dtype=np.int64)
    bits[np.ravel(values)] = 1
    return bits


def strided_slice(command, shape, spec):
    source = numbered(*shape)
    result = command.run("slice", source, spec)
    grids = [Grid("input", source, bits_by_number(result, source.size))]
    return f"clnd slice '{spec}'", grids, Grid("out", result, np.ones(result.shape, np.int64))


def assignment(command, target, spec, value):
    after = command.run("slice-assign", target, spec, value)
    chosen = bits_by_number(command.run("slice", numbered(*target.shape), spec), target.size)
    grids = [Grid("value", value, np.ones(value.shape, np.int64)), Grid("target before", target)]
    return f"clnd slice-assign '{spec}'", grids, Grid("target", after, chosen)


def gradient(command, dy, spec, shape):
    dx = command.run("slice-grad", dy, spec, "--shape", ",".join(map(str, shape)))
    chosen = bits_by_number(command.run("slice", numbered(*shape), spec), dx.size)
    return f"clnd slice-grad '{spec}'", [Grid("dy", dy, np.ones(dy.shape, np.int64))], \
        Grid("dx", dx, chosen)


def pictures(command):
    """{name: picture}"""
    table, matrix = numbered(4, 3), numbered(3, 4)
    rows, hundreds = index([[2], [0], [2]]), 100 * (1 + numbered(3, 2))
    pair = index([[3, 0], [1, 2]])
    zeros = np.zeros((4, 2), dtype=np.int32)
    ones = np.ones((2, 3), dtype=np.int32)
    lines = {
        "gather_nd": [
            gather(command, "gather-nd", table, rows, axes=1),
            gather(command, "gather-nd", table, index([[0, 1], [3, 2]]), axes=1),
        ],
        "gather": [gather(command, "gather", matrix, index([3, 0]), "--axis", "1", axes=1)],
        "gather_elements": [
            gather(command, "gather-elements", numbered(2, 3), index([[2, 0], [1, 1]]), "--axis",
                   "1", axes=2)
        ],
        "scatter_nd": [
            scatter(command, "scatter-nd", index([[1], [3], [1]]), hundreds, zeros, "--shape",
                    "4,2", axes=1),
        ],
        "scatter": [
            scatter(command, "scatter", pair[0], hundreds[:, :2], matrix, "--into", "TARGET",
                    "--axis", "1", axes=1)
        ],
        "scatter_elements": [
            scatter(command, "scatter-elements", index([[2, 0], [1, 1]]), hundreds[:2, :2], ones,
                    "--into", "TARGET", "--axis", "1", "--reduce", "add", axes=2)
        ],
        "strided_slice": [strided_slice(command, (4, 6), "1:, ::-2")],
        "strided_slice_assign": [
            assignment(command, matrix, "::2, 1:", index([-1, -2, -3])),
        ],
        "strided_slice_grad": [gradient(command, 1 + numbered(2, 2), "::2, ::-2", (3, 4))],
        "bounds": [
            gather(command, "gather-nd", numbered(3), index([[1], [bad]]), "--bounds", policy,
                   axes=1)
            for bad, policy in ((7, "zero"), (7, "fill=-1"), (7, "clamp"), (-1, "wrap"))
        ],
    }
    return {name: svg(content) for name, content in lines.items()}


def check(drawn):
    names = sorted(set(drawn) | {name[:-4] for name in os.listdir(PICTURES)})
    print(f"1..{len(names)}")
    failures = 0
    for number, name in enumerate(names, 1):
        path = os.path.join(PICTURES, name + ".svg")
        stored = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                stored = file.read()
        good = stored == drawn.get(name)
        failures += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}.svg is what the command does")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description="Draw what each operation moves.")
    parser.add_argument("--clnd", required=True, metavar="PATH", help="the command")
    parser.add_argument("--check", action="store_true", help="compare with what is there")
    options = parser.parse_args()
    path = os.path.abspath(options.clnd)
    if subprocess.run([path, "devices", "-q"], check=False).returncode:
        print("1..0 # SKIP no OpenCL device")
        return os.environ.get("CLND_TEST_REQUIRE_DEVICE") == "1"
    with tempfile.TemporaryDirectory(prefix="clnd-draw-") as folder:
        drawn = pictures(Command(path, folder))
    if options.check:
        return check(drawn)
    os.makedirs(PICTURES, exist_ok=True)
    for name, content in drawn.items():
        with open(os.path.join(PICTURES, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())

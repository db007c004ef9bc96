# SPDX-License-Identifier: Apache-2.0
"""One call of a case: its arrays, and whether a result is right.

The checks compute what an element must be from its place; nothing is shared with the libraries that
are measured but NumPy's arithmetic.
"""
import numpy as np

from . import data

BLOCK = 1 << 20  # elements that are compared together
TOLERANCES = {np.dtype(np.float16): 2e-2, np.dtype(np.float32): 2e-5, np.dtype(np.float64): 4e-14}
ABSOLUTE = 1e-6

# What a call does; every library has a method of each name.
ROWS, BATCHED, TUPLES, ELEMENTS = "rows", "batched", "tuples", "elements"
ADD, ADD_FRESH, ADD_TUPLES, ADD_ELEMENTS = "add", "add_fresh", "add_tuples", "add_elements"
UPDATE, SLICE = "update", "slice"


class Wrong(Exception):
    """A result is not what it has to be."""


class Unknown(Exception):
    """The case is of a kind that the peers do not know."""


def parse_slice(text):
    """The ':, 144:368, ::-1' of a case as a tuple of slices."""
    def number(word):
        return int(word) if word.strip() else None

    return tuple(slice(*(number(word) for word in part.split(":"))) for part in text.split(","))


def form_of(call):
    op = call["op"]
    reduce = call.get("reduce")
    if call["dtype"] not in data.DTYPES or call.get("row_step"):
        raise Unknown("peers have no call for %s, or with gaps between rows" % call["dtype"])
    if op == "slice":
        return SLICE
    if "indices" not in call:
        raise Unknown("peers have no call for %s" % op)
    depth = call["indices"][-1]
    if op == "gather-nd":
        if call.get("batch_dims"):
            if call["batch_dims"] == 1 and depth == 1 and len(call["indices"]) == 3:
                return BATCHED
        elif depth == 1:
            return ROWS
        elif depth == len(call["data"]):
            return TUPLES
    if op == "gather-elements" and call["axis"] == 1 and len(call["data"]) == 2:
        return ELEMENTS
    if op == "scatter-elements" and reduce == "add" and call["axis"] == 0 and \
            len(call["data"]) == 2:
        return ADD_ELEMENTS
    if op == "scatter-nd" and reduce == "add" and depth == 1:
        return ADD_FRESH
    if op == "scatter-nd-into" and reduce == "update" and depth == 1:
        return UPDATE
    if op == "scatter-nd-into" and reduce == "add":
        if depth == 1:
            return ADD
        if depth == len(call["data"]):
            return ADD_TUPLES
    raise Unknown("peers have no call for %s with indices %s" % (op, call["indices"]))


def draw_indices(call):
    """The index array of a call, as its case has it, and the weights of particles or None."""
    form, shape = form_of(call), tuple(call["indices"])
    extents, seed = call["data"], call.get("seed", 0)
    dtype = data.DTYPES[call["index_dtype"]]
    if "pattern" in call:
        return data.pattern_rows(call["pattern"], call["delta"],
                                 shape[0]).astype(dtype).reshape(shape), None
    if form == ADD_ELEMENTS:  # as ONNX exporters write it: one row for all columns
        rows, _ = data.draw(call["distribution"], shape[0], extents[:1], seed)
        return np.repeat(rows.astype(dtype), shape[1]).reshape(shape), None
    if form in (BATCHED, ELEMENTS):
        rows, _ = data.draw(call["distribution"], int(np.prod(shape)), extents[1:2], seed)
        return rows.astype(dtype).reshape(shape), None
    depth = shape[-1]
    rows, weights = data.draw(call["distribution"], int(np.prod(shape[:-1])), extents[:depth],
                              seed)
    columns = np.unravel_index(rows, extents[:depth])
    return np.stack(columns, axis=-1).astype(dtype).reshape(shape), weights


class Problem:
    """What the libraries get: arrays of NumPy, made when they are asked for.

    rows        data[i] for index values i, over the first axis
    batched     data[b, i[b]]
    tuples      data[z, y, x]
    elements    data[r, i[r, c]]
    add, ...    the same in the other direction, into zeros; add_fresh makes these in the call
    update      data[i] = updates
    slice       data[slices], dense; of a transposed array where the case is column-major
    """

    def __init__(self, call, indices=None, weights=None):
        self.call = call
        self.form = form_of(call)
        self.dtype = np.dtype(data.DTYPES[call["dtype"]])
        self.shape = tuple(call["data"])
        self.out_shape = tuple(call["dense"])
        self.slices = parse_slice(call["slice"]) if self.form == SLICE else None
        self.is_transposed = call.get("column_major", False)
        self.weights = weights
        self.given = indices
        self.is_scatter = self.form in (ADD, ADD_FRESH, ADD_TUPLES, ADD_ELEMENTS, UPDATE)
        self.is_pattern = "pattern" in call
        if self.form in (ROWS, ADD, ADD_FRESH, UPDATE):
            self.indices = np.ascontiguousarray(indices).reshape(-1)
            self.out_shape = (len(self.indices),) + self.shape[1:]
        elif self.form in (TUPLES, ADD_TUPLES):
            self.indices = np.ascontiguousarray(indices)
            self.columns = [np.ascontiguousarray(column) for column in self.indices.T]
        elif self.form == BATCHED:
            self.indices = np.ascontiguousarray(indices[..., 0])
        elif self.form != SLICE:
            self.indices = indices

    def data(self):
        """Params or input; of a transposed one the array that it is a view of."""
        return data.moved(self.shape[::-1] if self.is_transposed else self.shape, self.dtype)

    def sliced(self, array):
        """The slice of `data()` as a library has it; a matrix if it is transposed."""
        return (array.T if self.is_transposed else array)[self.slices]

    def target(self):
        """Zeros; what is overwritten holds something that is seen."""
        if self.form == UPDATE and not self.is_pattern:
            return data.moved(self.shape, self.dtype)
        return np.zeros(self.shape, dtype=self.dtype)

    def updates(self):
        if self.weights is not None:
            return self.weights
        if self.is_pattern:  # what the target would hold, whichever of equal indices wins
            return (self.indices % data.period_of(self.dtype)).astype(self.dtype)
        if self.form == UPDATE:
            return data.moved(self.out_shape, self.dtype)
        return data.summed(self.out_shape, self.dtype)

    def output(self):
        """Room for the result of a gather or slice, with something in it that is no result."""
        array = np.empty(self.out_shape, dtype=self.dtype)
        array.reshape(-1).view(np.uint8).fill(0xA5)
        return array

    def needs(self):
        """Bytes of memory that the case takes: arrays, and copies of them in a library."""
        size = self.dtype.itemsize
        bytes_of = [int(np.prod(self.shape)) * size, int(np.prod(self.out_shape)) * size]
        if self.form != SLICE:
            bytes_of.append(self.indices.nbytes)
        return 2 * sum(bytes_of)

    def check(self, result):
        """Raises Wrong unless the result is right. A scatter's result is its target."""
        expected = self.shape if self.is_scatter else self.out_shape
        if result.shape != expected or result.dtype != self.dtype:
            raise Wrong("wrong result: %s of %s, not %s of %s" % (
                result.dtype, list(result.shape), self.dtype, list(expected)))
        if self.form == SLICE:
            self.check_slice(result)
        elif not self.is_scatter:
            width = int(np.prod(self.out_shape)) // max(1, len(self.rows()))
            self.check_rows(result.reshape(-1, width), self.rows())
        elif self.form == UPDATE:
            self.check_update(result)
        else:
            self.check_sum(result)

    def rows(self):
        """For each row that moves, the number of its place in data or target, in rows."""
        index = self.indices.astype(np.int64)
        if self.form == BATCHED:
            index = index + self.shape[1] * np.arange(self.shape[0])[:, None]
        elif self.form == ELEMENTS:
            index = index + self.shape[1] * np.arange(index.shape[0])[:, None]
        elif self.form == ADD_ELEMENTS:
            index = index * self.shape[1] + np.arange(index.shape[1])
        elif self.form in (TUPLES, ADD_TUPLES):
            index = np.ravel_multi_index([index[:, k] for k in range(index.shape[1])], self.shape)
        return index.reshape(-1)

    def check_rows(self, result, rows):
        """Row i of the result holds what row rows[i] of an array of `moved` elements does."""
        period, width = data.period_of(self.dtype), result.shape[1]
        column = np.arange(width)
        step = max(1, BLOCK // width)
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            first = rows[part] * width % period
            expected = ((first[:, None] + column) % period).astype(self.dtype)
            self.compare(result[part], expected, "row", begin)

    @staticmethod
    def compare(result, expected, what, begin):
        got = np.ascontiguousarray(result).view("u%d" % expected.dtype.itemsize)
        if np.array_equal(got, expected.view(got.dtype)):
            return
        bad = int(np.flatnonzero((got != expected.view(got.dtype)).reshape(len(got), -1)
                                 .any(axis=1))[0])
        raise Wrong("wrong result: %s %d" % (what, begin + bad))

    def check_slice(self, result):
        strides = [int(np.prod(self.shape[:axis] if self.is_transposed else
                               self.shape[axis + 1:])) for axis in range(len(self.shape))]
        positions = [np.arange(size)[cut] * stride
                     for size, cut, stride in zip(self.shape, self.slices, strides)]
        inner = np.zeros(1, dtype=np.int64)
        for axis in positions[1:]:
            inner = (inner[:, None] + axis).reshape(-1)
        period = data.period_of(self.dtype)
        step = max(1, BLOCK // len(inner))
        flat = result.reshape(len(positions[0]), -1)
        for begin in range(0, len(flat), step):
            part = positions[0][begin:begin + step]
            expected = ((part[:, None] + inner) % period).astype(self.dtype)
            self.compare(flat[begin:begin + step], expected, "row", begin)

    def check_untouched(self, flat, touched, initial):
        step = max(1, BLOCK // flat.shape[1])
        for begin in range(0, len(flat), step):
            part = slice(begin, begin + step)
            keep = ~touched[part]
            if not np.array_equal(flat[part][keep], initial[part][keep]):
                raise Wrong("wrong result: a row from %d on has changed that no index names" %
                            begin)

    def check_update(self, result):
        rows = self.rows()
        flat = result.reshape(self.shape[0], -1)
        updates = self.updates().reshape(len(rows), -1)
        touched = np.zeros(len(flat), dtype=bool)
        touched[rows] = True
        step = max(1, BLOCK // flat.shape[1])
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            self.compare(flat[rows[part]], updates[part], "update", begin)
        self.check_untouched(flat, touched, self.target().reshape(flat.shape))

    def check_sum(self, result):
        rows = self.rows()
        updates = self.updates().reshape(len(rows), -1)
        width = updates.shape[1]
        flat = result.reshape(-1, width)
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        named = ordered[starts]
        step = max(1, BLOCK // max(1, len(rows)))
        for begin in range(0, width, step):  # some columns at a time
            part = slice(begin, begin + step)
            values = updates[:, part][order].astype(np.float64)
            sums = np.add.reduceat(values, starts, axis=0)
            sizes = np.add.reduceat(np.abs(values), starts, axis=0)
            relative = TOLERANCES.get(self.dtype, 0.0)
            bound = relative * sizes + (ABSOLUTE if relative else 0.0)
            error = np.abs(flat[named, part].astype(np.float64) - sums)
            wrong = ~(error <= bound)  # so that a NaN is wrong
            if wrong.any():
                place = np.argwhere(wrong)[0]
                raise Wrong("wrong result: row %d of the target, element %d of it" %
                            (named[place[0]], begin + place[1]))
        touched = np.zeros(len(flat), dtype=bool)
        touched[named] = True
        self.check_untouched(flat, touched, np.broadcast_to(self.dtype.type(0), flat.shape))

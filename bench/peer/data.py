# SPDX-License-Identifier: Apache-2.0
"""The benchmark's data: all of them follow from a counter-based generator.

Number i of stream s is a function of s and i alone, so that bench/random.h and bench/distribution.c
give the same data; tests/peers compares the two.
"""
import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
PERIOD, BYTE_PERIOD = 1021, 251
SUM_CENTRE, SUM_SCALE = 510, 1024
GRID_WIDTH, CLUSTERS, CLUSTER_RADIUS = 432, 512, 12
CORNERS = 8
CHUNK = 1 << 20  # numbers that are drawn together, so that temporaries stay in the caches

DTYPES = {"u8": np.uint8, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
          "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f16": np.float16,
          "f32": np.float32, "f64": np.float64}


def mix(z):
    """The 64-bit finaliser of SplitMix64, of an array of uint64."""
    z = z ^ (z >> np.uint64(30))
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def numbers(stream, i, seed=0):
    """h(stream, i): 64 random bits for each element of i."""
    first = mix(np.array([stream + (seed << 32)], dtype=np.uint64))
    return mix(first + (np.asarray(i).astype(np.uint64) + np.uint64(1)) * GOLDEN)


def below(stream, i, m, seed=0):
    """Integers in [0, m), for m < 2^32."""
    high = numbers(stream, i, seed) >> np.uint64(32)
    return ((high * np.uint64(m)) >> np.uint64(32)).astype(np.int64)


def unit(stream, i, seed=0):
    """Reals in [0, 1)."""
    return (numbers(stream, i, seed) >> np.uint64(11)).astype(np.float64) * 2.0 ** -53


def permutation(m, seed=0):
    """Rows 0 to m - 1 in ascending order of their number in stream 2."""
    return np.argsort(numbers(2, np.arange(m), seed), kind="stable")


def chunks(n):
    for begin in range(0, n, CHUNK):
        yield slice(begin, min(begin + CHUNK, n)), np.arange(begin, min(begin + CHUNK, n))


def drawn(n, draw):
    """draw(numbers 0 to n - 1), a chunk at a time."""
    rows = np.empty(n, dtype=np.int64)
    for place, i in chunks(n):
        rows[place] = draw(i)
    return rows


def draw_zipf(n, m, exponent, seed):
    cumulated = np.cumsum(np.arange(1, m + 1, dtype=np.float64) ** -exponent)
    ranks = permutation(m, seed)
    return drawn(n, lambda i: ranks[np.minimum(
        np.searchsorted(cumulated, unit(1, i, seed) * cumulated[-1], side="right"), m - 1)])


def draw_power(n, m, exponent, seed):
    ranks = permutation(m, seed)
    return drawn(n, lambda i: ranks[np.minimum(
        np.floor(m * unit(1, i, seed) ** exponent).astype(np.int64), m - 1)])


def draw_hot(n, m, share, seed):
    return drawn(n, lambda i: np.where(unit(3, i, seed) < share, 0, below(1, i, m, seed)))


def draw_paged(n, m, page, seed):
    page = int(page)
    pages = permutation(m // page, seed)
    return drawn(n, lambda i: page * pages[i // page] + i % page)


def draw_clustered(n, m, seed):
    heights = m // GRID_WIDTH

    def coordinate(i, stream, extent):
        step = unit(stream + 1, i, seed) + unit(stream + 2, i, seed) - 1
        centre = below(stream, CLUSTERS * i // n, extent, seed)
        return np.clip(centre + np.floor(CLUSTER_RADIUS * step).astype(np.int64), 0, extent - 1)

    return drawn(n, lambda i: (coordinate(i, 4, heights) * GRID_WIDTH +
                               coordinate(i, 7, GRID_WIDTH)))


def draw_jitter(n, extents, seed):
    step = int(np.prod(extents)) // n

    def draw(i):
        places = np.unravel_index(i * step, extents)
        moved = [np.clip(place + below(axis + 1, i, 9, seed) - 4, 0, extents[axis] - 1)
                 for axis, place in enumerate(places)]
        return np.ravel_multi_index(moved, extents)

    return drawn(n, draw)


def draw_particles(n, extents, in_order, seed):
    """The corners' rows and weights."""
    particle = np.arange(n // CORNERS)
    cells, parts = [], []
    for axis, extent in enumerate(extents):
        place = unit(axis + 1, particle, seed) * (extent - 1)
        cells.append(np.minimum(place.astype(np.int64), extent - 2))
        parts.append(place - cells[-1])
    if in_order:
        order = np.argsort(np.ravel_multi_index(cells, extents), kind="stable")
        cells, parts = [cell[order] for cell in cells], [part[order] for part in parts]
    rows = np.empty((n // CORNERS, CORNERS), dtype=np.int64)
    weights = np.empty((n // CORNERS, CORNERS), dtype=np.float32)
    for corner in range(CORNERS):
        steps = [corner >> 2 & 1, corner >> 1 & 1, corner & 1]
        rows[:, corner] = np.ravel_multi_index([c + s for c, s in zip(cells, steps)], extents)
        weight = 1.0
        for part, step in zip(parts, steps):
            weight = weight * (part if step else 1 - part)
        weights[:, corner] = weight
    return rows.reshape(-1), weights.reshape(-1)


def draw_uniform(n, extents, seed):
    def draw(i):
        row = np.zeros(len(i), dtype=np.int64)
        for axis, extent in enumerate(extents):
            row = row * extent + below(axis + 1, i, extent, seed)
        return row

    return drawn(n, draw)


# The names of the table of cases, which have their parameter in them.
NAMED = {"uniform-3": "uniform", "hot-50": "hot:0.5", "skew-90": "hot:0.9", "paged-16": "paged:16",
         "jitter-3": "jitter"}
PARAMETERS = {"zipf": 1.05, "power": 3.0, "hot": 0.5, "paged": 16}


def draw(distribution, n, extents, seed=0):
    """n rows of what has these extents, each the number of a place in row-major order; and the
    weights of particles, else None."""
    name, _, text = NAMED.get(distribution, distribution).partition(":")
    parameter = float(text) if text else PARAMETERS.get(name)
    extents = tuple(int(extent) for extent in extents)
    m = int(np.prod(extents))
    if name in ("pic-unsorted", "pic-sorted"):
        return draw_particles(n, extents, name == "pic-sorted", seed)
    if name == "sorted":
        return np.sort(draw_uniform(n, extents, seed)), None
    if name == "uniform":
        return draw_uniform(n, extents, seed), None
    if name == "jitter":
        return draw_jitter(n, extents, seed), None
    if name == "unique":
        return permutation(m, seed)[:n], None
    if name == "clustered":
        return draw_clustered(n, m, seed), None
    draws = {"zipf": draw_zipf, "power": draw_power, "hot": draw_hot, "paged": draw_paged}
    if name not in draws:
        raise ValueError("the distribution '%s' is unknown" % distribution)
    return draws[name](n, m, parameter, seed), None


def pattern_rows(pattern, delta, n):
    """Spatter: row i, column j is pattern[j] + delta * i."""
    return (np.asarray(pattern, dtype=np.int64)[None, :] +
            delta * np.arange(n, dtype=np.int64)[:, None])


def period_of(dtype):
    return BYTE_PERIOD if np.dtype(dtype).itemsize == 1 else PERIOD


def filled(shape, values):
    """An array that holds the values over and over."""
    array = np.empty(int(np.prod(shape)), dtype=values.dtype)
    whole = len(array) // len(values) * len(values)
    array[:whole].reshape(-1, len(values))[...] = values
    array[whole:] = values[:len(array) - whole]
    return array.reshape(shape)


def moved(shape, dtype):
    """What is only moved: element i is i mod 1021, of 8-bit types i mod 251."""
    return filled(shape, np.arange(period_of(dtype)).astype(dtype))


def summed(shape, dtype):
    """Updates of sums: (i mod 1021 - 510) / 1024, of integers 1."""
    if np.dtype(dtype).kind != "f":
        return np.ones(shape, dtype=dtype)
    return filled(shape, ((np.arange(PERIOD) - SUM_CENTRE) / SUM_SCALE).astype(dtype))

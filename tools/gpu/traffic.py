# SPDX-License-Identifier: Apache-2.0
"""What a benchmark case must move at least, whatever kernels do: the bound."""

import math

BINS = 4000


def masses(distribution, rows):
    """(ranks, share of the draws) of ranges of data rows, the hottest first."""
    kind, _, parameter = distribution.partition(":")
    if kind == "hot":
        share = float(parameter)
        return [(1, share), (rows - 1, 1 - share)]
    if kind not in ("zipf", "power"):
        return [(rows, 1.0)]
    steps = sorted({int(rows ** (i / BINS)) for i in range(BINS + 1)} | {0, rows})
    if kind == "power":
        below = [(step / rows) ** (1 / float(parameter)) for step in steps]
    else:
        s = float(parameter or 1.05) - 1  # the sum of k^-s', by its integral
        below = [0.0] + [1 + (1.5 ** -s - (step + 0.5) ** -s) / s for step in steps[1:]]
    return [(b - a, (y - x) / below[-1])
            for a, b, x, y in zip(steps, steps[1:], below, below[1:])]


def touched_rows(case):
    """Of data, at least once, as far as one can expect."""
    rows, draws = case["data_rows"], case["rows"]
    if case["distribution"] in ("unique",):
        return min(rows, draws)
    return sum(n * -math.expm1(-draws * share / n) for n, share in
               masses(case["distribution"], rows) if n)


def hottest_share(case):
    ranks, share = masses(case["distribution"], case["data_rows"])[0]
    return share / ranks


def slice_reads(case, sector):
    """Bytes of data: a step inside a sector reads what it leaves out."""
    element = case["payload_bytes"] // math.prod(case["dense"])
    read, near = case["payload_bytes"], element
    words = [word.strip() for word in case["slice"].split(",")]
    words += [":"] * (len(case["data"]) - len(words))
    for size, word in reversed(list(zip(case["data"], words))):
        parts = word.split(":")
        step = abs(int(parts[2])) if len(parts) == 3 and parts[2] else 1
        if near * (step - 1) < sector:
            read *= step
        near *= size
    return min(read, case["data_bytes"])


def of_case(case, constants, cache):
    """{streamed bytes, random granules}. What fits the cache is read once; what rows select lies
    somewhere, in granules of its own."""
    payload, index = case["payload_bytes"], case["index_bytes"]
    if case["op"] in ("slice", "slice-assign"):
        return {"bytes": payload + slice_reads(case, constants["sector"]), "granules": 0}
    is_scatter = case["op"].startswith("scatter")
    is_sum = case.get("reduce", "update") != "update"
    granule = constants["granule"]
    per_row = max(case["row_bytes"], constants["sector"])
    if case["op"].endswith("elements") or not case["random"]:
        data = min(case["data_bytes"], case["rows"] * per_row)
    else:
        data = min(touched_rows(case) * case["row_bytes"], case["data_bytes"])
        if case["row_bytes"] < constants["sector"]:
            data = min(touched_rows(case) * per_row, case["data_bytes"])
    passes = 2 if is_sum else 1
    zeros = case["data_bytes"] if case["op"] == "scatter-nd" else 0
    granules = case["rows"] if case["distribution"] == "pic-unsorted" else 0  # two cells a granule
    if case["random"] and not case["op"].endswith("elements") and case["data_bytes"] > cache:
        granules = touched_rows(case) if is_scatter else case["rows"]
        granules *= passes * math.ceil(case["row_bytes"] / granule)
    return {"bytes": payload + index + data * passes + zeros, "granules": granules}

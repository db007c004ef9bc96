# SPDX-License-Identifier: Apache-2.0
"""What a kernel's machine code and a launch of it say about its time."""

import math

import traffic

INDEX_BYTES = {"i32": 4, "u32": 4, "i64": 8}
SAMPLE = 1024  # rows that a sample looks at (CLND_HOT_SAMPLE)
READERS = ("check", "sample", "sort_keys")  # begin the names of kernels that read indices only
KEYED = ("sort_place",)  # kernels that write keys and the numbers of their rows


def options_of(launch):
    words = (word[2:].split("=") for word in launch["options"].split() if word.startswith("-D"))
    return {name: int(value) for name, value in words}


def is_hot(launch):
    return "hot" in launch["kernel"]


def unit_bytes(case, launch):
    """Of what move.columns counts."""
    options = options_of(launch)
    element = case["payload_bytes"] // math.prod(case["dense"])
    return options.get("UNIT") or element * options.get("PACK", 1)


def row_index_bytes(case):
    depth = case["index_bytes"] // max(case["rows"], 1)
    return depth or INDEX_BYTES.get(case.get("index_dtype"), 0)


def expected_loads(case, launch):
    """Of a turn that stores so much: as much, and the indices of the rows."""
    unit, index = unit_bytes(case, launch), row_index_bytes(case)
    return lambda stored: stored + max(stored // unit, 1) * index + (0 if stored else unit)


def units_of_turn(case, launch, turn):
    """Units that a work-item's turn moves. Kernels that store nothing are counted by what they
    load for each."""
    unit, index = unit_bytes(case, launch), row_index_bytes(case)
    kernel, moved = launch["kernel"], turn.stores + turn.adds
    if kernel.startswith(READERS):
        return max(turn.loads / index, 1)
    if kernel == "private_merge":
        return max(turn.loads / unit, 1)
    if kernel in KEYED:
        return max(moved / (options_of(launch).get("KEY", 4) + 4), 1)
    by_loads = turn.loads / (index + unit)
    if kernel.startswith("private"):
        return max(by_loads, 1)
    return max(min(moved / unit, by_loads) if is_hot(launch) else moved / unit, 1)


def groups_that_fit(device, use, launch, vendor):
    """On a unit, by registers, local memory, waves and groups."""
    items = launch["local"]
    waves = math.ceil(items / device["wave"])
    if vendor == "intel":
        by_registers = device["waves"] // waves  # a thread has its registers whatever it uses
    else:
        step = 8 if vendor == "nvidia" else 4
        each = math.ceil(max(use.registers, 1) / step) * step
        by_registers = int(device["registers"] // (each * waves * device["wave"]))
    by_local = device["local"] // use.local if use.local else device["groups"]
    return max(1, min(by_registers, by_local, device["waves"] // waves, device["groups"]))


def counts_to_scan(case, launch):
    """Of all blocks that are sorted: a work-group takes those of a digit."""
    placed = next(c for c in case["commands"] if c.get("kernel") == "sort_place")
    return placed["global"][0] // placed["local"] * launch["global"][0] // launch["local"]


def turns_of(case, launch, outer, inner, constants):
    """(turns that a work-item makes of the outer loop, on average, of the inner in each, the share
    of the lanes that have work)."""
    move = launch.get("move") or {"rows": case["rows"], "columns": 1, "lanes_shift": 0}
    if launch["kernel"].startswith(READERS):
        rows = SAMPLE if launch["kernel"].startswith("sample") else move["rows"]
        move = {"rows": rows, "columns": 1, "lanes_shift": 0}
    if launch["kernel"] == "sort_scan":
        move["rows"] = counts_to_scan(case, launch)
    items = launch["global"][0] * launch["global"][1]
    across = min(1 << move["lanes_shift"], launch["local"])  # work-items along a row
    if launch["global"][1] > 1:
        across *= launch["global"][0] // launch["local"]
    at_once = max(items // across, 1)
    passes = math.ceil(max(move["columns"], 1) / across)
    share = max(move["columns"], 1) / (passes * across)
    units = units_of_turn(case, launch, outer)
    if is_hot(launch) and outer is not inner:  # a group takes a block, then its rows one by one
        block = constants["hot_block"]
        steps = passes * block * across / launch["local"] * unit_bytes(case, launch) / inner.loads
        return move["rows"] * launch["local"] / (items * block), math.ceil(steps), share
    if outer is inner:
        return move["rows"] * passes / (at_once * units), 1, share
    index = row_index_bytes(case)
    if index:
        rows = max((outer.loads - inner.loads) // index, 1)
    else:
        rows = 1 if "ALONG" in options_of(launch) else units
    return move["rows"] / (at_once * rows), math.ceil(passes * rows / units), share


def streamed_at(device, constants):
    return device["bandwidth"] * constants["reached"]


def time_of_launch(case, launch, code, device, constants):
    """The times of one launch, in seconds, and the counts that they come from."""
    use, outer, inner = code
    if launch["kernel"] == "sort_reduce":  # a turn of the outer loop takes a tile, not a row
        outer = inner
    turns, columns, share = turns_of(case, launch, outer, inner, constants)
    items = launch["global"][0] * launch["global"][1]
    groups = items // launch["local"]
    issued = outer.issued + (columns - 1) * inner.issued
    waits = outer.waits + (columns - 1) * inner.waits
    fit = groups_that_fit(device, use, launch, device["vendor"])
    rounds = max(groups / (fit * device["units"]), 1)  # a group begins where one has ended
    width = use.width or device["wave"]
    instructions = turns * issued * math.ceil(items / width)
    if device["vendor"] == "intel":
        instructions *= width / device["wave"]
    rate = device["units"] * device["issue"] * device["clock"]
    moved = outer.stores + outer.adds or outer.loads
    return {
        "kernel": launch["kernel"],
        "registers": use.registers, "spilled": use.spilled, "local": use.local,
        "groups": groups, "fit": fit, "rounds": math.ceil(rounds), "turns": math.ceil(turns),
        "lanes": round(share, 2),
        "instructions": outer.issued, "per_16_bytes": round(16 * outer.issued / max(moved, 1), 1),
        "loads": outer.widths("loads"), "stores": outer.widths("stores"),
        "adds": outer.widths("adds"), "waits": outer.waits, "at_once": outer.at_once,
        "in_flight": fit * launch["local"] * outer.in_flight,
        "wide": outer.wide, "divisions": outer.divisions, "barriers": outer.barriers,
        "issue_s": instructions / rate,
        "latency_s": max(turns * rounds, 1) * waits * device["latency"],
        "memory_s": turns * items * (outer.loads + outer.stores) / streamed_at(device, constants),
    }


def that_work(case, launches, constants):
    """Where a sample decides between two kernels, both are launched and one works."""
    hot = [launch for launch in launches if is_hot(launch)]
    cold = [launch for launch in launches if not is_hot(launch) and hot and
            launch.get("move", {}).get("rows") == hot[0].get("move", {}).get("rows") and
            not launch["kernel"].startswith("sample")]
    if not hot or not cold:
        return launches
    idle = cold if traffic.hottest_share(case) >= constants["hot_share"] else hot
    return [launch for launch in launches if launch not in idle]


def atomic_seconds(case, launches, device, constants):
    """By how many sectors all additions touch, and by those to the hottest row."""
    adds = [launch for launch in launches if launch["kernel"].startswith("scatter")]
    if not adds or case.get("reduce", "update") == "update" or case["strategy"] != "atomic":
        return 0
    sectors = case["rows"] * math.ceil(case["row_bytes"] / constants["sector"])
    together = sectors / (constants["atomics_per_clock"] * device["units"] * device["clock"])
    share = traffic.hottest_share(case)
    gathered = any(map(is_hot, adds)) and share >= constants["hot_share"]
    hot = case["rows"] * share * constants["hot_seconds"]
    return max(together, hot / (constants["hot_block"] if gathered else 1))


def time_of_case(case, codes, device, constants):
    """`codes`: of a launch's kernel. None where it does not compile."""
    launches = [c for c in case["commands"] if c["what"] == "launch"]
    working = that_work(case, launches, constants)
    rate = streamed_at(device, constants)
    least = traffic.of_case(case, constants, device["cache"])
    memory = least["bytes"] / rate
    random = least["granules"] / (device["bandwidth"] * constants["random_per_byte"])
    plain = sum(c["bytes"] * (2 if c["what"] == "copy" else 1) for c in case["commands"]
                if c["what"] != "launch") / rate
    atomics = atomic_seconds(case, working, device, constants)
    timed = []
    for launch in working:
        code = codes(launch)
        if not code:
            return None
        timed.append(time_of_launch(case, launch, code, device, constants))
    return summary(case, timed, constants, {
        "memory": memory, "random": random, "atomics": atomics, "copy": plain})


def summary(case, timed, constants, spent):
    """The launch that takes longest, but for looks at indices, is limited by what the case moves
    as well; the others by what they themselves move. Commands run one after another."""
    def alone(one):
        return max(one["issue_s"], one["latency_s"])

    movers = [one for one in timed if not one["kernel"].startswith(("check", "sample"))]
    main = max(movers, key=alone, default=None)
    rest = sum(max(alone(one), one["memory_s"]) for one in timed if one is not main)
    if main:
        spent.update(issue=main["issue_s"], latency=main["latency_s"])
    spent["launches"] = constants["launch"] * len(case["commands"])
    spent["others"] = rest
    bound = max(spent["memory"], spent["random"])
    largest = max(spent[name] for name in spent if name not in ("others", "launches"))
    total = largest + rest + spent["launches"]
    return {"case": case["case"], "strategy": case["strategy"], "bound_us": bound * 1e6,
            "us": total * 1e6, "percent": 100 * bound / total,
            "limit": max(spent, key=spent.get), "commands": len(case["commands"]),
            "parts_us": {name: round(seconds * 1e6, 2) for name, seconds in spent.items()},
            "main": timed.index(main) if main else None, "launches": timed}

# SPDX-License-Identifier: Apache-2.0
"""The sets of options that kernels are compiled for: what kernels_cl/options.toml says."""

import itertools
import math
import os
import random
import tomllib

TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "kernels_cl", "options.toml")


def load(path=TABLE):
    with open(path, "rb") as file:
        return tomllib.load(file)


def sources(table):
    """Names without .cl, each once."""
    return list(dict.fromkeys(kernel["source"] for kernel in table["kernel"]))


def values_of(text_or_list):
    if not isinstance(text_or_list, str):
        return text_or_list
    first, last = map(int, text_or_list.split(" to "))
    return range(first, last + 1)


def some_of(values):
    """Those that stand for all of a range."""
    if not isinstance(values, range):
        return values
    return sorted({*values[:3], values[len(values) // 7], values[-1]})


def domains(table, kernel):
    return {
        name: values_of(kernel.get(name, table["options"].get(name)))
        for name in kernel["takes"].split()
    }


def is_excluded(table, kernel, options):
    return any(
        all(options.get(name) in values_of(values) for name, values in rule.items())
        for rule in [*table.get("never", []), *kernel.get("never", [])]
    )


def given(options):
    """An option that is 0 is not given."""
    return {name: value for name, value in options.items() if value != 0}


def sets(table, kernel):
    """All sets of one [[kernel]]."""
    ranges = domains(table, kernel)
    for chosen in itertools.product(*ranges.values()):
        options = dict(zip(ranges, chosen))
        if not is_excluded(table, kernel, options):
            yield given(options)


def some_sets(table, kernel, most=6000):
    """Sets of one [[kernel]] with some of the values, so many at random of many: they hold all
    pairs of values."""
    chance = random.Random(1)
    ranges = {name: some_of(values) for name, values in domains(table, kernel).items()}
    number = math.prod(map(len, ranges.values()))
    for place in chance.sample(range(number), min(number, most)):
        options = {}
        for name, values in ranges.items():
            place, at = divmod(place, len(values))
            options[name] = values[at]
        if not is_excluded(table, kernel, options):
            yield given(options)


def contains(table, source, options):
    """Whether this is one of the sets of a source."""
    for kernel in table["kernel"]:
        if kernel["source"] != source:
            continue
        ranges = domains(table, kernel)
        whole = {name: options.get(name, 0) for name in ranges}
        if (
            options.keys() <= ranges.keys()
            and all(value in ranges[name] for name, value in whole.items())
            and not is_excluded(table, kernel, whole)
        ):
            return True
    return False


def held_by(options, names, width):
    """Of any `width` of the options, the values that they have together."""
    values = [(name, options.get(name, 0)) for name in sorted(names)]
    return set(itertools.combinations(values, width))


def cover(all_sets, names, width, held, at_once=40):
    """A few of the sets that hold every value, or with a width of 2 every pair of values, that one
    of them all does, but for those in `held`, which gets them."""
    chance = random.Random(1)
    if len(names) < width:
        return all_sets
    with_held = [(held_by(options, names, width), options) for options in all_sets]
    left = set().union(*(own for own, _ in with_held)) - held
    held |= left
    chosen = []
    chance.shuffle(with_held)
    while left:
        with_held = [entry for entry in with_held if not left.isdisjoint(entry[0])]
        best = max(with_held[:at_once], key=lambda entry: len(left & entry[0]))
        chosen.append(best[1])
        left -= best[0]
        chance.shuffle(with_held)
    return chosen


def sets_of(table, source, width, wanted=lambda kernel, options: True):
    """Of one source, each set once: a cover of those that are wanted, or with no width all."""
    found, held = {}, set()
    for kernel in table["kernel"]:
        if kernel["source"] != source:
            continue
        chosen = some_sets(table, kernel) if width else sets(table, kernel)
        some = [options for options in chosen if wanted(kernel, options)]
        for options in cover(some, kernel["takes"].split(), width, held) if width else some:
            found.setdefault(frozenset(options.items()), options)
    return list(found.values())

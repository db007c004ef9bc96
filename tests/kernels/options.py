# SPDX-License-Identifier: Apache-2.0
"""The sets of options that kernels are compiled for: what kernels_cl/options.toml says."""

import itertools
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


def sets(table, kernel, of=lambda values: values):
    """All sets of one [[kernel]], or those with some of the values."""
    ranges = domains(table, kernel)
    for chosen in itertools.product(*(of(values) for values in ranges.values())):
        options = dict(zip(ranges, chosen))
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
    return set(itertools.combinations([(name, options.get(name, 0)) for name in names], width))


def cover(all_sets, names, width, most=3000, at_once=40):
    """A few of the sets that hold every value, or with a width of 2 every pair of values, that one
    of them all does. Of very many, `most` taken at random hold all pairs."""
    chance = random.Random(1)
    if len(all_sets) > most:
        all_sets = chance.sample(all_sets, most)
    if len(names) < width:
        return all_sets
    with_held = [(held_by(options, names, width), options) for options in all_sets]
    left = set().union(*(held for held, _ in with_held))
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
    found = {}
    for kernel in table["kernel"]:
        if kernel["source"] != source:
            continue
        chosen = sets(table, kernel, some_of) if width else sets(table, kernel)
        some = [options for options in chosen if wanted(kernel, options)]
        for options in cover(some, kernel["takes"].split(), width) if width else some:
            found.setdefault(frozenset(options.items()), options)
    return list(found.values())

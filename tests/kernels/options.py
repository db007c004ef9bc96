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


def is_excluded(options, rules):
    return any(all(options.get(name) in values for name, values in rule.items()) for rule in rules)


def sets(table, kernel):
    """All sets of one [[kernel]]; an option that is 0 is not given."""
    names = kernel["takes"].split()
    rules = [*table.get("never", []), *kernel.get("never", [])]
    for values in itertools.product(*(kernel.get(n, table["options"].get(n)) for n in names)):
        options = dict(zip(names, values))
        if not is_excluded(options, rules):
            yield {name: value for name, value in options.items() if value != 0}


def contains(table, source, options):
    """Whether this is one of the sets of a source."""
    return any(
        kernel["source"] == source and options in sets(table, kernel) for kernel in table["kernel"]
    )


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
        some = [options for options in sets(table, kernel) if wanted(kernel, options)]
        for options in cover(some, kernel["takes"].split(), width) if width else some:
            found.setdefault(frozenset(options.items()), options)
    return list(found.values())

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


def pairs(options, names):
    """Of any two of the options, the values that they have together."""
    return set(itertools.combinations([(name, options.get(name, 0)) for name in names], 2))


def cover(all_sets, names, most=3000, at_once=40):
    """A few of the sets that hold every pair of values that one of them all does. Of very many,
    `most` taken at random hold all pairs."""
    chance = random.Random(1)
    if len(all_sets) > most:
        all_sets = chance.sample(all_sets, most)
    with_pairs = [(pairs(options, names), options) for options in all_sets]
    left = set().union(*(held for held, _ in with_pairs)) if with_pairs else set()
    if len(names) < 2:
        return [options for _, options in with_pairs]
    chosen = []
    chance.shuffle(with_pairs)
    while left:
        with_pairs = [entry for entry in with_pairs if not left.isdisjoint(entry[0])]
        best = max(with_pairs[:at_once], key=lambda entry: len(left & entry[0]))
        chosen.append(best[1])
        left -= best[0]
        chance.shuffle(with_pairs)
    return chosen


def sets_of(table, source, everything, wanted=lambda kernel, options: True):
    """Of one source, each set once: all that are wanted, or a pairwise cover of them."""
    found = {}
    for kernel in table["kernel"]:
        if kernel["source"] != source:
            continue
        some = [options for options in sets(table, kernel) if wanted(kernel, options)]
        for options in some if everything else cover(some, kernel["takes"].split()):
            found.setdefault(frozenset(options.items()), options)
    return list(found.values())

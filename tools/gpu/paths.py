# SPDX-License-Identifier: Apache-2.0
"""The loop of a kernel that moves its data, and what one turn of it does."""

from collections import Counter

MOST = 0.75


class Turn:
    """What a work-item does on one way through a loop."""

    def __init__(self, blocks, nodes):
        self.instructions = [i for node in nodes for i in blocks[node].instructions]
        self.issued = sum(not i.is_scalar for i in self.instructions)
        self.loads = sum(i.loads for i in self.instructions)
        self.stores = sum(i.stores for i in self.instructions)
        self.adds = sum(i.adds for i in self.instructions)
        self.local = sum(bool(i.local) for i in self.instructions)
        self.wide = sum(i.is_wide for i in self.instructions)
        self.divisions = sum(i.is_division for i in self.instructions)
        self.barriers = sum(i.is_barrier for i in self.instructions)
        self.waits, self.in_flight, self.at_once = follow(self.instructions)

    def widths(self, what):
        counts = Counter(getattr(i, what) for i in self.instructions)
        del counts[0]
        return " ".join(f"{n}x{width}" for width, n in sorted(counts.items(), reverse=True))


def follow(instructions):
    """How often a turn waits for memory, with the loads of the turn before under way; the most
    bytes, and loads, that are waited for together. A load that is issued after a wait belongs to
    the next one, since instructions are issued in order."""
    level, pending, under_way = 0, {}, []
    sizes, counts = Counter(), Counter()
    begun = 0
    for turn in range(2):
        begun = level
        for i in instructions:
            ready = [pending.pop(token) for token in i.waits if token in pending]
            while i.left is not None and len(under_way) > i.left:
                ready.append(under_way.pop(0))
            level = max([level, *(at + 1 for at in ready)])
            if i.loads:
                sizes[level] += i.loads
                counts[level] += 1
                pending.update(dict.fromkeys(i.gives, level))
            if "vector" in i.gives:
                under_way.append(level if i.loads else level - 1)
    return level - begun, max(sizes.values(), default=0), max(counts.values(), default=0)


def edges(blocks):
    places = {block.label: n for n, block in enumerate(blocks) if block.label}
    result = []
    for n, block in enumerate(blocks):
        to = [places[label] for label in block.targets if label in places]
        if block.falls and n + 1 < len(blocks):
            to.append(n + 1)
        result.append(set(to))
    return result


def components(nodes, after):
    """Those of the strongly connected components in which one can go in a circle."""
    reached = {}
    for start in nodes:
        seen, todo = set(), [start]
        while todo:
            for node in after[todo.pop()] & nodes:
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        reached[start] = seen
    left = set(nodes)
    for node in sorted(nodes):
        if node in left and node in reached[node]:
            component = {other for other in reached[node] if node in reached[other]}
            left -= component
            yield component


def loops(nodes, after):
    """(blocks, header, loops inside), outermost first."""
    found = []
    for component in components(nodes, after):
        entered = {to for node in range(len(after)) if node not in component
                   for to in after[node] & component}
        header = min(entered or component)
        inside = [to - {header} if node in component else to for node, to in enumerate(after)]
        found.append((component, header, loops(component, inside)))
    return found


def forwards(after, nodes, header):
    """{node: where it goes on to} without edges that close a circle."""
    on_way, ways = set(), {}

    def visit(node):
        on_way.add(node)
        ways[node] = sorted(to for to in after[node] & nodes if to not in on_way)
        for to in ways[node]:
            if to not in ways:
                visit(to)
        on_way.discard(node)

    visit(header)
    return ways


def busiest_way(blocks, after, nodes, header, ends, expected):
    """The blocks from the header to one of `ends`, each once: a way that stores most, and then most
    in local memory. Of those the one whose loads are nearest to what `expected` says of so many
    bytes stored: others load what this call has no use for, such as more coordinates. Of those the
    shortest."""
    onwards, best = forwards(after, nodes, header), {}

    def visit(node):
        """((bytes stored, local accesses), {bytes loaded: (instructions, blocks)}), or None: it
        leads nowhere."""
        if node in best:
            return best[node]
        ways = [way for way in map(visit, onwards[node]) if way]
        ways += [((0, 0), {0: (0, ())})] if node in ends else []
        best[node] = None
        if ways:
            most = max(stored for stored, _ in ways)
            own = blocks[node].instructions
            merged = {}
            for way in (way for stored, way in ways if stored == most):
                for loaded, (count, rest) in way.items():
                    total = loaded + sum(i.loads for i in own)
                    option = (count + len(own), (node, *rest))
                    merged[total] = min(merged.get(total, option), option)
            best[node] = ((most[0] + sum(i.stores + i.adds for i in own),
                           most[1] + sum(bool(i.local) for i in own)), merged)
        return best[node]

    (stored, _), ways = visit(header) or ((0, 0), {0: (0, ())})
    return min(ways.items(), key=lambda way: (abs(way[0] - expected(stored)), way[1]))[1][1]


def turn_of(blocks, after, loop, expected):
    nodes, header, _ = loop
    ends = {node for node in nodes if header in after[node]}
    return Turn(blocks, busiest_way(blocks, after, nodes, header, ends, expected))


def importance(turn):
    return bool(turn.adds or turn.local), turn.stores + turn.adds, turn.loads


def all_loops(found):
    for loop in found:
        yield loop
        yield from all_loops(loop[2])


def turns_of_nest(blocks, after, loop, expected):
    """Of the loop, and of the innermost in it that moves most of that. If that moves more, the way
    through the loop leaves it out, and it stands for both."""
    outer = inner = turn_of(blocks, after, loop, expected)
    for nested in all_loops(loop[2]):
        turn = turn_of(blocks, after, nested, lambda stored: stored)
        if turn.loads and turn.stores + turn.adds >= MOST * (outer.stores + outer.adds) > 0:
            inner = turn
    more = inner.stores + inner.adds > outer.stores + outer.adds
    return inner if more else outer, inner


def hot_turns(blocks, expected):
    """Of the loop that moves most, and of the innermost in it that moves most of that: of rows, and
    of the columns of a row. Both may be the same. Without a loop, the kernel is the turn. For
    `expected` see busiest_way; an inner loop loads what it stores."""
    after = edges(blocks)
    nodes = set(range(len(blocks)))
    nests = [turns_of_nest(blocks, after, loop, expected) for loop in loops(nodes, after)]
    nests = [nest for nest in nests if nest[0].loads]
    if not nests:
        ends = {n for n in nodes if not after[n]}
        whole = Turn(blocks, busiest_way(blocks, after, nodes, 0, ends, expected))
        return whole, whole
    return max(nests, key=lambda nest: importance(nest[0]))

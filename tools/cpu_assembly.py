# SPDX-License-Identifier: Apache-2.0
"""Read the assembly that clang writes for x86-64 and AArch64: its innermost loops, and what an
iteration of each does. LLVM itself says in comments which blocks are a loop and what is a spill."""

import collections
import re

X86_WIDTHS = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "xmmword": 16, "ymmword": 32,
              "zmmword": 64}
X86_SHUFFLE = re.compile(
    r"v?(p?shuf|perm|punpck|unpck|palignr|align|p?blend|p?insert|pinsr|p?extract|pextr|p?broadcast|"
    r"pmov([sz]x|[qdw][bwd]$|us?[qdw]|sx)|pack|ps[rl]ldq|movlhps|movhlps|mov[sd]?[dhl]+dup|"
    r"pcompress|compress|pexpand|expand|pmovmskb)"
)
X86_DIVISION = re.compile(r"i?div$|v?div[sp]")
X86_GATHER = re.compile(r"v?p?(gather|scatter)")
# Their first operand is read alone.
X86_READS = re.compile(r"(cmp|test|bt|push|call|jmp|i?div|mul|imul|v?u?comis|vptest|prefetch)")
ARM_SHUFFLE = re.compile(
    r"(tb[lx]|zip[12]|uzp[12]|trn[12]|ext|rev\d*|dup|ins|[su]mov|[su]?xtn2?|[su](hl|xt)l2?)$"
)
ARM_SIZES = {"b": 1, "h": 2, "s": 4, "w": 4, "d": 8, "x": 8, "q": 16}


class Loop:
    """An innermost loop, and what all of its instructions do; some may be branched around."""

    def __init__(self, label, depth):
        self.label = label
        self.depth = depth
        self.text = []
        self.lines = collections.Counter()  # (file, line) of the instructions
        self.loads = collections.Counter()  # by bytes
        self.stores = collections.Counter()
        self.streamed = 0  # of the stores
        self.counts = collections.Counter()

    def memory(self):
        return sum(self.loads.values()) + sum(self.stores.values())

    def loaded(self):
        """Bytes."""
        return sum(width * n for width, n in self.loads.items())

    def stored(self):
        """Bytes."""
        return sum(width * n for width, n in self.stores.items())


def functions(assembly):
    """(name, lines) of each."""
    for part in re.split(r"# -- Begin function |// -- Begin function ", assembly)[1:]:
        name, body = part.split("\n", 1)
        yield name.strip(), re.split(r"-- End function", body)[0].split("\n")


def calls(lines):
    """The functions that a function calls, in their order."""
    found = [re.match(r"\t(?:call|bl|jmp|b)\s+(\w+)", line) for line in lines]
    return dict.fromkeys(call.group(1) for call in found if call)


# Of LLVM's comments; the blocks of a loop may come before the one that it is named after.
BLOCK = re.compile(r"(\.LBB\w+):|(?:#|//) %bb\.")
INNERMOST = re.compile(r"=>\s*This Inner Loop Header: Depth=(\d+)")
INSIDE = re.compile(r"in Loop: Header=(BB\w+)")
PLACE = re.compile(r"([\w.]+):(\d+):\d+")


def innermost_loops(lines, is_arm):
    """Of one function."""
    loops, label = {}, None
    for line in lines:
        block = BLOCK.match(line)
        label = block.group(1) if block else label
        header = INNERMOST.search(line)
        if header:
            loops[label] = Loop(label, int(header.group(1)))
    loop, place = None, None
    for line in lines:
        block = BLOCK.match(line)
        if block:
            loop = loops.get(block.group(1))
        inside = INSIDE.search(line)
        if inside:
            loop = loops.get(".L" + inside.group(1), loop)
        if re.match(r"\s+\.loc\s", line):
            place = PLACE.search(line)
        if loop and (block or re.match(r"\t[a-z]", line)):
            loop.text.append(line.rstrip())
        if loop and re.match(r"\t[a-z]", line):
            if place and int(place.group(2)) > 0:
                loop.lines[place.group(1), int(place.group(2))] += 1
            count(loop, line, is_arm)
    return list(loops.values())


def count(loop, line, is_arm):
    code, _, comment = line.strip().partition("//" if is_arm else "#")
    name, _, operands = code.strip().partition("\t")
    name = name.split(" ")[-1]
    counts = loop.counts
    counts["instructions"] += 1
    if re.search(r"Spill|Reload", comment):
        counts["spills"] += 1
    elif is_arm:
        count_arm(loop, name, operands)
    else:
        count_x86(loop, name, operands)


def count_x86(loop, name, operands):
    counts = loop.counts
    counts["calls"] += name == "call"
    counts["divisions"] += bool(X86_DIVISION.match(name))
    counts["gathers"] += bool(X86_GATHER.match(name))
    counts["prefetches"] += name.startswith("prefetch")
    width = re.search(r"(\w+) ptr ", operands)
    counts["shuffles"] += bool(X86_SHUFFLE.match(name))
    if not width or name.startswith(("prefetch", "lea", "nop")):
        return
    first_is_memory = "[" in operands.split(",")[0]
    bytes_moved = X86_WIDTHS.get(width.group(1), 0)
    is_move = re.match(r"v?(mov|pextr|extract|pmov|pscatter|scatter|p?compress|st|set)", name)
    if first_is_memory and not X86_READS.match(name):
        loop.stores[bytes_moved] += 1
        loop.streamed += "movnt" in name
    if not first_is_memory or not is_move:
        loop.loads[bytes_moved] += 1


def count_arm(loop, name, operands):
    counts = loop.counts
    counts["calls"] += name in ("bl", "blr")
    counts["divisions"] += name in ("sdiv", "udiv", "fdiv")
    counts["prefetches"] += name == "prfm"
    is_lane_move = name == "mov" and "[" in operands and operands[0] in "vwx"
    counts["shuffles"] += bool(ARM_SHUFFLE.match(name.split(".")[0])) or is_lane_move
    moves = re.match(r"(ld|st)(n?p|u?r|\d|x?r|lr|ar|add|clr|set|smin|smax|umin|umax)?", name)
    if not moves or name == "prfm":
        return
    widths = loop.loads if moves.group(1) == "ld" else loop.stores
    widths[arm_width(name, operands)] += 2 if re.match(r"(ld|st)n?p", name) else 1
    loop.streamed += name == "stnp"


def arm_width(name, operands):
    suffix = re.match(r"(?:ld|st)u?r?s?([bh])$|ld\w*rs(w)$|(?:ld|st)[a-z]*rs?([bhw])$", name)
    if suffix:
        return {"b": 1, "h": 2, "w": 4}[next(filter(None, suffix.groups()))]
    lanes = re.match(r"\{\s*(.*?)\s*\}(\[\d+\])?", operands)
    if lanes:
        vectors = lanes.group(1).split(",")
        kind = re.search(r"\.(\d*)([bhsd])", vectors[0])
        each = ARM_SIZES[kind.group(2)]
        elements = 1 if lanes.group(2) or name.endswith("r") else int(kind.group(1) or 1)
        return len(vectors) * each * elements
    return ARM_SIZES.get(operands[0], 0)

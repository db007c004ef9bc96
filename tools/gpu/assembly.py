# SPDX-License-Identifier: Apache-2.0
"""Machine code of GPUs, read as blocks of instructions: what each loads, stores and waits for.

nvidia(), amd() and intel() take the text that nvdisasm, clang or Intel's compiler prints and give
{kernel: [Block]}.
"""

import re


class Instruction:
    """Bytes are a work-item's. `waits` are the tokens of loads that must have arrived before it;
    `gives` are those of a load. On AMD it may name none, and waits until `left` are under way."""

    def __init__(self, text, name):
        self.text, self.name = text, name
        self.loads = self.stores = self.adds = 0  # bytes of global memory; adds: atomics
        self.local = self.spills = 0  # accesses
        self.is_scalar = False  # issued beside the vector's (AMD)
        self.is_wide = self.is_division = self.is_barrier = False
        self.gives, self.waits, self.left = (), (), None


class Block:
    def __init__(self, label=None):
        self.label = label
        self.instructions = []
        self.targets = []  # labels
        self.falls = True  # into the next block


class Builder:
    """The blocks of one kernel, line by line."""

    def __init__(self):
        self.blocks = [Block()]

    def begin(self, label):
        self.blocks.append(Block(label))

    def add(self, instruction):
        self.blocks[-1].instructions.append(instruction)

    def jump(self, targets, falls):
        self.blocks[-1].targets += targets
        self.blocks[-1].falls = falls
        self.begin(None)


# NVIDIA

NVIDIA_LINE = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
NVIDIA_WIDTHS = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}
NVIDIA_PACKS = {"F32": 4, "F16": 2, "BF16": 2}


def nvidia_width(parts):
    for part in parts:
        pack = re.match(r"(B?F\d\d)x(\d)", part)
        if pack:
            return NVIDIA_PACKS[pack.group(1)] * int(pack.group(2))
        if part in NVIDIA_WIDTHS:
            return NVIDIA_WIDTHS[part]
    return 4


def nvidia_registers(text):
    found = []
    for number, pair in re.findall(r"\bR(\d+)(\.64)?", text):
        found += [int(number)] + ([int(number) + 1] if pair else [])
    return found


def nvidia_instruction(text, name, operands):
    made = Instruction(text, name)
    kind, *parts = name.split(".")
    width = nvidia_width(parts)
    first, _, rest = operands.partition(",")
    made.waits = tuple(nvidia_registers(operands))
    if kind in ("LDG", "LD", "ATOMG", "ATOM"):
        number = re.search(r"\bR(\d+)", first)
        made.waits = tuple(nvidia_registers(rest))
        first = int(number.group(1)) if number else 0
        made.gives = tuple(range(first, first + (width + 3) // 4 if number else 0))
        made.loads = width if kind in ("LDG", "LD") else 0
    if kind in ("ATOMG", "ATOM", "RED", "REDG"):
        made.adds = width
    made.stores = width if kind in ("STG", "ST") else 0
    made.local = kind in ("LDS", "STS", "ATOMS")
    made.spills = kind in ("LDL", "STL")
    made.is_wide = kind == "IMAD" and "WIDE" in parts
    made.is_division = kind in ("CALL", "MUFU") and ("RCP" in parts or kind == "CALL")
    made.is_barrier = kind == "BAR"
    return made


def nvidia(text):
    kernels, builder = {}, None
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\w+),", line)
        label = re.match(r"(\.L_x_\d+|\$__internal\S*):", line.strip())
        if section:
            builder = Builder()
            kernels[section.group(1)] = builder.blocks
        elif builder and label:
            builder.begin(label.group(1))
        found = NVIDIA_LINE.match(line) if builder else None
        if not found:
            continue
        predicate, name, operands = found.groups()
        builder.add(nvidia_instruction(line.strip(), name, operands))
        kind = name.split(".")[0]
        if kind in ("BRA", "EXIT", "RET", "BRX"):
            targets = re.findall(r"`\((\.L_x_\d+)\)", operands)
            builder.jump(targets, bool(predicate) or kind == "BRA" and "UP" in operands)
    return kernels


# AMD

AMD_MEMORY = re.compile(r"(?:global|flat|buffer)_(load|store|atomic)_?(.*)")
AMD_WIDTHS = {"ubyte": 1, "sbyte": 1, "u8": 1, "i8": 1, "b8": 1, "byte": 1, "ushort": 2,
              "sshort": 2, "short": 2, "u16": 2, "i16": 2, "b16": 2, "dwordx4": 16, "b128": 16,
              "dwordx3": 12, "b96": 12, "dwordx2": 8, "b64": 8, "x2": 8, "u64": 8, "f64": 8}


def amd_width(words):
    return next((AMD_WIDTHS[word] for word in words.split("_")[::-1] if word in AMD_WIDTHS), 4)


def amd_instruction(text, name):
    made = Instruction(text, name)
    memory = AMD_MEMORY.match(name)
    if memory:
        kind, width = memory.group(1), amd_width(memory.group(2))
        made.loads = width * (kind == "load")
        made.stores = width * (kind == "store")
        made.adds = width * (kind == "atomic")
        made.spills = name.startswith("buffer_") and " s32" in text
        made.gives = ("vector",)
    made.spills = made.spills or name.startswith("scratch_")
    made.local = name.startswith("ds_")
    made.is_scalar = name.startswith("s_")
    made.is_wide = name.startswith(("v_mul_hi_u32", "v_mad_u64", "v_mul_hi_i32"))
    made.is_division = name.startswith("v_rcp")
    made.is_barrier = name.startswith("s_barrier")
    count = re.search(r"vmcnt\((\d+)\)", text) if name == "s_waitcnt" else None
    made.left = int(count.group(1)) if count else None
    return made


def amd(text):
    kernels, builder = {}, None
    for line in text.splitlines():
        line = line.split(";")[0].strip()
        begun = re.match(r"([A-Za-z_]\w*):$", line)
        if begun:
            builder = Builder()
            kernels[begun.group(1)] = builder.blocks
        elif line.startswith(".Lfunc_end"):
            builder = None
        if not builder or begun or not line:
            continue
        if line.endswith(":"):
            builder.begin(line[:-1])
        elif not line.startswith("."):
            name = line.split()[0]
            builder.add(amd_instruction(line, name))
            if name.startswith(("s_branch", "s_cbranch", "s_endpgm", "s_setpc")):
                builder.jump(line.split()[1:2], name.startswith("s_cbranch"))
    return kernels


# Intel

INTEL_SEND = re.compile(r"\bsend\S*\s+\((\d+)\|")
INTEL_LOCAL = re.compile(r"0x[0-9A-F]{6}FE\b")  # a message to the surface of local memory


def intel_access(made, text):
    """What a message does is in the compiler's comment; it counts registers of 32 bytes."""
    note = text.split("//", 1)[1]
    lanes = int(INTEL_SEND.search(text).group(1))
    written = re.search(r"wr:(\d+)\S*\+(\d+), rd:(\d+)", note)
    if not written or "oword" in note or "end of thread" in note:
        return
    data, read = (int(written.group(i)) * 32 // lanes for i in (2, 3))
    made.local = "slm" in note.lower() or bool(INTEL_LOCAL.search(text))
    made.spills = "scratch" in note
    if made.local or made.spills:
        return
    if "atomic" in note:
        made.adds = max(data // 2 if "cmpwr" in note else data, 4)
    elif "write" in note or "scatter" in note or "store" in note:
        made.stores = data
    else:
        made.loads = read
    token = re.search(r"\{[^}]*\$(\d+)[},]", text)
    made.gives = (token.group(1),) if token and read else ()


def intel_instruction(text, name):
    made = Instruction(text, name)
    made.waits = tuple(re.findall(r"\$(\d+)\.dst", text))
    if name.startswith("send") and "//" in text and INTEL_SEND.search(text):
        intel_access(made, text)
    made.is_wide = name.startswith("mach")
    made.is_division = name.startswith("math") and ("inv" in text or "idiv" in text)
    made.is_barrier = "barrier" in text
    return made


def intel(text):
    kernel = re.search(r"^//\.kernel (\S+)", text, re.M).group(1)
    builder = Builder()
    for line in text.splitlines():
        line = line.strip()
        begun = re.match(r"// (B\d+):.*Succs:\{([^}]*)\}", line)
        if begun:
            builder.begin(begun.group(1))
            builder.blocks[-1].targets = re.findall(r"B\d+", begun.group(2))
            builder.blocks[-1].falls = False
        found = re.match(r"(?:\([^)]*\)\s+)?([a-z][\w.]*)\s+\(", line)
        if found or line.startswith("sync"):
            builder.add(intel_instruction(line, found.group(1) if found else "sync"))
    return {kernel: builder.blocks}

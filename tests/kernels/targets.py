# SPDX-License-Identifier: Apache-2.0
"""Compile kernels for GPUs with the compilers that their users have. No GPU is needed."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

CLC = "/usr/lib/clc"
CLANGS = ("clang-15", "clang-16", "clang-14")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wundef", "-Wno-unused-parameter"]

# As devices' compilers do, which inline all that they can. The devices have 64-bit atomics, which
# clang does not say of all.
ATOMICS_64 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "atomics64.clh")
CLANG = ["-x", "cl", "-cl-std=CL1.2", "-O2", "-S", "-Xclang", "-fdeclare-opencl-builtins",
         "-Xclang", "-finclude-default-header"]
CLANG += ["-mllvm", "-inline-threshold=1000000"]
CLANG += ["-Xclang", "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"]

TARGETS = [
    ("intel", "dg2"),
    ("intel", "tgllp"),
    ("amd", "gfx90a"),
    ("amd", "gfx1030"),
    ("amd", "gfx1100"),
    ("nvidia", "sm_70"),
    ("nvidia", "sm_75"),
    ("nvidia", "sm_90"),
]

# kernels_cl/args.h's CLND_ATOMIC_*, and the kinds of float16, bfloat16, float32, float64, complex64
# and complex128 in clnd/dtype.h.
LOOP, EXCHANGE, ORDER, BY_OPENCL, BY_PTX, BY_AMD = range(1, 7)
HALF, BRAIN, SINGLE, DOUBLE, SINGLES, DOUBLES = range(10, 16)

# What the compilers here know of sums that a chip makes by itself: how it is told, and the kinds.
USUAL_SUMS = {HALF, SINGLE, DOUBLE, SINGLES, DOUBLES}
ADDS = {
    "dg2": (BY_OPENCL, {SINGLE, SINGLES}),
    "tgllp": (BY_OPENCL, {SINGLE, SINGLES}),
    "gfx90a": (BY_AMD, USUAL_SUMS),
    "sm_70": (BY_PTX, USUAL_SUMS),
    "sm_75": (BY_PTX, USUAL_SUMS),
    "sm_90": (BY_PTX, USUAL_SUMS | {BRAIN}),
}
# Chips that add two or four words of float32 or 16-bit floats at once.
ADDS_PACKS = {"sm_90"}


def has_sum(chip, way, kind, pack):
    """Whether `chip` has these sums, in this way; loops and exchanges are for all."""
    if way < BY_OPENCL:
        return True
    language, kinds = ADDS.get(chip, (None, ()))
    words = pack // 2 if kind in (HALF, BRAIN) else pack
    return way == language and kind in kinds and (words <= 1 or chip in ADDS_PACKS)


class Use:
    """What one kernel takes. `spilled` is in bytes, or in registers where the compiler says so;
    `width` is the work-items of an Intel GPU's thread, which share its registers."""

    def __init__(self, kernel, registers, spilled, stack, local, width=None):
        self.kernel = kernel
        self.registers = registers
        self.spilled = spilled
        self.stack = stack
        self.local = local
        self.width = width


def find_clang():
    return next(filter(None, map(shutil.which, CLANGS)), None)


def find_ptxas():
    toolkits = sorted(glob.glob("/usr/local/cuda*/bin/ptxas"))
    return shutil.which("ptxas") or (toolkits[-1] if toolkits else None)


def bitcode(vendor):
    return f"{CLC}/amdgcn--amdhsa.bc" if vendor == "amd" else f"{CLC}/nvptx64--nvidiacl.bc"


def missing(vendor, chip):
    """Why nothing can be compiled for this target here, or None."""
    if vendor == "intel":
        return None if shutil.which("ocloc") else "no ocloc"
    if not find_clang():
        return "no " + ", ".join(CLANGS)
    if not os.path.exists(bitcode(vendor)):
        return f"no {bitcode(vendor)} (libclc)"
    if vendor == "nvidia":
        if not find_ptxas():
            return "no ptxas (CUDA)"
        if "is not defined" in run([find_ptxas(), f"-arch={chip}", os.devnull])[1]:
            return f"this ptxas does not know {chip}"
    return None


def run(command, **more):
    result = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        **more,
    )
    return result.returncode, result.stdout


def defines(options):
    return [f"-D{name}={value}" for name, value in options.items()]


def compile_for(vendor, chip, prelude, path, options, limit=None):
    """(complaint or None, [Use]); one compiler that takes more than `limit` seconds is killed, and
    raises subprocess.TimeoutExpired."""
    with tempfile.TemporaryDirectory(prefix="clnd-kernel-") as folder:
        return compile_into(folder, vendor, chip, prelude, path, options, limit)


def compile_into(folder, vendor, chip, prelude, path, options, limit=None):
    """The same, and leaves the code there: code.s (AMD's assembly, NVIDIA's PTX), code.bin
    (NVIDIA's), dump/*.asm (Intel's)."""
    words = defines(options)
    if vendor == "intel":
        status, text, uses = with_ocloc(chip, prelude, path, words, folder, limit)
    else:
        status, text, uses = with_clang(vendor, chip, prelude, path, words, folder, limit)
    if status != 0 or re.search(r"\bwarning\b", text, re.I) or not uses:
        return " ".join([chip, *words]) + "\n" + (text or "no kernel"), []
    return None, uses


def with_clang(vendor, chip, prelude, path, given, folder, limit):
    code = os.path.join(folder, "code.s")
    if vendor == "amd":
        target = ["-target", "amdgcn--amdhsa", f"-mcpu={chip}", "-nogpulib"]
    else:
        # The oldest: what is below a newer one depends on ptxas alone.
        target = ["-target", "nvptx64--nvidiacl", "-Xclang", "-target-cpu", "-Xclang", "sm_70"]
    library = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", bitcode(vendor)]
    includes = [word for file in [ATOMICS_64, *prelude] for word in ("-include", file)]
    words = [*CLANG, *WARNINGS, *target, *library, *includes, *given]
    status, text = run([find_clang(), *words, "-o", code, path], timeout=limit)
    if status != 0:
        return status, text, []
    if vendor == "nvidia":
        if options_say(given, "ATOMIC", BY_PTX):
            raise_version(code, chip)
        words = ["-v", f"-arch={chip}", "-o", os.path.join(folder, "code.bin")]
        status, notes = run([find_ptxas(), *words, code], timeout=limit)
        if status != 0:
            return status, text + notes, []
        return status, text, read_ptxas(notes)
    with open(code, encoding="utf-8", errors="replace") as file:
        assembly = file.read()
    if "s_swappc" in assembly:
        return 1, text + "a call of a function that libclc lacks", []
    return status, text, read_amd(assembly)


def options_say(given, name, value):
    return f"-D{name}={value}" in given


def raise_version(code, chip):
    """To that of what the kernel has as text, which clang does not look at."""
    with open(code, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"^\.version .*", ".version 8.1", text, flags=re.M)
    with open(code, "w", encoding="utf-8") as file:
        file.write(re.sub(r"^\.target .*", f".target {chip}", text, flags=re.M))


def read_amd(code):
    """From the metadata, where the keys of a kernel stand in the order of the alphabet."""
    uses, found = [], {}
    for line in code.splitlines():
        match = re.match(r"\s+(?:- )?\.(\w+):\s+(\S+)$", line)
        if not match:
            continue
        found[match.group(1)] = match.group(2)
        if match.group(1) == "vgpr_spill_count":
            uses.append(
                Use(
                    found["symbol"].strip("'").replace(".kd", ""),
                    int(found["vgpr_count"]),
                    int(found["vgpr_spill_count"]),
                    int(found["private_segment_fixed_size"]),
                    int(found["group_segment_fixed_size"]),
                )
            )
            found = {}
    return uses


def read_ptxas(notes):
    uses = []
    for part in notes.split("Compiling entry function '")[1:]:
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", part)
        used = re.search(r"Used (\d+) registers", part)
        local = re.search(r"(\d+) bytes smem", part)
        if frame and used:
            uses.append(
                Use(
                    part.split("'")[0],
                    int(used.group(1)),
                    int(frame.group(2)),
                    int(frame.group(1)),
                    int(local.group(1)) if local else 0,
                )
            )
    return uses


def with_ocloc(chip, prelude, path, given, folder, limit):
    # It knows no -include.
    source = os.path.join(folder, "source.cl")
    with open(source, "w", encoding="utf-8") as out:
        for name in [*prelude, path]:
            out.write(f'#line 1 "{os.path.basename(name)}"\n')
            with open(name, encoding="utf-8") as file:
                out.write(file.read())
    dump = os.path.join(folder, "dump")
    environment = dict(os.environ, IGC_ShaderDumpEnable="1", IGC_DumpToCustomDir=dump)
    words = ["compile", "-file", source, "-device", chip, "-out_dir", folder, "-output", "code"]
    standard = "CL3.0" if options_say(given, "ATOMIC", BY_OPENCL) else "CL1.2"
    words += ["-options", " ".join([f"-cl-std={standard}", *given])]
    status, text = run(["ocloc", *words], env=environment, timeout=limit)
    uses = []
    for name in sorted(glob.glob(os.path.join(dump, "*.asm"))):
        with open(name, encoding="utf-8", errors="replace") as file:
            use = read_igc(file.read(), re.search(r"_simd(\d+)_", name))
        uses += [use] if use else []
    # It warns of spills, which are for the table; its assembly says nothing of their size.
    spills = re.compile(r"^warning: kernel (\S+) .* allocated \d+ regs and spilled .* (\d+)")
    for match in filter(None, map(spills.match, text.splitlines())):
        for use in uses:
            use.spilled = int(match.group(2)) if use.kernel == match.group(1) else use.spilled
    return status, "\n".join(x for x in text.splitlines() if not spills.match(x)), uses


def read_igc(code, width):
    kernel = re.search(r"^//\.kernel (\S+)", code, re.M)
    registers = re.search(r"numGRF=(\d+)", code)
    if not kernel or not registers or not width:
        return None
    return Use(kernel.group(1), int(registers.group(1)), 0, 0, 0, int(width.group(1)))

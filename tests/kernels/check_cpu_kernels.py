# SPDX-License-Identifier: Apache-2.0
"""Check that tools/cpu_kernels.py finds a hot loop and counts what it does. Prints TAP."""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, TOOLS)

import cpu_assembly  # noqa: E402
import cpu_kernels  # noqa: E402

# A loop whose first block is not its header, around which another one lies.
X86 = """f:
.LBB0_1:\t# Parent Loop BB0_1
\t# =>This Loop Header: Depth=1
\tmov\tqword ptr [rdi], rax
.LBB0_2:\t#   in Loop: Header=BB0_3 Depth=2
\tvmovups\tymm0, ymmword ptr [rsi]
\tvmovntps\tymmword ptr [rdi], ymm0
\tvpgatherqd\txmm1 {k1}, ymmword ptr [rsi + ymm2]
\tmov\tbyte ptr [rdi + 3], cl
\tadd\tdword ptr [rdi], eax
\tmov\trax, qword ptr [rsp + 8]\t# 8-byte Reload
.LBB0_3:\t# =>  This Inner Loop Header: Depth=2
\tvpshufb\txmm0, xmm0, xmmword ptr [rip + .LCPI0_0]
\tidiv\trcx
\tcall\tmemcpy@PLT
\tjne\t.LBB0_2
# %bb.4:\t#   in Loop: Header=BB0_1 Depth=1
\tmov\tdword ptr [rdi], eax
"""
ARM = """g:
.LBB1_1:\t// =>This Inner Loop Header: Depth=1
\tldp\tq0, q1, [x0], #32
\tstp\tq0, q1, [x1], #32
\tld3\t{ v2.16b, v3.16b, v4.16b }, [x0]
\tstrb\tw3, [x1]
\tst1\t{ v0.h }[3], [x1]
\ttbl\tv0.16b, { v1.16b }, v2.16b
\tstr\tx8, [sp, #8]\t// 8-byte Folded Spill
"""


def one_loop(text, is_arm):
    loops = cpu_assembly.innermost_loops(text.split("\n"), is_arm)
    return loops[0] if len(loops) == 1 else None


def x86_is_counted():
    loop = one_loop(X86, False)
    counts = {name: n for name, n in loop.counts.items() if n}
    return (loop.label, loop.loads, loop.stores, loop.streamed, counts) == (
        ".LBB0_3", {32: 2, 4: 1, 16: 1}, {32: 1, 1: 1, 4: 1}, 1,
        {"instructions": 10, "spills": 1, "gathers": 1, "shuffles": 1, "divisions": 1, "calls": 1})


def arm_is_counted():
    loop = one_loop(ARM, True)
    counts = {name: n for name, n in loop.counts.items() if n}
    return (loop.loads, loop.stores, counts) == (
        {16: 2, 48: 1}, {16: 2, 1: 1, 2: 1}, {"instructions": 7, "shuffles": 1, "spills": 1})


def described(title, cpus):
    command = [sys.executable, os.path.join(TOOLS, "cpu_kernels.py"), "--json"]
    command += ["--filter", title, "--cpu", cpus]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(result.stdout) if result.returncode == 0 else []


def a_kernel_is_read():
    """Long rows inside the caches: 64 bytes at once, in whole vectors."""
    found = [(row["rows"], row["loads"], row["stores"])
             for row in described("embed, inside", "x86-64-v3,neoverse-n1")]
    print("#", found)
    return found == [(1, {"32": 2}, {"32": 2}), (1, {"16": 4}, {"16": 4})]


def single_elements_are_loaded_one_by_one():
    """Gather instructions took a quarter longer."""
    found = [(row["loads"], row["stands_out"])
             for row in described("rows of 8, past", "skylake-avx512")]
    print("#", found)
    return found == [({"4": 8, "8": 8}, "")]


def main():
    on_text = (x86_is_counted, arm_is_counted)
    on_kernels = (a_kernel_is_read, single_elements_are_loaded_one_by_one)
    print("1..4")
    failed = 0
    for number, check in enumerate(on_text + on_kernels, 1):
        name = check.__name__.replace("_", " ")
        if check in on_kernels and not cpu_kernels.find_clang():
            print(f"ok {number} {name} # SKIP no {', '.join(cpu_kernels.CLANGS)}")
            continue
        good = check()
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

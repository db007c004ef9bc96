# SPDX-License-Identifier: Apache-2.0
"""Check that tools/gpu_model.py reads machine code rightly, and that no case of the benchmark got
worse than tools/gpu_model.toml allows. Prints TAP.

    check_gpu_model.py LIST_LAUNCHES [DEVICE...]
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, TOOLS)

import gpu_model  # noqa: E402
from gpu_model import assembly, paths  # noqa: E402
import traffic  # noqa: E402

# A loop that loads four indices, then two rows, one of them 16 bytes from a way that is not taken
# for a fill; its first loads wait for nothing of the turn before.
NVIDIA = """
\t.section\t.text.f,"ax",@progbits
.text.f:
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_0:
        /*0010*/                   LDG.E R2, desc[UR4][R4.64] ;
        /*0020*/                   LDG.E.64 R8, desc[UR4][R6.64] ;
        /*0030*/                   IMAD.WIDE.U32 R2, R2, 0x10, R4 ;
        /*0040*/               @P0 BRA `(.L_x_1) ;
        /*0050*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_s64) ;
        /*0060*/                   BRA `(.L_x_2) ;
.L_x_1:
        /*0070*/                   LDG.E.128 R12, desc[UR4][R2.64] ;
.L_x_2:
        /*0080*/                   REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R8.64], R12 ;
        /*0090*/              @!P1 BRA `(.L_x_0) ;
        /*00a0*/                   EXIT ;
"""
AMD = """
g:
\ts_load_dwordx4 s[0:3], s[4:5], 0x0
.LBB0_1:                                ; =>This Inner Loop Header: Depth=1
\tglobal_load_dword v1, v[26:27], off
\tglobal_load_dword v5, v[24:25], off
\ts_waitcnt vmcnt(1)
\tv_mul_hi_u32 v1, v1, v2
\ts_waitcnt vmcnt(0)
\tglobal_load_dwordx4 v[8:11], v[4:5], off
\ts_waitcnt vmcnt(0)
\tds_write_b32 v0, v8
\tglobal_store_dwordx4 v[6:7], v[8:11], off
\ts_cbranch_scc1 .LBB0_1
; %bb.2:
\ts_endpgm
.Lfunc_end0:
"""
INTEL = """
//.kernel h
// B000: Preds:{},  Succs:{B001}
(W)     mov (8|M0)               r2.0<1>:ud    r0.0<1;1,0>:ud
// B001: Preds:{B000, B001},  Succs:{B001, B002}
        send.dc1 (16|M0)         r14  r2  null:0 0 0x04 {$2} // wr:2+0, rd:2; read with x
        mach (16|M0)             r4.0<1>:d     r14.0<1;1,0>:d    r6.0<1;1,0>:d    {$2.dst}
        send.dc1 (16|M0)         r14  r2  null:0 0 0x04 {A@1,$6} // wr:2+0, rd:8; read with xyzw
        sync.nop                             null                             {Compacted,$6.dst}
        send.dc1 (16|M0)         null r2 r14:8 0 0x04 {A@1,$7} // wr:2+8, rd:0; write with xyzw
// B002: Preds:{B001},  Succs:{}
(W)     send.gtwy (8|M0)         null r112 null:0 0 0x02 {EOT} // wr:1+0, rd:0; end of thread
"""


def counted(blocks, expected):
    turn = paths.hot_turns(blocks, lambda stored: expected)[0]
    return (turn.widths("loads"), turn.widths("stores"), turn.widths("adds"), turn.issued,
            turn.waits, turn.at_once, turn.wide, turn.divisions)


def nvidia_is_counted():
    """Six instructions and the branch over the fill, whose call is not on the way."""
    blocks = assembly.nvidia(NVIDIA)["f"]
    with_row = counted(blocks, 28) == ("1x16 1x8 1x4", "", "1x16", 7, 2, 2, 1, 0)
    return with_row and counted(blocks, 12) == ("1x8 1x4", "", "1x16", 8, 1, 2, 1, 1)


def amd_is_counted():
    return counted(assembly.amd(AMD)["g"], 24) == ("1x16 2x4", "1x16", "", 6, 2, 2, 1, 0)


def intel_is_counted():
    return counted(assembly.intel(INTEL)["h"], 20) == ("1x16 1x4", "1x16", "", 5, 2, 1, 1, 0)


def without_bound(arguments, everything):
    """What goes wrong, a line each, where a case's least traffic is counted."""
    device, constants = everything["device"]["h200"], everything["model"]
    for case in gpu_model.plans(arguments.launches, device, "*"):
        try:
            traffic.of_case(case, constants, device["cache"])
        except KeyError as error:
            yield f"{case['case']}: no {error}"


def tests(arguments):
    """(title, why it is skipped or None, what is wrong) of each."""
    for check in (nvidia_is_counted, amd_is_counted, intel_is_counted):
        yield check.__name__.replace("_", " "), None, [] if check() else ["other counts"]
    everything = gpu_model.data()
    yield "every case has a bound", None, list(without_bound(arguments, everything))
    for name in arguments.devices:
        reason = gpu_model.missing(everything["device"][name])
        demanded = gpu_model.demands(everything, name, "*")
        if reason:
            yield name, reason, []
            continue
        found = gpu_model.of_device(name, arguments, everything, ",".join(demanded))
        for case, complaints in gpu_model.check(found, demanded):
            yield f"{name}: {case}", None, complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("launches")
    parser.add_argument("devices", nargs="*")
    arguments = parser.parse_args()
    arguments.jobs, arguments.asm = os.cpu_count() or 1, False
    failed, number = 0, 0
    for number, (title, reason, complaints) in enumerate(tests(arguments), 1):
        print(f"{'not ok' if complaints else 'ok'} {number} - {title}" +
              (f" # SKIP {reason}" if reason else ""))
        print("".join(f"# {text}\n" for text in complaints), end="", flush=True)
        failed += bool(complaints)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

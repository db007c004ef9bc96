# SPDX-License-Identifier: Apache-2.0
"""The kit for a machine with a GPU, with PoCL in the place of its driver. Prints TAP.

    kit_test.py SOURCE_FOLDER BUILD_FOLDER PAPER_CUDA
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

VENDOR = "/etc/OpenCL/vendors/pocl.icd"
LARGEST = 60 << 20
SIZES = {"u64": 8, "u32": 4}


def size_of(folder):
    return sum(os.path.getsize(os.path.join(path, name))
               for path, _, names in os.walk(folder) for name in names)


def run(kit, *pieces, **more):
    with open(VENDOR, encoding="utf-8") as file:
        vendor = file.read().strip()
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "KIT_OUT":
                   os.path.join(kit, "results"), "KIT_VENDOR": vendor, "KIT_DEVICE": "cpu",
                   "KIT_SIZE": "tiny", **more}
    for name in ("POCL_CACHE_DIR",):
        environment.update({name: os.environ[name]} if name in os.environ else {})
    done = subprocess.run(["sh", os.path.join(kit, "run.sh"), *pieces], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print("".join(f"# {line}\n" for line in done.stdout.splitlines()[-12:]), end="")
    return done.returncode


def result(kit, *names):
    with open(os.path.join(kit, "results", *names) + ".json", encoding="utf-8") as file:
        return json.load(file)


def is_small(kit):
    """A folder that travels, with nothing in it that refers to where it was made."""
    programs = [os.path.join(kit, "bin", name) for name in os.listdir(os.path.join(kit, "bin"))]
    environment = {"LD_LIBRARY_PATH": os.path.join(kit, "lib")}
    libraries = "".join(subprocess.run(["ldd", program], env=environment, text=True, check=True,
                                       stdout=subprocess.PIPE).stdout for program in programs)
    return len(programs) == 3 and size_of(kit) < LARGEST and "not found" not in libraries and \
        f"libclnd.so.0 => {kit}" in libraries


def pieces_leave_json(kit):
    if run(kit, "machine", "slices") != 0:
        return False
    times = [result(kit, "cases", "clnd", name)["results"][0]["median_s"]
             for name in ("slice-reverse-f32", "slice-hflip-nhwc-u8", "small-gather")]
    said = result(kit, "machine")
    return min(times) > 0 and "Portable Computing Language" in said["device"] and \
        said["status"] == 0 and os.path.exists(os.path.join(kit, "results", "results.tgz"))


def a_time_out_loses_one_case(kit):
    """The limit is over before the first case of the piece: all are left, and then made."""
    if run(kit, "gathers", KIT_LIMIT="19") == 0 or result(kit, "gathers")["status"] != 1:
        return False
    before = os.path.join(kit, "results", "cases", "clnd", "slice-reverse-f32.json")
    changed = os.path.getmtime(before)
    return run(kit, "gathers", "slices") == 0 and os.path.getmtime(before) == changed and \
        result(kit, "cases", "clnd", "rows-512")["results"][0]["case"] == "rows-512"


def failures_are_told(kit):
    """A driver that is not there."""
    os.rename(os.path.join(kit, "results"), os.path.join(kit, "before"))
    status = run(kit, "slices", KIT_VENDOR="/nowhere/libnothing.so")
    told = result(kit, "cases", "clnd", "slice-reverse-f32.failed")
    return status == 1 and told["status"] != 0 and "no OpenCL device" in told["log"]


def parameters(path, kernel):
    """The sizes of what a kernel of a PTX file takes."""
    with open(path, encoding="utf-8") as file:
        text = re.search(rf"\.entry {kernel}\((.*?)\)", file.read(), re.S).group(1)
    return [int(count) if count else SIZES[kind] for kind, count in
            re.findall(r"\.param (?:\.align \d+ )?\.(\w+)[^\n\[]*(?:\[(\d+)\])?", text)]


def launches_fit_the_kernels(kit):
    with open(os.path.join(kit, "ptx", "launches.json"), encoding="utf-8") as file:
        plan = json.load(file)
    launches = [c for case in plan["cases"] for c in case["commands"] if c["what"] == "launch"]
    for one in launches:
        given = [8 if "buffer" in a else len(a["bytes"]) // 2 for a in one["arguments"]]
        if given != parameters(os.path.join(kit, "ptx", one["ptx"]), one["kernel"]):
            print("#", one["kernel"], given)
            return False
    return len(launches) > 50


def cuda_calls_are_made(kit, library):
    """No kernel runs on paper, so results are wrong where they are looked at."""
    folder = os.path.join(kit, "cuda")
    os.makedirs(folder)
    shutil.copy(library, os.path.join(folder, "libcuda.so.1"))
    out = os.path.join(kit, "results", "cuda")
    command = [sys.executable, os.path.join(kit, "kit_cuda.py"), "--out", out, "--samples", "2",
               "--case", "rows-512,hist-i32-uniform,voxelize-f32,slice-contig-f32,pic-sorted"]
    done = subprocess.run([*command, os.path.join(kit, "ptx")], text=True, check=False,
                          env={"LD_LIBRARY_PATH": folder}, stdout=subprocess.PIPE)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    print("#", [(one["case"], one.get("error"), one.get("right")) for one in results])
    return len(results) == 5 and not any("error" in one for one in results) and \
        {one["case"]: one["right"] for one in results}["rows-512"] is False and \
        result(kit, "cuda", "slice-contig-f32")["median_s"] == 0.001


def main():
    source, build, paper = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="clnd-kit-")
    kit = os.path.join(folder, "kit")
    subprocess.run(["sh", os.path.join(source, "tools", "gpu-kit.sh"), kit, build], check=True,
                   stdout=sys.stderr)
    has_ptx = os.path.isdir(os.path.join(kit, "ptx"))
    no_pocl = None if os.path.exists(VENDOR) else f"no {VENDOR}"
    no_ptx = None if has_ptx else "no compiler for NVIDIA's GPUs here"
    tests = [(is_small, None, ()), (pieces_leave_json, no_pocl, ()),
             (a_time_out_loses_one_case, no_pocl, ()), (failures_are_told, no_pocl, ()),
             (launches_fit_the_kernels, no_ptx, ()), (cuda_calls_are_made, no_ptx, (paper,))]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (test, skip, more) in enumerate(tests, 1):
        name = f"{number} {test.__name__.replace('_', ' ')}"
        good = bool(skip) or test(kit, *more)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {name}{f' # SKIP {skip}' if skip else ''}", flush=True)
    shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

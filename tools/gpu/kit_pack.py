#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the benchmark's launches on an NVIDIA GPU, and their kernels as PTX, for kit_cuda.py.

    kit_pack.py FOLDER [DEVICE]

DEVICE is one of tools/gpu_model.toml, h200 by default. The PTX is for its chip and later ones.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import gpu_model  # noqa: E402
from gpu_model import kernel_table, machine, targets  # noqa: E402

FILL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kit_fill.clh")


def pack(folder, device, path, options):
    """The name of the PTX of a file of kernels."""
    name = hashlib.sha1(repr((os.path.basename(path), options)).encode()).hexdigest()[:12] + ".ptx"
    target = os.path.join(folder, name)
    if not os.path.exists(target):
        with tempfile.TemporaryDirectory(prefix="clnd-kit-") as scratch:
            complaint, _ = targets.compile_into(scratch, device["vendor"], device["chip"],
                                                kernel_table.files_of("kernel_prelude"), path,
                                                dict(options))
            if complaint:
                sys.exit("kit_pack.py: " + complaint)
            shutil.copy(os.path.join(scratch, "code.s"), target)
    return name


def extents(case):
    """Of the dimensions that an index tuple of the case indexes."""
    if "indices" not in case:
        return []
    if case["op"].endswith("elements"):
        return [case["data"][case.get("axis", 0)]]
    first = case.get("batch_dims", 0)
    return case["data"][first:first + case["indices"][-1]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("device", nargs="?", default="h200")
    parser.add_argument("--launches")
    arguments = parser.parse_args()
    device = gpu_model.data()["device"][arguments.device]
    os.makedirs(arguments.folder, exist_ok=True)
    cases = gpu_model.plans(gpu_model.find_launches(arguments.launches), device, "*")
    cases = [case for case in cases if not case["case"].startswith("spatter-")
             and len(extents(case)) <= 3]
    for case in cases:
        case["extents"] = extents(case)
        for launch in case["commands"]:
            if launch["what"] == "launch":
                source, options = gpu_model.program_of(launch)
                path = os.path.join(gpu_model.ROOT, "kernels_cl", source + ".cl")
                launch["ptx"] = pack(arguments.folder, device, path, options)
                launch["unit"] = machine.options_of(launch).get("UNIT", 0)
    fill = pack(arguments.folder, device, FILL, ())
    with open(os.path.join(arguments.folder, "launches.json"), "w", encoding="utf-8") as file:
        json.dump({"chip": device["chip"], "fill": fill, "cases": cases}, file)


if __name__ == "__main__":
    main()

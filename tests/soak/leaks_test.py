# SPDX-License-Identifier: Apache-2.0
"""Tests that the soak test sees leaks. Prints TAP.

usage: leaks_test.py SOAK
"""
import subprocess
import sys


def main():
    result = subprocess.run([sys.argv[1], "--time", "1", "--plant", "memory,buffer"],
                            stdout=subprocess.PIPE, check=False, timeout=550, text=True)
    lines = result.stdout.splitlines()
    if any(line.startswith("1..0 # SKIP") for line in lines):
        print(lines[-1])
        return 0
    points = [line for line in lines if line.startswith(("ok", "not ok"))] + [""] * 6
    print("1..4")
    good = True
    for number, (title, passed) in enumerate((
            ("problems are right all the same", points[0].startswith("ok")),
            ("OpenCL objects that are left over are seen",
             points[1].startswith("not ok") and any("clCreateBuffer" in line for line in lines)),
            ("a heap that grows is seen", points[4].startswith("not ok") or "# SKIP" in points[4]),
            ("a process that grows is seen",
             points[5].startswith("not ok") and result.returncode == 1)), 1):
        good &= passed
        print("ok" if passed else "not ok", number, "-", title)
    if not good:
        print("\n".join("# " + line for line in lines))
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Compiles the library for other systems, as a subproject and with OpenCL by subprojects/*.wrap.

usage: cross_test.py SOURCE_DIR

Nothing is run. Compilers are MinGW-w64, and Zig's clang in build-zig/; the Meson is build-meson's,
because older ones do not know Zig.
"""

import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import SYMBOLS, Outside, arguments, read, run, write
from subproject_test import Project

MINGW = "x86_64-w64-mingw32"
# Zig's name of the target, Meson's of the system and the processor.
ZIG_TARGETS = [
    ("x86_64-linux-musl", "linux", "x86_64"),
    ("aarch64-linux-gnu", "linux", "aarch64"),
    ("x86-linux-gnu", "linux", "x86"),
    ("aarch64-macos", "darwin", "aarch64"),
]


class Cross(Project):
    def __init__(self, tests, options, target, system, processor, **tools):
        super().__init__(tests, options, target)
        del self.environment["CC"]
        cache = os.path.join(options.source, "build-zig", "cache")
        self.environment.update(ZIG_GLOBAL_CACHE_DIR=cache, ZIG_LOCAL_CACHE_DIR=cache)
        lines = ["[binaries]", *(f"{tool} = {command}" for tool, command in tools.items()),
                 "pkgconfig = 'no-pkg-config'", "cmake = 'no-cmake'", "[host_machine]",
                 f"system = '{system}'", f"cpu_family = '{processor}'", f"cpu = '{processor}'",
                 "endian = 'little'", ""]
        ini = tests.path(target, "cross.ini")
        write(ini, "\n".join(lines))
        self.options += ["--cross-file", ini, "-Dclnd:c_args=-Werror"]
        self.bring_opencl()


def test_mingw(tests, options, meson):
    if not shutil.which(f"{MINGW}-gcc"):
        tests.skip("Windows", f"there is no {MINGW}-gcc")
        return
    tools = {"c": f"'{MINGW}-gcc'", "ar": f"'{MINGW}-ar'", "windres": f"'{MINGW}-windres'"}
    project = Cross(tests, options, "windows", "windows", "x86_64", **tools)
    build = project.build(meson)
    if build:
        listing = run(f"{MINGW}-nm", os.path.join(build, "subprojects/clnd/host/libclnd.dll.a"))
        have = set(re.findall(r" T (\w+)$", listing.stdout, re.MULTILINE))
        wanted = set(re.findall(r" (\w+)@", read(options.source, SYMBOLS)))
        tests.check("windows: symbols", have == wanted, sorted(have ^ wanted))


def test_zig(tests, options, meson):
    python = os.path.join(options.source, "build-zig", "bin", "python")
    if not os.path.exists(python):
        tests.skip("targets of Zig", "there is no build-zig/: tools/test.sh --all makes it")
        return
    for target, system, processor in ZIG_TARGETS:
        zig = f"'{python}', '-m', 'ziglang'"
        tools = {"c": f"[{zig}, 'cc', '-target', '{target}']", "ar": f"[{zig}, 'ar']"}
        project = Cross(tests, options, target, system, processor, **tools)
        # There is no OpenCL of Apple's to link with.
        library = "subprojects/clnd/host/libclnd."
        build = project.build(meson, *([library + "a"] if system == "darwin" else []))
        if build and system == "linux":
            tests.exports_the_list(f"{target}: symbols", os.path.join(build, library + "so"))


def main():
    options = arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-cross-") as folder:
        tests = Outside(options.source, os.path.realpath(folder))
        os.chdir(folder)  # Zig leaves a file where Meson asks what it is
        meson = os.path.join(options.source, "build-meson", "bin", "meson")
        if os.path.exists(meson):
            test_mingw(tests, options, meson)
            test_zig(tests, options, meson)
        else:
            tests.skip("other systems", "there is no build-meson/: tools/test.sh --all makes it")
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

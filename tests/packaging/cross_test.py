# SPDX-License-Identifier: Apache-2.0
"""Compiles the library for other systems, as a subproject and with OpenCL by subprojects/*.wrap.

usage: cross_test.py SOURCE_DIR

Compilers are MinGW-w64, whose unit tests run under Wine, clang for MSVC's target with Wine's
headers, and Zig's clang in build-zig/, with the Meson of build-meson/: older ones do not know Zig.
"""

import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import SYMBOLS, Outside, arguments, read, run, write
from subproject_test import SYSTEM_HEADERS, Project

MINGW = "x86_64-w64-mingw32"
WINE_HEADERS = "/usr/include/wine/wine"  # for the compilers of both kinds
UNIT_TESTS = "tests/unit/meson.build"
# Where there is no Criterion, tests/packaging/criterion/ takes its place.
CRITERION = "[wrap-file]\ndirectory = criterion\n\n[provide]\ndependency_names = criterion\n"
# Zig's name of the target, Meson's of the system and the processor.
ZIG_TARGETS = [
    ("x86_64-linux-musl", "linux", "x86_64"),
    ("aarch64-linux-gnu", "linux", "aarch64"),
    ("x86-linux-gnu", "linux", "x86"),
    ("aarch64-macos", "darwin", "aarch64"),
]


class Cross(Project):
    def __init__(self, tests, options, target, system, processor, alone=False, **tools):
        super().__init__(tests, options, target, alone)
        del self.environment["CC"]
        cache = os.path.join(options.source, "build-zig", "cache")
        self.environment.update(ZIG_GLOBAL_CACHE_DIR=cache, ZIG_LOCAL_CACHE_DIR=cache)
        lines = ["[binaries]", *(f"{tool} = {command}" for tool, command in tools.items()),
                 "pkgconfig = 'no-pkg-config'", "cmake = 'no-cmake'", "[host_machine]",
                 f"system = '{system}'", f"cpu_family = '{processor}'", f"cpu = '{processor}'",
                 "endian = 'little'", ""]
        ini = tests.path(target, "cross.ini")
        write(ini, "\n".join(lines))
        self.options += ["--cross-file", ini, f"-D{'' if alone else 'clnd:'}c_args=-Werror"]
        self.bring_opencl()


def test_mingw(tests, options):
    if not shutil.which(f"{MINGW}-gcc"):
        tests.skip("Windows", f"there is no {MINGW}-gcc")
        return
    tools = {"c": f"'{MINGW}-gcc'", "ar": f"'{MINGW}-ar'", "windres": f"'{MINGW}-windres'",
             "exe_wrapper": "'wine'"}
    project = Cross(tests, options, "windows", "windows", "x86_64", alone=True, **tools)
    # GCC takes the tests' formats for those of Windows' own C library.
    project.options += ["-Dcli=auto", "-Dtests=enabled",
                        "-Dc_args=-Werror -Wno-error=format -Wno-error=format-extra-args"]
    shutil.copytree(os.path.join(os.path.dirname(__file__), "criterion"),
                    os.path.join(project.clnd, "subprojects", "criterion"))
    write(os.path.join(project.clnd, "subprojects", "criterion.wrap"), CRITERION)
    units = re.findall(r"(?m)^    '(\w+)': \[.*\],$", read(options.source, UNIT_TESTS))
    build = project.build("meson", "host/libclnd-0.dll",
                          *(f"tests/unit/unit_{name}.exe" for name in units))
    if not build:
        return
    listing = run(f"{MINGW}-nm", os.path.join(build, "host/libclnd.dll.a"))
    have = set(re.findall(r" T (\w+)$", listing.stdout, re.MULTILINE))
    wanted = set(re.findall(r" (\w+)@", read(options.source, SYMBOLS)))
    tests.check("windows: symbols", have == wanted, sorted(have ^ wanted))
    if not shutil.which("wine"):
        tests.skip("windows: unit tests", "there is no wine")
        return
    environment = {"WINEPREFIX": tests.path("wine"), "WINEDEBUG": "-all"}
    run("wineboot", **environment)  # which makes that folder
    for name in units:
        result = run("meson", "test", "-C", build, "--no-rebuild", name, **environment)
        tests.check(f"windows: {name}", result.returncode == 0, result.stdout)


def test_msvc(tests, options):
    clang = next((name for name in ("clang-15", "clang") if shutil.which(name)), None)
    if not clang or not os.path.exists(WINE_HEADERS):
        tests.skip("MSVC", "there are no headers of Wine" if clang else "there is no clang")
        return
    os.makedirs(tests.path("msvc"))
    os.symlink(SYSTEM_HEADERS, tests.path("msvc", "CL"))
    builtin = run(clang, "-print-resource-dir").stdout.strip()
    folders = [f"{WINE_HEADERS}/msvcrt", f"{WINE_HEADERS}/windows", tests.path("msvc"),
               f"{builtin}/include"]
    command = [clang, "--target=x86_64-pc-windows-msvc", "-fms-compatibility-version=19.34",
               "-nostdinc", *(f"-isystem{folder}" for folder in folders), "-I.", "-Iinclude",
               "-DCL_TARGET_OPENCL_VERSION=120", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               "-fsyntax-only"]
    os.chdir(options.source)
    result = run(*command, "-xc++", "-std=c++17", "include/clnd/clnd.h",
                 "-Wno-pragma-once-outside-header")
    tests.check("msvc: the headers compile as C++", result.returncode == 0, result.stderr)
    sources = sorted(glob.glob("host/**/*.c", recursive=True))
    result = run(*command, "-std=c11", "-DCLND_BUILDING", *sources)
    tests.check(f"msvc: {len(sources)} files of the library compile",
                sources and result.returncode == 0, result.stderr)
    os.chdir(tests.folder)


def test_apple(tests, options, zig):
    """With headers as Apple has them: <OpenCL/cl.h>, and no CL/."""
    os.makedirs(tests.path("apple", "OpenCL"))
    for name in os.listdir(SYSTEM_HEADERS):
        if name.endswith(".h"):
            text = read(SYSTEM_HEADERS, name).replace("<CL/", "<OpenCL/")
            write(tests.path("apple", "OpenCL", name), text)
    sources = sorted(glob.glob(os.path.join(options.source, "host", "**", "*.c"), recursive=True))
    includes = [f"-I{os.path.join(options.source, part)}" for part in ("", "include")]
    command = [*zig, "cc", "-target", "aarch64-macos", "-std=c11", "-c", "-Werror", "-o",
               tests.path("object.o"), "-DCL_TARGET_OPENCL_VERSION=120", "-isystem",
               tests.path("apple"), *includes]
    problems = [run(*command, source).stderr for source in sources]
    tests.check(f"macos: {len(sources)} files compile with Apple's names of the headers",
                sources and not any(problems), "".join(problems))


def test_zig(tests, options, meson):
    python = os.path.join(options.source, "build-zig", "bin", "python")
    if not os.path.exists(python):
        tests.skip("targets of Zig", "there is no build-zig/: tools/test.sh --all makes it")
        return
    test_apple(tests, options, [python, "-m", "ziglang"])
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
        test_mingw(tests, options)
        test_msvc(tests, options)
        meson = os.path.join(options.source, "build-meson", "bin", "meson")
        if os.path.exists(meson):
            test_zig(tests, options, meson)
        else:
            tests.skip("targets of Zig", "there is no build-meson/: tools/test.sh --all makes it")
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

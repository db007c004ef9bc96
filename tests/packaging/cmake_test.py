# SPDX-License-Identifier: Apache-2.0
"""Tests of CMake: find_package on what Meson and CMake installed, and clnd by add_subdirectory.

usage: cmake_test.py SOURCE_DIR --build BUILD_DIR [--cc CC]
"""

import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import PROGRAM, Outside, arguments, read, run, write

START = "cmake_minimum_required(VERSION 3.16)\nproject(user C)\n"
# A second program, and a place for what one may ask for.
STATIC = """
add_executable(static program.c)
target_link_libraries(static PRIVATE clnd::static)
find_package(clnd ${VERSION} CONFIG REQUIRED ${COMPONENTS})
"""
# A library that brings clnd to those who find its own package, and whoever finds it.
USER = """
if(CLND_INSTALL)
    add_library(user INTERFACE)
    target_link_libraries(user INTERFACE clnd::clnd)
    install(TARGETS user EXPORT user)
    install(EXPORT user FILE user-config.cmake DESTINATION lib/cmake/user)
else()
    target_link_libraries(program PRIVATE clnd::static)
endif()
"""
USER_IS_FOUND = """
find_package(user CONFIG REQUIRED)
target_link_libraries(program PRIVATE user)
"""


class CMake(Outside):
    def __init__(self, options, folder):
        super().__init__(options.source, folder)
        self.cc = options.cc

    def configure(self, name, *words):
        """As a user would, with the installed tree in CMAKE_PREFIX_PATH; again is quick."""
        return run("cmake", "-G", "Ninja", "-S", self.path(name), "-B", self.path(name, "build"),
                   f"-DCMAKE_C_COMPILER={self.cc}", f"-DCMAKE_PREFIX_PATH={self.prefix}", *words)

    def install(self, build):
        done = self.succeeds("meson install", "meson", "install", "-C", build, "--no-rebuild",
                             "--destdir", self.path("dest"))
        found = glob.glob(self.path("dest", "**", "clnd-config.cmake"), recursive=True)
        if done and self.check("the package is installed", len(found) == 1, found):
            self.libdir = os.path.abspath(os.path.join(os.path.dirname(found[0]), "..", ".."))
            [self.header] = glob.glob(self.path("dest", "**", "version.h"), recursive=True)
            self.prefix = os.path.abspath(os.path.join(os.path.dirname(self.header), "../.."))
            return True
        return False

    def is_used(self, name, shared=True):
        """Programs with clnd::clnd and clnd::static find the package in the prefix."""
        self.add_program(name)
        text = START + self.from_readme("cmake", "find_package") + STATIC
        write(self.path(name, "CMakeLists.txt"), text)
        result = self.configure(name)
        self.check(f"{name}: find_package", result.returncode == 0, result.stderr)
        if not self.succeeds(f"{name}: programs are built",
                             "ninja", "-C", self.path(name, "build")):
            return
        for program, linked in ("program", shared), ("static", False):
            path = self.path(name, "build", program)
            needs = "libclnd.so" in run("readelf", "-d", path).stdout
            self.check(f"{name}: {program} needs {'' if linked else 'no '}libclnd.so",
                       needs == linked)
            self.program_works(f"{name}: {program} runs", path)

    def by_pkg_config(self, *words):
        return run("pkg-config", *words, "clnd",
                   PKG_CONFIG_PATH=os.path.join(self.libdir, "pkgconfig")).stdout

    def is_installed_by_cmake(self):
        """By the commands of README.md, which say nothing of a build type."""
        commands = [re.split("  +", line)[0]
                    for line in self.from_readme("", "cmake --install").splitlines()]
        commands = [line.replace("build-cmake", self.path("build-cmake"))
                    for line in commands if line.startswith("cmake ")]
        theirs = self.by_pkg_config("--modversion", "--libs-only-l", "--static").split()
        done = self.succeeds("the commands of README.md", "sh", "-ec",
                             "\n".join(["cd " + self.source, *commands]), HOME=self.folder,
                             CC=self.cc, CMAKE_GENERATOR="Ninja")
        if not done:
            return
        compiled = run("ninja", "-C", self.path("build-cmake"), "-t", "commands").stdout
        self.check("it is optimised", " -O3 " in compiled, compiled[:500])
        self.prefix = self.path("clnd")
        self.libdir = self.path("clnd", "lib")
        self.succeeds("its headers", "diff", "-r", os.path.join(self.source, "include", "clnd"),
                      self.path("clnd", "include", "clnd"))
        ours = self.by_pkg_config("--modversion", "--libs-only-l", "--static").split()
        self.check("its clnd.pc says what Meson's does", ours == theirs, (ours, theirs))
        flags = self.by_pkg_config("--cflags", "--libs").split()
        self.succeeds("a program is built by its clnd.pc", self.cc, "-o", self.path("by-pc"),
                      os.path.join(self.source, PROGRAM), *flags)
        self.is_used("installed by CMake", shared=False)

    def accepts(self, *words):
        result = self.configure("installed", *words)
        self.check(f"accepted: {' '.join(words)}", result.returncode == 0, result.stderr)

    def refuses(self, says, *words):
        result = self.configure("installed", *words)
        text = " ".join(result.stderr.split())
        self.check(f"refused: {' '.join(words) or says}", result.returncode and says in text,
                   f"wanted: {says}\n{result.stderr}")

    def answers_requests(self, version):
        major, minor, patch = (int(part) for part in version.split("."))
        later = f"{major}.{minor}.{patch + 1}"
        next_minor = f"{major}.{minor + 1}"
        for asked in f"{major}.{minor}", version, f"0...{version}", f"{version}...<{later}", "":
            self.accepts(f"-DVERSION={asked}")
        considered = f"clnd-config.cmake, version: {version}"
        earlier = [f"{major}.{minor - 1}"] if major == 0 and minor else []
        for asked in [later, next_minor, f"{major + 1}", f"{next_minor}...{major + 1}",
                      f"0...<{version}", *earlier]:
            self.refuses(considered, f"-DVERSION={asked}")
        words = "-DVERSION=", "-DCOMPONENTS=COMPONENTS;static;OPTIONAL_COMPONENTS;gpu"
        self.accepts(*words)
        self.refuses('clnd has no component "gpu", only shared and static',
                     "-DCOMPONENTS=COMPONENTS;shared;gpu")
        self.accepts("-DCOMPONENTS=")

    def refuses_what_is_broken(self, version):
        self.refuses("clnd needs OpenCL, whose headers and library CMake does not find",
                     "-DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON")
        static = os.path.join(self.libdir, "libclnd.a")
        os.rename(static, static + ".gone")
        self.refuses("the static library of clnd is not installed",
                     "-DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=OFF",
                     "-DCOMPONENTS=COMPONENTS;static")
        os.rename(static + ".gone", static)
        write(self.header, re.sub(r"(VERSION_MAJOR) \d+", r"\1 9", read(self.header)))
        self.refuses(f"is clnd {version}, but the headers in", "-DCOMPONENTS=")
        os.remove(self.header)
        self.refuses(f"the headers of clnd {version} are missing")

    def is_a_subdirectory(self, build):
        self.add_program("subdirectory")
        os.symlink(self.source, self.path("subdirectory", "clnd"))
        write(self.path("subdirectory", "CMakeLists.txt"),
              START + self.from_readme("cmake", "add_subdirectory") + USER)
        folder = self.path("subdirectory", "build")
        installed = self.path("with user")
        install = "cmake", "--install", folder, "--prefix", installed
        result = self.configure("subdirectory")
        self.check("clnd::static where it is static", result.returncode == 0, result.stderr)
        self.check("nothing is installed", run(*install).returncode == 0 and
                   not os.path.exists(installed))
        result = self.configure("subdirectory", "-DBUILD_SHARED_LIBS=ON", "-DCLND_INSTALL=ON",
                                "-DCMAKE_UNITY_BUILD=ON")
        self.check("add_subdirectory", result.returncode == 0, result.stderr)
        if self.succeeds("library and program are built", "ninja", "-C", folder):
            self.program_works("the program runs", os.path.join(folder, "program"))
            library = os.path.join(folder, "clnd", "libclnd.so")
            self.exports_the_list("it exports what Meson's does", library)
            self.check("its name has the same number", *same_name(library, self.libdir))
            self.check("it embeds the same kernels", same_bytes(
                os.path.join(folder, "clnd", "embedded_kernels.c"),
                os.path.join(build, "kernels_cl", "embedded_kernels.c")))
            self.succeeds("CLND_INSTALL", *install)
            self.is_exported(installed)

    def is_exported(self, prefix):
        self.add_program("user")
        write(self.path("user", "CMakeLists.txt"),
              START + self.from_readme("cmake", "find_package") + USER_IS_FOUND)
        result = self.configure("user", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.check("an exported target brings clnd", result.returncode == 0, result.stderr)
        if self.succeeds("a program is built with it", "ninja", "-C", self.path("user", "build")):
            self.program_works("the program runs with it", self.path("user", "build", "program"))


def same_name(*libraries):
    """Whether their SONAMEs are, and what they are."""
    names = []
    for library in libraries:
        if os.path.isdir(library):
            library = os.path.join(library, "libclnd.so")
        names += re.findall(r"SONAME.*\[(.*)\]", run("readelf", "-d", library).stdout)
    return len(names) == 2 and len(set(names)) == 1, names


def same_bytes(*paths):
    contents = []
    for path in paths:
        with open(path, "rb") as file:
            contents.append(file.read())
    return len(set(contents)) == 1


def main():
    parser = arguments(__doc__)
    parser.add_argument("--build", required=True, help="a build by Meson")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-cmake-") as folder:
        tests = CMake(options, os.path.realpath(folder))
        if not shutil.which("cmake"):
            tests.skip("CMake", "there is no cmake")
        elif tests.install(options.build):
            version = run(sys.executable, os.path.join(options.source, "tools/read_version.py"),
                          tests.header).stdout.strip()
            tests.is_used("installed")
            tests.is_a_subdirectory(options.build)
            tests.answers_requests(version)
            tests.refuses_what_is_broken(version)
            tests.is_installed_by_cmake()
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

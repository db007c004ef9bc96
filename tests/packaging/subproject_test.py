# SPDX-License-Identifier: Apache-2.0
"""Tests of clnd as a Meson subproject, and of the OpenCL that subprojects/*.wrap bring.

usage: subproject_test.py SOURCE_DIR [--cc CC] [--wraps]

--wraps hides the system's OpenCL and builds alone and as a subproject, with the Meson that is
installed and with build-meson/bin/meson. What `meson subprojects download` would have brought into
subprojects/packagecache is replaced: headers by the system's, the loader by one that does nothing.
"""

import hashlib
import io
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import Outside, arguments, read, run, write

LIBRARY = ["clnd", "clnd", "embedded_kernels"]  # shared and static
SYSTEM_HEADERS = "/usr/include/CL"


def add_file(archive, name, text):
    entry = tarfile.TarInfo(name)
    entry.size = len(text)
    archive.addfile(entry, io.BytesIO(text.encode()))


def stand_in(archive, directory, build_file):
    """What build_file, the wrap's meson.build, takes from the directory."""
    if "install_subdir('CL'" in build_file:
        archive.add(SYSTEM_HEADERS, f"{directory}/CL")
        return
    texts = dict.fromkeys(re.findall(r"'(loader/[^']*\.c)'", build_file), "typedef int nothing;\n")
    functions = sorted(set(re.findall(r"\bcl[A-Z]\w+(?=\()", read(SYSTEM_HEADERS, "cl.h"))))
    texts["loader/icd.c"] = "".join(f"int {name}(void) {{ return -30; }}\n" for name in functions)
    exports = f"{{global: {'; '.join(functions)}; local: *;}};\n"
    texts["loader/linux/icd_exports.map"] = exports
    texts["loader/windows/OpenCL.def"] = "EXPORTS\n" + "".join(f"{name}\n" for name in functions)
    for name, text in texts.items():
        add_file(archive, f"{directory}/{name}", text)


class Project:
    """A project in a folder of its own, which is clnd or contains it."""

    def __init__(self, tests, options, name, alone=False):
        self.tests, self.name, self.source = tests, name, options.source
        self.environment = {"CC": options.cc}
        self.options = ["--buildtype=debug", "--wrap-mode=nodownload"]
        self.top = tests.path(name, "project")
        self.clnd = self.top if alone else os.path.join(self.top, "subprojects", "clnd")
        tests.copy_source(self.clnd)
        if alone:
            self.options += [f"-D{part}=disabled" for part in ("cli", "tests", "bench")]
            self.program, self.library = "examples/example-gather_rows", "host/libclnd.so"
        else:
            write(os.path.join(self.top, "meson.build"),
                  "project('user', 'c')\n" + tests.from_readme("meson", "fallback"))
            tests.add_program(name, "project")
            self.program, self.library = "program", "subprojects/clnd/host/libclnd.so"

    def hide_opencl(self):
        """From pkg-config and CMake, by which Meson looks for it."""
        self.environment["PKG_CONFIG_LIBDIR"] = self.tests.path("nothing")
        ini = self.tests.path("no-cmake.ini")
        write(ini, "[binaries]\ncmake = 'no-cmake'\n")
        self.options += ["--native-file", ini]

    def bring_opencl(self):
        """Whether its loader is the real one."""
        self.bring_archive("opencl-headers")
        return self.bring_archive("opencl-icd-loader")

    def bring_archive(self, wrap):
        """Whether it is the real one."""
        path = os.path.join(self.clnd, "subprojects", f"{wrap}.wrap")
        fields = dict(re.findall(r"(?m)^(\w+) = (.*)$", read(path)))
        name = os.path.join("subprojects", "packagecache", fields["source_filename"])
        target = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.exists(os.path.join(self.source, name)):
            shutil.copy(os.path.join(self.source, name), target)
            return True
        with tarfile.open(target, "w:gz") as archive:
            build_file = read(self.clnd, "subprojects/packagefiles", wrap, "meson.build")
            stand_in(archive, fields["directory"], build_file)
        with open(target, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        write(path, read(path).replace(fields["source_hash"], digest))
        return False

    def build(self, meson, *targets):
        """The folder, or None."""
        folder = self.tests.path(self.name, "build")
        done = self.tests.succeeds(f"{self.name}: configured", meson, "setup", folder, self.top,
                                   *self.options, **self.environment)
        if done and self.tests.succeeds(f"{self.name}: built", "ninja", "-C", folder, *targets):
            return folder
        return None


def test_subproject(tests, options):
    project = Project(tests, options, "as a subproject")
    build = project.build("meson")
    if build:
        targets = json.loads(run("meson", "introspect", "--targets", build).stdout)
        names = sorted(target["name"] for target in targets)
        tests.check("only the library is built", names == sorted([*LIBRARY, "program"]), names)
        added = json.loads(run("meson", "introspect", "--tests", build).stdout)
        tests.check("no tests are added", added == [], added)
        tests.program_works("the program runs", os.path.join(build, project.program))


def test_wraps(tests, options, meson, alone):
    version = run(meson, "--version").stdout.strip()
    name = f"{'alone' if alone else 'as a subproject'} with Meson {version}"
    project = Project(tests, options, name, alone)
    project.hide_opencl()
    real = project.bring_opencl()
    build = project.build(meson)
    if build:
        used = run("ninja", "-C", build, "-t", "deps").stdout
        tests.check(f"{name}: the headers are the wrap's",
                    "/OpenCL-Headers-" in used and SYSTEM_HEADERS not in used, used)
        tests.exports_the_list(f"{name}: symbols", os.path.join(build, project.library))
        if real:
            tests.program_works(f"{name}: the program runs", os.path.join(build, project.program))
        else:
            tests.skip(f"{name}: the program runs",
                       "subprojects/packagecache has no loader, whose stand-in does nothing")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--wraps", action="store_true", help="hide the system's OpenCL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-subproject-") as folder:
        tests = Outside(options.source, os.path.realpath(folder))
        if not options.wraps:
            test_subproject(tests, options)
            return tests.done()
        newest = os.path.join(options.source, "build-meson", "bin", "meson")
        for meson in "meson", newest:
            if shutil.which(meson):
                test_wraps(tests, options, meson, alone=True)
                test_wraps(tests, options, meson, alone=False)
            else:
                tests.skip("the newest Meson", "build-meson/ has none: tools/test.sh --all "
                           "installs it where pip can")
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

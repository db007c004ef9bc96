# SPDX-License-Identifier: Apache-2.0
"""Tests of packaging/: Conan's recipe by Conan, the others as far as they can be read.

usage: recipes_test.py SOURCE_DIR [--conan]

Conan is build-conan's, and runs with --conan. The OpenCL loader is the system's, so that nothing is
downloaded.
"""

import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import Outside, arguments, read, run, write

RECIPE = "packaging/conan/conanfile.py"


def test_versions(tests):
    tool = os.path.join(tests.source, "tools", "read_version.py")
    header = os.path.join(tests.source, "include", "clnd", "version.h")
    version = run(sys.executable, tool, header).stdout.strip()
    vcpkg = json.loads(read(tests.source, "packaging/vcpkg/clnd/vcpkg.json"))["version"]
    tests.check("vcpkg.json has the version", vcpkg == version, vcpkg)
    debian = re.match(r"clnd \((.*)-", read(tests.source, "debian/changelog")).group(1)
    tests.check("debian/changelog has the version", debian == version, debian)
    recipe = read(tests.source, "packaging/spack/packages/clnd/package.py")
    tests.check("Spack's recipe is Python", compile(recipe, "package.py", "exec"))


def test_conan(tests):
    conan = os.path.join(tests.source, "build-conan", "bin", "conan")
    if not os.path.exists(conan):
        tests.skip("conan create", "there is no build-conan/: tools/test.sh --all makes it")
        return
    tests.copy_source(tests.path("clnd"))
    loader = re.search(r"opencl-icd-loader/[\d.]+", read(tests.source, RECIPE)).group(0)
    write(tests.path("profile"), f"include(default)\n[platform_requires]\n{loader}\n")
    environment = {"CONAN_HOME": tests.path("home")}
    tests.succeeds("a profile", conan, "profile", "detect", **environment)
    for shared in "True", "False":
        result = run(conan, "create", tests.path("clnd", "packaging", "conan"), "--no-remote",
                     "--profile:all", tests.path("profile"), "--options", f"&:shared={shared}",
                     **environment)
        lines = (result.stdout + result.stderr).splitlines()
        tests.check(f"conan create, shared={shared}: the program runs",
                    result.returncode == 0 and "row 2: 20 21 22" in lines, "\n".join(lines[-30:]))


def main():
    parser = arguments(__doc__)
    parser.add_argument("--conan", action="store_true", help="build by Conan")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-recipes-") as folder:
        tests = Outside(options.source, os.path.realpath(folder))
        if options.conan:
            test_conan(tests)
        else:
            test_versions(tests)
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

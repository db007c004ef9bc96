# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages, shows them to lintian, and installs them in a system of their own.

usage: debian_test.py SOURCE_DIR

That system has Debian's essential packages and apt. What debian/tests/control asks for is installed
there with the packages, and debian/tests/* run. Needs root.
"""

import glob
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import Outside, arguments, read, run, write

SOURCES = "/etc/apt/sources.list.d/debian.sources"
# Run by mmdebstrap, with the root of the system.
IN_ROOT = """#!/bin/sh
set -eu
cp {debs} "$1/tmp"
cp -r {tests} "$1/tmp/tests"
touch {made}
chroot "$1" sh -c 'apt-get install -y --no-install-recommends /tmp/*.deb {packages}'
for test in {names}; do
    echo "test $test"
    chroot "$1" sh "/tmp/tests/$test"
done
"""


def last_lines(result):
    return "\n".join((result.stdout + result.stderr).splitlines()[-30:])


def build(tests):
    """The source package and the others; whether that went well."""
    tests.copy_source(tests.path("clnd"))
    changelog = read(tests.path("clnd", "debian", "changelog"))
    version = re.match(r"clnd \((.*)-", changelog).group(1)
    run("tar", "-cJf", tests.path(f"clnd_{version}.orig.tar.xz"), "-C", tests.folder,
        "--exclude=debian", "clnd")
    os.chdir(tests.path("clnd"))
    return tests.succeeds("the packages are built", "dpkg-buildpackage", "-us", "-uc")


def install(tests):
    control = read(tests.path("clnd", "debian", "tests", "control"))
    names = re.search(r"Tests: (.*)", control).group(1).split()
    depends = re.search(r"Depends: (.*)", control).group(1).split(", ")
    debs = [path for path in glob.glob(tests.path("*.deb")) if "-dbgsym" not in path]
    ours = [os.path.basename(path).partition("_")[0] for path in debs]
    made = tests.path("made")
    write(tests.path("in_root"), IN_ROOT.format(
        debs=" ".join(debs), tests=tests.path("clnd", "debian", "tests"), made=made,
        packages=" ".join(set(depends) - set(ours)), names=" ".join(names)))
    os.chmod(tests.path("in_root"), 0o755)
    suite = re.search(r"VERSION_CODENAME=(\w+)", read("/etc/os-release")).group(1)
    result = run("mmdebstrap", "--variant=apt", f"--customize-hook={tests.path('in_root')}",
                 "--format=null", suite, "-", SOURCES)
    if not os.path.exists(made):
        tests.skip("a system of their own", f"mmdebstrap: {result.stderr.strip()[-100:]}")
        return
    ran = re.findall(r"^test (\w+)$", result.stdout + result.stderr, re.MULTILINE)
    tests.check("they are installed in a system of their own", ran, last_lines(result))
    for name in names:
        done = name in ran and (result.returncode == 0 or name != ran[-1])
        tests.check(f"debian/tests/{name}", done, last_lines(result))


def main():
    options = arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-debian-") as folder:
        tests = Outside(options.source, os.path.realpath(folder))
        missing = [tool for tool in ("dpkg-buildpackage", "dh", "lintian", "mmdebstrap")
                   if not shutil.which(tool)]
        if missing or os.geteuid() != 0:
            tests.skip("packages", f"there is no {missing[0]}" if missing else "needs root")
        elif build(tests):
            tests.succeeds("lintian has no errors and no warnings", "lintian", "--allow-root",
                           "--fail-on", "error,warning", *glob.glob(tests.path("*.changes")))
            install(tests)
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

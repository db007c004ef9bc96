# SPDX-License-Identifier: Apache-2.0
"""Builds some tests of what `meson dist` packs, the last commit, and runs them.

usage: dist_test.py SOURCE_DIR --build BUILD_DIR
"""

import glob
import os
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
from outside import Outside, arguments, is_clone, run


def test_archive(tests, build):
    packed = tests.succeeds("the archive is made", "meson", "dist", "-C", build, "--no-tests",
                            "--allow-dirty", "--formats", "gztar")
    if not packed:
        return
    [path] = glob.glob(os.path.join(build, "meson-dist", "clnd-*.tar.gz"))
    with tarfile.open(path) as archive:
        archive.extractall(tests.folder)
    source = tests.path(os.path.basename(path)[:-len(".tar.gz")])
    folder = tests.path("build")
    if tests.succeeds("it configures", "meson", "setup", folder, source, "-Dtests=enabled",
                      "--buildtype=debug", "--wrap-mode=nodownload"):
        for words in ["--suite", "unit"], ["gather_nd"]:
            tests.succeeds(f"{words[-1]}: built and passed", "meson", "test", "-C", folder, *words)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--build", required=True, help="a build of the repository")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clnd-dist-") as folder:
        tests = Outside(options.source, os.path.realpath(folder))
        if is_clone(options.source):
            test_archive(tests, options.build)
        else:
            tests.skip("the archive", "this is no clone of the repository")
        return tests.done()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0

import os

from spack.package import *

# The tree that this repository of packages lies in.
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Clnd(MesonPackage):
    """N-dimensional indexing on OpenCL: gather_nd, scatter_nd, strided_slice."""

    git = f"file://{ROOT}"

    license("Apache-2.0")

    version("main", branch="main")

    variant("bench", default=False, description="Build the benchmark clnd-bench")

    depends_on("c", type="build")
    depends_on("meson@1:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("opencl@1.2:")
    depends_on("jansson@2.7:", when="+bench")

    def meson_args(self):
        return [
            "-Dmpi=disabled",
            "-Dtests=disabled",
            "-Dexamples=false",
            f"-Dbench={'enabled' if '+bench' in self.spec else 'disabled'}",
        ]

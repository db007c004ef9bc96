# SPDX-License-Identifier: Apache-2.0
"""Recipe for Conan 2. It packs the tree that it lies in: `conan create packaging/conan`. Meson,
Ninja and python3 are those of the system."""

import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain


class Clnd(ConanFile):
    name = "clnd"
    description = "N-dimensional indexing on OpenCL: gather_nd, scatter_nd, strided_slice"
    license = "Apache-2.0"
    topics = ("opencl", "gather", "scatter", "slice")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    languages = "C"

    @property
    def root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self.root, "include", "clnd", "version.h"))
        self.version = ".".join(re.findall(r"CLND_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))

    def export_sources(self):
        copy(self, "*", self.root, self.export_sources_folder, excludes=["build*", ".git*"])

    def requirements(self):
        self.requires("opencl-icd-loader/2023.12.14", transitive_headers=True)

    def layout(self):
        basic_layout(self)

    def generate(self):
        toolchain = MesonToolchain(self)
        for part in "bench", "cli", "mpi", "tests":
            toolchain.project_options[part] = "disabled"
        toolchain.project_options["examples"] = False
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["clnd"]
        if self.options.shared:
            return
        # The loader has this name, be it Conan's or the system's.
        self.cpp_info.system_libs = ["OpenCL"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs.append("pthread")

# SPDX-License-Identifier: Apache-2.0
"""The library as a package of Conan 2, from the tree that this file lies in:

    conan create apps/packaging/conan

Conan's index has no NTL. NTL, and GMP, which must be the one that NTL was built with, are those of the system, as its
package manager installs them.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system import package_manager


class Fhe(ConanFile):
    name = "fhe"
    description = "Homomorphic encryption over the integers on pluggable arithmetic backends"
    license = "Apache-2.0"
    topics = ("homomorphic-encryption", "cryptography", "hardware")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def set_version(self):
        root = Path(self.recipe_folder).parents[2]
        text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^project\(fhe VERSION ([0-9.]+)", text, re.M).group(1)

    def export_sources(self):
        root = Path(self.recipe_folder).parents[2]
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", ".github/*.md", "libfhe/*", "accel/*", "apps/*",
                        "params/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        self.requires("fmt/[>=9]", transitive_libs=True)
        self.requires("nlohmann_json/[>=3]")
        self.requires("onetbb/[>=2021]", transitive_libs=True)
        self.requires("openssl/[>=3]", transitive_libs=True)

    def system_requirements(self):
        package_manager.Apt(self).install(["libgmp-dev", "libntl-dev"])

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("BUILD_APPS", "BUILD_TESTS", "CLUSTER", "FPGA", "GPU"):
            toolchain.cache_variables[f"FHE_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The files that the library installs itself are what CMake finds it by.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/fhe"]

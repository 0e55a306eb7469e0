# Copyright hsched's authors.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsched for Spack: in a repository of your own, `spack repo add` its folder, with this file as packages/hsched/package.py.
"""
from spack.package import *

try:  # Spack 1.0 and later; before, spack.package has it.
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Hsched(CMakePackage):
    """Annotated C++ whose functions run as tasks on CPU cores and OpenCL devices."""

    # Put the address of your clone's origin here, or build a clone: spack develop --path CLONE hsched@main
    homepage = "https://hsched.invalid"
    git = "https://hsched.invalid/hsched.git"
    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("compiler", default=True, description="Build hsched-cc, hsched-c, hsched-kinfo and hsched-port")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost+graph", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("opencl-c-headers", type="build")
    depends_on("opencl-clhpp", type="build")
    depends_on("ocl-icd")
    depends_on("hwloc@2")
    depends_on("llvm@19.1+clang+llvm_dylib", when="+compiler")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("HSCHED_BUILD_COMPILER", "compiler"),
            self.define("HSCHED_BUILD_TESTS", False),
            self.define("HSCHED_BUILD_SAMPLES", False),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_info(self):
        Executable(join_path(self.prefix.bin, "hsched-info"))()

# How the tests in this folder are found and run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "hsched"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".cpp"]
config.excludes = ["Inputs", "fake", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

build = config.hsched_build_dir
fake = os.path.join(os.path.dirname(config.test_exec_root), "fake")

major, minor, patch = (int(part) for part in config.hsched_version.split("."))

# Longer names first: lit replaces in this order.
config.substitutions += [
    ("%kinfo", os.path.join(build, "bin", "hsched-kinfo")),
    ("%hsched-port", os.path.join(build, "bin", "hsched-port")),
    ("%hsched-run", os.path.join(build, "bin", "hsched-run")),
    ("%hsched-model", os.path.join(build, "bin", "hsched-model")),
    ("%hsched-sim", os.path.join(build, "bin", "hsched-sim")),
    ("%hsched-report", os.path.join(build, "bin", "hsched-report")),
    ("%hsched-explain", os.path.join(build, "bin", "hsched-explain")),
    ("%info", os.path.join(build, "bin", "hsched-info")),
    ("%hsched-cc", os.path.join(build, "bin", "hsched-cc")),
    ("%hsched-c", os.path.join(build, "bin", "hsched-c")),
    ("%fake-cc", os.path.join(fake, "bin", "hsched-cc-fake")),
    ("%fake-root", fake),
    ("%host-cxx", "g++"),
    ("%include", os.path.join(config.hsched_source_dir, "include")),
    ("%hsched-lib", config.hsched_lib_dir),
    ("%hsched-version", config.hsched_version),
    ("%hsched-number", str(major * 10000 + minor * 100 + patch)),
    ("%samples", os.path.join(config.hsched_source_dir, "samples")),
    ("%docs", os.path.join(config.hsched_source_dir, "docs")),
    ("%shell", os.path.join(config.hsched_source_dir, "shell")),
    ("%man", os.path.join(config.hsched_source_dir, "man")),
    ("%cmake", config.cmake),
    ("%python", config.python),
    ("%launcher", "ccache" if shutil.which("ccache") else ""),
]

# The environment is as the tests' author saw it, not as the user's shell has it.
for name in list(config.environment):
    if name.startswith("HSCHED_") or name in ("CPATH", "CPLUS_INCLUDE_PATH", "CXXFLAGS", "CXX"):
        del config.environment[name]
for name in ("HOME", "XDG_CACHE_HOME", "OCL_ICD_VENDORS", "POCL_CACHE_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["LC_ALL"] = "C"
config.environment["HSCHED_CACHE"] = os.path.join(config.test_exec_root, "cache")
# FileCheck, split-file, not.
config.environment["PATH"] = config.llvm_tools_dir + os.pathsep + config.environment["PATH"]

if subprocess.run([config.python, "-c", "import jsonschema"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("jsonschema")
for program in ("ccache", "clang++", "clangd", "fish", "gdb", "make", "man", "mandoc", "ninja", "zsh"):
    if shutil.which(program):
        config.available_features.add(program)
if os.path.exists(os.path.join(config.hsched_lib_dir, "libhsched.so")):
    config.available_features.add("runtime")
for icd in glob.glob("/etc/OpenCL/vendors/*.icd"):
    if "pocl" in open(icd).read():
        config.available_features.add("pocl")

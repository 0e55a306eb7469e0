#!/usr/bin/env python3
"""The Spack recipe, run with stand-ins for Spack's directives: it asks for what CMake looks for.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: spack.py ROOT
  - The recipe is valid with the module of Spack 0.x and with those of Spack 1.x. It uses only directives that both have.
  - It sets only options that CMakeLists.txt has, from variants that it declares. A condition names only such variants.
  - NEEDS is one table of packages: what CMake or a source looks for, Debian's packages and Spack's. What CMake looks for has a row, what install-deps.sh
    installs for a build has a row, what the recipe depends on has a row, and each row has all three.
  - Minimum versions are those that CMake asks for.
  - Its versions are the branch `main` and each release of CHANGELOG.md that has a date. The tag is `v` and the version. An unreleased version has no tag yet.
Prints what is wrong; the exit code is 1 if anything is.
"""
import functools
import re
import subprocess
import sys
import types

from recipes import Tree, check

RECIPE = "packaging/spack/package.py"
# Spack's package: what CMake and the sources look for, Debian's packages.
NEEDS = {
    "c": ({"language C"}, {"libc6-dev"}),
    "cxx": ({"language CXX"}, {"g++"}),
    "cmake": ({"cmake"}, {"cmake"}),
    "ninja": ({"generator Ninja"}, {"ninja-build"}),
    "python": ({"package Python3"}, {"python3"}),
    "pkgconfig": ({"package PkgConfig"}, {"pkg-config"}),
    "boost": ({"header boost"}, {"libboost-graph-dev"}),
    "nlohmann-json": ({"header nlohmann"}, {"nlohmann-json3-dev"}),
    "opencl-c-headers": ({"header CL/cl.h", "path CL/cl_icd.h"}, {"ocl-icd-opencl-dev"}),
    "opencl-clhpp": ({"path CL/opencl.hpp"}, {"opencl-clhpp-headers"}),
    "ocl-icd": ({"package OpenCL"}, {"ocl-icd-opencl-dev", "ocl-icd-libopencl1"}),
    "hwloc": ({"pkg-config hwloc"}, {"libhwloc-dev", "libhwloc15"}),
    "llvm": ({"package LLVM", "package Clang"},
             {"clang-19", "libclang-19-dev", "llvm-19-dev", "libclang-cpp19", "libclang-common-19-dev", "libllvm19"}),
}
# Found by CMake: part of the compiler, or of use only to who makes packages or documents.
WITHOUT_PACKAGE = {"package Threads", "program doxygen", "program dpkg-shlibdeps"}
# Installed on Debian: a device to run on. With Spack the user chooses it.
DEVICES = {"pocl-opencl-icd"}
# Sources whose headers come from a package. What Linux and hsched have is not listed.
OWN_HEADERS = {"hsched", "sys", "linux", "sanitizer", "CL", "hwloc"}


class Recipe:
    """The recipe's calls of directives, and its class."""

    def __init__(self, source, new):
        self.calls = []
        package = types.ModuleType("spack.package")
        for name in ("license", "version", "variant", "depends_on", "conflicts", "generator"):
            setattr(package, name, self.recorder(name))
        for name in ("run_after", "on_package_attributes"):
            setattr(package, name, lambda *_, **__: lambda function: function)
        package.Executable, package.join_path = lambda path: lambda: None, lambda *parts: "/".join(parts)
        package.__all__ = [name for name in vars(package) if not name.startswith("_")]
        base = type("CMakePackage", (), {"define": lambda _, name, value: (name, str(value)),
                                         "define_from_variant": lambda _, name, variant: (name, self.variant(variant))})
        modules = {"spack": types.ModuleType("spack"), "spack.package": package}
        if new:
            path = "spack_repo.builtin.build_systems.cmake".split(".")
            for i in range(len(path)):
                modules[".".join(path[:i + 1])] = types.ModuleType(".".join(path[:i + 1]))
            modules[".".join(path)].CMakePackage, modules[".".join(path)].generator = base, package.generator
            package.__all__.remove("generator")
        else:
            package.CMakePackage = base
            package.__all__.append("CMakePackage")
        kept = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        try:
            scope = {}
            exec(compile(source, "package.py", "exec"), scope)
        finally:
            for name, module in kept.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module
        self.options = dict(scope["Hsched"]().cmake_args())

    def recorder(self, name):
        return lambda *words, **more: self.calls.append((name, words, more))

    def variant(self, name):
        if name not in self.of("variant"):
            raise KeyError(f"no variant {name}")
        return "a variant"

    def of(self, name):
        return [words[0] for called, words, _ in self.calls if called == name]


@functools.lru_cache(maxsize=None)
def below(folder, patterns):
    return sorted(path for pattern in patterns for path in folder.rglob(pattern))


class Files(Tree):
    def below(self, folder, *patterns):
        return [path.relative_to(self.root).as_posix() for path in below(self.root / folder, patterns)]


def spoken(text):
    """CMake's text without comments."""
    return re.sub(r"#.*", "", text)


def looked_for(files):
    """(what CMake looks for without tests and samples, version of each or None)."""
    top = spoken(files.text("CMakeLists.txt"))
    found = {"cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", top)[1]}
    found |= {"language " + name: None for name in re.search(r"^project\(.* LANGUAGES ([A-Z ]+)", top, re.M)[1].split()}
    if '"generator": "Ninja"' in files.text("CMakePresets.json"):
        found["generator Ninja"] = None
    # Folders of tests, samples and benchmarks are behind options that the recipe switches off.
    always = re.sub(r"if\(HSCHED_BUILD_(TESTS|SAMPLES|BENCH).*?endif\(\)", "", top, flags=re.S)
    folders = re.findall(r"add_subdirectory\((\w+)\)", always)
    for name in [f for folder in ["cmake", *folders] for f in files.below(folder, "CMakeLists.txt", "*.cmake")]:
        text = spoken(files.text(name))
        for kind, command in (("package", "find_package"), ("program", "find_program"), ("path", "find_path"), ("library", "find_library")):
            words = r"(?:\w+\s+(?:NAMES\s+)?)" if kind != "package" else ""
            for what, version in re.findall(rf"\b{command}\({words}([\w./+-]+)(?:\s+(\d[\d.]*))?", text):
                found[f"{kind} {what}"] = version or found.get(f"{kind} {what}")
        for words in re.findall(r"pkg_check_modules\(\w+([^)]*)\)", text):
            for what, _, version in re.findall(r"\s(?!REQUIRED|QUIET|IMPORTED_TARGET)([\w-]+)((?:>=)?)([\d.]*)", words):
                found["pkg-config " + what] = version or found.get("pkg-config " + what)
    for name in [f for folder in folders for f in files.below(folder, "*.h", "*.cpp")]:
        for header in re.findall(r"^#include <(\w+)/", files.text(name), re.M):
            if header not in OWN_HEADERS:
                found["header " + header] = None
        if re.search(r"^#include <CL/cl", files.text(name), re.M):
            found["header CL/cl.h"] = None
    return found


def debian(files, *options):
    """The packages that install-deps.sh wants on Debian 12."""
    script = files.text("scripts/install-deps.sh")
    release = "ID=debian\nVERSION_ID=12\n"
    # The file of the system's name is read twice: it has to be a file.
    command = 'f=$(mktemp) && trap "rm -f $f" EXIT && printf "%s" "$RELEASE" >"$f" && HSCHED_OS_RELEASE=$f sh -s -- "$@"'
    done = subprocess.run(["sh", "-c", command, "sh", *options, "--print"], input=script, capture_output=True, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin", "RELEASE": release})
    return set(done.stdout.split())


def problems(files):
    found, changes = looked_for(files), files.text("CHANGELOG.md")
    options = set(re.findall(r"^option\((\w+)", files.text("CMakeLists.txt"), re.M))
    released = re.findall(r"^## ([\d.]+), \d{4}-\d\d-\d\d$", changes, re.M)
    recipes = []
    for new in (False, True):
        try:
            recipes.append(Recipe(files.text(RECIPE), new))
        except Exception as problem:  # Whatever a recipe raises.
            yield f"with the modules of Spack {int(new)}.x: {type(problem).__name__}: {problem}"
    if not recipes:
        return
    recipe = recipes[0]
    for option in set(recipe.options) - options:
        yield f"CMakeLists.txt has no option {option}"
    for option in {"HSCHED_BUILD_TESTS", "HSCHED_BUILD_SAMPLES"}:
        if recipe.options.get(option) != "False":
            yield f"{option} is not off: its packages are not in the recipe"
    if recipe.of("generator") != ["ninja"] or "Apache-2.0 WITH LLVM-exception" not in recipe.of("license"):
        yield "generator and license"

    versions = {words[0]: more for called, words, more in recipe.calls if called == "version"}
    for version in {"main", *released} ^ set(versions):
        yield f"version {version} is in CHANGELOG.md, with a date, or in the recipe alone"
    for version, more in versions.items():
        if more != ({"branch": "main"} if version == "main" else {"tag": "v" + version}):
            yield f"version {version} is at {more}"

    asked = {}  # Spack's name: range of versions.
    for called, words, more in recipe.calls:
        if called not in ("depends_on", "conflicts"):
            continue
        condition = more.get("when", "")
        for variant in re.findall(r"[+~]([\w-]+)", condition):
            if variant not in recipe.of("variant"):
                yield f"{words[0]}: no variant {variant}"
        if called == "depends_on":
            name, versions = re.match(r"([\w-]+)(?:@([\w.:]*))?", words[0]).groups()
            asked[name] = versions
            # The runtime is built and linked without the compiler.
            if (condition == "+compiler") != (name == "llvm"):
                yield f"{name} is needed when '{condition}'"
            if (more.get("type") == "build") == (name in ("ocl-icd", "hwloc", "llvm")):
                yield f"{name} has another type of dependency: build, or build and link"
    for name in asked.keys() ^ NEEDS.keys():
        yield f"{name} is in the recipe or in this check's table alone"
    known = set().union(*(things for things, _ in NEEDS.values()))
    for thing in found.keys() - known - WITHOUT_PACKAGE:
        yield f"CMake looks for {thing}: no package of Spack has it"
    for thing in known - found.keys():
        yield f"nothing looks for {thing}"
    listed = set().union(*(packages for _, packages in NEEDS.values()))
    wanted = debian(files, "--demo") - DEVICES - {"libpng-dev"}  # The demo's PNG: not part of an installation.
    for package in listed ^ wanted:
        yield f"{package} is in install-deps.sh or in this check's table alone"

    for name, thing, form in (("cmake", "cmake", "{}:"), ("python", "package Python3", "{}:"), ("llvm", "package LLVM", "{}"), ("hwloc", "pkg-config hwloc", "{}")):
        if found.get(thing) is None:
            yield f"CMake asks for no version of {thing}"
        elif asked.get(name) != form.format(found[thing]):
            yield f"{name}@{asked.get(name)} differs from CMake's {found[thing]}"


# Mistakes that are found: a file, an expression, what replaces it.
MISTAKES = (
    (RECIPE, "class Hsched", "class Hsched:"), (RECIPE, 'tag="v', 'tag="w'), (RECIPE, '"HSCHED_BUILD_TESTS"', '"HSCHED_TESTS"'),
    (RECIPE, '"HSCHED_BUILD_TESTS", False', '"HSCHED_BUILD_TESTS", True'), (RECIPE, 'COMPILER", "compiler"', 'COMPILER", "cc"'),
    (RECIPE, r'depends_on\("hwloc@', 'depends("hwloc@'), (RECIPE, r'depends_on\("nlohmann-json".*\n', ""),
    (RECIPE, r'(depends_on\()"ninja"', r'\1"zlib")\n    \1"ninja"'), (RECIPE, r'(depends_on\("ocl-icd")', r'\1, type="build"'),
    (RECIPE, r"cmake@[\d.]+", "cmake@3.20"), (RECIPE, r"llvm@[\d.]+", "llvm@18"), (RECIPE, "hwloc@2", "hwloc@1"), (RECIPE, r"python@[\d.]+", "python@3.6:"),
    (RECIPE, r'when="\+compiler"', 'when="+cc"'), (RECIPE, "import CMakePackage, generator", "import CMakePackage"),
    (RECIPE, r'(version\("main")', r'version("9.9.9", tag="v9.9.9")\n    \1'), ("CHANGELOG.md", "# Changes\n", "# Changes\n\n## 9.9.9, 2026-12-31\n"),
    ("CMakeLists.txt", r"minimum_required\(VERSION [\d.]+", "minimum_required(VERSION 9.1"), ("compiler/CMakeLists.txt", r"LLVM [\d.]+", "LLVM 9.1"),
    ("runtime/device/CMakeLists.txt", r"hwloc>=\d", "hwloc>=9"), ("man/CMakeLists.txt", r"Python3 [\d.]+", "Python3 9.1"),
    ("man/CMakeLists.txt", r"Python3 [\d.]+", "Python3"), ("runtime/device/CMakeLists.txt", r"pkg_check_modules\(", "find_package(ZLIB)\npkg_check_modules("),
    ("runtime/dag/Json.cpp", "^", "#include <fmt/format.h>\n"), ("scripts/install-deps.sh", "libhwloc-dev ", "libhwloc-dev libxml2-dev "),
    ("scripts/install-deps.sh", " nlohmann-json3-dev", ""),
)


if __name__ == "__main__":
    check("spack", lambda files: [f"{RECIPE}: {p}" for p in problems(files)], MISTAKES, Files)

#!/usr/bin/env python3
"""One version everywhere, and recipes that name what exists.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: release.py ROOT
  - The version of CMakeLists.txt's project() is that of README.md, of CHANGELOG.md's first heading, of `__HSCHED__` and of the Spack recipe. Headings
    of CHANGELOG.md have a date, or say that the version is not released.
  - The Spack recipe is valid Python. It is loaded beside a stub of Spack, with and without the modules of Spack 1.0. It sets only options that CMake has.
  - The Dockerfile and the hosted workflow name only files, options and presets that exist, and install what cpack calls.
Prints what is wrong; the exit code is 1 if anything is.
"""
import json
import pathlib
import re
import sys
import types


def version_problems(text):
    """text: a function from a file's name to its text."""
    version = re.search(r"^project\(hsched VERSION ([\d.]+)", text("CMakeLists.txt"), re.M)[1]
    major, minor, patch = map(int, version.split("."))
    if f"Version {version}." not in text("README.md"):
        yield f"README.md: no 'Version {version}.'"
    if not re.search(rf"^#define __HSCHED__ {major * 10000 + minor * 100 + patch}$", text("include/hsched/gen.h"), re.M):
        yield f"include/hsched/gen.h: __HSCHED__ is not {version}"
    headings = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.M)
    if not headings or headings[0].split(",")[0] != version:
        yield f"CHANGELOG.md: the first heading is not {version}"
    for h in headings:
        if not re.fullmatch(r"\d+\.\d+\.\d+, (unreleased|never released by itself|\d{4}-\d\d-\d\d)", h):
            yield f"CHANGELOG.md: heading '{h}' is no version with a date"


class Recipe:
    """What a Spack recipe calls, recorded."""

    def __init__(self, source, new):
        self.calls = []
        package = types.ModuleType("spack.package")
        for name in ("license", "version", "variant", "depends_on", "generator"):
            setattr(package, name, self.recorder(name))
        for name in ("run_after", "on_package_attributes"):
            setattr(package, name, lambda *_, **__: lambda function: function)
        package.Executable, package.join_path = lambda path: lambda: None, lambda *parts: "/".join(parts)
        # The methods that the recipe uses of the base class.
        base = type("CMakePackage", (), {"define": lambda self, name, value: (name, value),
                                         "define_from_variant": lambda self, name, variant: (name, variant)})
        modules = {"spack": types.ModuleType("spack"), "spack.package": package}
        if new:
            path = "spack_repo.builtin.build_systems.cmake".split(".")
            for i in range(len(path)):
                modules[".".join(path[:i + 1])] = types.ModuleType(".".join(path[:i + 1]))
            modules[".".join(path)].CMakePackage, modules[".".join(path)].generator = base, package.generator
            del package.generator
        else:
            package.CMakePackage = base
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
        self.type = scope["Hsched"]
        self.options = dict(self.type().cmake_args())

    def recorder(self, name):
        return lambda *words, **more: self.calls.append((name, words, more))

    def of(self, name):
        return [words[0] for called, words, _ in self.calls if called == name]


def recipe_problems(text):
    version = re.search(r"^project\(hsched VERSION ([\d.]+)", text("CMakeLists.txt"), re.M)[1]
    options = set(re.findall(r"^option\((\w+)", text("CMakeLists.txt"), re.M))
    for new in (False, True):
        try:
            recipe = Recipe(text("packaging/spack/package.py"), new)
        except Exception as problem:
            yield f"packaging/spack/package.py: {type(problem).__name__}: {problem}"
            continue
        if version not in recipe.of("version"):
            yield f"packaging/spack/package.py: no version {version}"
        for called, words, more in recipe.calls:
            if called == "version" and words[0] == version and more.get("tag") != "v" + version:
                yield f"packaging/spack/package.py: the tag of {version} is v{version}"
        for option in recipe.options:
            if option not in options:
                yield f"packaging/spack/package.py: CMakeLists.txt has no option {option}"
        if set(recipe.options.values()) - set(recipe.of("variant")) - {False, True}:
            yield f"packaging/spack/package.py: {recipe.options} name a variant that is not there"
        if recipe.of("generator") != ["ninja"] or "Apache-2.0 WITH LLVM-exception" not in recipe.of("license"):
            yield "packaging/spack/package.py: generator and license"


def command_problems(text, exists):
    presets = {p["name"] for p in json.loads(text("CMakePresets.json"))["configurePresets"]}
    options = set(re.findall(r"^option\((\w+)", text("CMakeLists.txt"), re.M))
    known = set(re.findall(r"--\w+", re.search(r"known: ([^)]*)\)", text("scripts/install-deps.sh"))[1]))
    for name in ("packaging/docker/Dockerfile", ".github/workflows/ci.yml"):
        for tool in ("dpkg-dev", "file"):  # The generator calls dpkg-shlibdeps and file.
            if "cpack -G DEB" in text(name) and not re.search(rf"apt-get install [^&]* {tool}( |$)", text(name), re.M):
                yield f"{name}: cpack needs the package {tool}"
        # What an image lacks before install-deps.sh can do its work.
        for image, words in ((r"opensuse/", r"zypper .*\btar\b.*\bgzip\b"), (r"ubuntu:22\.04", r"(?s)jammy-19 main.*apt\.kitware\.com/ubuntu jammy main.*HSCHED_CXX=g\+\+-12"),
                             (r"fedora:", r"CMAKE_PREFIX_PATH=/usr/lib64/llvm19")):
            if re.search(rf'"{image}', text(name)) and not re.search(words, text(name)):
                yield f"{name}: {image} needs {words}"
        if any(int(n) < 42 for n in re.findall(r"fedora:(\d+)", text(name))):
            yield f"{name}: a Fedora that has ended, and not the branch of install-deps.sh for 42 and later"
        for number, line in enumerate(text(name).splitlines(), 1):
            where = f"{name}:{number}"
            for preset in re.findall(r"--preset (\w+)", line):
                if preset not in presets:
                    yield f"{where}: no preset {preset}"
            for option in re.findall(r"-D(HSCHED_\w+)=", line):
                if option not in options:
                    yield f"{where}: no option {option}"
            for path in re.findall(r"(?:^COPY |(?:^|[ /])(?=scripts/|\.ci/))(\.ci/\w+|scripts/[\w.-]+)", line):
                if not exists(path):
                    yield f"{where}: no file {path}"
            for words in re.findall(r"install-deps\.sh((?: --\w+)+)", line):
                for option in set(words.split()) - known:
                    yield f"{where}: install-deps.sh has no option {option}"


def problems(text, exists):
    return [*version_problems(text), *recipe_problems(text), *command_problems(text, exists)]


def main():
    root = pathlib.Path(sys.argv[1])
    text = lambda name: (root / name).read_text()
    exists = lambda name: (root / name).exists()
    found = problems(text, exists)
    # Each kind of mistake is found.
    for name, old, new in (("README.md", "Version 0", "Version 9"), ("CHANGELOG.md", "## ", "## 9."), ("CMakeLists.txt", "VERSION 0", "VERSION 7"),
                           ("packaging/spack/package.py", "class Hsched", "class Hsched:"), ("packaging/spack/package.py", 'tag="v', 'tag="w'),
                           ("packaging/spack/package.py", '"HSCHED_BUILD_TESTS"', '"HSCHED_TESTS"'), ("packaging/docker/Dockerfile", "--demo", "--sample"),
                           ("packaging/docker/Dockerfile", "--preset release", "--preset fast"), ("packaging/docker/Dockerfile", " file", ""),
                           (".github/workflows/ci.yml", ".ci/run", ".ci/runs"),
                           (".github/workflows/ci.yml", " tar gzip", ""), (".github/workflows/ci.yml", "apt.kitware.com/ubuntu jammy", "none"),
                           (".github/workflows/ci.yml", "HSCHED_CXX=g++-12", ""), (".github/workflows/ci.yml", "fedora:43", "fedora:41"),
                           (".github/workflows/ci.yml", "/usr/lib64/llvm19", "/usr")):
        changed = lambda other: text(other).replace(old, new) if other == name else text(other)
        if len(problems(changed, exists)) <= len(found):
            found.append(f"self-test: '{new}' in {name} was not found")
    print("\n".join(found) if found else "release: in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

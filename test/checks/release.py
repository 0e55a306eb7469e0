#!/usr/bin/env python3
"""One version everywhere, and recipes that name what exists.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: release.py ROOT
  - The version of CMakeLists.txt's project() is that of README.md, of CHANGELOG.md's first heading and of `__HSCHED__`. Headings
    of CHANGELOG.md have a date, or say that the version is not released. (spack.py compares the Spack recipe.)
  - The Dockerfile and the hosted workflow name only files, options and presets that exist, and install what cpack calls.
Prints what is wrong; the exit code is 1 if anything is.
"""
import json
import pathlib
import re
import sys


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
    return [*version_problems(text), *command_problems(text, exists)]


def main():
    root = pathlib.Path(sys.argv[1])
    text = lambda name: (root / name).read_text()
    exists = lambda name: (root / name).exists()
    found = problems(text, exists)
    # Each kind of mistake is found.
    for name, old, new in (("README.md", "Version 0", "Version 9"), ("CHANGELOG.md", "## ", "## 9."), ("CMakeLists.txt", "VERSION 0", "VERSION 7"),
                           ("packaging/docker/Dockerfile", "--demo", "--sample"),
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

#!/usr/bin/env python3
"""The Dockerfile: its instructions, its shell commands, and what they name in the tree. Neither Docker nor a network is needed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: dockerfile.py ROOT
  - Instructions are those that Docker has. Images are Debian 12, or earlier stages.
  - What COPY takes exists: in the tree, or where cpack writes packages in an earlier stage. .dockerignore leaves out builds, and no file that git knows.
  - Each RUN is accepted by `sh -n`. Its programs, files, presets and options exist, and were copied before (recipes.py).
  - Each package that apt installs is in a list of scripts/install-deps.sh, or in the fields of cpack's packages.
  - The last stage has what the packages recommend for a first program: a device, and the C library's headers. Its command is an installed program.
Prints what is wrong; the exit code is 1 if anything is.
"""
import fnmatch
import json
import re
import subprocess

from recipes import Checker, check, packages_folder, programs

FILE = "packaging/docker/Dockerfile"
SOURCE = "/src"  # The tree's folder in the image.
DEBIAN = 'ID=debian\nVERSION_ID="12"\n'


def instructions(text):
    """(line, name, arguments). A line that ends with a backslash goes on, and comments between lines are left out."""
    whole, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not (line.strip() or whole):
            continue
        first = first if whole else number
        if line.endswith("\\"):
            whole += line[:-1] + " "
            continue
        name, _, rest = (whole + line).partition(" ")
        yield first, name, rest.strip()
        whole = ""
    if whole:
        yield first, "the end", "after a backslash"


def declared(tree):
    """Packages that install-deps.sh or cpack's fields name."""
    fields = re.findall(r"set\(CPACK_DEBIAN_\w+_(?:DEPENDS|RECOMMENDS) \"([^\"]*)\"", tree.text("cmake/HschedPackage.cmake"))
    names = set(re.findall(r"CPACK_DEBIAN_\w+_PACKAGE_NAME ([\w-]+)", tree.text("cmake/HschedPackage.cmake")))
    return tree.packages(DEBIAN)[0] | names | {re.sub(r"[ (].*", "", w.strip()) for f in fields for w in re.split(r"[,|]", f)}


def ignored(tree):
    """What .dockerignore leaves out of the context that git knows."""
    patterns = [line for line in tree.text(".dockerignore").splitlines() if line and not line.startswith("#")]
    for folder in {p for p in tree.presets().values()} | {".git"}:
        if not any(fnmatch.fnmatchcase(folder, p) for p in patterns):
            yield f".dockerignore does not leave out {folder}"
    known = subprocess.run(["git", "-C", str(tree.root), "ls-files"], capture_output=True, text=True, check=False).stdout.split()
    for name in known or [path.name for path in tree.root.iterdir()]:
        parts = name.split("/")
        if any(fnmatch.fnmatchcase("/".join(parts[:n]), p) for n in range(1, len(parts) + 1) for p in patterns) and (known or parts[0] == "scripts"):
            yield f".dockerignore leaves out {name}"


class Stage:
    def __init__(self, tree):
        self.copied = {}  # A folder in the image: the path in the tree.
        self.folder = "/"
        self.checker = Checker(tree, lambda path: self.has(tree, path), SOURCE)
        self.packages = False

    def has(self, tree, path):
        return tree.exists(path) and any(source in (".", path) or path.startswith(source + "/") for source in self.copied.values())


def problems(tree):
    yield from ignored(tree)
    stages, stage, known = {}, None, declared(tree)
    for line, name, rest in instructions(tree.text(FILE)):
        at = f"{FILE}:{line}"
        if name == "FROM":
            words = rest.split()
            if words[0] not in ("debian:12", *stages) or len(words) not in (1, 3) or [w.upper() for w in words[1:2]] not in ([], ["AS"]):
                yield f"{at}: FROM {rest}"
            stage = Stage(tree)
            stages[words[2] if len(words) == 3 else ""] = stage
        elif stage is None:
            yield f"{at}: {name} before FROM"
        elif name == "WORKDIR":
            stage.folder = rest
        elif name == "COPY":
            words = rest.split()
            start = re.match(r"--from=(\w+)$", words[0])
            for path in words[1 if start else 0:-1]:
                if start:
                    build = tree.presets()["release"]
                    if start[1] not in stages or not stages[start[1]].packages or path != f"{SOURCE}/{build}/{packages_folder(tree)}/*.deb":
                        yield f"{at}: no stage '{start[1]}' writes {path}"
                    stage.packages = words[-1]
                elif not tree.exists(path) or path.startswith(("/", "..")):
                    yield f"{at}: no {path} in the tree"
                else:
                    # A file is copied into a folder that ends with a slash.
                    inside = words[-1] + path.split("/")[-1] if words[-1].endswith("/") else words[-1]
                    if inside != f"{SOURCE}/{path}".removesuffix("/."):
                        yield f"{at}: {path} becomes {inside}"
                    stage.copied[inside] = path
        elif name == "RUN":
            yield from (f"{at}: {p}" for p in stage.checker.script(rest, stage.folder))
            if "apt-get install" in rest and "apt-get update" not in rest:
                yield f"{at}: apt-get update is in another layer, which may be old"
            if re.search(r"\bcpack -G DEB", rest):
                stage.packages = True
            for package in stage.checker.installed - known - {"."}:
                yield f"{at}: package {package} is in no list"
            if isinstance(stage.packages, str) and "apt-get install" in rest and f"{stage.packages}*.deb" not in rest:
                yield f"{at}: the packages in {stage.packages} are not installed"
        elif name == "CMD":
            try:
                command = json.loads(rest)
            except ValueError:
                command = [rest]
            if command[0] not in programs(tree):
                yield f"{at}: no program {command[0]} is installed"
        else:
            yield f"{at}: {name} {rest}"
    if not stage or not {"pocl-opencl-icd", "libc6-dev"} <= stage.checker.installed or not stage.packages:
        yield f"{FILE}: the last stage has no device, no headers of the C library, or not hsched"


# Mistakes that are found: a file, an expression, what replaces it.
MISTAKES = (
    (FILE, "^FROM debian:12$", "FROM debian:11"), (FILE, "AS build", "AS builder"), (FILE, "^WORKDIR /src", "WORKDIRS /src"), (FILE, "^WORKDIR /src\n", ""), (FILE, r"cpack -G DEB$", r"cpack -G DEB &&"),
    (FILE, r"cpack -G DEB$", "cpack -G DEB &&\\\\"), (FILE, r"scripts/install-deps\.sh", "scripts/install.sh"), (FILE, r"^COPY scripts/install-deps\.sh /src/scripts/\n", ""),
    (FILE, r"install-deps\.sh --demo", "install-deps.sh --sample"), (FILE, "--preset release", "--preset fast"), (FILE, "-DHSCHED_BUILD_SAMPLES", "-DHSCHED_SAMPLES"),
    (FILE, " dpkg-dev file", " dpkg-dev"), (FILE, " file$", " file libnosuch-dev"), (FILE, "libc6-dev", "libc6"), (FILE, r"build/packages/\*", "build/debs/*"),
    (FILE, "cd build && cpack", "cd out && cpack"), (FILE, r"install -y --no-install-recommends /tmp", "install --no-install-recommends /tmp"), (FILE, r"hsched-info", "hsched-show"),
    (FILE, r"apt-get update && apt-get install -y --no-install-recommends /tmp", "apt-get install -y --no-install-recommends /tmp"),
    (FILE, r"recommends /tmp/packages/\*\.deb", "recommends"), (FILE, r"^COPY \. /src\n", ""), (".dockerignore", r"^build\*", "out*"), (".dockerignore", r"^build\*", "build*\nscripts"),
    ("cmake/HschedPackage.cmake", "/packages\\)", "/debs)"), ("scripts/install-deps.sh", "libc6-dev ", ""),
)


if __name__ == "__main__":
    check("Dockerfile", problems, MISTAKES)

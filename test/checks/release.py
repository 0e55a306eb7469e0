#!/usr/bin/env python3
"""One version everywhere.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: release.py ROOT
The version of CMakeLists.txt's project() is that of README.md, of CHANGELOG.md's first heading and of `__HSCHED__`. Headings
of CHANGELOG.md have a date, or say that the version is not released. (spack.py compares the Spack recipe.)
Prints what is wrong; the exit code is 1 if anything is.
"""
import pathlib
import re
import sys


def problems(text):
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


def main():
    root = pathlib.Path(sys.argv[1])
    text = lambda name: (root / name).read_text()
    found = list(problems(text))
    # Each kind of mistake is found.
    for name, old, new in (("README.md", "Version 0", "Version 9"), ("CHANGELOG.md", "## ", "## 9."), ("CMakeLists.txt", "VERSION 0", "VERSION 7"),
                           ("include/hsched/gen.h", "#define __HSCHED__ ", "#define __HSCHED__ 9"), ("CHANGELOG.md", ", 20", ", in 20")):
        changed = lambda other: text(other).replace(old, new) if other == name else text(other)
        if len(list(problems(changed))) <= len(found):
            found.append(f"self-test: '{new}' in {name} was not found")
    print("\n".join(found) if found else "release: in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

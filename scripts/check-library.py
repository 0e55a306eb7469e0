#!/usr/bin/env python3
"""Checks that names of the C++ library stand in the compiler's table only: compiler/analysis/lower/Library*.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check-library.py [--root DIR]
Prints one line for each other string of compiler/analysis that is such a name, file:line first; exit code 1 if there is any.
"""
import argparse
import pathlib
import re
import sys

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Strings that are spelled like a name of the library and mean something else, by file.
OTHER = {
    "bind/Reductions.cpp": {"min", "max", "function"},  # Operators of the clause; a word of a message.
    "regions/Boxes.cpp": {"less", "greater"},  # Words of messages.
    "bind/Identity.cpp": {"data", "size"},  # Every class with these members is a container.
    "lower/OpenCL.cpp": {"min", "max", "clamp"},  # OpenCL C's functions.
    "kernel/Overloads.cpp": {"min", "max", "clamp"},
    "kernel/File.cpp": {"min", "max", "clamp"},
}
# Functions that lowering follows itself, beside what the table says of them.
FOLLOWED = "lower/LibraryCalls.cpp"


def names(folder: pathlib.Path) -> set[str]:
    found = set()
    for table in ("LibraryNames.cpp", "LibraryCxx.cpp"):
        for row in re.findall(r'^    \{((?:"[^"]*"\s*)+),', (folder / table).read_text(), re.M):
            found |= {name.removeprefix("std::") for text in STRING.findall(row) for name in text.split()}
    return {name for name in found if re.fullmatch(r"\w+", name)}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    analysis = parser.parse_args().root / "compiler/analysis"
    known = names(analysis / "lower")
    if len(known) < 200:
        sys.exit("the tables are not found: their rows look otherwise")
    wrong = 0
    for path in sorted(analysis.rglob("*.cpp")) + sorted(analysis.rglob("*.h")):
        name = path.relative_to(analysis).as_posix()
        if name.startswith("lower/Library") and name != FOLLOWED:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for text in STRING.findall(line):
                word = text.removeprefix("std::")
                if word not in known or word in OTHER.get(name, ()) or line.startswith("#include"):
                    continue
                if name == FOLLOWED and text.startswith("std::"):
                    continue
                print(f"{path}:{number}: '{text}' belongs in the table of lower/LibraryNames.cpp")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

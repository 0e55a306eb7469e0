#!/usr/bin/env python3
"""The names of all tests of a build, one a line, lit's files among them; or what two such lists differ in.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: list-tests.py BUILD            prints the list
       list-tests.py --compare A B    prints what A has and B has not, and the other way round; fails if A has more
"""
import pathlib
import re
import subprocess
import sys


def names(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    # What GoogleTest prints of parameters may be addresses.
    tests = {name.split("  # ")[0] for name in re.findall(r"^ +Test +#\d+: (.+)$", listed, re.M)}
    lit = re.search(r"^HSCHED_LIT:FILEPATH=(.+)$", (pathlib.Path(build) / "CMakeCache.txt").read_text(), re.M)
    if lit:
        shown = subprocess.run([sys.executable, lit[1], "--show-tests", f"{build}/test/lit"], capture_output=True,
                               text=True, check=True).stdout
        tests |= {"lit: " + name for name in re.findall(r"^ +hsched :: (.+)$", shown, re.M)}
        tests = {t for t in tests if t != "lit" and not t.startswith("lit.")}  # What runs the files.
    return tests


def main():
    if len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        print("\n".join(sorted(names(sys.argv[1]))))
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "--compare":
        before, after = (set(pathlib.Path(p).read_text().splitlines()) for p in sys.argv[2:])
        for name in sorted(before - after):
            print("- " + name)
        for name in sorted(after - before):
            print("+ " + name)
        print(f"{len(before)} before, {len(after)} after: {len(before - after)} gone, {len(after - before)} new")
        return 1 if before - after else 0
    print(__doc__.split("Usage")[1].join(["Usage", ""]), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

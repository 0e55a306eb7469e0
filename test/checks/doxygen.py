#!/usr/bin/env python3
"""The reference that Doxygen makes: it has no warning, a start page, and a description of each class, structure, member and value.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: doxygen.py DOXYGEN DOXYFILE
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    doxygen, doxyfile = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(doxyfile).read_text() + f"\nOUTPUT_DIRECTORY = {folder}\nWARN_AS_ERROR = NO\n"
        done = subprocess.run([doxygen, "-"], input=settings, capture_output=True, text=True, check=False)
        found = [line for line in done.stderr.splitlines() if "warning" in line]
        start = pathlib.Path(folder, "html", "index.html")
        if "hsched/engine.h" not in (start.read_text() if start.exists() else ""):
            found.append("the start page does not say which headers there are")
    print("\n".join(found) if found else "doxygen: in order")
    sys.exit(1 if found else done.returncode)


if __name__ == "__main__":
    main()

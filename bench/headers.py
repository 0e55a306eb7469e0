#!/usr/bin/env python3
# Whether hsched-cc takes each header that g++ takes, in a file with a directive.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/headers.py [--build FOLDER] [--flags=-std=c++17] [--root FOLDER] [--every N] HEADER-OR-FOLDER...
#
# A folder stands for the headers in it, those in folders below it too. Names are those that #include takes; --root is
# where they are looked for, and is given as -I. Prints the headers that g++ takes and hsched-cc does not.
import argparse
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("names", nargs="+")
parser.add_argument("--build", default=os.path.join(here, "..", "build"))
parser.add_argument("--flags", default="-std=c++17")
parser.add_argument("--root", default="/usr/include")
parser.add_argument("--every", type=int, default=1, help="only every Nth header")
parser.add_argument("--flat", action="store_true", help="not the folders below")
args = parser.parse_args()


def headers():
    for name in args.names:
        path = os.path.join(args.root, name)
        if not os.path.isdir(path):
            yield name
            continue
        for folder, inner, files in os.walk(path):
            inner.sort()
            if args.flat:
                inner.clear()
            for file in sorted(files):
                if "." not in file or file.endswith((".h", ".hpp", ".hh")):
                    yield os.path.relpath(os.path.join(folder, file), args.root)


taken, refused, skipped = 0, [], 0
with tempfile.TemporaryDirectory() as work:
    source = os.path.join(work, "a.cpp")
    flags = [*args.flags.split(), "-w", "-O0", "-I", args.root, "-c", source, "-o", os.path.join(work, "a.o")]
    for number, header in enumerate(headers()):
        if number % args.every:
            continue
        with open(source, "w", encoding="utf-8") as out:
            out.write(f"#include <{header}>\n#pragma hsched task inout(*hsched_test_x)\n"
                      "void hsched_test(int *hsched_test_x) { ++*hsched_test_x; }\n"
                      "void hsched_test_loop(int n, int *x) {\n#pragma hsched for\n"
                      "  for (int i = 0; i < n; ++i)\n    x[i] = i;\n}\n")
        if subprocess.run(["g++", *flags], capture_output=True).returncode:
            skipped += 1
            continue
        done = subprocess.run([os.path.join(args.build, "bin", "hsched-cc"), *flags], capture_output=True, text=True)
        if done.returncode:
            refused.append(header)
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            print(f"{header}: {lines[0] if lines else done.stderr[-200:]}", flush=True)
        else:
            taken += 1
print(f"{taken} of {taken + len(refused)} headers that g++ takes; {skipped} that it does not")
sys.exit(bool(refused))

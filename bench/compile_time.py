#!/usr/bin/env python3
# How long hsched-cc takes to compile a file, against the host compiler on the same file.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bench/compile_time.py [--build DIR] [--reps N] [file.cpp [flag...]]
#   bench/long_source.py makes the file of 3,000 lines with one directive.
#   The file defaults to samples/matmul/matmul.cpp, flags to -std=c++20 -O2.
# Both compilers run in turn, after one run each that is not counted. The ratio is taken pair by pair, so a drift of the
# machine's speed affects both alike. User and system time of the whole process tree are shown beside the wall clock.
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--build", default="build")
parser.add_argument("--reps", type=int, default=7)
parser.add_argument("file", nargs="?", default="samples/matmul/matmul.cpp")
parser.add_argument("flags", nargs=argparse.REMAINDER)
options = parser.parse_args()
flags = options.flags or ["-std=c++20", "-O2"]
host = os.environ.get("HSCHED_CXX", "g++").split()


def timed(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    status = subprocess.run(command).returncode
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status != 0:
        sys.exit(f"compile_time.py: exit code {status}: {' '.join(command)}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


with tempfile.TemporaryDirectory() as folder:
    out = ["-c", options.file, "-o", os.path.join(folder, "a.o")]
    ours = [os.path.join(options.build, "bin", "hsched-cc"), *flags, *out]
    theirs = [*host, "-Wno-unknown-pragmas", *flags, *out]
    timed(ours), timed(theirs)
    pairs = [(timed(ours), timed(theirs)) for _ in range(options.reps)]

print(f"{options.file}, {' '.join(flags)}, {options.reps} pairs")
for what, index in (("wall", 0), ("cpu", 1)):
    a = statistics.median(p[0][index] for p in pairs)
    b = statistics.median(p[1][index] for p in pairs)
    ratio = statistics.median(p[0][index] / p[1][index] for p in pairs)
    print(f"{what:5}  hsched-cc {a:6.3f} s   {' '.join(host)} {b:6.3f} s   ratio {ratio:5.2f}")

#!/usr/bin/env python3
# matmul with all versions to choose from, against its fastest version alone: what the choice costs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bench/matmul_versions.py [--program build/samples/matmul] [--size 8192] [--tile 1024] [--rounds 5] [--reps 6]
#                                 [--alone opencl|blas|cpp]
# Both are run in turn, --rounds times. The first repetition of each run is left out and shown apart: it is where kernels
# are built and versions are learned. Speeds are from submission to the end of the wait, data beginning and ending in
# host memory.
import argparse
import re
import statistics
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--program", default="build/samples/matmul")
parser.add_argument("--size", default="8192")
parser.add_argument("--tile", default="1024")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--reps", type=int, default=6)
parser.add_argument("--alone", default="opencl")
options = parser.parse_args()


def speeds(versions):
    command = [options.program, "--size", options.size, "--tile", options.tile, "--reps", str(options.reps),
               "--versions", versions]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0 or "correct" not in run.stdout:
        sys.exit(f"matmul_versions.py: {' '.join(command)}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return [float(x) for x in re.findall(r"ms, ([0-9.]+) GFLOP/s", run.stderr)]


first, later = {"all": [], options.alone: []}, {"all": [], options.alone: []}
ratios = []
for _ in range(options.rounds):
    for versions in first:
        run = speeds(versions)
        first[versions].append(run[0])
        later[versions].append(statistics.median(run[1:]))
    ratios.append(later["all"][-1] / later[options.alone][-1])

print(f"matmul n {options.size}, tile {options.tile}, {options.rounds} rounds of {options.reps} repetitions, GFLOP/s")
for versions in first:
    print(f"{versions:8}  first repetition {statistics.median(first[versions]):9.1f}   "
          f"later {statistics.median(later[versions]):9.1f}   "
          f"(least {min(later[versions]):.1f}, most {max(later[versions]):.1f})")
print(f"all / {options.alone}, later repetitions, pair by pair: median {statistics.median(ratios):.3f}")

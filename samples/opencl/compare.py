#!/usr/bin/env python3
# Compares the automatic mapping of queues with the best manual one, for each sample, and prints the geometric mean.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   compare.py [--samples build/samples] [--repeat N] [--rounds N] [--only NAME] [--small | --large]
#
# OCL_ICD_VENDORS names the folder of the platform's *.icd file. Kernels' times from earlier runs are not used: "cold" is
# the first run, without them. Profiles of the devices are measured by the first program, as on any machine. A process
# has one cold run, so on a busy machine several rounds are needed: the figures are the medians of the rounds. The last
# figure compares the cold run with the median of the runs by hand, not with the least.
import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

CASES = {
    "ep": (["opencl-ep", "--log-pairs", "22"], ["opencl-ep", "--log-pairs", "16"]),
    "cg": (["opencl-cg", "--size", "65536"], ["opencl-cg", "--size", "4096", "--iterations", "5"]),
    "fdm column": (["opencl-fdm", "--size", "512", "--layout", "column"], ["opencl-fdm", "--size", "64", "--layout", "column"]),
    "fdm row": (["opencl-fdm", "--size", "512", "--layout", "row"], ["opencl-fdm", "--size", "64", "--layout", "row"]),
}
LARGE = {
    "ep": ["opencl-ep", "--log-pairs", "26"],
    "cg": ["opencl-cg", "--size", "1048576"],
    "fdm column": ["opencl-fdm", "--size", "2048", "--layout", "column"],
    "fdm row": ["opencl-fdm", "--size", "2048", "--layout", "row"],
}


FIGURES = re.compile(r"automatic/best ([0-9.]+), cold/best ([0-9.]+), cold/median ([0-9.]+), right")


def run(line, given, cache):
    shutil.rmtree(os.path.join(cache, "opencl-times"), ignore_errors=True)
    ended = subprocess.run([os.path.join(given.samples, line[0]), *line[1:], "--compare", "--repeat", given.repeat],
                           env={**os.environ, "HSCHED_CACHE": cache}, capture_output=True, text=True, check=False)
    found = FIGURES.search(ended.stdout)
    if ended.returncode or not found:
        sys.exit(f"compare.py: {line[0]} failed:\n{ended.stdout}{ended.stderr}")
    print("\n".join(ended.stdout.strip().splitlines()[-2:]), flush=True)
    return [float(x) for x in found.groups()]


def main():
    words = argparse.ArgumentParser(description="automatic mapping against the best one by hand")
    words.add_argument("--samples", default="build/samples")
    words.add_argument("--repeat", default="5")
    words.add_argument("--rounds", type=int, default=1, help="processes for each program")
    words.add_argument("--only", choices=CASES, action="append", help="one of the programs")
    words.add_argument("--small", action="store_true", help="sizes for a try")
    words.add_argument("--large", action="store_true", help="sizes for a GPU")
    given = words.parse_args()
    medians = []
    with tempfile.TemporaryDirectory() as cache:
        for name, sizes in CASES.items():
            if given.only and name not in given.only:
                continue
            line = LARGE[name] if given.large else sizes[1 if given.small else 0]
            rounds = [run(line, given, cache) for _ in range(given.rounds)]
            medians.append([statistics.median(figure) for figure in zip(*rounds)])
            if given.rounds > 1:
                print(f"{name}, medians of {given.rounds}: " + figures(medians[-1]))
    mean = [math.exp(sum(map(math.log, figure)) / len(figure)) for figure in zip(*medians)]
    print(f"geometric mean of {len(medians)}: " + figures(mean))


def figures(of):
    return "automatic/best {:.3f}, cold/best {:.3f}, cold/median {:.3f}".format(*of)


if __name__ == "__main__":
    main()

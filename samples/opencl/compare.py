#!/usr/bin/env python3
# Compares the automatic mapping of queues with the best manual one, for each sample, and prints the geometric mean.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   compare.py [--samples build/samples] [--repeat N] [--small | --large]
#
# OCL_ICD_VENDORS names the folder of the platform's *.icd file. Kernels' times from earlier runs are not used: "cold" is
# the first run, without them. Profiles of the devices are measured by the first program, as on any machine.
import argparse
import math
import os
import re
import shutil
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


def main():
    words = argparse.ArgumentParser(description="automatic mapping against the best one by hand")
    words.add_argument("--samples", default="build/samples")
    words.add_argument("--repeat", default="5")
    words.add_argument("--small", action="store_true", help="sizes for a try")
    words.add_argument("--large", action="store_true", help="sizes for a GPU")
    given = words.parse_args()
    warm, cold = [], []
    with tempfile.TemporaryDirectory() as cache:
        for name, sizes in CASES.items():
            line = LARGE[name] if given.large else sizes[1 if given.small else 0]
            shutil.rmtree(os.path.join(cache, "opencl-times"), ignore_errors=True)
            run = subprocess.run([os.path.join(given.samples, line[0]), *line[1:], "--compare", "--repeat", given.repeat],
                                 env={**os.environ, "HSCHED_CACHE": cache}, capture_output=True, text=True, check=False)
            found = re.search(r"automatic/best ([0-9.]+), cold/best ([0-9.]+), right", run.stdout)
            if run.returncode or not found:
                sys.exit(f"compare.py: {name} failed:\n{run.stdout}{run.stderr}")
            print("\n".join(run.stdout.strip().splitlines()[-2:]))
            warm.append(float(found[1]))
            cold.append(float(found[2]))
    mean = lambda all: math.exp(sum(map(math.log, all)) / len(all))
    print(f"geometric mean of {len(warm)}: automatic/best {mean(warm):.3f}, cold/best {mean(cold):.3f}")


if __name__ == "__main__":
    main()

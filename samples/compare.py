#!/usr/bin/env python3
"""Times samples that exist three times: serial, with OpenMP and with hsched.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: compare.py [--build FOLDER] [--threads N] [--runs N] [--devices] [SAMPLE...]
  --build    a build tree with samples (default: build)
  --threads  threads of OpenMP, and workers of hsched (default: 2)
  --runs     runs of each program (default: 9)
  --devices  hsched may use OpenCL devices, and nbody does; otherwise only the CPU

The programs of a sample run in turns, each turn in another order, so that whatever else the machine does hits all alike.
`work` is the time that a program takes for its work, `process` that of the whole process. Both are medians. At the end of the
line both stand by OpenMP's: the median of the turns' ratios, and for the work their quartiles. Exit code 1 if a result is wrong.
"""
import argparse
import itertools
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ARGUMENTS = {
    "heat": ["--size", "1024", "--steps", "200"],
    "cg": ["--side", "512", "--block", "16384"],
    "hydro": ["--side", "30", "--steps", "100"],
    "nbody": ["--bodies", "4096", "--steps", "20"],
    "pipeline": ["--frames", "200", "--size", "512"],
    "queens": ["--size", "14"],
    "mosaic": ["--size", "512", "--rounds", "20"],
}


def once(path, arguments, environment):
    begin = time.monotonic()
    done = subprocess.run([str(path), *arguments], capture_output=True, text=True, env=environment)
    process = (time.monotonic() - begin) * 1e3
    work = re.search(r"^time: ([\d.]+) ms$", done.stderr, re.M)
    if done.returncode != 0 or not work or ": correct" not in done.stdout:
        sys.exit(f"{path} fails:\n{done.stdout}{done.stderr}")
    return float(work.group(1)), process, done.stdout


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--devices", action="store_true")
    parser.add_argument("samples", nargs="*", default=list(ARGUMENTS))
    options = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads), HSCHED_NCPU=str(options.threads), HSCHED_LOG="error")
    if options.devices:
        environment["HSCHED_DEVICES"] = "first"
    else:
        environment["HSCHED_OPENCL"] = "0"
    print(f"{'sample':10}{'program':10}{'work ms':>10}{'x serial':>10}{'process ms':>12}{'work by OpenMP':>22}{'process':>14}")
    for sample in options.samples:
        if sample not in ARGUMENTS:
            sys.exit(f"compare.py: no sample '{sample}' (known: {', '.join(ARGUMENTS)})")
        programs = {"serial": sample + "-serial", "OpenMP": sample + "-openmp", "hsched": sample}
        programs = {k: options.build / "samples" / v for k, v in programs.items()}
        programs = {k: v for k, v in programs.items() if v.exists()}
        if "hsched" not in programs or "serial" not in programs:
            sys.exit(f"compare.py: {sample} is not built in {options.build}; configure with -DHSCHED_BUILD_SAMPLES=ON, then build")
        times = {k: [] for k in programs}
        orders = list(itertools.permutations(programs))
        for turn in range(options.runs):
            printed = {}
            for label in orders[turn % len(orders)]:
                work, process, printed[label] = once(programs[label], ARGUMENTS[sample], environment)
                times[label].append((work, process))
            if len(set(printed.values())) != 1:
                sys.exit(f"compare.py: the programs of {sample} differ: {printed}")
        middle = {k: [statistics.median(column) for column in zip(*v)] for k, v in times.items()}
        for label, (work, process) in middle.items():
            by = ""
            if label == "hsched" and "OpenMP" in middle:
                ratios = [[a / b for a, b in zip(*both)] for both in zip(times[label], times["OpenMP"])]
                of_work, of_process = (sorted(column) for column in zip(*ratios))
                spread = f"{of_work[len(of_work) // 4]:.2f} to {of_work[-1 - len(of_work) // 4]:.2f}"
                by = f"{statistics.median(of_work):8.2f} ({spread}){statistics.median(of_process):14.2f}"
            print(f"{sample:10}{label:10}{work:10.1f}{middle['serial'][0] / work:10.2f}{process:12.1f}{by}")


if __name__ == "__main__":
    main()

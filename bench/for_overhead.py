#!/usr/bin/env python3
# Loops of 5, 20 and 100 us with their waits: hsched's 'for' beside libgomp's 'parallel for' and the serial program.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/for_overhead.py [build folder] [--rounds N] [--threads N] [--flags=-O2]
import argparse
import os
import statistics
import subprocess
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("build", nargs="?", default=os.path.join(here, "..", "build"))
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--flags", default="-O3")
args = parser.parse_args()

with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(here, "for_overhead.cpp")
    programs = {}
    for name, compiler in (("serial", ["g++"]), ("libgomp", ["g++", "-fopenmp"]),
                           ("hsched", [os.path.join(args.build, "bin", "hsched-cc")])):
        programs[name] = os.path.join(folder, name)
        subprocess.run([*compiler, *args.flags.split(), "-w", "-DBODY_DIVIDES", source, "-o", programs[name]], check=True)
    env = dict(os.environ, OMP_NUM_THREADS=str(args.threads), HSCHED_NCPU=str(args.threads), HSCHED_OPENCL="0")

    def run(name, *words):
        done = subprocess.run([programs[name], *words], env=env, check=True, capture_output=True, text=True)
        return [float(word) for word in done.stdout.split()]

    each = run("serial", "0", "0")[0]
    print(f"{args.threads} threads, {args.flags}; median of {args.rounds}, in us a loop: wall (CPU)")
    for length in (5, 20, 100):
        found = {name: [] for name in programs}
        for _ in range(args.rounds):  # In turn, so that all see the same machine.
            for name in programs:
                found[name].append(run(name, str(length), str(int(each * length))))
        wall = {name: statistics.median(row[0] for row in rows) / 1000 for name, rows in found.items()}
        cpu = {name: statistics.median(row[1] for row in rows) / 1000 for name, rows in found.items()}
        least = {name: min(row[0] for row in rows) / 1000 for name, rows in found.items()}
        print(f"{length:4} us: " + ", ".join(f"{name} {wall[name]:.2f} ({cpu[name]:.2f})" for name in programs) +
              f"; hsched/serial {wall['hsched'] / wall['serial']:.2f}, hsched/libgomp "
              f"{wall['hsched'] / wall['libgomp']:.2f}; of the least {least['hsched'] / least['serial']:.2f}, "
              f"{least['hsched'] / least['libgomp']:.2f}")

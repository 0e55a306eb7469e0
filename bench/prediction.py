#!/usr/bin/env python3
"""How far hsched-sim's replays are from the runs that were recorded, for the samples, on this machine.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

  bench/prediction.py --build build [--runs 5] [--policy versioning] [--opencl]

Each sample runs so many times in processes of its own, after one that is not counted and measures the times. Each run is
replayed with the same policy. The table has the median of the recorded times and of the errors,
and the worst error. --opencl: PoCL's device takes part, with memory of its own. Other work on the machine is part of a recorded time, and of no replay.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

SAMPLES = {
    "jacobi": ["--size", "4096", "--tile", "512", "--reps", "1"],
    "lu": ["--size", "2048", "--tile", "256", "--reps", "1"],
    "cholesky": ["--size", "2048", "--tile", "256", "--reps", "1"],
    "matmul": ["--size", "2048", "--tile", "256", "--reps", "1"],
    "phylo": ["--sites", "65536", "--block", "8192"],
    "heat": ["--size", "2048", "--band", "128"],
}
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}


def main():
    parser = argparse.ArgumentParser(description="how far replays are from recorded runs")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--policy", default="versioning")
    parser.add_argument("--opencl", action="store_true", help="PoCL's device takes part")
    o = parser.parse_args()
    devices = {"HSCHED_OPENCL": "all", "HSCHED_OPENCL_COPY": "1", "HSCHED_DEVICES": "first"} if o.opencl else {"HSCHED_OPENCL": "0"}
    print(f"{'sample':<10} {'run ms':>9} {'off %':>7} {'worst %':>8}")
    with tempfile.TemporaryDirectory() as folder:
        record, cache = pathlib.Path(folder) / "run.json", pathlib.Path(folder) / "cache"
        models = {"HSCHED_CACHE": str(cache), "HSCHED_MODELS": str(pathlib.Path(folder) / "models.json")}
        for name, arguments in SAMPLES.items():
            program = o.build / "samples" / name
            if not program.exists():
                continue
            took, off = [], []
            for i in range(o.runs + 1):
                subprocess.run([program, *arguments], check=True, capture_output=True,
                               env={**os.environ, **devices, **models, "HSCHED_SCHED": o.policy, "HSCHED_RECORD": str(record)})
                said = subprocess.run([o.build / "bin" / "hsched-sim", f"--replay={record}", "--sched=" + o.policy], check=True,
                                      capture_output=True, text=True).stdout
                found = re.search(r"recorded run took ([\d.]+) (\w+) .*off by ([-+\d.]+) %", said)
                if i:  # The first one builds kernels and knows no times.
                    took.append(float(found[1]) * UNITS[found[2]])
                    off.append(float(found[3]))
            print(f"{name:<10} {statistics.median(took):9.1f} {statistics.median(off):+7.1f} {max(off, key=abs):+8.1f}", flush=True)


if __name__ == "__main__":
    main()

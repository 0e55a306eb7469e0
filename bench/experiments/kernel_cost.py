#!/usr/bin/env python3
# What a kernel of a file costs against the same task of a program that hsched-cc compiled, in instructions.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/experiments/kernel_cost.py build            needs valgrind and an OpenCL device on the CPU
#
# A chain of kernels runs in both ways, with few and with many repetitions. The difference leaves out what is done once. Instructions of
# the OpenCL library are not counted, because it is the same one. Threads that wait run some more instructions: 3 % from run to run.
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

KERNEL = "kernel void work(global float *x) { x[get_global_id(0)] += 1.0f; }\n"
PROGRAM = """
#include <cstdlib>
#pragma hsched task device(opencl) inout([256]x) kernel("k.cl", "work") ndrange(256; 64)
void work(float *x);
static float x[256];
int main(int, char **arguments) {
  for (int r = 0, n = std::atoi(arguments[1]); r < std::atoi(arguments[2]); ++r) {
    for (int i = 0; i < n; ++i)
      work(x);
#pragma hsched taskwait
  }
}
"""
VENDOR = re.compile(r"libpocl|LLVM|libOpenCL|\.so$")  # A kernel is an object of its own.


def instructions(file):
    """Of callgrind's file: instructions by object, without those of called functions."""
    names, sums, now, called = {}, collections.Counter(), None, False
    for line in file.read_text(errors="replace").splitlines():
        if found := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
            if found[3]:
                names[found[2]] = found[3]
            if not found[1]:
                now = names[found[2]]
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[\d+*-]\S* \d+$", line):
            if not called:
                sums[pathlib.Path(now).name] += int(line.split()[1])
            called = False
    return sums


def main():
    parser = argparse.ArgumentParser(description="what a kernel of a file costs against a task, in instructions")
    parser.add_argument("build", type=pathlib.Path, help="the build's folder")
    parser.add_argument("--kernels", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--repeat", default="2,12", help="few and many repetitions (%(default)s)")
    args = parser.parse_args()
    build, few_many = args.build.resolve(), [int(n) for n in args.repeat.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "k.cl").write_text(KERNEL)
        (work / "app.cpp").write_text(PROGRAM)
        kernels = [{"id": f"k{i}", "name": "work", "src": "k.cl", "global": [256], "local": [64],
                    "args": [{"role": "io", "type": "float", "size": 256}]} for i in range(args.kernels)]
        edges = [[f"k{i}", 0, f"k{i + 1}", 0] for i in range(args.kernels - 1)]
        (work / "dag.json").write_text(json.dumps({"hsched-dag": 1, "kernels": kernels, "edges": edges}))
        subprocess.run([build / "bin" / "hsched-cc", "-O2", "-std=c++20", "app.cpp", "-o", "app"], cwd=work, check=True)
        env = {**os.environ, "HSCHED_OPENCL": "cpu", "HSCHED_OPENCL_COPY": "1", "HSCHED_NCPU": "1", "HSCHED_CACHE": str(work / "cache")}
        ways = {"hsched-cc": lambda n: [work / "app", args.kernels, n],
                "hsched-run": lambda n: [build / "bin" / "hsched-run", "--quiet", "--no-check", "--devices=cpu", "--sched=versioning",
                                         f"--repeat={n}", "dag.json"]}
        costs = {}
        for name, command in ways.items():
            counts = []
            for n in [1, *few_many]:  # The first run builds the kernel, for the processor that valgrind shows.
                out = work / f"{name}.{n}"
                subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *map(str, command(n))], cwd=work, env=env,
                               check=True, capture_output=True)
                counts.append(sum(n for object, n in instructions(out).items() if not VENDOR.search(object) or "hsched" in object))
            costs[name] = (counts[2] - counts[1]) / (few_many[1] - few_many[0]) / args.kernels
            print(f"{name:<12} {costs[name]:8.0f} instructions a kernel", flush=True)
        print(f"ratio {costs['hsched-run'] / costs['hsched-cc']:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

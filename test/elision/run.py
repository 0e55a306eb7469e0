#!/usr/bin/env python3
"""Serial elision: a random program prints the same through the host compiler and through hsched-cc.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: run.py --hsched-cc PATH --host-cxx CXX --work FOLDER [--seed N | --random-seed]
The serial build's output is the oracle; hsched-cc's program must match it under several settings of the runtime.
What fails is kept in FOLDER. HSCHED_TEST_SEED names the seed of --random-seed.
"""
import argparse
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import seeds
from generate import generate

SETTINGS = [
    {"HSCHED_SCHED": "versioning", "HSCHED_LAMBDA": "1", "HSCHED_OPENCL_COPY": "1", "HSCHED_NCPU": "2"},
    {"HSCHED_SCHED": "versioning", "HSCHED_LAMBDA": "2"},
    {"HSCHED_SCHED": "eager", "HSCHED_OPENCL": "0", "HSCHED_NCPU": "3", "HSCHED_WINDOW": "16"},
]


def run(command, seconds=120, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_") or k == "HSCHED_CXX"}
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=seconds,
                          env={**clean, **environment})


def fail(what, result=None):
    print("elision:", what)
    if result is not None:
        print((result.stdout + result.stderr)[-3000:])
    return False


def try_seed(seed, options):
    work = options.work / f"seed{seed}"
    work.mkdir(parents=True, exist_ok=True)
    cpp, cl = generate(seed)
    (work / "prog.cpp").write_text(cpp)
    (work / "prog.cl").write_text(cl)
    print(f"elision: seed {seed}, in {work}", flush=True)

    flags = ["-std=c++20", "-O1", *options.flags.split()]
    built = run([options.host_cxx, *flags, "-Wno-unknown-pragmas", work / "prog.cpp", "-o", work / "serial"])
    if built.returncode:
        return fail("the host compiler fails: the generator is wrong", built)
    serial = run([work / "serial"])
    if serial.returncode:
        return fail("the serial program fails: the generator is wrong", serial)

    built = run([options.hsched_cc, *flags, work / "prog.cpp", "-o", work / "prog"])
    if built.returncode:
        return fail("hsched-cc fails", built)
    for setting in SETTINGS:
        words = " ".join(f"{k}={v}" for k, v in setting.items())
        try:
            result = run([work / "prog"], **setting)
        except subprocess.TimeoutExpired:
            return fail(f"{words} {work / 'prog'} does not end")
        if result.returncode:
            return fail(f"{words} {work / 'prog'} exits with {result.returncode}", result)
        if result.stdout != serial.stdout:
            pairs = zip(serial.stdout.splitlines(), result.stdout.splitlines())
            first = next((f"'{b}' instead of '{a}'" for a, b in pairs if a != b), "lines are missing")
            return fail(f"{words} {work / 'prog'} prints {first}", result)
    return True


def main():
    parser = argparse.ArgumentParser(description="Serial elision of random programs.")
    parser.add_argument("--hsched-cc", required=True)
    parser.add_argument("--host-cxx", default="g++")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--flags", default="", help="further flags for both compilers")
    seeds.add_options(parser)
    options = parser.parse_args()
    return seeds.try_all("elision", options, try_seed)


if __name__ == "__main__":
    sys.exit(main())

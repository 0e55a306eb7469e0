#!/usr/bin/env python3
# The samples cholesky, lu, clblast and jacobi against the same programs on StarPU (bench/starpu_samples.cpp).
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/starpu.py build/samples --build FOLDER            builds StarPU's program there (bench/install-peers.sh), measures
#   bench/starpu.py build/samples --build FOLDER --gpu      with GPUs instead of PoCL's device
#
# Execution times are known to both (a first run of each is not counted). All programs run in turns. A time is the
# median of all repetitions but each process's first one. StarPU's workers poll: with real-time priority they keep PoCL's
# threads, and everything else, from the cores for ever.
import argparse
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"cholesky": (2048, 256, 4, None), "lu": (2048, 256, 4, None), "gemm": (1536, 256, 4, None), "jacobi": (2048, 256, 4, 20)}
SAMPLE = {"gemm": "clblast"}
# StarPU copies a strided tile row by row. Its matrices are stored tile by tile before the time begins.
TWIN = {"cholesky": ["contiguous"], "gemm": ["contiguous"]}


def build(folder):
    program = folder / "starpu_samples"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "starpu-1.3", "openblas"], capture_output=True, text=True, check=True)
    subprocess.run(["g++", "-O2", "-std=c++20", str(HERE / "starpu_samples.cpp"), "-o", str(program), *flags.stdout.split(), "-lclblast",
                    "-lOpenCL"], check=True)
    return program


def times(command, env):
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **env})
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {ran.returncode}: {ran.stderr[-500:]}")
    return [float(t) for t in re.findall(r"repetition \d+: ([0-9.]+) ms", ran.stderr)]


def main():
    parser = argparse.ArgumentParser(description="the samples against StarPU")
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="where StarPU's program and the execution times are kept")
    parser.add_argument("--only", default=",".join(SIZES))
    parser.add_argument("--policies", default="versioning,adaptive", help="hsched's (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1, help="of sizes and tiles")
    parser.add_argument("--gpu", action="store_true")
    args = parser.parse_args()
    args.build.mkdir(parents=True, exist_ok=True)
    program = build(args.build)
    starpu = {"STARPU_HOME": str(args.build), "STARPU_HOSTNAME": "bench", "STARPU_SCHED": "dmdas", "STARPU_SILENT": "1", "STARPU_NCUDA": "0"}
    own = {"HSCHED_DEVICES": "first", "HSCHED_OPENCL": "gpu" if args.gpu else "cpu"}
    if not args.gpu:
        starpu |= {"STARPU_OPENCL_ON_CPUS": "1", "STARPU_OPENCL_ONLY_ON_CPUS": "1"}

    names = ["StarPU dmdas", *args.policies.split(",")]
    found, ratios = {}, {n: [] for n in names[1:]}
    for what in args.only.split(","):
        size, tile, reps, steps = SIZES[what]
        size, tile = int(size * args.scale), int(tile * args.scale)
        sample = [args.samples / SAMPLE.get(what, what), "--size", size, "--tile", tile, "--reps", reps, *(["--steps", steps] if steps else [])]
        twin = [program, what, size, tile, reps, *([steps] if steps else TWIN.get(what, []))]
        commands = {names[0]: (twin, starpu)}
        for policy in names[1:]:
            commands[policy] = (sample, {**own, "HSCHED_SCHED": policy, "HSCHED_MODELS": str(args.build.resolve() / f"{what}-{policy}.json")})
        for command, env in commands.values():
            times(command, {**env, "STARPU_CALIBRATE": "1"})
        for n in range(args.rounds):
            for name, (command, env) in commands.items():
                found.setdefault((what, name), []).extend(times(command, {**env, "STARPU_CALIBRATE": "0"})[1:])
    print("| program | " + " | ".join(names) + " | " + " | ".join(f"{n} by StarPU" for n in names[1:]) + " |")
    print("|" + " --- |" * (2 * len(names)))
    for what in args.only.split(","):
        medians = [statistics.median(found[what, n]) for n in names]
        for n, m in zip(names[1:], medians[1:]):
            ratios[n].append(m / medians[0])
        print(f"| {what} {int(SIZES[what][0] * args.scale)}, tiles of {int(SIZES[what][1] * args.scale)} | " + " | ".join(f"{m:.1f} ms" for m in medians) + " | "
              + " | ".join(f"{m / medians[0]:.2f}" for m in medians[1:]) + " |")
    for n, of in ratios.items():
        print(f"{n}: geometric mean {math.exp(statistics.mean(map(math.log, of))):.2f} of StarPU's time", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

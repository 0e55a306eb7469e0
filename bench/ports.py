#!/usr/bin/env python3
# Programs of OpenMP, converted by hsched-port: the places to change by hand, whether the results are equal, and the times.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/ports.py [build folder] [--rounds N] [--threads N] [NAME...]
#
# bench/ports holds programs with the structure of NPB's EP, CG, IS and MG, of KASTORS's sparselu, jacobi and strassen,
# and of HPCCG. BY_HAND has what is edited after the conversion.
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent
# Program: [(text that hsched-port leaves, text in its place)].
BY_HAND = {
    "ep.c": [("static double x[2 * NK], qq[NQ], q[NQ];\n#pragma omp threadprivate(x, qq)\n",
              "static __thread double x[2 * NK];\nstatic double qq[NQ], q[NQ];\n"),
             ("reduction(+ : sx, sy)", "reduction(+ : sx, sy) reduction(+ : qq[0 : NQ])")],
    "strassen.c": [("in(s[2 * hh : hh])", "in(s[2 * hh : hh], *b)"), ("in(s[3 * hh : hh])", "in(s[3 * hh : hh], *a)"),
                   ("in(s[4 * hh : hh])", "in(s[4 * hh : hh], *a22)"), ("in(s[5 * hh : hh])", "in(s[5 * hh : hh], *b22)")],
}
SIZES = {"ep": "4096", "cg": "14000 2", "is": "4194304", "mg": "7 4", "sparselu": "24 64", "jacobi": "1024 128 40",
         "strassen": "1024", "hpccg": "60 30"}

parser = argparse.ArgumentParser()
parser.add_argument("build", nargs="?", default=str(HERE.parent / "build"))
parser.add_argument("names", nargs="*", default=[])
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
args = parser.parse_args()
binaries = pathlib.Path(args.build, "bin").resolve()
env = dict(os.environ, OMP_NUM_THREADS=str(args.threads), HSCHED_NCPU=str(args.threads), HSCHED_OPENCL="0")


def rounded(text):
    """Sums in another order differ in the last digits."""
    return re.sub(r"-?\d+\.\d+(e[-+]\d+)?", lambda m: f"{float(m[0]):.6e}", text)


with tempfile.TemporaryDirectory() as folder:
    for source in sorted((HERE / "ports").glob("*.c*")):
        if args.names and source.stem not in args.names:
            continue
        c = source.suffix == ".c"
        converted = pathlib.Path(folder, source.name)
        converted.write_text(source.read_text())
        done = subprocess.run([binaries / "hsched-port", "--from", "openmp", converted], capture_output=True, text=True)
        edited, text = 0, converted.read_text()
        for left, new in BY_HAND.get(source.name, []):
            if left not in text:
                raise SystemExit(f"{source.name}: hsched-port did not leave {left!r}")
            text = text.replace(left, new)
            edited += new.count("\n") or 1
        converted.write_text(text)
        programs = {"OpenMP": pathlib.Path(folder, source.stem + ".omp"), "hsched": pathlib.Path(folder, source.stem + ".hs")}
        subprocess.run(["gcc" if c else "g++", "-O2", "-fopenmp", "-w", source, "-o", programs["OpenMP"], "-lm"], check=True)
        subprocess.run([binaries / ("hsched-c" if c else "hsched-cc"), "-O2", "-fopenmp", "-w", converted, "-o",
                        programs["hsched"], "-lm"], check=True)
        times, results = {name: [] for name in programs}, {}
        for _ in range(args.rounds):
            for name, program in programs.items():
                begin = time.monotonic()
                out = subprocess.run([program, *SIZES[source.stem].split()], env=env, check=True, capture_output=True, text=True)
                times[name].append(time.monotonic() - begin)
                results.setdefault(rounded(out.stdout), name)
        listed = re.search(r"(\d+) pragmas, (\d+) places", done.stderr)
        print(f"{source.name}: {listed[1]} pragmas, {listed[2]} listed, {edited} lines by hand, "
              f"{'equal' if len(results) == 1 else 'DIFFERENT'}; median "
              + ", ".join(f"{name} {statistics.median(t):.2f} s" for name, t in times.items()), flush=True)

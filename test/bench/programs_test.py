#!/usr/bin/env python3
"""Builds hsched's benchmark program where no other runtime is to be found, from elsewhere, and runs each pattern small.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    programs_test.py --bench DIR --build DIR --gxx PATH
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

PATTERNS = ["independent", "chain", "stencil", "fork-join", "tree", "butterfly", "random", "fibonacci", "memory",
            "live-data", "work", *(f"accesses-{k}" for k in range(9)), *(f"linked-{k}" for k in range(1, 9))]
# A compiler that has no other runtime's library, and nothing else at all.
GXX = """#!/bin/sh
for word in "$@"; do case $word in -fopenmp | -ltbb | *StarPu*) echo "no such library" >&2; exit 1 ;; esac; done
exec '{}' "$@"
"""
NOTHING = "#!/bin/sh\nexit 1\n"


def script(path, text):
    path.write_text(text, encoding="ascii")
    path.chmod(0o755)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--bench", "--build", "--gxx"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    failures = []

    def check(holds, what):
        if not holds:
            failures.append(what)

    def run(command, **more):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd="/",
                              **more)
        return done.returncode, done.stdout, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        tools, out = pathlib.Path(folder, "tools"), pathlib.Path(folder, "a folder of programs")
        tools.mkdir()
        script(tools / "g++", GXX.format(args.gxx))
        for name in ("clang++-19", "pkg-config"):
            script(tools / name, NOTHING)
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        code, _, errors = run(["sh", f"{args.bench}/run.sh", "--build", args.build, "--out", str(out), "--build-only",
                               "--carry"], env=env)
        check(code == 0, f"run.sh: exit {code}: {errors}")
        for peer in ("libgomp", "libomp", "tbb", "starpu"):
            check(f"{peer} is left out" in errors, f"run.sh says nothing of {peer}")
            check(not (out / f"bench-{peer}").exists(), f"there is a program for {peer}")
        check((out / "lib" / "libhsched.so.1").exists(), "libhsched was not carried along")

        program = str(out / "bench-hsched")
        env = {**os.environ, "LD_LIBRARY_PATH": str(out / "lib"), "HSCHED_WINDOW": "1000000"}
        for pattern in PATTERNS:
            for threads in ("1", "2", "4"):
                code, output, errors = run([program, pattern, threads, "1", "20"], env=env)
                words = output.split()
                alone = threads == "1" and pattern in ("memory", "live-data")  # One worker cannot be held.
                right = words == ["-"] if alone else len(words) >= 3 and words[1] == "ok" and code == 0
                check(right, f"{pattern} on {threads} threads: exit {code}: {output} {errors}")
        for pattern in ("no-such", "accesses-9", "linked-0", "linked-9"):
            check(run([program, pattern, "2"], env=env)[1] == "-\n", f"{pattern} is known")

        del env["LD_LIBRARY_PATH"]  # The scripts find lib/ themselves.
        code, output, errors = run([sys.executable, f"{args.bench}/compare.py", "--programs", str(out), "--rounds", "1",
                                    "--repetitions", "1", "--only", "chain,live-data"], env=env)
        check(code == 0, f"compare.py: exit {code}: {errors}")
        for wanted in ("| chain | 2 | ns a task |", "0.35 of libgomp: not measured", "128 bytes: ", "cores usable",
                       "no program: libgomp, libomp, tbb, starpu", "hsched: ABI 1."):
            check(wanted in output, f"compare.py does not say '{wanted}':\n{output}")
        code, output, errors = run([sys.executable, f"{args.bench}/scaling.py", "--programs", str(out), "--rounds", "1",
                                    "--repetitions", "1", "--threads", "1,2"], env=env)
        check(code == 0 and "| efficiency | 1 | 1.00 |" in output and "at 16 threads: not measured" in output,
              f"scaling.py: exit {code}: {output} {errors}")
        code, output, errors = run([sys.executable, f"{args.bench}/idle.py", "--programs", str(out), "--seconds", "1"],
                                   env=env)
        check(code in (0, 1) and "idle workers under 1 % of a core: " in output,
              f"idle.py: exit {code}: {output} {errors}")

    for failure in failures:
        print("programs_test.py: " + failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

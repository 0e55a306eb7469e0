#!/usr/bin/env python3
"""Runs the programs that run.sh built, interleaved, and prints the table.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Every figure is the median over repetitions; one repetition runs all runtimes one after the other before the next
repetition begins, so that whatever else the machine does hits all alike. A program checks its own results: WRONG
anywhere is an error.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

RUNTIMES = ["hsched", "libgomp", "libomp", "tbb", "starpu"]
OPENMP = ("libgomp", "libomp")
# Patterns whose OpenMP figure depends on a window, found before the measurement. 0: none.
WINDOWED = {"stencil": (64, 256, 1024), "butterfly": (64, 256, 1024), "metg": (64, 256, 1024)}
UNITS = {"metg": "us", "fibonacci": "x serial", "memory": "bytes", "cholesky": "x dpotrf",
         "readers": "x, 1 M against 10 k", "overlapping": "x, 1 M against 10 k"}
# Divides the sizes: the figures are per task, and StarPU takes microseconds for each.
DIVISOR = {"starpu": 16}

# pattern, threads
CASES = [("independent", 1), ("independent", 2), ("chain", 1), ("chain", 2), ("stencil", 1), ("stencil", 2),
         ("metg", 2), ("fibonacci", 1), ("memory", 2), ("readers", 1),
         ("overlapping", 1), ("cholesky", 2)]
MORE = [("fibonacci", 2), ("fork-join", 1), ("fork-join", 2), ("tree", 1), ("tree", 2), ("butterfly", 1),
        ("butterfly", 2), ("random", 1), ("random", 2)]


def better_openmp(row):
    known = [row[r] for r in OPENMP if row.get(r)]
    return min(known) if known else None


def ratio(peer):
    return lambda row: row["hsched"] / row[peer] if row.get("hsched") and row.get(peer) else None


def ratio_openmp(row):
    best = better_openmp(row)
    return row["hsched"] / best if row.get("hsched") and best else None


# case -> [(what, figure of a row, must, text of the aim)]; "cholesky" must be at least, the rest at most.
GOALS = {
    ("independent", 1): [("ns", lambda row: row.get("hsched"), 60, "a function call")],
    ("independent", 2): [("of libgomp", ratio("libgomp"), 0.75, "oneTBB task_group"),
                         ("of StarPU", ratio("starpu"), 0.12, "")],
    ("chain", 2): [("of libgomp", ratio("libgomp"), 0.35, "oneTBB flow graph")],
    ("stencil", 2): [("of the better OpenMP", ratio_openmp, 0.75, "oneTBB flow graph"),
                     ("of StarPU", ratio("starpu"), 0.12, "")],
    ("metg", 2): [("of the better OpenMP", ratio_openmp, 0.4, "0.42 us"), ("of StarPU", ratio("starpu"), 0.12, "")],
    ("fibonacci", 1): [("x serial", lambda row: row.get("hsched"), 14, "10")],
    ("memory", 2): [("bytes", lambda row: row.get("hsched"), 320, "256")],
    ("readers", 1): [("x", lambda row: row.get("hsched"), 2, "1")],
    ("overlapping", 1): [("x", lambda row: row.get("hsched"), 2, "1")],
    ("cholesky", 2): [("of dpotrf", lambda row: row.get("hsched"), 1.0, "1.05")],
}


class Bench:
    def __init__(self, args):
        self.args = args
        self.wrong = []
        self.runtimes = [r for r in RUNTIMES if os.access(self.program(r), os.X_OK)]

    def program(self, runtime):
        return os.path.join(self.args.programs, "bench-" + runtime)

    def once(self, runtime, pattern, threads, window=0, divisor=1):
        """One figure and the CPU time beside it; None where the runtime cannot, or took too long."""
        env = dict(os.environ)
        if window:
            env["BENCH_WINDOW"] = str(window)
        if pattern in ("memory", "readers", "overlapping"):
            env["HSCHED_WINDOW"] = "2000000"
        command = [self.program(runtime), pattern, str(threads), str(self.args.rounds),
                   str(divisor * DIVISOR.get(runtime, 1))]
        try:
            done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  timeout=self.args.timeout, check=False)
        except subprocess.TimeoutExpired:
            return None
        words = done.stdout.split()
        if len(words) != 3:
            if words != ["-"]:
                self.wrong.append(f"{' '.join(command)}: exit {done.returncode}")
            return None
        if words[1] != "ok":
            self.wrong.append(" ".join(command) + ": wrong result")
            return None
        return float(words[0]), float(words[2])

    def best_windows(self, cases):
        """The window at which each OpenMP runtime is fastest, tried at a quarter of the size."""
        chosen = {}
        for pattern, threads in cases:
            for runtime in OPENMP:
                if pattern not in WINDOWED or runtime not in self.runtimes:
                    continue
                tried = {w: self.once(runtime, pattern, threads, w, 1 if pattern == "metg" else 4)
                         for w in WINDOWED[pattern]}
                tried = {w: v for w, v in tried.items() if v is not None}
                if tried:
                    chosen[runtime, pattern, threads] = min(tried, key=tried.get)
        return chosen

    def measure(self, cases):
        windows = self.best_windows(cases)
        figures = {}
        for _ in range(self.args.repetitions):
            for pattern, threads in cases:
                for runtime in self.runtimes:
                    key = (runtime, pattern, threads)
                    if figures.get(key) == [None]:
                        continue  # it could not the first time
                    figures.setdefault(key, []).append(self.once(*key, window=windows.get(key, 0)))
        medians, cpu = {}, {}
        for key, values in figures.items():
            known = [v for v in values if v is not None]
            medians[key] = statistics.median(v[0] for v in known) if known else None
            cpu[key] = statistics.median(v[1] for v in known) if known else None
        return medians, cpu, windows


def text(value):
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def table(bench, cases, medians, windows):
    lines = ["| pattern | threads | unit | " + " | ".join(bench.runtimes) + " | must, and where hsched is | aim |",
             "|" + " --- |" * (len(bench.runtimes) + 5)]
    for pattern, threads in cases:
        row = {r: medians.get((r, pattern, threads)) for r in bench.runtimes}
        verdicts, aims = [], []
        for what, figure, must, aim in GOALS.get((pattern, threads), []):
            value = figure(row)
            if value is None:
                verdicts.append(f"{must} {what}: not measured")
            else:
                met = value >= must if pattern == "cholesky" else value <= must
                verdicts.append(f"{must} {what}: {text(value)}, {'met' if met else '**missed**'}")
            if aim:
                aims.append(aim)
        cells = []
        for runtime in bench.runtimes:
            window = windows.get((runtime, pattern, threads))
            cells.append(text(row[runtime]) + (f" (w{window})" if window else ""))
        lines.append(f"| {pattern} | {threads} | {UNITS.get(pattern, 'ns a task')} | " + " | ".join(cells) + " | " +
                     "; ".join(verdicts) + " | " + "; ".join(aims) + " |")
    return lines


def cpu_times(bench, cases, cpu):
    lines = ["| CPU time, all threads, ns a task | threads | " + " | ".join(bench.runtimes) + " |",
             "|" + " --- |" * (len(bench.runtimes) + 2)]
    for pattern, threads in cases:
        row = [cpu.get((r, pattern, threads)) for r in bench.runtimes]
        if any(row):
            lines.append(f"| {pattern} | {threads} | " + " | ".join(text(v) for v in row) + " |")
    return lines


def ratios(bench, cases, medians):
    peers = [r for r in bench.runtimes if r != "hsched"]
    lines = ["| hsched's figure by | threads | " + " | ".join(peers) + " |", "|" + " --- |" * (len(peers) + 2)]
    for pattern, threads in cases:
        row = {r: medians.get((r, pattern, threads)) for r in bench.runtimes}
        lines.append(f"| {pattern} | {threads} | " + " | ".join(text(ratio(p)(row)) for p in peers) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder of the bench-* programs")
    parser.add_argument("--repetitions", type=int, default=3, help="processes for each figure (3)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds in a process, the median counts (3)")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for a process before it counts as '-' (20)")
    parser.add_argument("--all", action="store_true", help="the patterns without a figure to reach as well")
    parser.add_argument("--only", help="these patterns, separated by commas")
    args = parser.parse_args()

    bench = Bench(args)
    cases = CASES + (MORE if args.all or args.only else [])
    if args.only:
        cases = [c for c in cases if c[0] in args.only.split(",")]
    begin = time.monotonic()
    load_before = os.getloadavg()[0]
    medians, cpu, windows = bench.measure(cases)
    print("\n".join(table(bench, cases, medians, windows)))
    print()
    print("\n".join(ratios(bench, cases, medians)))
    print()
    print("\n".join(cpu_times(bench, cases, cpu)))
    print(f"\n{len(os.sched_getaffinity(0))} cores usable; "
          f"load {load_before:.1f} before, {os.getloadavg()[0]:.1f} after; "
          f"{args.repetitions} interleaved repetitions of {args.rounds} rounds; {time.monotonic() - begin:.0f} s. "
          "wN: a taskwait after every N tasks, the best of those tried.")
    for line in bench.wrong:
        print("compare.py: " + line, file=sys.stderr)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the programs that run.sh built, interleaved, and prints the table.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Every figure is the median over repetitions; one repetition runs all runtimes one after the other before the next
repetition begins, so that whatever else the machine does hits all alike. A program checks its own results: WRONG
anywhere is an error. Nothing but Python's standard library is needed, so programs built elsewhere can be measured.
"""
import argparse
import os
import sys
import time

from figures import Goal, median, median_curve, metg, of, own, peak, ratio, table, text
from programs import OPENMP, Programs, facts

UNITS = {"metg": "us", "fibonacci": "x serial", "memory": "bytes a task", "live-data": "bytes a datum",
         "cholesky": "x dpotrf", "readers": "x, 1 M against 10 k", "overlapping": "x, 1 M against 10 k"}

# pattern, threads.
CASES = [("independent", 1), ("independent", 2), ("chain", 1), ("chain", 2), ("stencil", 1), ("stencil", 2),
         ("metg", 2), ("fibonacci", 1), ("memory", 2), ("live-data", 2), ("readers", 2), ("overlapping", 2),
         ("cholesky", 2)]
MORE = [("fibonacci", 2), ("fork-join", 1), ("fork-join", 2), ("tree", 1), ("tree", 2), ("butterfly", 1),
        ("butterfly", 2), ("random", 1), ("random", 2)]
SWEEP = [(f"{kind}-{k}", 2) for kind in ("accesses", "linked") for k in range(9) if (kind, k) != ("linked", 0)]

OF_OPENMP, OF_STARPU = "of the better OpenMP", "of StarPU"
MUST = {
    ("independent", 1): [Goal("ns", own, 60)],
    ("independent", 2): [Goal("of libgomp", of("libgomp"), 0.75), Goal(OF_STARPU, of("starpu"), 0.12)],
    ("chain", 2): [Goal("of libgomp", of("libgomp"), 0.35)],
    ("stencil", 2): [Goal(OF_OPENMP, of(*OPENMP), 0.75), Goal(OF_STARPU, of("starpu"), 0.12)],
    ("metg", 2): [Goal(OF_OPENMP, of(*OPENMP), 0.4), Goal(OF_STARPU, of("starpu"), 0.12)],
    ("fibonacci", 1): [Goal("x serial", own, 14)],
    ("memory", 2): [Goal("bytes", own, 320)],
    ("live-data", 2): [Goal("bytes", own, 128)],
    ("readers", 2): [Goal("x", own, 2)],
    ("overlapping", 2): [Goal("x", own, 2)],
    ("cholesky", 2): [Goal("of dpotrf", own, 1.0, at_least=True)],
}
AIM = {
    ("independent", 2): [Goal("of oneTBB's task_group", of("tbb"), 1)],
    ("chain", 2): [Goal("of oneTBB's flow graph", of("tbb"), 1)],
    ("stencil", 2): [Goal("of oneTBB's flow graph", of("tbb"), 1)],
    ("metg", 2): [Goal("us", own, 0.42)],
    ("fibonacci", 1): [Goal("x serial", own, 10)],
    ("memory", 2): [Goal("bytes", own, 256)],
    ("live-data", 2): [Goal("bytes", own, 64)],
    ("readers", 2): [Goal("x (flat)", own, 1.1)],
    ("overlapping", 2): [Goal("x (flat)", own, 1.1)],
    ("cholesky", 2): [Goal("of dpotrf", own, 1.05, at_least=True)],
}
AIM_IN_WORDS = {("independent", 1): "a function call"}


class Results:
    """Medians by (runtime, pattern, threads)."""

    def __init__(self, programs, cases, repetitions):
        self.runtimes, self.cases = programs.runtimes, cases
        self.settings = programs.best_settings(cases)
        outcomes = {}
        for _ in range(repetitions):
            for pattern, threads in cases:
                for runtime in self.runtimes:
                    key = (runtime, pattern, threads)
                    if outcomes.get(key) == [None]:
                        continue  # It could not the first time.
                    _, env = self.settings.get(key, ("", {}))
                    outcomes.setdefault(key, []).append(programs.once(*key, env))
        known = {key: [o for o in each if o] for key, each in outcomes.items()}
        self.medians = {key: median(o.value for o in each) for key, each in known.items()}
        self.cpu = {key: median(o.cpu for o in each) for key, each in known.items()}
        for pattern, threads in cases:
            if pattern == "metg":
                self.against_the_best(known, threads)

    def against_the_best(self, known, threads):
        """METG as Task Bench has it: efficiency is what the best runtime of the same run reached."""
        curves = {r: median_curve([o.curve() for o in known.get((r, "metg", threads), [])]) for r in self.runtimes}
        best = peak(curves.values())
        for runtime, curve in curves.items():
            ns = metg(curve, best) if curve else None
            self.medians[runtime, "metg", threads] = ns / 1000 if ns is not None else None

    def row(self, case, figures=None):
        return {r: (figures or self.medians).get((r, *case)) for r in self.runtimes}

    def cell(self, runtime, case):
        value = self.medians.get((runtime, *case))
        label = self.settings.get((runtime, *case), ("", {}))[0]
        return text(value) + (f" ({label})" if label and value is not None else "")


def goals(results, case):
    row = results.row(case)
    must = "; ".join(g.text(row) for g in MUST.get(case, []))
    aim = "; ".join([g.text(row, ("reached", "not reached")) for g in AIM.get(case, [])] +
                    ([AIM_IN_WORDS[case]] if case in AIM_IN_WORDS else []))
    return must, aim


def figures_table(results):
    return table(["pattern", "threads", "unit", *results.runtimes, "must, and where hsched is", "aim"],
                 [[*case, UNITS.get(case[0], "ns a task"), *(results.cell(r, case) for r in results.runtimes),
                   *goals(results, case)] for case in results.cases])


def ratios_table(results):
    peers = [r for r in results.runtimes if r != "hsched"]
    return table(["hsched's figure by", "threads", *peers],
                 [[*case, *(text(ratio(results.row(case).get("hsched"), results.row(case)[p])) for p in peers)]
                  for case in results.cases])


def cpu_table(results):
    rows = [(case, results.row(case, results.cpu)) for case in results.cases]
    return table(["CPU time, all threads, ns a task", "threads", *results.runtimes],
                 [[*case, *(text(v) for v in row.values())] for case, row in rows if any(row.values())])


def summary(results):
    verdicts = [g.met(results.row(case)) for case in results.cases for g in MUST.get(case, [])]
    return (f"required: {verdicts.count(True)} met, {verdicts.count(False)} missed, "
            f"{verdicts.count(None)} not measured.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder of the bench-* programs")
    parser.add_argument("--repetitions", type=int, default=3, help="processes for each figure (3)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds in a process, the median counts (3)")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for a process before it counts as '-' (20)")
    parser.add_argument("--all", action="store_true", help="all other patterns too, and the sweep")
    parser.add_argument("--sweep", action="store_true", help="tasks with 0 to 8 accesses as well")
    parser.add_argument("--only", help="these patterns, separated by commas")
    parser.add_argument("--threads", help="the patterns on these numbers of threads instead, separated by commas")
    parser.add_argument("--runtimes", help="these runtimes, separated by commas")
    args = parser.parse_args()

    programs = Programs(args.programs, args.rounds, args.timeout, args.runtimes.split(",") if args.runtimes else None)
    if not programs.runtimes:
        print(f"compare.py: there are no bench-* programs in {args.programs}", file=sys.stderr)
        return 2
    cases = CASES + (MORE if args.all or args.only else []) + (SWEEP if args.all or args.only or args.sweep else [])
    if args.only:
        cases = [c for c in cases if c[0] in args.only.split(",")]
        if not cases:
            print(f"compare.py: no pattern is called {args.only}", file=sys.stderr)
            return 2
    if args.threads:
        cases = [(pattern, int(n)) for pattern in dict(cases) for n in args.threads.split(",")]
    begin = time.monotonic()
    load_before = os.getloadavg()[0]
    results = Results(programs, cases, args.repetitions)
    for part in (figures_table(results), ratios_table(results), cpu_table(results)):
        print("\n".join(part) + "\n")
    print(summary(results))
    print(f"{args.repetitions} interleaved repetitions of {args.rounds} rounds; {time.monotonic() - begin:.0f} s. "
          "In parentheses the fastest of the settings that were tried: wN, a taskwait after every N tasks; bound, "
          "OMP_PROC_BIND=true and OMP_WAIT_POLICY=active; StarPU's policy.")
    print("\n".join(facts(programs, load_before)))
    for line in programs.wrong:
        print("compare.py: " + line, file=sys.stderr)
    return 1 if programs.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

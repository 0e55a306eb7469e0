#!/usr/bin/env python3
"""Stencil tasks of 1 us each on 1, 2, 4, 8 and 16 threads: how much of each thread goes to the tasks.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/scaling.py --programs DIR      DIR holds the bench-* programs that run.sh built, here or elsewhere

Efficiency is T(1) / (n T(n)), T the wall time of a task. The task's work is a spin on the time stamp counter, the same
for all runtimes, and takes the same time at any frequency. "Work by time" is 1 us / (n T(n)) instead: it leaves a
runtime no advantage from being slow on one thread. Figures are medians of interleaved repetitions; numbers of threads
above the number of cores are left out, since threads that take turns on a core would count their waiting as work.
"""
import argparse
import os
import sys

from figures import efficiency, median, table, text
from programs import Programs, facts

RUNTIMES = ["hsched", "libomp", "libgomp", "tbb"]
MUST, AIM, AT = 0.6, 0.8, 16


def verdict(efficiencies):
    """(text, whether met or None) of {runtime: efficiency at AT threads}."""
    mine, peer = efficiencies.get("hsched"), efficiencies.get("libomp")
    if mine is None:
        return f"at {AT} threads: not measured", None
    met = mine >= MUST
    words = [f"at least {MUST}: {mine:.2f}, {'met' if met else 'missed'}"]
    if peer is None:
        words.append("above LLVM libomp's: not measured")
        result = False if not met else None
    else:
        above = mine > peer
        words.append(f"above LLVM libomp's {peer:.2f}: {'met' if above else 'missed'}")
        result = met and above
    words.append(f"aim {AIM}: {'reached' if mine >= AIM else 'not reached'}")
    return f"efficiency at {AT} threads: " + "; ".join(words), result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder of the bench-* programs")
    parser.add_argument("--threads", default="1,2,4,8,16", help="numbers of threads, 1 among them (1,2,4,8,16)")
    parser.add_argument("--runtimes", default=",".join(RUNTIMES), help=f"({','.join(RUNTIMES)})")
    parser.add_argument("--repetitions", type=int, default=5, help="processes for each figure (5)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds in a process, the median counts (3)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a process before it counts as '-' (60)")
    args = parser.parse_args()

    programs = Programs(args.programs, args.rounds, args.timeout, args.runtimes.split(","))
    if not programs.runtimes:
        print(f"scaling.py: there are no bench-* programs in {args.programs}", file=sys.stderr)
        return 2
    asked = sorted({1, *map(int, args.threads.split(","))})
    numbers = [n for n in asked if n <= programs.cores]
    load_before = os.getloadavg()[0]
    chosen = programs.best_settings([("work", n) for n in numbers])
    times = {}
    for _ in range(args.repetitions):
        for n in numbers:
            for runtime in programs.runtimes:
                _, env = chosen.get((runtime, "work", n), ("", {}))
                times.setdefault((runtime, n), []).append(programs.once(runtime, "work", n, env))
    ns = {key: median(o.value for o in each if o) for key, each in times.items()}
    alone = median(float(o.more["alone"]) for each in times.values() for o in each if o)

    def cells(n, figure):
        return [text(figure(r, n)) for r in programs.runtimes]

    def share(runtime, n):
        return efficiency(ns.get((runtime, 1)), ns.get((runtime, n)), n)

    def useful(runtime, n):
        return efficiency(alone, ns.get((runtime, n)), n)

    def thousands(runtime, n):
        return 1e6 / ns[runtime, n] if ns.get((runtime, n)) else None

    rows = []
    for n in numbers:
        labels = [f"{r} {chosen[r, 'work', n][0]}" for r in programs.runtimes if chosen.get((r, "work", n), ("",))[0]]
        rows.append(["1000 tasks/s", n, *cells(n, thousands), "; ".join(labels)])
    rows += [["efficiency", n, *cells(n, share), ""] for n in numbers]
    rows += [["work by time", n, *cells(n, useful), ""] for n in numbers]
    print("\n".join(table(["stencil, 1 us of work", "threads", *programs.runtimes, "settings"], rows)))
    if len(numbers) < len(asked):
        print(f"\nleft out, for want of cores: {', '.join(str(n) for n in asked if n not in numbers)} threads")
    print("\n" + verdict({r: share(r, AT) for r in programs.runtimes})[0])
    print(f"a task's work takes {text(alone)} ns alone; "
          f"{args.repetitions} interleaved repetitions of {args.rounds} rounds")
    print("\n".join(facts(programs, load_before)))
    for line in programs.wrong:
        print("scaling.py: " + line, file=sys.stderr)
    return 1 if programs.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What idle workers cost: CPU time of all threads but the main one while that one computes, and while it sleeps.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/idle.py --programs DIR [--seconds 5] [--threads N]

Each program runs tasks, waits for them, and then has nothing more for its workers to do: what they take from that
moment on counts, their looking for work before they park among it. Times are the scheduler's own, for each thread
(/proc/self/task/*/schedstat), as percent of one core. hsched's must be under 1 %; the others' are there to compare.
"""
import argparse
import os
import sys

from figures import table
from programs import Programs, facts

MUST = 1.0


def verdict(worst):
    """(text, whether met or None) of hsched's percentage."""
    if worst is None:
        return "idle workers under 1 % of a core: not measured", None
    met = worst < MUST
    return f"idle workers under {MUST:g} % of a core: {worst:.3f} %, {'met' if met else 'missed'}", met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder of the bench-* programs")
    parser.add_argument("--seconds", type=int, default=5, help="for each of the two phases (5)")
    parser.add_argument("--threads", type=int, default=max(2, len(os.sched_getaffinity(0))),
                        help="(all cores, at least 2)")
    parser.add_argument("--runtimes", default="hsched,libgomp,libomp,tbb,starpu", help="separated by commas")
    args = parser.parse_args()

    programs = Programs(args.programs, args.seconds, 2 * args.seconds + 30, args.runtimes.split(","))
    load_before = os.getloadavg()[0]
    outcomes = {r: programs.once(r, "idle", args.threads) for r in programs.runtimes}
    rows = [[r, o.more["threads"]] + [f"{float(o.more[phase]):.3f}" for phase in
                                      ("computing-others", "computing-busiest", "sleeping-others", "sleeping-busiest")]
            for r, o in outcomes.items() if o]
    print("\n".join(table(["% of a core", "other threads", "all of them, main computes", "the busiest",
                           "all of them, main sleeps", "the busiest"], rows)))
    mine = outcomes.get("hsched")
    line, met = verdict(mine.value if mine else None)
    print("\n" + line)
    print(f"{args.threads} threads, {args.seconds} s for each phase")
    print("\n".join(facts(programs, load_before)))
    for line in programs.wrong:
        print("idle.py: " + line, file=sys.stderr)
    return 1 if programs.wrong or met is False else 0


if __name__ == "__main__":
    sys.exit(main())

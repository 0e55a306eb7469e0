#!/usr/bin/env python3
"""Where the instructions of a task without work go: callgrind's counts, by phase, for one worker.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/phases.py BENCH_HSCHED

The pattern is `independent`: in others a completion submits to the policy, and the phases are nested.

BENCH_HSCHED is the program that run.sh built; libhsched.so must be found (LD_LIBRARY_PATH). Counts do not depend on
what else the machine does. Clock reads are dearer than they look here: their instructions are counted, their time is
not.
"""
import os
import re
import subprocess
import sys
import tempfile

ROUNDS = 9  # and one that warms up
DIVISOR = 10
TASKS = 100000 // DIVISOR * (ROUNDS + 1)

# phase -> (functions added, functions subtracted), inclusive counts
PHASES = [
    ("begin: window, block, links", ["hsched_task_begin"], ["Executor::makeRoom()"]),
    ("graph link", ["DependenceDomain::submit("], []),
    ("policy push (dispatch)", ["Executor::dispatch("], []),
    ("rest of submission", ["hsched_task_submit"], ["DependenceDomain::submit(", "Executor::dispatch("]),
    ("policy pop", ["Versioning::pop("], []),
    ("run: body, clocks, bookkeeping", ["Executor::runOnCpu("],
     ["Versioning::completed(", "History::record(", "Executor::bodyEnded("]),
    ("model: history, policy's completed", ["Versioning::completed(", "History::record("], []),
    ("completion: successors, free", ["Executor::bodyEnded("], []),
    ("sweep of the graph at a wait", ["DependenceDomain::sweep("], []),
]


def counts(program):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, program, "independent", "1",
                        str(ROUNDS), str(DIVISOR)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", out],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \([^)]*\)\s+[^:]*:(.*)", line)
        if match:
            name = match[2].replace("hsched::rt::", "").replace("(anonymous namespace)::", "")
            found[name] = found.get(name, 0) + int(match[1].replace(",", ""))
    return found


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = counts(sys.argv[1])

    def inclusive(wanted):
        return sum(count for name, count in found.items() if name.startswith(wanted))

    print("| phase | instructions a task |\n| --- | --- |")
    total = 0
    for phase, added, subtracted in PHASES:
        each = (sum(map(inclusive, added)) - sum(map(inclusive, subtracted))) / TASKS
        total += each
        print(f"| {phase} | {each:.0f} |")
    print(f"| sum of these | {total:.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

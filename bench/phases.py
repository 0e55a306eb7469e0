#!/usr/bin/env python3
"""Where the instructions of a task without work go: callgrind's counts, by phase.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/phases.py BENCH_HSCHED [--threads N] [--top N]      or      bench/run.sh --phases

The pattern is `independent`. BENCH_HSCHED is the program that run.sh built; libhsched.so must be found
(LD_LIBRARY_PATH). Counts do not depend on what else the machine does, but for the looks of an idle worker, which are
counted with what it finds: valgrind runs one thread at a time. Reading a clock is dearer than it looks here: its
instructions are counted, its time is not.

There is a table for tasks that are handed over one by one (HSCHED_BUNDLE=0), and one for tasks in bundles. How many
tasks go into a bundle is decided by how long they took, and here everything takes fifty times as long: bundles are
smaller than they would be. The number of nodes a task tells how small.

All figures are differences between a longer run and a shorter one, so the start of the program is in none of them. A
phase is the sum of its functions' own instructions; what belongs to no phase by its name is in "other".
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROUNDS = (3, 13)
DIVISOR = 10
TASKS = 100000 // DIVISOR * (ROUNDS[1] - ROUNDS[0])

# phase -> functions, as regular expressions from the beginning of their names; the first that fits counts.
PHASES = [
    ("the benchmark itself", r"main$|Outcome |bench::|rt::|.*rt::type<"),
    ("begin: window, memory, arguments", r"hsched_task_begin|beginTask|createStagedTask|create\(|takeItem|setLabel|"
                                         r"itemsOfABundle|Executor::(begin|makeRoom|less)"),
    ("link in the graph", r"DependenceDomain::(?!.*sweep)|IntervalIndex|.*_Rb_tree|link|TaskNode::"),
    ("sweep of the graph", r".*sweep"),
    ("submission, handing over to a worker", r"hsched_task_submit|OwnQueue|giveBatch|"
                                             r"Executor::(submit|dispatch|enqueue|wake|adopt|domainOf|passOn)"),
    ("out of a queue, run, bookkeeping", r"Executor::(run|keep|steal|cpuLoop|takeDetour|workUntil|take|find)|"
                                         r"void Executor::run|StealTable|.*park"),
    ("completion: successors, free", r"complete|destroy|freeItems|Executor::(complete|bodyEnded|passTurn)"),
    ("memory, system", r"__mem|_int_|malloc|free|operator (new|delete)|.*allocate|detail::|.*pthread|.*clock|syscall"),
]


class Counts:
    """Own instructions by function, and how often functions were called."""

    def __init__(self, own, called):
        self.own, self.called = own, called

    def minus(self, other):
        def less(mine, others):
            return {name: count - others.get(name, 0) for name, count in mine.items()}
        return Counts(less(self.own, other.own), less(self.called, other.called))


def shortened(name):
    return re.sub(r" \[[^]]*\]$|hsched::rt::|\(anonymous namespace\)::", "", name)


def calls(text):
    """{function: how often it was called} of callgrind's own file, where names are written once and have numbers."""
    names, found, callee = {}, {}, None
    for line in text.splitlines():
        match = re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line)
        if match:
            if match[2]:
                names[match[1]] = shortened(match[2])
            callee = names[match[1]] if line.startswith("c") else None
        elif line.startswith("calls=") and callee:
            found[callee] = found.get(callee, 0) + int(line[6:].split()[0])
    return found


def functions(text):
    """callgrind_annotate's list: {function: count}."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \([^)]*\)\s+[^:]*:(.*)", line)
        if match and "PROGRAM TOTALS" not in line:
            name = shortened(match[2])
            found[name] = found.get(name, 0) + int(match[1].replace(",", ""))
    return found


def counts(program, threads, rounds, more):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        # Fair: or a thread that spins keeps the other one, which it waits for, from running.
        subprocess.run(["valgrind", "--tool=callgrind", "--fair-sched=try", "--callgrind-out-file=" + out, program,
                        "independent", str(threads), str(rounds), str(DIVISOR)], env={**os.environ, **more},
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", out], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        with open(out, encoding="utf-8", errors="replace") as file:
            return Counts(functions(text), calls(file.read()))


def slope(program, threads, more):
    return counts(program, threads, ROUNDS[1], more).minus(counts(program, threads, ROUNDS[0], more))


def phases(own):
    """{phase: instructions} of {function: own instructions}; together as many."""
    found = {phase: 0 for phase, _ in PHASES}
    found["other"] = 0
    for name, count in own.items():
        found[next((phase for phase, pattern in PHASES if re.match(pattern, name)), "other")] += count
    return found


def tables(found, top):
    nodes = sum(count for name, count in found.called.items() if name.startswith("Executor::completeAll("))
    lines = ["| phase | instructions a task |", "| --- | --- |"]
    lines += [f"| {phase} | {count / TASKS:.0f} |" for phase, count in phases(found.own).items()]
    lines += [f"| all | {sum(found.own.values()) / TASKS:.0f} |", "", f"{nodes / TASKS:.2f} nodes a task", "",
              "| own instructions a task | function |", "| --- | --- |"]
    for name, count in sorted(found.own.items(), key=lambda item: -item[1])[:top]:
        lines.append(f"| {count / TASKS:.0f} | `{name if len(name) < 90 else name[:87] + '...'}` |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="bench-hsched")
    parser.add_argument("--threads", type=int, default=2, help="of the table by phase (2)")
    parser.add_argument("--top", type=int, default=12, help="functions in the list by own instructions (12)")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        print("phases.py: valgrind is needed", file=sys.stderr)
        return 2

    try:
        report(args)
    except subprocess.CalledProcessError as error:
        print(f"phases.py: {' '.join(error.cmd)}: exit {error.returncode}; is libhsched.so found?", file=sys.stderr)
        return 1
    return 0


def report(args):
    each = sum(slope(args.program, 1, {}).own.values()) / TASKS
    print(f"One worker: {each:.0f} instructions a task, all of the program's.")
    for what, bundle in (("one by one", "0"), ("in bundles", "1000000")):
        print(f"\n{args.threads} workers, tasks {what}:\n")
        print("\n".join(tables(slope(args.program, args.threads, {"HSCHED_BUNDLE": bundle}), args.top)))


if __name__ == "__main__":
    sys.exit(main())

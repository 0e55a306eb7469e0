#!/usr/bin/env python3
"""hsched-run: which component comes when, and how configurations are searched.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: schedule.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import sys

import harness
from harness import expect, load, main, report, succeeds, two_devices, write

# Long enough that a component is still there when the next one is submitted.
KERNELS = """
kernel void work(global const float *a, global float *b, int rounds) {
  const int i = get_global_id(0);
  float x = a[i];
  for (int r = 0; r < rounds; ++r)
    x = x * 0.5f + 1;
  b[i] = x + 1;
}
"""


def kernel(id, rounds=20000, **more):
    return {"id": id, "name": "work", "src": "k.cl", "global": ["N"], **more,
            "args": [{"role": "in", "type": "float", "size": "N"}, {"role": "out", "type": "float", "size": "N", "output": f"{id}.npy"},
                     {"role": "value", "type": "int", "value": rounds}]}


def dag(kernels, edges=(), **more):
    write("k.cl", KERNELS)
    return write("dag.json", {"hsched-dag": 1, "symbols": {"N": 256}, **more, "kernels": kernels, "edges": [[a, 1, b, 0] for a, b in edges]})


def trace(file="trace.json"):
    """Kernels in the order in which they began: (id, begin, end, row)."""
    events = json.loads((harness.WORK / file).read_text())["traceEvents"]
    rows = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    return sorted(((e["name"], e["ts"], e["ts"] + e["dur"], rows[e["tid"]]) for e in events if e["ph"] == "X" and e["cat"] == "task"),
                  key=lambda t: t[1])


def case_the_next_component_is_submitted_ahead():
    """The device is told of the next component before the one in front has ended, and still has one at a time."""
    kernels = [kernel(f"{c}{n}") for c in "abcd" for n in range(3)]
    edges = [(f"{c}0", f"{c}1") for c in "abcd"]  # the third is free to run beside them
    file = dag(kernels, edges, components=[[f"{c}{n}" for n in range(3)] for c in "abcd"])
    facts = report(file, "--devices=cpu", "--queues=3", "--trace=trace.json")
    expect(facts["ahead"] >= 1, f"none was submitted ahead: {facts['ahead']}")
    ran = trace()
    expect(len(ran) == 12 and len({row for _, _, _, row in ran}) > 1, f"12 kernels on several queues: {ran}")
    for c in "abcd":
        mine = [t for t in ran if t[0][0] == c]
        begin, end = min(t[1] for t in mine), max(t[2] for t in mine)
        inside = [t[0] for t in ran if t[0][0] != c and t[1] < end and t[2] > begin]
        expect(not inside, f"{inside} run while {c} has the device")
    expect(set(load("d1.npy")) == {3.0} and set(load("d2.npy")) == {3.0}, "results")
    # Kernel by kernel, as the paper has eager and heft, the host is told of each one first.
    for policy in ("eager", "heft"):
        expect(report(file, "--devices=cpu", f"--sched={policy}")["ahead"] == 0, policy)


def case_what_becomes_ready_with_a_greater_rank_goes_first():
    """b comes after a and has a greater rank than c, which is ready: c does not go ahead of it."""
    kernels = [kernel("a"), kernel("b"), kernel("after_b"), kernel("c")]
    file = dag(kernels, [("a", "b"), ("b", "after_b")], components=[["a"], ["b", "after_b"], ["c"]])
    report(file, "--devices=cpu", "--trace=trace.json")
    expect([t[0] for t in trace()] == ["a", "b", "after_b", "c"], f"{trace()}")


def case_a_component_that_may_go_elsewhere_waits_for_the_first_device():
    """Components that both devices may have are not promised to one of them."""
    two = two_devices()
    kernels = [kernel(f"{c}{n}") for c in "abcdef" for n in range(2)]
    file = dag(kernels, [(f"{c}0", f"{c}1") for c in "abcdef"], components=[[f"{c}0", f"{c}1"] for c in "abcdef"])
    facts = report(file, *two)
    expect(facts["ahead"] == 0 and len(set(facts["placed"].values())) == 2, f"{facts['ahead']}, {facts['placed']}")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

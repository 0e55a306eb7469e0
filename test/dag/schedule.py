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


def rows(done):
    """--tune's table"""
    return [[c.strip() for c in line.split("|")[1:-1]] for line in done.stdout.split("\n") if line.startswith("| ") and line[2].isdigit()]


def case_tune_finds_a_partition():
    """A kernel that works hard only if its range is split: the search leaves that, and the file says so."""
    two = two_devices()
    write("s.cl", """
kernel void some(global const float *a, global float *b) {
  float x = a[get_global_id(0)];
  for (int r = get_global_size(0) < 1024 ? 4000 : 0; r > 0; --r)
    x = x * 0.5f + 1;
  b[get_global_id(0)] = a[get_global_id(0)] + (x > 1e9f ? 1 : 2);
}
""")
    dag = {"hsched-dag": 1, "symbols": {"N": 1024},
           "kernels": [{"id": "k", "name": "some", "src": "s.cl", "global": ["N"], "partition": 5,
                        "args": [{"role": "in", "type": "float", "size": "N", "break": 1, "init": {"constant": 1}},
                                 {"role": "out", "type": "float", "size": "N", "break": 1, "output": "b.npy"}]}]}
    write("dag.json", dag)
    before = (harness.WORK / "dag.json").read_text()
    done = succeeds("dag.json", *two, "--tune=16", "--repeat=2", "-o", "tuned.json")
    table = rows(done)
    expect(2 <= len(table) <= 16 and [int(r[0]) for r in table] == list(range(1, len(table) + 1)), "at most 16 are tried", done)
    expect(table[0][6] == "as the file has it" and table[0][3] == "some 5" and all(r[4].endswith(" ms") for r in table if r[4]),
           "the first row is the file's own", done)
    expect("times as fast" in done.stdout and "Written to tuned.json" in done.stdout, "something is gained", done)
    expect((harness.WORK / "dag.json").read_text() == before, "the file itself is left as it is")
    expect(not (harness.WORK / "b.npy").exists(), "trials write no results")
    tuned = json.loads((harness.WORK / "tuned.json").read_text())
    expect(tuned["kernels"][0]["partition"] in (0, 10), f"{tuned['kernels'][0]}")
    succeeds("tuned.json", *two, "--quiet")
    expect(set(load("b.npy")) == {3.0}, "the tuned file computes the same")
    # In place only if asked.
    succeeds("dag.json", *two, "--tune=16", "--repeat=2", "--quiet", "--in-place")
    expect(json.loads((harness.WORK / "dag.json").read_text())["kernels"][0]["partition"] in (0, 10), "in place")


def case_tune_tries_queues_and_devices():
    two = two_devices()
    file = dag([kernel(f"k{n}", 50, device="gpu") for n in range(4)], components=[[f"k{n}"] for n in range(4)])
    done = succeeds(file, *two, "--tune=30", "--repeat=1")
    table = rows(done)
    expect(any(r[1].startswith("gpu 2") for r in table), "two queues", done)
    expect(any("cpu 1, gpu 3" in r[2] for r in table), "one component, of four that are alike, on the other device", done)
    expect("Measured again" in done.stdout or "Nothing is" in done.stdout, "what came of it", done)


def case_tune_that_cannot_be():
    file = dag([kernel("k", 50, device="gpu")])
    for arguments, why in ((("--tune=0",), "--tune takes a number"), (("--tune", "--convert"), "exclude each other"),
                           (("-o", "x.json"), "are for --tune"), (("--tune", "--in-place", "-o", "x"), "exclude each other"),
                           (("--tune", "--queues=3"), "--queues is not given")):
        done = harness.run(file, *arguments)
        expect(done.returncode == 2 and why in done.stderr, f"{arguments}", done)
    two = two_devices()
    write("k.cl", KERNELS)
    write("paper.json", {"kernels": [{"id": 0, "name": "work", "src": "k.cl", "dev": "gpu", "workDimension": 1, "globalWorkSize": "[64]",
                                      "inputBuffers": [{"type": "float", "size": "64", "pos": 0}],
                                      "outputBuffers": [{"type": "float", "size": "64", "pos": 1}],
                                      "varArguments": [{"type": "int", "pos": 2, "value": "5"}]}], "tc": [[0]], "cq": {}})
    done = harness.run("paper.json", *two, "--tune", "--in-place")
    expect(done.returncode == 1 and "--in-place writes hsched's own format" in done.stderr, "another format", done)
    done = harness.run(dag([kernel("k", 50, device="accelerator")]), "--devices=cpu", "--tune")
    expect(done.returncode == 1 and "there is no device 'accelerator'" in done.stderr and "dag.json:" in done.stderr, "the file's own fails", done)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

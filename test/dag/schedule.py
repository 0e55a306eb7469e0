#!/usr/bin/env python3
"""hsched-run: which component comes when, and how configurations are searched.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: schedule.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import harness
from harness import Skip, expect, load, main, moved, report, succeeds, two_devices, write

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
    edges = [(f"{c}0", f"{c}1") for c in "abcd"]  # The third is free to run beside them.
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
    # Kernel by kernel, as the paper defines eager and heft, each end is reported to the host first.
    for policy in ("eager", "heft"):
        expect(report(file, "--devices=cpu", f"--sched={policy}")["ahead"] == 0, policy)


def case_what_becomes_ready_with_a_greater_rank_goes_first():
    """b comes after a and has a greater rank than c, which is ready: c does not go ahead of it."""
    kernels = [kernel("a"), kernel("b"), kernel("after_b"), kernel("c")]
    file = dag(kernels, [("a", "b"), ("b", "after_b")], components=[["a"], ["b", "after_b"], ["c"]])
    report(file, "--devices=cpu", "--trace=trace.json")
    expect([t[0] for t in trace()] == ["a", "b", "after_b", "c"], f"{trace()}")


def case_equal_ranks_begin_in_the_order_of_the_file():
    """Kernels without components, components, and what becomes ready later: of equal rank the first in the file goes first."""
    names = ["zeta", "alpha", "mid", "beta", "last"]
    kernels = [kernel(name) for name in names]
    report(dag(kernels), "--devices=cpu", "--sched=clustering", "--trace=trace.json")
    expect([t[0] for t in trace()] == names, f"{trace()}")
    file = dag([*kernels, kernel("root")], [("root", name) for name in names], components=[["root"], ["beta"], ["zeta"]])
    for policy in ("clustering", "eager"):
        report(file, "--devices=cpu", f"--sched={policy}", "--trace=trace.json")
        expect([t[0] for t in trace()] == ["root", *names], f"{policy}: {trace()}")


def case_as_many_queues_as_a_component_uses():
    """By default a device has as many queues as the widest component has kernels beside each other; the file or --queues says otherwise."""
    kernels = [kernel(n, rounds=2000) for n in "abcdef"]
    def used(file, *options):
        report(file, "--devices=cpu", "--trace=trace.json", *options)
        return len({t[3] for t in trace()})

    alone = dag(kernels, components=[[n] for n in "abcdef"])
    expect(used(alone) == 1, "components of one kernel: one queue")
    wide = dag(kernels, [("a", "c"), ("b", "d")], components=[list("abcd"), ["e"], ["f"]])
    expect(used(wide) == 2, "two chains in a component: two queues")
    expect(used(wide, "--queues=1") == 1, "the command line")
    wide = dag(kernels, [("a", "c"), ("b", "d")], components=[list("abcd"), ["e"], ["f"]], queues={"cpu": 1})
    expect(used(wide) == 1, "the file")


def case_components_side_by_side():
    """Each component is on one queue, kernels that nothing connects included; both queues are used; the same bytes travel."""
    kernels = [kernel(f"{c}{n}", rounds=2000) for c in "abcd" for n in range(3)]
    edges = [(f"{c}0", f"{c}1") for c in "abcd"]
    file = dag(kernels, edges, components=[[f"{c}{n}" for n in range(3)] for c in "abcd"])
    for policy in ("clustering", "versioning", "adaptive"):
        facts = report(file, "--devices=cpu", "--beside=2", f"--sched={policy}", "--trace=trace.json")
        rows = {name: row for name, _, _, row in trace()}
        groups = ["012"] if policy == "clustering" else ["01", "2"]
        for c in "abcd":
            for group in groups:
                expect(len({rows[c + n] for n in group}) == 1, f"{policy}: {rows}")
        expect(len(rows) == 12 and len(set(rows.values())) == 2, f"{policy}: {rows}")
        # Without a trace a short input goes ahead of its kernel on the kernel's queue.
        facts = report(file, "--devices=cpu", "--beside=2", f"--sched={policy}", "--repeat=3")
        expect(moved(facts) == (3 * 8 * 1024, 3 * 12 * 1024, 0), f"{policy}: {facts['traffic']}")
        for c in "abcd":
            expect(set(load(f"{c}1.npy")) == {3.0} and set(load(f"{c}2.npy")) == {3.0}, "results")
    # One queue for all of them and their inputs: the paper's coarse.
    for policy in ("clustering", "versioning"):
        report(file, "--devices=cpu", "--beside=1", f"--sched={policy}", "--trace=trace.json")
        expect(len({t[3] for t in trace()}) == 1, f"one queue: {policy}")
        facts = report(file, "--devices=cpu", "--beside=1", f"--sched={policy}", "--repeat=3")
        expect(moved(facts) == (3 * 8 * 1024, 3 * 12 * 1024, 0), f"one queue: {policy}: {facts['traffic']}")
    # A kernel with a priority is the policy's to order.
    kernels[5]["priority"] = 1
    file = dag(kernels, edges)
    report(file, "--devices=cpu", "--beside=2", "--sched=versioning", "--trace=trace.json")
    expect(len(trace()) == 12, "with priorities")


def case_a_component_that_may_go_elsewhere_waits_for_the_first_device():
    """Components that both devices may have are not promised to one of them."""
    two = two_devices()
    kernels = [kernel(f"{c}{n}") for c in "abcdef" for n in range(2)]
    file = dag(kernels, [(f"{c}0", f"{c}1") for c in "abcdef"], components=[[f"{c}0", f"{c}1"] for c in "abcdef"])
    facts = report(file, *two)
    expect(facts["ahead"] == 0 and len(set(facts["placed"].values())) == 2, f"{facts['ahead']}, {facts['placed']}")


def case_a_failure_in_front():
    """What is submitted behind a component that fails is cancelled, and one error says what failed."""
    kernels = [kernel(f"{c}{n}") for c in "abc" for n in range(2)]
    kernels[1].update({"src": "bad.cl", "name": "bad"})
    file = dag(kernels, [(f"{c}0", f"{c}1") for c in "abc"], components=[[f"{c}0", f"{c}1"] for c in "abc"])
    write("bad.cl", "kernel void bad(global const float *a, global float *b, int rounds) { b[0] = a[0] + none; }\n")
    done = harness.run(file, "--devices=cpu", "--no-check")
    if "there is no OpenCL device" in done.stderr:
        raise Skip("no OpenCL device on this machine")
    expect(done.returncode == 1 and done.stderr.count("hsched-run: ") == 1 and re.search(r"dag.json:\d+: .*'bad' of 'bad.cl'", done.stderr), "one error", done)
    expect(not (harness.WORK / "c1.npy").exists(), "no results are written")


def case_heft_knows_functions():
    """What one kernel took is known of the next one of the same function: each device is tried once, not once a kernel."""
    two = two_devices()
    file = dag([kernel(f"k{n}", 50) for n in range(4)], [(f"k{n}", f"k{n + 1}") for n in range(3)])
    placed = report(file, *two, "--sched=heft")["placed"]
    expect(placed["k0"].endswith("#0.0") and placed["k1"].endswith("#0.1"), f"{placed}")


def rows(done):
    """--tune's table"""
    return [[c.strip() for c in line.split("|")[1:-1]] for line in done.stdout.split("\n") if line.startswith("| ") and line[2].isdigit()]


def case_tune_finds_a_partition():
    """A kernel that works hard only if its range is split: the search leaves that, and the file says so."""
    two = two_devices()
    write("s.cl", """
kernel void some(global const float *a, global float *b) {
  float x = a[get_global_id(0)];
  for (int r = get_global_size(0) < 1024 ? 20000 : 0; r > 0; --r)
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


def case_tune_moves_components_that_a_partition_places():
    """In a published file a partition of 10 or 0 says where a kernel runs. A component of several such kernels moves as one."""
    two = two_devices()
    file = dag([kernel(f"k{n}", 50, partition=10) for n in range(4)], [("k0", "k1"), ("k2", "k3")], components=[["k0", "k1"], ["k2", "k3"]])
    done = succeeds(file, *two, "--tune=30", "--repeat=1", "-o", "tuned.json")
    table = rows(done)
    expect(any("cpu 1, gpu 1" in r[2] for r in table), "one of the two components on the other device", done)
    expect("not possible" not in done.stdout and all(not r[3] for r in table), "no kernel leaves its component", done)
    succeeds("tuned.json", *two)


def case_tune_in_simulation():
    """Kernels are measured alone, configurations are computed: all on one device, two on each is predicted to take half of the time."""
    two = two_devices()
    file = dag([kernel(f"k{n}", 20000, device="gpu") for n in range(4)], components=[[f"k{n}"] for n in range(4)], queues={"gpu": 1})
    done = succeeds(file, *two, "--tune", "--simulate", "--repeat=2", "-o", "tuned.json")
    table = rows(done)
    expect(done.stdout.count("Measured alone on") == 2 and all(re.fullmatch(r"[0-9.]+ ms", r[4]) and not r[5] for r in table), "times are computed", done)
    first = float(table[0][4].split()[0])
    expect(table[0][6] == "as the file has it" and first > 0, "the file's own comes first", done)
    best = min(table, key=lambda r: float(r[4].split()[0]))
    expect(float(best[4].split()[0]) <= first, "the best is not slower than the file's own", done)
    alone = [float(ms) for ms in re.findall(r"Measured alone on [^:]*: ([0-9.]+) ms", done.stdout)]
    if max(alone) < 1.5 * min(alone):
        expect(best[2] != "gpu 4" and float(best[4].split()[0]) < 0.9 * first, "components are spread, two devices take less time", done)
        expect("three times in turn" in done.stdout, "the best one is measured", done)
    else:  # On a loaded machine the two parts are measured at different speeds, and it may be right to use one of them.
        expect("three times in turn" in done.stdout or "Nothing is at least" in done.stdout, "what came of it", done)
    expect("Written to tuned.json" in done.stdout, "the file is written", done)
    succeeds("tuned.json", *two, "--quiet")
    expect(set(load("k3.npy")) == {3.0}, "the tuned file computes the same")
    for arguments in (("--sched=heft",), ("--sched=eager",)):
        done = harness.run(file, *two, "--tune", "--simulate", *arguments)
        expect(done.returncode == 1 and "--simulate knows clustering" in done.stderr, f"{arguments}", done)
    # The engine's policies: kernels go where they end first.
    done = succeeds(dag([kernel(f"k{n}", 50) for n in range(3)]), *two, "--tune=4", "--simulate", "--repeat=1")
    expect(1 <= len(rows(done)) <= 4, "at most four", done)


def case_tune_that_cannot_be():
    file = dag([kernel("k", 50, device="gpu")])
    for arguments, why in ((("--tune=0",), "--tune takes a number"), (("--tune", "--convert"), "exclude each other"),
                           (("-o", "x.json"), "are for --tune"), (("--simulate",), "are for --tune"), (("--tune", "--in-place", "-o", "x"), "exclude each other"),
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


def build(name, body):
    """A shared object for --select."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise Skip("no C compiler")
    write(name + ".c", body)
    include = pathlib.Path(harness.OPTIONS.source, "include").resolve()
    done = subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{include}", name + ".c", "-o", name + ".so"],
                          cwd=harness.WORK, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{name}.c does not compile: {done.stderr}")
    return f"--select={name}.so"


SELECT = "#include <hsched/select.h>\nint hsched_select_1(const hsched_select_state *s, uint32_t *component, uint32_t *device) {"


def case_select_of_a_users_own():
    """The least rank first, and always the last device: the reverse of clustering."""
    two = two_devices()
    mine = build("mine", SELECT + """
  uint32_t last = s->n_devices - 1;
  if (s->struct_bytes < sizeof *s || !s->devices[last].available || s->n_devices != 2 || s->devices[0].busy_since != 0)
    return 0;
  const hsched_select_component *c = &s->ready[s->n_ready - 1];
  if (c->n_devices != 2 || c->devices[1] != last || c->n_kernels > 3 || s->now <= 0)
    return 0;
  *component = s->n_ready - 1;
  *device = last;
  return 1;
}""")
    sizes = {"a": 1, "b": 3, "c": 2}
    kernels = [kernel(f"{c}{n}", 50) for c, size in sizes.items() for n in range(size)]
    edges = [(f"{c}{n}", f"{c}{n + 1}") for c, size in sizes.items() for n in range(size - 1)]
    file = dag(kernels, edges, components=[[f"{c}{n}" for n in range(size)] for c, size in sizes.items()])
    facts = report(file, *two, mine, "--trace=trace.json", "--repeat=1")
    expect([t[0] for t in trace()] == ["a0", "c0", "c1", "b0", "b1", "b2"], f"{trace()}")
    expect(all(p.endswith("#0.1") for p in facts["placed"].values()) and facts["ahead"] == 0, f"{facts['placed']}")
    expect(load("b2.npy")[0] > 2.9, "results")


def case_select_of_the_sample():
    """The second device gets a component only while more than ten are ready."""
    two = two_devices()
    sample = pathlib.Path(harness.OPTIONS.source, "samples", "policy", "select.c").read_text()
    mine = build("sample", sample)
    for count, others in ((9, 0), (13, 1)):
        facts = report(dag([kernel(f"k{n}", 50) for n in range(count)]), *two, mine)
        away = [k for k, device in facts["placed"].items() if device.endswith("#0.1")]
        expect(len(facts["placed"]) == count and (len(away) > 0) == (others > 0), f"{facts['placed']}")


def case_select_that_errs():
    two = two_devices()
    file = dag([kernel("a", 50, device="gpu"), kernel("b", 50, device="gpu")], [("a", "b")], components=[["a"], ["b"]])
    for name, body, why in (("none", "(void)s; (void)component; (void)device; return 0; }", "chooses nothing, though nothing runs"),
                            ("far", "*component = s->n_ready; *device = 0; return 1; }", "chooses component 1 of 1"),
                            ("away", "(void)s; *component = 0; *device = 7; return 1; }", "chooses device 7, which is not available"),
                            ("other", "(void)s; *component = 0; *device = 1; return 1; }", "chooses device 1 for the component of kernel 'a', which may not")):
        done = harness.run(file, *two, build(name, SELECT + body))
        expect(done.returncode == 1 and f"{name}.so: hsched_select_1 {why}" in done.stderr and done.stderr.count("\n") == 1, name, done)
    build("empty", "int nothing(void);\nint nothing(void) { return 0; }\n")
    for arguments, why in ((("--select=empty.so",), "it has no function hsched_select_1"), (("--select=./no.so",), "no.so")):
        done = harness.run(file, *two, *arguments)
        expect(done.returncode == 1 and why in done.stderr, f"{arguments}", done)
    done = harness.run(file, "--select=empty.so", "--sched=eager")
    expect(done.returncode == 2 and "exclude each other" in done.stderr, "two that choose", done)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

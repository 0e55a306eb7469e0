#!/usr/bin/env python3
"""hsched-run on files in its own format: results, copies, policies, options.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
A case is a function case_NAME below; --list names them all. Exit code 77: cannot be tried here.
"""
import json
import math
import os
import pathlib
import pty
import re
import sys

import harness
from harness import Failure, Skip, expect, load, main, moved, report, run, save, succeeds, two_devices, write

KERNELS = """
kernel void vadd(global const float *a, global const float *b, global float *c) {
  const int i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }
kernel void plus(global const float *a, global float *b, float add) { b[get_global_id(0)] = a[get_global_id(0)] + add; }
kernel void keep(global const float *a, global float *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
kernel void scale(global const int4 *a, global int4 *b, int4 by, local int *room) {
  room[get_local_id(0)] = 1;
  b[get_global_id(0)] = a[get_global_id(0)] * by * room[get_local_id(0)];
}
"""


def buffer(role, size="N", **more):
    return {"role": role, "type": "float", "size": size, **more}


def kernel(id, name, *args, size="N", **more):
    return {"id": id, "name": name, "src": "k.cl", "global": [size], **more, "args": list(args)}


def dag(kernels, edges=(), **more):
    write("k.cl", KERNELS)
    write("h.cl", "kernel void every_second(global float *x) { x[2 * get_global_id(0)] = 1; }\n")
    return write("dag.json", {"hsched-dag": 1, "symbols": {"N": 1024}, **more, "kernels": kernels, "edges": list(edges)})


def case_two_kernels_and_an_edge():
    a, b = [float(i) for i in range(1024)], [0.5 * i for i in range(1024)]
    save("a.npy", "f", a)
    save("b.npy", "f", b)
    save("wanted.npy", "f", [2 * (x + y) for x, y in zip(a, b)])
    file = dag([kernel("add", "vadd", buffer("in", init={"npy": "a.npy"}), buffer("in", init={"npy": "b.npy"}), buffer("out")),
                kernel("mul", "twice", buffer("io", output="c.npy", expect={"npy": "wanted.npy", "relative": 1e-6}))],
               [["add", 2, "mul", 0]])
    done = succeeds(file)
    expect(re.match(r"2 kernels in [0-9.]+ (us|ms|s)\n", done.stdout), "the summary", done)
    expect("mul.0: as expected" in done.stdout and not done.stderr, "the comparison is told", done)
    expect(load("c.npy") == [2 * (x + y) for x, y in zip(a, b)], "the result")


def case_a_result_that_is_wrong():
    file = dag([kernel("k", "keep", buffer("in", init={"constant": 1}), buffer("out", expect={"npy": "w.npy", "absolute": 0.01}))])
    save("w.npy", "f", [1.0] * 500 + [1.009] + [1.02, 3] + [1.0] * 521)
    done = run(file)
    expect(done.returncode == 1 and done.stderr.count("\n") == 1, "one line", done)
    expect(re.search(r"^hsched-run: error: dag.json:\d+: kernels\[0\].args\[1\].expect.npy: .*element 501 is 1, not 1.0199\d*; 2 of "
                     r"1024 differ", done.stderr), "says which element", done)
    save("w.npy", "f", [1.0] * 1023 + [math.inf])
    done = run(file)
    expect("element 1023 is 1, not inf; 1 of" in done.stderr, "no number is near infinity", done)
    save("w.npy", "f", [1.0] * 1023 + [1.005])
    facts = report(file)
    expect(facts["errors"] == {"k.1": 0}, "the absolute tolerance allows it", facts)
    save("w.npy", "f", [1.0] * 1023)
    done = run(file)
    expect("has 1023 elements, not 1024" in done.stderr, "another size", done)
    save("w.npy", "d", [1.0] * 1024)
    done = run(file)
    expect("'<f8', not '<f4'" in done.stderr, "another type", done)


def case_each_beginning():
    (harness.WORK / "r.bin").write_bytes(bytes(range(16)) * 4)
    write("c.csv", "1, 2\n3,4.5\n" + "0;" * 12)
    kernels, names = [], []
    for n, (init, want) in enumerate([("zeros", [0] * 16), ({"constant": 2.5}, [2.5] * 16), ({"constant": "N // 3"}, [5] * 16),
                                      ({"csv": "c.csv"}, [1, 2, 3, 4.5] + [0] * 12), ({"raw": "r.bin"}, None),
                                      ({"random": 7}, None), ({"random": 7, "low": -3, "high": -2}, None), (None, [0] * 16)]):
        more = {"init": init} if init else {}
        kernels.append(kernel(f"k{n}", "keep", buffer("in", **more), buffer("out", output=f"o{n}.npy")))
        names.append((f"o{n}.npy", want))
    succeeds(dag(kernels), "-D", "N=16")
    for name, want in names:
        if want:
            expect(load(name) == want, f"{name}: {load(name)}")
    first, low = load("o5.npy"), load("o6.npy")
    expect(len(set(first)) == 16 and all(0 <= x < 1 for x in first), f"random numbers: {first}")
    expect(all(-3 <= x < -2 for x in low), f"random numbers from -3 to -2: {low}")
    expect(load("o4.npy")[0] == 3.820471434542632e-37, f"raw bytes: {load('o4.npy')}")
    succeeds("dag.json", "-D", "N=16")
    expect(load("o5.npy") == first, "a seed gives the same numbers again")
    # Below the upper bound, also where a float is rounded up to it: three floats from 1 to it.
    high = 1 + 2 ** -22
    succeeds(dag([kernel("k", "keep", buffer("in", init={"random": 3, "low": 1, "high": high}), buffer("out", output="o.npy"))]), "-D", "N=64")
    expect(set(load("o.npy")) == {1, 1 + 2 ** -23}, f"{set(load('o.npy'))}")


def case_vectors_and_local_memory():
    file = dag([{"id": "k", "name": "scale", "src": "k.cl", "global": ["N"], "local": [4],
                 "args": [{"role": "in", "type": "int4", "size": "N", "init": {"npy": "a.npy"}},
                          {"role": "out", "type": "int4", "size": "N", "output": "b.npy"},
                          {"role": "value", "type": "int4", "value": [1, -2, "N", 4]},
                          {"role": "local", "type": "int", "size": 4}]}])
    save("a.npy", "i", range(32), (8, 4))
    succeeds(file, "-D", "N=8")
    expect(load("b.npy") == [i * (1, -2, 8, 4)[i % 4] for i in range(32)], f"{load('b.npy')}")


def chain():
    """One buffer in, through three kernels of one component, into another component, one buffer out."""
    return dag([kernel("a", "plus", buffer("in", init={"constant": 1}), buffer("out"), {"role": "value", "type": "float", "value": 1},
                       device="gpu"),
                kernel("b", "plus", buffer("in"), buffer("out"), {"role": "value", "type": "float", "value": 0.5}, device="gpu"),
                kernel("c", "vadd", buffer("in"), buffer("in", init={"constant": 10}), buffer("out"), device="gpu"),
                kernel("d", "twice", buffer("io", output="d.npy"), device="cpu")],
               [["a", 1, "b", 0], ["b", 1, "c", 0], ["c", 2, "d", 0]], components=[["a", "b", "c"], ["d"]])


def case_no_copy_is_redundant():
    """FRONT fetches, END returns, IN moves nothing: isolated copies, and one inter edge."""
    two = two_devices()
    file = chain()
    size = 4096
    for policy in ("clustering", "versioning", "engine:eager"):
        facts = report(file, *two, f"--sched={policy}")
        expect(load("d.npy") == [25.0] * 1024, f"{policy}: {load('d.npy')[:4]}")
        # A's and c's inputs go to the first device. c's output goes from there to the second one, d's result home.
        expect(moved(facts, "#0.0") == (2 * size, 0, 0), f"{policy}, first device: {facts['traffic']}")
        expect(moved(facts, "#0.1") in ((0, size, size),), f"{policy}, second device: {facts['traffic']}")
    # Everything on one device: no transfers between kernels.
    facts = report(file, "--map", "gpu=0", "--map", "cpu=0")
    expect(moved(facts) == (2 * size, size, 0), f"one device: {facts['traffic']}")
    # A second run moves the same once more.
    facts = report(file, "--map", "gpu=0", "--map", "cpu=0", "--repeat=3")
    expect(moved(facts) == (6 * size, 3 * size, 0) and len(facts["seconds"]) == 3, f"three runs: {facts['traffic']}")
    # Devices that work on the host's memory copy nothing.
    facts = report(file, "--map", "gpu=0", "--map", "cpu=0", HSCHED_OPENCL_COPY="0")
    expect(moved(facts) == (0, 0, 0), f"in place: {facts['traffic']}")


def case_components_go_where_the_file_says():
    two = two_devices()
    facts = report(chain(), *two)
    places = {k: v[-3:] for k, v in facts["placed"].items()}
    expect(places == {"a": "0.0", "b": "0.0", "c": "0.0", "d": "0.1"}, f"{facts['placed']}")


def case_a_component_has_its_device_for_itself():
    """Six components on two devices, whichever policy: each kernel once, results right; a device has one at a time."""
    two = ["--devices=cpu/2"] if len(os.sched_getaffinity(0)) > 1 else []
    kernels, edges, components = [], [], []
    for n in range(6):
        kernels += [kernel(f"p{n}", "plus", buffer("in", init={"constant": n}), buffer("out"),
                           {"role": "value", "type": "float", "value": 1}),
                    kernel(f"q{n}", "plus", buffer("in"), buffer("out", output=f"o{n}.npy"),
                           {"role": "value", "type": "float", "value": 1})]
        edges.append([f"p{n}", 1, f"q{n}", 0])
        components.append([f"p{n}", f"q{n}"])
    file = dag(kernels, edges, components=components)
    for policy in ("clustering", "eager", "heft", "versioning", "engine:eager"):
        facts = report(file, *two, f"--sched={policy}", "--repeat=2")
        for n in range(6):
            expect(set(load(f"o{n}.npy")) == {n + 2.0}, f"{policy}: o{n}")
        if policy == "clustering":
            for n in range(6):
                expect(facts["placed"][f"p{n}"] == facts["placed"][f"q{n}"], f"a component is split: {facts['placed']}")
        trace = harness.WORK / "trace.json"
        succeeds(file, *two, "--quiet", f"--sched={policy}", f"--trace={trace}")
        json.loads(trace.read_text())


def case_greatest_rank_first():
    """On one device, components that are ready run in the order of their bottom levels."""
    kernels, edges, components = [], [], []
    for n, length in enumerate([1, 3, 2]):
        ids = [f"{n}.{i}" for i in range(length)]
        for i, id in enumerate(ids):
            kernels.append(kernel(id, "plus", buffer("in"), buffer("out"), {"role": "value", "type": "float", "value": 1}))
            if i:
                edges.append([ids[i - 1], 1, id, 0])
        components.append(ids)
    file = dag(kernels, edges, components=components)
    succeeds(file, "--quiet", "--explain=e.json", "--sched=clustering")
    tasks = json.loads((harness.WORK / "e.json").read_text())
    tasks = tasks["tasks"] if isinstance(tasks, dict) else tasks
    begun = [t["label"] for t in sorted(tasks, key=lambda t: t["ran"]["begin_us"])]
    expect(begun == ["1.0", "1.1", "1.2", "2.0", "2.1", "0.0"], f"{begun}")


def case_an_update_in_place_or_of_a_copy():
    """Two kernels update what a third one made, and a fourth one reads it: each sees what was made."""
    for output in ({}, {"output": "made.npy"}):
        file = dag([kernel("make", "plus", buffer("in", init={"constant": 1}), buffer("out", **output),
                           {"role": "value", "type": "float", "value": 2}),
                    kernel("up", "twice", buffer("io", output="up.npy")), kernel("again", "twice", buffer("io")),
                    kernel("last", "twice", buffer("io", output="last.npy")),
                    kernel("read", "keep", buffer("in"), buffer("out", output="r.npy"))],
                   [["make", 1, "up", 0], ["make", 1, "again", 0], ["again", 0, "last", 0], ["make", 1, "read", 0]])
        for policy in ("versioning", "clustering", "heft"):
            succeeds(file, f"--sched={policy}")
            for name, want in (("made", 3), ("up", 6), ("last", 12), ("r", 3))[not output:]:
                expect(set(load(name + ".npy")) == {want}, f"{policy}: {name}: {load(name + '.npy')[:3]}")
        done = succeeds(file, "--dry-run")
        expect(done.stdout.startswith("7 kernels of 4 functions"), "two copies are made, and no third one", done)


def case_named_buffers():
    """Kernels that name a buffer follow the order of the file."""
    named = lambda role: {"role": role, "buffer": "x"}
    file = dag([kernel("a", "twice", named("io")), kernel("b", "plus", named("in"), buffer("out", output="b.npy"),
                                                          {"role": "value", "type": "float", "value": 1}),
                kernel("c", "twice", named("io"))],
               buffers={"x": {"type": "float", "size": "N", "init": {"constant": 3}, "output": "x.npy"}})
    for policy in ("versioning", "eager"):
        succeeds(file, f"--sched={policy}")
        expect(set(load("b.npy")) == {7.0} and set(load("x.npy")) == {12.0}, policy)


def case_after():
    """An order that no data say."""
    done = succeeds(dag([kernel("first", "twice", buffer("io"), after=["second"]), kernel("second", "twice", buffer("io"))]),
                    "--dry-run")
    lines = done.stdout.splitlines()
    expect(lines[1].startswith("  second:") and lines[2].endswith("after second"), "the order", done)
    for policy in ("versioning", "clustering"):
        succeeds("dag.json", "--quiet", "--explain=e.json", f"--sched={policy}")
        tasks = json.loads((harness.WORK / "e.json").read_text())
        tasks = tasks["tasks"] if isinstance(tasks, dict) else tasks
        ran = {t["label"]: t["ran"] for t in tasks}
        expect(ran["first"]["begin_us"] >= ran["second"]["end_us"], f"{policy}: {ran}")


def case_a_range_is_split():
    two = two_devices()
    n = 4096
    save("a.npy", "f", [float(i) for i in range(n)])
    file = dag([kernel("k", "plus", buffer("in", init={"npy": "a.npy"}, **{"break": 1}), buffer("out", output="b.npy", **{"break": 1}),
                       {"role": "value", "type": "float", "value": 1}, partition="P"),
                kernel("next", "keep", buffer("in"), buffer("out", output="c.npy"), device="cpu")], [["k", 1, "next", 0]])
    for tenths in range(11):
        for policy in ("versioning", "clustering"):
            facts = report(file, *two, "-D", f"N={n}", "-D", f"P={tenths}", f"--sched={policy}")
            expect(load("b.npy") == [i + 1.0 for i in range(n)], f"{tenths} tenths")
            expect(load("c.npy") == [i + 1.0 for i in range(n)], f"{tenths} tenths, the kernel behind it")
            first, second = moved(facts, "#0.0"), moved(facts, "#0.1")
            if abs(first[0] - n * tenths // 10 * 4) > 512:
                raise Failure(f"{tenths} tenths: {facts['traffic']}")
            share = first[0]
            # The parts' inputs go to their devices, the GPU's part of the output to the CPU's device, both results home.
            expect(first[0] + second[0] == 4 * n and second[2] == share and first[1] + second[1] == 2 * 4 * n,
                   f"{tenths} tenths, {policy}: {facts['traffic']}")
            if policy == "clustering" and 0 < tenths < 10:
                expect(sorted(p[-3:] for p in facts["placed"]["k"].split("+")) == ["0.0", "0.1"], f"{facts['placed']}")
    done = succeeds(file, "--dry-run", "-D", "P=3", "-D", "N=1024")
    expect("not proved" not in done.stderr, "each element is its work-item's own", done)
    expect("is split at 256" in done.stderr and "k: plus [256] on gpu" in done.stdout and "k: plus [768] on cpu" in done.stdout,
           "where it is split is told", done)


def case_a_split_that_is_not_proved():
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    write("r.cl", "kernel void turned(global const float *a, global float *b, int n) {\n"
                  "  b[get_global_id(0)] = a[n - 1 - get_global_id(0)];\n}\n")
    write("dag.json", {"hsched-dag": 1, "kernels": [
        {"id": "k", "name": "turned", "src": "r.cl", "global": [1024], "partition": 5,
         "args": [buffer("in", 1024, **{"break": 1}), buffer("out", 1024, **{"break": 1}), {"role": "value", "type": "int", "value": 1024}]}]})
    done = succeeds("dag.json", "--dry-run")
    expect(done.stderr.count("note") == 1 and "args[0]: argument 0, 'a', is split with the range, but it is not proved" in done.stderr,
           "the input is split wrongly", done)


def case_values_of_a_part():
    """share(n) and before(n): what a kernel needs to know of its part."""
    two = two_devices()
    write("k2.cl", "kernel void index(global int *out, int first, int count) {\n"
                   "  out[get_global_id(0)] = first + get_global_id(0) + (count == get_global_size(0) ? 0 : 10000);\n}\n")
    value = lambda text: {"role": "value", "type": "int", "value": text}
    write("dag.json", {"hsched-dag": 1, "kernels": [
        {"id": "k", "name": "index", "src": "k2.cl", "global": [1024], "partition": 5,
         "args": [{"role": "out", "type": "int", "size": 1024, "break": True, "output": "o.npy"}, value("before(1024)"),
                  value("share(1024)")]}]})
    succeeds("dag.json", *two)
    expect(load("o.npy") == list(range(1024)), f"{load('o.npy')[510:516]}")


def case_ten_thousand_kernels():
    """A hundred chains of a hundred kernels, small: all run, each once."""
    kernels, edges = [], []
    for i in range(10000):
        more = {"init": {"constant": i}} if i < 100 else {}
        kernels.append(kernel(f"k{i}", "plus", buffer("in", **more), buffer("out"), {"role": "value", "type": "float", "value": 1}))
        if i >= 100:
            edges.append([f"k{i - 100}", 1, f"k{i}", 0])
    file = dag(kernels, edges)
    done = succeeds(file, "--dry-run")
    expect(done.stdout.startswith("10000 kernels of 1 function, 9900 edges"), "the graph", done)
    facts = report(file, "-D", "N=16", "--sched=versioning", "--output=results")
    expect(moved(facts) == (100 * 64, 100 * 64, 0), f"{facts['traffic']}")
    for chain in range(100):
        expect(set(load(f"results/k{9900 + chain}.1.npy")) == {chain + 100.0}, f"chain {chain}")


def case_paths_stay_in_the_folder():
    (harness.WORK / "in").mkdir()
    write("outside.cl", KERNELS)
    save("outside.npy", "f", [1.0] * 16)
    os.symlink(harness.WORK / "outside.npy", harness.WORK / "in" / "link.npy")
    write("in/k.cl", KERNELS)
    kernels = lambda src, init, **more: [{**kernel("k", "keep", buffer("in", init=init), buffer("out", **more)), "src": src}]
    far = str(harness.WORK / "outside.npy")
    for what in (kernels("../outside.cl", "zeros"), kernels("k.cl", {"npy": "../outside.npy"}), kernels("k.cl", {"raw": far}),
                 kernels("k.cl", {"npy": "link.npy"}), kernels("k.cl", "zeros", output="../new.npy"),
                 kernels("k.cl", "zeros", expect="../outside.npy"), [{**kernels("k.cl", "zeros")[0], "options": "-I.."}],
                 [{**kernels("k.cl", "zeros")[0], "options": "-I/usr"}]):
        write("in/dag.json", {"hsched-dag": 1, "symbols": {"N": 16}, "kernels": what})
        done = run("in/dag.json")
        expect(done.returncode == 1 and "outside of the file's folder; --allow-path" in done.stderr and
               done.stderr.count("\n") == 1, f"{what}", done)
    expect(not (harness.WORK / "new.npy").exists(), "something was written outside")
    write("in/dag.json", {"hsched-dag": 1, "symbols": {"N": 16},
                          "kernels": kernels("../outside.cl", {"npy": "link.npy"}, output="../new.npy")})
    succeeds("in/dag.json", "--allow-path")
    expect(load("new.npy") == [1.0] * 16, "with --allow-path it is")


def case_memory_is_bounded():
    file = dag([kernel("k", "keep", buffer("in"), buffer("out"))])
    done = run(file, "--memory=8191")
    expect(done.returncode == 1 and re.search(r"kernels\[0\].args\[1\].size: .*larger than 8191 bytes; --memory", done.stderr),
           "one byte too little", done)
    succeeds(file, "--memory=8192")
    succeeds(file, "--memory=8K")
    for size in ("1 << 40", "2**40", "2**62", "2**61", 4611686018427387904):
        file = dag([kernel("k", "keep", buffer("in", size), buffer("out", size))])
        done = run(file)
        expect(done.returncode == 1 and done.stderr.count("\n") == 1, f"{size}", done)


def case_output_folder():
    succeeds(dag([kernel("a/b", "plus", buffer("in"), buffer("out"), {"role": "value", "type": "float", "value": 4}),
                  kernel("c", "keep", buffer("in"), buffer("out"))], [["a/b", 1, "c", 0]]), "--output=results/here")
    names = sorted(p.name for p in (harness.WORK / "results" / "here").iterdir())
    expect(names == ["c.1.npy"], f"results, and no others: {names}")
    expect(load("results/here/c.1.npy") == [4.0] * 1024, "its content")


def case_output_folder_with_equal_names():
    """Names of results become names of files: those that are equal then get a number, unless the file gives the name."""
    value = lambda v: {"role": "value", "type": "float", "value": v}
    ids = {"a b": 1, "a_b": 2, "é": 3, "è": 4, "c?d": 5}
    file = dag([kernel(id, "plus", buffer("in"), buffer("out"), value(v)) for id, v in ids.items()] +
               [kernel("own", "plus", buffer("in"), buffer("out", output="results/c_d.1.npy"), value(6))])
    succeeds(file, "--output=results")
    names = sorted(p.name for p in (harness.WORK / "results").iterdir())
    expect(names == ["__.1-2.npy", "__.1.npy", "a_b.1-2.npy", "a_b.1.npy", "c_d.1-2.npy", "c_d.1.npy"], f"{names}")
    for name, v in (("a_b.1", 2), ("a_b.1-2", 1), ("__.1", 3), ("__.1-2", 4), ("c_d.1", 6), ("c_d.1-2", 5)):
        expect(load(f"results/{name}.npy") == [v] * 1024, name)
    save("results/__.1.npy", "f", [3] * 1024)
    file = dag([kernel("é", "plus", buffer("in"), buffer("out", expect={"npy": "results/__.1.npy"}), value(3))])
    done = run(file, "--output=results")
    expect(done.returncode == 1 and "which is a file with expected results" in done.stderr, "an expected result", done)


def case_convert_gives_the_same():
    file = chain()
    done = succeeds(file, "--convert")
    write("again.json", done.stdout)
    again = succeeds("again.json", "--convert")
    expect(again.stdout == done.stdout, "converting twice changes nothing", again)
    succeeds("again.json", "--quiet", "--map", "gpu=0", "--map", "cpu=0")
    expect(load("d.npy") == [25.0] * 1024, "it computes the same")


def case_roles_are_checked():
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    line = next(n for n, text in enumerate(KERNELS.splitlines(), 1) if "void twice" in text)
    done = run(dag([kernel("k", "twice", buffer("in"))]))
    expect(done.returncode == 1 and f"argument 0, 'x', is an input here, but kernel 'twice' (k.cl:{line}) writes it" in done.stderr
           and done.stderr.startswith("hsched-run: error: dag.json:"), "an input that is written", done)
    done = run(dag([kernel("k", "keep", buffer("out"), buffer("out"))]))
    expect("argument 0, 'a', is an output here, but kernel 'keep'" in done.stderr and "only reads it" in done.stderr,
           "an output that is read", done)
    done = succeeds(dag([kernel("k", "twice", buffer("out", output="o.npy"))]))
    expect("is taken as 'io'" in done.stderr and done.stderr.startswith("hsched-run: note: dag.json:"), "a note", done)
    expect(load("o.npy") == [0.0] * 1024, "zeros, twice")
    expect(moved(report("dag.json"))[0] == 4096, "its old value is brought")
    done = succeeds(dag([{"id": "k", "name": "every_second", "src": "h.cl", "global": ["N // 2"], "args": [buffer("out")]}]))
    expect(not done.stderr and moved(report("dag.json"))[0] == 0, "what is written in part is not brought", done)
    done = run(dag([kernel("k", "keep", buffer("in"), buffer("out"), {"role": "value", "type": "int", "value": 1})]))
    expect("takes 2 arguments, not 3" in done.stderr, "too many arguments", done)
    done = run(dag([kernel("k", "plus", buffer("in"), buffer("out"), {"role": "value", "type": "double", "value": 1})]))
    expect("is of type 'float', not 'double'" in done.stderr, "a value's type", done)
    done = run(dag([kernel("k", "kept", buffer("in"), buffer("out"))]))
    expect("there is no kernel 'kept' in file 'k.cl'" in done.stderr, "a kernel that is not there", done)
    # What was asked once is kept.
    before = sorted((harness.WORK / "cache").rglob("*"))
    run(dag([kernel("k", "keep", buffer("in"), buffer("out"))]), "--dry-run")
    expect(sorted((harness.WORK / "cache").rglob("*")) == before, "it was asked again")


def case_sizes_are_checked():
    """A buffer that is smaller than what its kernel may reach is noted: with the launch's sizes and the values that are given."""
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    write("e.cl", "kernel void part(global const float *x, global float *y, int n, int chosen) {\n  const int i = get_global_id(0);\n"
                  "  if (i < n)\n    y[i] = x[2 * i + 1];\n}\n"
                  "kernel void groups(global float *sums) {\n  if (get_local_id(0) == 0)\n    sums[get_group_id(0)] = 1;\n}\n")
    value = lambda n: {"role": "value", "type": "int", "value": n}
    one = lambda x, y, n, size=64: {"id": "k", "name": "part", "src": "e.cl", "global": [size], "args": [
        {"role": "in", "type": "float", "size": x}, {"role": "io", "type": "float", "size": y}, value(n), value(1)]}
    notes = lambda kernel: [l for l in succeeds("--dry-run", dag([kernel])).stderr.splitlines() if "may reach" in l]
    expect(notes(one(128, 64, 64)) == [], "as large as is reached")
    got = notes(one(127, 63, 64))
    expect(len(got) == 2 and re.match(r"hsched-run: note: dag\.json:\d+: kernels\[0\]\.args\[0\]: argument 0, 'x', has 127 elements, but kernel "
                                      r"'part' \(e\.cl:1\) may reach 128: \[", got[0]), f"{got}")
    expect(notes(one(100, 50, 50)) == [] and len(notes(one(99, 50, 50))) == 1, "the argument counts, not the launch")
    expect(notes(one(64, 32, 64, 32)) == [], "a launch that is smaller than the kernel's own guard")
    groups = lambda size, **more: notes({"id": "k", "name": "groups", "src": "e.cl", "global": [64], "args": [{"role": "out", "type": "float", "size": size}], **more})
    expect(groups(8, local=[8]) == [] and len(groups(7, local=[8])) == 1 and groups(1) == [], "groups, where the file says how large they are")
    both = dag([{**one(1, 1, 64), "id": n} for n in "abc"])
    expect(succeeds("--dry-run", both).stderr.count("may reach") == 2, "of many kernels of a function one is noted")


def case_the_page():
    """What docs/dag.md shows can be pasted, and says what it says there."""
    page = pathlib.Path(harness.OPTIONS.source, "docs", "dag.md").read_text()
    write("axpy.cl", re.search(r"```c\n(.*?)```", page, re.S).group(1))
    write("axpy.json", re.search(r"```json\n(.*?)```", page, re.S).group(1))
    shown = re.search(r"hsched-run --dry-run axpy.json\n```\n\n<!-- output -->\n```\n(.*?)```", page, re.S).group(1)
    done = succeeds("--dry-run", "axpy.json")
    expect(done.stdout == shown, "what --dry-run shows", done)
    succeeds("-D", "N=4096", "axpy.json")
    expect(load("y.npy") == [4.0] * 4096, "the result")
    text = (harness.WORK / "axpy.json").read_text()
    broken = json.loads(text)
    broken["kernels"][1]["args"][0]["size"] = "N + 1"
    write("axpy.json", broken)
    message = re.search(r"(?m)^    (hsched-run: error: .*)$", page).group(1)
    done = run("axpy.json")
    expect(re.sub(r":\d+:", ":", done.stderr.strip()) == re.sub(r":\d+:", ":", message), "the error", done)
    for policy in re.findall(r"`([a-z:]+)`", re.search(r"\| `--sched`.*?\n\n", page, re.S).group(0).replace("`--sched`", "")):
        if policy in ("clustering", "eager", "heft", "versioning", "engine:eager"):
            write("axpy.json", text)
            succeeds("axpy.json", f"--sched={policy}")


def case_progress_on_a_terminal():
    """Of more than 20 kernels, unless --quiet is given; elsewhere than on a terminal there is none."""
    said = {}
    for n, options in ((30, ()), (30, ("--quiet",)), (10, ())):
        file = dag([kernel(f"k{i}", "keep", buffer("in"), buffer("out")) for i in range(n)])
        succeeds(file)  # Also skips the test where there is no device.
        child, terminal = pty.fork()
        if not child:
            os.chdir(harness.WORK)
            os.execv(harness.OPTIONS.run, [harness.OPTIONS.run, "--no-check", *options, file])
        text = b""
        while True:
            try:
                more = os.read(terminal, 4096)
            except OSError:  # The other end is closed.
                break
            text += more
        os.close(terminal)
        expect(os.waitpid(child, 0)[1] == 0, f"it fails: {text}")
        said[n, options] = text
    expect(b"\r30 of 30 kernels\r\x1b[K" in said[30, ()] and b"30 kernels in " in said[30, ()], f"{said}")
    expect(b" of " not in said[30, ("--quiet",)] and b" of 10 kernels" not in said[10, ()], f"{said}")
    expect(" of 30 kernels" not in succeeds(dag([kernel(f"k{i}", "keep", buffer("in"), buffer("out")) for i in range(30)])).stderr, "no terminal")


def case_command_lines():
    done = run("--help")
    expect(done.returncode == 0 and done.stdout.startswith("Usage: hsched-run [options] dag.json\n"), "--help", done)
    done = run("--version")
    expect(done.returncode == 0 and re.fullmatch(r"hsched-run [0-9.]+\n", done.stdout), "--version", done)
    for wrong in ([], ["--nothing", "f"], ["a", "b"], ["-D", "N", "f"], ["-D", "=1", "f"], ["--repeat=0", "f"], ["--repeat=x", "f"],
                  ["--memory=1X", "f"], ["--memory=0", "f"], ["--memory=99999999999T", "f"], ["--map", "gpu", "f"],
                  ["--convert", "--dot", "f"], ["f", "--sched"], ["--beside=0", "f"], ["--beside=65", "f"],
                  ["--beside=2", "--queues=2", "f"], *(["--queues=" + q, "f"] for q in ("", "0", "33", "x", "cpu=", "=2", "cpu=0", "tpu=2", "2,", "1 2"))):
        done = run(*wrong)
        expect(done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1 and
               done.stderr.startswith("hsched-run: error: ") and done.stderr.endswith("; see hsched-run --help\n"), f"{wrong}", done)
    file = dag([kernel("k", "keep", buffer("in"), buffer("out"))])
    done = run(file, "--sched=fastest")
    expect(done.returncode == 1 and "--sched=fastest: there is no such policy" in done.stderr, "a policy that is none", done)
    done = run(file, "--report=/nonexistent/r.json")
    expect(done.returncode == 1 and "cannot be written" in done.stderr, "a report that cannot be written", done)
    done = run(file, "--output=/proc/here")
    expect(done.returncode == 1 and "cannot be made" in done.stderr, "a folder that cannot be made", done)
    for option in ("--trace", "--explain", "--gantt", "--graph"):
        done = run(file, option + "=/nonexistent/file.json")
        expect(done.returncode == 1 and done.stderr.endswith("hsched-run: error: file '/nonexistent/file.json' cannot be written: No such file or "
               "directory\n"), f"{option} that cannot be written", done)
    write("plug.so", "")
    for name, why in (("./none.so", "there is no such file"), ("./plug.so", "cannot be loaded: ")):
        done = run(file, "--sched=" + name)
        expect(done.returncode == 1 and f"--sched={name}: policy {name}" in done.stderr and why in done.stderr and done.stderr.count("\n") == 1,
               f"{name}", done)
    done = run(file, "--devices=toaster")
    expect(done.returncode == 1 and "there is no OpenCL device to run kernels on where 'toaster' are the devices to use" in done.stderr, "no device", done)
    for queues in ("3", "cpu=2", "gpu=3,cpu=2", "0=1,accelerator=4"):
        succeeds(file, "--queues=" + queues)
    done = succeeds(file, "--dot")
    expect(done.stdout.startswith('digraph "dag.json" {') and 'label="k\\nkeep"' in done.stdout, "--dot", done)
    done = succeeds(file, "--stats")
    expect("keep" in done.stderr, "--stats", done)
    for words, settings, warnings in (([], {}, 1), (["--stats"], {}, 1), ([], {"HSCHED_LOG": "info"}, 1), ([], {"HSCHED_LOG": "error"}, 0)):
        done = run(file, *words, HSCHED_DEVICE="first", **settings)
        expect(done.stderr.count("HSCHED_DEVICE is not a setting of hsched; did you mean HSCHED_DEVICES?") == warnings,
               f"a misspelt setting, {words}, {settings}: not {warnings} warnings", done)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

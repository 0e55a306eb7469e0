#!/usr/bin/env python3
"""hsched-run --from-record: the kernels of a recorded program, run again as a file, compute the same.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: recorded.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import os
import pathlib
import struct
import subprocess
import sys

import harness
from harness import Skip, expect, main, moved, report, run, succeeds, write

SOURCE = """
kernel void blend(global const double *from, global double *to, double part, int n) {
  local double near[32];
  const int i = get_global_id(0), l = get_local_id(0);
  near[l] = i < n ? from[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n)
    to[i] = to[i] * part + near[l];
}
kernel void shift(global const double *from, global double *to, int by, int n) {
  const int i = get_global_id(0);
  if (i < n)
    to[i] = from[(i + by) % n];
}
"""
PROGRAM = """
#include <cstdio>
#include <vector>

#pragma hsched task in([n]from) inout([n]to)
void blend(const double *from, double *to, double part, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = to[i] * part + from[i];
}
#pragma hsched implements(blend) device(opencl) kernel("two.cl") ndrange(n; 32)
void blend_cl(const double *from, double *to, double part, int n);

#pragma hsched task in([n]from) out([n]to)
void shift(const double *from, double *to, int by, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = from[(i + by) % n];
}
#pragma hsched implements(shift) device(opencl) kernel("two.cl") ndrange(n; 32)
void shift_cl(const double *from, double *to, int by, int n);

int main() {
  const int n = 1000;
  std::vector<double> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i)
    a[i] = i, b[i] = -3 * i;
  blend(a.data(), b.data(), -0.1, n);
  shift(b.data(), c.data(), 7, n);
  blend(c.data(), a.data(), 1e-3, n);
#pragma hsched taskwait
  std::FILE *out = std::fopen("out.raw", "wb");
  std::fwrite(a.data(), sizeof(double), n, out);
  std::fwrite(c.data(), sizeof(double), n, out);
  return std::fclose(out);
}
"""
HAND = """
kernel void seed(global int *v) { v[get_global_id(0)] = (int)get_global_id(0) * 3 - 5; }
kernel void join(global const int *u, global int *v, uchar add, float4 by, int2 both) {
  v[get_global_id(0)] += u[get_global_id(0)] + add + (int)by.w + both.y;
}
kernel void mark(global int *w) { w[get_global_id(0)] = 1; }
"""


def recording(**more):
    return {"HSCHED_RECORD": str(harness.WORK / "r.json"), **more}


def case_a_file_of_kernels():
    """hsched-run's own kernels, recorded: types, vectors, an order that no data say, sizes that are small."""
    write("hand.cl", HAND)
    args = {"seed": [{"role": "out", "buffer": "u"}],
            "join": [{"role": "in", "buffer": "u"}, {"role": "io", "buffer": "v"}, {"role": "value", "type": "uchar", "value": 250},
                     {"role": "value", "type": "float4", "value": ["0.5", 1, 2, "-3.25"]}, {"role": "value", "type": "int2", "value": [7, -9]}],
            "mark": [{"role": "out", "buffer": "w"}]}
    write("dag.json", {"hsched-dag": 1, "buffers": {"u": {"type": "int", "size": 40}, "w": {"type": "int", "size": 40, "output": "w.npy"},
                                                    "v": {"type": "int", "size": 40, "init": {"random": 3}, "output": "v.npy"}},
                       "kernels": [{"id": n, "name": n, "src": "hand.cl", "global": [40], "args": args[n], **({"after": ["join"]} if n == "mark" else {})}
                                   for n in ("seed", "join", "mark")]})
    succeeds("dag.json", "--quiet", "--devices=cpu", **recording(HSCHED_RECORD_DATA=str(harness.WORK / "kept")))
    done = succeeds("--from-record=again", "r.json")
    expect(not done.stderr, "nothing is to be noted", done)
    again = json.loads((harness.WORK / "again" / "dag.json").read_text())
    kernels = {k["name"]: k for k in again["kernels"]}
    expect([k["name"] for k in again["kernels"]] == ["seed", "join", "mark"], "kernels in order")
    expect(kernels["mark"].get("after") == [kernels["join"]["id"]] and "after" not in kernels["join"], "an order that data do not say")
    if harness.OPTIONS.kinfo:
        expect([a.get("type") for a in kernels["join"]["args"][2:]] == ["uchar", "float4", "int2"], f"{kernels['join']}")
        expect(kernels["join"]["args"][3]["value"] == ["0.5", 1, 2, "-3.25"], f"{kernels['join']}")
    succeeds("again/dag.json", "--quiet", "--devices=cpu")
    results = sorted((harness.WORK / "again").glob("d*.npy"))
    # Without hsched-kinfo types are integers of the same size, which computes the same.
    of = lambda p: p.read_bytes()[128:]
    computed = [of(p) for p in results]
    expect(len(computed) == 3 and all(of(harness.WORK / n) in computed for n in ("v.npy", "w.npy")), f"the same results: {computed}")
    succeeds("--from-record=plain", "--no-check", "r.json")
    succeeds("plain/dag.json", "--no-check", "--quiet", "--devices=cpu")
    for path in results:
        expect((harness.WORK / "plain" / path.name).read_bytes()[128:] == path.read_bytes()[128:], f"{path.name} without types")
    # Without what data were, they are random and the file says so.
    (harness.WORK / "r.json").write_text((harness.WORK / "r.json").read_text().replace(str(harness.WORK / "kept"), "nowhere"))
    done = succeeds("--from-record=random", "r.json")
    expect("1 data begin as random numbers" in done.stderr, "a note", done)


def case_a_program_of_hsched_cc():
    compiler = harness.OPTIONS.kinfo and pathlib.Path(harness.OPTIONS.kinfo).parent / "hsched-cc"
    if not compiler or not compiler.exists():
        raise Skip("no hsched-cc")
    write("two.cl", SOURCE)
    write("program.cpp", PROGRAM)
    done = subprocess.run([compiler, "-O1", "program.cpp", "-o", "program"], cwd=harness.WORK, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, "the program does not compile", done)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}

    def record(**settings):
        done = subprocess.run(["./program"], cwd=harness.WORK, capture_output=True, text=True, check=False, timeout=200,
                              env={**clean, "HSCHED_CACHE": str(harness.WORK / "cache"), "HSCHED_RECORD": "r.json", "HSCHED_OPENCL": "cpu",
                                   "HSCHED_OPENCL_COPY": "1", **settings})
        expect(done.returncode == 0, "the program fails", done)
        return (harness.WORK / "out.raw").read_bytes()

    out = record(HSCHED_RECORD_DATA="kept", HSCHED_VERSIONS="blend:blend_cl,shift:shift_cl")
    if '"launch"' not in (harness.WORK / "r.json").read_text():
        raise Skip("no OpenCL device on this machine")
    succeeds("--from-record=again", "r.json")
    succeeds("again/dag.json", "--quiet", "--devices=cpu")
    results = {p.read_bytes()[-8000:] for p in (harness.WORK / "again").glob("d*.npy")}
    expect(out[:8000] in results and out[8000:] in results, "the file computes what the program did, to the last bit")
    # What ran as C++ cannot be written, and is named.
    record(HSCHED_VERSIONS="blend:blend_cl,shift:!shift_cl")
    done = run("--from-record=no", "r.json")
    expect(done.returncode == 1 and "1 of 3 tasks cannot be written" in done.stderr and "task 2, 'shift': it ran on a CPU worker as 'shift'" in done.stderr,
           "the task is named", done)
    expect(not (harness.WORK / "no").exists(), "nothing is written then")


def case_what_is_there_stays():
    """--from-record into the folder that the record's data, or the program's own kernels, are in."""
    write("own/hand.cl", HAND)
    write("own/dag.json", {"hsched-dag": 1, "buffers": {"v": {"type": "int", "size": 8, "init": {"random": 3}}}, "kernels": [
        {"id": 0, "name": "twice", "src": "k.cl", "global": [8], "args": [{"role": "io", "buffer": "v"}]}]})
    write("own/k.cl", "kernel void twice(global int *v) { v[get_global_id(0)] *= 2; }\n")
    succeeds("own/dag.json", "--quiet", "--devices=cpu", **recording(HSCHED_RECORD_DATA=str(harness.WORK / "kept" / "data")))
    there = lambda: {str(p): p.read_bytes() for folder in ("own", "kept") for p in (harness.WORK / folder).rglob("*") if p.is_file()}
    before = there()
    done = run("--from-record=own", "r.json")
    expect(done.returncode == 1 and "file 'own/dag.json' is there already, with other content" in done.stderr, "an error", done)
    expect(all(there()[p] == content for p, content in before.items()), "nothing is overwritten")
    for _ in range(2):  # The second time all is there already.
        succeeds("--from-record=kept", "r.json")
        succeeds("kept/dag.json", "--quiet", "--devices=cpu")
    expect(all(there()[p] == content for p, content in before.items()), "the data are what was recorded")
    write("own/k.cl", "kernel void twice(global int *v) { v[get_global_id(0)] *= 3; }\n")
    done = run("--from-record=own", "r.json")
    expect(done.returncode == 1 and "'own/k.cl' is there already" in done.stderr and "*= 3" in (harness.WORK / "own/k.cl").read_text(),
           "a kernel that was edited since", done)


def case_what_cannot_be_written():
    """Damaged and unfit records: one error that names the task."""
    worker = {"id": 0, "name": "a device", "type": "gpu", "model": "m", "memory": True}
    task = {"id": 1, "task": "f", "label": "", "bytes": 16, "submitted_us": 0, "after": [], "choices": [],
            "sections": [{"of": 0, "mode": "inout", "from": 0, "bytes": 16}],
            "launch": {"kernel": 0, "global": [4], "local": [], "args": [{"of": 0, "from": 0}]},
            "ran": {"worker": "a device", "id": 0, "version": "f", "begin_us": 0, "end_us": 1, "outcome": "done"}}

    def refuse(why, data=True, **changes):
        whole = {"format": "hsched-record", "version": 1, "workers": [worker], "data": [16],
                 "kernels": [{"name": "f", "file": "f.cl", "options": "", "source": "kernel void f(global int *v) { v[0] = 1; }"}],
                 "tasks": [{**task, **changes}], "transfers": [], "waits": []}
        if not data:
            del whole["tasks"][0]["sections"]
        write("bad.json", whole)
        done = run("--from-record=no", "bad.json")
        expect(done.returncode == 1 and why in done.stderr and not (harness.WORK / "no").exists(), why, done)

    launch = task["launch"]
    section = task["sections"][0]
    refuse("task 1, 'f': it works on a tile", sections=[{**section, "bytes": 4, "rows": 2, "stride": 8}])
    refuse("task 1, 'f': it takes part in a reduction", sections=[{**section, "mode": "reduction"}])
    refuse("argument 0 of its kernel points 8 bytes behind", launch={**launch, "args": [{"of": 0, "from": 8}]})
    refuse("argument 0 of its kernel points to no data of any task", launch={**launch, "args": [{"of": None}]})
    refuse("points to data that the task does not name", sections=[])
    refuse("argument 0 of its kernel has no bytes", launch={**launch, "args": [{"value": ""}]})
    refuse("it failed or was cancelled", ran={**task["ran"], "outcome": "failed"})
    refuse("it has no data; HSCHED_RECORD", data=False)
    refuse("there is no such kernel", launch={**launch, "kernel": 1})
    refuse("there is no such datum", launch={**launch, "args": [{"of": 1, "from": 0}]})
    refuse("hexadecimal digits", launch={**launch, "args": [{"value": "0g"}]})
    refuse("a byte has two digits", launch={**launch, "args": [{"value": "012"}]})
    refuse("one to three sizes", launch={**launch, "global": []})
    refuse("an offset has as many numbers as the range has sizes", launch={**launch, "offset": [1, 2]})
    refuse("argument 0 of its kernel is a sampler, which a file of kernels cannot have", launch={**launch, "args": [{"other": "a sampler"}]})
    refuse("there is no such datum", launch={**launch, "args": [{"other": "an image", "of": 1}]})
    # A structure is written with its members if they are known, else as its bytes.
    write("whole.json", {"format": "hsched-record", "version": 1, "workers": [worker], "data": [16],
                         "kernels": [{"name": "f", "file": "f.cl", "options": "",
                                      "source": "struct s { char a[3]; };\nkernel void f(global int *v, struct s x) { v[0] = x.a[2]; }"}],
                         "tasks": [{**task, "launch": {**launch, "args": [{"of": 0, "from": 0}, {"value": "0001ff"}]}}], "transfers": [], "waits": []})
    succeeds("--from-record=structure", "whole.json")
    kernel = json.loads((harness.WORK / "structure" / "dag.json").read_text())["kernels"][0]
    expect(kernel["args"][1] == {"role": "value", "type": "struct 3", "value": [["char", 0, 1, "-1"] if harness.OPTIONS.kinfo else ["uchar", 0, 1, 255]]},
           f"{kernel}")
    # A vector that is longer than those which OpenCL has of integers of 32 bits.
    write("whole.json", {"format": "hsched-record", "version": 1, "workers": [worker], "data": [16],
                         "kernels": [{"name": "f", "file": "f.cl", "options": "", "source": "kernel void f(global int *v, long16 x) { v[0] = x.s3; }"}],
                         "tasks": [{**task, "launch": {**launch, "args": [{"of": 0, "from": 0}, {"value": "01" + "00" * 127}]}}], "transfers": [],
                         "waits": []})
    succeeds("--from-record=vector", "whole.json")
    kernel = json.loads((harness.WORK / "vector" / "dag.json").read_text())["kernels"][0]
    known = {"role": "value", "type": "long16", "value": [1] + [0] * 15}
    expect(kernel["args"][1] == (known if harness.OPTIONS.kinfo else {"role": "value", "type": "struct 128", "value": [["uchar", 1, *[0] * 127]]}),
           f"{kernel}")
    done = run("--from-record=no", "none.json")
    expect(done.returncode == 1 and "none.json" in done.stderr, "no such file", done)


def case_offset():
    """A range that does not begin at 0 is run, recorded, and written as such."""
    write("o.cl", "kernel void put(global int *v, global int *w, int n) {\n"
          "  int i = get_global_id(0);\n  if (i < n)\n    v[i] = 10 * get_global_id(1), w[i] = 1;\n}\n")
    kernel = {"id": 0, "name": "put", "src": "o.cl", "global": [8, 1], "offset": ["N", 7],
              "args": [{"role": "io", "type": "int", "size": 8, "output": "v.npy"}, {"role": "out", "type": "int", "size": 8, "init": {"constant": 5}, "output": "w.npy"},
                       {"role": "value", "type": "int", "value": 8}]}
    file = {"hsched-dag": 1, "symbols": {"N": 2}, "kernels": [kernel]}
    write("o.json", file)
    done = succeeds("--dry-run", "o.json")
    expect("0: put [8,1; from 2,7] on any device" in done.stdout, "the range is shown", done)
    succeeds("o.json", "--quiet", "--devices=cpu", **recording())
    wanted = [0, 0, 70, 70, 70, 70, 70, 70]
    ints = lambda name: list(struct.unpack("<8i", (harness.WORK / name).read_bytes()[-32:]))
    expect(ints("v.npy") == wanted, f"{ints('v.npy')}")
    # Elements 0 and 1 stay: what hsched-kinfo says of overwritten data goes for ranges that begin at 0.
    expect(not harness.OPTIONS.kinfo or ints("w.npy") == [5, 5, 1, 1, 1, 1, 1, 1], f"{ints('w.npy')}")
    record = json.loads((harness.WORK / "r.json").read_text())
    expect([t["launch"]["offset"] for t in record["tasks"]] == [[2, 7]], "the offset is recorded")
    succeeds("--from-record=offset", "r.json")
    again = json.loads((harness.WORK / "offset" / "dag.json").read_text())["kernels"][0]
    expect(again["offset"] == [2, 7] and again["global"] == [8, 1], f"{again}")

    def refuse(why, **changes):
        write("o.json", {**file, "kernels": [{**kernel, **changes}]})
        done = run("--dry-run", "o.json")
        expect(done.returncode == 1 and why in done.stderr, why, done)

    refuse("the range has 2 dimensions, its offset has 1", offset=[1])
    refuse("a first global id", offset=[-1, 0])
    refuse("a range with an offset cannot be split", **{"global": [1024, 1]}, partition=5, args=[{"role": "io", "type": "int", "size": 1024, "break": 1}] * 2)


def case_bytes_on_a_simulated_device():
    """A recorded transformer on a simulated device: each input travels there once, what is between kernels never does, each result comes back once."""
    simulator = pathlib.Path(harness.OPTIONS.run).parent / "hsched-sim"
    if not simulator.exists():
        raise Skip("no hsched-sim")
    script = pathlib.Path(harness.OPTIONS.source, "samples", "transformer", "transformer.py").resolve()
    subprocess.run([sys.executable, script, "t", "--heads=5", "--beta=16"], check=True, cwd=harness.WORK)
    facts = report("t/dag.json", "--devices=cpu", "--map", "gpu=any", "--map", "cpu=any", **recording())
    matrix = 16 * 16 * 4
    expect(moved(facts) == (21 * matrix, 5 * matrix, 0), f"X, four weights a head, a result a head: {facts['traffic']}")

    def replay(policy, *arguments):
        done = subprocess.run([simulator, "--replay=r.json", f"--sched={policy}", "--json", *arguments], cwd=harness.WORK, capture_output=True,
                              text=True, check=False)
        expect(done.returncode == 0, "the replay", done)
        row = json.loads(done.stdout)["runs"][0]
        return row["h2d_bytes"], row["d2h_bytes"], row["d2d_bytes"]

    for policy in ("versioning", "eager", "heft", "adaptive"):
        expect(replay(policy, "--stay") == (21 * matrix, 0, 0), f"{policy}: {replay(policy, '--stay')}")
        # All that was written comes home at the end of a replay: eight matrices a head.
        expect(replay(policy) == (21 * matrix, 40 * matrix, 0), f"{policy}: {replay(policy)}")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

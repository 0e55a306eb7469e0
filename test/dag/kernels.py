#!/usr/bin/env python3
"""hsched-run and what hsched-kinfo knows of kernels: skeletons, outputs that are written in part.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: kernels.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import sys

import harness
from cases import KERNELS
from harness import Skip, expect, load, main, moved, report, run, succeeds, two_devices, write


def case_an_output_keeps_what_it_began_as():
    """What a kernel leaves as it is keeps the contents before: an output is then taken as io, unless it is proved to be overwritten."""
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    write("part.cl", """
kernel void one(global float *r, int k) { if (get_global_id(0) == 0) r[k] = 7; }
kernel void each(global float *r) { r[get_global_id(0)] = 7; }
kernel void some(global float *r, uint n) { uint i = get_global_id(0); if (i < n) r[i] = 7; }
kernel void chosen(global float *r) { int i = get_global_id(0); if (i % 3 == 0) r[i] = 7; }
kernel void back(global float *r, int n) { int i = get_global_id(0); if (i < n) r[get_global_size(0) - 1 - i] = 7; }
""")

    def part(id, name, size, items, *numbers, **more):
        first = {"buffer": more["buffer"]} if more else {"type": "float", "size": size, "init": {"constant": 2}, "output": f"{id}.npy"}
        type = "uint" if name == "some" else "int"
        return {"id": id, "name": name, "src": more.get("src", "part.cl"), "global": [items], "device": more.get("device", "any"),
                "args": [{"role": "out", **first}, *({"role": "value", "type": type, "value": n} for n in numbers)]}
    kernels = [part("a", "one", 4, 1, 2), part("b", "each", 4, 3), part("c", "some", 4, 8, 1), part("d", "some", 4, 8, 4),
               part("e", "each", 4, 4), part("f", "chosen", 4, 4), part("g", "back", 4, 4, 2), part("h", "back", 4, 4, 4)]
    write("dag.json", {"hsched-dag": 1, "kernels": kernels})
    wanted = {"a": [2, 2, 7, 2], "b": [7, 7, 7, 2], "c": [7, 2, 2, 2], "d": [7] * 4, "e": [7] * 4, "f": [7, 2, 2, 7], "g": [2, 2, 7, 7],
              "h": [7] * 4}
    done = succeeds("dag.json")
    got = {k: load(f"{k}.npy") for k in wanted}
    expect(got == wanted, f"{got}")
    expect(done.stderr.count("it is taken as 'io'") == 5 and "argument 0, 'r', is an output here, but its buffer has contents before, and kernel "
           "'one' (part.cl:2) may leave some of them: it is taken as 'io'" in done.stderr, "notes", done)
    expect(moved(report("dag.json"))[0] == 5 * 16, "what is overwritten is not brought")
    # Without hsched-kinfo.
    done = succeeds("dag.json", "--no-check")
    got = {k: load(f"{k}.npy") for k in wanted}
    expect(got == wanted and done.stderr.count("it is taken as 'io'") == 5, "no check", done)
    # A bound that wraps around. A number whose type has another sign in the file: the kernel's counts.
    write("wraps.cl", "kernel void wraps(global float *r, uint n) {\n"
                      "  for (int i = get_global_id(0); i < (int)(4 * n); i += get_global_size(0)) r[i] = 7;\n}\n"
                      "kernel void first(global float *r, uint n) { for (ulong i = 0; i < n; ++i) r[i] = 7; }\n")
    of = lambda name, type, value: write("wraps.json", {"hsched-dag": 1, "kernels": [{"id": "w", "name": name, "src": "wraps.cl", "global": [1], "args": [
        {"role": "out", "type": "float", "size": 4, "init": {"constant": 2}, "output": "w.npy"}, {"role": "value", "type": type, "value": value}]}]})
    succeeds(of("wraps", "uint", 1 << 30))
    expect(load("w.npy") == [2] * 4, f"{load('w.npy')}")
    done = succeeds(of("first", "int", -1), "--dry-run")
    expect("has 4 elements, but kernel 'first' (wraps.cl:4) may reach 4294967295: [n]r" in done.stderr, "a sign", done)
    # Two kernels write a named buffer, on two devices.
    two = two_devices()
    write("nine.cl", "kernel void nine(global float *r, int k) { if (get_global_id(0) == 0) r[k] = 9; }\n")
    file = {"hsched-dag": 1, "buffers": {"x": {"type": "float", "size": 4, "output": "x.npy"}},
            "kernels": [part("all", "each", 4, 4, buffer="x", device="gpu"), part("one", "nine", 4, 1, 1, buffer="x", device="cpu", src="nine.cl")]}
    write("dag.json", file)
    succeeds("dag.json", *two)
    expect(load("x.npy") == [7, 9, 7, 7], f"{load('x.npy')}")
    file["kernels"].reverse()
    write("dag.json", file)
    done = succeeds("dag.json", *two)
    expect(load("x.npy") == [7] * 4 and not done.stderr, "the second one overwrites all of it", done)


def case_init_writes_a_skeleton():
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    write("k.cl", KERNELS)
    done = succeeds("--init", "k.cl")
    write("dag.json", done.stdout)
    made = json.loads(done.stdout)
    expect([k["id"] for k in made["kernels"]] == ["vadd", "twice", "plus", "keep", "scale"], "all kernels", done)
    roles = [[a["role"] for a in k["args"]] for k in made["kernels"]]
    expect(roles == [["in", "in", "out"], ["io"], ["in", "out", "value"], ["in", "out"], ["in", "out", "value", "local"]],
           f"{roles}")
    succeeds("dag.json")
    done = run("--init", "nothing.cl")
    expect(done.returncode == 1 and "nothing.cl" in done.stderr, "a file that is not there", done)
    write("none.cl", "float twice(float x) { return 2 * x; }\n")
    done = run("--init", "none.cl")
    expect(done.returncode == 1 and "there is no kernel in file 'none.cl'" in done.stderr, "a file without kernels", done)
    write("none.cl", "kernel void i(read_only image2d_t p) {}\n")
    done = run("--init", "none.cl")
    expect(done.returncode == 1 and "'p' of kernel 'i' is an image, which" in done.stderr, "what a file cannot give", done)
    write("some.cl", "kernel void i(int w, read_only image2d_t p) {}\nkernel void j(global int *q) { q[get_global_id(0)] = 1; }\n")
    done = succeeds("--init", "some.cl")
    made = json.loads(done.stdout)
    expect([k["id"] for k in made["kernels"]] == ["j"] and list(made["symbols"]) == ["global_0"], "the others are written", done)
    expect(done.stderr == "hsched-run: note: file 'some.cl': argument 'p' of kernel 'i' is an image, which a file of kernels cannot give: "
           "the kernel is left out\n", "a note", done)
    # A macro without a value.
    write("macro.cl", "#ifdef ON\nkernel void m(global int *q) { q[get_global_id(0)] = 1; }\n#endif\n")
    made = json.loads(succeeds("--init", "-D", "ON", "macro.cl").stdout)
    expect(made["kernels"][0]["options"] == "-DON", f"{made}")
    # An output from its beginning on is proved to be overwritten, or the buffer's old value counts.
    write("part.cl", "kernel void one(global float *r, int k) { if (get_global_id(0) == 0) r[k] = 7; }\n")
    expect(json.loads(succeeds("--init", "part.cl").stdout)["kernels"][0]["args"][0]["role"] == "io", "a part is written")
    # Words of expressions, one byte, vectors.
    write("odd.cl", "kernel void odd(global float *in, int and, int or_, int not, int min, uchar c, float3 v) {\n"
                    "  in[get_global_id(0)] = and + or_ + not + min + c + v.x;\n}\n")
    done = succeeds("--init", "odd.cl")
    expect([a["value"] for a in json.loads(done.stdout)["kernels"][0]["args"][1:]] ==
           ["and_", "or_", "not_", "min", "c", ["v_0", "v_1", "v_2"]], "names", done)
    write("odd.json", done.stdout)
    succeeds("odd.json")


def case_skeletons_run_as_they_are():
    """Symbols get values with which sizes are positive, and data not too large."""
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    write("rest.cl", """
kernel void rest(global float *a, int k, int n) { int j = get_global_id(0) + k + 1; if (j < n) a[k * n + j] = 0; }
kernel void box(global float *a, int n) {
  int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
  if (i < n && j < n && k < n) a[(k * n + j) * n + i] = 1;
}
""")
    write("rest.json", succeeds("--init", "rest.cl").stdout)
    symbols = json.loads((harness.WORK / "rest.json").read_text())["symbols"]
    expect(symbols["k"] == 1 and 16 <= symbols["n"] <= 512, f"{symbols}")
    done = succeeds("--dry-run", "rest.json")
    expect("rest: rest [" in done.stdout and "may reach" not in done.stderr, "it is in order", done)
    # A number of one byte that a size before it has.
    write("byte.cl", "kernel void byte(global int *a, uchar n) { for (int i = 0; i < n; ++i) a[i] = 1; }\n")
    write("byte.json", succeeds("--init", "byte.cl").stdout)
    succeeds("--dry-run", "byte.json")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

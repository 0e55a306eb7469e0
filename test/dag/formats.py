#!/usr/bin/env python3
"""hsched-run on other tools' formats: the same kernels, told in each of them, and converted.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: formats.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import pathlib
import re
import subprocess
import sys

import harness
from harness import Failure, Skip, expect, load, main, moved, report, run, save, succeeds, two_devices, write

KERNELS = """
#ifndef SCALE
#define SCALE 1
#endif
kernel void matmul(global const float *a, global const float *b, global float *c, int M, int K, int N) {
  const int i = get_global_id(0), j = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += a[i * K + k] * b[k * N + j];
  c[i * N + j] = SCALE * sum;
}
kernel void vecadd(global const float *a, global const float *b, global float *c) {
  c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}
kernel void matvec(global const float *m, global const float *v, global float *out, int n) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += m[i * n + k] * v[k];
  out[i] = sum;
}
kernel void process(global int *x) { x[get_global_id(0)] = 3 * x[get_global_id(0)] + 1; }
kernel void saxpy(global int *z, global const int *x, global const int *y, int a) {
  z[get_global_id(0)] = a * x[get_global_id(0)] + y[get_global_id(0)];
}
kernel void wide(global const double2 *x, global double2 *y, float4 by, local float *room) {
  y[get_global_id(0)] = x[get_global_id(0)] * by.y;
}
kernel void part(global int *out, uint first, uint count) {
  out[get_global_id(0)] = first + get_global_id(0) + 1000 * (count != get_global_size(0));
}
"""


def matmul(**more):
    return {"name": "matmul", "src": "k.cl", "workDimension": 2, "globalWorkSize": "[M,N,1]",
            "inputBuffers": [{"type": "float", "pos": 0, "size": "M*K"}, {"type": "float", "pos": 1, "size": "K*N"}],
            "outputBuffers": [{"type": "float", "pos": 2, "size": "M*N"}],
            "varArguments": [{"type": "int", "pos": 3, "value": "M"}, {"type": "int", "pos": 4, "value": "K"},
                             {"type": "int", "pos": 5, "value": "N"}], **more}


def vecadd(n="N", **more):
    return {"name": "vecadd", "src": "k.cl", "workDimension": 1, "globalWorkSize": f"[{n},1,1]",
            "inputBuffers": [{"type": "float", "pos": 0, "size": n}, {"type": "float", "pos": 1, "size": n}],
            "outputBuffers": [{"type": "float", "pos": 2, "size": n}], **more}


def matvec(**more):
    return {"name": "matvec", "src": "k.cl", "workDimension": 1, "globalWorkSize": "[M]",
            "inputBuffers": [{"type": "float", "pos": 0, "size": "M*N"}, {"type": "float", "pos": 1, "size": "N"}],
            "outputBuffers": [{"type": "float", "pos": 2, "size": "M"}],
            "varArguments": [{"type": "int", "pos": 3, "value": "N"}], **more}


def results(*arguments):
    """What a file computes: its results' values, by name."""
    folder = harness.WORK / "results"
    for old in folder.glob("*"):
        old.unlink()
    succeeds("--output=results", "--quiet", *arguments)
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def converted(file, *arguments):
    """The same after a conversion to our own format."""
    before = results(file, *arguments)
    done = succeeds("--convert", file)
    ours = json.loads(done.stdout)
    expect(ours["hsched-dag"] == 1, "the version", done)
    follows_schema(ours)
    write("converted.json", done.stdout)
    expect(results("converted.json", *arguments) == before, f"{file} computes something else when it is converted", done)
    return before, ours


def follows_schema(ours):
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads(pathlib.Path(harness.OPTIONS.source, "docs", "dag.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(ours, schema)


ANY = ["--map", "gpu=any", "--map", "cpu=any"]
SIZES = ["-D", "M=24", "-D", "N=16", "-D", "K=8"]
EDGES = ["0 2 -> 2 0", "1 2 -> 2 1"]


def values(name):
    return load(f"results/{name}")


def case_the_papers_json():
    write("k.cl", KERNELS)
    kernels = [matmul(id=0, dev="gpu"), vecadd(id=1, dev="cpu"), matvec(id=2, dev="gpu")]
    write("dag.json", {"kernels": kernels, "tc": "{{0,2},{1}}", "cq": "{r1: 4, r2: 2}", "edges": EDGES})
    first, ours = converted("dag.json", *SIZES, *ANY)
    expect(sorted(first) == ["2.2.npy"], f"one result: {sorted(first)}")
    expect(ours["components"] == [["0", "2"], ["1"]] and ours["queues"] == {"0": 4, "1": 2}, f"{ours}")
    expect(ours["kernels"][0]["device"] == "gpu" and ours["kernels"][0]["global"] == ["M", "N"], f"{ours['kernels'][0]}")
    # Lists in place of text, edges as arrays.
    write("lists.json", {"kernels": kernels, "tc": [[0, 2], [1]], "cq": {"r1": 4, "r2": 2}, "edges": [[0, 2, 2, 0], [1, 2, 2, 1]]})
    expect(results("lists.json", *SIZES, *ANY) == first, "the same as lists")
    # As it is printed in the paper, which is no JSON.
    text = "\n".join(json.dumps(k, indent=2).replace('"gpu"', "'gpu'").replace('"src"', "\u201csrc\u201d") for k in kernels)
    write("figure.json", text + '\n\u201ccq\u201d: \u201c{r1: 4, r2:2}\u201d, \u201ctc\u201d: \u201c{{0,2},{1}}\u201d\n---\n0 2 -> 2 0\n'
                                '1 2 -> 2 1\n---\n')
    expect(results("figure.json", *SIZES, *ANY) == first, "the same as in the figure")
    write("commas.json", "[" + text.replace("}\n{", "},\n{") + "]\n---\n0,2 -> 2,0\n1,2->2,1\n")
    expect(results("commas.json", *SIZES, *ANY) == first, "with commas and brackets")


def case_the_paper_on_two_devices():
    two = two_devices()
    write("k.cl", KERNELS)
    write("dag.json", {"kernels": [matmul(id=0, dev="gpu"), vecadd(id=1, dev="cpu"), matvec(id=2, dev="gpu")],
                       "tc": "{{0,2},{1}}", "edges": EDGES})
    sizes = ["-D", "M=1024", "-D", "N=512", "-D", "K=128"]
    facts = report("dag.json", *two, *sizes)
    expect({k: v[-3:] for k, v in facts["placed"].items()} == {"0": "0.0", "1": "0.1", "2": "0.0"}, f"{facts['placed']}")
    # Isolated copies: A and B there, the result back; two vectors to the CPU. One inter edge: the CPU's sum to the GPU.
    expect(moved(facts, "#0.0") == (4 * (1024 * 128 + 128 * 512), 4 * 1024, 4 * 512), f"{facts['traffic']}")
    expect(moved(facts, "#0.1") == (4 * 2 * 512, 0, 0), f"{facts['traffic']}")


def case_the_tools_array():
    write("kernels/k.cl", KERNELS)  # Where the published tool keeps them.
    array = [matmul(id=0, partition=10, task=0, symbolicVariables={"M": 24, "N": 16, "K": 8, "partition": 10},
                    globalWorkSize="[M,32/2]", macros_values={"SCALE": "K/2"}, depends=[], ecos={"8192": 8.0}),
             vecadd(id=1, partition=0, task=1, symbolicVariables={"N": 16}, extra=1),
             matvec(id=2, partition=10, task=0, symbolicVariables={"M": 24, "N": 16}, depends=[0, 1])]
    array[2]["inputBuffers"][0]["from"] = {"kernel": 0, "pos": 2}
    array[2]["inputBuffers"][1]["from"] = {"kernel": "1", "pos": 2}
    write("t1.json", array)
    first, ours = converted("t1.json", *ANY)
    expect(sorted(first) == ["2.2.npy"], f"one result: {sorted(first)}")
    expect(ours["components"] == [["0", "2"], ["1"]] and ours["edges"] == [["0", 2, "2", 0], ["1", 2, "2", 1]], f"{ours}")
    expect(ours["kernels"][0]["macros"] == {"SCALE": "K//2"} and ours["kernels"][0]["global"] == ["M", "32//2"], f"{ours}")
    done = succeeds("t1.json", "--dry-run")
    expect("[1].extra: this field is not known here" in done.stderr and "ecos" not in done.stderr, "a note", done)
    # The macro is 4: four times what it is without.
    scaled = values("2.2.npy")
    del array[0]["macros_values"]
    write("t1.json", array)
    results("t1.json", *ANY)
    plain = values("2.2.npy")
    expect(all(abs(s - 4 * p) <= 1e-5 * abs(s) for s, p in zip(scaled, plain)) and plain[0] > 0, f"{scaled[:3]}, {plain[:3]}")


def case_the_tools_graph():
    write("k.cl", KERNELS)
    write("info/matmul.json", matmul())
    write("info/vecadd.json", vecadd("n1"))
    write("matvec.json", matvec())
    graph = ('0 matmul.json {"M":24,"N":16,"K":8,"localWorkSize":4,"n_chunks":1,"partition":10}\n'
             "1 vecadd.json {'n1':16,'partition':0}\n\n"
             '2 matvec.json {"M": 24, "N": 16, "partition": 10}\n'
             "---\n0 2->2 0\n1 2 -> 2 1\n---\n")
    write("dag.graph", graph)
    first, ours = converted("dag.graph", *ANY)
    expect(sorted(first) == ["2.2.npy"] and len(values("2.2.npy")) == 24, f"{sorted(first)}")
    expect(ours["kernels"][0]["local"] == [4, 4] and ours["kernels"][0]["partition"] == 10, f"{ours['kernels'][0]}")
    # Ids may be names.
    write("named.graph", graph.replace("0 matmul", "product matmul").replace("1 vecadd", "_1 vecadd").replace("2 matvec", "Last matvec")
          .replace("0 2->2 0", "product 2->Last 0").replace("1 2 -> 2 1", "_1 2 -> Last 1"))
    expect(list(results("named.graph", *ANY).values()) == [first["2.2.npy"]], "names")
    (harness.WORK / "marked.graph").write_bytes(b"\xef\xbb\xbf" + graph.replace("\n", "\r\n").encode())
    expect(results("marked.graph", *ANY) == first, "as an editor on Windows writes it")
    # Its kernels as an array give the same numbers.
    array = [matmul(id=0, symbolicVariables={"M": 24, "N": 16, "K": 8}), vecadd(id=1, symbolicVariables={"N": 16}),
             matvec(id=2, symbolicVariables={"M": 24, "N": 16})]
    for n in (0, 1):
        array[2]["inputBuffers"][n]["from"] = {"kernel": n, "pos": 2}
    write("t1.json", array)
    expect(results("t1.json") == first, "the array and the graph differ")
    for broken, why in ((graph.replace("---\n", "", 1), "dag.graph:5: "), (graph.replace("0 2->2 0", "0 2 2 0"), "dag.graph:6: an edge is written"),
                        (graph.replace("1 vecadd.json", "1"), "dag.graph:2: a kernel is written"),
                        (graph.replace("info", ""). replace("matvec.json", "../matvec.json"), "outside of the file's folder"),
                        ("# a comment\n" + graph, "dag.graph:1: a kernel is written"),
                        (graph.replace("matvec.json", "none.json"), "dag.graph:4: file "), (graph + "0 1->2 0\n", "nothing is expected")):
        write("broken.graph", broken)
        done = run("broken.graph")
        expect(done.returncode == 1 and why.replace("dag.graph", "broken.graph") in done.stderr and done.stderr.count("\n") == 1,
               f"{why}", done)


def case_the_tools_partition():
    """partition, break, chunk, partition_round: one kernel on two devices."""
    two = two_devices()
    write("k.cl", KERNELS)
    spec = {"id": 0, "name": "part", "src": "k.cl", "workDimension": 1, "globalWorkSize": [4096], "partition": 3,
            "outputBuffers": [{"type": "int", "pos": 0, "size": 4096, "break": 1, "chunk": 256}],
            "varArguments": [{"type": "uint", "pos": 1, "value": "partition_round(4096, offset_percent)"},
                             {"type": "uint", "pos": 2, "value": "partition_round(4096, size_percent)"}]}
    write("t1.json", spec)
    succeeds("t1.json", "--quiet", "--output=results", *two)
    expect(values("0.0.npy") == list(range(4096)), "each part knows what it has")
    facts = report("t1.json", *two)
    expect(moved(facts, "#0.0")[1] == 1280 * 4 and moved(facts, "#0.1")[1] == 2816 * 4, f"in chunks: {facts['traffic']}")
    done = succeeds("--convert", "t1.json")
    ours = json.loads(done.stdout)["kernels"][0]
    expect(ours["args"][1]["value"] == "before(4096)" and ours["args"][2]["value"] == "share(4096)", f"{ours}")
    write("converted.json", done.stdout)
    succeeds("converted.json", "--quiet", "--output=results", *two)
    expect(values("0.0.npy") == list(range(4096)), "converted")


def case_doubles_and_vectors():
    write("k.cl", KERNELS)
    write("t1.json", [{"id": 0, "name": "wide", "src": "k.cl", "workDimension": 1, "globalWorkSize": [8], "localWorkSize": "[4]",
                       "inputBuffers": [{"type": "double2", "pos": 0, "size": "8"}],
                       "outputBuffers": [{"type": "double2", "pos": 1, "size": "8"}],
                       "varArguments": [{"type": "float4", "pos": 2, "value": [1, 0.5, "2", 3]}],
                       "localArguments": [{"type": "float", "pos": 3, "size": "4"}]}])
    converted("t1.json")
    got = values("0.1.npy")
    expect(len(got) == 16 and all(0 <= v < 0.5 for v in got) and len(set(got)) == 16, f"{got}")


def case_symbols_called_like_words():
    """An argument may be called 'and' in C: '$and$' stays what it is."""
    write("k.cl", KERNELS)
    write("t1.json", [vecadd("$and$*2/$not_$", id=0, symbolicVariables={"and": 24, "not_": 3})])
    first, ours = converted("t1.json")
    expect(ours["kernels"][0]["global"] == ["$and$*2//not_"] and len(values("0.2.npy")) == 16, f"{ours['kernels'][0]}")
    for word in ("if", "else", "and", "or", "not"):
        write("t1.json", [vecadd(f"${word}$", id=0)])
        converted("t1.json", "-D", word + "=8")


def case_what_kinfo_writes():
    """hsched-kinfo --spec is a file that runs, and that can be split."""
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    two = two_devices()
    write("k.cl", "struct pair { int a, b; };\nkernel void pairs(global const struct pair *in, global int *out, int n) {\n"
                  "  int i = get_global_id(0);\n  if (i < n)\n    out[i] = in[i].a + in[i].b + ADD;\n}\n")
    done = subprocess.run([harness.OPTIONS.kinfo, "--spec", "-DADD=5", "k.cl"], capture_output=True, text=True, cwd=harness.WORK,
                          check=True)
    spec = json.loads(done.stdout)
    write("t1.json", spec)
    succeeds("t1.json", "--output=results", "-D", "n=1024")
    expect(values("0.1.npy") == [5] * 1024, f"{values('0.1.npy')[:3]}")
    spec[0]["partition"] = 5
    write("t1.json", spec)
    facts = report("t1.json", *two, "-D", "n=1024")
    expect(moved(facts, "#0.0") == (512 * 8, 512 * 4, 0) and moved(facts, "#0.1") == (512 * 8, 512 * 4, 0), f"{facts['traffic']}")


def case_published_files():
    """What the published files have, though it is odd: a name twice in an object, sources two folders above."""
    write("top/kernel_src/k.cl", KERNELS)
    spec = json.dumps(vecadd("4"))
    write("top/dag/test/t1.json", spec[:-1] + ', "id": 5, "partition": "9", "partition": 10}')
    done = succeeds("--allow-path", *ANY, "--dry-run", "top/dag/test/t1.json")
    expect("t1.json:1: partition: 'partition' is there twice; the last one counts" in done.stderr and
           "5: vecadd [4] on gpu" in done.stdout, "the last one counts, and there is a note", done)
    succeeds("--allow-path", *ANY, "top/dag/test/t1.json")
    done = run("top/dag/test/t1.json")
    expect(done.returncode == 1 and "top/dag/test/k.cl' cannot be opened" in done.stderr, "folders above are not looked into", done)
    write("k.cl", KERNELS)
    write("info/vecadd.json", vecadd())
    write("dag.graph", '0 vecadd.json {"N":8,"n_chunks":1,"N":4}\n---\n---\n')
    done = succeeds("--dry-run", "dag.graph")
    expect("dag.graph:1: N: 'N' is there twice" in done.stderr and "vecadd [4]" in done.stdout, "also in a graph", done)
    paper = {"id": 0, "kernels": [vecadd("4", id=0)], "tc": [[0]], "edges": []}
    write("dag.json", json.dumps(paper)[:-1] + ', "tc": [[0]]}')
    done = run("dag.json")
    expect(done.returncode == 1 and "dag.json:1: tc: the name 'tc' is there twice" in done.stderr, "an error in other formats", done)


def iris(tasks, inputs=()):
    return {"iris-graph": {"inputs": ["user-size", *inputs], "graph": {"tasks": tasks}}}


def move(kind, memory, host, after=()):
    return {"name": f"{kind}-{memory}", "target": "user-target", "depends": list(after),
            "commands": [{kind: {"name": kind, "device_memory": memory, "host_memory": host, "offset": "0", "size": "user-size-cb"}}]}


def task(name, kernel, parameters, after, target="user-target"):
    return {"name": name, "target": target, "depends": list(after),
            "commands": [{"kernel": {"name": kernel, "global_size": ["user-size"], "parameters": parameters}}]}


def memory(name, permission):
    return {"type": "memory_object", "value": name, "permissions": permission}


def case_iris_chain():
    write("kernel.cl", KERNELS)
    tasks = [move("h2d", "B", "A")]
    for n in range(4):
        tasks.append(task(f"task{n}", "process", [memory("B", "rw")], [tasks[-1]["name"]], "gpu" if n == 1 else "user-target"))
    tasks.append(move("d2h", "B", "A", ["task3"]))
    write("graph.json", iris(tasks))
    sizes = ["-D", "user_size=64", "-D", "user_size_cb=256"]
    first, ours = converted("graph.json", *sizes, *ANY)
    expect(sorted(first) == ["B.npy"] and ours["buffers"]["B"]["type"] == "uchar", f"{sorted(first)}")
    expect([k.get("device") for k in ours["kernels"]] == [None, "gpu", None, None], f"{ours['kernels']}")
    # Tasks listed the other way round are the same graph.
    write("graph.json", iris(tasks[::-1]))
    expect(results("graph.json", *sizes, *ANY) == first, "the order of the list counts for nothing")
    # Earlier versions of IRIS wrote 'name' and 'permission'.
    write("graph.json", json.dumps(iris(tasks)).replace('"value": "B", "permissions"', '"name": "B", "permission"'))
    expect(results("graph.json", *sizes, *ANY) == first, "an earlier form of the same")
    write("graph.json", iris(tasks))
    facts = report("graph.json", *sizes, *ANY, "--sched=versioning")
    expect(moved(facts)[:2] == (256, 256), f"h2d and d2h are all that travels: {facts['traffic']}")
    tasks[1]["depends"].append("task3")
    write("graph.json", iris(tasks))
    done = run("graph.json", *sizes)
    expect(done.returncode == 1 and "waits for itself" in done.stderr and done.stderr.count("\n") == 1, "a circle", done)


def case_iris_scalars():
    write("kernel.cl", KERNELS)
    scalar = {"type": "scalar", "value": "A", "data_type": "int"}
    tasks = [move("h2d", "X", "hx"), move("h2d", "Y", "hx"),
             task("t", "saxpy", [memory("Z", "w"), memory("X", "r"), memory("Y", "r"), scalar], ["h2d-X", "h2d-Y"])]
    tasks[2]["commands"][0]["kernel"]["parameters"][0]["size_bytes"] = "user-size-cb"
    tasks.append(move("d2h", "Z", "hz", ["t"]))
    write("graph.json", iris(tasks, ["A"]))
    done = succeeds("graph.json", "--output=results", "-D", "user_size=16", "-D", "user_size_cb=64", "-D", "A=-1")
    expect("taken as bytes" in done.stderr, "a note", done)
    got = (harness.WORK / "results" / "Z.npy").read_bytes()[-64:]
    expect(got == bytes(64), f"-x + y, both of one host memory: {got.hex()}")
    # Numbers below 0 are numbers.
    for scalar["value"], kind in ((-1, "int"), ("-1", "int"), (-1, None)):
        scalar.update({"data_type": kind} if kind else {"data_size": 4})
        write("graph.json", iris(tasks))
        succeeds("graph.json", "--output=results", "-D", "user_size=16", "-D", "user_size_cb=64")
        expect((harness.WORK / "results" / "Z.npy").read_bytes()[-64:] == bytes(64), f"{scalar}")
    scalar.update(value="A", data_type="int")
    for path, value, why in ((["commands", 0, "kernel", "offset"], ["4"], "does not begin at 0"),
                             (["commands", 0, "kernel", "parameters", 0, "permissions"], "x", "is not a permission: write r, w or rw"),
                             (["commands", 0, "kernel", "parameters", 0, "type"], "pipe", "is not a kind of parameter"),
                             (["depends"], ["nobody"], "there is no task 'nobody'"), (["commands"], [{}], "a command is a"),
                             (["commands", 0, "kernel", "global_size"], [], "1 to 3 dimensions")):
        broken = json.loads(json.dumps(tasks))
        at = broken[2]
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        write("broken.json", iris(broken))
        done = run("broken.json", "-D", "user_size=16", "-D", "user_size_cb=64", "-D", "A=1")
        expect(done.returncode == 1 and why in done.stderr and done.stderr.count("\n") == 1 and
               "broken.json:" in done.stderr and "iris-graph.graph.tasks[2]" in done.stderr, f"{why}", done)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

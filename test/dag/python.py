#!/usr/bin/env python3
"""The Python module, with array.array; the same with NumPy where it is installed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: python.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import array
import json
import os
import pathlib
import subprocess
import sys

import harness
from harness import Skip, expect, main, run, write

KERNELS = """
kernel void scale(global const float *x, global float *y, float a) { y[get_global_id(0)] = a * x[get_global_id(0)]; }
kernel void add(global const float *x, global float *y) { y[get_global_id(0)] += x[get_global_id(0)]; }
kernel void wide(global const int *x, global long *y, local int *room, int2 more) {
  room[get_local_id(0)] = x[get_global_id(0)];
  y[get_global_id(0)] = (long)room[get_local_id(0)] * more.x + more.y;
}
"""


def module():
    """hsched_dag, with this hsched-run and the environment of tests."""
    sys.path.insert(0, str(pathlib.Path(harness.OPTIONS.source, "python").resolve()))
    import hsched_dag
    write("k.cl", KERNELS)
    write("probe.json", {"hsched-dag": 1, "kernels": [{"id": "k", "name": "scale", "src": "k.cl", "global": [1], "args": [
        {"role": "in", "type": "float", "size": 1}, {"role": "out", "type": "float", "size": 1}, {"role": "value", "type": "float", "value": 1}]}]})
    if "there is no OpenCL device" in run("probe.json").stderr:
        raise Skip("no OpenCL device on this machine")
    for name in [n for n in os.environ if n.startswith("HSCHED_")]:
        del os.environ[name]
    os.environ["HSCHED_CACHE"] = str(harness.WORK / "cache")
    os.environ["HSCHED_OPENCL_COPY"] = "1"
    return hsched_dag


def settings():
    return {"devices": "cpu", "options": ["--kinfo=" + harness.OPTIONS.kinfo] if harness.OPTIONS.kinfo else ["--no-check"]}


def axpy(hd, make):
    n = 1000
    x, y = make(range(n)), make([0.5] * n)
    dag = hd.Dag(folder=harness.WORK, program=harness.OPTIONS.run)
    scale = dag.kernel("k.cl", "scale", [n], [hd.In(x), hd.Out("float", n), hd.Value("float", 2)])
    add = dag.kernel("k.cl", "add", [n], [hd.In(scale[1]), hd.InOut(y)], id="add")
    dag.component(scale, add)
    result = dag.run(repeat=2, **settings())
    expect(list(result[add[1]]) == [2 * i + 0.5 for i in range(n)] and list(result) == ["add.1"], f"{result.arrays}")
    expect(list(y) == [0.5] * n, "the caller's array is left as it is")
    expect(len(result.seconds) == 2 and result.placed.keys() == {"scale0", "add"} and result.devices, f"{result.report}")
    # Other arrays for the same graph.
    again = dag.run({"scale0.0": make([1] * n), add[1]: make([0] * n)}, **settings())
    expect(set(again["add.1"]) == {2.0}, "inputs of the call go first")


def case_arrays_in_and_out():
    axpy(module(), lambda values: array.array("f", values))


def with_numpy(case):
    """Makes a case run in a Python that has NumPy: this one, or the system's."""
    def run_it():
        hd = module()
        if hd.numpy is not None:
            return case(hd)
        system = "/usr/bin/python3"
        if not os.access(system, os.X_OK) or subprocess.run([system, "-c", "import numpy"], capture_output=True).returncode:
            raise Skip("NumPy is not installed")
        done = subprocess.run([system, *sys.argv[:-1], case.__name__[5:]], capture_output=True, text=True)
        if done.returncode == 77:
            raise Skip(done.stdout.strip())
        expect(done.returncode == 0, "in the system's Python", done)
    return run_it


@with_numpy
def case_numpy_in_and_out(hd):
    axpy(hd, lambda values: hd.numpy.array(list(values), "f4"))
    # Shapes, scalars and vectors of NumPy.
    n = hd.numpy
    dag = hd.Dag(folder=harness.WORK, program=harness.OPTIONS.run)
    grid = n.arange(8, dtype="f4").reshape(2, 4)
    add = dag.kernel("k.cl", "add", [n.prod(grid.shape)], [hd.In(grid.T.copy()), hd.InOut(grid)], id="add")
    wide = dag.kernel("k.cl", "wide", [n.int32(4)], [hd.In(n.arange(4, dtype="i4")), hd.Out("long", n.int64(4)), hd.Local("int", 4), hd.Value("int2", n.array([3, -1]))])
    result = dag.run(**settings())
    expect((result[add[1]] == grid + grid.T.reshape(2, 4)).all() and result[add[1]].shape == (2, 4), f"{result[add[1]]}")
    expect(result[wide[1]].tolist() == [-1, 2, 5, 8], f"{result[wide[1]]}")
    axpy(hd, lambda values: hd.numpy.repeat(hd.numpy.array(list(values), ">f4"), 2)[::2])  # Strides and bytes of another machine.


def case_types_and_text():
    hd = module()
    dag = hd.Dag(program=harness.OPTIONS.run)
    k = dag.kernel("mine.cl", "wide", [8], [hd.In(array.array("i", range(8))), hd.Out("long", 8), hd.Local("int", 4),
                                            hd.Value("int2", [3, -1])], local_size=[4], text=KERNELS)
    result = dag.run(**settings())
    expect(list(result[k[1]]) == [3 * i - 1 for i in range(8)], f"{result[k[1]]}")
    if hd.numpy is None:
        expect(result[k[1]].typecode == "q", "64 bits")


def case_a_file():
    hd = module()
    dag = {"hsched-dag": 1, "symbols": {"N": 64}, "buffers": {"Y": {"type": "float", "size": "N", "init": {"constant": 1}}},
           "kernels": [{"id": "s", "name": "scale", "src": "../k.cl", "global": ["N"], "args": [
               {"role": "in", "type": "float", "size": "N", "init": {"npy": "x.npy"}}, {"role": "out", "type": "float", "size": "N", "output": "s.npy"},
               {"role": "value", "type": "float", "value": 3}]},
               {"id": "a", "name": "add", "src": "../k.cl", "global": ["N"], "args": [{"role": "in", "type": "float", "size": "N"}, {"role": "io", "buffer": "Y"}]}],
           "edges": [["s", 1, "a", 0]]}
    write("sub/dag.json", json.dumps(dag))
    harness.save("sub/x.npy", "f", [2.0] * 64)
    file = hd.load(harness.WORK / "sub" / "dag.json", program=harness.OPTIONS.run, allow_path=True)
    result = file.run(**settings())
    expect(set(result["Y"]) == {7.0} and set(result["s.1"]) == {6.0}, f"{result.arrays}")
    expect(set(harness.load("sub/s.npy")) == {6.0}, "what the file says is written is written")
    more = file.run({"Y": array.array("f", [10.0] * 32), "s.0": array.array("f", [1.0] * 32)}, symbols={"N": 32}, **settings())
    expect(len(more["Y"]) == 32 and set(more["Y"]) == {13.0}, f"{more.arrays}")


def library_of_c():
    """libhsched_dag. A sanitizer's library cannot be loaded into a Python that is not built with it."""
    path = next(pathlib.Path(harness.OPTIONS.run).parents[1].glob("lib*/libhsched_dag.so"))
    if any(name in path.read_bytes() for name in (b"__tsan_", b"__asan_")):
        raise Skip("libhsched_dag is built with a sanitizer, Python is not")
    return path


def opened(hd, make):
    """The graph runs in this process, with arrays as they are."""
    for name, value in (("HSCHED_OPENCL", "cpu"), ("HSCHED_NCPU", "1")):
        os.environ[name] = value
    n, library = 1000, library_of_c()
    dag = hd.Dag(folder=harness.WORK)
    scale = dag.kernel("k.cl", "scale", ["N"], [hd.In(make(range(n))), hd.Out("float", "N"), hd.Value("float", "A")])
    add = dag.kernel("k.cl", "add", ["N"], [hd.In(scale[1]), hd.InOut(make([0.5] * n))], id="add")
    with dag.open(symbols={"N": n, "A": 2}, repeat=3, check=False, library=library) as program:
        first = program.run()
        expect(list(first[add[1]]) == [2 * i + 0.5 for i in range(n)] and list(first) == ["add.1"] and len(first.seconds) == 3, f"{first.arrays}")
        expect(program.data["add.1"] == ("<f4", 4 * n, True, True), f"{program.data}")
        again = program.run({add[1]: make([0] * n)})
        expect(list(again[add[1]]) == [2 * i for i in range(n)] and first["add.1"][1] == 2.5, "each result has arrays of its own")
        for what, wanted in ((lambda: program.run({add[1]: array.array("i", [1] * n)}), "datum 'add.1' has elements of type '<f4', not '<i4'"),
                             (lambda: program.run({add[1]: make([1] * n), "add.7": make([1])}), "there is no datum 'add.7'"),
                             (lambda: dag.open(library=library, check=False), "symbol 'N' has no value"),
                             (lambda: dag.open(symbols={"N": n, "A": 1}, sched="best", library=library), "there is no policy 'best'"),
                             (lambda: dag.open(library=harness.WORK / "none.so"), "none.so")):
            try:
                what()
            except hd.Error as problem:
                expect(wanted in str(problem), f"{problem}")
                continue
            expect(False, f"no error: {wanted}")
        last = program.run({add[1]: make([3] * n)})  # What was refused is forgotten.
        expect(list(last[add[1]]) == [2 * i + 3 for i in range(n)], f"{last.arrays}")
    try:
        program.run()
    except hd.Error as problem:
        expect("is closed" in str(problem), f"{problem}")
        return
    expect(False, "a closed program runs")


def case_opened_in_this_process():
    hd = module()
    hd.numpy = None
    opened(hd, lambda values: array.array("f", values))


def case_misuse_of_the_functions_of_c():
    """What a caller in C forgets is an error, not a default or a crash."""
    hd = module()
    lib = hd._library(library_of_c())
    write("a.json", "{}")
    for how, path, wanted in ((hd._Settings(), str(harness.WORK / "a.json").encode(), "struct_bytes is not set"), (None, None, "the path is null")):
        expect(not lib.hsched_dag_open(path, how), "an error")
        expect(wanted in lib.hsched_dag_error().decode(), f"{lib.hsched_dag_error()}")


@with_numpy
def case_opened_with_numpy(hd):
    opened(hd, lambda values: hd.numpy.array(list(values), "f4"))


def case_a_call_that_fails_changes_nothing():
    """Dag.kernel adds a kernel with its edges, inputs and source, or nothing."""
    hd = module()
    x = array.array("f", [1.0] * 16)
    dag, other = (hd.Dag(folder=harness.WORK, program=harness.OPTIONS.run) for _ in "ab")
    a = dag.kernel("k.cl", "scale", [16], [hd.In(x), hd.Out("float", 16), hd.Value("float", 2)])
    foreign = other.kernel("k.cl", "scale", [16], [hd.In(x), hd.Out("float", 16), hd.Value("float", 2)], id="foreign")
    state = lambda: (json.dumps(dag.graph), dict(dag.inputs), dict(dag.sources))
    before = state()
    for args, more, kind, wanted in (([hd.In(a[1]), 5], {}, TypeError, "argument 1 of kernel add1 is not one of In"),
                                     ([hd.In(a[1]), hd.In(x), hd.Value("float", object())], {"text": KERNELS}, TypeError, "neither a number"),
                                     ([hd.In(a[1]), hd.In([1.0, 2.0])], {}, TypeError, ""), ([hd.In(a[1]), hd.In(x)], {"local_size": 5}, TypeError, ""),
                                     ([hd.In(x), hd.InOut(a[1])], {"id": "scale0"}, ValueError, "there is a kernel scale0 already"),
                                     ([hd.In(a[1]), hd.InOut(foreign[1])], {}, ValueError, "refers to kernel foreign, which is not in this graph"),
                                     ([hd.In(x), hd.InOut(a[2])], {}, TypeError, "refers to scale0.2, which is no buffer"),
                                     ([hd.In(a[1]), hd.InOut(x)], {"cost": {1, 2}}, TypeError, "neither a number")):
        try:
            dag.kernel("k.cl", "add", [16], args, **more)
        except kind as problem:
            expect(wanted in str(problem), f"{problem}")
            expect(state() == before, f"{wanted}: the graph is now {state()}")
            continue
        expect(False, f"no error: {wanted}")
    try:
        dag.component(a, None)
    except AttributeError:
        expect(state() == before, f"components: {state()}")
    # An id of its own, whatever ids there are; arguments from a generator.
    dag.kernel("k.cl", "add", [16], [hd.In(x), hd.InOut(x)], id="add2")
    add = dag.kernel("k.cl", "add", [16], (arg for arg in (hd.In(a[1]), hd.InOut(x))))
    expect(add[1].kernel.id == "add3" and list(dag.run(**settings())[add[1]]) == [3] * 16, f"{dag.graph}")


def case_errors():
    hd = module()
    x = array.array("f", [1.0] * 16)
    dag = hd.Dag(folder=harness.WORK, program=harness.OPTIONS.run)
    k = dag.kernel("k.cl", "nothing", [16], [hd.In(x), hd.Out("float", 16)])
    for what, wanted, kind in ((lambda: dag.run(**settings()), "nothing", hd.Error), (lambda: dag.run({"k.9": x}), "there is no buffer k.9", KeyError),
                               (lambda: k[2], "has 2 arguments", IndexError), (lambda: hd.load("no.json", program=harness.OPTIONS.run), "no.json", hd.Error),
                               (lambda: dag.kernel("k.cl", "scale", [1], [5]), "is not one of In", TypeError),
                               (lambda: dag.run(devices="cpu", sched="no", options=["--no-check"]), "there is no such policy", hd.Error)):
        try:
            what()
        except kind as problem:
            expect(wanted in str(problem) and "\n" not in str(problem), f"{problem}")
            continue
        expect(False, f"no error: {wanted}")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

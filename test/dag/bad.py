#!/usr/bin/env python3
"""hsched-run on files that are wrong: one line that says what, with file, line and field; exit code 1.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: bad.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
Each case is a row of a table: a good file, one thing changed in it, and what is said.
"""
import copy
import json
import os
import re
import sys

import harness
from harness import Failure, Skip, expect, main, run, save, succeeds, write

KERNELS = """
kernel void add(global const float *a, global const float *b, global float *c, int n, local float *room) {
  const int i = get_global_id(0);
  room[0] = 0;
  if (i < n)
    c[i] = a[i] + b[i] + room[0];
}
kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }
kernel void image(read_only image2d_t x, global float *y) { y[get_global_id(0)] = read_imagef(x, (int2)(0, 0)).x; }
"""
GOOD = {
    "hsched-dag": 1,
    "symbols": {"N": 64, "M": "N * 2"},
    "queues": {"cpu": 2},
    "buffers": {"x": {"type": "float", "size": "N", "init": {"random": 1, "low": 0, "high": 1}}},
    "kernels": [
        {"id": "a", "name": "add", "src": "k.cl", "options": "-DX=1", "macros": {"T": "N"}, "symbols": {"L": 8}, "global": ["N"],
         "local": ["L"], "device": "any", "cost": 5, "priority": 1, "after": [],
         "args": [{"role": "in", "type": "float", "size": "N", "init": {"constant": 1}}, {"role": "in", "buffer": "x"},
                  {"role": "out", "type": "float", "size": "N", "break": 0, "chunk": 1},
                  {"role": "value", "type": "int", "value": "N"}, {"role": "local", "type": "float", "size": "L"}]},
        {"id": 1, "name": "twice", "src": "k.cl", "global": ["N"], "after": ["a"],
         "args": [{"role": "io", "type": "float", "size": "N", "output": "y.npy"}]}],
    "edges": [["a", 2, 1, 0]],
    "components": [["a", 1]],
}
MISSING = object()
HUGE = 1 << 63
DEVICE = True  # The row needs a device.


def deep(n):
    value = []
    for _ in range(n):
        value = [value]
    return value


# Path in the file, what stands there instead, what is said, the path that is named (default: the same).
ROWS = [
    # --- the whole file
    ("hsched-dag", 2, "version 2 of the format is unknown: write 1"),
    ("hsched-dag", "1", "it is a string, and should be the format's version"),
    ("hsched-dag", MISSING, "", ""),
    ("kernels", MISSING, "'kernels' is missing", ""),
    ("kernels", {}, "it is an object, and should be an array of kernels"),
    ("kernels", [], "there is no kernel in it", None),
    ("nonsense", 1, "a file of kernels has no field 'nonsense'"),
    ("non\x1b\nsense", 1, "a file of kernels has no field 'non??sense'", "non??sense"),
    ("symbols", [], "should be an object of names and values"),
    ("symbols.N", None, "it is null, and should be a number or an expression"),
    ("symbols.N", "M", "'N * 2': symbols 'N' and 'M' need each other", "symbols.M"),
    ("symbols.N", "N", "symbol 'N' has no value"),
    ("symbols.N", 0, "", None),
    ("symbols.N", -1, "'N' is -1", None),
    ("symbols.N", HUGE, "is too large: integers have 64 bits"),
    ("symbols.N", 1 << 70, "is too large: integers have 64 bits"),
    ("symbols.M", "N // 0", "'N // 0': it divides by 0"),
    ("symbols.M", "N * 2 ** 62", "a result does not fit in 64 bits"),
    ("symbols.M", "N *", "'N *': an operand is missing at its end"),
    ("symbols.M", "exec(1)", "there is no function 'exec'"),
    ("symbols.M", "", "it is empty"),
    ("symbols.1M", 1, "'1M' is not a name that a symbol can have"),
    ("queues", 3, "should be an object of names and values"),
    ("queues.cpu", 0, "0: a device's number of queues is between 1 and 32"),
    ("queues.cpu", 33, "is between 1 and 32"),
    # --- buffers
    ("buffers", [], "should be an object of buffers"),
    ("buffers.x", 1, "it is an integer, and should be a buffer"),
    ("buffers.x.type", MISSING, "'type' is missing", "buffers.x"),
    ("buffers.x.type", "real", "unknown type of elements 'real': write"),
    ("buffers.x.type", "float5", "unknown type of elements 'float5'"),
    ("buffers.x.type", "struct 0", "unknown type of elements"),
    ("buffers.x.type", 4, "it is an integer, and should be a string"),
    ("buffers.x.size", MISSING, "'size' is missing", "buffers.x"),
    ("buffers.x.size", 1.5, "it is a number with a fraction"),
    ("buffers.x.size", 0, "0: a buffer's number of elements is at least 1"),
    ("buffers.x.size", -5, "is at least 1"),
    ("buffers.x.size", "2**60", "makes all data larger than"),
    ("buffers.x.size", "2**62", "makes all data larger than"),
    ("buffers.x.size", [], "it is an array, and should be an integer or an expression"),
    ("buffers.x.init", "ones", "unknown initial contents 'ones': write"),
    ("buffers.x.init", 1, "it is an integer, and should be what data begin as"),
    ("buffers.x.init", {}, "it should have one of"),
    ("buffers.x.init", {"constant": 1, "random": 2}, "it should have one of"),
    ("buffers.x.init.random", "x y", "'y' is not expected", ),
    ("buffers.x.init.low", 2, "the range of random numbers is empty", "buffers.x.init.random"),
    ("buffers.x.init", {"npy": "none.npy"}, "cannot be opened: No such file or directory", "buffers.x.init.npy", DEVICE),
    ("buffers.x.init", {"npy": "k.cl"}, "is not an .npy file", "buffers.x.init.npy", DEVICE),
    ("buffers.x.init", {"npy": "."}, "is not a regular file", "buffers.x.init.npy", DEVICE),
    ("buffers.x.init", {"npy": "pipe"}, "is not a regular file", "buffers.x.init.npy", DEVICE),
    ("buffers.x.init", {"npy": "negative.npy"}, "its shape has something that is not a size", "buffers.x.init.npy", DEVICE),
    ("buffers.x.init", {"csv": "gap.csv"}, "number 3 is missing", "buffers.x.init.csv", DEVICE),
    ("buffers.x.init", {"csv": "large.csv"}, "number 2 does not fit", "buffers.x.init.csv", DEVICE),
    ("buffers.x.init", {"constant": 1e300}, "a value does not fit in an element of the buffer", "buffers.x.init.constant", DEVICE),
    ("buffers.x.init", {"constant": 1.5}, "'1.5' is not an integer", "buffers.x.init.constant", None, {"buffers.x.type": "long"}),
    ("buffers.x.init", {"constant": 1 << 31}, "a value does not fit in an element of the buffer", "buffers.x.init.constant", DEVICE,
     {"buffers.x.type": "int"}),
    ("buffers.x.init", {"csv": "k.cl"}, "number 1 cannot be read", "buffers.x.init.csv", DEVICE),
    ("buffers.x.init", {"csv": "few.csv"}, "has 3 numbers, not 64", "buffers.x.init.csv", DEVICE),
    ("buffers.x.init", {"csv": "blanks.csv"}, "has 70127 bytes; at most 69632 are read", "buffers.x.init.csv", DEVICE),
    ("buffers.x.init", {"raw": "few.csv"}, "has 5 bytes, not 256", "buffers.x.init.raw", DEVICE),
    ("buffers.x.init", {"raw": "a\0b"}, "NUL character", "buffers.x.init.raw"),
    ("buffers.x.output", "", "it is empty"),
    ("buffers.x.output", "dag.json", "dag.json', which is the file of the graph"),
    ("buffers.x.output", "./sub/../k.cl", "which is the source of a kernel"),
    ("buffers.x.output", "y.npy", "which is the file of another result", "kernels.1.args.0.output"),
    ("buffers.x.expect", {"npy": "y.npy"}, "which is a file with expected results", "kernels.1.args.0.output"),
    ("buffers.x.output", "folder", "cannot be written: Is a directory", "buffers.x.output", DEVICE),
    ("buffers.x.expect", {}, "'npy' is missing"),
    ("buffers.x.expect", {"npy": "a.npy", "relative": -1}, "a tolerance is 0 or more", "buffers.x.expect.relative"),
    ("buffers.x.expect", {"npy": "a.npy", "relative": "1"}, "it is a string, and should be a number", "buffers.x.expect.relative"),
    ("buffers.x.more", 1, "a buffer has no field 'more'"),
    # --- kernels
    ("kernels.0", 1, "it is an integer, and should be a kernel"),
    ("kernels.0.id", MISSING, "'id' is missing", "kernels.0"),
    ("kernels.0.id", [], "should be an id: a string or an integer"),
    ("kernels.0.id", "1", "two kernels have the id '1'", "kernels.1.id"),
    ("kernels.0.id", "", "an id has 1 to 256 characters"),
    ("kernels.0.name", MISSING, "'name' is missing", "kernels.0"),
    ("kernels.0.name", 7, "it is an integer, and should be a string"),
    ("kernels.0.name", "a b", "'a b' is not a name that a kernel can have"),
    ("kernels.0.name", "add ", "'add ' is not a name that a kernel can have"),
    ("kernels.0.name", "2add", "'2add' is not a name that a kernel can have"),
    ("kernels.0.name", "subtract", "there is no kernel 'subtract' in file 'k.cl'; there is 'add'", None, "kinfo"),
    ("kernels.0.src", MISSING, "'src' is missing", "kernels.0"),
    ("kernels.0.src", "none.cl", "cannot be opened: No such file or directory"),
    ("kernels.0.src", "x" * 5000, "File name too long"),
    ("kernels.0.src", "circle.cl", "Too many levels of symbolic links"),
    ("kernels.0.src", "no\nsuch\x1b.cl", "no?such?.cl' cannot be opened"),
    ("kernels.0.src", "broken.cl", "does not compile: ", "kernels.0", "kinfo"),
    ("kernels.0.src", 3, "it is an integer, and should be a string"),
    ("kernels.0.options", "-o /tmp/x", "option '-o' is not taken"),
    ("kernels.0.options", "-D X", "option '-D' stands apart"),
    ("kernels.0.macros", {"1 2": 1}, "'1 2' is not a name", "kernels.0.macros.1 2"),
    ("kernels.0.macros", {"T": "a\"b"}, "is neither an expression nor a word for a macro", "kernels.0.macros.T"),
    ("kernels.0.symbols", {"L": "Z"}, "symbol 'Z' has no value", "kernels.0.symbols.L"),
    ("kernels.0.global", MISSING, "'global' is missing", "kernels.0"),
    ("kernels.0.global", "N", "it is a string, and should be an array of sizes"),
    ("kernels.0.global", [], "a range has 1 to 3 dimensions"),
    ("kernels.0.global", [1, 1, 1, 1], "a range has 1 to 3 dimensions"),
    ("kernels.0.global.0", 0, "0: a size of a range is at least 1"),
    ("kernels.0.global.0", "-N", "'-N' is -64: a size of a range is at least 1"),
    ("kernels.0.global.0", "Q", "symbol 'Q' has no value: give it one with -D Q=..."),
    ("kernels.0.global.0", 2.5, "it is a number with a fraction"),
    ("kernels.0.global.0", 65, "the range's size 65 is not a multiple of the work-group's, 8", "kernels.0.local.0"),
    ("kernels.0.global", ["2**40", "2**40"], "", "kernels.0.local.0"),
    ("kernels.1.global", ["2**40", "2**40"], "the range has more than 2^64 work-items", "kernels.1.global.1"),
    ("kernels.0.local", [8, 8], "the range has 1 dimensions, its work-groups have 2", "kernels.0.local.0"),
    ("kernels.0.local.0", 0, "a size of a work-group is at least 1"),
    ("kernels.0.device", 0, "it is an integer, and should be a string"),
    ("kernels.0.device", "toaster", "there is no device 'toaster': there is", Ellipsis, DEVICE, {"components": []}),
    ("kernels.0.device", "99", "there is no device '99': there is", Ellipsis, DEVICE, {"components": []}),
    ("kernels.0.partition", 11, "is between 0 and 10"),
    ("kernels.0.partition", 5, "is split", None),
    ("kernels.1.partition", 5, "it is a component by itself", None, None, {"kernels.1.args.0.break": 1, "symbols.N": 4096}),
    ("kernels.1.partition", 5, "a range of 64 cannot be split", Ellipsis, None, {"kernels.1.args.0.break": 1}),
    ("kernels.1.partition", 5, "a partition of 5 and the device 'gpu' contradict each other", Ellipsis, None, {"kernels.1.device": "gpu"}),
    ("kernels.0.cost", -1, "a cost is at least 0"),
    ("kernels.0.priority", "2**40", "a priority is between"),
    ("kernels.0.after", ["b"], "there is no kernel 'b'", "kernels.0.after.0"),
    ("kernels.0.after", ["a"], "kernel 'a' cannot come after itself", "kernels.0.after.0"),
    ("kernels.0.after", [1], "kernels wait for each other in a circle: 'a' -> '1' -> 'a'", None),
    ("kernels.0.after", 1, "it is an integer, and should be an array of ids"),
    ("kernels.0.args", MISSING, "'args' is missing", "kernels.0"),
    ("kernels.0.args", 3, "it is an integer, and should be an array of arguments"),
    ("kernels.0.args", [], "", None),
    ("kernels.0.colour", "red", "a kernel has no field 'colour'"),
    # --- arguments
    ("kernels.0.args.0.role", MISSING, "'role' is missing", "kernels.0.args.0"),
    ("kernels.0.args.0.role", "input", "'input' is not a role: write in, out, io, value or local"),
    ("kernels.0.args.0.role", True, "it is true or false, and should be a string"),
    ("kernels.0.args.1.buffer", "z", "there is no buffer 'z'"),
    ("kernels.0.args.1.size", 5, "an argument has no field 'size'"),
    ("kernels.0.args.2.break", 2, "and should be 0, 1, true or false"),
    ("kernels.0.args.3.type", "image2d_t", "unknown type of elements 'image2d_t'"),
    ("kernels.0.args.3.type", "half", "type 'half' cannot be passed"),
    ("kernels.0.args.3.type", "struct 8", "has its members' types and values", "kernels.0.args.3"),
    ("kernels.0.args.3.type", "int2", "has 2 values, not 1", "kernels.0.args.3"),
    ("kernels.0.args.3.type", "long", "is of type 'int', not 'long'", None, "kinfo"),
    ("kernels.0.args.3.type", "uchar", "300 does not fit in 'uchar'", "kernels.0.args.3.value", None, {"kernels.0.args.3.value": 300}),
    ("kernels.0.args.3.value", 1e39, "'1e+39' does not fit in 'float'", Ellipsis, None, {"kernels.0.args.3.type": "float"}),
    ("kernels.0.args.3.value", "-9223372036854775809", "does not fit in 64 bits"),
    ("kernels.0.args.3.value", MISSING, "'value' is missing", "kernels.0.args.3"),
    ("kernels.0.args.3.value", "2**31", "2147483648 does not fit in 'int'"),
    ("kernels.0.args.3.value", "1.5", "'1.5' is not an integer"),
    ("kernels.0.args.3.value", [], "has 1 value, not 0", "kernels.0.args.3"),
    ("kernels.0.args.3.value", {}, "it is an object, and should be"),
    ("kernels.0.args.4.size", "2**40", "no device has so much local memory"),
    ("kernels.0.args.4.size", 0, "is at least 1"),
    ("kernels.0.args.4.role", "value", "", "kernels.0.args.4"),
    ("kernels.1.args.0.init", "zeros", "which says itself what it begins as", "edges.0"),
    ("kernels.1.args.0.size", "N + 1", "it has 65 elements of 4 bytes, but buffer 'a.2'"),
    ("kernels.1.args.0.type", "double", "it has 64 elements of 8 bytes, but buffer 'a.2'", "kernels.1.args.0.size"),
    ("kernels.1.args.0.role", "value", "", "kernels.1.args.0"),
    ("kernels.1.args.0.role", "in", "", None, "kinfo"),
    # --- edges
    ("edges", {}, "it is an object, and should be an array of edges"),
    ("edges.0", "a 2 -> 1 0", "it is a string, and should be an edge"),
    ("edges.0", ["a", 2, 1], "an edge has four parts"),
    ("edges.0.0", "b", "there is no kernel 'b'"),
    ("edges.0.1", "2", "it is a string, and should be an argument's position"),
    ("edges.0.1", 9, "kernel 'a' has no argument 9: it has 5"),
    ("edges.0.1", -1, "kernel 'a' has no argument -1"),
    ("edges.0.1", 0, "an edge begins at an output, and argument 0 of kernel 'a' is not one", "edges.0"),
    ("edges.0.1", 3, "an edge begins at an output, and argument 3 of kernel 'a' is not one", "edges.0"),
    ("edges.0.3", 1, "kernel '1' has no argument 1"),
    ("edges.0", [1, 0, "a", 2], "an edge ends at an input, and argument 2 of kernel 'a' is not one"),
    ("edges.0", [1, 0, 1, 0], "the edge leads from kernel '1' to itself"),
    ("edges.0", [1, 0, "a", 1], "buffer 'x' is named"),
    ("edges", [["a", 2, 1, 0], ["a", 2, 1, 0]], "a second edge ends at argument 0 of kernel '1'", "edges.1"),
    ("edges", [["a", 2, 1, 0], [1, 0, "a", 0]], "", None),
    # --- components
    ("components", "all", "should be an array of components"),
    ("components.0", 1, "should be an array of kernels' ids"),
    ("components.0", [], "a component has no kernels", None),
    ("components.0", ["a", "z"], "there is no kernel 'z'", "components.0.1"),
    ("components", [["a", 1], ["a"]], "kernel 'a' is in two components", "components.1.0"),
    ("components.0", ["a", "a"], "kernel 'a' is in two components", "components.0.1"),
    ("kernels.1.device", "gpu", "a component goes to one device, but kernel '1' is for 'gpu', kernel 'a' for 'any'", "components.0.1"),
]

# Whole files, as text.
TEXTS = {
    "empty": ("", "this is not JSON"),
    "no_json": ("kernels", "this is not JSON"),
    "cut_short": (json.dumps(GOOD)[:-20], "this is not JSON"),
    "a_number": ("7", "and should be a file of kernels"),
    "another_object": ("{}", "this is not a file of kernels"),
    "an_array_of_nothing": ("[]", "there is no kernel in it"),
    "an_array_of_numbers": ("[1]", "it is an integer, and should be a kernel"),
    "a_name_twice": ('{"hsched-dag": 1, "kernels": [], "kernels": []}', "the name 'kernels' is there twice"),
    "deep_arrays": ("[" * 100000, "more than 64 arrays and objects are in each other"),
    "deep_objects": ('{"a":' * 100000, "more than 64 arrays and objects are in each other"),
    "a_large_number": ('{"hsched-dag": 1e999, "kernels": []}', "this is not JSON"),
    "bad_utf8": ('{"hsched-dag": 1, "kernels": ["\udcff"]}', "this is not JSON"),
    "trailing_text": (json.dumps(GOOD) + "x", "this is not JSON"),
    "text_behind_a_nul": (json.dumps(GOOD) + "\0x", "this is not JSON: there is a NUL character behind it"),
    "a_number_of_many_digits": ('{"hsched-dag": 1' + "0" * 5000 + "}", "this is not JSON: number overflow parsing '10000"),
    "a_graph_with_a_long_name": ("0 " + "a" * 5000 + " {}\n---\n---\n", "File name too long"),
    "a_figure_cut_short": ('{"id": 0\n---\n', "a kernel's '}' is missing before '---'"),
    "a_graph_of_bytes": ("0 a.json {}\n\udcd1 b.json {}\n---\n", "dag.json:2: this is not text"),
    "a_graph_with_controls": ("0 a.json {}\n1\0 b.json {}\n---\n", "dag.json:2: this is not text"),
    "a_graph_without_files": ("0 none.json {}\n---\n---\n", "cannot be opened"),
}


def change(file, path, value):
    at, steps = file, path.split(".")
    for n, step in enumerate(steps):
        steps[n] = int(step) if isinstance(at, list) else step
        if n + 1 < len(steps):
            at = at[steps[n]]
    if value is MISSING:
        del at[steps[-1]]
    else:
        at[steps[-1]] = value


def named(path):
    """As messages name a field: kernels[0].args[1].size"""
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path)


def prepare():
    write("k.cl", KERNELS)
    write("broken.cl", "kernel void add(global float *x) { x[0] = nothing; }\n")
    write("few.csv", "1,2,3")
    write("blanks.csv", " " * 70000 + ",".join("1" * 64))
    write("gap.csv", "1, 2,\n,4\n")
    write("large.csv", "1\n1e39\n")
    save("negative.npy", "f", [0] * 64, [-64])
    (harness.WORK / "folder").mkdir()
    os.mkfifo(harness.WORK / "pipe")
    os.symlink("circle.cl", harness.WORK / "circle.cl")


def wrong(arguments, said, field):
    done = run(*arguments)
    if "there is no OpenCL device" in done.stderr:
        raise Skip("no OpenCL device on this machine")
    lines = [l for l in done.stderr.splitlines() if not l.startswith("hsched-run: note: ")]
    expect(done.returncode == 1 and not done.stdout, "an error, and nothing else", done)
    expect(len(lines) == 1 and lines[0].startswith("hsched-run: error: dag.json:"), "one line, with the file", done)
    expect(said in lines[0], f"it should say: {said}", done)
    expect(len(lines[0]) < 1000 and lines[0].isprintable(), "a line that is not long, without control characters", done)
    if field is not None:
        begin = r"hsched-run: error: dag\.json:\d+: " + (re.escape(named(field)) + ": " if field else "")
        expect(re.match(begin, lines[0]), f"the field {named(field)}", done)


def row(path, value, said, field=Ellipsis, needs=None, also=None):
    def case():
        if needs == "kinfo" and not harness.OPTIONS.kinfo:
            raise Skip("hsched-kinfo is not built")
        prepare()
        file = copy.deepcopy(GOOD)
        change(file, path, value)
        for more, other in (also or {}).items():
            change(file, more, other)
        write("dag.json", file)
        wrong(["dag.json"], said, path if field is Ellipsis else field)
    return case


def text(content, said):
    def case():
        (harness.WORK / "dag.json").write_bytes(content.encode("utf-8", "surrogateescape"))
        wrong(["dag.json"], said, None)
    return case


def case_the_good_file():
    prepare()
    succeeds(write("dag.json", GOOD))


def case_no_file():
    done = run("nothing.json")
    expect(done.returncode == 1 and done.stderr == "hsched-run: error: file 'nothing.json' cannot be opened: No such file or "
           "directory\n", "no file", done)
    done = run(".")
    expect(done.returncode == 1 and "is not a regular file" in done.stderr, "a folder", done)


def case_symbols_of_the_command_line():
    prepare()
    write("dag.json", GOOD)
    for given, said in (("N=x y", "-D N=x y: 'x y': 'y' is not expected"), ("N=9223372036854775808", "does not fit in 64 bits"),
                        ("N=1//0", "it divides by 0"), ("N=0", "is at least 1")):
        done = run("dag.json", "-D", given)
        expect(done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1, given, done)
    for name, used in (("N", True), ("n", False), ("L", False), ("M", True)):
        done = run("--dry-run", "dag.json", "-D", name + "=64")
        expect(done.returncode == 0 and used != (f"-D {name}: nothing in the file uses this symbol" in done.stderr), name, done)
    file = copy.deepcopy(GOOD)
    file["symbols"]["N"] = "L if 1 else K"  # Only one of them gives the value.
    write("dag.json", file)
    for name, used in (("L", True), ("K", True), ("J", False)):
        done = run("--dry-run", "dag.json", "-D", "L=64", "-D", name + "=64")
        expect(done.returncode == 0 and used != (f"-D {name}: nothing in the file uses" in done.stderr), name, done)


def case_no_result_replaces_an_included_file():
    prepare()
    file = copy.deepcopy(GOOD)
    kept = {"near.h": "// near\n", "sub/far.h": "// far\n"}
    for name, content in {"sub/more.h": '  #  include "far.h"\n', **kept}.items():
        write(name, content)
    for kernel in file["kernels"]:
        kernel["options"] = "-Isub"
    for name in ("near.h", "sub/far.h"):
        for option in ((), ("--allow-path",)):
            file["buffers"]["x"]["output"] = name
            write("dag.json", file)
            write("k.cl", '#include "near.h"\n#include <more.h>\n' + KERNELS)
            wrong([*option, "dag.json"], "which is included by the source of a kernel", "buffers.x.output")
    for name, content in kept.items():
        expect((harness.WORK / name).read_text() == content, name)


def case_a_kernel_that_does_not_build():
    """Where nobody has asked hsched-kinfo, the device's compiler says it."""
    prepare()
    file = copy.deepcopy(GOOD)
    file["kernels"][0]["src"] = "broken.cl"
    write("dag.json", file)
    done = run("--no-check", "dag.json")
    if "there is no OpenCL device" in done.stderr:
        raise Skip("no OpenCL device on this machine")
    last = done.stderr.splitlines()[-1]
    expect(done.returncode == 1 and re.match(r"hsched-run: error: dag.json:\d+: kernels\[0\]: kernel 'add' of 'broken.cl' could be "
                                             r"neither built nor run on", last), "the last line", done)
    expect("hsched: warning" not in done.stderr, "one line of ours", done)
    done = run("--no-check", "dag.json", HSCHED_LOG="warning")
    expect("nothing" in done.stderr, "the compiler's own words are in the log", done)


def case_an_image():
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    prepare()
    buffer = {"role": "out", "type": "float", "size": 4}
    write("dag.json", {"hsched-dag": 1, "kernels": [{"id": 0, "name": "image", "src": "k.cl", "global": [4],
                                                     "args": [{**buffer, "role": "in"}, buffer]}]})
    wrong(["dag.json"], "is an image, which cannot be given here", "kernels.0.args.0")


def case_components_in_a_circle():
    """a -> b -> c with a and c in one component: b waits for it, and it for b."""
    prepare()
    one = lambda id: {"id": id, "name": "twice", "src": "k.cl", "global": [4], "args": [{"role": "io", "type": "float", "size": 4}]}
    file = {"hsched-dag": 1, "kernels": [one("a"), one("b"), one("c")], "edges": [["a", 0, "b", 0], ["b", 0, "c", 0]],
            "components": [["a", "c"], ["b"]]}
    write("dag.json", file)
    wrong(["dag.json"], "components wait for each other in a circle", "components.0.0")
    succeeds("dag.json", "--sched=versioning")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
for number, entry in enumerate(ROWS):
    CASES[f"{number:03}_" + re.sub(r"\W+", "_", entry[0])] = row(*entry)
for label, entry in TEXTS.items():
    CASES[label] = text(*entry)
if __name__ == "__main__":
    sys.exit(main(CASES))

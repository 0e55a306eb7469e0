#!/usr/bin/env python3
"""Each field of the schema, wrong in each way: one error that names file, line and field, and what to write.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: fields.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
The fields are those of docs/dag.schema.json, and of PySchedCL's and IRIS's formats as a file here has them. A field is left out, or
gets a value of each type; what the schema allows is left out of the list. A file that is then taken, crashes, or is refused with a
message that names neither the field nor one beside it, fails.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys

import harness
from harness import expect, main, run, write

KERNEL = """
kernel void f(global float *x, global const float *y, global float *z, int n, local float *room, float4 by) {
  x[get_global_id(0)] += y[get_global_id(0)];
  z[get_global_id(0)] = n * by.x;
}
"""
STRUCTURE = lambda: {"role": "value", "type": "struct 8", "value": [["float", 1], ["int", "N"]]}
OURS = {
    "$schema": "dag.schema.json",
    "hsched-dag": 1,
    "symbols": {"N": 64},
    "queues": {"cpu": 2},
    "buffers": {"y": {"type": "float", "size": "N", "init": {"random": 1, "low": 0, "high": 1}, "output": "y.npy",
                      "expect": {"npy": "e.npy", "relative": 1e-5, "absolute": 0}}},
    "kernels": [
        {"id": "a", "name": "f", "src": "k.cl", "options": "-w", "macros": {"T": 1}, "symbols": {"L": 8}, "global": ["N"], "local": ["L"], "offset": [0],
         "device": "any", "cost": 5, "priority": 1, "after": ["b"],
         "args": [{"role": "io", "type": "float", "size": "N", "init": {"constant": 1}, "output": "x.npy", "expect": "e.npy", "break": 0, "chunk": 1},
                  {"role": "in", "buffer": "y"}, {"role": "out", "type": "float", "size": "N", "init": {"raw": "k.cl"}},
                  {"role": "value", "type": "int", "value": "N"}, {"role": "local", "type": "float", "size": "L"},
                  {"role": "value", "type": "float4", "value": [1, 2, 3, 4]}, STRUCTURE()]},
        {"id": "b", "name": "f", "src": "k.cl", "global": ["N"], "local": [8], "partition": 10,
         "args": [{"role": "io", "type": "float", "size": "N", "init": {"npy": "e.npy"}}, {"role": "in", "type": "float", "size": "N", "init": {"csv": "k.cl"}},
                  {"role": "out", "type": "float", "size": "N"}, {"role": "value", "type": "int", "value": "N"},
                  {"role": "local", "type": "float", "size": 8}, {"role": "value", "type": "float4", "value": [1, 2, 3, 4]}, STRUCTURE()]},
        {"id": "c", "name": "f", "src": "k.cl", "global": ["N"],
         "args": [{"role": "io", "type": "float", "size": "N"}, {"role": "in", "type": "float", "size": "N"},
                  {"role": "out", "type": "float", "size": "N"}, {"role": "value", "type": "int", "value": "N"},
                  {"role": "local", "type": "float", "size": 8}, {"role": "value", "type": "float4", "value": [1, 2, 3, 4]}, STRUCTURE()]}],
    "edges": [["a", 0, "c", 1]],
    "components": [["a"], ["b"], ["c"]],
}
SPEC = {"id": 0, "name": "f", "src": "k.cl", "dev": "gpu", "task": "t", "depends": [], "partition": 10, "workDimension": 1, "globalWorkSize": "[n]",
        "localWorkSize": "[8]",
        "ioBuffers": [{"type": "float", "pos": 0, "size": "n", "break": 1, "chunk": 1}],
        "inputBuffers": [{"type": "float", "pos": 1, "size": "n", "break": 1}],
        "outputBuffers": [{"type": "float", "pos": 2, "size": "n", "break": 1}],
        "varArguments": [{"type": "int", "pos": 3, "value": "n"}, {"type": "float4", "pos": 5, "value": [1, 2, 3, 4]}],
        "localArguments": [{"type": "float", "pos": 4, "size": 8}], "macros_values": {"A": 1}, "symbolicVariables": {"n": 64}}
TOOL = [SPEC, {**copy.deepcopy(SPEC), "id": 1, "depends": [0],
               "inputBuffers": [{"type": "float", "pos": 1, "size": "n", "break": 1, "from": {"kernel": 0, "pos": 2}}]}]
PAPER = {"kernels": [{k: v for k, v in copy.deepcopy(SPEC).items() if k not in ("task", "depends", "partition")}], "tc": [[0]], "cq": {"r1": 2},
         "edges": []}
IRIS = {"iris-graph": {"inputs": ["user-size"], "graph": {"tasks": [
    {"name": "h", "target": "any", "depends": [], "commands": [{"h2d": {"name": "m", "device_memory": "B", "host_memory": "A", "offset": "0", "size": 256}}]},
    {"name": "t", "target": "any", "depends": ["h"], "commands": [{"kernel": {"name": "f", "global_size": ["user-size"], "local_size": [8], "offset": [0], "parameters": [
        {"type": "memory_object", "value": "B", "permissions": "rw"}, {"type": "memory_object", "value": "C", "permissions": "r", "size_bytes": 256},
        {"type": "memory_object", "value": "D", "permissions": "w", "size_bytes": 256}, {"type": "scalar", "value": "user-size", "data_type": "int"},
        {"type": "scalar", "value": 2, "data_size": 4}]}}]},
    {"name": "d", "target": "any", "depends": ["t"], "commands": [{"d2h": {"name": "m", "device_memory": "B", "host_memory": "A", "offset": "0", "size": 256}}]}]}}}

MISSING = object()
VALUES = {"missing": MISSING, "null": None, "true": True, "a string": "q?", "an empty string": "", "negative": -1, "a fraction": 2.5, "huge": 1 << 62,
          "beyond 64 bits": 1 << 64, "an array": [], "an array of arrays": [[1]], "an object": {}, "an unknown field": {"colour": 1}, "a NUL": "a\0b",
          "an expression of nothing known": "nobody + 1", "division by 0": "1 // 0", "a path outside": "../../etc/passwd"}
WORDS = ["a string", "an expression of nothing known", "division by 0", "a path outside"]
NUMBERS = ["negative", "a fraction", "huge"]
# What is right: fields that may be left out, any word, any number. Pattern of the path -> labels.
OPTIONAL = ["missing"]
TAKEN = {
    "ours": [
        (r"\$schema|queues(\.cpu)?|edges(\[0\])?|components(\[\d\])?|.*\.(init|output|expect|relative|absolute|low|high|break|chunk)", OPTIONAL),
        (r"kernels\[\d\]\.(options|macros(\.T)?|local|offset|device|partition|cost|priority|after(\[0\])?)|kernels\[1\]\.args\[[01]\]\.init", OPTIONAL),
        (r"\$schema|.*\.device", WORDS), (r".*\.(output|expect|npy|csv|raw)", WORDS[:3]),  # Such a file need not be there before a run.
        (r".*\.(low|high|constant|macros\.T|value(\[\d\])*|random|relative|absolute|cost|priority)", NUMBERS),
        (r".*\.(global|offset)\[0\]", ["huge"]), (r"queues|kernels\[0\]\.macros", ["an object"]), (r"kernels\[0\]\.macros", ["an unknown field"]),
        (r".*\.chunk", ["huge"]), (r"kernels\[0\]\.args\[\d\]", OPTIONAL),  # Only hsched-kinfo knows how many there are.
        (r"edges|components|kernels\[0\]\.after", ["an array"]), (r".*\.break", ["true"])],
    "tool": [
        (r"\[\d\]\.(id|dev|task|depends(\[0\])?|partition|localWorkSize|macros_values(\.A)?)|.*\.(break|chunk|from)|\[1\]", OPTIONAL),
        (r"\[\d\]\.(dev|task|partition|localWorkSize)", ["null"]), (r"\[\d\]\.(task|partition)|\[1\]\.id", [*WORDS, "a fraction", "a NUL"]),
        (r"\[\d\]\.task|\[1\]\.id", NUMBERS), (r"\[\d\]\.(depends|localWorkSize)", ["an array"]),
        (r".*\.(macros_values\.A|value(\[\d\])?)", NUMBERS), (r".*\.(globalWorkSize|chunk)", ["huge"]), (r".*\.macros_values", ["an object", "an unknown field"]),
        (r".*\.break", ["true"])],
    "iris": [
        (r".*\.(inputs(\[0\])?|target|depends(\[0\])?|name|host_memory|offset(\[0\])?|size|size_bytes|local_size(\[0\])?|data_type|data_size|commands\[0\]|parameters\[\d\])", OPTIONAL),
        (r".*\.tasks\[2\]", OPTIONAL), (r".*\.(inputs\[0\]|target|name|host_memory|device_memory|data_size|parameters\[[12]\]\.value)", WORDS),
        (r".*\.parameters\[[34]\]\.value", ["negative"]), (r".*\.target", ["huge", "a fraction"]), (r".*\.(inputs|depends|commands|local_size|offset|parameters)", ["an array"]), (r".*\.global_size\[0\]", ["huge"])],
}
TAKEN["paper"] = [(p.replace(r"\[\d\]\.", r"kernels\[0\]\."), labels) for p, labels in TAKEN["tool"]] + [(r"tc(\[0\])?|cq(\.r1)?|edges|.*\.varArguments\[1\]", OPTIONAL),
                                                                                                (r"tc|edges|cq", ["an array", "an object"])]
# A message may name an entity that refers to the field: an id, a symbol or memory that is now missing or too small.
REFERS = (r"there is no (kernel|task|buffer) '|symbol '\w+' has no value|no argument|the edge (begins|ends) at no |an earlier kernel of the same function|"
          r"'[nNL]' is -1: |of 4611686018427387904 elements makes|not a multiple of the work-group's, 4611686018427387904|bytes here, but ")


def fields(value, path=()):
    """Every field and element, outermost first."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from fields(inner, (*path, key))


def changed(file, path, value):
    file = copy.deepcopy(file)
    at = file
    for step in path[:-1]:
        at = at[step]
    if value is MISSING:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return file


def named(path):
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in path).lstrip(".")


def near(message, path):
    """Whether a message is about the field: its own path, that of what it is in, or of what is in it, or a field that refers to it."""
    place = re.match(r"error dag\.json:\d+: (?:([^\s:]+): )?", message)
    if not place:
        return False
    said = place.group(1) or ""
    whole = named(path)
    parent = named(path[:-1])
    return len(path) == 1 and not said or bool(said) and (said.startswith(parent) or whole.startswith(said)) or bool(re.search(REFERS, message))


def check(form, allowed, symbol=None):
    """All changes of one file."""
    program = pathlib.Path(harness.OPTIONS.run).parent / "dag_evaluate"
    for name in ("k.cl", "kernel.cl"):
        write(name, KERNEL)
    wrong, messages, count = [], set(), 0
    with subprocess.Popen([program, "--files", *([symbol] if symbol else [])], cwd=harness.WORK, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, bufsize=1) as reader:
        for path in fields(form):
            for label, value in VALUES.items():
                if any(re.fullmatch(p, named(path)) and label in labels for p, labels in allowed):
                    continue
                count += 1
                (harness.WORK / "dag.json").write_text(json.dumps(changed(form, path, value)))
                reader.stdin.write("dag.json\n")
                answer = reader.stdout.readline().rstrip("\n")
                what = f"{named(path)} {label}: {answer}"
                expect(answer, f"{what}: the reader has ended")
                if not answer.startswith("error "):
                    wrong.append(what)
                elif not near(answer, path):
                    wrong.append(what + " (it does not name the field)")
                messages.add(re.sub(r"\d+", "N", answer.split(": ", 2)[-1]))
        reader.stdin.close()
    expect(reader.returncode == 0, f"the reader's exit code is {reader.returncode}")
    print(f"{count} files, {len(messages)} messages")
    expect(not wrong, f"{len(wrong)} of {count} changes are not refused as they should be:\n  " + "\n  ".join(wrong))
    # The tool tells the same, in one line, and ends with 1.
    done = run("--dry-run", "--no-check", "dag.json", *(["-D", f"{symbol}=64"] if symbol else []))
    expect(done.returncode == 1 and done.stderr == f"hsched-run: {answer[:5]}: {answer[6:]}\n" and not done.stdout, answer, done)


def case_ours():
    check(OURS, TAKEN["ours"])


def case_tool():
    check(TOOL, TAKEN["tool"])


def case_paper():
    check(PAPER, TAKEN["paper"])


def case_iris():
    check(IRIS, TAKEN["iris"], "user_size")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

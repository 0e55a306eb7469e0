#!/usr/bin/env python3
"""Writes the fuzzers' first inputs, made of this project's tests and samples; run by hand, the result is kept.

usage: seed.py [--root DIR]      the folders of corpus/ beside this file are emptied first

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys

MOST_BYTES = 4096
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+hsched[ \t]+((?:\\\n|.)*)", re.M)


def write(folder, texts):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for text in sorted(set(texts)):
        if 0 < len(text) <= MOST_BYTES:
            (folder / hashlib.sha1(text.encode()).hexdigest()[:12]).write_text(text)
    print(f"{folder}: {len(list(folder.iterdir()))} inputs")


def clauses(root):
    """Each directive in the tests, once where it may stand and once on every kind of function."""
    directives = []
    for name in sorted([*root.glob("test/lit/language/*"), *root.glob("samples/*/*.cpp"), *root.glob("test/run/programs/*.cpp")]):
        if name.is_file():
            for match in PRAGMA.finditer(name.read_text()):
                text = re.sub(r"\\\n", " ", match.group(1)).split("//")[0].strip()
                if text not in directives:
                    directives.append(text)
    for text in directives:
        kind = text.split("(")[0].split()[0] if text.split() else ""
        place = {"taskwait": "9", "taskloop": "8", "implements": "1", "device": "0"}.get(kind, "0")
        task = "0task in([n]x) inout([n]y)\n" if place in "19" else ""
        yield f"{task}{place}{text}\n"
    yield "2task in(array, p, r, *q) inout(v, *t) out([n][M]m)\n"
    yield "3task in(y) out([n]x)\n5task inout([n]x)\n6task inout([size]data)\n"
    yield "7task in(local) inout(x[0:2]) \n9taskwait on(x[0:2])\n"
    yield '0task in([n]x) inout([n]y)\n1implements(saxpy) device(opencl) kernel("k.cl", "saxpy") ndrange(n; 64)\n'
    yield '0task inout([n]y)\n1implements(saxpy) device(opencl:gpu) kernel("k.cl", "other") ndrange(n) args(y, local(64), a)\n'


def kernels(root):
    """Whole files, and of files with many kernels each with what stands before the first."""
    lit = root / "test/lit/kinfo"
    for name in sorted([*lit.glob("*.cl"), *root.glob("samples/*/*.cl"), *root.glob("test/unit/compiler_analysis/kernels/*.cl")]):
        text = re.sub(r"^//.*\n", "", name.read_text(), flags=re.M)
        std = "1\n" if "opencl2" in name.name or "images" in name.name else "2\n" if "opencl3" in name.name else ""
        yield std + text
        parts = re.split(r"(?m)^(?=(?:__)?kernel |__kernel)", text)
        for part in parts[1:]:
            yield std + parts[0] + part


def dags(root):
    """Files of kernels in each format, small: what the tests of hsched-run begin with."""
    sys.path.insert(0, str(root / "test" / "dag"))
    import bad
    import formats
    text = lambda value: json.dumps(value)
    yield text(bad.GOOD)
    kernels = [formats.matmul(id=0, dev="gpu"), formats.vecadd(id=1, dev="cpu"), formats.matvec(id=2, dev="gpu")]
    yield text({"kernels": kernels, "tc": "{{0,2},{1}}", "cq": "{r1: 4, r2: 2}", "edges": formats.EDGES, "symbols": {"M": 8, "K": 4}})
    yield "\n".join(text(k) for k in kernels[1:2]) + '\n"cq": "{r1: 4}", "tc": "{{1}}"\n---\n---\n'
    one = {"id": 0, "name": "add", "src": "k.cl", "workDimension": 1, "globalWorkSize": "[N]", "localWorkSize": [4], "partition": 3,
           "ioBuffers": [{"type": "float", "pos": 0, "size": "N", "break": 1, "chunk": 4}], "task": 1,
           "varArguments": [{"type": "int2", "pos": 1, "value": [1, "partition_round(N, size_percent)"]}],
           "localArguments": [{"type": "float", "pos": 2, "size": "N/2"}], "macros_values": {"T": "N/2"}}
    two = {**one, "id": 1, "depends": [0], "partition": 10, "task": 0}
    two["ioBuffers"] = [{**one["ioBuffers"][0], "from": {"kernel": "0", "pos": 0}}]
    yield text(one)
    yield text([one, two])
    yield '0 spec.json {"N":4096,"partition":10}\n1 spec.json {\'N\':4096,\'partition\':5}\n---\n0 0->1 0\n---\n'
    tasks = [formats.move("h2d", "B", "A"), formats.task("t", "process", [formats.memory("B", "rw")], ["h2d-B"]),
             formats.move("d2h", "B", "A", ["t"])]
    yield text(formats.iris(tasks))
    for role in ("in", "out", "io"):
        arg = {"role": role, "type": "double4", "size": "max(N, 3) if N > 2 else 1 // N", "init": {"csv": "k.cl"}, "output": "o.npy",
               "expect": {"npy": "k.cl", "relative": 1e-5}}
        yield text({"hsched-dag": 1, "kernels": [{"id": "a", "name": "add", "src": "k.cl", "global": [1, 2, 3], "args": [arg]},
                                                 {"id": "b", "name": "add", "src": "k.cl", "global": [4], "after": ["a"],
                                                  "args": [{"role": "value", "type": "float", "value": -1.5e3}]}]})
    members = [["char", "N"], ["int at 1", 2], ["struct 8", [["short", 1], ["float", 2]], [["short", 3], ["float", 4]]], ["uchar", 0, 0, 0]]
    yield text({"hsched-dag": 1, "kernels": [{"id": "a", "name": "add", "src": "k.cl", "global": [1], "args": [
        {"role": "value", "type": "struct 28", "value": members}]}]})


def main():
    parser = argparse.ArgumentParser(description="Writes the fuzzers' first inputs.")
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--root", type=pathlib.Path, default=here.parent.parent)
    root = parser.parse_args().root
    write(here / "corpus" / "clauses", clauses(root))
    write(here / "corpus" / "kernels", kernels(root))
    write(here / "corpus" / "dags", dags(root))


main()

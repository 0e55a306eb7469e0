#!/usr/bin/env python3
"""Writes multi-head attention as a file of kernels for hsched-run: H heads of eight kernels, a component a head.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: transformer.py FOLDER [--heads H] [--beta N] [--cpu-heads N] [--check] [--form ours|pyschedcl]
FOLDER gets dag.json (dag.graph and info/ with --form pyschedcl) and transformer.cl. With --check it also gets, for each
head, what a reference in double precision computes (z0.npy, ...), which results are compared with. All matrices are
beta x beta, a multiple of 8.
"""
import argparse
import json
import math
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from arrays import argument, product, random, save, transposed, value  # noqa: E402

# Kernel, function, what its inputs are: another kernel's output, X, or weights.
HEAD = [("q", "gemm", ("X", "wq")), ("k", "gemm", ("X", "wk")), ("v", "gemm", ("X", "wv")), ("t", "transpose_of", ("k",)),
        ("a", "gemm", ("q", "t")), ("s", "softmax_of_rows", ("a",)), ("c", "gemm", ("s", "v")), ("z", "gemm", ("c", "wh"))]
WEIGHTS = ("wq", "wk", "wv", "wh")


def seed(head, weights):
    return 1 + head * len(WEIGHTS) + WEIGHTS.index(weights)


def reference(head, beta, x):
    """Z of a head, each step in double precision."""
    weights = {w: random(seed(head, w), beta * beta, 0, 1 / beta) for w in WEIGHTS}
    multiply = lambda a, b: product(a, b, beta, beta, beta)
    q, k, v = (multiply(x, weights[w]) for w in ("wq", "wk", "wv"))
    scores, rows = multiply(q, transposed(k, beta, beta)), []
    for i in range(beta):
        row = scores[i * beta:(i + 1) * beta]
        powers = [math.exp(s - max(row)) for s in row]
        rows += [p / sum(powers) for p in powers]
    return multiply(multiply(rows, v), weights["wh"])


def ours(options):
    kernels, edges, components = [], [], []
    for head in range(options.heads):
        ids = []
        for name, function, inputs in HEAD:
            id, args = f"{name}{head}", []
            for at, source in enumerate(inputs):
                if source == "X":
                    args.append({"role": "in", "buffer": "X"})
                elif source in WEIGHTS:
                    args.append(argument("in", "N*N", init={"random": seed(head, source), "low": 0, "high": 1 / options.beta}))
                else:
                    args.append(argument("in", "N*N"))
                    edges.append([f"{source}{head}", next(len(i) for n, _, i in HEAD if n == source), id, at])
            args.append(argument("out", "N*N"))
            if name == "z" and options.check:
                args[-1]["expect"] = {"npy": f"z{head}.npy", "relative": 1e-5}
            sizes = 3 if function == "gemm" else 2
            kernel = {"id": id, "name": function, "src": "transformer.cl", "global": ["64*N"] if "softmax" in function else ["N", "N"],
                      "device": "cpu" if head < options.cpu_heads else "gpu", "cost": "2*N**3" if function == "gemm" else "4*N*N",
                      "args": args + [value("N")] * sizes}
            if function != "transpose_of":
                kernel["local"] = [8, 8] if function == "gemm" else [64]
            kernels.append(kernel)
            ids.append(id)
        components.append(ids)
    return {"hsched-dag": 1, "symbols": {"N": options.beta},
            "buffers": {"X": {"type": "float", "size": "N*N", "init": {"random": 0}}},
            "kernels": kernels, "edges": edges, "components": components}


def pyschedcl(options, folder):
    """The same as dag.graph; X is an input of three kernels there, and data are random."""
    (folder / "info").mkdir(exist_ok=True)
    for function in sorted({f for _, f, _ in HEAD}):
        inputs = 2 if function == "gemm" else 1
        spec = {"name": function, "src": "transformer.cl", "workDimension": 1 if "softmax" in function else 2,
                "globalWorkSize": "[64*beta]" if "softmax" in function else "[beta,beta]",
                "inputBuffers": [{"type": "float", "pos": p, "size": "beta*beta", "break": 0} for p in range(inputs)],
                "outputBuffers": [{"type": "float", "pos": inputs, "size": "beta*beta", "break": 0}], "ioBuffers": [],
                "varArguments": [{"type": "int", "pos": inputs + 1 + n, "value": "beta"} for n in range(3 if inputs == 2 else 2)]}
        (folder / "info" / f"{function}.json").write_text(json.dumps(spec, indent=2) + "\n")
    lines, edges, number = [], [], {}
    for head in range(options.heads):
        for name, function, inputs in HEAD:
            number[name, head] = len(number)
            symbols = {"beta": options.beta, "partition": 0 if head < options.cpu_heads else 10}
            if function == "gemm":
                symbols["localWorkSize"] = 8
            lines.append(f"{number[name, head]} {function}.json {json.dumps(symbols, separators=(',', ':'))}")
            for at, source in enumerate(inputs):
                if source != "X" and source not in WEIGHTS:
                    edges.append(f"{number[source, head]} {next(len(i) for n, _, i in HEAD if n == source)}->{number[name, head]} {at}")
    (folder / "dag.graph").write_text("\n".join(lines) + "\n---\n" + "\n".join(edges) + "\n---\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--beta", type=int, default=64)
    parser.add_argument("--cpu-heads", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--form", choices=("ours", "pyschedcl"), default="ours")
    options = parser.parse_args()
    if options.heads < 1 or options.beta < 8 or options.beta % 8:
        parser.error("there is at least one head, and beta is a multiple of 8")
    options.folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "transformer.cl", options.folder)
    if options.form == "pyschedcl":
        pyschedcl(options, options.folder)
        return 0
    (options.folder / "dag.json").write_text(json.dumps(ours(options), indent=1) + "\n")
    if options.check:
        x = random(0, options.beta**2)
        for head in range(options.heads):
            save(options.folder / f"z{head}.npy", reference(head, options.beta, x))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes chains of kernels as files for hsched-run: products, solvers' steps, a stencil, forks and joins.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: chains.py FOLDER PROGRAM [--size N] [--steps N] [--width N] [--check]
PROGRAM is one of the programs below; FOLDER gets dag.json and chains.cl. With --check it also gets what a reference in double precision
computes, which results are compared with.
"""
import argparse
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from arrays import by_vector, product, random, save, transposed, value  # noqa: E402


class Chain:
    """Kernels on named buffers, which run in the order in which they are written down; and the same in Python."""

    def __init__(self, n):
        self.n, self.kernels, self.buffers, self.data, self.results = n, [], {}, {}, []

    def begin(self, name, matrix, seed=None):
        size = self.n * self.n if matrix else self.n
        self.buffers[name] = {"type": "float", "size": "N*N" if matrix else "N",
                              **({"init": {"random": seed}} if seed is not None else {})}
        self.data[name] = random(seed, size) if seed is not None else [0.0] * size

    def matrices(self, *names, seed=1):
        for at, name in enumerate(names):
            self.begin(name, True, seed + at)

    def vectors(self, *names, seed=50):
        for at, name in enumerate(names):
            self.begin(name, False, seed + at)

    def result(self, *names):
        self.results += names

    def run(self, function, roles, names, compute, two=True, n=True):
        """A kernel; `compute` is what it makes of its last written buffer."""
        args = [{"role": role, "buffer": name} for role, name in zip(roles, names)]
        self.kernels.append({"id": f"{function}.{len(self.kernels)}", "name": function, "src": "chains.cl",
                             "global": ["N", "N"] if two else ["N"], "args": args + ([value("N")] if n else [])})
        written = next(name for role, name in zip(roles, names) if role != "in")
        self.data[written] = compute(*(self.data[name] for name in names))

    def multiply(self, a, b, c):
        n = self.n
        self.begin(c, True)
        self.run("matrix_product", ("in", "in", "out"), (a, b, c), lambda x, y, _: product(x, y, n, n, n))

    def rows(self, a, x, y):
        self.begin(y, False)
        self.run("by_rows", ("in", "in", "out"), (a, x, y), lambda m, v, _: by_vector(m, v, self.n, self.n), two=False)

    def columns(self, a, x, y):
        self.begin(y, False)
        self.run("by_columns", ("in", "in", "out"), (a, x, y),
                 lambda m, v, _: by_vector(transposed(m, self.n, self.n), v, self.n, self.n), two=False)

    def add(self, x, y):
        self.run("add_to", ("in", "io"), (x, y), lambda a, b: list(map(float.__add__, a, b)), two=False, n=False)


def two_products(c, _):
    c.matrices("a", "b", "c")
    c.multiply("a", "b", "ab")
    c.multiply("ab", "c", "d")
    c.result("d")


def three_products(c, _):
    c.matrices("a", "b", "c", "d")
    c.multiply("a", "b", "e")
    c.multiply("c", "d", "f")
    c.multiply("e", "f", "g")
    c.result("g")


def atax(c, _):
    """y = A' (A x)"""
    c.matrices("a")
    c.vectors("x")
    c.rows("a", "x", "ax")
    c.columns("a", "ax", "y")
    c.result("y")


def bicg(c, _):
    """q = A p and s = A' r, which are independent."""
    c.matrices("a")
    c.vectors("p", "r")
    c.rows("a", "p", "q")
    c.columns("a", "r", "s")
    c.result("q", "s")


def mvt(c, _):
    """x1 += A y1 and x2 += A' y2"""
    c.matrices("a")
    c.vectors("x1", "x2", "y1", "y2")
    c.rows("a", "y1", "ay1")
    c.columns("a", "y2", "ay2")
    c.add("ay1", "x1")
    c.add("ay2", "x2")
    c.result("x1", "x2")


def gemver(c, _):
    """A += u1 v1' + u2 v2'; x = A' y + z; w = A x"""
    n = c.n
    c.matrices("a")
    c.vectors("u1", "v1", "u2", "v2", "y", "z")
    c.run("rank_two", ("io", "in", "in", "in", "in"), ("a", "u1", "v1", "u2", "v2"),
          lambda a, u1, v1, u2, v2: [a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j] for i in range(n) for j in range(n)])
    c.columns("a", "y", "x")
    c.add("z", "x")
    c.rows("a", "x", "w")
    c.result("x", "w")


def fdtd(c, options):
    n = c.n
    c.matrices("ex", "ey", "hz")
    for _ in range(options.steps):
        c.run("field_of_y", ("io", "in"), ("ey", "hz"),
              lambda e, h: [v - 0.5 * (h[i] - h[i - n]) if i >= n else v for i, v in enumerate(e)])
        c.run("field_of_x", ("io", "in"), ("ex", "hz"),
              lambda e, h: [v - 0.5 * (h[i] - h[i - 1]) if i % n else v for i, v in enumerate(e)])
        c.run("field_of_z", ("in", "in", "io"), ("ex", "ey", "hz"),
              lambda x, y, h: [v - 0.7 * (x[i + 1] - x[i] + y[i + n] - y[i]) if i < n * (n - 1) and i % n < n - 1 else v
                               for i, v in enumerate(h)])
    c.result("ex", "ey", "hz")


def fork_join(c, options):
    """One vector, `width` products of it side by side, their sum."""
    c.matrices("a")
    c.vectors("x")
    c.rows("a", "x", "y")
    for branch in range(options.width):
        c.begin(f"m{branch}", True, 100 + branch)
        c.rows(f"m{branch}", "y", f"y{branch}")
    total = "y0"
    for branch in range(1, options.width):
        c.begin(f"sum{branch}", False)
        c.run("sum_of", ("in", "in", "out"), (total, f"y{branch}", f"sum{branch}"),
              lambda a, b, _: list(map(float.__add__, a, b)), two=False, n=False)
        total = f"sum{branch}"
    c.result(total)


PROGRAMS = {"2mm": two_products, "3mm": three_products, "atax": atax, "bicg": bicg, "mvt": mvt, "gemver": gemver, "fdtd": fdtd,
            "fork-join": fork_join}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--width", type=int, default=4)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if min(options.size, options.steps, options.width) < 1:
        parser.error("sizes, steps and widths are at least 1")
    chain = Chain(options.size)
    PROGRAMS[options.program](chain, options)
    options.folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "chains.cl", options.folder)
    for name in chain.results:
        chain.buffers[name]["output"] = f"{name}.npy"
        if options.check:
            chain.buffers[name]["expect"] = {"npy": f"{name}-expected.npy", "relative": 1e-5, "absolute": 1e-5}
            save(options.folder / f"{name}-expected.npy", chain.data[name])
    file = {"hsched-dag": 1, "symbols": {"N": options.size}, "buffers": chain.buffers, "kernels": chain.kernels}
    (options.folder / "dag.json").write_text(json.dumps(file, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

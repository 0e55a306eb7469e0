#!/usr/bin/env python3
"""Writes the fuzzers' first inputs, made of this project's tests and samples; run by hand, the result is kept.

usage: seed.py [--root DIR]      corpus/clauses and corpus/kernels beside this file are emptied first

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import hashlib
import pathlib
import re

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


def main():
    parser = argparse.ArgumentParser(description="Writes the fuzzers' first inputs.")
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--root", type=pathlib.Path, default=here.parent.parent)
    root = parser.parse_args().root
    write(here / "corpus" / "clauses", clauses(root))
    write(here / "corpus" / "kernels", kernels(root))


main()

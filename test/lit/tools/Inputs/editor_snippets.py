#!/usr/bin/env python3
"""Writes a source file with what the snippets for Visual Studio Code insert, each placeholder as its default.

usage: editor_snippets.py SNIPPETS > SOURCE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import re
import sys

PLACE = re.compile(r"\$\{(\d+)(?::([^{}]*)|\|((?:[^|\\]|\\.)*)\|)?\}|\$(\d+)")


def expand(text):
    """The innermost placeholders first; a number without a text is what stands at its first place."""
    known = {}
    while True:
        match = next((m for m in PLACE.finditer(text) if m[2] is not None or m[3] is not None), None)
        if not match:
            break
        value = match[2] if match[2] is not None else match[3].split(",")[0]
        known[match[1]] = value
        text = text[:match.start()] + value + text[match.end():]
    return PLACE.sub(lambda m: known.get(m[1] or m[4], ""), text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        snippets = {s["prefix"]: expand("\n".join(s["body"])) for s in json.load(file).values()}
    whole = lambda prefix: snippets.pop(prefix)
    print("#include <hsched/hsched.h>")
    print(whole("hsreduction").replace("name", "sum").replace("type", "double"))
    print(whole("hstask"))
    print(whole("hsimplements"))
    print(whole("hskernel").replace("file.cl", "name.cl"))
    print("void run(int n, int x) {")
    for prefix in [p for p, text in snippets.items() if text.startswith("#pragma")]:
        print(whole(prefix))
    print(f"#pragma hsched task {whole('hsvars')}\n{{\n  (void)x;\n}}")
    print("}")
    # These fit a kernel with parameters of its own: docs/language.md has them in files that are compiled.
    for prefix in ("args(", "options(", "packed("):
        whole(prefix)
    # Clauses, each on a task of its own.
    parameters = ("int n, int length, int first, int rows, int ld, int i, int j, int m, int count, double *x, double *a, "
                  "double *const *p, double &sum")
    for number, (prefix, clause) in enumerate(snippets.items()):
        clause = clause.replace("commutative(x)", "commutative(*x)").replace("concurrent(x)", "concurrent(*x)")
        print(f"#pragma hsched task {clause}\nvoid clause{number}({parameters});")


main()

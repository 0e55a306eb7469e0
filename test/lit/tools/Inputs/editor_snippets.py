#!/usr/bin/env python3
"""Writes a source file with what the snippets for Visual Studio Code insert, each placeholder as its default.

usage: editor_snippets.py SNIPPETS > SOURCE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import re
import sys

PLACE = re.compile(r"\$\{(\d+)(?::([^{}]*)|\|((?:[^|\\]|\\.)*)\|)?\}|\$(\d+)")


def once(pairs):
    """A dictionary in which no key stands twice."""
    pairs = list(pairs)
    assert len(dict(pairs)) == len(pairs), f"a name or a prefix stands twice: {[key for key, _ in pairs]}"
    return dict(pairs)


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
        offered = json.load(file, object_pairs_hook=once)
    for name, snippet in offered.items():
        assert set(snippet) == {"scope", "prefix", "body", "description"} and snippet["scope"] == "cpp,c", f"{name}: what the editor reads"
        assert snippet["description"], f"{name}: its description"
        numbers = {int(number) for number in re.findall(r"\$\{?(\d+)", "\n".join(snippet["body"]))} - {0}
        assert numbers == set(range(1, len(numbers) + 1)), f"{name}: a place of the cursor is left out"
    snippets = once((s["prefix"], expand("\n".join(s["body"]))) for s in offered.values())
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
    # Kernels with parameters of their own.
    print("#pragma hsched task in([n]x)\nvoid many(int n, const float *x);")
    print(f'#pragma hsched implements(many) device(opencl) kernel("many.cl") ndrange(n) {whole("args(")} {whole("options(")}')
    print("void many_cl(int n, const float *x);")
    print("#pragma hsched task out(([m][lda]a)[0:m][0:n])\nvoid matrix(int m, int n, int lda, float *a);")
    print(f'#pragma hsched implements(matrix) device(opencl) kernel("matrix.cl") ndrange(n, m) {whole("packed(")}')
    print("void matrix_cl(int m, int n, int lda, float *a);")
    # Clauses, each on a task of its own.
    parameters = ("int n, int length, int first, int rows, int ld, int i, int j, int m, int count, double *x, double *a, "
                  "double *const *p, double &sum")
    for number, (prefix, clause) in enumerate(snippets.items()):
        clause = clause.replace("commutative(x)", "commutative(*x)").replace("concurrent(x)", "concurrent(*x)")
        print(f"#pragma hsched task {clause}\nvoid clause{number}({parameters});")


main()

"""Directives whose clauses hold broken expressions: each draws an error of hsched-cc's own in its line, and none other.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: broken.py HSCHED_CC SOURCE
"""
import re
import subprocess
import sys

EXPRESSIONS = ["n +", "n + ", "+", "(n", "n)", "n ++ 3", "1 2", "n @ 2", "f(", "[n", "n ? 1", "n..m", "(n, )", "/ n"]
DATA = ["in([%s]x)", "out(x[%s:1])", "inout(x[0:%s])", "in(x[%s])", "commutative(x[%s])", "concurrent([%s]x)",
        "reduction(+: x[%s])", "in({x[i], i = 0:%s})", "in({x[i], i = %s;4})", "in(%s)"]
HINTS = ["priority(%s)", "label(%s)", "if(%s)", "final(%s)", "cost(%s)", "where(%s)", "device(%s)"]
LISTS = ["firstprivate(%s)", "shared(%s)", "private(%s)", "unused(%s)"]
LOOPS = ["grainsize(%s)", "collapse(%s)"]
KERNELS = ["ndrange(%s)", "ndrange(%s; 1)", "ndrange(n; %s)", "ndrange(n, %s)", "ndrange(n; 1; %s)", "args(x, %s)",
           "args(%s, n)", "args(x, local(%s))", "options(%s)", "kernel(%s)", "packed(%s)", "implements(%s)"]
VALID = {"out(x[n ? 1:1])"}


def directives():
    function = "void f{0}(float *x, int n, int m);"
    statement = "void f{0}(float *x, int n, int m) {{\n{1}\n  x[0] = n;\n}}"
    loop = "void f{0}(float *x, int n, int m) {{\n{1}\n  for (int i = 0; i < n; ++i)\n    x[i] = n;\n}}"
    for clauses, head, place in (
            (DATA + HINTS, "task", "{1}\n" + function), (DATA + HINTS + LISTS, "task", statement),
            (DATA + HINTS + LISTS + LOOPS, "taskloop", loop), (DATA + LISTS, "for", loop),
            (KERNELS, "device(opencl)", "{1}\n" + function), (["on(%s)"], "taskwait", statement)):
        for clause in clauses:
            for expression in EXPRESSIONS:
                if clause % expression not in VALID:
                    yield place, f"#pragma hsched {head} {clause % expression}"
    for form in ("%s) initializer(omp_priv = 0", "omp_out += omp_in) initializer(%s"):
        for expression in EXPRESSIONS:
            yield "{1}", f"#pragma hsched declare reduction(r{{0}}: double: {form % expression})"


def main():
    compiler, source = sys.argv[1:]
    text, expected = "", {}
    for number, (place, directive) in enumerate(directives()):
        directive = directive.replace("{0}", str(number))
        before = text.count("\n") + place.format(number, "\0").split("\0")[0].count("\n") + 1
        text += place.format(number, directive) + "\n"
        expected[before] = directive
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([compiler, "-std=c++20", "-ferror-limit=0", "-c", source, "-o", source + ".o"],
                         capture_output=True, text=True, check=False)
    errors = {}
    for line, what in re.findall(r"^[^\n]*?:(\d+):\d+: (?:fatal )?error: (.*)", run.stderr, re.M):
        errors.setdefault(int(line), what)
    wrong = [f"no error: {expected[line]}" for line in expected if line not in errors]
    wrong += [f"line {line}: {what}" for line, what in errors.items() if line not in expected]
    print("\n".join(wrong) or f"{len(expected)} directives")
    return 1 if wrong or run.returncode == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

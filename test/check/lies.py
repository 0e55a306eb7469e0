#!/usr/bin/env python3
"""Right programs, and the same with one clause that lies: how many of the lies a checked run finds, and that it finds
nothing in the right ones.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: lies.py --cc BIN/hsched-cc [--c] [--option=-O2] [--least PERCENT] [--show] [--keep FOLDER]
lies.txt holds the programs, lies_c.txt those in C. All of them, with each of their lies, are one program, built once; each
lie is a run of it.
Exit code 1 if fewer lies are found than asked for, or something is said of a right program.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CHOICE = re.compile(r"@\{(.*?)\}@", re.S)

def programs(text):
    """(name, source with @{right|lie|lie}@) of each."""
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        name, source = part.split("\n", 1)
        yield name.strip(), source

def variants(name, source):
    """(name, lie, source): the right one first, whose lie is empty."""
    choices = [[c.strip() for c in m.split("|")] for m in CHOICE.findall(source)]

    def with_choice(which, alternative):
        counter = iter(range(len(choices)))
        def pick(_):
            i = next(counter)
            return choices[i][alternative if i == which else 0]
        return CHOICE.sub(pick, source)

    yield name, "", with_choice(-1, 0)
    for i, alternatives in enumerate(choices):
        for k in range(1, len(alternatives)):
            yield name, f"{alternatives[0]} -> {alternatives[k]}", with_choice(i, k)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", required=True, type=os.path.abspath)
    parser.add_argument("--c", action="store_true", help="the programs in C")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--least", type=float, default=95)
    parser.add_argument("--show", action="store_true", help="print what is said of each")
    parser.add_argument("--keep")
    options = parser.parse_args()
    here = pathlib.Path(__file__).parent
    head, text = (here / ("lies_c.txt" if options.c else "lies.txt")).read_text().split("== ", 1)
    all_of_them = [v for name, source in programs("== " + text) for v in variants(name, source)]

    folder = pathlib.Path(options.keep or tempfile.mkdtemp())

    file = "lies.c" if options.c else "lies.cpp"
    headers = "stdio.h stdlib.h string.h" if options.c else "algorithm cstdio cstdlib cstring numeric vector"
    source = "".join(f"#include <{h}>\n" for h in headers.split())
    for i, (_, _, code) in enumerate(all_of_them):
        source += re.sub(r"\$(\w+)", rf"\1_{i}", code) if options.c else f"namespace program_{i} {{\n{code}\n}}\n"
    source += "int main(int argc, char **argv) {\n  switch (atoi(argv[argc - 1])) {\n"
    for i in range(len(all_of_them)):
        source += f"  case {i}: " + (f"run_{i}()" if options.c else f"program_{i}::run()") + "; break;\n"
    source += "  }\n#pragma hsched taskwait\n}\n"
    (folder / file).write_text(source)
    subprocess.run([options.cc, "--hsched-check", "-w", *(["-x", "c", "-std=gnu17"] if options.c else ["-std=c++20"]),
                    *(options.option or ["-O1"]), file, "-o", "lies"], check=True, cwd=folder)

    environment = {**os.environ, "HSCHED_OPENCL": "0"}
    lies, missed, false = 0, [], []
    for i, (name, lie, _) in enumerate(all_of_them):
        run = subprocess.run(["./lies", str(i)], cwd=folder, env=environment, capture_output=True, text=True,
                             timeout=60)
        said = "checked run: " in run.stderr
        if options.show:
            print(f"== {name}: {lie or 'right'}: exit code {run.returncode}\n{run.stderr}", end="")
        if not lie and (said or run.returncode != 0):
            false.append(f"{name}: exit code {run.returncode}: {run.stderr.splitlines()[:1]}")
        if lie:
            lies += 1
            # Which task it is, the line of the access or the clause, and an exit code that says so.
            if run.returncode != 1 or not said or not re.search(r"lies\.c(pp)?:\d+", run.stderr):
                missed.append(f"{name}: {lie}")
    found = lies - len(missed)
    for line in missed:
        print("missed: " + line)
    for line in false:
        print("said of a right program: " + line)
    print(f"{found} of {lies} lies found ({100 * found / lies:.1f} %), "
          f"{len(false)} of {len(all_of_them) - lies} right programs suspected")
    return 0 if not false and 100 * found >= options.least * lies else 1

if __name__ == "__main__":
    sys.exit(main())

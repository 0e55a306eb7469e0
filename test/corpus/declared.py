#!/usr/bin/env python3
# The expectations of the corpus as directives, through hsched-cc itself: what is true is not warned of.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: declared.py HSCHED-CC FOLDER FILE...

Writes each file to the folder with '#pragma hsched task ...' in place of '// expect: ...', and compiles it. Prints what
hsched-cc says, and ends with 1 where that is a warning or an error of a directive. Expectations that no clause can say,
p[?], opaque and a whole pair, are left out."""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sections import split


def section(text):
    """A section as a clause has it; None where it has none."""
    if "[?]" in text:
        return None
    strided = re.fullmatch(r"(\w[\w.]*)<([^;]*);(.*)>", text)
    if not strided:
        return text
    name, base, dims = strided[1], strided[2].strip(), [d.strip() for d in strided[3].split(",")]
    if len(dims) > 2:
        return None
    rows, stride = dims[0].split(" x ")
    start = name if base == "0" else f"({name} + ({base}))"
    return f"([{rows}][{stride}]{start})[0:{rows}][0:{dims[1] if len(dims) == 2 else 1}]"


def directive(expectation):
    if "opaque" in expectation:
        return None
    clauses = []
    for role, body in re.findall(r"(in|out|inout|none)!?\(((?:[^()]|\([^()]*\))*)\)", expectation):
        if role == "none":
            continue
        sections = [section(s) for s in split(body)]
        if None in sections:
            return None
        clauses.append(f"{role}({', '.join(sections)})")
    return "#pragma hsched task " + " ".join(clauses)


def main(compiler, folder, files):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    declared = left = failed = 0
    for path in map(pathlib.Path, files):
        lines = path.read_text().split("\n")
        for i, line in enumerate(lines):
            if line.startswith("// expect: "):
                pragma = directive(line.removeprefix("// expect: "))
                for name in re.findall(r"\bvoid \*(\w+)", lines[i + 1]) if pragma else []:  # has no elements
                    pragma = re.sub(rf"\]{name}\b", f"](char *){name}", pragma)
                if "std::pair<" in lines[i + 1]:  # named by its members alone
                    pragma = None
                declared += pragma is not None
                left += pragma is None
                lines[i] = pragma or line
        to = folder / path.name
        to.write_text("\n".join(lines))
        run = subprocess.run([compiler, "-std=c++20", "-Whsched", "--hsched-emit=json", str(to), "-o", str(to) + ".json"],
                             capture_output=True, text=True)
        print(run.stderr, end="")
        failed += run.returncode != 0 or "[-Whsched" in run.stderr
    print(f"{declared} expectations declared, {left} not; {failed} files with something to say")
    return 1 if failed or not declared else 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))

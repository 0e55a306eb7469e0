#!/usr/bin/env python3
"""Samples leave out the data clauses that hsched-cc infers.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: inferred.py ROOT BUILD
Takes `in`, `out` and `inout` out of each `task` and `taskloop` of each sample, and lets hsched-cc tell what it infers. A directive is reported if all
its data are inferred in the same role. If one of them cannot be inferred, or has another role, all of its clauses may stand. Exit code 77: no sample
could be compiled, because packages are missing.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PACKAGES = {"matmul": ["openblas"], "clblast": ["openblas", "clblast"], "cholesky": ["openblas", "clblast"], "lu": ["openblas", "clblast"],
            "edges": ["libpng"]}
DIRECTIVE = re.compile(r"^[ \t]*#pragma hsched (?:task|taskloop)\b(?:.*\\\n)*.*$", re.M)
CLAUSE = re.compile(r"\b(in|out|inout)(?=(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)))")


def roots(sections):
    """The variables that sections begin in."""
    while re.search(r"\[[^\[\]]*\]", sections):
        sections = re.sub(r"\[[^\[\]]*\]", "", sections)
    return {re.search(r"\w+", s)[0] for s in sections.split(",")}


def without_clauses(directive):
    """(the directive without its data clauses, {variable: role})."""
    roles = {}
    for role, sections in CLAUSE.findall(directive):
        roles.update({r: role for r in roots(sections)} if "{" not in sections else {"a list": role})
    return re.sub(CLAUSE.pattern + r"\2", "", directive), roles


def stripped(text):
    """(the text without data clauses, {line: {variable: role}})."""
    roles = {}

    def replace(match):
        rest, found = without_clauses(match[0])
        if found:
            roles[text.count("\n", 0, match.start()) + 1] = found
        return rest
    return DIRECTIVE.sub(replace, text), roles


def inferred(messages, name):
    """{line: {variable: role}} of the remarks on file `name`."""
    found = {}
    for line, role, sections in re.findall(rf"{re.escape(name)}:(\d+):\d+: remark: task '[^']*': (in|out|inout)(\(.*\)) is inferred", messages):
        found.setdefault(int(line), {}).update({r: role for r in roots(sections)})
    return found


def self_test():
    text = "#pragma hsched task in(([m][ld]l)[0:m], [n * (k)]inverse) \\\n    inout(*sum) if(n)\nvoid f();\n#pragma hsched task label(x)\n"
    rest, roles = stripped(text)
    if rest != "#pragma hsched task  \\\n     if(n)\nvoid f();\n#pragma hsched task label(x)\n" or roles != {1: {"l": "in", "inverse": "in", "sum": "inout"}}:
        sys.exit(f"self-test: {rest} {roles}")
    if inferred("a.cpp:3:4: remark: task 'f': out(x[a - (b):n]) is inferred\n", "a.cpp") != {3: {"x": "out"}}:
        sys.exit("self-test: remarks")


def main():
    self_test()
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    compiled, found = 0, []
    for source in sorted((root / "samples").glob("*/*.cpp")):
        name = source.parent.name
        text, roles = stripped(source.read_text())
        packages = PACKAGES.get(name, [])
        if not roles or source.stem != name or any(subprocess.run(["pkg-config", "--exists", p], check=False).returncode for p in packages):
            continue
        options = subprocess.run(["pkg-config", "--cflags", *packages], capture_output=True, text=True, check=True).stdout.split() if packages else []
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder) / name
            here.mkdir()
            for other in source.parent.iterdir():
                (here / other.name).symlink_to(other)
            (here.parent / "common").symlink_to(root / "samples" / "common")
            (here / source.name).unlink()
            (here / source.name).write_text(text)
            messages = subprocess.run([build / "bin" / "hsched-cc", "-std=c++20", "-fsyntax-only", "--hsched-explain", *options, here / source.name],
                                  capture_output=True, text=True, check=False).stderr
        compiled += 1
        found_roles = inferred(messages, source.name)
        if not found_roles and "cannot be inferred" not in messages:
            sys.exit(f"hsched-cc does not compile {source}:\n{messages}")
        found += [f"{source}:{line}: hsched-cc infers " + ", ".join(f"{role}({r})" for r, role in wanted.items()) + ": leave the clauses out"
                  for line, wanted in roles.items() if all(found_roles.get(line, {}).get(r) == role for r, role in wanted.items())]
    print("\n".join(found) if found else f"{compiled} samples: in order")
    sys.exit(1 if found else 0 if compiled else 77)


if __name__ == "__main__":
    main()

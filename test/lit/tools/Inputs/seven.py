#!/usr/bin/env python3
"""Whether the manual pages of section 7 have what the project has: each directive and clause, each environment variable.

usage: seven.py SOURCE-FOLDER HSCHED.7 HSCHED-ENV.7

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys


def main():
    source, language, environment = (pathlib.Path(a) for a in sys.argv[1:])
    parser = (source / "compiler/parse/DirectiveParser.cpp").read_text()
    rows = re.findall(r"\.Cases?\((.*?), Row\{", parser)
    clauses = {name for row in rows for name in re.findall(r'"([a-z]+)"', row)}
    assert len(clauses) > 15, f"the parser's clauses are not where they were: {sorted(clauses)}"
    page = language.read_text()
    described = {name for line in re.findall(r"(?m)^\.TP\n\.BI? (.*)$", page) for name in re.findall(r"(?<![\w:])[a-z]+(?=\(|$)", line)}
    directives = set(re.findall(r'\.Case\("([a-z]+)", DirectiveKind::', parser)) - {"declare"}
    assert len(directives) > 4, f"the parser's directives are not where they were: {sorted(directives)}"
    missing = (clauses | directives) - described
    assert not missing, f"hsched(7) does not have: {sorted(missing)}"

    manual = (source / "docs/runtime.md").read_text()
    variables = set(re.findall(r"`(HSCHED_[A-Z0-9_]+)`", manual))
    listed = {name for line in re.findall(r"(?m)^\.TP\n\.B (.*)$", environment.read_text())
              for name in re.findall(r"(?<!\S)HSCHED_[A-Z0-9_]+(?![=A-Z0-9_])", line)}
    assert variables == listed, f"in runtime.md or in hsched-env(7) alone: {sorted(variables ^ listed)}"
    print("both have all")


main()

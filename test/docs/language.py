#!/usr/bin/env python3
"""Each directive and clause of the language is explained, and used by a sample.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: language.py ROOT
Directives and clauses are those that compiler/parse/DirectiveParser.cpp knows. For each one docs/language.md has a section with
  - its syntax: an indented line in the section
  - an example: a block of C++ that a test compiles, with the clause in a pragma
  - its meaning: a row of a table with its name, a paragraph that begins with it, or one that begins with `**Meaning`
  - pitfalls: a paragraph or list `**Pitfall.**` or `**Pitfalls.**` in the section, with the name as code
The list in compiler/parse/OtherNames.cpp, from which messages take a clause with a similar name, has each clause too. And
one of the samples has it in a pragma, docs/cheatsheet.md has it as code, and packaging/vscode has a snippet with it. Each section of language.md has an
example, except the first and those in NO_EXAMPLE. Prints what is missing; the exit code is 1 if anything is.
"""
import json
import pathlib
import re
import sys
import tempfile

# Spellings of OpenMP and OmpSs, for programs that are ported: language.md has a section on them, samples use hsched's own.
FOREIGN = {"depend", "weakin", "weakout", "weakinout", "weakcommutative"}
# Headings with nothing but sections below.
NO_EXAMPLE = {"Appendix A: rare rules", "Appendix B: inference in detail"}
CODE = re.compile(r"^```.*?^```$", re.M | re.S)
# From the word to the end of its paragraph, and of the list that follows.
PITFALLS = re.compile(r"\*\*Pitfalls?\.\*\*.*?(?=\n\n(?!- ))", re.S)
STRING = re.compile(r'"([a-z]+)"')
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+hsched\b((?:.*\\\n)*.*)$", re.M)


def known(parser):
    """(directives, clauses) of the parser's text."""
    kinds = re.search(r"StringSwitch<std::optional<DirectiveKind>>\(Name\)(.*?)\.Default", parser, re.S)[1]
    rows = re.search(r"StringSwitch<std::optional<Row>>\(Clause\)(.*?)\.Default", parser, re.S)[1]
    alone = re.findall(r'Clause == "([a-z]+)"', parser)
    return set(STRING.findall(kinds)), set(STRING.findall(rows)) | set(alone)


def pragmas(text):
    """The text of each directive, without comments, strings and what is inside of parentheses."""
    for found in PRAGMA.findall(text):
        line = re.sub(r"//.*|\"(?:\\.|[^\"\\])*\"", "", found.replace("\\\n", " "))
        while True:
            less = re.sub(r"\([^()]*\)", "()", line.replace("()", " "), count=1)
            if less == line.replace("()", " "):
                break
            line = less
        yield line.replace("()", " ")


def words(texts):
    return {w for text in texts for line in pragmas(text) for w in re.findall(r"[a-z]+", line)}


def sections(text):
    """(heading, body) of each section. A section has the ones below it only if they are of a lower level."""
    text = text.split("\n## Appendix A")[0]
    marks = [(m.start(), len(m[1]), m[2]) for m in re.finditer(r"^(##+) (.*)$", re.sub(r"^```.*?^```$", lambda b: "\n" * 0 + " " * len(b[0]),
                                                                                     text, flags=re.M | re.S), re.M)]
    for i, (at, level, heading) in enumerate(marks):
        end = next((b for b, l, _ in marks[i + 1:] if l <= level), len(text))
        yield heading, text[at:end]


def lacking(name, text):
    """What no one section has of a name; the section that has most counts."""
    best = None
    for _, body in sections(text):
        syntax = [l for l in body.splitlines() if l.startswith("    ") and not l.startswith("     ")]
        prose = CODE.sub("", body)
        if not any(re.search(rf"\b{name}\b", l) for l in syntax):
            continue
        has = {"example": name in words(re.findall(r"^```cpp\n(.*?)^```$", body, re.M | re.S)),
               "meaning": bool(re.search(rf"^\|.*`[^`|]*\b{name}\b|^\*\*{name}\b", prose, re.M) or re.search(r"\*\*Meaning\b", prose)),
               "pitfall": any(re.search(rf"\b{name}\b", code) for part in PITFALLS.findall(prose + "\n\n")
                              for code in re.findall(r"`[^`]*`", part))}
        missing = [what for what, there in has.items() if not there]
        if best is None or len(missing) < len(best):
            best = missing
    return ["syntax"] if best is None else best


def without_example(text):
    """The headings of sections that have no block of code before the next heading."""
    blank = CODE.sub(lambda b: "```" + "\n" * b[0].count("\n"), text)
    parts = re.split(r"^##+ (.*)$", blank, flags=re.M)
    return [heading for heading, body in zip(parts[1::2], parts[2::2]) if "```" not in body and heading not in NO_EXAMPLE]


def problems(root):
    directives, clauses = known((root / "compiler" / "parse" / "DirectiveParser.cpp").read_text())
    manual = (root / "docs" / "language.md").read_text()
    short = (root / "docs" / "cheatsheet.md").read_text()
    similar = re.search(r"string similarClause\(.*?\n}", (root / "compiler" / "parse" / "OtherNames.cpp").read_text(), re.S)[0]
    for name in sorted((clauses - FOREIGN) ^ {w for w in STRING.findall(re.search(r"Known :(.*?)\)\n", similar, re.S)[1])}):
        yield f"compiler/parse/OtherNames.cpp: similarClause() and the parser differ in '{name}'"
    short = words([short]) | {w for code in re.findall(r"`[^`\n]+`", short) for w in re.findall(r"[a-z]+", code)}
    for heading in without_example(manual):
        yield f"docs/language.md: section '{heading}' has no example"
    used = words(p.read_text() for p in (root / "samples").rglob("*") if p.suffix in (".cpp", ".h", ".py", ".c"))
    snippets = json.loads((root / "packaging" / "vscode" / "hsched.code-snippets").read_text())
    offered = "\n".join(line for s in snippets.values() for line in s["body"])
    for name in sorted(directives | clauses):
        for what in lacking(name, manual) if name not in FOREIGN else []:
            yield f"docs/language.md: '{name}' has no {what}"
        if name not in used and name not in FOREIGN:
            yield f"no sample uses '{name}'"
        if name not in short and name not in FOREIGN:
            yield f"docs/cheatsheet.md: it does not have '{name}'"
        if name not in FOREIGN and not re.search(rf"\b{name}\b", offered):
            yield f"packaging/vscode: no snippet has '{name}'"
    for name in sorted(FOREIGN):
        if not re.search(rf"`[^`]*\b{name}\b", manual.split("## Spellings of OpenMP and OmpSs")[1].split("\n## ")[0]):
            yield f"docs/language.md: '{name}' is not among the spellings of OpenMP and OmpSs"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {
                "compiler/parse/DirectiveParser.cpp": 'StringSwitch<std::optional<DirectiveKind>>(Name).Case("task", 1).Default(0)\n'
                'if (Clause == "nowait")\nStringSwitch<std::optional<Row>>(Clause).Cases("in", "out", R).Default(0)',
                "docs/language.md": "## One\n    #pragma hsched task in(x)\n```cpp\n#pragma hsched task in(out[0 : n])\n```\n"
                "| `in(x)` | reads |\n**Meaning.** A task.\n**Pitfall.** An `in` of nothing.\n\n`out`\n## Two\n    nowait\n```cpp\n#pragma hsched task nowait\n```\n"
                "## Three\n## Spellings of OpenMP and OmpSs\n```cpp\n```\n`depend`, `weakin`, `weakout`, `weakinout`, `weakcommutative`\n",
                "docs/cheatsheet.md": "#pragma hsched task out(x) in(nowait)\n",
                "packaging/vscode/hsched.code-snippets": '{"a": {"body": ["task in(out)"]}}',
                "compiler/parse/OtherNames.cpp": 'std::string similarClause(x) {\n  for (y Known : {"in", "nowait"})\n}',
                "samples/a.cpp": "#pragma hsched task in(f(out(1)))\n"}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = list(problems(root))
    expected = ["compiler/parse/OtherNames.cpp: similarClause() and the parser differ in 'out'", "docs/language.md: section 'Three' has no example", "docs/language.md: 'nowait' has no meaning", "docs/language.md: 'nowait' has no pitfall", "no sample uses 'nowait'",
                "docs/cheatsheet.md: it does not have 'nowait'",
                "packaging/vscode: no snippet has 'nowait'",
                "docs/language.md: 'out' has no syntax", "no sample uses 'out'",
                "docs/language.md: 'task' has no pitfall"]
    if found != expected:
        sys.exit(f"self-test: {found}")


def main():
    self_test()
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) if found else "language: in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Each fenced block of each document is checked by a test, or says why not.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: fences.py ROOT
A block has a comment in front of it that snippets.py knows: `<!-- run -->`, `<!-- output -->`, ..., or `<!-- not run: WHY -->`. A document with a block
that is checked is in the list of test/docs/CMakeLists.txt. An indented block is a line of syntax, with `[...]` or of language.md; or
a console of a sample's page, which begins with `$` and which printed.py runs; or it has a comment `<!-- not run: WHY -->` in front of it. A document is not longer than MOST_LINES says. Programs that README.md
and the tutorial run are built by scripts/demo.sh. docs/architecture.md names each decision. docs/cookbook.md has at least 20 recipes, each with a program that is run, and README.md says how many.
Prints what is wrong, and how many blocks there are of each kind.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import snippets

# Documents whose blocks are all drawings.
DRAWINGS = {"docs/architecture.md"}
# Lines that a document has at most.
MOST_LINES = {"docs/architecture.md": 300, "docs/cheatsheet.md": 80, "docs/performance.md": 250}
# Documents whose blocks run after scripts/demo.sh, which builds a part of the project.
FIRST_HOUR = ("README.md", "docs/tutorial.md")
# Documents whose indented blocks are syntax, expectations of a test, or commands that take hours and install packages.
INDENTED = {"docs/language.md", "docs/performance.md", "test/corpus/README.md"}
INDENTED_BLOCK = re.compile(r"(?P<before>[^\n]*)\n\n(?P<first>    [^\n]*\n)(?:    [^\n]*\n)*")
# Recipes without a program: a table of tools.
TABLES = {"26. Profile a program"}
# Targets that an option of hsched-cc needs.
OF_OPTIONS = {"--hsched-check": "hsched_check"}
KINDS = {"file", "edit", "compile", "warned", "rejected", "run", "run with", "output"}


def blocks(text):
    """(line, kind, name) of each fenced block."""
    for match in snippets.BLOCK.finditer(text):
        yield text.count("\n", 0, match.start("fence")) + 1, match["what"], match["name"]


def indented(name, text):
    """The lines of indented blocks that nothing checks."""
    plain = snippets.BLOCK.sub(lambda b: "\n" * b[0].count("\n"), text)
    for match in INDENTED_BLOCK.finditer(plain):
        first, before = match["first"].strip(), match["before"]
        if re.match(r"\s*(?:[-*]|\d+\.) |  ", before) or re.match(r"(?:[-*]|\d+\.) ", first):
            continue  # A paragraph of a list.
        if not ("[" in first and "]" in first) and not (name.startswith("samples/") and first.startswith("$ ")) and not before.startswith("<!-- not run: "):
            yield plain.count("\n", 0, match.start("first")) + 1


def problems(documents, tested, counts):
    for name, text in documents:
        checked = False
        lines = text.count("\n")
        if lines > MOST_LINES.get(name, lines):
            yield f"{name}: {lines} lines, {MOST_LINES[name]} are allowed"
        if name not in INDENTED and not name.startswith("docs/decisions/"):
            for line in indented(name, text):
                yield f"{name}:{line}: an indented block that nothing checks"
        for line, kind, why in blocks(text):
            counts[kind] += 1
            checked |= kind in KINDS
            if (kind == "not run" and why) or (name in DRAWINGS and not kind):
                continue
            if kind not in KINDS:
                yield f"{name}:{line}: a block without a comment that says how it is checked, or why not"
        if checked and name not in tested:
            yield f"{name}: it has blocks to check, and is not in test/docs/CMakeLists.txt"


def not_built(text, demo):
    """The targets that blocks to run need, and scripts/demo.sh does not build."""
    built = set(re.search(r'^targets="([^"]*)"', demo, re.M)[1].split())
    run = "\n".join(m["text"] for m in snippets.BLOCK.finditer(text) if m["what"] in ("run", "run with"))
    needed = set(re.findall(r"(?<![\w-])hsched-[a-z]+(?![\w.-])", run)) | {t for o, t in OF_OPTIONS.items() if o in run}
    return sorted(needed - built)


def recipes(text, readme):
    """What is wrong with the recipes of the cookbook."""
    plain = snippets.BLOCK.sub(lambda b: f"\n<{b['what']}>\n", text)
    parts = re.split(r"^## (.*)$", plain, flags=re.M)
    names, bodies = parts[1::2], parts[2::2]
    if len(names) < 20 or any(not name.startswith(f"{i}. ") for i, name in enumerate(names, 1)):
        yield f"docs/cookbook.md: 20 recipes or more, numbered from 1 on, and not: {names}"
    for name, body in zip(names, bodies):
        if "<run>" not in body and "<run with>" not in body and name not in TABLES:
            yield f"docs/cookbook.md: nothing of recipe '{name}' is run"
        if f"[{name.split('.')[0]} " not in parts[0]:
            yield f"docs/cookbook.md: the table at its beginning lacks recipe '{name}'"
    if f"(docs/cookbook.md), {len(names)} recipes" not in readme:
        yield f"README.md: the cookbook has {len(names)} recipes"


def unlisted(architecture, decisions):
    """The decisions that docs/architecture.md does not name."""
    return [f"docs/architecture.md: the table of decisions lacks {name}" for name in sorted(decisions) if f"(decisions/{name})" not in architecture]


def self_test():
    if unlisted("[1](decisions/0001-a.md)", ["0002-b.md", "0001-a.md"]) != ["docs/architecture.md: the table of decisions lacks 0002-b.md"]:
        sys.exit("self-test: decisions")
    book = "| [1 A](#a) |\n" + "".join(f"## {i}. R\n" for i in range(1, 20)) + "<!-- run -->\n```sh\n```\n"
    if len(list(recipes(book, "(docs/cookbook.md), 19 recipes"))) != 1 + 18 + 18 or len(list(recipes(book, ""))) != 38:
        sys.exit(f"self-test: {list(recipes(book, ''))}")
    run = "<!-- run -->\n```sh\nbuild/bin/hsched-cc --hsched-check a.cpp && hsched-info\n```\n<!-- not run: b -->\n```\nhsched-sim\n```\n"
    if not_built(run, 'targets="hsched-cc hsched"\n') != ["hsched-info", "hsched_check"]:
        sys.exit(f"self-test: {not_built(run, 'targets=hsched-cc')}")
    fence = "```"
    text = f"{fence}\nno\n{fence}\n<!-- run -->\n{fence}sh\ntrue\n{fence}\n<!-- not run: a diagram -->\n{fence}\n|\n{fence}\n<!-- not run -->\n{fence}\n{fence}\n"
    found = list(problems([("a.md", text), ("b.md", text)], {"a.md"}, collections.Counter()))
    expected = [f"{n}:{line}: a block without a comment that says how it is checked, or why not" for n in ("a.md", "b.md") for line in (1, 13)]
    told = "One.\n\n    cc a.c\n    done\n\nTwo.\n\n    cc [options]\n\n<!-- not run: a -->\n\n    cc\n\n- a\n\n    of a list\n\nThree.\n\n    $ cc\n"
    if list(indented("docs/a.md", told)) != [3, 20] or list(indented("samples/a/README.md", told)) != [3]:
        sys.exit(f"self-test: {list(indented('docs/a.md', told))}")
    if list(problems([("docs/architecture.md", 301 * "x\n")], set(), collections.Counter())) != ["docs/architecture.md: 301 lines, 300 are allowed"]:
        sys.exit("self-test: the length")
    if found != expected + ["b.md: it has blocks to check, and is not in test/docs/CMakeLists.txt"]:
        sys.exit(f"self-test: {found}")


def main():
    self_test()
    root = pathlib.Path(sys.argv[1]).resolve()
    listed = re.search(r"foreach\(Document ([^)]*)\)", (root / "test" / "docs" / "CMakeLists.txt").read_text())[1].split()
    names = [p.relative_to(root) for p in root.rglob("*.md")]
    names = [n for n in names if not any(part.startswith(("build", ".")) for part in n.parts) and n.parts[0] != "shared"]
    counts = collections.Counter()
    found = list(problems([(str(n), (root / n).read_text()) for n in sorted(names)], set(listed), counts))
    found += recipes((root / "docs" / "cookbook.md").read_text(), (root / "README.md").read_text())
    found += unlisted((root / "docs" / "architecture.md").read_text(), [p.name for p in (root / "docs" / "decisions").glob("*.md")])
    for name in FIRST_HOUR:
        found += [f"{name}: scripts/demo.sh does not build {t}" for t in not_built((root / name).read_text(), (root / "scripts" / "demo.sh").read_text())]
    print("\n".join(found) if found else "fences: in order")
    print(", ".join(f"{counts[k]} {k}" for k in sorted(counts, key=str)))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

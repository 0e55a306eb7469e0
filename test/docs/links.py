#!/usr/bin/env python3
"""Links between the project's documents lead to files, and to headings, that exist.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: links.py FOLDER
Prints each link that leads nowhere; the exit code is 1 if there is one.
"""
import pathlib
import re
import sys
import tempfile

LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```[ \t]*$|^    .*$|`[^`\n]*`", re.M | re.S)


def anchors(text):
    """What GitHub makes of the headings."""
    found, seen = set(), {}
    for line in re.sub(r"^```.*?^```[ \t]*$", "", text, flags=re.M | re.S).splitlines():
        if re.match(r"#{1,6} ", line):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            count = seen.get(words, 0)
            seen[words] = count + 1
            found.add(f"{words}-{count}" if count else words)
    return found


def problems(root):
    documents = [p for p in root.rglob("*.md") if not p.relative_to(root).parts[0].startswith(("build", "."))]
    for document in sorted(documents):
        text = document.read_text()
        for target in LINK.findall(FENCE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, heading = target.partition("#")
            path = (document.parent / name).resolve() if name else document
            if not path.exists():
                yield f"{document.relative_to(root)}: '{target}' does not exist"
            elif heading and path.suffix == ".md" and heading not in anchors(path.read_text()):
                yield f"{document.relative_to(root)}: '{target}': there is no such heading"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "a.md").write_text("# One\n## The two: `x`\n[b](b.md) [c](#one) [d](#the-two-x) `[e](none.md)`\n```\n[f](none.md)\n```\n")
        (root / "b.md").write_text("[a](a.md#three) [n](none.md) [o](https://example.org/none)\n")
        found = list(problems(root))
    expected = ["b.md: 'a.md#three': there is no such heading", "b.md: 'none.md' does not exist"]
    if sorted(found) != expected:
        sys.exit(f"self-test: {found}")


def main():
    self_test()
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) if found else "links: in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""No document has a sentence that is too long, or a word in place of the field's term: STYLE is one idea a sentence.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: sentences.py [--most N] ROOT
A sentence ends at `.`, `!`, `?`, and at `:` and `;`, where a reader may rest. Code, tables and headings do not count; a name in backticks is a word.
Prints the sentences with more than N words (default: 36), and the words that scripts/comments.py does not allow in comments, with those to use in their
place. Words are not looked for in code and between quotation marks, nor in docs/decisions. CONTRIBUTING.md has a glossary, and at least ten examples of
text and names before and after. The exit code is 1 if anything is found.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import comments

MOST_WORDS = 36
# A list of measurements, and one of changes: their lines are entries.
ENTRIES = {"docs/decisions/0075-what-was-measured.md", "CHANGELOG.md"}
# What others wrote, and what is generated.
SKIPPED = ("build", ".", "shared")


def sentences(text):
    """(line, words, sentence) of each sentence."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^[ \t]*```.*?^[ \t]*```[ \t]*$", blank, text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    # Rows of tables, headings, and indented code, which follows an empty line.
    text = re.sub(r"^[ \t]*\|.*$|^#.*$|(?<=\n\n)(?: {4}.*\n)+", blank, text, flags=re.M)
    item = r"^[ \t]*(?:[-*]|\d+\.) "
    more = rf"(?:(?!{item}).+\n?)"
    for match in re.finditer(rf"{more}+|{item}.*\n?{more}*", text, re.M):
        paragraph = match[0]
        plain = re.sub(r"`[^`]*`", lambda m: "X" + re.sub(r"[^\n]", "x", m[0])[1:], paragraph)
        plain = re.sub(r"\]\([^)]*\)", lambda m: "]" + " " * (len(m[0]) - 1), plain)
        at = 0
        for end in [m.end() for m in re.finditer(r"[.!?:;][)\"*_]*(?=\s|$)", plain)] + [len(plain)]:
            words = len([w for w in plain[at:end].split() if re.search(r"\w", w)])
            if words:
                start = match.start() + at + len(plain[at:end]) - len(plain[at:end].lstrip())
                yield text.count("\n", 0, start) + 1, words, " ".join(paragraph[at:end].split())
            at = end


def riddles(text):
    """(line, word, what to use in its place) of each word that comments may not have either. Rows of tables count."""
    code = r"^[ \t]*```.*?^[ \t]*```[ \t]*$|<!--.*?-->|(?<=\n\n)(?: {4}[^\n]*\n)+|`[^`\n]*`|\"[^\"\n]*\"|\]\([^)]*\)"
    plain = re.sub(code, lambda m: re.sub(r"[^\n]", "`", m[0]), text, flags=re.S | re.M)
    for match in comments.RIDDLES.finditer(plain):
        term = next(term for word, term in comments.WORDS.items() if re.fullmatch(word, match[0], re.I))
        yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), term


def problems(documents, most):
    for name, text in documents:
        for line, word, term in riddles(text) if not name.startswith("docs/decisions/") else []:
            yield f"{name}:{line}: '{word}': use {term}"
        if name in ENTRIES:
            continue
        for line, words, sentence in sentences(text):
            if words > most:
                yield f"{name}:{line}: {words} words: {sentence}"


def guide_problems(guide):
    """What CONTRIBUTING.md lacks."""
    for heading, row, least in (("instead of | write", r"^\| .+ \| .+ \|$", 10), ("word | meaning", r"^\| [\w, -]+ \| .+ \|$", 40)):
        table = guide.partition(f"| {heading} |\n| --- | --- |\n")[2].partition("\n\n")[0]
        rows = len(re.findall(row, table, re.M))
        if rows < least:
            yield f"CONTRIBUTING.md: the table '{heading}' has {rows} rows, and not {least}"


def self_test():
    if len(list(guide_problems("| instead of | write |\n| --- | --- |\n" + 9 * "| a | b |\n" + "\n| a | b |\n"))) != 2:
        sys.exit("self-test: CONTRIBUTING.md")
    text = ("# One two three four five\n\nOne\ntwo `three four` [five](six seven).\n\n    a b c d e f\n\n| a b c d e f |\n- one two three\n"
            "  four five six\n- one: two three four; five\n```\na b c d e f\n```\n")
    found = [(line, words) for line, words, _ in sentences(text)]
    if found != [(3, 4), (9, 6), (11, 1), (11, 3), (11, 1)]:
        sys.exit(f"self-test: {found}")
    text = 'Nobody.\n`nobody` "nobody"\n\n    nobody\n\n| it is told |\n```\nnobody\n```\nsomebody\n'
    found = [(line, word) for line, word, _ in riddles(text)]
    if found != [(1, "Nobody"), (6, "is told"), (10, "somebody")] or len(list(problems([("CHANGELOG.md", text)], 1))) != 3:
        sys.exit(f"self-test: {found}")


def main():
    self_test()
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=MOST_WORDS)
    parser.add_argument("root", type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    names = [p.relative_to(root) for p in sorted(root.rglob("*.md"))]
    names = [n for n in names if not any(part.startswith(SKIPPED) for part in n.parts)]
    found = list(problems([(str(n), (root / n).read_text()) for n in names], options.most))
    found += guide_problems((root / "CONTRIBUTING.md").read_text())
    print("\n".join(found) if found else f"sentences: none has more than {options.most} words, and each word is plain")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

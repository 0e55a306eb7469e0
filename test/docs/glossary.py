#!/usr/bin/env python3
"""The glossary of CONTRIBUTING.md and its examples of plain English.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: glossary.py ROOT
  - Each term stands once, and the terms are sorted. Each has a meaning. A file that a meaning names exists.
  - Each term is used in a document, or in a comment or a name of a header, as it stands there: its plural and another case of letters count, another word
    does not.
  - What the examples have under "write" keeps the rules of scripts/comments.py: its words, the number of words in a sentence, a subject. A name under
    "instead of" that these rules forbid is not under "write", and each of the two columns differs from the other.
Prints what is wrong; the exit code is 1 if anything is.
"""
import functools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import comments

GUIDE = "CONTRIBUTING.md"


def table(guide, heading):
    """The cells of each row."""
    rows = guide.partition(f"| {heading} |\n| --- | --- |\n")[2].partition("\n\n")[0]
    return [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("| "))) for row in rows.splitlines() if row.startswith("|")]


def uses(texts):
    """A function: whether a term is used."""
    whole = " ".join(re.sub(r"\s+", " ", text) for text in texts).lower()
    plain = re.sub(r"[`*]", "", re.sub(r" // | \* ", " ", whole))

    @functools.lru_cache(maxsize=None)
    def used(term):
        word = re.escape(term.lower()).replace(r"\ ", "[ -]")
        # Plurals and forms of verbs: loans, entries, dispatched, lowering.
        forms = rf"{word}(?:s|es|ed|d|ing)?|{word[:-1]}(?:ies|ied)" if term[-1] == "y" else rf"{word}(?:s|es|ed|d|ing)?"
        forms += rf"|{word[:-1]}ing" if term[-1] == "e" else ""
        return re.search(rf"(?<![\w-])(?:{forms})(?![\w-])", plain)
    return used


def glossary_problems(guide, used, exists):
    rows = table(guide, "word | meaning")
    words = [word for row in rows for word in row[0].split(", ")]
    for word in words:
        if words.count(word) > 1:
            yield f"'{word}' stands twice"
        if not used(word):
            yield f"'{word}' is in no document and no header"
    order = [row[0].lower() for row in rows]
    for before, after in zip(order, order[1:]):
        if before > after:
            yield f"'{after}' stands behind '{before}'"
    for row in rows:
        if len(row) != 2 or not row[1]:
            yield f"'{row[0]}' has no meaning, or more than one"
        for name in re.findall(r"`([\w/]+\.(?:h|md|cpp))`", " ".join(row)):
            if not exists(name):
                yield f"'{row[0]}': no file {name}"


def example_problems(guide):
    rows = table(guide, "instead of | write")
    for row in rows:
        if len(row) != 2 or row[0] == row[1]:
            yield f"{row}: no two sides"
            continue
        before, after = row
        names = re.findall(r"`(\w+)`", after) if before.startswith("names ") else []
        code = pathlib.PurePosixPath("runtime/example.h")
        for _, name in comments.riddles_in_names(code, "int " + ", ".join(names) + ";") if names else ():
            yield f"the name '{name}' is one that comments.py forbids"
        for name in set(names) & set(re.findall(r"`(\w+)`", before)):
            yield f"the name '{name}' is on both sides"
        text = re.sub(r'^"|"$', "", after.replace('"', ""))
        for match in comments.RIDDLES.finditer("" if names else re.sub(r"`[^`]*`", "`", text)):
            yield f"'{match[0]}' in '{text}'"
        for sentence in [] if names else comments.sentences(text):
            if comments.count_words(sentence) > comments.MOST_WORDS:
                yield f"{comments.count_words(sentence)} words: '{sentence}'"
            if comments.FRAGMENT.search(sentence):
                yield f"no subject: '{sentence}'"
    if not any(row[0].startswith("names ") for row in rows):
        yield "no example of names"


def problems(guide, used, exists):
    yield from glossary_problems(guide, used, exists)
    yield from example_problems(guide)


def self_test(guide, used, exists):
    """Mistakes in the guide that are found."""
    second, last = table(guide, "word | meaning")[1], table(guide, "word | meaning")[-1]
    rows = [f"| {cells[0]} | {cells[1]} |\n" for cells in (second, last)]
    for old, new in ((rows[0], ""), (rows[0], rows[0] + rows[0]), (rows[0], f"| {second[0]} | |\n"), (rows[0], rows[0] + "| acces | what is not |\n"),
                     (rows[0], rows[0].replace(".h`", ".hh`").replace("AccessTree", "Tree").replace(".hh", ".h")), ("`warned`", "`told`"),
                     ('"weak update"', '"a write that nobody knows"'), ("The device's worker.", "Of the device."), ('"weak update"', '"' + "a word " * 26 + '"'),
                     ('| "a write to one of several" |', '| "weak update" |'), ("| names `Told`", "| words `Told`")):
        edited = guide.replace(rows[0], "").replace(rows[1], rows[0] + rows[1]) if not new else guide.replace(old, new)
        if edited == guide or not list(problems(edited, used, exists)):
            yield f"self-test: '{new.strip()}' for '{old.strip()}' was not found"


def main():
    root = pathlib.Path(sys.argv[1])
    guide = (root / GUIDE).read_text()
    files = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    headers = [path for folder in ("include", "runtime", "compiler") for path in sorted((root / folder).rglob("*.h"))]
    texts = [path.read_text() for path in files]
    for path in headers:
        code = path.read_text()
        texts += [c.text for c in comments.paragraphs(pathlib.PurePosixPath(path), code)]
        texts += [re.sub(r"([a-z])([A-Z])", r"\1 \2", name) for name in comments.names_in(path, code)]
    exists = lambda name: any(path.as_posix().endswith("/" + name) for path in headers) or (root / name).exists()
    used = uses(texts)
    found = [f"{GUIDE}: {p}" for p in problems(guide, used, exists)]
    found = found or list(self_test(guide, used, exists))
    print("\n".join(found) if found else "glossary: in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

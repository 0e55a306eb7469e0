#!/usr/bin/env python3
"""Checks that every message of the compiler's is expected by a lit test.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check-diagnostics.py [--root DIR] [--list] [--counts FILE] [--self-test]

A message is a string literal under compiler/ that is written for people: one handed to a function that reports, or any
other of at least three words. Literals that follow each other are one. What is generated (emit/) and tables of library
functions are no messages. A message counts as seen when a test under test/lit expects it of a program: a line that
FileCheck compares with the output, under a prefix that one of the file's RUN lines names, quotes the whole of it, with
anything for %0, %1 and so on, or at least four words in a row that no other message has. What must not come (-NOT),
comments and the tests' own sources do not count; nor does what is part of a longer message that is quoted. Prints one line
for each that is not seen, file:line first; exit code 1 if there is any. --list prints all. --counts takes the lines'
counts as written by scripts/coverage.sh (lcov's format); then every message's line must have been run as well.
"""
import argparse
import pathlib
import re
import sys

# Comments, characters and raw strings are there so that nothing in them is taken for a literal.
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\.)+\'|R"(\w*)\(.*?\)\1"|"((?:[^"\\\n]|\\.)*)"|\w+|\n|::|->|[^\s\w]', re.S)
REPORTS = {"fail", "error", "warn", "warning", "note", "remark", "report", "bad", "reportError", "reportNote", "reportWarning"}
ASSERTIONS = {"assert", "static_assert"}
ENDS = {"+", ",", ")", ";", "?", ":", "}", "]", "<", "=", "&", "|"}
GENERATED = re.compile(r"^compiler/emit/|^compiler/analysis/lower/Library[A-Z]\w*\.cpp$")
TABLES_THAT_SPEAK = {"compiler/analysis/lower/LibraryCalls.cpp"}
WORD = re.compile(r"(?<![\w$./<-])[a-z]{2,}(?![\w(./>])")
HOLE = re.compile(r"%\d|%select\{[^}]*\}\d")
TESTS = "test/lit"
NO_TESTS = {"Inputs", "fake"}  # Folders.
SUFFIXES = {".cpp", ".test", ".cl"}
RUN_LINE = re.compile(r"^.*?\bRUN:(.*)$", re.M)
COMPARED = re.compile(r"(?<![\w-])FileCheck\b([^|&;\n]*)")
PREFIXES = re.compile(r"-?-check-prefix(?:es)?[= ](\S+)")
EXPECTS = re.compile(r"(?<![\w-])([\w-]+?)(?:-NEXT|-SAME|-DAG|-LABEL|-COUNT-\d+)?(?:\{LITERAL\})?:[ \t]*(.*)")
RUN, LENGTH = 4, 16  # Words and characters of a run that tells a message.
SHORTEST = 8  # Characters of a message, the holes not counted.


def tokens(text):
    """(line, word, the literal's text or None) of everything but comments."""
    line, found = 1, []
    for token in TOKEN.finditer(text):
        word = token.group(0)
        if not word.startswith(("//", "/*")) and word != "\n":
            found.append((line, word, token.group(2)))
        line += word.count("\n")
    return found


def literals(found, reported=False):
    """(line, text, whether a function that reports gets it) of each literal; those that follow each other or are joined
    by + are one, with %0 for what is no literal."""
    at, calls = 0, [reported]
    while at < len(found):
        line, word, literal = found[at]
        before = found[at - 1][1] if at else ""
        at += 1
        if literal is None:
            if word == "(":
                calls.append(None if before in ASSERTIONS or calls[-1] is None else before in REPORTS or calls[-1])
            elif word == ")" and len(calls) > 1:
                calls.pop()
            elif word in (";", "{"):
                calls = [reported]
            continue
        whole = literal
        while at < len(found) and (found[at][2] is not None or found[at][1] == "+"):
            if found[at][2] is not None:
                whole += found[at][2]
                at += 1
                continue
            at += 1
            begin, depth = at, 0
            while at < len(found) and (depth or found[at][1] not in ENDS):
                depth += (found[at][1] in "([{") - (found[at][1] in ")]}")
                at += 1
                if found[begin][2] is not None:
                    break
            if found[begin][2] is not None:
                whole += found[begin][2]
            else:
                whole += "%0"
                yield from literals(found[begin:at], calls[-1])
        if calls[-1] is not None:
            yield line, whole.encode().decode("unicode_escape"), calls[-1]


def messages(path, text):
    """(line, format) of each message in a source text."""
    if GENERATED.match(path) and path not in TABLES_THAT_SPEAK:
        return
    for line, literal, reported in literals(tokens(text)):
        words = WORD.findall(literal)
        # What is reported with holes in it is no word that goes into another message.
        filled = HOLE.search(literal) and len(HOLE.sub("", literal).strip()) >= SHORTEST
        if len(words) >= 3 or (reported and len(words) >= (1 if filled else 2)):
            yield line, squeeze(literal)


def squeeze(text):
    return re.sub(r"\s+", " ", text)


def expectations(text):
    """What FileCheck compares with the output when a test runs, a line for each."""
    runs = "\n".join(RUN_LINE.findall(text)).replace("\\\n", " ")
    prefixes = set()
    for options in COMPARED.findall(runs):
        named = PREFIXES.findall(options)
        prefixes.update(name for names in named or ["CHECK"] for name in names.split(","))
    found = []
    for line in text.splitlines():
        at = EXPECTS.search(line)
        while at and at.group(1) not in prefixes:
            at = EXPECTS.search(line, at.end(1))
        if at:
            found.append(squeeze(at.group(2)))
    return "\n".join(found)


def tests_text(root):
    return "\n".join(expectations(path.read_text(errors="replace")) for path in sorted((root / TESTS).rglob("*"))
                     if path.suffix in SUFFIXES and not NO_TESTS.intersection(path.relative_to(root / TESTS).parts))


def whole_pattern(message):
    parts = [re.escape(part) for part in HOLE.split(message.strip())]
    return re.compile(r"[^\n]+?".join(parts))


def is_seen(message, others, tests):
    """others: all messages, itself among them, as one text with a line for each that differs."""
    if len(HOLE.sub("", message).strip()) >= SHORTEST:
        for longer in others.splitlines():
            if message.strip() in longer and message.strip() != longer.strip():
                tests = whole_pattern(longer).sub("", tests)
        if whole_pattern(message).search(tests):
            return True
    for piece in HOLE.split(message):
        words = piece.strip().split(" ")
        for begin in range(len(words) - RUN + 1):
            part = " ".join(words[begin:begin + RUN])
            if len(part) >= LENGTH and part in tests and others.count(part) == 1:
                return True
    return False


def read_counts(path, root):
    """How often each line was run: {file: {line: count}}."""
    counts, current = {}, {}
    for record in path.read_text().splitlines():
        if record.startswith("SF:"):
            name = pathlib.Path(record[3:])
            name = name.relative_to(root) if name.is_absolute() and name.is_relative_to(root) else name
            current = counts.setdefault(str(name), {})
        elif record.startswith("DA:"):
            line, count = record[3:].split(",")[:2]
            current[int(line)] = int(count)
    return counts


def check(root, list_all, counts_file):
    found = []
    for path in sorted((root / "compiler").rglob("*")):
        if path.suffix in {".cpp", ".h"}:
            name = str(path.relative_to(root))
            found += [(name, line, message) for line, message in messages(name, path.read_text())]
    others = "\n".join(sorted({message for _, _, message in found}))
    tests = tests_text(root)
    counts = read_counts(counts_file, root) if counts_file else {}
    missing = 0
    for name, line, message in found:
        seen = is_seen(message, others, tests)
        run = not counts_file or counts.get(name, {}).get(line, 1) > 0
        missing += not (seen and run)
        if list_all or not (seen and run):
            print(f"{name}:{line}: {'no lit test expects' if not seen else 'seen' if run else 'no test runs'}: {message}")
    print(f"diagnostics: {len(found) - missing} of {len(found)} messages are expected by lit tests")
    return missing


def self_test():
    text = ('fail(Loc, "unknown name \'%0\' in clause "\n  "\'%1\': write it", A); // "no message in here"\n'
            'x = \'"\'; note(D, f(x), "see here"); return "what is written twice";\n y("two words");'
            'static_assert(A, "nobody reads this text"); return "the body of \'" + name(X, "is this here now") + "\' is lost";\n'
            'warn(D, "\'%0\' needs -x=%1"); warn(D, ": add %0");')
    found = list(messages("compiler/a.cpp", text))
    assert found == [(1, "unknown name '%0' in clause '%1': write it"), (3, "see here"), (3, "what is written twice"),
                     (4, "is this here now"), (4, "the body of '%0' is lost"), (5, "'%0' needs -x=%1")], found
    assert not list(messages("compiler/emit/a.cpp", text))
    one, two = "the size of '%0' is not known here: write it", "one two three fourteen five six"
    others = one + "\n" + two + "\nthe size of '%0' is too large for this: write it"
    assert is_seen(one, others, "error: the size of 'x' is not known here: write it")
    assert is_seen(one, others, "error: {{.*}} is not known here:")
    assert not is_seen(one, others, "the size of 'x' is too large for this: write it")
    assert not is_seen(one, others, "the size of 'x'\n is not known")
    assert is_seen(two, others, "x two three fourteen five y")
    assert not is_seen(two, others, "one two three")
    short, long = "it is returned", "it is returned by '%0'"
    assert is_seen(short, short + "\n" + long, "note: it is returned\nnote: it is returned by 'f'")
    assert not is_seen(short, short + "\n" + long, "note: it is returned by 'f'")
    test = ("// RUN: not %cc %s 2>&1 \\\n// RUN:   | FileCheck %s --check-prefix=ERROR --implicit-check-not=warning:\n"
            "// ERROR: one\nint x; // ERROR-NEXT: [[@LINE]]:3: two\n// ERROR-NOT: three\n// CHECK: four\n// five\n")
    assert expectations(test) == "one\n[[@LINE]]:3: two", expectations(test)
    assert expectations(test + "# RUN: FileCheck %s < err && FileCheck -check-prefixes=A,B %s\n// A-DAG: six\n") == (
        "one\n[[@LINE]]:3: two\nfour\nsix")
    print("diagnostics: self test passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--counts", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    return 1 if check(options.root, options.list, options.counts) else 0


sys.exit(main())

#!/usr/bin/env python3
"""Checks that every message of the compiler's is seen by a test.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check-diagnostics.py [--root DIR] [--list] [--self-test]

A message is the format of a call to fail, error, warn, note, remark or report under compiler/, or the text of an error of
the driver's. It counts as seen when its longest fixed piece, the text between %0, %1 and so on, stands in a file under
test/. Prints one line for each that is not seen, file:line first; exit code 1 if there is any. --list prints all.
"""
import argparse
import pathlib
import re
import sys

CALL = re.compile(r'\b(?:fail|error|warn|note|remark|report|warning)\s*\(')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
SHORTEST = 8  # characters; a piece that is shorter says nothing


def messages(text):
    """(offset, format) of each message in a source text."""
    for call in CALL.finditer(text):
        at, depth = call.end(), 1
        while at < len(text) and depth:
            literal = STRING.match(text, at)
            if literal:
                # Literals that follow each other are one.
                begin, whole = at, ""
                while literal:
                    whole += literal.group(1)
                    at = literal.end()
                    gap = re.match(r'\s*', text[at:]).end()
                    literal = STRING.match(text, at + gap)
                if depth == 1 and " " in whole:
                    yield begin, whole.encode().decode("unicode_escape")
                    break
                continue
            if text[at] in "([{":
                depth += 1
            elif text[at] in ")]}":
                depth -= 1
            at += 1


def longest_piece(message):
    return max(re.split(r"%\d|%select\{[^}]*\}\d", message), key=len).strip()


def squeeze(text):
    return re.sub(r"\s+", " ", text)


def check(root, list_all):
    tests = []
    for path in sorted((root / "test").rglob("*")):
        if path.is_file() and path.suffix in {".cpp", ".test", ".h", ".cl", ".py", ".sh", ".txt"}:
            tests.append(squeeze(re.sub(r'"\s*"', "", path.read_text(errors="replace")).replace('\\"', '"')))
    seen_by = "\n".join(tests)
    missing = total = 0
    for path in sorted((root / "compiler").rglob("*.cpp")):
        text = path.read_text()
        # Comments hold no messages; their lines stay.
        text = re.sub(r"^\s*//[^\n]*", "", text, flags=re.M)
        known = set()
        for at, message in messages(text):
            piece = squeeze(longest_piece(message))
            if len(piece) < SHORTEST or piece in known:
                continue
            known.add(piece)
            total += 1
            seen = piece in seen_by or message_words_seen(piece, seen_by)
            if list_all or not seen:
                line = text.count("\n", 0, at) + 1
                print(f"{path.relative_to(root)}:{line}: {'seen' if seen else 'no test sees'}: {message}")
            missing += not seen
    if not list_all:
        print(f"diagnostics: {total - missing} of {total} messages are seen by tests")
    return missing


def message_words_seen(piece, text):
    """Tests may quote the beginning of a long message: five words of it in a row, or all but its last third."""
    words = piece.split(" ")
    if len(words) < 6:
        return False
    for begin in range(0, len(words) - 4):
        part = " ".join(words[begin:begin + 5])
        if len(part) >= 20 and part in text:
            return True
    return False


def self_test():
    text = 'fail(Loc, "unknown name \'%0\' in clause "\n  "\'%1\': write it", A);\nnote(D, f(x), "see here");'
    found = [m for _, m in messages(text)]
    assert found == ["unknown name '%0' in clause '%1': write it", "see here"], found
    assert longest_piece(found[0]) == "unknown name '", longest_piece(found[0])
    assert message_words_seen("one two three fourteen five six", "x two three fourteen five six y")
    assert not message_words_seen("one two three fourteen five six", "one two three")
    print("diagnostics: self test passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    return 1 if check(options.root, options.list) else 0


sys.exit(main())

#!/usr/bin/env python3
# Applies the edits that hsched-cc's own warnings offer to copies of the lit tests' sources. The
# copies still compile, the warnings are gone, and no new ones appear.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: fix_its.py HSCHED_CC SOURCE_DIR [-v] [FILE...]"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROUNDS = 3
LEAST = 60  # Edits that the sources must call for: else the warnings are not seen.
DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?P<kind>warning|error|note|remark): (?P<text>.*)$")
NAMED = re.compile(r" \[(-Whsched-[\w-]+)\]$")
EDIT = re.compile(r'^fix-it:"(.*)":\{(\d+):(\d+)-(\d+):(\d+)\}:"(.*)"$')
PART = re.compile(r"^(?:.|//)--- (\S+)\s*$")
CARRIED = re.compile(r"^-(?:std=|D|I|isystem|f(?!syntax))")


class Said:
    """An error or a warning with its notes."""

    def __init__(self, match, folder):
        named = NAMED.search(match["text"])
        self.kind, self.name = match["kind"], named and named[1]
        self.key = (match["file"], int(match["line"]), match["text"])
        self.folder, self.edits = folder, [[]]  # Its own, and each note's.

    def choices(self):
        """What can be done about it: the warning's own edits, or those of one of its notes. #line names other files."""
        there = [[] if any(not os.path.isfile(os.path.join(self.folder, x[0])) for x in e) else e for e in self.edits]
        return [there[0]] if there[0] else [e for e in there if e]


def diagnose(compiler, flags, file, folder, output):
    """What hsched-cc says of a file, in the order of the source."""
    run = subprocess.run([compiler, *flags, "-Whsched", "-ferror-limit=0", "-fdiagnostics-parseable-fixits", *output, file],
                         cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=300)
    said = []
    for line in run.stderr.splitlines():
        if match := DIAGNOSTIC.match(line):
            if match["kind"] != "note":
                said.append(Said(match, folder))
            elif said:
                said[-1].edits.append([])
        elif (match := EDIT.match(line)) and said:
            # Bytes beyond ASCII are written as three octal digits each.
            text = re.sub(rb"\\([0-7]{3}|.)", lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else m[1], match[6].encode("utf-8", "surrogateescape"))
            text = text.decode("utf-8", "surrogateescape")
            said[-1].edits[-1].append((match[1], *map(int, match.groups()[1:5]), text))
    return run.returncode == 0, said


def apply(folder, chosen):
    """Every warning's edits wholly or, where they meet another's, not at all: they are for the next round."""
    done = {}  # By file: (first, last, text) in bytes.
    count = 0
    for edits in chosen:
        new = {}
        for file, *place, text in edits:
            path = os.path.realpath(os.path.join(folder, file))
            if not path.startswith(os.path.realpath(folder) + os.sep):
                new = None
                break
            starts = [0]
            with open(path, "rb") as f:
                for line in f:
                    starts.append(starts[-1] + len(line))
            first, last = (starts[place[i] - 1] + place[i + 1] - 1 for i in (0, 2))
            new.setdefault(path, []).append((first, last, text.encode()))
        if new is None or any(e not in done.get(path, []) and any(e[0] < o[1] and o[0] < e[1] for o in done.get(path, []))
                              for path, list_ in new.items() for e in list_):
            continue
        for path, list_ in new.items():
            done.setdefault(path, []).extend(e for e in list_ if e not in done.get(path, []))
        count += 1
    for path, list_ in done.items():
        with open(path, "rb") as f:
            data = f.read()
        # The last first; of insertions at one place, the later one first.
        for _, (first, last, text) in sorted(enumerate(list_), key=lambda x: (x[1][0], x[1][1], x[0]), reverse=True):
            data = data[:first] + text + data[last:]
        with open(path, "wb") as f:
            f.write(data)
    return count


def parts(source, folder):
    """The files that a lit test is, in a folder of their own."""
    inputs = os.path.join(os.path.dirname(source), "Inputs")
    if os.path.isdir(inputs):
        shutil.copytree(inputs, folder, dirs_exist_ok=True)
        shutil.copytree(inputs, os.path.join(folder, "Inputs"), dirs_exist_ok=True)
    with open(source, encoding="utf-8", errors="surrogateescape", newline="") as f:
        lines = f.read().splitlines(keepends=True)
    name, text = (os.path.basename(source) if source.endswith(".cpp") else None), {}
    for line in lines:
        if match := PART.match(line):
            name = match[1]
        elif name:
            text.setdefault(name, []).append(line)
    for name, content in text.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
            f.writelines(content)
    return [n for n in text if n.endswith(".cpp")], "".join(lines)


def commands(text, names, alone, replace):
    """What the test's own commands compile, and with which flags, but those about warnings."""
    found = []
    for line in re.sub(r"\\\n\S*\s*RUN:", " ", text).splitlines():
        if "RUN:" not in line or "%hsched-cc" not in line:
            continue
        for command in line.split("%hsched-cc")[1:]:
            words = re.split(r"\s(?:\||2>|>|&&)", command)[0]
            for old, new in replace:
                words = words.replace(old, new)
            words = words.split()
            flags, i = [], 0
            while i < len(words):
                if CARRIED.match(words[i]):
                    flags.append(words[i])
                    if words[i] in ("-D", "-I", "-isystem") and i + 1 < len(words):
                        i += 1
                        flags.append(words[i])
                i += 1
            for n in names:
                if (n in words or (alone and "%s" in words)) and (flags, n) not in found:
                    found.append((flags, n))
    return found


def follow(compiler, flags, file, parts_in, folder, which):
    """Edits until nothing is offered; how many, the most choices of a warning, and what is wrong."""
    emit, compile_ = ["--hsched-emit=source", "-o", os.devnull], ["-c", "-o", os.devnull]
    good, before = diagnose(compiler, flags, file, folder, emit)
    most = max((len(s.choices()) for s in before if s.name), default=0)
    if which >= most:
        return 0, 0, []
    kept = {s.key for s in before if s.name and not s.choices()}
    errors = {s.key for s in before if s.kind == "error"}
    now, made = before, 0
    for _ in range(ROUNDS):
        made += apply(folder, [s.choices()[min(which, len(s.choices()) - 1)] for s in now if s.name and s.choices()])
        still, now = diagnose(compiler, flags, file, folder, emit)
        wrong = [f"{s.key[0]}:{s.key[1]}: comes with the edits: {s.key[2]}" for s in now
                 if s.kind == "error" and s.key not in errors]
        if wrong or (good and not still):
            return made, most, wrong or ["is refused after the edits"]
        if not any(s.name and s.choices() for s in now):
            break
    # Notes may offer several choices: one is right, and a message may say that another is wrong.
    wrong = [f"{s.key[0]}:{s.key[1]}: {'stays' if s.choices() else 'comes'}: {s.key[2]}" for s in now
             if s.name and s.key not in kept and (which == 0 or s.choices())]
    # What the host compiler says counts, too.
    if good and not diagnose(compiler, flags, file, folder, compile_)[0]:
        again = os.path.join(folder, "before")
        parts_in(again)
        if diagnose(compiler, flags, file, again, compile_)[0]:
            wrong.append("does not compile after the edits")
    return made, most, wrong


def check(compiler, root, source):
    made, wrong, choices = 0, [], 1
    replace = [("%S/", ""), ("%S", "."), ("%t/", ""), ("%t", "."), ("%include", os.path.join(root, "include"))]
    which = 0
    while which < choices:
        with tempfile.TemporaryDirectory() as top:
            names, text = parts(source, os.path.join(top, "0"))
            for i, (flags, name) in enumerate(commands(text, names, source.endswith(".cpp"), replace)):
                folder = os.path.join(top, str(i + 1))
                parts(source, folder)
                count, most, bad = follow(compiler, flags, name, lambda where: parts(source, where), folder, which)
                made, choices = made + count, max(choices, most)
                wrong += [f"{os.path.relpath(source, root)} ({' '.join(flags)}; edit {which + 1}): {b}" for b in bad]
        which += 1
    return source, made, wrong


def main():
    arguments = [a for a in sys.argv[1:] if a != "-v"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    compiler, root, sources = os.path.abspath(arguments[0]), os.path.abspath(arguments[1]), arguments[2:]
    whole = not sources
    if whole:
        for folder, _, files in os.walk(os.path.join(root, "test", "lit")):
            if "Inputs" not in folder:
                sources += [os.path.join(folder, f) for f in files if f.endswith((".cpp", ".test"))]
    total, failed = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, made, wrong in pool.map(lambda s: check(compiler, root, os.path.abspath(s)), sorted(sources)):
            total += made
            failed += wrong
            for line in wrong:
                print(line, flush=True)
            if "-v" in sys.argv and made:
                print(f"{os.path.relpath(source, root)}: {made} edits")
    if whole and total < LEAST:
        failed.append(f"only {total} warnings offered an edit")
        print(failed[-1])
    print(f"{total} warnings followed, {len(failed)} problems")
    sys.exit(1 if failed else 0)


main()

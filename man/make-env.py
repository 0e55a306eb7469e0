#!/usr/bin/env python3
"""Makes hsched-env(7) of the template and of the tables in docs/runtime.md, so that both cannot differ.

usage: make-env.py TEMPLATE VERSION RUNTIME.md CHANGELOG.md > PAGE

A line @TABLE heading@ of the template stands for the table of variables under that heading, @REST@ for sections with all
other such tables, @DATE@ for the date of the newest release.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import sys

FIRST = "2026-11-24"  # The page's date before the first release: readers of manuals want one.

ROW = re.compile(r"^\|\s*(`[A-Z][A-Z0-9_]*`(?:,\s*`[A-Z][A-Z0-9_]*`)*)\s*\|(.*)\|\s*$")


def roff(text):
    """Markdown of one line as roff: code and emphasis are bold and italic, links are their text."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text.strip())
    # A table has no text below it in the page: the template has what is needed.
    text = re.sub(r" See below\.|[;,:]? see below(?=\.|$)| \(below\)", "", text)
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text)
    text = re.sub(r"\*([^*]+)\*", r"\\fI\1\\fP", text)
    return "\\&" + text if text[:1] in (".", "'") else text


def tables(markdown):
    """By heading: the variables' rows as (names, default, meaning), the default empty where the table has no such column."""
    found, heading = {}, None
    for line in markdown.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        match = ROW.match(line)
        if match:
            cells = [c.strip() for c in match.group(2).split(" | ")]
            default, meaning = (cells[0], " | ".join(cells[1:])) if len(cells) > 1 else ("", cells[0])
            found.setdefault(heading, []).append((re.findall(r"[A-Z][A-Z0-9_]*", match.group(1)), default, meaning))
    return found


def page(rows):
    out = []
    for names, default, meaning in rows:
        out.append(".TP\n.B " + ", ".join(names))
        out.append(roff(meaning) + (f"\n.br\nDefault: {roff(default)}." if default else ""))
    return "\n".join(out)


def main():
    template, version, runtime, changed = sys.argv[1:]
    with open(template, encoding="utf-8") as file:
        text = file.read().replace("@VERSION@", version)
    with open(runtime, encoding="utf-8") as file:
        found = tables(file.read())
    with open(changed, encoding="utf-8") as file:
        changes = file.read()
    shown = set()

    def fill(match):
        if match.group(1) not in found:
            sys.exit(f"make-env.py: no variables under '{match.group(1)}' in {runtime}")
        shown.add(match.group(1))
        return page(found[match.group(1)])

    released = re.search(r"(?m)^## [\d.]+, (\d{4}-\d\d-\d\d)$", changes)
    text = text.replace("@DATE@", released[1] if released else FIRST)
    text = re.sub(r"(?m)^@TABLE (.*)@$", fill, text)
    rest = "\n".join(f".SH {roff(h.upper())}\n{page(rows)}" for h, rows in found.items() if h not in shown)
    sys.stdout.write(text.replace("@REST@\n", rest + "\n" if rest else ""))


main()

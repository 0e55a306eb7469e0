#!/usr/bin/env python3
"""Fills a manual page's template in with what the program says of itself, so that both cannot differ.

usage: make-man.py TEMPLATE VERSION PROGRAM HELP-OPTION [WARNINGS-OPTION] > PAGE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys


def ask(program, option):
    return subprocess.run([program, option], check=True, stdout=subprocess.PIPE, text=True).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def entries(text):
    """Lines '  term   what it means', each perhaps continued by lines that are indented further, as term and text."""
    found = []
    for line in text.splitlines():
        match = re.match(r"  (\S(?:.*?\S)?)(?: {2,}(\S.*))?$", line)
        if match and not line.startswith("   "):
            # A long term may have one blank only before its text; then it ends with a bracket.
            found.append([match.group(1), match.group(2) or ""])
        elif found and re.match(r" {3,}\S", line):
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def page(text):
    items = entries(text)
    if not items:
        sys.exit("make-man.py: the help lists nothing")
    return "\n".join(f".TP\n.B \"{roff(term)}\"\n{roff(what)}" for term, what in items)


def main():
    template, version, program, help_option = sys.argv[1:5]
    with open(template, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("@VERSION@", version)
    text = re.sub(r"(?m)^@OPTIONS@$", lambda _: page(ask(program, help_option)), text)
    if len(sys.argv) > 5:
        text = re.sub(r"(?m)^@WARNINGS@$", lambda _: page(ask(program, sys.argv[5])), text)
    left = re.findall(r"(?m)^@\w+@$", text)
    if left:
        sys.exit(f"make-man.py: nothing for {', '.join(left)}")
    sys.stdout.write(text)


main()

#!/usr/bin/env python3
"""Whether a manual page has just the options that the program's help lists.

usage: documented.py PAGE PROGRAM HELP-OPTION...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys


def main():
    page_file, program, *help_options = sys.argv[1:]
    with open(page_file, encoding="utf-8") as file:
        page = file.read().replace("\\-", "-")
    listed = []
    for option in help_options:
        text = subprocess.run([program, option], check=True, stdout=subprocess.PIPE, text=True).stdout
        listed += re.findall(r"(?m)^  (-\S+(?: <\S+)?)", text)
    assert len(listed) > 3, "the help lists next to nothing"
    described = re.findall(r'(?m)^\.TP\n\.B "(-.*)"$', page)
    assert sorted(described) == sorted(listed), f"in one of both alone: {sorted(set(described) ^ set(listed))}"
    # What the text and the examples use is listed as well; what has one dash may be another program's.
    names = {re.match(r"-+[\w-]*", option).group() for option in listed}
    used = set(re.findall(r"(?<![\w-])(--\w[\w-]*|-cl-\w+|-Whsched[\w-]*)", page))
    assert used <= names, f"in no help: {sorted(used - names)}"
    print("all documented")


main()

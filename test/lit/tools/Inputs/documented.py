#!/usr/bin/env python3
"""Whether each option in a help text (standard input) is in a manual page.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read().replace("\\-", "-")
options = re.findall(r"(?m)^  (-\S+)", sys.stdin.read())
assert len(options) > 3, "the help lists next to nothing"
missing = [o for o in options if o.rstrip(",") not in page]
print(f"not in the manual: {', '.join(missing)}" if missing else "all documented")

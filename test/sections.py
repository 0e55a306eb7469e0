"""Lists of sections, as clauses and the corpus's expectations have them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


def split(text):
    """Sections of a list, which are separated by commas outside brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([<{") - (c in ")]>}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]

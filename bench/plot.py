#!/usr/bin/env python3
"""Draws the plot of docs/performance.md from its table, so that both say the same.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/plot.py [--check] [DOCUMENT] [PICTURE]

DOCUMENT: default docs/performance.md; PICTURE: default docs/images/overhead.svg. --check: writes nothing; the exit code is 1 where the picture
is not the table's.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = [("independent", "2"), ("chain", "2"), ("stencil", "2"), ("metg", "2")]
COLOURS = {"hsched": "#0b57d0", "libgomp": "#c77700", "libomp": "#9a6fb0", "tbb": "#4e8f5b", "starpu": "#8a8f98"}
LEFT, WIDTH, BAR, GAP, TOP = 150, 520, 13, 16, 40


def figures(text):
    """{(pattern, threads): (unit, {runtime: nanoseconds})} of the first table with the runtimes as columns."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("| pattern | threads | unit |"))
    columns = [c.strip() for c in lines[head].strip("|").split("|")]
    out = {}
    for line in lines[head + 2:]:
        if not line.startswith("|"):
            break
        cells = dict(zip(columns, (c.strip() for c in line.strip("|").split("|"))))
        scale = 1000 if cells["unit"] == "us" else 1
        values = {}
        for runtime in COLOURS:
            number = re.match(r"[\d.]+", cells[runtime])
            if number:
                values[runtime] = float(number[0]) * scale
        out[cells["pattern"], cells["threads"]] = (cells["unit"], values)
    return out


def drawn(table):
    low, high = 10, 100_000
    x = lambda ns: LEFT + WIDTH * math.log(ns / low) / math.log(high / low)
    count = sum(len(table[row][1]) for row in ROWS)
    height = TOP + count * BAR + len(ROWS) * GAP + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {height}" font-family="sans-serif" font-size="11" role="img">',
           "<title>Nanoseconds a task on two threads, by runtime; a logarithmic scale</title>",
           "<!-- Drawn by bench/plot.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->",
           f'<rect width="{LEFT + WIDTH + 90}" height="{height}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="16" font-size="13">Overhead, nanoseconds a task, two threads (shorter is better)</text>']
    for tick in (10, 100, 1000, 10_000, 100_000):
        out.append(f'<line x1="{x(tick):.1f}" y1="{TOP - 14}" x2="{x(tick):.1f}" y2="{height - 22}" stroke="#d5d9df"/>'
                   f'<text x="{x(tick):.1f}" y="{height - 8}" text-anchor="middle">{tick:,}</text>')
    y = TOP
    for row in ROWS:
        values = table[row][1]
        middle = y + len(values) * BAR / 2 + 4
        name = {"metg": "METG(50 %)"}.get(row[0], row[0])
        out.append(f'<text x="8" y="{middle:.1f}" font-size="12">{name}</text>')
        for runtime, ns in values.items():
            out.append(f'<rect x="{LEFT}" y="{y}" width="{x(ns) - LEFT:.1f}" height="{BAR - 2}" fill="{COLOURS[runtime]}"/>'
                       f'<text x="{LEFT - 5}" y="{y + BAR - 3}" text-anchor="end">{runtime}</text>'
                       f'<text x="{x(ns) + 5:.1f}" y="{y + BAR - 3}">{ns:,.0f}</text>')
            y += BAR
        y += GAP
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    document = pathlib.Path(words[0]) if words else ROOT / "docs" / "performance.md"
    picture = pathlib.Path(words[1]) if len(words) > 1 else ROOT / "docs" / "images" / "overhead.svg"
    text = drawn(figures(document.read_text()))
    if "--check" not in sys.argv[1:]:
        picture.write_text(text)
    elif not picture.exists() or picture.read_text() != text:
        sys.exit(f"plot.py: {picture} is not what {document} says; run bench/plot.py")


if __name__ == "__main__":
    main()

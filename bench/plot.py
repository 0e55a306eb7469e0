#!/usr/bin/env python3
"""Draws the plots of docs/performance.md from its tables, so that both say the same.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/plot.py [--check] [DOCUMENT] [FOLDER]

DOCUMENT: default docs/performance.md; FOLDER, of the pictures: default docs/images. --check: writes nothing; the exit code is 1 where a picture
is not its table's.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = [("independent", "2"), ("chain", "2"), ("stencil", "2"), ("metg", "2")]
COLOURS = {"hsched": "#0b57d0", "libgomp": "#c77700", "libomp": "#9a6fb0", "tbb": "#4e8f5b", "starpu": "#8a8f98"}
# Plots with a linear scale: the picture, the head of its table, its columns and their bars' names. Then a limit to mark, and the title.
LINEAR = [
    ("samples", "| sample | OpenMP's work |", {2: "hsched"}, 1.03, "Samples: time by that of OpenMP, two threads (shorter is better; the line is 1.03)"),
    ("starpu", "| program | `adaptive` | StarPU `dmdas` |", {3: "hsched"}, 1, "One H100: time by that of StarPU's dmdas (shorter is better; the line is 1)"),
    ("scaling", "| threads | hsched | libomp |", {1: "hsched", 2: "libomp", 3: "libgomp", 4: "tbb"}, None,
     "Stencil, tasks of 1 us: thousands of tasks a second by threads (longer is better)"),
]
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


def rows(text, head):
    """[(name, [cell])] of the table that begins with this head."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(head))
    out = []
    for line in lines[begin + 2:]:
        if not line.startswith("|"):
            break
        cells = [c.strip() for c in line.strip("|").split("|")]
        out.append((cells[0], cells))
    return out


def bars(text, head, columns, limit, title):
    groups = [(name, [(runtime, float(re.match(r"[\d.]+", cells[c])[0])) for c, runtime in columns.items()]) for name, cells in rows(text, head)]
    most = max(value for _, values in groups for _, value in values)
    height = TOP + sum(len(values) * BAR + GAP / 2 for _, values in groups) + 8
    x = lambda value: LEFT + WIDTH * value / most
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 90} {height:.0f}" font-family="sans-serif" font-size="11" role="img">',
           f"<title>{title}</title>", "<!-- Drawn by bench/plot.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->",
           f'<rect width="{LEFT + WIDTH + 90}" height="{height:.0f}" fill="#ffffff"/>', f'<text x="8" y="16" font-size="13">{title}</text>']
    y = TOP - 8
    for name, values in groups:
        out.append(f'<text x="8" y="{y + len(values) * BAR / 2 + 4:.1f}" font-size="12">{name}</text>')
        for runtime, value in values:
            label = f'<text x="{LEFT - 5}" y="{y + BAR - 3:.1f}" text-anchor="end">{runtime}</text>' if len(values) > 1 else ""
            out.append(f'<rect x="{LEFT}" y="{y:.1f}" width="{x(value) - LEFT:.1f}" height="{BAR - 2}" fill="{COLOURS[runtime]}"/>{label}'
                       f'<text x="{x(value) + 5:.1f}" y="{y + BAR - 3:.1f}">{value:g}</text>')
            y += BAR
        y += GAP / 2
    if limit:
        out.append(f'<line x1="{x(limit):.1f}" y1="{TOP - 14}" x2="{x(limit):.1f}" y2="{height - 4:.0f}" stroke="#b3261e"/>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    document = pathlib.Path(words[0]) if words else ROOT / "docs" / "performance.md"
    folder = pathlib.Path(words[1]) if len(words) > 1 else ROOT / "docs" / "images"
    text = document.read_text()
    pictures = {"overhead": drawn(figures(text)), **{name: bars(text, *how) for name, *how in LINEAR}}
    for name, picture in pictures.items():
        path = folder / f"{name}.svg"
        if "--check" not in sys.argv[1:]:
            path.write_text(picture)
        elif not path.exists() or path.read_text() != picture:
            sys.exit(f"plot.py: {path} is not what {document} says; run bench/plot.py")


if __name__ == "__main__":
    main()

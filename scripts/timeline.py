#!/usr/bin/env python3
"""Draws a trace that HSCHED_TRACE has written as a picture: a row for each core and queue, a bar for each task.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: timeline.py TRACE.json OUT.svg [--from MS] [--to MS] [--width PIXELS]
  --from, --to  the part of the run, in milliseconds from its first task; without, all of it
Colours stand for tasks, in the order in which they first appear. A bar's tooltip names task, version and duration.
"""
import argparse
import json
import sys
from xml.sax.saxutils import escape

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"]  # Told apart by the colour-blind.
ROW, GAP, LEFT, TOP = 26, 6, 150, 34


def read(path):
    """(names of rows by thread, tasks as (thread, start, duration, name, version) in microseconds)"""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        rows = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        order = {e["tid"]: e["args"]["sort_index"] for e in events if e["ph"] == "M" and e["name"] == "thread_sort_index"}
        tasks = [(e["tid"], e["ts"], e["dur"], e["name"], e["args"].get("version", ""))
                 for e in events if e["ph"] == "X" and e.get("cat") == "task"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        sys.exit(f"timeline.py: '{path}' is no trace of hsched: {problem}")
    rows = {tid: rows[tid] for tid in sorted(rows, key=lambda t: order.get(t, t))}
    return rows, sorted(tasks, key=lambda t: t[1])


def draw(rows, tasks, begin, end, width):
    span = max(end - begin, 1e-9)
    scale = (width - LEFT - 10) / span
    shown = [t for t in tasks if t[1] + t[2] > begin and t[1] < end]
    names = list(dict.fromkeys(t[3] for t in shown))
    colour = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    height = TOP + len(rows) * (ROW + GAP) + 28
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           f'font-family="sans-serif" font-size="12" role="img">',
           f"<title>{len(shown)} tasks on {len(rows)} workers in {span / 1000:.2f} ms</title>",
           f'<rect width="{width}" height="{height}" fill="white"/>']
    x = LEFT
    for name in names:
        out.append(f'<rect x="{x}" y="10" width="12" height="12" fill="{colour[name]}"/>'
                   f'<text x="{x + 16}" y="20">{escape(name)}</text>')
        x += 34 + 8 * len(name)
    for index, (tid, row) in enumerate(rows.items()):
        y = TOP + index * (ROW + GAP)
        label = row if len(row) <= 22 else row[:9] + "…" + row[-12:]
        out.append(f'<text x="{LEFT - 8}" y="{y + ROW / 2 + 4}" text-anchor="end">{escape(label)}</text>'
                   f'<rect x="{LEFT}" y="{y}" width="{width - LEFT - 10}" height="{ROW}" fill="#f2f2f2"/>')
        for thread, start, duration, name, version in shown:
            if thread != tid:
                continue
            left, right = max(start, begin), min(start + duration, end)
            out.append(f'<rect x="{LEFT + (left - begin) * scale:.2f}" y="{y}" width="{max((right - left) * scale, 0.3):.2f}" '
                       f'height="{ROW}" fill="{colour[name]}" stroke="white" stroke-width="0.4">'
                       f"<title>{escape(name)} as {escape(version)}: {duration / 1000:.3f} ms</title></rect>")
    y = TOP + len(rows) * (ROW + GAP) + 12
    for tick in range(6):
        at = LEFT + (width - LEFT - 10) * tick / 5
        out.append(f'<text x="{at:.0f}" y="{y}" text-anchor="{"end" if tick == 5 else "middle"}">{span * tick / 5000:.1f}'
                   f'{" ms" if tick == 5 else ""}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Draws a trace of hsched.")
    parser.add_argument("trace")
    parser.add_argument("out")
    parser.add_argument("--from", dest="begin", type=float, metavar="MS")
    parser.add_argument("--to", dest="end", type=float, metavar="MS")
    parser.add_argument("--width", type=int, default=900)
    options = parser.parse_args()
    rows, tasks = read(options.trace)
    if not tasks:
        sys.exit(f"timeline.py: '{options.trace}' has no tasks")
    begin = tasks[0][1] + 1000 * (options.begin or 0)
    end = tasks[0][1] + 1000 * options.end if options.end is not None else max(t[1] + t[2] for t in tasks)
    if end <= begin or options.width < 300:
        sys.exit("timeline.py: nothing to draw: --to must be after --from, and --width at least 300")
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(draw(rows, tasks, begin, end, options.width))


if __name__ == "__main__":
    main()

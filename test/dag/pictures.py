#!/usr/bin/env python3
"""hsched-run's pictures: well-formed SVG that shows what the trace and the graph have.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: pictures.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import re
import sys
import xml.etree.ElementTree as tree

import harness
from harness import expect, main, run, succeeds, two_devices, write

SVG = "{http://www.w3.org/2000/svg}"


def kernel(id, **more):
    return {"id": id, "name": "plus", "src": "k.cl", "global": ["N"], **more,
            "args": [{"role": "in", "type": "float", "size": "N"}, {"role": "out", "type": "float", "size": "N"}]}


def dag():
    """Two components on two devices, an edge between them, and a kernel whose id is no XML."""
    write("k.cl", "kernel void plus(global const float *a, global float *b) { b[get_global_id(0)] = a[get_global_id(0)] + 1; }\n")
    return write("dag.json", {"hsched-dag": 1, "symbols": {"N": 1024},
                              "kernels": [kernel("a", device="gpu"), kernel("b<&\">", device="gpu"), kernel("c", device="cpu"),
                                          kernel("d", device="cpu", after=["a"])],
                              "edges": [["a", 1, "b<&\">", 0], ["b<&\">", 1, "c", 0]], "components": [["a", "b<&\">"], ["c"], ["d"]]})


def bars(name):
    """A Gantt chart's bars: (y, left, right, tooltip)"""
    root = tree.parse(harness.WORK / name).getroot()
    found = []
    for group in root.iter(SVG + "g"):
        box, tip = group.find(SVG + "rect"), group.find(SVG + "title").text
        found.append((float(box.get("y")), float(box.get("x")), float(box.get("x")) + float(box.get("width")), tip))
    return root, found


def case_gantt():
    two = two_devices()
    succeeds(dag(), *two, "--quiet", "--gantt=g.svg", "--repeat=3")
    root, found = bars("g.svg")
    kernels = [b for b in found if ": plus of k.cl, " in b[3]]
    expect(sorted(b[3].split(":")[0] for b in kernels) == ["a", 'b<&">', "c", "d"], f"the last run's kernels, each once: {found}")
    expect(root.find(SVG + "title").text.startswith("4 kernels in "), "the title counts them")
    expect(any(b[3].startswith("host to device, ") and b[3].endswith(" 4096 bytes") for b in found), f"transfers: {found}")
    expect(all(re.search(r", [0-9.]+ ms from [0-9.]+ ms", b[3]) for b in found), f"times: {found}")
    place = {b[3].split(":")[0]: b for b in kernels}
    expect(place["a"][2] <= place['b<&">'][1] + 0.5 and place["a"][1] >= 210, "b begins where a has ended, to half a pixel")
    expect(place["a"][0] != place["c"][0], "devices have rows of their own")
    names = [t.text for t in root.iter(SVG + "title") if t.text.endswith(("queue 0", "upload", "download"))]
    expect(sum(n.endswith("#0.0 queue 0") for n in names) == 1 and sum(n.endswith("#0.1 queue 0") for n in names) == 1, f"rows: {names}")
    expect(sorted(p.name for p in harness.WORK.iterdir() if "trace" in p.name) == [], "the trace is not kept")


def case_gantt_beside_a_trace():
    """The trace that was asked for, by option or variable, is there too."""
    two_devices()
    succeeds(dag(), "--devices=cpu", "--map", "gpu=cpu", "--quiet", "--gantt=g.svg", "--trace=t.json")
    expect((harness.WORK / "t.json").stat().st_size > 0 and len(bars("g.svg")[1]) >= 4, "both")
    succeeds(dag(), "--devices=cpu", "--map", "gpu=cpu", "--quiet", "--gantt=h.svg", HSCHED_TRACE="u.json")
    expect((harness.WORK / "u.json").stat().st_size > 0 and len(bars("h.svg")[1]) >= 4, "both")


def case_gantt_that_cannot_be_written():
    done = run(dag(), "--map", "gpu=cpu", "--devices=cpu", "--gantt=no/folder/g.svg")
    if "there is no OpenCL device" in done.stderr:
        raise harness.Skip("no OpenCL device on this machine")
    expect(done.returncode == 1 and "file 'no/folder/g.svg' cannot be written" in done.stderr, "an error at the end", done)


def case_graph():
    two = two_devices()
    succeeds(dag(), *two, "--quiet", "--graph=g.svg", "--graph=g.svg")
    root = tree.parse(harness.WORK / "g.svg").getroot()
    tips = [g.find(SVG + "title").text for g in root.iter(SVG + "g")]
    expect(len(tips) == 4 and any(re.fullmatch(r'b<&">: plus on .*#0\.0', t) for t in tips), f"{tips}")
    expect(any(re.fullmatch(r"c: plus on .*#0\.1", t) for t in tips), f"{tips}")
    paths = [p for p in root.iter(SVG + "path") if p.get("marker-end")]
    expect(len(paths) == 3 and sum(p.get("stroke-dasharray") is not None for p in paths) == 1, "three arrows, one without data")
    expect(sum(r.get("rx") == "8" for r in root.iter(SVG + "rect")) == 1, "the component of two kernels has a frame")
    height = {g.find(SVG + "title").text.split(":")[0]: float(g.find(SVG + "rect").get("y")) for g in root.iter(SVG + "g")}
    expect(height["a"] < height['b<&">'] < height["c"] and height["d"] == height['b<&">'], f"layers: {height}")
    # For Graphviz, from an engine's policy, which tells hsched-run of no places.
    succeeds(dag(), *two, "--quiet", "--graph=g.dot", "--sched=versioning")
    text = (harness.WORK / "g.dot").read_text()
    expect(re.search(r'k0 \[label="a\\nplus\\n[^"]*#0\.0"\]', text) and text.startswith("digraph"), text)


def case_graph_without_a_run():
    done = run(dag(), "--dry-run", "--graph=g.svg")
    expect(done.returncode == 0, "fails", done)
    root = tree.parse(harness.WORK / "g.svg").getroot()
    tips = [g.find(SVG + "title").text for g in root.iter(SVG + "g")]
    expect("a: plus on gpu" in tips and "c: plus on cpu" in tips, f"{tips}")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))

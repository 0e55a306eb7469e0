#!/usr/bin/env python3
"""The samples that are files of kernels: results against references, and what travels.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: samples.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

import harness
from harness import Failure, expect, main, moved, report, run, succeeds, two_devices

CHAINS = ("2mm", "3mm", "atax", "bicg", "mvt", "gemver", "fdtd", "fork-join")


def generate(script, *arguments):
    path = pathlib.Path(harness.OPTIONS.source, "samples", script)
    done = subprocess.run([sys.executable, path.resolve(), *map(str, arguments)], capture_output=True, text=True, check=False,
                          cwd=harness.WORK)
    expect(done.returncode == 0 and not done.stderr, f"{script} fails", done)


def case_transformer():
    two = two_devices()
    generate("transformer/transformer.py", "t", "--heads=3", "--beta=32", "--cpu-heads=1", "--check")
    matrix = 32 * 32 * 4
    for policy in ("clustering", "eager", "heft", "versioning"):
        facts = report("t/dag.json", *two, f"--sched={policy}")
        expect(len(facts["errors"]) == 3 and max(facts["errors"].values()) < 1e-5, f"{policy}: {facts['errors']}")
        if policy in ("eager", "heft"):
            continue
        # A head on the CPU, two on the GPU: X once a device, four weights a head, a result a head; nothing between devices.
        expect(moved(facts, "#0.0") == (9 * matrix, 2 * matrix, 0) and moved(facts, "#0.1") == (5 * matrix, matrix, 0),
               f"{policy}: {facts['traffic']}")
    done = succeeds("t/dag.json", "--dry-run")
    expect(done.stdout.startswith("24 kernels of 3 functions, 21 edges, 3 components"), "eight kernels a head", done)


def case_transformer_by_hand():
    """The file by hand computes what the generator's does, from other weights: softmax's rows have the sum 1."""
    folder = pathlib.Path(harness.OPTIONS.source, "samples", "transformer").resolve()
    lines = (folder / "head.json").read_text().count("\n")
    expect(lines <= 25, f"head.json has {lines} lines")
    succeeds(str(folder / "head.json"), "--quiet", "--output=results", "-D", "N=32")
    rows = harness.load("results/B.npy")
    for row in range(32):
        expect(abs(sum(rows[row * 32:(row + 1) * 32]) - 1) < 1e-5, f"row {row}")


def case_transformer_as_a_graph():
    generate("transformer/transformer.py", "t", "--heads=2", "--beta=16", "--form=pyschedcl")
    succeeds("t/dag.graph", "--quiet", "--map", "gpu=any", "--map", "cpu=any", "--output=results")
    expect(sorted(p.name for p in (harness.WORK / "results").iterdir()) == ["15.2.npy", "7.2.npy"], "a result a head")


def case_vgg():
    """A block of a VGG-like network on two devices: groups of channels side by side, results as a reference has them."""
    two = two_devices()
    generate("vgg/vgg.py", "v", "--size=12", "--inputs=3", "--channels=6", "--groups=2", "--check")
    for policy in ("clustering", "heft", "versioning"):
        facts = report("v/dag.json", *two, f"--sched={policy}")
        expect(len(facts["errors"]) == 2 and max(facts["errors"].values()) <= 1e-5, f"{policy}: {facts['errors']}")
    # A layer's convolutions read groups of the layer before, each as soon as it is there.
    done = succeeds("v/dag.json", "--dry-run")
    expect(not done.stderr, "no buffer is too small", done)
    expect(done.stdout.startswith("12 kernels of 3 functions") and "l1g0.1: convolve [12,12,3] on any device after l0g1.relu l1g0.0" in done.stdout,
           "two layers of two groups", done)


def case_pyschedcl():
    """The experiments' script, small: three tables, plots and charts that are well-formed, all measurements as JSON."""
    two_devices()
    script = pathlib.Path(harness.OPTIONS.source, "bench", "experiments", "pyschedcl.py").resolve()
    done = subprocess.run([sys.executable, script, f"--run={harness.OPTIONS.run}", "--out=r", "--no-check-kinfo", "--heads=1,2", "--beta=16",
                           "--sizes=16", "--most-heads=2", "--queues=1,2", "--cpu-queues=1", "--repeat=1", "--warm-up=0", "--policies=versioning,none"],
                          capture_output=True, text=True, check=False, cwd=harness.WORK, timeout=200)
    expect(done.returncode == 0, "the script fails", done)
    text = (harness.WORK / "r" / "results.md").read_text()
    expect(len(re.findall(r"^\| [12] \| [0-9.]+ \| ", text, re.M)) == 2 and len(re.findall(r"^\| 16 \| ", text, re.M)) == 1, text)
    expect("versioning, no hints" in text and "none, no hints" not in text, "a policy that is not there is left out")
    pictures = re.findall(r"!\[\]\((.*)\)", text)
    expect(len(pictures) == 8, f"three plots, five charts: {pictures}")
    for picture in pictures:
        tree.parse(harness.WORK / "r" / picture)
    measured = json.loads((harness.WORK / "r" / "results.json").read_text())["measurements"]
    expect({m["sched"] for m in measured} == {"clustering", "eager", "heft", "versioning"} and all(m["ms"] for m in measured), "all")


def chain(program):
    def case():
        generate("chains/chains.py", "c", program, "--size=24", "--check")
        for policy in ("versioning", "eager"):
            succeeds("c/dag.json", f"--sched={policy}")
    return case


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
for each in CHAINS:
    CASES["chain_" + each.replace("-", "_")] = chain(each)
if __name__ == "__main__":
    sys.exit(main(CASES))

#!/usr/bin/env python3
"""The figures of two papers on the simulated machines that the papers had: tables and plots.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

  bench/experiments/papers.py --sim build/bin/hsched-sim --out results            # all of it: some minutes
  bench/experiments/papers.py --sim build/bin/hsched-sim --out results --quick    # small matrices, few machines

ompss: Planas et al., "Self-adaptive OmpSs tasks in heterogeneous environments", figures 6 to 15, on minotauro.
xkaapi: Lima et al., "Comparison of scheduling strategies for heterogeneous multi-CPU and multi-GPU architectures", figures
8 to 14, on idgraf. Policies are named as in hsched-sim. A simulation has one result, so one run is enough.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import charts

PLATFORMS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "sim" / "platforms"
POLICIES = ["heft", "ws-locality", "ws-data", "ws"]
# The paper restricts tasks of its work stealing policies to GPUs (SetArch), and does not say which.
ON_GPUS = {"cholesky": "gemm:gpu,trsm:gpu,syrk:gpu", "lu": "gemm:gpu,trsm:gpu,getrf:gpu", "jacobi": ""}
KINDS = [("H2D", "h2d_bytes"), ("D2H", "d2h_bytes"), ("D2D", "d2d_bytes")]


class Machine:
    """A shipped platform with the first so many CPU workers and devices of it."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        self.whole = json.loads((PLATFORMS / f"{name}.json").read_text())
        self.known = {}

    def platform(self, cpus, gpus):
        made, left = dict(self.whole, workers=[]), {True: cpus, False: gpus}
        # The platforms have no speed for saxpy. It is bound by memory, as jacobi is.
        # So are the loops of PBPI. The paper says that a core takes three to four times as long as a GPU for the second one.
        made["kinds"] = {}
        for name, kind in self.whole["kinds"].items():
            memory, core = kind["speeds"]["jacobi"], kind["device"] == "cpu"
            more = {"saxpy": memory, "loop1": memory, "loop2": memory if core else {"gbs": 3.5 * self.core_gbs(), "overhead_us": 10},
                    "loop3": memory if core else None}
            made["kinds"][name] = dict(kind, speeds={**kind["speeds"], **more})
        for worker in self.whole["workers"]:
            cpu = self.whole["kinds"][worker["kind"]]["device"] == "cpu"
            count = min(worker.get("count", 1), left[cpu])
            left[cpu] -= count
            if count:
                made["workers"].append(dict(worker, count=count))
        # The paper runs the machine's other cores with fewer GPUs: cores beyond those in the file are like the last one.
        if left[True]:
            last = max(i for i, w in enumerate(made["workers"]) if not w.get("links"))
            made["workers"][last]["count"] += left[True]
        return made

    def core_gbs(self):
        return next(k["speeds"]["jacobi"]["gbs"] for k in self.whole["kinds"].values() if k["device"] == "cpu")

    def run(self, cpus, gpus, graph, policy, only=""):
        key = (cpus, gpus, graph, policy, only)
        if key not in self.known:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(self.platform(cpus, gpus), file)
                file.flush()
                command = [self.options.sim, file.name, "--graph=" + graph, "--sched=" + policy, "--warm", "--json"]
                ran = subprocess.run(command + (["--only=" + only] if only else []), capture_output=True, text=True,
                                     check=False, timeout=900)
            if ran.returncode:
                sys.exit(" ".join(command) + ": " + ran.stderr.strip())
            self.known[key] = json.loads(ran.stdout)["runs"][0]
        return self.known[key]


def saxpy(folder, millions, blocks=256):
    """A graph file: y = a x + y of so many million floats, in blocks."""
    path, size = folder / f"saxpy-{millions}.json", millions * 10**6 // blocks * 4
    data = {f"{v}{i}": size for i in range(blocks) for v in "xy"}
    tasks = [{"type": "saxpy", "work": size / 2, "in": [f"x{i}"], "inout": [f"y{i}"]} for i in range(blocks)]
    path.write_text(json.dumps({"data": data, "tasks": tasks}))
    return str(path)


def pbpi(folder, generations, blocks=50, block=10**7):
    """A graph file: three loops over 500 MB in each generation. The third one adds up what the first two made."""
    data, tasks = {}, []
    for i in range(blocks):
        data |= {f"tree{i}": block // 2, f"like{i}": block // 2, f"sum{i}": 64}
    for _ in range(generations):
        for i in range(blocks):
            tasks += [{"type": "loop1", "work": 1, "in": [f"tree{i}"], "inout": [f"like{i}"]},
                      {"type": "loop2", "work": 1, "in": [f"tree{i}"], "inout": [f"like{i}"]}]
        tasks += [{"type": "loop3", "work": 1, "inout": [f"like{i}"], "out": [f"sum{i}"]} for i in range(blocks)]
    path = folder / "pbpi.json"
    path.write_text(json.dumps({"data": data, "tasks": tasks}))
    return str(path)


def gflops(program, n, run):
    return {"cholesky": 1 / 3, "lu": 2 / 3, "gemm": 2}[program] * n**3 / run["makespan_ns"]


def gigabytes(run):
    return [run[field] / 1e9 for _, field in KINDS]


def hits(run):
    return 100 * run["hits"] / max(run["lookups"], 1)


def shares(run, task):
    """Share of each kind of worker in a task's runs."""
    counts = {v["version"]: v["runs"] for v in run["versions"] if v["version"].startswith(task + "_")}
    return {name: 100 * count / max(sum(counts.values()), 1) for name, count in counts.items()}


class Report:
    def __init__(self, folder, title):
        self.folder, self.text = folder, [f"# {title}\n"]

    def section(self, name, title, x_label, y_label, xs, series, stacked=False):
        (charts.bars if stacked else charts.lines)(self.folder / f"{name}.svg", title, x_label, y_label, xs, series)
        rows = [[x, *(f"{values[i]:.4g}" for values in series.values())] for i, x in enumerate(xs)]
        self.text.append(f"## {title}\n\n{y_label}\n\n" + charts.table([x_label, *series], rows) + f"\n![]({name}.svg)\n")

    def write(self, name):
        (self.folder / name).write_text("\n".join(self.text))


def xkaapi(o):
    machine, report = Machine(o, "idgraf"), Report(o.out, "XKaapi: 12 Xeon X5650 cores, 8 Tesla C2050 (idgraf), simulated")
    mixes = [(12 - g, g) for g in ((2, 8) if o.quick else range(1, 9))]  # Each GPU has a core of its own.
    sizes = [4096, 8192] if o.quick else [8192, 16384, 24576, 32768]
    n = sizes[-1] if o.quick else 16384  # Where the mix varies; the paper does not say.
    tile, steps = 1024, 10
    names = [f"{c}+{g}" for c, g in mixes]
    millions = [64, 128] if o.quick else [64, 128, 256, 512]
    with tempfile.TemporaryDirectory() as folder:
        for part, x_label, xs, cases in (("a", "CPUs+GPUs", names, [(c, g, millions[-1]) for c, g in mixes]),
                                         ("b", "million elements", millions, [(4, 8, m) for m in millions])):
            graphs = {m: saxpy(pathlib.Path(folder), m) for m in millions}
            serial = {m: machine.run(1, 0, graphs[m], "eager")["makespan_ns"] for m in millions}
            # As in the paper, the work stealing policies run it on GPUs alone.
            report.section(f"xkaapi-8{part}", f"Figure 8{part}: SAXPY in 256 blocks", x_label, "speed-up over one core", xs,
                           {p: [serial[m] / machine.run(c, g, graphs[m], p, "" if p == "heft" else "saxpy:gpu")["makespan_ns"] for c, g, m in cases]
                            for p in POLICIES})
    for program, figure in (("jacobi", 9), ("cholesky", 10), ("lu", 11)):
        def graph(size):
            return f"{program}:{size},{tile}" + (f",{steps}" if program == "jacobi" else "")

        def run(cpus, gpus, size, policy):
            return machine.run(cpus, gpus, graph(size), policy, "" if policy == "heft" else ON_GPUS[program])

        def value(size, r):
            return r["makespan_ns"] / 1e9 / steps if program == "jacobi" else gflops(program, size, r)

        what = "seconds an iteration" if program == "jacobi" else "GFlop/s"
        for part, x_label, xs, cases in (("a", "CPUs+GPUs", names, [(c, g, n) for c, g in mixes]),
                                         ("b", "matrix size", sizes, [(4, 8, size) for size in sizes])):
            runs = {p: [run(*case, p) for case in cases] for p in POLICIES}
            about = f"{program}, {'N ' + str(n) if part == 'a' else '4 CPUs and 8 GPUs'}, tiles of {tile}"
            report.section(f"xkaapi-{figure}{part}", f"Figure {figure}{part}: {about}", x_label, what, xs,
                           {p: [value(case[2], r) for case, r in zip(cases, rs)] for p, rs in runs.items()})
            if program != "cholesky":
                footprint = 12 if program == "jacobi" else 13
                report.section(f"xkaapi-{footprint}{part}", f"Figure {footprint}{part}: {about}", x_label, "bytes moved, GB", xs,
                               {p: [sum(gigabytes(r)) for r in rs] for p, rs in runs.items()})
                last = {p: rs[-1] for p, rs in runs.items()}
                report.section(f"xkaapi-{footprint}{part}-kinds", f"Figure {footprint}{part}, by kind, at {xs[-1]}", "policy", "GB", POLICIES,
                               {k: [last[p][field] / 1e9 for p in POLICIES] for k, field in KINDS}, stacked=True)
            if program == "lu":
                report.section(f"xkaapi-14{part}", f"Figure 14{part}: {about}", x_label, "hit ratio, %", xs,
                               {p: [hits(r) for r in rs] for p, rs in runs.items()})
    report.write("xkaapi.md")


def ompss(o):
    machine, report = Machine(o, "minotauro"), Report(o.out, "OmpSs: 10 Xeon E5649 cores, 2 M2090 (minotauro), simulated")
    mixes = [(c, g) for g in (1, 2) for c in ((1, 8) if o.quick else (1, 2, 4, 8))]
    names = [f"{c} SMP, {g} GPU" for c, g in mixes]
    # The affinity scheduler's nearest is ws-locality, the dependency-aware one's eager.
    n = 4096 if o.quick else 16384
    versions = {"mm-gpu-aff": ("ws-locality", "gemm:gpu"), "mm-gpu-dep": ("eager", "gemm:gpu"), "mm-hyb-ver": ("versioning", "")}
    runs = {name: [machine.run(c, g, f"gemm:{n},1024", policy, only) for c, g in mixes] for name, (policy, only) in versions.items()}
    pages(report, "6", "7", f"matrix multiplication, N {n}, tiles of 1024", names, runs, "gemm", n)
    hybrid = [shares(r, "gemm") for r in runs["mm-hyb-ver"]]
    report.section("ompss-8", "Figure 8: versions of gemm, mm-hyb-ver", "workers", "share of runs, %", names,
                   {v: [s.get(v, 0) for s in hybrid] for v in sorted(set().union(*hybrid))}, stacked=True)

    n, tile = (8192, 1024) if o.quick else (32768, 2048)
    rest = "gemm:gpu,trsm:gpu,syrk:gpu"
    versions = {"potrf-smp-dep": ("eager", rest + ",potrf:cpu"), "potrf-gpu-dep": ("eager", rest + ",potrf:gpu"),
                "potrf-gpu-aff": ("ws-locality", rest + ",potrf:gpu"), "potrf-hyb-ver": ("versioning", rest)}
    runs = {name: [machine.run(c, g, f"cholesky:{n},{tile}", policy, only) for c, g in mixes]
            for name, (policy, only) in versions.items()}
    pages(report, "9", "10", f"Cholesky, N {n}, tiles of {tile}", names, runs, "cholesky", n)
    hybrid = [shares(r, "potrf") for r in runs["potrf-hyb-ver"]]
    report.section("ompss-11", "Figure 11: versions of potrf, potrf-hyb-ver", "workers", "share of runs, %", names,
                   {v: [s.get(v, 0) for s in hybrid] for v in sorted(set().union(*hybrid))}, stacked=True)
    versions = {"pbpi-smp": ("eager", "loop1:cpu,loop2:cpu"), "pbpi-gpu-dep": ("eager", "loop1:gpu,loop2:gpu"),
                "pbpi-gpu-aff": ("ws-locality", "loop1:gpu,loop2:gpu"), "pbpi-hyb-ver": ("versioning", "")}
    with tempfile.TemporaryDirectory() as folder:
        graph = pbpi(pathlib.Path(folder), 2 if o.quick else 20)
        runs = {name: [machine.run(c, g, graph, policy, only) for c, g in mixes] for name, (policy, only) in versions.items()}
    report.section("ompss-12", "Figure 12: PBPI, 500 MB", "workers", "seconds", names,
                   {name: [r["makespan_ns"] / 1e9 for r in rs] for name, rs in runs.items()})
    report.section("ompss-13", "Figure 13: PBPI, 500 MB", "workers", "bytes moved, GB", names,
                   {name: [sum(gigabytes(r)) for r in rs] for name, rs in runs.items()})
    for loop, figure in (("loop1", 14), ("loop2", 15)):
        hybrid = [shares(r, loop) for r in runs["pbpi-hyb-ver"]]
        report.section(f"ompss-{figure}", f"Figure {figure}: versions of {loop}, pbpi-hyb-ver", "workers", "share of runs, %", names,
                       {v: [s.get(v, 0) for s in hybrid] for v in sorted(set().union(*hybrid))}, stacked=True)
    report.write("ompss.md")


def pages(report, figure, moved, about, names, runs, program, n):
    report.section(f"ompss-{figure}", f"Figure {figure}: {about}", "workers", "GFlop/s", names,
                   {name: [gflops(program, n, r) for r in rs] for name, rs in runs.items()})
    report.section(f"ompss-{moved}", f"Figure {moved}: {about}", "workers", "bytes moved, GB", names,
                   {name: [sum(gigabytes(r)) for r in rs] for name, rs in runs.items()})
    for name, rs in runs.items():
        report.section(f"ompss-{moved}-{name}", f"Figure {moved}, {name}: bytes by kind", "workers", "GB", names,
                       {k: [r[field] / 1e9 for r in rs] for k, field in KINDS}, stacked=True)


def main():
    parser = argparse.ArgumentParser(description="the figures of the OmpSs and XKaapi papers, simulated")
    parser.add_argument("--sim", required=True, help="the program hsched-sim")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for tables and plots")
    parser.add_argument("--papers", default="ompss,xkaapi", help="which ones (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="small matrices, few machines")
    o = parser.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    for paper in o.papers.split(","):
        {"ompss": ompss, "xkaapi": xkaapi}[paper](o)


if __name__ == "__main__":
    main()

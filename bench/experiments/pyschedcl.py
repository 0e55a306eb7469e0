#!/usr/bin/env python3
"""PySchedCL's three experiments (Ghose et al., 2020) on hsched-run: multi-head attention under static clustering, eager
and HEFT, and under the engine's own policies with no hints.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: pyschedcl.py --run PATH/hsched-run --out FOLDER [--quick] [--devices LIST] [--no-check-kinfo]

1  H heads (1 to 16) of size beta 256: several queues and heads on the CPU against one queue, all on the GPU.
2  16 heads of size beta 64 to 512: the best clustering against eager.
3  The same against HEFT.

FOLDER gets results.md (tables), results.json (every measurement), plots and Gantt charts as SVG. Nothing else is needed
than hsched-run, its libraries and samples/transformer (--sample). Where there is a GPU it is the paper's GPU, and the
CPU's OpenCL device its CPU; else the CPU's device is split in two, the greater part is the GPU and copies as one does.
A time is the median of --repeat runs of the graph in one process, after --warm-up runs that are not counted.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
COLOURS = ["#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#bbbbbb"]


class Bench:
    def __init__(self, options, work):
        self.options, self.work, self.begun = options, work, time.monotonic()
        self.all, self.files, self.skipped, self.env = [], {}, 0, {}
        self.check = ["--no-check"] if options.no_check_kinfo else []
        self.choose_devices()

    def execute(self, arguments):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_") or k in ("HSCHED_CACHE", "HSCHED_BACKEND_PATH")}
        return subprocess.run([self.options.run, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False,
                              env={"HSCHED_CACHE": str(self.work / "cache"), **clean, **self.env})

    def choose_devices(self):
        """Which devices are the paper's GPU and CPU: arguments for both, and their names."""
        probe = self.file(1, 64, 0)
        self.devices = ["--devices=" + (self.options.devices or "all")]
        facts = self.report([*self.devices, "--map", "gpu=any", probe])
        types = facts["device_types"]
        if "gpu" not in types and not self.options.devices:
            cores = len(os.sched_getaffinity(0))
            self.env["HSCHED_OPENCL_COPY"] = "1"
            self.devices = [f"--devices=cpu/{cores - 1}+1" if cores > 1 else "--devices=cpu"]
            facts = self.report([*self.devices, "--map", "gpu=any", probe])
        names, types = facts["devices"], facts["device_types"]
        gpu = types.index("gpu") if "gpu" in types else 0
        others = [n for n in range(len(names)) if n != gpu and (types[n] == "cpu" or "gpu" not in types)]
        self.cpu = others[0] if others else None
        self.devices += ["--map", f"gpu={gpu}", "--map", f"cpu={gpu if self.cpu is None else self.cpu}"]
        self.names = {"gpu": names[gpu], "cpu": None if self.cpu is None else names[self.cpu], "all": names}
        # The numbers that --queues counts by are those of the devices in use.
        self.numbers = {"gpu": gpu, "cpu": self.cpu}

    def file(self, heads, beta, on_cpu, hints=True):
        key = (heads, beta, on_cpu, hints)
        if key in self.files:
            return self.files[key]
        folder = self.work / f"h{heads}-b{beta}-c{on_cpu}"
        done = subprocess.run([sys.executable, str(self.options.sample / "transformer.py"), str(folder), f"--heads={heads}",
                               f"--beta={beta}", f"--cpu-heads={on_cpu}"], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"pyschedcl.py: the sample's generator fails: {done.stderr}")
        path = folder / "dag.json"
        if not hints:
            graph = json.loads(path.read_text())
            del graph["components"]
            for kernel in graph["kernels"]:
                kernel.pop("device", None)
                kernel.pop("cost", None)
            path = folder / "no-hints.json"
            path.write_text(json.dumps(graph))
        self.files[key] = path
        return path

    def report(self, arguments):
        path = self.work / "report.json"
        done = self.execute(["--quiet", f"--report={path}", *self.check, *arguments])
        if done.returncode:
            raise RuntimeError(done.stderr.strip().split("\n")[-1] or f"exit code {done.returncode}")
        return json.loads(path.read_text())

    def late(self):
        return self.options.limit and time.monotonic() - self.begun > self.options.limit

    def measure(self, heads, beta, sched, queues=None, on_cpu=0, hints=True, gantt=None):
        """Milliseconds; None where time is over or the policy is not there."""
        if self.late():
            self.skipped += 1
            return None
        arguments = [*self.devices, f"--sched={sched}", f"--repeat={self.options.warm_up + self.options.repeat}"]
        if queues:
            parts = [f"{self.numbers['gpu']}={queues[0]}"]
            if self.cpu is not None:
                parts.append(f"{self.cpu}={max(queues[1], 1)}")
            arguments.append("--queues=" + ",".join(parts))
        if gantt:
            arguments += [f"--gantt={self.options.out / gantt}", "--repeat=3"]
        try:
            facts = self.report([*arguments, self.file(heads, beta, on_cpu, hints)])
        except RuntimeError as problem:
            if "there is no such policy" in str(problem):
                return None
            sys.exit(f"pyschedcl.py: {sched}, {heads} heads, beta {beta}: {problem}")
        times = [1000 * s for s in facts["seconds"][self.options.warm_up if not gantt else 1:]]
        row = {"heads": heads, "beta": beta, "sched": sched, "queues": queues, "cpu_heads": on_cpu, "hints": hints, "ms": times,
               "median": statistics.median(times), "least": min(times), "ahead": facts.get("ahead")}
        self.all.append(row)
        print(f"  H={heads} beta={beta} {sched} queues={queues} cpu_heads={on_cpu}: {row['median']:.2f} ms", file=sys.stderr)
        return row["median"]

    def clustering(self, heads, beta):
        """(time with the default configuration, best time on the GPU alone, its queues, best time, its configuration)"""
        coarse = self.measure(heads, beta, "clustering", (1, 0))
        if coarse is None:
            return None
        fine, queues = coarse, 1
        for q in self.options.queues:
            if q > 1 and (t := self.measure(heads, beta, "clustering", (q, 0))) is not None and t < fine:
                fine, queues = t, q
        best, best_of = fine, (queues, 0, 0)
        if self.cpu is not None:
            for on_cpu in range(1, heads + 1):
                times = [(t, q) for q in self.options.cpu_queues
                         if (t := self.measure(heads, beta, "clustering", (queues, q), on_cpu)) is not None]
                if not times or min(times)[0] >= best:
                    break  # One head more would take longer still.
                best, best_of = min(times)[0], (queues, min(times)[1], on_cpu)
        return coarse, fine, queues, best, best_of

    def own(self, heads, beta):
        return {p: self.measure(heads, beta, p, hints=False) for p in self.options.policies}


def ratio(a, b):
    return "" if a is None or b is None else f"{a / b:.2f}"


def shown(ms):
    return "" if ms is None else f"{ms:.3g}" if ms < 1000 else f"{ms:.0f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def plot(path, title, x_label, y_label, xs, series):
    """Lines over evenly spaced x. series: name -> (values, labels or None); a missing value is None."""
    width, height, left, bottom, top = 720, 380, 60, 48, 34
    values = [v for vs, _ in series.values() for v in vs if v is not None]
    if not values or not xs:
        return
    most, least = max(values + [1]) * 1.08, min(values + [1]) * 0.94
    at_x = lambda i: left + (i + 0.5) * (width - left - 16) / len(xs)
    at_y = lambda v: height - bottom - (v - least) / (most - least) * (height - bottom - top)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="12" role="img">', f"<title>{escape(title)}</title>",
           '<rect width="100%" height="100%" fill="white"/>']
    for n in range(6):
        v = least + (most - least) * n / 5
        out.append(f'<line x1="{left}" x2="{width - 16}" y1="{at_y(v):.1f}" y2="{at_y(v):.1f}" stroke="#dddddd"/>'
                   f'<text x="{left - 6}" y="{at_y(v) + 4:.1f}" text-anchor="end">{v:.2f}</text>')
    out.append(f'<line x1="{left}" x2="{width - 16}" y1="{at_y(1):.1f}" y2="{at_y(1):.1f}" stroke="#888888" stroke-dasharray="4 3"/>')
    for i, x in enumerate(xs):
        out.append(f'<text x="{at_x(i):.1f}" y="{height - bottom + 16}" text-anchor="middle">{x}</text>')
    out.append(f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">{escape(x_label)}</text>'
               f'<text transform="translate(14 {height / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>')
    legend = left
    for n, (name, (points, labels)) in enumerate(series.items()):
        colour, known = COLOURS[n % len(COLOURS)], [(i, v) for i, v in enumerate(points) if v is not None]
        line = " ".join(f"{at_x(i):.1f},{at_y(v):.1f}" for i, v in known)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
                   f'<rect x="{legend}" y="10" width="12" height="12" fill="{colour}"/><text x="{legend + 16}" y="20">{escape(name)}</text>')
        legend += 36 + 7 * len(name)
        for i, v in known:
            label = labels[i] if labels else ""
            out.append(f'<circle cx="{at_x(i):.1f}" cy="{at_y(v):.1f}" r="3" fill="{colour}"><title>{escape(name)}, {xs[i]}: {v:.2f}</title>'
                       f'</circle><text x="{at_x(i):.1f}" y="{at_y(v) - 7:.1f}" text-anchor="middle" font-size="10">{escape(label)}</text>')
    path.write_text("\n".join(out + ["</svg>"]) + "\n")


def over(values, by):
    return [None if a is None or b is None else a / b for a, b in zip(values, by)]


def first(bench):
    o, rows, found = bench.options, [], []
    for heads in o.heads:
        c = bench.clustering(heads, o.beta)
        if c is None:
            break
        own = bench.own(heads, o.beta)
        found.append((heads, c, own))
        rows.append([heads, shown(c[0]), shown(c[1]), c[2], ratio(c[0], c[1]), shown(c[3]), "{}, {}, {}".format(*c[4]), ratio(c[0], c[3]),
                     *(f"{shown(own[p])} ({ratio(c[0], own[p])})" if own[p] else "" for p in o.policies)])
    if found:
        plot(o.out / "experiment1.svg", f"Experiment 1: speed-up over one queue, beta {o.beta}", "heads",
             "times faster than one queue on the GPU", [f[0] for f in found],
             {"several queues, GPU alone": (over([f[1][0] for f in found], [f[1][1] for f in found]), None),
              "best configuration": (over([f[1][0] for f in found], [f[1][3] for f in found]), ["{},{},{}".format(*f[1][4]) for f in found]),
              **{p + ", no hints": (over([f[1][0] for f in found], [f[2][p] for f in found]), None) for p in o.policies}})
    return (f"## Experiment 1: one queue or several, beta {o.beta}\n\nTimes in ms. Coarse: clustering with one queue, all heads on the "
            "GPU. The configuration is queues of the GPU, queues of the CPU, heads on the CPU. In brackets: times faster than coarse.\n\n"
            + table(["H", "coarse", "GPU alone", "its queues", "over coarse", "best", "configuration", "over coarse",
                     *(p + ", no hints" for p in o.policies)], rows) + "\n![](experiment1.svg)\n")


def second_and_third(bench):
    o, rows, found = bench.options, [], []
    for beta in o.sizes:
        c = bench.clustering(o.most_heads, beta)
        if c is None:
            break
        eager, heft = (bench.measure(o.most_heads, beta, s) for s in ("eager", "heft"))
        own = bench.own(o.most_heads, beta)
        found.append((beta, c, eager, heft, own))
        rows.append([beta, shown(c[0]), shown(c[3]), "{}, {}, {}".format(*c[4]), shown(eager), ratio(eager, c[3]), shown(heft), ratio(heft, c[3]),
                     *(f"{shown(own[p])} ({ratio(c[3], own[p])})" if own[p] else "" for p in o.policies)])
    if found:
        best = [f[1][3] for f in found]
        labels = ["{},{},{}".format(*f[1][4]) for f in found]
        plot(o.out / "experiment2.svg", f"Experiment 2: clustering over eager, {o.most_heads} heads", "beta", "times faster than eager",
             [f[0] for f in found], {"best clustering": (over([f[2] for f in found], best), labels),
                                     **{p + ", no hints": (over([f[2] for f in found], [f[4][p] for f in found]), None) for p in o.policies}})
        plot(o.out / "experiment3.svg", f"Experiment 3: clustering over HEFT, {o.most_heads} heads", "beta", "times faster than HEFT",
             [f[0] for f in found], {"best clustering": (over([f[3] for f in found], best), labels),
                                     **{p + ", no hints": (over([f[3] for f in found], [f[4][p] for f in found]), None) for p in o.policies}})
    return (f"## Experiments 2 and 3: clustering against eager and HEFT, {o.most_heads} heads\n\nTimes in ms. With no hints, in brackets: times faster than the best clustering.\n\n"
            + table(["beta", "coarse", "best clustering", "configuration", "eager", "over eager", "HEFT", "over HEFT",
                     *(p + ", no hints" for p in o.policies)], rows) + "\n![](experiment2.svg)\n![](experiment3.svg)\n")


def charts(bench):
    o, lines = bench.options, []
    heads, beta = o.most_heads, o.sizes[-1]
    wanted = [("clustering, one queue", "clustering", (1, 0), True), ("clustering, several queues", "clustering", (o.queues[-1], 0), True),
              ("eager", "eager", None, True), ("HEFT", "heft", None, True)] + [(p + ", no hints", p, None, False) for p in o.policies]
    for title, sched, queues, hints in wanted:
        name = "gantt-" + title.lower().replace(",", "").replace(" ", "-").replace(":", "-").replace("/", "-") + ".svg"
        if (ms := bench.measure(heads, beta, sched, queues, hints=hints, gantt=name)) is not None:
            lines.append(f"{title}, {shown(ms)} ms with the trace:\n\n![]({name})\n")
    return f"## Gantt charts, {heads} heads, beta {beta}\n\n" + "\n".join(lines)


def numbers(text):
    return [int(n) for n in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description="PySchedCL's experiments on hsched-run.")
    parser.add_argument("--run", type=pathlib.Path, required=True, help="hsched-run")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for tables, plots and charts")
    parser.add_argument("--sample", type=pathlib.Path, default=HERE.parent.parent / "samples" / "transformer", help="folder of transformer.py")
    parser.add_argument("--devices", help="as hsched-run has it; default: a GPU and the CPU, or the CPU in two parts")
    parser.add_argument("--no-check-kinfo", action="store_true", help="do not ask hsched-kinfo what kernels do")
    parser.add_argument("--quick", action="store_true", help="fewer heads, queues and runs: about two minutes with a GPU")
    parser.add_argument("--heads", type=numbers, help="experiment 1's; default 1 to 16")
    parser.add_argument("--beta", type=int, default=256, help="experiment 1's")
    parser.add_argument("--sizes", type=numbers, default=[64, 128, 256, 512], help="betas of experiments 2 and 3")
    parser.add_argument("--most-heads", type=int, default=16, help="heads of experiments 2 and 3")
    parser.add_argument("--queues", type=numbers, help="numbers of queues of the GPU to try; default 1 to 5")
    parser.add_argument("--cpu-queues", type=numbers, help="of the CPU; default 1 to 5")
    parser.add_argument("--policies", default="versioning,adaptive", help="the engine's, without hints; those that are not there are left out")
    parser.add_argument("--repeat", type=int, help="runs that count; default 15")
    parser.add_argument("--warm-up", type=int, default=5, help="runs before them")
    parser.add_argument("--limit", type=float, default=0, metavar="SECONDS", help="begin no measurement after so long; default: none")
    o = parser.parse_args()
    o.heads = o.heads or ([1, 2, 4, 8, 10, 12, 16] if o.quick else list(range(1, 17)))
    o.queues = o.queues or ([1, 3, 5] if o.quick else [1, 2, 3, 4, 5])
    o.cpu_queues = o.cpu_queues or ([1, 4] if o.quick else [1, 2, 3, 4, 5])
    o.repeat = o.repeat or (7 if o.quick else 15)
    o.run, o.policies = o.run.resolve(), [p for p in o.policies.split(",") if p]
    if not (o.sample / "transformer.py").exists():
        parser.error(f"there is no transformer.py in {o.sample}; --sample says where it is")
    o.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pyschedcl-") as work:
        bench = Bench(o, pathlib.Path(work))
        o.policies = [p for p in o.policies if bench.measure(1, 64, p, hints=False) is not None]
        parts = [first(bench), second_and_third(bench), charts(bench)]
    head = ("# PySchedCL's experiments on hsched-run\n\n"
            f"Command: `{' '.join(['pyschedcl.py', *sys.argv[1:]])}`, {time.strftime('%Y-%m-%d %H:%M')}, {platform.platform()}, "
            f"{len(os.sched_getaffinity(0))} cores, {time.monotonic() - bench.begun:.0f} s.\n\n"
            f"GPU: {bench.names['gpu']}. CPU: {bench.names['cpu'] or 'none'}. Devices in use: {', '.join(bench.names['all'])}. "
            f"Medians of {o.repeat} runs after {o.warm_up}.\n")
    if bench.skipped:
        head += f"\n{bench.skipped} measurements were not begun, because {o.limit:.0f} s were over.\n"
    (o.out / "results.md").write_text(head + "\n" + "\n".join(parts))
    (o.out / "results.json").write_text(json.dumps({"devices": bench.names, "measurements": bench.all}, indent=1) + "\n")
    print(f"{o.out / 'results.md'}: {len(bench.all)} measurements in {time.monotonic() - bench.begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

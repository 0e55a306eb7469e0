#!/usr/bin/env python3
"""What devices cost a program that does not need them: times of whole processes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    bench/startup.py --samples DIR [--repetitions N] [--threads N] [--programs saxpy,edges,matmul]
    bench/startup.py --samples DIR --demo [--repetitions N] [--threads N]

DIR is the folder of the samples in a build, with their serial twins. Each program runs in these ways, in turns:

    serial      the program that a compiler makes which ignores the pragmas
    CPU only    HSCHED_OPENCL=0
    warm        as it is: the drivers' and hsched's caches know its kernels
    cold        as it is, in the first run: both caches are empty
    first       HSCHED_DEVICES=first: what the devices can do, with the time until they are open

A ratio is the median time, warm or cold, by the median of the faster one of serial and CPU only. It has to be at most
1.1 where the device does not help: where `first` does not beat that faster one. How much is left to chance is told by the
quarter and the three-quarter points of the times.

--demo: what a newcomer meets. The program of scripts/demo.sh with its arguments, as a whole process: serial; its first run, with all
caches empty; its second run, with what the first one has left. The first one is to be not slower than serial, the second one
faster. Exit code 1 where one is not.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from figures import median, ratio, table
from programs import processor, quota

MOST = 1.1
WAYS = {"serial": {}, "CPU only": {"HSCHED_OPENCL": "0"}, "warm": {}, "cold": {},
        "first": {"HSCHED_DEVICES": "first"}}


def judged(times):
    """(ratio warm, ratio cold, whether the device helps, whether the ratios are met) of {way: [seconds]}."""
    medians = {way: median(values) for way, values in times.items()}
    alone = [medians[way] for way in ("serial", "CPU only") if medians.get(way)]
    base = min(alone) if alone else None
    ratios = [ratio(medians.get(way), base) for way in ("warm", "cold")]
    helps = base is not None and medians.get("first") is not None and medians["first"] < base
    met = all(r is not None and r <= MOST for r in ratios)
    return ratios[0], ratios[1], helps, met


def once(command, settings, cache):
    """Seconds of one process; None where it fails, which is told."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}
    environment = {**clean, "HSCHED_CACHE": str(cache / "hsched"), "POCL_CACHE_DIR": str(cache / "pocl"),
                   "CUDA_CACHE_PATH": str(cache / "cuda"), **settings}
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    took = time.perf_counter() - begin
    if done.returncode == 0:
        return took
    print(f"startup.py: {' '.join(command)} failed: {done.stderr[-500:]}", file=sys.stderr)
    return None


def measure(program, arguments, repetitions, settings):
    """{way: [seconds]}, measured in turns."""
    times = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        warm = pathlib.Path(folder, "warm")
        for way in ("first", "warm", "warm"): # Kernels are built, and what that cost is known.
            once([str(program), *arguments], {**WAYS[way], **settings}, warm)
        for turn in range(repetitions):
            for way, own in WAYS.items():
                cache = pathlib.Path(folder, f"cold{turn}") if way == "cold" else warm
                path = str(program) + ("-serial" if way == "serial" else "")
                times[way].append(once([path, *arguments], {**own, **settings}, cache))
    return times


DEMO = ["--zoom", "2", "--tile", "60", "--reps", "10"] # As in scripts/demo.sh.


def demo(program, photo, repetitions, settings):
    """{run: [seconds]}, measured in turns."""
    times = {"serial": [], "first run": [], "second run": []}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repetitions):
            cache = pathlib.Path(folder, str(turn))
            arguments = [str(photo), *DEMO, "--out", str(pathlib.Path(folder, "edges.png"))]
            for run in times:
                path = str(program) + ("-serial" if run == "serial" else "")
                times[run].append(once([path, *arguments], settings, cache))
    return times


def demo_judged(times):
    """(first run / serial, second run / serial, whether both are met)."""
    medians = {run: median(values) for run, values in times.items()}
    first, second = (ratio(medians.get(run), medians.get("serial")) for run in ("first run", "second run"))
    return first, second, first is not None and second is not None and first <= 1 and second < 1


def demo_main(args, photo, settings):
    times = demo(args.samples / "edges", photo, args.repetitions, settings)
    first, second, met = demo_judged(times)
    shown = {run: [f"{t * 1e3:.0f}" for t in sorted(t for t in values if t is not None)] for run, values in times.items()}
    rows = [[run, f"{(median(times[run]) or 0) * 1e3:.1f}", f"{r:.2f}" if r else "-", ", ".join(shown[run])]
            for run, r in (("serial", 1), ("first run", first), ("second run", second))]
    print("\n".join(table(["demo, whole process", "median ms", "x serial", "all, ms"], rows)))
    print("met" if met else "missed", "- the first run not slower than serial, the second one faster")
    return 0 if met else 1


def row(name, times):
    def cell(way):
        known = sorted(t for t in times[way] if t is not None)
        if not known:
            return "-"
        low, _, high = statistics.quantiles(known, n=4) if len(known) > 1 else known * 3
        return f"{statistics.median(known) * 1e3:.1f} ({low * 1e3:.1f} to {high * 1e3:.1f})"
    warm, cold, helps, met = judged(times)
    verdict = "the device helps" if helps else "met" if met else "missed"
    return [name] + [cell(way) for way in WAYS] + [f"{r:.2f}" if r else "-" for r in (warm, cold)] + [verdict]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", required=True, type=pathlib.Path, help="folder of the samples in a build")
    parser.add_argument("--repetitions", type=int, default=15, help="of each way (15)")
    parser.add_argument("--threads", type=int, default=0, help="CPU workers (as many as the runtime takes)")
    parser.add_argument("--programs", default="saxpy,edges,matmul", help="separated by commas")
    parser.add_argument("--demo", action="store_true", help="the demo's first and second run")
    args = parser.parse_args()

    photo = pathlib.Path(__file__).resolve().parent.parent / "samples" / "edges" / "chelsea.png"
    settings = {"HSCHED_NCPU": str(args.threads)} if args.threads else {}
    if args.demo:
        return demo_main(args, photo, settings)
    load_before = os.getloadavg()[0]
    rows, wrong = [], 0
    for name in args.programs.split(","):
        program = args.samples / name
        if not program.exists() or not pathlib.Path(f"{program}-serial").exists():
            print(f"startup.py: {name} or its serial twin is not in {args.samples}", file=sys.stderr)
            wrong += 1
            continue
        times = measure(program, [str(photo)] if name == "edges" else [], args.repetitions, settings)
        _, _, helps, met = judged(times)
        wrong += not helps and not met
        rows.append(row(name, times))
    print("\n".join(table(["whole process, ms", *WAYS, "warm / faster", "cold / faster", f"at most {MOST}"], rows)))
    limit = quota()
    print(f"\nmachine: {processor()}, {len(os.sched_getaffinity(0))} cores usable" +
          (f", {limit:g} allowed" if limit else "") +
          f"; load {load_before:.1f} before, {os.getloadavg()[0]:.1f} after; {args.repetitions} repetitions, in turns")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

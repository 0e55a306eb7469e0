#!/usr/bin/env python3
# One policy against all others, in virtual time: a row for each platform and graph.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/experiments/policies.py build/bin/hsched-sim            the table
#   bench/experiments/policies.py build/bin/hsched-sim --cold     nothing is known before the run
#   bench/experiments/policies.py build/bin/hsched-sim --more     also other sizes (docs/decisions/0116-waves-of-tasks.md)
#   bench/experiments/policies.py build/bin/hsched-sim --held     175 cases that no constant was chosen with, on five platforms
#   bench/experiments/policies.py build/bin/hsched-sim --fresh    112 later ones, on seven platforms
#   bench/experiments/policies.py build/bin/hsched-sim --most 3   exit status 1 where the policy is 3 % behind anywhere
#   ... --explain build/bin/hsched-explain                        also the policy's regret (docs/explain.md)
#
# A simulation has one result, so a run is enough.
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

PLATFORMS = ["idgraf", "minotauro", "h200"]
GRAPHS = ["cholesky:16384,1024", "cholesky:16384,512", "lu:12288,1024", "gemm:8192,1024", "gemm:16384,2048",
          "jacobi:8192,1024,10", "jacobi:16384,2048,20", "independent:2000,100000000", "random:7,2000"]
MORE = ["gemm:2048,1024", "gemm:4096,1024", "cholesky:4096,1024", "cholesky:6144,1024", "cholesky:8192,2048", "cholesky:13312,1024",
        "lu:4096,1024", "lu:5120,1024", "lu:11264,1024", "independent:50,100000000", "independent:500,100000000",
        "random:1,1000", "random:2,1000", "random:3,500", "random:4,2000", "random:5,100",
        "jacobi:2048,1024,10", "jacobi:3072,1024,6", "jacobi:4096,1024,3", "jacobi:4096,1024,10", "jacobi:4096,1024,40",
        "jacobi:6144,1024,20", "jacobi:7168,1024,10", "jacobi:12288,1024,10", "jacobi:6144,2048,10", "jacobi:8192,2048,10"]
# No constant was chosen with these cases. They were written down before anything ran on them, and stay as they are.
HELD_PLATFORMS = PLATFORMS + [str(pathlib.Path(__file__).resolve().parent / "platforms" / name) for name in ("slowlink.json", "unequal.json")]
HELD = ["cholesky:5120,1024", "cholesky:7168,1024", "cholesky:10240,1024", "cholesky:4096,512", "cholesky:8192,512", "cholesky:12288,2048",
        "lu:6144,1024", "lu:8192,1024", "lu:4096,512", "lu:10240,2048",
        "gemm:3072,1024", "gemm:5120,1024", "gemm:6144,512", "gemm:8192,2048",
        "jacobi:2560,512,10", "jacobi:3072,1024,12", "jacobi:4096,512,10", "jacobi:5120,1024,5", "jacobi:5120,1024,15",
        "jacobi:6144,1536,10", "jacobi:7168,1024,30", "jacobi:8192,1024,4", "jacobi:9216,1024,10", "jacobi:10240,1024,25",
        "jacobi:10240,2048,8",
        "independent:100,100000000", "independent:1000,100000000", "independent:300,20000000", "independent:64,1000000000",
        "random:11,1000", "random:12,1000", "random:13,500", "random:14,2000", "random:15,300", "random:16,100"]

# Later ones, since constants were chosen with those by now (docs/decisions/0123-what-leaves-the-cores.md).
FRESH_PLATFORMS = HELD_PLATFORMS + [str(pathlib.Path(__file__).resolve().parent / "platforms" / name) for name in ("manycores.json", "oddpair.json")]
FRESH = ["cholesky:6144,768", "cholesky:9216,1536", "lu:7168,512", "lu:9216,1536", "gemm:4608,768", "gemm:7168,1024",
         "jacobi:4608,768,12", "jacobi:6144,768,8", "jacobi:8192,2048,16", "jacobi:11264,1024,6", "jacobi:5120,512,20",
         "independent:200,50000000", "independent:1500,200000000", "random:21,800", "random:22,1500", "random:23,200"]


def makespans(sim, platform, graph, policies, cold):
    command = [sim, platform, "--graph=" + graph, "--json"]
    if policies:
        command.append("--sched=" + ",".join(policies))
    if not cold:
        command.append("--warm")
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if ran.returncode:
        sys.exit(" ".join(command) + ": " + ran.stderr.strip())
    return {run["policy"]: run["makespan_ns"] / 1e9 for run in json.loads(ran.stdout)["runs"]}


def regret(sim, explain, platform, graph, policy, cold):
    """Percent of the workers' time that better choices would have saved, by the policy's own predictions."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "run.json")
        for command in ([sim, platform, "--graph=" + graph, "--sched=" + policy, "--explain=" + file] + ([] if cold else ["--warm"]),
                        [explain, file, "--json"]):
            ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            if ran.returncode:
                sys.exit(" ".join(command) + ": " + ran.stderr.strip())
        whole = json.loads(ran.stdout)["all"]
    return 100 * whole["regret_s"] / max(whole["ran_s"], 1e-12)


def main():
    parser = argparse.ArgumentParser(description="one policy against all others, in virtual time")
    parser.add_argument("sim", help="the program hsched-sim")
    parser.add_argument("--policy", default="adaptive", help="the one that is compared (%(default)s)")
    parser.add_argument("--against", default="", help="the others, separated by commas (default: all)")
    parser.add_argument("--platforms", default=",".join(PLATFORMS), help="names or files (%(default)s)")
    parser.add_argument("--graphs", default=" ".join(GRAPHS), help="separated by blanks (%(default)s)")
    parser.add_argument("--more", action="store_true", help="also 26 other graphs")
    parser.add_argument("--held", action="store_true", help="only the 35 graphs and five platforms that no constant was chosen with")
    parser.add_argument("--fresh", action="store_true", help="only 16 later graphs, on those platforms and two more")
    parser.add_argument("--cold", action="store_true", help="no times are known before the run")
    parser.add_argument("--most", type=float, help="fail where it is more than so many percent behind")
    parser.add_argument("--explain", help="the program hsched-explain: print the policy's regret")
    args = parser.parse_args()
    platforms, graphs = args.platforms.split(","), args.graphs.split() + (MORE if args.more else [])
    if args.held:
        platforms, graphs = HELD_PLATFORMS, HELD
    if args.fresh:
        platforms, graphs = FRESH_PLATFORMS, FRESH

    names = args.against.split(",") + [args.policy] if args.against else []
    print(f"{'platform':<10} {'graph':<28} {args.policy + ' s':>12} {'best other s':>12}  {'':<20} {'behind %':>8}" + ("  regret %" if args.explain else ""))
    ratios, late = [], []
    for platform in platforms:
        for graph in graphs:
            times = makespans(args.sim, platform, graph, names, args.cold)
            own = times.pop(args.policy)
            best = min(times, key=times.get)
            behind = 100 * (own / times[best] - 1)
            ratios.append(own / times[best])
            if args.most is not None and behind > args.most:
                late.append(f"{pathlib.Path(platform).stem} {graph}: {behind:.1f} %")
            print(f"{pathlib.Path(platform).stem:<10} {graph:<28} {own:12.6f} {times[best]:12.6f}  {best:<20} {behind:8.1f}" +
                  (f"  {regret(args.sim, args.explain, platform, graph, args.policy, args.cold):8.1f}" if args.explain else ""), flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean of {len(ratios)}: {mean:.4f} of the best other's time; worst {max(ratios):.4f}")
    for line in late:
        print(f"more than {args.most:g} % behind: {line}", file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())

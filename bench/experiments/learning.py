#!/usr/bin/env python3
# What learning costs a policy, in virtual time: a run that knows nothing against one that knows all times.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/experiments/learning.py build/bin/hsched-sim
#   bench/experiments/learning.py build/bin/hsched-sim --policy versioning --platforms h200
#
# A simulation has one result, so a run is enough.
import argparse
import sys

from policies import PLATFORMS, makespans

# Some 500 tasks, then some 50.
GRAPHS = ["gemm:8192,1024", "cholesky:13312,1024", "lu:11264,1024", "independent:500,100000000", "jacobi:7168,1024,10",
          "gemm:4096,1024", "cholesky:6144,1024", "lu:5120,1024", "independent:50,100000000", "jacobi:3072,1024,6"]


def main():
    parser = argparse.ArgumentParser(description="what learning costs a policy, in virtual time")
    parser.add_argument("sim", help="the program hsched-sim")
    parser.add_argument("--policy", default="adaptive", help="(%(default)s)")
    parser.add_argument("--platforms", default=",".join(PLATFORMS), help="names or files (%(default)s)")
    parser.add_argument("--graphs", default=" ".join(GRAPHS), help="separated by blanks (%(default)s)")
    args = parser.parse_args()
    print(f"{'platform':<10} {'graph':<28} {'cold s':>12} {'warm s':>12} {'learning %':>10}")
    for platform in args.platforms.split(","):
        for graph in args.graphs.split():
            cold, warm = (makespans(args.sim, platform, graph, [args.policy], c)[args.policy] for c in (True, False))
            print(f"{platform:<10} {graph:<28} {cold:12.6f} {warm:12.6f} {100 * (cold / warm - 1):10.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

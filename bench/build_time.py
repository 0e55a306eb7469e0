#!/usr/bin/env python3
"""Where the time to build hsched goes: the slowest translation units and headers, and the totals.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: bench/build_time.py [--target NAME]... [--unity] [--keep FOLDER] [--top 20] [--jobs N]
Builds the targets (default: everything) from nothing with Clang 19 and -ftime-trace in a folder of its own, each source by
itself unless --unity asks for what the presets do, and reads the traces.
       bench/build_time.py --log BUILD...
Reads the log of builds that are there, of any compiler: the slowest outputs and the sum. Two builds are set side by side.
Times are seconds of wall time. A header's time is that of everything it includes, where it was the first to do so.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def outputs(build):
    """{output: seconds} of a Ninja build; of an output built more than once, the last time counts."""
    log = pathlib.Path(build) / ".ninja_log"
    if not log.exists():
        sys.exit(f"build_time.py: {build} has no .ninja_log: is it a Ninja build?")
    times, seen = {}, {}
    for line in log.read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, command = line.split("\t")
        if seen.get((start, end, command)):  # One command with several outputs.
            continue
        seen[(start, end, command)] = True
        times[output] = (int(end) - int(start)) / 1000
    return times


def print_slowest(title, rows, top):
    print(f"\n{title}")
    for seconds, *words in sorted(rows, reverse=True)[:top]:
        print(f"{seconds:9.2f}  " + "  ".join(str(w) for w in words))


def read_logs(builds, top):
    for build in builds:
        times = outputs(build)
        print_slowest(f"{build}: the slowest {top} outputs", [(s, o) for o, s in times.items()], top)
        compiled = [s for o, s in times.items() if o.endswith((".o", ".gch", ".pch"))]
        print(f"{sum(times.values()):9.1f}  in all: {len(times)} commands, {len(compiled)} of them compile, "
              f"{sum(compiled):.1f} s")
    if len(builds) == 2:
        first, second = (sum(outputs(b).values()) for b in builds)
        print(f"{first / second:9.2f}  times {builds[1]}'s sum is {builds[0]}'s")


def traces(build):
    """(compilations, headers): [(seconds, source)], {header: [seconds, times included]}"""
    units, headers = [], collections.defaultdict(lambda: [0.0, 0])
    for path in pathlib.Path(build).rglob("*.json"):
        if ".dir" not in str(path):
            continue
        try:
            events = json.loads(path.read_text())["traceEvents"]
        except (ValueError, KeyError, TypeError):
            continue
        open_headers = []  # Clang 19 reports a header's beginning and end, which nest, but not its time.
        for event in sorted(events, key=lambda e: e.get("ts", 0)):
            if event.get("name") == "ExecuteCompiler":
                units.append((event["dur"] / 1e6, str(path.relative_to(build)).removesuffix(".json")))
            elif event.get("name") == "Source" and event["ph"] == "b":
                open_headers.append((event["args"]["detail"], event["ts"]))
            elif event.get("name") == "Source" and event["ph"] == "e" and open_headers:
                name, begin = open_headers.pop()
                headers[name][0] += (event["ts"] - begin) / 1e6
                headers[name][1] += 1
    return units, headers


def trace(options):
    with tempfile.TemporaryDirectory(prefix="hsched-build-time-") as temporary:
        build = options.keep or temporary
        common = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19",
                  "-DCMAKE_CXX_FLAGS=-ftime-trace", f"-DHSCHED_UNITY={'ON' if options.unity else 'OFF'}"]
        configured = subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *common], capture_output=True,
                                    text=True)
        if configured.returncode:
            sys.exit("build_time.py: configuring failed:\n" + configured.stderr[-2000:])
        command = ["cmake", "--build", build, "-j", str(options.jobs)]
        if options.target:
            command += ["--target", *options.target]
        start, cpu = time.monotonic(), os.times()
        built = subprocess.run(command, capture_output=True, text=True)
        wall, after = time.monotonic() - start, os.times()
        if built.returncode:
            sys.exit("build_time.py: building failed:\n" + built.stdout[-3000:])
        units, headers = traces(build)
        used = after.children_user - cpu.children_user + after.children_system - cpu.children_system
        print_slowest(f"the slowest {options.top} translation units", units, options.top)
        print_slowest(f"the {options.top} headers that take longest, how often they are read",
                      [(s, f"{n:4d} x", name) for name, (s, n) in headers.items()], options.top)
        print(f"\n{wall:9.1f}  wall time, {options.jobs} at a time\n{used:9.1f}  CPU time\n"
              f"{sum(s for s, _ in units):9.1f}  in {len(units)} compilations")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--unity", action="store_true")
    parser.add_argument("--keep", help="build there and leave it")
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--log", nargs="+", metavar="BUILD")
    options = parser.parse_args()
    if options.log:
        read_logs(options.log, options.top)
    else:
        trace(options)


if __name__ == "__main__":
    main()

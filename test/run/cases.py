#!/usr/bin/env python3
"""Generated programs, run: the samples under every setting that matters, errors, and what a run writes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py --hsched-cc PATH --build FOLDER --work FOLDER CASE...
A case is a function case_NAME below. `cases.py --list` names them all. Programs are built once into FOLDER.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "samples"
PHOTO = SAMPLES / "edges" / "chelsea.png"
OPTIONS = None


class Failure(Exception):
    pass


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def whole(self):
        return f"exit code {self.code}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}"


def run(*command, seconds=180, **settings):
    """Devices are there from the first task on, unless the settings say otherwise: so it is known what runs where."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_") or k == "HSCHED_CXX"}
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=seconds, cwd=OPTIONS.work,
                              env={**clean, "HSCHED_CACHE": str(OPTIONS.work / "cache"), "HSCHED_DEVICES": "first", **settings})
    except subprocess.TimeoutExpired as late:
        raise Failure(f"{command} does not end\n{late.stderr}") from late
    return Result(done)


def expect(truth, what, result):
    if not truth:
        raise Failure(f"{what}\n{result.whole()}")


def program(name, *sources, flags=()):
    """The path of a program built from test/run/programs."""
    path = OPTIONS.work / name
    units = [HERE / "programs" / s for s in (sources or (name + ".cpp",))]
    built = run(OPTIONS.hsched_cc, "-std=c++20", "-O2", "-Wall", "-Wextra", *units, "-o", path, *flags)
    expect(built.code == 0, f"{name} does not build", built)
    return path


def sample(name):
    path = OPTIONS.build / "samples" / name
    if not path.exists():
        print(f"skipped: sample {name} is not part of this build")
        sys.exit(77)
    return path


def has_opencl(path=None):
    """Whether this machine shows hsched any OpenCL device, by what a program says, or saxpy."""
    command = [path] if path else [sample("saxpy"), "--size", "64", "--chunk", "64"]
    result = run(*command, HSCHED_LOG="info")
    return "OpenCL" not in result.err or "no OpenCL" not in result.err


def warnings(result):
    return [line for line in result.err.splitlines() if line.startswith("hsched:") and "warning" in line.lower()]


# For runs that must use each version: this policy measures all of them, while adaptive leaves out those that cannot help.
EVERY_VERSION = {"HSCHED_STATS": "full", "HSCHED_SCHED": "versioning"}


# The samples: same output as their serial twins, whatever the settings.
SETTINGS = [
    {},
    {"HSCHED_OPENCL": "0"},
    {"HSCHED_OPENCL_COPY": "1"},
    {"HSCHED_SCHED": "eager"},
    {"HSCHED_SCHED": "eager", "HSCHED_OPENCL_COPY": "1", "HSCHED_NCPU": "1"},
    {"HSCHED_SCHED": "versioning", "HSCHED_LAMBDA": "1", "HSCHED_NCPU": "4", "HSCHED_WINDOW": "8"},
]


def elides(name, *arguments):
    serial = run(sample(name + "-serial"), *arguments)
    expect(serial.code == 0 and "correct" in serial.out, f"{name}'s serial twin fails", serial)
    for setting in SETTINGS:
        result = run(sample(name), *arguments, **setting)
        expect(result.code == 0, f"{name} fails with {setting}", result)
        expect(result.out == serial.out, f"{name} with {setting} prints other than its serial twin: {serial.out}", result)


def case_saxpy():
    elides("saxpy", "--size", "100003", "--chunk", "7001", "--reps", "6")


def case_matmul():
    elides("matmul", "--size", "256", "--tile", "64", "--reps", "2")
    elides("matmul", "--size", "300", "--tile", "100", "--reps", "1")


def case_matmul_versions():
    outputs = set()
    for versions in ("cpp", "blas", "opencl"):
        if versions == "opencl" and not has_opencl():
            continue
        result = run(sample("matmul"), "--size", "256", "--tile", "128", "--versions", versions, "--reps", "2")
        expect(result.code == 0, f"matmul --versions {versions} fails", result)
        outputs.add(result.out)
    expect(len(outputs) == 1, f"versions differ: {outputs}", result)
    # One line gives the reason, and without other versions none is mentioned.
    alone = ("--size", "128", "--tile", "128", "--versions", "opencl")
    result = run(sample("matmul"), *alone, HSCHED_OPENCL="0")
    expect(result.code == 3 and result.out.count("\n") == 1 and "needs an OpenCL device" in result.out,
           "what only a device could run does not say so", result)
    if has_opencl():
        result = run(sample("matmul"), *alone, HSCHED_OPENCL_COPY="1", HSCHED_DEVICE_MEMORY="100000")
        expect(result.code == 3 and "and nothing else can run it" in result.err and "run otherwise" not in result.err,
               "a task that fails is not run otherwise", result)


def case_clblast():
    # Tiles in the middle of matrices, the last ones smaller. The first product builds CLBlast's kernels.
    arguments = ("--size", "200", "--tile", "64", "--reps", "2")
    serial = run(sample("clblast-serial"), *arguments)
    expect(serial.code == 0 and "correct" in serial.out, "clblast's serial twin fails", serial)
    outputs = {serial.out}
    for setting in ({}, {"HSCHED_OPENCL_COPY": "1", "HSCHED_SCHED": "eager"}, {"HSCHED_OPENCL": "0"}):
        result = run(sample("clblast"), *arguments, **setting)
        expect(result.code == 0, f"clblast fails with {setting}", result)
        outputs.add(result.out)
    if has_opencl():
        for setting in ({}, {"HSCHED_OPENCL_COPY": "1"}):
            result = run(sample("clblast"), *arguments, "--versions", "clblast", HSCHED_STATS="1", **setting)
            expect(result.code == 0, f"clblast fails on the device alone with {setting}", result)
            outputs.add(result.out)
            # Four tiles a side: every product ran on the device, and what it ran is the version with a body.
            runs = re.findall(r"B  gemm_clblast_only +(\d+) ", result.err)
            expect(sum(map(int, runs)) == 2 * 4 ** 3, f"not all products ran as CLBlast's: {runs}", result)
        # Three tiles fit, but three of their rows from first to last do not: they are packed.
        result = run(sample("clblast"), *arguments, "--versions", "clblast", HSCHED_OPENCL_COPY="1",
                     HSCHED_DEVICE_MEMORY=str(3 * 64 * 64 * 4))
        expect(result.code == 0, "clblast's tiles do not fit where they should", result)
        outputs.add(result.out)
    result = run(sample("clblast"), *arguments, "--versions", "clblast", HSCHED_OPENCL="0")
    expect(result.code == 3 and "needs an OpenCL device that is not here" in result.out,
           "what only a device could run does not say so", result)
    expect(len(outputs) == 1, f"outputs differ: {outputs}", serial)


def case_cholesky():
    elides("cholesky", "--size", "200", "--tile", "64", "--reps", "2")
    # Tiles of more than one block of 256 columns, the last one smaller, factored on the device alone.
    if has_opencl():
        arguments = ("--size", "700", "--tile", "300", "--reps", "1")
        result = run(sample("cholesky"), *arguments, HSCHED_VERSIONS="potrf:potrf_cl", HSCHED_STATS="full")
        right = result.code == 0 and result.out == run(sample("cholesky-serial"), *arguments).out
        expect(right and "potrf_cl" in result.err, "cholesky's tiles are not factored, or wrongly, on the device", result)


def case_edges():
    elides("edges", PHOTO, "--tile", "32", "--reps", "3")
    elides("edges", PHOTO, "--tile", "7", "--reps", "2")


def case_edges_files():
    out = OPTIONS.work / "edges-out.png"
    result = run(sample("edges"), PHOTO, "--out", out, "--reps", "1")
    expect(result.code == 0 and out.read_bytes().startswith(b"\x89PNG"), "edges writes no PNG", result)
    result = run(sample("edges"), OPTIONS.work / "none.png")
    expect(result.code == 2 and "cannot read" in result.err, "a missing picture is not told of", result)


# Loaded late, into a process whose room for thread-local objects has been fixed, and used by other libraries.
def case_late_loading():
    library = next(iter(sorted((OPTIONS.build / "lib").glob("libhsched.so*"))))
    script = ("import ctypes, ctypes.util, sys\n"
              "for name in ('gomp', 'stdc++', 'm'):\n"
              "    path = ctypes.util.find_library(name)\n"
              "    path and ctypes.CDLL(path)\n"
              "print('abi', ctypes.CDLL(sys.argv[1]).hsched_abi_version())\n")
    result = run(sys.executable, "-c", script, library)
    expect(result.code == 0 and result.out.startswith("abi "), "libhsched.so cannot be loaded late", result)
    headers = run("readelf", "-lW", library)
    size = int(re.search(r"^ *TLS +(?:0x[0-9a-f]+ +){4}0x([0-9a-f]+)", headers.out, re.M).group(1), 16)
    expect(size <= 448, f"{size} bytes of thread-local objects: glibc has room for 512, for all libraries", headers)


# Errors.
def case_throws():
    result = run(program("throws"))
    expect(result.code == 0 and "caught: by is negative" in result.out, "throws", result)


def case_taskloop_throws():
    for workers in ("1", "8"):
        result = run(program("taskloop_throws"), HSCHED_NCPU=workers)
        expect(result.code == 0 and "0 objects are left" in result.out, f"taskloop_throws, {workers} workers", result)


def case_nested_throw():
    result = run(program("nested_throw"))
    expect(result.code == 0, "nested_throw", result)


def case_no_opencl():
    nothing = OPTIONS.work / "no-vendors"
    nothing.mkdir(exist_ok=True)
    for variables in ({"OCL_ICD_VENDORS": str(nothing)}, {"HSCHED_OPENCL": "0"}):
        result = run(sample("saxpy"), **variables)
        expect(result.code == 0 and "correct" in result.out, f"saxpy without OpenCL, {variables}", result)
    result = run(sample("saxpy"), OCL_ICD_VENDORS=str(nothing))
    lines = [line for line in result.err.splitlines() if line]
    expect(len(lines) == 1 and "OpenCL" in lines[0], "not one line says that there is no OpenCL", result)


def case_unbuildable():
    path = program("unbuildable")
    result = run(path, HSCHED_NCPU="1")
    expect(result.code == 0 and "correct" in result.out, "unbuildable", result)
    if has_opencl():
        told = warnings(result)
        expect(len(told) == 1, "not one warning tells of the kernel that does not build", result)
        expect("this device is not to build it" in result.err, "the build log is not told", result)


def case_memory():
    path = program("memory")
    small = {"HSCHED_DEVICE_MEMORY": "1M", "HSCHED_OPENCL_COPY": "1"}
    result = run(path, "both", **small)
    expect(result.code == 0 and "correct" in result.out, "a task that does not fit does not run on the CPU", result)
    if has_opencl():
        result = run(path, "kernel", **small)
        expect(result.code == 3, "a task that fits nowhere is no error", result)
        expect("twiceOnDevice" in result.out and re.search(r"4194304|4 MiB|4\.0 MiB", result.out),
               "the error does not name task and bytes", result)
    result = run(path, "kernel", HSCHED_OPENCL="0")
    expect(result.code == 3 and "twiceOnDevice" in result.out, "a task without any device is no error", result)


# What a run writes.
def case_trace():
    file = OPTIONS.work / "trace.json"
    result = run(sample("edges"), PHOTO, "--tile", "50", "--reps", "4", HSCHED_TRACE=str(file), HSCHED_OPENCL_COPY="1")
    expect(result.code == 0, "edges with a trace", result)
    events = json.loads(file.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    names = {e.get("name") for e in events}
    expect({"blur", "sobel", "thin", "threshold"} & {str(n).split(" ")[0].split("_")[0] for n in names},
           f"the trace knows no task: {names}", result)
    phases = {e["ph"] for e in events}
    expect({"X", "M"} <= phases, f"no slices or no row names: {phases}", result)
    expect("s" in phases and "f" in phases, f"dependences are no flows: {phases}", result)
    slices = [e for e in events if e["ph"] == "X"]
    expect(all(e["dur"] >= 0 and e["ts"] >= 0 for e in slices), "times are negative", result)
    tasks = [e for e in slices if str(e["name"]).split("_")[0] in {"blur", "sobel", "thin", "threshold"}]
    expect(len(tasks) == 4 * 4 * 6, f"{len(tasks)} slices of tasks, not 96", result)


def case_graph():
    dot, graphml = OPTIONS.work / "graph.dot", OPTIONS.work / "graph.graphml"
    for file in (dot, graphml):
        result = run(sample("edges"), PHOTO, "--tile", "100", "--reps", "1", HSCHED_GRAPH=str(file))
        expect(result.code == 0 and file.exists(), f"no {file.name}", result)
    text = dot.read_text()
    expect(text.count("->") >= 6 and "blur" in text and "digraph" in text, "the graph is poor:\n" + text, result)
    root = xml.etree.ElementTree.parse(graphml).getroot()
    nodes = [e for e in root.iter() if e.tag.endswith("node")]
    expect(len(nodes) == 12, f"{len(nodes)} nodes, not 12", result)


def case_explain():
    """A user's policy, compiled as C, chooses; and a file says why each task ran where it did."""
    plugin, file = OPTIONS.work / "soonest.so", OPTIONS.work / "explain.json"
    built = run("gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-I",
                HERE.parent.parent / "include", SAMPLES / "policy" / "soonest.c", "-o", plugin)
    expect(built.code == 0, "the policy does not compile", built)
    for policy, reasons in ((plugin, {"it is predicted to end first there", "this version is to be measured",
                                "another worker was to run it, and this one came for it first"}),
                            ("eager", {"it came next in the policy's order"})):
        result = run(sample("edges"), PHOTO, "--tile", "50", "--reps", "3", HSCHED_SCHED=str(policy),
                     HSCHED_EXPLAIN=str(file), HSCHED_OPENCL_COPY="1")
        expect(result.code == 0 and not warnings(result), f"edges under {policy}", result)
        told = json.loads(file.read_text())
        expect(told["format"] == "hsched-record" and len(told["tasks"]) == 4 * 3 * 6,
               f"{len(told['tasks'])} tasks are explained, not 72", result)
        for task in told["tasks"]:
            expect(task["choices"], f"no choice is told of {task}", result)
            last = task["choices"][-1]
            expect(last["why"] in reasons and last["version"] == task["ran"]["version"]
                   and last["worker"] == task["ran"]["worker"], f"what is told does not agree: {task}", result)
            expect([c for c in last["candidates"] if c["version"] == last["version"] and c["worker"] == last["worker"]],
                   f"what was chosen is no candidate: {task}", result)
    result = run(sample("saxpy"), HSCHED_SCHED="./nothing.so")
    expect(result.code == 0 and "correct" in result.out and len(warnings(result)) == 1
           and "./nothing.so: there is no such file; using adaptive" in result.err,
           "a policy that is not there is not told of in one warning", result)
    result = run(sample("saxpy"), HSCHED_EXPLAIN="/nonexistent/folder/file.json")
    expect(result.code == 0 and len(warnings(result)) == 1, "an unwritable file is not told of", result)


def case_stats():
    result = run(sample("matmul"), "--size", "256", "--tile", "64", "--reps", "2", HSCHED_STATS="full", HSCHED_OPENCL_COPY="1")
    expect(result.code == 0, "matmul with statistics", result)
    for word in ("gemm", "gemm_blas"):
        expect(word in result.err, f"the statistics do not name {word}", result)
    quiet = run(sample("saxpy"))
    expect("busy" not in quiet.err, "statistics come unasked", quiet)


def case_modes():
    path = as_serial("modes")
    trace = OPTIONS.work / "modes.json"
    result = run(path, HSCHED_STATS="full", HSCHED_TRACE=str(trace))
    for cost in ("cost 12", "cost 777"):
        expect(cost in result.err, f"the statistics do not go by {cost}", result)
    expect("sum of a loop" in trace.read_text(), "the trace does not have a loop's label", result)


def case_reductions():
    path = as_serial("reductions")
    dot, trace = OPTIONS.work / "reductions.dot", OPTIONS.work / "reductions.json"
    result = run(path, HSCHED_GRAPH=str(dot), HSCHED_TRACE=str(trace))
    expect('modes="in, reduction"' in dot.read_text(), "the graph does not tell of modes:\n" + dot.read_text()[:2000], result)
    modes = {e["args"].get("modes") for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"}
    expect("reduction" in modes and "in, reduction" in modes, f"the trace does not tell of modes: {modes}", result)


def case_loop_sections():
    same_as_serial("loop_sections")


def graph_of(path, name, attribute):
    """The tasks that path submits, number to what the attribute (a pattern with one group) says; who waits for whom,
    as pairs; the graph's text; the run's result."""
    dot = OPTIONS.work / (name + ".dot")
    result = run(path, HSCHED_GRAPH=str(dot), HSCHED_NCPU="4")
    text = dot.read_text()
    tasks = dict(re.findall(r"^(\d+) ?\[[^]]*?" + attribute, text, re.M))
    return tasks, set(re.findall(r"^(\d+) ?-> ?(\d+)", text, re.M)), text, result


def case_statement_reductions():
    """Real reductions: those of one section are not ordered among themselves."""
    path = as_serial("statement_reductions")
    reduced, edges, text, result = graph_of(path, "statement_reductions", 'modes=("[^"]*reduction"|reduction)')
    expect(len(reduced) >= 340 and edges, f"{len(reduced)} tasks reduce:\n{text[:1000]}", result)
    ordered = [(a, b) for a, b in edges if a in reduced and b in reduced]
    expect(not ordered, f"tasks that reduce wait for each other: {ordered[:5]}", result)


def as_serial(name):
    """A program from test/run/programs that prints what its serial twin prints, whatever the settings; its path."""
    serial = OPTIONS.work / (name + "-serial")
    built = run("g++", "-std=c++20", "-O1", "-w", HERE / "programs" / (name + ".cpp"), "-o", serial)
    expect(built.code == 0, f"{name} does not build serially", built)
    wanted = run(serial)
    path = program(name)
    for setting in ({}, {"HSCHED_NCPU": "4"}, {"HSCHED_NCPU": "1"}, {"HSCHED_SCHED": "eager", "HSCHED_NCPU": "3"},
                    {"HSCHED_WINDOW": "4", "HSCHED_NCPU": "4"}):
        for _ in range(3):
            result = run(path, **setting)
            expect(result.code == 0 and result.out == wanted.out,
                   f"{name} with {setting} prints other than serially: {wanted.out}", result)
    return path


def case_units():
    result = run(program("units", "units_a.cpp", "units_b.cpp"))
    expect(result.code == 0 and "total 1151" in result.out, "units", result)


def case_twice():
    path = program("twice", "twice_a.cpp", "twice_b.cpp")
    for setting in SETTINGS:
        result = run(path, **setting)
        expect(result.code == 0, f"twice under {setting}", result)
        said = [line for line in warnings(result) if "defined at" in line]
        expect(len(said) == 1 and "'change'" in said[0] and "twice_a.cpp:8" in said[0] and "twice_b.cpp:7" in said[0],
               "one warning with both places", result)


def case_alike():
    """Where units differ in what a task does, a call's roles are those of the body that it runs."""
    path = program("alike", "alike_a.cpp", "alike_b.cpp")
    dot = OPTIONS.work / "alike.dot"
    result = run(path, HSCHED_GRAPH=str(dot), HSCHED_NCPU="2")
    expect(result.code == 0, "alike", result)
    tasks = re.findall(r'^\d+ ?\[[^]]*?id=(\d+),task="?([^",]+)[^]]*?modes="?(\w+)', dot.read_text(), re.M)
    modes = [mode for _, name, mode in sorted(tasks, key=lambda task: int(task[0])) if "same" not in name]
    expect(modes == result.out.split(), f"bodies run as {result.out.split()} say that they are {modes}", result)
    said = [line for line in warnings(result) if "defined at" in line]
    expect(len(said) == 1 and "'plain'" in said[0] and said[0].count("alike.h:13") == 2, "one warning", result)


def same_as_serial(name, flags=()):
    """A program of test/run/programs prints what g++ makes of it, whatever the settings."""
    path, serial = program(name, flags=flags), OPTIONS.work / (name + "-serial")
    built = run(os.environ.get("HSCHED_CXX", "g++"), "-std=c++20", "-O1", "-w",
                "-I", HERE.parent.parent / "include", HERE / "programs" / (name + ".cpp"), "-o", serial)
    expect(built.code == 0, f"{name} does not build without hsched", built)
    wanted = run(serial)
    expect(wanted.code == 0 and wanted.out, f"{name}'s serial build fails", wanted)
    for setting in SETTINGS:
        result = run(path, **setting)
        expect(result.code == 0, f"{name} fails with {setting}", result)
        expect(result.out == wanted.out, f"{name} with {setting} prints other than its serial build: {wanted.out}", result)
    return path


def case_signs():
    """Sections that are inferred hold just what is touched, whatever the numbers' signs: by who waits for whom."""
    path = same_as_serial("signs")
    tasks, edges, text, result = graph_of(path, "signs", r"task=(\w+)")
    for number, name in tasks.items():
        if name == "look":
            continue
        after = str(int(number) + 1)
        expect(tasks[after] == "look", f"{name} is not followed by its reader", result)
        wanted = name not in ("strided", "tail", "grid", "shorter", "later")
        expect(((number, after) in edges) == wanted,
               f"who reads what {name} may write {'does not come' if wanted else 'comes'} after it:\n{text}", result)
    expect(len(tasks) == 36, f"{len(tasks)} tasks", result)


def case_halos():
    same_as_serial("halos")


def case_tiles():
    path = same_as_serial("tiles")
    if has_opencl(path):
        for kernel in ("scale_cl", "copyTile_cl", "blocks_cl"):
            result = run(path, **EVERY_VERSION, HSCHED_OPENCL_COPY="1")
            expect(kernel in result.err, f"{kernel} was never run", result)


def case_later():
    """Devices that come while the program runs, or when it has ended already."""
    wanted = run(sample("saxpy"), HSCHED_OPENCL="0").out
    short = ("--size", "64", "--chunk", "64")
    brief = run(sample("saxpy"), *short, HSCHED_OPENCL="0").out
    if not has_opencl():
        return
    quiet = run(sample("saxpy"), *short, HSCHED_DEVICES="auto", HSCHED_LOG="debug")
    expect(quiet.code == 0 and "devices came" not in quiet.err, "a driver is loaded for tasks that take no time", quiet)
    for policy in ("versioning", "eager"):
        for setting in ({"HSCHED_DEVICES": "beside"}, {"HSCHED_DEVICES": "auto", "HSCHED_OPENCL": "all"},
                        {"HSCHED_DEVICES": "beside", "HSCHED_OPENCL": "all", "HSCHED_OPENCL_COPY": "1"}):
            for arguments, output in ((short, brief), ((), wanted)):
                result = run(sample("saxpy"), *arguments, HSCHED_SCHED=policy, **setting)
                expect(result.code == 0 and result.out == output, f"wrong with {setting}", result)
    long = run(sample("saxpy"), "--reps", "2000", HSCHED_DEVICES="beside", HSCHED_OPENCL="all", HSCHED_STATS="full")
    expect(long.code == 0 and "saxpy_cl" in long.err, "no task runs on a device that has come", long)


def case_packed():
    path = same_as_serial("packed")
    if not has_opencl(path):
        return
    # Named, a CPU device has cores of its own, and is measured like any other.
    result = run(path, **EVERY_VERSION, HSCHED_OPENCL_COPY="1", HSCHED_OPENCL="all")
    for kernel in ("multiply_cl", "scale_cl", "blur_cl", "negate_cl", "add_cl", "mix_cl"):
        expect(kernel in result.err, f"{kernel} was never run", result)
    wanted = run(OPTIONS.work / "packed-serial", "backwards").out
    for setting in ({}, {"HSCHED_OPENCL_COPY": "1"}):
        result = run(path, "backwards", **setting)
        expect(result.code == 0 and result.out == wanted, f"rows backwards are wrong with {setting}", result)
    wanted = run(OPTIONS.work / "packed-serial", "figures").out
    tile = 32 * 32 * 4
    for setting in ({}, {"HSCHED_OPENCL_COPY": "1"}, {"HSCHED_OPENCL_COPY": "1", "HSCHED_DEVICE_MEMORY": str(80 * tile)}):
        result = run(path, "figures", **setting)
        expect(result.code == 0 and result.out.startswith(wanted), f"packed figures is wrong with {setting}", result)
        if setting:  # 8 tiles of A, 64 of B and 8 of C, each once, in a transfer each: all of them fit, compactly.
            moved = f"in {80 * tile} in 80, out {8 * tile} in 8"
            expect(moved in result.out, f"not '{moved}' with {setting}", result)
    # Three tiles fit, but three of their rows from first to last do not.
    result = run(path, "figures", HSCHED_OPENCL_COPY="1", HSCHED_DEVICE_MEMORY=str(3 * tile))
    expect(result.code == 0 and result.out.startswith(wanted), "packed tiles do not fit where they should", result)


def case_packed_bodies():
    if run("pkg-config", "--exists", "OpenCL").code != 0:
        print("skipped: no OpenCL to build with")
        sys.exit(77)
    path = same_as_serial("packed_bodies", flags=("-lOpenCL",))
    if not has_opencl(path):
        return
    result = run(path, **EVERY_VERSION, HSCHED_OPENCL_COPY="1", HSCHED_OPENCL="all")
    for body in ("moveThere", "moveAlikeThere", "movePartThere", "transposedThere", "putThere", "moveLooseThere"):
        expect(body in result.err, f"{body} was never run", result)
    tile = 32 * 32 * 4
    for what, tiles in (("figures", 8), ("alone", 64)):
        wanted = run(OPTIONS.work / "packed_bodies-serial", what).out
        for setting in ({}, {"HSCHED_OPENCL_COPY": "1"},
                        # Two tiles fit, but two of their rows from first to last do not.
                        {"HSCHED_OPENCL_COPY": "1", "HSCHED_DEVICE_MEMORY": str(2 * tile)}):
            result = run(path, what, **setting)
            expect(result.code == 0 and result.out.startswith(wanted), f"{what} is wrong with {setting}", result)
            if setting:
                moved = f"in {tiles * tile} in {tiles}, out {tiles * tile} in {tiles}"
                expect(moved in result.out, f"not '{moved}' with {setting}", result)


def case_inline_tasks():
    same_as_serial("inline_tasks")


def case_taskloops():
    same_as_serial("taskloops")


def case_functions():
    same_as_serial("functions")


def case_views():
    same_as_serial("views")


def case_owners():
    same_as_serial("owners")


def case_kinds():
    path = same_as_serial("kinds")
    result = run(path, **EVERY_VERSION, HSCHED_NCPU="2")
    for version in ("changeShort", "countAgain", "takeAgain", "stepAgain"):
        expect(version in result.err, f"the version {version} was never run", result)


def case_members():
    path = same_as_serial("members")
    built = run(OPTIONS.hsched_cc, "-std=c++20", "-c", HERE / "programs" / "members.cpp", "-o", OPTIONS.work / "m.o")
    expect("hsched-unnamed" not in built.err, "members that clauses name are told of", built)
    if has_opencl(path):
        result = run(path, **EVERY_VERSION, HSCHED_OPENCL_COPY="1")
        expect("triple_cl" in result.err, "the member that is a kernel was never run", result)


sys.modules["cases"] = sys.modules[__name__]  # papers.py and settings.py use what is above.
import papers  # noqa: E402
import settings  # noqa: E402

CASES = {name[5:]: function for name, function in [*globals().items(), *vars(papers).items(), *vars(settings).items()]
         if name.startswith("case_")}


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description="Runs generated programs.")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--hsched-cc", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("case", nargs="*")
    OPTIONS = parser.parse_args()
    if OPTIONS.list:
        print(";".join(CASES))
        return 0
    OPTIONS.work.mkdir(parents=True, exist_ok=True)
    for name in OPTIONS.case:
        try:
            CASES[name]()
        except Failure as failure:
            print(f"case {name}: {failure}")
            return 1
        print(f"case {name}: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

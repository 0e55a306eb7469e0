"""Cases of cases.py: the papers' programs, where tasks run, described machines, sections of versions.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import re
import sys

import cases
from cases import SAMPLES, elides, expect, graph_of, has_opencl, program, run, same_as_serial, sample


def shows(name):
    """The sample's README shows what the program prints."""
    result = run(sample(name + "-serial"))
    expect(result.code == 0 and result.out in (SAMPLES / name / "README.md").read_text(),
           f"samples/{name}/README.md does not show what the program prints", result)


def case_lu():
    shows("lu")
    elides("lu", "--size", "200", "--tile", "64", "--reps", "2")


def case_jacobi():
    shows("jacobi")
    elides("jacobi", "--size", "103", "--tile", "20", "--steps", "7", "--reps", "2")
    elides("jacobi", "--size", "5", "--tile", "1", "--steps", "3", "--reps", "1")


def case_phylo():
    shows("phylo")
    # Forty taxa: likelihoods have to be rescaled.
    elides("phylo", "--taxa", "40", "--sites", "500", "--block", "90", "--generations", "20")


# Everything that can run on a device does, in memory of its own.
def case_papers_on_a_device():
    if not has_opencl():
        print("skipped: no OpenCL device")
        sys.exit(77)
    for name, versions, arguments in (
            ("jacobi", "sweep:sweep_cl", ("--size", "103", "--tile", "40", "--steps", "7")),
            ("phylo", "combine:combine_cl,rescale:rescale_cl", ("--sites", "500", "--block", "200", "--generations", "9")),
            ("lu", "exchange:exchange_cl,solve:solve_clblast,update:update_clblast", ("--size", "200", "--tile", "64"))):
        if not (cases.OPTIONS.build / "samples" / name).exists():
            continue
        result = run(sample(name), *arguments, HSCHED_VERSIONS=versions, HSCHED_OPENCL_COPY="1", HSCHED_STATS="full")
        expect(result.code == 0 and ": correct" in result.out, f"{name} fails on a device", result)
        for version in re.findall(r":(\w+)", versions):
            expect(version in result.err, f"{version} did not run", result)


# Clause where(e) and scopes: who runs what, and what cannot be met.
def case_where():
    built = program("where", flags=("-Wno-hsched-unnamed",))
    for setting in ({}, {"HSCHED_SCHED": "eager"}, {"HSCHED_SCHED": "dmdas"}, {"HSCHED_SCHED": "adaptive"}, {"HSCHED_SCHED": "ws"}):
        result = run(built, HSCHED_OPENCL="0", HSCHED_NCPU="3", **setting)
        expect(result.code == 0 and result.out == "0 wrong\n", f"where with {setting}", result)
        if has_opencl():
            for memory in ({}, {"HSCHED_OPENCL_COPY": "1"}):
                result = run(built, "device", HSCHED_OPENCL="all", HSCHED_NCPU="2", **setting, **memory)
                expect(result.code == 0 and result.out == "0 wrong\n", f"where on devices with {setting}", result)
    result = run(built, "one", HSCHED_OPENCL="0", HSCHED_NCPU="1")
    expect(result.code == 0 and result.out == "0 wrong\n", "one worker, of which most tasks are calls", result)


# The same program on a described machine.
def case_platform():
    file = cases.OPTIONS.work / "platform.json"
    kinds = {"core": {"device": "cpu", "speeds": {"saxpy": 1}},
             "card": {"device": "gpu", "memory_gb": 1, "speeds": {"saxpy": {"gbs": 100, "overhead_us": 10}}}}
    machine = {"name": "two cards", "sources": [], "kinds": kinds, "links": {"slot": {"gbs": 6, "latency_us": 10}},
               "workers": [{"kind": "core"}, {"kind": "card", "count": 2, "links": ["slot"]}]}
    file.write_text(json.dumps(machine))
    arguments = ("--size", "1000000", "--chunk", "100000", "--reps", "3")
    plain = run(sample("saxpy"), *arguments)
    for setting in ({}, {"HSCHED_OPENCL": "0", "HSCHED_NCPU": "1"}, {"HSCHED_SCHED": "heft"}):
        result = run(sample("saxpy"), *arguments, HSCHED_PLATFORM=file, **setting)
        expect(result.code == 0 and result.out == plain.out, "the program computes what it computes", result)
        policy = setting.get("HSCHED_SCHED", "adaptive")
        expect(f"On platform 'two cards', with {policy}, in virtual time: 30 tasks took " in result.err, "says so", result)
        runs = re.findall(r"saxpy +saxpy_(core|card) +(\d+) ", result.err)
        expect(sum(int(n) for _, n in runs) == 30 and re.search(r"card #1 +[1-9]", result.err), "times of its workers", result)
    kinds["core"]["speeds"] = kinds["card"]["speeds"] = {"gemm": 1}
    for text, message in ((json.dumps(machine), "no worker of platform 'two cards' has a speed for task 'saxpy'"),
                          ("{", "platform.json"), (None, "platform.json")):
        file.write_text(text) if text else file.unlink()
        result = run(sample("saxpy"), *arguments, HSCHED_PLATFORM=file)
        expect(result.code == 0 and result.out == plain.out and "HSCHED_PLATFORM: " in result.err and message in result.err and
               "nothing is simulated" in result.err, f"a bad platform: {message}", result)


def case_own_sections():
    """Versions that name more than the task: every order is right, and the sections of the one that runs are moved."""
    path = same_as_serial("own_sections")
    tasks, edges, text, result = graph_of(path, "own_sections", r"task=(\w+)")
    chain = sorted(tasks, key=int)
    expect(len(chain) == 16 and all(pair in edges for pair in zip(chain, chain[1:])),
           f"tasks whose versions overlap are not ordered: {edges}\n{text[:1000]}", result)
    wanted = run(cases.OPTIONS.work / "own_sections-serial", "figures").out.splitlines()[0]
    for version in ("scale", "scale_whole"):
        result = run(path, "figures", HSCHED_VERSIONS="scale:" + version)
        expect(result.code == 0 and result.out.startswith(wanted), f"{version} is wrong", result)
    if not has_opencl(path):
        return
    result = run(path, "figures", HSCHED_VERSIONS="scale:scale_rows", HSCHED_OPENCL="all", HSCHED_OPENCL_COPY="1")
    rows, factors = 32 * 64 * 4, 16 * 4
    expect(result.code == 0 and result.out.startswith(wanted), "scale_rows is wrong", result)
    expect(f"in {rows + factors}, out {rows}" in result.out, "not the sections of the version were moved", result)

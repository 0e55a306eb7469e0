#!/usr/bin/env python3
"""hsched-info, run: text, JSON, what it keeps, what is wrong with a command line.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py --info PATH --source FOLDER CASE
A case is a function case_NAME below; --list names them all. Exit code 77: cannot be tried here.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OPTIONS = None
WORK = None


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def run(*arguments, **settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}
    return subprocess.run([OPTIONS.info, *arguments], capture_output=True, text=True, timeout=200,
                          env={**clean, "HSCHED_CACHE": str(WORK / "cache"), **settings})


def expect(truth, what, done):
    if not truth:
        raise Failure(f"{what}: exit code {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")


def report(*arguments, **settings):
    done = run("--json", *arguments, **settings)
    expect(done.returncode == 0 and not done.stderr, "fails or complains", done)
    return json.loads(done.stdout)


def kept():
    """What is known of links, by file."""
    return {f.name: f.read_bytes() for f in (WORK / "cache" / "links").iterdir()}


def opencl():
    devices = [d for d in report()["devices"] if d["backend"] == "opencl"]
    if not devices:
        raise Skip("no OpenCL device on this machine")
    return devices


def case_json_follows_its_schema():
    try:
        import jsonschema
    except ImportError as missing:
        raise Skip("python3-jsonschema is not installed") from missing
    schema = json.loads(pathlib.Path(OPTIONS.source, "docs", "info.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    for settings in ({}, {"HSCHED_SIM": "2"}, {"OCL_ICD_VENDORS": "/nonexistent"}, {"HSCHED_CACHE": "0"},
                     {"HSCHED_OPENCL_COPY": "1", "HSCHED_OPENCL": "all"}):
        jsonschema.validate(report(**settings), schema)
    # The schema is no cover for everything.
    wrong = report(HSCHED_SIM="1")
    wrong["devices"][-1]["type"] = "toaster"
    try:
        jsonschema.validate(wrong, schema)
    except jsonschema.ValidationError:
        return
    raise Failure("the schema takes a toaster")


def case_the_machine_is_this_one():
    machine = report()["machine"]
    if machine["threads"] != os.cpu_count():
        raise Failure(f"{machine['threads']} threads, Python counts {os.cpu_count()}")
    if sorted(machine["usable_threads"]) != sorted(os.sched_getaffinity(0)):
        raise Failure(f"usable: {machine['usable_threads']}, Python says {os.sched_getaffinity(0)}")
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if not 0.9 * pages <= machine["memory_bytes"] <= 1.1 * pages:
        raise Failure(f"{machine['memory_bytes']} bytes, the system says {pages}")


def case_text_has_each_device():
    settings = {"HSCHED_SIM": "2"}
    devices = report(**settings)["devices"]
    done = run(**settings)
    expect(done.returncode == 0 and not done.stderr, "fails or complains", done)
    for device in devices:
        expect(f"\n{device['backend']} {device['index']}: {device['name']}\n" in done.stdout, device["id"], done)
    expect(len([d for d in devices if d["backend"] == "sim"]) == 2, "two simulated devices", done)
    for what in ("GB/s", "from the host", "to the host", "inside", "libhsched-backend-sim.so"):
        expect(what in done.stdout, what, done)
    for way in ("0 to sim 1", "1 to sim 0"):
        expect(re.search(rf"\n  sim {way} +[0-9.]+ GB/s, [0-9.]+ us, directly\n", done.stdout), way, done)


def case_links_are_measured_once():
    first = report(HSCHED_SIM="2")
    links = {(l["from"], l["to"]): l for l in first["links"]}
    expected = {("host", "sim:0"), ("sim:0", "host"), ("sim:0", "sim:0"), ("sim:0", "sim:1"),
                ("host", "sim:1"), ("sim:1", "host"), ("sim:1", "sim:1"), ("sim:1", "sim:0")}
    if {k for k in links if not (k[0] + k[1]).count("opencl")} != expected:
        raise Failure(f"links: {sorted(links)}")
    for link in links.values():
        # Memory of the host: no copy is slower than 1 MB/s, or faster than 10 TB/s.
        if not (0 <= link["latency_ns"] < 1e9 and 1e6 < (link["bytes_per_second"] or 1e9) < 1e13):
            raise Failure(f"{link}")
    before = kept()
    if report(HSCHED_SIM="2")["links"] != first["links"] or kept() != before:
        raise Failure("the second run measured anew")
    report("--calibrate", HSCHED_SIM="2")
    if before.keys() != kept().keys() or any(kept()[f] == before[f] for f in before):
        raise Failure("--calibrate did not measure anew")
    # If a file is cut short, it is measured and written anew.
    after = kept()
    for name, content in after.items():
        (WORK / "cache" / "links" / name).write_bytes(content[:50])
    again = report(HSCHED_SIM="2")
    if len(again["links"]) != len(first["links"]) or any(len(c) <= 50 for c in kept().values()):
        raise Failure("files that were cut short stay so")


def case_ways_between_devices():
    def ways(context, **settings):
        everything = report(HSCHED_OPENCL_COPY="1", HSCHED_OPENCL_CONTEXT=context, HSCHED_OPENCL="cpu/2", **settings)
        return {(l["from"], l["to"]): l for l in everything["links"]
                if l["from"] != l["to"] and "host" not in (l["from"], l["to"])}

    first = report(HSCHED_SIM="3")
    found = [l for l in first["links"] if "through_host" in l]
    expected = [(f"sim:{a}", f"sim:{b}") for a in range(3) for b in range(3) if a != b]
    if [(l["from"], l["to"]) for l in found if "sim" in l["from"]] != expected:
        raise Failure(f"ways: {found}")
    if any(l["through_host"] or "estimated" in l for l in found if "sim" in l["from"]):
        raise Failure(f"simulated devices reach each other: {found}")
    # Parts of a device, which need two cores.
    opencl()
    if len(os.sched_getaffinity(0)) < 2 or len(report(HSCHED_OPENCL="cpu/2")["devices"]) < 2:
        raise Skip("no device that can be split")
    apart, together = ways("own"), ways("shared")
    if len(apart) < 2 or apart.keys() != together.keys():
        raise Failure(f"ways: {apart}, {together}")
    if not all(l["through_host"] for l in apart.values()) or any(l["through_host"] for l in together.values()):
        raise Failure(f"contexts: {apart}, {together}")
    for link in (*apart.values(), *together.values()):
        if "estimated" in link or not (0 <= link["latency_ns"] < 1e9 and 1e6 < (link["bytes_per_second"] or 1e9) < 1e13):
            raise Failure(f"{link}")
    before = kept()
    if ways("own") != apart or ways("shared") != together or kept() != before:
        raise Failure("measured anew")
    done = run(HSCHED_OPENCL_COPY="1", HSCHED_OPENCL="cpu/2")
    expect(re.search(r"\n  opencl 0.0 to opencl 0.1 +[0-9.]+ GB/s, [0-9.]+ us, through the host\n", done.stdout),
           "through the host", done)


def case_settings_that_change_links():
    opencl()
    copies = {"HSCHED_OPENCL_COPY": "1"}
    report(**copies)
    for setting in ({"HSCHED_STAGING": "2"}, {"HSCHED_STAGING": "3"}, {"HSCHED_PIN_MEMORY": "0"},
                    {"HSCHED_PIN_MEMORY": "1"}):
        before = kept()
        report(**copies, **setting)
        if len(kept()) <= len(before) or any(kept()[f] != before[f] for f in before):
            raise Failure(f"{setting}: what was measured without it is taken for it")
    before = kept()
    report(**copies, HSCHED_STAGING="2")
    report(**copies)
    if kept() != before:
        raise Failure("measured anew")


def case_programs_use_what_it_measured():
    """The same entry, whoever wrote it: the number of files does not grow under HSCHED_OPENCL's other spellings."""
    opencl()
    report(HSCHED_OPENCL_COPY="1")
    before = kept()
    if not before:
        raise Failure("a device that copies has links")
    report(HSCHED_OPENCL_COPY="1", HSCHED_OPENCL="all", HSCHED_DEVICE_MEMORY="50%")
    if kept() != before:
        raise Failure("settings that change no link made it measure anew")


def case_the_memory_that_a_program_would_use():
    opencl()
    memory = [[d["memory_bytes"] for d in report(HSCHED_OPENCL_COPY="1", **settings)["devices"] if d["used"]]
              for settings in ({}, {"HSCHED_DEVICE_MEMORY": "1M"})]
    if not memory[0] or min(memory[0]) <= 1 << 20 or set(memory[1]) != {1 << 20}:
        raise Failure(f"without a limit and with 1 MiB: {memory}")
    done = run(HSCHED_DEVICE_MEMORY="much")
    expect(done.stderr.count("HSCHED_DEVICE_MEMORY=much is neither") == 1, "a limit that is none", done)


def case_says_once_that_a_level_is_none():
    done = run(HSCHED_SIM="1", HSCHED_LOG="loud")
    expect(done.stderr.count("HSCHED_LOG=loud") == 1, "program and plugins have a log each, one of them speaks", done)


def case_without_a_cache():
    done = run(HSCHED_SIM="1", HSCHED_CACHE="0")
    none = "none (HSCHED_CACHE=0, or there is no HOME)"
    expect(done.returncode == 0 and none in done.stdout and "GB/s" in done.stdout, "no cache", done)
    if (WORK / "cache").exists():
        raise Failure("something was kept")
    (WORK / "file").write_text("")
    done = run(HSCHED_SIM="1", HSCHED_CACHE=str(WORK / "file" / "below"))
    expect(done.returncode == 0 and not done.stderr and "GB/s" in done.stdout, "a cache that cannot be", done)


def case_without_opencl():
    done = run(OCL_ICD_VENDORS="/nonexistent")
    expect(done.returncode == 0 and "none: tasks run on the CPU" in done.stdout, "no drivers", done)
    alone = WORK / "bin" / "hsched-info"
    alone.parent.mkdir()
    alone.write_bytes(pathlib.Path(OPTIONS.info).read_bytes())
    alone.chmod(0o755)
    OPTIONS.info = str(alone)
    facts = report()
    problem = facts["backends"][0]["problem"]
    if facts["devices"] or facts["backends"][0]["plugin"] or "no libhsched-backend-opencl.so in" not in problem:
        raise Failure(f"no plugin: {facts}")


def case_selections():
    devices = opencl()
    used = {d["index"] for d in devices if d["used"]}
    if not used:
        raise Failure("by default something is used")
    if any(d["used"] for d in report(HSCHED_OPENCL="0")["devices"]):
        raise Failure("HSCHED_OPENCL=0 uses something")
    done = run(HSCHED_OPENCL="17")
    expect(done.returncode == 1 and devices[0]["name"] in done.stdout, "what there is is told", done)
    lines = done.stderr.splitlines()
    expect(len(lines) == 1 and lines[0].startswith("hsched-info: error: HSCHED_OPENCL='17': there is no device 17"),
           "one line says what is wrong", done)


def case_command_lines():
    done = run("--help")
    expect(done.returncode == 0 and done.stdout.startswith("Usage: hsched-info [options]\n"), "--help", done)
    for option in ("--json", "--calibrate", "--help", "--version"):
        expect(f"\n  {option} " in done.stdout, option, done)
    done = run("--version")
    expect(done.returncode == 0 and done.stdout.startswith("hsched-info ") and done.stdout.count("\n") == 1,
           "--version", done)
    for wrong in (["--jsn"], ["-x"], ["file"], ["--json", "file"], ["--json=yes"], ["--json", "--bad"], ["-"], [""]):
        done = run(*wrong)
        expect(done.returncode == 2 and not done.stdout, f"{wrong}", done)
        expect(done.stderr.startswith("hsched-info: error: ") and done.stderr.count("\n") == 1
               and f"'{wrong[-1]}'" in done.stderr, f"{wrong}: one line that names it", done)


def case_a_full_disk_is_reported():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([OPTIONS.info, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    if done.returncode != 1 or done.stderr != "hsched-info: error: the output cannot be written\n":
        raise Failure(f"exit code {done.returncode}: {done.stderr}")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}


def main():
    global OPTIONS, WORK
    parser = argparse.ArgumentParser(description="Runs hsched-info.")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--info")
    parser.add_argument("--source")
    parser.add_argument("cases", nargs="*", choices=[*CASES, []])
    OPTIONS = parser.parse_args()
    if OPTIONS.list:
        print(";".join(CASES))
        return 0
    for name in OPTIONS.cases:
        with tempfile.TemporaryDirectory(prefix="hsched-info-") as folder:
            WORK = pathlib.Path(folder)
            try:
                CASES[name]()
            except Skip as why:
                print(f"{name}: skipped: {why}")
                return 77
            except Failure as why:
                print(f"{name}: {why}")
                return 1
        print(f"{name}: in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())

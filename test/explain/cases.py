#!/usr/bin/env python3
"""Records of runs, and the programs that read them: of a real program, of simulated ones, of damaged files.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py --bin FOLDER --program PATH --source FOLDER CASE
A case is a function case_NAME below; --list names them all.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import browser

OPTIONS = None
WORK = None


class Failure(Exception):
    pass


def run(*command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}
    environment.update(HSCHED_OPENCL="0", HSCHED_CACHE="0", **variables)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100, cwd=WORK,
                          env=environment)


def tool(name, *arguments):
    return run(OPTIONS.bin / name, *arguments)


def expect(truth, what, done):
    if not truth:
        raise Failure(f"{what}: exit code {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")


def program(*arguments, **variables):
    done = run(OPTIONS.program, *arguments, HSCHED_NCPU="2", **variables)
    expect(done.returncode == 0, "the program runs", done)
    return done


def valid(record):
    """Against the schema, if there is a library for that."""
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads((OPTIONS.source / "docs" / "record.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(record, schema)


def simulated(graph="cholesky:8192,1024", policy="versioning", kind="record"):
    done = tool("hsched-sim", "idgraf", f"--graph={graph}", f"--sched={policy}", f"--{kind}=sim.json")
    expect(done.returncode == 0, "simulates", done)
    return WORK / "sim.json"


def case_real_program():
    """What was submitted is in the record, once, and the tool answers for each task."""
    program("flat", HSCHED_RECORD="whole.json", HSCHED_EXPLAIN="why.json")
    whole, why = (json.loads((WORK / name).read_text()) for name in ("whole.json", "why.json"))
    for record in (whole, why):
        valid(record)
        tasks = record["tasks"]
        if [t["label"] for t in tasks] != ["step"] * 80 + ["first", "last"]:
            raise Failure(f"labels {[t['label'] for t in tasks]}")
        for t in tasks:
            if t["ran"]["outcome"] != "done" or t["ran"]["end_us"] < t["ran"]["begin_us"] or not t["choices"]:
                raise Failure(f"{t}")
            if any(tasks[p - 1]["ran"]["end_us"] > t["ran"]["begin_us"] for p in t["after"]):
                raise Failure(f"it begins before a task ends that it comes after: {t}")
        if not all(t["ran"]["end_us"] - t["ran"]["begin_us"] >= 400 for t in tasks[:80]):
            raise Failure("a step takes 400 us")
    if any("sections" in t for t in why["tasks"]) or "data" in why:
        raise Failure("explanations have no sections")
    sections = whole["tasks"][0]["sections"]
    if [s["mode"] for s in sections] != ["inout", "in"] or [s["bytes"] for s in sections] != [4096, 8]:
        raise Failure(f"sections {sections}")
    if [(w["behind"], w["flush"], w["within"]) for w in whole["waits"]][:2] != [(80, True, 0), (82, True, 0)]:
        raise Failure(f"waits {whole['waits']}")
    for name in ("whole.json", "why.json"):
        done = tool("hsched-explain", name)
        expect(done.returncode == 0 and "The run took" in done.stdout and "closure" in done.stdout, "summary", done)
        done = tool("hsched-explain", name, "--task=81")
        expect(done.returncode == 0 and done.stdout.startswith("Task 81 (first, 8 B) ran as "), "one task", done)


def case_nested_tasks():
    program("nested", HSCHED_RECORD="r.json")
    tasks = {t["label"]: t for t in json.loads((WORK / "r.json").read_text())["tasks"]}
    if tasks["child"].get("parent") != tasks["parent"]["id"]:
        raise Failure(f"{tasks['child']}")
    done = tool("hsched-explain", "r.json", f"--task={tasks['child']['id']}")
    expect(done.returncode == 0 and "child" in done.stdout, "a child", done)


def case_statistics_say_what_choices_cost():
    done = program("flat", HSCHED_STATS="1", HSCHED_EXPLAIN="why.json")
    expect(re.search(r"the work alone takes .* on these workers: .* % of the run", done.stderr), "the bound", done)
    expect(re.search(r"lost against the bounds .*regret of \d+ choices", done.stderr), "regret", done)
    done = program("flat", HSCHED_STATS="1")
    expect("the work alone takes" in done.stderr and "regret" not in done.stderr, "without a record", done)
    files = sorted(WORK.iterdir())
    done = program("flat", HSCHED_STATS="regret")
    expect("the work alone takes" in done.stderr and re.search(r"lost against the bounds .*regret of \d+ choices", done.stderr), "in memory", done)
    expect(sorted(WORK.iterdir()) == files, "no file is written", done)


def case_unwritable_file():
    done = program("flat", "1", HSCHED_RECORD="/no/such/folder/r.json")
    expect("no record will be written to /no/such/folder/r.json" in done.stderr, "a warning", done)


def case_summary():
    record = json.loads(simulated().read_text())
    valid(record)
    done = tool("hsched-explain", "sim.json", "--json", "--most=3")
    expect(done.returncode == 0, "runs", done)
    found = json.loads(done.stdout)
    expect(sum(t["tasks"] for t in found["types"].values()) == len(record["tasks"]) == found["all"]["tasks"], "tasks", done)
    expect(abs(sum(t["regret_s"] for t in found["types"].values()) - found["all"]["regret_s"]) < 1e-6, "regrets", done)
    expect(0 < found["area_s"] <= found["time_s"] and 0 < found["critical_path_s"] <= found["time_s"], "bounds", done)
    expect(len(found["regrets"]) == 3 and found["regrets"] == sorted(found["regrets"], key=lambda r: -r["regret_s"]),
           "the greatest first", done)
    # In simulation predictions are exact.
    expect(found["all"]["median_error"] == 0 and found["all"]["regret_s"] >= found["all"]["exploring_s"] > 0, "errors", done)
    text = tool("hsched-explain", "sim.json", "--summary", "--most=3")
    expect(len(text.stdout.splitlines()) == 3 + 6 + 1 + 4, "the same as text", text)


def case_explains_without_sections():
    whole = json.loads(simulated().read_text())
    done = tool("hsched-explain", "sim.json", "--json").stdout
    short = json.loads(simulated(kind="explain").read_text())
    if tool("hsched-explain", "sim.json", "--json").stdout != done or len(short["tasks"]) != len(whole["tasks"]):
        raise Failure("the tool says the same of both")


def case_wrong_command_lines():
    simulated()
    for words, message in (((), "no file"), (("sim.json", "more"), "unexpected argument 'more'"),
                           (("sim.json", "--task=0"), "wrong value '0'"), (("sim.json", "--task"), "needs a value"),
                           (("sim.json", "--task=99999"), "there is no task 99999; the file has 120 tasks, from 1 to 120"),
                           (("sim.json", "--nothing"), "unknown option '--nothing'"),
                           (("none.json",), "none.json: cannot be read")):
        done = tool("hsched-explain", *words)
        expect(done.returncode == 2 and message in done.stderr and not done.stdout, message, done)
    for option in ("--help", "--version"):
        done = tool("hsched-explain", option)
        expect(done.returncode == 0 and "hsched-explain" in done.stdout, option, done)


def damaged(reader):
    """Files with a byte changed, a piece cut out or doubled: refused in one line, or read; never a crash."""
    text = simulated("lu:4096,1024").read_bytes()
    seed = int(os.environ.get("SEED", "1"))
    print(f"SEED={seed}")
    rng = random.Random(seed)
    refused = 0
    for _ in range(40):
        spoiled = bytearray(text)
        at, length = rng.randrange(len(text)), rng.randrange(1, 200)
        how = rng.randrange(4)
        if how == 0:
            spoiled[at] = rng.randrange(256)
        elif how == 1:
            del spoiled[at:at + length]
        elif how == 2:
            spoiled[at:at] = spoiled[at:at + length]
        else:
            del spoiled[at:]
        (WORK / "spoiled.json").write_bytes(spoiled)
        done = reader("spoiled.json")
        expect(done.returncode in (0, 2), f"seed {seed}", done)
        if done.returncode:
            refused += 1
            expect(len(done.stderr.splitlines()) == 1 and "spoiled.json" in done.stderr, "one line", done)
    if refused < 20:
        raise Failure(f"only {refused} of 40 were refused")


def case_best_replay():
    """No policy's replay is faster than the bound; the best one comes first."""
    simulated("lu:4096,512")
    done = tool("hsched-explain", "sim.json", "--replay")
    expect(done.returncode == 0, "replays", done)
    rows = [line.split() for line in done.stdout.splitlines()[3:]]
    expect(len(rows) >= 10 and {"heft", "ws", "versioning"} <= {r[0] for r in rows}, "each policy", done)
    unit = {"us": 1e-6, "ms": 1e-3, "s": 1}
    times = [float(r[1]) * unit[r[2]] for r in rows]
    expect(times == sorted(times) and f"with {rows[0][0]};" in done.stdout, "the best one", done)
    bounds = json.loads(tool("hsched-explain", "sim.json", "--json").stdout)
    expect(times[0] >= 0.999 * max(bounds["area_s"], bounds["critical_path_s"]), f"bounds {bounds}", done)
    simulated("lu:4096,512", kind="explain")
    done = tool("hsched-explain", "sim.json", "--replay")
    expect(done.returncode == 2 and "write a record with HSCHED_RECORD" in done.stderr, "no sections", done)


def report(*words, name="sim.html"):
    done = tool("hsched-report", *words)
    expect(done.returncode == 0 and done.stdout == name + "\n" and not done.stderr, "a report", done)
    return (WORK / name).read_text()


def case_report():
    """One file that refers to no other; its tables; its scripts, if there is node."""
    simulated()
    page = report("sim.json")
    for what in (r"https?:", r"\bsrc\s*=", r"<link", r"@import", r"\{\{", r"url\("):
        if re.search(what, page):
            raise Failure(f"the page has {what}")
    for what in ("The run took", "Choices limit it", "<h2 id=\"timeline\">", "HSCHED_MODELS=1", "c2050 #0", "potrf_x5650",
                 "aria-live=\"polite\"", "<html lang=\"en\">", "policy versioning", "to device"):
        if what not in page:
            raise Failure(f"the page lacks {what}")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    if len(data["tasks"]) != 120 or len(data["workers"]) != 12 or not data["transfers"]:
        raise Failure("the data are not the run's")
    if shutil.which("node"):
        done = run("node", OPTIONS.source / "test" / "explain" / "page_test.js", WORK / "sim.html")
        expect(done.returncode == 0, "the scripts", done)


def case_needless_transfers():
    """Devices with little memory give up blocks and fetch them again: the record says which, the report what it cost."""
    platform = json.loads((OPTIONS.source / "tools" / "sim" / "platforms" / "idgraf.json").read_text())
    platform["kinds"]["c2050"]["memory_gb"] = 0.05
    (WORK / "small.json").write_text(json.dumps(platform))
    for machine, graph, lacks in (("small.json", "lu:8192,1024", False), ("idgraf", "gemm:2048,1024", True)):
        done = tool("hsched-sim", machine, f"--graph={graph}", "--sched=dmdas", "--record=sim.json")
        expect(done.returncode == 0, "simulates", done)
        record = json.loads((WORK / "sim.json").read_text())
        valid(record)
        if not all(sum(m["bytes"] * m.get("rows", 1) for m in t["moved"]) == t["bytes"] for t in record["transfers"]):
            raise Failure("what moved is all of a transfer")
        page = report("sim.json")
        if lacks:
            if "evictions" in record or "No evictions." not in page or "No transfer was needless." not in page:
                raise Failure("nothing is evicted where all fits")
            continue
        by_device = {w["name"]: [e for e in record["evictions"] if e["id"] == w["id"]] for w in record["workers"]}
        if not all(e["dropped"] and e["bytes"] >= sum(d["bytes"] for d in e["dropped"]) for e in record["evictions"]):
            raise Failure(f"{record['evictions'][0]}")
        for name, all_of in by_device.items():
            row = re.search(rf'<th scope="row" class="left">{re.escape(name)}</th><td>(\d+)</td>', page.split("Evictions:")[-1])
            if (int(row[1]) if row else 0) != len(all_of):
                raise Failure(f"{name}: {len(all_of)} evictions")
        if "<td>evicted before</td>" not in page.replace(' class="left"', ""):
            raise Failure("the page says what evictions cost")
    page = report("sim.json", "--against=sim.json")
    if "of that needless" not in page:
        raise Failure("a comparison has bytes")
    made = browser.made_up(60)
    valid(made)
    (WORK / "made.json").write_text(json.dumps(made))
    if "dropped to make room" not in report("made.json", name="made.html"):
        raise Failure("advice on evictions")
    simulated(kind="explain")
    if "Needless transfers are found in records of HSCHED_RECORD" not in report("sim.json"):
        raise Failure("without sections nothing is known")


def case_report_of_a_real_program():
    program("nested", HSCHED_RECORD="r.json")
    page = report("r.json", "--output=out.html", name="out.html")
    if "parent" not in page or "86" not in page:
        raise Failure("the tasks are there")


def made_record(tasks, devices=0, cores=2, data=(), transfers=(), waits=()):
    """tasks: (worker, submitted, begin, end) in us, then more fields, for example "after" and "sections"."""
    names = [f"CPU {i}" for i in range(cores)] + [f"GPU #{i}" for i in range(devices)]
    workers = [{"id": i, "name": n, "type": n[:3].lower(), "model": n[:3], "memory": n[0] == "G"} for i, n in enumerate(names)]
    all_tasks = []
    for number, (worker, submitted, begin, end, *more) in enumerate(tasks, 1):
        task = {"id": number, "task": "step", "label": "step", "bytes": 1 << 20, "submitted_us": submitted, "after": [], "choices": [],
                "ran": {"worker": names[worker], "id": worker, "version": "step", "begin_us": begin, "end_us": end, "outcome": "done"}}
        task.update(more[0] if more else {})
        all_tasks.append(task)
    moves = [{"kind": kind, "worker": names[-1], "id": len(names) - 1, "for": of, "bytes": 1 << 20, "begin_us": begin, "end_us": end,
              "moved": [{"of": 0, "from": 0, "bytes": 1 << 20}]} for kind, of, begin, end in transfers]
    return {"format": "hsched-record", "version": 1, "workers": workers, "data": list(data), "tasks": all_tasks, "transfers": moves,
            "evictions": [], "waits": [{"within": 0, "behind": b, "begin_us": x, "end_us": y, "flush": True} for b, x, y in waits]}


def chosen(worker, why, *candidates):
    """The choice of a candidate; each is (worker, predicted us, runs)."""
    names = ["CPU 0", "CPU 1", "GPU #0"]
    return {"choices": [{"at_us": 0, "worker": names[worker], "id": worker, "version": "step", "why": why, "candidates": [
        {"worker": names[w], "id": w, "version": "step" if w < 2 else "step_cl", "run_us": us, "runs": runs, "transfer_us": 0, "wait_us": 0}
        for w, us, runs in candidates]}]}


def case_report_advice():
    """Each advice is given for a run that needs it, and none for a run that is in order."""
    reads = lambda mode: {"sections": [{"of": 0, "mode": mode, "from": 0, "bytes": 1 << 20}]}
    good = [(i % 2, 0, i // 2 * 100, i // 2 * 100 + 100) for i in range(20)]
    sure, measured = "it is predicted to end first there", "a version is measured first"
    cases = {
        "Nothing stands out.": made_record(good),
        "Blocks are too small: a task takes 5.00 us on average, and workers spend 37.5 % of":
            made_record([(i % 2, 0, i // 2 * 8 + 3, i // 2 * 8 + 8) for i in range(200)]),
        "There are 3 tasks for 2 workers": made_record([(i % 2, 0, i * 50, i * 50 + 100) for i in range(3)]),
        "The critical path takes 100.0 % of the run":
            made_record([(0, 0, i * 100, i * 100 + 100, {"after": [i] if i else []}) for i in range(10)]),
        "of the run the program computed by itself": made_record([(w, s, b + s, e + s) for w, _, b, e in good for s in (0, 1500)]),
        "Workers waited for the program to submit tasks": made_record([(w, b * 2, b * 2, b * 2 + 100) for w, _, b, _ in good]),
        "Workers waited for data": made_record(
            [(0, 0, i * 200 + 100, i * 200 + 200) for i in range(10)], devices=1, cores=0, data=[1 << 20],
            transfers=[("to device", i + 1, i * 200, i * 200 + 100) for i in range(10)]),
        "The link of GPU #0 is busy for": made_record(
            [(2, 0, i * 100, i * 100 + 100) for i in range(10)] + good, devices=1, data=[1 << 20],
            transfers=[("to device", i + 1, i * 100, i * 100 + 90) for i in range(10)]),
        "of transfers were of data that the device had had until a wait": made_record(
            [(2, 0, i * 300 + 100, i * 300 + 200, reads("in")) for i in range(4)] + good, devices=1, data=[1 << 20],
            transfers=[("to device", i + 1, i * 300, i * 300 + 50) for i in range(4)],
            waits=[(i + 1, i * 300 + 200, i * 300 + 250) for i in range(3)]),
        "that were moved to devices were not read there": made_record(
            [(2, 0, 100, 200, reads("out"))] + good, devices=1, data=[1 << 20], transfers=[("to device", 1, 0, 50)]),
        "came home, and no task read them before a device changed them": made_record(
            [(2, 0, i * 300 + 100, i * 300 + 200, reads("inout")) for i in range(4)] + good, devices=1, data=[1 << 20],
            transfers=[("to host", 0, i * 300 + 210, i * 300 + 250) for i in range(3)]),
        "Measuring versions cost": made_record(
            [(w, s, b, e, chosen(w, measured, (w, 100, 0), (2, 10, 9))) for w, s, b, e in good]
            + [(2, 0, i * 10, i * 10 + 10, chosen(2, sure, (2, 10, 9))) for i in range(9)], devices=1),
        "Predictions of step are off by 90 %: its time does not depend on its bytes alone. Give it a cost().":
            made_record([(w, s, b, e, chosen(w, sure, (w, 10, 9))) for w, s, b, e in good]),
        "Predictions of step are off by 90 %: its time does not follow its cost().":
            made_record([(w, s, b, e, {**chosen(w, sure, (w, 10, 9)), "cost": 7}) for w, s, b, e in good]),
        # With predictions that are right in the middle, and with wrong ones.
        "Runs of step of one size take from 100 us to 3.00 ms, and 60.0 % of its time is in runs of more than twice the median. Other programs may use the cores":
            made_record([(w, s, b, e, chosen(w, sure, (w, 100, 9))) for w, s, b, e in good] + [(0, 0, 2000, 5000)]),
        "Runs of step of one size take from 100 us to 4.00 ms": made_record(
            [(w, s, b, e, chosen(w, sure, (w, 400, 9))) for w, s, b, e in good] + [(0, 0, 2000, 6000)]),
        "Tasks were ready, and workers got none, for 37.5 % of the workers' time. These ran no task, though they could have: CPU 1, CPU 2.":
            made_record([(0, 0, i * 100, i * 100 + 100) for i in range(3)] + [(3, 0, 300, 400)], cores=4),
        "No version was a candidate for these: GPU #0. Either there is none for them (write one with implements), or its kernels were still being built: then the next run finds them in the cache.": made_record(
            [(0, 0, i * 100, i * 100 + 100, chosen(0, sure, (0, 100, 9))) for i in range(10)], cores=2, devices=1),
        "Workers could have begun a task for 52.6 % of their time.": made_record(
            [(i % 2, 0, i // 2 * 200 + 100, i // 2 * 200 + 200) for i in range(20)]),
        "of its time besides exploring": made_record(
            [(w, s, b, e, chosen(w, sure, (w, 100, 9), (2, 10, 9))) for w, s, b, e in good]
            + [(2, 0, i * 10, i * 10 + 10, {**chosen(2, sure, (2, 10, 9)), "ran": {
                "worker": "GPU #0", "id": 2, "version": "step_cl", "begin_us": i * 10, "end_us": i * 10 + 10, "outcome": "done"}})
               for i in range(9)], devices=1),
    }
    for advice, record in cases.items():
        valid(record)
        (WORK / "made.json").write_text(json.dumps(record))
        found = re.search(r'id="advice">.*?</ul>', report("made.json", name="made.html"), re.S)
        if not found or advice not in found[0]:
            raise Failure(f"no advice '{advice}' in {found and found[0]}")
        if advice.startswith("Nothing") and found[0].count("<li>") != 1:
            raise Failure(found[0])


def case_report_verdicts():
    """The verdict names the bound that is nearest to the run's time, or what else took the time."""
    good = [(i % 2, 0, i // 2 * 100, i // 2 * 100 + 100) for i in range(20)]
    sure = "it is predicted to end first there"
    fast = [(2, 0, i * 10, i * 10 + 10, {**chosen(2, sure, (2, 10, 9)), "ran": {
        "worker": "GPU #0", "id": 2, "version": "step_cl", "begin_us": i * 10, "end_us": i * 10 + 10, "outcome": "done"}})
            for i in range(9)]
    cases = {
        "The work limits it: only faster versions or more workers help.": made_record(good),
        "The critical path limits it: smaller tasks, or fewer dependences, help.":
            made_record([(0, 0, i * 100, i * 100 + 100, {"after": [i] if i else []}) for i in range(10)]),
        "A link limits it: fewer or larger transfers, or data that stay on the device, help.":
            made_record([(1, 0, i * 100 + 90, i * 100 + 100) for i in range(10)], devices=1, cores=1, data=[1 << 20],
                        transfers=[("to device", i + 1, i * 100, i * 100 + 95) for i in range(10)]),
        "Choices limit it: regret is":
            made_record([(w, s, b, e, chosen(w, sure, (w, 100, 9), (2, 10, 9))) for w, s, b, e in good] + fast, devices=1),
        "Uneven runs limit it: runs of step of one size took from 100 us to 3.00 ms, and 60.0 % of the tasks' time is in runs of more than twice the median.":
            made_record(good + [(0, 0, 2000, 5000)]),
        "Idle workers limit it: they ran tasks for 25 % of their time. The main reason of the rest: no task was given to it (67.5 %).":
            made_record([(0, 0, i * 100, i * 100 + 100) for i in range(10)], cores=4),
        "Idle workers limit it: they ran tasks for 56 % of their time. The main reason of the rest: ":
            made_record([(0, 0, 0, 100), (1, 0, 50, 150), (0, 0, 150, 250), (1, 0, 250, 300), (0, 0, 300, 350), (1, 0, 350, 400)]),
        "The program limits it: for 900 us no task ran and no data were in transfer.": made_record([(0, 950, 950, 1000), (1, 0, 0, 50)]),
    }
    for text, record in cases.items():
        valid(record)
        (WORK / "made.json").write_text(json.dumps(record))
        verdict = re.search(r'id="verdict"><strong>(.*?)</strong>', report("made.json", name="made.html"))[1]
        if text not in verdict:
            raise Failure(f"'{text}' is not in: {verdict}")


def case_report_tables():
    """Numbers of the tables: bounds, links, versions by size, the critical path."""
    sure = "it is predicted to end first there"
    record = made_record([(0, 0, 0, 100, chosen(0, sure, (0, 80, 9))), (0, 0, 100, 300, {"after": [1], **chosen(0, sure, (0, 100, 9))}),
                          (1, 0, 30, 80, {"bytes": 1 << 10})],
                         cores=1, devices=1, data=[1 << 20], transfers=[("to device", 3, 10, 30)])
    valid(record)
    (WORK / "made.json").write_text(json.dumps(record))
    page = report("made.json", name="made.html")
    cells = lambda row: [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
    rows = [" | ".join(cells(row)) for row in re.findall(r"<tr>.*?</tr>", page, re.S)]
    for expected in ("the run | 300 us | 100.0 %", "all work on all workers | 300 us | 100.0 %", "critical path | 250 us | 83.3 %",
                     "busiest link: GPU #0, from host | 20.0 us | 6.7 %", "GPU #0 | to device | 1 | 1.00 MiB | 20.0 us | 52.43 GB/s",
                     "step | 1.00 MiB | step | CPU | 2 | 100 us | 200 us | 200 us | 100 us | 50.0 % | 0 ns",
                     "step | 1.00 KiB | step | GPU | 1 | 50.0 us | 50.0 us | 50.0 us | - | - | 0 ns",
                     "1 | step | step | CPU 0 | 0 ns | 100 us | 0 ns", "2 | step | step | CPU 0 | 100 us | 200 us | 0 ns"):
        if not any(row.startswith(expected) for row in rows):
            raise Failure(f"no row '{expected}' in:\n" + "\n".join(rows))


def case_report_compares():
    """Two runs that differ in known numbers."""
    for name, stretch in (("before.json", 1), ("now.json", 2)):
        (WORK / name).write_text(json.dumps(made_record([(i % 2, 0, i // 2 * 100 * stretch, (i // 2 + 1) * 100 * stretch) for i in range(20)])))
    page = re.sub(r"<[^>]*>", " ", report("now.json", "--against=before.json", name="now.html").split('id="compare"')[1])
    for row in ("the run +1.00 ms +2.00 ms +\\+100.0 %", "critical path +100 us +200 us +\\+100.0 %", "regret .*? -", "step, .*?, median +100 us +200 us"):
        if not re.search(row, page):
            raise Failure(f"no row '{row}' in {page[:1500]}")


def case_report_idle_reasons():
    """The share of each reason, for a worker and for its longest gap."""
    record = made_record([(0, 0, 0, 30), (1, 10, 50, 60, {"after": [1]}), (1, 0, 60, 100)], cores=1, devices=1, data=[1 << 20],
                         transfers=[("to device", 2, 33, 41)])
    (WORK / "made.json").write_text(json.dumps(record))
    page = report("made.json", name="made.html")
    row = re.search(r'<th scope="row" class="left">GPU #0</th>((?:<td[^>]*>[^<]*</td>)+)', page.split("Why workers were idle")[-1])
    shares = re.findall(r">([^<]+)</td>", row[1])
    if shares != ["50.0 %", "10.0 %", "20.0 %", "8.0 %", "12.0 %", "0.0 %", "0.0 %"]:
        raise Failure(f"{shares}")
    if "predecessors had not ended" not in page.split("The longest gaps")[-1]:
        raise Failure("the main reason of the longest gap")


def case_report_names_what_it_compares_with():
    """Labels that would end a script or a tag stand as text."""
    record = json.loads(simulated(kind="explain").read_text())
    record["tasks"][0]["label"] = "</script><b>{{links}}"
    (WORK / "odd & <b>.json").write_text(json.dumps(record))
    page = report("odd & <b>.json", "--against=sim.json", name="odd & <b>.html")
    for there, what in ((False, "</script><b>"), (True, "\\u003c/script>\\u003cb>{{links}}"), (True, "odd &amp; &lt;b&gt;.json"),
                        (True, "Against sim.json"), (True, "+0.0 %")):
        if (what in page) != there:
            raise Failure(f"{what}: {there}")


def case_report_of_nothing():
    (WORK / "empty.json").write_text('{"format":"hsched-record","version":1,"workers":[],"tasks":[],"transfers":[],"waits":[]}')
    if "Nothing ran." not in report("empty.json", name="empty.html"):
        raise Failure("an empty run")


def case_report_command_lines():
    simulated()
    for words, status, message in (((), 2, "no file"), (("sim.json", "more"), 2, "unexpected argument"),
                                   (("none.json",), 2, "cannot be read"), (("sim.json", "--against=none.json"), 2, "none.json"),
                                   (("sim.json", "--output=sim.json"), 2, "take the place of the record"),
                                   (("sim.json", "--output=/no/such/folder/x.html"), 1, "cannot be written")):
        done = tool("hsched-report", *words)
        expect(done.returncode == status and message in done.stderr, message, done)
    done = tool("hsched-report", "-o", "short.html", "sim.json")
    expect(done.returncode == 0 and (WORK / "short.html").exists(), "-o", done)


def case_damaged_files():
    damaged(lambda name: tool("hsched-explain", name))


def main():
    global OPTIONS, WORK
    cases = {name[5:]: value for name, value in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("case", nargs="?")
    OPTIONS = parser.parse_args()
    if OPTIONS.list:
        print(";".join(cases))
        return 0
    WORK = pathlib.Path(tempfile.mkdtemp(prefix="hsched-explain-"))
    try:
        cases[OPTIONS.case]()
    except Failure as failed:
        print(f"{OPTIONS.case}: {failed}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

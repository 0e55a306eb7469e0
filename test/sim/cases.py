#!/usr/bin/env python3
"""hsched-sim, run: table, JSON, repeatability, what is wrong with a command line or a platform.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py --sim PATH --source FOLDER CASE
A case is a function case_NAME below; --list names them all.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

OPTIONS = None
WORK = None


class Failure(Exception):
    pass


def run(*arguments):
    return subprocess.run([OPTIONS.sim, *arguments], capture_output=True, text=True, timeout=200, cwd=WORK)


def expect(truth, what, done):
    if not truth:
        raise Failure(f"{what}: exit code {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")


def policies():
    lines = run("--list").stdout.splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ")]


def case_table():
    done = run("idgraf", "--graph=cholesky:8192,1024", "--sched=heft,ws", "--warm")
    expect(done.returncode == 0 and not done.stderr, "runs", done)
    lines = done.stdout.splitlines()
    expect(lines[0].split() == "policy makespan s CPU busy % device busy % H2D GB D2H GB D2D GB hits %".split(),
           "the heading", done)
    expect([line.split()[0] for line in lines[1:3]] == ["heft", "ws"] and lines[3] == "", "a row a policy", done)
    expect(lines[4].split() == ["tasks", "run", "as", "heft", "ws"], "shares of versions", done)
    expect("potrf_x5650   100.0 %  100.0 %" in lines, "potrf runs on cores only", done)


def case_all_policies_by_default():
    done = run("minotauro", "--graph=lu:2048,512", "--json")
    expect(done.returncode == 0, "runs", done)
    found = json.loads(done.stdout)
    expect([r["policy"] for r in found["runs"]] == policies() and len(policies()) >= 10, "each policy", done)
    for each in found["runs"]:
        expect(each["tasks"] == 4 + 12 + 12 + 14 == sum(v["runs"] for v in each["versions"]), "each task ran once", done)
        expect(each["makespan_ns"] >= max(w["busy_ns"] for w in each["workers"]), "nobody is busy for longer", done)
        # What has been changed on devices ends on the host.
        expect((each["d2h_bytes"] > 0) == any(v["runs"] for v in each["versions"] if v["version"].endswith("_m2090")),
               "data come home", done)


def case_same_input_same_output():
    for graph in ("random:7,600", "lu:8192,1024", "jacobi:8192,1024,3"):
        arguments = ("idgraf", "--graph=" + graph, "--json", "--warm")
        first, second = run(*arguments), run(*arguments)
        expect(first.returncode == 0 and first.stdout == second.stdout, graph + " repeats itself", second)
    random = ("idgraf", "--graph=gemm:4096,512", "--json", "--sched=random")
    one, other = run(*random, "--seed=1"), run(*random, "--seed=2")
    expect(one.stdout != other.stdout, "another seed", other)


def case_options():
    base = ("h200", "--graph=gemm:8192,1024", "--sched=heft", "--json")
    of = lambda *more: json.loads(run(*base, *more).stdout)["runs"][0]
    stay, home = of("--stay"), of()
    assert stay["makespan_ns"] < home["makespan_ns"] and stay["d2h_bytes"] < home["d2h_bytes"]
    on_gpu = of("--only=gemm:gpu")
    assert of("--only=gemm:gpu", "--inflight=1")["makespan_ns"] > on_gpu["makespan_ns"]
    warm = of("--warm")
    assert warm["makespan_ns"] != home["makespan_ns"]
    only = {v["version"]: v["runs"] for v in of("--only=gemm:cpu")["versions"]}
    assert only == {"gemm_xeon": 512}, only
    only = {v["version"]: v["runs"] for v in of("--only=gemm:h200")["versions"]}
    assert only == {"gemm_h200": 512}, only
    narrow = of("--window=2")
    assert narrow["makespan_ns"] > home["makespan_ns"]


def case_wrong_command_lines():
    for arguments, message in (
            ((), "no platform; write a file's name, or one of: h200, idgraf, minotauro"),
            (("idgraf",), "no graph; see --graph in hsched-sim --help"),
            (("nowhere", "--graph=lu:4,2"),
             "there is no platform 'nowhere'; write a file's name, or one of: h200, idgraf, minotauro"),
            (("idgraf", "more", "--graph=lu:4,2"), "unexpected argument 'more'; see hsched-sim --help"),
            (("idgraf", "--graph=lu:5,2"), "--graph: graph 'lu:5,2': TILE has to divide N; write lu:N,TILE"),
            (("idgraf", "--graph=lu:4,2", "--sched=best"),
             "--sched: there is no policy 'best'; write some of: " + ", ".join(policies()) + ", or a file's name with a slash"),
            (("idgraf", "--graph=lu:4,2", "--window=x"), "wrong value 'x'; see hsched-sim --help"),
            (("idgraf", "--graph=lu:4,2", "--inflight=0"), "wrong value '0'; see hsched-sim --help"),
            (("idgraf", "--graph=lu:4,2", "--only=gemm"), "wrong value 'gemm'; see hsched-sim --help"),
            (("idgraf", "--graph=lu:4,2", "--only=qr:cpu"),
             "--only=qr:cpu: the graph has no such task; its tasks are getrf, laswp, trsm, gemm"),
            (("idgraf", "--graph=lu:4,2", "--only=gemm:fpga"),
             "--only=gemm:fpga: the platform has no such workers; write one of: x5650, c2050"),
            (("idgraf", "--what"), "unknown option '--what'; see hsched-sim --help"),
            (("idgraf", "--graph"), "option '--graph' needs a value; see hsched-sim --help")):
        done = run(*arguments)
        expect(done.returncode == 2 and done.stderr == f"hsched-sim: error: {message}\n" and not done.stdout,
               f"{arguments}", done)


def case_wrong_platform():
    file = WORK / "mine.json"
    file.write_text('{"name": "mine", "sources": [], "kinds": {"core": {"device": "cpu", "speeds": {"*": "fast"}}}, "workers": []}')
    done = run("mine.json", "--graph=lu:4,2")
    expect(done.returncode == 2 and done.stderr ==
           "hsched-sim: error: mine.json: kinds.core.speeds.*: write an object\n", "field", done)
    file.write_text('{\n"name": "mine",\n')
    done = run("./mine.json", "--graph=lu:4,2")
    expect(done.stderr ==
           "hsched-sim: error: ./mine.json:3: this is not JSON; write a value, a comma or a bracket here\n", "line", done)


def case_a_simulation_fails():
    file = WORK / "mine.json"
    file.write_text('{"name": "mine", "sources": [], "kinds": {"core": {"device": "cpu", "speeds": {"gemm": 1}}}, '
                    '"workers": [{"kind": "core"}]}')
    done = run("mine.json", "--graph=lu:4,2", "--sched=ws")
    expect(done.returncode == 1 and done.stderr ==
           "hsched-sim: error: policy 'ws': platform 'mine' has no worker that can run task 'getrf': give one of its "
           "kinds a speed for it\n", "no worker", done)


def case_help_version_and_a_full_disk():
    done = run("--help")
    expect(done.returncode == 0 and done.stdout.startswith("Usage: hsched-sim [options] <platform>"), "--help", done)
    expect(all(len(line) <= 120 for line in done.stdout.splitlines()), "lines of 120", done)
    done = run("--version")
    expect(done.returncode == 0 and done.stdout.startswith("hsched-sim ") and done.stdout.count("\n") == 1, "--version",
           done)
    with open("/dev/full", "w") as full:
        done = subprocess.run([OPTIONS.sim, "--list"], stdout=full, stderr=subprocess.PIPE, text=True)
    if done.returncode != 1 or done.stderr != "hsched-sim: error: the output cannot be written\n":
        raise Failure(f"a full disk: {done.returncode} {done.stderr}")


def case_trace_and_explanation():
    files = {"--trace": WORK / "trace.json", "--explain": WORK / "why.json"}
    done = run("idgraf", "--graph=lu:4096,1024", "--sched=heft", *(f"{o}={f}" for o, f in files.items()))
    expect(done.returncode == 0, "runs", done)
    trace, why = (json.loads(f.read_text()) for f in files.values())
    names = {e["name"] for e in trace["traceEvents"] if e.get("ph") == "X"}
    expect({"getrf", "gemm"} & {n.split("_")[0] for n in names}, f"runs in the trace, not only {sorted(names)[:9]}", done)
    expect("it is predicted to end first there" in files["--explain"].read_text(), "reasons", done)
    done = run("idgraf", "--graph=lu:4096,1024", "--sched=heft,ws", "--trace=x.json")
    expect(done.returncode == 2 and "write of one policy" in done.stderr, "two policies", done)
    done = run("idgraf", "--graph=lu:4096,1024", "--sched=heft", "--trace=/no/such/folder/x.json")
    expect(done.returncode == 1 and "/no/such/folder/x.json" in done.stderr, "a file that cannot be written", done)


def case_a_recorded_run():
    """A simulated run that was recorded takes as long again, but for what ways have in common."""
    done = run("minotauro", "--graph=lu:4096,512", "--sched=heft", "--record=r.json", "--json")
    expect(done.returncode == 0, "records", done)
    first = json.loads(done.stdout)["runs"][0]
    done = run("--replay=r.json", "--sched=heft", "--json")
    expect(done.returncode == 0, "replays", done)
    again = json.loads(done.stdout)["runs"][0]
    expect(again["tasks"] == first["tasks"] and abs(again["makespan_ns"] / first["makespan_ns"] - 1) < 0.1,
           f"{first['makespan_ns']} ns", done)
    done = run("--replay=r.json", "--sched=heft,ws")
    expect("The recorded run took" in done.stdout and "with heft. Its replay is off by" in done.stdout, "its error", done)
    # Several repetitions are not compared with one run.
    off = [run("--replay=r.json", "--sched=heft", *more).stdout.split("off by ")[1].split()[0] for more in ((), ("--repeat=3",))]
    expect(off[0] == off[1], f"off by {off}", done)
    run("minotauro", "--graph=lu:4096,512", "--sched=heft", "--explain=e.json")
    for words, message in ((("--replay=e.json",), "it has no sections"), (("--replay=none.json",), "cannot be read"),
                           (("nowhere", "--replay=r.json"), "nowhere"),
                           (("idgraf", "--replay=r.json", "--graph=lu:4096,512"), "leave --graph out"),
                           (("--replay=r.json", "--only=gemm:gpu"), "--replay needs one for it"),
                           (("--replay=r.json", "--tile=/2"), "--tile is for graphs that have tiles"),
                           (("--replay=r.json", "--gpus=-3"), "cannot be simulated")):
        done = run(*words)
        expect(done.returncode == 2 and message in done.stderr, message, done)


def case_what_if():
    words = ("idgraf", "--graph=cholesky:8192,1024", "--sched=heft,ws")
    done = run(*words, "--gpus=+1", "--link=x2", "--tile=/2", "--json")
    expect(done.returncode == 0, "runs", done)
    runs = json.loads(done.stdout)["runs"]
    changes = ["", "9 devices", "links x2", "tiles of 512", "9 devices, links x2, tiles of 512"]
    expect([(r["what_if"], r["policy"]) for r in runs] == [(c, p) for c in changes for p in ("heft", "ws")], "rows", done)
    tasks = [r["tasks"] for r in runs[::2]]
    expect(tasks == [120, 120, 120, 816, 816], f"tasks {tasks}", done)
    expect([len(r["workers"]) for r in runs[::2]] == [12, 13, 12, 12, 13], "workers", done)
    expect(runs[4]["makespan_ns"] < runs[0]["makespan_ns"], "faster links help", done)
    # A platform that has all that says the same.
    alone = json.loads(run("idgraf", "--graph=cholesky:8192,512", "--sched=heft", "--json").stdout)["runs"][0]
    expect(alone["makespan_ns"] == runs[6]["makespan_ns"], "tiles", done)
    done = run(*words, "--cpus=1")
    lines = done.stdout.splitlines()
    expect(lines[0].split() == "machine policy makespan s against now".split() and len(lines) == 5, "a table", done)
    expect(lines[3].startswith("1 CPU workers") and lines[3].endswith(" %"), "a row", done)
    for word in ("--gpus=x", "--gpus=", "--gpus=1.5", "--link=2", "--link=x0", "--link=x-1", "--tile=3", "--cpus=+"):
        done = run(*words, word)
        expect(done.returncode == 2 and "wrong value" in done.stderr, word, done)
    for word in ("--cpus=0", "--gpus=+99", "--cpus=-9", "--tile=x16"):
        done = run(*words, word)
        expect(done.returncode == 2, word, done)
    done = run("idgraf", "--graph=cholesky:8192,1024", "--sched=heft", "--gpus=+1", "--trace=t.json")
    expect(done.returncode == 2 and "write of one run" in done.stderr, "one run", done)


def case_repetitions():
    words = ("minotauro", "--graph=gemm:4096,1024", "--sched=adaptive")
    once = json.loads(run(*words, "--json").stdout)["runs"][0]
    done = run(*words, "--repeat=3", "--json")
    thrice = json.loads(done.stdout)["runs"][0]
    parts = thrice["between_waits_ns"]
    expect(thrice["tasks"] == 3 * once["tasks"] and sum(parts) == thrice["makespan_ns"], "three times", done)
    expect(parts[0] == once["makespan_ns"] and parts[1] < parts[0], f"the first one learns: {parts}", done)
    lines = run(*words, "--repeat=3").stdout.splitlines()
    expect(lines[0].split()[:7] == "policy makespan s first s later s".split(), "columns", done)
    done = run(*words, "--repeat=0")
    expect(done.returncode == 2 and "wrong value" in done.stderr, "none", done)


def case_graph_from_a_file():
    (WORK / "g.json").write_text('{"tasks": [{"type": "a", "work": 9e9}, {"type": "a", "work": 9e9, "after": [1]}]}')
    done = run("idgraf", "--graph=g.json", "--sched=prio", "--only=a:cpu", "--json")
    expect(done.returncode == 0 and json.loads(done.stdout)["runs"][0]["makespan_ns"] == 2 * 10**9, "two seconds", done)


def case_completion():
    """bash offers the options, and the platforms that are shipped."""
    script = f"""
source {OPTIONS.source}/shell/hsched.bash
complete_line() {{
  COMP_LINE=$1 COMP_POINT=${{#1}} COMP_WORDS=($1) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
  [[ $1 = *' ' ]] && COMP_WORDS+=('') && COMP_CWORD=$((COMP_CWORD + 1))
  _hsched_sim
  printf '%s\\n' "${{COMPREPLY[@]}}"
}}
complete_line "{OPTIONS.sim} --w"
complete_line "{OPTIONS.sim} id"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=WORK)
    expect(done.stdout.split() == ["--warm", "--window=", "idgraf"], "completion", done)


def case_shells_and_manual():
    """What the help lists is offered by each shell that is here, and described in the manual."""
    tools = OPTIONS.source / "test" / "lit" / "tools" / "Inputs"
    for shell in ("bash", "zsh", "fish"):
        if shutil.which(shell):
            done = subprocess.run([sys.executable, tools / "offered.py", shell, OPTIONS.source / "shell", OPTIONS.sim],
                                  capture_output=True, text=True, cwd=WORK)
            expect(done.returncode == 0, shell, done)
    done = subprocess.run([sys.executable, OPTIONS.source / "man" / "make-man.py",
                           OPTIONS.source / "man" / "hsched-sim.1.in", "1.2.3", OPTIONS.sim, "--help"],
                          capture_output=True, text=True)
    expect(done.returncode == 0, "the manual", done)
    (WORK / "sim.1").write_text(done.stdout)
    done = subprocess.run([sys.executable, tools / "documented.py", WORK / "sim.1", OPTIONS.sim, "--help"],
                          capture_output=True, text=True)
    expect(done.returncode == 0, "what the manual describes", done)


def case_replay_elsewhere():
    """The tasks of a recorded run on a described machine."""
    done = run("minotauro", "--graph=lu:4096,512", "--sched=heft", "--record=r.json", "--json")
    expect(done.returncode == 0, "records", done)
    first = json.loads(done.stdout)["runs"][0]
    done = run("idgraf", "--replay=r.json", "--sched=heft,ws", "--only=gemm:gpu", "--json")
    expect(done.returncode == 0, "runs elsewhere", done)
    found = json.loads(done.stdout)
    expect(found["platform"] == "idgraf" and len(found["runs"]) == 2, "the platform", done)
    for each in found["runs"]:
        expect(each["tasks"] == first["tasks"] and {v["version"] for v in each["versions"]} >= {"gemm_c2050", "laswp_x5650"},
               "its kinds of workers run them", done)
    done = run("idgraf", "--replay=r.json", "--sched=heft")
    expect("The recorded run took" in done.stdout and "off by" not in done.stdout, "another machine's time is no error", done)
    (WORK / "p.json").write_text('{"name": "p", "sources": [], "kinds": {"core": {"device": "cpu", "speeds": {"gemm": 1}}}, '
                                 '"links": {}, "workers": [{"kind": "core"}]}')
    done = run("./p.json", "--replay=r.json")
    expect(done.returncode == 2 and "no worker of platform 'p' has a speed for task 'getrf'" in done.stderr, "a task without a speed", done)


def case_darts_moves_least():
    """Products of rows and columns in a random order, on a device that holds a quarter of them."""
    lines, size = 16, 1 << 24
    data = {f"{name}{i}": size for name in "ab" for i in range(lines)} | {f"c{n}": 64 for n in range(lines * lines)}
    order = list(range(lines * lines))
    random.Random(5).shuffle(order)
    tasks = [{"type": "gemm", "work": 1e7, "in": [f"a{n // lines}", f"b{n % lines}"], "out": [f"c{n}"]} for n in order]
    (WORK / "g.json").write_text(json.dumps({"data": data, "tasks": tasks}))
    (WORK / "p.json").write_text(json.dumps({
        "name": "little", "sources": [], "links": {"slot": {"gbs": 6, "latency_us": 10}},
        "kinds": {"core": {"device": "cpu", "speeds": {"*": None}},
                  "card": {"device": "gpu", "memory_gb": 2 * lines * size / 4e9, "in_flight": 2, "speeds": {"*": 1000}}},
        "workers": [{"kind": "core"}, {"kind": "card", "links": ["slot"]}]}))
    done = run("./p.json", "--graph=./g.json", "--sched=darts,eager,dmdas", "--warm", "--json")
    expect(done.returncode == 0, "runs", done)
    moved = {r["policy"]: r["h2d_bytes"] for r in json.loads(done.stdout)["runs"]}
    expect(moved["darts"] >= 2 * lines * size, "each datum comes once at least", done)
    expect(2 * moved["darts"] < moved["dmdas"] < moved["eager"], f"darts moves less than half: {moved}", done)
    times = {r["policy"]: r["makespan_ns"] for r in json.loads(done.stdout)["runs"]}
    expect(2 * times["darts"] < times["dmdas"], f"and takes half the time: {times}", done)


def main():
    global OPTIONS, WORK
    cases = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description="Runs hsched-sim.")
    parser.add_argument("--sim", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("case", nargs="?", choices=sorted(cases))
    OPTIONS = parser.parse_args()
    if OPTIONS.list:
        print(";".join(cases))
        return 0
    with tempfile.TemporaryDirectory(prefix="hsched-sim-") as folder:
        WORK = pathlib.Path(folder)
        try:
            cases[OPTIONS.case]()
        except Failure as why:
            print(why, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

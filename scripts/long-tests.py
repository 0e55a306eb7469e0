#!/usr/bin/env python3
"""Randomised tests with new seeds, in parts of a few minutes each: for a release. `scripts/test.sh --long` calls it.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: long-tests.py [--list] [--seed N] [--scale X] [PART...]
  --list   the parts, their minutes, and the minutes that they have had on this commit
  --seed   the seed that the seeds of all rounds come from; without, a random one, which is printed
  --scale  multiplies the minutes of all parts
       long-tests.py self-test
A part is built, and then run in rounds, as many at a time as there are cores. Each round has a seed of its own. A part ends when its minutes are
over. Its result is a line in build/long-tests.log. A part that has had its minutes on this commit is not run again, and one that was interrupted goes
on: so all parts need not be run at one time. A round that fails prints its command, and the exit code is 1.
"""
import argparse
import collections
import concurrent.futures
import datetime
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Commands run in the folder of the build. The round has {seed}, and {seconds} is what is left of the part's time.
# {root} is the clone. {work} is a folder for files.
CC = "--hsched-cc bin/hsched-cc --host-cxx g++ --work {work} --seed {seed}"
SECTIONS = [f"{{root}}/test/elision/sections.py {CC} --language {language}{inferred}"
            for language in ("template", "cxx", "c") for inferred in (" --inferred", "")]
CONVERSIONS = f"{{root}}/test/inference/conversions.py {CC} --include {{root}}/include"
INFER = f"{{root}}/test/inference/run.py {CC} --kinfo bin/hsched-kinfo --include {{root}}/include"
PROPERTIES = [
    ("oracle_rapidcheck_test", "*"), ("graph_oracle_test", "*"), ("data_test", "DirectoryProperty.*"),
    ("perfmodel_test", "RunStats.TheMedianIsBetweenTheRecentRuns"), ("compiler_regions_oracle_test", "*"),
]
POLICIES = "darts dmdas heft prio random round-robin ws ws-data ws-locality".split()

Part = collections.namedtuple("Part", "minutes build targets commands environment", defaults=[{}])


def fuzz(target, minutes):
    # The timeout is of the clock. A kept input gives Clang's limit of 5 s of CPU time to a process, which may be a minute beside other programs.
    known = [f"{{root}}/test/fuzz/{kind}/{target}" for kind in ("corpus", "grown", "regressions") if (ROOT / "test/fuzz" / kind / target).exists()]
    return Part(minutes, "release", [f"fuzz_{target}"], [
        f"bin/fuzz_{target} -seed={{seed}} -max_total_time={{seconds}} -timeout=300 -rss_limit_mb=2048 -max_len=4096 -close_fd_mask=3"
        f" -artifact_prefix=test/fuzz/{target}- test/fuzz/found/{target} {' '.join(known)}"])


def properties(of):
    return [f"bin/{program} --gtest_filter={which} --gtest_brief=1" for program, which in PROPERTIES if program in of]


def oracle(build, minutes, tasks):
    return Part(minutes, build, ["oracle_test"], [f"bin/oracle_test --tasks {tasks} --seed {{seed}}"])


def policies(build, minutes, tasks):
    return Part(minutes, build, ["oracle_test"], [f"bin/oracle_test --tasks {tasks} --seed {{seed}} --policy {p}" for p in POLICIES])


ALL = [program for program, _ in PROPERTIES]
RUNTIME = ALL[:4]
CASES = {"RC_PARAMS": "seed={seed} max_success=400"}
PARTS = {
    "oracle": oracle("release", 8, 400000),
    "oracle-asan": oracle("asan", 10, 40000),
    "oracle-tsan": oracle("tsan", 12, 16000),
    "policies": policies("release", 4, 80000),
    "policies-asan": policies("asan", 5, 10000),
    "policies-tsan": policies("tsan", 5, 4000),
    "properties": Part(4, "release", ALL, properties(ALL), CASES),
    "properties-asan": Part(3, "asan", RUNTIME, properties(RUNTIME), CASES),
    "properties-tsan": Part(4, "tsan", RUNTIME, properties(RUNTIME), CASES),
    "elision": Part(6, "release", ["hsched-cc", "hsched", "hsched_backend_opencl"], [f"{{root}}/test/elision/run.py {CC}", *SECTIONS]),
    "inference": Part(6, "release", ["hsched-cc", "hsched-kinfo"], [INFER, CONVERSIONS, INFER + " --exits", INFER + " --last"]),
    # A warning in a hundred may be a false alarm, as with n / 2 in place of a smaller length. Kept seeds must have none.
    "declared": Part(5, "release", ["hsched-cc"], [f"{{root}}/test/inference/declared.py {CC} --false-alarms 1"]),
    "names": Part(3, "release", ["hsched-cc"],
                  ["{root}/test/inference/names.py --hsched-cc bin/hsched-cc --work {work} --programs 250 --compile 15 --seed {seed} {corpus}"]),
    "expressions": Part(2, "release", ["dag_evaluate"], ["{root}/test/dag/expressions.py bin/dag_evaluate --seed {seed} --count 20000"]),
    "fuzz-clauses": fuzz("clauses", 4),
    "fuzz-kernels": fuzz("kernels", 4),
    "fuzz-dags": fuzz("dags", 3),
    # One round a program: the device is lost at each call in turn, so its seed is not used.
    "lost": Part(2, "release", ["faults_test"], ["bin/faults_test --gtest_filter=DeviceLost.InPlace",
                                                "bin/faults_test --gtest_filter=DeviceLost.WithMemoryOfItsOwn"],
                 {"HSCHED_TEST_LOST_CALLS": "1000"}),
}
MOST_MINUTES = 90
# Parts whose commands are run once each, however long they take.
ONCE = {"lost"}

Round = collections.namedtuple("Round", "command environment seed status output")


class Log:
    """The results by commit, a line each: date, commit, part, result, rounds, seconds, the seed of the seeds."""

    def __init__(self, path, commit):
        self.path, self.commit = path, commit

    def add(self, part, result, rounds, seconds, seed):
        now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M")
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as file:
            file.write("\t".join([now, self.commit, part, result, f"{rounds} rounds", f"{seconds:.0f} s", f"seed {seed}"]) + "\n")

    def seconds(self, part):
        """What the part has had on this commit. A failure counts for nothing: what it found is to be mended first."""
        if not self.path.exists() or self.commit.endswith("+"):
            return 0
        lines = [line.split("\t") for line in self.path.read_text().splitlines()]
        return sum(float(l[5].split()[0]) for l in lines if l[1:4] == [self.commit, part, "passed"])


def commit(root):
    """The commit that is tried; with a plus where the clone differs from it."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain") else "")


def run_round(template, environment, seed, seconds, folder, work):
    corpus = " ".join(str(p) for p in sorted((ROOT / "test/corpus").glob("*.cpp")) if not p.name[0].isupper())
    names = {"seed": seed, "seconds": max(1, int(seconds)), "root": ROOT, "work": work, "corpus": corpus}
    command = template.format(**names).split()
    if command[0].endswith(".py"):
        command.insert(0, sys.executable)
    more = {name: value.format(**names) for name, value in environment.items()}
    try:
        done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **more}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=1800, check=False)
        return Round(command, more, seed, done.returncode, done.stdout)
    except subprocess.TimeoutExpired as e:
        return Round(command, more, seed, 124, (e.stdout or b"").decode(errors="replace") + "\nnot done after 1800 s")


def run_part(name, part, seconds, folder, seed, jobs, once):
    """Rounds until the time is up; returns how many, the seconds, and those that failed. Begins no round after a failure."""
    rng = random.Random(f"{seed} {name}")
    begin = time.monotonic()
    failed, count, running = [], 0, set()
    with tempfile.TemporaryDirectory(prefix="long-") as work, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def more():
            if failed:
                return False
            return count < len(part.commands) if once else time.monotonic() - begin < seconds
        while more() or running:
            while more() and len(running) < jobs:
                left = seconds - (time.monotonic() - begin)
                own = pathlib.Path(work) / str(count)
                own.mkdir()
                running.add(pool.submit(run_round, part.commands[count % len(part.commands)], part.environment, rng.randrange(1, 1 << 31),
                                        left, folder, own))
                count += 1
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            failed += [r for r in (f.result() for f in done) if r.status]
    return count, time.monotonic() - begin, failed


def build(part):
    folder = ROOT / ("build" if part.build == "release" else f"build-{part.build}")
    commands = [["cmake", "--build", str(folder), "-j", str(os.cpu_count()), "--target", *part.targets]]
    if not (folder / "CMakeCache.txt").exists():
        commands.insert(0, ["cmake", "--preset", part.build])
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            print(done.stdout[-3000:] + f"\nlong-tests.py: this failed: {' '.join(command)}")
            return None
    return folder


def run_all(parts, names, log, seed, scale, made):
    """Runs the named parts. made: a function from a part to the folder of its build, None if it cannot be built."""
    bad = 0
    for name in names:
        part = parts[name]
        wanted = part.minutes * 60 * scale
        left = wanted - log.seconds(name)
        if left <= 0 or (name in ONCE and left < wanted):
            print(f"{name}: has had its {part.minutes * scale:g} minutes on {log.commit}")
            continue
        folder = made(part)
        if folder is None:
            log.add(name, "not built", 0, 0, seed)
            bad += 1
            continue
        count, seconds, failed = run_part(name, part, left, folder, seed, os.cpu_count() or 1, name in ONCE)
        result = "failed" if failed else "passed"
        log.add(name, result, count, seconds, seed)
        for r in failed:
            setting = "".join(f"{n}='{v}' " for n, v in r.environment.items())
            print(f"{r.output[-6000:]}\n{name}: exit code {r.status}; to repeat it, in {folder}: {setting}{' '.join(r.command)}")
        print(f"{name}: {result}, {count} rounds in {seconds:.0f} s", flush=True)
        bad += bool(failed)
    return bad


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        parts = {
            "good": Part(1 / 600, "release", [], ["true"]),
            "bad": Part(1 / 600, "release", [], ["test {seed} -lt 0"]),
            "unbuilt": Part(1, "asan", [], ["true"]),
        }
        made = {"release": folder, "asan": None}
        log = Log(folder / "out" / "log", "abc")
        for name, wanted in [("good", 0), ("bad", 1), ("unbuilt", 1)]:
            assert run_all(parts, [name], log, 1, 1, lambda p: made[p.build]) == wanted, name
        assert log.seconds("good") == 0 and log.seconds("bad") == 0 # Less than a second is written as none.
        assert [line.split("\t")[3] for line in log.path.read_text().splitlines()] == ["passed", "failed", "not built"]
        log.add("good", "passed", 1, 60, 1)
        log.add("good", "failed", 1, 60, 1)
        assert log.seconds("good") == 60 and Log(log.path, "other").seconds("good") == 0 and Log(log.path, "abc+").seconds("good") == 0
        # Nothing is run again, so nothing fails.
        assert run_all({"good": Part(1, "release", [], ["false"])}, ["good"], log, 1, 1, lambda p: folder) == 0
        # A seed gives the same rounds, and is given to the environment too.
        first = run_round("test {seed} = 7", {"A": "x{seed}"}, 7, 1, folder, folder)
        assert first.status == 0 and first.environment == {"A": "x7"}, first
    assert sum(part.minutes for part in PARTS.values()) <= MOST_MINUTES
    for name, part in PARTS.items():
        for command in part.commands:
            for word in command.split():
                path = pathlib.Path(word.replace("{root}", str(ROOT)))
                assert not word.startswith("{root}") or path.exists(), f"{name}: {word} is not there"
    print("long-tests.py: self-test passed")
    return 0


def main():
    if sys.argv[1:] == ["self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description="Randomised tests with new seeds, part by part.")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    for name in options.parts:
        if name not in PARTS:
            parser.error(f"no part is called '{name}'; there are: {', '.join(PARTS)}")
    log = Log(ROOT / "build/long-tests.log", commit(ROOT))
    names = options.parts or list(PARTS)
    if options.list:
        for name in names:
            print(f"{name:16} {PARTS[name].build:8} {PARTS[name].minutes:3} min, {log.seconds(name) / 60:4.1f} of them on {log.commit}")
        print(f"{sum(PARTS[name].minutes for name in names)} minutes in all")
        return 0
    seed = random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    bad = run_all(PARTS, names, log, seed, options.scale, build)
    print(f"{len(names) - bad} parts passed, {bad} failed; {log.path} has a line for each")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

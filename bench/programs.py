"""Runs the programs that run.sh built: one figure at a time, each in a process of its own, at a peer's best settings.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import os
import platform
import subprocess

from figures import metg, peak

RUNTIMES = ["hsched", "libgomp", "libomp", "tbb", "starpu"]
OPENMP = ("libgomp", "libomp")
# Divides the sizes: the figures are per task, and StarPU takes microseconds for each.
DIVISOR = {"starpu": 16}
# Tasks that wait behind one that is held: a bounded window would never let them all in.
UNBOUNDED = ("memory", "live-data", "readers", "overlapping")
WINDOWS = (64, 256, 1024)
# Patterns in which the OpenMP runtimes are helped by a taskwait after every so many tasks. 0: none.
WINDOWED = {"stencil": WINDOWS, "butterfly": WINDOWS, "random": WINDOWS, "metg": WINDOWS, "work": WINDOWS + (4096, 0)}
WINDOWED.update({f"linked-{k}": WINDOWS for k in range(1, 9)})


def settings(runtime, pattern, threads, cores):
    """The settings that a peer is tried with, the fastest of which counts: (label, environment)."""
    if runtime in OPENMP:
        binds = [("", {})]
        if 1 < threads <= cores:
            binds.append(("bound", {"OMP_PROC_BIND": "true", "OMP_WAIT_POLICY": "active"}))
        windows = [(f"w{w}" if w else "", {"BENCH_WINDOW": str(w)} if w else {}) for w in WINDOWED.get(pattern, (0,))]
        return [(" ".join(filter(None, (w, b))), {**of_window, **of_bind})
                for w, of_window in windows for b, of_bind in binds]
    if runtime == "starpu":
        return [(p, {"STARPU_SCHED": p}) for p in ("lws", "eager", "ws", "prio")]
    return [("", {})]


class Outcome:
    """What a program printed: its figure, CPU time, and what it named besides."""

    def __init__(self, words):
        self.value, self.right, self.cpu = float(words[0]), words[1] == "ok", float(words[2])
        self.more = dict(word.split("=", 1) for word in words[3:])

    def curve(self):
        return {int(grain): float(ns) for grain, ns in self.more.items()}


def fastest(pattern, tried):
    """{runtime: [(outcome or None, setting)]} -> {runtime: setting}."""
    known = {r: [(o, setting) for o, setting in each if o] for r, each in tried.items()}
    best = peak([o.curve() for each in known.values() for o, _ in each]) if pattern == "metg" else None

    def badness(outcome):
        if pattern == "cholesky":
            return -outcome.value
        if pattern == "metg":  # Measured against one peak: a setting that never gets far is no good one.
            return metg(outcome.curve(), best) or math.inf
        return outcome.value

    return {r: min(each, key=lambda pair: badness(pair[0]))[1] for r, each in known.items() if each}


class Programs:
    def __init__(self, folder, rounds, timeout, runtimes=None):
        self.folder, self.rounds, self.timeout = folder, rounds, timeout
        self.cores = len(os.sched_getaffinity(0))
        self.wrong = []
        self.runtimes = [r for r in runtimes or RUNTIMES if os.access(self.path(r), os.X_OK)]
        self.missing = [r for r in runtimes or RUNTIMES if r not in self.runtimes]

    def path(self, runtime):
        return os.path.join(self.folder, "bench-" + runtime)

    def environment(self, more):
        """Libraries that were carried along with the programs lie in lib/ beside them."""
        env = {**os.environ, **more}
        carried = os.path.join(os.path.abspath(self.folder), "lib")
        if os.path.isdir(carried):
            env["LD_LIBRARY_PATH"] = ":".join(filter(None, (carried, env.get("LD_LIBRARY_PATH"))))
        return env

    def once(self, runtime, pattern, threads, more=None, divisor=1, rounds=None):
        """An outcome; None where the runtime cannot, took too long, or was wrong, which is kept in self.wrong."""
        more = dict(more or {})
        if pattern in UNBOUNDED:
            more["HSCHED_WINDOW"] = "2000000"
        command = [self.path(runtime), pattern, str(threads), str(rounds or self.rounds),
                   str(divisor * DIVISOR.get(runtime, 1))]
        try:
            done = subprocess.run(command, env=self.environment(more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired:
            return None
        words = done.stdout.split()
        if words == ["-"]:
            return None
        if len(words) < 3:
            self.wrong.append(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()[-200:]}")
            return None
        outcome = Outcome(words)
        if not outcome.right:
            self.wrong.append(" ".join(command) + ": wrong result")
            return None
        return outcome

    def best_settings(self, cases):
        """(runtime, pattern, threads) -> (label, environment), tried at a quarter of the size."""
        chosen = {}
        for case in cases:
            tried = {}
            for runtime in self.runtimes:
                offered = settings(runtime, *case, self.cores)
                if len(offered) > 1 and case[0] not in UNBOUNDED + ("idle",):
                    divisor = 1 if case[0] in ("metg", "cholesky") else 4
                    tried[runtime] = [(self.once(runtime, *case, env, divisor), (label, env)) for label, env in offered]
            for runtime, setting in fastest(case[0], tried).items():
                chosen[runtime, *case] = setting
        return chosen

    def versions(self):
        lines = []
        for runtime in self.runtimes:
            try:
                done = subprocess.run([self.path(runtime), "version"], env=self.environment({}), check=False, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=self.timeout)
                lines.append(f"{runtime}: {done.stdout.strip() or 'does not run here'}")
            except subprocess.TimeoutExpired:
                lines.append(f"{runtime}: does not answer")
        return lines


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def quota():
    """CPUs that a control group allows, or None."""
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            allowed, period = file.read().split()
        return None if allowed == "max" else int(allowed) / int(period)
    except (OSError, ValueError):
        return None


def sources():
    """Which commit the sources beside this file are at, or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        done = subprocess.run(["git", "-C", here, "describe", "--always", "--dirty"], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def facts(programs, load_before):
    """Lines about the machine and the programs."""
    limit = quota()
    lines = [f"machine: {processor()}, {programs.cores} cores usable" + (f", {limit:g} allowed" if limit else "") +
             f", {platform.system()} {platform.release()}; "
             f"load {load_before:.1f} before, {os.getloadavg()[0]:.1f} after"]
    if load_before > 0.3:
        lines.append("machine: something else was running: believe ratios at most")
    if sources():
        lines.append(f"sources: {sources()}")
    lines += programs.versions()
    if programs.missing:
        lines.append("not measured, since there is no program: " + ", ".join(programs.missing))
    return lines

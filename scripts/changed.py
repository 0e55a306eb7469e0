#!/usr/bin/env python3
"""Which tests belong to the files that changed, and in which builds: what `scripts/test.sh --changed` runs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: changed.py [--base COMMIT] [--quick] [FILE...]
Without files: those that differ from COMMIT (default: HEAD), and those that git does not know yet.
Prints a line a build: preset, tab, targets, tab, options of ctest. `--self-test`: each folder with sources has a row.
"""
import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What changes; its tests: labels, or a unit test's program, whose label is unit.PROGRAM; whether the sanitizers are to
# look as well. The first row that matches counts.
ENGINE = ["exec_test", "exec_device_test", "exec_robust_test"]
OPENCL = ["opencl_parts_test", "opencl_cache_test", "opencl_test"]
ROWS = [
    ("runtime/base/*", ["base_test"], True),
    ("runtime/device/*", ["device_test"], True),
    ("runtime/trace/*", ["trace_test", "explain"], True),
    ("runtime/graph/*", ["graph_test", "graph_oracle_test"], True),
    ("runtime/data/*", ["data_test"], True),
    ("runtime/perfmodel/*", ["perfmodel_test", "perfmodel_links_test"], True),
    ("runtime/sched/*", ["sched_test", "virtual_test"], True),
    ("runtime/exec/*", ENGINE, True),
    ("runtime/virtual/*", ["virtual_test", "sim"], True),
    ("runtime/api/*", ["api_test", "api_parts_test", "api_traffic_test"], True),
    ("runtime/dag/*", ["dag", "fuzz"], True),
    ("runtime/backends/opencl/*", OPENCL, True),
    ("runtime/backends/sim/*", ["sim_test"], True),
    ("runtime/icd/*", ["icd", "icd_parts_test"], True),
    ("runtime/check/*", ["check_test", "check"], False),
    ("runtime/*", ["base_test"], True),
    ("include/hsched/*", ["api_test", "checks"], False),
    ("include/CL/*", ["icd"], False),
    ("tools/common/*", ["info", "sim", "dag", "explain"], False),
    ("tools/info/*", ["info"], True),
    ("tools/sim/*", ["sim", "virtual_test"], False),
    ("tools/run/*", ["dag"], True),
    ("tools/model/*", ["models"], True),
    ("tools/explain/*", ["explain"], True),
    ("tools/report/*", ["explain"], True),
    ("tools/*", ["info", "sim"], False),
    ("compiler/driver/*", ["compiler_driver_test", "lit.driver"], False),
    ("compiler/kinfo/*", ["lit.kinfo"], False),
    ("compiler/port/*", ["lit.driver"], False),
    ("compiler/analysis/kernel/*", ["compiler_kernel_test", "lit.kinfo"], False),
    ("compiler/analysis/lower/Library*", ["compiler_library_test", "compiler_library_prototypes_test"], False),
    ("compiler/analysis/lower/*", ["compiler_lower_test"], False),
    ("compiler/analysis/regions/*", ["compiler_regions_test"], False),
    ("compiler/analysis/infer/*", ["compiler_infer_test", "corpus"], False),
    ("compiler/model/*", ["compiler_regions_test", "compiler_metadata_test"], False),
    ("compiler/emit/*", ["compiler_metadata_test", "lit.language"], False),
    ("compiler/*", ["lit.language"], False),
    ("test/unit/compiler_kernel/*", ["compiler_kernel_test"], False),
    ("test/unit/*/*", None, True),
    ("test/unit/*", ["base_test"], False),
    ("test/lit/driver/*", ["lit.driver"], False),
    ("test/lit/kinfo/*", ["lit.kinfo"], False),
    ("test/lit/tools/*", ["lit.tools"], False),
    ("test/lit/*", ["lit.language"], False),
    ("test/run/*", ["run"], False),
    ("test/elision/*", ["elision"], False),
    ("test/inference/*", ["inference"], False),
    ("test/oracle/*", ["oracle"], True),
    ("test/model/*", ["model"], False),
    ("test/faults/*", ["faults"], True),
    ("test/fuzz/*", ["fuzz"], False),
    ("test/info/*", ["info"], False),
    ("test/sim/*", ["sim"], False),
    ("test/models/*", ["models"], False),
    ("test/explain/*", ["explain"], False),
    ("test/dag/*", ["dag"], False),
    ("test/icd/*", ["icd"], True),
    ("test/check/*", ["check"], False),
    ("test/install/*", ["install"], False),
    ("test/corpus/*", ["corpus"], False),
    ("test/bench/*", ["bench"], False),
    ("bench/experiments/*", ["dag"], False),
    ("python/*", ["dag"], False),
    ("bench/*", ["bench"], False),
    ("test/docs/*", ["docs"], False),
    ("docs/*.md", ["docs", "checks.quick"], False),
    ("README.md", ["docs", "checks.quick"], False),
    ("scripts/timeline.py", ["docs"], False),
    ("samples/transformer/*", ["dag"], False),
    ("samples/chains/*", ["dag"], False),
    ("samples/vgg/*", ["dag"], False),
    ("samples/*", ["run"], False),
    ("cmake/*", ["install"], False),
    ("packaging/*", ["install", "lit.tools"], False),
    ("man/*", ["lit.tools"], False),
    ("scripts/install-deps.sh", ["checks.quick"], False),
    ("*", ["checks.quick"], False),
]
# Labels of tests that other targets make; a unit test's target is its program.
TARGETS = {"info": ["hsched-info"], "sim": ["hsched-sim"], "models": ["hsched-model"],
           "explain": ["hsched-explain", "hsched-report", "hsched-sim", "explained_program"],
           "dag": ["hsched-run", "dag_evaluate", "dag_tune", "dag_library", "hsched-kinfo", "hsched_backend_opencl"], "oracle": ["oracle_test", "oracle_abi_test", "oracle_rapidcheck_test"],
           "faults": ["faults_test"], "icd": ["icd_tests", "hsched-info", "opencl-mapping", "opencl-ep", "opencl-cg", "opencl-fdm", "opencl-bm3d"], "corpus": ["hsched-corpus", "hsched-cc"], "fuzz": ["fuzzers"],
           "check": ["hsched-cc", "hsched", "hsched_check"],
           "inference": ["hsched-cc", "hsched-kinfo"], "lit.kinfo": ["hsched-kinfo"], "checks": [], "checks.quick": [], "model": [],
           "install": ["all"], "bench": [], "run": ["all"]}
COMPILER = ["hsched-cc", "hsched", "hsched_backend_opencl", "hsched_backend_sim"]


def label_of(name):
    return "unit." + name if name.endswith("_test") else name


def targets(label):
    if label in TARGETS:
        return TARGETS[label]
    if label.startswith("lit.") or label in ("elision", "docs"):
        return COMPILER + ["hsched-cc-fake", "hsched_fake_runtime"]
    return [label]


def row(path):
    for pattern, labels, sanitized in ROWS:
        if fnmatch.fnmatch(path, pattern):
            if labels is None:  # test/unit/PART/...: the programs that its CMakeLists.txt makes.
                words = (ROOT / "test/unit" / path.split("/")[2] / "CMakeLists.txt").read_text()
                labels = [line.split("(")[1].split()[0].rstrip(")") for line in words.splitlines()
                          if line.strip().startswith("hsched_unit_test(")]
                sanitized = not path.split("/")[2].startswith("compiler")
            return labels, sanitized
    raise AssertionError(path)


def changed(base):
    git = lambda *words: subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout
    return sorted(set(git("diff", "--name-only", base).split("\n") +
                      git("ls-files", "--others", "--exclude-standard").split("\n")) - {""})


UNITS = {m[1]: m[2] for p in (ROOT / "test/unit").glob("*/CMakeLists.txt")
         for m in re.finditer(r"hsched_unit_test\((\w+)([^)]*)\)", p.read_text())}
# Tests that a build for ThreadSanitizer does not have: they have one thread.
ONE_THREAD = {"sim"} | {name for name, words in UNITS.items() if "ONE_THREAD" in words.split()}


def plan(files, quick):
    """[(preset, targets, labels)]"""
    labels, sanitized = set(), set()
    for path in files:
        names, also = row(path)
        labels.update(names)
        if also and not quick:
            sanitized.update(names)
    if not labels:
        return []
    labels.add("checks.quick")
    made = lambda names: sorted({t for n in names for t in targets(n)})
    builds = [("release", made(labels), sorted(labels))]
    sanitized -= {"checks", "checks.quick"}
    for preset, without in (("asan", set()), ("tsan", ONE_THREAD)):
        if sanitized - without:
            builds.append((preset, made(sanitized - without), sorted(sanitized - without)))
    return builds


def self_test():
    names = [p for part in ("compiler", "runtime", "tools", "test/unit")
             for p in (ROOT / part).rglob("*.cpp")]
    assert len(names) > 200
    for path in names:
        relative = str(path.relative_to(ROOT))
        labels, _ = row(relative)
        assert labels and labels != ["checks.quick"], f"{relative} has no tests of its own: add a row to changed.py"
    for _, labels, _ in ROWS:
        for label in labels or []:
            assert not label.endswith("_test") or label in UNITS, f"changed.py: there is no unit test {label}"
    both = plan(["runtime/exec/Executor.cpp"], quick=False)
    assert [b[0] for b in both] == ["release", "asan", "tsan"] and "exec_test" in both[1][1], both
    assert [b[0] for b in plan(["runtime/exec/Executor.cpp"], quick=True)] == ["release"]
    assert [b[0] for b in plan(["compiler/emit/Code.cpp"], quick=False)] == ["release"]
    assert [b[0] for b in plan(["runtime/virtual/Fabric.cpp"], quick=False)] == ["release", "asan"]
    assert [("icd_parts_test" in b[1]) for b in plan(["runtime/icd/Mapper.cpp"], quick=False)] == [True, True, False]
    assert plan([], quick=False) == []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base", default="HEAD")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    try:
        files = options.files or changed(options.base)
    except subprocess.CalledProcessError as failed:
        print(f"changed.py: {failed.stderr.strip()}", file=sys.stderr)
        return 1
    for preset, made, labels in plan(files, options.quick):
        print(preset, " ".join(made) or "help", "^(" + "|".join(label_of(name) for name in labels) + ")$", sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())

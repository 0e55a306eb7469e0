#!/usr/bin/env python3
"""The hosted workflow: its form, its shell commands, and what they name in the tree.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: workflow.py ROOT
  - Each key of a workflow, a job and a step is one that exists. An expression names a context that exists, and a value of the job's matrix.
  - Each `run` is accepted by `sh -n`. Its programs, files, presets and options exist (recipes.py). Files of the tree are used only after the checkout.
  - Images are the systems that scripts/install-deps.sh says it knows, each once. It has a list of packages for each of them, and what an image needs
    before is there.
  - A push to main, a tag and a pull request start it. The job on the first image that it tests, Debian 12, installs all packages and calls .ci/run.
Prints what is wrong; the exit code is 1 if anything is, 77 if Python has no module yaml.
"""
import re
import sys

from recipes import Checker, check

try:
    import yaml
except ImportError:
    print("skipped: Python has no module yaml (Debian: python3-yaml)")
    sys.exit(77)

FOLDER = ".github/workflows"
KEYS = {
    "workflow": {"name", "on", "permissions", "jobs", "env", "concurrency"},
    "job": {"name", "runs-on", "container", "timeout-minutes", "steps", "strategy", "continue-on-error", "env", "if", "needs", "permissions"},
    "strategy": {"fail-fast", "matrix", "max-parallel"},
    "step": {"name", "if", "run", "uses", "with", "env", "id", "shell", "working-directory"},
}
# Actions, each with the keys that are used of it.
ACTIONS = {
    "actions/checkout": {"fetch-depth"},
    "actions/cache": {"path", "key", "restore-keys"},
    "actions/upload-artifact": {"name", "path"},
}
CONTEXTS = {"github": {"ref_name", "run_id", "workspace", "sha"}}
# What an image needs before install-deps.sh: a part of its name, an expression for the commands of steps on it.
BEFORE = (
    (r"opensuse/", r"zypper .*\btar\b.*\bgzip\b.*\bgit\b"),
    (r"ubuntu:22\.04", r"jammy-19 main[^$]*apt\.kitware\.com/ubuntu jammy main[^$]*HSCHED_CXX=g\+\+-12"),
    (r"fedora:", r"CMAKE_PREFIX_PATH=/usr/lib64/llvm19"),
)
RELEASES = {
    "debian": 'ID=debian\nVERSION_ID="{}"\n', "ubuntu": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="{}"\n', "fedora": "ID=fedora\nVERSION_ID={}\n",
    "opensuse": 'ID="opensuse-{}"\nID_LIKE="opensuse suse"\n',
}


class NoRepeats(yaml.SafeLoader):
    """A mapping with a key twice is an error: hosted CI does not accept it."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(k, deep=deep) for k, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"line {node.start_mark.line + 1}: '{key}' stands twice")
        return super().construct_mapping(node, deep)


def unknown(kind, mapping, where):
    for key in mapping.keys() - KEYS[kind]:
        yield f"{where}: a {kind} has no key '{key}'"


def expressions(job, where):
    """What `${{ }}` and `if:` name."""
    matrix = job.get("strategy", {}).get("matrix", {})
    texts = [str(job.get("container", "")), str(job["runs-on"])]
    conditions = []
    for step in job["steps"]:
        conditions.append(str(step.get("if", "")))
        texts += [str(v) for part in (step.get("env", {}), step.get("with", {})) for v in part.values()] + [step.get("run", "")]
    for text in conditions + [e for t in texts for e in re.findall(r"\$\{\{(.*?)\}\}", t)]:
        for context, name in re.findall(r"\b(\w+)\.(\w+)\b(?=[^']*(?:'[^']*'[^']*)*$)", text):
            if name not in (matrix if context == "matrix" else CONTEXTS.get(context, ())):
                yield f"{where}: '{text.strip()}' names {context}.{name}"
        for name, value in re.findall(r"matrix\.(\w+) == '([^']*)'", text):
            if value not in matrix.get(name, ()):
                yield f"{where}: no {name} is '{value}'"
        for name, value in re.findall(r"startsWith\(matrix\.(\w+), '([^']*)'\)", text):
            if not any(v.startswith(value) for v in matrix.get(name, ())):
                yield f"{where}: no {name} starts with '{value}'"
        for function in re.findall(r"\b(\w+)\(", text):
            if function not in ("startsWith", "failure", "always", "success"):
                yield f"{where}: no function {function}"


def applies(step, image):
    """Whether a step runs on an image of the matrix."""
    condition = step.get("if", "")
    same = re.search(r"matrix\.image == '([^']*)'", condition)
    start = re.search(r"startsWith\(matrix\.image, '([^']*)'\)", condition)
    return (not same or image == same[1]) and (not start or image.startswith(start[1]))


def images(job):
    name = job.get("container", "")
    return job["strategy"]["matrix"]["image"] if "matrix.image" in name else [name]


def job_problems(tree, job, where):
    yield from unknown("job", job, where)
    yield from unknown("strategy", job.get("strategy", {}), where)
    yield from expressions(job, where)
    for image in images(job):
        here = False
        checker = Checker(tree, lambda path: here and tree.exists(path))
        done = []
        for number, step in enumerate(job["steps"], 1):
            at = f"{where}, step {number}"
            yield from unknown("step", step, at)
            if ("run" in step) == ("uses" in step):
                yield f"{at}: either run or uses"
            if not applies(step, image):
                continue
            if "uses" in step:
                action, _, version = step["uses"].partition("@")
                if action not in ACTIONS or not re.fullmatch(r"v\d+", version):
                    yield f"{at}: {step['uses']}"
                for key in step.get("with", {}).keys() - ACTIONS.get(action, set()):
                    yield f"{at}: {action} has no {key}"
                here |= action == "actions/checkout"
                for path in re.findall(r"^build/\S+\.deb$", str(step.get("with", {}).get("path", "")), re.M):
                    yield from (f"{at}: {p}" for p in checker.path(path, path, False))
            else:
                done.append(step["run"])
                yield from (f"{at}: {p}" for p in checker.script(re.sub(r"\$\{\{.*?\}\}", "VALUE", step["run"])))
        for part, words in BEFORE:
            if re.match(part, image) and not re.search(words, "\n".join(done)):
                yield f"{where}: {image} needs {words}"


def system(image):
    """The name that install-deps.sh's text has for an image."""
    name, _, version = re.sub(r"/.*", "", image).partition(":") if image.startswith("opensuse") else image.partition(":")
    if name == "fedora" and int(version) < 42:
        return "a Fedora that has ended"
    return {"debian": f"Debian {version}", "ubuntu": f"Ubuntu {version}", "fedora": "Fedora", "opensuse": "openSUSE"}.get(name, image)


def problems(tree, name):
    try:
        flow = yaml.load(tree.text(name), NoRepeats)
    except yaml.YAMLError as problem:
        yield str(problem)
        return
    flow["on"] = flow.pop(True, flow.get("on"))  # YAML 1.1 reads `on` as a truth value.
    yield from unknown("workflow", flow, name)
    push = flow["on"].get("push", {})
    if push != {"branches": ["main"], "tags": ["v*"]} or "pull_request" not in flow["on"] or flow.get("permissions") != {"contents": "read"}:
        yield f"{name}: what starts it, or what it may do"
    for key, job in flow["jobs"].items():
        yield from job_problems(tree, job, f"{name}: job {key}")

    every = [image for job in flow["jobs"].values() for image in images(job)]
    sentence = re.search(r"It knows ([^;]*);", re.sub(r"\n# ?", " ", tree.text("scripts/install-deps.sh")))[1]
    known, family = set(), ""
    for word in re.split(r", | and ", sentence):
        family = re.sub(r" [\d.]+$", "", word) if not word[0].isdigit() else family
        known.add(word if not word[0].isdigit() else f"{family} {word}")
    for wrong in known ^ {system(image) for image in every}:
        yield f"{name}: '{wrong}' is an image, or a system that install-deps.sh knows, alone"
    for image in every:
        distribution, version = re.match(r"(\w+)[:/]([\w.]+)", image).groups()
        if distribution not in RELEASES or tree.packages(RELEASES[distribution].format(version))[1] != 0:
            yield f"{name}: install-deps.sh has no packages for {image}"

    tests = [job for job in flow["jobs"].values() if any(".ci/run" in step.get("run", "").split() for step in job["steps"])]
    if len(tests) != 1 or images(tests[0]) != ["debian:12"] or tests[0].get("continue-on-error") or "if" in tests[0]:
        yield f"{name}: no job on Debian 12 that has to succeed calls .ci/run"
    elif not any(step.get("run", "").strip() == "scripts/install-deps.sh" for step in tests[0]["steps"]):
        yield f"{name}: the job that calls .ci/run does not install all packages"


CI = FOLDER + "/ci.yml"
# Mistakes that are found: a file, an expression, what replaces it.
MISTAKES = (
    (CI, r"run: \.ci/run", "run: .ci/runs"), (CI, r"run: \.ci/run", "run: scripts/test.sh --quick"), (CI, r"install-deps\.sh --demo", "install-deps.sh --sample"),
    (CI, "--preset release", "--preset fast"), (CI, "-DHSCHED_BUILD_TESTS", "-DHSCHED_TESTS"), (CI, "--build build", "--build out"), (CI, " dpkg-dev file", ""),
    (CI, "runs-on", "run-on"), (CI, "restore-keys", "restore-key"), (CI, "fail-fast", "failfast"), (CI, r"container: \$\{\{ matrix.image", "container: ${{ matrix.images"),
    (CI, r"github\.run_id", "github.run"), (CI, r"if: failure\(\)", "if: failed()"), (CI, "image == 'ubuntu:22.04'", "image == 'ubuntu:20.04'"),
    (CI, r"^      - uses: actions/checkout@v4\n", ""), (CI, "checkout@v4", "checkout@4"), (CI, r"cd packaging/meson &&", "cd packaging &&"),
    (CI, r"annotated\.cpp", "annotate.cpp"), (CI, r"bin/hsched-cc", "bin/hsched-cxx"), (CI, r"packages/\*\.deb", "package/*.deb"),
    (CI, r"cd build && cpack", "cd build && { cpack"), (CI, '"debian:13", ', ""), (CI, '"fedora:43"', '"fedora:43", "alpine:3.20"'), (CI, "fedora:43", "fedora:41"),
    (CI, " tar gzip", ""), (CI, r"apt\.kitware\.com/ubuntu jammy", "none"), (CI, r"HSCHED_CXX=g\+\+-12", ""), (CI, "/usr/lib64/llvm19", "/usr"),
    (CI, r"^  pull_request:\n", ""), (CI, "contents: read", "contents: write"), (CI, r"apt-get update && ", ""), (CI, "    timeout-minutes: 60", "    timeout-minutes: 60\n    timeout-minutes: 60"),
    ("scripts/install-deps.sh", "24.04, Fedora and openSUSE", "24.04, Fedora, Arch and openSUSE"), ("scripts/install-deps.sh", r"^suse\)", "other)"),
    ("CMakePresets.json", '"name": "release",\n      "displayName', '"name": "fast",\n      "displayName'), ("cmake/HschedPackage.cmake", "/packages\\)", "/debs)"),
)


def of_all(tree):
    for path in sorted((tree.root / FOLDER).iterdir()):
        yield from problems(tree, f"{FOLDER}/{path.name}")


if __name__ == "__main__":
    check("workflow", of_all, MISTAKES)

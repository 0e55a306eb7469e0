#!/usr/bin/env python3
"""Checks that no compiler makes: licence lines, file lengths, what the library must not call, documented variables.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check-sources.py [--root DIR] licence|length|calls|lookups|variables|self-test
Prints one line for each violation, file first; exit code 1 if there is any.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
LICENSED = {".h", ".hpp", ".cpp", ".c", ".cl", ".py", ".sh", ".cmake", ".in", ".inc"}
LICENSED_NAMES = {"CMakeLists.txt", "run"}
MOST_LINES = 600

# The library reports through status and base/Log.h; it does not end the program or write to its streams.
FORBIDDEN = re.compile(
    r"(?<![\w.>:])(?:std\s*::\s*|::\s*)?(exit|_exit|_Exit|quick_exit|abort|terminate|printf|puts|putchar|perror)\s*\("
    r"|std\s*::\s*(cout|cerr|clog)\b"
    r"|(?<![\w.>:])(?:std\s*::\s*)?v?fprintf\s*\(\s*(stdout|stderr)"
)
# Checked runs end a program that would have ended with code 0, as sanitizers do.
MAY_PRINT = {"runtime/base/Log.cpp", "runtime/check/Report.cpp"}

# The calling thread's state is looked up only where a thread enters the engine. From there inward it is a parameter.
# File -> number of look-ups.
LOOKUP = re.compile(r"\b(threadState\s*\(\)|CurrentThread\b)")
LOOKUPS = {
    "runtime/api/Abi.cpp": 13,
    "runtime/api/AbiData.cpp": 2,
    "runtime/api/AbiEngine.cpp": 8,
    "runtime/api/Checked.cpp": 1,  # As the program's thread.
    "runtime/api/Runtime.cpp": 2,  # Exit handlers.
    "runtime/api/RuntimeDevices.cpp": 2,  # Threads that bring devices.
    "runtime/exec/ArrivingDevices.cpp": 1,  # The thread that builds kernels.
    "runtime/exec/Lending.cpp": 2,  # Workers' threads, and substitutes.
    "runtime/exec/OwnQueues.cpp": 1,  # A thread's end.
    "runtime/exec/ThreadState.cpp": 2,  # The definition; a thread's end.
    "runtime/exec/ThreadState.h": 3,  # The declaration, and the look-up itself.
}

VARIABLE = re.compile(r'(?:getenv|GetEnv|env[A-Z]\w*)\s*\(\s*"(HSCHED_[A-Z0-9_]+)"')
# A row of the manual's tables. runtime/base/CMakeLists.txt makes the list of known names of the same rows.
DOCUMENTED = re.compile(r"^\| `(HSCHED_[A-Z0-9_]+)` \|", re.M)
# Names that are not settings and give no warning: arrays of beginnings and of names.
ELSEWHERE = re.compile(r"Known(Beginnings|Elsewhere)\[\] = \{([^}]*)\}")
# Options of the build.
OPTION = re.compile(r"^(?:option|set)\((HSCHED_[A-Z0-9_]+) .*", re.M)
# Variables that tests set: ENVIRONMENT in CMake, setenv() in C++, run(..., NAME="value") in Python.
SET_BY_TESTS = {".txt": re.compile(r'(?<!-D)\b(HSCHED_[A-Z0-9_]+)=(?!")'), ".cpp": re.compile(r'\bsetenv\("(HSCHED_[A-Z0-9_]+)"'),
                ".h": re.compile(r'\bsetenv\("(HSCHED_[A-Z0-9_]+)"'), ".py": re.compile(r'[(\s"](HSCHED_[A-Z0-9_]+)(?:"?:|=)')}
# Tests set these names to get a warning.
MISSPELT = {"HSCHED_CHECK_REPORT", "HSCHED_DEVICE", "HSCHED_OPENCL_ATUO", "HSCHED_SCHD", "HSCHED_THREADS"}


def files(root):
    """The project's files: git's where there is a repository, else all outside build folders."""
    try:
        out = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode()
        names = [n for n in out.split("\0") if n]
    except (OSError, subprocess.CalledProcessError):
        names = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
    return [pathlib.PurePosixPath(n) for n in sorted(set(names))
            if not n.startswith(("build", ".git/")) and (root / n).is_file()]


def text(root, path):
    return (root / path).read_text(errors="replace")


def without_comments(code):
    """The code with comments and the insides of strings blanked, line structure kept."""
    def blank(match):
        word = match.group(0)
        return re.sub(r"[^\n]", " ", word) if word[0] == "/" else '""'
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, code, flags=re.S)


def check_licence(root):
    for path in files(root):
        if path.suffix in LICENSED or path.name in LICENSED_NAMES:
            head = "\n".join(text(root, path).splitlines()[:12])
            if SPDX not in head:
                yield f"{path}:1: no line '{SPDX}' near the top"


def check_length(root):
    for path in files(root):
        if path.suffix in {".h", ".cpp", ".c", ".py"}:
            lines = len(text(root, path).splitlines())
            if lines > MOST_LINES:
                yield f"{path}:{lines}: longer than {MOST_LINES} lines: split it"


def check_calls(root):
    for path in files(root):
        name = path.as_posix()
        if name.startswith("runtime/") and path.suffix in {".h", ".cpp"} and name not in MAY_PRINT:
            for number, line in enumerate(without_comments(text(root, path)).splitlines(), 1):
                match = FORBIDDEN.search(line)
                if match:
                    yield f"{name}:{number}: the library does not call {match.group(0).strip()}...: see base/Log.h"


def check_lookups(root):
    for path in files(root):
        name = path.as_posix()
        if name.startswith("runtime/") and path.suffix in {".h", ".cpp"}:
            lines = without_comments(text(root, path)).splitlines()
            found = [number for number, line in enumerate(lines, 1) for _ in LOOKUP.findall(line)]
            if len(found) != LOOKUPS.get(name, 0):
                known = LOOKUPS.get(name, 0)
                todo = "take it as a parameter" if len(found) > known else f"lower LOOKUPS to {len(found)}"
                yield (f"{name}:{max(found, default=1)}: the thread's state is looked up {len(found)} times, and "
                       f"{known} are known (LOOKUPS): {todo}")


def check_variables(root):
    manual = "docs/runtime.md"
    documented = set(DOCUMENTED.findall(text(root, manual))) if (root / manual).exists() else set()
    used = {}
    for path in files(root):
        name = path.as_posix()
        if name.startswith(("runtime/", "compiler/")) and path.suffix in {".h", ".cpp"}:
            for number, line in enumerate(text(root, path).splitlines(), 1):
                for variable in VARIABLE.findall(line):
                    used.setdefault(variable, f"{name}:{number}")
    for variable in sorted(set(used) - documented):
        yield f"{used[variable]}: {variable} has no row in {manual}"
    for variable in sorted(documented - set(used)):
        yield f"{manual}:1: {variable} is read nowhere"

    # The runtime warns about all other names: neither tests nor the build must use one.
    names, known = "runtime/base/SettingNames.cpp", documented | MISSPELT
    arrays = dict(ELSEWHERE.findall(text(root, names))) if (root / names).exists() else {}
    arrays = {kind: tuple("HSCHED_" + name for name in re.findall(r'"(\w+)"', rest)) for kind, rest in arrays.items()}
    known |= set(arrays.get("Elsewhere", ()))
    for path in files(root):
        name, pattern = path.as_posix(), SET_BY_TESTS.get(path.suffix)
        if name == "CMakeLists.txt":
            pattern = OPTION
        elif not name.startswith(("test/", "samples/", "bench/")) or not pattern:
            continue
        for number, line in enumerate(text(root, path).splitlines(), 1):
            for variable in pattern.findall(line):
                if variable not in known and not variable.startswith(arrays.get("Beginnings", ())):
                    yield f"{name}:{number}: hsched warns about {variable}, which is in neither array of {names}"


def check_policies(root):
    """Each policy is one file that registers itself."""
    for path in files(root):
        if path.as_posix().startswith("runtime/sched/policies/") and path.suffix == ".cpp":
            found = len(re.findall(r"^HSCHED_POLICY\(|\bPolicyRegistration\b", text(root, path), re.M))
            if found != 1:
                yield f"{path}:1: {found} policies are registered here: each policy has a file of its own"


CHECKS = {"licence": check_licence, "length": check_length, "calls": check_calls, "lookups": check_lookups,
          "variables": check_variables, "policies": check_policies}


def self_test():
    """Every check finds what is planted, and nothing in a correct tree."""
    good = {
        "runtime/base/A.cpp": f'// {SPDX}\n// exit(1) in words\nauto a = envString("HSCHED_A"); // abort()\nx.exit(); log("%s", "exit(1)");\n',
        "docs/runtime.md": "| `HSCHED_A` | a variable |\n",
        "runtime/base/SettingNames.cpp": f'// {SPDX}\nKnownBeginnings[] = {{"TEST_"}};\nKnownElsewhere[] = {{"PCH", "UNITY"}};\n',
        "CMakeLists.txt": f'# {SPDX}\noption(HSCHED_PCH "x" ON)\n',
        "test/CMakeLists.txt": f'# {SPDX}\nset(ENVIRONMENT HSCHED_TEST_SEED=1 HSCHED_A=2 -DHSCHED_B=1 HSCHED_C="c")\n',
    }
    planted = [
        ("licence", "runtime/base/B.h", "// nothing\n"),
        ("length", "runtime/base/B.h", f"// {SPDX}\n" + "\n" * MOST_LINES),
        ("calls", "runtime/base/B.h", f"// {SPDX}\nvoid f() {{ std::abort(); }}\n"),
        ("lookups", "runtime/exec/B.h", f"// {SPDX}\nvoid f() {{ threadState().Next = nullptr; }}\n"),
        ("policies", "runtime/sched/policies/B.cpp", f'// {SPDX}\nHSCHED_POLICY(B, "b", "x");\nHSCHED_POLICY(C, "c", "x");\n'),
        ("variables", "runtime/base/B.h", f'// {SPDX}\nauto b = envString("HSCHED_B");\n'),
        ("variables", "docs/runtime.md", "| `HSCHED_A` | a |\n| `HSCHED_B` | b |\n"),
        ("variables", "test/CMakeLists.txt", f"# {SPDX}\nset(ENVIRONMENT HSCHED_B=1)\n"),
        ("variables", "test/unit/B.cpp", f'// {SPDX}\nvoid f() {{ setenv("HSCHED_B", "1", 1); }}\n'),
        ("variables", "test/run/b.py", f'# {SPDX}\nrun(a, HSCHED_B="1")\n'),
        ("variables", "CMakeLists.txt", f'# {SPDX}\noption(HSCHED_B "x" ON)\n'),
    ]
    ok = True
    for name, path, content in planted:
        for plant in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                for file, body in {**good, **({path: content} if plant else {})}.items():
                    (root / file).parent.mkdir(parents=True, exist_ok=True)
                    (root / file).write_text(body)
                found = list(CHECKS[name](root))
                if bool(found) != plant:
                    print(f"self-test: {name}: {'missed what was planted' if plant else found}")
                    ok = False
    return ok


def main():
    parser = argparse.ArgumentParser(description="Checks that no compiler makes.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("check", choices=[*CHECKS, "self-test"])
    options = parser.parse_args()
    if options.check == "self-test":
        return 0 if self_test() else 1
    found = list(CHECKS[options.check](options.root))
    print("\n".join(found) if found else f"{options.check}: in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

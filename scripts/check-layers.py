#!/usr/bin/env python3
"""Checks that every #include respects the layers of docs/architecture.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check-layers.py [--root DIR] [--self-test]
Prints one line for each violation, file:line first; exit code 1 if there is any.
"""
import argparse
import pathlib
import re
import sys
import tempfile

L1 = {"device", "trace", "graph"}
L2 = {"data", "perfmodel"}

# Folder under runtime/ -> folders there that it may include beside itself.
RUNTIME = {
    "base": set(),
    "device": {"base"},
    "trace": {"base"},
    "graph": {"base"},
    "data": {"base"} | L1,
    "perfmodel": {"base"} | L1,
    "sched": {"base"} | L1 | L2,
    "exec": {"base", "sched"} | L1 | L2,
    "virtual": {"base", "sched"} | L1 | L2,
    "api": {"base", "sched", "exec", "virtual"} | L1 | L2,
    "dag": {"base"},  # Over the engine's public API.
    "backends": {"base", "device", "trace"},
    # Vendors' libraries, its own graph of commands; its memory objects are data, it tells the engine's observers.
    "icd": {"base", "device", "graph", "trace", "data", "api"},
    "check": {"base"},  # A library of its own, beside libhsched.so.
}

# The same under compiler/.
COMPILER = {
    "model": set(),
    "parse": {"model"},
    "analysis": {"model"},
    "emit": {"model"},
    "rewrite": {"model", "parse", "analysis", "emit"},
    "driver": {"model", "parse", "analysis", "emit", "rewrite"},
    "kinfo": {"model", "analysis", "emit", "driver"},
    "port": {"parse"},
}

# Folders of runtime/ that programs under tools/ may include. They also include their own folder and tools/common.
# tools/common includes none of these programs.
TOOLS = {"base", "device", "data", "perfmodel", "sched", "trace", "virtual", "dag"}

# Headers of include/hsched that a half, or a folder of it, may include. Not listed: all.
INSTALLED = {"compiler": {"abi.h"}, "runtime/base": {"status.h", "abi.h"}}

# Other projects' headers, by prefix -> the folders that may include them; nothing else may.
FOREIGN = {
    "CL/": ["runtime/backends/opencl", "runtime/icd", "include/CL"],
    "hwloc": ["runtime/device"],
    "boost/": ["runtime/trace"],
    "clang/": ["compiler"],
    "llvm/": ["compiler"],
    "llvm-c/": [],
    "nlohmann/": ["tools", "runtime/base", "runtime/perfmodel", "runtime/trace", "runtime/virtual", "runtime/dag", "runtime/icd", "runtime/check",
                  "compiler/emit"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SOURCES = {".h", ".hpp", ".cpp", ".c", ".inc"}


def folder_of(path):
    """The layer's name and the table that it is in, or (None, None)."""
    parts = path.parts
    if parts[0] == "runtime" and len(parts) > 2:
        return parts[1], RUNTIME
    if parts[0] == "compiler" and len(parts) > 2:
        return parts[1], COMPILER
    return None, None


def violation(root, path, quoted, angled):
    """Why the include in `path` (relative to root) is wrong, or None."""
    half = path.parts[0]
    name = quoted or angled
    inside = half in ("runtime", "compiler", "tools")

    if name.startswith("hsched/"):
        header = name[len("hsched/"):]
        for where, allowed in INSTALLED.items():
            if path.as_posix().startswith(where + "/") and header not in allowed:
                return f"{where}/ may include of hsched/ only {', '.join(sorted(allowed))}"
        return None

    for prefix, allowed in FOREIGN.items():
        if name.startswith(prefix) and inside:
            if not any(path.as_posix().startswith(where + "/") for where in allowed):
                return f"only {', '.join(allowed) or 'nobody'} may include {prefix}..."
            return None

    if half == "include":
        return "installed headers include the standard library and each other only" if quoted else None
    if half == "samples":
        target = (root / path.parent / name).resolve() if quoted else None
        if target and not target.is_relative_to((root / "samples").resolve()):
            return "samples include hsched's installed headers only"
        return None
    if half == "tools" and quoted:
        target = pathlib.PurePosixPath(name).parts[0]
        own = target in (path.parts[1], "common") or (root / path.parent / name).exists() and target != ".."
        return None if own or target in TOOLS else f"tools may include of runtime/ only {', '.join(sorted(TOOLS))}"
    if not quoted or not inside:
        return None

    folder, table = folder_of(path)
    if folder is None:
        return None
    if folder not in table:
        return f"folder {half}/{folder} has no row in the table of check-layers.py"
    here = (root / path.parent / name).resolve()
    if here.exists():
        base = (root / half).resolve()
        if not here.is_relative_to(base):
            return f"{half}/ includes nothing outside itself and include/"
        target = here.relative_to(base).parts
    else:
        target = pathlib.PurePosixPath(name).parts
    if target[0] == ".." or target[0] not in table:
        return f"'{name}' is in no folder of {half}/"
    if target[0] == folder:
        if folder == "backends" and here.exists() and target[1] != path.parts[2]:
            return "backends do not include each other"
        return None
    if target[0] not in table[folder]:
        return f"{half}/{folder} may not include {half}/{target[0]}"
    return None


def check(root):
    found = []
    for top in ("include", "runtime", "compiler", "tools", "samples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SOURCES or not file.is_file():
                continue
            path = file.relative_to(root)
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    why = violation(root, path, *match.groups())
                    if why:
                        found.append(f"{path}:{number}: {line.strip()}: {why}")
    return found


def self_test():
    """Plants violations beside correct includes in a small tree; every violation must be found and nothing else."""
    tree = {
        "include/hsched/abi.h": ["#include <stddef.h>"],
        "include/hsched/bad.h": ['#include "base/Log.h" // wrong'],
        "runtime/base/Log.h": ["#include <hsched/status.h>", "#include <hsched/hsched.h> // wrong"],
        "runtime/device/Device.h": ['#include "base/Log.h"', '#include "graph/Task.h" // wrong'],
        "runtime/graph/Task.h": ['#include "base/Log.h"', '#include "../data/Data.h" // wrong'],
        "runtime/data/Data.h": ['#include "graph/Task.h"', '#include "perfmodel/History.h" // wrong'],
        "runtime/perfmodel/History.h": ["#include <nlohmann/json.hpp>", "#include <hwloc.h> // wrong"],
        "runtime/sched/Policy.h": ['#include "data/Data.h"', '#include "exec/Executor.h" // wrong'],
        "runtime/exec/Executor.h": ['#include "sched/Policy.h"', '#include "api/Runtime.h" // wrong'],
        "runtime/api/Runtime.h": ['#include "exec/Executor.h"', '#include "backends/sim/Sim.h" // wrong'],
        "runtime/backends/sim/Sim.h": ['#include "device/Device.h"', '#include "graph/Task.h" // wrong'],
        "runtime/backends/opencl/Cl.h": ["#include <CL/opencl.hpp>", '#include "../sim/Sim.h" // wrong'],
        "runtime/dag/Run.h": ["#include <hsched/engine.h>", '#include "base/Log.h"', "#include <nlohmann/json.hpp>",
                              '#include "api/Runtime.h" // wrong'],
        "runtime/novel/New.h": ['#include "base/Log.h" // wrong: no such layer'],
        "compiler/model/Model.h": ["#include <hsched/abi.h>", '#include "parse/Parse.h" // wrong'],
        "compiler/parse/Parse.h": ['#include "model/Model.h"', "#include <clang/AST/AST.h>"],
        "compiler/driver/Main.cpp": ['#include "parse/Parse.h"', '#include "../../runtime/base/Log.h" // wrong',
                                     '#include "generated/../../runtime/base/Log.h" // wrong'],
        "tools/x/X.cpp": ['#include "x/X.h"', '#include "base/Log.h"', "#include <nlohmann/json.hpp>",
                          '#include "exec/Executor.h" // wrong', '#include "../../runtime/api/Runtime.h" // wrong',
                          "#include <hwloc.h> // wrong"],
        "samples/x/x.cpp": ["#include <hsched/hsched.h>", '#include "../../runtime/base/Log.h" // wrong'],
    }
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        expected = set()
        for path, lines in tree.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(lines) + "\n")
            expected |= {f"{path}:{n}" for n, line in enumerate(lines, 1) if "// wrong" in line}
        found = {":".join(line.split(":")[:2]) for line in check(root)}
    for missed in sorted(expected - found):
        print(f"self-test: not found: {missed}")
    for extra in sorted(found - expected):
        print(f"self-test: wrongly found: {extra}")
    return expected == found


def main():
    parser = argparse.ArgumentParser(description="Checks the layers.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return 0 if self_test() else 1
    found = check(options.root)
    print("\n".join(found) if found else "layers: in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The example for Bazel, without Bazel: its files are run with stand-ins for Bazel's rules, and the commands as Bazel runs them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: bazel.py EXAMPLE BUILD CXX
  EXAMPLE  the folder of the example
  BUILD    a build tree, which has an installation's shape
Each action sees only the files that its rule names, as links in a folder of its own. So does the program see the library.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SYSTEM = {"PATH": "/bin:/usr/bin:/usr/local/bin"}  # What Bazel gives an action.


def fail(text):
    sys.exit(f"bazel: {text}")


class Rules(dict):
    """The rules that a file of Bazel's calls: by name, their attributes."""

    def __init__(self, path, root, *kinds):
        super().__init__()
        self.exported = []
        names = {kind: self.rule(kind) for kind in kinds}
        names["glob"] = lambda patterns: [p.relative_to(root).as_posix() for pattern in patterns for p in sorted(root.glob(pattern))]
        names["package"], names["exports_files"] = lambda **_: None, self.exported.extend
        exec(compile(path.read_text(), str(path), "exec"), names)

    def rule(self, kind):
        def called(name, **attributes):
            self[name] = {"kind": kind, **attributes}
        return called


def link(target, place):
    if not target.exists():
        fail(f"{target} does not exist")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target.absolute())


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, shell=isinstance(command, str),
                          env={**SYSTEM, "HSCHED_CACHE": str(folder / "cache"), **environment})
    return done.returncode, done.stdout, done.stderr


def act(folder, rule, example, prefix, exported):
    """Runs a genrule's command in a folder with what it names."""
    places = {}
    for source in rule["srcs"]:
        link(example / source, folder / source)
        places[source] = source
    for tool in rule["tools"]:
        repository, name = re.fullmatch(r"@(\w+)//:(.*)", tool).groups()
        if repository != "hsched" or name not in exported:
            fail(f"hsched.BUILD does not export {tool}")
        places[tool] = f"external/{repository}/{name}"
        link(prefix / name, folder / places[tool])
    output, = rule["outs"]
    (folder / "out").mkdir()
    command = re.sub(r"\$\(execpath ([^)]*)\)", lambda m: places.get(m[1]) or fail(f"genrule: {m[1]} is no source and no tool"), rule["cmd"])
    code, _, errors = run(command.replace("$@", "out/" + output), folder)
    if code or errors or not (folder / "out" / output).exists():
        fail(f"'{command}' fails: {errors}")
    return folder / "out" / output


def main():
    example, prefix, cxx = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute(), sys.argv[3]
    repository = Rules(example / "WORKSPACE", example, "workspace", "new_local_repository")["hsched"]
    if repository["path"] != "/usr" or repository["build_file"] != "//:hsched.BUILD":
        fail(f"WORKSPACE: {repository}")
    outside = Rules(example / "hsched.BUILD", prefix, "cc_library")
    library = outside["hsched"]
    rules = Rules(example / "BUILD", example, "genrule", "cc_binary")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "action").mkdir()
        program = rules["annotated"]
        if program["deps"] != ["@hsched"]:
            fail(f"BUILD: deps of the program are {program['deps']}")
        made = {r["outs"][0]: act(folder / "action", r, example, prefix, outside.exported) for r in rules.values() if r["kind"] == "genrule"}
        for header in library["hdrs"]:
            link(prefix / header, folder / "external/hsched" / header)
        shared, = library["srcs"]
        link(prefix / shared, folder / "solib" / pathlib.Path(shared).name)
        command = [cxx, *program["copts"], *(f"-isystemexternal/hsched/{i}" for i in library["includes"]), *(str(made.get(s, example / s)) for s in program["srcs"]),
                   "solib/" + pathlib.Path(shared).name, "-Wl,-rpath,$ORIGIN/solib", "-o", "annotated"]
        code, _, errors = run(command, folder, PATH=os.environ["PATH"])
        if code:
            fail(f"{' '.join(command)}: {errors}")
        code, output, errors = run(["./annotated"], folder, HSCHED_OPENCL="0", HSCHED_STATS="1")
        if code or output != "correct\n" or " 12 tasks ran" not in errors:
            fail(f"on cores: {output}{errors}")
        # The link to the library leads to the backend. A machine may have no device.
        code, output, errors = run(["./annotated"], folder, HSCHED_OPENCL="all", HSCHED_VERSIONS="scale:scale_cl")
        if "no libhsched-backend" in errors or "no OpenCL device" not in errors and (code or output != "correct\n"):
            fail(f"on a device: {output}{errors}")
    print("bazel: in order")


if __name__ == "__main__":
    main()

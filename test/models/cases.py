#!/usr/bin/env python3
"""What hsched-model prints, changes and refuses.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py HSCHED-MODEL
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

TOOL = sys.argv[1]


def entry(task, version, size, runs, recent, device="opencl: GPU", **more):
    return dict(task="_Z" + task, task_name=task, version="_Z" + version, version_name=version, code="c0de",
                device=device, bytes=size, runs=runs, recent_ns=recent, **more)


def write(path, *entries):
    path.write_text(json.dumps({"hsched_models": 1, "entries": entries}))


def read(path):
    return json.loads(path.read_text())["entries"]


def run(*words, code=0, **env):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "HSCHED_MODELS": "", "HSCHED_CACHE": "0", **env})
    assert done.returncode == code, (words, done)
    if code:
        assert done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("hsched-model: error: "), done
    else:
        assert done.stderr == "", done
    return done.stdout or done.stderr


def main(folder):
    times = folder / "times.json"
    power = [entry("gemm", "gemm_cl", size, 10, [size ** 1.5] * 3) for size in (10000, 40000, 160000)]
    write(times, *power, entry("n::f", "n::f", 2048, 5, [1500, 2500, 1e6], device="cpu: X"))

    lines = [line.split() for line in run("--file", times, "list").splitlines()]
    assert lines == [["task", "versions", "devices", "sizes", "runs"], ["gemm", "1", "1", "3", "30"],
                     ["n::f", "1", "1", "1", "5"]], lines
    shown = run("--file", times, "show")
    assert "n::f 2 KiB n::f cpu: X 5 2.5 us 1.5 us 1 ms" in " ".join(shown.split()), shown
    assert "gemm as gemm_cl on opencl: GPU: time grows with the size to the power of 1.50, within 0 %" in shown, shown
    assert "gemm" not in run("--file", times, "show", "n::f") and "n::f" in run("--file", times, "show", "n::f:n::f")
    assert run(f"--file={times}", "show", "_Zgemm") == run("--file", times, "show", "gemm:_Zgemm_cl")
    assert run("list", HSCHED_MODELS=str(times)) == run("--file", times, "list")
    (folder / "models.json").write_text(times.read_text())
    assert run("list", HSCHED_CACHE=str(folder)) == run("--file", times, "list")

    assert json.loads(run("--file", times, "--json", "show", "gemm"))["entries"] == [
        dict(e, recent_ns=[float(ns) for ns in e["recent_ns"]]) for e in power], "JSON is the file's"

    run("--file", times, "plot", "gemm", folder / "out.svg")
    picture = xml.etree.ElementTree.parse(folder / "out.svg").getroot()
    tag = "{http://www.w3.org/2000/svg}"
    assert len(picture.findall(tag + "circle")) == 3, "three sizes are three points"
    assert [p for p in picture.findall(tag + "path") if p.get("stroke-dasharray")], "the fitted line is missing"
    assert "cannot write" in run("--file", times, "plot", "gemm", folder / "no/out.svg", code=1)

    later = folder / "later.json"
    write(later, entry("gemm", "gemm_cl", 10000, 10, [2e6] * 3), entry("gemm", "gemm_cl", 40000, 10, [40000 ** 1.5] * 2),
          entry("new", "new", 8, 1, [5]))
    lines = [line.split() for line in run("diff", times, later).splitlines()[1:]]
    assert [(line[0], line[-3:]) for line in lines] == [
        ("gemm", ["ms", "2", "x"]), ("gemm", ["ms", "-", "-"]), ("n::f", ["us", "-", "-"]), ("new", ["5", "ns", "-"])], lines

    both = folder / "both.json"
    assert run("merge", both, times, later) == f"added 7 entries to {both}\n"
    assert {(e["task_name"], e["bytes"]): e["runs"] for e in read(both)} == {
        ("gemm", 10000): 20, ("gemm", 40000): 20, ("gemm", 160000): 10, ("n::f", 2048): 5, ("new", 8): 1}
    run("--file", both, "import", later)
    assert [e["runs"] for e in read(both) if e["task_name"] == "new"] == [2]
    assert run("--file", both, "export", folder / "part.json", "n::f") == f"wrote 1 entry to {folder / 'part.json'}\n"
    assert [e["task"] for e in read(folder / "part.json")] == ["_Zn::f"]
    assert "is there already" in run("--file", both, "export", folder / "part.json", code=1)
    assert run("--file", both, "drop", "gemm:gemm_cl") == "dropped 3 entries\n"
    assert sorted(e["task_name"] for e in read(both)) == ["n::f", "new"]

    # Invalid input changes nothing and is reported in one line.
    before = both.read_text()
    assert "no entry is of 'gemm'; there is: n::f, new" in run("--file", both, "drop", "gemm", code=1)
    bad = folder / "bad.json"
    bad.write_text('{"hsched_models": 1, "entries": [{"task": "t"}]}')
    for words in (["import", bad], ["merge", both, times, bad], ["merge", bad, times]):
        said = run("--file", both, *words, code=1)
        assert "bad.json: entries[0] needs" in said, said
    assert both.read_text() == before and bad.read_text().count("task") == 1
    assert "No such file" in run("--file", folder / "none.json", "list", code=1)
    for words, said in ((["paint"], "unknown command 'paint'"), ([], "which command?"), (["--new"], "unknown option '--new'"),
                        (["--json", "list"], "'list' knows no --json"),
                        (["list", "x"], "'list' takes 0 arguments"), (["diff", "x"], "'diff' takes 2 arguments"),
                        (["merge", "x"], "'merge' takes 2 or more arguments"), (["export"], "'export' takes 1 to 2 arguments"),
                        (["--file"], "'--file' needs a file"), (["list"], "name a file with --file")):
        assert said in run(*words, code=2), (words, said)
    assert "has no version: write TASK or TASK:VERSION" in run("--file", both, "drop", "new:", code=1) and both.read_text() == before
    assert "has no task: write" in run("--file", both, "drop", ":new", code=1) and both.read_text() == before
    empty = folder / "empty.json"
    write(empty)
    assert run("--file", empty, "export", folder / "o.json", code=1).endswith("the file has no entries\n")
    # A number has at most four digits before its unit.
    write(empty, entry("f", "f", 1023 * 1024, 1, [999.9e3]), entry("f", "f", 1024 * 1024 - 1, 1, [999.999e3]))
    shown = " ".join(run("--file", empty, "show").split())
    assert "f 1023 KiB f opencl: GPU 1 1 ms" in shown and "f 1 MiB f" in shown and "e+" not in shown, shown
    # A link stays one, and its lock is that of the file.
    link = folder / "link.json"
    link.symlink_to(both)
    runs = read(both)[0]["runs"]
    run("--file", link, "import", both)
    assert link.is_symlink() and read(both)[0]["runs"] == 2 * runs and not (folder / "link.json.lock").exists()
    # The number of runs has an upper limit.
    write(empty, entry("f", "f", 8, 2**64 - 1, [5]))
    run("--file", empty, "import", later)
    run("merge", empty, empty)
    assert [e["runs"] for e in read(empty) if e["task_name"] == "f"] == [2**64 - 1]
    assert run("--help").startswith("Usage: hsched-model") and run("--version").startswith("hsched-model ")


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))

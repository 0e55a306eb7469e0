#!/usr/bin/env python3
"""A program keeps its execution times: the second run learns nothing anew; hints stand in for the first.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: program.py SAXPY
  SAXPY  the sample of that name
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main(folder):
    times, why, hints = folder / "times.json", folder / "why.json", folder / "hints.json"

    def entries():
        return json.loads(times.read_text())["entries"]

    def run(**env):
        done = subprocess.run([sys.argv[1]], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "HSCHED_SCHED": "versioning-locality", "HSCHED_EXPLAIN": str(why),
                                   "HSCHED_OPENCL": "all", "HSCHED_OPENCL_COPY": "1", "HSCHED_DEVICES": "first", **env})
        assert done.returncode == 0 and "correct" in done.stdout, done
        return done

    def learnt(**env):
        done = run(**env)
        assert "warning" not in done.stderr, done.stderr
        return sum("HSCHED_LAMBDA" in choice["why"] for task in json.loads(why.read_text())["tasks"] for choice in task["choices"])

    first = learnt(HSCHED_MODELS=str(times))
    assert first >= 3, f"{first} choices to learn at first"
    before = entries()
    assert {e["version_name"] for e in before} == {"saxpy", "saxpy_cl"}, before
    assert len({e["device"] for e in before}) == 2, before
    again = learnt(HSCHED_MODELS=str(times))
    assert again == 0, f"{again} choices to learn in the second run"
    assert sum(e["runs"] for e in entries()) > sum(e["runs"] for e in before), "the second run adds nothing"

    hints.write_text(json.dumps({"hsched_models": 1, "entries": [
        {"task": e["task_name"], "version": e["version_name"], "bytes": e["bytes"], "expected_ns": 1000} for e in before]}))
    hinted = learnt(HSCHED_HINTS=str(hints))
    assert hinted == 0, f"{hinted} choices to learn with hints"

    times.write_text("no JSON")
    done = run(HSCHED_MODELS=str(times))
    assert "no JSON" in done.stderr and (folder / "times.json.damaged").exists() and entries(), done


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))

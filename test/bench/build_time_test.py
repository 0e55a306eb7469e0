#!/usr/bin/env python3
"""bench/build_time.py reads a trace as Clang 19 writes it: headers nest and have a beginning and an end.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import build_time

EVENTS = [
    {"ph": "X", "name": "ExecuteCompiler", "ts": 0, "dur": 5000000},
    {"ph": "b", "name": "Source", "ts": 1100000, "args": {"detail": "inner.h"}},
    {"ph": "e", "name": "Source", "ts": 1600000},
    {"ph": "b", "name": "Source", "ts": 1000000, "args": {"detail": "outer.h"}},
    {"ph": "e", "name": "Source", "ts": 3000000},
]

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "a.dir").mkdir()
    (pathlib.Path(folder) / "a.dir" / "unit.cpp.json").write_text(json.dumps({"traceEvents": EVENTS}))
    units, headers = build_time.traces(folder)
assert units == [(5.0, "a.dir/unit.cpp")], units
assert dict(headers) == {"inner.h": [0.5, 1], "outer.h": [2.0, 1]}, headers
print("build_time: in order")

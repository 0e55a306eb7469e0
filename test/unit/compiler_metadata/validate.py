#!/usr/bin/env python3
"""Holds the metadata that a program prints against the schema, and holds the schema against spoiled copies of it.

usage: validate.py SCHEMA PROGRAM      exit status 77: jsonschema is not installed

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import copy
import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)


def drop(key):
    return lambda item: item.pop(key)


def put(key, value):
    return lambda item: item.__setitem__(key, value)


# What is done to which item: each must make the sample invalid.
SPOILS = [
    ("a missing list", [], drop("tasks")),
    ("another schema version", [], put("schema", 2)),
    ("an unknown key at the top", [], put("extra", 1)),
    ("no ABI minor", ["abi"], drop("minor")),
    ("a task without linker name", ["tasks", 0], drop("linkerName")),
    ("a line that is text", ["tasks", 0], put("line", "12")),
    ("an unknown role", ["tasks", 0, "accesses", 0], put("role", "read")),
    ("an access without bytes", ["tasks", 0, "accesses", 0], drop("bytes")),
    ("an unknown key in a parameter", ["tasks", 0, "params", 0], put("default", "1")),
    ("an unknown device", ["versions", 0, "device"], put("kind", "fpga")),
    ("a version that is both", ["versions", 0], put("kernel", 0)),
    ("a version that is neither", ["versions", 1], drop("kernel")),
    ("four dimensions", ["kernels", 0], put("workDimension", 4)),
    ("sizes as a list", ["kernels", 0], put("globalWorkSize", ["M", "N", "1"])),
    ("a buffer without size", ["kernels", 0, "inputBuffers", 0], drop("size")),
    ("a negative position", ["kernels", 0, "ioBuffers", 0], put("pos", -1)),
    ("an argument without value", ["kernels", 0, "varArguments", 0], drop("value")),
    ("an empty list of sections", ["taskwaits", 1], put("on", [])),
]


def main():
    schema_path, program = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failed = 0

    sample = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
    empty = json.loads(subprocess.run([program, "empty"], check=True, stdout=subprocess.PIPE).stdout)
    for name, unit in (("sample", sample), ("empty unit", empty)):
        for error in validator.iter_errors(unit):
            print(f"{name}: {list(error.path)}: {error.message}")
            failed += 1

    for name, path, spoil in SPOILS:
        unit = copy.deepcopy(sample)
        item = unit
        for step in path:
            item = item[step]
        spoil(item)
        if validator.is_valid(unit):
            print(f"accepted although it has {name}")
            failed += 1
    print(f"{len(SPOILS)} spoiled copies, {failed} failures")
    return 1 if failed else 0


sys.exit(main())

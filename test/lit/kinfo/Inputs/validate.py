#!/usr/bin/env python3
"""Holds what hsched-kinfo writes against its schema, and against itself.

usage: validate.py DOCS report|spec|specs < JSON      prints 'valid'; DOCS is the folder of the schemas

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import copy
import json
import math
import pathlib
import re
import sys

import jsonschema


def validator_of(schema, name):
    if name == "specs":
        item = {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/spec"}}
    else:
        item = {"$ref": f"#/definitions/{name}"}
    return jsonschema.Draft7Validator({**item, "definitions": schema["definitions"]} if "type" in item
                                      else {"allOf": [item], "definitions": schema["definitions"]})


def check_metadata(docs, schema):
    """A kernel in the metadata has the same fields."""
    metadata = json.loads((docs / "metadata.schema.json").read_text())
    theirs, ours = metadata["definitions"]["kernel"], schema["definitions"]["kernel"]
    for key in theirs["required"]:
        assert key in ours["required"], f"the report's kernels have no {key}"


def check_structure(structure, known):
    """Members lie inside, one behind the other, and have the bytes of their types."""
    end = 0
    for member in structure["members"]:
        assert structure["union"] or member["offset"] >= end, f"{structure['name']}: {member}"
        end = member["offset"] + member["bytes"]
        assert end <= structure["bytes"], f"{structure['name']}: {member}"
        if "structure" in member:
            assert member["bytes"] == known[member["structure"]]["bytes"] * math.prod(member.get("array", [])), member
            assert member["type"] == known[member["structure"]]["name"], member


def check_kernel(kernel):
    """Every argument stands in one list, at its own position."""
    places = [b["pos"] for key in ("inputBuffers", "outputBuffers", "ioBuffers", "varArguments") for b in kernel[key]]
    places += [b["pos"] for b in kernel.get("localArguments", [])]
    assert sorted(places) == list(range(len(places))), f"{kernel['name']}: positions {sorted(places)}"
    for structure in kernel.get("structures", []):
        check_structure(structure, kernel["structures"])
    if "arguments" in kernel:
        assert len(places) == len(kernel["arguments"]), kernel["name"]


def check_guidance(spec):
    """What expressions name is asked for, and nothing else."""
    texts = [spec["globalWorkSize"]] + [b["size"] for key in ("inputBuffers", "outputBuffers", "ioBuffers")
                                        for b in spec[key]]
    texts += [v["value"] for v in spec["varArguments"]] + [b["size"] for b in spec["localArguments"]]
    # Every symbol is written so that nothing else has its letters, and what a value is put in for is Python's to evaluate.
    named = set(re.findall(r"\$?[A-Za-z_]\w*\$?", " ".join(texts)))
    for text in texts:
        value = re.sub(r"\$[A-Za-z_]\w*\$", "7", text)
        assert re.fullmatch(r"[-+*/%0-9(),\[\] ]+", value) and "/" not in value.replace("//", ""), f"{spec['name']}: {text}"
        eval(value, {"__builtins__": {}})  # numbers and signs alone, as seen above
    assert spec["globalWorkSize"].count(",") + 1 == spec["workDimension"], spec["globalWorkSize"]
    asked = set(spec["guidance"]) - {"dev", "partition"}
    assert asked <= named, f"{spec['name']}: asked for without use: {asked - named}"
    assert "get_global_size" not in named, spec["name"]
    assert named <= asked, f"{spec['name']}: used and not asked for: {named - asked}"


def main():
    docs, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    schema = json.loads((docs / "kinfo.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    check_metadata(docs, schema)
    output = json.load(sys.stdin)
    validator = validator_of(schema, name)
    validator.validate(output)
    jsonschema.Draft7Validator(schema).validate(output)

    kernels = [k for f in output["files"] for k in f["kernels"]] if name == "report" else \
        output if name == "specs" else [output]
    for kernel in kernels:
        check_kernel(kernel)
        if name != "report":
            check_guidance(kernel)

    # The schema is strict: no field can go, and none can come.
    for kernel in kernels[:1]:
        for key in list(kernel):
            saved = copy.deepcopy(kernel[key])
            del kernel[key]
            optional = key in ("vecTypeHint", "subGroupSize", "holdsWhere", "structures")
            assert validator.is_valid(output) == optional, f"without {key}"
            kernel[key] = saved
        kernel["novel"] = 1
        assert not validator.is_valid(output), "with a field that nobody knows"
        del kernel["novel"]
    print("valid")


main()

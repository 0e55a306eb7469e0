"""What tests of hsched-run share: a folder of their own, the program, arrays as .npy without NumPy.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

OPTIONS = None
WORK = None
CODES = {"f": "<f4", "d": "<f8", "i": "<i4", "q": "<i8", "B": "|u1", "I": "<u4", "h": "<i2"}


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def run(*arguments, **settings):
    """hsched-run, on a CPU's OpenCL device that copies as a GPU does, unless settings say otherwise."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}
    check = ["--kinfo=" + OPTIONS.kinfo] if OPTIONS.kinfo else ["--no-check"]
    if any(a in ("--no-check", "--help", "--version") or str(a).startswith("--kinfo") for a in arguments):
        check = []
    return subprocess.run([OPTIONS.run, *check, *map(str, arguments)], capture_output=True, timeout=250, cwd=WORK,
                          encoding="utf-8", errors="replace",
                          env={**clean, "HSCHED_CACHE": str(WORK / "cache"), "HSCHED_OPENCL_COPY": "1", **settings})


def expect(truth, what, done=None):
    if not truth:
        said = f": exit code {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}" if done else ""
        raise Failure(what + said)


def succeeds(*arguments, **settings):
    done = run(*arguments, **settings)
    if "there is no OpenCL device" in done.stderr:
        raise Skip("no OpenCL device on this machine")
    expect(done.returncode == 0 and "hsched: warning" not in done.stderr, f"{arguments} fails", done)
    return done


def report(*arguments, **settings):
    """What a run says of itself."""
    succeeds("--quiet", "--report=report.json", *arguments, **settings)
    return json.loads((WORK / "report.json").read_text())


def two_devices():
    """Arguments for two devices that copy: the CPU's, in two parts."""
    done = run("--version")
    expect(done.returncode == 0, "--version", done)
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core: its device cannot be split")
    return ["--devices=cpu/2", "--map", "gpu=0", "--map", "cpu=1"]


def write(name, content):
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return name


def save(name, code, values, shape=None):
    data = array.array(code, values).tobytes()
    shape = f"({len(values)},)" if shape is None else str(tuple(shape))
    head = f"{{'descr': '{CODES[code]}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * ((64 - (10 + len(head) + 1) % 64) % 64) + "\n"
    (WORK / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)
    return name


def load(name):
    raw = (WORK / name).read_bytes()
    expect(raw[:8] == b"\x93NUMPY\x01\x00", f"{name} is not an .npy file")
    length = struct.unpack("<H", raw[8:10])[0]
    head = raw[10:10 + length].decode()
    expect((10 + length) % 64 == 0 and head.endswith("\n"), f"{name}: {head!r}")
    kind = re.search(r"'descr': '([^']*)'", head).group(1)
    code = next(c for c, k in CODES.items() if k == kind)
    values = array.array(code, raw[10 + length:])
    expect(re.search(r"'shape': \((\d+),", head) is not None, head)
    return list(values)


def moved(facts, device=None):
    """(to devices, back, between devices) in bytes"""
    rows = [t for t in facts["traffic"] if device is None or t["device"].endswith(device)]
    return tuple(sum(t[k] for t in rows) for k in ("input_bytes", "output_bytes", "device_bytes"))


def main(cases):
    """Runs the cases that the command line names."""
    global OPTIONS, WORK
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--run")
    parser.add_argument("--kinfo")
    parser.add_argument("--source")
    parser.add_argument("cases", nargs="*")
    OPTIONS = parser.parse_args()
    OPTIONS.run, OPTIONS.kinfo = (p and os.path.abspath(p) for p in (OPTIONS.run, OPTIONS.kinfo))
    if OPTIONS.list:
        print(";".join(cases))
        return 0
    for name in OPTIONS.cases or cases:
        with tempfile.TemporaryDirectory(prefix="hsched-run-", ignore_cleanup_errors=True) as folder: # A driver in this process may still write there.
            WORK = pathlib.Path(folder)
            try:
                cases[name]()
            except Skip as why:
                print(f"{name}: skipped: {why}")
                if OPTIONS.cases:
                    return 77
                continue
            except Failure as why:
                print(f"{name}: {why}")
                return 1
        print(f"{name}: in order")
    return 0

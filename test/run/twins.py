#!/usr/bin/env python3
"""The samples that exist three times, serial, with OpenMP and with hsched: all print the same, whatever the settings.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: twins.py --build FOLDER --work FOLDER SAMPLE
"""
import argparse
import os
import pathlib
import struct
import subprocess
import sys
import zlib

SMALL = {
    "heat": ["--size", "67", "--band", "9", "--steps", "21", "--every", "10", "--out", "{}"],
    "cg": ["--side", "40", "--block", "123", "--out", "{}.png"],
    "hydro": ["--side", "8", "--steps", "30", "--out", "{}.png"],
    "nbody": ["--bodies", "512", "--block", "64", "--steps", "3", "--out", "{}.png"],
    "pipeline": ["--frames", "13", "--size", "31", "--depth", "4", "--out", "{}.png"],
    "queens": ["--size", "8", "--depth", "3", "--out", "{}.png"],
    "mosaic": ["--size", "48", "--band", "7", "--rounds", "66", "--out", "{}.png"],
}
# nbody's picture depends on how a device rounds.
PICTURES = {"heat": ["10.png", "20.png"], "cg": [".png"], "hydro": [".png"], "nbody": [], "pipeline": [".png"], "queens": [".png"], "mosaic": [".png"]}
SETTINGS = [{}, {"HSCHED_OPENCL": "0", "HSCHED_NCPU": "1"}, {"HSCHED_OPENCL_COPY": "1", "HSCHED_SCHED": "eager"},
            {"HSCHED_OPENCL": "0", "HSCHED_NCPU": "4", "HSCHED_WINDOW": "8"}]


def png(path):
    """Width, height and pixels of a grey picture, every check sum compared."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG file"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        crc = struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        assert crc == zlib.crc32(kind + body), f"{path}: check sum of {kind}"
        chunks[kind] = body
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (width + 1) and b"IEND" in chunks, f"{path} is not whole"
    return width, height, rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("sample")
    options = parser.parse_args()
    name, folder = options.sample, options.build / "samples"
    if not (folder / name).exists():
        print(f"skipped: sample {name} is not part of this build")
        return 77
    options.work.mkdir(parents=True, exist_ok=True)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HSCHED_", "OMP_"))}

    def printed(program, arguments, **settings):
        done = subprocess.run([str(folder / program), *arguments], capture_output=True, text=True, timeout=120,
                              env={**clean, "HSCHED_CACHE": str(options.work / "cache"), **settings})
        if done.returncode != 0 or ": correct" not in done.stdout:
            sys.exit(f"{program} fails with {settings}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def run(program, **settings):
        prefix = str(options.work / program)
        out = printed(program, [a.format(prefix) for a in SMALL[name]], **settings)
        return out, [png(pathlib.Path(prefix + p)) for p in PICTURES[name]]

    readme = pathlib.Path(__file__).resolve().parents[2] / "samples" / name / "README.md"
    if printed(name + "-serial", []) not in readme.read_text():
        sys.exit(f"{readme} does not show what the program prints")
    serial = run(name + "-serial")
    twins = [(name, s) for s in SETTINGS]
    if (folder / (name + "-openmp")).exists():
        twins.append((name + "-openmp", {"OMP_NUM_THREADS": "2"}))
    for program, settings in twins:
        if run(program, **settings) != serial:
            sys.exit(f"{program} with {settings} differs from the serial program: {serial[0]}")
    print(serial[0], end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

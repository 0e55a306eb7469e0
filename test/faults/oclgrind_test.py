#!/usr/bin/env python3
"""A sample's kernels under Oclgrind, which watches every access: none outside a buffer, no races, right results.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: oclgrind_test.py OCLGRIND KERNEL PROGRAM [ARGUMENT ...]
KERNEL is the version that must have run, as HSCHED_STATS calls it, or several with commas between; "PNG" among the
arguments stands for an image.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib


def image(path, width=40, height=30):
    """An RGB image with some edges in it."""
    rows = b"".join(b"\0" + bytes((x * 7 + y * 5) % 256 if (x // 8 + y // 8) % 2 else c * 40
                                  for x in range(width) for c in range(3)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                  chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    oclgrind, kernel, program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        png = os.path.join(folder, "image.png")
        image(png)
        found = os.path.join(folder, "found")
        environment = dict(os.environ, HSCHED_STATS="1", HSCHED_CACHE="0", HSCHED_SCHED="versioning", HSCHED_NCPU="1",
                           HSCHED_OPENCL="all", HSCHED_DEVICES="first")
        ran = subprocess.run([oclgrind, "--data-races", "--log", found, program] +
                             [png if a == "PNG" else a for a in arguments],
                             env=environment, cwd=folder, capture_output=True, text=True, timeout=600)
        said = open(found).read() if os.path.exists(found) else ""
    text = ran.stdout + ran.stderr
    wrong = []
    if ran.returncode != 0:
        wrong.append(f"exit code {ran.returncode}")
    if said.strip():
        wrong.append("Oclgrind found:\n" + said)
    for each in kernel.split(","):
        if "Oclgrind Simulator" not in text or not re.search(rf"\b{re.escape(each)} +[1-9]", text):
            wrong.append(f"'{each}' did not run on Oclgrind's device")
    if wrong:
        print("\n".join(wrong), text, sep="\n")
        return 1
    print(f"{kernel}: clean")
    return 0


if __name__ == "__main__":
    sys.exit(main())

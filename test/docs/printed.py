#!/usr/bin/env python3
"""What a sample's README says that it prints is what it prints.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: printed.py ROOT BUILD
In samples/*/README.md a shell runs each line `    $ COMMAND`, without devices. The indented lines below it are its standard output; `...` stands for
anything in a line, and a line `...` for any lines. The folder has `build` and `samples`, and is the same for all commands of a page. Each folder of
samples has a README.md. If there is a program with OpenMP beside the sample, the page has a picture, a command with its output, and the command that
times the programs, which samples/compare.py knows. Exit code 77: no sample is built.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import snippets

SHOWN = re.compile(r"^    \$ (.*)\n((?:    (?!\$).*\n)*)", re.M)


def lacking(name, page, compare):
    """What the page of a sample with an OpenMP program lacks."""
    if not re.search(r"^!\[[^\]]+\]\([^)]+\.(?:png|svg)\)$", page, re.M):
        yield "no picture"
    if not any(f"build/samples/{name}" in command and output for command, output in SHOWN.findall(page)):
        yield "no command with its output"
    if f"`samples/compare.py {name}`" not in page or f'"{name}": [' not in compare:
        yield "no line on samples/compare.py, or that does not know it"


def main():
    whole = "![a](b.png)\n\n    $ build/samples/x\n    x: correct\n\n`samples/compare.py x`\n"
    if list(lacking("x", whole, '"x": []')) or len(list(lacking("x", whole.replace("    x", "x"), ""))) != 2 or len(list(lacking("x", "", ""))) != 3:
        sys.exit("self-test")
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    env = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}
    ran = bad = 0
    pages = sorted((root / "samples").glob("*/README.md"))
    for folder in sorted((root / "samples").iterdir()):
        if folder.is_dir() and folder.name not in ("common", "__pycache__") and not (folder / "README.md").exists():
            bad += 1
            print(f"samples/{folder.name} has no README.md")
    compare = (root / "samples" / "compare.py").read_text()
    for program in sorted((root / "samples").glob("*/*_openmp.cpp")):
        for what in lacking(program.parent.name, (program.parent / "README.md").read_text(), compare):
            bad += 1
            print(f"samples/{program.parent.name}/README.md: {what}")
    env["PATH"] = f"{build / 'bin'}:{env['PATH']}"
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            env.update(HSCHED_OPENCL="0", HSCHED_CACHE=folder, HSCHED_LOG="error")
            (pathlib.Path(folder) / "build").symlink_to(build)
            (pathlib.Path(folder) / "samples").symlink_to(root / "samples")
            for command, expected in SHOWN.findall(page.read_text()):
                absent = [w for w in re.findall(r"build/(?:samples|bin)/[\w-]+", command) if not (pathlib.Path(folder) / w).exists()]
                if absent:
                    print(f"{page.parent.name}: {absent[0]} is not built")
                    continue
                ran += 1
                done = subprocess.run(["sh", "-eu", "-c", command], capture_output=True, text=True, env=env, cwd=folder, timeout=300, check=False)
                expected = "".join(line[4:] + "\n" for line in expected.splitlines())
                if done.returncode != 0 or not snippets.matches(done.stdout, expected):
                    bad += 1
                    print(f"{page}: '{command}' prints:\n{done.stdout}{done.stderr}expected:\n{expected}")
    print(f"{ran} commands of {len(pages)} pages")
    sys.exit(1 if bad else 0 if ran else 77)


if __name__ == "__main__":
    main()

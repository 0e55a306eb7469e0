#!/usr/bin/env python3
"""Builds and runs the code blocks of a document, and compares what they print.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: snippets.py BUILD WORK DOCUMENT...
  BUILD  a build tree of hsched; in WORK it is found as `build`, its programs are in the path, and our scripts in `scripts`
  WORK   an empty or absent folder, which becomes the documents' current one; our samples are in `samples`

A comment in front of a block says what it is; it is not seen where the document is rendered:
  <!-- file: NAME -->     the block is written to NAME
  <!-- edit: NAME -->     the block is a unified diff, which is applied to NAME
  <!-- compile: NAME -->  the block is written to NAME, hsched-cc compiles it without a warning together with a `main` that calls it, and the
                          program returns 0. That main is test/docs/calls/DOCUMENT/NAME. A line `// Link ARGUMENTS.` in it is for the link;
                          for each line `// With VARIABLE=VALUE....` the program runs once more
  <!-- warned: NAME -->   the block is written to NAME, hsched-cc accepts it, and prints what the next `output` block says
  <!-- rejected: NAME --> the same, but hsched-cc fails
  <!-- run -->            a shell runs the block, which succeeds
  <!-- run with: COMMAND --> the same, if the program COMMAND is there, or if COMMAND succeeds; otherwise a line says that it is not, and the next
                          `output` block is skipped
  <!-- output -->         what the last block that was run printed; a line `...` stands for any lines, and `...` in a
                          line for anything there. Spaces count as one, since tables are as wide as their content
  <!-- not run: WHY -->   the block is left alone
Every block of C++, C, CMake or shell has such a comment; of several documents one is read behind the other.
Prints a line for each document; the exit code is 1 if anything fails.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

CHECKED = {"cpp", "c", "cmake", "sh", "diff", "python", "json"}
BLOCK = re.compile(r"^(?:<!-- (?P<what>[a-z ]+?)(?:: (?P<name>[^>]*?))? -->\n)?(?P<fence>```+)(?P<lang>[^\n`]*)\n"
                   r"(?P<text>.*?)^(?P=fence)[ \t]*$", re.M | re.S)


# What a block printed whose program is not installed.
ABSENT = object()


class Failure(Exception):
    pass


class Runner:
    def __init__(self, build, work):
        self.work = work
        self.env = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}", LC_ALL="C",
                        HSCHED_CACHE=str(work / "cache"))
        for name in [n for n in self.env if n.startswith("HSCHED_") and n != "HSCHED_CACHE"]:
            del self.env[name]
        self.printed = None
        self.count = 0
        self.calls = []  # Folders.

    def path(self, name):
        path = (self.work / name).resolve()
        if self.work.resolve() not in path.parents:
            raise Failure(f"'{name}' is outside of the folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def shell(self, text, good=True):
        done = subprocess.run(["sh", "-eu", "-c", text], cwd=self.work, env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
        self.printed = done.stdout
        if (done.returncode == 0) != good:
            raise Failure(f"exit code {done.returncode} of: {text.strip()}\n{done.stdout}")

    def block(self, what, name, lang, text):
        if what == "file":
            self.path(name).write_text(text)
        elif what == "edit":
            done = subprocess.run(["patch", "--silent", "--fuzz=0", str(self.path(name))], input=text, text=True,
                                  capture_output=True, cwd=self.work)
            if done.returncode != 0:
                raise Failure(f"the edit does not apply to '{name}': {done.stdout}{done.stderr}")
        elif what == "compile":
            self.path(name).write_text(text)
            self.called(name, text)
        elif what in ("warned", "rejected"):
            self.path(name).write_text(text)
            self.shell(f"hsched-cc -std=c++20 -Wall -fsyntax-only {name}", what != "rejected")
            if what == "warned" and not self.printed:
                raise Failure(f"hsched-cc says nothing of '{name}'")
        elif what == "run":
            self.shell(text)
        elif what == "run with":
            test = name if " " in name else f"command -v {name}"
            if subprocess.run(["sh", "-c", f"{test} > /dev/null 2>&1"], env=self.env, check=False).returncode != 0:
                print(f"not run: '{test}' fails, and the block needs it")
                self.printed = ABSENT
                return
            self.shell(text)
        elif what == "output" and self.printed is ABSENT:
            return
        elif what == "output":
            self.compare(text)
        elif what == "not run" and name:
            return
        else:
            raise Failure(f"unknown comment '{what}'" if what else f"a block of '{lang}' without a comment")
        self.count += 1

    def called(self, name, text):
        """Builds and runs the block with the `main` that there is for it."""
        calls = next((c for c in (folder / name for folder in self.calls) if c.exists()), None)
        if calls is None:
            raise Failure(f"no test/docs/calls/{self.calls[0].name}/{name} calls it")
        main = calls.read_text()
        # One file, so that the example's lines keep their numbers. Kernels are looked for beside it.
        self.path(f"called_{name}").write_text(text + main)
        link = " ".join(re.findall(r"^// Link (.*)\.$", main, re.M))
        self.shell(f"hsched-cc -std=c++20 -Wall called_{name} -o called {link}")
        if self.printed:
            raise Failure(f"hsched-cc says of '{name}': {self.printed}")
        for variables in ["", *re.findall(r"^// With (.*)\.$", main, re.M)]:
            self.shell(f"{variables} ./called")
            if self.printed:
                raise Failure(f"'{name}' with '{variables}' prints: {self.printed}")

    def compare(self, expected):
        if self.printed is None:
            raise Failure("'output' without a block that was run")
        if not matches(self.printed, expected):
            raise Failure(f"expected:\n{expected}printed:\n{self.printed}")


def matches(printed, expected):
    """Whether a text is as expected, which may have `...`."""
    words = lambda line: " ".join(line.split())
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += re.escape(words(line)).replace(re.escape("..."), "[^\n]*") + "\n"
    return bool(re.fullmatch(pattern, "".join(words(line) + "\n" for line in printed.splitlines())))


def check(runner, document):
    text = document.read_text()
    runner.calls = [root / "calls" / document.stem for root in (pathlib.Path(__file__).resolve().parent, document.resolve().parent)]
    fences = len(re.findall(r"^```", text, re.M))
    blocks = list(BLOCK.finditer(text))
    if fences != 2 * len(blocks):
        raise Failure(f"{document}: {fences} lines begin with three backquotes, {len(blocks)} blocks were found")
    for match in blocks:
        what, lang = match["what"], match["lang"].split(" ")[0]
        if not what and lang not in CHECKED:
            continue
        try:
            runner.block(what, match["name"], lang, match["text"])
        except (Failure, subprocess.TimeoutExpired, OSError) as problem:
            line = text.count("\n", 0, match.start("fence")) + 1
            raise Failure(f"{document}:{line}: {problem}") from None


def main():
    build, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "build").symlink_to(build)
    for name in ("scripts", "samples"):
        (work / name).symlink_to(pathlib.Path(__file__).resolve().parents[2] / name)
    runner = Runner(build, work.resolve())
    for name in sys.argv[3:]:
        before = runner.count
        try:
            check(runner, pathlib.Path(name))
        except Failure as problem:
            sys.exit(str(problem))
        print(f"{name}: {runner.count - before} blocks")
        if runner.count == before:
            sys.exit(f"{name}: no block was checked")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""snippets.py fails where a document is wrong, and says where.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: self_test.py BUILD WORK
"""
import pathlib
import subprocess
import sys

FENCE = "```"
GOOD = f"<!-- file: a.txt -->\n{FENCE}\nfirst\nsecond  line\nthird\n{FENCE}\n<!-- run -->\n{FENCE}sh\ncat a.txt\n{FENCE}\n"

# The program around a.cpp.
CALLS = """int main() {
  int x = 0;
  f(&x);
#pragma hsched taskwait
  return x != 1;
}
"""

# What a document holds, and what is said of it; nothing where it is right.
CASES = [
    (GOOD + f"<!-- output -->\n{FENCE}\nfirst\nsecond line\nthird\n{FENCE}\n", None),
    (GOOD + f"<!-- output -->\n{FENCE}\n...\nthird\n{FENCE}\n", None),
    (GOOD + f"<!-- output -->\n{FENCE}\nfirst\nsec...ne\nthird\n{FENCE}\n", None),
    (GOOD + f"<!-- output -->\n{FENCE}\nfirst\nthird\n{FENCE}\n", ":12: expected"),
    (GOOD + f"<!-- output -->\n{FENCE}\nfirst\nsecond line\nthird\nfourth\n{FENCE}\n", ":12: expected"),
    (GOOD + f"<!-- output -->\n{FENCE}\nfirst\nsec...on\nthird\n{FENCE}\n", ":12: expected"),
    (f"<!-- output -->\n{FENCE}\n{FENCE}\n", ":2: 'output' without a block that was run"),
    (f"{FENCE}cpp\nint x;\n{FENCE}\n", ":1: a block of 'cpp' without a comment"),
    (f"{FENCE}\nwhatever\n{FENCE}\n", "no block was checked"),
    (f"<!-- run -->\n{FENCE}sh\nfalse\ntrue\n{FENCE}\n", ":2: exit code 1 of: false"),
    (f"<!-- walk -->\n{FENCE}sh\ntrue\n{FENCE}\n", ":2: unknown comment 'walk'"),
    (f"<!-- not run -->\n{FENCE}sh\ntrue\n{FENCE}\n", ":2: unknown comment 'not run'"),
    (f"<!-- file: ../a -->\n{FENCE}\n{FENCE}\n", ":2: '../a' is outside of the folder"),
    (GOOD + f"<!-- edit: a.txt -->\n{FENCE}diff\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-other\n+new\n{FENCE}\n",
     ":12: the edit does not apply"),
    (GOOD + f"{FENCE}sh\n", "5 lines begin with three backquotes"),
    (f"<!-- compile: a.cpp -->\n{FENCE}cpp\nint f(\n{FENCE}\n", ":2: exit code 1 of: hsched-cc"),
    (f"<!-- compile: a.cpp -->\n{FENCE}cpp\nvoid f(int *p) {{ int x; *p = 1; }}\n{FENCE}\n", ":2: hsched-cc says of 'a.cpp'"),
    (f"<!-- compile: a.cpp -->\n{FENCE}cpp\n#pragma hsched task\nvoid f(int *p) {{ *p = 1; }}\n{FENCE}\n", None),
    (f"<!-- compile: a.cpp -->\n{FENCE}cpp\n#pragma hsched task\nvoid f(int *p) {{ *p = 2; }}\n{FENCE}\n", ":2: exit code 1 of: ./called"),
    (f"<!-- compile: b.cpp -->\n{FENCE}cpp\nint x;\n{FENCE}\n", "/b.cpp calls it"),
    (GOOD + f"<!-- run with: no-such-program -->\n{FENCE}sh\nfalse\n{FENCE}\n<!-- output -->\n{FENCE}\nnothing\n{FENCE}\n", None),
    (f"<!-- run with: cat -->\n{FENCE}sh\nfalse\n{FENCE}\n", ":2: exit code 1 of: false"),
    (f"<!-- warned: a.cpp -->\n{FENCE}cpp\nint x;\n{FENCE}\n", ":2: hsched-cc says nothing of 'a.cpp'"),
    (f"<!-- rejected: a.cpp -->\n{FENCE}cpp\nint x;\n{FENCE}\n", ":2: exit code 0 of: hsched-cc"),
]


def main():
    script, build, work = pathlib.Path(__file__).with_name("snippets.py"), sys.argv[1], pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    bad = 0
    for number, (text, message) in enumerate(CASES, 1):
        document = work / f"case{number}.md"
        document.write_text(text)
        calls = work / "calls" / document.stem / "a.cpp"
        calls.parent.mkdir(parents=True, exist_ok=True)
        calls.write_text(CALLS)
        done = subprocess.run([sys.executable, str(script), build, str(work / "run"), str(document)],
                              capture_output=True, text=True)
        good = done.returncode == 0 if message is None else done.returncode == 1 and message in done.stderr
        if not good:
            bad += 1
            print(f"case {number}: expected {message!r}, exit code {done.returncode}, said: {done.stderr}{done.stdout}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

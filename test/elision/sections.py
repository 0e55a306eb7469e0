#!/usr/bin/env python3
"""Taskloops with random sections: what hsched-cc accepts is ordered and complete.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: sections.py --hsched-cc PATH --host-cxx CXX --work FOLDER [--language cxx|template|c] [--seed N | --random-seed]
Each loop touches exactly what its clause names, for each iteration. A serial run first finds the loops whose sections
lie in the array. hsched-cc may refuse a section as one that does not change evenly, or warn that it infers none. The
others must print what the serial program prints, and a checked run must find nothing. What fails is kept in FOLDER.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import seeds

HEAD = """#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
#include <algorithm>
#endif
typedef unsigned char cell8; typedef int cell; typedef unsigned short u16_t; typedef long row64;
struct S { int n, m[4]; };
struct V { unsigned h[2], v[8]; };
#define CELL (i / 2)
#define TWICE(x) ((x) * 2)
#define SQUARE(x) ((x) * (x))
#define PLUS(x) (i + (x))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static inline int square(int x) { return x * x % 7; }
static inline int row_t(int x) { return (x * 5) % 11; }
static inline int lesser(int a, int b) { return a < b ? a : b; }
static inline int greater(int a, int b) { return (a < b) ? (b) : (a); }
static inline int rest(int a, int b) { return a % (b | 1); }
static inline unsigned char low(int x) { return x; }
static inline signed char slow(unsigned x) { return x; }
static inline size_t wide(int x) { return x; }
static inline int narrow(size_t x) { return x; }
static inline unsigned ulesser(unsigned a, unsigned b) { if (a < b) return a; return b; }
static inline size_t zgreater(size_t a, size_t b) { return a > b ? a : b; }
static inline int halved(const unsigned x) { return x / 2; }
static inline int positive(int x) { return x < 0 ? 0 : x; }
static int (*called)(int) = square;
unsigned data[9000];
"""
PARAMETERS = ("unsigned *p, unsigned (*a)[8], struct V *t, int n, int m, unsigned u, size_t z, long l, struct S s")
ARGUMENTS = "(data + 4500, (unsigned (*)[8])(data + 4500), (struct V *)(data + 4500), 6, 4, 3u, 5, 2L, s)"
TYPES = ["int", "long", "unsigned", "size_t", "unsigned char", "short", "cell", "cell8", "u16_t", "row64",
         "unsigned long", "int64_t", "uint8_t", "signed char"]


class Loop:
    """A taskloop: its head, and the rows and columns that an iteration touches."""

    def __init__(self, draw, language):
        self.draw, self.language = draw, language
        self.head, self.grain = self.head_of(), draw.choice([1, 2, 3, 5, 7])
        self.role = draw.choice(["inout", "inout", "out"])
        self.function = draw.random() < 0.3  # A task for each iteration, which is no template.
        if self.function and self.head.startswith("T i"):
            self.head = "int" + self.head[1:]
        self.way = draw.choice(["up"] * 4 + ["down", "meet", "while", "last"])
        self.form = draw.choice(["range"] * 4 + ["shape", "offset", "tile", "tile", "row", "rows", "part", "member"])
        self.extent = draw.choice(["8", "n", "16", "m", self.number(1)]) if self.form == "tile" else "8"
        self.row = ["0", "1"] if self.form in ("range", "shape", "offset") else [self.number(2), "1"]
        if self.form in ("tile", "rows"):
            self.row[1] = self.length()
        self.column = ["0", "8"] if self.form in ("row", "rows") else [self.number(draw.choice([1, 2, 2, 3])), self.length()]
        if self.form == "shape":
            self.column = ["0", self.number(2)]
        low, count = self.column
        self.clause = {
            "range": f"p[{low}:{count}]", "shape": f"[{count}]p", "offset": f"(p + ({low}))[0:{count}]",
            "tile": f"([64][{self.extent}]p)[{self.row[0]}:{self.row[1]}][{low}:{count}]",
            "row": f"a[{self.row[0]}]", "rows": f"a[{self.row[0]}:{self.row[1]}]",
            "part": f"a[{self.row[0]}][{low}:{count}]", "member": f"t[{self.row[0]}].v[{low}:{count}]"}[self.form]

    def head_of(self):
        draw = self.draw
        kind = draw.choice(["int"] * 5 + ["long", "unsigned", "size_t", "short", "unsigned char", "signed char"])
        if self.language == "template" and draw.random() < 0.4:
            kind = "T"
        natural = kind in ("unsigned", "size_t", "unsigned char")
        step, end = draw.choice([1, 1, 1, 2, 3]), draw.choice([13, 24, 37, 60])
        if not natural and draw.random() < 0.3:
            return draw.choice([f"{kind} i = {end}; i > {draw.choice([-1, 0, 2, -5])}; i -= {step}",
                                f"{kind} i = {end}; i >= {draw.choice([0, 2, -3])}; --i"])
        begin = draw.choice([0, 0, 0, 1, 3]) if natural or draw.random() < 0.7 else -draw.choice([4, 7])
        return draw.choice([f"{kind} i = {begin}; i < {end}; i += {step}", f"{kind} i = {begin}; i <= {end}; ++i",
                            f"{kind} i = {begin}; i != {end}; ++i"])

    def length(self):
        draw = self.draw
        if draw.random() < 0.6:
            return draw.choice(["1", "2", "3", "4", "n", "m", "u", "s.n"])
        return self.number(draw.choice([1, 2]))

    def number(self, depth):
        draw = self.draw
        number, literal = lambda: self.number(depth - 1), lambda: str(draw.choice([1, 1, 2, 2, 3, 4, 5, 7, 8, 16]))
        if depth <= 0 or draw.random() < 0.15:
            return draw.choice(["i"] * 14 + [literal(), literal(), "n", "m", "u", "z", "l", "s.n", "s.m[1]", "2u", "sizeof(int)",
                                            "CELL", "TWICE(i)", "PLUS(2)", "SQUARE(n)"])
        chosen = ["std::min<int>", "std::min<size_t>", "std::max<long>", "std::min<unsigned>", "std::max<size_t>",
                  "std::min<signed char>"] if self.language != "c" else []
        chosen += ["ulesser", "zgreater"]
        kinds = {
            "sum": (30, lambda: f"{number()} {draw.choice('+-')} {number()}"),
            "product": (12, lambda: f"({number()}) * {draw.choice([literal(), 'n', '2u', 'm'])}"),
            "quotient": (16, lambda: f"({number()}) / {draw.choice([literal(), 'n', '4u', 'm', 'z', '8'])}"),
            "rest": (3, lambda: f"({number()}) % {draw.choice(['4', 'n', '8u'])}"),
            "shift": (6, lambda: f"({number()}) {draw.choice(['<<', '>>', '>>'])} {draw.choice('123')}"),
            "minus": (3, lambda: f"-({number()})"),
            "cast": (9, lambda: self.cast(number())),
            "near cast": (4, lambda: f"({draw.choice(TYPES)}){draw.choice(['i', 'n', 'CELL'])}"),
            "call": (4, lambda: f"{draw.choice(['square', 'row_t', '(square)', '(row_t)', 'called', '(*called)'])}({number()})"),
            "conversion": (5, lambda: f"{draw.choice(['low', 'slow', 'wide', 'narrow', 'halved', 'positive'])}({number()})"),
            "mask": (3, lambda: f"(({number()}) {draw.choice(['& 7', '& ~3', '| 1', '& 255'])})"),
            "comma": (1, lambda: f"({number()}, {number()})"),
            "truth": (1, lambda: draw.choice([f"!({number()})", f"({number()} < {number()})"])),
            "choice": (6, lambda: f"{draw.choice(['MIN', 'MAX', 'lesser', 'greater', 'rest'] + chosen)}({number()}, {number()})"),
            "hash": (2, lambda: f"({number()}) * {draw.choice(['2654435761u', '40503u', '1664525'])} >> {draw.choice(['28', '24', '16'])}"),
            "condition": (3, lambda: f"({number()} < {number()} ? {number()} : {number()})")}
        return draw.choices([make for _, make in kinds.values()], [weight for weight, _ in kinds.values()])[0]()

    def cast(self, number):
        kind = self.draw.choice(TYPES)
        if self.language == "c":
            return f"({kind})({number})"
        return self.draw.choice([f"({kind})({number})", f"static_cast<{kind}>({number})",
                                 f"{kind}({number} + 0)" if " " not in kind else f"({kind})({number})"])

    def valid(self):
        """Sets 'bad' where a section leaves the array, or a row of a tile."""
        (row, rows), (low, count) = self.row, self.column
        limit = 64 if self.form in ("tile", "rows") else 200
        lines = [f"if ((long)({row}) < {0 if self.form == 'tile' else -limit} || (long)({row}) > {limit}) bad = 1;",
                 f"if ((long)({rows}) < 0 || (long)({rows}) > 64 || (long)({row}) + (long)({rows}) > {limit + 1}) bad = 1;"]
        if self.form in ("range", "shape", "offset"):
            lines.append(f"if ((long)({low}) < -4000 || (long)({low}) > 4000 || (long)({count}) < 0 || (long)({count}) > 400) bad = 1;")
        else:
            lines.append(f"if ((long)({self.extent}) < 1 || (long)({self.extent}) > 64 || (long)({low}) < 0 || (long)({count}) < 0 || "
                         f"(long)({low}) + (long)({count}) > (long)({self.extent})) bad = 1;")
        return " ".join(lines)

    def body(self):
        (row, rows), (low, count) = self.row, self.column
        place = {"tile": f"p[r * (long)({self.extent}) + k]", "row": "a[r][k]", "rows": "a[r][k]", "part": "a[r][k]",
                 "member": "t[r].v[k]"}.get(self.form, "p[k]")
        value = "(unsigned)i + 1" if self.role == "out" else f"{place} * 3 + (unsigned)i + 1"
        head, tail = {
            "up": ("for (long k = (long)({low}), e = k + (long)({count}); k < e; ++k) {{", "}"),
            "down": ("for (long b = (long)({low}), k = b + (long)({count}) - 1; k >= b; --k) {{", "}"),
            "meet": ("for (long c = (long)({low}), d = c + (long)({count}) - 1; c <= d; ++c, --d) for (long k = c; k <= d; k += d > c ? d - c : 1) {{",
                     "}"),
            "while": ("{{ long k = (long)({low}), e = k + (long)({count}); while (k < e) {{", "++k; } }"),
            "last": ("{{ long k = (long)({low}), e = k + (long)({count}); if (k < e) do {{", "} while (++k < e); }")}[self.way]
        return (f"for (long r = (long)({row}), q = r + (long)({rows}); r < q; ++r) "
                f"{head.format(low=low, count=count)} {place} = {value}; {tail}")


def program(loops, language, text, before=lambda k, loop: ""):
    """A function for each loop, at line 1000 * (number + 1), and a main that calls all."""
    functions = "".join(f"#line {1000 * (k + 1)}\n{before(k, loop)}{'template <class T> ' if language == 'template' else ''}"
                        f"void loop{k}({PARAMETERS}) {{\n{text(k, loop)}\n}}\n" for k, loop in loops.items())
    calls = ""
    for k in loops:
        kind = f"<{'int' if k % 2 else 'long'}>" if language == "template" else ""
        calls += (f"for (int q = 0; q < 9000; ++q) data[q] = q;\nloop{k}{kind}{ARGUMENTS};\nh = 0;\n"
                  f"for (int q = 0; q < 9000; ++q) h = h * 31 + data[q];\nprintf(\"{k} %lx\\n\", h);\n")
    return f"{HEAD}int bad;\n{functions}int main(void) {{\nunsigned long h; struct S s = {{5, {{2, 3, 4, 6}}}}; (void)s;\n{calls}return 0;\n}}\n"


def task(k, loop, inferred):
    """The task of an iteration."""
    if not loop.function:
        return ""
    clause, kind = "" if inferred else f" {loop.role}({loop.clause})", loop.head.split(" i = ")[0]
    return f"#pragma hsched task{clause}\nvoid task{k}({PARAMETERS}, {kind} i) {{\n{loop.body()}\n}}\n"


def taskloop(k, loop, inferred):
    if loop.function:
        return f"for (int round = 0; round < 2; ++round)\nfor ({loop.head}) task{k}(p, a, t, n, m, u, z, l, s, i);\n#pragma hsched taskwait"
    clause = "" if inferred else f" {loop.role}({loop.clause})"
    return (f"for (int round = 0; round < 2; ++round) {{\n#pragma hsched taskloop grainsize({loop.grain}){clause}\n"
            f"for ({loop.head})\n{loop.body()}\n}}\n#pragma hsched taskwait")


def run(command, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HSCHED_")}
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, env={**clean, **environment})


def at_lines(pattern, text):
    """The numbers of the loops at whose lines text has something, with the last group of the pattern."""
    return {int(m.group(1)) // 1000 - 1: m.group(m.lastindex) for m in re.finditer(pattern, text) if int(m.group(1)) >= 1000}


def try_seed(seed, options):
    language = options.language
    ending, standard = (".c", "-std=gnu11") if language == "c" else (".cpp", "-std=c++17")
    host = [options.host_cxx, "-x", "c" if language == "c" else "c++", standard, "-w"]
    hsched = [options.hsched_cc] + (["-x", "c"] if language == "c" else []) + [standard, "-O1", "-g"]
    work = options.work / f"sections_{language}-{'inferred-' if options.inferred else ''}{seed}"
    work.mkdir(parents=True, exist_ok=True)
    print(f"sections: seed {seed}, {language}, in {work}", flush=True)
    source = work / f"prog{ending}"

    def failed(what, result=None):
        print("sections:", what, (result.stdout + result.stderr)[-3000:] if result else "")
        return False

    draw = random.Random(seed)
    loops = {k: Loop(draw, language) for k in range(options.loops)}
    source.write_text(program(loops, language, lambda k, loop: f"bad = 0;\nfor ({loop.head}) {{ {loop.valid()} if (bad) break; }}\n"
                              f"printf(\"%d of {k}\\n\", bad);"))
    built = run(host + ["-fsanitize=undefined", source, "-o", work / "valid"])
    if built.returncode:
        return failed("the host compiler fails: the generator is wrong", built)
    tried = run([work / "valid"])
    undefined = at_lines(r":(\d+):\d+: runtime error: (.*)", tried.stderr)
    loops = {k: loops[k] for k in map(int, re.findall(r"^0 of (\d+)$", tried.stdout, re.M)) if k not in undefined}

    valid = len(loops)
    while True:
        source.write_text(program(loops, language, lambda k, loop: taskloop(k, loop, options.inferred),
                                  lambda k, loop: task(k, loop, options.inferred)))
        built = run(hsched + ["--hsched-explain", source, "-o", work / "prog"])
        refused = at_lines(r":(\d+):\d+: (?:error|warning): (.*(?:does not change evenly|cannot be inferred|-Whsched-unnamed).*)", built.stderr)
        # What is assumed of parameters is reported. Nothing is assumed of a taskloop's variable.
        refused |= {k: text for k, text in at_lines(r":(\d+):\d+: remark: (.*holds all of it only where.*)", built.stderr).items()
                    if k in loops and (loops[k].function or not re.search(r"\bi\b", text.split("only where")[1]))}
        if built.returncode == 0 and not refused:
            break
        if not refused:
            return failed("hsched-cc fails", built)
        loops = {k: loop for k, loop in loops.items() if k not in refused}
    run(host + ["-O1", source, "-o", work / "serial"])
    serial = run([work / "serial"])
    if serial.returncode:
        return failed("the serial program fails: the generator is wrong", serial)
    wanted = serial.stdout
    built = run(hsched + ["--hsched-check", source, "-o", work / "checked"])
    if built.returncode:
        return failed("hsched-cc --hsched-check fails", built)
    for binary, setting in (("prog", {"HSCHED_NCPU": "3"}), ("prog", {"HSCHED_NCPU": "2"}), ("checked", {})):
        result = run([work / binary], HSCHED_OPENCL="0", **setting)
        for line in set(wanted.splitlines()) - set(result.stdout.splitlines()):
            print("differs: loop", line.split()[0], loops[int(line.split()[0])].clause)
        if result.returncode or result.stdout != wanted:
            return failed(f"{work / binary} exits with {result.returncode}", result)
    print(f"sections: {options.loops} loops, {valid} valid, {valid - len(loops)} of them refused")
    return len(loops) * (20 if options.inferred else 4) > valid or failed("too many are refused")


def main():
    parser = argparse.ArgumentParser(description="Taskloops with random sections.")
    parser.add_argument("--hsched-cc", required=True)
    parser.add_argument("--host-cxx", default="g++")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--language", choices=["cxx", "template", "c"], default="cxx")
    parser.add_argument("--inferred", action="store_true", help="no clauses: what is not inferred is left out")
    parser.add_argument("--loops", type=int, default=50)
    seeds.add_options(parser)
    options = parser.parse_args()
    return seeds.try_all(f"sections_{options.language}", options, try_seed)


if __name__ == "__main__":
    sys.exit(main())

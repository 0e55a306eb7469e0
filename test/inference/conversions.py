#!/usr/bin/env python3
"""What is inferred of bodies whose subscripts and bounds are converted between integer types.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: conversions.py --hsched-cc PATH --include FOLDER --host-cxx CXX --work FOLDER [--bodies N] [--seed N | --random-seed]

Random task bodies are given to hsched-cc --hsched-explain without any clause. The same bodies, over arrays that note each
access, run for many values of their parameters. judge() of run.py compares. What is undefined, leaves the arrays or does
not end says nothing: such a run is left out. A failure shows the body, the values, and what is wrong.
"""
import argparse
import collections
import pathlib
import random
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import seeds
from run import HARNESS, ONLY, REMARK, SECTIONS, command

NUMBERS = {"n": "int", "m": "int", "u": "unsigned", "l": "long", "z": "std::size_t", "h": "short", "c": "signed char",
           "b": "unsigned char"}
ARRAYS = {"x": "const int *x", "y": "int *y", "a": "int (*a)[8]", "s": "Pair *s"}
PARAMETERS = ", ".join([f"{kind} {name}" for name, kind in NUMBERS.items()] + list(ARRAYS.values()))
TYPES = ["int", "int", "long", "unsigned", "std::size_t", "short", "signed char", "unsigned char", "unsigned short",
         "unsigned long", "long long", "std::int64_t", "std::uint8_t", "E8", "EU"]
VALUES = {"n": [-3, -1, 0, 1, 2, 5, 9, 13], "m": [-2, 0, 1, 3, 4, 7], "u": [0, 1, 2, 5, 9], "l": [-4, -1, 0, 1, 3, 6],
          "z": [0, 1, 4, 8], "h": [-2, 0, 2, 5], "c": [-5, 0, 1, 6, 100], "b": [0, 3, 7, 200]}
USUAL = {"n": 1, "m": 1, "u": 1, "l": 1, "z": 1, "h": 2, "c": 1, "b": 3}  # A body does not use these.
RUNS = 70

HELPERS = """\
#include <cstring>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>
#define HALF(x) ((x) / 2)
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
enum E8 : signed char {}; enum EU : unsigned {};
static inline int half(int x) { return x / 2; }
static inline unsigned uhalf(unsigned x) { return x / 2; }
static inline unsigned char low(int x) { return x; }
static inline signed char slow(unsigned x) { return x; }
static inline short mid(long x) { return x; }
static inline std::size_t wide(int x) { return x; }
static inline int narrow(std::size_t x) { return x; }
static inline bool any(int x) { return x; }
static inline int shifted(const unsigned &x) { return x >> 1; }
static inline long lesser(long a, long b) { return a < b ? a : b; }
static inline unsigned ulesser(unsigned a, unsigned b) { return a < b ? a : b; }
static inline std::size_t zgreater(std::size_t a, std::size_t b) { if (a > b) return a; return b; }
static inline int positive(int x) { return x < 0 ? 0 : x; }
static inline unsigned upositive(int x) { return x > 0 ? x : 0; }
static inline int next(int &x) { return x++; }
struct Small { signed char c; unsigned char b; short h; unsigned u; };
struct Bits { unsigned f : 3; int g : 4; unsigned w : 20; };
static inline short member(int x) { Small q = {}; q.c = x; return q.c; }
static inline int field(int x) { Bits q = {}; q.f = x; return q.f; }
static inline int signedField(long x) { Bits q = {}; q.g = x; return q.g; }
static inline int element(unsigned x) { signed char t[2] = {}; t[1] = x; return t[1]; }
static inline int exchanged(int x) { unsigned char q = 1; std::exchange(q, x); return q; }
static inline long first(long x) { std::pair<unsigned, short> p(x, 1); return p.first; }
static inline int maybe(int x) { std::optional<unsigned char> o(x); return *o; }
static inline int through(long x) { std::function<unsigned char(short)> f = [](int k) { return k; }; return f(x); }
static inline int bound(long x) { auto [p, q, r, s] = Small{static_cast<signed char>(x), 1, 1, 1}; return p; }
static inline void reduce(unsigned &x) { x -= 1; }
static inline int reduced(int n) { unsigned u = n; reduce(u); return u / 2; }
static inline int chosen(unsigned x) { switch (x) { case 0: return 1; case 4294967295u: return 2; default: return 3; } }
template <class T> static inline T least(T a, T b) { return b < a ? b : a; }
template <class T, class U> static inline T as(U x) { return x; }
template <class T> struct Num { T v; Num(T x) : v(x) {} operator T() const { return v; } T half() const { return v / 2; } };
"""

POINTERS = """\
struct Moving : Pointer {
  Moving(Pointer P) : Pointer(P) {}
  Moving &operator+=(long I) { At = (*this + I).At; return *this; }
  Element operator*() const { return (*this)[0]; }
  Moving operator++(int) { Moving P = *this; ++At; return P; }
};
static void zero(Pointer B, int, long Bytes) { zero(B, Bytes); }
static void fill_n_(Pointer B, long N, int) { for (long I = 0; I < N; ++I) B.A->write(B.At + I); }
#include <csetjmp>
#include <csignal>
#include <new>
static sigjmp_buf Back;
static void undefined(int) { siglongjmp(Back, 1); }
struct Pair { Element a, b; };
struct Pairs { Array *A; long At; Pair operator[](long I) const { return {{*A, 2 * (At + I)}, {*A, 2 * (At + I) + 1}}; } };
struct Row {
  Array *A; long At;
  Element operator[](long I) const { if (I < 0 || I > 7) throw Illegal(); return {*A, At + I}; }
};
struct Rows { Array *A; long At; Row operator[](long I) const { if (I < -60 || I > 240) throw Illegal(); return {A, 8 * (At + I)}; } };
"""
RUN = """\
static Array X_{name}, Y_{name}, A_{name}, S_{name};
static bool run_{name}({numbers}) {{
  Array &X = X_{name}, &Y = Y_{name}, &A = A_{name}, &S = S_{name};
  X = Array(), Y = Array(), A = Array(), S = Array();
  bool Threw = false;
  if (sigsetjmp(Back, 1)) return true;
  try {{ {name}({names}, {{&X, 0}}, {{&Y, 0}}, {{&A, 0}}, {{&S, 0}}); }} catch (int) {{ Threw = true; }} catch (Illegal) {{ return true; }}
  ++Ran;
  char V[200];
  std::snprintf(V, sizeof V, "{format}", {longs});
  return claims_{name}({names}, X, Y, A, S, V, Threw);
}}
"""


class Body:
    """Statements over NUMBERS, ARRAYS, counters and local numbers."""

    def __init__(self, draw, name):
        self.draw, self.name, self.lines, self.made = draw, name, [], 0
        self.numbers, self.counters = list(draw.sample(list(NUMBERS), draw.choice([1, 2, 3]))), []
        self.left = draw.choice([1, 2, 3, 4])
        for _ in range(draw.choice([1, 1, 2])):
            self.statement(1)
        self.text = "\n".join(self.lines)

    def one(self, *of):
        return self.draw.choice(of)

    def fresh(self, letter):
        self.made += 1
        return f"{letter}{self.made}"

    def kind(self):
        return self.one(*TYPES)

    def leaf(self):
        if self.counters and self.draw.random() < 0.6:
            return self.one(*self.counters)
        return self.one(*self.numbers) if self.draw.random() < 0.75 else str(self.one(0, 1, 1, 2, 3, 4, 8, "2u", "1ul", "'\\3'") if self.draw.random() < 0.9 else
                                                                                  self.one("-1", "4294967295u", "std::size_t(-1)", "0xffffffff", "-2l"))

    def number(self, depth):
        if depth <= 0 or self.draw.random() < 0.2:
            return self.leaf()
        n = lambda: self.number(depth - 1)
        constant = str(self.one(1, 2, 2, 3, 4, 5, 8))
        forms = [(24, lambda: f"{n()} {self.one('+', '-', '-')} {n()}"), (8, lambda: f"({n()}) * {constant}"),
                 (8, lambda: f"({n()}) / {constant}"), (4, lambda: f"({n()}) % {constant}"),
                 (5, lambda: f"(({n()}) >> {self.one(1, 2)})"), (2, lambda: f"(({n()}) << 1)"), (3, lambda: f"-({n()})"),
                 (2, lambda: f"~({n()})"), (4, lambda: f"(({n()}) & {self.one(1, 3, 7, 255, '~3', '-4')})"),
                 (1, lambda: f"(({n()}) {self.one('|', '^')} {constant})"), (2, lambda: f"({n()}, {n()})"),
                 (12, lambda: f"({self.kind()})({n()})" if self.draw.random() < 0.6 else f"static_cast<{self.kind()}>({n()})"),
                 (8, lambda: f"std::{self.one('min', 'max')}<{self.kind_of_min()}>({n()}, {n()})"),
                 (2, lambda: f"std::clamp<{self.kind_of_min()}>({n()}, {self.one(0, 0, 1)}, {self.one(4, 9)})"),
                 (3, lambda: f"{self.one('LESSER', 'GREATER')}({n()}, {n()})"), (2, lambda: f"HALF({n()})"),
                 (3, lambda: f"({n()} {self.one('<', '>', '<=', '!=')} {n()} ? {n()} : {n()})"),
                 (1, lambda: f"({n()} < {n()})"), (1, lambda: f"!({n()})"), (1, lambda: f"std::abs(int({n()}))"),
                 (8, lambda: f"{self.one('half', 'uhalf', 'low', 'slow', 'mid', 'wide', 'narrow', 'any', 'shifted', 'positive', 'upositive')}({n()})"),
                 (5, lambda: f"{self.one('member', 'field', 'signedField', 'element', 'exchanged', 'first', 'maybe', 'through', 'bound', 'reduced', 'chosen')}({n()})"),
                 (4, lambda: f"{self.one('lesser', 'ulesser', 'zgreater', 'least<int>', 'least<std::size_t>', 'least<unsigned>', 'least<short>')}({n()}, {n()})"),
                 (2, lambda: f"as<{self.kind_of_min()}>({n()})"), (1, lambda: f"([&]({self.kind_of_min()} q) {{ return q / 2; }}({n()}))"),
                 (1, lambda: f"Num<{self.kind_of_min()}>({n()}).{self.one('v', 'half()')}")]
        return self.draw.choices([make for _, make in forms], [weight for weight, _ in forms])[0]()

    def kind_of_min(self):
        return self.one("int", "long", "unsigned", "std::size_t", "std::size_t", "short", "unsigned char", "signed char")

    def index(self):
        return self.number(self.one(0, 1, 1, 2, 2, 3))

    def condition(self):
        return f"{self.number(self.one(0, 1, 2))} {self.one('<', '<', '>', '<=', '>=', '!=', '==')} {self.number(self.one(0, 0, 1))}"

    def add(self, depth, line):
        self.lines.append("  " * depth + line)

    def store(self, depth):
        element = lambda: self.one(f"y[{self.index()}]", f"y[{self.index()}]", f"y[{self.index()}]",
                                   f"a[{self.index()}][{self.one('0', '3', f'({self.index()}) & 7')}]", f"s[{self.index()}].{self.one('a', 'b')}")
        if self.draw.random() < 0.15:
            base = f"y + ({self.index()})"
            return self.add(depth, self.one(f"std::fill_n({base}, {self.index()}, 1);", f"std::fill({base}, {base} + ({self.index()}), 1);",
                                            f"std::memset({base}, 0, ({self.index()}) * sizeof(int));", f"*({base}) = 1;",
                                            f"{{ auto q = {base}; q += {self.index()}; q[{self.index()}] = 1; }}",
                                            f"{{ auto q = {base}; for (int r = 0; r < {self.leaf()}; ++r) *q++ = 1; }}",
                                            f"switch ({self.number(1)}) {{ case {self.one('0', '1', '2')}: {element()} = 1; break; default: {element()} = 2; }}"))
        self.add(depth, self.one(f"{element()} = 1;", f"{element()} = 1;", f"{element()} = x[{self.index()}];", f"{element()} += 1;"))

    def inside(self, depth, counters=()):
        before = list(self.counters), list(self.numbers)
        self.counters += counters
        for _ in range(self.one(1, 1, 2)):
            self.statement(depth)
        self.counters, self.numbers = before

    def loop(self, depth):
        i, kind = self.fresh("i"), self.one("int", "int", "int", "unsigned", "std::size_t", "short", "unsigned char", "signed char", "long")
        low, high = self.number(self.one(0, 0, 0, 1, 2)), self.number(self.one(0, 0, 1, 2))
        low = self.one("0", "0", "0", "1", "-2", low, low)
        step = self.one(f"++{i}", f"++{i}", f"{i}++", f"{i} += {self.one(2, 3)}")
        form = self.draw.random()
        if form < 0.60:
            self.add(depth, f"for ({kind} {i} = {low}; {i} {self.one('<', '<', '<', '<=', '!=')} {high}; {step}) {{ STEP;")
        elif form < 0.70:
            self.add(depth, f"for ({kind} {i} = {high}; {i} {self.one('>', '>=', '!=')} {low}; {self.one(f'--{i}', f'--{i}', f'{i} -= 2')}) {{ STEP;")
        elif form < 0.76:
            self.add(depth, f"for ({kind} {i} = {high}; {i}-- > {low}; ) {{ STEP;")
        elif form < 0.82:
            self.add(depth, f"for ({kind} {i} = {low}; {i} < {high} && {i} {self.one('<', '!=')} {self.number(1)}; {step}) {{ STEP;")
        elif form < 0.88:
            j = self.fresh("j")
            self.add(depth, f"for ({kind} {i} = {low}, {j} = {high}; {i} < {j}; ++{i}, --{j}) {{ STEP;")
            self.inside(depth + 1, [i, j])
            return self.add(depth, "}")
        elif form < 0.94:
            j = self.fresh("j")
            self.add(depth, f"{self.kind_of_min()} {j} = {self.number(1)};")
            self.add(depth, f"for ({kind} {i} = {low}; {i} < {high}; ++{i}, {j} {self.one('+= 1', '+= 2', '-= 1', f'= {i} / 2')}) {{ STEP;")
            self.inside(depth + 1, [i, j])
            return self.add(depth, "}")
        else:
            self.add(depth, f"{kind} {i} = {low};")
            down = f"while ({i}--) {{ STEP;", "}"
            head, tail = self.one((f"while ({i} != {high}) {{ STEP;", f"{i} += 1; }}"), down, ("do { STEP;", f"}} while (--{i});"), (f"while ({i} < {high}) {{ STEP;", f"{i}++; }}"), ("do { STEP;", f"{i}++; }} while ({i} < {high});"))
            self.add(depth, head)
            self.inside(depth + 1, [i])
            return self.add(depth, tail)
        self.inside(depth + 1, [i])
        self.add(depth, "}")

    def local(self, depth):
        v, kind = self.fresh("v"), self.one("auto", "int", "unsigned", "std::size_t", "short", "unsigned char", "signed char", "long", "bool",
                                            "const std::size_t &", "const unsigned &", "const signed char &", "unsigned short")
        self.add(depth, f"{kind} {v}{self.one(' = ', '(')}{self.number(2)};".replace(f"{v}(", f"{v} = "))
        if "&" not in kind and kind not in ("bool", "auto"):
            for _ in range(self.one(0, 0, 1, 1, 2)):
                self.add(depth, self.one(f"{v} += {self.number(1)};", f"{v} -= {self.number(1)};", f"{v}++;", f"{v}--;", f"{v} /= 2;",
                                         f"{v} >>= 1;", f"{v} *= 2;", f"{v} = {v} / 2;", f"if ({self.condition()}) {v} = {self.number(1)};",
                                         f"{v} &= 7;", f"{v} = -{v};"))
        self.counters.append(v)
        self.statement(depth)

    def statement(self, depth):
        self.left -= 1
        pick = self.draw.random()
        if depth > 4 or self.left < 0 or pick < 0.2:
            self.store(depth)
        elif pick < 0.6:
            self.loop(depth)
        elif pick < 0.8:
            before = list(self.counters)
            self.local(depth)
            self.counters = before if depth > 1 else self.counters
        elif pick < 0.92:
            self.add(depth, f"if ({self.condition()}) {{")
            self.inside(depth + 1)
            self.add(depth, self.one("}", "}", "} else {"))
            if self.lines[-1].endswith("{"):
                self.inside(depth + 1)
                self.add(depth, "}")
        else:
            self.add(depth, f"if ({self.condition()}) return;")
            self.store(depth)


def in_harness(text):
    text = text.replace("std::memset(", "zero(").replace("std::fill_n(", "fill_n_(").replace("std::fill(", "fill(")
    return re.sub(r"auto q = (y \+ \(.*?\)); (q|for)", r"Moving q = \1; \2", text).replace("*(y +", "*Moving(y +")


def task_source(bodies):
    return HELPERS + "#define STEP\nstruct Pair { int a, b; };\n" + "".join(
        f"#pragma hsched task\nvoid {b.name}({PARAMETERS}) {{\n{b.text}\n}}\n" for b in bodies)


class Claims:
    def __init__(self):
        self.shown, self.checks, self.functions = collections.defaultdict(list), {}, ""


def claims_of(bodies, source, options):
    words = [options.hsched_cc, "-w", "-std=c++20"]
    source.write_text(task_source(bodies))
    told = command([*words, "--hsched-explain", "-ferror-limit=0", "-fsyntax-only", source]).stderr
    if "PLEASE submit" in told or "fatal error" in told:
        print(told[-3000:])
        return None
    claims, conditions = Claims(), collections.defaultdict(list)
    for line in told.splitlines():
        if found := REMARK.search(line):
            claims.shown[found[1]].append(found[2])
        if found := ONLY.search(line):
            claims.shown[found[1]].append(f"'{found[2]}' only where {found[3]} >= 0")
            in_long = found[3].replace("((unsigned", "(long)((unsigned")  # The number is meant, not one that wraps.
            conditions[found[1], found[2]].append(f"({in_long}) >= 0")
    lines = source.read_text().splitlines()
    failed = {lines[int(n)].split("(")[0].split()[-1] for n in re.findall(r"^[^\n]*?:(\d+):\d+: error: the", told, re.M)}
    others = [line for line in re.findall(r"^[^\n]*: error: .*", told, re.M) if not re.search(r"error: the extent", line)]
    if others:
        print("\n".join(others[:10]))
    bodies = [b for b in bodies if claims.shown[b.name] and b.name not in failed]
    source.write_text(task_source(bodies))
    emitted = command([*words, "--hsched-emit=source", source])
    if emitted.returncode:
        print(emitted.stderr[:3000])
        return None
    name, functions = "", collections.defaultdict(str)
    for line in emitted.stdout.splitlines():
        if found := re.match(r"void (task\d+)\(", line):
            name = found[1]
        if line.startswith("  hsched_f.hsched_add("):
            functions[name] += line + "\n"
    numbers = ", ".join(NUMBERS)
    for name, calls in functions.items():
        claims.functions += f"static void sections_{name}({PARAMETERS}, Frame &hsched_f) {{\n{calls}}}\n"
        text = (f"Frame F; sections_{name}({numbers}, (const int *)P, (int *)P, (int (*)[8])P, (Twin *)P, F);\n")
        for at, array in enumerate(ARRAYS):
            holds = "".join(f" && [&]({', '.join(f'long {k}' for k in NUMBERS)}) {{ return {c}; }}({numbers})" for c in conditions[name, array])
            text += (f"if (F.Of[{at}].Made) Good &= judge(\"{name}\", V, '{array}', F.Of[{at}].R, F.Of[{at}].What, "
                     f"true{holds}, {array.upper()}, Threw);\n"
                     f"else if (!{array.upper()}.Read.empty() || !{array.upper()}.Written.empty()) {{ Good = false; "
                     f"std::printf(\"WRONG {name} {array} is touched and not named; %s\\n\", V); }}\n")
        claims.checks[name] = text
    return claims


def harness(bodies, claims, draw):
    sections = SECTIONS.replace("Of[2]", "Of[4]").replace("Param - 3", f"Param - {len(NUMBERS)}")
    functions = claims.functions.replace("Pair *", "Twin *")
    text = (HARNESS + HELPERS + POINTERS + sections + "struct Twin { int a, b; };\nstatic void *const P = (void *)(1L << 40);\nstatic long Ran;\n"
            "#define STEP X_Step()\n")
    numbers = ", ".join(f"{kind} {name}" for name, kind in NUMBERS.items())
    longs = ", ".join(f"long({name})" for name in NUMBERS)
    runs = ""
    text += functions + "static Array *Steps; static void X_Step() { Steps->step(); }\n"
    for b in bodies:
        if b.name not in claims.checks:
            continue
        text += f"static void {b.name}({numbers}, Pointer x, Pointer y, Rows a, Pairs s) {{\nSteps = y.A;\n{in_harness(b.text)}\n}}\n"
        text += (f"static bool claims_{b.name}({numbers}, const Array &X, const Array &Y, const Array &A, const Array &S, const char *V, "
                 f"bool Threw) {{\n  bool Good = true;\n{claims.checks[b.name]}  return Good;\n}}\n")
        text += RUN.format(name=b.name, numbers=numbers, names=", ".join(NUMBERS), longs=longs,
                           format=", ".join(f"{k} = %ld" for k in NUMBERS))
        used = [k for k in NUMBERS if re.search(rf"\b{k}\b", b.text)]
        tuples = sorted({tuple(draw.choice(VALUES[k]) if k in used else USUAL[k] for k in NUMBERS) for _ in range(RUNS)})
        rows = ", ".join("{" + ", ".join(map(str, t)) + "}" for t in tuples)
        arguments = ", ".join(f"{kind}(T[{at}])" for at, kind in enumerate(NUMBERS.values())).replace("unsigned char(", "(unsigned char)(").replace("signed char(T", "(signed char)(T").replace("un(signed", "(unsigned")
        runs += (f"  Bad += [] {{ static const long All[][{len(NUMBERS)}] = {{{rows}}};\n    for (auto &T : All) "
                 f"if (!run_{b.name}({arguments})) return true; return false; }}();\n")
    return text + ("int main() {\n  struct sigaction S = {}; S.sa_handler = undefined; S.sa_flags = SA_NODEFER;\n"
                   "  sigaction(SIGILL, &S, nullptr); sigaction(SIGFPE, &S, nullptr);\n  int Bad = 0;\n" + runs +
                   '  std::printf("%ld checks of %ld runs, %ld of out, %ld of sections that are wider\\n", Checked, Ran, Outs, Loose);\n'
                   "  return Bad ? 1 : 0;\n}\n")


def try_seed(seed, options):
    work = options.work / f"conversions{seed}"
    work.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    print(f"conversions: seed {seed}, in {work}", flush=True)
    bodies = [Body(draw, f"task{i}") for i in range(options.bodies)]
    claims = claims_of(bodies, work / "bodies.cpp", options)
    if not claims or not claims.checks:
        print("conversions: nothing is inferred")
        return False
    program = work / "tasks.cpp"
    program.write_text(harness(bodies, claims, draw))
    built = command([options.host_cxx, "-std=c++20", "-w", "-O0", "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero",
                     "-fsanitize-undefined-trap-on-error", "-I", options.include, program, "-o", work / "tasks"])
    if built.returncode:
        print("conversions: the harness does not compile: the generator is wrong\n" + built.stderr[:3000])
        return False
    ran = command([work / "tasks"])
    wrong = [line for line in ran.stdout.splitlines() if line.startswith("WRONG")]
    for line in wrong:
        body = next(b for b in bodies if b.name == line.split()[1])
        print(f"conversions: {line}\n{body.text}\n" + "".join(f"  // {said}\n" for said in claims.shown[body.name]), end="")
    print(f"conversions: {len(bodies)} tasks, {len(claims.checks)} with claims, {len(wrong)} wrong; "
          f"{(ran.stdout.splitlines() or [f'no output, exit code {ran.returncode}'])[-1]}", flush=True)
    return ran.returncode == 0


def main():
    parser = argparse.ArgumentParser(description="Inference of numbers that are converted, against executions.")
    parser.add_argument("--hsched-cc", required=True)
    parser.add_argument("--include", required=True, help="the folder with hsched/gen.h")
    parser.add_argument("--host-cxx", default="g++")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--bodies", type=int, default=300)
    seeds.add_options(parser)
    options = parser.parse_args()
    return seeds.try_all("conversions", options, try_seed)


if __name__ == "__main__":
    sys.exit(main())

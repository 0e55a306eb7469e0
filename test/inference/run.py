#!/usr/bin/env python3
"""What is inferred of random bodies, against what their executions touch.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: run.py --hsched-cc PATH --kinfo PATH --include FOLDER --host-cxx CXX --work FOLDER [--bodies N] [--seed N | --random-seed]

Random task bodies and kernels are given to hsched-cc --hsched-explain and to hsched-kinfo without any clause. The same
bodies, over arrays that note each access, run for many values of their parameters, none and negative ones among them,
and launches of several shapes. For each execution:

  in        nothing is written
  out       each element of the section is written, and not read before; unless the body throws
  section   holds each access, unless a condition that --hsched-explain or hsched-kinfo tells of does not hold

What a program must not do anyway, such as to run for ever or to fill a range that ends before it begins, says nothing.
A failure shows the body, the values, and what is wrong; the sources are kept in FOLDER. HSCHED_TEST_SEED names the seed
of --random-seed.
"""
import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import seeds
from generate import generate

HARNESS = """\
#include <cstdio>
#include <cstdint>
#include <set>
#include <vector>
#include <string>

struct Illegal {};
struct Array {
  std::set<long> Read, Written, ReadFirst; // of the last: of a kernel's, by the same work-item
  std::set<long> Own;
  long Steps = 0;
  void step() { if (++Steps > 4000) throw Illegal(); }
  void touch(long At) { step(); if (At < -500 || At > 2000) throw Illegal(); }
  void read(long At) { touch(At); Read.insert(At); if (!Own.count(At)) ReadFirst.insert(At); }
  void write(long At) { touch(At); Written.insert(At); Own.insert(At); }
};
struct Element {
  Array &A; long At;
  operator int() const { A.read(At); return Value; }
  int operator=(int) const { A.write(At); return 1; }
  int operator=(const Element &E) const { E.A.read(E.At); A.write(At); return 1; }
  int operator+=(int) const { A.read(At); A.write(At); return 1; }
  static int Value;
};
int Element::Value = 1;
struct Pointer {
  Array *A; long At;
  Element operator[](long I) const { return {*A, At + I}; }
  Pointer operator+(long I) const {
    if (I < -(1L << 40) || I > 1L << 40) throw Illegal();
    return {A, At + I};
  }
};
static void fill(Pointer B, Pointer E, int) {
  if (E.At < B.At) throw Illegal();
  for (long I = B.At; I < E.At; ++I) B.A->write(I);
}
static void zero(Pointer B, long Bytes) {
  if (Bytes < 0) throw Illegal();
  for (long I = 0; I < Bytes / 4; ++I) B.A->write(B.At + I);
}
static long Global[2], Local[2], Groups[2], Sizes[2];
#define ITEM(name, value) static unsigned long get_##name(int k) { return value; }
ITEM(global_id, k < 2 ? Groups[k] * Sizes[k] + Local[k] : 0)
ITEM(local_id, k < 2 ? Local[k] : 0)
ITEM(group_id, k < 2 ? Groups[k] : 0)
ITEM(local_size, k < 2 ? Sizes[k] : 1)
ITEM(num_groups, k < 2 ? Global[k] : 1)
ITEM(global_size, k < 2 ? Global[k] * Sizes[k] : 1)
// Sections are evaluated in numbers with a sign.
struct Signed {
  static long get_local_size(int k) { return long(::get_local_size(k)); }
  static long get_num_groups(int k) { return long(::get_num_groups(k)); }
  static long get_global_size(int k) { return long(::get_global_size(k)); }
};

static const long Launches[][4] = {{1, 1, 1, 1}, {1, 1, 3, 2}, {3, 2, 1, 1}, {2, 1, 2, 1}, {2, 3, 3, 2}};
static bool launch(const long (&L)[4], int Dimensions) {
  Global[0] = L[0], Sizes[0] = L[2];
  Global[1] = Dimensions > 1 ? L[1] : 1, Sizes[1] = Dimensions > 1 ? L[3] : 1;
  return true;
}

using Set = std::set<long>;
// Elements of ([..][ld]p)[r:rows][c:columns], and of p[lo:n].
static Set range(long Low, long Count) {
  Set S;
  for (long I = 0; I < Count && I < 3000; ++I) S.insert(Low + I);
  return S;
}
static Set tile(long Ld, long R, long Rows, long C, long Columns) {
  Set S;
  for (long I = 0; I < Rows && I < 300; ++I)
    for (long J = 0; J < Columns && J < 300; ++J) S.insert((R + I) * Ld + C + J);
  return S;
}
static std::string show(const Set &S) {
  std::string T = "{";
  for (long I : S) if (T.size() < 60) T += " " + std::to_string(I);
  return T + " }";
}
static long Checked, Loose, Outs;
enum Role { In, Out, InOut };
static bool judge(const char *Body, const char *Values, char Name, Role R, const Set &What, bool Holds, const Array &A,
                  bool Threw) {
  std::string Wrong;
  ++Checked;
  Outs += R == Out && !Threw && !What.empty();
  if (R == In && !A.Written.empty())
    Wrong = "is in and written at" + show(A.Written);
  if (R == Out && !Threw)
    for (long I : What) {
      if (!A.Written.count(I)) { Wrong = "is out and not written at " + std::to_string(I); break; }
      if (A.ReadFirst.count(I)) { Wrong = "is out and read first at " + std::to_string(I); break; }
    }
  Set All = A.Read; All.insert(A.Written.begin(), A.Written.end());
  if (Holds)
    for (long I : All)
      if (!What.count(I)) { Wrong = "is touched outside of its section at " + std::to_string(I); break; }
  if (!What.empty() && !All.empty() && (*What.begin() < *All.begin() || *What.rbegin() > *All.rbegin()))
    ++Loose;
  if (Wrong.empty()) return true;
  std::printf("WRONG %s %c %s; %s, section %s\\n", Body, Name, Wrong.c_str(), Values, show(What).c_str());
  return false;
}
"""

# Sections as generated code makes them, of arrays that are nowhere.
SECTIONS = """\
#include <hsched/gen.h>
struct Frame {
  struct Claim {
    Role R = InOut; Set What; bool Made = false;
    void add(long First, long N) { // Of a long range: the first element, and those that arrays may have.
      if (N > 0) What.insert(First);
      for (long I = First < -600 ? -600 - First : 0; I < N && First + I < 3000; ++I) What.insert(First + I);
    }
  };
  Claim Of[2]; // x and y
  void hsched_add(unsigned Mode, unsigned Param, const hsched_gen_section &S) {
    Claim &C = Of[Param - 3];
    const Role R = Mode == HSCHED_IN ? In : Mode == HSCHED_OUT ? Out : InOut;
    C.R = C.Made && C.R != R ? InOut : R, C.Made = true;
    const long First = (long(S.hsched_base) - (1L << 40)) / 4;
    for (size_t Row = 0; Row < S.hsched_rows && Row < 3000 && S.hsched_bytes; ++Row)
      C.add(First + long(Row) * long(S.hsched_stride) / 4, long(S.hsched_bytes / 4));
  }
  void hsched_add(unsigned Mode, unsigned Param, hsched_gen_box B) {
    const size_t N = B.hsched_fold();
    for (size_t I = 0; I < N && I < 3000; ++I)
      hsched_add(Mode, Param, B.hsched_piece(I));
    if (N > 1 && Mode == HSCHED_OUT) Of[Param - 3].R = Out;
  }
};
"""

HOST_RUN = """\
static bool run_{name}(int n, int m, unsigned u) {{
  Array X, Y;
  bool Threw = false;
  try {{ {name}(n, m, u, {{&X, 0}}, {{&Y, 0}}); }} catch (int) {{ Threw = true; }} catch (Illegal) {{ return true; }}
  char V[80];
  std::snprintf(V, sizeof V, "n = %d, m = %d, u = %u", n, m, u);
  return claims_{name}(n, m, u, X, Y, V, Threw);
}}
"""
KERNEL_RUN = """\
static bool run_{name}(int n, int m, unsigned u) {{
  Array X, Y;
  try {{
    for (Groups[1] = 0; Groups[1] < Global[1]; ++Groups[1])
    for (Groups[0] = 0; Groups[0] < Global[0]; ++Groups[0])
    for (Local[1] = 0; Local[1] < Sizes[1]; ++Local[1])
    for (Local[0] = 0; Local[0] < Sizes[0]; ++Local[0]) {{
      X.Own.clear(), Y.Own.clear();
      {name}(n, m, u, {{&X, 0}}, {{&Y, 0}});
    }}
  }} catch (Illegal) {{ return true; }}
  char V[160];
  std::snprintf(V, sizeof V, "n = %d, m = %d, u = %u, groups %ld x %ld of %ld x %ld", n, m, u, Global[0], Global[1],
                Sizes[0], Sizes[1]);
  return claims_{name}(n, m, u, X, Y, V, false);
}}
"""

REMARK = re.compile(r"remark: task '(\w+)': ((?:in|out|inout)\(.*\)) is inferred")
ONLY = re.compile(r"remark: task '(\w+)': the section that is inferred for '(\w)' holds all of it only where (.*) >= 0")
ROLES = {"in": "In", "out": "Out", "inout": "InOut"}
PARAMETERS = "int n, int m, unsigned u, {x}int *x, {y}int *y"


def command(words, seconds=300):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=seconds)


def split(text):
    """The bracketed groups at the front of text, and the rest."""
    groups = []
    while text.startswith("["):
        depth = 0
        for at, c in enumerate(text):
            depth += (c in "[(") - (c in "])")
            if depth == 0:
                break
        groups.append(text[1:at])
        text = text[at + 1:]
    return groups, text


def low_and_length(text):
    """C++ arguments of 'low:length', both of which may have a '?' with its ':'."""
    at = next(i for i, c in enumerate(text) if c == ":" and text[:i].count("?") == text[:i].count(":"))
    return f"{text[:at]}, {text[at + 1:]}"


def elements(section):
    """(the array, C++ for the set of elements) of a section as hsched-kinfo writes it."""
    if found := re.fullmatch(r"\((\[.*\])(\w)\)(\[.*\])", section):
        (_, row), _ = split(found[1])
        (r, c), _ = split(found[3])
        return found[2], f"tile({row}, {low_and_length(r)}, {low_and_length(c)})"
    if section.startswith("["):
        (count,), name = split(section)
        return name, f"range(0, {count})"
    if section.startswith("*"):
        return section[1:], "range(0, 1)"
    (inside,), _ = split(section[1:])
    return section[0], f"range({low_and_length(inside)})"


class Claims:
    """What is said of each body: text to show, and C++ that asks judge() about an execution."""

    def __init__(self):
        self.shown, self.checks, self.functions = collections.defaultdict(list), collections.defaultdict(list), ""


def task_source(bodies):
    return "#include <algorithm>\n#include <cstring>\n" + "".join(
        f"#pragma hsched task\nvoid {b.name}({PARAMETERS.format(x='const ', y='')}) {{\n{b.text}\n}}\n" for b in bodies)


def claims_of_tasks(bodies, source, options):
    words = [options.hsched_cc, "-w", "-std=c++20"]
    source.write_text(task_source(bodies))
    told = command([*words, "--hsched-explain", "-ferror-limit=0", "-fsyntax-only", source]).stderr
    claims, conditions = Claims(), collections.defaultdict(list)
    for line in told.splitlines():
        if found := REMARK.search(line):
            claims.shown[found[1]].append(found[2])
        if found := ONLY.search(line):
            claims.shown[found[1]].append(f"'{found[2]}' only where {found[3]} >= 0")
            conditions[found[1], found[2]].append(f"({found[3]}) >= 0")
    # What cannot be inferred is an error: the others are compiled on their own.
    lines = source.read_text().splitlines()
    failed = {lines[int(n)].split("(")[0].split()[-1] for n in re.findall(r"^[^\n]*?:(\d+):\d+: error:", told, re.M)}
    bodies = [b for b in bodies if claims.shown[b.name] and b.name not in failed]
    source.write_text(task_source(bodies))
    emitted = command([*words, "--hsched-emit=source", source])
    if emitted.returncode:
        print(emitted.stderr[:3000])
        return None
    name = ""
    functions = collections.defaultdict(str)
    for line in emitted.stdout.splitlines():
        if found := re.match(r"void (task\d+)\(", line):
            name = found[1]
        if line.startswith("  hsched_f.hsched_add("):
            functions[name] += line + "\n"
    for name, calls in functions.items():
        claims.functions += (f"static void sections_{name}({PARAMETERS.format(x='const ', y='')}, Frame &hsched_f) {{\n"
                             f"{calls}}}\n")
        claims.checks[name].append(f"Frame F; int *P = reinterpret_cast<int *>(1L << 40); "
                                   f"sections_{name}(int(n), int(m), unsigned(u), P, P, F);")
        for at, array in enumerate("xy"):
            holds = " && ".join(conditions[name, array]) or "true"
            claims.checks[name].append(
                f"if (F.Of[{at}].Made) Good &= judge(\"{name}\", V, '{array}', F.Of[{at}].R, F.Of[{at}].What, "
                f"{holds}, {array.upper()}, Threw);")
    return claims


def claims_of_kernels(bodies, source, options):
    claims = Claims()
    source.write_text("".join(
        f"kernel void {b.name}({PARAMETERS.format(x='global const ', y='global ')}) {{\n{b.text}\n}}\n" for b in bodies))
    for text in command([options.kinfo, "-w", source]).stdout.split("\nkernel ")[1:]:
        name = text.split()[0]
        launch = re.search(r"global size (.*)", text)
        as_launched = [f"({size}) == get_global_size({k})" for k, size in enumerate(launch[1].split(" x "))] if launch else []
        for array, role, section in re.findall(r"^  \d+  ([xy])  .*?  (in|out|inout) +(\S.*)$", text, re.M):
            if "unknown" in section:
                continue
            section, _, where = section.partition("  only where ")
            claims.shown[name].append(f"{role}({section})" + (f" for {launch[1]}" if launch else "") +
                                      (f" only where {where}" if where else ""))
            _, what = elements(section)
            holds = " && ".join(f"({each}) >= 0" for each in re.findall(r"(?:^| and )(.*?) >= 0", where)) or "true"
            claims.checks[name].append(
                f"if ({' && '.join(as_launched) or 'true'}) Good &= judge(\"{name}\", V, '{array}', {ROLES[role]}, {what}, "
                f"{holds}, {array.upper()}, Threw);")
    return claims


def harness(bodies, claims, kernel):
    text = HARNESS + ("" if kernel else SECTIONS) + claims.functions
    runs = ""
    for b in bodies:
        if not claims.checks[b.name]:
            continue
        code = re.sub(r"std::memset\((.*?), 0, ", r"zero(\1, ", b.text)
        code = code.replace("std::fill", "fill").replace("global int *", "auto ")
        # Loops that touch nothing end as well.
        code = re.sub(r"^( *(?:for|while|do) .*\{)$", r"\1 y.A->step();", code, flags=re.M)
        unused = "(void)n, (void)m, (void)u;"
        text += f"static void {b.name}(int n, int m, unsigned u, Pointer x, Pointer y) {{\n  {unused}\n{code}\n}}\n"
        text += (f"struct Claims_{b.name} : Signed {{\n  static bool check(long n, long m, long u, const Array &X, "
                 f"const Array &Y, const char *V, bool Threw) {{\n    {unused} bool Good = true;\n")
        text += "".join(f"    {check}\n" for check in claims.checks[b.name]) + "    return Good;\n  }\n};\n"
        text += f"static auto claims_{b.name} = Claims_{b.name}::check;\n"
        text += (KERNEL_RUN if kernel else HOST_RUN).format(name=b.name)
        of = {"n": "0, 1, 3, 6" if kernel else "-3, -1, 0, 1, 2, 5, 8", "u": "0, 1, 2, 5"}
        # In kernels, a product of two negative numbers is not a number of elements.
        squares = re.search(r"\b([nm]) \* \1\b", " ".join(claims.shown[b.name]))
        if (kernel and squares) or re.search(r"\bu\b|unsigned", b.text):  # Compared with what has no sign a negative number is a great one.
            of["n"] = "0, 1, 2, 5, 8"
        of["m"] = of["n"]
        loops = "".join(f"for (int {v} : {{{of[v] if re.search(rf'{chr(92)}b{v}{chr(92)}b', b.text) else 1}}}) "
                        for v in "nmu") + "for (int V : {0, 1}) "
        loops += "if (n >= 0 || m >= 0) " if kernel else ""
        run = f"{{ Element::Value = V; if (!run_{b.name}(n, m, unsigned(u))) return true; }}"
        launches = f"for (auto &L : Launches) if (launch(L, {b.dimensions})) " if kernel else ""
        runs += f"  Bad += [] {{ {launches}{loops}{run} return false; }}();\n"
    return text + ("int main() {\n  int Bad = 0;\n" + runs +
                   '  std::printf("%ld checks, %ld of out, %ld of sections that are wider\\n", Checked, Outs, Loose);\n'
                   "  return Bad ? 1 : 0;\n}\n")


def try_seed(seed, options):
    work = options.work / f"seed{seed}"
    work.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    print(f"inference: seed {seed}, in {work}", flush=True)
    good = True
    for kernel in (False,) if options.exits or options.met else (False, True):
        kind = "kernel" if kernel else "task"
        bodies = [generate(rng, f"{kind}{i}", kernel, options.exits, options.last, options.met, options.inside) for i in range(options.bodies // (2 if kernel else 1))]
        claims = (claims_of_kernels if kernel else claims_of_tasks)(
            bodies, work / ("bodies.cl" if kernel else "bodies.cpp"), options)
        if not claims or not claims.shown:
            print(f"inference: nothing is inferred of the {kind}s")
            return False
        program = work / f"{kind}s.cpp"
        program.write_text(harness(bodies, claims, kernel))
        built = command([options.host_cxx, "-std=c++20", "-w", "-O0", "-I", options.include, program, "-o",
                         work / f"{kind}s"])
        if built.returncode:
            print("inference: the harness does not compile: the generator is wrong\n" + built.stderr[:3000])
            return False
        ran = command([work / f"{kind}s"])
        wrong = [line for line in ran.stdout.splitlines() if line.startswith("WRONG")]
        for line in wrong:
            body = next(b for b in bodies if b.name == line.split()[1])
            print(f"inference: {line}\n{body.text}")
            print("".join(f"  // {said}\n" for said in claims.shown[body.name]), end="")
        said = sum(1 for b in bodies if claims.checks[b.name])
        print(f"inference: {len(bodies)} {kind}s, {said} with claims, {len(wrong)} wrong; "
              f"{(ran.stdout.splitlines() or ['no output'])[-1]}", flush=True)
        good &= ran.returncode == 0
    return good


def main():
    parser = argparse.ArgumentParser(description="Inference against executions.")
    parser.add_argument("--hsched-cc", required=True)
    parser.add_argument("--kinfo", required=True)
    parser.add_argument("--include", required=True, help="the folder with hsched/gen.h")
    parser.add_argument("--host-cxx", default="g++")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--bodies", type=int, default=150, help="tasks a seed; of kernels there are half as many")
    parser.add_argument("--exits", action="store_true", help="tasks alone, which use counters behind their loops")
    parser.add_argument("--last", action="store_true", help="loops that test last, and elements in front of loops")
    parser.add_argument("--met", action="store_true", help="tasks alone, with loops that end at i != n or elsewhere")
    parser.add_argument("--inside", action="store_true", help="loops with their test inside, and shared loops that count down")
    seeds.add_options(parser)
    options = parser.parse_args()
    kinds = [kind for kind in ("exits", "last", "met", "inside") if getattr(options, kind)]
    return seeds.try_all((kinds + ["inference"])[0], options, try_seed)


if __name__ == "__main__":
    sys.exit(main())

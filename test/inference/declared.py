#!/usr/bin/env python3
"""Clauses that are true of random bodies, and clauses that lie, against what hsched-cc says of them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: declared.py --hsched-cc PATH --host-cxx CXX --work FOLDER [--bodies N] [--seed N | --random-seed]

The bodies run over arrays that note each access, for many values of their parameters. Then each is compiled with clauses:

  inferred   what hsched-cc infers without clauses, written down: no warning
  true       sections that hold all that any run touches, with the strongest role that all runs bear out, and weaker
             ones: no warning, but that a length looks like a bound of OmpSs, which is no matter of what runs touch,
             and of in that there is a write, in code that no run comes to
  lies       in of what every run writes; out of what every run reads first, never writes, or leaves gaps in; sections
             an element too short in every run. How many are told of is counted; of a plain body, a single loop without
             guards, each must be.

HSCHED_TEST_SEED names the seed of --random-seed.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import seeds
from rich import ARRAYS, HELPERS, PARAMETERS, Rich, in_harness
from run import HARNESS, ONLY, REMARK, command, elements

LENGTHS = ["n", "m", "n + 1", "n - 1", "n - 2", "m - 1", "m + 1", "n + 2", "m + 2", "2 * n", "2 * m", "2 * n - 1", "n * m",
           "n * n", "n + m", "u", "u + 1", "n / 2", "(n < m ? n : m)", "(n > m ? n : m)", "1", "2", "3", "4", "6"]
CANDIDATES = [(low, length) for low in ("0", "1", "-1", "2", "n", "m") for length in LENGTHS]
EVERYTHING = "[-600:3000]"

POINTERS = """\
#include <algorithm>
struct Word : Element {
  using Element::operator=;
  int operator=(const Word &E) const { return Element::operator=(static_cast<const Element &>(E)); }
  int operator++(int) const { A.read(At); A.write(At); return 1; }
  struct Pointer operator&() const;
};
struct Pointer {
  Array *A; long At;
  Word operator[](long I) const { return {*A, At + I}; }
  Word operator*() const { return {*A, At}; }
  Pointer operator+(long I) const { return {A, At + I}; }
  Pointer operator-(long I) const { return {A, At - I}; }
  Pointer operator++(int) { return {A, At++}; }
  Pointer &operator++() { ++At; return *this; }
  bool operator<(Pointer P) const { return At < P.At; }
};
Pointer Word::operator&() const { return {&A, At}; }
struct Pair { Word a, b; Pair *operator->() { return this; } };
struct Pairs {
  Array *A; long At;
  Pair operator[](long I) const { return {{*A, 2 * (At + I)}, {*A, 2 * (At + I) + 1}}; }
  Pair operator->() const { return (*this)[0]; }
  Pairs operator+(long I) const { return {A, At + I}; }
};
static void fill_(Pointer B, Pointer E, int) {
  if (E.At < B.At) throw Illegal();
  for (; B < E; ++B) *B = 1;
}
static void fill_n_(Pointer B, long N, int) { for (long I = 0; I < N; ++I) B[I] = 1; }
static void zero(Pointer B, long Bytes) {
  if (Bytes < 0) throw Illegal();
  fill_n_(B, Bytes / 4, 0);
}
static void copy_(Pointer B, Pointer E, Pointer To) {
  if (E.At < B.At || (To.A == B.A && To.At < E.At && B.At < To.At + (E.At - B.At))) throw Illegal();
  for (; B < E; ++B, ++To) *To = *B;
}
static void copy_bytes(Pointer To, Pointer From, long Bytes) {
  if (Bytes < 0) throw Illegal();
  copy_(From, From + Bytes / 4, To);
}
static void swap_(Word A, Word B) { A += 1; B += 1; }
"""

JUDGE = """\
using Range = Set (*)(long, long, long);
struct Facts { // over all runs, and over those with sizes of at least 3 that touch the array
  long Runs = 0, Big = 0, Touches = 0;
  bool NeverWritten = true, WritesAlways = true, ReadsFirstAlways = true;
  struct Of { bool Holds = true, HoldsBig = true, Tight = true, Full = true, Gaps = true; };
  std::vector<Of> Sections;
};
static void note(Facts &F, const Array &A, bool Threw, bool IsBig, const std::vector<Set> &Sections,
                 long Slack) {
  Set All = A.Read;
  All.insert(A.Written.begin(), A.Written.end());
  F.Sections.resize(Sections.size());
  ++F.Runs, F.Big += IsBig, F.Touches += !All.empty();
  F.NeverWritten &= A.Written.empty();
  if (IsBig) F.WritesAlways &= !A.Written.empty(), F.ReadsFirstAlways &= !A.ReadFirst.empty();
  for (size_t I = 0; I < Sections.size(); ++I) {
    const Set &S = Sections[I];
    Facts::Of &O = F.Sections[I];
    const bool Holds = std::includes(S.begin(), S.end(), All.begin(), All.end());
    bool Full = true;
    for (long E : S) Full &= A.Written.count(E) && !A.ReadFirst.count(E);
    O.Holds &= Holds, O.Full &= Full || Threw;
    if (IsBig) {
      O.HoldsBig &= Holds, O.Gaps &= !Full;
      O.Tight &= Holds && !All.empty() && !S.empty() && *All.begin() <= *S.begin() + Slack && *All.rbegin() + Slack >= *S.rbegin();
    }
  }
}
static void show(const char *Body, char Name, const Facts &F) {
  std::printf("{\\"body\\": \\"%s\\", \\"array\\": \\"%c\\", \\"runs\\": %ld, \\"big\\": %ld, \\"touches\\": %ld, "
              "\\"never\\": %d, \\"writes\\": %d, \\"reads\\": %d, \\"of\\": \\"", Body, Name, F.Runs, F.Big, F.Touches,
              F.NeverWritten, F.WritesAlways, F.ReadsFirstAlways);
  for (auto &O : F.Sections)
    std::putchar('A' + (O.Holds | O.HoldsBig << 1 | O.Tight << 2 | O.Full << 3 | O.Gaps << 4));
  std::printf("\\"}\\n");
}
static Set twice(const Set &S) { // of pairs
  Set T;
  for (long I : S) T.insert(2 * I), T.insert(2 * I + 1);
  return T;
}
"""


def variant(name, clauses, text):
    return f"#pragma hsched task {' '.join(clauses)}\nvoid {name}({PARAMETERS}) {{\n{text}\n}}\n"


PROLOG = "#include <algorithm>\n#include <cstring>\n" + HELPERS


def compiled(variants, source, options, *words):
    """What hsched-cc says, by variant."""
    text, lines, at = PROLOG, [], PROLOG.count("\n")
    for name, clauses, body in variants:
        piece = variant(name, clauses, body)
        text += piece
        lines += [name] * piece.count("\n")
    source.write_text(text)
    told = command([options.hsched_cc, "-std=c++20", "-ferror-limit=0", *words, "-fsyntax-only", source], 600).stderr
    said = collections.defaultdict(list)
    for line, kind, message in re.findall(rf"^{re.escape(str(source))}:(\d+):\d+: (warning|error|remark): (.*)", told, re.M):
        if at < int(line) and (kind != "warning" or "[-Whsched-" in message):
            said[lines[int(line) - at - 1]].append(f"{kind}: {message}")
    return said


def inferred(bodies, source, options):
    """{body: {array: [(role, section)]}}"""
    said = compiled([(n, [], t) for n, t in bodies], source, options, "-w", "--hsched-explain")
    claims = {}
    for name, _ in bodies:
        claims[name] = collections.defaultdict(list)
        for line in said[name]:
            if found := REMARK.search(line):
                for role, inside in clauses_of(found[2]):
                    array = re.search(r"\b[xyzs]\b", inside)
                    if array:
                        claims[name][array[0]].append((role, inside))
    return claims


def clauses_of(text):
    """(role, section) of each section of clauses as a remark has them."""
    for found in re.finditer(r"\b(inout|in|out)\(", text):
        depth, at = 1, found.end()
        start = at
        while depth:
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if (text[at] == "," and depth == 1) or not depth:
                yield found[1], text[start:at].strip()
                start = at + 1
            at += 1


def mentions(text, name):
    return bool(re.search(rf"\b{name}\b", text))


def harness(bodies, claims):
    text = HARNESS[:HARNESS.index("struct Pointer {")] + POINTERS + HARNESS[HARNESS.index("using Set"):HARNESS.index(
        "static long Checked")] + JUDGE
    text += in_harness(HELPERS[HELPERS.index("static void put"):])
    text += "static const Range Common[] = {\n" + "".join(
        f"  [](long n, long m, long u) {{ return range({low}, {length}); }},\n" for low, length in CANDIDATES) + "};\n"
    main = ""
    for name, body in bodies:
        code = re.sub(r"^( *(?:for|while) .*\{)$", r"\1 y.A->step();", in_harness(body), flags=re.M)
        text += (f"static void {name}(int n, int m, unsigned u, Pointer x, Pointer y, Pointer z, Pairs s) {{\n{code}\n}}\n")
        own = ""
        for array in ARRAYS:
            for _, section in claims[name][array]:
                try:
                    what = elements(section)[1]
                except ValueError:
                    what = "Set()"
                own += f"{{'{array}', [](long n, long m, long u) {{ return {what}; }}}}, "
        text += f"static const std::vector<std::pair<char, Range>> Own_{name} = {{{own}}};\n"
        main += (f"  judge<{name}>(\"{name}\", Own_{name}, {int(mentions(body, 'm'))}, "
                 f"{int(mentions(body, 'u') or 'unsigned' in body)});\n")
    text += """\
template <auto Run> static void judge(const char *Name, const std::vector<std::pair<char, Range>> &Own, bool M, bool U) {
  Facts F[4];
  // Every small size, for a clause may be true of all but one. Loops from n / 2 down to n need a size below -2 to run twice.
  for (int n : {-5, -2, 0, 1, 2, 3, 4, 5, 8, 11}) for (int m : {-5, -2, 0, 1, 2, 3, 4, 5, 7, 10})
  for (unsigned u : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 9u}) for (int V : {0, 1}) {
    if ((!M && m != 3) || (!U && u != 4) || (U && (n < 0 || m < 0))) continue;
    Array A[4];
    bool Threw = false;
    Element::Value = V;
    try { Run(n, m, u, {&A[0], 0}, {&A[1], 0}, {&A[2], 0}, {&A[3], 0}); }
    catch (int) { Threw = true; } catch (Illegal) { continue; }
    std::vector<Set> Sections;
    for (Range R : Common) Sections.push_back(R(n, m, u));
    for (int K = 0; K < 4; ++K) {
      std::vector<Set> Here;
      for (auto &S : Sections) Here.push_back(K == 3 ? twice(S) : S);
      for (auto &[Of, R] : Own) if (Of == "xyzs"[K]) Here.push_back(K == 3 ? twice(R(n, m, u)) : R(n, m, u));
      note(F[K], A[K], Threw, n >= 3 && m >= 3 && u >= 3 && !Threw, Here, K == 3);
    }
  }
  for (int K = 0; K < 4; ++K) show(Name, "xyzs"[K], F[K]);
}
int main() {
""" + main + "}\n"
    return text


def spelled(array, low, length):
    return f"[{length}]{array}" if low == "0" else f"{array}[{low}:{length}]"


class Sections:
    """Of one array of one body: what is true of each section that was looked at."""

    def __init__(self, facts, own, text):
        self.facts, self.array = facts, facts["array"]
        varied = {v for v in "nmu" if v == "n" or mentions(text, v)}
        self.all = []  # (Section, (low, length) or None, flags).
        for at, letter in enumerate(facts["of"]):
            flags = ord(letter) - ord("A")
            flags = {w: bool(flags >> k & 1) for k, w in enumerate(("holds", "big", "tight", "full", "gaps"))}
            if at < len(CANDIDATES):
                if not set(re.findall(r"\b[nmu]\b", " ".join(CANDIDATES[at]))) <= varied:
                    continue
                if CANDIDATES[at][1].isdigit() and not (flags["tight"] and facts["big"]):  # Other sizes may lead out of it.
                    continue
                self.all.append((spelled(self.array, *CANDIDATES[at]), CANDIDATES[at], flags))
            else:
                self.all.append((own[at - len(CANDIDATES)][1], None, flags))

    def role(self, flags):
        return "in" if self.facts["never"] else "out" if flags["full"] else "inout"

    def companion(self, own):
        """A clause to stand where another array's is judged."""
        if own:
            return [f"{role}({section})" for role, section in own]
        return [f"{'in' if self.array == 'x' else 'inout'}({self.array}{EVERYTHING})"]


def clauses_to_judge(rng, bodies, facts, claims):
    """[(name, body, kind, array, clauses, text)]"""
    judged = []
    for name, text in bodies:
        own = claims[name]
        of = {a: Sections(facts[name, a], own[a], text) for a in ARRAYS if facts[name, a]["runs"] and facts[name, a]["touches"]}

        def add(kind, array, clause):
            others = [c for a in of if a != array for c in of[a].companion(own[a])]
            judged.append((f"{name}_{len(judged)}", name, kind, array, [clause, *others], text))

        judged.append((f"{name}_{len(judged)}", name, "inferred", "", [c for a in of for c in of[a].companion(own[a])], text))
        for array, s in of.items():
            f = s.facts
            # A body whose only legal runs have the smallest sizes shows nothing of the others.
            true = [(w, c, g) for w, c, g in s.all if g["holds"] and (f["big"] or not c)]
            tight = [(w, c, g) for w, c, g in true if g["tight"] and f["big"]]
            some = (rng.sample(tight, min(3, len(tight))) + rng.sample(true, min(2, len(true))) +
                    [t for t in rng.sample(true, len(true)) if t[2]["full"]][:2])
            for section, _, flags in some:
                add("true", array, f"{s.role(flags)}({section})")
                if s.role(flags) == "out":
                    add("true", array, f"inout({section})")
            if f["never"] and array != "x" and true:
                add("true, weak", array, f"inout({rng.choice(true)[0]})")
            add("true, all", array, f"{'in' if f['never'] else 'inout'}({array}{EVERYTHING})")
            if not f["big"]:
                continue
            for section, c, flags in tight[:1] + [(f"{array}{EVERYTHING}", None, {})]:
                if f["writes"]:
                    add("lie: in, written", array, f"in({section})")
                if f["never"] and array != "x":
                    add("lie: out, never written", array, f"out({section})")
                elif f["reads"] and array != "x" and c:
                    add("lie: out, read first", array, f"out({section})")
                elif flags.get("gaps") and array != "x" and c and not f["never"]:
                    add("lie: out, gaps", array, f"out({section})")
            role = "in" if f["never"] else "inout"
            for section, c, flags in [t for t in tight if t[1]][:1]:
                low, length = c
                if array != "s" and length != "1":
                    add("lie: short", array, f"{role}({spelled(array, low, f'({length}) - 1')})")
                    add("lie: late", array, f"{role}({array}[{low} + 1:({length}) - 1])")
    return judged


def try_seed(seed, options):
    work = options.work / f"declared{seed}"
    work.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    print(f"declared: seed {seed}, in {work}", flush=True)
    bodies = [Rich(rng).plain(f"plain{i}") if i % 4 == 0 else Rich(rng).body(f"task{i}") for i in range(options.bodies)]
    claims = inferred(bodies, work / "inferred.cpp", options)
    program = work / "runs.cpp"
    program.write_text(harness(bodies, claims))
    built = command([options.host_cxx, "-std=c++20", "-w", "-O0", program, "-o", work / "runs"], 600)
    if built.returncode:
        print("declared: the harness does not compile: the generator is wrong\n" + built.stderr[:3000])
        return False
    facts = [json.loads(line) for line in command([work / "runs"]).stdout.splitlines()]
    facts = {(f["body"], f["array"]): f for f in facts}
    judged = clauses_to_judge(rng, bodies, facts, claims)
    said = compiled([(n, c, t) for n, _, _, _, c, t in judged], work / "clauses.cpp", options)
    counts, told, wrong, untold = collections.Counter(), collections.Counter(), [], []
    for name, body, kind, array, clauses, text in judged:
        errors = [m for m in said[name] if m.startswith("error")]
        warnings = [m for m in said[name] if m.startswith("warning") and (not array or f"'{array}" in m or array in m)]
        if errors:
            counts["not compiled"] += 1
            if options.verbose:
                print("declared: " + errors[0])
            continue
        counts[kind] += 1
        shown = f"{kind} of {body}: {' '.join(clauses)}\n  " + "\n  ".join(warnings) + f"\n{text}"
        if kind.startswith("lie"):
            warnings = [m for m in warnings if "ompss-bound" not in m]
            told[kind] += bool(warnings)
            if not warnings:
                untold.append((body, shown))
        elif array and facts[body, array]["never"] and all(" writes " in m and "hsched-role" in m for m in warnings):
            counts["of writes that no run comes to"] += bool(warnings)
        elif [m for m in warnings if kind == "inferred" or "ompss-bound" not in m]:
            wrong.append(shown)
        counts["looks like a bound of OmpSs"] += any("ompss-bound" in m for m in warnings)
    for text in wrong:
        print("declared: a false alarm: " + text)
    plain = [t for b, t in untold if b.startswith("plain")]
    for text in plain:
        print("declared: not told of a plain " + text)
    if options.verbose:
        for body, text in untold:
            print("declared: not told of a " + text)
    lies = {k: c for k, c in counts.items() if k.startswith("lie")}
    print(f"declared: {len(bodies)} bodies; clauses: " + ", ".join(f"{c} {k}" for k, c in sorted(counts.items())))
    rate = 100 * sum(told.values()) // max(1, sum(lies.values()))
    print(f"declared: {sum(told.values())} of {sum(lies.values())} lies told ({rate} %): " +
          ", ".join(f"{told[k]} of {c} {k[5:]}" for k, c in sorted(lies.items())) +
          f"; {len(wrong)} false alarms, {len(plain)} plain lies untold", flush=True)
    few = 100 * len(wrong) <= options.false_alarms * (sum(told.values()) + len(wrong))
    return few and not plain


def main():
    parser = argparse.ArgumentParser(description="Declared clauses against executions.")
    parser.add_argument("--hsched-cc", required=True)
    parser.add_argument("--host-cxx", default="g++")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--bodies", type=int, default=100)
    seeds.add_options(parser)
    parser.add_argument("--false-alarms", type=float, default=0, metavar="PERCENT", help="so many of all warnings may be false")
    parser.add_argument("--verbose", action="store_true", help="also lies that are not told of")
    options = parser.parse_args()
    return seeds.try_all("declared", options, try_seed)


if __name__ == "__main__":
    sys.exit(main())

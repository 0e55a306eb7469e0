#!/usr/bin/env python3
"""What a checked run says, word for word, and what it lets pass.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: cases.py --list | --cc BIN/hsched-cc [--opencl] NAME
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from sources import MEMORY, ROWS

HERE = pathlib.Path(__file__).parent


class Case:
    def __init__(self, cc):
        self.cc = cc
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def build(self, source, *options, name="a.cpp", check=True):
        (self.folder / name).write_text(source)
        words = [self.cc, *(["--hsched-check"] if check else []), "-w", "-std=c++20", "-O1", name, "-o", "a", *options]
        subprocess.run(words, check=True, cwd=self.folder)

    def run(self, code, **environment):
        env = {**os.environ, "HSCHED_OPENCL": "0", **environment}
        done = subprocess.run(["./a"], cwd=self.folder, env=env, capture_output=True, text=True, timeout=100)
        text = re.sub(r"0x[0-9a-f]+", "ADDRESS", done.stderr)
        if done.returncode != code:
            sys.exit(f"exit code {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
        return done.stdout, text


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"not said: {part}\n{text}")


def expect_not(text, *parts):
    for part in parts:
        if part in text:
            sys.exit(f"said: {part}\n{text}")


SAXPY = """#include <cstdio>
#pragma hsched task in([n]x) inout([n]y)
void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n + OVER; ++i)
    y[i] += a * x[i];
}
float x[100], y[100];
int main() {
  saxpy(64, 2, x, y);
#pragma hsched taskwait
  std::printf("%g\\n", y[0]);
}
"""


def words(case):
    """Task, line, address, clause; the program's own output and its code where nothing is found."""
    case.build(SAXPY, "-DOVER=1")
    out, text = case.run(1)
    expect(text, """checked run: task 'saxpy' (a.cpp:3) writes y[64], outside of 'inout([n]y)'
  a.cpp:5: 4 bytes at ADDRESS, version 'saxpy' on the CPU
  write inout([n + 1]y)
""", """checked run: task 'saxpy' (a.cpp:3) reads x[64], outside of 'in([n]x)'
  a.cpp:5: 4 bytes at ADDRESS, version 'saxpy' on the CPU
  write in([n + 1]x)
""", "checked run: 2 findings\n")
    if out != "0\n":
        sys.exit("the program did not go on: " + out)
    expect_not(case.run(0, HSCHED_CHECK="0")[1], "checked run")
    case.build(SAXPY, "-DOVER=0")
    expect_not(case.run(0)[1], "hsched")


KINDS = """#include <cstring>
#pragma hsched task in([n]p)
void writes(int n, int *p) { p[2] = n; }
#pragma hsched task out([n]p)
void reads(int n, int *p) {
  for (int i = 0; i < n; ++i)
    p[i] = p[i] + 1;
}
#pragma hsched task out([n]p)
void leaves(int n, int *p) {
  for (int i = 0; i < n - 3; ++i)
    p[i] = i;
}
#pragma hsched task in(p[4:n])
void before(int n, const int *p, int *q) {
  for (int i = 3; i < n + 6; ++i)
    *q += p[i];
}
#pragma hsched task out([n + 5]p)
void beyond(int n, int *p) { std::memset(p, 0, n * sizeof *p); }
int data[40], sum;
int main() {
  writes(10, data);
  reads(10, data + 10);
  leaves(10, data + 20);
  before(10, data, &sum);
  beyond(10, data + 30);
#pragma hsched taskwait
}
"""


def kinds(case):
    """Each kind of lie has its sentence and its clause."""
    case.build(KINDS)
    _, text = case.run(1)
    expect(text, "task 'writes' (a.cpp:3) writes p[2], which 'in([n]p)' only reads\n  a.cpp:3:",
           "write inout([n]p)",
           "task 'reads' (a.cpp:5) reads p[0] before it writes it, although 'out([n]p)' says that nothing is read first",
           "task 'leaves' (a.cpp:10) does not write p[7], although 'out([n]p)' says that all is overwritten",
           "task 'before' (a.cpp:15) reads p[3] to p[15], outside of 'in(p[4:n])'", "write in(p[3:n + 3])",
           "task 'beyond' (a.cpp:20): 'out([n + 5]p)' goes 20 bytes beyond 'data'")


RACES = """#include <atomic>
#include <mutex>
int counter, guarded;
std::mutex lock;
std::atomic<int> atomic;
const int table[3] = {1, 2, 3};
#pragma hsched task inout([n]p)
void work(int n, int *p) {
  static int made = n;
  int own[8] = {};
  int *block = new int[n]();
  for (int i = 0; i < n; ++i) {
    own[i % 8] += table[i % 3];
    block[i] = own[i % 8];
    p[i] += block[i] + made;
  }
  delete[] block;
  atomic += n;
  std::lock_guard guard(lock);
  guarded += n;
}
#pragma hsched task inout([n]p)
void count(int n, int *p) {
  for (int i = 0; i < n; ++i)
    ++p[i];
  counter += n;
}
#pragma hsched task inout([n]p)
void look(int n, int *p) { p[0] = counter; }
int data[40], loop[100];
int main() {
  work(10, data);
  work(10, data + 10);
#ifdef RACES
  count(10, data + 20);
  look(10, data + 30);
  data[20] = 3;
#pragma hsched for
  for (int i = 1; i < 100; ++i)
    loop[i] = loop[i - 1] + 1;
#endif
#pragma hsched taskwait
  return guarded == 20 && atomic == 20 ? 0 : 3;
}
"""


def races(case):
    """Memory that no clause names, in pairs; what is a task's own, constant, atomic or under a mutex is none."""
    case.build(RACES)
    expect_not(case.run(0)[1], "hsched")
    case.build(RACES, "-DRACES")
    _, text = case.run(1)
    expect(text, "task 'count' (a.cpp:23) writes counter, which no clause of it names\n  a.cpp:26:",
           "write inout(counter)\n",
           "task 'look' (a.cpp:29) and task 'count' (a.cpp:23) race for 'counter' (ADDRESS)\n"
           "  task 'look' (a.cpp:29) reads it in a.cpp:29\n  task 'count' (a.cpp:23) writes it in a.cpp:26\n",
           "code outside tasks and task 'count' (a.cpp:23) race for 'data' (ADDRESS)\n"
           "  code outside tasks writes it in a.cpp:37\n  task 'count' (a.cpp:23) writes it by a clause\n"
           "  write #pragma hsched taskwait before a.cpp:37\n",
           "two iterations of loop 'main:38' (a.cpp:38) race for 'loop' (ADDRESS)\n")
    expect_not(text, "work", "guarded", "atomic", "table")


NESTED = """#pragma hsched task inout(*p)
void child(int *p) { ++*p; }
#pragma hsched task inout([2]p)
void parent(int *p) {
  child(p);
  child(p + 1);
#ifndef FORGETS
#pragma hsched taskwait
#endif
  p[1] += p[0];
}
int p[2];
int main() {
  parent(p);
#pragma hsched taskwait
}
"""


def nested(case):
    """A task that does not wait for its children; versions take turns; what throws, throws at the wait."""
    case.build(NESTED)
    expect_not(case.run(0)[1], "hsched")
    case.build(NESTED, "-DFORGETS")
    expect(case.run(1)[1], "task 'parent' (a.cpp:4) and task 'child' (a.cpp:2) race for 'p'",
           "write #pragma hsched taskwait before a.cpp:10, in task 'parent'")
    case.build("""#include <cstdio>
#pragma hsched task inout([n]p)
void f(int n, int *p) { p[0] += 1; }
#pragma hsched implements(f)
void g(int n, int *p) { p[n] += 1; }
int p[12];
#pragma hsched task inout(*p)
void throws(int *p) { throw 7; }
#pragma hsched task inout(*p)
void follows(int *p) { *p = 1; }
int main() {
  for (int i = 0; i < 2; ++i)
    f(4, p);
  throws(p + 10);
  follows(p + 10);
  try {
#pragma hsched taskwait
  } catch (int x) {
    std::printf("%d %d\\n", x, p[10]);
  }
}
""")
    out, text = case.run(1)
    expect(out, "7 0\n")
    expect(text, "task 'f' (a.cpp:3) writes p[4], outside of 'inout([n]p)'\n  a.cpp:5:", "version 'g' on the CPU")


def plain(case):
    """HSCHED_CHECK=1 alone, of a program that was built without --hsched-check."""
    case.build("""#pragma hsched task in([n]p)
void writes(int n, int *p) { p[2] = n; }
#pragma hsched task out([n]p)
void leaves(int n, int *p) { p[0] = n; }
int p[20];
int main() {
  writes(10, p);
  leaves(10, p + 10);
#pragma hsched taskwait
  return p[2] == 10 && p[10] == 10 && p[11] == 0 ? 0 : 3;
}
""", check=False)
    expect_not(case.run(0)[1], "hsched")
    _, text = case.run(1, HSCHED_CHECK="1")
    expect(text, "task 'writes' (a.cpp:2) writes p[2], which 'in([n]p)' only reads",
           "task 'leaves' (a.cpp:4) does not write p[1], although 'out([n]p)' says that all is overwritten",
           "write inout([n]p)")


KERNELS = """#pragma hsched task in([n]x) inout([n]y)
void axpy(int n, float a, float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}
#pragma hsched implements(axpy) device(opencl) kernel("a.cl") ndrange(n)
void axpy_cl(int n, float a, float *x, float *y);
#pragma hsched task in([n]x) inout([n]y) device(opencl) kernel("a.cl") ndrange(n)
void vectors(int n, float *x, float *y);
#pragma hsched task in([n]x) inout([n]y) device(opencl) kernel("a.cl") ndrange(n)
void right(int n, const float *x, float *y);
#pragma hsched task in([n]x) out([n]z) device(opencl) kernel("a.cl") ndrange(n)
void clear(int n, const float *x, float *z);
float x[100], y[100], z[100];
int main() {
  for (float &v : z)
    v = 1;
  clear(64, x, z);
#ifndef RIGHT
  axpy(64, 2, x, y);
  vectors(32, x, y);
#endif
  right(64, x + 3, y + 7);
#pragma hsched taskwait
  for (int i = 0; i < 100; ++i)
    if (z[i] != (i >= 64))
      return 4;
  return y[8] == 7 ? 0 : 3;
}
"""
KERNEL_FILE = """#define I get_global_id(0)
float both(global const float *p, int i) { return p[i] + p[i + 1]; }
kernel void axpy_cl(int n, float a, global float *x, global float *y) {
  y[I] += a * both(x, I);
}
kernel void vectors(int n, global float *x, global float *y) {
  global float2 *pairs = (global float2 *)x;
  x[I] += 1;
  if (I == 0)
    vstore4(vload4(0, y), n / 4 + 2, y);
  pairs[n / 2 - 1 + I / (n - 1)].y = 3;
}
kernel void right(int n, global const float *x, global float *y) {
  local float part[4];
  int i = I;
  if (i < n / 4) {
    float4 v = vload4(i, x);
    v.x += 7;
    vstore4(v, i, y);
  }
  y[i % 4] = y[i % 4];
  if (i == 1)
    *(y + 1) = 7;
  part[i % 4] = x[i];
}
float none(float v) { return v - v; }
kernel void clear(int n, global const float *x, global float *z) {
  float pair[2] = {none(x[I]), 0};
  z[I] = pair[I % 2];
}
"""


def kernels(case):
    """A kernel's accesses by subscripts, pointers, vectors and called functions; versions for the CPU run as well."""
    (case.folder / "a.cl").write_text(KERNEL_FILE)
    case.build(KERNELS, "-DRIGHT")
    expect_not(case.run(0, HSCHED_OPENCL="cpu")[1], "checked run")
    case.build(KERNELS)
    _, text = case.run(1, HSCHED_OPENCL="cpu")
    expect(text, "task 'axpy' (a.cpp:2) reads x[64], outside of 'in([n]x)'\n"
           "  a.cl:2: 4 bytes, version 'axpy_cl' on a device\n  write in([n + 1]x)\n",
           "task 'vectors' (a.cpp:9) writes x[0], which 'in([n]x)' only reads\n  a.cl:8:",
           "task 'vectors' (a.cpp:9) writes y[40] to y[43], outside of 'inout([n]y)'\n  a.cl:10: 16 bytes",
           "  write inout([n + 12]y)\n",
           "task 'vectors' (a.cpp:9) writes x[32] to x[33], outside of 'in([n]x)'\n  a.cl:11: 8 bytes")
    expect_not(case.run(0, HSCHED_OPENCL="cpu", HSCHED_CHECK="0")[1], "checked run")


OWN = """#pragma hsched task in([n]x) out([n]y)
void first(int n, int ld, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
#pragma hsched implements(first) in([w]from)
void first_wide(int n, int w, const float *from, float *to) {
  float sum = 0;
  for (int i = 0; i < w + OVER; ++i)
    sum += from[i];
  for (int i = 0; i < n; ++i)
    to[i] = sum > 1e9f ? 0 : from[i];
}
#pragma hsched implements(first) device(opencl) kernel("a.cl", "first_cl") ndrange(n) in([2 * ld]x)
void first_cl(int n, int ld, const float *x, float *y);
float x[100], y[100];
int main() {
  for (int i = 0; i < 100; ++i)
    x[i] = i;
  for (int k = 0; k < 2; ++k)
    first(8, 16, x, y);
#pragma hsched taskwait
  return y[7] == 7 && OVER == 0 ? 0 : 3 * (OVER == 0);
}
"""
OWN_FILE = """kernel void first_cl(int n, int ld, global const float *x, global float *y) {
  y[get_global_id(0)] = x[2 * ld - 1 + OVER] > 1e9f ? 0 : x[get_global_id(0)];
}
"""
# Linked in front of the task, the version with a section of its own is the first one, and the only one that runs.
OWN_FIRST = """#pragma hsched task in([n]x) out([n]y)
void first(int n, int ld, const float *x, float *y);
#pragma hsched implements(first) device(opencl) kernel("a.cl", "first_cl") ndrange(n) in([2 * ld]x)
void first_cl(int n, int ld, const float *x, float *y);
"""
OWN_TASK = """#pragma hsched task in([n]x) out([n]y) device(opencl) kernel("b.cl", "copy") ndrange(n)
void first(int n, int ld, const float *x, float *y);
float x[100], y[100];
int main() {
  for (int i = 0; i < 100; ++i)
    x[i] = i;
  first(8, 16, x, y);
#pragma hsched taskwait
  return y[7] == 7 ? 0 : 3;
}
"""
OWN_COPY = """kernel void copy(int n, int ld, global const float *x, global float *y) {
  y[get_global_id(0)] = x[get_global_id(0)];
}
"""


def own_sections(case):
    """The clauses of the version that runs are what is checked."""
    (case.folder / "a.cl").write_text(OWN_FILE.replace("OVER", "0"))
    case.build(OWN, "-DOVER=0")
    expect_not(case.run(0, HSCHED_OPENCL="cpu")[1], "checked run")
    (case.folder / "m.cpp").write_text(OWN_TASK)
    (case.folder / "b.cl").write_text(OWN_COPY)
    case.build(OWN_FIRST, "m.cpp")
    expect_not(case.run(0, HSCHED_OPENCL="cpu")[1], "checked run")
    (case.folder / "a.cl").write_text(OWN_FILE.replace("OVER", "1"))
    case.build(OWN, "-DOVER=1", "-Wno-error")
    _, text = case.run(1, HSCHED_OPENCL="cpu")
    expect(text, "task 'first' (a.cpp:2) reads from[16], outside of 'in([w]from)'\n  a.cpp:10: 4 bytes at ADDRESS, version 'first_wide' on the CPU\n",
           "  write in([w + 1]from)\n",
           "task 'first' (a.cpp:2) reads x[32], outside of 'in([2 * ld]x)'\n  a.cl:2: 4 bytes, version 'first_cl' on a device\n")


MACROS = """#pragma hsched task in([n]x) out([n]z) device(opencl) kernel("a.cl") ndrange(n)
void sums(int n, const float *x, float *z);
#pragma hsched task in([n]x) out([n]z)
void copy(int n, const float *x, float *z) {
  for (int i = 0; i < n; ++i)
    z[i] = x[i];
}
#pragma hsched implements(copy) device(opencl) kernel("a.cl") ndrange(n)
void copy_cl(int n, const float *x, float *z);
float x[100], z[100], y[100];
int main() {
  for (int i = 0; i < 100; ++i)
    x[i] = i;
  sums(64, x, z);
  copy(64, x, y);
#pragma hsched taskwait
#ifdef RIGHT
  return z[5] == 10 && z[64] == 0 && y[63] == 63 ? 0 : 3;
#endif
}
"""
MACRO_FILE = """#define I get_global_id(0)
#define AT(p, i) p[(i)]
#define ADD(to, what) to += what
#define MORE(p) next((p), \\
                     I)
float next(global const float *p, int i) { return AT(p, i + OVER); }
kernel void sums(int n, global const float *x, global float *z) {
  float s = vload2(I / 2, x).x * 0;
#if !OVER
  AT(z, I) = 0;
#endif
  ADD(s, AT(x, I + OVER));
  ADD(AT(z, I), s);
  ADD(AT(z, I), MORE(x));
}
kernel void copy_cl(int n, global const float *x, global float *z) {
  if (I < n - 4 * OVER)
    AT(z, I) = AT(x, I);
}
"""


def macros(case):
    """Accesses of a kernel that macros make; reads of what it is to overwrite, and what it leaves as it was."""
    (case.folder / "a.cl").write_text(MACRO_FILE.replace("OVER", "0"))
    case.build(MACROS, "-DRIGHT")
    expect_not(case.run(0, HSCHED_OPENCL="cpu")[1], "checked run")
    (case.folder / "a.cl").write_text(MACRO_FILE.replace("OVER", "1"))
    case.build(MACROS)
    _, text = case.run(1, HSCHED_OPENCL="cpu")
    expect(text, "task 'sums' (a.cpp:2) reads x[64], outside of 'in([n]x)'\n  a.cl:12: 4 bytes, version 'sums' on a device\n",
           "task 'sums' (a.cpp:2) reads z[0] before it writes it, although 'out([n]z)' says that nothing is read first\n"
           "  a.cl:13: 4 bytes, version 'sums' on a device\n  write inout([n]z)\n",
           "  a.cl:6: 4 bytes, version 'sums' on a device\n",
           "task 'copy' (a.cpp:4) does not write z[60], although 'out([n]z)' says that all is overwritten\n",
           "version 'copy_cl' on a device")
    expect_not(text, "a.cl:14", "a.cl:18")


def crash(case):
    """An access to memory that is not there is told before the program ends by its signal."""
    case.build("""#pragma hsched task in([n]x) inout(*s)
void sum(int n, const int *x, int *s) {
  for (int i = 0; i < n; ++i)
    *s += x[long(i) << 40];
}
int x[4], s;
int main() {
  sum(4, x, &s);
#pragma hsched taskwait
}
""")
    _, text = case.run(-11)
    expect(text, "task 'sum' (a.cpp:2) reads memory, which no clause of it names\n  a.cpp:4: 4 bytes",
           "task 'sum' (a.cpp:2) ends the program with signal 11, in version 'sum' on the CPU")


def counted(case):
    # Copies of a std::shared_ptr change its counter, which is atomic as soon as there are threads.
    case.build('''#include <memory>
struct node { int value; std::shared_ptr<node> next; };
#pragma hsched task in(n) out(*to)
void follow(const node &n, int *to) {
  std::shared_ptr<node> next = n.next;
  *to = next->value;
}
int main() {
  node first{1, std::make_shared<node>(node{2, nullptr})};
  int one, two;
  follow(first, &one);
  follow(first, &two);
#pragma hsched taskwait
  return one + two != 4;
}
''')
    expect_not(case.run(0)[1], "checked run")


def streams(case):
    # The width and the precision are members of std::cout.
    case.build('''#include <iomanip>
#include <iostream>
#pragma hsched task in(*x)
void show(const double *x) { std::cout << std::setw(8) << std::setprecision(3) << std::fixed << *x; }
double x[2];
int main() {
  show(x);
  show(x + 1);
#pragma hsched taskwait
}
''')
    expect_not(case.run(0)[1], "checked run")


def memory(case):
    """What objects of the library have for themselves, copies of arguments, and reduced objects."""
    case.build(MEMORY)
    out, said = case.run(0)
    expect_not(said, "finding")
    case.build("#define WRONG\n" + MEMORY)
    _, said = case.run(1)
    expect(said, "task 'wrong' (a.cpp:56) writes memory, which no clause of it names", "task 'wrong' (a.cpp:56) writes some[0], which no clause of it names")


def rows(case):
    """Sections of pointers to arrays count arrays."""
    case.build("#define OVER 0\n" + ROWS)
    expect_not(case.run(0)[1], "finding")
    case.build("#define OVER 1\n" + ROWS)
    _, said = case.run(1)
    expect(said, "writes a[4][2], outside of 'inout([n]a)'", "write inout([n + 1]a)",
           "writes c[4][3][2], outside of 'inout(c[1:n])'", "write inout(c[1:n + 1])", "2 findings")


CASES = {f.__name__: f for f in (words, kinds, races, nested, plain, kernels, own_sections, macros, crash, counted, streams, memory, rows)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cc")
    parser.add_argument("name", nargs="?")
    options = parser.parse_args()
    if options.list:
        print(";".join(CASES))
        return 0
    CASES[options.name](Case(options.cc))
    return 0


if __name__ == "__main__":
    sys.exit(main())

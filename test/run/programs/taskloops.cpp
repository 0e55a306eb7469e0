// Taskloops over every kind of loop and grain. Prints what it computes, so that it can be compared with the serial
// program; each line also holds how often every element was visited.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static std::vector<int> marks(64);
static void report(const char *name) {
  std::printf("%-12s", name);
  for (int &m : marks) {
    std::printf("%d", m);
    m = 0;
  }
  std::printf("\n");
}

template <class T> void forms(T lo, T hi, int grain) {
  int *m = marks.data() + 20;
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = lo; i < hi; ++i)
    ++m[i];
#pragma hsched taskwait
  report("<");
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = lo; i <= hi; i++)
    ++m[i];
#pragma hsched taskwait
  report("<=");
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = lo; i != hi; i += 1)
    ++m[i];
#pragma hsched taskwait
  report("!=");
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = lo; hi > i; i += 3)
    ++m[i];
#pragma hsched taskwait
  report("> +=3");
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = hi; i > lo; --i)
    ++m[i];
#pragma hsched taskwait
  report(">");
#pragma hsched taskloop grainsize(grain) inout(m[i - 1:1])
  for (T i = hi; i >= lo + 1; i -= 2)
    ++m[i - 1];
#pragma hsched taskwait
  report(">= -=2");
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = hi; lo != i; i--)
    ++m[i];
#pragma hsched taskwait
  report("!= --");
#pragma hsched taskloop grainsize(grain) inout(m[i:1])
  for (T i = lo; i < hi; i = 4 + i)
    ++m[i];
#pragma hsched taskwait
  report("= 4 + i");
}

static void edges() {
  long count = 0;
  // Nothing to do: the other way round, and equal bounds.
  for (int n : {0, -5, INT_MIN})
#pragma hsched taskloop inout(count)
    for (int i = 0; i < n; ++i)
      ++count;
  // At the ends of the types.
#pragma hsched taskloop grainsize(2) inout(count)
  for (int i = INT_MAX - 5; i < INT_MAX; ++i)
    count += i % 10;
#pragma hsched taskloop grainsize(2) inout(count)
  for (int i = INT_MIN; i < INT_MIN + 7; i += 3)
    count += i % 10;
#pragma hsched taskloop grainsize(1000000000) inout(count)
  for (int i = INT_MIN; i <= INT_MAX - 1000000000; i += 1000000000)
    ++count;
#pragma hsched taskloop grainsize(3) inout(count)
  for (std::uint64_t i = UINT64_MAX - 7; i != UINT64_MAX; ++i)
    count += static_cast<long>(i % 10);
#pragma hsched taskloop grainsize(2) inout(count)
  for (std::uint64_t i = UINT64_MAX; i > UINT64_MAX - 5; --i)
    count += static_cast<long>(i % 10);
#pragma hsched taskloop grainsize(2) inout(count)
  for (unsigned char i = 250; i < 255; ++i)
    count += i;
#pragma hsched taskloop grainsize(7) inout(count)
  for (long long i = -20; i < 20; i += 3)
    count += i;
  // Variable and bound of different types.
  std::size_t many = 10;
#pragma hsched taskloop grainsize(4) inout(count)
  for (unsigned short i = 0; i < many; ++i)
    count += i;
#pragma hsched taskloop grainsize(4) inout(count)
  for (long i = -3; i < static_cast<short>(many); ++i)
    count += i;
  // Grains out of range.
#pragma hsched taskloop grainsize(-1) inout(count)
  for (int i = 0; i < 3; ++i)
    ++count;
#pragma hsched taskloop grainsize(UINT64_MAX) inout(count)
  for (int i = 0; i < 3; ++i)
    ++count;
#pragma hsched taskwait
  std::printf("edges %ld\n", count);
}

static void pointers() {
  std::vector<int> v(64);
  std::array<int, 64> a{};
  int *begin = v.data();
#pragma hsched taskloop grainsize(10) out(p[0:1])
  for (int *p = begin; p < v.data() + 64; ++p)
    *p = static_cast<int>(p - begin);
  int *m = marks.data();
#pragma hsched taskloop grainsize(5) inout([64]m) in(v)
  for (auto it = v.begin(); it != v.end(); ++it)
    m[*it] += *it % 3;
  auto first = v.cbegin();
#pragma hsched taskloop grainsize(5) inout(a) in(v)
  for (auto it = v.cend() - 1; it >= first; it -= 3)
    a[static_cast<std::size_t>(*it)] = *it;
#pragma hsched taskwait
  report("pointers");
  long sum = 0;
  for (std::size_t i = 0; i < 64; ++i)
    sum += a[i] * (v[i] + 1);
  std::printf("iterators %ld\n", sum);
}

// Sections of chunks: halves, tiles, columns, triangles, the last one shorter.
static void sections() {
  constexpr int N = 12;
  static double A[N][N], B[N][N];
  std::vector<double> v(100), w(100);
  double *p = v.data(), *q = w.data();
  int bs = 7, n = 100;
#pragma hsched taskloop grainsize(3) out(p[i * bs:bs])
  for (int i = 0; i < n / bs; ++i)
    for (int k = 0; k < bs; ++k)
      p[i * bs + k] = i + k;
#pragma hsched taskloop grainsize(9) in(p[i - 1:3]) out(q[i])
  for (int i = 1; i < n - 1; ++i)
    q[i] = p[i - 1] + p[i] + p[i + 1];
#pragma hsched taskloop grainsize(2) out(A[i])
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      A[i][j] = i * N + j;
#pragma hsched taskloop grainsize(5) in(A[0:N][j:1]) out(B[0:N][j:1])
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i)
      B[i][j] = A[i][j] * 2;
#pragma hsched taskloop grainsize(4) inout(A[i][0:i])
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j)
      A[i][j] += B[j][i];
#pragma hsched taskloop in(B[(N - 1) - i][0:N]) inout(A[i][0:N]) priority(i)
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      A[i][j] -= B[N - 1 - i][j];
  // Every other element: the ones between belong to other tasks.
#pragma hsched taskloop grainsize(8) inout(p[2 * i:1])
  for (int i = 0; i < n / 2; ++i)
    p[2 * i] += 1;
#pragma hsched taskloop grainsize(8) inout(p[2 * i + 1:1])
  for (int i = 0; i < n / 2; ++i)
    p[2 * i + 1] += 2;
#pragma hsched taskwait
  double sum = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      sum = sum * 0.9 + A[i][j] - B[i][j];
  for (int i = 0; i < n; ++i)
    sum = sum * 0.9 + p[i] + q[i];
  std::printf("sections %.6f\n", sum);
}

struct Grid {
  int n;
  std::vector<int> cells;
  void step(int by) {
#pragma hsched taskloop inout(cells[i:1])
    for (int i = 0; i < n; ++i) {
      if (i % 5 == 0)
        continue;
      cells[i] += by + offset(i);
    }
  }
  int offset(int i) const { return i % 3; }
};
template <class T> T dot(const std::vector<T> &x, const std::vector<T> &y) {
  std::vector<T> part(x.size());
#pragma hsched taskloop out(part[i:1]) in(x[i:1], y[i:1])
  for (std::size_t i = 0; i < x.size(); ++i) {
    T product = x[i];
    product *= y[i];
    part[i] = product;
  }
#pragma hsched taskwait
  T sum{};
  for (T t : part)
    sum += t;
  return sum;
}

static void old(int n) {
  int i, *m = marks.data();
#pragma hsched taskloop grainsize(3) out(m[i:1])
  for (i = 2; i < n; i += 2)
    m[i] = 1;
#pragma hsched taskwait
  report("C89");
#define HEAD_END 30
#pragma hsched taskloop \
    grainsize(3) \
    out(m[k:1])
  for (int k = 0; k < HEAD_END;
       ++k) // Over lines, with a macro.
    m[k] = 2;
#pragma hsched taskwait
  report("macro");
  // A taskloop in a task in a taskloop.
#pragma hsched taskloop grainsize(1) out(m[8 * b:8])
  for (int b = 0; b < 4; ++b)
#pragma hsched task out(m[8 * b:8])
  {
#pragma hsched taskloop grainsize(3) out(m[8 * b + k:1])
    for (int k = 0; k < 8; ++k)
      m[8 * b + k] = b;
#pragma hsched taskwait
  }
#pragma hsched taskwait
  report("nested");
}

int main() {
  for (int grain : {1, 2, 5, 100}) {
    forms<int>(-7, 23, grain);
    forms<long long>(0, 24, grain);
  }
  forms<unsigned>(1, 25, 4);
  forms<std::size_t>(3, 3, 4);
  forms<unsigned char>(2, 30, 3);
  edges();
  pointers();
  sections();
  Grid g{37, std::vector<int>(37)};
  g.step(1), g.step(2);
#pragma hsched taskwait
  long sum = 0;
  for (int c : g.cells)
    sum = sum * 3 + c;
  std::printf("grid %ld\n", sum);
  std::printf("dot %d %g\n", dot(std::vector<int>{1, 2, 3}, {4, 5, 6}), dot(std::vector<double>(100, .5), std::vector<double>(100, 2)));
  old(40);
}

// Reductions of every kind of parameter, by every operation and by declared ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <vector>
#include <utility>
namespace geo {
struct Box { int lo, hi; };
inline void grow(Box &a, const Box &b) { if (b.lo < a.lo) a.lo = b.lo; if (b.hi > a.hi) a.hi = b.hi; }
#pragma hsched declare reduction(hull : Box : grow(omp_out, omp_in)) initializer(omp_priv = Box{1000, -1000})
}
struct Vec { int x = 0, y = 0; Vec &operator+=(const Vec &o) { x += o.x; y += o.y; return *this; } };
#pragma hsched declare reduction(+ : Vec : omp_out += omp_in)
#pragma hsched declare reduction(append : std::vector<std::pair<int, int>>, std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
#pragma hsched task in([n]p) reduction(+: sum) reduction(max: most) reduction(min: least)
void scan(int n, const int *p, long &sum, int &most, int &least) {
  for (int i = 0; i < n; ++i) { sum += p[i]; if (p[i] > most) most = p[i]; if (p[i] < least) least = p[i]; }
}
#pragma hsched task reduction(+: [n]h) reduction(^: bits[0:2]) reduction(&&: ok)
void histogram(int n, int step, int *h, unsigned *bits, bool &ok) {
  for (int i = 0; i < 1000; i += step) h[i % n]++;
  bits[0] ^= step; bits[1] ^= step * 3; ok = ok && step < 50;
}
#pragma hsched task reduction(geo::hull: b)
void widen(int v, geo::Box &b) { geo::grow(b, {v, v}); }
#pragma hsched task reduction(+: v) reduction(*: a)
void both(int k, Vec &v, std::array<long, 2> &a) { v += Vec{}; v.x += k; v.y -= k; a[0] *= 3; a[1] *= (k % 2 ? 1 : -1); }
template <class T> struct Acc {
#pragma hsched task reduction(+: t) in(k)
  static void add(const T &k, T &t) { t += k; }
};
#pragma hsched task reduction(+: t[r:2][1:3])
void tile(int r, int (*t)[5]) { for (int i = 0; i < 2; ++i) for (int j = 1; j < 4; ++j) t[r + i][j] += i + j; }
int main() {
  std::vector<int> data(10000);
  for (int i = 0; i < 10000; ++i) data[i] = (i * 7919) % 10007 - 5000;
  long sum = 5; int most = -100000, least = 100000;
  for (int i = 0; i < 100; ++i) scan(100, &data[i * 100], sum, most, least);
  int h[7] = {1, 2, 3}; unsigned bits[2] = {}; bool ok = true;
  for (int s = 1; s < 60; ++s) histogram(7, s, h, bits, ok);
  geo::Box b{0, 0};
  for (int i = 0; i < 50; ++i) widen((i * 37) % 101 - 40, b);
  Vec v; std::array<long, 2> a{1, 1};
  for (int i = 0; i < 9; ++i) both(i, v, a);
  int one = 2, total = 0;
  for (int i = 0; i < 20; ++i) Acc<int>::add(one, total);
  int t[4][5] = {};
  for (int i = 0; i < 10; ++i) { tile(0, t); tile(2, t); }
#pragma hsched taskwait
  std::printf("%ld %d %d\n", sum, most, least);
  for (int x : h) std::printf("%d ", x);
  std::printf("%u %u %d\n%d %d\n%d %d %ld %ld\n%d\n", bits[0], bits[1], ok, b.lo, b.hi, v.x, v.y, a[0], a[1], total);
  for (auto &r : t) for (int x : r) std::printf("%d ", x);
  std::printf("\n");
}

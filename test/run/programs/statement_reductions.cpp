// Reductions of tasks on statements and of taskloops: every kind of variable, every kind of operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <vector>
namespace geo {
struct Box { int lo, hi; };
inline void grow(Box &a, const Box &b) { if (b.lo < a.lo) a.lo = b.lo; if (b.hi > a.hi) a.hi = b.hi; }
#pragma hsched declare reduction(hull : Box : grow(omp_out, omp_in)) initializer(omp_priv = Box{1000, -1000})
}
struct Vec { int x = 0, y = 0; Vec &operator+=(const Vec &o) { x += o.x; y += o.y; return *this; } };
#pragma hsched declare reduction(+ : Vec : omp_out += omp_in)
static long everything = 7;
struct Tally {
  long seen = 0;
  int most[3] = {};
  void run(int n) {
    for (int c = 0; c < 8; ++c) {
#pragma hsched task reduction(+: seen) reduction(max: most[0:3])
      for (int i = c; i < n; i += 8) { seen += i; if (i % 17 > most[i % 3]) most[i % 3] = i % 17; }
    }
#pragma hsched taskwait
  }
};
template <class T, class A> T sumOf(int n, const T *p, T *parts, A &square) {
  T total = T();
#pragma hsched taskloop grainsize(5) in(p[i:1]) reduction(+: total, [4]parts) reduction(max: square)
  for (int i = 0; i < n; ++i) { total += p[i]; parts[i % 4] += p[i]; if (p[i] * p[i] > square) square = p[i] * p[i]; }
#pragma hsched taskwait
  return total;
}
int main() {
  const int n = 1000;
  std::vector<int> data(n);
  for (int i = 0; i < n; ++i) data[i] = (i * 7919) % 1009 - 500;
  const int *p = data.data();
  long sum = 5; int most = -100000, least = 100000; unsigned bits = 0; bool all = true, any = false;
  for (int c = 0; c < n; c += 50) {
#pragma hsched task in(p[c:50]) reduction(+: sum) reduction(max: most) reduction(min: least) reduction(^: bits) \
    reduction(&&: all) reduction(||: any)
    {
      for (int i = c; i < c + 50; ++i) {
        sum += p[i]; bits ^= unsigned(p[i]); all = all && p[i] < 900; any = any || p[i] == 499;
        if (p[i] > most) most = p[i];
        if (p[i] < least) least = p[i];
      }
    }
  }
  // What follows reads it, with no wait between.
  long twice = 0;
#pragma hsched task in(sum) out(twice)
  twice = 2 * sum;
  // Arrays, by name, by pointer and as std::array; one that is reduced again in another way after a use of it.
  int h[7] = {1, 2, 3}; std::array<long, 2> a{1, 1}; Vec v; geo::Box box{0, 0}; int *tail = h + 5;
  for (int s = 1; s < 30; ++s) {
#pragma hsched task reduction(+: h) reduction(*: a) reduction(+: v) reduction(geo::hull: box)
    {
      for (int i = 0; i < 500; i += s) h[i % 7]++;
      a[0] *= s % 3 ? 1 : 3; a[1] *= -1;
      v.x += s; v.y -= s;
      auto widen = [&](int to) { geo::grow(box, {to, to}); };
      widen((s * 37) % 101 - 40);
    }
  }
  for (int s = 0; s < 4; ++s) {
#pragma hsched task reduction(max: [2]tail)
    { tail[s % 2] = tail[s % 2] < 100 * s ? 100 * s : tail[s % 2]; }
  }
  int &front = h[0];
  for (int s = 0; s < 5; ++s) {
#pragma hsched task reduction(+: front) if(s != 2)
    front += 10;
  }
  for (int s = 0; s < 6; ++s) {
#pragma hsched task reduction(+: everything) final(s == 3)
    everything += s;
  }
  // Loops: one variable for all, columns of a tile, sections of each chunk's own.
  long odd = 0; int t[6][8] = {};
#pragma hsched taskloop grainsize(7) reduction(+: odd) in([n]p)
  for (int i = 1; i < n; i += 2) odd += p[i];
#pragma hsched taskloop grainsize(2) reduction(+: t[1:3][2:4])
  for (int i = 0; i < 20; ++i) for (int r = 1; r < 4; ++r) for (int c = 2; c < 6; ++c) t[r][c] += i * r + c;
  std::vector<int> bins(40);
  int *b = bins.data();
#pragma hsched taskloop grainsize(3) reduction(+: b[2 * i:3])
  for (int i = 0; i < 18; ++i) { b[2 * i] += 1; b[2 * i + 1] += i; b[2 * i + 2] += 2; }
  Tally tally;
  tally.run(400);
#pragma hsched taskwait
  long parts[4] = {};
  std::vector<long> wide(data.begin(), data.end());
  long square = 0;
  const long total = sumOf<long>(n, wide.data(), parts, square);
  std::printf("%ld %d %d %u %d %d %ld\n", sum, most, least, bits, all, any, twice);
  for (int x : h) std::printf("%d ", x);
  std::printf("%ld %ld %d %d %d %d %ld %ld\n", a[0], a[1], v.x, v.y, box.lo, box.hi, everything, odd);
  for (auto &r : t) for (int x : r) std::printf("%d ", x);
  for (int x : bins) std::printf("%d ", x);
  std::printf("\n%ld %d %d %d\n%ld %ld %ld %ld %ld %ld\n", tally.seen, tally.most[0], tally.most[1], tally.most[2], total,
              parts[0], parts[1], parts[2], parts[3], square);
}

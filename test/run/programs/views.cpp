// hsched::tile: named as a whole, inferred as a whole, on functions, statements and loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <hsched/hsched.h>
#include <vector>
using Tile = hsched::tile<int>;
#pragma hsched task in(a) inout(b)
static void add(hsched::tile<const int> a, Tile b) {
  for (std::size_t r = 0; r < b.rows(); ++r)
    for (std::size_t c = 0; c < b.columns(); ++c)
      b[r][c] += 2 * a(r, c);
}
#pragma hsched task
static void inferred(const Tile &a, hsched::tile<const int> b) {
  for (std::size_t r = 0; r < a.rows(); ++r)
    a[r][0] -= b[r][b.columns() - 1];
}
template <class T> void turn(hsched::tile<T> t) {
#pragma hsched task inout(t)
  for (std::size_t r = 0; r < t.rows(); ++r)
    for (std::size_t c = 0; c < r && c < t.columns(); ++c)
      t(r, c) = -t(r, c);
}
int main() {
  const std::size_t n = 8, ld = 20;
  std::vector<int> m(n * ld);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = int(i % 13);
  Tile left(m.data(), n, 6, ld), right(m.data() + 7, n, 6, ld), inner(m.data() + 3 * ld + 2, 4, 9, ld);
  for (int i = 0; i < 5; ++i) {
    add(left, right);
    add(right, left);
    inferred(left, right);
    add(Tile(m.data() + 14, 4, 9 - 4, ld), Tile(m.data() + 4 * ld + 14, 4, 5, ld));
    turn(inner);
#pragma hsched taskloop grainsize(3) in(left) inout(m[i * ld + 14 : 2])
    for (std::size_t i = 0; i < n; ++i)
      m[i * ld + 14] += left[i][1], m[i * ld + 15] -= left[i][2];
#pragma hsched taskwait on(left)
    std::printf("%d ", left[1][2]);
  }
#pragma hsched taskwait
  unsigned long h = 17;
  for (int x : m) h = h * 31 + unsigned(x);
  std::printf("%lu\n", h);
}

// Inline tasks that two units have: alike; not alike, which C++ forbids; and for types that each has of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "twice.h"

#include <cstdio>

#pragma hsched task inout([n]y)
inline void change(int n, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] *= 2;
}

namespace {
struct Own {
  int value;
  Own(int v = 0) : value(v) {}
};
} // namespace

int main() {
  constexpr int n = 64;
  float y[n];
  for (float &e : y)
    e = 3;
  addOne(n, y);
  Tools::halve(n, y);
  if (!other(n, y)) // The same again: (3 + 1) / 2, then (2 + 1) / 2.
    return 1;
  if (y[0] != 1.5f || y[n - 1] != 1.5f)
    return 2;

  Own own[n];
  fill(n, own);
#pragma hsched taskwait
  if (own[0].value != 7 || own[n - 1].value != 7)
    return 3;

  change(n, y); // One of the two, and all of that.
#pragma hsched taskwait
  std::printf("%g %g\n", y[0], y[n - 1]);
  return (y[0] == 3 && y[n - 1] == 3) || (y[0] == 11.5f && y[n - 1] == 1.5f) ? 0 : 4;
}

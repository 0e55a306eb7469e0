// The other unit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "twice.h"

// Its section is not that of twice_a.cpp's.
#pragma hsched task inout(y[0:1])
inline void change(int, float *y) { y[0] += 10; }

namespace {
struct Own {
  double value;
  char more[24];
  Own(int v = 0) : value(-v), more() {}
};
} // namespace

bool other(int n, float *y) {
  addOne(n, y);
  Tools::halve(n, y);

  Own own[8];
  fill(8, own);
  float z[2] = {1, 1};
  change(2, z);
#pragma hsched taskwait
  return own[0].value == -7 && own[7].value == -7 && ((z[0] == 2 && z[1] == 2) || (z[0] == 11 && z[1] == 1));
}

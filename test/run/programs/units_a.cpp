// Tasks called through macros, function pointers, templates and from another translation unit than they are defined in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "units.h"

#include <cstdio>

int main() {
  long x[100], y[100];
  units::fill(100, 3L, x);
  units::fill<long>(100, 4L, y);
  ADD(100, x, y);                 // 7
  units::adder()(100, x, y);      // 10
  (&units::Tools::add)(50, x, y); // 13 in the first half.
  long total = 1;
  units::sum(100, y, total);
#pragma hsched taskwait on(total)
  std::printf("total %ld\n", total);
  if (total != 1 + 50 * 13 + 50 * 10)
    return 1;
  float f[8];
  units::fill(8, 1.5f, f);
#pragma hsched taskwait on([8]f)
  std::printf("f[7] %g\n", f[7]);
#pragma hsched taskwait
  return f[0] == 1.5f && f[7] == 1.5f ? 0 : 1;
}

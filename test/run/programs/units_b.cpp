// The definitions of units.h's tasks, and one more version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "units.h"

namespace units {

void Tools::add(int n, const long *x, long *y) {
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}

#pragma hsched implements(Tools::add) device(cpu)
void addBackwards(int n, const long *x, long *y) {
  while (n-- > 0)
    y[n] += x[n];
}

void sum(int n, const long *x, long &total) {
  for (int i = 0; i < n; ++i)
    total += x[i];
}

Add adder() { return Tools::add; }

} // namespace units

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNITS_H
#define HSCHED_TEST_UNITS_H

namespace units {

struct Tools {
#pragma hsched task in([n]x) inout([n]y)
  static void add(int n, const long *x, long *y);
};

#pragma hsched task out([n]x) label("fill") priority(1)
template <class T> void fill(int n, T value, T *x) {
  for (int i = 0; i < n; ++i)
    x[i] = value;
}

#pragma hsched task inout(total) in([n]x)
void sum(int n, const long *x, long &total);

using Add = void (*)(int, const long *, long *);
Add adder();

} // namespace units

#define ADD(n, x, y) units::Tools::add(n, x, y)
#endif

// Two units define one task in two ways, which C++ forbids. The accesses that a call declares fit the body that it
// runs, whichever that is. Prints what each call did.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "alike.h"

#include <cstdio>

int main() {
  long y[6] = {1, 1, 1, 1, 1, 1}, z[2] = {1, 1};
  plain(1, &y[0]);
  general(1, &y[1]);
  Holder<long>::member(1, &y[2]);
  same(1, &z[0]);
#pragma hsched taskwait
  other(y);
  for (long e : y)
    std::printf("%s\n", e == 5 ? "out" : e == 11 ? "inout" : "?");
  return z[0] == 2 ? 0 : 1;
}

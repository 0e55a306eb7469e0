// The other unit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define ALIKE_OTHER
#include "alike.h"

void other(long *y) {
  long z = 1;
  plain(1, &y[3]);
  general(1, &y[4]);
  Holder<long>::member(1, &y[5]);
  same(1, &z);
#pragma hsched taskwait
}

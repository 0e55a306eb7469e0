// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tasks.h"

#include <cstdio>
#include <vector>

float more(std::vector<float> &Data);

int main() {
  std::vector<float> Data(1000, 1);
  int n = 1000;
  float Sum = 0;
  scale(n, 3, Data.data());
  shift(n, 2, Data.data());
  first(n, Data.data());
  second(n, Data.data());
  add(n, Data.data(), &Sum);
#pragma hsched taskwait
  Sum += more(Data);
  std::puts(Sum == 5001 ? "correct" : "wrong");
  return Sum != 5001;
}

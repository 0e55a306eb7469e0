// In one unit with main.cpp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception.
#include "tasks.h"

#include <vector>

float more(std::vector<float> &Data) {
  float First = 0;
  scale(1, 0.2f, Data.data());
  add(1, Data.data(), &First);
#pragma hsched taskwait on(First)
  return First;
}

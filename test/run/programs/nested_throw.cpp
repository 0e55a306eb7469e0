// An exception from a child passes through its parent's wait to the wait outside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <string>

#pragma hsched task inout([1]x)
void child(int depth, int *x) {
  if (depth == 0)
    throw std::string("from the depth");
  child(depth - 1, x);
#pragma hsched taskwait
  *x = -1; // Never reached.
}

int main() {
  int x = 7;
  try {
    child(3, &x);
#pragma hsched taskwait
  } catch (const std::string &what) {
    std::printf("caught: %s, x %d\n", what.c_str(), x);
    return x == 7 ? 0 : 1;
  }
  std::puts("nothing was thrown");
  return 1;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[4] = {1, 2, 3, 4}, sum = 1;
  box all = {1e300, -1e300};
  for (int i = 0; i < 4; i += 2) {
    add(2, x + i, sum);
    bound(2, x + i, all);
  }
#pragma hsched taskwait
  return sum != 11 || all.lo != 1 || all.hi != 4;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  float a[6] = {1, 2, 3, 4, 5, 6}, c[4] = {};
  add(2, a, 3, c, 2);
#pragma hsched taskwait
  return c[1] != 2 || c[2] != 4;
}

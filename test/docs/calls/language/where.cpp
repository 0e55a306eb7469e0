// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  float x[8] = {1, 1, 1, 1, 1, 1, 1, 3};
  spread(2, 4, x);
#pragma hsched taskwait
  return x[0] != 2 || x[7] != 6;
}

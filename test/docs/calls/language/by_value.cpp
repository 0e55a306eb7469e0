// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {1, 2};
  scale(2, x);
#pragma hsched taskwait
  return x[1] != 4;
}

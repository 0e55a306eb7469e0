// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  int a[2] = {1, 2};
  float b[2] = {3, 4};
  double x[2], y[2];
  both(2, a, b, x, y);
  return x[1] != 2 || y[0] != 3;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {1, 2}, y[2] = {3, 4};
  twice(2, x, y);
  return x[1] != 12 || y[0] != 6;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {}, y[2] = {};
  both(2, x, y);
  return x[0] != 3 || x[1] != 1;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {4, 9}, y[2];
  run(2, x, y);
  return x[0] != 4 || y[1] != 7;
}

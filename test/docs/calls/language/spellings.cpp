// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {1, 2}, y[2];
  chain(2, x, y);
  return y[1] != 4;
}

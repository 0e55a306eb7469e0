// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[4], sum = 0;
  run(4, 2, x, y, sum);
  return y[3] != 8 || sum != 20 || x[7] != 9;
}

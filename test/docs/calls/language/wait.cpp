// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {1, 1}, y[1] = {8};
  solve(2, x);
  return x[0] > 1e-6 || steps(1, y, 3) != 1;
}

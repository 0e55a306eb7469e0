// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  static double x[6400], y[6400];
  for (int i = 0; i < 6400; ++i)
    x[i] = 1, y[i] = 2;
  return run(6400, x, y) != 19200 || x[6399] != 2;
}

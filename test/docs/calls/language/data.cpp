// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[3] = {1, 2, 3}, y[3], sum = 1;
  square(3, x, y, &sum);
#pragma hsched taskwait
  return y[2] != 9 || sum != 15;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  float a[2] = {1, 2};
  double b[2] = {3, 4};
  use(2, a, b);
  return a[1] != 0 || b[1] != 0;
}

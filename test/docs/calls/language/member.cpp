// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[2] = {1, 2};
  field f(2, x);
  f.scale(3);
  f.scale(2);
#pragma hsched taskwait
  return x[1] != 12;
}

// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  int x[3] = {};
  fill(3, x);
#pragma hsched taskwait
  return x[2] != 1;
}

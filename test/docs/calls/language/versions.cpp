// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With HSCHED_VERSIONS=add:add_by_four.
int main() {
  double x[5] = {1, 2, 3, 4, 5}, sum = 0;
  add(5, x, &sum);
#pragma hsched taskwait
  return sum != 15;
}

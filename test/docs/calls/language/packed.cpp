// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With HSCHED_VERSIONS=clear:clear_cl.
int main() {
  float a[6] = {1, 2, 3, 4, 5, 6};
  clear(2, 2, 3, a);
#pragma hsched taskwait
  return a[1] != 0 || a[2] != 3 || a[4] != 0 || a[5] != 6;
}

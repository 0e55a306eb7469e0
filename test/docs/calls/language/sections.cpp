// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With HSCHED_VERSIONS=scale:scale_rows.
int main() {
  float a[6] = {1, 2, 3, 4, 5, 6};
  scale(2, 2, 3, 10, a);
#pragma hsched taskwait
  return a[1] != 20 || a[2] != 3 || a[4] != 50 || a[5] != 6;
}

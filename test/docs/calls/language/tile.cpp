// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double a[6] = {1, 2, 3, 4, 5, 6}, t[6] = {};
  static double m[64][64];
  clear_columns(2, 3, 1, 2, a);
  diagonal(8, 16, m);
  add_one(hsched::tile<double>(t, 2, 2, 3));
#pragma hsched taskwait
  return a[0] != 1 || a[1] != 0 || a[3] != 4 || a[5] != 0 || m[8][16] != 1 || m[15][23] != 1 || t[2] != 0 || t[4] != 1;
}

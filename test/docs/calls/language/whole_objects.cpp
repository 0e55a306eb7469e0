// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  std::vector<int> v = {1};
  std::map<int, int> m;
  int a[6] = {9, 9, 9, 9, 9, 9};
  add(&v);
  add(&v);
  note(m, 7);
  corner(-3, a + 3);
#pragma hsched taskwait
  return v.size() != 3 || v[0] != 3 || m[7] != 1 || a[0] != 1 || a[1] != 1 || a[2] != 9 || a[3] != 0 || a[4] != 0 ||
         a[5] != 9;
}

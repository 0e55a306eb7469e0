// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  cell c = {1, {1, 2, 3}};
  std::vector<double> v = {2, 4};
  grow(&c);
  halve(2, v);
  append(v);
#pragma hsched taskwait
  return c.mass != 7 || v.size() != 3 || v[1] != 2 || v[2] != 1;
}

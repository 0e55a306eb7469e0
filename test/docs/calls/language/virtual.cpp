// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  square s;
  s.side = 3;
  shape &as = s;
  double area;
  counter c;
  as.measure(&area);
  c.add(2);
#pragma hsched taskwait
  return area != 9 || c.n != 2;
}

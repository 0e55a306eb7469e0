// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double above[2] = {1, 2}, below[2] = {3, 4}, *rows[2] = {above, below};
  double x[5] = {1, 2, 3, 4, 5}, y[1], square[4] = {1, 2, 3, 4};
  each(2, 2, rows);
  gather(1, 0, x, y);
  triangle(2, 2, square);
#pragma hsched taskwait
  return above[0] != 2 || below[1] != 5 || y[0] != 9 || square[1] != 4 || square[2] != 3 || square[3] != 8;
}

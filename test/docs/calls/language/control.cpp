// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double x[3] = {};
  int unsorted[200];
  for (int i = 0; i < 200; ++i)
    unsorted[i] = i * 77 % 200;
  step(3, 1, x);
  often(3, x);
  sort(200, unsorted);
#pragma hsched taskwait
  for (int i = 1; i < 200; ++i)
    if (unsorted[i] < unsorted[i - 1])
      return 1;
  return x[2] != 4;
}

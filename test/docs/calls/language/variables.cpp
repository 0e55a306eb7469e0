// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void record(std::atomic<int> &into, int n, const int *x) { count(n, x, into, 2); }

int main() {
  int x[4] = {1, 2, 3, 4};
  std::atomic<int> found = 0;
  count(4, x, found, 3);
  all(4, x, found);
  return found != 3;
}

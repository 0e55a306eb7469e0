// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  double total = 0;
  int bins[4] = {};
  for (int i = 0; i < 8; ++i) {
    note(&total, i);
    count(4, bins, i);
  }
#pragma hsched taskwait
  return total != 28 || bins[0] != 2 || bins[3] != 2;
}

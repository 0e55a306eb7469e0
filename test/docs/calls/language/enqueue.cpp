// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With HSCHED_VERSIONS=copy:copy_by_the_driver.
// Link -lOpenCL.
int main() {
  float x[3] = {1, 2, 3}, y[3] = {};
  copy(3, x, y);
#pragma hsched taskwait
  return y[2] != 3;
}

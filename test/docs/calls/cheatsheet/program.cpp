// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With HSCHED_VERSIONS=scale:scale_cl.
int main() {
  float x[3] = {1, 2, 3};
  return run(3, x) != 15 || x[2] != 7;
}

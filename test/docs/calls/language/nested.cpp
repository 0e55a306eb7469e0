// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() {
  long result = 0;
  fibonacci(12, &result);
#pragma hsched taskwait
  return result != 144;
}

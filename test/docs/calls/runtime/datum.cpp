// Calls the example of the document and checks its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int main() { return first(hsched::engine::process(), 1000) != 1; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifdef __HSCHED__
#error hsched-cc must not compile this
#endif
#pragma hsched task nonsense
void f();
int main() {}

/* C among the sources. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception. */
int answer(void) { int class = 42; return class; }

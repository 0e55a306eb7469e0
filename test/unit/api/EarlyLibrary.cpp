// A library whose constructor calls the program that loads it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern "C" void early_constructor();
[[gnu::constructor]] static void begin() { early_constructor(); }

// Before C++17 a constexpr function cannot hold what submits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++14 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %hsched-cc -std=c++17 -Wall -Wextra -Wshadow -Werror -c %s -o %t.o
// CHECK: [[@LINE+2]]:16: error: a constexpr function can be a task from C++17 on: compile with -std=c++17, or leave constexpr out
#pragma hsched task inout(*x)
constexpr void one(int *x) { *x += 1; }

// A view that is strided already is named as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -I%include -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <hsched/hsched.h>
// CHECK: [[@LINE+1]]:27: error: 't' is a tile already, which is named as a whole: write 't', or make a smaller tile of it
#pragma hsched task inout(t[0:2])
void part(hsched::tile<int> t) {}
// CHECK: note: parameter 't' is declared here
// CHECK: [[@LINE+1]]:34: error: 't' cannot be reduced: a task cannot be given a private copy of what a 'hsched::tile<int>' refers to; take a pointer and a length
#pragma hsched task reduction(+: t)
void sum(hsched::tile<int> t) {}
// CHECK: note: parameter 't' is declared here
#pragma hsched task inout(t) in(u)
void good(hsched::tile<int> t, const hsched::tile<const int> &u) {}

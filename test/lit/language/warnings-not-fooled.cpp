// A warning is known by what it is, whatever the program's names spell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -Werror=hsched-coverage -Wno-hsched-role -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: task 'f' does not overwrite all of 'x[-Whsched-role:4]', which 'out' promises: what it leaves is lost [-Werror,-Whsched-coverage]{{$}}
#pragma hsched task out(x[-Whsched-role:4])
void f(int *x, int Whsched, int role) { x[-Whsched - role] = 1; }

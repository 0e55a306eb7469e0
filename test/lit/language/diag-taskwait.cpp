// Where a wait can stand, and for what.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
void g(int n, float *p) {
  if (n)
// CHECK: [[@LINE+1]]:16: error: 'taskwait' must be directly inside a block
#pragma hsched taskwait
    n++;
// CHECK: [[@LINE+1]]:31: error: unknown name 'zz' in clause 'on'
#pragma hsched taskwait on([n]zz)
// CHECK: [[@LINE+1]]:28: error: the size of 'p' is unknown, because it is a pointer: write '[n]p' or 'p[start:length]'
#pragma hsched taskwait on(p)
// CHECK: [[@LINE+1]]:25: error: clause 'in' does not belong to 'taskwait'
#pragma hsched taskwait in([n]p)
// CHECK: [[@LINE+1]]:25: error: unknown clause 'flush' on 'taskwait'; perhaps 'noflush' is meant
#pragma hsched taskwait flush
// CHECK: [[@LINE+1]]:33: error: clause 'noflush' is given twice
#pragma hsched taskwait noflush noflush
}
// CHECK: [[@LINE+1]]:16: error: 'taskwait' must be directly inside a block
#pragma hsched taskwait

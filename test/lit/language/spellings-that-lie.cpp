// Clauses with such names are compared like others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
extern const int größe;
const int größe = 8;
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: task 'extent' {{.*}} [-Whsched-extent]
#pragma hsched task inout([größe - 1]p)
void extent(double *p) {
  for (int i = 0; i < größe; ++i)
    p[i] += 1;
}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: task 'coverage' {{.*}} [-Whsched-coverage]
#pragma hsched task out([zahl + 1]p)
void coverage(double *p, int zahl) {
  for (int i = 0; i < zahl; ++i)
    p[i] = 1;
}
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: task 'numbered' {{.*}} [-Whsched-extent]
#pragma hsched task inout([n\u00e9 - 1]p)
void numbered(double *p, int né) {
  for (int i = 0; i < né; ++i)
    p[i] += 1;
}
#pragma hsched task inout([n$ + 0 * $n]p)
void dollar(double *p, int n$, int $n) {
  for (int i = 0; i < n$ + $n - $n; ++i)
    p[i] += 1;
}

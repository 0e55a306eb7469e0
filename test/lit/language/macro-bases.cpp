// A macro that stands for the base of a section.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %hsched-cc -O1 %s -o %t && %t
#define BASE p
#define AGAIN (BASE)
#define VALUES s->v
#define GLOBAL all
#define PART p + 1

struct S {
  int v[8];
};
int all[8];

// CHECK-NOT: is inferred
// CHECK-NOT: warning
// CHECK: task 'base': inout(BASE[0:3]) is as written
#pragma hsched task inout(BASE[0:3])
void base(int *p) {
  for (int i = 0; i < 3; ++i)
    BASE[i]++;
}
// CHECK: task 'again': inout(AGAIN[0:3]) is as written
#pragma hsched task inout(AGAIN[0:3])
void again(int *p) {
  for (int i = 0; i < 3; ++i)
    AGAIN[i] *= 2;
}
// CHECK: task 'member': inout(VALUES[0:8]) is as written
#pragma hsched task inout(VALUES[0:8])
void member(S *s) {
  for (int i = 0; i < 8; ++i)
    VALUES[i]++;
}
// CHECK: task 'global': inout(GLOBAL[0:8]) is as written
#pragma hsched task inout(GLOBAL[0:8])
void global() {
  for (int i = 0; i < 8; ++i)
    GLOBAL[i]++;
}
void statements(int *p, int n) {
// CHECK: task 'statements:[[#@LINE+1]]': inout(BASE[i:1]) is as written
#pragma hsched taskloop inout(BASE[i:1])
  for (int i = 0; i < n; ++i)
    BASE[i] += i;
// CHECK: task 'statements:[[#@LINE+1]]': inout(BASE[1:1]) is as written
#pragma hsched task inout(BASE[1:1])
  { BASE[1] *= 3; }
#pragma hsched taskwait
}

int main() {
  S s = {};
  base(all);
  again(all);
  global();
  member(&s);
#pragma hsched taskwait
  statements(all, 8);
  return !(all[0] == 3 && all[1] == 12 && all[3] == 4 && s.v[7] == 1);
}

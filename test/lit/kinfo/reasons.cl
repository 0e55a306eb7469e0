// Where there is no extent, there is a reason, in text and in JSON. What is too large to be followed is glanced at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s --implicit-check-not="extent unknown "
// RUN: %kinfo --json %s | FileCheck %s --check-prefix=JSON
struct pair {
  int first, second[4];
};
int one(int x) { return x + x / 3; }
#define OF(f, g) \
  int f(int x) { return g(x) + g(x + 1) + g(x + 2) + g(x + 3) + g(x + 4) + g(x + 5) + g(x + 6) + g(x + 7); }
OF(two, one)
OF(three, two)
OF(four, three)
OF(five, four)
OF(six, five)
OF(seven, six)

int loaded(global const int *p, int i) { return p[i]; }
int visible(global int *p, global struct pair *q, int i) {
  q[p[i]].second[i] += 1;
  return i ? visible(p + 1, q, i - 1) : 0;
}
int nothing(global int *p, int i) { return i; }
// CHECK: kernel large
// CHECK-NEXT: 0 read {{.*}} in extent unknown: 'large' is too large to be looked into (line [[@LINE+16]])
// CHECK-NEXT: 1 handed {{.*}} in extent unknown: 'large'
// CHECK-NEXT: 2 vectors {{.*}} in extent unknown: 'large'
// CHECK-NEXT: 3 written {{.*}} inout extent unknown: 'large'
// CHECK-NEXT: 4 pairs {{.*}} inout extent unknown: 'large'
// CHECK-NEXT: 5 aliased {{.*}} inout extent unknown: 'large'
// CHECK-NEXT: 6 moved {{.*}} inout extent unknown: 'large'
// CHECK-NEXT: 7 unused {{.*}} unused{{$}}
// CHECK-NEXT: 8 unused_there {{.*}} unused{{$}}
// CHECK-NEXT: 9 stored {{.*}} inout extent unknown: 'large'
// CHECK-NEXT: 10 walked {{.*}} inout extent unknown: 'large'
// JSON: "name": "large"
// JSON: "name": "read"
// JSON: "unknown": {
// JSON-NEXT: "why": "'large' is too large to be looked into"
// JSON-NEXT: "line": [[@LINE+1]]
kernel void large(global int *read, global int *handed, global float4 *vectors, global int *written,
                  global struct pair *pairs, global int *aliased, global int *moved, global int *unused,
                  global int *unused_there, global float *stored, global int *walked) {
  int i = get_global_id(0);
  int x = read[read[i]] + loaded(handed + 1, i) + vectors[i].xy.x + nothing(unused_there, i);
  written[i] = seven(x);
  visible(walked, pairs, i);
  global int *alias = aliased;
  x += alias[i];
  moved++;
  vstore4(vectors[i], i, stored);
}

// CHECK: kernel anywhere
// CHECK-NEXT: 0 a {{.*}} inout extent unknown: {{.*[^ ]}} (line [[@LINE+3]])
// CHECK-NEXT: 1 b {{.*}} in [get_global_size(0)]b
kernel void anywhere(global int *a, global const int *b) {
  a[b[get_global_id(0)]] = 1;
}

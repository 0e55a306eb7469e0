// Buffers of vectors and unions: what is written in part is read as well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// RUN: %kinfo %s --json | FileCheck --check-prefix=JSON %s
union Word { uint u; uchar4 b; };
union Mixed { uint u; ulong2 l; };

kernel void whole(int n, global union Word *w, global const float4 *v) {
  int i = get_global_id(0);
  if (i < n)
    w[i].u = v[i].y;
}
// CHECK: kernel whole
// CHECK: 1  w  __global union Word *    out    [n]w
// CHECK-NEXT: 2  v  const __global float4 *  in     [n]v
kernel void byte(int n, global union Word *w) {
  int i = get_global_id(0);
  if (i < n)
    w[i].b.x = 3;
}
// CHECK: kernel byte
// CHECK: 1  w  __global union Word *  inout  [n]w
kernel void less(int n, global union Mixed *w) {
  int i = get_global_id(0);
  if (i < n)
    w[i].u = 3;
}
// CHECK: kernel less
// CHECK: 1  w  __global union Mixed *  inout  [n]w
kernel void lanes(int n, global float4 *v, global float8 *all) {
  int i = get_global_id(0);
  if (i < n) {
    v[i].xy = 0;
    all[i] = (float8)(v[i].zwzw, v[i].wzwz);
  }
}
// CHECK: kernel lanes
// CHECK: 1  v    __global float4 *  inout  [n]v
// CHECK-NEXT: 2  all  __global float8 *  out    [n]all
kernel void rows(int n, global int (*r)[8]) {
  int i = get_global_id(0);
  for (int j = 0; j < 8; ++j)
    r[i + n][j] = 3;
}
// A section counts the arrays' elements, and so does the size.
// CHECK: kernel rows
// CHECK: 1  r  __global int (*)[8]  out    r[8 * n:8 * get_global_size(0)]
// JSON: "name": "r",
// JSON: "element": "int",
// JSON-NEXT: "elementBytes": 4,
// JSON: "section": "r[8 * n:8 * get_global_size(0)]"

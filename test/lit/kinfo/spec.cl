// A PySchedCL specification: only guidance is left to fill in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo --spec --kernel=matmul %s | FileCheck %s
// RUN: %kinfo --spec %samples/saxpy/saxpy.cl | FileCheck --check-prefix=SAXPY %s
// RUN: %kinfo --spec --kernel=gather %s | FileCheck --check-prefix=GATHER %s
// RUN: %kinfo --spec --kernel=shifted %s | FileCheck --check-prefix=SHIFTED %s
// RUN: %kinfo --spec --kernel=interior %s | FileCheck --check-prefix=INTERIOR %s
// RUN: %kinfo --spec %samples/edges/edges.cl --kernel=threshold | FileCheck --check-prefix=EDGES %s
kernel void matmul(global const float *i1, global const float *i2, global float *o, int M, int K, int N) {
  int row = get_global_id(0), column = get_global_id(1);
  if (row >= M || column >= N)
    return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += i1[row * K + k] * i2[k * N + column];
  o[row * N + column] = sum;
}
// CHECK: {
// CHECK-NEXT: "id": 0,
// CHECK-NEXT: "name": "matmul",
// CHECK-NEXT: "src": "{{.*}}spec.cl",
// CHECK-NEXT: "dev": null,
// CHECK-NEXT: "partition": null,
// CHECK-NEXT: "workDimension": 2,
// CHECK-NEXT: "globalWorkSize": "[$M$,$N$]",
// CHECK-NEXT: "localWorkSize": "[]",
// CHECK-NEXT: "inputBuffers": [
// CHECK: "type": "float",
// CHECK-NEXT: "pos": 0,
// CHECK-NEXT: "size": "$M$ * $K$",
// CHECK-NEXT: "break": 1
// CHECK: "pos": 1,
// CHECK-NEXT: "size": "{{[$]K[$] \* [$]N[$]|[$]N[$] \* [$]K[$]}}",
// CHECK-NEXT: "break": 0
// CHECK: "outputBuffers": [
// CHECK: "pos": 2,
// CHECK-NEXT: "size": "$M$ * $N$",
// CHECK-NEXT: "break": 1
// CHECK: "ioBuffers": [],
// CHECK-NEXT: "varArguments": [
// CHECK: "type": "int",
// CHECK-NEXT: "pos": 3,
// CHECK-NEXT: "value": "$M$"
// CHECK: "localArguments": [],
// CHECK-NEXT: "macros_values": {},
// CHECK-NEXT: "guidance": [
// CHECK-NEXT: "dev",
// CHECK-NEXT: "partition",
// CHECK-NEXT: "$M$",
// CHECK-NEXT: "$N$",
// CHECK-NEXT: "$K$"
// CHECK-NEXT: ]

// SAXPY: "name": "saxpy",
// SAXPY: "globalWorkSize": "[$n$]",
// SAXPY: "inputBuffers": [
// SAXPY-NEXT: {
// SAXPY-NEXT: "type": "float",
// SAXPY-NEXT: "pos": 2,
// SAXPY-NEXT: "size": "$n$",
// SAXPY-NEXT: "break": 1
// SAXPY: "outputBuffers": [],
// SAXPY-NEXT: "ioBuffers": [
// SAXPY-NEXT: {
// SAXPY-NEXT: "type": "float",
// SAXPY-NEXT: "pos": 3,
// SAXPY-NEXT: "size": "$n$",
// SAXPY-NEXT: "break": 1

// A size that nobody can know, and a global size that no guard tells.
kernel void gather(global const int *at, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = x[at[i]];
}
// GATHER: "globalWorkSize": "[$global_0$]",
// GATHER: "pos": 0,
// GATHER-NEXT: "size": "$global_0$",
// GATHER-NEXT: "break": 1
// GATHER: "pos": 1,
// GATHER-NEXT: "size": "$size_x$",
// GATHER-NEXT: "break": 0
// GATHER: "guidance": [
// GATHER-NEXT: "dev",
// GATHER-NEXT: "partition",
// GATHER-NEXT: "$global_0$",
// GATHER-NEXT: "$size_x$"
// GATHER-NEXT: ]

// EDGES: "globalWorkSize": "[$w$,$rows$]",
// EDGES: "type": "uint",
// EDGES-NEXT: "pos": 5,
// EDGES-NEXT: "size": "{{[$]w[$] \* [$]y0[$] \+ [$]w[$] \* [$]rows[$]|[$]w[$] \* [$]rows[$] \+ [$]w[$] \* [$]y0[$]}}"

// A size counts from element 0: what lies before and between the elements that are overwritten has to be kept.
kernel void shifted(global float *y, int o) { y[get_global_id(0) + o] = 0; }
// SHIFTED: "outputBuffers": [],
// SHIFTED-NEXT: "ioBuffers": [
// SHIFTED: "pos": 0,
// SHIFTED-NEXT: "size": "{{[$]o[$] \+ [$]global_0[$]|[$]global_0[$] \+ [$]o[$]}}"

kernel void interior(int w, int h, global float *y) {
  int i = get_global_id(0) + 1, j = get_global_id(1) + 1;
  if (i < w - 1 && j < h - 1)
    y[j * w + i] = 1;
}
// INTERIOR: "outputBuffers": [],
// INTERIOR-NEXT: "ioBuffers": [
// INTERIOR: "pos": 2,
// INTERIOR-NEXT: "size": "$w$ * $h$ - $w$ - 1"

// What can be split with the range's first dimension: elements and rows of an index, not columns, neighbours, or what is
// turned round. What only memory or a structure tells is a symbol, as is what a launch decides.
// RUN: %kinfo --spec --kernel=shares %s -DSCALE=2 -DOLD -UOLD -D PLAIN | FileCheck --check-prefix=SHARES %s
struct pair { int a; float b[2]; };
typedef struct { int columns; } shape;
kernel void shares(global const float *element, global float *row, global const float *column, global const float *next,
                   global const float *reversed, global struct pair *pairs, global const int *halves, global int *unused,
                   global float *far, shape s, int n, int m) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i >= n || j >= m)
    return;
  row[i * m + j] = element[i] + column[j * n + i] + next[i + 1] + reversed[n - 1 - i];
  pairs[i].a = halves[i / 2];
  far[i * s.columns + j] = get_local_size(0);
}
// SHARES: "pos": 0,
// SHARES-NEXT: "size": "$n$",
// SHARES-NEXT: "break": 1
// SHARES: "pos": 2,
// SHARES-NEXT: "size": "{{[$]n[$] \* [$]m[$]|[$]m[$] \* [$]n[$]}}",
// SHARES-NEXT: "break": 0
// SHARES: "pos": 3,
// SHARES-NEXT: "size": "$n$ + 1",
// SHARES-NEXT: "break": 0
// SHARES: "pos": 4,
// SHARES-NEXT: "size": "$n$",
// SHARES-NEXT: "break": 0
// SHARES: "pos": 6,
// SHARES-NEXT: "size": "{{.*//.*}}",
// SHARES-NEXT: "break": 0
// SHARES: "pos": 7,
// SHARES-NEXT: "size": "1",
// SHARES-NEXT: "break": 0
// SHARES: "pos": 1,
// SHARES-NEXT: "size": "{{[$]n[$] \* [$]m[$]|[$]m[$] \* [$]n[$]}}",
// SHARES-NEXT: "break": 1
// SHARES: "type": "struct pair",
// SHARES-NEXT: "pos": 5,
// SHARES-NEXT: "size": "$n$",
// SHARES-NEXT: "break": 1,
// SHARES-NEXT: "bytes": 12
// SHARES: "pos": 8,
// SHARES-NEXT: "size": "$size_far$",
// SHARES: "macros_values": {
// SHARES-NEXT: "SCALE": "2",
// SHARES-NEXT: "PLAIN": "1"
// SHARES-NEXT: },
// SHARES: "$size_far$"

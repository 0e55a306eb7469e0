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
// CHECK-NEXT: "globalWorkSize": "[M,N,1]",
// CHECK-NEXT: "localWorkSize": "[]",
// CHECK-NEXT: "inputBuffers": [
// CHECK: "type": "float",
// CHECK-NEXT: "pos": 0,
// CHECK-NEXT: "size": "M * K"
// CHECK: "pos": 1,
// CHECK-NEXT: "size": "{{K \* N|N \* K}}"
// CHECK: "outputBuffers": [
// CHECK: "pos": 2,
// CHECK-NEXT: "size": "M * N"
// CHECK: "ioBuffers": [],
// CHECK-NEXT: "varArguments": [
// CHECK: "type": "int",
// CHECK-NEXT: "pos": 3,
// CHECK-NEXT: "value": "M"
// CHECK: "localArguments": [],
// CHECK-NEXT: "guidance": [
// CHECK-NEXT: "dev",
// CHECK-NEXT: "partition",
// CHECK-NEXT: "M",
// CHECK-NEXT: "K",
// CHECK-NEXT: "N"
// CHECK-NEXT: ]

// SAXPY: "name": "saxpy",
// SAXPY: "globalWorkSize": "[n,1,1]",
// SAXPY: "inputBuffers": [
// SAXPY-NEXT: {
// SAXPY-NEXT: "type": "float",
// SAXPY-NEXT: "pos": 2,
// SAXPY-NEXT: "size": "n"
// SAXPY: "outputBuffers": [],
// SAXPY-NEXT: "ioBuffers": [
// SAXPY-NEXT: {
// SAXPY-NEXT: "type": "float",
// SAXPY-NEXT: "pos": 3,
// SAXPY-NEXT: "size": "n"

// A size that nobody can know, and a global size that no guard tells.
kernel void gather(global const int *at, global const float *x, global float *y) {
  int i = get_global_id(0);
  y[i] = x[at[i]];
}
// GATHER: "globalWorkSize": "[global_0,1,1]",
// GATHER: "pos": 0,
// GATHER-NEXT: "size": "global_0"
// GATHER: "pos": 1,
// GATHER-NEXT: "size": "size_x"
// GATHER: "guidance": [
// GATHER-NEXT: "dev",
// GATHER-NEXT: "partition",
// GATHER-NEXT: "global_0",
// GATHER-NEXT: "size_x"
// GATHER-NEXT: ]

// EDGES: "globalWorkSize": "[w,rows,1]",
// EDGES: "type": "uint",
// EDGES-NEXT: "pos": 5,
// EDGES-NEXT: "size": "{{w \* y0 \+ w \* rows|w \* rows \+ w \* y0}}"

// A size counts from element 0: what lies before and between the elements that are overwritten has to be kept.
kernel void shifted(global float *y, int o) { y[get_global_id(0) + o] = 0; }
// SHIFTED: "outputBuffers": [],
// SHIFTED-NEXT: "ioBuffers": [
// SHIFTED: "pos": 0,
// SHIFTED-NEXT: "size": "{{o \+ global_0|global_0 \+ o}}"

kernel void interior(int w, int h, global float *y) {
  int i = get_global_id(0) + 1, j = get_global_id(1) + 1;
  if (i < w - 1 && j < h - 1)
    y[j * w + i] = 1;
}
// INTERIOR: "outputBuffers": [],
// INTERIOR-NEXT: "ioBuffers": [
// INTERIOR: "pos": 2,
// INTERIOR-NEXT: "size": "w * h - w - 1"

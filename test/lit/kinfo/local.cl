// Local memory: what a kernel sets aside, and what its caller hands in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo -DTILE=16 %s | FileCheck %s
// RUN: %kinfo -D TILE=4 %s --json | FileCheck --check-prefix=JSON %s
// RUN: %kinfo -D TILE=4 %s --spec | FileCheck --check-prefix=SPEC %s
kernel void tiled(global float *a, local float *row, local int2 *pairs) {
  local float tile[TILE][TILE];
  local int flag;
  flag = 0;
  tile[get_local_id(1)][get_local_id(0)] = a[0] + row[0] + pairs[0].x;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[1] = tile[0][0];
}
// CHECK: local memory  1028 bytes, row, pairs
// JSON: "type": "local",
// JSON-NEXT: "pos": 1,
// JSON-NEXT: "value": "bytes_row"
// JSON: "localMemory": {
// JSON-NEXT: "bytes": 68,
// JSON-NEXT: "arguments": [
// JSON-NEXT: 1,
// JSON-NEXT: 2
// SPEC: "varArguments": [],
// SPEC-NEXT: "localArguments": [
// SPEC: "type": "float",
// SPEC-NEXT: "pos": 1,
// SPEC-NEXT: "size": "$size_row$"
// SPEC: "type": "int2",
// SPEC-NEXT: "pos": 2,
// SPEC-NEXT: "size": "$size_pairs$"
// SPEC: "guidance": [
// SPEC: "$size_row$",
// SPEC-NEXT: "$size_pairs$"

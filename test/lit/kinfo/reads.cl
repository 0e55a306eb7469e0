// Whether a buffer is updated, or only written in part: both are inout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo --json %s | FileCheck %s
kernel void k(global const float *in, global float *update, global float *part, global float *all) {
  int i = get_global_id(0);
  update[i] += in[i];
  part[2 * i] = 1;
  all[i] = 0;
}
// CHECK: "name": "in",
// CHECK: "role": "in",
// CHECK-NEXT: "reads": true
// CHECK: "name": "update",
// CHECK: "role": "inout",
// CHECK-NEXT: "reads": true
// CHECK: "name": "part",
// CHECK: "role": "inout",
// CHECK-NEXT: "reads": false
// CHECK: "name": "all",
// CHECK: "role": "out",
// CHECK-NEXT: "reads": false

// Attributes: required and hinted work-groups, vector types, sub-groups; written in one list or in several.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// RUN: %kinfo %s --json | FileCheck --check-prefix=JSON %s
#define GROUP 8
__kernel __attribute__((reqd_work_group_size(GROUP, GROUP * 2, 1))) void required(__global int *a) {
  a[get_global_id(0)] = get_global_id(1);
}
// CHECK: kernel required
// CHECK: launch{{ +}}2 dimensions
// CHECK-NEXT: work-group  8 x 16 x 1 required
// JSON: "localWorkSize": "[8,16,1]"
// JSON: "workGroupSizeHint": "[]"

__kernel __attribute__((work_group_size_hint(64, 1, 1), vec_type_hint(float4))) void hinted(__global float4 *a) {
  a[get_global_id(0)] = 0;
}
// CHECK: kernel hinted
// CHECK: launch{{ +}}1 dimension,
// CHECK-NEXT: work-group  64 x 1 x 1 hinted
// CHECK-NEXT: vector      float4 hinted
// JSON: "localWorkSize": "[]"
// JSON: "workGroupSizeHint": "[64,1,1]"
// JSON-NEXT: "vecTypeHint": "float4"

__attribute__((intel_reqd_sub_group_size(16))) kernel void __attribute__((reqd_work_group_size(16, 1, 1)))
grouped(global int *a) {
  a[get_global_id(0)] = 0;
}
// CHECK: kernel grouped
// CHECK: work-group  16 x 1 x 1 required
// CHECK-NEXT: sub-group   16 required
// JSON: "subGroupSize": 16

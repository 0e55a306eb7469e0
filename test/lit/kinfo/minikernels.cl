// Minikernels: only the first work-groups compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo --minikernels %s | FileCheck %s
// RUN: %kinfo --minikernels %s >%t.cl && %kinfo %t.cl | FileCheck --check-prefix=AGAIN %s
// RUN: sh -c 'echo "kernel void f(global volatile int *x) { while (!x[0]); }" | %kinfo --minikernels - | wc -c' | FileCheck --check-prefix=NONE %s
// CHECK: // Any launch: free none
kernel void free(global float *y) { y[get_global_id(0)] = 1; }
// CHECK: kernel void free(global float *y, uint hsched_groups, __global uint *hsched_local) { if (get_group_id(0) == 0 && get_group_id(1) == 0 && get_group_id(2) == 0) { hsched_local[0] = get_local_size(0); hsched_local[1] = get_local_size(1); hsched_local[2] = get_local_size(2); } if (get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)) >= hsched_groups) return; y[get_global_id(0)] = 1; }
uint stride(void) { return get_global_size(0); }
kernel void shares(global float *y,
                   uint n) {
  for (uint i = get_global_id(0); i < n; i += stride()) y[i] = 0;
}
// CHECK: kernel void shares(global float *y,
// CHECK-NEXT: uint n, uint hsched_groups
kernel void none(void) {}
// CHECK: kernel void none(uint hsched_groups, __global uint *hsched_local) { if
// Groups may wait for each other, or count together.
kernel void counts(global int *c) { atomic_inc(c); }
// CHECK: kernel void counts(global int *c) {
kernel void called(global float *y) { y[get_num_groups(0)] = 0; }
// CHECK: kernel void called(global float *y) {
kernel void calls(global float *y) { called(y); }
// CHECK: kernel void calls(global float *y, uint hsched_groups
#define FRAME kernel void framed(global float *y)
FRAME { y[get_num_groups(0)] = 0; }
// CHECK: {{^}}FRAME { y[
// AGAIN: kernel free
// AGAIN: kernel shares
// NONE: {{^}}0

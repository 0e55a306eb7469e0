// A required size of work-groups is a number; a pointer that initializes an integer is no error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
// CHECK: a {{.*}} inout [get_global_size(0)]a
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void group(global int *a) {
  a[get_group_id(0) * 64 + get_local_id(0)] += 1;
}
// CHECK: kernel pointer
kernel void pointer(global int *a) {
  long number = a;
  a[0] = number & 1;
}

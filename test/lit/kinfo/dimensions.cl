// How many dimensions a kernel asks for, whatever it asks through.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo -cl-std=CL2.0 %s | FileCheck %s
// RUN: %kinfo -cl-std=CL2.0 --spec --kernel=helper %s | FileCheck --check-prefix=SPEC %s
size_t gid(uint d) { return get_global_id(d); }
size_t twice(int x, uint d) { return gid(d) + x; }

kernel void helper(global int *y, int w) { y[gid(1) * w + gid(0)] = 1; }
// CHECK: kernel helper
// CHECK: 0 y {{.*}} out ([get_global_size(1)][w]y)[0:get_global_size(1)][0:get_global_size(0)]
// CHECK: launch 2 dimensions, global size get_global_size(0) x get_global_size(1)
// SPEC: "workDimension": 2,
// SPEC-NEXT: "globalWorkSize": "[$global_0$,$global_1$]",
// SPEC: "outputBuffers": [],
// SPEC: "ioBuffers": [

kernel void deeper(global int *y) { y[twice(7, 0)] = 1; }
// CHECK: kernel deeper
// CHECK: 0 y {{.*}} out y[7:get_global_size(0)]
// CHECK-NEXT: launch 1 dimension,

kernel void named(global int *y) {
  const uint d = 1;
  y[get_global_id(d)] = 1;
}
// CHECK: kernel named
// CHECK: launch 2 dimensions,

// Changed where it is not seen at once: any of them.
kernel void changed(global int *y) {
  uint d = 0;
  uint *p = &d;
  ++*p;
  y[get_global_id(d)] = 1;
}
// CHECK: kernel changed
// CHECK: launch 3 dimensions,

kernel void loop(global int *y) {
  int s = 0;
  for (uint d = 0; d < 2; ++d)
    s = s * (int)get_global_size(d) + (int)get_global_id(d);
  y[s] = 1;
}
// CHECK: kernel loop
// CHECK: 0 y {{.*}} inout extent unknown
// CHECK-NEXT: launch 3 dimensions,

// 257 is 1 in a byte.
size_t narrow(uint d) { return get_global_id((uchar)d); }
kernel void wrapped(global int *y) { y[narrow(257)] = 1; }
// CHECK: kernel wrapped
// CHECK: launch 3 dimensions,

// A dimension that there never is asks for nothing.
kernel void beyond(global int *y) { y[get_global_id(3)] = 1; }
// CHECK: kernel beyond
// CHECK: 0 y {{.*}} out *y
// CHECK-NEXT: launch no dimension asked for

kernel void linear(global int *y) { y[get_global_linear_id()] = 1; }
// CHECK: kernel linear
// CHECK: 0 y {{.*}} out [get_global_size(0)]y
// CHECK-NEXT: launch 1 dimension, global size get_global_size(0)

kernel void linear2(global int *y) { y[get_global_linear_id()] = get_global_id(1); }
// CHECK: kernel linear2
// CHECK: 0 y {{.*}} out [get_global_size(0) * get_global_size(1)]y
// CHECK-NEXT: launch 2 dimensions, global size get_global_size(0) x get_global_size(1)

kernel void local_linear(global int *y) { y[get_local_linear_id()] = 1; }
// CHECK: kernel local_linear
// CHECK: 0 y {{.*}} inout extent unknown
// CHECK-NEXT: launch 1 dimension,

kernel void enqueued(global int *y) { y[0] = get_enqueued_local_size(1); }
// CHECK: kernel enqueued
// CHECK: 0 y {{.*}} out *y
// CHECK-NEXT: launch 2 dimensions,

// A launch may have more dimensions than the kernel asks for, each of size 1.
kernel void many(global int *y) {
  for (int i = 0; i < get_work_dim(); ++i)
    y[i] = 1;
}
// CHECK: kernel many
// CHECK: 0 y {{.*}} inout extent unknown
// CHECK-NEXT: launch no dimension asked for

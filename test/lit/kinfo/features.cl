// What kernels need of a device, by their own bodies and by those of the functions they call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s | FileCheck %s
kernel void plain(global float *a) { a[get_global_id(0)] *= 2.0f; }
// CHECK: kernel plain
// CHECK-NOT: uses

kernel void doubles(global double *a) { a[get_global_id(0)] += 1; }
// CHECK: kernel doubles
// CHECK: uses{{ +}}fp64{{$}}

// Doubles that nobody asked for.
kernel void literals(global float *a) { a[get_global_id(0)] = 0.5 * sqrt(a[0] * 2.0); }
// CHECK: kernel literals
// CHECK: uses{{ +}}fp64-literals{{$}}

kernel void cast(global float *a) { a[get_global_id(0)] = 0.5 * (double)a[0]; }
// CHECK: kernel cast
// CHECK: uses{{ +}}fp64{{$}}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(global half *a) { a[get_global_id(0)] += (half)1; }
// CHECK: kernel halves
// CHECK: uses{{ +}}fp16{{$}}

// Storage in halves needs nothing.
kernel void stored(global half *a, global float *b) { vstore_half(vload_half(0, a), 1, a), *b = 0; }
// CHECK: kernel stored
// CHECK-NOT: uses

kernel void counts(volatile global int *n, volatile local uint *m) { atomic_inc(n), atomic_add(m, 2u); }
// CHECK: kernel counts
// CHECK: uses{{ +}}atomics-32{{$}}

kernel void wide(volatile global long *n) { atom_add(n, 2l); }
// CHECK: kernel wide
// CHECK: uses{{ +}}atomics-64{{$}}

kernel void talks(global int *a) { printf("%d\n", a[0]); }
// CHECK: kernel talks
// CHECK: uses{{ +}}printf{{$}}

static void meet(local int *a) { barrier(CLK_LOCAL_MEM_FENCE); }
static void meetLater(local int *a) { meet(a); }
kernel void through(local int *a) { meetLater(a); }
// CHECK: kernel through
// CHECK: uses{{ +}}barriers{{$}}

kernel void copies(global float *a, local float *b) {
  event_t done = async_work_group_copy(b, a, 64, 0);
  wait_group_events(1, &done);
}
// CHECK: kernel copies
// CHECK: uses{{ +}}async-copies{{$}}

kernel void lanes(global int *a) { a[get_sub_group_local_id()] = get_sub_group_size(); }
// CHECK: kernel lanes
// CHECK: uses{{ +}}sub-groups{{$}}

kernel void assembly(global int *a) { __asm__("nop"); }
// CHECK: kernel assembly
// CHECK: uses{{ +}}assembly{{$}}

// Asked for its size alone.
kernel void sized(global int *a) { a[0] = sizeof(double); }
// CHECK: kernel sized
// CHECK-NOT: uses

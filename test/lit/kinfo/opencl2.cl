// OpenCL C 2.0: pipes, generic pointers, program-scope variables, device enqueue, work-group functions, C11 atomics.
// Without -cl-std it is found out, and said, that 1.2 will not do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo %s 2>%t.err | FileCheck %s
// RUN: FileCheck --check-prefix=NOTE %s < %t.err
// RUN: %kinfo -cl-std=CL2.0 %s 2>&1 | FileCheck --implicit-check-not=note: %s
// RUN: not %kinfo -cl-std=CL1.2 %s 2>&1 | FileCheck --check-prefix=OLD %s
// NOTE: hsched-kinfo: note: '{{.*}}opencl2.cl' needs -cl-std=CL2.0
// OLD: opencl2.cl:[[#@LINE+6]]:{{[0-9]+}}: error:
// RUN: %kinfo -cl-std=CL2.0 --json %s | FileCheck --check-prefix=JSON %s
// RUN: %kinfo -cl-std=CL2.0 --spec --kernel=packets %s | FileCheck --check-prefix=SPEC %s
// CHECK: opencl2.cl: CL2.0, 7 kernels
global int Total;

kernel void piped(read_only pipe int from, write_only pipe int to) {
  int value;
  if (read_pipe(from, &value) == 0)
    write_pipe(to, &value);
}
// CHECK: kernel piped
// CHECK-NEXT: 0  from  {{.*}}  in{{$}}
// CHECK-NEXT: 1  to    {{.*}}  out{{$}}
// CHECK: uses{{ +}}pipes{{$}}

kernel void sends(global int *a, write_only pipe int to) { write_pipe(to, a); }
// CHECK: kernel sends
// CHECK-NEXT: 0  a   {{.*}}  inout  extent unknown: it goes through a pipe (line [[#@LINE-2]])

static int first(int *p) { return p[0]; }
kernel void unnamed(global int *a) { a[1] = first(a); }
// CHECK: kernel unnamed
// CHECK: uses{{ +}}generic-pointers{{$}}

kernel void totals(global int *a) { a[0] = Total + work_group_reduce_add(a[1]); }
// CHECK: kernel totals
// CHECK: uses{{ +}}work-group-functions, program-variables{{$}}

kernel void enqueues(global int *a) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[0] = 1; });
}
// CHECK: kernel enqueues
// CHECK-NEXT: 0  a  {{.*}}  inout  extent unknown: 'a' is captured by a block
// CHECK: uses{{ +}}device-enqueue

kernel void counts(global atomic_int *n, global atomic_long *m) {
  atomic_fetch_add(n, 1);
  atomic_store(m, 1);
}
// CHECK: kernel counts
// CHECK: uses{{ +}}atomics-32, atomics-64

// Pipes of vectors and structures, and nothing else.
struct Pair { float4 a; int b; };
kernel void packets(read_only pipe float4 from, write_only pipe struct Pair to) {
  struct Pair p = {0};
  if (read_pipe(from, &p.a) == 0)
    write_pipe(to, &p);
}
// CHECK: kernel packets
// CHECK-NEXT: 0  from  read_only pipe float4         in{{$}}
// CHECK-NEXT: 1  to    write_only pipe struct Pair  out{{$}}
// CHECK: uses{{ +}}pipes{{$}}
// JSON: "name": "packets",
// JSON: "varArguments": [
// JSON: "type": "read_only pipe float4",
// JSON: "kind": "pipe",
// JSON-NEXT: "element": "read_only pipe float4",
// JSON-NEXT: "role": "in"
// JSON: "kind": "pipe",
// JSON-NEXT: "element": "write_only pipe struct Pair",
// JSON-NEXT: "role": "out"
// SPEC: "type": "read_only pipe float4",
// SPEC-NEXT: "pos": 0,
// SPEC: "type": "write_only pipe struct Pair",
// SPEC-NEXT: "pos": 1,

// OpenCL C 1.0 and 1.1, as it was written then: pragmas for what came to be part of the language later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %kinfo -cl-std=CL1.0 %s | FileCheck --check-prefixes=CHECK,V10 --implicit-check-not='kernel since' %s
// RUN: %kinfo -cl-std=CL1.1 %s | FileCheck --check-prefixes=CHECK,V11 %s
// RUN: %kinfo -cl-std=CL1.1 --json %s | FileCheck --check-prefix=JSON %s
// RUN: %kinfo -cl-std=CL1.1 --spec --kernel=count %s | FileCheck --check-prefix=SPEC %s
// V10: opencl1.cl: CL1.0, 3 kernels
// V11: opencl1.cl: CL1.1, 4 kernels
// JSON: "standard": "CL1.1",
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__constant float Weights[3] = {0.25f, 0.5f, 0.25f};

__kernel void blur(__read_only image2d_t in, __write_only image2d_t out, sampler_t how) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, how, at) * Weights[1]);
}
// CHECK: kernel blur
// CHECK-NEXT: 0  in   {{.*}}image2d_t   in{{$}}
// CHECK-NEXT: 1  out  {{.*}}image2d_t  out{{$}}
// CHECK-NEXT: 2  how  sampler_t               sampler{{$}}
// CHECK-NEXT: launch      2 dimensions, global size get_global_size(0) x get_global_size(1)
// CHECK-NEXT: uses        images{{$}}

__kernel void count(int n, __global volatile int *c, __global const float4 *v, __global double *d) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  atom_inc(c);
  d[i] = v[i].x;
}
// CHECK: kernel count
// CHECK-NEXT: 0  n  int                      value
// CHECK-NEXT: 1  c  volatile __global int *  inout  *c
// CHECK-NEXT: 2  v  const __global float4 *  in     [n]v
// CHECK-NEXT: 3  d  __global double *        out    [n]d
// CHECK-NEXT: launch      1 dimension, global size n
// CHECK-NEXT: uses        fp64, atomics-32
// CHECK-NEXT: extensions  cl_khr_fp64, cl_khr_global_int32_base_atomics
// SPEC: "globalWorkSize": "[$n$]",
// SPEC: "inputBuffers": [
// SPEC-NEXT: {
// SPEC-NEXT: "type": "float4",
// SPEC-NEXT: "pos": 2,
// SPEC: "outputBuffers": [
// SPEC-NEXT: {
// SPEC-NEXT: "type": "double",
// SPEC: "ioBuffers": [
// SPEC-NEXT: {
// SPEC-NEXT: "type": "int",

// A launch has the dimensions that the group has, though the kernel asks for one.
__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void turn(__global float *a, __local float *t) {
  t[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
// CHECK: kernel turn
// CHECK-NEXT: 0  a  __global float *  inout  [get_global_size(0)]a
// CHECK-NEXT: 1  t  __local float *   local
// CHECK-NEXT: launch        2 dimensions, global size get_global_size(0) x get_global_size(1)
// CHECK-NEXT: work-group    8 x 4 x 1 required
// CHECK-NEXT: local memory  t
// CHECK-NEXT: uses          barriers
// JSON: "name": "turn",
// JSON: "workDimension": 2,
// JSON-NEXT: "globalWorkSize": "[get_global_size(0),get_global_size(1),1]",
// JSON-NEXT: "localWorkSize": "[8,4,1]",

#if __OPENCL_C_VERSION__ >= 110
// Vectors of three elements.
__kernel void since(__global float3 *a, __global char *b) {
  a[get_global_id(0)] = (float3)(1, 2, 3);
  vstore3((char3)(1), get_global_id(0), b);
}
#endif
// V11: kernel since
// V11-NEXT: 0  a  __global float3 *  out  [get_global_size(0)]a
// V11-NEXT: 1  b  __global char *    out  [3 * get_global_size(0)]b
// JSON: "name": "since",
// JSON: "element": "float3",
// JSON-NEXT: "elementBytes": 16,

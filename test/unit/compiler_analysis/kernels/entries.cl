// Every form of entry, for KernelRunTest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factor.h"
#define DEFINE(name, T) __kernel void name(__global T *x, T v) { x[get_global_id(0)] = v; }
#define LIST __global float *data, const int n
DEFINE(set_f, float)
typedef __global float *Vector;
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void shift(__constant float *coefficients, __global const float *restrict in, int n, Vector out, __local float *tile,
           global volatile float last[])
{
  __local float own[4];
  const int i = get_global_id(0), l = get_local_id(0);
  own[l] = in[i] * factor();
  tile[l] = coefficients[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = own[3 - l] + tile[3 - l];
  if (i == n - 1)
    last[0] = i;
}
__kernel void listed(LIST) { data[get_global_id(0)] = n; }

// The loops of phylo.cpp that devices can run, a site a work-item.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No product is fused with a sum, so that a device rounds as a core does.
#pragma OPENCL FP_CONTRACT OFF

static float4 through(global const float *p, float4 v) {
  float out[4];
  for (int a = 0; a < 4; ++a)
    out[a] = (p[4 * a] * v.x + p[4 * a + 1] * v.y) + (p[4 * a + 2] * v.z + p[4 * a + 3] * v.w);
  return (float4)(out[0], out[1], out[2], out[3]);
}

kernel void combine(int n, global const float *p, global const float *left, global const float *right,
                    global float *out) {
  const int s = get_global_id(0);
  if (s < n)
    vstore4(through(p, vload4(s, left)) * through(p + 16, vload4(s, right)), s, out);
}

kernel void rescale(int n, float small, float factor, global const int *left, global const int *right,
                    global float *v, global int *scaled) {
  const int s = get_global_id(0);
  if (s >= n)
    return;
  const float4 at = vload4(s, v);
  const int low = fmax(fmax(at.x, at.y), fmax(at.z, at.w)) < small;
  vstore4(low ? at * factor : at, s, v);
  scaled[s] = left[s] + right[s] + low;
}

// The version of `scale` for OpenCL devices: hsched-cc embeds it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void scale_cl(int n, float a, global float *x) {
  if (get_global_id(0) < n)
    x[get_global_id(0)] *= a;
}

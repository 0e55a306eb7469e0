// Kernels for inference-dimensions.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
size_t gid(uint d) { return get_global_id(d); }
kernel void helper(int w, global int *y) { y[gid(1) * w + gid(0)] = 1; }
kernel void lin(global int *y) { y[get_global_linear_id()] = 1; }
kernel void dims(global int *y) {
  if (get_work_dim() == 1)
    y[get_global_id(0)] = 1;
}

// What `from` does to `to`: a work-item for each body of `to`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void attract_cl(int n, float mass, global const float *to, global const float *from, global float *force) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float3 here = (float3)(to[i], to[n + i], to[2 * n + i]), sum = 0;
  for (int j = 0; j < n; ++j) {
    float3 d = (float3)(from[j], from[n + j], from[2 * n + j]) - here;
    float square = dot(d, d) + 0.05f;
    sum += d * (mass / (square * sqrt(square)));
  }
  force[i] += sum.x;
  force[n + i] += sum.y;
  force[2 * n + i] += sum.z;
}

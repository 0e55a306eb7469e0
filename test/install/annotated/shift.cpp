// The header comes precompiled. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception.
__attribute__((visibility("default"))) void shift(int n, float by, float *y) {
  std::vector<float> Added(static_cast<std::size_t>(n), by);
  for (int i = 0; i < n; ++i)
    y[i] += Added[static_cast<std::size_t>(i)];
}

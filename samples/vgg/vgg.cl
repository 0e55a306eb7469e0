// A block of a VGG-like network: 3 x 3 convolutions, bias and ReLU, 2 x 2 maximum. Images are channels of n x n, row-major.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sums += weights * image: one work-item a pixel of an output channel. Weights: [outputs][inputs][3][3]. Outside of the
// image is 0.
kernel void convolve(global const float *image, global const float *weights, global float *sums, int inputs, int n) {
  const int x = get_global_id(0), y = get_global_id(1), output = get_global_id(2);
  float sum = sums[(output * n + y) * n + x];
  for (int input = 0; input < inputs; ++input)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const int column = x + i - 1, row = y + j - 1;
        if (column >= 0 && column < n && row >= 0 && row < n)
          sum += weights[((output * inputs + input) * 3 + j) * 3 + i] * image[(input * n + row) * n + column];
      }
  sums[(output * n + y) * n + x] = sum;
}

kernel void bias_relu(global float *sums, global const float *bias, int n) {
  const int x = get_global_id(0), y = get_global_id(1), channel = get_global_id(2);
  const int at = (channel * n + y) * n + x;
  sums[at] = fmax(sums[at] + bias[channel], 0.0f);
}

// n is the result's.
kernel void pool(global const float *image, global float *result, int n) {
  const int x = get_global_id(0), y = get_global_id(1), channel = get_global_id(2);
  global const float *from = image + (channel * 2 * n + 2 * y) * 2 * n + 2 * x;
  result[(channel * n + y) * n + x] = fmax(fmax(from[0], from[1]), fmax(from[2 * n], from[2 * n + 1]));
}

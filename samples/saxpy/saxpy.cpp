// y += a * x, a chunk at a time, on whatever finishes each chunk first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: saxpy [--size n] [--chunk n] [--reps r]. Standard output is the same for every build of this program, the
// serial one among them; exit code 1 tells that a result was wrong.
#include "../common/Options.h"

#include <cstdio>
#include <vector>

#pragma hsched task
void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

#pragma hsched implements(saxpy) device(opencl) kernel("saxpy.cl") ndrange(n; 64)
void saxpy_cl(int n, float a, const float *x, float *y);

int main(int argc, char **argv) {
  samples::Options options(argc, argv, {"size", "chunk", "reps"});
  const int size = options.number("size", 1 << 20);
  const int chunk = options.number("chunk", 1 << 16);
  const int reps = options.number("reps", 8);
  if (!options.ok())
    return 2;

  // Values are small multiples of 1/4: every intermediate is exact, so that all versions agree to the last bit.
  std::vector<float> x(size), y(size);
  for (int i = 0; i < size; ++i) {
    x[i] = static_cast<float>(i % 101);
    y[i] = static_cast<float>(i % 7);
  }

  for (int r = 0; r < reps; ++r)
    for (int begin = 0; begin < size; begin += chunk) {
      const int n = begin + chunk < size ? chunk : size - begin;
      saxpy(n, 0.25f * static_cast<float>(1 + r % 4), &x[begin], &y[begin]);
    }
#pragma hsched taskwait

  float factor = 0;
  for (int r = 0; r < reps; ++r)
    factor += 0.25f * static_cast<float>(1 + r % 4);
  double sum = 0;
  for (int i = 0; i < size; ++i) {
    const float expected = static_cast<float>(i % 7) + factor * static_cast<float>(i % 101);
    if (y[i] != expected) {
      std::printf("saxpy: WRONG: y[%d] is %g, not %g\n", i, y[i], expected);
      return 1;
    }
    sum += y[i];
  }
  std::printf("saxpy: %d elements, %d repetitions, sum %.2f: correct\n", size, reps, sum);
  return 0;
}

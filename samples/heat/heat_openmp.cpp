// The same with OpenMP: a parallel loop for each step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/Timer.h"
#include "Heat.h"

#include <utility>

int main(int argc, char **argv) {
  const heat::Setup s(argc, argv);
  if (!s.good)
    return 2;
  const int w = s.width, h = s.height;
  std::vector<float> first(std::size_t(w) * h), second(std::size_t(w) * h);
  float *u = first.data(), *next = second.data();
  samples::Timer timer;

#pragma omp parallel for
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      u[y * w + x] = next[y * w + x] = heat::initial(x, y, w, h);

  float most = heat::conductivity(1);
  double time = 0;
  for (int step = 1; step <= s.steps; ++step) {
    const float dt = heat::stableStep(most);
    time += dt;
    most = 0;
#pragma omp parallel for reduction(max : most)
    for (int y0 = 1; y0 < h - 1; y0 += s.band) {
      const float k = heat::advanceRows(w, y0, s.rows(y0), dt, u, next);
      most = most > k ? most : k;
    }
    std::swap(u, next);
    if (!s.out.empty() && step % s.every == 0)
      heat::save(heat::fileName(s.out, step), w, h, u);
  }
  timer.stop();
  return heat::report(s, u, time);
}

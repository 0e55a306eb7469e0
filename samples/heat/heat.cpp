// Heat in a plate: bands of rows with halos, a time step that follows from the hottest element, pictures on the way. The
// host waits once, at the end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: heat [--size n] [--band rows] [--steps n] [--every n] [--out prefix]
#include "../common/Timer.h"
#include "Heat.h"

#include <algorithm>
#include <utility>

// The next time step, once all bands of the step before have been advanced.
#pragma hsched task
void chooseStep(float *most, float *dt, double *time) {
  *dt = heat::stableStep(*most);
  *time += *dt;
  *most = 0;
}

// Inferred: in(u[(y0 - 1) * w : (rows + 2) * w]), so that a band waits for its neighbours' rows, and no others.
#pragma hsched task reduction(max : most)
void advance(int w, int y0, int rows, const float *dt, const float *u, float *next, float &most) {
  const float k = heat::advanceRows(w, y0, rows, *dt, u, next);
  most = most > k ? most : k;
}

#pragma hsched task in([w * h]u)
void picture(int w, int h, const float *u, std::string path) { heat::save(path, w, h, u); }

int main(int argc, char **argv) {
  const heat::Setup s(argc, argv);
  if (!s.good)
    return 2;
  const int w = s.width, h = s.height;
  std::vector<float> first(std::size_t(w) * h), second(std::size_t(w) * h);
  float *u = first.data(), *next = second.data();
  samples::Timer timer;

#pragma hsched taskloop grainsize(s.band)
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      u[y * w + x] = next[y * w + x] = heat::initial(x, y, w, h);

  float most = heat::conductivity(1), dt = 0;
  double time = 0;
  for (int step = 1; step <= s.steps; ++step) {
    chooseStep(&most, &dt, &time);
    for (int y0 = 1; y0 < h - 1; y0 += s.band)
      advance(w, y0, s.rows(y0), &dt, u, next, most);
    std::swap(u, next);
    if (!s.out.empty() && step % s.every == 0)
      picture(w, h, u, heat::fileName(s.out, step)); // Beside the next step, which only reads u.
  }
#pragma hsched taskwait
  timer.stop();
  return heat::report(s, u, time);
}

// The same with OpenMP: tasks whose dependences are tokens, one for each slot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/Timer.h"
#include "Frames.h"

using namespace pipeline;

int main(int argc, char **argv) {
  const Setup s(argc, argv);
  if (!s.good)
    return 2;
  const int w = s.width, h = s.height, n = s.pixels();
  std::vector<u8> raw(n * std::size_t(s.depth)), smoothed(raw.size()), clean(raw.size());
  long histogram[256] = {};
  File file;
  samples::Timer timer;

#pragma omp parallel
#pragma omp single
  for (int f = -2; f < s.frames; ++f) {
    u8 *shot = &raw[s.slot(f + 2)], *smooth_to = &smoothed[s.slot(f + 2)];
#pragma omp task depend(out : shot[0])
    shoot(w, h, f, shot);

#pragma omp task depend(in : shot[0]) depend(out : smooth_to[0])
    smooth(w, h, shot, smooth_to);

    if (f < 0)
      continue;
    u8 *a = &smoothed[s.slot(f)], *b = &smoothed[s.slot(f + 1)], *c = &smoothed[s.slot(f + 2)], *cleared = &clean[s.slot(f)];
#pragma omp task depend(in : a[0], b[0], c[0]) depend(out : cleared[0])
    median(n, a, b, c, cleared);

#pragma omp task depend(in : cleared[0]) depend(mutexinoutset : histogram)
    count(n, cleared, histogram);

#pragma omp task depend(in : cleared[0]) depend(inout : file)
    file.append(n, cleared);
  }
  timer.stop();
  return report(s, file, histogram, &clean[s.slot(s.frames - 1)]);
}

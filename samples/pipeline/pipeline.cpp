// A pipeline over the frames of a film: shoot, smooth, median of three frames, histogram, file. Frames are in rings of a
// few slots. A stage waits for a slot while another stage uses it. The data clauses say so; no code does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: pipeline [--frames n] [--size n] [--depth slots] [--out last.png]
#include "../common/Timer.h"
#include "Frames.h"

using namespace pipeline;

// The frame and the two before it, wherever they are in the ring.
#pragma hsched task in({smoothed[s.slot(f + k) : s.pixels()], k = 0; 3}) out(clean[s.slot(f) : s.pixels()])
void clear(const Setup &s, int f, const u8 *smoothed, u8 *clean) {
  median(s.pixels(), &smoothed[s.slot(f)], &smoothed[s.slot(f + 1)], &smoothed[s.slot(f + 2)], &clean[s.slot(f)]);
}

int main(int argc, char **argv) {
  const Setup s(argc, argv);
  if (!s.good)
    return 2;
  const int w = s.width, h = s.height, n = s.pixels();
  std::vector<u8> raw(n * std::size_t(s.depth)), smoothed(raw.size()), clean(raw.size());
  long histogram[256] = {};
  File file;
  samples::Timer timer;

  for (int f = -2; f < s.frames; ++f) { // Two frames in advance, for the first median.
    u8 *shot = &raw[s.slot(f + 2)], *smooth_to = &smoothed[s.slot(f + 2)];
#pragma hsched task label("shoot")
    shoot(w, h, f, shot);

#pragma hsched task label("smooth")
    smooth(w, h, shot, smooth_to);

    if (f < 0)
      continue;
    u8 *cleared = &clean[s.slot(f)];
    clear(s, f, smoothed.data(), clean.data());

#pragma hsched task commutative(histogram) label("count")
    count(n, cleared, histogram);

#pragma hsched task in([n]cleared) inout(file) label("append")
    file.append(n, cleared);
  }
#pragma hsched taskwait
  timer.stop();
  return report(s, file, histogram, &clean[s.slot(s.frames - 1)]);
}

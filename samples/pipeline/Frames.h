// Frames of a film and what is done with them, for all programs of this sample. All numbers are integers, so every program
// prints the same.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_PIPELINE_FRAMES_H
#define HSCHED_SAMPLES_PIPELINE_FRAMES_H

#include "../common/Options.h"
#include "../common/Png.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace pipeline {

using u8 = std::uint8_t;

struct Setup {
  int frames, width, height, depth;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"frames", "size", "depth", "out"});
    frames = options.number("frames", 60);
    width = height = options.number("size", 256);
    depth = options.number("depth", 6);
    out = options.text("out", "");
    if (depth < 3 || width < 3)
      options.complain("--depth and --size are 3 or more");
    good = options.ok();
  }
  int pixels() const { return width * height; }
  std::size_t slot(int frame) const { return std::size_t(frame % depth) * pixels(); } // Where a frame is in a ring.
};

// A camera: a disc that wanders over a slope, with noise.
inline void shoot(int w, int h, int frame, u8 *to) {
  std::uint32_t state = 77u + static_cast<std::uint32_t>(frame);
  const int cx = (frame * 5) % w, cy = h / 2;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      state = state * 1664525u + 1013904223u;
      const bool inside = (x - cx) * (x - cx) + (y - cy) * (y - cy) < w * h / 40;
      const int noise = state >> 28 == 0 ? 200 : static_cast<int>(state >> 27);
      to[y * w + x] = static_cast<u8>(std::min(255, (inside ? 160 : 60 * y / h) + noise));
    }
}

// The mean of 3 x 3 pixels; the border is taken as it is.
inline void smooth(int w, int h, const u8 *from, u8 *to) {
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int sum = 0;
      if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
        sum = 9 * from[y * w + x];
      else
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            sum += from[(y + dy) * w + x + dx];
      to[y * w + x] = static_cast<u8>(sum / 9);
    }
}

// The median of three frames, pixel by pixel.
inline void median(int n, const u8 *a, const u8 *b, const u8 *c, u8 *to) {
  for (int i = 0; i < n; ++i)
    to[i] = std::max(std::min(a[i], b[i]), std::min(std::max(a[i], b[i]), c[i]));
}

inline void count(int n, const u8 *from, long *histogram) {
  long own[256] = {};
  for (int i = 0; i < n; ++i)
    ++own[from[i]];
  for (int i = 0; i < 256; ++i)
    histogram[i] += own[i];
}

// The file that frames are appended to, in their order, run-length encoded.
struct File {
  long bytes = 0;
  std::uint64_t sum = 14695981039346656037ull; // FNV-1a

  void append(int n, const u8 *from) {
    for (int i = 0, length; i < n; i += length) {
      for (length = 1; length < 255 && i + length < n && from[i + length] == from[i]; ++length) {
      }
      for (int b : {length, int(from[i])})
        sum = (sum ^ static_cast<std::uint64_t>(b)) * 1099511628211ull;
      bytes += 2;
    }
  }
};

inline int report(const Setup &s, const File &file, const long *histogram, const u8 *last) {
  long pixels = 0;
  int peak = 0;
  for (int i = 0; i < 256; ++i) {
    pixels += histogram[i];
    peak = histogram[i] > histogram[peak] ? i : peak;
  }
  if (!s.out.empty() && !samples::Png::write(s.out, s.width, s.height, std::vector<u8>(last, last + s.pixels())))
    std::fprintf(stderr, "pipeline: cannot write '%s'\n", s.out.c_str());
  const bool good = pixels == long(s.frames) * s.pixels();
  std::printf("pipeline: %d frames, %ld pixels, most often %d, %ld bytes, sum %016llx: %s\n", s.frames, pixels, peak, file.bytes,
              static_cast<unsigned long long>(file.sum), good ? "correct" : "WRONG");
  return good ? 0 : 1;
}

} // namespace pipeline
#endif

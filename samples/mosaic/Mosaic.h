// A picture whose pixels are clustered by position and grey level (k-means), for all programs of this sample. All sums
// are integers, so every program prints the same result.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_MOSAIC_MOSAIC_H
#define HSCHED_SAMPLES_MOSAIC_MOSAIC_H

#include "../common/Options.h"
#include "../common/Png.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace mosaic {

using u8 = std::uint8_t;

constexpr int Side = 12, Clusters = Side * Side; // The clusters start on a grid.
static_assert(Clusters <= 256);                  // A pixel's cluster is a byte.
constexpr int Grey = 3;                          // Weight of a grey level against a pixel's distance.

struct Setup {
  int width, height, band, rounds;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"size", "band", "rounds", "out"});
    width = height = options.number("size", 192);
    band = options.number("band", 16);
    rounds = options.number("rounds", 8);
    out = options.text("out", "");
    if (width < 2 * Side || width > 2000) // The square of a distance has 23 bits.
      options.complain("--size is " + std::to_string(2 * Side) + " to 2000");
    good = options.ok();
  }
  int rows(int y0) const { return height - y0 < band ? height - y0 : band; }
};

// Two lamps behind a grating, in few grey levels: its contrast is stretched later.
inline u8 shade(int x, int y, int w, int h) {
  auto lamp = [&](int cx, int cy) { return 60 * w * h / ((x - cx) * (x - cx) + (y - cy) * (y - cy) + w * h / 8); };
  const int wave = ((x * 5 / w) + (y * 7 / h)) % 2 ? 18 : 0;
  return static_cast<u8>(60 + (lamp(w / 3, h / 2) + lamp(3 * w / 4, h / 4)) / 8 + wave);
}

struct Cluster {
  int x, y, grey;
};

// The sums over a cluster's pixels.
struct Sum {
  long x, y, grey, pixels;
};
struct Sums {
  Sum of[Clusters] = {};
};
inline void add(Sums &into, const Sums &by) {
  for (int k = 0; k < Clusters; ++k) {
    into.of[k].x += by.of[k].x;
    into.of[k].y += by.of[k].y;
    into.of[k].grey += by.of[k].grey;
    into.of[k].pixels += by.of[k].pixels;
  }
}

inline void begin(const Setup &s, Cluster *clusters) {
  for (int k = 0; k < Clusters; ++k)
    clusters[k] = {(2 * (k % Side) + 1) * s.width / (2 * Side), (2 * (k / Side) + 1) * s.height / (2 * Side), 128};
}

// Finds the darkest and the brightest level with many pixels, and maps them to black and white.
inline void levels(int pixels, const int *bins, u8 *table) {
  int low = 0, high = 255;
  for (long seen = 0; low < 255 && seen + bins[low] <= pixels / 100; ++low)
    seen += bins[low];
  for (long seen = 0; high > low + 1 && seen + bins[high] <= pixels / 100; --high)
    seen += bins[high];
  for (int v = 0; v < 256; ++v)
    table[v] = static_cast<u8>(v <= low ? 0 : v >= high ? 255 : 255 * (v - low) / (high - low));
}

// Assigns each pixel of a row to the nearest cluster; adds the row to the sums.
inline void assign(int w, int y, const u8 *row, const Cluster *clusters, u8 *nearest, Sums &sums) {
  int x[Clusters], grey[Clusters], far[Clusters];
  for (int k = 0; k < Clusters; ++k) {
    x[k] = clusters[k].x;
    grey[k] = clusters[k].grey;
    far[k] = (clusters[k].y - y) * (clusters[k].y - y);
  }
  for (int i = 0; i < w; ++i) {
    // The smallest number has the least distance in its upper bits, and the cluster in its lowest byte.
    int least = std::numeric_limits<int>::max();
    for (int k = 0; k < Clusters; ++k) {
      const int distance = (x[k] - i) * (x[k] - i) + far[k] + Grey * (grey[k] - row[i]) * (grey[k] - row[i]);
      least = std::min(least, distance * 256 + k);
    }
    const int best = least % 256;
    nearest[i] = static_cast<u8>(best);
    Sum &s = sums.of[best];
    s.x += i;
    s.y += y;
    s.grey += row[i];
    ++s.pixels;
  }
}

// Moves each cluster to the mean of its pixels; resets the sums.
inline void advance(Sums &sums, Cluster *clusters) {
  for (int k = 0; k < Clusters; ++k)
    if (const Sum &s = sums.of[k]; s.pixels)
      clusters[k] = {static_cast<int>(s.x / s.pixels), static_cast<int>(s.y / s.pixels), static_cast<int>(s.grey / s.pixels)};
  sums = {};
}

inline int report(const Setup &s, const u8 *picture, const u8 *nearest, const Cluster *clusters) {
  std::vector<u8> out(std::size_t(s.width) * s.height);
  long error = 0, flat = 0;
  std::uint64_t sum = 14695981039346656037ull; // FNV-1a
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<u8>(clusters[nearest[i]].grey);
    error += (out[i] - picture[i]) * (out[i] - picture[i]);
    flat += (128 - picture[i]) * (128 - picture[i]);
    sum = (sum ^ out[i]) * 1099511628211ull;
  }
  if (!s.out.empty() && !samples::Png::write(s.out, s.width, s.height, out))
    std::fprintf(stderr, "mosaic: cannot write '%s'\n", s.out.c_str());
  const bool good = error * 10 < flat;
  std::printf("mosaic: %d x %d, %d pieces, %d rounds, error %.2f, sum %016llx: %s\n", s.width, s.height, Clusters, s.rounds,
              static_cast<double>(error) / static_cast<double>(out.size()), static_cast<unsigned long long>(sum),
              good ? "correct" : "WRONG");
  return good ? 0 : 1;
}

} // namespace mosaic
#endif

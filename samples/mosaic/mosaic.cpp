// A picture as a mosaic: its pixels are clustered by position and grey level (k-means). Parallel loops and tasks in one
// program, and a user-defined reduction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: mosaic [--size n] [--band rows] [--rounds n] [--out picture.png]
#include "../common/Timer.h"
#include "Mosaic.h"

#include <atomic>

using namespace mosaic;

#pragma hsched declare reduction(together : Sums : add(omp_out, omp_in)) initializer(omp_priv = Sums{})

// Bands count concurrently: 256 atomic sums, without a private copy for each band.
#pragma hsched task concurrent([256]bins)
void count(int n, const u8 *picture, int *bins) {
  int own[256] = {};
  for (int i = 0; i < n; ++i)
    ++own[picture[i]];
  for (int v = 0; v < 256; ++v)
    if (own[v])
      std::atomic_ref(bins[v]).fetch_add(own[v], std::memory_order_relaxed);
}

#pragma hsched task
void chooseLevels(int pixels, const int *bins, u8 *table) { levels(pixels, bins, table); }

#pragma hsched task in([256]table) inout([n]picture)
void stretch(int n, const u8 *table, u8 *picture) {
  for (int i = 0; i < n; ++i)
    picture[i] = table[picture[i]];
}

#pragma hsched task priority(1)
void move(Sums *sums, Cluster *clusters) { advance(*sums, clusters); }

int main(int argc, char **argv) {
  const Setup s(argc, argv);
  if (!s.good)
    return 2;
  const int w = s.width, h = s.height;
  std::vector<u8> all(std::size_t(w) * h), nearest(all.size());
  u8 *picture = all.data(), *to = nearest.data();
  samples::Timer timer;

#pragma hsched for collapse(2)
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      picture[y * w + x] = shade(x, y, w, h);

  int bins[256] = {};
  u8 table[256];
  for (int y = 0; y < h; y += s.band)
    count(w * s.rows(y), picture + y * w, bins);
  chooseLevels(w * h, bins, table);
  for (int y = 0; y < h; y += s.band)
    stretch(w * s.rows(y), table, picture + y * w);

  Cluster clusters[Clusters];
  begin(s, clusters);
  Sums sums;
  for (int round = 0; round < s.rounds; ++round) {
    // Bands are tasks; the program continues and submits the next round.
#pragma hsched for nowait grainsize(s.band) in(picture[y * w : w], clusters) out(to[y * w : w]) reduction(together : sums)
    for (int y = 0; y < h; ++y)
      assign(w, y, picture + y * w, clusters, to + y * w, sums);
    move(&sums, clusters);
    if (round % 64 == 63) {
      // At most 64 rounds are in memory. Data on a device stay there.
#pragma hsched taskwait noflush
    }
  }
#pragma hsched taskwait
  timer.stop();
  return report(s, picture, to, clusters);
}

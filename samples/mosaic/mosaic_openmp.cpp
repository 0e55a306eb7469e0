// The same with OpenMP: a parallel loop for each step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/Timer.h"
#include "Mosaic.h"

using namespace mosaic;

#pragma omp declare reduction(together : Sums : add(omp_out, omp_in)) initializer(omp_priv = Sums{})

int main(int argc, char **argv) {
  const Setup s(argc, argv);
  if (!s.good)
    return 2;
  const int w = s.width, h = s.height;
  std::vector<u8> all(std::size_t(w) * h), nearest(all.size());
  u8 *picture = all.data(), *to = nearest.data();
  samples::Timer timer;

#pragma omp parallel for collapse(2)
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      picture[y * w + x] = shade(x, y, w, h);

  int bins[256] = {};
  u8 table[256];
#pragma omp parallel for reduction(+ : bins)
  for (int i = 0; i < w * h; ++i)
    ++bins[picture[i]];
  levels(w * h, bins, table);
#pragma omp parallel for
  for (int i = 0; i < w * h; ++i)
    picture[i] = table[picture[i]];

  Cluster clusters[Clusters];
  begin(s, clusters);
  Sums sums;
  for (int round = 0; round < s.rounds; ++round) {
#pragma omp parallel for reduction(together : sums)
    for (int y = 0; y < h; ++y)
      assign(w, y, picture + y * w, clusters, to + y * w, sums);
    advance(sums, clusters);
  }
  timer.stop();
  return report(s, picture, to, clusters);
}

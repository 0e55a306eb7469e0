// The four stages on rows [begin, end) of a picture of `w` * `h` pixels, in plain C++ and in integers only.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers are to whole planes, row-major; what lies outside the picture is the nearest pixel inside. The kernels in
// edges.cl compute the same values: change both or neither.
#ifndef HSCHED_SAMPLES_EDGES_STAGES_H
#define HSCHED_SAMPLES_EDGES_STAGES_H

#include <cstdint>
#include <cstdlib>

namespace edges {

// Rows that a stage reads beyond those that it writes.
constexpr int BlurHalo = 2, SobelHalo = 1, ThinHalo = 1;

// A band of `rows` rows from `y0` on reads `halo` more rows on each side, within a picture of `h` rows. These return the
// first row that it reads, and the number of rows.
inline int firstRow(int y0, int halo) { return y0 > halo ? y0 - halo : 0; }
inline int rowCount(int y0, int rows, int halo, int h) {
  return (y0 + rows + halo < h ? y0 + rows + halo : h) - firstRow(y0, halo);
}

inline int clampTo(int v, int end) { return v < 0 ? 0 : v < end ? v : end - 1; }

// 5 x 5 binomial filter, rounded.
inline void blurRows(int w, int h, int begin, int end, const std::uint8_t *src, std::uint8_t *dst) {
  static constexpr int Weight[5] = {1, 4, 6, 4, 1};
  for (int y = begin; y < end; ++y)
    for (int x = 0; x < w; ++x) {
      int sum = 128;
      for (int dy = -2; dy <= 2; ++dy) {
        const std::uint8_t *row = src + std::size_t(clampTo(y + dy, h)) * w;
        int across = 0;
        for (int dx = -2; dx <= 2; ++dx)
          across += Weight[dx + 2] * row[clampTo(x + dx, w)];
        sum += Weight[dy + 2] * across;
      }
      dst[std::size_t(y) * w + x] = static_cast<std::uint8_t>(sum >> 8);
    }
}

// The direction in which brightness changes most: 0 across, 1 down to the right, 2 down, 3 down to the left.
inline std::uint8_t sector(int gx, int gy) {
  const int ax = std::abs(gx), ay = std::abs(gy);
  if (ay * 32768 < ax * 13573) // tan(22.5 degrees) * 32768
    return 0;
  if (ax * 32768 < ay * 13573)
    return 2;
  return (gx < 0) == (gy < 0) ? 1 : 3;
}

// Gradient: squared magnitude and sector.
inline void sobelRows(int w, int h, int begin, int end, const std::uint8_t *src, std::uint32_t *strength,
                      std::uint8_t *direction) {
  for (int y = begin; y < end; ++y) {
    const std::uint8_t *up = src + std::size_t(clampTo(y - 1, h)) * w;
    const std::uint8_t *at = src + std::size_t(y) * w;
    const std::uint8_t *down = src + std::size_t(clampTo(y + 1, h)) * w;
    for (int x = 0; x < w; ++x) {
      const int l = clampTo(x - 1, w), r = clampTo(x + 1, w);
      const int gx = up[r] + 2 * at[r] + down[r] - up[l] - 2 * at[l] - down[l];
      const int gy = down[l] + 2 * down[x] + down[r] - up[l] - 2 * up[x] - up[r];
      strength[std::size_t(y) * w + x] = static_cast<std::uint32_t>(gx * gx + gy * gy);
      direction[std::size_t(y) * w + x] = sector(gx, gy);
    }
  }
}

// Keeps the gradient where it is no weaker than both neighbours across the edge; 0 elsewhere.
inline void thinRows(int w, int h, int begin, int end, const std::uint32_t *strength, const std::uint8_t *direction,
                     std::uint32_t *thin) {
  static constexpr int Dx[4] = {1, 1, 0, -1}, Dy[4] = {0, 1, 1, 1};
  for (int y = begin; y < end; ++y)
    for (int x = 0; x < w; ++x) {
      const std::size_t i = std::size_t(y) * w + x;
      const int dx = Dx[direction[i]], dy = Dy[direction[i]];
      const std::uint32_t s = strength[i];
      const std::uint32_t p = strength[std::size_t(clampTo(y + dy, h)) * w + clampTo(x + dx, w)];
      const std::uint32_t q = strength[std::size_t(clampTo(y - dy, h)) * w + clampTo(x - dx, w)];
      thin[i] = s >= p && s >= q ? s : 0;
    }
}

// 255 for strong edges, 128 for weak ones, 0 elsewhere. `low` and `high` are squared magnitudes.
inline void thresholdRows(int w, int begin, int end, std::uint32_t low, std::uint32_t high, const std::uint32_t *thin,
                          std::uint8_t *out) {
  for (std::size_t i = std::size_t(begin) * w; i < std::size_t(end) * w; ++i)
    out[i] = thin[i] >= high ? 255 : thin[i] >= low ? 128 : 0;
}

} // namespace edges
#endif

// Heat in a plate whose conductivity grows with its temperature: the numerics, for all programs of this sample.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_HEAT_HEAT_H
#define HSCHED_SAMPLES_HEAT_HEAT_H

#include "../common/Options.h"
#include "../common/Png.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace heat {

// The plate has `height` rows of `width` elements. Its border keeps its temperature. Standard output is the same for all
// programs, because every operation is done on the same numbers; the maximum does not depend on the order.
struct Setup {
  int width, height, band, steps, every;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"size", "band", "steps", "every", "out"});
    width = height = options.number("size", 512);
    band = options.number("band", 64);
    steps = options.number("steps", 100);
    every = options.number("every", 50);
    out = options.text("out", "");
    if (width < 3)
      options.complain("--size is 3 or more");
    good = options.ok();
  }
  int rows(int y0) const { return y0 + band < height - 1 ? band : height - 1 - y0; } // Rows of the band that begins at y0.
};

inline float conductivity(float u) { return 1 + 0.5f * u; }

// The longest stable step where no element conducts better than `most`, with elements 1 apart.
inline float stableStep(float most) { return 0.2f / most; }

// Cold, but for a hot square and a warm upper border.
inline float initial(int x, int y, int w, int h) {
  if (y == 0)
    return 0.5f;
  return 3 * std::abs(x - w / 3) < w / 2 && 3 * std::abs(y - h / 2) < h / 2 ? 1.0f : 0.0f;
}

// One step of `rows` rows from y0 on. Returns how well the best element conducts afterwards.
inline float advanceRows(int w, int y0, int rows, float dt, const float *u, float *next) {
  float most = 0;
  for (int y = y0; y < y0 + rows; ++y) {
    const float *above = u + (y - 1) * w, *here = u + y * w, *below = u + (y + 1) * w;
    float *to = next + y * w;
    to[0] = here[0];
    to[w - 1] = here[w - 1];
    for (int x = 1; x < w - 1; ++x) {
      const float value = here[x] + dt * conductivity(here[x]) *
                                        (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
      to[x] = value;
      const float k = conductivity(value);
      most = most > k ? most : k;
    }
  }
  return most;
}

inline void save(const std::string &path, int w, int h, const float *u) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(w) * h);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(255 * (u[i] < 0 ? 0 : u[i] > 1 ? 1 : u[i]));
  if (!samples::Png::write(path, w, h, pixels))
    std::fprintf(stderr, "heat: cannot write '%s'\n", path.c_str());
}

inline std::string fileName(const std::string &prefix, int step) { return prefix + std::to_string(step) + ".png"; }

// Prints the result. A result is wrong where it is colder or hotter than what it began with, which no stable step makes.
inline int report(const Setup &s, const float *u, double time) {
  double sum = 0;
  for (int i = 0; i < s.width * s.height; ++i) {
    if (!(u[i] >= 0 && u[i] <= 1)) {
      std::printf("heat: WRONG: element %d is %g\n", i, u[i]);
      return 1;
    }
    sum += u[i];
  }
  std::printf("heat: %d x %d, %d steps, time %.6f, mean %.9f: correct\n", s.width, s.height, s.steps, time,
              sum / (double(s.width) * s.height));
  return 0;
}

} // namespace heat
#endif

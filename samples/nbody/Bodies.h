// Bodies of equal mass that attract each other: the numerics, for all programs of this sample.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_NBODY_BODIES_H
#define HSCHED_SAMPLES_NBODY_BODIES_H

#include "../common/Aligned.h"
#include "../common/Options.h"
#include "../common/Png.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace nbody {

constexpr float Softening = 0.05f; // Squared.

struct Setup {
  int bodies, block, steps;
  std::string out;
  bool good;

  Setup(int argc, char **argv) {
    samples::Options options(argc, argv, {"bodies", "block", "steps", "out"});
    bodies = options.number("bodies", 4096);
    block = options.number("block", 512);
    steps = options.number("steps", 5);
    out = options.text("out", "");
    if (bodies % block)
      options.complain("--bodies is a multiple of --block");
    good = options.ok();
  }
};

// Blocks of n bodies: n times x, then n times y, then n times z. Blocks of 16 bodies or a multiple share no cache line.
struct Bodies {
  samples::AlignedVector<float> at, speed, force;

  explicit Bodies(const Setup &s) : at(3 * s.bodies), speed(3 * s.bodies), force(3 * s.bodies) {
    std::uint32_t state = 1;
    const auto next = [&] { // From -1 to 1.
      state = state * 1664525u + 1013904223u;
      return static_cast<float>(state >> 8) / (1 << 23) - 1;
    };
    for (int i = 0; i < s.bodies; ++i) { // A disc that turns.
      const float x = 4 * next(), y = 4 * next(), z = 0.4f * next();
      const int first = i / s.block * 3 * s.block + i % s.block;
      at[first] = x, at[first + s.block] = y, at[first + 2 * s.block] = z;
      speed[first] = -0.3f * y, speed[first + s.block] = 0.3f * x;
    }
  }
};

// What `from` does to `to`, n bodies each. The inner loop goes over `to`, so that it has no sum and can be vectorized.
inline void attractBlock(int n, float mass, const float *to, const float *from, float *__restrict force) {
  for (int j = 0; j < n; ++j) {
    const float x = from[j], y = from[n + j], z = from[2 * n + j];
    for (int i = 0; i < n; ++i) {
      const float dx = x - to[i], dy = y - to[n + i], dz = z - to[2 * n + i];
      const float square = dx * dx + dy * dy + dz * dz + Softening;
      const float scale = mass / (square * std::sqrt(square));
      force[i] += dx * scale;
      force[n + i] += dy * scale;
      force[2 * n + i] += dz * scale;
    }
  }
}

// Semi-implicit Euler. The forces begin anew.
inline void moveBlock(int n, float dt, float *force, float *speed, float *at) {
  for (int i = 0; i < 3 * n; ++i) {
    speed[i] += dt * force[i];
    at[i] += dt * speed[i];
    force[i] = 0;
  }
}

inline double energy(const Setup &s, const Bodies &b, float mass) {
  double sum = 0;
  const auto place = [&](int i) { return &b.at[i / s.block * 3 * s.block + i % s.block]; };
  for (int i = 0; i < s.bodies; ++i) {
    const float *p = place(i), *v = &b.speed[p - b.at.data()];
    for (int k = 0; k < 3; ++k)
      sum += 0.5 * mass * v[k * s.block] * v[k * s.block];
    float potential = 0;
    for (int j = 0; j < i; ++j) {
      const float *q = place(j);
      float square = Softening;
      for (int k = 0; k < 3; ++k)
        square += (p[k * s.block] - q[k * s.block]) * (p[k * s.block] - q[k * s.block]);
      potential += 1 / std::sqrt(square);
    }
    sum -= double(mass) * mass * potential;
  }
  return sum;
}

// The disc from above.
inline void save(const Setup &s, const Bodies &b) {
  const int size = 400;
  std::vector<std::uint8_t> pixels(size * size);
  for (int i = 0; i < s.bodies; ++i) {
    const int first = i / s.block * 3 * s.block + i % s.block;
    const int x = static_cast<int>((b.at[first] / 12 + 0.5f) * size), y = static_cast<int>((b.at[first + s.block] / 12 + 0.5f) * size);
    if (x >= 0 && x < size && y >= 0 && y < size) {
      std::uint8_t &p = pixels[y * size + x];
      p = static_cast<std::uint8_t>(p > 175 ? 255 : p + 80);
    }
  }
  if (!samples::Png::write(s.out, size, size, pixels))
    std::fprintf(stderr, "nbody: cannot write '%s'\n", s.out.c_str());
}

// Devices round otherwise, so that no digits are printed that depend on it.
inline int report(const Setup &s, const Bodies &b, double before, float mass) {
  const double drift = std::fabs(energy(s, b, mass) / before - 1);
  std::fprintf(stderr, "nbody: the energy changed by %.4f %%\n", 100 * drift);
  if (!s.out.empty())
    save(s, b);
  if (!(drift < 0.01)) {
    std::printf("nbody: WRONG: the energy changed by %.2f %%\n", 100 * drift);
    return 1;
  }
  std::printf("nbody: %d bodies, %d steps, energy within 1 %%: correct\n", s.bodies, s.steps);
  return 0;
}

} // namespace nbody
#endif

// The same with OpenMP: two parallel loops for each step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/Timer.h"
#include "Bodies.h"

int main(int argc, char **argv) {
  const nbody::Setup s(argc, argv);
  if (!s.good)
    return 2;
  nbody::Bodies b(s);
  const int n = s.block;
  const float mass = 16.0f / s.bodies;
  const double before = nbody::energy(s, b, mass);
  samples::Timer timer;

  for (int step = 0; step < s.steps; ++step) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 3 * s.bodies; i += 3 * n)
      for (int j = 0; j < 3 * s.bodies; j += 3 * n)
        nbody::attractBlock(n, mass, &b.at[i], &b.at[j], &b.force[i]);
#pragma omp parallel for
    for (int i = 0; i < 3 * s.bodies; i += 3 * n)
      nbody::moveBlock(n, 0.01f, &b.force[i], &b.speed[i], &b.at[i]);
  }
  timer.stop();
  return nbody::report(s, b, before, mass);
}

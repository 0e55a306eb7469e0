// Bodies that attract each other, in blocks: a task for each pair of blocks, in C++ and in OpenCL. All clauses are inferred.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: nbody [--bodies n] [--block n] [--steps n] [--out picture.png]
#include "../common/Timer.h"
#include "Bodies.h"

#include <hsched/hsched.h>

// Time grows with the square of n, bytes linearly. A small block takes less time than its transfers to a device and
// back, so it is not tried there.
#pragma hsched task cost(1.0 * n * n) where(n < 128 ? hsched::cpus() : hsched::anywhere())
void attract(int n, float mass, const float *to, const float *from, float *force) {
  nbody::attractBlock(n, mass, to, from, force);
}

#pragma hsched implements(attract) device(opencl) kernel("nbody.cl") ndrange(n; 64)
void attract_cl(int n, float mass, const float *to, const float *from, float *force);

// A block that is moved first lets the next step begin.
#pragma hsched task priority(1)
void move(int n, float dt, float *force, float *speed, float *at) { nbody::moveBlock(n, dt, force, speed, at); }

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
    for (int i = 0; i < 3 * s.bodies; i += 3 * n)
      for (int j = 0; j < 3 * s.bodies; j += 3 * n)
        attract(n, mass, &b.at[i], &b.at[j], &b.force[i]);
    for (int i = 0; i < 3 * s.bodies; i += 3 * n)
      move(n, 0.01f, &b.force[i], &b.speed[i], &b.at[i]);
  }
#pragma hsched taskwait
  timer.stop();
  return nbody::report(s, b, before, mass);
}

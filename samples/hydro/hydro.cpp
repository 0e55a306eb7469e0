// Shock hydrodynamics as parallel loops, in the way of LULESH. hydro.cpp is what hsched-port makes of this file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/Timer.h"
#include "Hydro.h"

#include <algorithm>

using namespace hydro;

// Corner forces of each element: its pressure, and what resists hourglasses.
static void computeForces(Mesh &mesh) {
#pragma hsched for
  for (int i = 0; i < mesh.elements; ++i) {
    Vector x[8], u[8], b[8];
    mesh.gather(i, mesh.x, x);
    mesh.gather(i, mesh.u, u);
    gradient(x, b);
    const double v = mesh.v[i], stress = mesh.p[i] + mesh.q[i];
    Vector *f = &mesh.force[8 * i];
    for (int k = 0; k < 8; ++k)
      f[k] = stress * b[k];
    addHourglass(x, b, u, v, hourglass * mesh.m[i] / v * mesh.c[i] * std::cbrt(v * v), f);
  }
}

// Nodes gather the forces of the corners around them, and move.
static void moveNodes(Mesh &mesh, double dt) {
// pragma omp parallel
  {
#pragma hsched for
    for (int n = 0; n < mesh.nodes; ++n) {
      Vector f;
      for (int k = mesh.first[n]; k < mesh.first[n + 1]; ++k)
        f = f + mesh.force[mesh.corners[k]];
      Vector u = mesh.u[n] + (dt / mesh.mass[n]) * f;
      if (mesh.wall[n] & 1)
        u.x = 0;
      if (mesh.wall[n] & 2)
        u.y = 0;
      if (mesh.wall[n] & 4)
        u.z = 0;
      mesh.mean[n] = 0.5 * (mesh.u[n] + u);
      mesh.u[n] = u;
    }
#pragma hsched for
    for (int n = 0; n < mesh.nodes; ++n)
      mesh.x[n] = mesh.x[n] + dt * mesh.mean[n];
  }
}

// The work of the corner forces, the new volume, and the gas in it.
static void updateElements(Mesh &mesh, double dt) {
#pragma hsched for
  for (int i = 0; i < mesh.elements; ++i) {
    Vector x[8], mean[8], b[8];
    mesh.gather(i, mesh.mean, mean);
    for (int k = 0; k < 8; ++k)
      mesh.e[i] -= dt * dot(mesh.force[8 * i + k], mean[k]);
    mesh.gather(i, mesh.x, x);
    gradient(x, b);
    const double v = volume(x, b), density = mesh.m[i] / v, length = std::cbrt(v);
    double rate = 0;
    for (int k = 0; k < 8; ++k)
      rate += dot(b[k], mean[k]);
    mesh.d[i] = rate / v;
    rate *= length / v; // A difference of velocities.
    mesh.v[i] = v;
    mesh.q[i] = rate < 0 ? density * (quadratic * rate * rate - linear * mesh.c[i] * rate) : 0;
  }
}

static void equationOfState(Mesh &mesh) {
#pragma hsched for
  for (int i = 0; i < mesh.elements; ++i) {
    const double e = std::max(mesh.e[i], 0.0);
    mesh.p[i] = (adiabatic - 1) * e / mesh.v[i];
    mesh.c[i] = std::sqrt(adiabatic * mesh.p[i] * mesh.v[i] / mesh.m[i]);
  }
}

// The longest step that sound and viscosity allow.
static double timeConstraint(const Mesh &mesh) {
  double least = 1e10;
#pragma hsched for reduction(min : least)
  for (int i = 0; i < mesh.elements; ++i) {
    const double speed = mesh.c[i] + std::sqrt(mesh.q[i] * mesh.v[i] / mesh.m[i]);
    if (mesh.d[i] != 0)
      least = std::min(least, change / std::fabs(mesh.d[i]));
    if (speed > 0)
      least = std::min(least, cfl * std::cbrt(mesh.v[i]) / speed);
  }
  return least;
}

int main(int argc, char **argv) {
  const Setup s(argc, argv);
  if (!s.good)
    return 2;
  Mesh mesh(s);
  double time = 0, dt = 0.1 * timeConstraint(mesh);
  samples::Timer timer;
  for (int step = 0; step < s.steps; ++step) {
    computeForces(mesh);
    moveNodes(mesh, dt);
    updateElements(mesh, dt);
    equationOfState(mesh);
    time += dt;
    dt = std::min(1.1 * dt, timeConstraint(mesh));
  }
  timer.stop();
  return report(s, mesh, time);
}

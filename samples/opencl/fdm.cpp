// Elastic waves by finite differences, as in seismology: two sets of kernels, two regions, two layouts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   fdm [--size N] [--steps N] [--layout row | column] [--repeat N] [--off | --compare]
//
// A plane of N x N cells (default 256), divided into two regions with one queue each. A step has two epochs: the first
// set of kernels computes velocities from stresses, the second one stresses from velocities (Virieux's staggered grid).
// After each set the regions exchange the line at their border. Neighbouring work-items lie along x. With the layout
// "column" their cells are adjacent in memory, with "row" they are N apart; the best device may depend on it.
#include "common.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

// A region: nx + 2 lines of nz cells; lines 0 and nx + 1 belong to the neighbour. Cells at the plane's edge stay 0.
const char *Source = R"(
#ifdef COLUMN
#define AT(x, z) ((z) * (nx + 2) + (x))
#else
#define AT(x, z) ((x) * nz + (z))
#endif
#define CELL int x = get_global_id(0) + 1, z = get_global_id(1); bool inside = z > 0 && z + 1 < nz && x + first > 1 && x + first < all;
kernel void velocity_x(global float *vx, global const float *sxx, global const float *sxz, int nx, int nz, int first, int all) {
  CELL
  if (inside)
    vx[AT(x, z)] += 0.3f * (sxx[AT(x, z)] - sxx[AT(x - 1, z)] + sxz[AT(x, z)] - sxz[AT(x, z - 1)]);
}
kernel void velocity_z(global float *vz, global const float *szz, global const float *sxz, int nx, int nz, int first, int all) {
  CELL
  if (inside)
    vz[AT(x, z)] += 0.3f * (sxz[AT(x + 1, z)] - sxz[AT(x, z)] + szz[AT(x, z + 1)] - szz[AT(x, z)]);
}
kernel void stress_normal(global float *sxx, global float *szz, global const float *vx, global const float *vz, int nx, int nz,
                          int first, int all) {
  CELL
  if (inside) {
    float dx = vx[AT(x + 1, z)] - vx[AT(x, z)], dz = vz[AT(x, z)] - vz[AT(x, z - 1)];
    sxx[AT(x, z)] += 0.9f * dx + 0.3f * dz;
    szz[AT(x, z)] += 0.3f * dx + 0.9f * dz;
  }
}
kernel void stress_shear(global float *sxz, global const float *vx, global const float *vz, int nx, int nz, int first, int all) {
  CELL
  if (inside)
    sxz[AT(x, z)] += 0.3f * (vx[AT(x, z + 1)] - vx[AT(x, z)] + vz[AT(x, z)] - vz[AT(x - 1, z)]);
}
// The lines at the border, to and from a buffer of their own.
kernel void take(global const float *a, global const float *b, global float *out, int line, int nx, int nz) {
  int z = get_global_id(0);
  out[z] = a[AT(line, z)];
  out[nz + z] = b[AT(line, z)];
}
kernel void give(global float *a, global float *b, global const float *in, int line, int nx, int nz) {
  int z = get_global_id(0);
  a[AT(line, z)] = in[z];
  b[AT(line, z)] = in[nz + z];
}
)";

using Field = std::vector<float>;

// The whole plane at once; lines 0 and N + 1 stay 0.
struct Plane {
  size_t N;
  Field Vx, Vz, Sxx, Szz, Sxz;
  explicit Plane(size_t N)
      : N(N), Vx((N + 2) * N), Vz((N + 2) * N), Sxx((N + 2) * N), Szz((N + 2) * N), Sxz((N + 2) * N) {}
  size_t at(size_t X, size_t Z) const { return X * N + Z; }
  void start() {
    for (size_t X = 2; X < N; ++X)
      for (size_t Z = 1; Z + 1 < N; ++Z) {
        float Dx = static_cast<float>(X) - 0.45f * static_cast<float>(N), Dz = static_cast<float>(Z) - 0.4f * static_cast<float>(N);
        Sxx[at(X, Z)] = Szz[at(X, Z)] = std::exp(-(Dx * Dx + Dz * Dz) / 50);
      }
  }
  void step() {
    auto Each = [&](auto Do) {
      for (size_t X = 2; X < N; ++X)
        for (size_t Z = 1; Z + 1 < N; ++Z)
          Do(X, Z);
    };
    Each([&](size_t X, size_t Z) {
      Vx[at(X, Z)] += 0.3f * (Sxx[at(X, Z)] - Sxx[at(X - 1, Z)] + Sxz[at(X, Z)] - Sxz[at(X, Z - 1)]);
      Vz[at(X, Z)] += 0.3f * (Sxz[at(X + 1, Z)] - Sxz[at(X, Z)] + Szz[at(X, Z + 1)] - Szz[at(X, Z)]);
    });
    Each([&](size_t X, size_t Z) {
      float Dx = Vx[at(X + 1, Z)] - Vx[at(X, Z)], Dz = Vz[at(X, Z)] - Vz[at(X, Z - 1)];
      Sxx[at(X, Z)] += 0.9f * Dx + 0.3f * Dz;
      Szz[at(X, Z)] += 0.3f * Dx + 0.9f * Dz;
      Sxz[at(X, Z)] += 0.3f * (Vx[at(X, Z + 1)] - Vx[at(X, Z)] + Vz[at(X, Z)] - Vz[at(X - 1, Z)]);
    });
  }
};

constexpr size_t Regions = 2;
struct Region {
  cl_mem Vx, Vz, Sxx, Szz, Sxz;
  cl_mem Velocities, Stresses; // Lines at the border, for the neighbour.
};

} // namespace

int main(int Argc, char **Argv) {
  const size_t N = static_cast<size_t>(sample::option(Argc, Argv, "--size", 256L)), Nx = N / Regions;
  const int Steps = static_cast<int>(sample::option(Argc, Argv, "--steps", 20L));
  const bool Column = sample::option(Argc, Argv, "--layout", "column") == "column";
  if (N < 8 || N % 2) {
    std::fprintf(stderr, "fdm: the size is even, and at least 8\n");
    return 2;
  }
  auto Devices = sample::devices();
  cl_int Error;
  const cl_context_properties Scheduler[] = {CL_CONTEXT_SCHEDULER_HSCHED, CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED, 0}; // (*)
  sample::Session In(Devices, clCreateContext(Scheduler, static_cast<cl_uint>(Devices.size()), Devices.data(), nullptr,
                                              nullptr, &Error));
  sample::check(Error, "context");
  auto Make = [&](cl_device_id On, bool Mapped) {
    const cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, // (*)
                                     cl_queue_properties(Mapped ? CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | CL_QUEUE_SCHED_ITERATIVE_HSCHED // (*)
                                            : CL_QUEUE_SCHED_OFF_HSCHED),
                                     0};
    cl_command_queue Q = clCreateCommandQueueWithProperties(In.Context, On, P, &Error);
    sample::check(Error, "queue");
    return Q;
  };
  In.build(Source, Column ? "-DCOLUMN" : "");
  cl_kernel VelocityX = In.kernel("velocity_x"), VelocityZ = In.kernel("velocity_z"), Normal = In.kernel("stress_normal"),
            Shear = In.kernel("stress_shear"), Take = In.kernel("take"), Give = In.kernel("give");

  Plane Start(N), Wanted(N);
  Start.start();
  Wanted.start();
  for (int S = 0; S != Steps; ++S)
    Wanted.step();
  const size_t Cells = (Nx + 2) * N, Bytes = Cells * sizeof(float);
  std::vector<Region> All;
  for (size_t R = 0; R != Regions; ++R)
    All.push_back({In.buffer(Bytes), In.buffer(Bytes), In.buffer(Bytes), In.buffer(Bytes), In.buffer(Bytes),
                   In.buffer(2 * N * sizeof(float)), In.buffer(2 * N * sizeof(float))});

  auto Place = [&](size_t X, size_t Z) { return Column ? Z * (Nx + 2) + X : X * N + Z; };
  auto Cut = [&](const Field &F, size_t R) {
    Field Its(Cells);
    for (size_t X = 0; X != Nx + 2; ++X)
      for (size_t Z = 0; Z != N; ++Z)
        Its[Place(X, Z)] = F[(X + R * Nx) * N + Z];
    return Its;
  };
  auto Run = [&](const sample::Queues &Q, sample::Clock &Time) {
    const Field Zeros(Cells);
    for (size_t R = 0; R != Regions; ++R) {
      for (cl_mem M : {All[R].Vx, All[R].Vz, All[R].Sxz})
        sample::write(Q[R], M, Zeros);
      sample::write(Q[R], All[R].Sxx, Cut(Start.Sxx, R));
      sample::write(Q[R], All[R].Szz, Cut(Start.Szz, R));
    }
    const int nx = static_cast<int>(Nx), nz = static_cast<int>(N), all = nz;
    auto Finish = [&] {
      for (cl_command_queue Its : Q)
        sample::check(clFlush(Its), "flush");
      for (cl_command_queue Its : Q)
        sample::check(clFinish(Its), "finish");
    };
    // Exchange of two fields: copies the neighbour's line at the border to the own halo line. The neighbour reads Out
    // while the next set runs.
    auto Exchange = [&](cl_mem Region::*A, cl_mem Region::*B, cl_mem Region::*Out) {
      for (size_t R = 0; R != Regions; ++R) {
        sample::arguments(Take, All[R].*A, All[R].*B, All[R].*Out, R ? 1 : nx, nx, nz);
        sample::launch(Q[R], Take, {N});
      }
      Finish();
      for (size_t R = 0; R != Regions; ++R) {
        sample::arguments(Give, All[R].*A, All[R].*B, All[1 - R].*Out, R ? 0 : nx + 1, nx, nz);
        sample::launch(Q[R], Give, {N});
      }
    };
    Finish();
    Time.begin();
    for (int S = 0; S != Steps; ++S) {
      for (size_t R = 0; R != Regions; ++R) {
        const Region &I = All[R];
        const int first = static_cast<int>(R * Nx);
        sample::arguments(VelocityX, I.Vx, I.Sxx, I.Sxz, nx, nz, first, all);
        sample::launch(Q[R], VelocityX, {Nx, N});
        sample::arguments(VelocityZ, I.Vz, I.Szz, I.Sxz, nx, nz, first, all);
        sample::launch(Q[R], VelocityZ, {Nx, N});
      }
      Exchange(&Region::Vx, &Region::Vz, &Region::Velocities);
      for (size_t R = 0; R != Regions; ++R) {
        const Region &I = All[R];
        const int first = static_cast<int>(R * Nx);
        sample::arguments(Normal, I.Sxx, I.Szz, I.Vx, I.Vz, nx, nz, first, all);
        sample::launch(Q[R], Normal, {Nx, N});
        sample::arguments(Shear, I.Sxz, I.Vx, I.Vz, nx, nz, first, all);
        sample::launch(Q[R], Shear, {Nx, N});
      }
      Exchange(&Region::Sxx, &Region::Sxz, &Region::Stresses);
    }
    Finish();
    Time.end();
    double Largest = 0, Size = 0;
    for (size_t R = 0; R != Regions; ++R)
      for (auto [Buffer, Serial] : {std::pair{All[R].Vx, &Wanted.Vx}, std::pair{All[R].Sxx, &Wanted.Sxx},
                                    std::pair{All[R].Sxz, &Wanted.Sxz}}) {
        Field Its(Cells), Right = Cut(*Serial, R);
        sample::read(Q[R], Buffer, Its);
        for (size_t X = 1; X <= Nx; ++X)
          for (size_t Z = 0; Z != N; ++Z) {
            Largest = std::max(Largest, std::fabs(double(Its[Place(X, Z)]) - double(Right[Place(X, Z)])));
            Size = std::max(Size, std::fabs(double(Right[Place(X, Z)])));
          }
      }
    return Largest < 1e-5 && Size > 1e-3;
  };
  return sample::drive(Argc, Argv, Column ? "fdm column" : "fdm row", In, Regions, Make, Run);
}

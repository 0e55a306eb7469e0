// What a launch overwrites does not move to its device, and of what it reads only the part that it reads. Results are
// those of a serial program for all arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <random>

namespace icdtest {
namespace {

constexpr size_t N = 64;
using Ints = std::array<int, N>;

constexpr const char *Source = R"(
kernel void put(global int *y, global const int *x, int a, uint n, int v) { y[get_global_id(0)] = v; }
kernel void part(global int *y, global const int *x, int a, uint n, int v) { y[a + get_global_id(0)] = v; }
kernel void guard(global int *y, global const int *x, int a, uint n, int v) { int i = get_global_id(0); if (i < a) y[i] = v; }
kernel void below(global int *y, global const int *x, int a, uint n, int v) { uint i = get_global_id(0); if (i < n - 1) y[i] = v; }
kernel void wide(global int *y, global const int *x, int a, uint n, int v) {
  size_t i = get_global_id(0); if (i < (ulong)(n - 2) + 2) y[i] = v; }
kernel void beside(global int *y, global const int *x, int a, uint n, int v) {
  int i = get_global_id(0); if (i < a) y[i + get_global_size(0)] = v; }
kernel void tile(global int *y, global const int *x, int a, uint n, int v) {
  int i = get_global_id(0), j = get_global_id(1); y[j * a + i] = v; }
kernel void move(global int *y, global const int *x, int a, uint n, int v) {
  uint i = get_global_id(0); if (i < n) y[i] = x[a + i]; }
kernel void near(global int *y, global const int *x, int a, uint n, int v) {
  size_t i = get_global_id(0); if (i > 0 && i < a) y[i] = x[i - 1]; }
kernel void some(global int *y, global const int *x, int a, uint n, int v) {
  int i = get_global_id(0); if (x[i] & 1) y[i] = v; }
kernel void add(global int *y, global const int *x, int a, uint n, int v) { int i = get_global_id(0); y[i] += x[i]; }
kernel void quad(global int4 *y, global const int *x, int a, uint n, int v) { y[get_global_id(0)] = (int4)(v); }
kernel void rows(global int (*y)[2], global const int *x, int a, uint n, int v) {
  for (int k = 0; k < 2; ++k) y[a + get_global_id(0)][k] = v; }
kernel void loop(global int *y, global const int *x, int a, uint n, int v) {
  for (uint k = 0; k < n; ++k) y[get_global_id(0) * n + k] = v; }
kernel void last(global int *y, global const int *x, int a, uint n, int v) {
  int i = get_global_id(0); y[get_global_size(0) - 1 - i] = v; }
kernel void strides(global int *y, global const int *x, int a, uint n, int v) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = v; }
kernel void before(global int *y, global const int *x, int a, uint n, int v) {
  uint i = get_global_id(0); if (i - 1 > i) y[i] = v; }
kernel void factors(global int *y, global const int *x, int a, uint n, int v) {
  int i = get_global_id(0), j = get_global_id(1); y[mad24(j, a, i)] = v; }
kernel void clip(global int *y, global const int *x, int a, uint n, int v) {
  int i = get_global_id(0); y[i] = x[clamp(i - 1, 0, a - 1)]; }
kernel void bits(global int *y, global const int *x, int a, uint n, int v) {
  int s = v; for (uint k = n; k; k >>= 1) s += k & 1; y[get_global_id(0)] = s; }
)";

// One launch; the references of y and x say which elements a work-item touches.
struct Launch {
  const char *Name;
  size_t Global[2];
  int A;
  unsigned U;
  int V;
};

class ExtentsTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    for (size_t I = 0; I != Devices.size(); ++I)
      if (text(clGetDeviceInfo, Devices[I], CL_DEVICE_NAME).find("Oclgrind") != std::string::npos)
        Other = Queues[I];
    if (!Other)
      GTEST_SKIP() << "Oclgrind, the second vendor, is not installed";
    Own = Queues[0] == Other ? Queues[1] : Queues[0];
    Program = build(Source);
    Table->clEnqueueWriteBuffer = [](cl_command_queue Q, cl_mem M, cl_bool B, size_t First, size_t Bytes,
                                     const void *At, cl_uint Count, const cl_event *Waits, cl_event *E) {
      Moved += Bytes;
      return Real.clEnqueueWriteBuffer(Q, M, B, First, Bytes, At, Count, Waits, E);
    };
    Table->clEnqueueNDRangeKernel = [](cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                       const size_t *Global, const size_t *Local, cl_uint Count, const cl_event *Waits,
                                       cl_event *E) {
      ++Launches;
      return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, Count, Waits, E);
    };
  }
  void TearDown() override {
    for (auto &[Name, K] : Kernels)
      clReleaseKernel(K);
    if (Program)
      clReleaseProgram(Program);
    Hooked::TearDown();
  }
  void launch(cl_command_queue Q, const Launch &L, cl_mem Y, cl_mem X) {
    enqueue(Q, L, Y, X);
    ok(clFinish(Q), L.Name);
  }
  void enqueue(cl_command_queue Q, const Launch &L, cl_mem Y, cl_mem X, cl_event After = nullptr) {
    auto [I, New] = Kernels.try_emplace(L.Name, nullptr);
    cl_int Error = CL_SUCCESS;
    if (New)
      I->second = clCreateKernel(Program, L.Name, &Error);
    ok(Error, L.Name);
    cl_kernel K = I->second;
    arg(K, 0, Y);
    arg(K, 1, X);
    arg(K, 2, L.A);
    ok(clSetKernelArg(K, 3, sizeof(L.U), &L.U));
    arg(K, 4, L.V);
    ok(clEnqueueNDRangeKernel(Q, K, L.Global[1] ? 2 : 1, nullptr, L.Global, nullptr, After ? 1 : 0,
                              After ? &After : nullptr, nullptr),
       L.Name);
  }
  // Bytes that move to PoCL for a launch, when the other vendor has written both objects.
  size_t moved(const Launch &L) {
    cl_mem Y = buffer(N * sizeof(int)), X = buffer(N * sizeof(int));
    for (cl_mem M : {Y, X})
      launch(Other, {"put", {N, 0}, 0, 0, 1}, M, M == X ? Y : X);
    const size_t Before = Moved;
    launch(Own, L, Y, X);
    return Moved - Before;
  }

  static inline std::atomic<size_t> Moved{0}, Launches{0};
  cl_command_queue Other = nullptr, Own = nullptr;
  cl_program Program = nullptr;
  std::map<std::string, cl_kernel> Kernels;
};

// Calls Write(element) and Read(element) as the kernel does. False: an access is outside.
bool runSerially(const Launch &L, Ints &Y, const Ints &X) {
  const std::string Name = L.Name;
  const Ints Old = Y;
  bool Inside = true;
  auto Write = [&](long long At, int V) {
    if (At < 0 || At >= static_cast<long long>(N))
      Inside = false;
    else
      Y[static_cast<size_t>(At)] = V;
  };
  auto Read = [&](const Ints &Of, long long At) {
    if (At >= 0 && At < static_cast<long long>(N))
      return Of[static_cast<size_t>(At)];
    Inside = false;
    return 0;
  };
  const auto G = static_cast<long long>(L.Global[0]);
  for (long long J = 0; J != static_cast<long long>(std::max<size_t>(L.Global[1], 1)); ++J)
    for (long long I = 0; I != G; ++I) {
      const auto S = static_cast<size_t>(I);
      if (Name == "put")
        Write(I, L.V);
      else if (Name == "part")
        Write(L.A + I, L.V);
      else if (Name == "guard" && I < L.A)
        Write(I, L.V);
      else if (Name == "below" && static_cast<unsigned>(I) < L.U - 1)
        Write(I, L.V);
      else if (Name == "wide" && S < static_cast<size_t>(L.U - 2) + 2)
        Write(I, L.V);
      else if (Name == "beside" && I < L.A)
        Write(I + G, L.V);
      else if (Name == "tile")
        Write(J * L.A + I, L.V);
      else if (Name == "move" && I < static_cast<long long>(L.U))
        Write(I, Read(X, static_cast<unsigned>(L.A) + static_cast<unsigned>(I)));
      else if (Name == "near" && S > 0 && S < static_cast<size_t>(static_cast<long long>(L.A)))
        Write(I, Read(X, I - 1));
      else if (Name == "some" && Read(X, I) & 1)
        Write(I, L.V);
      else if (Name == "add")
        Write(I, Read(Old, I) + Read(X, I));
      else if (Name == "quad")
        for (long long K = 0; K != 4; ++K)
          Write(4 * I + K, L.V);
      else if (Name == "rows")
        for (long long K = 0; K != 2; ++K)
          Write(2 * (L.A + I) + K, L.V);
      else if (Name == "loop")
        for (long long K = 0; K != static_cast<long long>(L.U) && Inside; ++K)
          Write(I * L.U + K, L.V);
      else if (Name == "last")
        Write(G - 1 - I, L.V);
      else if (Name == "strides")
        for (long long K = I; K < static_cast<long long>(L.U) && Inside; K += G)
          Write(K, L.V);
      else if (Name == "factors")
        Write(J * L.A + I, L.V);
      else if (Name == "clip")
        Write(I, Read(X, std::min(std::max(I - 1, 0LL), L.A - 1LL)));
      else if (Name == "before" && !I)
        Write(I, L.V);
      else if (Name == "bits")
        Write(I, L.V + std::popcount(L.U));
    }
  return Inside;
}

TEST_F(ExtentsTest, WhatIsOverwrittenDoesNotMove) {
  constexpr size_t Whole = N * sizeof(int), Unused = 1; // A byte of x, which these do not touch.
  EXPECT_EQ(moved({"put", {N, 0}, 0, 0, 1}), Unused);
  EXPECT_EQ(moved({"part", {N - 16, 0}, 16, 0, 1}), Unused); // The rest stays where it is.
  EXPECT_EQ(moved({"guard", {N + 8, 0}, int(N), 0, 1}), Unused);
  EXPECT_EQ(moved({"below", {N, 0}, 0, N + 1, 1}), Unused);
  EXPECT_EQ(moved({"tile", {8, 8}, 8, 0, 1}), Unused);
  EXPECT_EQ(moved({"factors", {8, 8}, 8, 0, 1}), Unused);
  EXPECT_EQ(moved({"quad", {N / 4, 0}, 0, 0, 1}), Unused);
  EXPECT_EQ(moved({"loop", {8, 0}, 0, 8, 1}), Unused);
  EXPECT_EQ(moved({"rows", {N / 4, 0}, int(N / 8), 0, 1}), Unused);
  EXPECT_EQ(moved({"bits", {N, 0}, 0, 77, 1}), Unused);
  // What they read.
  EXPECT_EQ(moved({"move", {8, 0}, 16, 8, 1}), 8 * sizeof(int));
  EXPECT_EQ(moved({"add", {16, 0}, 0, 0, 1}), 2 * 16 * sizeof(int));
  // Not proved: gaps between rows, a condition on data, another global size, integers that wrap around.
  EXPECT_GE(moved({"tile", {4, 8}, 8, 0, 1}), Unused + Whole - 4 * sizeof(int));
  EXPECT_GE(moved({"some", {N, 0}, 0, 0, 1}), 2 * Whole);
  EXPECT_GE(moved({"beside", {N / 2, 0}, 4, 0, 1}), Unused + Whole);
  EXPECT_GE(moved({"below", {N, 0}, 0, 0, 1}), Unused + Whole);
  EXPECT_GE(moved({"wide", {N, 0}, 0, 1, 1}), Unused + Whole);
}

// A command of an in-order queue does not wait for one that touches another part of the same object.
TEST_F(ExtentsTest, PartsOfAnObjectAreOrderedAlone) {
  cl_mem Y = buffer(N * sizeof(int)), X = buffer(N * sizeof(int));
  for (cl_mem M : {Y, X})
    launch(Own, {"put", {N, 0}, 0, 0, 1}, M, M == X ? Y : X);
  cl_int Error;
  cl_event Gate = clCreateUserEvent(Context, &Error);
  ok(Error);
  const size_t Before = Launches;
  enqueue(Own, {"part", {N / 2, 0}, 0, 0, 2}, Y, X, Gate);
  enqueue(Own, {"part", {N / 2, 0}, int(N / 2), 0, 3}, Y, X);
  EXPECT_EQ(Launches, Before + 1);
  enqueue(Own, {"part", {N / 2, 0}, int(N / 4), 0, 4}, Y, X); // Behind both.
  EXPECT_EQ(Launches, Before + 1);
  ok(clSetUserEventStatus(Gate, CL_COMPLETE));
  const auto Got = read(Own, Y, N);
  for (size_t I = 0; I != N; ++I)
    EXPECT_EQ(Got[I], I < N / 4 ? 2 : I < 3 * N / 4 ? 4 : 3) << I;
  clReleaseEvent(Gate);
}

// Two arguments may be one object.
TEST_F(ExtentsTest, OneObjectTwice) {
  std::vector<int> V(N);
  for (size_t I = 0; I != N; ++I)
    V[I] = static_cast<int>(I);
  cl_mem M = ints(V);
  launch(Other, {"add", {N, 0}, 0, 0, 0}, M, M);
  launch(Own, {"move", {8, 0}, 16, 8, 0}, M, M);
  auto Got = read(Other, M, N);
  for (size_t I = 0; I != N; ++I)
    EXPECT_EQ(Got[I], 2 * static_cast<int>(I < 8 ? I + 16 : I)) << I;
}

TEST_F(ExtentsTest, RandomLaunchesGiveTheResultsOfASerialProgram) {
  const char *Given = std::getenv("HSCHED_TEST_SEED");
  const auto Seed = Given ? static_cast<unsigned>(std::strtoul(Given, nullptr, 10)) : 20u;
  SCOPED_TRACE("HSCHED_TEST_SEED=" + std::to_string(Seed));
  std::mt19937 Random(Seed);
  auto Any = [&](auto... Of) {
    const std::array All{static_cast<long long>(Of)...};
    return All[Random() % All.size()];
  };
  const char *const Names[] = {"put", "part", "guard", "below", "wide", "beside",  "tile", "move",   "near",    "some",
                               "add", "quad", "rows",  "loop",  "last", "strides", "bits", "before", "factors", "clip"};
  Ints Wanted[3]{};
  cl_mem Objects[3];
  for (size_t I = 0; I != 3; ++I)
    Objects[I] = ints(std::vector<int>(N, 0));
  unsigned Runs = 0;
  for (int Round = 0; Round != 600; ++Round) {
    Launch L{Names[Random() % std::size(Names)],
             {static_cast<size_t>(Any(1, 2, 3, 4, 8, 16, 32, N - 1, N)), 0},
             static_cast<int>(Any(-1, 0, 1, 2, 4, 8, 16, 32, N)),
             static_cast<unsigned>(Any(0, 1, 2, 3, 8, 16, N, N + 1, -1)),
             Round};
    if (std::string(L.Name) == "tile" || std::string(L.Name) == "factors")
      L.Global[0] = static_cast<size_t>(Any(1, 4, 8)), L.Global[1] = static_cast<size_t>(Any(1, 4, 8));
    const size_t Y = Random() % 3, X = (Y + 1 + Random() % 2) % 3;
    Ints After = Wanted[Y];
    if (!runSerially(L, After, Wanted[X]))
      continue;
    ++Runs;
    Wanted[Y] = After;
    launch(Random() % 2 ? Own : Other, L, Objects[Y], Objects[X]);
    if (Round % 8 == 0) {
      const size_t I = Random() % 3;
      const auto Got = read(Random() % 2 ? Own : Other, Objects[I], N);
      ASSERT_EQ(std::vector<int>(Wanted[I].begin(), Wanted[I].end()), Got) << "object " << I << ", round " << Round;
    }
  }
  EXPECT_GT(Runs, 200u);
  for (size_t I = 0; I != 3; ++I)
    EXPECT_EQ(std::vector<int>(Wanted[I].begin(), Wanted[I].end()), read(Own, Objects[I], N)) << "object " << I;
}

} // namespace
} // namespace icdtest

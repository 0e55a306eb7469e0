// Devices with memory for hardly one task: every task gets its turn.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <cstdlib>
#include <iostream>
#include <random>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

MachineOptions tiny(unsigned Devices, uint64_t Bytes, const char *Policy, bool Apart = false) {
  MachineOptions O;
  O.Devices = Devices;
  O.Policy = Policy;
  O.Sim.MemoryBytes = Bytes + 3 * 128; // Blocks begin on a boundary.
  O.Sim.In = Apart ? nullptr : sim::makeContext();
  return O;
}

struct Progress : testing::TestWithParam<const char *> {
  // A task on X, beside sections that it needs on the device as well.
  static void submit(Machine &M, AddType &Add, long *X, size_t N, std::vector<Access> More) {
    More.insert(More.begin(), on(HSCHED_INOUT, X, N * sizeof(long), 0));
    M.submitTo(Add.Type, std::move(More), AddArgs{X, N, 1});
  }
};

// Each task drives out what the other one needs: StarPU's users report a standstill, or transfers to and fro for ever.
TEST_P(Progress, TwoTasksThatDriveOutEachOthersData) {
  constexpr size_t N = 512;
  for (unsigned Devices : {1u, 2u, 3u}) {
    AddType Add(AddType::Device);
    Machine M(tiny(Devices, 3 * N * sizeof(long), GetParam(), Devices == 3));
    std::vector<long> A(N, 1), B(N, 1), C(N, 1), D(N, 1), E(N, 1), F(N, 1);
    auto all = [](std::vector<long> &V, unsigned Mode) { return on(Mode, V.data(), V.size() * sizeof(long)); };
    for (int Round = 0; Round < 100; ++Round) {
      submit(M, Add, A.data(), N, {all(B, HSCHED_IN), all(C, HSCHED_IN)});
      submit(M, Add, D.data(), N, {all(E, HSCHED_IN), all(F, HSCHED_IN)});
      if (Round % 10 == 0) { // What each only reads becomes what the other one changes.
        submit(M, Add, E.data(), N, {all(A, HSCHED_IN), all(B, HSCHED_INOUT)});
        submit(M, Add, C.data(), N, {all(D, HSCHED_IN), all(F, HSCHED_INOUT)});
      }
    }
    M.wait();
    EXPECT_EQ(A[N - 1], 101);
    EXPECT_EQ(D[0], 101);
    EXPECT_EQ(E[0], 11);
    EXPECT_EQ(C[0], 11);
  }
}

TEST_P(Progress, ManyDevicesWithRoomForOneTask) {
  constexpr size_t N = 256, Count = 24;
  AddType Add(AddType::Device);
  Machine M(tiny(12, 2 * N * sizeof(long), GetParam()));
  std::vector<std::vector<long>> X(Count, std::vector<long>(N, 0));
  for (size_t Round = 0; Round < 8; ++Round)
    for (size_t I = 0; I < Count; ++I)
      submit(M, Add, X[I].data(), N, {on(HSCHED_IN, X[(I + Round + 1) % Count].data(), N * sizeof(long))});
  M.wait();
  for (auto &V : X)
    EXPECT_EQ(V[N - 1], 8);
}

// A task that needs all memory, and others that need little and come one after the other until it has run.
TEST_P(Progress, ALargeTaskIsNotOvertakenForEver) {
  constexpr size_t Large = 1024, Small = 384;
  constexpr int Most = 20000, Chains = 4;
  AddType Add(AddType::Device);
  Machine M(tiny(1, Large * sizeof(long), GetParam()));
  std::vector<long> All(Large, 0);
  std::vector<std::vector<long>> X(Chains, std::vector<long>(Small, 0));
  std::atomic<bool> Ran{false};
  std::atomic<int> Overtook{0};
  std::function<void(int)> next = [&](int I) {
    if (Ran || ++Overtook > Most)
      return;
    Add.submit(M, X[I].data(), Small, 1);
    M.submit({on(HSCHED_IN, X[I].data(), 8)}, [&, I] { next(I); });
  };
  for (int I = 0; I < Chains; ++I)
    next(I);
  while (Overtook < 50)
    std::this_thread::yield();
  Add.submit(M, All.data(), Large, 1);
  M.submit({on(HSCHED_IN, All.data(), 8)}, [&] { Ran = true; });
  M.wait();
  EXPECT_EQ(All[Large - 1], 1);
  EXPECT_LE(Overtook, Most);
}

TEST_P(Progress, RandomProgramsWithRoomForOneTask) {
  const char *Given = std::getenv("HSCHED_TEST_SEED");
  const uint64_t Seed = Given ? std::strtoull(Given, nullptr, 10) : std::random_device{}();
  std::cout << "HSCHED_TEST_SEED=" << Seed << "\n";
  std::mt19937_64 Random(Seed);
  for (int Program = 0; Program < 10; ++Program) {
    constexpr size_t Total = 4000;
    const size_t Room = 300 + Random() % 300; // Longs; what a task needs, with a block's padding.
    AddType Add(Random() % 2 ? AddType::Device : AddType::Both);
    Machine M(tiny(1 + Random() % 6, (Room + 64) * sizeof(long), GetParam(), Random() % 2));
    std::vector<long> X(Total, 0), Want(Total, 0);
    for (int Task = 0; Task < 150; ++Task) {
      std::vector<Access> More;
      size_t Left = Room;
      const size_t N = 1 + Random() % Left, At = Random() % (Total - N);
      Left -= N;
      for (int I = 0; I < 3 && Left > 1; ++I) {
        const size_t Bytes = 1 + Random() % Left, Where = Random() % (Total - Bytes);
        More.push_back(on(HSCHED_IN, X.data() + Where, Bytes * sizeof(long)));
        Left -= std::min(Left, Bytes + 16);
      }
      submit(M, Add, X.data() + At, N, std::move(More));
      for (size_t I = At; I < At + N; ++I)
        ++Want[I];
    }
    try {
      M.wait();
    } catch (const std::exception &E) { // Sections that overlap may share a block that does not fit.
      EXPECT_NE(std::string(E.what()).find("needs"), std::string::npos) << E.what();
      continue;
    }
    EXPECT_EQ(X, Want);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Progress, testing::Values("eager", "versioning"), [](const auto &I) { return I.param; });

} // namespace

// Several threads use one directory at once; what each computes must not depend on it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

using namespace hsched;
using namespace hsched::rt;

namespace {

TEST(DirectoryThreads, NeighboursOfOneArrayOnSmallDevices) {
  const char *Given = std::getenv("HSCHED_TEST_SEED");
  const uint64_t Seed = Given ? std::strtoull(Given, nullptr, 10) : std::random_device{}();
  std::cout << "HSCHED_TEST_SEED=" << Seed << "\n";

  constexpr size_t Mine = 1000, NumThreads = 4;
  sim::SimOptions O;
  O.Devices = 2;
  O.MemoryBytes = 2500;
  Harness H(O);
  // Each thread updates a part of its own and reads the last bytes, which no thread writes: replicas of neighbours
  // merge.
  ByteVector Data(NumThreads * Mine + 64, 5), Want = Data;
  std::atomic<bool> Stop{false};
  std::atomic<unsigned> Busy{0};
  std::vector<std::thread> Threads;
  for (size_t Me = 0; Me < NumThreads; ++Me)
    Threads.emplace_back([&, Me] {
      std::mt19937_64 Random(Seed + Me);
      for (unsigned Round = 0; Round < 150; ++Round) {
        size_t Lo = Me * Mine + Random() % (Mine - 10), Hi = Lo + 1 + Random() % ((Me + 1) * Mine - Lo);
        unsigned Mode = Random() % 2 ? HSCHED_INOUT : HSCHED_OUT;
        uint64_t Salt = Random();
        auto List = [&](ByteVector &In) {
          return std::vector{section(In.data() + NumThreads * Mine, 64, HSCHED_IN),
                             section(In.data() + Lo, Hi - Lo, Mode)};
        };
        TestTask T(List(Data), Salt);
        status S = H.run(T, static_cast<MemoryNode>(Random() % 3));
        if (S.code() == errc::out_of_memory) { // In the hands of the other threads' tasks.
          ++Busy;
          S = H.run(T, HostNode);
        }
        EXPECT_TRUE(S.ok()) << S.message();
        TestTask(List(Want), Salt).runOnHost();
      }
    });
  std::thread Flusher([&] {
    bool Invalidate = false;
    while (!Stop) {
      EXPECT_TRUE(H.flush(Invalidate = !Invalidate).ok());
      (void)H.Dir->stats();
      std::this_thread::yield();
    }
  });
  for (std::thread &T : Threads)
    T.join();
  Stop = true;
  Flusher.join();
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(Data, Want);
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  ASSERT_TRUE(H.Dir->shutdown().ok());
  EXPECT_EQ(H.device(1).bytesInUse() + H.device(2).bytesInUse(), 0u);
  RecordProperty("busy", static_cast<int>(Busy));
}

} // namespace

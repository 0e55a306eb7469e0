// Footprints of tasks, the marks of the workers that wrote data, and an engine that keeps blocks on their workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Homes.h"
#include "Machine.h"

#include <atomic>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr size_t Block = 65536;

Footprint footprint(const std::vector<Access> &Sections) { return footprintOf(Sections); }

TEST(Footprint, TheLargestSectionsComeFirstAndSmallOnesDoNotCount) {
  const std::vector<char> Memory(8 * Block);
  const char *At = Memory.data();
  const Access Large = on(HSCHED_IN, At, 2 * Block), Read = on(HSCHED_IN, At + 2 * Block, Block),
               Written = on(HSCHED_OUT, At + 3 * Block, Block), Both = on(HSCHED_INOUT, At + 4 * Block, Block),
               Small = on(HSCHED_INOUT, At + 5 * Block, Block / 8);
  const Footprint All = footprint({Small, Read, Written, Both, Large});
  const std::array<const Access *, 4> Order{&Large, &Both, &Written, &Read};
  for (unsigned I = 0; I < Footprint::Most; ++I)
    EXPECT_EQ(All.Sections[I], footprint({*Order[I]}).Sections[0]) << I;
  EXPECT_EQ(footprint({Written, Read}).Sections[0], footprint({Read}).Sections[0]); // The only one that is read.
  EXPECT_EQ(footprint({Large, Small}).Sections[1], 0);
  // Read by all tasks, probably.
  EXPECT_EQ(footprint({on(HSCHED_IN, At, 8 * Block), Written}).Sections[0], footprint({Written}).Sections[0]);
  EXPECT_FALSE(footprint({}).any());
  EXPECT_FALSE(footprint({on(HSCHED_REDUCTION, At, Block)}).any());
}

TEST(Footprint, ABlockWithItsHaloHasTheBlocksName) {
  const std::vector<char> Memory(4 * Block);
  const auto name = [&](size_t From, size_t Bytes) {
    return Footprint::nameOf(footprint({on(HSCHED_IN, Memory.data() + From, Bytes)}).Sections[0]);
  };
  EXPECT_EQ(name(Block, Block), name(Block - 1024, Block + 2048));
  EXPECT_NE(name(Block, Block), name(2 * Block, Block));
}

TEST(Footprint, TilesOfOneMatrixHaveNamesOfTheirOwn) {
  const std::vector<char> Memory(Block);
  Access Left = on(HSCHED_IN, Memory.data(), 256), Right = on(HSCHED_IN, Memory.data() + 256, 256);
  for (Access *A : {&Left, &Right}) {
    A->rows = 16;
    A->stride = 4096;
  }
  EXPECT_NE(footprint({Left}).Sections[0], footprint({Right}).Sections[0]);
}

TEST(Homes, TheWorkerThatUsedTheMostDecides) {
  const std::vector<char> Memory(4 * Block);
  Homes H(3);
  const auto section = [&](unsigned Mode, size_t I) { return on(Mode, Memory.data() + I * Block, Block); };
  EXPECT_EQ(H.of(footprint({section(HSCHED_INOUT, 0)})), NoWorker);
  H.ran(footprint({section(HSCHED_OUT, 0), section(HSCHED_IN, 2), section(HSCHED_IN, 3)}), 1);
  H.ran(footprint({section(HSCHED_OUT, 1)}), 2);
  H.ran(footprint({section(HSCHED_OUT, 2)}), 2);
  EXPECT_EQ(H.of(footprint({section(HSCHED_IN, 3)})), NoWorker);                  // It was only read.
  EXPECT_EQ(H.of(footprint({section(HSCHED_IN, 0), section(HSCHED_IN, 1)})), 1u); // The first.
  EXPECT_EQ(H.of(footprint({section(HSCHED_IN, 0), section(HSCHED_INOUT, 1)})), 2u);
  EXPECT_EQ(H.of(footprint({section(HSCHED_IN, 0), section(HSCHED_IN, 1), section(HSCHED_IN, 2)})), 2u);
  EXPECT_EQ(H.of(footprint({section(HSCHED_IN, 0), section(HSCHED_OUT, 3)})), 1u);
  H.ran(footprint({section(HSCHED_INOUT, 0), section(HSCHED_IN, 3)}), 2);
  EXPECT_EQ(H.of(footprint({section(HSCHED_IN, 3)})), 2u);
}

// Each pair of tasks runs at the same time, so each worker runs one of them.
TEST(HomesOfTasks, ABlocksTasksRunOnOneWorker) {
  Machine M;
  M.Nanoseconds = 1'000'000;
  constexpr int Steps = 40;
  std::vector<char> Memory(2 * Block);
  std::array<std::array<std::thread::id, 2>, Steps> Ran;
  std::array<std::atomic<int>, Steps> Begun{};
  int Gate = 0;
  for (int Step = 0; Step < Steps; ++Step) {
    for (int I : {Step % 2, 1 - Step % 2}) // The first released one would run where the gate did.
      M.submit({in(Gate), on(HSCHED_INOUT, &Memory[static_cast<size_t>(I) * Block], Block)}, [&, Step, I] {
        Ran[Step][I] = std::this_thread::get_id();
        Begun[Step].fetch_add(1);
        while (Begun[Step].load() != 2)
          std::this_thread::yield();
      });
    M.submit({inout(Gate)}, [] {});
  }
  M.wait();
  int Moved = 0;
  for (int Step = 1; Step < Steps; ++Step)
    Moved += Ran[Step][0] != Ran[Step - 1][0];
  EXPECT_EQ(Moved, 0); // Nor is a task stolen: the other worker is in its own task until this one has begun.
}

} // namespace

// Replicas: merging, growing, eviction under a small memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <numeric>

using namespace hsched;
using namespace hsched::rt;

namespace {

sim::SimOptions small(uint64_t Bytes) {
  sim::SimOptions O;
  O.MemoryBytes = Bytes;
  return O;
}

struct DirectoryMemoryTest : testing::Test {
  DirectoryMemoryTest() {
    std::iota(X.begin(), X.end(), uint8_t(7));
    Want = X;
  }
  // Runs inout(X[Lo, Lo+Bytes)) on a node, and on the copy that a serial run would make.
  status update(Harness &H, size_t Lo, size_t Bytes, MemoryNode Node) {
    ++Salt;
    TestTask T({section(X.data() + Lo, Bytes, HSCHED_INOUT)}, Salt);
    status S = H.run(T, Node);
    if (S.ok())
      TestTask({section(Want.data() + Lo, Bytes, HSCHED_INOUT)}, Salt).runOnHost();
    return S;
  }
  // Missing bytes of the sections that T names.
  static uint64_t missing(Harness &H, const TestTask &T) {
    std::vector<Directory::SurveyedAccess> Surveyed;
    for (const Access &A : T.List)
      Surveyed.push_back({&A, {}, 0});
    H.Dir->survey(Surveyed, 1);
    return std::accumulate(Surveyed.begin(), Surveyed.end(), uint64_t(0),
                           [](uint64_t Sum, auto &W) { return Sum + W.Missing; });
  }
  ByteVector X = ByteVector(1000), Want;
  uint64_t Salt = 0;
};

TEST_F(DirectoryMemoryTest, MergingKeepsDataAndMovesNothingTwice) {
  Harness H;
  ASSERT_TRUE(update(H, 0, 300, 1).ok());
  ASSERT_TRUE(update(H, 500, 300, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 2u);
  ASSERT_TRUE(update(H, 200, 400, 1).ok()); // Overlaps both: one replica, the gap alone is uploaded.
  EXPECT_EQ(H.Dir->stats().Replicas, 1u);
  EXPECT_EQ(H.device(1).bytesInUse(), 800u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 800u);
  EXPECT_EQ(H.within(), 600u);
  EXPECT_EQ(H.down(), 800u);
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, AModifiedTileLeavesInOnePiece) {
  Harness H(small(1200));
  TestTask Tile({tile(X.data() + 20, 16, 20, 50, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(Tile, 1).ok());
  ByteVector Other(1000);
  TestTask Crowd({section(Other.data(), 1000, HSCHED_IN)});
  ASSERT_TRUE(H.run(Crowd, 1).ok());
  TestTask({tile(Want.data() + 20, 16, 20, 50, HSCHED_INOUT)}).runOnHost();
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.down(), 320u);
  EXPECT_EQ(H.Seen.count(TransferKind::DeviceToHost), 1u);
}

// Tiles of a matrix, side by side in blocks that grow: each stays one fragment until a task names a part of it.
TEST_F(DirectoryMemoryTest, TilesAreKeptWhole) {
  Harness H;
  auto Column = [&](ByteVector &V, size_t I) { return tile(V.data() + I * 10, 10, 20, 50, HSCHED_INOUT); };
  auto step = [&](Access Here, Access There, MemoryNode Node) {
    TestTask T({Here}, ++Salt);
    ASSERT_TRUE(H.run(T, Node).ok());
    TestTask({There}, Salt).runOnHost();
  };
  for (int Round = 0; Round < 3; ++Round)
    for (size_t I : {1, 0, 4, 2, 3}) {
      step(Column(X, I), Column(Want, I), 1);
      EXPECT_EQ(H.Dir->stats().Fragments, Round ? 5u : H.Dir->stats().Fragments);
    }
  EXPECT_EQ(H.Dir->stats().Fragments, 5u);
  EXPECT_EQ(H.Dir->stats().Replicas, 1u);
  EXPECT_EQ(H.up(), 1000u);
  EXPECT_EQ(H.Seen.count(TransferKind::HostToDevice), 5u);
  // One byte of one tile on the host: that tile's rows get separate entries. One of them contains the byte, which is
  // valid at home and needs no entry.
  step(section(X.data() + 3 * 50 + 25, 1, HSCHED_INOUT), section(Want.data() + 3 * 50 + 25, 1, HSCHED_INOUT), HostNode);
  EXPECT_EQ(H.down(), 1u);
  EXPECT_EQ(H.Dir->stats().Fragments, 4u + 19 + 2);
  step(Column(X, 2), Column(Want, 2), 1);
  EXPECT_EQ(H.up(), 1001u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  step(Column(X, 2), Column(Want, 2), 1);
  EXPECT_EQ(H.Dir->stats().Fragments, 1u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, TouchingSectionsStayApart) {
  Harness H;
  ASSERT_TRUE(update(H, 0, 500, 1).ok());
  ASSERT_TRUE(update(H, 500, 500, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 2u);
  EXPECT_EQ(H.within(), 0u);
}

TEST_F(DirectoryMemoryTest, AWindowThatSlidesGrowsGeometrically) {
  Harness H;
  X.assign(100000, 3);
  Want = X;
  for (size_t Lo = 0; Lo + 200 <= X.size(); Lo += 100)
    ASSERT_TRUE(update(H, Lo, 200, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.up(), 100000u);
  EXPECT_LT(H.within(), 400000u); // Merging byte by byte would copy 50 million.
  EXPECT_LE(H.device(1).bytesInUse(), 150000u);
}

TEST_F(DirectoryMemoryTest, ADownwardWindowGrowsToo) {
  Harness H;
  X.assign(100000, 3);
  Want = X;
  for (size_t Lo = X.size() - 200; Lo > 0; Lo -= 100)
    ASSERT_TRUE(update(H, Lo, 200, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_LT(H.within(), 400000u);
}

TEST_F(DirectoryMemoryTest, EvictionWritesBackTheLeastRecentlyUsed) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 300, 1).ok());
  ASSERT_TRUE(update(H, 300, 300, 1).ok());
  ASSERT_TRUE(update(H, 0, 300, 1).ok());   // Now the other is the older one.
  ASSERT_TRUE(update(H, 600, 300, 1).ok()); // Evicts it.
  EXPECT_EQ(H.down(), 300u);
  EXPECT_EQ(H.up(), 900u);
  ASSERT_TRUE(update(H, 0, 300, 1).ok()); // Still there.
  EXPECT_EQ(H.up(), 900u);
  ASSERT_TRUE(update(H, 300, 300, 1).ok());
  EXPECT_EQ(H.up(), 1200u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_LE(H.device(1).bytesInUse(), 700u);
}

// A device on which nothing happens by itself, so that what waits would not come back.
TEST_F(DirectoryMemoryTest, RoomIsMadeWithoutWaiting) {
  sim::SimOptions O = small(512);
  O.Mode = sim::SimMode::Manual;
  Harness H(O);
  TestTask First({section(X.data(), 256, HSCHED_INOUT)}, 1), Second({section(X.data() + 256, 256, HSCHED_INOUT)}, 2),
      Third({section(X.data() + 512, 256, HSCHED_INOUT)}, 3);
  for (TestTask *T : {&First, &Second}) {
    ASSERT_TRUE(H.run(*T, 1).ok());
    TestTask Same({section(Want.data() + (T == &Second ? 256 : 0), 256, HSCHED_INOUT)}, T->Salt);
    Same.runOnHost();
  }
  ASSERT_EQ(H.device(1).pending(), 0u);
  Acquisition A;
  std::vector<EventRef> Until;
  EXPECT_EQ(H.Dir->acquire(Third.T, 1, A, &Until).code(), errc::out_of_memory);
  EXPECT_TRUE(A.MemoryBusy);
  ASSERT_EQ(Until.size(), 1u);
  EXPECT_FALSE(Until[0]->done());
  EXPECT_EQ(H.device(1).pending(), 1u); // The first one's data on their way home.
  // Asking again starts nothing again.
  EXPECT_EQ(H.Dir->acquire(Third.T, 1, A, &Until).code(), errc::out_of_memory);
  ASSERT_EQ(Until.size(), 1u);
  EXPECT_EQ(H.device(1).pending(), 1u);
  H.device(1).stepAll();
  EXPECT_TRUE(Until[0]->done());
  ASSERT_TRUE(H.Dir->acquire(Third.T, 1, A, &Until).ok());
  EXPECT_EQ(H.device(1).pending(), 1u); // Its own, up.
  H.Dir->release(Third.T, A, true);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 512u);
  EXPECT_EQ(X, Want);
}

// Read-only data are evicted before modified data, though they were used later; the modified data are still written
// home.
TEST_F(DirectoryMemoryTest, WhatIsIdleGoesAtOnce) {
  sim::SimOptions O = small(512);
  O.Mode = sim::SimMode::Manual;
  Harness H(O);
  TestTask Modified({section(X.data(), 256, HSCHED_INOUT)}, 1), Read({section(X.data() + 256, 256, HSCHED_IN)}, 2),
      Next({section(X.data() + 512, 256, HSCHED_IN)}, 3);
  ASSERT_TRUE(H.run(Modified, 1).ok());
  ASSERT_TRUE(H.run(Read, 1).ok());
  TestTask({section(Want.data(), 256, HSCHED_INOUT)}, 1).runOnHost();
  Acquisition A;
  std::vector<EventRef> Until;
  ASSERT_TRUE(H.Dir->acquire(Next.T, 1, A, &Until).ok());
  EXPECT_EQ(H.device(1).pending(), 2u); // One up, one down.
  H.device(1).stepAll();
  H.Dir->release(Next.T, A, false);
  EXPECT_EQ(missing(H, Modified), 0u); // Still there.
  EXPECT_EQ(missing(H, Read), 256u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 768u);
  EXPECT_EQ(H.down(), 256u);
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, WhatIsMissingIsCounted) {
  Harness H(small(1024));
  TestTask Reads({section(X.data(), 256, HSCHED_IN)}), Updates({section(X.data() + 256, 256, HSCHED_INOUT)}),
      Writes({section(X.data() + 512, 256, HSCHED_OUT)});
  EXPECT_EQ(missing(H, Reads), 256u);
  EXPECT_EQ(missing(H, Updates), 512u);
  EXPECT_EQ(missing(H, Writes), 256u);
  EXPECT_EQ(H.Dir->fullness(1), 0);
  for (TestTask *T : {&Reads, &Updates})
    ASSERT_TRUE(H.run(*T, 1).ok());
  EXPECT_EQ(H.Dir->fullness(1), 0.5);
  ASSERT_TRUE(H.run(Writes, 1).ok());
  EXPECT_EQ(H.Dir->fullness(1), 0.75);
  for (TestTask *T : {&Reads, &Updates, &Writes})
    EXPECT_EQ(missing(H, *T), 0u);
  EXPECT_EQ(H.Dir->fullness(HostNode), 0);
  ASSERT_TRUE(H.flush().ok()); // The host may write now.
  EXPECT_EQ(missing(H, Reads), 256u);
}

TEST_F(DirectoryMemoryTest, EvictingWhatIsNotModifiedMovesNothing) {
  Harness H(small(700));
  TestTask Read({section(X.data(), 600, HSCHED_IN)});
  ASSERT_TRUE(H.run(Read, 1).ok());
  ASSERT_TRUE(update(H, 600, 400, 1).ok());
  EXPECT_EQ(H.down(), 0u);
}

TEST_F(DirectoryMemoryTest, OldAndMergedBlockNeedNotFitTogether) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 400, 1).ok());
  ASSERT_TRUE(update(H, 300, 400, 1).ok()); // 400 + 700 bytes do not fit.
  ASSERT_TRUE(update(H, 100, 600, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, ALargerReplicaThanNeededGivesWay) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 600, 1).ok());
  TestTask T({section(X.data(), 100, HSCHED_INOUT), section(X.data() + 700, 200, HSCHED_INOUT)}, 99);
  ASSERT_TRUE(H.run(T, 1).ok());
  TestTask({section(Want.data(), 100, HSCHED_INOUT), section(Want.data() + 700, 200, HSCHED_INOUT)}, 99).runOnHost();
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

// Blocks in each other's way leave as any others do: nothing is waited for while the directory is locked. On a manual
// device whatever is waited for is executed, so pending() shows it.
TEST_F(DirectoryMemoryTest, BlocksInTheWayLeaveWithoutWaiting) {
  using List = std::vector<Access>;
  auto overlapping = [](ByteVector &V) { return List{section(V.data() + 300, 400, HSCHED_INOUT)}; };
  auto apart = [](ByteVector &V) {
    return List{section(V.data(), 100, HSCHED_INOUT), section(V.data() + 700, 200, HSCHED_INOUT)};
  };
  for (bool Overlap : {true, false}) {
    sim::SimOptions O = small(700);
    O.Mode = sim::SimMode::Manual;
    Harness H(O);
    ASSERT_TRUE(update(H, 0, Overlap ? 400 : 600, 1).ok());
    ASSERT_EQ(H.device(1).pending(), 0u);
    TestTask T(Overlap ? overlapping(X) : apart(X), 99);
    Acquisition A;
    std::vector<EventRef> Until;
    EXPECT_EQ(H.Dir->acquire(T.T, 1, A, &Until).code(), errc::out_of_memory) << Overlap;
    EXPECT_TRUE(A.MemoryBusy);
    EXPECT_EQ(Until.size(), 1u);
    EXPECT_EQ(H.device(1).pending(), 1u); // The old block's data on their way home.
    H.device(1).stepAll();
    A.clear();
    ASSERT_TRUE(H.run(T, 1).ok());
    TestTask(Overlap ? overlapping(Want) : apart(Want), 99).runOnHost();
    ASSERT_TRUE(H.flush().ok());
    EXPECT_EQ(X, Want);
  }
}

TEST_F(DirectoryMemoryTest, TooLargeATaskSaysWhatItNeedsAndWhatIsThere) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 600, 1).ok());
  TestTask T({section(X.data(), 701, HSCHED_INOUT)});
  Acquisition A;
  status S = H.Dir->acquire(T.T, 1, A);
  ASSERT_EQ(S.code(), errc::out_of_memory);
  EXPECT_FALSE(A.MemoryBusy);
  EXPECT_FALSE(A.Acquired);
  EXPECT_NE(S.message().find("needs 701 bytes"), std::string::npos) << S.message();
  EXPECT_NE(S.message().find("700 of 700 bytes are free"), std::string::npos) << S.message();
  EXPECT_NE(S.message().find("Simulated device"), std::string::npos) << S.message();
  EXPECT_EQ(H.down(), 0u); // Nothing was evicted for it.
  ASSERT_TRUE(update(H, 0, 600, 1).ok());
}

TEST_F(DirectoryMemoryTest, TheLargestBlockIsHonoured) {
  sim::SimOptions O = small(1000);
  O.MaxAllocationBytes = 400;
  Harness H(O);
  TestTask T({section(X.data(), 401, HSCHED_INOUT)});
  Acquisition A;
  status S = H.Dir->acquire(T.T, 1, A);
  ASSERT_EQ(S.code(), errc::out_of_memory);
  EXPECT_NE(S.message().find("no block may exceed 400"), std::string::npos) << S.message();
  ASSERT_TRUE(update(H, 0, 300, 1).ok());
  ASSERT_TRUE(update(H, 200, 300, 1).ok()); // Cannot be merged into one of 500.
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, MemoryThatOthersUseIsBusy) {
  Harness H(small(700));
  TestTask First({section(X.data(), 600, HSCHED_IN)}), Second({section(X.data() + 600, 400, HSCHED_IN)});
  Acquisition A, B;
  ASSERT_TRUE(H.Dir->acquire(First.T, 1, A).ok());
  status S = H.Dir->acquire(Second.T, 1, B);
  EXPECT_EQ(S.code(), errc::out_of_memory);
  EXPECT_TRUE(B.MemoryBusy);
  EXPECT_NE(S.message().find("100 of 700 bytes are free"), std::string::npos) << S.message();
  H.Dir->release(First.T, A, false);
  EXPECT_TRUE(H.Dir->acquire(Second.T, 1, B).ok());
  H.Dir->release(Second.T, B, false);
}

TEST_F(DirectoryMemoryTest, MemoryOfDataThatIsBeingOverwrittenElsewhereIsBusy) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 600, 1).ok()); // The newest copy is there.
  TestTask First({section(X.data(), 600, HSCHED_OUT)}, 77), Second({section(X.data() + 600, 400, HSCHED_IN)});
  Acquisition A, B;
  ASSERT_TRUE(H.Dir->acquire(First.T, HostNode, A).ok());
  EXPECT_EQ(H.Dir->acquire(Second.T, 1, B).code(), errc::out_of_memory);
  EXPECT_TRUE(B.MemoryBusy);
  First.runOnHost();
  H.Dir->release(First.T, A, false);
  ASSERT_TRUE(H.Dir->acquire(Second.T, 1, B).ok());
  H.Dir->release(Second.T, B, false);
  TestTask({section(Want.data(), 600, HSCHED_OUT)}, 77).runOnHost();
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, ManySectionsLeaveNothingBehind) {
  Harness H(small(1 << 12));
  X.assign(1 << 16, 1);
  Want = X;
  for (unsigned Round = 0; Round < 2; ++Round)
    for (size_t Lo = 0; Lo < X.size(); Lo += 256)
      ASSERT_TRUE(update(H, Lo, 256, 1).ok());
  // The device holds 16 of 256 sections: no more fragments than that are worth an entry.
  EXPECT_LE(H.Dir->stats().Fragments, 50u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  EXPECT_EQ(X, Want);
}

// Small data one behind the other get blocks that have room for those to come: a few blocks, and not twice the memory.
TEST_F(DirectoryMemoryTest, SmallDataInARowShareBlocks) {
  for (size_t Bytes : {256, 200, 1000, 3}) {
    for (size_t Gap : {0, 16}) {
      Harness H(small(uint64_t(1) << 30));
      constexpr size_t Count = 2000;
      const size_t Step = Bytes + Gap;
      X.assign(Count * Step, 1);
      std::iota(X.begin(), X.end(), uint8_t(3));
      Want = X;
      for (int Round = 0; Round < 2; ++Round)
        for (size_t I = 0; I < Count; ++I)
          ASSERT_TRUE(update(H, I * Step, Bytes, 1).ok());
      EXPECT_LE(H.Dir->stats().Replicas, 25u) << Bytes << "+" << Gap;
      EXPECT_LE(H.Dir->stats().ReplicaBytes, 2 * X.size() + 8192) << Bytes << "+" << Gap;
      EXPECT_EQ(H.up(), Count * Bytes); // No byte that no section names.
      ASSERT_TRUE(H.flush().ok());
      EXPECT_EQ(H.down(), Count * Bytes);
      EXPECT_EQ(X, Want);
    }
  }
}

// Neither where memory is short, nor where a row is none: large data, and data here and there.
TEST_F(DirectoryMemoryTest, NoRoomInAdvanceWithoutARow) {
  X.assign(64 * 1000, 1);
  Want = X;
  {
    Harness H(small(100'000));
    for (size_t I = 0; I < 64; ++I)
      ASSERT_TRUE(update(H, I * 1000, 1000, 1).ok());
    EXPECT_EQ(H.Dir->stats().Replicas, 64u);
    ASSERT_TRUE(H.flush().ok());
  }
  {
    Harness H(small(uint64_t(1) << 30));
    for (size_t I = 0; I < 64; I += 2)
      ASSERT_TRUE(update(H, I * 1000, 1000, 1).ok());
    EXPECT_EQ(H.Dir->stats().Replicas, 32u);
    EXPECT_LE(H.Dir->stats().ReplicaBytes, 32 * (1000u + 127));
    ASSERT_TRUE(H.flush().ok());
  }
  EXPECT_EQ(X, Want);
}

// A block that was allocated for more data than are valid in it. Data beside it that reach out of it, on either side,
// are joined with it. Bytes of the block that no section named keep the host's values.
TEST_F(DirectoryMemoryTest, WhatReachesOutOfARowJoinsIt) {
  Harness H(small(uint64_t(1) << 30));
  X.assign(20000, 1);
  std::iota(X.begin(), X.end(), uint8_t(5));
  Want = X;
  for (size_t I = 0; I < 20; ++I) // Blocks of 100, 100, 100, 200, 400, 800, 1600 bytes.
    ASSERT_TRUE(update(H, I * 100, 100, 1).ok());
  EXPECT_LT(H.Dir->stats().Replicas, 10u);
  ASSERT_TRUE(update(H, 2500, 9000, 1).ok());
  ASSERT_TRUE(update(H, 3000, 20, HostNode).ok());
  ASSERT_TRUE(update(H, 0, 20000, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 1u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

// What a type asks for on the host it finds on the device: wherever a section begins, and however a block has grown.
TEST_F(DirectoryMemoryTest, PlacesAreAlignedAsOnTheHost) {
  Harness H;
  auto CheckPlace = [&](size_t Lo, size_t Bytes) {
    TestTask T({section(X.data() + Lo, Bytes, HSCHED_INOUT)}, ++Salt);
    Acquisition A;
    ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
    EXPECT_EQ(A.Placements[0].HostBegin % 128, 0u);
    EXPECT_LE(A.Placements[0].HostBegin, beginOf(T.List[0]));
    uintptr_t Block = 1;
    sim::simRegisterKernel("where", [&](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
      Block = reinterpret_cast<uintptr_t>(Args[0].Pointer);
      return status();
    });
    hsched_kernel_desc Where{};
    Where.entry = "where";
    KernelRef K;
    ASSERT_TRUE(H.device(1).kernel(Where, K).ok());
    BoundArg Arg;
    Arg.K = BoundArg::Kind::Buffer;
    Arg.Mem = A.Placements[0].Mem;
    Arg.Offset = beginOf(T.List[0]) - A.Placements[0].HostBegin;
    EventRef Done;
    ASSERT_TRUE(H.device(1).launch(K, {1, {1, 0, 0}, {0, 0, 0}, {}}, {&Arg, 1}, A.Wait, Done).ok());
    ASSERT_TRUE(Done->wait().ok());
    H.Dir->release(T.T, A, true);
    EXPECT_EQ(Block % 128, beginOf(T.List[0]) % 128) << Lo;
  };
  CheckPlace(4, 40); // As &X[1] of floats.
  CheckPlace(900, 17);
  for (size_t Lo = 897; Lo > 300; Lo -= 5) // A block that grows downwards, with room in advance.
    CheckPlace(Lo, 7);
  EXPECT_LT(H.Dir->stats().Replicas, 10u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, PaddingIsNotTransferred) {
  Harness H;
  ASSERT_TRUE(update(H, 0, 100, HostNode).ok());
  ASSERT_TRUE(update(H, 100, 30, 1).ok());
  ASSERT_TRUE(update(H, 90, 10, HostNode).ok()); // Lies in the padding of the block before.
  EXPECT_EQ(H.device(1).bytesInUse(), 130u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 30u);
  EXPECT_EQ(H.down(), 30u);
  EXPECT_EQ(X, Want);
}

// A running writer's block is merged into a larger one under it.
struct MergeUnderAWriter : DirectoryMemoryTest, testing::WithParamInterface<bool> {};

TEST_P(MergeUnderAWriter, ItsResultComesOver) {
  const bool Launched = GetParam(); // Before the merge, or after.
  sim::SimOptions O;
  O.Mode = sim::SimMode::Manual;
  Harness H(O);
  ASSERT_TRUE(update(H, 0, 400, 1).ok()); // One replica, of which the writer takes a part.
  TestTask Writer({section(X.data(), 100, HSCHED_INOUT)}, 50),
      Neighbour({section(X.data() + 200, 400, HSCHED_INOUT)}, 51);
  Acquisition A, B;
  EventRef DoneA, DoneB;
  ASSERT_TRUE(H.Dir->acquire(Writer.T, 1, A).ok());
  if (Launched) {
    ASSERT_TRUE(H.launch(Writer, A, DoneA).ok());
  }
  ASSERT_TRUE(H.Dir->acquire(Neighbour.T, 1, B).ok());
  EXPECT_NE(A.Placements[0].Mem, B.Placements[0].Mem);
  ASSERT_TRUE(H.launch(Neighbour, B, DoneB).ok());
  if (!Launched) {
    ASSERT_TRUE(H.launch(Writer, A, DoneA).ok());
  }
  ASSERT_TRUE(DoneB->wait().ok());
  H.Dir->release(Neighbour.T, B, false);
  ASSERT_TRUE(DoneA->wait().ok());
  H.Dir->release(Writer.T, A, false);
  ASSERT_TRUE(H.flush(false).ok());
  EXPECT_EQ(H.within(), 400u); // Each byte moved over once.
  TestTask({section(Want.data(), 100, HSCHED_INOUT)}, 50).runOnHost();
  TestTask({section(Want.data() + 200, 400, HSCHED_INOUT)}, 51).runOnHost();
  ASSERT_TRUE(update(H, 50, 500, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.device(1).bytesInUse(), 600u); // The old block is gone.
}
INSTANTIATE_TEST_SUITE_P(Directory, MergeUnderAWriter, testing::Bool());

} // namespace

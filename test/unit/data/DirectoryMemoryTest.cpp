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
  ByteVector X = ByteVector(1000), Want;
  uint64_t Salt = 0;
};

TEST_F(DirectoryMemoryTest, MergingKeepsDataAndMovesNothingTwice) {
  Harness H;
  ASSERT_TRUE(update(H, 0, 300, 1).ok());
  ASSERT_TRUE(update(H, 500, 300, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 2u);
  ASSERT_TRUE(update(H, 200, 400, 1).ok()); // overlaps both: one replica, the gap alone is uploaded
  EXPECT_EQ(H.Dir->stats().Replicas, 1u);
  EXPECT_EQ(H.device(1).bytesInUse(), 800u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 800u);
  EXPECT_EQ(H.across(), 600u);
  EXPECT_EQ(H.down(), 800u);
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, TouchingSectionsStayApart) {
  Harness H;
  ASSERT_TRUE(update(H, 0, 500, 1).ok());
  ASSERT_TRUE(update(H, 500, 500, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 2u);
  EXPECT_EQ(H.across(), 0u);
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
  EXPECT_LT(H.across(), 400000u); // merging byte by byte would copy 50 million
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
  EXPECT_LT(H.across(), 400000u);
}

TEST_F(DirectoryMemoryTest, EvictionWritesBackTheLeastRecentlyUsed) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 300, 1).ok());
  ASSERT_TRUE(update(H, 300, 300, 1).ok());
  ASSERT_TRUE(update(H, 0, 300, 1).ok());   // now the other is the older one
  ASSERT_TRUE(update(H, 600, 300, 1).ok()); // evicts it
  EXPECT_EQ(H.down(), 300u);
  EXPECT_EQ(H.up(), 900u);
  ASSERT_TRUE(update(H, 0, 300, 1).ok()); // still there
  EXPECT_EQ(H.up(), 900u);
  ASSERT_TRUE(update(H, 300, 300, 1).ok());
  EXPECT_EQ(H.up(), 1200u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_LE(H.device(1).bytesInUse(), 700u);
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
  ASSERT_TRUE(update(H, 300, 400, 1).ok()); // 400 + 700 bytes do not fit
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

TEST_F(DirectoryMemoryTest, TooLargeATaskSaysWhatItNeedsAndWhatIsThere) {
  Harness H(small(700));
  ASSERT_TRUE(update(H, 0, 600, 1).ok());
  TestTask T({section(X.data(), 701, HSCHED_INOUT)});
  Acquisition A;
  status S = H.Dir->acquire(T.T, 1, A);
  ASSERT_EQ(S.code(), errc::out_of_memory);
  EXPECT_FALSE(A.MemoryBusy);
  EXPECT_FALSE(A.Held);
  EXPECT_NE(S.message().find("needs 701 bytes"), std::string::npos) << S.message();
  EXPECT_NE(S.message().find("700 of 700 bytes are free"), std::string::npos) << S.message();
  EXPECT_NE(S.message().find("Simulated device"), std::string::npos) << S.message();
  EXPECT_EQ(H.down(), 0u); // nothing was evicted for it
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
  ASSERT_TRUE(update(H, 200, 300, 1).ok()); // cannot be merged into one of 500
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, MemoryHeldByOthersIsBusy) {
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
  ASSERT_TRUE(update(H, 0, 600, 1).ok()); // the newest copy is there
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
    ASSERT_TRUE(H.device(1).launch(K, {1, {1, 0, 0}, {0, 0, 0}}, {&Arg, 1}, A.Wait, Done).ok());
    ASSERT_TRUE(Done->wait().ok());
    H.Dir->release(T.T, A, true);
    EXPECT_EQ(Block % 128, beginOf(T.List[0]) % 128) << Lo;
  };
  CheckPlace(4, 40); // as &X[1] of floats
  CheckPlace(900, 17);
  for (size_t Lo = 897; Lo > 300; Lo -= 5) // a block that grows downwards, with room in advance
    CheckPlace(Lo, 7);
  EXPECT_LT(H.Dir->stats().Replicas, 10u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryMemoryTest, PaddingIsNotTransferred) {
  Harness H;
  ASSERT_TRUE(update(H, 0, 100, HostNode).ok());
  ASSERT_TRUE(update(H, 100, 30, 1).ok());
  ASSERT_TRUE(update(H, 90, 10, HostNode).ok()); // lies in the padding of the block before
  EXPECT_EQ(H.device(1).bytesInUse(), 130u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 30u);
  EXPECT_EQ(H.down(), 30u);
  EXPECT_EQ(X, Want);
}

// A running writer's block is merged into a larger one under it.
struct MergeUnderAWriter : DirectoryMemoryTest, testing::WithParamInterface<bool> {};

TEST_P(MergeUnderAWriter, ItsResultComesOver) {
  const bool Launched = GetParam(); // before the merge, or after
  sim::SimOptions O;
  O.Mode = sim::SimMode::Manual;
  Harness H(O);
  ASSERT_TRUE(update(H, 0, 400, 1).ok()); // one replica, of which the writer takes a part
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
  EXPECT_EQ(H.across(), 400u); // each byte moved over once
  TestTask({section(Want.data(), 100, HSCHED_INOUT)}, 50).runOnHost();
  TestTask({section(Want.data() + 200, 400, HSCHED_INOUT)}, 51).runOnHost();
  ASSERT_TRUE(update(H, 50, 500, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.device(1).bytesInUse(), 600u); // the old block is gone
}
INSTANTIATE_TEST_SUITE_P(Directory, MergeUnderAWriter, testing::Bool());

} // namespace

// Tiles that are held compactly on devices, beside the same bytes in other shapes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <numeric>

using namespace hsched;
using namespace hsched::rt;

namespace {

constexpr size_t Width = 100, Height = 40, Across = 20, Down = 10; // Sizes of the matrix and of a tile.
constexpr size_t TileBytes = Across * Down, Hull = (Down - 1) * Width + Across;

sim::SimOptions options(uint64_t Memory, unsigned Devices = 1, bool Apart = false) {
  sim::SimOptions O;
  O.MemoryBytes = Memory;
  O.Devices = Devices;
  O.Apart = Apart;
  return O;
}

struct PackedTest : testing::Test {
  PackedTest() {
    std::iota(X.begin(), X.end(), uint8_t(7));
    Want = X;
  }
  // Tile (I, J) of the matrix.
  static Access of(ByteVector &V, size_t I, size_t J, unsigned Mode = HSCHED_INOUT, unsigned Param = 0) {
    return packedTile(V.data() + I * Down * Width + J * Across, Across, Down, Width, Mode, Param);
  }
  // The same bytes, or any, in the host's shape.
  static Access loose(Access A) {
    A.param = HSCHED_NO_PARAM;
    return A;
  }
  // Runs a task over places in X on a node, and over the same in the copy that a serial run would make.
  status run(Harness &H, std::vector<Access> Places, MemoryNode Node) {
    ++Salt;
    std::vector<Access> There = Places;
    for (Access &A : There)
      A.base = Want.data() + (static_cast<const uint8_t *>(A.base) - X.data());
    status S = H.run(TestTask(std::move(Places), Salt), Node);
    if (S.ok())
      TestTask(There, Salt).runOnHost();
    return S;
  }
  void home(Harness &H) {
    ASSERT_TRUE(H.flush().ok());
    EXPECT_EQ(X, Want);
  }
  ByteVector X = ByteVector(Width * Height), Want;
  uint64_t Salt = 0;
};

TEST_F(PackedTest, TakesItsOwnBytesAndNoMore) {
  Harness H;
  ASSERT_TRUE(run(H, {of(X, 1, 2, HSCHED_IN)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), TileBytes);
  EXPECT_EQ(H.Dir->stats().ReplicaBytes, TileBytes);
  EXPECT_EQ(H.up(), TileBytes);
  EXPECT_EQ(H.Seen.count(TransferKind::HostToDevice), 1u);
  TestTask Again({of(X, 1, 2)});
  Acquisition A;
  ASSERT_TRUE(H.acquire(Again, 1, A).ok());
  EXPECT_EQ(A.Placements[0].Stride, Across);
  EXPECT_EQ(A.Placements[0].HostBegin, beginOf(Again.List[0])); // The tile begins where the block does.
  H.Dir->release(Again.T, A, true, FailedOutputs::Untouched);
  EXPECT_EQ(H.up(), TileBytes);
  EXPECT_EQ(H.Dir->stats().Fragments, 1u);
}

TEST_F(PackedTest, WhatItChangesComesHome) {
  Harness H;
  for (int Round = 0; Round < 3; ++Round)
    ASSERT_TRUE(run(H, {of(X, 0, 0), of(X, 1, 1, HSCHED_OUT, 1), of(X, 2, 4, HSCHED_IN, 2)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 3 * TileBytes);
  EXPECT_EQ(H.up(), 2 * TileBytes);
  home(H);
  EXPECT_EQ(H.down(), 2 * TileBytes);
  EXPECT_EQ(H.Seen.count(TransferKind::DeviceToHost), 2u);
  EXPECT_EQ(H.within(), 0u);
}

// Four of twenty tiles fit, and not even one hull.
TEST_F(PackedTest, AMatrixLargerThanTheDevice) {
  Harness H(options(4 * TileBytes));
  static_assert(Hull > 4 * TileBytes);
  for (size_t I = 0; I < 4; ++I)
    for (size_t J = 0; J < 5; ++J)
      ASSERT_TRUE(run(H, {of(X, I, J), of(X, (I + 1) % 4, J, HSCHED_IN, 1)}, 1).ok());
  EXPECT_LE(H.device(1).bytesInUse(), 4 * TileBytes);
  home(H);
  EXPECT_EQ(H.down(), 20 * TileBytes); // Each once.
  EXPECT_EQ(H.Seen.count(TransferKind::DeviceToHost), 20u);
  TestTask Loose({loose(of(X, 0, 0))});
  EXPECT_EQ(H.run(Loose, 1).code(), errc::out_of_memory);
}

// The hull is less than twice the tile: what is there is put apart on the device.
TEST_F(PackedTest, TheSameTileWithTheHostsStrides) {
  Harness H;
  auto Wide = [&](unsigned Param) { return packedTile(X.data() + 5, 70, Down, Width, HSCHED_INOUT, Param); };
  ASSERT_TRUE(run(H, {Wide(0)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 700u);
  ASSERT_TRUE(run(H, {Wide(HSCHED_NO_PARAM)}, 1).ok());
  EXPECT_EQ(H.up(), 700u);
  EXPECT_EQ(H.within(), 700u);
  EXPECT_EQ(H.Seen.count(TransferKind::WithinDevice), 1u);
  EXPECT_EQ(H.device(1).bytesInUse(), 9 * Width + 70 + 5u); // From a boundary on.
  // Where it lies so already, it stays so.
  ASSERT_TRUE(run(H, {Wide(0)}, 1).ok());
  TestTask T({Wide(0)});
  Acquisition A;
  ASSERT_TRUE(H.acquire(T, 1, A).ok());
  EXPECT_EQ(A.Placements[0].Stride, 0u);
  H.Dir->release(T.T, A, true, FailedOutputs::Untouched);
  home(H);
  EXPECT_EQ(H.up(), 700u);
  EXPECT_EQ(H.down(), 700u);
  EXPECT_EQ(H.within(), 700u);
}

// Rows of the matrix across tiles: the tiles go home, and nothing grows to hulls.
TEST_F(PackedTest, RowsAcrossTiles) {
  Harness H;
  for (size_t J = 0; J < 5; ++J)
    ASSERT_TRUE(run(H, {of(X, 0, J)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 5 * TileBytes);
  auto Row = section(X.data() + 3 * Width, Width, HSCHED_INOUT);
  // All five tiles are no more than everything around them: they become one block.
  ASSERT_TRUE(run(H, {Row}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), Down * Width);
  EXPECT_EQ(H.within(), 5 * TileBytes);
  EXPECT_EQ(H.up(), 5 * TileBytes);
  home(H);
  EXPECT_EQ(H.down(), Down * Width);

  // One tile alone is much less: it goes home, whole, because it has been changed.
  Harness G;
  ASSERT_TRUE(run(G, {of(X, 2, 1)}, 1).ok());
  ASSERT_TRUE(run(G, {section(X.data() + 23 * Width, Width, HSCHED_INOUT)}, 1).ok());
  EXPECT_EQ(G.down(), TileBytes);
  EXPECT_EQ(G.within(), 0u);
  EXPECT_EQ(G.up(), TileBytes + Width);
  EXPECT_EQ(G.device(1).bytesInUse(), Width + (23 * Width) % 128);
  ASSERT_TRUE(run(G, {of(X, 2, 1)}, 1).ok()); // And back: the row has to come home now.
  EXPECT_EQ(G.down(), TileBytes + Width);
  EXPECT_EQ(G.up(), 2 * TileBytes + Width);
  home(G);
}

TEST_F(PackedTest, WhatLiesInATileStaysThere) {
  Harness H;
  ASSERT_TRUE(run(H, {of(X, 1, 1)}, 1).ok());
  uint8_t *Corner = X.data() + 12 * Width + 25;
  ASSERT_TRUE(run(H, {packedTile(Corner, 10, 5, Width, HSCHED_INOUT)}, 1).ok());     // A smaller tile.
  ASSERT_TRUE(run(H, {packedTile(Corner, 10, 3, 2 * Width, HSCHED_INOUT)}, 1).ok()); // Every other row of it.
  ASSERT_TRUE(run(H, {section(Corner, 10, HSCHED_INOUT)}, 1).ok());                  // A part of a row.
  ASSERT_TRUE(run(H, {of(X, 1, 1)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), TileBytes);
  EXPECT_EQ(H.up(), TileBytes);
  EXPECT_EQ(H.within(), 0u);
  home(H);
  EXPECT_EQ(H.down(), TileBytes);
}

// Halos: two tiles that overlap are in one rectangle, still without the rest of the rows.
TEST_F(PackedTest, TilesThatOverlap) {
  Harness H;
  ASSERT_TRUE(run(H, {packedTile(X.data() + 10, 20, 8, Width, HSCHED_INOUT)}, 1).ok());
  ASSERT_TRUE(run(H, {packedTile(X.data() + 4 * Width + 5, 20, 8, Width, HSCHED_INOUT)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 25u * 12);
  EXPECT_EQ(H.within(), 160u);
  EXPECT_EQ(H.up(), 320u - 4 * 15);
  ASSERT_TRUE(run(H, {packedTile(X.data() + 10, 20, 8, Width, HSCHED_INOUT)}, 1).ok());
  EXPECT_EQ(H.up(), 320u - 4 * 15);
  home(H);
  EXPECT_EQ(H.down(), 320u - 4 * 15);
}

// A tile in front of the first row of the matrix and one at its end: others lie between their rows.
TEST_F(PackedTest, BlocksBetweenTheRowsOfOthers) {
  Harness H;
  ASSERT_TRUE(run(H, {packedTile(X.data(), 10, 10, Width, HSCHED_INOUT)}, 1).ok());
  ASSERT_TRUE(run(H, {section(X.data() + 2 * Width + 30, 50, HSCHED_INOUT)}, 1).ok());
  ASSERT_TRUE(run(H, {packedTile(X.data() + Width + 90, 10, 10, Width, HSCHED_INOUT)}, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 3u);
  EXPECT_EQ(H.within(), 0u);
  home(H);
  EXPECT_EQ(H.up(), 250u);
  EXPECT_EQ(H.down(), 250u);
}

TEST_F(PackedTest, OneTaskBothWays) {
  Harness H;
  // A tile twice, under two names; and with a row across it, which no packed block can hold.
  ASSERT_TRUE(run(H, {of(X, 0, 0, HSCHED_IN), of(X, 0, 0, HSCHED_INOUT, 1)}, 1).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), TileBytes);
  ASSERT_TRUE(run(H, {of(X, 2, 2), section(X.data() + 22 * Width, Width, HSCHED_INOUT)}, 1).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 2u);
  ASSERT_TRUE(run(H, {of(X, 2, 2), of(X, 2, 3, HSCHED_INOUT, 1), of(X, 0, 0, HSCHED_IN, 2)}, 1).ok());
  home(H);
}

TEST_F(PackedTest, WhatAnotherTaskHoldsIsWaitedFor) {
  Harness H;
  TestTask Tile({of(X, 1, 1, HSCHED_IN)}), Row({section(X.data() + 12 * Width, Width, HSCHED_IN)});
  Acquisition A, B;
  ASSERT_TRUE(H.acquire(Tile, 1, A).ok());
  std::vector<EventRef> Until;
  EXPECT_EQ(H.Dir->acquire(Row.T, 1, B, &Until).code(), errc::out_of_memory);
  EXPECT_TRUE(B.MemoryBusy);
  EXPECT_TRUE(Until.empty());
  EXPECT_EQ(H.Dir->stats().Replicas, 1u); // Nothing else has gone meanwhile.
  EventRef Done;
  ASSERT_TRUE(H.launch(Tile, A, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  H.Dir->release(Tile.T, A, false);
  ASSERT_TRUE(H.acquire(Row, 1, B).ok());
  H.Dir->release(Row.T, B, true, FailedOutputs::Untouched);
  home(H);
}

// A task has not yet written its tile when a reader of other tiles makes the block part of a larger one. The written
// data arrive in the larger block.
TEST_F(PackedTest, AWriterWhoseTileGrows) {
  Harness H;
  auto Corner = [](ByteVector &V) { return packedTile(V.data() + 6 * Width, 10, 3, Width, HSCHED_INOUT); };
  ASSERT_TRUE(run(H, {packedTile(X.data(), 20, 4, Width, HSCHED_INOUT)}, 1).ok());
  TestTask Writer({Corner(X)}, 77), Reader({packedTile(X.data() + 2 * Width + 15, 25, 7, Width, HSCHED_IN)}, 78);
  Acquisition A, B;
  ASSERT_TRUE(H.acquire(Writer, 1, A).ok());
  ASSERT_TRUE(H.acquire(Reader, 1, B).ok());
  EXPECT_EQ(H.Dir->stats().Replicas, 1u);
  EXPECT_EQ(H.Dir->stats().ReplicaBytes, 9 * 40 + 3 * 10u); // The old block is in use.
  H.Dir->release(Reader.T, B, true, FailedOutputs::Untouched);
  EventRef Done;
  ASSERT_TRUE(H.launch(Writer, A, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  H.Dir->release(Writer.T, A, false);
  TestTask({Corner(Want)}, 77).runOnHost();
  EXPECT_EQ(H.Dir->stats().ReplicaBytes, 9 * 40u);
  ASSERT_TRUE(run(H, {Corner(X)}, 1).ok());
  home(H);
}

TEST_F(PackedTest, HostTasksInBetween) {
  Harness H;
  ASSERT_TRUE(run(H, {of(X, 1, 1)}, 1).ok());
  ASSERT_TRUE(run(H, {section(X.data() + 12 * Width, Width, HSCHED_INOUT)}, HostNode).ok());
  EXPECT_EQ(H.down(), Across); // The row's part of the tile.
  ASSERT_TRUE(run(H, {of(X, 1, 1)}, 1).ok());
  EXPECT_EQ(H.up(), TileBytes + Across);
  ASSERT_TRUE(run(H, {section(X.data(), X.size(), HSCHED_INOUT)}, HostNode).ok());
  EXPECT_EQ(H.down(), TileBytes + Across);
  home(H);
}

TEST_F(PackedTest, FlushOfAPart) {
  Harness H;
  ASSERT_TRUE(run(H, {of(X, 1, 1)}, 1).ok());
  Access Part = section(X.data() + 13 * Width, 2 * Width, HSCHED_IN);
  ASSERT_TRUE(H.Dir->flush(std::span(&Part, 1), false, false).ok());
  EXPECT_EQ(H.down(), 2 * Across);
  EXPECT_EQ(H.Seen.count(TransferKind::DeviceToHost), 1u);
  home(H);
  EXPECT_EQ(H.down(), TileBytes);
}

struct PackedAcross : PackedTest, testing::WithParamInterface<bool> {};

TEST_P(PackedAcross, FromDeviceToDevice) {
  Harness H(options(1 << 20, 3, GetParam()));
  ASSERT_TRUE(run(H, {of(X, 1, 1), of(X, 1, 2, HSCHED_INOUT, 1)}, 1).ok());
  ASSERT_TRUE(run(H, {of(X, 1, 1)}, 2).ok());
  EXPECT_EQ(H.across(), TileBytes);
  // Both tiles and what is between them and the row's ends, with the host's strides.
  ASSERT_TRUE(run(H, {section(X.data() + 10 * Width, 10 * Width, HSCHED_INOUT)}, 3).ok());
  EXPECT_EQ(H.across(), 3 * TileBytes);
  ASSERT_TRUE(run(H, {of(X, 1, 1), of(X, 1, 0, HSCHED_INOUT, 1)}, 1).ok());
  EXPECT_EQ(H.across(), 5 * TileBytes);
  EXPECT_EQ(H.up(), 2 * TileBytes + 3 * TileBytes);
  EXPECT_EQ(H.down(), 0u);
  home(H);
  EXPECT_EQ(H.down(), 5 * TileBytes);
}

INSTANTIATE_TEST_SUITE_P(Devices, PackedAcross, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "Apart" : "Together"; });

} // namespace

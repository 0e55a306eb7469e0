// Tiles with one leading dimension: all are packed, or none is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <numeric>

using namespace hsched;
using namespace hsched::rt;

namespace {

constexpr size_t Width = 100, Height = 60, Across = 20, Down = 10; // Sizes of the matrix and of a tile.
using Strides = std::vector<uint64_t>;                             // 0: as on the host.

struct PackedAlike : testing::Test {
  PackedAlike() {
    std::iota(X.begin(), X.end(), uint8_t(7));
    Want = X;
  }
  static Access at(ByteVector &V, size_t Row, size_t Column, size_t Bytes, size_t Rows, unsigned Param) {
    return packedTile(V.data() + Row * Width + Column, Bytes, Rows, Width, HSCHED_INOUT, Param);
  }
  Access at(size_t Row, size_t Column, unsigned Param) { return at(X, Row, Column, Across, Down, Param); }
  // Runs a task on the device and on a copy unknown to all devices. Leading describes each access.
  Strides run(std::vector<Access> List, std::vector<unsigned> Leading) {
    std::vector<Access> There = List;
    for (Access &A : There)
      A.base = Want.data() + (static_cast<const uint8_t *>(A.base) - X.data());
    TestTask(std::move(There), ++Salt).runOnHost();
    TestTask T(std::move(List), Salt);
    T.Leading = std::move(Leading);
    if (!Elements.empty())
      for (size_t I = 0; I < T.Packed.size(); ++I)
        T.Packed[I].element_bytes = Elements[I];
    Acquisition A;
    EventRef Done;
    EXPECT_TRUE(H.acquire(T, 1, A).ok());
    Strides Found;
    for (const Placement &P : A.Placements)
      Found.push_back(P.Stride);
    EXPECT_TRUE(H.launch(T, A, Done).ok());
    EXPECT_TRUE(Done->wait().ok());
    H.Dir->release(T.T, A, false);
    return Found;
  }
  void TearDown() override {
    ASSERT_TRUE(H.flush().ok());
    EXPECT_EQ(X, Want);
  }
  Harness H;
  ByteVector X = ByteVector(Width * Height), Want;
  std::vector<unsigned> Elements; // Bytes in one, for each tile; empty: 1.
  uint64_t Salt = 0;
};

TEST_F(PackedAlike, TilesOfOneWidth) {
  EXPECT_EQ(run({at(0, 0, 0), at(20, 50, 1)}, {9, 9}), (Strides{Across, Across}));
  EXPECT_EQ(H.device(1).bytesInUse(), 2 * Across * Down);
  EXPECT_EQ(run({at(20, 50, 0), at(40, 30, 1), at(0, 0, 2)}, {9, 9, 9}), (Strides{Across, Across, Across}));
  EXPECT_EQ(H.device(1).bytesInUse(), 3 * Across * Down);
}

TEST_F(PackedAlike, TilesOfSeveralWidthsKeepTheHosts) {
  // The last has a parameter of its own.
  EXPECT_EQ(run({at(0, 0, 0), at(X, 20, 50, 10, Down, 1), at(40, 0, 2)}, {9, 9, 8}), (Strides{0, 0, Across}));
}

TEST_F(PackedAlike, ASingleRowAmongThem) {
  EXPECT_EQ(run({at(0, 0, 0), at(X, 20, 50, Across, 1, 1)}, {9, 9}), (Strides{0, 0}));
  // One without bytes has no place, and conflicts with none.
  EXPECT_EQ(run({at(40, 0, 0), at(X, 20, 50, Across, 0, 1), at(40, 50, 2)}, {9, 9, 9}), (Strides{Across, 0, Across}));
}

TEST_F(PackedAlike, OneThatHasTheHostsStridesAlready) {
  Access Loose = at(0, 0, 0);
  Loose.param = HSCHED_NO_PARAM;
  run({Loose}, {});
  EXPECT_EQ(run({at(0, 0, 0), at(20, 50, 1)}, {8, 9}), (Strides{0, Across})); // Each tile is reported.
  const uint64_t Moved = H.up();
  EXPECT_EQ(run({at(0, 0, 0), at(20, 50, 1)}, {9, 9}), (Strides{0, 0}));
  EXPECT_EQ(H.up(), Moved); // On the device, not by way of the host.
  EXPECT_EQ(H.down(), 0u);
}

// Ranges would not fit beside each other.
TEST_F(PackedAlike, OneGoesHomeWhereRowsDoNotFit) {
  constexpr uint64_t Hull = (Down - 1) * Width + Across;
  sim::SimOptions Small;
  Small.MemoryBytes = Hull + 3 * Across * Down;
  Harness Tight(Small);
  Access Loose = at(0, 0, 0);
  Loose.param = HSCHED_NO_PARAM;
  ASSERT_TRUE(Tight.run(TestTask({Loose}), 1).ok());
  TestTask(std::vector<Access>{at(Want, 0, 0, Across, Down, 0)}).runOnHost();
  TestTask T({at(0, 0, 0), at(20, 50, 1)}), There({at(Want, 0, 0, Across, Down, 0), at(Want, 20, 50, Across, Down, 1)});
  T.Leading = {9, 9};
  Acquisition A;
  EventRef Done;
  ASSERT_TRUE(Tight.acquire(T, 1, A).ok());
  EXPECT_EQ(A.Placements[0].Stride, Across);
  EXPECT_EQ(A.Placements[1].Stride, Across);
  ASSERT_TRUE(Tight.launch(T, A, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  Tight.Dir->release(T.T, A, false);
  There.runOnHost();
  ASSERT_TRUE(Tight.flush().ok());
  // Tiles that fit neither way are reported as before, and so are tiles that are too wide to be packed with others.
  TestTask Wide({at(0, 0, 0), at(X, 20, 50, 10, Down, 1)});
  Wide.Leading = {9, 9};
  EXPECT_EQ(Tight.acquire(Wide, 1, A).code(), errc::out_of_memory);
  EXPECT_FALSE(A.MemoryBusy);
}

TEST_F(PackedAlike, OneInALargerTile) {
  run({at(X, 0, 0, 2 * Across, Down, 0)}, {9});
  EXPECT_EQ(run({at(0, 0, 0), at(0, Across, 1)}, {9, 9}), (Strides{2 * Across, 2 * Across})); // Both are.
  EXPECT_EQ(run({at(0, 0, 0), at(20, 50, 1)}, {8, 9}), (Strides{2 * Across, Across}));
  EXPECT_EQ(run({at(0, 0, 0), at(20, 50, 1)}, {9, 9}), (Strides{0, 0}));
}

// Two of them overlap, and come to lie in one block when they are brought.
TEST_F(PackedAlike, BlocksThatAreMadeForTheTask) {
  EXPECT_EQ(run({at(0, 0, 0), at(0, 10, 1)}, {9, 9}), (Strides{30, 30}));
  EXPECT_EQ(run({at(20, 0, 0), at(20, 10, 1), at(40, 0, 2)}, {9, 9, 9}), (Strides{0, 0, 0}));
}

TEST_F(PackedAlike, DistancesAreComparedInElements) {
  Access Every = packedTile(X.data() + 20 * Width, 2 * Across, Down, 2 * Width, HSCHED_INOUT, 1); // Other row.
  Elements = {1, 2};
  EXPECT_EQ(run({at(0, 0, 0), Every}, {9, 9}), (Strides{Across, 2 * Across}));
  Elements = {};
  EXPECT_EQ(run({at(0, 0, 0), Every}, {9, 9}), (Strides{0, 0}));
}

// The program's distance would be the same, but stands for others.
TEST_F(PackedAlike, TilesOfSeveralMatrices) {
  Access Every = packedTile(X.data() + 20 * Width, Across, Down, 2 * Width, HSCHED_INOUT, 1);
  EXPECT_EQ(run({at(0, 0, 0), Every}, {9, 9}), (Strides{0, 0}));
}

} // namespace

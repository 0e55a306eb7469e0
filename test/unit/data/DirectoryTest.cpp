// What is transferred, to the byte, for small known programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "data/FlushLater.h"

#include <array>
#include <numeric>

using namespace hsched;
using namespace hsched::rt;

namespace {

struct DirectoryTest : testing::Test {
  DirectoryTest() {
    std::iota(X.begin(), X.end(), uint8_t(1));
    std::iota(Y.begin(), Y.end(), uint8_t(101));
  }

  ByteVector X = ByteVector(1000), Y = ByteVector(1000);
};

TEST_F(DirectoryTest, KnowsNothingAtFirst) {
  Harness H;
  EXPECT_FALSE(H.Dir->anyReplica());
  TestTask T({section(X.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, HostNode).ok());
  EXPECT_FALSE(H.Dir->anyReplica());
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
}

TEST_F(DirectoryTest, TwoReadsOnADeviceAreOneUpload) {
  Harness H;
  TestTask A({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 1000, HSCHED_OUT)});
  TestTask B({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(A, 1).ok());
  EXPECT_TRUE(H.Dir->anyReplica());
  ASSERT_TRUE(H.run(B, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 1000u);
  EXPECT_EQ(H.down(), 1000u);
  EXPECT_EQ(H.across(), 0u);
  EXPECT_EQ(H.Seen.Misses, 1u);
  EXPECT_EQ(H.Seen.Hits, 2u);
}

// A manager flushes transfers with its launches. What blocks its thread is flushed.
TEST_F(DirectoryTest, TransfersAreFlushedLaterIfTheCallerSaysSo) {
  Harness H;
  TestTask A({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 1000, HSCHED_OUT)});
  for (const bool Later : {true, false}) {
    Acquisition Acquired;
    const unsigned Before = H.device(1).flushes();
    {
      const FlushLater Together(Later ? 1 : HostNode);
      ASSERT_TRUE(H.acquire(A, 1, Acquired).ok());
    }
    EXPECT_EQ(H.device(1).flushes(), Before + !Later);
    EventRef Done;
    ASSERT_TRUE(H.launch(A, Acquired, Done).ok());
    ASSERT_TRUE(Done->wait().ok());
    H.Dir->release(A.T, Acquired, false);
    ASSERT_TRUE(H.flush().ok());
  }
}

// The write-back starts with the end of the task, and the flush finds it done. Data that the next task writes already
// stay there.
TEST_F(DirectoryTest, WhatATaskWroteGoesHomeAtItsEnd) {
  Harness H;
  TestTask A({section(X.data(), 1000, HSCHED_INOUT), section(Y.data(), 1000, HSCHED_OUT)});
  TestTask Next({section(Y.data(), 1000, HSCHED_INOUT)});
  Acquisition Acquired, Later;
  ASSERT_TRUE(H.acquire(A, 1, Acquired).ok());
  EventRef Done, End;
  ASSERT_TRUE(H.launch(A, Acquired, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  ASSERT_TRUE(H.Dir->launched(A.T, Acquired, Done));
  ASSERT_TRUE(H.acquire(Next, 1, Later).ok());
  H.Dir->releaseAndSendHome(Acquired);
  std::array<uint64_t, 2> Valid{};
  H.Dir->validBytes(A.List[0], Valid);
  EXPECT_EQ(Valid[HostNode], 1000u);
  H.Dir->validBytes(A.List[1], Valid);
  EXPECT_EQ(Valid[HostNode], 0u);
  ASSERT_TRUE(H.launch(Next, Later, End).ok());
  ASSERT_TRUE(End->wait().ok());
  H.Dir->releaseAndSendHome(Later);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 2000u);
  auto WantX = ByteVector(1000), WantY = ByteVector(1000);
  std::iota(WantX.begin(), WantX.end(), uint8_t(1));
  TestTask SerialA({section(WantX.data(), 1000, HSCHED_INOUT), section(WantY.data(), 1000, HSCHED_OUT)});
  TestTask SerialNext({section(WantY.data(), 1000, HSCHED_INOUT)});
  SerialA.runOnHost();
  SerialNext.runOnHost();
  EXPECT_EQ(X, WantX);
  EXPECT_EQ(Y, WantY);
}

TEST_F(DirectoryTest, AReadOnTheHostFetchesOnce) {
  Harness H;
  TestTask A({section(X.data(), 1000, HSCHED_OUT)});
  TestTask B({section(X.data(), 500, HSCHED_IN), section(Y.data(), 10, HSCHED_OUT)});
  TestTask C({section(X.data(), 500, HSCHED_IN), section(Y.data(), 10, HSCHED_OUT)});
  ASSERT_TRUE(H.run(A, 1).ok());
  ASSERT_TRUE(H.run(B, HostNode).ok());
  ASSERT_TRUE(H.run(C, HostNode).ok());
  EXPECT_EQ(H.up(), 0u);
  EXPECT_EQ(H.down(), 500u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 1000u);
  auto Want = ByteVector(1000);
  TestTask Serial({section(Want.data(), 1000, HSCHED_OUT)});
  Serial.runOnHost();
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryTest, OutIsNotFetched) {
  Harness H;
  TestTask A({section(X.data(), 1000, HSCHED_OUT)});
  ASSERT_TRUE(H.run(A, 1).ok());
  EXPECT_EQ(H.up(), 0u);
  TestTask B({section(X.data(), 1000, HSCHED_OUT)}, 2);
  ASSERT_TRUE(H.run(B, HostNode).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 0u);
  EXPECT_EQ(H.down(), 0u);
  EXPECT_EQ(H.Seen.Hits + H.Seen.Misses, 0u);
}

TEST_F(DirectoryTest, AWriteOnTheHostInvalidatesTheDevice) {
  Harness H;
  TestTask Read({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 8, HSCHED_OUT)});
  TestTask Write({section(X.data() + 100, 50, HSCHED_OUT)});
  ASSERT_TRUE(H.run(Read, 1).ok());
  ASSERT_TRUE(H.run(Write, HostNode).ok());
  ASSERT_TRUE(H.run(Read, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 1050u); // The second time only what was written.
}

TEST_F(DirectoryTest, InoutChainStaysOnTheDevice) {
  Harness H;
  ByteVector Want = X;
  for (unsigned I = 0; I < 20; ++I) {
    TestTask T({section(X.data(), 1000, HSCHED_INOUT)}, I);
    ASSERT_TRUE(H.run(T, 1).ok());
    TestTask Serial({section(Want.data(), 1000, HSCHED_INOUT)}, I);
    Serial.runOnHost();
  }
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 1000u);
  EXPECT_EQ(H.down(), 1000u);
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryTest, HalosOfNeighbouringTiles) {
  Harness H;
  ByteVector Want = Y;
  // Four tiles of 250 bytes; each reads 10 bytes of its neighbours.
  for (unsigned Step = 0; Step < 2; ++Step)
    for (size_t I = 0; I < 4; ++I) {
      size_t Lo = I ? I * 250 - 10 : 0, Hi = I < 3 ? I * 250 + 260 : 1000;
      TestTask T({section(X.data() + Lo, Hi - Lo, HSCHED_IN), section(Y.data() + I * 250, 250, HSCHED_OUT)}, I);
      ASSERT_TRUE(H.run(T, 1).ok());
      TestTask Serial({section(X.data() + Lo, Hi - Lo, HSCHED_IN), section(Want.data() + I * 250, 250, HSCHED_OUT)}, I);
      Serial.runOnHost();
    }
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 1000u); // Every byte of X once, whatever the sections.
  EXPECT_EQ(H.down(), 1000u);
  EXPECT_EQ(Y, Want);
}

TEST_F(DirectoryTest, AStridedTileMovesItsRowsOnly) {
  Harness H;
  ByteVector Want = X;
  // 10 rows of 100 bytes: the tile is 20 bytes wide.
  TestTask T({tile(X.data() + 30, 20, 10, 100, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  TestTask Serial({tile(Want.data() + 30, 20, 10, 100, HSCHED_INOUT)});
  Serial.runOnHost();
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 200u);
  EXPECT_EQ(H.down(), 200u);
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryTest, AStridedTileTravelsAtOnce) {
  Harness H;
  ByteVector Want = X;
  TestTask T({tile(X.data() + 20, 16, 20, 50, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 320u);
  EXPECT_EQ(H.down(), 320u);
  EXPECT_EQ(H.Seen.count(TransferKind::HostToDevice), 1u);
  EXPECT_EQ(H.Seen.count(TransferKind::DeviceToHost), 1u);
  TestTask({tile(Want.data() + 20, 16, 20, 50, HSCHED_INOUT)}).runOnHost();
  EXPECT_EQ(X, Want);
}

// What is there already splits the rest into rectangles, not into rows.
TEST_F(DirectoryTest, WhatIsMissingOfATileTravelsInRectangles) {
  Harness H;
  TestTask Middle({tile(X.data() + 20 + 5 * 50, 16, 4, 50, HSCHED_IN), section(Y.data(), 8, HSCHED_OUT)});
  TestTask All({tile(X.data() + 20, 16, 20, 50, HSCHED_IN), section(Y.data(), 8, HSCHED_OUT)});
  ASSERT_TRUE(H.run(Middle, 1).ok());
  ASSERT_TRUE(H.run(All, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 320u);
  EXPECT_EQ(H.Seen.count(TransferKind::HostToDevice), 3u);
}

TEST_F(DirectoryTest, RowsWithoutGapsAreOneTransfer) {
  Harness H;
  TestTask T({tile(X.data(), 100, 10, 100, HSCHED_IN), section(Y.data(), 4, HSCHED_OUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.Seen.count(TransferKind::HostToDevice), 1u);
  EXPECT_EQ(H.up(), 1000u);
}

TEST_F(DirectoryTest, FlushOfARangeLeavesTheRest) {
  Harness H;
  TestTask T({section(X.data(), 1000, HSCHED_OUT), section(Y.data(), 1000, HSCHED_OUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  Access Residual = section(Y.data() + 10, 8, HSCHED_IN);
  ASSERT_TRUE(H.Dir->flush(std::span(&Residual, 1), false, true).ok());
  EXPECT_EQ(H.down(), 8u);
  TestTask Again({section(X.data(), 1000, HSCHED_INOUT), section(Y.data(), 1000, HSCHED_IN)});
  ASSERT_TRUE(H.run(Again, 1).ok());
  EXPECT_EQ(H.up(), 0u + 8u); // The host may have written what was flushed.
}

TEST_F(DirectoryTest, FlushWithoutInvalidateKeepsDevicesValid) {
  Harness H;
  TestTask T({section(X.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.flush(false).ok());
  ASSERT_TRUE(H.run(T, 1).ok());
  EXPECT_EQ(H.up(), 1000u);
  ASSERT_TRUE(H.flush(true).ok());
  EXPECT_EQ(H.down(), 2000u);
  ASSERT_TRUE(H.run(T, 1).ok());
  EXPECT_TRUE(H.Dir->anyReplica());
  ASSERT_TRUE(H.flush(true).ok());
  EXPECT_FALSE(H.Dir->anyReplica());
  EXPECT_EQ(H.up(), 2000u);
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
}

// Discarded data that only a device has are not copied home, not even if the memory has another owner by then.
TEST_F(DirectoryTest, WhatIsDiscardedStaysAway) {
  Harness H;
  const ByteVector Before = X;
  TestTask T({section(X.data(), 1000, HSCHED_INOUT), section(Y.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  H.Dir->discard(X.data() + 100, 800);
  H.Dir->discard(&H, 8); // Nothing is known of it.
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 1200u);
  EXPECT_TRUE(std::equal(X.begin() + 100, X.begin() + 900, Before.begin() + 100));
  EXPECT_FALSE(std::equal(X.begin(), X.begin() + 100, Before.begin()));
  // Used again, it is what is in host memory.
  ASSERT_TRUE(H.run(T, 1).ok());
  EXPECT_EQ(H.up(), 4000u);
  H.Dir->discard(X.data(), 1000);
  H.Dir->discard(Y.data(), 1000);
  EXPECT_FALSE(H.Dir->anyReplica());
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  ASSERT_TRUE(H.Dir->shutdown().ok());
  EXPECT_EQ(H.down(), 1200u);
}

TEST_F(DirectoryTest, EmptySectionsNeedNothing) {
  Harness H;
  TestTask T({section(X.data(), 0, HSCHED_INOUT), section(Y.data(), 1, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up(), 1u);
}

TEST_F(DirectoryTest, ShutdownBringsDataHomeAndFreesMemory) {
  Harness H;
  ByteVector Want = X;
  TestTask T({section(X.data(), 1000, HSCHED_INOUT)});
  TestTask Serial({section(Want.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  Serial.runOnHost();
  EXPECT_EQ(H.device(1).bytesInUse(), 1000u);
  ASSERT_TRUE(H.Dir->shutdown().ok());
  EXPECT_EQ(X, Want);
  EXPECT_FALSE(H.Dir->anyReplica());
  EXPECT_EQ(H.device(1).bytesInUse(), 0u);
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  EXPECT_EQ(H.Dir->stats().ReplicaBytes, 0u);
}

TEST_F(DirectoryTest, TransfersCarryTaskRowAndDeviceTime) {
  sim::SimOptions O;
  O.Mode = sim::SimMode::Virtual;
  O.Time = std::make_shared<ManualClock>();
  O.Costs.UploadNsPerByte = 2;
  O.Costs.DownloadNsPerByte = 3;
  Harness H(O);
  TestTask T({section(X.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  ASSERT_EQ(H.Seen.Transfers.size(), 2u);
  const TransferRecord &Up = H.Seen.Transfers[0], &Down = H.Seen.Transfers[1];
  EXPECT_EQ(Up.For, T.T.Id);
  EXPECT_EQ(Up.Row, uploadRow(1));
  EXPECT_EQ(Up.Worker, 1u);
  EXPECT_EQ(Up.Ran.length(), Duration(2000));
  EXPECT_EQ(Down.For, 0u);
  EXPECT_EQ(Down.Row, downloadRow(1));
  EXPECT_EQ(Down.Ran.length(), Duration(3000));
  EXPECT_EQ(Down.Ran.Begin, Up.Ran.End + Duration(1)); // The kernel is one nanosecond.
}

} // namespace

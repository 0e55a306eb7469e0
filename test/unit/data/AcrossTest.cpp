// Data that go from one device to another: directly where they reach each other, else by way of pinned host memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"
#include "data/Promise.h"
#include "data/Relay.h"

#include <cstring>
#include <numeric>
#include <random>

using namespace hsched;
using namespace hsched::rt;

namespace {

sim::SimOptions devices(unsigned N, bool Apart, sim::SimMode Mode = sim::SimMode::Threads) {
  sim::SimOptions O;
  O.Devices = N;
  O.Apart = Apart;
  O.Mode = Mode;
  return O;
}

struct Across : testing::TestWithParam<bool> {
  Across() { std::iota(X.begin(), X.end(), uint8_t(1)); }
  void make(unsigned N = 2) { H = std::make_unique<Harness>(devices(N, GetParam())); }
  // Bytes that came to one device from another.
  uint64_t link(WorkerId From, WorkerId To) const {
    uint64_t Sum = 0;
    for (const TransferRecord &R : H->Seen.Transfers)
      if (R.Kind == TransferKind::DeviceToDevice && R.From == From && R.Worker == To)
        Sum += R.Bytes;
    return Sum;
  }
  ByteVector X = ByteVector(1000), Y = ByteVector(1000);
  std::unique_ptr<Harness> H;
};

TEST_P(Across, ToAndFro) {
  make();
  ByteVector Want = X;
  for (unsigned I = 0; I < 6; ++I) {
    TestTask T({section(X.data(), 1000, HSCHED_INOUT)}, I);
    ASSERT_TRUE(H->run(T, 1 + I % 2).ok());
    TestTask({section(Want.data(), 1000, HSCHED_INOUT)}, I).runOnHost();
  }
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H->up(), 1000u);
  EXPECT_EQ(H->down(), 1000u);
  EXPECT_EQ(H->across(), 5000u);
  EXPECT_EQ(link(1, 2), 3000u);
  EXPECT_EQ(link(2, 1), 2000u);
  EXPECT_EQ(H->Seen.count(TransferKind::DeviceToDevice), 5u);
}

TEST_P(Across, TheHostsCopyIsLeftAloneUntilItIsWanted) {
  make();
  ByteVector Before = X, Want = X;
  TestTask Write({section(X.data(), 1000, HSCHED_OUT)});
  TestTask Read({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 4, HSCHED_OUT)});
  ASSERT_TRUE(H->run(Write, 1).ok());
  ASSERT_TRUE(H->run(Read, 2).ok());
  ASSERT_TRUE(H->run(Read, 1).ok()); // The first copy is still valid.
  ASSERT_TRUE(H->run(Read, 2).ok());
  EXPECT_EQ(H->across(), 1000u);
  EXPECT_EQ(H->down() + H->up(), 0u);
  EXPECT_EQ(X, Before);
  ASSERT_TRUE(H->run(Read, HostNode).ok());
  EXPECT_EQ(H->down(), 1000u);
  TestTask({section(Want.data(), 1000, HSCHED_OUT)}).runOnHost();
  EXPECT_EQ(X, Want);
}

TEST_P(Across, ATileTravelsAtOnce) {
  make();
  ByteVector Want = X;
  for (unsigned I = 0; I < 2; ++I) {
    TestTask T({tile(X.data() + 20, 16, 20, 50, HSCHED_INOUT)}, I);
    ASSERT_TRUE(H->run(T, 1 + I).ok());
    TestTask({tile(Want.data() + 20, 16, 20, 50, HSCHED_INOUT)}, I).runOnHost();
  }
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(H->across(), 320u);
  EXPECT_EQ(H->Seen.count(TransferKind::DeviceToDevice), 1u);
  EXPECT_EQ(X, Want);
}

// What lies in two blocks there and in one here comes in two pieces.
TEST_P(Across, FromSeveralBlocks) {
  make(3);
  ByteVector Want = X;
  TestTask A({section(X.data(), 500, HSCHED_INOUT)}, 1), B({section(X.data() + 500, 500, HSCHED_INOUT)}, 2),
      C({section(X.data(), 1000, HSCHED_INOUT)}, 3);
  ASSERT_TRUE(H->run(A, 1).ok());
  ASSERT_TRUE(H->run(B, 1).ok());
  ASSERT_TRUE(H->run(C, 3).ok());
  ASSERT_TRUE(H->flush().ok());
  TestTask({section(Want.data(), 500, HSCHED_INOUT)}, 1).runOnHost();
  TestTask({section(Want.data() + 500, 500, HSCHED_INOUT)}, 2).runOnHost();
  TestTask({section(Want.data(), 1000, HSCHED_INOUT)}, 3).runOnHost();
  EXPECT_EQ(X, Want);
  EXPECT_EQ(link(1, 3), 1000u);
  EXPECT_EQ(H->Seen.count(TransferKind::DeviceToDevice), 2u);
  EXPECT_EQ(H->up() + H->across() + H->down(), 3000u);
}

TEST_P(Across, AFailureOnTheWayLeavesTheDataWhereTheyAre) {
  make();
  ByteVector Want = X;
  TestTask Write({section(X.data(), 1000, HSCHED_INOUT)}, 1), Next({section(X.data(), 1000, HSCHED_INOUT)}, 2);
  ASSERT_TRUE(H->run(Write, 1).ok());
  H->device(2).inject({GetParam() ? sim::SimOp::Write : sim::SimOp::Copy, 1, false, false});
  EXPECT_FALSE(H->run(Next, 2).ok());
  ASSERT_TRUE(H->run(Next, 2).ok());
  ASSERT_TRUE(H->flush().ok());
  TestTask({section(Want.data(), 1000, HSCHED_INOUT)}, 1).runOnHost();
  TestTask({section(Want.data(), 1000, HSCHED_INOUT)}, 2).runOnHost();
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H->across(), 1000u);
}
INSTANTIATE_TEST_SUITE_P(Devices, Across, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "Apart" : "Together"; });

TEST(AcrossTogether, WhatIsRefusedGoesByWayOfTheHost) {
  Harness H(devices(2, false));
  ByteVector X(1000, uint8_t(1)), Want = X;
  TestTask A({section(X.data(), 1000, HSCHED_INOUT)}, 1), B({section(X.data(), 1000, HSCHED_INOUT)}, 2);
  ASSERT_TRUE(H.run(A, 1).ok());
  H.device(2).inject({sim::SimOp::Copy, 1, false, true});
  ASSERT_TRUE(H.run(B, 2).ok());
  ASSERT_TRUE(H.flush().ok());
  for (uint64_t I : {1, 2})
    TestTask({section(Want.data(), 1000, HSCHED_INOUT)}, I).runOnHost();
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.across(), 0u);
  EXPECT_EQ(H.up(), 2000u);
  EXPECT_EQ(H.down(), 2000u);
}

// The device that copies waits for the kernel on the other one. No thread does.
TEST(AcrossTogether, NoThreadWaitsForTheSource) {
  Harness H(devices(2, false, sim::SimMode::Manual));
  ByteVector X(100, uint8_t(1)), Want = X;
  TestTask T({section(X.data(), 100, HSCHED_OUT)}, 1), U({section(X.data(), 100, HSCHED_INOUT)}, 2);
  Acquisition A, B;
  EventRef DoneA, DoneB;
  ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
  ASSERT_TRUE(H.launch(T, A, DoneA).ok());
  ASSERT_TRUE(H.Dir->acquire(U.T, 2, B).ok());
  EXPECT_TRUE(B.Before.empty());
  EXPECT_EQ(H.device(1).pending(), 1u); // The kernel.
  EXPECT_EQ(H.device(2).pending(), 1u); // The copy.
  EXPECT_FALSE(H.device(2).step(Lane::HostToDevice));
  ASSERT_TRUE(H.launch(U, B, DoneB).ok());
  ASSERT_TRUE(DoneB->wait().ok());
  EXPECT_TRUE(DoneA->done());
  H.Dir->release(T.T, A, false);
  H.Dir->release(U.T, B, false);
  ASSERT_TRUE(H.flush().ok());
  TestTask({section(Want.data(), 100, HSCHED_OUT)}, 1).runOnHost();
  TestTask({section(Want.data(), 100, HSCHED_INOUT)}, 2).runOnHost();
  EXPECT_EQ(X, Want);
}

TEST(AcrossTogether, TakesThePeersTime) {
  sim::SimOptions O = devices(2, false, sim::SimMode::Virtual);
  O.Time = std::make_shared<ManualClock>();
  O.Costs.PeerNsPerByte = 3;
  Harness H(O);
  ByteVector X(100);
  TestTask T({section(X.data(), 100, HSCHED_OUT)}), U({section(X.data(), 100, HSCHED_IN)});
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.run(U, 2).ok());
  ASSERT_TRUE(H.flush().ok());
  const TransferRecord &R = H.Seen.Transfers.at(0);
  EXPECT_EQ(R.Kind, TransferKind::DeviceToDevice);
  EXPECT_EQ(R.For, U.T.Id);
  EXPECT_EQ(R.Row, uploadRow(2));
  EXPECT_EQ(R.Ran.length(), Duration(300));
  EXPECT_EQ(R.Ran.Begin, TimePoint(Duration(1))); // The writer's kernel took a nanosecond.
}

struct Blocks {
  explicit Blocks(size_t Bytes, const sim::SimOptions &Options = {}) {
    for (unsigned I = 0; I < 2; ++I) {
      Devices.push_back(std::make_unique<sim::SimDevice>(I, Options));
      EXPECT_TRUE(Devices[I]->allocate(Bytes, Mem[I]).ok());
    }
  }
  std::vector<std::unique_ptr<sim::SimDevice>> Devices;
  BufferRef Mem[2];
};

// Rows that are shorter and longer than a piece, over more pieces than there are blocks, against copying by hand.
TEST(RelayTest, RandomLayouts) {
  uint64_t Seed = std::random_device()();
  std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
  std::mt19937_64 Random(Seed);
  auto below = [&](size_t N) { return static_cast<size_t>(Random() % N); };
  for (int Round = 0; Round < 15; ++Round) {
    Blocks B(20000);
    Relay R(8 + below(200), 1 + below(5)); // Ends before its devices.
    ByteVector There(20000), Here(20000), Want;
    for (auto &Byte : There)
      Byte = static_cast<uint8_t>(Random());
    for (auto &Byte : Here)
      Byte = static_cast<uint8_t>(Random());
    Want = Here;
    EventRef Sent, Filled;
    ASSERT_TRUE(B.Devices[0]->write(B.Mem[0], 0, There.data(), There.size(), {}, Sent).ok());
    ASSERT_TRUE(B.Devices[1]->write(B.Mem[1], 0, Here.data(), Here.size(), {}, Filled).ok());
    std::vector<EventRef> Done;
    for (int I = 0; I < 4; ++I) {
      size_t Rows = 1 + below(12), Bytes = 1 + below(400), Src = below(1000), Dst = below(1000);
      RowLayout L{Rows, Bytes, Bytes + below(50), Bytes + below(50)};
      Done.push_back(
          R.start({B.Devices[0].get(), B.Devices[1].get(), B.Mem[0], B.Mem[1], Src, Dst, L, {Sent}, {Filled}, {}, {}}));
      for (size_t Row = 0; Row < Rows; ++Row)
        std::memcpy(Want.data() + Dst + Row * L.DeviceStride, There.data() + Src + Row * L.HostStride, Bytes);
    }
    for (const EventRef &E : Done)
      ASSERT_TRUE(E->wait().ok());
    EventRef Back;
    ASSERT_TRUE(B.Devices[1]->read(B.Mem[1], 0, Here.data(), Here.size(), {}, Back).ok());
    ASSERT_TRUE(Back->wait().ok());
    ASSERT_EQ(Here, Want);
  }
}

// A copy that comes after one of which pieces are still in the blocks.
TEST(RelayTest, OneCopyWaitsForAnother) {
  Blocks B(1000);
  Relay R(100, 8);
  auto copy = [&](unsigned From, std::vector<EventRef> Sources) {
    return R.start({B.Devices[From].get(),
                    B.Devices[1 - From].get(),
                    B.Mem[From],
                    B.Mem[1 - From],
                    0,
                    0,
                    {1, 150, 0, 0},
                    {},
                    {},
                    std::move(Sources),
                    {}});
  };
  EventRef Last;
  for (unsigned I = 0; I < 50; ++I)
    Last = copy(I % 2, Last ? std::vector{Last} : std::vector<EventRef>());
  EXPECT_TRUE(Last->wait().ok());
}

// Threads hand copies over in another order than that of the books.
TEST(RelayTest, ACopyMayComeBeforeTheOneThatItWaitsFor) {
  Blocks B(1000);
  Relay R(100, 2);
  auto copy = [&](unsigned From, std::vector<EventRef> Sources) {
    return R.start({B.Devices[From].get(),
                    B.Devices[1 - From].get(),
                    B.Mem[From],
                    B.Mem[1 - From],
                    0,
                    0,
                    {1, 1000, 0, 0},
                    {},
                    {},
                    std::move(Sources),
                    {}});
  };
  const auto First = std::make_shared<Promise>();
  const EventRef Later = copy(1, {First});
  First->fulfill(copy(0, {}));
  EXPECT_TRUE(Later->wait().ok());
  EXPECT_TRUE(First->done());
}

// All pieces go through memory that is pinned on both devices, and stays so until the relay ends.
TEST(RelayTest, PinnedOnBothDevices) {
  constexpr size_t Piece = 4096, Pieces = 8;
  Blocks B(Piece * Pieces);
  Relay R(Piece, 3);
  const RowLayout Whole{1, Piece * Pieces, 0, 0};
  const RowLayout InRows{Pieces * 2, Piece / 2 - 20, Piece / 2 - 5, Piece / 2 - 9}; // Two fit into a piece.
  unsigned Sent = 0;
  auto copy = [&](unsigned From, const RowLayout &Rows) {
    EventRef Done = R.start(
        {B.Devices[From].get(), B.Devices[1 - From].get(), B.Mem[From], B.Mem[1 - From], 0, 0, Rows, {}, {}, {}, {}});
    EXPECT_TRUE(Done->wait().ok());
    Sent += Pieces;
    for (const auto &Dev : B.Devices) {
      EXPECT_EQ(Dev->pinnedTransfers(), Sent);
      EXPECT_EQ(Dev->pinnedBytes(), Piece * 3);
    }
  };
  for (int Round = 0; Round < 2; ++Round) {
    for (unsigned From : {0, 1}) {
      copy(From, Whole);
      copy(From, InRows);
    }
    R.stop(); // And begins anew.
    for (const auto &Dev : B.Devices)
      EXPECT_EQ(Dev->pinnedBytes(), 0u);
  }
}

// While a piece is written the next one is read, in virtual time: ten of a microsecond each take eleven, not twenty.
TEST(RelayTest, ReadsTheNextPieceMeanwhile) {
  sim::SimOptions O;
  O.Mode = sim::SimMode::Virtual;
  O.Time = std::make_shared<ManualClock>();
  O.Polled = [Time = O.Time] { Time->advance(Duration(1)); }; // A poll advances the time.
  Blocks B(10000, O);
  Relay R(1000, 4);
  EventRef Done =
      R.start({B.Devices[0].get(), B.Devices[1].get(), B.Mem[0], B.Mem[1], 0, 0, {1, 10000, 0, 0}, {}, {}, {}, {}});
  R.stop(); // Its thread moves the clock, and no other.
  ASSERT_TRUE(Done->wait().ok());
  auto Ran = Done->times();
  ASSERT_TRUE(Ran);
  EXPECT_EQ(Ran->length(), Duration(11000));
}

// As soon as the end of a copy is noticed, it holds no memory: a thread that waits for memory may try then.
TEST(RelayTest, MemoryIsFreeWhenACopyHasEnded) {
  for (int Round = 0; Round < 200; ++Round) {
    Blocks B(1000);
    Relay R(100, 4);
    EventRef Done = R.start({B.Devices[0].get(),
                             B.Devices[1].get(),
                             std::move(B.Mem[0]),
                             std::move(B.Mem[1]),
                             0,
                             0,
                             {1, 1000, 0, 0},
                             {},
                             {},
                             {},
                             {}});
    while (!Done->done())
      ;
    EXPECT_EQ(B.Devices[0]->bytesInUse(), 0u);
    EXPECT_EQ(B.Devices[1]->bytesInUse(), 0u);
  }
}

// Whichever piece fails, and on whichever side: the copy has failed, the next one has not.
TEST(RelayTest, AnyPieceMayFail) {
  for (unsigned Nth = 1; Nth <= 10; ++Nth)
    for (unsigned Side = 0; Side < 2; ++Side)
      for (bool AtCall : {false, true}) {
        Blocks B(1000);
        Relay R(100, 3);
        B.Devices[Side]->inject({Side ? sim::SimOp::Write : sim::SimOp::Read, Nth, false, AtCall});
        auto copy = [&] {
          return R.start(
              {B.Devices[0].get(), B.Devices[1].get(), B.Mem[0], B.Mem[1], 0, 0, {1, 1000, 0, 0}, {}, {}, {}, {}});
        };
        EventRef First = copy(), Second = copy();
        EXPECT_FALSE(First->wait().ok());
        EXPECT_TRUE(First->done());
        EXPECT_TRUE(Second->wait().ok()) << Nth << " " << Side << " " << AtCall;
        R.stop();
        EXPECT_TRUE(copy()->wait().ok()); // Begins anew.
      }
}

} // namespace

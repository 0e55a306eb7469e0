// Room on a device belongs to the acquires that have waited longest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

using namespace hsched;
using namespace hsched::rt;

namespace {

struct TurnsTest : testing::Test {
  static sim::SimOptions device(uint64_t Bytes) {
    sim::SimOptions O;
    O.MemoryBytes = Bytes;
    return O;
  }
  std::unique_ptr<TestTask> reads(size_t At, size_t Bytes) {
    return std::make_unique<TestTask>(std::vector{section(X.data() + At, Bytes, HSCHED_IN)});
  }
  ByteVector X = ByteVector(16384, 1);
};

TEST_F(TurnsTest, ALaterTaskDoesNotTakeWhatTheOldestNeeds) {
  Harness H(device(1024));
  auto First = reads(0, 384), Second = reads(512, 384), Large = reads(1024, 1024);
  Acquisition A, B, L;
  ASSERT_TRUE(H.acquire(*First, 1, A).ok());
  EXPECT_EQ(H.acquire(*Large, 1, L).code(), errc::out_of_memory);
  EXPECT_TRUE(L.MemoryBusy && L.Waits);
  EXPECT_EQ(H.acquire(*Second, 1, B).code(), errc::out_of_memory); // Though there is room for it.
  EXPECT_TRUE(B.MemoryBusy);
  EXPECT_TRUE(H.run(*Second, HostNode).ok());
  H.Dir->release(First->T, A, false);
  EXPECT_EQ(H.acquire(*Second, 1, B).code(),
            errc::out_of_memory); // No thread holds any, and it is not this one's turn.
  ASSERT_TRUE(H.acquire(*Large, 1, L).ok());
  EXPECT_FALSE(L.Waits);
  H.Dir->release(Large->T, L, false);
  ASSERT_TRUE(H.acquire(*Second, 1, B).ok());
  H.Dir->release(Second->T, B, false);
}

TEST_F(TurnsTest, WhoGivesUpLetsTheNextOnesPass) {
  Harness H(device(1024));
  auto First = reads(0, 384), Second = reads(512, 384), Large = reads(1024, 1024);
  Acquisition A, B;
  ASSERT_TRUE(H.acquire(*First, 1, A).ok());
  {
    Acquisition L;
    EXPECT_EQ(H.acquire(*Large, 1, L).code(), errc::out_of_memory);
    EXPECT_EQ(H.acquire(*Second, 1, B).code(), errc::out_of_memory);
  }
  EXPECT_TRUE(H.acquire(*Second, 1, B).ok());
  H.Dir->release(First->T, A, false);
  H.Dir->release(Second->T, B, false);
}

// Two tasks whose data are there take turns, so that one of them holds memory at any time.
TEST_F(TurnsTest, IsNotOvertakenForEver) {
  Harness H(device(1024));
  std::unique_ptr<TestTask> Small[] = {reads(0, 384), reads(512, 384)};
  auto Large = reads(1024, 1024);
  Acquisition Acquired[2], L;
  ASSERT_TRUE(H.acquire(*Small[0], 1, Acquired[0]).ok());
  ASSERT_TRUE(H.acquire(*Small[1], 1, Acquired[1]).ok());
  H.Dir->release(Small[1]->T, Acquired[1], false);
  bool Ran = false;
  unsigned Rounds = 0;
  for (; Rounds < 100 && !Ran; ++Rounds) {
    const unsigned Now = Rounds % 2, Next = 1 - Now;
    const bool Beside = H.acquire(*Small[Next], 1, Acquired[Next]).ok();
    Ran = H.acquire(*Large, 1, L).ok();
    H.Dir->release(Small[Now]->T, Acquired[Now], false);
    if (!Beside) // Its turn has come.
      Ran = H.acquire(*Large, 1, L).ok();
  }
  EXPECT_TRUE(Ran);
  EXPECT_GT(Rounds, 8u); // What is there is made use of.
}

// What a thread has dropped comes back to the driver when the last command that names it is gone: a moment later.
TEST_F(TurnsTest, WhatIsOnItsWayBackIsWaitedFor) {
  Harness H(device(1024));
  auto First = reads(0, 1024), Next = reads(4096, 1024);
  Acquisition A, N;
  ASSERT_TRUE(H.acquire(*First, 1, A).ok());
  BufferRef Named = A.Placements[0].Mem; // As by a plan that another thread is about to forget.
  H.Dir->release(First->T, A, false);
  EXPECT_EQ(H.acquire(*Next, 1, N).code(), errc::out_of_memory);
  EXPECT_TRUE(N.MemoryBusy);
  Named.reset();
  EXPECT_TRUE(H.acquire(*Next, 1, N).ok());
  H.Dir->release(Next->T, N, false);
}

// If there is enough for both, no thread waits for evictions.
TEST_F(TurnsTest, TasksPassWhereTheOldestsRoomRemains) {
  sim::SimOptions O = device(4096);
  O.Mode = sim::SimMode::Manual;
  Harness H(O);
  TestTask Modify({section(X.data(), 3968, HSCHED_OUT)});
  ASSERT_TRUE(H.run(Modify, 1).ok());
  auto Large = reads(4096, 1024), Small = reads(8192, 128);
  Acquisition A, L;
  std::vector<EventRef> Until;
  EXPECT_EQ(H.Dir->acquire(Large->T, 1, L, &Until).code(), errc::out_of_memory); // The data are on their way home.
  EXPECT_TRUE(L.Waits);
  EXPECT_TRUE(H.Dir->acquire(Small->T, 1, A, &Until).ok());
  H.Dir->release(Small->T, A, true);
}

} // namespace

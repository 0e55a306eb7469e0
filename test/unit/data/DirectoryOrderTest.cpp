// Order between operations, on a device that executes nothing before it must: what is missing from a wait list shows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <numeric>

using namespace hsched;
using namespace hsched::rt;

namespace {

sim::SimOptions manual(unsigned Devices = 1) {
  sim::SimOptions O;
  O.Devices = Devices;
  O.Mode = sim::SimMode::Manual;
  return O;
}

struct DirectoryOrderTest : testing::Test {
  DirectoryOrderTest() {
    std::iota(X.begin(), X.end(), uint8_t(7));
    WantX = X;
    WantY = Y;
  }
  ByteVector X = ByteVector(100), Y = ByteVector(100), WantX, WantY;
};

TEST_F(DirectoryOrderTest, TwoReadersShareOneTransferUnderWay) {
  Harness H(manual());
  TestTask T({section(X.data(), 100, HSCHED_IN), section(Y.data(), 50, HSCHED_OUT)}, 1);
  TestTask U({section(X.data(), 100, HSCHED_IN), section(Y.data() + 50, 50, HSCHED_OUT)}, 2);
  Acquisition A, B;
  ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
  ASSERT_TRUE(H.Dir->acquire(U.T, 1, B).ok());
  EXPECT_EQ(H.device(1).pending(), 1u);
  ASSERT_EQ(A.Wait.size(), 1u);
  EXPECT_EQ(A.Wait, B.Wait);
  EXPECT_FALSE(A.Wait[0]->done());
  H.Dir->release(T.T, A, true);
  H.Dir->release(U.T, B, true);
}

TEST_F(DirectoryOrderTest, AKernelComesAfterItsUpload) {
  Harness H(manual());
  TestTask T({section(X.data(), 100, HSCHED_INOUT)}, 1);
  Acquisition A;
  EventRef Done;
  ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
  ASSERT_TRUE(H.launch(T, A, Done).ok());
  EXPECT_FALSE(H.device(1).step(Lane::Compute));
  EXPECT_TRUE(H.device(1).step(Lane::HostToDevice));
  EXPECT_TRUE(H.device(1).step(Lane::Compute));
  EXPECT_TRUE(Done->done());
  H.Dir->release(T.T, A, false);
}

TEST_F(DirectoryOrderTest, SuccessorsOnTheSameDeviceNeedNoCompletion) {
  Harness H(manual());
  TestTask T({section(X.data(), 100, HSCHED_IN), section(Y.data(), 100, HSCHED_OUT)}, 1);
  TestTask U({section(Y.data(), 100, HSCHED_IN), section(X.data(), 100, HSCHED_INOUT)}, 2);
  Acquisition A, B;
  EventRef DoneA, DoneB;
  ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
  ASSERT_TRUE(H.launch(T, A, DoneA).ok());
  ASSERT_TRUE(H.Dir->acquire(U.T, 1, B).ok());
  EXPECT_EQ(H.device(1).pending(), 2u); // One upload, one kernel: Y is not fetched from the host, which is stale.
  EXPECT_NE(std::find(B.Wait.begin(), B.Wait.end(), DoneA), B.Wait.end());
  ASSERT_TRUE(H.launch(U, B, DoneB).ok());
  ASSERT_TRUE(DoneB->wait().ok());
  H.Dir->release(T.T, A, false);
  H.Dir->release(U.T, B, false);
  ASSERT_TRUE(H.flush().ok());
  TestTask({section(WantX.data(), 100, HSCHED_IN), section(WantY.data(), 100, HSCHED_OUT)}, 1).runOnHost();
  TestTask({section(WantY.data(), 100, HSCHED_IN), section(WantX.data(), 100, HSCHED_INOUT)}, 2).runOnHost();
  EXPECT_EQ(X, WantX);
  EXPECT_EQ(Y, WantY);
}

TEST_F(DirectoryOrderTest, AWriterWaitsForReadersOfItsCopy) {
  Harness H(manual());
  TestTask Read({section(X.data(), 100, HSCHED_IN), section(Y.data(), 100, HSCHED_OUT)}, 1);
  TestTask Write({section(X.data(), 100, HSCHED_OUT)}, 2);
  Acquisition A, B;
  EventRef Done;
  ASSERT_TRUE(H.Dir->acquire(Read.T, 1, A).ok());
  ASSERT_TRUE(H.launch(Read, A, Done).ok());
  ASSERT_TRUE(H.Dir->acquire(Write.T, 1, B).ok());
  EXPECT_NE(std::find(B.Wait.begin(), B.Wait.end(), Done), B.Wait.end());
  H.Dir->release(Write.T, B, true);
  ASSERT_TRUE(Done->wait().ok());
  H.Dir->release(Read.T, A, false);
}

TEST_F(DirectoryOrderTest, AHostWriterWaitsForUploadsOfWhatItOverwrites) {
  Harness H(manual());
  TestTask Read({section(X.data(), 100, HSCHED_IN)}, 1), Write({section(X.data(), 100, HSCHED_OUT)}, 2);
  Acquisition A, B;
  ASSERT_TRUE(H.Dir->acquire(Read.T, 1, A).ok());
  EventRef Upload = A.Wait.at(0);
  H.Dir->release(Read.T, A, true); // Given up before its launch; the upload still reads X.
  ASSERT_TRUE(H.Dir->acquire(Write.T, HostNode, B).ok());
  EXPECT_EQ(B.Wait, std::vector{Upload});
  H.Dir->release(Write.T, B, true);
}

TEST_F(DirectoryOrderTest, ATaskThatEndsBeforeItsInputsKeepsTheirOrder) {
  Harness H(manual());
  TestTask Nothing({section(X.data(), 100, HSCHED_INOUT)}, 1), Next({section(X.data(), 100, HSCHED_INOUT)}, 2);
  Acquisition A, B;
  ASSERT_TRUE(H.Dir->acquire(Nothing.T, 1, A).ok());
  EventRef Upload = A.Wait.at(0);
  H.Dir->release(Nothing.T, A, false); // It had no work-items: nothing was launched.
  ASSERT_TRUE(H.Dir->acquire(Next.T, 1, B).ok());
  EXPECT_EQ(B.Wait, std::vector{Upload});
  H.Dir->release(Next.T, B, true);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, WantX);
}

TEST_F(DirectoryOrderTest, FlushLeavesARunningWriterAlone) {
  Harness H(manual());
  TestTask First({section(X.data(), 100, HSCHED_OUT)}, 1), Second({section(X.data(), 50, HSCHED_OUT)}, 2);
  ASSERT_TRUE(H.run(First, 1).ok());
  Acquisition A;
  ASSERT_TRUE(H.Dir->acquire(Second.T, HostNode, A).ok()); // Is writing X's first half in host memory.
  std::fill_n(X.begin(), 50, uint8_t(42));
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 50u);
  EXPECT_TRUE(std::all_of(X.begin(), X.begin() + 50, [](uint8_t B) { return B == 42; }));
  H.Dir->release(Second.T, A, false);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_TRUE(std::all_of(X.begin(), X.begin() + 50, [](uint8_t B) { return B == 42; }));
  EXPECT_EQ(H.down(), 50u);
}

TEST_F(DirectoryOrderTest, FlushDoesNotInvalidateWhatAReaderHolds) {
  Harness H(manual());
  TestTask Read({section(X.data(), 100, HSCHED_IN), section(Y.data(), 4, HSCHED_OUT)}, 1);
  Acquisition A;
  ASSERT_TRUE(H.Dir->acquire(Read.T, 1, A).ok());
  ASSERT_TRUE(H.flush().ok());
  TestTask Again({section(X.data(), 100, HSCHED_IN), section(Y.data() + 4, 4, HSCHED_OUT)}, 1);
  ASSERT_TRUE(H.run(Again, 1).ok());
  H.Dir->release(Read.T, A, true);
  EXPECT_EQ(H.up(), 100u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
}

TEST_F(DirectoryOrderTest, EvictionSparesTheOnlyCopyOfWhatTheHostOverwrites) {
  sim::SimOptions O = manual();
  O.MemoryBytes = 150;
  Harness H(O);
  TestTask First({section(X.data(), 100, HSCHED_OUT)}, 1), Second({section(X.data(), 100, HSCHED_OUT)}, 2);
  TestTask Crowd({section(Y.data(), 100, HSCHED_IN)}, 3);
  ASSERT_TRUE(H.run(First, 1).ok());
  Acquisition A, B;
  ASSERT_TRUE(H.Dir->acquire(Second.T, HostNode, A).ok());
  EXPECT_EQ(H.Dir->acquire(Crowd.T, 1, B).code(), errc::out_of_memory);
  EXPECT_EQ(H.down(), 0u);
  H.Dir->release(Second.T, A, false);
  EXPECT_TRUE(H.Dir->acquire(Crowd.T, 1, B).ok());
  EXPECT_EQ(H.down(), 0u);
  H.Dir->release(Crowd.T, B, false);
}

TEST_F(DirectoryOrderTest, FailureOfAChainFallsBackToTheFirstOnesInput) {
  Harness H(manual());
  TestTask T({section(X.data(), 100, HSCHED_INOUT)}, 1), U({section(X.data(), 100, HSCHED_INOUT)}, 2);
  Acquisition A, B;
  EventRef DoneA, DoneB;
  H.device(1).inject({sim::SimOp::Launch, 1, false, false});
  ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
  ASSERT_TRUE(H.launch(T, A, DoneA).ok());
  ASSERT_TRUE(H.Dir->acquire(U.T, 1, B).ok());
  ASSERT_TRUE(H.launch(U, B, DoneB).ok());
  EXPECT_FALSE(DoneB->wait().ok());
  EXPECT_FALSE(DoneA->wait().ok());
  H.Dir->release(U.T, B, true, FailedOutputs::Untouched);
  H.Dir->release(T.T, A, true);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, WantX);
}

} // namespace

// Allocations, transfers and kernels that fail: nothing stays held, no copy is taken for valid that is not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <numeric>

using namespace hsched;
using namespace hsched::rt;
using sim::SimFault;
using sim::SimOp;

namespace {

struct DirectoryFaultTest : testing::Test {
  DirectoryFaultTest() {
    std::iota(X.begin(), X.end(), uint8_t(7));
    Want = X;
  }
  void serial(uint64_t Salt) { TestTask({section(Want.data(), 500, HSCHED_INOUT)}, Salt).runOnHost(); }

  Harness H;
  ByteVector X = ByteVector(500), Want;
};

TEST_F(DirectoryFaultTest, AFailedAllocationHoldsNothing) {
  H.device(1).inject({SimOp::Allocate, 2, true, false});
  TestTask T({section(X.data(), 100, HSCHED_INOUT), section(X.data() + 200, 100, HSCHED_INOUT)}, 1);
  EXPECT_EQ(H.run(T, 1).code(), errc::out_of_memory);
  ASSERT_TRUE(H.run(T, HostNode).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  ASSERT_TRUE(H.Dir->shutdown().ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 0u);
}

TEST_F(DirectoryFaultTest, AnUploadRefusedHoldsNothing) {
  H.device(1).inject({SimOp::Write, 1, false, true});
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  status S = H.run(T, 1);
  EXPECT_EQ(S.code(), errc::transfer_failed);
  EXPECT_NE(S.message().find("500 bytes"), std::string::npos) << S.message();
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  ASSERT_TRUE(H.run(T, 1).ok()); // the next attempt works
  serial(1);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, AnUploadThatFailsLaterFailsItsTask) {
  H.device(1).inject({SimOp::Write, 1, false, false});
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  EXPECT_EQ(H.run(T, 1).code(), errc::transfer_failed);
  ASSERT_TRUE(H.run(T, 1).ok());
  serial(1);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.up(), 500u); // failed transfers are not reported
}

TEST_F(DirectoryFaultTest, AFailedDownloadLeavesTheDeviceCopyValid) {
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  ASSERT_TRUE(H.run(T, 1).ok());
  serial(1);
  H.device(1).inject({SimOp::Read, 1, false, false});
  H.device(1).inject({SimOp::Read, 1, false, true});
  EXPECT_EQ(H.flush().code(), errc::transfer_failed); // refused at once
  EXPECT_EQ(H.flush().code(), errc::transfer_failed); // fails later
  EXPECT_NE(X, Want);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, AHostTaskSeesItsFailedDownload) {
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1), U({section(X.data(), 500, HSCHED_INOUT)}, 2);
  ASSERT_TRUE(H.run(T, 1).ok());
  H.device(1).inject({SimOp::Read, 1, false, false});
  EXPECT_FALSE(H.run(U, HostNode).ok());
  ASSERT_TRUE(H.run(U, HostNode).ok());
  serial(1);
  serial(2);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, AFailedKernelRunsElsewhereOnTheOldData) {
  H.device(1).inject({SimOp::Launch, 1, false, false});
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  EXPECT_EQ(H.run(T, 1).code(), errc::launch_failed);
  ASSERT_TRUE(H.run(T, HostNode).ok());
  serial(1);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, AFailedKernelAfterAnotherKeepsTheFirstOnesResult) {
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1), U({section(X.data(), 500, HSCHED_INOUT)}, 2);
  ASSERT_TRUE(H.run(T, 1).ok());
  H.device(1).inject({SimOp::Launch, 1, false, false});
  EXPECT_FALSE(H.run(U, 1).ok());
  ASSERT_TRUE(H.run(U, 1).ok());
  serial(1);
  serial(2);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, ARefusedLaunchLeavesEverythingAsItWas) {
  TestTask T({section(X.data(), 500, HSCHED_OUT)}, 1);
  H.device(1).inject({SimOp::Launch, 1, false, true});
  EXPECT_FALSE(H.run(T, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.down(), 0u);
}

TEST_F(DirectoryFaultTest, AFailedEvictionFailsTheAcquireAndLosesNothing) {
  sim::SimOptions O;
  O.MemoryBytes = 500;
  Harness Small(O);
  TestTask T({section(X.data(), 300, HSCHED_INOUT)}, 1), U({section(X.data() + 300, 200, HSCHED_INOUT)}, 2),
      V({section(X.data(), 300, HSCHED_INOUT)}, 3);
  ByteVector Other(400, 9);
  TestTask Crowd({section(Other.data(), 400, HSCHED_IN)});
  ASSERT_TRUE(Small.run(T, 1).ok());
  ASSERT_TRUE(Small.run(U, 1).ok());
  Small.device(1).inject({SimOp::Read, 1, false, false});
  EXPECT_EQ(Small.run(Crowd, 1).code(), errc::transfer_failed);
  ASSERT_TRUE(Small.run(Crowd, 1).ok());
  ASSERT_TRUE(Small.run(V, 1).ok());
  ASSERT_TRUE(Small.flush().ok());
  TestTask({section(Want.data(), 300, HSCHED_INOUT)}, 1).runOnHost();
  TestTask({section(Want.data() + 300, 200, HSCHED_INOUT)}, 2).runOnHost();
  TestTask({section(Want.data(), 300, HSCHED_INOUT)}, 3).runOnHost();
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, AFailedMergeLeavesTheOldBlocks) {
  TestTask T({section(X.data(), 300, HSCHED_INOUT)}, 1), U({section(X.data() + 200, 300, HSCHED_INOUT)}, 2);
  ASSERT_TRUE(H.run(T, 1).ok());
  H.device(1).inject({SimOp::Copy, 1, false, true});
  EXPECT_EQ(H.run(U, 1).code(), errc::transfer_failed);
  EXPECT_EQ(H.device(1).bytesInUse(), 300u);
  ASSERT_TRUE(H.run(U, 1).ok());
  ASSERT_TRUE(H.flush().ok());
  TestTask({section(Want.data(), 300, HSCHED_INOUT)}, 1).runOnHost();
  TestTask({section(Want.data() + 200, 300, HSCHED_INOUT)}, 2).runOnHost();
  EXPECT_EQ(X, Want);
}

} // namespace

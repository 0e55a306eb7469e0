// Allocations, transfers and kernels that fail: nothing stays held, no copy is taken for valid that is not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "data/FragmentMap.h"

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
  ASSERT_TRUE(H.run(T, 1).ok()); // The next attempt works.
  serial(1);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
}

TEST_F(DirectoryFaultTest, AnUploadThatFailsLaterFailsItsTask) {
  H.device(1).inject({SimOp::Write, 1, false, false});
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  // The upload has failed by the time the kernel is launched, or before that is done.
  errc Code = H.run(T, 1).code();
  EXPECT_TRUE(Code == errc::cancelled || Code == errc::transfer_failed) << static_cast<int>(Code);
  ASSERT_TRUE(H.run(T, 1).ok());
  serial(1);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.up(), 500u); // Failed transfers are not reported.
}

TEST_F(DirectoryFaultTest, AFailedDownloadIsTriedAgain) {
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  ASSERT_TRUE(H.run(T, 1).ok());
  serial(1);
  H.device(1).inject({SimOp::Read, 1, false, false, true});
  H.device(1).inject({SimOp::Read, 1, false, true});
  ASSERT_TRUE(H.flush().ok()); // Refused at once, half done, done.
  EXPECT_EQ(H.device(1).numFaults(), 2u);
  EXPECT_EQ(X, Want);
}

// A flush that keeps the copies fails, and the device's copy stays valid. A flush that drops the copies reports the
// loss once; after that, the host's bytes are valid.
TEST_F(DirectoryFaultTest, ADownloadThatFailsForGoodNamesItsDatum) {
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1);
  ASSERT_TRUE(H.run(T, 1).ok());
  H.device(1).inject({SimOp::Read, 1, true, false, true});
  EXPECT_EQ(H.flush(false).code(), errc::transfer_failed);
  EXPECT_EQ(H.Dir->stats().Fragments, 1u);
  WorkerId Blame = NoWorker;
  status S = H.Dir->flush({}, true, true, &Blame);
  EXPECT_EQ(S.code(), errc::transfer_failed);
  EXPECT_EQ(Blame, 1u);
  char At[32];
  std::snprintf(At, sizeof(At), "500 bytes at %p", static_cast<void *>(X.data()));
  EXPECT_NE(S.message().find(At), std::string::npos) << S.message();
  EXPECT_NE(S.message().find("Simulated device #0"), std::string::npos) << S.message();
  std::ranges::fill(X, uint8_t(3)); // The host may write any values now.
  EXPECT_TRUE(H.flush().ok());
  EXPECT_EQ(X, ByteVector(500, 3));
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
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

// What it updated in place on the device is half updated, and there is no other copy.
TEST_F(DirectoryFaultTest, AFailedKernelInPlaceLosesWhatWasThereAlone) {
  TestTask T({section(X.data(), 500, HSCHED_INOUT)}, 1), U({section(X.data() + 100, 300, HSCHED_INOUT)}, 2);
  for (bool AtHomeToo : {false, true}) {
    ASSERT_TRUE(H.run(T, 1).ok());
    serial(1);
    if (AtHomeToo) {
      ASSERT_TRUE(H.flush(false).ok());
    }
    H.device(1).inject({SimOp::Launch, 1, false, false, true});
    EXPECT_EQ(H.run(U, 1).code(), errc::launch_failed);
    EXPECT_EQ(H.Dir->whole(U.T), AtHomeToo);
    Acquisition A;
    if (AtHomeToo) {
      ASSERT_TRUE(H.run(U, 1).ok());
    } else {
      status S = H.Dir->acquire(U.T, HostNode, A);
      EXPECT_EQ(S.code(), errc::device_lost);
      EXPECT_TRUE(A.DataLost);
      EXPECT_EQ(A.Blame, 1u);
      char At[32];
      std::snprintf(At, sizeof(At), "300 bytes at %p", static_cast<void *>(X.data() + 100));
      EXPECT_NE(S.message().find(At), std::string::npos) << S.message();
      EXPECT_FALSE(H.flush().ok());
      std::copy(X.begin() + 100, X.begin() + 400, Want.begin() + 100); // As the host has it.
    }
    if (AtHomeToo)
      TestTask({section(Want.data() + 100, 300, HSCHED_INOUT)}, 2).runOnHost();
    ASSERT_TRUE(H.flush().ok());
    EXPECT_EQ(X, Want);
  }
}

// A merged block whose copies failed later must not be taken for valid, nor the host's older bytes for newest.
TEST_F(DirectoryFaultTest, AMergeThatFailsLaterLosesNothingSilently) {
  TestTask T({section(X.data(), 300, HSCHED_INOUT)}, 1), U({section(X.data() + 200, 300, HSCHED_INOUT)}, 2);
  ASSERT_TRUE(H.run(T, 1).ok());
  H.device(1).inject({SimOp::Copy, 1, false, false, true});
  EXPECT_FALSE(H.run(U, 1).ok()); // At its end, or at its beginning where the copy has failed by then.
  status S = H.flush();
  EXPECT_EQ(S.code(), errc::device_lost);
  EXPECT_TRUE(H.flush().ok());
}

TEST_F(DirectoryFaultTest, WhatALostDeviceHadAloneIsLostAndTheRestIsNot) {
  TestTask T({section(X.data(), 100, HSCHED_INOUT)}, 1), U({section(X.data() + 200, 100, HSCHED_IN)}, 2),
      Again({section(X.data(), 100, HSCHED_OUT)}, 3);
  ASSERT_TRUE(H.run(T, 1).ok());
  ASSERT_TRUE(H.run(U, 1).ok());
  H.device(1).inject({SimOp::Allocate, 1, false, true, false, true});
  TestTask Other({section(X.data() + 400, 100, HSCHED_IN)});
  EXPECT_EQ(H.run(Other, 1).code(), errc::device_lost);
  EXPECT_TRUE(H.device(1).lost());
  EXPECT_TRUE(H.run(U, HostNode).ok());
  EXPECT_TRUE(H.run(Other, HostNode).ok());
  EXPECT_EQ(H.run(T, HostNode).code(), errc::device_lost);
  ASSERT_TRUE(H.run(Again, HostNode).ok()); // What is overwritten is not missed.
  ASSERT_TRUE(H.flush().ok());
  TestTask({section(Want.data(), 100, HSCHED_OUT)}, 3).runOnHost();
  EXPECT_EQ(X, Want);
  EXPECT_EQ(H.run(U, 1).code(), errc::device_lost);
}

// The copy that was under way goes last, whichever of the two is noticed first.
TEST(Fragments, WhatDidNotComeHomeWasOnTheDevice) {
  for (bool DeviceFirst : {true, false}) {
    Fragment F;
    F.Copies.resize(3);
    F.Valid = nodeBit(HostNode) | nodeBit(2);
    F.Copies[HostNode].Written = {std::make_shared<Promise>(), 2};
    F.Copies[HostNode].Written.Ev->refuse(status::error(errc::device_lost, "gone"));
    if (DeviceFirst)
      F.invalidate(2, status::error(errc::device_lost, "gone"));
    F.settle();
    F.invalidate(2, status::error(errc::device_lost, "gone"));
    EXPECT_EQ(F.Valid, 0u);
    EXPECT_EQ(F.LostOn, 2u);
  }
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
  for (unsigned I = 1; I <= 3; ++I) // It tries three times.
    Small.device(1).inject({SimOp::Read, I, false, false});
  EXPECT_EQ(Small.run(Crowd, 1).code(), errc::transfer_failed);
  ASSERT_TRUE(Small.run(Crowd, 1).ok());
  ASSERT_TRUE(Small.run(V, 1).ok());
  ASSERT_TRUE(Small.flush().ok());
  TestTask({section(Want.data(), 300, HSCHED_INOUT)}, 1).runOnHost();
  TestTask({section(Want.data() + 300, 200, HSCHED_INOUT)}, 2).runOnHost();
  TestTask({section(Want.data(), 300, HSCHED_INOUT)}, 3).runOnHost();
  EXPECT_EQ(X, Want);
}

// A device that would not copy from one of its blocks to another: nothing is lost, and the task runs.
TEST_F(DirectoryFaultTest, ARefusedMergeGoesByHostMemory) {
  const auto program = [](ByteVector &V) {
    return std::vector<Access>{section(V.data(), 300, HSCHED_INOUT), section(V.data() + 200, 300, HSCHED_INOUT)};
  };
  for (bool Permanent : {false, true}) {
    Harness Own;
    Own.device(1).inject({SimOp::Copy, 1, Permanent, true});
    const ByteVector Was = X;
    for (const Access &A : program(X))
      ASSERT_TRUE(Own.run(TestTask({A}), 1).ok());
    EXPECT_EQ(Own.device(1).bytesInUse(), 500u);
    ASSERT_TRUE(Own.flush().ok());
    Want = Was;
    for (const Access &A : program(Want))
      TestTask({A}).runOnHost();
    EXPECT_EQ(X, Want);
    EXPECT_EQ(Own.down(), 500u); // What was read for the copy counts as no download.
  }
}

} // namespace

// The directory's counters, to the byte, for small known programs: by device and by type of task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <map>
#include <string>

using namespace hsched;
using namespace hsched::rt;

namespace {

struct NamedType {
  explicit NamedType(const char *Name) {
    Desc.name = Name;
    Type.Desc = &Desc;
  }
  hsched_task_desc Desc{};
  TaskType Type;
};

// As one line: bytes in, out and across; transfers; hits of look-ups.
std::string text(const Traffic &T) {
  auto sum = [](uint64_t Bytes, uint64_t Transfers) { return std::to_string(Bytes) + "/" + std::to_string(Transfers); };
  return "in " + sum(T.InputBytes, T.Inputs) + " out " + sum(T.OutputBytes, T.Outputs) + " across " +
         sum(T.DeviceBytes, T.DeviceCopies) + " hits " + sum(T.Hits, T.Lookups);
}

struct TrafficTest : testing::Test {
  void make(unsigned Devices = 1, uint64_t MemoryBytes = 1 << 20) {
    sim::SimOptions O;
    O.Devices = Devices;
    O.MemoryBytes = MemoryBytes;
    H = std::make_unique<Harness>(O);
  }
  void run(NamedType &Type, MemoryNode Node, std::vector<Access> List) {
    TestTask T(std::move(List), ++Salt);
    T.T.Type = &Type.Type;
    ASSERT_TRUE(H->run(T, Node).ok());
  }
  // By device, with all tasks, or of one type of tasks ("" for none).
  std::string of(WorkerId Device, const char *Task = nullptr) {
    Traffic Sum;
    for (const Directory::TrafficEntry &E : H->Dir->traffic())
      if (E.Worker == Device && (!Task || std::string(E.Task ? E.Task : "") == Task))
        Sum += E.Sum;
    return text(Sum);
  }

  ByteVector X = ByteVector(1000, uint8_t(1)), Y = ByteVector(1000, uint8_t(2));
  NamedType Step{"step"}, Sum{"sum"};
  uint64_t Salt = 0;
  std::unique_ptr<Harness> H;
};

TEST_F(TrafficTest, NothingYet) {
  make(2);
  EXPECT_EQ(H->Dir->traffic().size(), 2u);
  EXPECT_EQ(of(1), "in 0/0 out 0/0 across 0/0 hits 0/0");
}

TEST_F(TrafficTest, AChainOnOneDevice) {
  make();
  for (int I = 0; I < 10; ++I)
    run(Step, 1, {section(X.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(of(1, "step"), "in 1000/1 out 0/0 across 0/0 hits 9/10");
  EXPECT_EQ(of(1, ""), "in 0/0 out 1000/1 across 0/0 hits 0/0");
  EXPECT_EQ(of(1), "in 1000/1 out 1000/1 across 0/0 hits 9/10");
}

TEST_F(TrafficTest, WhatHasBeenStartedIsUnderwayUntilItsEndIsSeen) {
  sim::SimOptions O;
  O.Devices = 2;
  O.Mode = sim::SimMode::Manual;
  H = std::make_unique<Harness>(O);
  TestTask Task({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 100, HSCHED_INOUT)});
  Acquisition A;
  ASSERT_TRUE(H->acquire(Task, 1, A).ok());
  EXPECT_EQ(H->Dir->bytesUnderway(1), 1100u);
  EXPECT_EQ(H->Dir->bytesUnderway(2), 0u);
  EventRef Done;
  ASSERT_TRUE(H->launch(Task, A, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  H->Dir->release(Task.T, A, false);
  ASSERT_TRUE(H->flush().ok()); // What comes home is not on its way to the device.
  EXPECT_EQ(H->Dir->bytesUnderway(1), 0u);
}

TEST_F(TrafficTest, WhatTwoDevicesReadCountsTwice) {
  make(2);
  for (int I = 0; I < 4; ++I)
    run(Sum, 1 + I % 2, {section(X.data(), 1000, HSCHED_IN), section(Y.data() + I * 10, 10, HSCHED_OUT)});
  ASSERT_TRUE(H->flush().ok());
  for (WorkerId Device : {1, 2}) {
    EXPECT_EQ(of(Device, "sum"), "in 1000/1 out 0/0 across 0/0 hits 1/2");
    EXPECT_EQ(of(Device, ""), "in 0/0 out 20/2 across 0/0 hits 0/0");
  }
}

TEST_F(TrafficTest, PingPongIsBetweenDevices) {
  make(2);
  for (int I = 0; I < 6; ++I)
    run(Step, 1 + I % 2, {section(X.data(), 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(of(1), "in 1000/1 out 0/0 across 2000/2 hits 0/3");
  EXPECT_EQ(of(2), "in 0/0 out 1000/1 across 3000/3 hits 0/3");
  EXPECT_EQ(of(2, "step"), "in 0/0 out 0/0 across 3000/3 hits 0/3");
}

TEST_F(TrafficTest, HalosBetweenDevices) {
  make(2);
  // Each device has half of X and Y; per step it reads 10 bytes of the other's half.
  for (int I = 0; I < 4; ++I)
    for (size_t Half = 0; Half < 2; ++Half) {
      ByteVector &From = I % 2 ? Y : X, &To = I % 2 ? X : Y;
      run(Step, static_cast<MemoryNode>(1 + Half),
          {section(From.data() + (Half ? 490 : 0), 510, HSCHED_IN), section(To.data() + Half * 500, 500, HSCHED_OUT)});
    }
  ASSERT_TRUE(H->flush().ok());
  // The first step's halos are the host's; then 10 bytes a step go over.
  for (WorkerId Device : {1, 2}) {
    EXPECT_EQ(of(Device, "step").substr(0, of(Device, "step").find(" hits")), "in 510/1 out 0/0 across 30/3");
  }
}

TEST_F(TrafficTest, AStencilWithHalos) {
  make();
  // Four tiles of 250 bytes, each of which reads 10 bytes of its neighbours, twice to and fro.
  for (int I = 0; I < 4; ++I)
    for (size_t Tile = 0; Tile < 4; ++Tile) {
      size_t Lo = Tile ? Tile * 250 - 10 : 0, Hi = Tile < 3 ? Tile * 250 + 260 : 1000;
      ByteVector &From = I % 2 ? Y : X, &To = I % 2 ? X : Y;
      run(Step, 1, {section(From.data() + Lo, Hi - Lo, HSCHED_IN), section(To.data() + Tile * 250, 250, HSCHED_OUT)});
    }
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(of(1, "step"), "in 1000/4 out 0/0 across 0/0 hits 12/16"); // Each byte of X once.
}

TEST_F(TrafficTest, WhatWasDrivenOutComesAgain) {
  make(1, 2048);
  std::vector<ByteVector> Tiles(4, ByteVector(1024, uint8_t(3)));
  // Two tiles fit. Read only, they are dropped; changed, they go home first.
  for (unsigned Mode : {HSCHED_IN, HSCHED_INOUT})
    for (int Round = 0; Round < 2; ++Round)
      for (ByteVector &Tile : Tiles)
        run(Mode == HSCHED_IN ? Sum : Step, 1, {section(Tile.data(), 1024, Mode)});
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(of(1, "sum"), "in 8192/8 out 0/0 across 0/0 hits 0/8");
  EXPECT_EQ(of(1, "step"), "in 8192/8 out 0/0 across 0/0 hits 0/8");
  EXPECT_EQ(of(1, ""), "in 0/0 out 8192/8 across 0/0 hits 0/0");
}

TEST_F(TrafficTest, TheHostsFetchIsItsTasks) {
  make();
  run(Step, 1, {section(X.data(), 1000, HSCHED_OUT)});
  run(Sum, HostNode, {section(X.data(), 300, HSCHED_IN)});
  EXPECT_EQ(of(1, "sum"), "in 0/0 out 300/1 across 0/0 hits 0/0"); // A look-up is a device's.
}

TEST_F(TrafficTest, CopiesWithinADeviceAreNoTraffic) {
  make();
  run(Step, 1, {section(X.data(), 300, HSCHED_INOUT)});
  run(Step, 1, {section(X.data() + 200, 300, HSCHED_INOUT)}); // One block from here on.
  EXPECT_EQ(H->within(), 300u);
  EXPECT_EQ(of(1), "in 500/2 out 0/0 across 0/0 hits 0/2");
}

TEST_F(TrafficTest, WhatFailedDoesNotCount) {
  make();
  H->device(1).inject({sim::SimOp::Write, 1, false, false});
  TestTask T({section(X.data(), 1000, HSCHED_IN)});
  EXPECT_FALSE(H->run(T, 1).ok());
  EXPECT_EQ(H->Dir->traffic().at(0).Sum.InputBytes, 0u);
}

} // namespace

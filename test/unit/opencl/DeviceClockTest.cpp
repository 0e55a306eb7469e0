// Device times on the host's time line, with made-up clocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/DeviceClock.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::opencl;

namespace {

TimePoint at(int64_t Nanoseconds) { return TimePoint(Duration(Nanoseconds)); }

// The device's clock shows host time - 5000.
constexpr int64_t Ahead = 5000;

} // namespace

TEST(DeviceClockTest, TightestBoundsWin) {
  DeviceClock C;
  C.calibrate(1000000, 1000100, at(1000000 + Ahead - 400), at(1000100 + Ahead + 400));
  C.calibrate(1001000, 1001100, at(1001000 + Ahead - 20), at(1001100 + Ahead + 1000));
  C.calibrate(1002000, 1002100, at(1002000 + Ahead - 1000), at(1002100 + Ahead + 20));
  Interval I = C.onHost(2000000, 2000500, at(2000000), at(3000000));
  EXPECT_EQ(I.Begin, at(2000000 + Ahead));
  EXPECT_EQ(I.length(), Duration(500));
}

TEST(DeviceClockTest, StaysInsideTheHostsBoundsForEver) {
  DeviceClock C;
  C.calibrate(1000000, 1000100, at(1000000 + Ahead), at(1000100 + Ahead));
  // The device gains 1 ns in 1000, over ten seconds.
  for (int64_t Host = 2000000; Host < 10'000'000'000; Host += 10'000'000) {
    int64_t Device = Host - Ahead + Host / 1000;
    Interval I = C.onHost(Device, Device + 1000, at(Host - 3000), at(Host + 1000 + 3000));
    ASSERT_GE(I.Begin, at(Host - 3000));
    ASSERT_LE(I.End, at(Host + 4000));
    ASSERT_EQ(I.length(), Duration(1000));
  }
}

// A run begins when the device has ended the one before, whichever is converted first.
TEST(DeviceClockTest, EndsAreFoundInAnyOrder) {
  DeviceClock C;
  EXPECT_EQ(C.lastEndBefore(1000), 0u);
  for (uint64_t End : {100, 600, 500, 400})
    C.ended(End);
  EXPECT_EQ(C.lastEndBefore(1000), 600u);
  EXPECT_EQ(C.lastEndBefore(550), 500u);
  EXPECT_EQ(C.lastEndBefore(400), 100u) << "its own end does not make its time 0";
  EXPECT_EQ(C.lastEndBefore(99), 0u);
}

// The clocks' difference is corrected between two runs of one queue.
TEST(DeviceClockTest, ARunBehindAnotherKeepsItsLength) {
  const Interval Ran{at(1000), at(1600)};
  EXPECT_EQ(DeviceClock::notBefore(Ran, at(900)).Begin, at(1000));
  for (int64_t Earlier : {1300, 1600, 2000}) {
    const Interval Moved = DeviceClock::notBefore(Ran, at(Earlier));
    EXPECT_EQ(Moved.Begin, at(Earlier));
    EXPECT_EQ(Moved.length(), Duration(600));
  }
}

TEST(DeviceClockTest, WorksUncalibrated) {
  DeviceClock C;
  Interval I = C.onHost(50, 60, at(1000), at(1020));
  EXPECT_GE(I.Begin, at(1000));
  EXPECT_LE(I.End, at(1020));
}

TEST(DeviceClockTest, KeepsDurationsWhereClocksDisagree) {
  DeviceClock C;
  Interval I = C.onHost(1000, 1500, at(10000), at(10400)); // 500 ns within 400.
  EXPECT_EQ(I.length(), Duration(500));
  EXPECT_EQ(I.End, at(10400));
}

TEST(DeviceClockTest, IgnoresContradictoryCalibration) {
  DeviceClock C;
  C.calibrate(1000, 1100, at(1000 + Ahead), at(1100 + Ahead));
  C.calibrate(2000, 2100, at(2000 + 9 * Ahead), at(2100 + 9 * Ahead));
  EXPECT_EQ(C.onHost(5000, 5100, at(0), at(1000000)).Begin, at(5000 + Ahead));
}

TEST(DeviceClockTest, TellsTheDevicesTime) {
  DeviceClock C;
  EXPECT_EQ(C.onDevice(at(3000)), 0u) << "nothing is known";
  C.calibrate(1000, 1100, at(1000 + Ahead), at(1100 + Ahead));
  EXPECT_EQ(C.onDevice(at(3000 + Ahead)), 3000u);
  EXPECT_EQ(C.onDevice(at(Ahead - 1)), 0u) << "before its clock began";
}

// Class Mixing: when work that devices run faster is left to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Mixing.h"

#include <gtest/gtest.h>

using namespace hsched::rt;

namespace {

struct MixingTest : testing::Test {
  MixingTest() { Mix.start(1); }

  // So many windows of tasks that end one after another. With and Without: time between ends, with and without cores.
  // OnDevice: how long a device's task runs.
  void run(unsigned Windows, Mixing::Ns With, Mixing::Ns Without, Mixing::Ns OnDevice, const void *Kind = nullptr) {
    for (unsigned I = 0; I != Windows * Mixing::Window; ++I) {
      Now += Mix.allowed() ? With : Without;
      WithCores += Mix.allowed();
      Mix.ended(Kind ? Kind : this, OnDevice, Now);
    }
  }

  Mixing Mix;
  Mixing::Ns Now = 1'000'000;
  unsigned WithCores = 0;
};

TEST_F(MixingTest, CoresLeaveWhatIsFasterWithoutThem) {
  run(20, 80'000, 55'000, 12'000);
  EXPECT_FALSE(Mix.allowed());
  EXPECT_LE(WithCores, 6 * Mixing::Window);
  run(400, 80'000, 55'000, 12'000);
  EXPECT_LE(WithCores, 40 * Mixing::Window); // They are tried again, more and more rarely.
}

TEST_F(MixingTest, CoresStayWhereTheyHelp) {
  run(400, 50'000, 60'000, 12'000);
  EXPECT_GE(WithCores, 375 * Mixing::Window);
}

TEST_F(MixingTest, ADifferenceThatMayBeNoiseIsNone) {
  run(20, 50'000, 49'000, 12'000);
  EXPECT_TRUE(Mix.allowed());
}

// The first windows are slow whatever is done: they say nothing against the cores.
TEST_F(MixingTest, SlowFirstWindowsDoNotExcludeTheCores) {
  run(2, 120'000, 120'000, 12'000);
  run(50, 50'000, 60'000, 12'000);
  EXPECT_TRUE(Mix.allowed());
  EXPECT_GE(WithCores, 40 * Mixing::Window);
}

// A device that is busy all the time would not get faster: nothing is tried.
TEST_F(MixingTest, NothingIsTriedWhileDevicesAreBusy) {
  run(100, 1'000'000, 900'000, 950'000);
  EXPECT_EQ(WithCores, 100 * Mixing::Window);
}

// A device that is busy for most of the time may still be faster alone: cores that take part cost launches and
// transfers.
TEST_F(MixingTest, DevicesAreTriedAloneUnlessNothingCanBeGained) {
  run(40, 148'000, 138'000, 128'000);
  EXPECT_FALSE(Mix.allowed());
  EXPECT_LE(WithCores, 12 * Mixing::Window);
}

// A trial in which another program disturbs one window counts.
TEST_F(MixingTest, OneSlowWindowOfATrialIsNoReason) {
  run(5, 80'000, 55'000, 12'000);
  ASSERT_FALSE(Mix.allowed());
  run(2, 80'000, 55'000, 12'000);
  run(1, 80'000, 95'000, 12'000);
  run(5, 80'000, 55'000, 12'000);
  EXPECT_FALSE(Mix.allowed());
}

// The device's tasks take more of the time when it gets all of them, so the same device may be busy then.
TEST_F(MixingTest, WhatBecomesFasterWithCoresGetsThemBack) {
  run(20, 80'000, 55'000, 12'000);
  ASSERT_FALSE(Mix.allowed());
  run(80, 30'000, 55'000, 12'000);
  EXPECT_TRUE(Mix.allowed());
}

TEST_F(MixingTest, OtherWorkBeginsAnew) {
  run(20, 80'000, 55'000, 12'000);
  ASSERT_FALSE(Mix.allowed());
  int Other;
  run(1, 80'000, 55'000, 12'000, &Other);
  EXPECT_TRUE(Mix.allowed());
}

// What the program does while no task is outstanding is not counted, so two windows with a pause between are equal.
TEST_F(MixingTest, APauseOfTheProgramIsNotTheWorks) {
  for (int I = 0; I != 40; ++I) {
    Now += 100'000'000 * (I % 3);
    Mix.resumes(Now);
    run(1, 50'000, 49'000, 12'000);
  }
  EXPECT_TRUE(Mix.allowed());
  EXPECT_GE(WithCores, 28 * Mixing::Window);
}

// A pause while tasks are outstanding may be due to a core that all others wait for.
TEST_F(MixingTest, APauseWithTasksOutstandingCounts) {
  for (int I = 0; I != 40; ++I) {
    if (Mix.allowed())
      Now += 20'000'000;
    run(1, 50'000, 55'000, 12'000);
  }
  EXPECT_FALSE(Mix.allowed());
}

// All cores together are faster than the device, and transfers between both cost more than the device adds.
TEST_F(MixingTest, DevicesLeaveWhatCoresRunFasterAlone) {
  Mix.start(2, 15);
  Mix.start(1, 15);
  auto run = [&](unsigned Windows, Mixing::Ns Mixed, Mixing::Ns OnCores, Mixing::Ns OnDevices) {
    for (unsigned I = 0; I != Windows * Mixing::Window; ++I) {
      const auto Mode = Mix.mode();
      Now += Mode == Mixing::Mode::Both ? Mixed : Mode == Mixing::Mode::Cores ? OnCores : OnDevices;
      WithCores += Mode == Mixing::Mode::Cores;
      Mix.ended(this, 39'000, Now, 320'000);
    }
  };
  run(20, 41'000, 28'000, 41'000);
  EXPECT_EQ(Mix.mode(), Mixing::Mode::Cores);
  EXPECT_GE(WithCores, 12 * Mixing::Window);
  // Cores have become slower: the device comes back.
  run(60, 41'000, 80'000, 41'000);
  EXPECT_NE(Mix.mode(), Mixing::Mode::Cores);
}

TEST_F(MixingTest, CoresAreNotTriedAloneWhereTheyWouldTakeLonger) {
  Mix.start(2, 2);
  Mix.start(1, 2);
  for (unsigned I = 0; I != 100 * Mixing::Window; ++I) {
    Now += 41'000;
    ASSERT_NE(Mix.mode(), Mixing::Mode::Cores);
    Mix.ended(this, 39'000, Now, 320'000);
  }
}

// Windows that are slow for another reason: nothing would be gained by cores that take 30 times as long as the device.
TEST_F(MixingTest, CoresAreNotTriedAloneWhereTheDeviceWouldBeFaster) {
  Mix.start(2, 15);
  Mix.start(1, 15);
  for (unsigned I = 0; I != 20 * Mixing::Window; ++I) {
    Now += I < 5 * Mixing::Window ? 20'000'000 : 150'000;
    ASSERT_NE(Mix.mode(), Mixing::Mode::Cores);
    Mix.ended(this, 130'000, Now, 150'000'000);
  }
}

// To move the data takes as long as 100 windows with the cores. It pays when so much was done that as much again would
// take longer by that time.
TEST_F(MixingTest, DevicesAreTriedAloneOnlyIfTheirTransfersPay) {
  const auto run = [&](unsigned Windows, Mixing::Costs C) {
    for (unsigned I = 0; I != Windows * Mixing::Window; ++I) {
      Now += Mix.allowed() ? 80'000 : 55'000;
      WithCores += Mix.allowed();
      Mix.ended(this, 12'000, Now, 0, [&] { return C; });
    }
  };
  const Mixing::Ns Window = 80'000 * Mixing::Ns(Mixing::Window);
  run(100, {0, 100 * Window, 0});
  EXPECT_EQ(WithCores, 100 * Mixing::Window);
  run(30, {0, 100 * Window, 0});
  EXPECT_FALSE(Mix.allowed());
}

// The same by the work that is outstanding.
TEST_F(MixingTest, OutstandingWorkPaysForTransfers) {
  for (unsigned I = 0; I != 8 * Mixing::Window; ++I)
    Mix.ended(this, 12'000, Now += Mix.allowed() ? 80'000 : 55'000, 0, [] {
      return Mixing::Costs{Mixing::Ns(300) * 12'000 * Mixing::Window, Mixing::Ns(100) * 80'000 * Mixing::Window, 0};
    });
  EXPECT_FALSE(Mix.allowed());
}

TEST_F(MixingTest, CoresAreTriedAloneOnlyIfTheWayHomePays) {
  Mix.start(2, 15);
  Mix.start(1, 15);
  for (unsigned I = 0; I != 20 * Mixing::Window; ++I) {
    ASSERT_NE(Mix.mode(), Mixing::Mode::Cores);
    Mix.ended(this, 39'000, Now += 41'000, 320'000, [] { return Mixing::Costs{0, 0, 1'000'000'000'000}; });
  }
}

// A trial that takes much longer is not carried to its end.
TEST_F(MixingTest, AHopelessTrialEndsAtOnce) {
  run(5, 80'000, 55'000, 12'000);
  ASSERT_FALSE(Mix.allowed());
  run(1, 80'000, 400'000, 12'000);
  EXPECT_TRUE(Mix.allowed());
}

TEST_F(MixingTest, WithoutDevicesNothingIsTried) {
  Mix.start(0);
  run(100, 80'000, 55'000, 12'000);
  EXPECT_EQ(WithCores, 100 * Mixing::Window);
}

TEST_F(MixingTest, MoreDevicesBeginAnew) {
  run(20, 80'000, 55'000, 12'000);
  ASSERT_FALSE(Mix.allowed());
  Mix.start(2);
  EXPECT_TRUE(Mix.allowed());
}

} // namespace

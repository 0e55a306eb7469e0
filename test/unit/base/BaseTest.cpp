// Log, environment, manual clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Captured.h"
#include "base/Env.h"
#include "base/Log.h"
#include "base/ManualClock.h"
#include "base/Parker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace hsched::rt;
using hsched::rt::test::Captured;

namespace {

TEST(Log, FormatsAndDropsTheLastNewline) {
  Captured Log;
  log(LogLevel::Warning, "%s has %d\n", "x", 3);
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_EQ(Log.Lines[0], "x has 3");
}

TEST(Log, DebugIsOffByDefault) {
  Captured Log;
  log(LogLevel::Debug, "quiet");
  EXPECT_TRUE(Log.Lines.empty());
  EXPECT_FALSE(logEnabled(LogLevel::Debug));
  EXPECT_TRUE(logEnabled(LogLevel::Info));
}

TEST(Env, UnsignedInRange) {
  setenv("HSCHED_TEST_A", "17", 1);
  EXPECT_EQ(envUnsigned("HSCHED_TEST_A", 3, 0, 100), 17u);
  EXPECT_EQ(envUnsigned("HSCHED_TEST_UNSET", 3, 0, 100), 3u);
}

TEST(Env, MalformedNumberWarnsOnceAndUsesTheDefault) {
  Captured Log;
  for (const char *Bad : {"x", "-1", "12x", "101", "99999999999999999999999"}) {
    setenv("HSCHED_TEST_B", Bad, 1);
    EXPECT_EQ(envUnsigned("HSCHED_TEST_B", 3, 0, 100), 3u) << Bad;
  }
  EXPECT_EQ(Log.Lines.size(), 1u);
}

TEST(Env, NumbersByName) {
  using Numbers = std::vector<std::pair<std::string, unsigned>>;
  EXPECT_EQ(envNumbers("HSCHED_TEST_UNSET", 1, 32), Numbers());
  setenv("HSCHED_TEST_N", "7", 1);
  EXPECT_EQ(envNumbers("HSCHED_TEST_N", 1, 32), (Numbers{{"", 7}}));
  setenv("HSCHED_TEST_N", "gpu=3,cpu=2,4", 1);
  EXPECT_EQ(envNumbers("HSCHED_TEST_N", 1, 32), (Numbers{{"gpu", 3}, {"cpu", 2}, {"", 4}}));
  for (const char *Bad : {"many", "0", "33", "gpu=", "=3", "gpu=3,", ",3", "gpu=3 ,cpu=2", "3,gpu=99", "-1"}) {
    setenv("HSCHED_TEST_N", Bad, 1);
    EXPECT_EQ(envNumbers("HSCHED_TEST_N", 1, 32), Numbers()) << Bad;
  }
}

TEST(Env, Flag) {
  setenv("HSCHED_TEST_C", "on", 1);
  EXPECT_TRUE(envFlag("HSCHED_TEST_C", false));
  setenv("HSCHED_TEST_C", "0", 1);
  EXPECT_FALSE(envFlag("HSCHED_TEST_C", true));
  setenv("HSCHED_TEST_C", "", 1);
  EXPECT_TRUE(envFlag("HSCHED_TEST_C", true));
  EXPECT_EQ(envString("HSCHED_TEST_C"), "");
  EXPECT_EQ(envString("HSCHED_TEST_UNSET"), std::nullopt);
}

// An invalid value gives no value: only the caller knows the default.
TEST(Env, WithoutADefault) {
  Captured Log;
  for (const char *No : {"", "x", "33"}) {
    setenv("HSCHED_TEST_D", No, 1);
    EXPECT_EQ(envUnsigned("HSCHED_TEST_D", 1, 32), std::nullopt);
    EXPECT_EQ(envFlag("HSCHED_TEST_D"), std::nullopt);
  }
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_EQ(Log.Lines[0], "HSCHED_TEST_D=x is not a number from 1 to 32; using the default");
  setenv("HSCHED_TEST_D", "1", 1);
  EXPECT_EQ(envUnsigned("HSCHED_TEST_D", 1, 32), 1u);
  EXPECT_EQ(envFlag("HSCHED_TEST_D"), true);
}

TEST(Env, OneOfTwo) {
  Captured Log;
  EXPECT_FALSE(envChoice("HSCHED_TEST_E", "own", "shared"));
  for (const char *First : {"", "own", "Shared"}) {
    setenv("HSCHED_TEST_E", First, 1);
    EXPECT_FALSE(envChoice("HSCHED_TEST_E", "own", "shared"));
  }
  setenv("HSCHED_TEST_E", "shared", 1);
  EXPECT_TRUE(envChoice("HSCHED_TEST_E", "own", "shared"));
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_EQ(Log.Lines[0], "HSCHED_TEST_E=Shared is neither own nor shared; using own");
}

TEST(ManualClock, MovesOnlyForwardAndOnlyWhenAdvanced) {
  ManualClock Time;
  TimePoint Start = Time.now();
  EXPECT_EQ(Time.now(), Start);
  Time.advance(Duration(5));
  EXPECT_EQ(Time.now() - Start, Duration(5));
  Time.advanceTo(Start);
  EXPECT_EQ(Time.now() - Start, Duration(5));
}

TEST(SpinTime, FollowsFromThePausesOfAThread) {
  using std::chrono::microseconds;
  SpinTime S;
  EXPECT_EQ(S.get(), Duration(0)); // A thread of an idle program sleeps at once.
  S.pauseEnded(microseconds(150));
  EXPECT_EQ(S.get(), microseconds(300));
  S.pauseEnded(microseconds(10));
  EXPECT_EQ(S.get(), microseconds(300));
  S.pauseEnded(microseconds(900));
  EXPECT_EQ(S.get(), SpinTime::Most);
  S.pauseEnded(std::chrono::seconds(1));
  EXPECT_EQ(S.get(), SpinTime::Most / 2);
  for (int I = 0; I < 32; ++I)
    S.pauseEnded(std::chrono::seconds(1));
  EXPECT_EQ(S.get(), Duration(0));
}

} // namespace

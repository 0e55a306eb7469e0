// Log, environment, manual clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Captured.h"
#include "base/Env.h"
#include "base/Log.h"
#include "base/ManualClock.h"

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

TEST(ManualClock, MovesOnlyForwardAndOnlyWhenTold) {
  ManualClock Time;
  TimePoint Start = Time.now();
  EXPECT_EQ(Time.now(), Start);
  Time.advance(Duration(5));
  EXPECT_EQ(Time.now() - Start, Duration(5));
  Time.advanceTo(Start);
  EXPECT_EQ(Time.now() - Start, Duration(5));
}

} // namespace

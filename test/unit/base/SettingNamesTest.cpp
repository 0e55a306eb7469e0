// Warnings about misspelt settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/SettingNames.h"
#include "../Captured.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace hsched::rt;
using hsched::rt::test::Captured;

namespace {

std::vector<std::string> warningsFor(std::vector<const char *> Variables) {
  Variables.push_back(nullptr);
  return unknownSettings(Variables.data());
}

std::string hintFor(const std::string &Name) {
  const std::vector<std::string> Warnings = warningsFor({(Name + "=1").c_str()});
  EXPECT_EQ(Warnings.size(), 1u) << Name;
  const std::string Begin = Name + " is not a setting of hsched; did you mean ";
  if (Warnings.empty() || !Warnings[0].starts_with(Begin))
    return "";
  return Warnings[0].substr(Begin.size());
}

TEST(SettingNames, AMisspeltNameGetsTheNearestOneAsAHint) {
  EXPECT_EQ(warningsFor({"HOME=/", "HSCHED_SCHD=eager"}),
            std::vector<std::string>{"HSCHED_SCHD is not a setting of hsched; did you mean HSCHED_SCHED?"});
  EXPECT_EQ(hintFor("HSCHED_TRACEE"), "HSCHED_TRACE?");
  EXPECT_EQ(hintFor("HSCHED_NPCU"), "HSCHED_NCPU?"); // Swapped letters are one mistake.
  EXPECT_EQ(hintFor("HSCHED_STAT"), "HSCHED_STATS?");
  EXPECT_EQ(hintFor("HSCHED_DEVICE"), "HSCHED_DEVICES?");
  EXPECT_EQ(hintFor("HSCHED_OPENCL_ATUO"), "HSCHED_OPENCL_AUTO?");
  EXPECT_EQ(hintFor("HSCHED_DEVICE_MEM"), "HSCHED_DEVICE_MEMORY?");
  EXPECT_EQ(hintFor("HSCHED_CXXX"), "HSCHED_CXX?"); // A setting of hsched-cc.
}

TEST(SettingNames, ADistantNameGetsNoHint) {
  const std::string None = " is not a setting of hsched; see man hsched-env for all of them";
  for (const std::string Name : {"HSCHED_THREADS", "HSCHED_", "HSCHED_MY_PROGRAM", "HSCHED_ncpu"})
    EXPECT_EQ(warningsFor({(Name + "=1").c_str()}), std::vector<std::string>{Name + None});
  EXPECT_EQ(warningsFor({("HSCHED_" + std::string(100000, 'X') + "=").c_str()}).size(), 1u);
}

TEST(SettingNames, EachVariableGetsAWarning) {
  EXPECT_EQ(warningsFor({"HSCHED_SCHD=eager", "HSCHED_NCPU=2", "HSCHED_LGO=debug"}).size(), 2u);
}

TEST(SettingNames, KnownNamesGiveNone) {
  EXPECT_TRUE(unknownSettings(nullptr).empty());
  EXPECT_TRUE(warningsFor({}).empty());
  EXPECT_TRUE(warningsFor({"HSCHED_SCHED=eager", "HSCHED_NCPU=2", "HSCHED_LOG=", "HSCHED_CACHE=0", "HSCHED_KINFO=0",
                           "HSCHED_CHECK_REPORTS=3", "HSCHED_CC=gcc", "HSCHED_CXX=g++"})
                  .empty());
  EXPECT_TRUE(
      warningsFor({"hsched_sched=eager", "HSCHEDULER=1", "MY_HSCHED_SCHD=1", "HSCHED", "PATH=HSCHED_SCHD=1"}).empty());
}

// Tests, scripts and the build read these.
TEST(SettingNames, NamesOfTheBuildAndOfTestsGiveNone) {
  EXPECT_TRUE(warningsFor({"HSCHED_TEST_SEED=7", "HSCHED_FUZZ_SECONDS=1", "HSCHED_FUZZ=ON", "HSCHED_ORACLE_SEED=1",
                           "HSCHED_BUILD_TESTS=ON", "HSCHED_SANITIZE=thread", "HSCHED_PCH=OFF"})
                  .empty());
}

TEST(SettingNames, TheLogGetsThemOnce) {
  setenv("HSCHED_SCHD", "eager", 1);
  Captured Log;
  warnAboutUnknownSettings();
  warnAboutUnknownSettings();
  EXPECT_EQ(Log.Lines, std::vector<std::string>{"HSCHED_SCHD is not a setting of hsched; did you mean HSCHED_SCHED?"});
  unsetenv("HSCHED_SCHD");
}

} // namespace

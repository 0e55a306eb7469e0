// Settings from the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Settings.h"
#include "base/Env.h"
#include "base/Log.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace hsched::rt;

namespace {

TEST(Settings, Defaults) {
  Settings S = readSettings();
  EXPECT_EQ(S.Ncpu, 0u);
  EXPECT_EQ(S.Scheduler, "adaptive");
  EXPECT_EQ(S.Lambda, 3u);
  EXPECT_EQ(S.Window, 4096u);
  EXPECT_FALSE(S.Statistics);
  EXPECT_EQ(S.WatchdogSeconds, 0u);
}

TEST(Settings, TakesWhatIsSet) {
  setenv("HSCHED_NCPU", "7", 1);
  setenv("HSCHED_SCHED", "eager", 1);
  setenv("HSCHED_WINDOW", "2", 1);
  setenv("HSCHED_STATS", "1", 1);
  setenv("HSCHED_DEVICE_MEMORY", "512M", 1);
  Settings S = readSettings();
  EXPECT_EQ(S.Ncpu, 7u);
  EXPECT_EQ(S.Scheduler, "eager");
  EXPECT_EQ(S.Window, 2u);
  EXPECT_TRUE(S.Statistics);
  EXPECT_EQ(S.DeviceMemoryBytes, 512u << 20);
  for (const char *Name : {"HSCHED_NCPU", "HSCHED_SCHED", "HSCHED_WINDOW", "HSCHED_STATS", "HSCHED_DEVICE_MEMORY"})
    unsetenv(Name);
}

TEST(Settings, WhenDevicesAreOpened) {
  using Devices = Settings::Devices;
  EXPECT_EQ(readSettings().When, Devices::Auto);
  for (auto [Text, When] : {std::pair("beside", Devices::Beside), std::pair("first", Devices::First),
                            std::pair("auto", Devices::Auto), std::pair("soon", Devices::Auto)}) {
    setenv("HSCHED_DEVICES", Text, 1);
    EXPECT_EQ(readSettings().When, When) << Text;
  }
  unsetenv("HSCHED_DEVICES");
}

TEST(Settings, WhatDevicesNeedIsReadInAdvance) {
  setenv("HSCHED_EARLY", "1", 1);
  setenv("HSCHED_OPENCL", "gpu", 1);
  setenv("HSCHED_DEVICES", "soon", 1);
  std::string Said;
  setLogSink([&](LogLevel, std::string_view Text) { Said += Text; });
  const Settings S = readDeviceSettings();
  EXPECT_EQ(Said, "") << "readSettings says it";
  setLogSink({});
  EXPECT_EQ(S.Early, std::optional(true));
  EXPECT_EQ(S.OpenCL, "gpu");
  for (const char *Name : {"HSCHED_EARLY", "HSCHED_OPENCL", "HSCHED_DEVICES"})
    unsetenv(Name);
  EXPECT_EQ(readSettings().Early, std::nullopt);
}

TEST(Settings, TheWatchdogWantsSeconds) {
  setenv("HSCHED_WATCHDOG", "30", 1);
  EXPECT_EQ(readSettings().WatchdogSeconds, 30u);
  std::string Said;
  setLogSink([&](LogLevel Level, std::string_view Text) {
    EXPECT_EQ(Level, LogLevel::Warning);
    Said += Text;
  });
  setenv("HSCHED_WATCHDOG", "soon", 1);
  EXPECT_EQ(readSettings().WatchdogSeconds, 0u);
  setLogSink({});
  EXPECT_EQ(Said, "HSCHED_WATCHDOG=soon is not a number from 0 to 1000000; using 0");
  unsetenv("HSCHED_WATCHDOG");
}

// What is not understood is ignored, and the warning says so.
TEST(Settings, WhatHasNoNumberByDefault) {
  std::string Said;
  setLogSink([&](LogLevel, std::string_view Text) { Said.append(Text) += '\n'; });
  const char *const Names[] = {"HSCHED_NCPU", "HSCHED_INFLIGHT", "HSCHED_CALIBRATE", "HSCHED_DEVICE_MEMORY"};
  for (const char *Name : Names)
    setenv(Name, "0x", 1);
  Settings S = readSettings();
  for (const char *Name : Names)
    unsetenv(Name);
  setLogSink({});
  EXPECT_EQ(S.Ncpu, 0u);
  EXPECT_EQ(S.InFlight, 0u);
  EXPECT_FALSE(S.Calibrate);
  EXPECT_EQ(S.DeviceMemoryBytes, 0u);
  EXPECT_EQ(Said, "HSCHED_NCPU=0x is not a number from 1 to 448; using the default\n"
                  "HSCHED_DEVICE_MEMORY=0x is neither a size (512M) nor a share (50%); not limited\n"
                  "HSCHED_INFLIGHT=0x is not a number from 1 to 4096; using the default\n"
                  "HSCHED_CALIBRATE=0x is neither 0 nor 1; using the default\n");
}

TEST(Settings, AWindowOfOneIsTooSmall) {
  setLogSink([](LogLevel, std::string_view) {});
  setenv("HSCHED_WINDOW", "1", 1);
  EXPECT_EQ(readSettings().Window, 4096u);
  unsetenv("HSCHED_WINDOW");
  setLogSink({});
}

TEST(Settings, MemoryLimits) {
  EXPECT_EQ(parseMemoryLimit("1024")->Bytes, 1024u);
  EXPECT_EQ(parseMemoryLimit("3K")->Bytes, 3072u);
  EXPECT_EQ(parseMemoryLimit("2G")->Bytes, uint64_t(2) << 30);
  EXPECT_EQ(parseMemoryLimit("50%")->Percent, 50u);
  for (const char *Bad : {"", "x", "-1", "0", "101%", "0%", "5T", "99999999999G", "1 M"})
    EXPECT_FALSE(parseMemoryLimit(Bad)) << Bad;
}

} // namespace

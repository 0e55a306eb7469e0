// Devices that are opened when the program starts: whatever the program does meanwhile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Processes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using Words = std::vector<std::string>;

struct Result {
  int Code; // Negative: a signal.
  std::string Said;
  bool has(const std::string &Text) const { return Said.find(Text) != std::string::npos; }
};

class EarlyTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = std::filesystem::temp_directory_path() / "hsched-early-XXXXXX";
    ASSERT_NE(mkdtemp(Pattern.data()), nullptr);
    Folder = Pattern;
  }
  void TearDown() override { std::filesystem::remove_all(Folder); }

  // Runs the program with these settings and steps.
  Result run(const Words &Settings, const Words &Steps) const {
    std::string Command =
        "env OCL_ICD_FILENAMES=none HSCHED_NCPU=2 HSCHED_PLUGIN_PATH=" TEST_PLUGINS " HSCHED_CACHE=" + Folder;
    for (const Words *List : {&Settings, &Steps}) {
      if (List == &Steps)
        Command += " " TEST_PROGRAM;
      for (const std::string &Word : *List)
        Command += " '" + Word + "'";
    }
    FILE *Out = popen((Command + " 2>&1").c_str(), "r");
    Result R{-1, {}};
    char Buffer[1000];
    for (size_t N; Out && (N = fread(Buffer, 1, sizeof(Buffer), Out)) > 0;)
      R.Said.append(Buffer, N);
    const int Status = Out ? pclose(Out) : 0;
    R.Code = WIFEXITED(Status) ? WEXITSTATUS(Status) : -WTERMSIG(Status);
    return R;
  }
  // The same with devices that are opened early by hand, when the steps say so.
  Result gated(const Words &Steps, Words Settings = {"HSCHED_DEVICES=first"}) const {
    Settings.insert(Settings.end(), {"HSCHED_EARLY=1", "TEST_GATE=1"});
    return run(Settings, Steps);
  }

  std::string Folder;
};

const Words First = {"HSCHED_DEVICES=first"};

void expect(const Result &R, int Code, const Words &Texts) {
  EXPECT_EQ(R.Code, Code) << R.Said;
  for (const std::string &Text : Texts)
    EXPECT_TRUE(R.has(Text)) << "not '" << Text << "' in\n" << R.Said;
}

// --- which runs open early

TEST_F(EarlyTest, WhatTheLastRunUsedIsOpenedEarly) {
  const Words Steps = {"device", "report"};
  expect(run(First, Steps), 0, {"device 2", "enumerated 1 early 0 live 1"});
  expect(run(First, Steps), 0, {"device 2", "enumerated 1 early 1 live 1"});
  expect(run({}, Steps), 0, {"device 2", "enumerated 1 early 1 live 1"});
  expect(run({"HSCHED_DEVICES=beside"}, Steps), 0, {"device 2", "enumerated 1 early 1 live 1"});
  expect(run({"HSCHED_EARLY=0"}, Steps), 0, {"device 2", "enumerated 1 early 0 live 1"});
}

TEST_F(EarlyTest, WhatTheLastRunOpenedForNothingIsNotOpenedEarly) {
  expect(run({"HSCHED_DEVICES=first"}, {"device"}), 0, {"device 2"});
  expect(run(First, {"core", "report"}), 0, {"core 2", "early 1"});
  expect(run(First, {"core", "report"}), 0, {"core 2", "enumerated 1 early 0"});
}

TEST_F(EarlyTest, ARunWithoutATaskCountsAsOneThatDidNotUseThem) {
  expect(run(First, {"device"}), 0, {"device 2"});
  expect(run(First, {}), 0, {});
  expect(run(First, {"device", "report"}), 0, {"device 2", "early 0"});
}

TEST_F(EarlyTest, WithoutACacheNothingIsKnown) {
  for (int I = 0; I < 2; ++I)
    expect(run({"HSCHED_CACHE=0", "HSCHED_DEVICES=first"}, {"device", "report"}), 0, {"device 2", "early 0"});
}

TEST_F(EarlyTest, NothingIsOpenedWhereDevicesAreNotWanted) {
  for (const char *Setting : {"HSCHED_OPENCL=0", "HSCHED_VERSIONS=early_increment:!early_increment"})
    expect(run({Setting, "HSCHED_EARLY=1"}, {"core", "report"}), 0, {"core 2", "enumerated 0"});
}

TEST_F(EarlyTest, KernelsAreLoadedBeforeTheFirstTask) {
  expect(run({"HSCHED_EARLY=1"}, {"opened", "built", "device"}), 0, {"built 1\ndevice 2\n"});
}

// As with HSCHED_DEVICES=first: the engine starts with them.
TEST_F(EarlyTest, DevicesThatAreOpenAreThereFromTheFirstTaskOn) {
  for (const char *When : {"auto", "beside", "first"}) {
    const Result R = run({"HSCHED_EARLY=1", "HSCHED_LOG=debug", "HSCHED_DEVICES=" + std::string(When)},
                         {"opened", "over", "core", "report"});
    expect(R, 0, {"core 2", "enumerated 1 early 1 live 1"});
    EXPECT_FALSE(R.has("devices came")) << R.Said;
  }
}

TEST_F(EarlyTest, TheFirstTaskWaitsWhereItAlwaysDoes) {
  expect(gated({"entered", "core", "go", "device"}, {"HSCHED_DEVICES=auto"}), 0, {"core 2\ndevice 2\n"});
  expect(gated({"entered", "core", "go", "device"}, {"HSCHED_DEVICES=beside"}), 0, {"core 2\ndevice 2\n"});
  expect(gated({"entered", "go", "device", "report"}), 0, {"device 2\nenumerated 1 early 1 live 1"});
}

// --- what else the program does meanwhile

// The child has no devices, says so, and goes on. The parent's devices work. The next run does not begin early.
TEST_F(EarlyTest, ForkedWhileDevicesAreOpened) {
  HSCHED_SKIP_FORK;
  expect(run(First, {"device"}), 0, {"device 2"});
  const Result R =
      run({"HSCHED_DEVICES=first", "TEST_GATE=1"}, {"entered", "forkboth", "go", "core", "device", "report"});
  expect(R, 0,
         {"child 0\n", "devices are left out: the process was forked before its first task", "device: task",
          "device 2\nenumerated 1 early 1 live 1"});
  expect(run(First, {"device", "report"}), 0, {"device 2", "early 0"});
}

TEST_F(EarlyTest, ForkedWhenDevicesAreOpen) {
  HSCHED_SKIP_FORK;
  expect(run({"HSCHED_DEVICES=first", "HSCHED_EARLY=1", "HSCHED_PIN=1"}, {"opened", "fork", "core", "device", "exit"}),
         0, {"core 2", "device: task", "child 3"});
  expect(run({"HSCHED_EARLY=1"}, {"opened", "fork", "fork", "engine", "core", "quick"}), 0,
         {"core 2", "child 4", "child 0"});
}

// Its children work on devices, as they do without early opening.
TEST_F(EarlyTest, AProgramThatForksBeforeItsFirstTaskIsNotOpenedEarly) {
  HSCHED_SKIP_FORK;
  for (int I = 0; I < 3; ++I)
    expect(run(First, {"fork", "device", "report"}), 0, {"device 2\nenumerated 1 early 0", "child 0"});
}

TEST_F(EarlyTest, SettingsThatChangeBeforeTheFirstTaskCount) {
  expect(gated({"entered", "go", "opened", "set:HSCHED_DEVICE_MEMORY=1M", "device", "report"}), 0,
         {"device 2", "enumerated 2 early 1 live 1"});
  expect(gated({"entered", "set:HSCHED_OPENCL=0", "go", "core", "report"}), 0, {"core 2", "enumerated 1 early 1"});
  expect(gated({"entered", "set:HSCHED_OPENCL=none", "go", "core", "report"}), 0, {"core 2", "live 0"});
  expect(gated({"entered", "go", "set:NAME=1", "device", "report"}), 0, {"device 2", "enumerated 1 early 1 live 1"});
}

TEST_F(EarlyTest, SettingsThatChangeWhileADriverIsLoadedAreNoticedLater) {
  expect(run(First, {"device"}), 0, {"device 2"});
  expect(run({"HSCHED_DEVICES=beside", "TEST_GATE=1"},
             {"entered", "set:HSCHED_WINDOW=99", "core", "go", "device", "report"}),
         0, {"core 2\ndevice 2\nenumerated 2 early 1 live 1"});
  expect(run(First, {"device", "report"}), 0, {"device 2", "early 0"});
}

TEST_F(EarlyTest, AProgramThatChangesItsEnvironmentIsNotOpenedEarly) {
  for (const char *Step : {"set:NAME=1", "bind"})
    for (int I = 0; I < 2; ++I)
      expect(run(First, {Step, "device", "report"}), 0, {"device 2", "early 0"});
}

// Drivers set variables too, which is not the program's doing.
TEST_F(EarlyTest, VariablesThatADriverSetsDoNotCount) {
  const Words WithDriver = {"HSCHED_DEVICES=first", "TEST_DRIVER_SETS=1"};
  expect(run(WithDriver, {"device"}), 0, {"device 2"});
  for (int I = 0; I < 2; ++I) {
    expect(run(WithDriver, {"opened", "over", "device", "report"}), 0, {"device 2", "early 1"});
    expect(run(WithDriver, {"device", "report"}), 0, {"device 2", "early 1"});
  }
}

// By hand it may be opened early always, but then it is not known what the program does otherwise.
TEST_F(EarlyTest, ByHandNothingIsLearned) {
  expect(run({"HSCHED_EARLY=1"}, {"set:NAME=1", "device"}), 0, {"device 2"});
  expect(run(First, {"device", "report"}), 0, {"device 2", "early 0"});
  expect(run(First, {"device", "report"}), 0, {"device 2", "early 1"});
}

// Drivers' threads inherit what its thread is bound to, and signals are the program's.
TEST_F(EarlyTest, ItsThreadHasAllCoresAndNoSignals) {
  const Result R = gated({"bind", "entered", "report", "go"});
  EXPECT_EQ(R.Code, 0) << R.Said;
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
    EXPECT_FALSE(R.has("cores 1 ")) << R.Said;
  }
  EXPECT_TRUE(R.has("blocked 1")) << R.Said;
}

// The library's constructor holds the dynamic loader's lock, without which no driver is loaded.
TEST_F(EarlyTest, AFirstTaskInAConstructorDoesNotWait) {
  expect(gated({"entered", "load:" TEST_LIBRARY, "go", "device", "report"}), 0,
         {"core 2\nin a constructor\nloaded\ndevice 2\nenumerated 1 early 1 live 1"});
  expect(gated({"entered", "load:" TEST_LIBRARY, "go", "device", "report"},
               {"HSCHED_DEVICES=first", "HSCHED_SCHED=eager"}),
         0, {"core 2\nin a constructor\nloaded\ndevice 2\nenumerated 1 early 1 live 1"});
}

// Simulated devices are there from the first task on, so no device can come later.
TEST_F(EarlyTest, WithoutAWaitNorALaterTimeDevicesAreLeftOut) {
  expect(gated({"entered", "load:" TEST_LIBRARY, "go", "report"}, {"HSCHED_DEVICES=first", "HSCHED_SIM=1"}), 0,
         {"devices are left out: a library's constructor needs them", "in a constructor\nloaded\n"});
}

// ThreadSanitizer reports each program that ends within dlopen ("finished with ignores enabled"): its code is 66.
TEST_F(EarlyTest, AnEndInAConstructorDoesNotWait) {
  expect(gated({"entered", "load:" TEST_LIBRARY}, {"TEST_EXIT=1"}), HSCHED_TSAN ? 66 : 7, {});
}

TEST_F(EarlyTest, OtherEnginesHaveDevicesOfTheirOwn) {
  expect(gated({"entered", "go", "engine", "report", "device", "report"}), 0,
         {"enumerated 2 early 1 live 1", "device 2\nenumerated 2 early 1 live 1"});
}

// --- the end

TEST_F(EarlyTest, TheEndWaitsForTheDriver) {
  expect(gated({"entered", "exit"}), 3, {"driver at rest"});
  expect(gated({"entered", "go"}), 0, {"driver at rest"});
  expect(gated({"entered", "core", "go"}, {"HSCHED_DEVICES=beside"}), 0, {"core 2", "driver at rest"});
  expect(gated({"go"}), 0, {});
  // On another thread than main's, drivers' handlers come before those that wait.
#if !HSCHED_TSAN && !HSCHED_ASAN // They do not know that the main thread may end: "Joining already joined thread".
  expect(gated({"entered", "threadexit"}), 6, {});
#endif
  expect(gated({"entered", "go", "otherexit"}), 5, {});
}

TEST_F(EarlyTest, AnEndThatRunsNoHandlersDoesNotWait) {
  expect(gated({"entered", "quick"}), 4, {});
  const Result R = gated({"entered", "threw"});
  EXPECT_TRUE(R.Code != 0 && R.has("of the program")) << R.Said;
}

} // namespace

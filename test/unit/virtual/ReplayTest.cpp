// Recorded runs again in virtual time: times computed by hand, waits, the program's own time, what is unknown.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Replay.h"
#include "virtual/Simulation.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::virt;
using record::Ns;
using record::Record;
using record::TaskOutcome;

namespace {

constexpr Ns Ms = 1'000'000;

// Two cores, and a device if asked for.
Record machine(bool Device = false) {
  Record R;
  R.Whole = true;
  R.Policy = "eager";
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}, {1, "CPU 1", "cpu", "cpu", false, {}, {}}};
  if (Device)
    R.Workers.push_back({2, "GPU #0", "gpu", "some gpu", true, record::Link{0, 1e9}, record::Link{0, 5e8}});
  return R;
}

record::Task &add(Record &R, uint64_t Id, Ns Submitted, uint32_t Worker, Ns Begin, Ns End,
                  std::vector<record::Section> Sections = {}) {
  record::Task &T = R.Tasks.emplace_back();
  T.Id = Id;
  T.Type = T.Label = "f";
  T.Bytes = 100;
  T.Submitted = Submitted;
  T.Worker = Worker;
  T.Version = Worker == 2 ? "f_cl" : "f";
  T.Begin = Begin;
  T.End = End;
  T.How = TaskOutcome::Done;
  T.Sections = std::move(Sections);
  return T;
}

Duration makespan(const Record &R, const char *Name = "eager", SimulationResult *Result = nullptr,
                  std::unique_ptr<Replay> *Kept = nullptr, bool Warm = false) {
  auto Made = std::make_unique<Replay>();
  const hsched::status Possible = makeReplay(R, *Made);
  EXPECT_TRUE(Possible.ok()) << Possible.message();
  TaskTypes Types(Made->Platform, Made->Types);
  History Times;
  std::unique_ptr<Policy> P;
  std::unique_ptr<Program> Tasks;
  SimulationResult Out;
  for (bool Last : {false, true}) { // The first one measures.
    if (!Last && !Warm)
      continue;
    P = makePolicy(Name);
    Tasks = Made->program();
    Out = {};
    Simulation Machine(Made->Platform, Types, *P, Times, {});
    const hsched::status Ran = Machine.run(*Tasks, Out);
    EXPECT_TRUE(Ran.ok()) << Ran.message();
  }
  EXPECT_EQ(Out.Tasks, Made->Tasks.size());
  if (Result)
    *Result = Out;
  if (Kept)
    *Kept = std::move(Made);
  return Out.Makespan;
}

TEST(Replay, TasksTakeWhatTheyTook) {
  Record R = machine();
  for (uint64_t Id = 1; Id <= 4; ++Id) // 1, 2, 3, 4 ms on two cores, in order: 1 + 3 and 2 + 4.
    add(R, Id, 0, Id % 2, 0, static_cast<Ns>(Id) * Ms);
  EXPECT_EQ(makespan(R), Duration(6 * Ms));
}

TEST(Replay, OneAfterTheOther) {
  Record R = machine();
  R.Data = {64};
  for (uint64_t Id = 1; Id <= 3; ++Id)
    add(R, Id, 0, 0, 0, 2 * Ms, {{0, "inout", 0, 64, 1, 0}});
  EXPECT_EQ(makespan(R), Duration(6 * Ms)); // By their data.
  R.Data.clear();
  for (record::Task &T : R.Tasks) {
    T.Sections.clear();
    T.After.assign(T.Id > 1, T.Id - 1);
  }
  EXPECT_EQ(makespan(R), Duration(6 * Ms)); // By their edges.
}

TEST(Replay, TheProgramWaitsAndWorks) {
  Record R = machine();
  add(R, 1, 0, 1, 0, 4 * Ms);
  // It submits the second one 3 ms after the first one, 5 ms after a wait the third one.
  add(R, 2, 3 * Ms, 1, 4 * Ms, 5 * Ms);
  R.Waits = {{0, 2, 3 * Ms, 6 * Ms, true, {}}};
  add(R, 3, 11 * Ms, 1, 11 * Ms, 12 * Ms);
  // The wait ends with the first task, after 4 ms, since the second one has a core by itself.
  EXPECT_EQ(makespan(R), Duration(10 * Ms));
  // A wait for data only: nothing wrote them.
  R.Data = {64};
  R.Waits[0].Sections = {{0, "in", 0, 64, 1, 0}};
  EXPECT_EQ(makespan(R), Duration(9 * Ms)); // 3, 5, 1
  // The first task did.
  R.Tasks[0].Sections = {{0, "out", 0, 64, 1, 0}};
  EXPECT_EQ(makespan(R), Duration(10 * Ms));
}

TEST(Replay, TimeInWhichTheMainThreadMadeRoomIsNotTheProgramsOwn) {
  Record R = machine();
  add(R, 1, 0, 0, 0, 1 * Ms);
  add(R, 2, 2 * Ms, 1, 2 * Ms, 3 * Ms); // 2 ms later, of which it ran a task for 1.
  std::unique_ptr<Replay> Made;
  (void)makespan(R, "eager", nullptr, &Made);
  EXPECT_EQ(Made->Tasks[1].Host, Duration(1 * Ms));
}

TEST(Replay, DevicesTransfersAndPredictions) {
  Record R = machine(true);
  R.Data = {1'000'000};
  add(R, 1, 0, 2, 0, 2 * Ms, {{0, "inout", 0, 1'000'000, 1, 0}});
  R.Tasks[0].Choices = {{0, 2, "f_cl", "why", {{0, "f", 9 * Ms, 3, 0, 0}, {2, "f_cl", 2 * Ms, 3, 0, 0}}}};
  SimulationResult Result;
  for (uint64_t Id = 2; Id <= 8; ++Id) { // Enough to measure both versions.
    R.Tasks.push_back(R.Tasks[0]);
    R.Tasks.back().Id = Id;
    R.Tasks.back().Begin += static_cast<Ns>(Id - 1) * 2 * Ms;
    R.Tasks.back().End += static_cast<Ns>(Id - 1) * 2 * Ms;
  }
  // 1 ms to the device at 1 GB/s, 2 ms there for each, 2 ms home at 0.5 GB/s; 9 ms on a core for each.
  EXPECT_EQ(makespan(R, "heft", &Result, nullptr, true), Duration(19 * Ms));
  EXPECT_EQ(Result.Moved.InputBytes, 1'000'000u);
  // On a core, which was only predicted.
  R.Tasks.resize(1);
  R.Tasks[0].Worker = 0;
  R.Tasks[0].Version = "f";
  R.Tasks[0].End = 3 * Ms;
  std::unique_ptr<Replay> Made;
  (void)makespan(R, "eager", nullptr, &Made);
  ASSERT_EQ(Made->Types.size(), 1u);
  ASSERT_EQ(Made->Types[0].Versions.size(), 2u);
  EXPECT_EQ((*Made->Times[0])[0 * 2 + 0], Duration(3 * Ms)); // Measured goes before predicted.
  EXPECT_EQ((*Made->Times[0])[1 * 2 + 1], Duration(2 * Ms));
}

// A device has several queues. Three runs at one time take three times as long as one alone.
TEST(Replay, RunsAtOneTimeShareTheDevice) {
  Record R = machine(true);
  add(R, 1, 0, 2, 0, 2 * Ms);
  add(R, 2, 0, 2, 1 * Ms, 4 * Ms);
  add(R, 3, 0, 2, 0, 7 * Ms);
  add(R, 4, 0, 0, 0, 2 * Ms); // Cores have no queues.
  add(R, 5, 0, 0, 1 * Ms, 2 * Ms);
  std::unique_ptr<Replay> Made;
  (void)makespan(R, "eager", nullptr, &Made);
  std::vector<Duration> Own;
  for (const TaskSpec &T : Made->Tasks)
    Own.push_back(T.Own);
  using D = Duration;
  EXPECT_EQ(Own, (std::vector{D(2 * Ms), D(2 * Ms), D(3 * Ms), D(2 * Ms), D(1 * Ms)}));
}

// Two tasks write a megabyte each on a device, 2 ms one after the other. To bring one home takes 2 ms. In the second
// record the first one's data go home while the second one runs.
TEST(Replay, DataGoHomeWhileTheProgramWaits) {
  for (const bool Early : {false, true}) {
    for (const bool Between : {false, true}) { // The program waits between two such pairs, or at the end alone.
      Record R = machine(true);
      R.Data = {1'000'000, 1'000'000};
      for (uint64_t Pair = 0; Pair < (Between ? 2u : 1u); ++Pair) {
        const Ns At = static_cast<Ns>(Pair) * 20 * Ms;
        for (uint64_t Of = 0; Of < 2; ++Of)
          add(R, 2 * Pair + Of + 1, At, 2, At + static_cast<Ns>(Of) * 2 * Ms, At + static_cast<Ns>(Of + 1) * 2 * Ms,
              {{static_cast<uint32_t>(Of), "out", 0, 1'000'000, 1, 0}});
        const Ns Home = At + (Early ? 2 : 4) * Ms;
        R.Transfers.push_back({"to host", 2, 0, 1'000'000, Home, Home + 2 * Ms});
        R.Transfers.push_back({"to host", 2, 0, 1'000'000, Home + 2 * Ms, Home + 4 * Ms});
        R.Waits.push_back({0, 2 * Pair + 2, At, At + (Early ? 6 : 8) * Ms, true, {}});
      }
      const Ns Each = (Early ? 6 : 8) * Ms, Host = (Early ? 14 : 12) * Ms;
      EXPECT_EQ(makespan(R), Duration(Between ? 2 * Each + Host : Each)) << Early << Between;
      // What left because of evictions says nothing.
      R.Evictions.assign(R.Transfers.size(), {2, 0, 1'000'000});
      EXPECT_EQ(makespan(R), Duration(Between ? 16 * Ms + Host : 8 * Ms)) << Early << Between;
    }
  }
}

TEST(Replay, UnknownSizesGoByBytes) {
  Record R = machine(true);
  add(R, 1, 0, 0, 0, 4 * Ms).Bytes = 399;
  add(R, 2, 0, 2, 0, 1 * Ms).Bytes = 99;
  std::unique_ptr<Replay> Made;
  (void)makespan(R, "eager", nullptr, &Made);
  EXPECT_EQ((*Made->Times[0])[1 * 2 + 1], Duration(4 * Ms)); // Four times the bytes, on the device.
  EXPECT_EQ((*Made->Times[1])[0 * 2 + 0], Duration(1 * Ms)); // A quarter, on a core.
}

// An OpenCL device of cores: one thing at a time, at the rate of its transfers, which differs from the calibrated one.
TEST(Replay, ADeviceOfCoresCopiesBetweenItsRuns) {
  Record R = machine(true);
  R.Workers[2].Type = "cpu";
  R.Data = {1 << 20, 1 << 20};
  const double Rate = (1 << 20) / 4e6 * 1e9; // Bytes in 4 ms; the link was calibrated with 1 GB/s.
  for (uint64_t Id = 1; Id <= 2; ++Id) {
    const auto At = static_cast<Ns>(Id - 1) * 6 * Ms;
    add(R, Id, 0, 2, At + 4 * Ms, At + 6 * Ms, {{static_cast<uint32_t>(Id - 1), "in", 0, 1 << 20, 1, 0}});
    R.Transfers.push_back({"to device", 2, Id, 1 << 20, At, At + 4 * Ms});
  }
  std::unique_ptr<Replay> Made;
  EXPECT_EQ(makespan(R, "eager", nullptr, &Made), Duration(12 * Ms));
  EXPECT_FALSE(Made->Platform.Kinds[1].Overlaps);
  EXPECT_EQ(Made->Platform.Links[0].ToDeviceBytesPerSecond, Rate);
  EXPECT_EQ(Made->Platform.Links[0].AssumedToDevice, 1e9); // The policy of the run had that.
  R.Workers[2].Type = "gpu";
  EXPECT_EQ(makespan(R), Duration(10 * Ms)); // The second transfer beside the first run.
}

TEST(Replay, WhatADevicesFirstTasksTakeMore) {
  Record R = machine(true);
  R.Data = {64};
  // Chosen at once, it begins after 20 ms, as kernels are built; the first run has 30 ms for a library's kernels.
  for (uint64_t Id = 1; Id <= 3; ++Id) {
    const Ns At = 20 * Ms + (Id == 1 ? 0 : 31 * Ms + static_cast<Ns>(Id - 2) * Ms);
    add(R, Id, 0, 2, At, At + (Id == 1 ? 31 * Ms : Ms), {{0, "inout", 0, 64, 1, 0}}).Choices = {
        {0, 2, "f_cl", "why", {}}};
  }
  std::unique_ptr<Replay> Made;
  EXPECT_NEAR(static_cast<double>(makespan(R, "eager", nullptr, &Made).count()), 53e6, 1e3);
  EXPECT_EQ(Made->Platform.Kinds[1].SetUp, Duration(20 * Ms));
  ASSERT_EQ(Made->Types[0].Versions[0].FirstRun.size(), 2u);
  EXPECT_EQ(Made->Types[0].Versions[0].FirstRun[1], Duration(30 * Ms));
  EXPECT_EQ(Made->Tasks[0].Own, Duration(1 * Ms)); // If it is not the first one in the replay.
}

TEST(Replay, TimeBetweenTasksCounts) {
  Record R = machine();
  for (uint64_t Id = 1; Id <= 10; ++Id)
    add(R, Id, 0, 1, static_cast<Ns>(Id) * Ms, static_cast<Ns>(Id) * Ms + Ms - 2000);
  R.Workers.resize(2);
  std::unique_ptr<Replay> Made;
  (void)makespan(R, "eager", nullptr, &Made);
  EXPECT_EQ(Made->Platform.Kinds[0].Between, Duration(2000));
  EXPECT_EQ(makespan(R), Duration(5 * Ms - 2000)); // Two workers, five tasks each, and none waits before the first.
  R.Tasks.resize(8);                               // Seven pairs are too few.
  (void)makespan(R, "eager", nullptr, &Made);
  EXPECT_EQ(Made->Platform.Kinds[0].Between, Duration(0));
}

TEST(Replay, AWorkerWakesForATask) {
  Record R = machine();
  for (uint64_t Id = 1; Id <= 10; ++Id) { // Submitted each 2 ms; each begins 0.1 ms later, and takes 1 ms.
    const Ns At = static_cast<Ns>(Id - 1) * 2 * Ms;
    add(R, Id, At, 1, At + Ms / 10, At + Ms / 10 + Ms);
  }
  EXPECT_EQ(makespan(R), Duration(18 * Ms + Ms / 10 + Ms));
}

// The policy begins with what it knew in the run.
TEST(Replay, WhatTheRunKnew) {
  Record R = machine(true);
  add(R, 1, 0, 0, 0, 4 * Ms).Choices = {{0, 0, "f", "why", {{0, "f", 4 * Ms, 7, 0, 0}, {2, "f_cl", 9 * Ms, 3, 0, 0}}}};
  add(R, 2, 0, 0, 4 * Ms, 8 * Ms).Choices = {{Ms, 0, "f", "why", {{0, "f", 5 * Ms, 8, 0, 0}}}};
  // Measured in the run: nothing was known when it was first a candidate.
  add(R, 3, 0, 0, 8 * Ms, 9 * Ms).Choices = {{3 * Ms, 0, "f", "why", {{0, "f", Ms, 1, 0, 0}}}};
  add(R, 4, 0, 0, 9 * Ms, 10 * Ms).Choices = {{2 * Ms, 0, "f", "why", {{0, "f", 0, 0, 0, 0}}}};
  R.Tasks[2].Bytes = R.Tasks[3].Bytes = 200;
  Replay Made;
  ASSERT_TRUE(makeReplay(R, Made).ok());
  TaskTypes Types = Made.types(Made.Platform);
  History Times(Made.known());
  const RunStats OnCore = Times.lookup(Types[0], 100, 0, 0), OnDevice = Times.lookup(Types[0], 100, 1, 1);
  EXPECT_EQ(OnCore.Runs, 7u);
  EXPECT_EQ(OnCore.MeanNs, 4e6);
  EXPECT_EQ(OnDevice.Runs, 3u);
  EXPECT_EQ(OnDevice.MeanNs, 9e6);
  EXPECT_EQ(Times.lookup(Types[0], 200, 0, 0).Runs, 0u);
}

TEST(Replay, ChildrenComeAfterTheirParent) {
  Record R = machine();
  add(R, 1, 0, 0, 0, 10 * Ms);
  add(R, 2, 1 * Ms, 1, 2 * Ms, 8 * Ms).Parent = 1;
  R.Waits = {{1, 2, 2 * Ms, 8 * Ms, false, {}}}; // Inside the first task.
  std::unique_ptr<Replay> Made;
  EXPECT_EQ(makespan(R, "eager", nullptr, &Made), Duration(10 * Ms)); // 10 - 6, then 6.
  ASSERT_EQ(Made->Notes.size(), 1u);
  EXPECT_TRUE(Made->Notes[0].starts_with("1 tasks were submitted by other tasks"));
}

TEST(Replay, WhatCannotBeRunAgain) {
  Replay Out;
  EXPECT_FALSE(makeReplay(Record(), Out).ok());
  Record R = machine();
  EXPECT_FALSE(makeReplay(R, Out).ok()); // No tasks.
  add(R, 1, 0, 0, 0, 1).How = TaskOutcome::Failed;
  EXPECT_FALSE(makeReplay(R, Out).ok());
  add(R, 2, 0, 0, 0, 1);
  EXPECT_TRUE(makeReplay(R, Out).ok());
  EXPECT_EQ(Out.Notes.size(), 1u); // One is left out.
  R.Whole = false;
  EXPECT_NE(makeReplay(R, Out).message().find("HSCHED_RECORD"), std::string::npos);
}

} // namespace

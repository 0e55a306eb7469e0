// Bounds and regret, against numbers computed by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Assessment.h"
#include "trace/AreaBound.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::record;

namespace {

TEST(AreaBound, OneKindSharesEvenly) { EXPECT_DOUBLE_EQ(areaBound({{10, {3}}}, {2}), 15); }

TEST(AreaBound, TwoKinds) {
  // The core takes x of 10 tasks, the GPU the others: 4 x = 10 - x.
  EXPECT_NEAR(areaBound({{10, {4, 1}}}, {1, 1}), 8, 1e-6);
  // The core is best at b: all a on the GPU, and of b as many as make both end together: 2 y = 20 - y.
  EXPECT_NEAR(areaBound({{10, {4, 1}}, {10, {2, 1}}}, {1, 1}), 40.0 / 3, 1e-6);
}

TEST(AreaBound, ThreeKinds) { EXPECT_NEAR(areaBound({{12, {1, 2, 4}}}, {1, 1, 1}), 12 / 1.75, 1e-4); }

// Each of four kinds takes its share of 30 tasks; of six kinds the result is still a bound.
TEST(AreaBound, ManyKinds) {
  EXPECT_NEAR(areaBound({{30, {1, 1, 2, 2}}}, {1, 1, 1, 1}), 10, 1e-2);
  const double Bound = areaBound({{30, {1, 1, 1, 1, 1, 1}}}, {1, 1, 1, 1, 1, 1});
  EXPECT_LE(Bound, 5 + 1e-9);
  EXPECT_GE(Bound, 4.5);
}

TEST(AreaBound, WhatOneKindCannotRun) {
  EXPECT_NEAR(areaBound({{6, {2, -1}}, {5, {-1, 1}}}, {1, 1}), 12, 1e-6);
  EXPECT_NEAR(areaBound({{6, {2, -1}}, {5, {-1, 1}}}, {4, 1}), 5, 1e-6);
  EXPECT_EQ(areaBound({{6, {-1, -1}}}, {1, 1}), 0);
  EXPECT_EQ(areaBound({}, {1}), 0);
}

constexpr Ns Ms = 1'000'000;

// A core and a GPU; three tasks of one type and size. The first one explores.
//
//   task  chosen  predicted         took  the other predicted
//   1     core    not measured      10    GPU: wait 1, transfers 2, runs 3
//   2     GPU     wait 0, runs 4    3     core: wait 1, runs 10
//   3     GPU     wait 3, runs 4    5     core: wait 0, runs 2
//
// Looking back the core takes 10 and the GPU (3 + 5) / 2 = 4.
Record threeTasks() {
  Record R;
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}, {1, "GPU #0", "gpu", "some gpu", true, {}, {}}};
  auto add = [&](uint64_t Id, uint32_t W, Ns Begin, Ns End, const char *Why, std::vector<Candidate> All,
                 std::vector<uint64_t> After) {
    Task T;
    T.Id = Id;
    T.Type = T.Label = "f";
    T.Bytes = 4096;
    T.Worker = W;
    T.Version = W ? "f_cl" : "f";
    T.Begin = Begin * Ms;
    T.End = End * Ms;
    T.How = TaskOutcome::Done;
    T.After = std::move(After);
    T.Choices.push_back({0, W, T.Version, Why, std::move(All)});
    R.Tasks.push_back(std::move(T));
  };
  add(1, 0, 0, 10, "a version has been measured too seldom",
      {{0, "f", 0, 0, 0, 0}, {1, "f_cl", 3 * Ms, 3, 2 * Ms, 1 * Ms}}, {});
  add(2, 1, 2, 5, "it ends first there", {{0, "f", 10 * Ms, 1, 0, 1 * Ms}, {1, "f_cl", 4 * Ms, 3, 0, 0}}, {});
  add(3, 1, 5, 10, "it ends first there", {{0, "f", 2 * Ms, 1, 0, 0}, {1, "f_cl", 4 * Ms, 3, 0, 3 * Ms}}, {2});
  return R;
}

TEST(Assessment, RegretOfEachChoice) {
  const Record R = threeTasks();
  const Assessment A = assess(R);
  ASSERT_EQ(A.Tasks.size(), 3u);
  // 10 on the core; on the GPU transfers beside the wait, then 4: 6.
  EXPECT_TRUE(A.Tasks[0].Is && A.Tasks[0].Explored && !A.Tasks[0].Predicted);
  EXPECT_EQ(A.Tasks[0].Chosen, 10 * Ms);
  EXPECT_EQ(A.Tasks[0].Ideal, 6 * Ms);
  EXPECT_EQ(A.Tasks[0].Regret, 4 * Ms);
  EXPECT_EQ(A.Tasks[0].Best, 1u);
  // 4 on the GPU, 11 on the core.
  EXPECT_EQ(A.Tasks[1].Regret, 0);
  EXPECT_EQ(A.Tasks[1].Error, -1 * Ms);
  // 7 on the GPU, 10 on the core: what was predicted of the core was wrong.
  EXPECT_EQ(A.Tasks[2].Regret, 0);
  EXPECT_EQ(A.Tasks[2].Error, 1 * Ms);
  EXPECT_FALSE(A.Tasks[1].Explored || A.Tasks[2].Explored);
}

// What HSCHED_STATS prints of a recorded run.
TEST(Assessment, ShortText) {
  const Record R = threeTasks();
  const std::vector<std::string> Lines = shortly(assess(R), R);
  ASSERT_EQ(Lines.size(), 4u);
  EXPECT_EQ(Lines[2],
            "lost against the bounds 1.43 ms (16.7 % of what was needed); regret of 3 choices 4.00 ms of workers' "
            "time (22.2 %), exploring 4.00 ms; predictions were off by 26.7 % (median)");
  EXPECT_EQ(Lines[3], "  f: regret 4.00 ms (22.2 %), exploring 4.00 ms");
}

TEST(Assessment, OfTheRun) {
  const Assessment A = assess(threeTasks());
  ASSERT_EQ(A.Types.size(), 1u);
  for (const TypeRegret *T : {&A.Types[0], &A.Whole}) {
    EXPECT_EQ(T->Tasks, 3u);
    EXPECT_EQ(T->Judged, 3u);
    EXPECT_EQ(T->Explored, 1u);
    EXPECT_EQ(T->Predicted, 2u);
    EXPECT_EQ(T->Ran, 18 * Ms);
    EXPECT_EQ(T->Regret, 4 * Ms);
    EXPECT_EQ(T->Exploration, 4 * Ms);
    EXPECT_DOUBLE_EQ(T->MedianError, (1.0 / 3 + 1.0 / 5) / 2);
  }
  EXPECT_EQ(A.Makespan, 10 * Ms);
  // X tasks on the core: 10 x = 4 (3 - x).
  EXPECT_NEAR(static_cast<double>(A.Area), 120.0 / 14 * Ms, 1);
  EXPECT_EQ(A.CriticalPath, 7 * Ms); // 2 took 3, 3 takes 4 at best.
  EXPECT_EQ(A.Path, (std::vector<uint64_t>{1}));
  EXPECT_EQ(A.oracle(), A.Area);
  EXPECT_EQ(A.To, Blame::Work);   // 86 %
  EXPECT_NEAR(A.Busy, 0.9, 1e-9); // 10 and 8 of 20.
}

TEST(Assessment, LinksAndTheProgram) {
  Record R = threeTasks();
  R.Transfers = {{"to device", 1, 2, 100, 0, 9 * Ms},
                 {"to device", 1, 3, 100, 8 * Ms, 10 * Ms}, // Overlaps the other one.
                 {"to host", 1, 0, 100, 10 * Ms, 12 * Ms}};
  Assessment A = assess(R);
  EXPECT_EQ(A.Makespan, 12 * Ms);
  EXPECT_EQ(A.Links, 10 * Ms);
  EXPECT_EQ(A.LinkOf, 1u);
  EXPECT_FALSE(A.LinkToHost);
  EXPECT_EQ(A.To, Blame::Links);
  EXPECT_NE(verdict(A, R).find("the busiest link, GPU #0 from host, 10.0 ms (83.3 %)"), std::string::npos)
      << verdict(A, R);
  // The program computes for 90 ms before the last transfer.
  R.Transfers[2].Begin += 90 * Ms;
  R.Transfers[2].End += 90 * Ms;
  A = assess(R);
  EXPECT_EQ(A.HostOnly, 90 * Ms);
  EXPECT_EQ(A.To, Blame::Host);
  // It waits meanwhile: then the program is not to blame.
  R.Waits.push_back({0, 3, 5 * Ms, 200 * Ms, true, {}});
  A = assess(R);
  EXPECT_EQ(A.HostOnly, 0);
  EXPECT_EQ(A.To, Blame::Idle);
}

TEST(Assessment, ATaskThatWaitsForChildrenCountsWithoutThem) {
  Record R;
  R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}};
  for (uint64_t Id : {1, 2, 3}) {
    Task T;
    T.Id = Id;
    T.Parent = Id > 1;
    T.Type = Id > 1 ? "leaf" : "root";
    T.Version = T.Type;
    T.Begin = Id == 1 ? 0 : Id == 2 ? 1 * Ms : 4 * Ms;
    T.End = Id == 1 ? 10 * Ms : T.Begin + 3 * Ms;
    T.How = TaskOutcome::Done;
    R.Tasks.push_back(std::move(T));
  }
  const Assessment A = assess(R);
  EXPECT_EQ(A.Area, 10 * Ms); // 4 + 3 + 3
  EXPECT_EQ(A.CriticalPath, 4 * Ms);
}

TEST(Assessment, WhyHere) {
  const Record R = threeTasks();
  const Assessment A = assess(R);
  EXPECT_EQ(
      whyHere(A, R, 0),
      "Task 1 (f, 4.00 KiB) ran as f on CPU 0: a version has been measured too seldom, where it had not been "
      "measured; the other way was GPU #0 as f_cl, which would have taken 5.00 ms (1.00 ms of waiting beside 2.00 "
      "ms of transfers, then 3.00 ms of work). It took 10.0 ms; looking back, GPU #0 as f_cl would have ended 4.00 "
      "ms sooner: that is what measuring cost.");
  EXPECT_EQ(
      whyHere(A, R, 2),
      "Task 3 (f, 4.00 KiB) ran as f_cl on GPU #0: it ends first there, in 7.00 ms (3.00 ms of waiting, then 4.00 "
      "ms of work); not on CPU 0 as f, which would have taken 2.00 ms. It took 5.00 ms, 25 % more than predicted; "
      "looking back, no other choice would have ended sooner.");
}

TEST(Assessment, OddRecordsAreHarmless) {
  Record R;
  EXPECT_EQ(verdict(assess(R), R), "Nothing ran.");
  EXPECT_TRUE(shortly(assess(R), R).empty());
  R = threeTasks();
  R.Tasks[0].How = TaskOutcome::Cancelled;
  R.Tasks[0].Version.clear();
  R.Tasks[1].Choices.back().Candidates.clear();
  R.Tasks[2].Choices.back().Worker = 0; // It went elsewhere.
  R.Tasks[2].After = {77, 3, 2};
  const Assessment A = assess(R);
  EXPECT_FALSE(A.Tasks[0].Is || A.Tasks[1].Is);
  EXPECT_EQ(whyHere(A, R, 0), "Task 1 (f, 4.00 KiB) did not run: a task that it comes after failed.");
  EXPECT_NE(whyHere(A, R, 2).find("though it was meant for CPU 0 as f_cl"), std::string::npos) << whyHere(A, R, 2);
}

} // namespace

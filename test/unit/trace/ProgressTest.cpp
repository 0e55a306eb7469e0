// Lines of progress, to the letter: time comes from the records.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Records.h"
#include "trace/Writers.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Progress : testing::Test {
  void submitAll(TaskId Count, Duration At) {
    for (TaskId Id = 1; Id <= Count; ++Id) {
      SubmitRecord S = submit(Id, "f");
      S.At = TimePoint(1000s) + At;
      O->submitted(S);
    }
  }
  void ran(uint32_t Worker, Duration End) { O->ran(run(1, "f", "f", Worker * 64, Worker, during(0s, End))); }
  std::vector<std::string> Lines;
  std::unique_ptr<Observer> O = makeProgress(1s, [this](const std::string &Line) { Lines.push_back(Line); });
};

TEST_F(Progress, ALineASecond) {
  O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0", "cpu"});
  O->rowAdded({64, RowKind::CpuWorker, 1, "CPU 1", "cpu"});
  O->rowAdded({130, RowKind::DeviceCompute, 2, "Some GPU #0 queue 0", "some gpu"});
  submitAll(2000, 0s);
  ran(0, 400ms);
  ran(1, 500ms);
  EXPECT_TRUE(Lines.empty());
  ran(2, 1s);
  ran(2, 1100ms);
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_EQ(Lines[0], "3 of 2,000 tasks done, 3 a second; CPU 66.7 %, Some GPU #0 33.3 %; 666 s for those submitted");
  for (int I = 0; I < 996; ++I)
    ran(2, 1200ms);
  EXPECT_EQ(Lines.size(), 1u);
  ran(0, 3s); // 998 in two seconds.
  ASSERT_EQ(Lines.size(), 2u);
  EXPECT_EQ(Lines[1],
            "1,001 of 2,000 tasks done, 499 a second; CPU 0.3 %, Some GPU #0 99.7 %; 2.00 s for those submitted");
  O->finished();
  ASSERT_EQ(Lines.size(), 3u);
  EXPECT_EQ(Lines[2], "1,001 tasks done in 3.00 s; CPU 0.3 %, Some GPU #0 99.7 %");
}

// Tasks in bundles are counted at the end, without a record each: the wait for them has the time.
TEST_F(Progress, TheLastLineHasTheTimeOfTheLastWait) {
  O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0", "cpu"});
  submitAll(10, 0s);
  ran(0, 1s);
  ASSERT_EQ(Lines.size(), 1u);
  ran(0, 1500ms);
  O->waited({0, during(100ms, 2s), true});
  O->counted({"f", "f", 0, 4096, NoCost, 8});
  O->finished();
  ASSERT_EQ(Lines.size(), 2u);
  EXPECT_EQ(Lines[1], "10 tasks done in 2.00 s; CPU 100.0 %");
}

TEST_F(Progress, AShortProgramPrintsNothing) {
  submitAll(3, 0s);
  ran(0, 10ms);
  O->finished();
  EXPECT_TRUE(Lines.empty());
}

TEST_F(Progress, WatchingChangesNothing) { EXPECT_FALSE(O->wantsEachTask() || O->wantsDecisions() || O->wantsLog()); }

} // namespace

// Every policy while a worker looks for a task and an allocation fails: no task is lost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../FailingNew.h"
#include "FakeHost.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class RecordingHost final : public FakeHost {
public:
  RecordingHost(bool Records) : FakeHost(2, 2), Records(Records) { apart(); }
  bool recordsDecisions() const override { return Records; }
  void decided(Task &, const Version &, WorkerId, const char *, std::span<const Prediction>) override {}
  void wake(WorkerId) override {}

private:
  const bool Records;
};

struct PolicyMemory : testing::TestWithParam<std::string> {
  // The policy under test, started on Host.
  std::unique_ptr<Policy> started(FakeHost &Host) {
    auto P = makePolicy(GetParam());
    P->start(Host);
    return P;
  }
  // Takes all tasks out of P, by all workers in turn, and calls Took(assignment, worker) for each.
  template <class Fn> static void takeAll(Policy &P, Fn Took) {
    for (unsigned Empty = 0; Empty < 8;)
      for (WorkerId W = 0; W < 4; ++W) {
        Assignment A;
        if (!P.pop(W, A)) {
          ++Empty;
          continue;
        }
        Empty = 0;
        Took(A, W);
      }
  }
};

// A type with a version for devices and one for cores.
struct AnywhereType : TestType {
  AnywhereType() {
    add(HSCHED_DEVICE_OPENCL);
    add(HSCHED_DEVICE_CPU);
  }
};

// The workers' search is repeated after a failure, as the hub does. Versions are disabled while their tasks wait, so
// policies choose anew.
TEST_P(PolicyMemory, EachAllocationOfASearchFailsInTurn) {
  int Last = 0;
  for (const bool Records : {false, true}) {
    bool Whole = false;
    for (int At = 1; !Whole; ++At) {
      ASSERT_LT(At, 2000);
      RecordingHost Host(Records);
      auto P = started(Host);
      TestType OnDevices;
      OnDevices.add(HSCHED_DEVICE_OPENCL);
      OnDevices.add(HSCHED_DEVICE_OPENCL);
      AnywhereType Anywhere;
      constexpr size_t NumTasks = 24;
      std::vector<unsigned> Times(NumTasks + 1);
      for (size_t I = 0; I < NumTasks; ++I)
        P->push(Host.task(I % 2 ? Anywhere : OnDevices, 1024 << I % 3, static_cast<int32_t>(I % 4)), NoWorker);
      OnDevices.version(0).disableOn(2);
      Anywhere.version(0).disableOn(3);
      OnDevices.version(1).disableOn(2);
      const int Before = NumFailures;
      FailsIn = At;
      size_t Found = 0;
      for (unsigned Empty = 0; Found < NumTasks && Empty < 4 * 4;)
        for (WorkerId W = 0; W < 4; ++W) {
          Assignment A;
          bool Popped = false;
          for (bool Retry = true; Retry;)
            try {
              Retry = false;
              Popped = P->pop(W, A);
            } catch (const std::bad_alloc &) {
              Retry = true;
            }
          if (!Popped) {
            ++Empty;
            continue;
          }
          Empty = 0;
          ++Found;
          ++Times[A.T->Id];
          const int Rest = std::exchange(FailsIn, 0);
          P->completed(*A.T, *A.V, W, 1us);
          if (P->hooks() & HookActivated)
            P->activated(W);
          FailsIn = Rest;
        }
      FailsIn = 0;
      Whole = NumFailures == Before;
      Last = std::max(Last, At);
      for (TaskId Id = 1; Id <= NumTasks; ++Id)
        ASSERT_EQ(Times[Id], 1u) << "task " << Id << ", allocation " << At << ", decisions recorded: " << Records;
    }
  }
  RecordProperty("Allocations", Last);
}

// The caller that reports an end or a refusal cannot handle an exception.
TEST_P(PolicyMemory, AnEndIsTakenWithoutMemory) {
  bool Whole = false;
  for (int At = 1; !Whole; ++At) {
    ASSERT_LT(At, 2000);
    RecordingHost Host(true);
    auto P = started(Host);
    AnywhereType Anywhere;
    const int Before = NumFailures;
    for (size_t I = 0; I < 12; ++I)
      P->push(Host.task(Anywhere, 1024 << I, static_cast<int32_t>(I % 4)), NoWorker);
    int Left = At;
    takeAll(*P, [&](const Assignment &A, WorkerId W) {
      const bool Refuses = A.T->Id % 3 == 0;
      FailsIn = Left;
      EXPECT_NO_THROW({
        P->completed(*A.T, *A.V, W, Refuses ? Duration(-1) : Duration(1us));
        if (Refuses)
          P->refused(*A.T, *A.V, W);
        if (P->hooks() & HookActivated)
          P->activated(W);
      }) << "allocation "
         << At << ", at the end of task " << A.T->Id;
      Left = std::exchange(FailsIn, 0);
      Host.Known.record(*A.T->Type, A.T->DataBytes, A.V->Index, CpuModel, 1us);
    });
    Whole = NumFailures == Before;
  }
}

// Its caller fails the task, which must not come out later.
TEST_P(PolicyMemory, APushThatFailsHasNoEffect) {
  bool Whole = false;
  for (int At = 1; !Whole; ++At) {
    ASSERT_LT(At, 2000);
    RecordingHost Host(true);
    auto P = started(Host);
    AnywhereType Anywhere;
    const int Before = NumFailures;
    std::vector<unsigned> Times(13), Expected(13);
    std::vector<Task *> Tasks(13);
    for (TaskId Id = 1; Id <= 12; ++Id)
      Tasks[Id] = &Host.task(Anywhere, 1024 << Id % 3, static_cast<int32_t>(Id % 4));
    FailsIn = At;
    for (TaskId Id = 1; Id <= 12; ++Id) {
      Task &T = *Tasks[Id];
      try {
        Id % 2 ? P->push(T, NoWorker) : P->pushActivated(T, 2);
        Expected[Id] = 1;
        if (P->hooks() & HookActivated)
          P->activated(2);
      } catch (const std::bad_alloc &) {
      }
    }
    FailsIn = 0;
    takeAll(*P, [&](const Assignment &A, WorkerId W) {
      ++Times[A.T->Id];
      P->completed(*A.T, *A.V, W, 1us);
    });
    EXPECT_EQ(Times, Expected) << "allocation " << At;
    int64_t Queued = 0;
    for (const Worker &W : Host.P.Workers)
      Queued += Host.loads()[W.Id].queued();
    EXPECT_EQ(Queued, 0) << "allocation " << At;
    Whole = NumFailures == Before;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, PolicyMemory, testing::ValuesIn(policyNames()),
                         [](const auto &Info) { return testName(Info.param); });

} // namespace

// The engine from C++: engines beside each other, types made at run time, tasks out of closures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"

#include <hsched/engine.h>
#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using hsched::engine;
using hsched::outcome;
using hsched::submission;
using hsched::task;

namespace {

std::string whatIsThrown(const std::function<void()> &Do) {
  try {
    Do();
  } catch (const std::exception &E) {
    return E.what();
  }
  return "";
}
bool hasPart(const std::string &Text, const std::string &Part) { return Text.find(Part) != std::string::npos; }

hsched::config withWorkers(unsigned N, const char *Policy = "") {
  hsched::config C;
  C.workers = N;
  C.policy = Policy;
  return C;
}

TEST(Engine, RunsClosuresInOrder) {
  engine &E = engine::process();
  int X = 0, Y = 0;
  task Write = E.submit(submission().out(&X).label("write"), [&] { X = 2; });
  task Copy = E.submit(submission().in(&X).out(&Y).cost(1).priority(1), [&] { Y = 3 * X; });
  std::vector<int> Order;
  task First = E.submit(submission().after(Copy), [&] { Order.push_back(1); });
  outcome Reported = outcome::unfinished;
  E.submit(submission().after(First).then([&](outcome How) { Reported = How; }), [&] { Order.push_back(2); });
  E.wait();
  EXPECT_EQ(Y, 6);
  EXPECT_EQ(Order, (std::vector{1, 2}));
  EXPECT_EQ(Reported, outcome::done);
  EXPECT_EQ(Copy.wait(), outcome::done);
}

TEST(Engine, HasTheWorkersAskedFor) {
  engine E(withWorkers(3));
  std::vector<hsched::worker> Workers = E.workers();
  ASSERT_EQ(Workers.size(), 3u);
  EXPECT_EQ(Workers[2].name, "CPU 2");
  EXPECT_EQ(Workers[2].device, unsigned(HSCHED_DEVICE_CPU));
  std::string Why = whatIsThrown([&] { E.submit(submission().on(3).label("far"), [] {}); });
  EXPECT_EQ(Why, "task 'far' cannot be submitted: it is placed on worker 3, and there are 3");
  EXPECT_TRUE(hasPart(whatIsThrown([] { engine(withWorkers(1, "fastest")); }), "no policy is called 'fastest'"));
}

// Each keeps its own order and its own failures.
TEST(Engine, TwoRunBesideEachOther) {
  engine A(withWorkers(1, "eager")), B(withWorkers(3, "versioning"));
  std::vector<std::thread> Threads;
  std::atomic<int> Sum{0};
  for (int T = 0; T < 3; ++T) // Each uses all of them by turns.
    Threads.emplace_back([&] {
      unsigned long X = 0, Y = 0, Z = 0, WantX = 0, WantY = 0;
      for (int I = 0; I < 300; ++I) {
        A.submit(submission().inout(&X), [&X] { X = 3 * X + 1; });
        B.submit(submission().inout(&Y), [&Y] { Y = 5 * Y + 1; });
        hsched::test::submit({hsched::test::section(HSCHED_INOUT, Z)}, [&Z] { ++Z; });
        WantX = 3 * WantX + 1;
        WantY = 5 * WantY + 1;
      }
      A.wait();
      B.wait();
      hsched_taskwait(0);
      Sum += X == WantX && Y == WantY && Z == 300;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Sum, 3);
}

TEST(Engine, DestroyedInAnyOrderWithTasksLeft) {
  for (bool FirstFirst : {false, true}) {
    auto A = std::make_unique<engine>(withWorkers(2, "eager"));
    auto B = std::make_unique<engine>(withWorkers(2));
    std::atomic<int> Ran{0};
    for (int I = 0; I < 200; ++I)
      (I % 2 ? *A : *B).submit(submission(), [&] { ++Ran; });
    (FirstFirst ? A : B).reset();
    EXPECT_GE(Ran, 100);
    (FirstFirst ? B : A).reset();
    EXPECT_EQ(Ran, 200);
  }
}

TEST(Engine, ABodyMaySubmitToAll) {
  engine A(withWorkers(2)), B(withWorkers(2));
  std::atomic<int> Ran{0};
  for (int I = 0; I < 50; ++I)
    A.submit(submission(), [&] {
      int Children = 0;
      for (int J = 0; J < 4; ++J)
        A.submit(submission().inout(&Children), [&] { ++Children; });
      std::atomic<int> Guests{0};
      for (int J = 0; J < 4; ++J)
        B.submit(submission(), [&] { ++Guests; });
      int Own = 0;
      for (int J = 0; J < 4; ++J)
        hsched::test::submit({hsched::test::section(HSCHED_INOUT, Own)}, [&Own] { ++Own; });
      A.wait(); // For its children.
      B.wait(); // For all of B.
      hsched_taskwait(0);
      Ran += (Children == 4) + (Guests == 4) + (Own == 4);
    });
  A.wait();
  EXPECT_EQ(Ran, 150);
}

// A policy that says that its workers may steal is not asked for such tasks: the last one queued runs first.
TEST(Engine, WorkersThatAreAlikeSteal) {
  for (const char *Policy : {"eager", "versioning"}) {
    engine A(withWorkers(1, Policy));
    std::vector<int> Order;
    A.submit(submission(), [&] {
      for (int I = 0; I < 3; ++I)
        A.submit(submission(), [&Order, I] { Order.push_back(I); });
      A.wait();
    });
    A.wait();
    EXPECT_EQ(Order, (std::vector{2, 1, 0})) << Policy;
  }
}

TEST(Engine, ATaskOfAnotherOneIsNoPredecessor) {
  engine A(withWorkers(1)), B(withWorkers(1));
  task There = A.submit(submission().label("there"), [] {});
  std::string Why = whatIsThrown([&] { B.submit(submission().after(There).label("here"), [] {}); });
  EXPECT_EQ(Why, "task 'here' cannot be submitted: it comes after task 'there', which is of another engine");
}

TEST(Engine, FailuresStayWhereTheyAre) {
  engine A(withWorkers(2)), B(withWorkers(2));
  A.submit(submission(), [] { throw std::runtime_error("of A"); });
  B.submit(submission(), [] {});
  B.wait();
  hsched_taskwait(0);
  EXPECT_EQ(whatIsThrown([&] { A.wait(); }), "of A");
}

TEST(Engine, DetachesInItsOwnTasks) {
  engine A(withWorkers(2));
  std::atomic<bool> Over{false};
  std::thread Other;
  task T = A.submit(submission(), [&] {
    Other = std::thread([&Over, Done = hsched::detach()]() mutable {
      Over = true;
      Done.complete();
    });
  });
  bool Seen = false;
  A.submit(submission().after(T), [&] { Seen = Over; });
  A.wait();
  Other.join();
  EXPECT_TRUE(Seen);
}

// A body that ends another task's work and goes on, as one that drives a network does.
static void expectToRunBesideIt(engine &A) {
  std::optional<decltype(hsched::detach())> Work;
  std::atomic<bool> Open{false}, Ran{false}, Seen{false};
  task T = A.submit(submission(), [&] {
    Work.emplace(hsched::detach());
    Open = true;
  });
  A.submit(submission().after(T), [&] { Ran = true; });
  A.submit(submission(), [&] {
    while (!Open)
      std::this_thread::yield();
    Work->complete();
    const auto Longest = std::chrono::steady_clock::now() + std::chrono::seconds(60); // In place of a hang.
    while (!Ran && std::chrono::steady_clock::now() < Longest)
      std::this_thread::yield();
    Seen = Ran.load();
  });
  A.wait();
  EXPECT_TRUE(Seen);
}

TEST(Engine, WhatABodyMakesReadyRunsBesideIt) {
  for (int Round = 0; Round < 20; ++Round) {
    engine A(withWorkers(3));
    expectToRunBesideIt(A);
  }
}

TEST(Engine, ACompletionThatIsLostFailsItsTask) {
  engine A(withWorkers(1));
  A.submit(submission().label("lost"), [] { (void)hsched::detach(); });
  EXPECT_EQ(whatIsThrown([&] { A.wait(); }), "task 'lost' failed: its completion was destroyed before it was complete");
}

TEST(Engine, NotDestroyedByItsOwnTask) {
  engine A(withWorkers(1));
  std::string Why;
  A.submit(submission(), [&] { Why = whatIsThrown([&] { hsched_engine_destroy(A.get()); }); });
  A.wait();
  EXPECT_EQ(Why, "an engine cannot be destroyed inside one of its tasks");
}

// --- types made at run time

struct Number {
  int *Into;
};

TEST(RunTimeType, VersionsComeAndGo) {
  hsched::task_type<Number> Type("number");
  engine &E = engine::process();
  int X = 0;
  std::weak_ptr<int> One, Two;
  unsigned First;
  {
    auto Keep = std::make_shared<int>(1), Other = std::make_shared<int>(2);
    One = Keep, Two = Other;
    First = Type.add("one", [](Number &N) { *N.Into = 1; }, Keep);
    E.submit(submission().out(&X), Type, {&X});
    E.wait();
    EXPECT_EQ(X, 1);
    Type.add("two", [](Number &N) { *N.Into = 2; }, Other);
  }
  EXPECT_FALSE(One.expired());
  Type.remove(First);
  EXPECT_TRUE(One.expired());
  for (int I = 0; I < 20; ++I) {
    E.submit(submission().out(&X), Type, {&X});
    E.wait();
    EXPECT_EQ(X, 2);
  }
  Type.remove(1);
  E.submit(submission().label("none"), Type, {&X});
  EXPECT_EQ(whatIsThrown([&] { E.wait(); }),
            "task 'none' failed: version 'one' was removed; version 'two' was removed");
  EXPECT_TRUE(Two.expired());
  EXPECT_THROW(Type.remove(2), std::out_of_range);
}

TEST(RunTimeType, WithoutItsOnlyVersionNothingRuns) {
  engine Hosted(withWorkers(2));
  for (engine *E : {&engine::process(), &Hosted}) {
    hsched::task_type<Number> Type("number");
    int X = 0;
    Type.remove(Type.add("one", [](Number &N) { *N.Into = 1; }));
    E->submit(submission().label("none"), Type, {&X});
    EXPECT_EQ(whatIsThrown([&] { E->wait(); }), "task 'none' failed: version 'one' was removed");
    EXPECT_EQ(X, 0);
  }
  // The type's memory is used again.
  for (int I = 0; I < 2; ++I) {
    hsched::task_type<Number> Used("number");
    Used.add("one", [](Number &N) { *N.Into = 1; });
  }
  for (engine *E : {&engine::process(), &Hosted}) {
    hsched::task_type<Number> Type("number");
    int X = 0;
    E->submit(submission().label("bare"), Type, {&X});
    EXPECT_TRUE(hasPart(whatIsThrown([&] { E->wait(); }), "it has no version"));
  }
}

TEST(RunTimeType, CodeStaysWhileATaskMayRunIt) {
  engine E(withWorkers(2));
  task Gate = E.declare("gate");
  std::weak_ptr<int> Code;
  int X = 0;
  {
    hsched::task_type<Number> Type("number");
    auto Keep = std::make_shared<int>(1);
    Code = Keep;
    Type.add("seven", [](Number &N) { *N.Into = 7; }, Keep);
    E.submit(submission().after(Gate), Type, {&X});
  } // Dropped.
  EXPECT_FALSE(Code.expired());
  E.submit(submission().as(Gate), [] {});
  E.wait();
  EXPECT_EQ(X, 7);
  EXPECT_TRUE(Code.expired());
}

TEST(RunTimeType, ManyAreMadeAndDropped) {
  engine &E = engine::process();
  std::vector<int> X(2000);
  for (int &Each : X) {
    hsched::task_type<Number> Type("number");
    Type.add("more", [](Number &N) { *N.Into += 1; });
    E.submit(submission().inout(&Each), Type, {&Each});
  }
  E.wait();
  EXPECT_EQ(std::count(X.begin(), X.end(), 1), 2000);
}

TEST(RunTimeType, IsForHschedSubmitAlone) {
  hsched::task_type<Number> Type("handmade");
  Type.add("nothing", [](Number &) {});
  hsched_access *Accesses;
  void *Args;
  EXPECT_TRUE(hasPart(whatIsThrown([&] { hsched_task_begin(Type.get(), 0, &Accesses, &Args); }), "hsched_submit"));
  EXPECT_THROW(hsched_type_drop(hsched::test::functionType()), std::invalid_argument);
}

} // namespace

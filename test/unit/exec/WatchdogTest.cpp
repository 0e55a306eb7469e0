// What the watchdog says, and when.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include "base/ManualClock.h"

#include <future>
#include <semaphore>

using namespace hsched::rt;
using namespace hsched::rt::test;
using namespace std::chrono_literals;

namespace {

void expectIn(const std::string &Part, const std::string &Text) {
  EXPECT_NE(Text.find(Part), std::string::npos) << "no \"" << Part << "\" in:\n" << Text;
}
void expectNotIn(const std::string &Part, const std::string &Text) {
  EXPECT_EQ(Text.find(Part), std::string::npos) << "\"" << Part << "\" in:\n" << Text;
}

// --- the book alone, in a time of its own

struct Book : testing::Test {
  Book() {
    for (unsigned I = 0; I < 2; ++I) {
      Worker W;
      W.Id = I;
      W.Name = "CPU " + std::to_string(I);
      Where.Workers.push_back(std::move(W));
    }
    Root = createTask(nullptr, 0);
  }
  ~Book() override {
    for (TaskNode *T : All)
      release(*T);
    release(*Root);
  }
  TaskNode &task(TaskId Id, const char *Label, const std::vector<Access> &Accesses, TaskNode *Parent = nullptr) {
    TaskNode &T = *All.emplace_back(createTask(&Functions.Type, static_cast<unsigned>(Accesses.size())));
    std::ranges::copy(Accesses, T.AccessList);
    setLabel(T, Label);
    T.Id = Id;
    T.Parent = Parent ? Parent : Root;
    HangMonitor.submitted(T);
    return T;
  }
  std::string report() {
    Time.advance(1h);
    auto R = HangMonitor.look(Time.now());
    Level = R ? std::optional(R->Level) : std::nullopt;
    return R ? R->Text : "";
  }

  Platform Where;
  ManualClock Time;
  char Thread = 'R';
  Watchdog HangMonitor{Where, Time, 10s, [this](int) { return Thread; }};
  FunctionType Functions;
  TaskNode *Root;
  std::vector<TaskNode *> All;
  std::optional<LogLevel> Level;
};

TEST_F(Book, NothingToSayWhileThingsMove) {
  EXPECT_FALSE(HangMonitor.look(Time.now()));
  Time.advance(1h); // Nothing is outstanding.
  EXPECT_FALSE(HangMonitor.look(Time.now()));
  TaskNode &A = task(1, "a", {}), &B = task(2, "b", {});
  Time.advance(9s);
  EXPECT_FALSE(HangMonitor.look(Time.now()));
  HangMonitor.complete(A);
  Time.advance(9s);
  EXPECT_FALSE(HangMonitor.look(Time.now()));
  Time.advance(1s);
  EXPECT_TRUE(HangMonitor.look(Time.now()));
  EXPECT_FALSE(HangMonitor.look(Time.now()));
  Time.advance(9s);
  EXPECT_FALSE(HangMonitor.look(Time.now())); // Again after twice the time.
  Time.advance(1s);
  EXPECT_TRUE(HangMonitor.look(Time.now()));
  Time.advance(19s);
  EXPECT_FALSE(HangMonitor.look(Time.now()));
  HangMonitor.complete(B);
  Time.advance(1h);
  EXPECT_FALSE(HangMonitor.look(Time.now()));
}

TEST_F(Book, WhatRunsIsNoDeadlock) {
  TaskNode &A = task(1, "a", {});
  HangMonitor.ready(A);
  HangMonitor.bodyBegins(A, 1);
  std::string Text = report();
  EXPECT_EQ(Level, LogLevel::Warning);
  expectIn("1 task runs, which may only be long", Text);
  expectIn("task 1 'a' (function): runs on CPU 1 for 3600.0 s", Text);
  expectNotIn("deadlock", Text);
  expectNotIn("sleeps", Text);
  Thread = 'S';
  expectIn("its thread sleeps", report());
  HangMonitor.endOfLast();
  HangMonitor.ended(A);
  HangMonitor.complete(A);
}

TEST_F(Book, PredecessorsAreNamedWithTheirData) {
  int X = 0, Y = 0;
  static const char *const Names[] = {"p", "q"};
  Functions.Desc.param_names = Names;
  Functions.Desc.n_params = 2;
  TaskNode &A = task(1, "a", {inout(X)});
  TaskNode &B = task(2, "b", {on(HSCHED_IN, &Y, sizeof(Y), 0), on(HSCHED_IN, &X, sizeof(X), 1)});
  HangMonitor.dependence(1, 2);
  HangMonitor.ready(A);
  std::string Text = report();
  expectIn("task 2 'b' (function): waits for 1 task: task 1 'a' (function) ('q', 4 bytes at 0x", Text);
  HangMonitor.complete(A);
  expectIn("task 2 'b' (function): waits for 0 tasks", report());
  HangMonitor.complete(B);
}

TEST_F(Book, DetachedWorkThatDoesNotEndIsNamed) {
  TaskNode &A = task(1, "receive", {});
  HangMonitor.bodyBegins(A, 1);
  A.extras().Detach = IsDetached;
  HangMonitor.endOfLast();
  HangMonitor.ended(A);
  std::string Text = report();
  EXPECT_EQ(Level, LogLevel::Warning);
  expectIn("none runs: 1 detached task has not been completed by the program", Text);
  expectIn("task 1 'receive' (function): its body has ended; detached, and hsched_detached_end has not been called for "
           "it",
           Text);
  expectNotIn("deadlock", Text);
  HangMonitor.detachedEnds(A);
  expectNotIn("detached", report());
  HangMonitor.complete(A);
}

TEST_F(Book, ADeclaredTaskIsNamedByWhatComesAfterIt) {
  HangMonitor.declared(1, "gate", Functions.Type);
  EXPECT_EQ(report(), ""); // Nothing is outstanding.
  TaskNode &B = task(2, "b", {});
  HangMonitor.dependence(1, 2);
  std::string Text = report();
  expectIn("not complete: 1 task\n", Text);
  expectIn("task 1 'gate' (function): declared, and not submitted", Text);
  expectIn("task 2 'b' (function): waits for 1 task: task 1 'gate' (function)", Text);
  HangMonitor.forgotten(1);
  HangMonitor.complete(B);
}

TEST_F(Book, ReadyAndNoWorkerMayRunIt) {
  TaskNode &A = task(1, "a", {});
  HangMonitor.ready(A);
  expectIn("ready since 3600.0 s, to be run by CPU 0, CPU 1", report());
  Functions.Type.Versions[0].disableOn(0);
  Functions.Type.Versions[0].disableOn(1);
  std::string Text = report();
  EXPECT_EQ(Level, LogLevel::Error);
  expectIn("this is a deadlock", Text);
  expectIn("task 1 'a' (function): ready, but no worker may run it", Text);
  HangMonitor.complete(A);
}

TEST_F(Book, ACircleOfDependencesIsNamed) {
  TaskNode &A = task(1, "a", {}), &B = task(2, "b", {}), &C = task(3, "c", {});
  task(4, "d", {});
  HangMonitor.dependence(1, 2);
  HangMonitor.dependence(2, 3);
  HangMonitor.dependence(3, 1);
  HangMonitor.dependence(3, 4);
  std::string Text = report();
  EXPECT_EQ(Level, LogLevel::Error);
  expectIn("this is a deadlock: task 1 'a' (function) waits for task 3 'c' (function), which waits for task 2 'b' "
           "(function), which waits for task 1 'a' (function)\n",
           Text);
  for (TaskNode *T : {&A, &B, &C})
    HangMonitor.complete(*T);
}

// A holds its turn and waits, inside its body, for one who wants that turn.
TEST_F(Book, ACircleThroughATurnAndAThreadIsNamed) {
  int X = 0;
  TaskNode &A = task(1, "a", {on(HSCHED_COMMUTATIVE, &X, sizeof(X))});
  TaskNode &B = task(2, "b", {on(HSCHED_COMMUTATIVE, &X, sizeof(X))});
  HangMonitor.enteredCommutative(A, true);
  HangMonitor.bodyBegins(A, 0);
  HangMonitor.enteredCommutative(B, false);
  HangMonitor.waitBegins(Awaits::Task, 0, {}, 2, 0);
  std::string Text = report();
  EXPECT_EQ(Level, LogLevel::Error);
  expectIn("this is a deadlock: task 1 'a' (function) waits for task 2 'b' (function), which waits for task 1 'a' "
           "(function) (whose turn it is with 4 bytes at 0x",
           Text);
  HangMonitor.endOfLast();
  HangMonitor.endOfLast();
}

// A's thread runs B while A waits; B waits for A's sibling that only A's thread may run.
TEST_F(Book, WhatAThreadTookUpMeanwhileStandsBeforeWhatItBeganBefore) {
  TaskNode &A = task(1, "a", {}), &B = task(2, "b", {});
  TaskNode &Child = task(3, "child", {}, &A);
  HangMonitor.bodyBegins(A, 0);
  HangMonitor.waitBegins(Awaits::Children, 1, {}, 0, 0);
  HangMonitor.bodyBegins(B, 0);
  std::string Text = report();
  EXPECT_EQ(Level, LogLevel::Warning);
  expectIn("task 1 'a' (function): began on CPU 0 for 3600.0 s, and waits for task 3 'child' (function), task 2 'b' "
           "(function) (which its thread has taken up meanwhile)",
           Text);
  expectIn("CPU 0: runs task 1 'a' (function) for 3600.0 s; there it in taskwait for 3600.0 s, until the children are "
           "complete; there it runs task 2 'b' (function)",
           Text);
  for (int I = 0; I < 3; ++I)
    HangMonitor.endOfLast();
  (void)Child;
}

TEST_F(Book, AReportHasAnEnd) {
  for (TaskId Id = 1; Id <= 1000; ++Id)
    task(Id, "one of many", {});
  std::string Text = report();
  expectIn("not complete: 1000 tasks", Text);
  expectIn("and 950 more", Text);
  EXPECT_LT(std::ranges::count(Text, '\n'), 70);
}

// --- with an executor

// A report of a machine at which the test looks when it likes.
struct Watched : testing::TestWithParam<unsigned> {
  MachineOptions options(unsigned Cpus) {
    MachineOptions O;
    O.Cpus = Cpus;
    O.Exec.Watchdog = 24h;
    return O;
  }
  static std::string report(Machine &M) {
    auto R = M.Exec->watchdog()->report(M.Time.now() + 48h);
    return R ? R->Text : "";
  }
};

TEST_F(Watched, NoWatchdogWithoutARequest) {
  Machine M;
  EXPECT_EQ(M.Exec->watchdog(), nullptr);
}

TEST_F(Watched, AProgramInEveryState) {
  Machine M(options(2));
  int X = 0, Y = 0, Z = 0;
  std::promise<void> Began, Go, ChildBegan;
  std::shared_future<void> Gone = Go.get_future().share();
  M.submit(
      {inout(X)},
      [&] {
        M.submit({}, [&] { ChildBegan.set_value(); }, "grandchild");
        Began.set_value();
        Gone.wait();
      },
      "holder");
  Began.get_future().wait(); // On CPU 1: this thread does not wait as the runtime knows it.
  M.submit({in(X), on(HSCHED_COMMUTATIVE, &Y, sizeof(Y))}, [] {}, "after");
  M.submit({inout(Z)}, [] {}, "free");
  std::string Text = report(M);
  expectIn("task 1 'holder' (function): runs on CPU 1", Text);
  expectIn("'grandchild' (function), child of task 1 'holder' (function): ready since", Text);
  expectIn("'after' (function): waits for 1 task: task 1 'holder' (function) (4 bytes at 0x", Text);
  expectIn("'free' (function): ready since", Text);
  expectIn("CPU 0: works when the program waits", Text);
  Go.set_value();
  M.wait();
  EXPECT_EQ(report(M), "");
}

TEST_F(Watched, TurnsAndChildren) {
  Machine M(options(3));
  int X = 0;
  std::promise<void> Began, Go;
  std::shared_future<void> Gone = Go.get_future().share();
  M.submit(
      {on(HSCHED_COMMUTATIVE, &X, sizeof(X))},
      [&] {
        M.submit(
            {},
            [&] {
              Began.set_value();
              Gone.wait();
            },
            "child");
      },
      "first");
  Began.get_future().wait();
  M.submit({on(HSCHED_COMMUTATIVE, &X, sizeof(X))}, [] {}, "second");
  std::string Text;
  while ((Text = report(M)).find("its body has ended") == std::string::npos) // The other worker is about to say so.
    std::this_thread::yield();
  expectIn("task 1 'first' (function): its body has ended; waits for task 2 'child' (function) (its child)", Text);
  expectIn("task 3 'second' (function): waits for its turn: task 1 'first' (function) (whose turn it is with 4 bytes",
           Text);
  Go.set_value();
  M.wait();
}

TEST_F(Watched, AThreadThatWaits) {
  Machine M(options(2));
  int X = 0;
  std::promise<void> Began, Go;
  std::shared_future<void> Gone = Go.get_future().share();
  M.submit(
      {inout(X)},
      [&] {
        Began.set_value();
        Gone.wait();
      },
      "slow");
  Began.get_future().wait();
  std::thread Foreign([&] {
    Access Named[] = {in(X)};
    M.Exec->taskwaitOn(threadState(), Named, true);
  });
  std::string Text;
  while ((Text = report(M)).find("taskwait on") == std::string::npos)
    std::this_thread::yield();
  expectIn("in taskwait on (4 bytes at 0x", Text);
  expectIn(", until these are complete: task 1 'slow' (function)", Text);
  Go.set_value();
  Foreign.join();
}

TEST_F(Watched, OneWorkerRunsTasksWithoutAWait) {
  Machine M(options(1));
  std::binary_semaphore Ran{0};
  M.submit({}, [&] { Ran.release(); }, "left");
  Ran.acquire();
  M.wait();
}

TEST_F(Watched, OpenReductionsAreNoTasks) {
  Machine M(options(2));
  static const hsched_reduction_op Add = {
      sizeof(Add),
      "+",
      sizeof(long),
      alignof(long),
      [](void *P, const void *, size_t N) { std::fill_n(static_cast<long *>(P), N, 0L); },
      [](void *Into, const void *From, size_t N) {
        for (size_t I = 0; I < N; ++I)
          static_cast<long *>(Into)[I] += static_cast<const long *>(From)[I];
      },
      nullptr,
      0};
  struct Args {
    long *Sum;
    std::function<void()> Body;
  };
  FunctionType Adds("adds");
  Adds.Desc.args_bytes = sizeof(Args);
  Adds.Desc.destroy = [](void *A) { static_cast<Args *>(A)->~Args(); };
  Adds.Cpu.run = [](void *A) {
    static_cast<Args *>(A)->Body();
    ++*static_cast<Args *>(A)->Sum;
  };
  long Sum = 0;
  std::promise<void> Began, Go;
  std::shared_future<void> Gone = Go.get_future().share();
  std::atomic<int> Runs{0};
  auto submit = [&](std::function<void()> Body) {
    TaskNode &T = M.Exec->begin(threadState(), Adds.Type, 1);
    auto *A = new (T.Args) Args{&Sum, std::move(Body)};
    T.AccessList[0] = on(HSCHED_REDUCTION, &Sum, sizeof(Sum), 0);
    hsched_reduction R{0, &A->Sum, &Add};
    hsched_submit_options How{};
    How.struct_bytes = sizeof(How);
    How.n_reductions = 1;
    How.reductions = &R;
    M.Exec->submit(threadState(), T, How);
  };
  submit([&] {
    Began.set_value();
    Gone.wait();
    ++Runs;
  });
  Began.get_future().wait();
  expectIn("reduction 2 '+': waits for its 1 member: task 1 'adds'", report(M));
  Go.set_value();
  while (!report(M).empty()) // Nothing of the program's is left, the reduction being open still.
    std::this_thread::yield();
  M.wait();
  EXPECT_EQ(Sum, 1);
  EXPECT_EQ(Runs, 1);
}

TEST_F(Watched, ADeviceThatDoesNotComeBack) {
  MachineOptions O = options(1);
  O.Devices = 1;
  Machine M(O);
  static std::promise<void> Began, Go;
  sim::simRegisterKernel("watched_sim", [](const hsched_ndrange &, std::span<const sim::SimArg>) {
    Began.set_value();
    Go.get_future().wait();
    return hsched::status();
  });
  hsched_kernel_desc Kernel{};
  Kernel.name = Kernel.entry = "watched_sim";
  Kernel.fill = [](const void *, hsched_ndrange *Range, hsched_kernel_arg *) {
    Range->dims = 1;
    Range->global[0] = 1;
  };
  FunctionType Far("far");
  hsched_version_desc OnDevice{};
  OnDevice.linker_name = OnDevice.name = "far_cl";
  OnDevice.device = HSCHED_DEVICE_OPENCL;
  OnDevice.kernel = &Kernel;
  Far.Type.Versions[0].Desc = &OnDevice;
  M.submitTo(Far.Type, {}, FunctionType::Args{[] {}});
  Began.get_future().wait();
  std::string Text = report(M);
  expectIn("1 task runs, which may only be long", Text);
  expectIn("task 1 'far': on Sim 0 for 172800.", Text);
  Go.set_value();
  M.wait();
}

TEST_F(Watched, TheThreadWrites) {
  std::promise<void> Written;
  std::atomic<bool> Once{false};
  setLogSink([&](LogLevel, std::string_view Text) {
    if (Text.find("watchdog: ") != std::string_view::npos && !Once.exchange(true))
      Written.set_value();
  });
  {
    MachineOptions O;
    O.Exec.Watchdog = 1ms;
    Machine M(O);
    M.submit({}, [&] { Written.get_future().wait(); });
    M.wait();
  }
  setLogSink({});
}

// Quick ways are taken, and what runs in one of them is named.
TEST_P(Watched, FastPathsAreTakenAndNamed) {
  const unsigned Cpus = GetParam();
  MachineOptions O = options(Cpus);
  O.Policy = "versioning";
  Machine M(O);
  EXPECT_EQ(M.Exec->runsCalls(), Cpus == 1);
  EXPECT_EQ(M.Exec->makesBundles(), Cpus > 1);
  M.Nanoseconds = 300;
  FunctionType Stuck("stuck");
  Stuck.Desc.args_bytes = M.Functions.Desc.args_bytes;
  int X = 0;
  std::promise<void> Began, Go;
  std::shared_future<void> Gone = Go.get_future().share();
  std::string Text;
  auto lookAtIt = [&] {
    Began.get_future().wait();
    Text = report(M);
    Go.set_value();
  };
  std::thread Looks(lookAtIt);
  for (int I = 0; I < 3; ++I)
    M.submit({inout(X)}, [&] { ++X; });
  M.submitTo(Stuck.Type, {inout(X)}, FunctionType::Args{[&] {
               Began.set_value();
               Gone.wait();
             }});
  M.submit({inout(X)}, [&] { ++X; });
  M.wait();
  Looks.join();
  EXPECT_EQ(X, 4);
  expectIn("1 task runs, which may only be long", Text);
  expectIn("runs 'stuck', which is short as a rule", Text);
  if (Cpus > 1)
    expectIn("of short tasks, first '", Text); // An idle worker may have taken those before it.
  EXPECT_EQ(report(M), "");
}

// A call becomes a task when it has a child that is none: both are named, and waits are known by their number.
TEST_F(Watched, ACallThatWaits) {
  MachineOptions O = options(1);
  O.Policy = "versioning";
  Machine M(O);
  std::string Text;
  M.submit({}, [&] {
    hsched_submit_options Urgent{};
    Urgent.priority = 1;
    TaskNode &Child = M.Exec->begin(threadState(), M.Functions.Type, 0); // The long way.
    new (Child.Args) FunctionType::Args{[&] { Text = report(M); }};
    M.Exec->submit(threadState(), Child, Urgent);
    M.wait();
  });
  M.wait();
  expectIn("'function': began on CPU 0", Text);
  expectIn("runs 'function', which is short as a rule; there it runs task 1 'function'", Text);
  expectIn("in taskwait for", Text);
  EXPECT_EQ(report(M), "");
}

TEST_F(Book, AListThatChangesIsProgress) {
  BodyList List;
  List.Thread = 12345;
  Watchdog Other{Where, Time, 10s, [this](int) { return Thread; }, [&](const auto &Visit) { Visit(List, 1); }};
  EXPECT_FALSE(Other.look(Time.now()));
  List.begin("quick");
  Time.advance(9s);
  EXPECT_FALSE(Other.look(Time.now()));
  Time.advance(9s);
  EXPECT_FALSE(Other.look(Time.now())); // It had progressed at the last check.
  List.end();
  List.begin("quick");
  Time.advance(9s);
  EXPECT_FALSE(Other.look(Time.now()));
  Time.advance(10s);
  auto R = Other.look(Time.now());
  ASSERT_TRUE(R);
  expectIn("1 task runs, which may only be long", R->Text);
  expectIn("thread 12345, CPU 1: runs 'quick', which is short as a rule", R->Text);
  Thread = 'S';
  Time.advance(20s);
  R = Other.look(Time.now());
  ASSERT_TRUE(R);
  expectIn("but its thread sleeps", R->Text);
  List.end();
  Time.advance(1h);
  EXPECT_FALSE(Other.look(Time.now()));
  Time.advance(1h);
  EXPECT_FALSE(Other.look(Time.now()));
}

// What it watches computes the same.
TEST_P(Watched, AllKindsOfWork) {
  MachineOptions O = options(GetParam());
  O.Exec.Window = 8;
  Machine M(O);
  long X = 1, Meet = 0;
  for (int I = 0; I < 200; ++I) {
    M.submit({inout(X)}, [&, I] {
      long Y = 0;
      for (int J = 0; J < 3; ++J)
        M.submit({inout(Y)}, [&Y, J] { Y += J; });
      M.wait();
      X = (X * 7 + I + Y) % 1000003;
    });
    M.submit({on(HSCHED_COMMUTATIVE, &Meet, sizeof(Meet))}, [&] { ++Meet; });
    hsched_submit_options InPlace{};
    InPlace.flags = HSCHED_SUBMIT_UNDEFERRED;
    if (I % 50 == 0)
      M.submitTo(M.Functions.Type, {inout(X)}, FunctionType::Args{[&X] { X += 1; }}, InPlace);
  }
  M.wait();
  long Y = 1;
  for (int I = 0; I < 200; ++I) {
    Y = (Y * 7 + I + 3) % 1000003;
    Y += I % 50 == 0;
  }
  EXPECT_EQ(X, Y);
  EXPECT_EQ(Meet, 200);
  EXPECT_EQ(report(M), "");
}
INSTANTIATE_TEST_SUITE_P(Workers, Watched, testing::Values(1u, 2u, 4u));

} // namespace

// Tasks that are placed on a compute queue of a device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include "trace/Observer.h"
#include <hsched/hsched.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Each task's row of the trace, by label.
struct Rows final : Observer {
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    Of[R.Label] = R.Row;
    How[R.Label] = R.How;
  }
  std::mutex Lock;
  std::map<std::string, RowId> Of;
  std::map<std::string, Outcome> How;
};

class OnAQueue : public testing::TestWithParam<std::string> {
protected:
  static constexpr unsigned Device = 2; // Behind two CPU workers.

  void start() {
    MachineOptions O;
    O.Devices = 1;
    O.Policy = GetParam();
    O.Sim.Queues = 2;
    O.Watch = &Seen;
    M.emplace(O);
    // What the kernel does is the test's; Plus says which task it is.
    sim::simRegisterKernel("add_sim", [this](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
      return Kernel(Args[2].value<long>());
    });
  }
  ~OnAQueue() override { M.reset(); }

  struct Where {
    std::vector<unsigned> Workers{Device};
    unsigned Queue = 0, Flags = HSCHED_PLACEMENT_QUEUE;
    hsched_ref *Declared = nullptr;
    std::vector<hsched_ref *> After{};
    const long *Reads = nullptr; // Null: data without a writer.
  };
  void submit(long Number, const Where &At, const std::string &Label) {
    AddArgs Args{const_cast<long *>(At.Reads ? At.Reads : &Unused), 1, Number};
    hsched_placement Place{sizeof(Place), At.Workers.data(), static_cast<unsigned>(At.Workers.size()),
                           nullptr,       At.Flags,          At.Queue};
    hsched_submit_options Options{};
    Options.label = Label.c_str();
    hsched_access A = on(HSCHED_IN, At.Reads ? At.Reads : &Unused, sizeof(long), 0);
    hsched_submission What{};
    What.type = &Type.Type;
    What.args = &Args;
    What.accesses = &A;
    What.n_accesses = 1;
    What.options = &Options;
    What.placement = &Place;
    What.declared = At.Declared;
    What.after = At.After.data();
    What.n_after = static_cast<unsigned>(At.After.size());
    M->Exec->submit(threadState(), What, nullptr);
  }
  std::string refusal(long Number, const Where &At, const std::string &Label) {
    try {
      submit(Number, At, Label);
    } catch (const std::invalid_argument &E) {
      return E.what();
    }
    return "";
  }

  long Unused = 0, Written = 0;
  Rows Seen;
  AddType Type;
  std::function<hsched::status(long)> Kernel = [](long) { return hsched::status(); };
  std::optional<Machine> M;
};

TEST_P(OnAQueue, OneRunsAfterAnotherInTheirOrder) {
  std::mutex Lock;
  std::vector<long> Order[2];
  std::atomic<int> Running[2] = {0, 0};
  std::atomic<bool> Met{false};
  Kernel = [&](long N) {
    Met = Met || Running[N % 2]++ != 0;
    {
      std::lock_guard Guard(Lock);
      Order[N % 2].push_back(N);
    }
    --Running[N % 2];
    return hsched::status();
  };
  start();
  std::vector<long> Odd, Even;
  for (long N = 0; N < 300; ++N) {
    submit(N, {.Queue = static_cast<unsigned>(N % 2)}, "n" + std::to_string(N));
    (N % 2 ? Odd : Even).push_back(N);
    if (N % 3 == 0) // Beside others that are placed nowhere.
      M->submit({}, [] {});
  }
  M->wait();
  EXPECT_FALSE(Met);
  EXPECT_EQ(Order[0], Even);
  EXPECT_EQ(Order[1], Odd);
  for (long N = 0; N < 300; ++N)
    ASSERT_EQ(Seen.Of["n" + std::to_string(N)], computeRow(Device, static_cast<unsigned>(N % 2))) << N;
}

TEST_P(OnAQueue, TwoQueuesOverlap) {
  std::atomic<int> Begun{0};
  std::atomic<bool> Together{true};
  Kernel = [&](long) { // Each waits for the other.
    ++Begun;
    for (TimePoint End = SteadyClock().now() + std::chrono::seconds(20); Begun < 2;) {
      if (SteadyClock().now() > End)
        return Together = false, hsched::status();
      std::this_thread::yield();
    }
    return hsched::status();
  };
  start();
  submit(1, {.Queue = 0}, "first");
  submit(2, {.Queue = 1}, "second");
  M->wait();
  EXPECT_TRUE(Together);
}

TEST_P(OnAQueue, WhatCannotBeMetIsRefusedByName) {
  start();
  EXPECT_EQ(refusal(1, {.Queue = 2}, "third"),
            "task 'third' cannot be submitted: it is placed on queue 2 of Sim 0, which has 2");
  EXPECT_EQ(
      refusal(1, {.Workers = {1}}, "core"),
      "task 'core' cannot be submitted: it is placed on queue 0 of CPU 1, which is not a device and has no queues");
  EXPECT_EQ(refusal(1, {.Workers = {1, Device}}, "two"),
            "task 'two' cannot be submitted: it is placed on queue 0, for which one device has to be named, and no "
            "component");
  EXPECT_EQ(refusal(1, {.Flags = 6}, "flags"), "task 'flags' cannot be submitted: its placement has unknown flags 6");
  TaskNode &Later = M->Exec->declare(threadState(), "later");
  auto *Ref = reinterpret_cast<hsched_ref *>(&Later);
  submit(1, {.After = {Ref}}, "behind");
  EXPECT_EQ(refusal(2, {.Declared = Ref}, "later"),
            "task 'later' cannot be submitted: it would come after itself: on its queue, it comes after task 'behind', "
            "which comes after 'later'");
  submit(2, {.Queue = 1, .Declared = Ref}, "later");
  Executor::releaseNamed(threadState(), Later);
  M->wait();
}

TEST_P(OnAQueue, AFailureCancelsWhatIsBehindItUntilItIsThrown) {
  std::atomic<int> Ran{0};
  Kernel = [&](long) {
    ++Ran;
    return hsched::status();
  };
  start();
  M->submit({out(Written)}, [] { throw std::runtime_error("of the test"); });
  submit(2, {.Reads = &Written}, "behind the failure");
  submit(3, {}, "behind that one");
  EXPECT_THROW(M->wait(), std::runtime_error);
  EXPECT_EQ(Ran, 0);
  EXPECT_EQ(Seen.How["behind that one"], Outcome::Cancelled);
  submit(4, {}, "afterwards");
  EXPECT_NO_THROW(M->wait());
  EXPECT_EQ(Ran, 1);
}

// One task's children do not wait for what another one has placed there.
TEST_P(OnAQueue, OrderIsAmongTheChildrenOfOneTask) {
  std::mutex Lock;
  std::vector<long> Order;
  Kernel = [&](long N) {
    std::lock_guard Guard(Lock);
    Order.push_back(N);
    return hsched::status();
  };
  start();
  std::atomic<bool> Placed{false};
  M->submit({out(Written)}, [&] {
    while (!Placed) // What comes after this task is on the queue already.
      std::this_thread::yield();
    submit(1, {}, "child");
    M->Exec->taskwait(threadState(), false);
  });
  submit(2, {.Reads = &Written}, "behind its parent");
  Placed = true;
  M->wait();
  EXPECT_EQ(Order, (std::vector<long>{1, 2}));
}

INSTANTIATE_TEST_SUITE_P(All, OnAQueue, testing::Values("eager", "versioning", "dmdas"));

} // namespace

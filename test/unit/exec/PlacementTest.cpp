// Where submissions let tasks run: sets of workers, components; under every policy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include "graph/Placement.h"
#include "trace/Observer.h"
#include <hsched/hsched.h>

#include <mutex>
#include <set>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Which worker ran which task, by label.
struct Places final : Observer {
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    if (R.How == Outcome::Done)
      Of[R.Label].insert(R.Worker);
  }
  std::mutex Lock;
  std::map<std::string, std::multiset<WorkerId>> Of;
};

class Placing : public testing::TestWithParam<std::string> {
protected:
  void start(unsigned Cpus, unsigned Devices, bool Watched = true) {
    MachineOptions O;
    O.Cpus = Cpus;
    O.Devices = Devices;
    O.Policy = GetParam();
    O.Watch = Watched ? &Seen : nullptr;
    M.emplace(O);
  }
  ~Placing() override { M.reset(); }

  void submit(AddType &Type, long &X, const char *Label, std::vector<unsigned> Workers, hsched_component *C = nullptr) {
    AddArgs Args{&X, 1, 1};
    hsched_access A = on(HSCHED_INOUT, &X, sizeof(X), 0);
    hsched_placement Where{
        sizeof(Where), Workers.empty() ? nullptr : Workers.data(), static_cast<unsigned>(Workers.size()), C, 0, 0};
    hsched_submit_options Options{};
    Options.label = Label;
    hsched_submission What{};
    What.type = &Type.Type;
    What.args = &Args;
    What.accesses = &A;
    What.n_accesses = 1;
    What.options = &Options;
    What.placement = &Where;
    M->Exec->submit(threadState(), What, nullptr);
  }
  std::set<WorkerId> placesOf(const std::string &Label) {
    std::lock_guard Guard(Seen.Lock);
    return {Seen.Of[Label].begin(), Seen.Of[Label].end()};
  }
  std::string refusal(const std::function<void()> &Do) {
    try {
      Do();
    } catch (const std::exception &E) {
      return E.what();
    }
    return "";
  }

  Places Seen;
  std::optional<Machine> M;
};

TEST_P(Placing, OneWorkerRunsThemAll) {
  start(4, 0);
  AddType Type(AddType::Cpu);
  std::array<long, 200> X{};
  for (long &Each : X)
    submit(Type, Each, "on 2", {2});
  M->wait();
  EXPECT_EQ(placesOf("on 2"), (std::set<WorkerId>{2}));
  EXPECT_EQ(std::ranges::count(X, 1), 200);
}

TEST_P(Placing, OnlyThoseNamed) {
  start(4, 2);
  AddType Type;
  std::array<long, 400> X{};
  for (size_t I = 0; I < X.size(); ++I)
    I % 2 ? submit(Type, X[I], "cores", {1, 3}) : submit(Type, X[I], "device", {5});
  M->wait();
  EXPECT_EQ(placesOf("device"), (std::set<WorkerId>{5}));
  for (WorkerId W : placesOf("cores"))
    EXPECT_TRUE(W == 1 || W == 3) << W;
  EXPECT_EQ(std::ranges::count(X, 1), 400);
}

// The main thread does not wait meanwhile, so worker 0 runs nothing.
TEST_P(Placing, WhoIsNotTheMainThreadRunsItAtOnce) {
  start(3, 0, false);
  FunctionType Functions;
  std::atomic<int> Ran{0}, Elsewhere{0};
  unsigned Workers[] = {0, 2};
  hsched_placement Where{sizeof(Where), Workers, 2, nullptr, 0, 0};
  for (int I = 0; I < 100; ++I) {
    FunctionType::Args Args{[&] {
      const WorkerId Me = threadState().S ? threadState().S->W->Id : NoWorker;
      Elsewhere += Me != 0 && Me != 2;
      ++Ran;
    }};
    hsched_submission What{};
    What.type = &Functions.Type;
    What.args = &Args;
    What.move = [](void *To, void *From) {
      new (To) FunctionType::Args(std::move(*static_cast<FunctionType::Args *>(From)));
    };
    What.placement = &Where;
    M->Exec->submit(threadState(), What, nullptr);
  }
  while (Ran < 100)
    std::this_thread::yield();
  M->wait();
  EXPECT_EQ(Elsewhere, 0);
}

TEST_P(Placing, APlacementWithoutASuitableWorkerFails) {
  start(2, 1);
  AddType OnlyCpu(AddType::Cpu);
  long X = 0;
  submit(OnlyCpu, X, "lonely", {2});
  EXPECT_EQ(refusal([&] { M->wait(); }),
            "task 'lonely' failed: no worker that its submission allows (Sim 0) can run it: "
            "version 'add' needs a CPU");
  EXPECT_EQ(refusal([&] { submit(OnlyCpu, X, "lost", {7}); }),
            "task 'lost' cannot be submitted: it is placed on worker 7, and there are 3");
  submit(OnlyCpu, X, "well", {1});
  M->wait();
  EXPECT_EQ(X, 1);
}

TEST_P(Placing, AComponentStaysTogether) {
  start(3, 2);
  AddType Type;
  for (int Round = 0; Round < 20; ++Round) {
    std::shared_ptr<Component> C = M->Exec->makeComponent("part");
    auto *Handle = reinterpret_cast<hsched_component *>(&C);
    std::string Label = "round " + std::to_string(Round);
    std::array<long, 12> X{};
    for (long &Each : X)
      submit(Type, Each, Label.c_str(), {}, Handle);
    M->wait();
    std::set<WorkerId> At = placesOf(Label);
    EXPECT_TRUE(At.size() == 1 || std::ranges::all_of(At, [](WorkerId W) { return W < 3; })) << Label;
    EXPECT_EQ(std::ranges::count(X, 1), 12);
  }
}

TEST_P(Placing, AComponentGoesWhereAllOfItCan) {
  start(2, 1);
  AddType Both, OnlyDevice(AddType::Device), OnlyCpu(AddType::Cpu);
  std::shared_ptr<Component> C = M->Exec->makeComponent("part");
  auto *Handle = reinterpret_cast<hsched_component *>(&C);
  long X = 0, Y = 0, Z = 0;
  submit(OnlyDevice, X, "first", {}, Handle);
  submit(Both, Y, "second", {}, Handle);
  EXPECT_EQ(refusal([&] { submit(OnlyCpu, Z, "third", {}, Handle); }),
            "task 'third' cannot be submitted: no device can run it and all tasks that were submitted to component "
            "'part' before it");
  M->wait();
  EXPECT_EQ(placesOf("second"), (std::set<WorkerId>{2}));
  EXPECT_EQ(X + Y + Z, 2);
}

INSTANTIATE_TEST_SUITE_P(All, Placing,
                         testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws", "adaptive", "darts"));

} // namespace

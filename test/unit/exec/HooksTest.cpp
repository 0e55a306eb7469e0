// Calls of a policy during a task's life, the workers it may steal from, and the record of every choice.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"
#include "Machine.h"

#include <deque>
#include <map>
#include <mutex>
#include <semaphore>
#include <set>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// One queue for each worker; tasks go to the worker of Home. Records its calls.
class Listening final : public Policy {
public:
  static inline Listening *Last = nullptr;
  static inline WorkerId Home = 0;
  static inline unsigned Wanted = HookSubmitted | HookEdges | HookStarted | HookArrived;

  Listening() { Last = this; }
  unsigned hooks() const override { return Wanted; }
  void start(PolicyHost &H) override {
    Host = &H;
    Queues.resize(H.platform().Workers.size());
  }
  void submitted(const Task &T, TaskId Parent) override {
    note(T.Id, "submitted");
    std::lock_guard Guard(Lock);
    Parents[T.Id] = Parent;
  }
  void edge(TaskId From, TaskId To) override {
    std::lock_guard Guard(Lock);
    Edges.emplace(From, To);
  }
  void push(Task &T, WorkerId) override {
    note(T.Id, "ready");
    {
      std::lock_guard Guard(Lock);
      Queues[Home].push_back(&T);
    }
    for (const Worker &W : Host->platform().Workers)
      Host->wake(W.Id);
  }
  bool pop(WorkerId W, Assignment &Out) override { return takeFrom(W, W, Out); }
  bool steal(WorkerId W, WorkerId Victim, Assignment &Out) override {
    {
      std::lock_guard Guard(Lock);
      if (auto &Tried = Asked[W]; Tried.size() + 1 < Queues.size())
        Tried.push_back(Victim);
    }
    return takeFrom(Victim, W, Out);
  }
  void activated(WorkerId) override {
    std::lock_guard Guard(Lock);
    Order.push_back("that is all");
  }
  void arrived(const Task &T, WorkerId) override { note(T.Id, "arrived"); }
  void started(const Task &T, const Version &, WorkerId) override { note(T.Id, "started"); }
  void completed(const Task &T, const Version &, WorkerId, Duration) override { note(T.Id, "completed"); }

  void complete(const Task &T) override {
    std::lock_guard Guard(Lock);
    ++Complete[T.Id];
  }

  void note(TaskId Id, const char *What) {
    std::lock_guard Guard(Lock);
    Notes[Id].push_back(What);
    if (std::string_view(What) == "ready" || std::string_view(What) == "completed")
      Order.push_back(What + (" " + std::to_string(Id)));
  }
  bool takeFrom(WorkerId Of, WorkerId W, Assignment &Out) {
    std::lock_guard Guard(Lock);
    auto &Queue = Queues[Of];
    for (auto It = Queue.begin(); It != Queue.end(); ++It)
      for (unsigned V = 0; V < (*It)->Type->numVersions(); ++V)
        if (Platform::usable(Host->platform().Workers[W], (*It)->Type->Versions[V], **It)) {
          Out = {*It, &(*It)->Type->Versions[V]};
          Queue.erase(It);
          return true;
        }
    return false;
  }

  PolicyHost *Host = nullptr;
  std::mutex Lock; // Guards the rest.
  std::deque<std::deque<Task *>> Queues;
  std::map<TaskId, std::vector<std::string>> Notes;
  std::vector<std::string> Order; // Notes of all tasks.
  std::map<TaskId, TaskId> Parents;
  std::map<TaskId, int> Complete;
  std::multiset<std::pair<TaskId, TaskId>> Edges;
  std::map<WorkerId, std::vector<WorkerId>> Asked;
};
HSCHED_POLICY(Listening, "listening", "for this test");

MachineOptions listening(unsigned Cpus, unsigned Hooks, WorkerId Home = 0, unsigned Devices = 0) {
  Listening::Wanted = Hooks;
  Listening::Home = Home;
  MachineOptions O;
  O.Cpus = Cpus;
  O.Devices = Devices;
  O.Policy = "listening";
  return O;
}

using Story = std::vector<std::string>;

TEST(Hooks, TellATasksWayInOrder) {
  Machine M(listening(1, HookSubmitted | HookEdges | HookStarted | HookArrived));
  int X = 0, Y = 0;
  std::binary_semaphore BothAre{0}; // Submitted: the child is the third task.
  M.submit({inout(X)}, [&] {
    BothAre.acquire();
    M.submit({inout(Y)}, [&] { ++Y; });
  });
  M.submit({inout(X)}, [&] { ++X; });
  BothAre.release();
  M.wait();
  Listening &P = *Listening::Last;
  const Story Whole{"submitted", "ready", "arrived", "started", "completed"};
  EXPECT_EQ(P.Notes[1], Whole);
  EXPECT_EQ(P.Notes[2], Whole);
  EXPECT_EQ(P.Notes[3], Whole);
  EXPECT_EQ(P.Parents[1], 0u);
  EXPECT_EQ(P.Parents[3], 1u) << "the child of the first task";
  EXPECT_EQ(P.Edges, (std::multiset<std::pair<TaskId, TaskId>>{{1, 2}}));
}

// A policy that counts outstanding tasks must be notified of the end of each.
TEST(Hooks, TellTheEndOfEachTaskThatWasSubmitted) {
  Machine M(listening(1, HookSubmitted));
  int X = 0, Y = 0;
  M.submit({inout(X)}, [] { throw std::runtime_error("fails"); });
  M.submit({inout(X)}, [&] { ++Y; }); // Cancelled.
  hsched_submit_options AtOnce{};
  AtOnce.flags = HSCHED_SUBMIT_UNDEFERRED; // As a rule the policy does not get it.
  M.submitTo(M.Functions.Type, {inout(Y)}, FunctionType::Args{[&] { ++Y; }}, AtOnce);
  EXPECT_THROW(M.wait(), std::runtime_error);
  M.submit({inout(X)}, [&] { ++X; });
  M.wait();
  EXPECT_EQ(Listening::Last->Complete, (std::map<TaskId, int>{{1, 1}, {2, 1}, {3, 1}, {4, 1}}));
}

TEST(Hooks, OfADeviceToo) {
  Machine M(listening(1, HookStarted | HookArrived, 1, 1));
  AddType Add;
  long X[4] = {};
  Add.submit(M, X, 4, 1);
  M.wait();
  EXPECT_EQ(X[3], 1);
  EXPECT_EQ(Listening::Last->Notes[1], (Story{"ready", "arrived", "started", "completed"}));
}

// A policy that sorts what one completion made ready has to know where that ends.
TEST(Hooks, TellWhenAllThatOneCompletionMadeReadyHasBeenPushed) {
  Machine M(listening(1, HookActivated));
  int X = 0, Y = 0, Z = 0;
  std::binary_semaphore Submitted{0}; // Another thread may begin while this one is kept from it.
  M.submit({inout(X)}, [&] {
    Submitted.acquire();
    ++X;
  });
  M.submit({in(X), inout(Y)}, [&] { ++Y; });
  M.submit({in(X), inout(Z)}, [&] { ++Z; });
  Submitted.release();
  M.wait();
  EXPECT_EQ(Listening::Last->Order, (Story{"ready 1", "completed 1", "ready 2", "ready 3", "that is all", "completed 2",
                                           "that is all", "completed 3", "that is all"}));
}

TEST(Hooks, ReceiveOnlyRequestedEvents) {
  Machine M(listening(1, 0));
  int X = 0;
  M.submit({inout(X)}, [&] { ++X; });
  M.submit({inout(X)}, [&] { ++X; });
  M.wait();
  EXPECT_EQ(Listening::Last->Notes[2], (Story{"ready", "completed"}));
  EXPECT_TRUE(Listening::Last->Edges.empty());
}

// All tasks wait for worker 0, whose thread is busy: they end only if the others rob it.
TEST(Hooks, WorkersWithoutWorkRobTheNearestFirst) {
  MachineOptions O = listening(4, StealsTasks);
  O.Exec.CoreOf = {0, 1, 2, 3};
  O.Exec.Distance = [](unsigned A, unsigned B) { return A > B ? A - B : B - A; };
  Machine M(O);
  std::atomic<int> Ran{0};
  std::binary_semaphore All{0};
  for (int I = 0; I < 50; ++I)
    M.submit({}, [&] {
      if (++Ran == 50)
        All.release();
    });
  All.acquire();
  M.wait();
  Listening &P = *Listening::Last;
  std::lock_guard Guard(P.Lock);
  ASSERT_FALSE(P.Asked.empty());
  for (auto &[Thief, Victims] : P.Asked) {
    unsigned Before = 0;
    for (WorkerId V : Victims) {
      EXPECT_NE(V, Thief);
      const unsigned Far = V > Thief ? V - Thief : Thief - V;
      if (&V != &Victims.front() && Far < Before)
        break; // The next round of asking.
      EXPECT_GE(Far, Before);
      Before = Far;
    }
    EXPECT_EQ(Victims.front() > Thief ? Victims.front() - Thief : Thief - Victims.front(), 1u) << "of thief " << Thief;
  }
}

// --- the record of choices

class Recorder final : public Observer {
public:
  bool wantsDecisions() const override { return true; }
  void decided(const DecisionRecord &R) override {
    std::lock_guard Guard(Lock);
    All[R.Id].push_back({R.Why, R.Version, R.Worker, R.Candidates.size()});
  }
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    Ran[R.Id] = {"", R.Version ? R.Version : "", R.Worker, 0};
  }
  struct Choice {
    std::string Why, Version;
    WorkerId W = 0;
    size_t Candidates = 0;
  };
  std::mutex Lock;
  std::map<TaskId, std::vector<Choice>> All;
  std::map<TaskId, Choice> Ran;
};

class Records : public testing::TestWithParam<const char *> {};

TEST_P(Records, EveryTaskThatRanHasAChoiceThatAgrees) {
  Recorder Seen;
  MachineOptions O;
  O.Policy = GetParam();
  O.Cpus = 2;
  O.Devices = 1;
  O.Watch = &Seen;
  constexpr int Tasks = 60;
  {
    Machine M(O);
    AddType Add;
    std::vector<long> X(16 * 8);
    for (int I = 0; I < Tasks; ++I)
      Add.submit(M, X.data() + I % 8 * 16, 16, 1);
    M.wait();
  }
  ASSERT_EQ(Seen.Ran.size(), size_t(Tasks));
  for (auto &[Id, Ran] : Seen.Ran) {
    ASSERT_FALSE(Seen.All[Id].empty()) << "task " << Id;
    const Recorder::Choice &Last = Seen.All[Id].back();
    EXPECT_EQ(Last.Version, Ran.Version) << "task " << Id;
    EXPECT_EQ(Last.W, Ran.W) << "task " << Id;
    EXPECT_GE(Last.Candidates, 1u) << Last.Why;
  }
}
INSTANTIATE_TEST_SUITE_P(Policies, Records, testing::Values("eager", "versioning", "dmdas", "heft", "prio", "ws"));

} // namespace

// An observer of every task that accepts delayed reports changes nothing. Calls, bundles and stealing continue, and the
// observer finally gets the same reports as without delay.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <array>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Records every task: at the end, or as it happens if Live.
class Recorder final : public Observer {
public:
  explicit Recorder(bool Live = false) : Live(Live) {}
  bool wantsEachTask() const override { return Live; }
  bool wantsLog() const override { return !Live; }
  void submitted(const SubmitRecord &R) override {
    std::lock_guard Guard(Lock);
    EXPECT_TRUE(Tasks.emplace(R.Id, Task{R.Parent, R.Label, R.Modes, R.DataBytes, R.Cost}).second) << R.Id;
  }
  void dependence(TaskId From, TaskId To) override {
    std::lock_guard Guard(Lock);
    Edges.emplace(From, To);
  }
  void ran(const RunRecord &R) override {
    std::lock_guard Guard(Lock);
    EXPECT_TRUE(Runs.emplace(R.Id, R).second) << R.Id;
    EXPECT_GE(R.Ran.End, R.Ran.Begin);
  }
  size_t all(Outcome How) const {
    return static_cast<size_t>(std::ranges::count_if(Runs, [How](const auto &R) { return R.second.How == How; }));
  }

  struct Task {
    TaskId Parent;
    std::string Label, Modes;
    uint64_t Bytes;
    double Cost;
    bool operator==(const Task &) const = default;
  };
  std::mutex Lock;
  std::map<TaskId, Task> Tasks;
  std::set<std::pair<TaskId, TaskId>> Edges;
  std::map<TaskId, RunRecord> Runs;

private:
  const bool Live;
};

MachineOptions watched(Observer *O, unsigned Cpus) {
  MachineOptions Options;
  Options.Cpus = Cpus;
  Options.Policy = "versioning";
  Options.Watch = O;
  return Options;
}

TEST(Log, FastPathsAreTaken) {
  for (unsigned Cpus : {1u, 3u}) {
    Recorder Seen;
    Machine M(watched(&Seen, Cpus));
    EXPECT_EQ(M.Exec->runsCalls(), Cpus == 1);
    EXPECT_EQ(M.Exec->makesBundles(), Cpus != 1);
  }
  Recorder Live(true);
  Machine M(watched(&Live, 1));
  EXPECT_FALSE(M.Exec->runsCalls());
}

TEST(Log, ACallHasItsNumberLabelCostAndTimes) {
  Recorder Seen;
  std::thread::id By;
  {
    Machine M(watched(&Seen, 1));
    long X = 0;
    M.submit({inout(X)}, [&] { By = std::this_thread::get_id(); }, "named");
    hsched_submit_options How{};
    How.flags = HSCHED_SUBMIT_COST;
    How.cost = 7;
    M.submitTo(M.Functions.Type, {in(X)}, FunctionType::Args{[] {}}, How);
  }
  EXPECT_EQ(By, std::this_thread::get_id());
  ASSERT_EQ(Seen.Tasks.size(), 2u);
  EXPECT_EQ(Seen.Tasks[1], (Recorder::Task{0, "named", "inout", sizeof(long), NoCost}));
  EXPECT_EQ(Seen.Tasks[2], (Recorder::Task{0, "function", "in", sizeof(long), 7}));
  EXPECT_EQ(Seen.Edges, (std::set<std::pair<TaskId, TaskId>>{{1, 2}}));
  ASSERT_EQ(Seen.Runs.size(), 2u);
  EXPECT_STREQ(Seen.Runs[1].Version, "function");
  EXPECT_LE(Seen.Runs[1].Ran.End, Seen.Runs[2].Ran.Begin);
}

// More than one chunk of a log; long and short ones, in bundles and not.
TEST(Log, EachTaskIsRecordedOnce) {
  Recorder Seen;
  Machine M(watched(&Seen, 3));
  std::array<long, 16> X{};
  for (int I = 0; I < 40000; ++I) {
    M.Nanoseconds = I % 1000 < 900 ? 300 : 100000;
    M.submit({inout(X[I % 16])}, [&X, I] { ++X[I % 16]; });
  }
  M.stop();
  EXPECT_EQ(X[3], 40000 / 16);
  EXPECT_EQ(Seen.Tasks.size(), 40000u);
  EXPECT_EQ(Seen.all(Outcome::Done), 40000u);
  EXPECT_EQ(Seen.Edges.size(), 40000u - 16);
}

TEST(Log, ChildrenHaveTheirParents) {
  for (unsigned Cpus : {1u, 4u})
    for (uint32_t Nanoseconds : {300u, 100000u}) {
      Recorder Seen;
      Machine M(watched(&Seen, Cpus));
      M.Nanoseconds = Nanoseconds;
      for (int I = 0; I < 20; ++I)
        M.submit({}, [&] {
          for (int J = 0; J < 10; ++J)
            M.submit({}, [] {});
          M.wait();
        });
      M.stop();
      std::map<TaskId, int> Children;
      for (const auto &[Id, T] : Seen.Tasks)
        ++Children[T.Parent];
      EXPECT_EQ(Children.size(), 21u);
      EXPECT_EQ(Children[0], 20);
      for (auto [Parent, N] : Children)
        EXPECT_EQ(N, Parent ? 10 : 20);
      EXPECT_EQ(Seen.all(Outcome::Done), 220u);
    }
}

class LoggedFailures : public testing::TestWithParam<std::pair<unsigned, uint32_t>> {};

TEST_P(LoggedFailures, AndCancelledTasksAreRecordedSeparately) {
  Recorder Seen;
  auto [Cpus, Nanoseconds] = GetParam();
  Machine M(watched(&Seen, Cpus));
  M.Nanoseconds = Nanoseconds;
  long X = 0, Y = 0;
  for (int I = 0; I < 10; ++I)
    M.submit({inout(Y)}, [&] { ++Y; });
  M.submit({inout(X)}, [] { throw std::runtime_error("for this test"); });
  for (int I = 0; I < 5; ++I)
    M.submit({inout(X)}, [&] { ++X; });
  EXPECT_THROW(M.wait(), std::runtime_error);
  M.stop();
  EXPECT_EQ(Seen.Tasks.size(), 16u);
  EXPECT_EQ(Seen.all(Outcome::Done), 10u);
  EXPECT_EQ(Seen.all(Outcome::Failed), 1u);
  EXPECT_EQ(Seen.all(Outcome::Cancelled), 5u);
  EXPECT_EQ(Seen.Runs[11].How, Outcome::Failed);
}
INSTANTIATE_TEST_SUITE_P(Paths, LoggedFailures,
                         testing::Values(std::pair(1u, 300u), std::pair(3u, 300u), std::pair(3u, 100000u)));

// Random programs, with ranges and tiles that overlap partly: what is linked at the end is what was linked then.
TEST(Log, DependencesAreThoseThatTheEngineHad) {
  const unsigned Seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  for (unsigned Round = 0; Round < 30; ++Round) {
    std::array<char, 4096> Memory{};
    auto run = [&](Recorder &Seen, unsigned Cpus) {
      std::mt19937 Random(Seed + Round);
      auto below = [&](unsigned N) { return static_cast<unsigned>(Random() % N); };
      Machine M(watched(&Seen, Cpus));
      const unsigned Width = 64 << below(3), Waits = below(3);
      for (unsigned I = 0; I < 200; ++I) {
        std::vector<Access> Accesses;
        for (unsigned N = 1 + below(3); Accesses.size() < N;) {
          const unsigned Mode = below(8) == 0 ? HSCHED_CONCURRENT + below(2) : HSCHED_IN + below(3);
          Access A = on(Mode, Memory.data() + 8 * below(Width), 8 + 8 * below(4));
          if (below(4) == 0) {
            A.rows = 1 + below(4);
            A.stride = 48;
          }
          Accesses.push_back(A);
        }
        M.Nanoseconds = below(2) ? 300 : 100000;
        M.submit(Accesses, [] {});
        if (Waits && below(50) == 0)
          M.wait();
      }
      M.stop();
    };
    Recorder Live(true);
    run(Live, 1);
    ASSERT_FALSE(Live.Edges.empty());
    for (unsigned Cpus : {1u, 3u}) {
      Recorder Late;
      run(Late, Cpus);
      ASSERT_EQ(Late.Tasks.size(), Live.Tasks.size());
      EXPECT_EQ(Late.Runs.size(), Live.Runs.size());
      for (auto Edge : Live.Edges)
        EXPECT_TRUE(Late.Edges.contains(Edge)) << Cpus << " workers: " << Edge.first << " -> " << Edge.second;
      for (auto [From, To] : Late.Edges)
        EXPECT_LE(Late.Runs[From].Ran.Begin, Late.Runs[To].Ran.End);
    }
  }
}

} // namespace

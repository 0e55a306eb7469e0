// Random programs on random platforms under every policy, against what submission order demands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"
#include "base/Sanitizers.h"

#include <random>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::virt;
using namespace hsched::rt::virt::test;

namespace {

// A program that is kept.
class Kept final : public Program {
public:
  explicit Kept(const std::string &Text) {
    status Made = makeProgram(Text, Of);
    EXPECT_TRUE(Made.ok()) << Made.message();
  }
  const std::vector<std::string> &types() const override { return Of->types(); }
  bool next(TaskSpec &Out) override { return Of->next(Out) && (Tasks.push_back(Out), true); }

  std::vector<TaskSpec> Tasks;

private:
  std::unique_ptr<Program> Of;
};

struct RandomMachine {
  explicit RandomMachine(uint64_t Seed) : Next(Seed) {
    P.Name = "random";
    WorkerKind Core{"core", DeviceKind::Cpu, DeviceType::Cpu, 0, 1e11, 1, 0, {}, {}, {}};
    Core.Speeds["*"] = Speed{false, Duration(below(2000)), {{1, 1e9}}};
    WorkerKind Card{
        "card", DeviceKind::OpenCL, DeviceType::Gpu, 0, 1e11, 1 + static_cast<unsigned>(below(4)), 0, {}, {}, {}};
    Card.Speeds["*"] = Speed{below(2) == 0, Duration(below(2000)), {{1, 2e8}, {20000, 2e10}}};
    for (const char *Type : {"a", "b"})
      if (below(3) == 0)
        Card.Speeds[Type] = std::nullopt;
    if (below(4) == 0)
      Core.Speeds["d"] = std::nullopt;
    // Down to what most tasks have no room in.
    Card.MemoryBytes = 1 << (14 + below(6));
    Card.Overlaps = below(3) != 0;
    Card.SetUp = Duration(below(2) * below(20000));
    P.Kinds = {Core, Card};
    P.Peers = below(2);
    P.Submission = Duration(below(2) * below(3000));
    P.Links.push_back({"bus", 1e9, 2e9, Duration(below(5000)), below(2) == 0});
    for (uint64_t N = 1 + below(4); N > 0; --N)
      P.Workers.push_back({"core #" + std::to_string(P.Workers.size()), 0, {}});
    // Without devices in one of four; what only they can run then is an error.
    const uint64_t Cards = below(4);
    if (Cards == 0)
      P.Kinds[0].Speeds.erase("d");
    for (unsigned I = 0; I < Cards; ++I) {
      P.Links.push_back({"slot", 5e8, 5e8, Duration(below(3000)), true});
      P.Workers.push_back({"card #" + std::to_string(I), 1, {0, I + 1}});
    }
    if (Cards)
      for (auto &[Name, S] : P.Kinds[0].Speeds) // What a device has no room for has to go somewhere.
        if (!S)
          S = P.Kinds[0].Speeds["*"];
    Options.Window = below(3) ? static_cast<unsigned>(below(40)) : 4096;
    Options.Seed = Seed;
    if (Options.Window == 1)
      Options.Window = 2;
  }
  uint64_t below(uint64_t Bound) { return Next() % Bound; }

  std::mt19937_64 Next;
  PlatformModel P;
  SimulationOptions Options;
};

bool overlap(const Access &A, const Access &B) {
  for (size_t I = 0; I < A.rows; ++I)
    for (size_t J = 0; J < B.rows; ++J)
      if (beginOf(A) + I * A.stride < beginOf(B) + J * B.stride + B.bytes &&
          beginOf(B) + J * B.stride < beginOf(A) + I * A.stride + A.bytes)
        return true;
  return false;
}

enum class Demand { None, Apart, InOrder };

Demand demandOf(const TaskSpec &A, const TaskSpec &B, bool Devices) {
  Demand D = Demand::None;
  for (const Access &X : A.Accesses)
    for (const Access &Y : B.Accesses) {
      if ((X.mode == HSCHED_IN && Y.mode == HSCHED_IN) || !overlap(X, Y))
        continue;
      if (X.mode == Y.mode && X.mode == HSCHED_COMMUTATIVE)
        D = std::max(D, Demand::Apart);
      else if (X.mode == Y.mode && X.mode == HSCHED_CONCURRENT)
        D = std::max(D, Devices ? Demand::Apart : Demand::None);
      else if (Devices && X.mode >= HSCHED_CONCURRENT && Y.mode >= HSCHED_CONCURRENT)
        D = std::max(D, Demand::Apart); // Both are commutative there.
      else
        return Demand::InOrder;
    }
  return D;
}

void check(const Kept &Program, const PlatformModel &P, const Observed &O) {
  ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
  const size_t N = Program.Tasks.size();
  ASSERT_EQ(O.Seen.Runs.size(), N);
  ASSERT_EQ(O.Result.Tasks, N);
  const bool Devices = P.Workers.size() > 1 && P.Kinds[P.Workers.back().Kind].MemoryBytes;
  auto runOf = [&](size_t I) -> const Recorder::Run & { return O.Seen.Runs.at(I + 1); };
  for (size_t I = 0; I < N; ++I) {
    const Recorder::Run &R = runOf(I);
    ASSERT_EQ(R.Times, 1u) << "task " << I + 1;
    ASSERT_NE(P.Kinds[P.Workers[R.Worker].Kind].speedOf(Program.types()[Program.Tasks[I].Type]), nullptr);
    for (size_t J = 0; J < I; ++J) {
      const Recorder::Run &Earlier = runOf(J);
      const bool Meet = R.Begin < Earlier.End && Earlier.Begin < R.End;
      ASSERT_FALSE(Meet && R.Worker == Earlier.Worker) << "tasks " << J + 1 << " and " << I + 1 << " on one worker";
      Demand D = demandOf(Program.Tasks[J], Program.Tasks[I], Devices);
      ASSERT_FALSE(D == Demand::Apart && Meet) << "tasks " << J + 1 << " and " << I + 1;
      ASSERT_FALSE(D == Demand::InOrder && R.Begin < Earlier.End) << "task " << I + 1 << " before " << J + 1;
    }
  }
}

// A sanitizer looks at memory, which a few programs show.
#if HSCHED_ASAN
constexpr int FreshSeeds = 2;
#else
constexpr int FreshSeeds = 18;
#endif

class Oracle : public testing::TestWithParam<std::string> {};

TEST_P(Oracle, ConflictingAccessesAreInOrder) {
  std::vector<uint64_t> Seeds{1, 2, 3, 4, 5, 6};
  for (int I = 0; I < FreshSeeds; ++I)
    Seeds.push_back(std::random_device{}());
  for (uint64_t Seed : Seeds) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    RandomMachine M(Seed);
    Kept Program("random:" + std::to_string(Seed) + ",250");
    Observed O;
    simulate(M.P, Program, GetParam(), O, M.Options);
    ASSERT_NO_FATAL_FAILURE(check(Program, M.P, O));
  }
}

// The same input, the same output: every submission, run and transfer at the same nanosecond.
TEST_P(Oracle, RunsRepeatThemselves) {
  for (uint64_t Seed : {1, 2, 3, 4}) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    RandomMachine M(Seed);
    Observed Each[2];
    for (Observed &O : Each) {
      Kept Program("random:" + std::to_string(Seed) + ",400");
      std::vector<char> Moves(Seed * 1000); // Other addresses in memory.
      simulate(M.P, Program, GetParam(), O, M.Options);
      ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    }
    ASSERT_EQ(Each[0].Seen.All, Each[1].Seen.All);
    ASSERT_EQ(Each[0].Result.Makespan, Each[1].Result.Makespan);
    ASSERT_EQ(Each[0].Result.Busy, Each[1].Result.Busy);
  }
}

TEST_P(Oracle, RealGraphsRunToTheirEnd) {
  RandomMachine M(4711);
  for (const char *Text : {"cholesky:640,64", "lu:512,64", "gemm:320,64", "jacobi:256,64,4", "independent:300"}) {
    SCOPED_TRACE(Text);
    M.P.Kinds[1].MemoryBytes = 1 << 20;
    Kept Program(Text);
    Observed O;
    simulate(M.P, Program, GetParam(), O, M.Options);
    ASSERT_NO_FATAL_FAILURE(check(Program, M.P, O));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Oracle, testing::ValuesIn(policyNames()),
                         [](const auto &Info) { return testName(Info.param); });

// Policies of users' own, too.
TEST(Plugin, RunsInVirtualTime) {
  RandomMachine M(5);
  Kept Program("random:5,250");
  std::unique_ptr<Policy> P;
  status Loaded = loadPolicy(std::string(TEST_POLICIES) + "/libtest_policy_None.so", P);
  ASSERT_TRUE(Loaded.ok()) << Loaded.message();
  Observed O;
  simulate(M.P, Program, *P, O, M.Options);
  ASSERT_NO_FATAL_FAILURE(check(Program, M.P, O));
}

// More tasks than fit into memory at a time.
TEST(Size, ManyTasks) {
  PlatformModel P = platform(R"({"name": "c16", "sources": ["test"], "workers": [{"kind": "core", "count": 16}],
    "kinds": {"core": {"device": "cpu", "speeds": {"*": 10}}}})");
  constexpr uint64_t Tasks = 200000;
  History Times;
  std::unique_ptr<Program> Program;
  ASSERT_TRUE(makeProgram("independent:200000,100000", Program).ok());
  TaskTypes Types(P, Program->types());
  auto Scheduler = makePolicy("ws");
  Simulation S(P, Types, *Scheduler, Times, {});
  SimulationResult R;
  ASSERT_TRUE(S.run(*Program, R).ok());
  EXPECT_EQ(R.Tasks, Tasks);
  EXPECT_EQ(R.Makespan, Tasks / 16 * 10us);
}

} // namespace

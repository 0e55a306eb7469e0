// Policy adaptive on graphs of waves, in virtual time: where their blocks go before and after the waves are known.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <optional>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::virt;
using namespace hsched::rt::virt::test;

namespace {

struct Waves : testing::Test {
  // Cores need 4 ms for a block of 16 MB, cards 0.14 ms. A transfer of 8 MB takes 1.4 ms.
  static std::string machine(unsigned Cores, unsigned Cards) {
    std::string Links, Workers = R"({"kind": "core", "count": )" + std::to_string(Cores) + "}";
    for (unsigned I = 0; I < Cards; ++I) {
      const std::string Name = "\"slot " + std::to_string(I) + '"';
      Links += (I ? ", " : "") + Name + R"(: {"gbs": 6, "latency_us": 10})";
      Workers += R"(, {"kind": "card", "links": [)" + Name + "]}";
    }
    return R"({"name": "cards", "sources": ["test"], "kinds": {"core": {"device": "cpu", "speeds": {"jacobi": {"gbs": 4}}},
      "card": {"device": "gpu", "memory_gb": 2, "in_flight": 2, "speeds": {"jacobi": {"gbs": 133, "overhead_us": 10}}}},
      "links": {)" +
           Links + R"(}, "workers": [)" + Workers + "]}";
  }
  // Runs the graph. Before: so many runs of which it knows the times; the first of these under policy First.
  void run(const std::string &Graph, unsigned Before, const std::string &First = "adaptive") {
    if (!Types)
      Types.emplace(P, std::vector<std::string>{Graph.substr(0, Graph.find(':'))});
    for (unsigned Run = 0; Run <= Before; ++Run) {
      std::unique_ptr<Program> Tasks;
      ASSERT_TRUE(makeProgram(Graph, Tasks).ok());
      auto Scheduler = makePolicy(Run == 0 && Before ? First : "adaptive");
      O = {};
      Simulation Machine(P, *Types, *Scheduler, Times, {.Watch = &O.Seen});
      O.Ended = Machine.run(*Tasks, O.Result);
      ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    }
  }
  size_t onCores() const {
    return static_cast<size_t>(
        std::ranges::count_if(O.Seen.Runs, [&](const auto &Each) { return Each.second.Version == "jacobi_core"; }));
  }

  PlatformModel P = platform(machine(4, 8));
  std::optional<TaskTypes> Types;
  History Times;
  Observed O;
};

// Each block would end sooner on a core than behind the transfers of another one, if nothing came after it.
TEST_F(Waves, TheFirstWaveIsPlannedWithTheNextOnes) {
  run("jacobi:4096,1024,10", 1, "versioning");
  EXPECT_EQ(onCores(), 0u);
}

// The same if no core has run such a task: one that is measured there delays all.
TEST_F(Waves, CoresAreNotMeasuredIfTheyDelayAWave) {
  run("jacobi:4096,1024,10", 1);
  EXPECT_EQ(onCores(), 0u);
}

// All blocks are on cards, but for one corner, whose next tasks have the same time to spare as a task takes.
TEST_F(Waves, ACornerThatIsBehindIsOfTheWave) {
  run("jacobi:3072,1024,6", 1);
  EXPECT_EQ(onCores(), 0u);
}

// Cores that take a part of the blocks end as late as cards with all of them.
TEST_F(Waves, CardsTakeAllIfCoresGainNothing) {
  run("jacobi:4096,1024,3", 1, "versioning");
  EXPECT_EQ(onCores(), 0u);
  run("jacobi:8192,1024,10", 1, "versioning");
  EXPECT_EQ(onCores(), 0u) << "the cards are busy for a third of the time";
}

// Nine blocks for ten cores. A wave that runs is no work that is still to come.
TEST_F(Waves, BlocksStayOnCoresInEachWave) {
  P = platform(machine(10, 2));
  run("jacobi:3072,1024,6", 1, "versioning");
  EXPECT_EQ(onCores(), 54u);
  EXPECT_EQ(O.Result.Moved.InputBytes, 0u);
}

// Nothing is known. One block is measured on a core while the others are on the cards, and follows them.
TEST_F(Waves, ABlockFollowsThoseOnDevices) {
  P = platform(machine(10, 2));
  run("jacobi:3072,1024,6", 0);
  EXPECT_LT(onCores(), 3u);
}

// A task that is delayed runs, though nothing else happens.
TEST_F(Waves, ATaskThatIsDelayedRunsSoon) {
  P = platform(machine(2, 1));
  run("jacobi:4096,1024,3", 1, "versioning");
  run("jacobi:1024,1024,1", 0);
  ASSERT_EQ(onCores(), 1u);
  const Duration Waited = O.Seen.Runs[1].Begin - TimePoint();
  EXPECT_GT(Waited, 0us);
  EXPECT_LT(Waited, 20us) << "a 256th of its time";
}

// A card needs 6 us for a task, its transfers 9 us, a core 420 us. Cores begin when the card has work for so long.
TEST_F(Waves, TasksOfABusyCardDoNotWait) {
  P = platform(R"({"name": "fast", "sources": ["test"], "submission_us": 0.3, "kinds": {
    "core": {"device": "cpu", "speeds": {"*": 48}},
    "card": {"device": "gpu", "memory_gb": 9, "speeds": {"*": {"gflops": 12000, "overhead_us": 4.3}}}},
    "links": {"slot": {"gbs": 55, "latency_us": 9}},
    "workers": [{"kind": "core", "count": 15}, {"kind": "card", "links": ["slot"]}]})");
  run("independent:300,20000000", 1);
  Duration First = Duration::max();
  for (const auto &[Id, Run] : O.Seen.Runs)
    if (Run.Version == "independent_core")
      First = std::min(First, Run.Begin - TimePoint());
  EXPECT_LT(First, 70us);
}

} // namespace

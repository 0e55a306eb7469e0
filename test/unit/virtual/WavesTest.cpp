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
  // Cores need 4 ms for a block of 16 MB, cards 0.14 ms. A transfer of 8 MB takes 1.4 ms at 6 GB/s.
  static std::string machine(unsigned Cores, unsigned Cards, const std::string &Link = "6",
                             const std::string &Core = "4") {
    std::string Links, Workers = R"({"kind": "core", "count": )" + std::to_string(Cores) + "}";
    for (unsigned I = 0; I < Cards; ++I) {
      const std::string Name = "\"slot " + std::to_string(I) + '"';
      Links += (I ? ", " : "") + Name + R"(: {"gbs": )" + Link + R"(, "latency_us": 10})";
      Workers += R"(, {"kind": "card", "links": [)" + Name + "]}";
    }
    return R"({"name": "cards", "sources": ["test"], "kinds": {"core": {"device": "cpu", "speeds": {"jacobi": {"gbs": )" +
           Core + R"(}}},
      "card": {"device": "gpu", "memory_gb": 2, "in_flight": 2, "speeds": {"jacobi": {"gbs": 133, "overhead_us": 10}}}},
      "links": {)" +
           Links + R"(}, "workers": [)" + Workers + "]}";
  }
  // Runs the graph. Before: so many runs of which it knows the times; the first of these under policy First.
  void run(const std::string &Graph, unsigned Before, const std::string &First = "adaptive") {
    for (unsigned Run = 0; Run <= Before; ++Run) {
      std::unique_ptr<Program> Tasks;
      ASSERT_TRUE(makeProgram(Graph, Tasks).ok());
      if (!Types)
        Types.emplace(P, Tasks->types());
      auto Scheduler = makePolicy(Run == 0 && Before ? First : "adaptive");
      O = {};
      Simulation Machine(P, *Types, *Scheduler, Times, {.Watch = &O.Seen});
      O.Ended = Machine.run(*Tasks, O.Result);
      ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    }
  }
  // Three cards. The first one is 4 and 17 times faster than the others.
  static constexpr const char *Unequal = R"({"name": "unequal", "sources": ["test"], "kinds": {
    "core": {"device": "cpu", "speeds": {"*": 30, "potrf": 20}},
    "fast": {"device": "gpu", "memory_gb": 9, "in_flight": 8, "speeds": {
      "*": {"gflops": 4000, "overhead_us": 6}, "potrf": {"gflops": 670, "overhead_us": 6}}},
    "slow": {"device": "gpu", "memory_gb": 7, "in_flight": 8, "speeds": {
      "*": {"gflops": 1000, "overhead_us": 6}, "potrf": {"gflops": 170, "overhead_us": 6}}},
    "old": {"device": "gpu", "memory_gb": 7, "in_flight": 8, "speeds": {
      "*": {"gflops": 235, "overhead_us": 6}, "potrf": {"gflops": 40, "overhead_us": 6}}}},
    "links": {"slot 0": {"gbs": 12, "latency_us": 8}, "slot 1": {"gbs": 3, "latency_us": 10}, "slot 2": {"gbs": 12, "latency_us": 8}},
    "workers": [{"kind": "core", "count": 8}, {"kind": "fast", "links": ["slot 0"]}, {"kind": "slow", "links": ["slot 1"]},
      {"kind": "old", "links": ["slot 2"]}]})";
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

// 49 blocks take 13 rounds of four cores. The card alone would be faster, but its link takes 20 rounds for all blocks.
TEST_F(Waves, TheCardIsNotTriedAloneIfItsLinkIsSlow) {
  P = platform(machine(16, 1, "1.5"));
  run("jacobi:7168,1024,30", 1);
  EXPECT_LT(O.Result.Moved.InputBytes, size_t(196) << 20) << "half of the blocks";
  EXPECT_GT(onCores(), 30 * 24u);
}

// A block that leaves the cores saves a sixteenth of its time there in each wave.
TEST_F(Waves, BlocksDoNotLeaveBusyCoresThroughASlowLink) {
  P = platform(machine(16, 1, "1.5"));
  run("jacobi:9216,1024,10", 1);
  EXPECT_EQ(O.Result.Moved.InputBytes, 0u);
}

// 64 blocks for 48 cores: with 16 blocks on the card a wave takes half as long. More would only have a longer way home.
TEST_F(Waves, APartOfTheBlocksStaysOnTheCores) {
  P = platform(machine(48, 1, "12", "3"));
  run("jacobi:6144,768,8", 1);
  EXPECT_GE(onCores(), 8 * 40u);
  EXPECT_GT(O.Result.Moved.InputBytes, 0u);
}

// In a product a card that is 17 times slower ends a task sooner if the first one's list is long. The tile that the
// task updates then goes to and fro.
TEST_F(Waves, TilesStayOnTheFastestCard) {
  P = platform(Unequal);
  run("gemm:6144,512", 1);
  EXPECT_LT(O.Result.Moved.DeviceBytes, size_t(200) << 20) << "there are 288 MB of these tiles";
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

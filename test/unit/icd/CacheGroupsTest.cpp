// Groups of CPUs by the caches that they share, on machines that folders describe as Linux does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/CacheGroups.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace hsched::icd {
namespace {

class CacheGroupsTest : public ::testing::Test {
protected:
  void SetUp() override {
    Root = std::filesystem::temp_directory_path() / ("hsched-caches-" + std::to_string(getpid()));
    std::filesystem::remove_all(Root);
  }
  void TearDown() override { std::filesystem::remove_all(Root); }
  void add(unsigned Cpu, unsigned Index, unsigned Level, const std::string &Type, const std::string &Sharers) {
    const auto Its =
        Root / "sys/devices/system/cpu" / ("cpu" + std::to_string(Cpu)) / "cache" / ("index" + std::to_string(Index));
    std::filesystem::create_directories(Its);
    std::ofstream(Its / "level") << Level << '\n';
    std::ofstream(Its / "type") << Type << '\n';
    std::ofstream(Its / "shared_cpu_list") << Sharers << '\n';
  }
  using Groups = std::vector<unsigned>;
  std::filesystem::path Root;
};

TEST_F(CacheGroupsTest, TwoCachesOfThreeAndFiveCores) {
  for (unsigned Cpu = 0; Cpu != 8; ++Cpu) {
    add(Cpu, 0, 1, "Instruction", "0-7");
    add(Cpu, 1, 1, "Data", std::to_string(Cpu));
    add(Cpu, 2, 2, "Unified", std::to_string(Cpu));
    add(Cpu, 3, 3, "Unified", Cpu < 3 ? "0-2" : "3-7");
  }
  EXPECT_EQ(cacheGroups(3, 8, Root), (Groups{3, 5}));
  EXPECT_EQ(cacheGroups(2, 8, Root), Groups(8, 1));
  EXPECT_EQ(cacheGroups(1, 8, Root), Groups(8, 1)); // Not the one of instructions.
  EXPECT_EQ(cacheGroups(3, 4, Root), (Groups{3, 1}));
  EXPECT_EQ(cacheGroups(3, 3, Root), Groups()); // One cache.
  EXPECT_EQ(cacheGroups(4, 8, Root), Groups()); // No such cache.
  EXPECT_EQ(cacheGroups(3, 9, Root), Groups()); // A CPU of which nothing is known.
}

// The second hardware thread of core N is CPU N + 4. Sub-devices have neighbours only.
TEST_F(CacheGroupsTest, CachesWhoseCpusAreNoNeighbours) {
  for (unsigned Cpu = 0; Cpu != 8; ++Cpu)
    add(Cpu, 0, 3, "Unified", Cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7");
  EXPECT_EQ(cacheGroups(3, 8, Root), Groups());
  EXPECT_EQ(cacheGroups(3, 4, Root), (Groups{2, 2}));
}

TEST_F(CacheGroupsTest, ASystemThatSaysNothing) { EXPECT_EQ(cacheGroups(3, 8, Root), Groups()); }

} // namespace
} // namespace hsched::icd

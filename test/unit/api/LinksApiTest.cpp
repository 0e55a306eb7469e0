// When a running program measures its devices' links and the ways between them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

using namespace hsched::test;
namespace fs = std::filesystem;

namespace {

// ctest runs each test in a process of its own.
struct LinksApi : testing::Test {
  void SetUp() override {
    std::string Pattern = fs::temp_directory_path() / "hsched-links-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    setenv("HSCHED_CACHE", Folder.c_str(), 1);
    setenv("HSCHED_SIM", "3", 1);
    setenv("HSCHED_NCPU", "1", 1);
  }
  void TearDown() override { fs::remove_all(Folder); }
  // What is kept of links by now.
  size_t kept() const {
    size_t N = 0;
    std::error_code None;
    for (const auto &E : fs::directory_iterator(fs::path(Folder) / "links", None))
      N += !E.path().filename().string().starts_with("new-");
    return N;
  }
  // Tasks for all devices.
  void round() {
    for (auto &X : Data)
      Task.submit(X.data(), X.size());
    hsched_taskwait(0);
  }
  static constexpr size_t Links = 3, Ways = 3 * 2;
  static inline Incrementer Task{"increment"};
  std::vector<std::array<unsigned char, 64>> Data{12};
  std::string Folder;
};

TEST_F(LinksApi, MeasuredWhenThereIsTime) {
  ASSERT_TRUE(startOnSimulatedDevices());
  EXPECT_EQ(kept(), 0u) << "nothing at the start";
  unsigned Rounds = 0;
  for (; kept() < Links + Ways && Rounds < 20000; ++Rounds) {
    round();
    std::this_thread::yield();
  }
  EXPECT_EQ(kept(), Links + Ways);
  round();
  EXPECT_EQ(Data[0][63], static_cast<unsigned char>(Rounds + 1)) << "tasks run all the same";
}

TEST_F(LinksApi, MeasuredFirstWhereTheUserSaysSo) {
  setenv("HSCHED_CALIBRATE", "1", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  EXPECT_EQ(kept(), Links + Ways);
  round();
  EXPECT_EQ(Data[0][63], 1);
}

TEST_F(LinksApi, NeverMeasuredWhereTheUserSaysSo) {
  setenv("HSCHED_CALIBRATE", "0", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  for (int Round = 0; Round < 100; ++Round)
    round();
  EXPECT_EQ(kept(), 0u);
}

} // namespace

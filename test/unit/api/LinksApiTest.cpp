// When a running program measures its devices' links and the ways between them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"
#include "device/BackendLoader.h"
#include "device/Machine.h"
#include "perfmodel/Links.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace hsched::test;
namespace rt = hsched::rt;
namespace fs = std::filesystem;

namespace {

// Ctest runs each test in a process of its own.
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

// What an earlier run has kept of two devices, by this test's own hand.
struct KeptLinksApi : LinksApi {
  void SetUp() override {
    LinksApi::SetUp();
    setenv("HSCHED_SIM", "2", 1);
    setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
    rt::BackendOptions Options;
    ASSERT_TRUE(rt::loadBackends({"sim"}, Options, Devices).ok());
    ASSERT_EQ(Devices.size(), 2u);
    Store = std::make_unique<rt::LinkStore>(rt::LinkStore::ofUser(rt::describeMachine().key()));
  }
  void keep(unsigned Of, const rt::LinkTimes &Times) { Store->store(Devices[Of]->info(), Times); }
  void keep(unsigned From, unsigned To, const rt::LinkCost &Cost) { Store->store(*Devices[From], *Devices[To], Cost); }
  // All that is kept: latency and time a byte of a device's three links each, then of the way to the other one.
  std::array<std::array<double, 8>, 2> all() {
    std::array<std::array<double, 8>, 2> Out{};
    for (unsigned I = 0; I < 2; ++I) {
      auto T = Store->load(Devices[I]->info());
      auto Way = Store->load(*Devices[I], *Devices[1 - I]);
      EXPECT_TRUE(T && Way) << I;
      if (T && Way)
        Out[I] = {T->ToDevice.LatencyNs, T->ToDevice.NsPerByte, T->ToHost.LatencyNs, T->ToHost.NsPerByte,
                  T->Within.LatencyNs,   T->Within.NsPerByte,   Way->LatencyNs,      Way->NsPerByte};
    }
    return Out;
  }
  std::vector<std::unique_ptr<rt::Device>> Devices;
  std::unique_ptr<rt::LinkStore> Store;
};

TEST_F(KeptLinksApi, MeasuredAnewWhereTheUserSaysSo) {
  constexpr rt::LinkCost Absurd{987654321.5, 123456.75};
  for (unsigned I = 0; I < 2; ++I) {
    keep(I, {Absurd, Absurd, Absurd});
    keep(I, 1 - I, Absurd);
  }
  setenv("HSCHED_CALIBRATE", "1", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  for (const auto &Of : all())
    for (size_t I = 0; I < Of.size(); ++I)
      EXPECT_NE(Of[I], I % 2 ? Absurd.NsPerByte : Absurd.LatencyNs) << I;
  EXPECT_EQ(kept(), 4u) << "replaced";
}

// The kept values lead little data to the first device, much data to the second, and tasks that need both to the first.
// Without these values, or by the links alone, the tasks would go elsewhere.
TEST_F(KeptLinksApi, UsedAsTheyAreElse) {
  keep(0, {{0, 1e5}, {0, 0}, {0, 0}});
  keep(1, {{1e7, 0}, {0, 0}, {0, 0}});
  keep(0, 1, {1e9, 0});
  keep(1, 0, {0, 0});
  const auto Before = all();
  ASSERT_TRUE(startOnSimulatedDevices());
  std::vector<unsigned char> Little(1), Much(1000);
  Task.submit(Little.data(), Little.size());
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  Task.submit(Much.data(), Much.size());
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  Task.submit(Little.data(), Little.size(), {{Much.data(), Much.size(), 1, 0, HSCHED_IN, HSCHED_NO_PARAM}});
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  auto Traffic = hsched::traffic_counters(hsched::traffic_by::device);
  ASSERT_EQ(Traffic.size(), 2u);
  EXPECT_EQ(Traffic[0].device, "Simulated device #0");
  EXPECT_EQ(Traffic[0].input_bytes, Little.size());
  EXPECT_EQ(Traffic[0].device_bytes, Much.size());
  EXPECT_EQ(Traffic[1].input_bytes, Much.size());
  EXPECT_EQ(Traffic[1].device_bytes, 0u);
  hsched_taskwait(0);
  EXPECT_EQ(Little[0], 2);
  EXPECT_EQ(Much[999], 1);
  EXPECT_EQ(all(), Before);
  EXPECT_EQ(kept(), 4u);
}

TEST_F(LinksApi, NeverMeasuredWhereTheUserSaysSo) {
  setenv("HSCHED_CALIBRATE", "0", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  for (int Round = 0; Round < 100; ++Round)
    round();
  EXPECT_EQ(kept(), 0u);
}

} // namespace

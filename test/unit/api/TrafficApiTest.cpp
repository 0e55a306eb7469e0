// The traffic of a program's data, as reported on a simulated device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace hsched::test;

namespace {

TEST(TrafficApi, CountsByDeviceAndTask) {
  // The environment is read when the runtime starts, which is the first thing that every test here does.
  setenv("HSCHED_SIM", "1", 1);
  EXPECT_TRUE(hsched::traffic_counters().empty()); // Has not started.
  static Incrementer First("first"), Second("second");
  std::vector<unsigned char> X(1000), Y(500);
  ASSERT_TRUE(startOnSimulatedDevices());

  for (int I = 0; I < 5; ++I)
    First.submit(X.data(), 1000);
  Second.submit(X.data(), 1000);
  Second.submit(Y.data(), 500);
  hsched_taskwait(0);
  EXPECT_EQ(X[999], 6);

  auto All = hsched::traffic_counters();
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].device, "");
  EXPECT_EQ(All[0].input_bytes, 1500u);
  EXPECT_EQ(All[0].output_bytes, 1500u);
  EXPECT_EQ(All[0].device_bytes, 0u);
  EXPECT_EQ(All[0].inputs, 2u);
  EXPECT_EQ(All[0].lookups, 7u);
  EXPECT_EQ(All[0].hits, 5u);
  EXPECT_DOUBLE_EQ(All[0].hit_ratio(), 5.0 / 7);

  auto ByTask = hsched::traffic_counters(hsched::traffic_by::device_and_task);
  ASSERT_EQ(ByTask.size(), 3u); // Sorted by name.
  EXPECT_EQ(ByTask[0].task, "");
  EXPECT_EQ(ByTask[0].output_bytes, 1500u);
  EXPECT_EQ(ByTask[1].task, "first");
  EXPECT_EQ(ByTask[1].device, "Simulated device #0");
  EXPECT_EQ(ByTask[1].input_bytes, 1000u);
  EXPECT_EQ(ByTask[1].hits, 4u);
  EXPECT_EQ(ByTask[2].task, "second");
  EXPECT_EQ(ByTask[2].input_bytes, 500u);
  EXPECT_EQ(ByTask[2].lookups, 2u);
  EXPECT_EQ(hsched::traffic_counters(hsched::traffic_by::device).at(0).device, "Simulated device #0");

  // A program made for fewer fields, with room for one entry of three.
  struct Shorter {
    size_t StructBytes;
    const char *Device, *Task;
    unsigned long long InputBytes, Guard;
  } Small[2] = {{0, nullptr, nullptr, 0, 7}, {0, nullptr, nullptr, 0, 7}};
  EXPECT_EQ(hsched_traffic_snapshot(HSCHED_TRAFFIC_BY_TASK, reinterpret_cast<hsched_traffic *>(Small), 1,
                                    offsetof(Shorter, Guard)),
            3u);
  EXPECT_EQ(Small[0].StructBytes, offsetof(Shorter, Guard));
  EXPECT_EQ(Small[0].Guard, 7u);
  EXPECT_EQ(Small[1].StructBytes, 0u);

  // Others ask while tasks run.
  std::atomic<bool> Stop{false};
  std::thread Asks([&] {
    unsigned long long Last = 0;
    while (!Stop) {
      unsigned long long Now = hsched::traffic_counters().at(0).lookups;
      EXPECT_GE(Now, Last);
      Last = Now;
    }
  });
  for (int I = 0; I < 200; ++I)
    First.submit(X.data(), 1000);
  hsched_taskwait(0);
  Stop = true;
  Asks.join();
  EXPECT_EQ(hsched::traffic_counters().at(0).lookups, 207u);
  EXPECT_EQ(hsched::traffic_counters().at(0).input_bytes, 2500u);

  // What is given back does not come home first.
  auto *Pinned = static_cast<unsigned char *>(hsched_malloc(1000));
  ASSERT_TRUE(Pinned);
  First.submit(Pinned, 1000);
  First.submit(Y.data(), 500);
  hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  EXPECT_EQ(hsched::traffic_counters().at(0).input_bytes, 4000u);
  const unsigned long long Before = hsched::traffic_counters().at(0).output_bytes;
  hsched_free(Pinned);
  hsched::discard(Y.data(), 500);
  hsched_taskwait(0);
  EXPECT_EQ(hsched::traffic_counters().at(0).output_bytes, Before);
  EXPECT_EQ(Y[0], 1);
}

} // namespace

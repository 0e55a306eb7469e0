// Queues of devices, from C++.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <hsched/engine.h>

#include <gtest/gtest.h>

#include <stdexcept>

using namespace hsched::test;

namespace {

TEST(QueuesApi, AreCountedAndChecked) {
  setenv("HSCHED_SIM", "1", 1);
  setenv("HSCHED_NCPU", "1", 1);
  setenv("HSCHED_QUEUES", "3", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  hsched::engine &Engine = hsched::engine::process();
  const std::vector<hsched::worker> All = Engine.workers();
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].queues, 0u);
  EXPECT_EQ(All[1].queues, 3u);
  auto refusal = [&](unsigned Worker, unsigned Queue) -> std::string {
    try {
      Engine.submit(hsched::submission().label("placed").on_queue(Worker, Queue), [] {});
    } catch (const std::invalid_argument &E) {
      return E.what();
    }
    return "";
  };
  EXPECT_NE(refusal(1, 3).find("task 'placed' cannot be submitted: it is placed on queue 3 of "), std::string::npos);
  EXPECT_NE(refusal(0, 0).find("which is not a device"), std::string::npos);
}

} // namespace

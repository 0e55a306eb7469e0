// A datum is dropped, by its destructor, while memory runs out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../FailingNew.h"
#include "Simulated.h"

#include <hsched/engine.h>
#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

using namespace hsched::test;
using hsched::rt::test::FailsIn;

namespace {

// Each allocation of the destructor fails in turn. An exception would end the program there.
TEST(Drop, ADestructorThatFindsNoMemoryTriesAgain) {
  setenv("HSCHED_SIM", "1", 1);
  setenv("HSCHED_NCPU", "2", 1);
  ASSERT_TRUE(startOnSimulatedDevices());
  static Incrementer Increment("drop_increment");
  int At = 0;
  for (bool Failed = true; Failed; FailsIn = 0) {
    auto D = hsched::engine::process().make_datum<unsigned char>(1000);
    std::memset(D.at_home(hsched::home::overwrite), 1, 1000);
    Increment.submit(D.data(), 1000);
    FailsIn = ++At;
    {
      const auto Dropped = std::move(D);
    }
    Failed = FailsIn == 0;
    ASSERT_LT(At, 200);
  }
  EXPECT_GT(At, 1);
  FailsIn = 0;
  EXPECT_NO_THROW(hsched_taskwait(0));
}

} // namespace

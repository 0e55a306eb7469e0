// What the samples share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../../samples/common/FirstAlone.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

TEST(FirstAlone, OthersWaitForTheFirstCallsEnd) {
  struct Library;
  std::atomic<bool> Begun = false, OtherComes = false, Ended = false, SawTheEnd = false;
  std::thread Other([&] {
    while (!Begun)
      std::this_thread::yield();
    OtherComes = true;
    EXPECT_EQ(samples::firstAlone<Library>([&] {
                SawTheEnd = Ended.load();
                return 2;
              }),
              2);
  });
  EXPECT_EQ(samples::firstAlone<Library>([&] {
              Begun = true;
              while (!OtherComes)
                std::this_thread::yield();
              for (int I = 0; I < 1000; ++I) // Gives the other the time to come in where nothing stops it.
                std::this_thread::yield();
              Ended = true;
              return 1;
            }),
            1);
  Other.join();
  EXPECT_TRUE(SawTheEnd);
}

TEST(FirstAlone, AFirstCallThatThrowsIsNotTheLast) {
  struct Library;
  int Calls = 0;
  const auto Fails = [&]() -> int {
    if (++Calls == 1)
      throw std::runtime_error("the first");
    return Calls;
  };
  EXPECT_THROW(samples::firstAlone<Library>(Fails), std::runtime_error);
  EXPECT_EQ(samples::firstAlone<Library>(Fails), 2);
  EXPECT_EQ(samples::firstAlone<Library>(Fails), 3);
}

} // namespace

// Bodies that do what no body should.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <atomic>
#include <stdexcept>
#include <string>

#include <pthread.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Bodies : testing::TestWithParam<unsigned> {
  static MachineOptions options() {
    MachineOptions O;
    O.Cpus = GetParam();
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Bodies, testing::Values(1u, 2u, 4u), testing::PrintToStringParamName());

TEST_P(Bodies, ThatExitTheirThreadFail) {
  Machine M(options());
  std::atomic<int> Destroyed{0}, After{0};
  for (int Round = 0; Round < 20; ++Round) {
    long X = 0;
    for (int I = 0; I < 5; ++I) // None in some bundles, one in others.
      M.submit({inout(X)}, [&] { ++X; });
    M.submit({inout(X)}, [&] {
      struct Object {
        std::atomic<int> &Count;
        ~Object() { ++Count; }
      } Here{Destroyed};
      pthread_exit(nullptr);
    });
    M.submit({inout(X)}, [&] { ++After; });
    std::string Why = "nothing";
    try {
      M.wait();
    } catch (const std::exception &E) {
      Why = E.what();
    }
    EXPECT_NE(Why.find("ends its thread"), std::string::npos) << Why;
    EXPECT_EQ(X, 5);
  }
  EXPECT_EQ(Destroyed, 20) << "the body's objects";
  EXPECT_EQ(After, 0) << "tasks that come after the one that failed";
  long Y = 0;
  M.submit({out(Y)}, [&] { Y = 1; });
  M.wait();
  EXPECT_EQ(Y, 1);
}

} // namespace

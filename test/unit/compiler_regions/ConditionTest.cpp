// What is overwritten on a condition on the call's own numbers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

namespace hsched::cc {
namespace {

using namespace test;

struct ConditionTest : testing::Test {
  Builder T;
  unsigned y = T.param("y");
  Poly n = T.value("n"), m = T.value("m");

  Answer overwritesAll() { return T.effects().overwrites(y, line(0, n)); }
  void fill() {
    T.loop(0, n, [&](Poly i) { T.write(y, i); });
  }
};

TEST_F(ConditionTest, ConditionThatMayNotHold) {
  T.when({m}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::No);
}

TEST_F(ConditionTest, ConditionsOneOfWhichMayNotHold) {
  T.when({m - 1, Poly(1) - m}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::No);
}

TEST_F(ConditionTest, ConditionAndItsContrary) {
  T.when({m - 1, Poly(1) - m}, [&] { fill(); });
  T.when({m - 2}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::No);
  T.when({-m}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

// What makes no sense of the section may be what the condition is to rule out.
TEST_F(ConditionTest, ConditionOnWhatTheSectionIsMadeOf) {
  T.when({n - m}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(ConditionTest, ConditionOnWhatMayFollowFromTheSection) {
  const Poly Half = T.value("n / 2");
  T.when({Half - 1}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(ConditionTest, ConditionOnAnEnumeration) {
  const Poly Kind = T.value("kind");
  T.Tree.Symbols.back().OfEnum = true;
  T.when({Kind - 1}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::Unknown);
}

TEST_F(ConditionTest, ConditionThatHolds) {
  T.when({n - 1}, [&] { fill(); });
  EXPECT_EQ(overwritesAll(), Answer::Yes);
}

} // namespace
} // namespace hsched::cc

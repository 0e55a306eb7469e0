// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

namespace hsched::cc {
namespace {

using namespace test;

TEST(Coverage, OneLoop) {
  Builder T;
  auto y = T.param("y");
  Poly n = T.value("n");
  T.loop(0, n, [&](Poly i) { T.write(y, i); });
  EXPECT_EQ(T.effects().overwrites(y, line(0, n)), Answer::Yes);
}

} // namespace
} // namespace hsched::cc

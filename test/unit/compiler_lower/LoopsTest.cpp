// Loops, their counters and bounds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowered.h"

using namespace hsched::cc;

namespace {

TEST(LowerLoops, Canonical) {
  EXPECT_EQ(body("for (int i = 0; i < n; ++i) y[i] += x[2 * i];"), "loop i [0, n)\n"
                                                                   " read x[2 * i]\n"
                                                                   " update y[i]\n");
}

} // namespace

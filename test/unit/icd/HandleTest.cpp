// Handles and the objects behind them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Handle.h"

#include <gtest/gtest.h>

#include <vector>

namespace hsched::icd {
namespace {

struct Thing : Object {
  static constexpr Kind Tag = Kind::Sampler;
  Thing() : Object(Tag) {}
};

TEST(HandleTest, IsStaleWhenTheUsersLastReferenceHasGone) {
  auto *T = new Thing;
  const Shell *Handle = T->shell();
  Ref<Thing> Kept = T;
  EXPECT_EQ(find<Thing>(Handle), T);
  T->retainUser();
  T->releaseUser();
  EXPECT_EQ(find<Thing>(Handle), T);
  T->releaseUser();
  EXPECT_EQ(find<Thing>(Handle), nullptr);
}

// A program that the program has released lives as long as its kernels. Its handle must not become another object's
// meanwhile: that object's would go stale with the program's end.
TEST(HandleTest, BelongsToNoOtherObjectWhileItsOwnLives) {
  auto *T = new Thing;
  const Shell *Handle = T->shell();
  Ref<Thing> Kept = T;
  T->releaseUser();
  std::vector<Thing *> Others;
  for (int I = 0; I != 6000; ++I) { // More than rest before they are used again.
    (new Thing)->releaseUser();
    if (I % 2)
      Others.push_back(new Thing);
    EXPECT_NE(Others.empty() ? nullptr : Others.back()->shell(), Handle);
  }
  Kept = {};
  for (Thing *Other : Others) {
    EXPECT_EQ(find<Thing>(Other->shell()), Other);
    Other->releaseUser();
  }
}

} // namespace
} // namespace hsched::icd

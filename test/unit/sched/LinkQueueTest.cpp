// How long a link is busy, by what is queued on it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/LinkQueue.h"
#include "perfmodel/Links.h"

#include <gtest/gtest.h>

using namespace hsched::rt;

namespace {

TEST(LinkQueue, OneTransferAfterTheOther) {
  LinkQueue L;
  EXPECT_EQ(L.remaining(1000), 0);
  L.queue(300);
  L.queue(200);
  EXPECT_EQ(L.remaining(1000), 500);
  L.unqueue(300);
  L.begin(300, 300, 1000);
  EXPECT_EQ(L.remaining(1100), 400) << "200 in hand and 200 queued";
  L.begin(100, 1100);
  EXPECT_EQ(L.remaining(1100), 500);
  EXPECT_EQ(L.remaining(9999), 200) << "what is in hand has arrived";
  L.begin(50, 9999);
  EXPECT_EQ(L.remaining(9999), 250) << "from now on";
}

// Ten tasks read the same tile: it is moved for the first of them.
TEST(LinkQueue, DataThatSeveralTasksReadTravelOnce) {
  LinkQueue L;
  for (int I = 0; I < 40; ++I) {
    L.queue(100);
    L.unqueue(100);
    L.begin(100, I % 10 == 0 ? 100 : 0, 0);
  }
  L.queue(1000);
  EXPECT_NEAR(static_cast<double>(L.remaining(100'000)), 100, 80);
}

TEST(LinkQueue, EachTransferHasItsLatency) {
  const LinkCost Cost{10'000, 0.5};
  EXPECT_EQ(Cost.time(1000), Duration(10'500));
  EXPECT_EQ(Cost.time(1000, 4), Duration(40'500));
}

} // namespace

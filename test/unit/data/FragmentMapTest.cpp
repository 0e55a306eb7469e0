// The map of fragments, and what it found lately.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/FragmentMap.h"
#include "data/RecentlyFound.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

using namespace hsched::rt;

namespace {

uint64_t seed() {
  const char *Given = std::getenv("HSCHED_TEST_SEED");
  uint64_t Seed = Given ? std::strtoull(Given, nullptr, 10) : std::random_device{}();
  std::printf("HSCHED_TEST_SEED=%llu\n", static_cast<unsigned long long>(Seed));
  return Seed;
}

// Whatever shares a slot with what, and however large it grows: what is found is right, and nothing that was dropped
// is.
TEST(RecentlyFoundTest, FindsWhatIsThere) {
  std::mt19937_64 Random(seed());
  std::map<uintptr_t, int> There;
  RecentlyFound<int> Found;
  EXPECT_EQ(Found.find(0), nullptr);
  Found.drop(0);
  for (int Step = 0; Step < 400000; ++Step) {
    uintptr_t At = Random() % 3000 * 64;
    if (Random() % 8 == 0) {
      Found.drop(At);
      There.erase(At);
      EXPECT_EQ(Found.find(At), nullptr);
      continue;
    }
    int &It = There[At] = Step;
    if (!Found.find(At))
      Found.put(At, It, There.size());
    ASSERT_EQ(Found.find(At), &It);
    uintptr_t Other = Random() % 3000 * 64;
    if (int *Known = Found.find(Other)) {
      ASSERT_TRUE(There.contains(Other));
      ASSERT_EQ(Known, &There[Other]);
    }
  }
}

// Addresses at equal distances, as arrays of data have them, do not drive each other out.
TEST(RecentlyFoundTest, RemembersRows) {
  for (uintptr_t Distance : {16, 256, 4096, 1 << 20}) {
    std::map<uintptr_t, int> There;
    RecentlyFound<int> Found;
    for (int I = 0; I < 10000; ++I)
      There[0x7f0000001000 + I * Distance] = I;
    int Known = 0;
    for (int Round = 0; Round < 2; ++Round)
      for (auto &[At, It] : There) {
        if (Found.find(At))
          ++Known;
        else
          Found.put(At, It, There.size());
      }
    EXPECT_GT(Known, 9000) << Distance;
  }
}

class FragmentMapTest : public testing::Test {
protected:
  void hold(size_t I, MemoryNode On) {
    Extent E{Base + I * Bytes, Bytes};
    Map.visit(E, [&](const Extent &At, Fragment &F) {
      EXPECT_EQ(At, E);
      F.setValid(nodeBit(On));
    });
    Map.tidy(E);
  }
  static constexpr uintptr_t Base = 0x100000, Bytes = 64;
  FragmentMap Map{3};
};

TEST_F(FragmentMapTest, OneStateOfManySectionsIsFewFragments) {
  for (size_t I = 0; I < 50000; ++I)
    hold(I, 1);
  EXPECT_LE(Map.size(), 1100u);
  EXPECT_EQ(Map.validBytes({Base, 50000 * Bytes}, 1), 50000 * Bytes);
  EXPECT_EQ(Map.validBytes({Base, 50000 * Bytes}, HostNode), 0u);
}

// To join them costs, and to part them again: what recurs is let be.
TEST_F(FragmentMapTest, SectionsThatRecurStayApart) {
  constexpr size_t Sections = 10000;
  for (int Round = 0; Round < 6; ++Round)
    for (size_t I = 0; I < Sections; ++I)
      hold(I, Round % 2 + 1);
  EXPECT_EQ(Map.size(), Sections);
  for (size_t I = 0; I < Sections; ++I) {
    hold(I, 1);
    ASSERT_EQ(Map.size(), Sections);
  }
  // All of it at home needs no entry.
  for (size_t I = 0; I < Sections; ++I)
    hold(I, HostNode);
  EXPECT_EQ(Map.size(), 0u);
}

// However many there are, the map has an end.
TEST_F(FragmentMapTest, NotAllThatRecurStaysApart) {
  for (int Round = 0; Round < 3; ++Round)
    for (size_t I = 0; I < 300000; ++I)
      hold(I, 1);
  EXPECT_LE(Map.size(), 2 * 65536u + 1);
}

// Sections of any length that come, part each other, join and go: each byte's state is the one that it was given last.
TEST_F(FragmentMapTest, RandomSectionsKeepTheirState) {
  std::mt19937_64 Random(seed());
  constexpr size_t All = 4096;
  std::vector<MemoryNode> Want(All, HostNode);
  for (int Step = 0; Step < 60000; ++Step) {
    size_t Lo = Random() % All, Length = 1 + Random() % (Random() % 16 ? 4 : All - Lo);
    Length = std::min(Length, All - Lo);
    Extent E{Base + Lo, Length};
    if (Random() % 4) {
      MemoryNode On = Random() % 3;
      Map.visit(E, [&](const Extent &, Fragment &F) { F.setValid(nodeBit(On)); });
      std::fill_n(Want.begin() + static_cast<ptrdiff_t>(Lo), Length, On);
    }
    if (Random() % 2)
      Map.tidy(E);
    size_t Next = Lo;
    Map.visit(E, [&](const Extent &At, Fragment &F) {
      ASSERT_EQ(At.Begin, Base + Next) << "step " << Step;
      for (; Next < Lo + Length && Base + Next < At.end(); ++Next)
        ASSERT_TRUE(F.validOn(Want[Next])) << "byte " << Next << " in step " << Step;
    });
    ASSERT_EQ(Next, Lo + Length) << "step " << Step;
  }
}

} // namespace

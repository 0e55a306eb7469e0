// The map of fragments, and what it found lately.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/FragmentMap.h"
#include "data/RecentlyFound.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

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

// Tiles over ranges, some of which have no home: each byte of each row counts once, and from the node that has it.
TEST_F(FragmentMapTest, RandomTilesFindTheStateOfEachRow) {
  std::mt19937_64 Random(seed());
  constexpr size_t All = 4096;
  constexpr MemoryNode NoNode = 3;
  std::vector<MemoryNode> Want(All, HostNode);
  Map.addHomeless(Base + 1000, Base + 1300);
  std::fill(Want.begin() + 1000, Want.begin() + 1300, NoNode);
  for (int Step = 0; Step < 20000; ++Step) {
    if (Random() % 3 == 0) {
      const size_t Lo = Random() % All, Length = std::min<size_t>(1 + Random() % (Random() % 8 ? 40 : 600), All - Lo);
      const MemoryNode On = Random() % 3;
      Map.visit({Base + Lo, Length}, [&](const Extent &, Fragment &F) { F.setValid(nodeBit(On)); });
      if (Random() % 2)
        Map.tidy({Base + Lo, Length});
      std::fill_n(Want.begin() + static_cast<ptrdiff_t>(Lo), Length, On);
      continue;
    }
    const size_t Stride = 1 + Random() % 200, Row = 1 + Random() % Stride, Lo = Random() % (All - Row);
    const size_t Rows = 1 + Random() % ((All - Lo - Row) / Stride + 1);
    const Extent E{Base + Lo, Row, Rows, Stride};
    const MemoryNode To = Random() % 3;
    std::array<uint64_t, 3> Missing{}, Expected{};
    std::vector<bool> Named(All);
    for (size_t R = 0; R < Rows; ++R)
      for (size_t At = Lo + R * Stride; At < Lo + R * Stride + Row; ++At) {
        Named[At] = true;
        if (Want[At] != To && Want[At] != NoNode)
          ++Expected[Want[At]];
      }
    Map.addMissing(E, To, Missing);
    ASSERT_EQ(Missing, Expected) << "step " << Step << ": " << Rows << " rows of " << Row << " by " << Stride << " at "
                                 << Lo;
    if (Random() % 4)
      continue;
    // Bytes without an entry are valid on the host, or have no home.
    std::vector<bool> Found(All);
    Map.visitExisting(E, [&](const Extent &At, Fragment &F) {
      ASSERT_EQ(At.Rows, 1u);
      for (size_t I = At.Begin - Base; I < At.end() - Base; ++I) {
        ASSERT_TRUE(Named[I] && !Found[I]) << "byte " << I << " in step " << Step;
        Found[I] = true;
        ASSERT_EQ(F.Valid, Want[I] == NoNode ? 0 : nodeBit(Want[I])) << "byte " << I << " in step " << Step;
      }
    });
    for (size_t I = 0; I < All; ++I)
      ASSERT_TRUE(Found[I] || !Named[I] || Want[I] == HostNode || Want[I] == NoNode)
          << "byte " << I << " in step " << Step;
  }
}

// Rows without an entry are not looked up one by one: these are so many that the test would not end in hours.
TEST_F(FragmentMapTest, RowsOfANewTileTakeNoTime) {
  constexpr uint64_t Rows = uint64_t(1) << 40;
  const Extent E{uintptr_t(1) << 44, 4, Rows, 16};
  const Extent Middle{E.Begin + Rows / 2 * 16, 4};
  for (bool Written : {false, true}) {
    if (Written)
      Map.visit(Middle, [](const Extent &, Fragment &F) { F.setValid(nodeBit(2)); });
    std::array<uint64_t, 3> Missing{};
    Map.addMissing(E, 1, Missing);
    EXPECT_EQ(Missing, (std::array<uint64_t, 3>{4 * (Rows - Written), 0, Written ? 4u : 0u}));
    std::vector<Extent> Found;
    Map.visitExisting(E, [&](const Extent &At, Fragment &) { Found.push_back(At); });
    EXPECT_EQ(Found, Written ? std::vector{Middle} : std::vector<Extent>());
    Map.tidy(E);
  }
  Map.visit({E.Begin - 64, E.end() - E.Begin + 128}, [](const Extent &, Fragment &F) { F.setValid(nodeBit(1)); });
  std::array<uint64_t, 3> Missing{};
  Map.addMissing(E, 2, Missing);
  EXPECT_EQ(Missing, (std::array<uint64_t, 3>{0, 4 * Rows, 0}));
}

} // namespace

// Transfers that a run could have done without, against numbers computed by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Needless.h"

#include <gtest/gtest.h>

using namespace hsched::rt::record;

namespace {

// A core and a device; a datum of 100 bytes unless said otherwise.
struct Made {
  Record R;
  Made() {
    R.Whole = true;
    R.Workers = {{0, "CPU 0", "cpu", "cpu", false, {}, {}}, {1, "GPU #0", "gpu", "gpu", true, {}, {}}};
    R.Data = {100};
  }
  void task(uint32_t W, Ns Begin, Ns End, std::vector<Section> Sections) {
    Task T;
    T.Id = R.Tasks.size() + 1;
    T.Worker = W;
    T.Begin = Begin;
    T.End = End;
    T.How = TaskOutcome::Done;
    T.Sections = std::move(Sections);
    R.Tasks.push_back(std::move(T));
  }
  void move(const char *Kind, Ns Begin, std::vector<Section> Moved) {
    uint64_t Bytes = 0;
    for (const Section &S : Moved)
      Bytes += S.Bytes * S.Rows;
    R.Transfers.push_back({Kind, 1, 0, Bytes, Begin, Begin + 1, std::move(Moved)});
  }
  // Bytes of transfer I, by reason: evicted, twice, returned at a wait, unread, home and unread.
  std::array<uint64_t, NumNeedless> of(size_t I) const {
    const NeedlessMoves All = needlessMoves(R);
    EXPECT_TRUE(All.Known);
    return All.Transfers.at(I).Bytes;
  }
};
using Bytes = std::array<uint64_t, NumNeedless>;
Section all(const char *Mode = "") { return {0, Mode, 0, 100, 1, 0}; }
Section part(uint64_t From, uint64_t Bytes, const char *Mode = "") { return {0, Mode, From, Bytes, 1, 0}; }

TEST(Needless, WhatIsReadWasNeeded) {
  Made M;
  M.move("to device", 1, {all()});
  M.task(1, 5, 9, {all("inout")});
  M.move("to host", 10, {all()});
  EXPECT_EQ(M.of(0), Bytes{});
  EXPECT_EQ(M.of(1), Bytes{}); // The program has it at the end.
}

TEST(Needless, WhatWasEvictedComesAgain) {
  Made M;
  M.move("to device", 1, {all()});
  M.task(1, 5, 9, {all("in")});
  M.R.Evictions.push_back({1, 10, 128, {part(0, 60)}});
  M.move("to device", 20, {all()});
  M.task(1, 25, 29, {all("in")});
  EXPECT_EQ(M.of(0), Bytes{});
  EXPECT_EQ(M.of(1), (Bytes{60, 40, 0, 0, 0})); // The rest was there still.
}

TEST(Needless, WhatChangedElsewhereHasToCome) {
  Made M;
  M.move("to device", 1, {all()});
  M.task(1, 5, 9, {all("in")});
  M.R.Evictions.push_back({1, 10, 128, {all()}});
  M.task(0, 11, 15, {part(0, 30, "inout")});
  M.move("to device", 20, {all()});
  M.task(1, 25, 29, {all("in")});
  EXPECT_EQ(M.of(1), (Bytes{70, 0, 0, 0, 0}));
}

TEST(Needless, AWaitReturnsDataToTheProgram) {
  for (const bool Flush : {true, false}) {
    Made M;
    M.move("to device", 1, {all()});
    M.task(1, 5, 9, {all("in")});
    M.R.Waits.push_back({0, 1, 9, 12, Flush, {}});
    M.move("to device", 20, {all()});
    M.task(1, 25, 29, {all("in")});
    EXPECT_EQ(M.of(1), Flush ? (Bytes{0, 0, 100, 0, 0}) : (Bytes{0, 100, 0, 0, 0}));
  }
  Made M; // The wait is for a part alone.
  M.move("to device", 1, {all()});
  M.task(1, 5, 9, {all("in")});
  M.R.Waits.push_back({0, 1, 9, 12, true, {part(90, 10)}});
  M.move("to device", 20, {part(90, 10)});
  M.task(1, 25, 29, {all("in")});
  EXPECT_EQ(M.of(1), (Bytes{0, 0, 10, 0, 0}));
}

TEST(Needless, UnreadBytes) {
  Made M;
  M.move("to device", 1, {all()});
  M.task(1, 5, 9, {part(0, 20, "in")});
  M.task(0, 10, 15, {part(50, 50, "out")}); // Overwritten before it was read there; the rest goes unread until the end.
  EXPECT_EQ(M.of(0), (Bytes{0, 0, 0, 80, 0}));
}

TEST(Needless, HomeAndNotReadByATask) {
  Made M;
  M.task(1, 1, 2, {all("out")});
  M.move("to host", 3, {all()});
  M.task(0, 5, 6, {part(0, 10, "in")});
  M.task(1, 7, 8, {all("out")});
  EXPECT_EQ(M.of(0), (Bytes{0, 0, 0, 0, 90}));
  // What was evicted modified goes home to be fetched from there.
  Made N;
  N.task(1, 1, 2, {all("out")});
  N.move("to host", 3, {all()});
  N.R.Evictions.push_back({1, 5, 128, {all()}});
  N.move("to device", 6, {all()});
  N.task(1, 8, 9, {all("inout")});
  EXPECT_EQ(N.of(0), Bytes{});
  EXPECT_EQ(N.of(1), (Bytes{100, 0, 0, 0, 0}));
}

TEST(Needless, TilesShareBytesWithRows) {
  Made M; // Rows of 10 bytes; a tile of 5 rows and 4 columns, and the second row.
  const Section Tile{0, "in", 0, 4, 5, 10}, Row = part(10, 10, "in");
  auto bare = [](Section S) {
    S.Mode.clear();
    return S;
  };
  M.move("to device", 1, {bare(Tile)});
  M.task(1, 3, 4, {Tile});
  M.move("to device", 5, {bare(Row)});
  M.task(1, 7, 8, {Row});
  EXPECT_EQ(M.of(0), Bytes{});
  EXPECT_EQ(M.of(1), (Bytes{0, 4, 0, 0, 0}));
}

TEST(Needless, WithoutSectionsNothingIsKnown) {
  Record R;
  R.Workers = {{0, "GPU #0", "gpu", "gpu", true, {}, {}}};
  R.Transfers = {{"to device", 0, 0, 8, 1, 2}};
  EXPECT_FALSE(needlessMoves(R).Known);
}

} // namespace

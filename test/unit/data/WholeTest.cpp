// Data that are on a device as a whole, in blocks that another component makes; tasks that begin where their data are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <algorithm>
#include <array>

using namespace hsched;
using namespace hsched::rt;

namespace {

constexpr size_t Bytes = 64 << 10;

sim::SimOptions devices(unsigned Count, uint64_t Memory = 1 << 20) {
  sim::SimOptions O;
  O.Devices = Count;
  O.MemoryBytes = Memory;
  return O;
}

struct Datum final : DatumOwner {
  explicit Datum(Harness &H) : H(H) {
    void *At = nullptr;
    EXPECT_TRUE(H.Dir->makeHomeless(Bytes, At, this).ok());
    P = static_cast<uint8_t *>(At);
  }
  ~Datum() override { EXPECT_TRUE(H.Dir->dropHomeless(P).ok()); }
  status allocate(MemoryNode Node, BufferRef &Out) override {
    ++Made;
    status Result = H.device(Node).allocate(Bytes, Out);
    Last = Out.get();
    return Result;
  }
  TestTask task(unsigned Mode, size_t First = 0, size_t N = Bytes) { return TestTask({section(P + First, N, Mode)}); }
  bool at(MemoryNode Node) {
    Access A = section(P, Bytes, HSCHED_IN);
    std::array<uint64_t, 3> Its{};
    H.Dir->validBytes(A, std::span(Its).first(1 + H.Devices.size()));
    return Its[Node] == Bytes;
  }

  Harness &H;
  uint8_t *P = nullptr;
  unsigned Made = 0;
  const Buffer *Last = nullptr;
};

TEST(WholeTest, PartsAreInOneBlockThatStays) {
  Harness H(devices(1));
  Datum D(H);
  uint64_t Before = H.up();
  const Buffer *First = nullptr;
  for (size_t At : {size_t(30000), size_t(0), size_t(60000)}) {
    Acquisition A;
    TestTask T = D.task(HSCHED_INOUT, At, 1000);
    ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
    if (!First)
      First = A.Placements[0].Mem.get();
    EXPECT_EQ(A.Placements[0].Mem.get(), First);
    EXPECT_EQ(A.Placements[0].HostBegin, reinterpret_cast<uintptr_t>(D.P)) << "it begins where the block does";
    H.Dir->release(T.T, A, false);
  }
  EXPECT_EQ(D.Made, 1u);
  EXPECT_EQ(D.Last, First);
  EXPECT_EQ(H.up(), Before); // It was not written.
  EXPECT_EQ(H.Dir->stats().ReplicaBytes, Bytes);
}

// Blocks of one size are not taken for each other.
TEST(WholeTest, EachDatumGetsItsOwnBlock) {
  Harness H(devices(1));
  std::array<Datum, 3> All{Datum(H), Datum(H), Datum(H)};
  std::vector<Access> List;
  for (Datum &D : All)
    List.push_back(section(D.P, Bytes, HSCHED_OUT));
  TestTask T(List);
  Acquisition A;
  ASSERT_TRUE(H.Dir->acquire(T.T, 1, A).ok());
  for (size_t I = 0; I != All.size(); ++I)
    EXPECT_EQ(A.Placements[I].Mem.get(), All[I].Last) << I;
  H.Dir->release(T.T, A, false);
}

TEST(WholeTest, ReleasedDataAreEvictedAndComeBackUnchanged) {
  Harness H(devices(1, 3 * Bytes));
  std::array<Datum, 5> All{Datum(H), Datum(H), Datum(H), Datum(H), Datum(H)};
  std::array<ByteVector, 5> Want;
  Want.fill(ByteVector(Bytes));
  for (uint64_t Round = 0; Round != 3; ++Round)
    for (size_t I = 0; I != All.size(); ++I) {
      const unsigned Mode = Round ? HSCHED_INOUT : HSCHED_OUT;
      TestTask T({section(All[I].P, Bytes, Mode)}, 10 * Round + I);
      ASSERT_TRUE(H.run(T, 1).ok());
      TestTask({section(Want[I].data(), Bytes, Mode)}, 10 * Round + I).runOnHost();
      EXPECT_LE(H.Dir->stats().ReplicaBytes, 3 * Bytes);
    }
  for (size_t I = 0; I != All.size(); ++I) {
    EXPECT_EQ(All[I].Made, 3u) << I;
    ASSERT_TRUE(H.Dir->bringHome(All[I].P, Bytes, Directory::HomeUse::Read).ok());
    EXPECT_TRUE(std::equal(Want[I].begin(), Want[I].end(), All[I].P)) << I;
  }
}

TEST(WholeTest, AcquiredDataAreNotEvicted) {
  Harness H(devices(1, 2 * Bytes));
  Datum A(H), B(H), C(H);
  std::array<Acquisition, 2> Acquired;
  TestTask OnA = A.task(HSCHED_OUT), OnB = B.task(HSCHED_OUT), OnC = C.task(HSCHED_OUT);
  ASSERT_TRUE(H.Dir->acquire(OnA.T, 1, Acquired[0]).ok());
  ASSERT_TRUE(H.Dir->acquire(OnB.T, 1, Acquired[1]).ok());
  H.Dir->begun(Acquired[0]);
  H.Dir->begun(Acquired[1]);
  Acquisition Third;
  EXPECT_EQ(H.Dir->acquire(OnC.T, 1, Third).code(), errc::out_of_memory);
  EXPECT_TRUE(Third.MemoryBusy);
  EXPECT_TRUE(A.at(1));
  H.Dir->release(OnA.T, Acquired[0], false);
  ASSERT_TRUE(H.Dir->acquire(OnC.T, 1, Third).ok());
  EXPECT_FALSE(A.at(1));
  EXPECT_TRUE(A.at(HostNode)); // It was there alone.
  EXPECT_TRUE(B.at(1));
  H.Dir->release(OnB.T, Acquired[1], false);
  H.Dir->release(OnC.T, Third, false);
}

TEST(WholeTest, ATaskBeginsWhereItsDataAre) {
  Harness H(devices(2));
  Datum D(H);
  TestTask Write = D.task(HSCHED_OUT), Read = D.task(HSCHED_IN);
  Acquisition A;
  EXPECT_FALSE(H.Dir->tryBegin(Write.T, 1, A)); // There is no room yet.
  EXPECT_EQ(D.Made, 0u);
  ASSERT_TRUE(H.run(Write, 1).ok());
  EXPECT_FALSE(H.Dir->tryBegin(Read.T, 2, A));
  ASSERT_TRUE(H.run(Read, 2).ok());
  EXPECT_TRUE(D.at(1) && D.at(2));
  // What one that has begun is to write is valid there alone, before it has ended.
  ASSERT_TRUE(H.Dir->tryBegin(Write.T, 2, A));
  EXPECT_FALSE(D.at(1));
  Acquisition Behind; // On the same device.
  ASSERT_TRUE(H.Dir->tryBegin(Read.T, 2, Behind));
  EXPECT_EQ(Behind.Placements[0].Mem, A.Placements[0].Mem);
  H.Dir->release(Write.T, A, false);
  H.Dir->release(Read.T, Behind, false);
  EXPECT_TRUE(D.at(2));
  EXPECT_GT(H.Seen.Hits, 0u);
}

TEST(WholeTest, WhatDoesNotBeginLosesNothing) {
  Harness H(devices(2));
  Datum D(H);
  TestTask Write = D.task(HSCHED_OUT), Update = D.task(HSCHED_INOUT), Read = D.task(HSCHED_IN);
  ASSERT_TRUE(H.run(Write, 1).ok());
  ASSERT_TRUE(H.run(Write, 2).ok()); // There is room on both.
  ASSERT_TRUE(H.run(Read, 1).ok());
  ASSERT_TRUE(H.run(Update, 1).ok()); // It is valid on 1 alone.
  Acquisition A;
  ASSERT_TRUE(H.Dir->tryBegin(Write.T, 2, A));
  EXPECT_FALSE(D.at(1));
  H.Dir->release(Write.T, A, true, FailedOutputs::Untouched); // Its driver refused it.
  EXPECT_TRUE(D.at(1));
  EXPECT_FALSE(D.at(2));
}

} // namespace

// Data without a home: the bytes that are moved, and when there is memory on the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"
#include "base/Sanitizers.h"
#include "data/ReservedMemory.h"

#include <algorithm>
#include <numeric>

#include <sys/resource.h>
#include <unistd.h>

using namespace hsched;
using namespace hsched::rt;

namespace {

using HomeUse = Directory::HomeUse;

sim::SimOptions devices(unsigned Count, uint64_t Bytes = 1 << 20, bool Apart = false) {
  sim::SimOptions O;
  O.Devices = Count;
  O.MemoryBytes = Bytes;
  O.Apart = Apart;
  return O;
}

// Whether a program may read there: the system refuses, without a signal.
bool readable(const void *Address) {
  int Pipe[2];
  EXPECT_EQ(pipe(Pipe), 0);
  const bool Went = write(Pipe[1], Address, 1) == 1;
  close(Pipe[0]);
  close(Pipe[1]);
  return Went;
}

uint64_t page() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

// A datum, and what a serial run would make of it.
struct Datum {
  Datum(Harness &H, size_t Bytes) : H(H), Want(Bytes) {
    void *At = nullptr;
    EXPECT_TRUE(H.Dir->makeHomeless(Bytes, At).ok());
    P = static_cast<uint8_t *>(At);
  }
  // One access on a node; Stride: of rows, 0 for a range.
  status run(MemoryNode Node, unsigned Mode, size_t Lo, size_t Bytes, uint64_t Salt = 1) {
    TestTask T({section(P + Lo, Bytes, Mode)}, Salt);
    status S = H.run(T, Node);
    if (S.ok() && Mode != HSCHED_IN)
      TestTask({section(Want.data() + Lo, Bytes, Mode)}, Salt).runOnHost();
    return S;
  }
  status home(HomeUse How) { return H.Dir->bringHome(P, Want.size(), How); }
  bool right() const { return std::equal(Want.begin(), Want.end(), P); }

  Harness &H;
  ByteVector Want;
  uint8_t *P = nullptr;
};

TEST(HomelessTest, DataWithoutAReaderElsewhereAreNotCopied) {
  Harness H;
  Datum D(H, 1000);
  EXPECT_TRUE(H.Dir->anyReplica());
  ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(D.run(1, HSCHED_INOUT, 100, 500).ok());
  for (bool Invalidate : {false, true})
    ASSERT_TRUE(H.flush(Invalidate).ok());
  ASSERT_TRUE(D.run(1, HSCHED_INOUT, 0, 1000).ok());
  EXPECT_FALSE(readable(D.P));
  EXPECT_EQ(H.Dir->stats().HomeBytes, 0u);
  ASSERT_TRUE(H.Dir->dropHomeless(D.P).ok());
  EXPECT_EQ(H.up() + H.down(), 0u);
  EXPECT_EQ(H.device(1).bytesInUse(), 0u);
  EXPECT_EQ(H.Dir->stats().Fragments, 0u);
  EXPECT_FALSE(H.Dir->anyReplica());
  EXPECT_EQ(H.Dir->dropHomeless(D.P).code(), errc::invalid_argument);
}

TEST(HomelessTest, UnwrittenDataAreReadWithoutACopy) {
  Harness H(devices(2));
  Datum D(H, 3 * page());
  for (MemoryNode Node : {MemoryNode(1), HostNode, MemoryNode(2)}) {
    ASSERT_TRUE(D.run(Node, HSCHED_IN, 10, 100).ok());
    ASSERT_TRUE(
        D.run(Node, HSCHED_INOUT, 2 * page() + 200, 50).ok()); // Contents are anything, but its own from here on.
  }
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.up() + H.down() + H.across(), 2 * 50u); // Home for the host's turn, and up again.
  EXPECT_EQ(H.Dir->stats().HomeBytes, 2 * page());
  EXPECT_FALSE(readable(D.P + page()));
}

TEST(HomelessTest, ATaskOnTheHostGivesItAHome) {
  Harness H;
  Datum D(H, 1000);
  ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(D.run(HostNode, HSCHED_INOUT, 100, 200).ok());
  EXPECT_EQ(H.down(), 200u);
  ASSERT_TRUE(D.run(1, HSCHED_INOUT, 0, 1000).ok());
  EXPECT_EQ(H.up(), 200u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 200u); // It now has a home but is still not written there.
  ASSERT_TRUE(D.home(HomeUse::Read).ok());
  EXPECT_EQ(H.down(), 1200u);
  EXPECT_TRUE(D.right());
  EXPECT_EQ(H.Dir->stats().HomeBytes, page());
}

TEST(HomelessTest, WhoAsksSaysWhatFor) {
  Harness H;
  Datum D(H, 1000);
  ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(D.home(HomeUse::Read).ok());
  EXPECT_TRUE(D.right());
  ASSERT_TRUE(D.run(1, HSCHED_IN, 0, 1000).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 1000u);
  EXPECT_EQ(H.up(), 0u); // The device's copy was left alone.

  ASSERT_TRUE(D.home(HomeUse::Update).ok());
  D.P[7] = D.Want[7] = 42;
  ASSERT_TRUE(D.run(1, HSCHED_INOUT, 0, 1000).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 1000u);
  EXPECT_EQ(H.up(), 1000u);

  ASSERT_TRUE(D.home(HomeUse::Overwrite).ok());
  EXPECT_EQ(H.down(), 1000u); // Nothing is brought to be overwritten.
  std::fill_n(D.P, 1000, uint8_t(9));
  D.Want.assign(1000, 9);
  ASSERT_TRUE(D.run(1, HSCHED_INOUT, 0, 1000).ok());
  ASSERT_TRUE(D.home(HomeUse::Read).ok());
  EXPECT_EQ(H.up(), 2000u);
  EXPECT_TRUE(D.right());
}

// The host writes a part that no task has named.
TEST(HomelessTest, WhatTheHostWritesFirstIsUploaded) {
  for (HomeUse How : {HomeUse::Update, HomeUse::Overwrite}) {
    Harness H;
    Datum D(H, 1000);
    ASSERT_TRUE(D.home(How).ok());
    std::iota(D.P, D.P + 1000, uint8_t(3));
    std::iota(D.Want.begin(), D.Want.end(), uint8_t(3));
    ASSERT_TRUE(D.run(1, HSCHED_INOUT, 300, 400).ok());
    ASSERT_TRUE(D.home(HomeUse::Read).ok());
    EXPECT_EQ(H.up(), 400u);
    EXPECT_EQ(H.down(), 400u);
    EXPECT_TRUE(D.right());
  }
}

TEST(HomelessTest, ANamedFlushAsksForIt) {
  Harness H;
  Datum D(H, 1000);
  ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  const Access Part = section(D.P + 500, 100, HSCHED_IN);
  ASSERT_TRUE(H.Dir->flush({&Part, 1}, false, true).ok());
  EXPECT_EQ(H.down(), 100u);
  EXPECT_TRUE(std::equal(D.Want.begin() + 500, D.Want.begin() + 600, D.P + 500));
}

TEST(HomelessTest, TheOnlyCopyLeavesADeviceForAHome) {
  const uint64_t Block = 2 * page();
  Harness H(devices(1, 2 * Block));
  Datum D(H, 4 * Block), Other(H, 4 * Block);
  for (unsigned Round = 0; Round < 2; ++Round)
    for (uint64_t I = 0; I < 4; ++I)
      ASSERT_TRUE(D.run(1, Round ? HSCHED_INOUT : HSCHED_OUT, I * Block, Block, I + 4 * Round).ok());
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 6 * Block); // Two of eight are there at the end.
  EXPECT_EQ(H.up(), 4 * Block);
  EXPECT_EQ(H.Dir->stats().HomeBytes, 4 * Block);
  ASSERT_TRUE(Other.run(1, HSCHED_IN, 0, Block).ok()); // Unwritten: it goes without a trace.
  ASSERT_TRUE(D.home(HomeUse::Update).ok());
  EXPECT_TRUE(D.right());
  EXPECT_EQ(H.down(), 8 * Block);
  EXPECT_EQ(H.Dir->stats().HomeBytes, 4 * Block);
}

TEST(HomelessTest, FromDeviceToDeviceWithoutAHome) {
  for (bool Apart : {false, true}) {
    Harness H(devices(2, 1 << 20, Apart));
    Datum D(H, 1000);
    ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
    ASSERT_TRUE(D.run(2, HSCHED_INOUT, 0, 1000, 2).ok());
    ASSERT_TRUE(H.flush().ok());
    EXPECT_EQ(H.across(), 1000u);
    EXPECT_EQ(H.up() + H.down() + H.Dir->stats().HomeBytes, 0u);
    ASSERT_TRUE(D.home(HomeUse::Read).ok());
    EXPECT_TRUE(D.right());
  }
}

TEST(HomelessTest, TilesOfItAreKeptWholeAndPacked) {
  Harness H;
  Datum D(H, 1000);
  auto Tile = [](uint8_t *Base, bool Packed) {
    return Packed ? packedTile(Base + 20, 16, 10, 50, HSCHED_INOUT) : tile(Base + 20, 16, 10, 50, HSCHED_INOUT);
  };
  ASSERT_TRUE(D.home(HomeUse::Overwrite).ok());
  std::fill_n(D.P, 1000, uint8_t(0));
  H.Dir->discard(D.P, 1000); // Its state is unwritten again. The pages keep their contents.
  TestTask T({Tile(D.P, true)}, 5);
  ASSERT_TRUE(H.run(T, 1).ok());
  EXPECT_EQ(H.Dir->stats().Fragments, 1u);
  EXPECT_EQ(H.device(1).bytesInUse(), 160u);
  EXPECT_EQ(H.up(), 0u);
  ASSERT_TRUE(H.flush().ok());
  EXPECT_EQ(H.down(), 0u);
  const Access A = Tile(D.P, false);
  ASSERT_TRUE(H.Dir->flush({&A, 1}, false, true).ok());
  EXPECT_EQ(H.down(), 160u);
  EXPECT_EQ(H.Seen.count(TransferKind::DeviceToHost), 1u);
  ASSERT_TRUE(H.Dir->dropHomeless(D.P).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 0u);
}

TEST(HomelessTest, ALostDeviceTakesWhatItAloneHadWithIt) {
  Harness H(devices(2));
  Datum D(H, 1000), Unwritten(H, 1000);
  ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(Unwritten.run(1, HSCHED_IN, 0, 1000).ok());
  H.device(1).lose(status::error(errc::device_lost, "gone"));
  EXPECT_TRUE(H.flush().ok()); // It was not asked for.
  Acquisition A;
  TestTask Reads({section(D.P, 10, HSCHED_IN)});
  EXPECT_EQ(H.acquire(Reads, 2, A).code(), errc::device_lost);
  EXPECT_TRUE(A.DataLost);
  EXPECT_TRUE(Unwritten.run(2, HSCHED_IN, 0, 1000).ok());
  const status Lost = D.home(HomeUse::Update);
  EXPECT_EQ(Lost.code(), errc::device_lost);
  EXPECT_NE(Lost.message().find("1000 bytes at"), std::string::npos) << Lost.message();
  EXPECT_TRUE(D.home(HomeUse::Update).ok()); // After one report, the host's bytes are valid.
  ASSERT_TRUE(D.run(2, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(D.home(HomeUse::Read).ok());
  EXPECT_TRUE(D.right());
}

TEST(HomelessTest, AFailedTaskLeavesItUnwritten) {
  Harness H(devices(2));
  Datum D(H, 1000);
  H.device(1).inject({sim::SimOp::Launch});
  EXPECT_FALSE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  TestTask Reads({section(D.P, 1000, HSCHED_IN)});
  EXPECT_TRUE(H.Dir->whole(Reads.T));
  EXPECT_TRUE(D.run(2, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(D.home(HomeUse::Read).ok());
  EXPECT_TRUE(D.right());
}

TEST(HomelessTest, IsNotDroppedUnderATask) {
  Harness H;
  Datum D(H, 1000);
  Acquisition A;
  TestTask T({section(D.P, 1000, HSCHED_IN)});
  ASSERT_TRUE(H.acquire(T, 1, A).ok());
  EXPECT_EQ(H.Dir->dropHomeless(D.P).code(), errc::invalid_argument);
  H.Dir->release(T.T, A, false);
  EXPECT_EQ(H.Dir->dropHomeless(D.P + 1).code(), errc::invalid_argument);
  EXPECT_TRUE(H.Dir->dropHomeless(D.P).ok());
}

// Data that grow on a device do not grow into their neighbours: each goes as a whole.
TEST(HomelessTest, NeighboursDoNotShareBlocks) {
  Harness H(devices(1, uint64_t(1) << 30));
  std::vector<std::unique_ptr<Datum>> All;
  for (int I = 0; I < 16; ++I)
    All.push_back(std::make_unique<Datum>(H, page()));
  for (auto &D : All)
    for (size_t Lo = 0; Lo + 200 <= page(); Lo += 100)
      ASSERT_TRUE(D->run(1, HSCHED_OUT, Lo, 200).ok());
  for (auto &D : All)
    ASSERT_TRUE(H.Dir->dropHomeless(D->P).ok());
  EXPECT_EQ(H.device(1).bytesInUse(), 0u);
  EXPECT_EQ(H.up() + H.down(), 0u);
}

TEST(HomelessTest, MayBeLargerThanMemory) {
  Harness H;
  const uint64_t Physical = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page(), Bytes = 4 * Physical;
  void *At = nullptr;
  ASSERT_TRUE(H.Dir->makeHomeless(Bytes, At).ok());
  auto *P = static_cast<uint8_t *>(At);
  ByteVector Want(1000);
  for (uint64_t Lo : {uint64_t(0), Bytes / 2, Bytes - 1000}) {
    TestTask Out({section(P + Lo, 1000, HSCHED_OUT)}), OnHost({section(P + Lo, 500, HSCHED_INOUT)});
    ASSERT_TRUE(H.run(Out, 1).ok());
    ASSERT_TRUE(H.run(OnHost, HostNode).ok());
    ASSERT_TRUE(H.Dir->bringHome(P + Lo, 1000, HomeUse::Update).ok());
    TestTask({section(Want.data(), 1000, HSCHED_OUT)}).runOnHost();
    TestTask({section(Want.data(), 500, HSCHED_INOUT)}).runOnHost();
    EXPECT_TRUE(std::equal(Want.begin(), Want.end(), P + Lo));
  }
  EXPECT_EQ(H.down(), 3000u);
  EXPECT_TRUE(H.Dir->dropHomeless(At).ok());
}

TEST(HomelessTest, HasAHomeAtOnceWhereNothingTravels) {
  Harness H(devices(0));
  void *At = nullptr;
  ASSERT_TRUE(H.Dir->makeHomeless(1000, At).ok());
  EXPECT_FALSE(H.Dir->anyReplica()); // Tasks need not ask.
  EXPECT_TRUE(readable(At));
  EXPECT_TRUE(H.Dir->bringHome(At, 1000, HomeUse::Update).ok());
  EXPECT_TRUE(H.Dir->dropHomeless(At).ok());
}

TEST(HomelessTest, NothingOfItTravelsAtTheEnd) {
  Harness H;
  Datum D(H, 1000);
  ASSERT_TRUE(D.run(1, HSCHED_OUT, 0, 1000).ok());
  ASSERT_TRUE(H.Dir->shutdown().ok());
  EXPECT_EQ(H.down(), 0u);
  EXPECT_EQ(H.device(1).bytesInUse(), 0u);
}

TEST(ReservedMemoryTest, IsCommittedInParts) {
  ReservedMemory R;
  uintptr_t Begin = 0;
  const uint64_t Part = 4 * page();
  ASSERT_TRUE(R.reserve(ReservedMemory::PartsOfRange * Part, false, Begin).ok());
  EXPECT_EQ(R.committedBytes(), 0u);
  ASSERT_TRUE(R.commit({Begin + 3 * Part + 5, 1}).ok());
  EXPECT_EQ(R.committedBytes(), Part);
  ASSERT_TRUE(R.commit({Begin + 3 * Part, 2 * Part}).ok());
  EXPECT_EQ(R.committedBytes(), 2 * Part);
  ASSERT_TRUE(R.commit({Begin + 8 * Part, 8, 3, 2 * Part}).ok()); // Rows.
  EXPECT_EQ(R.committedBytes(), 5 * Part);
  auto *P = reinterpret_cast<uint8_t *>(Begin);
  P[3 * Part] = P[5 * Part - 1] = 1;
  EXPECT_TRUE(readable(P + 12 * Part));
  EXPECT_FALSE(readable(P + 5 * Part));
  EXPECT_FALSE(readable(P + 9 * Part));
  int Ordinary = 0;
  EXPECT_TRUE(R.commit({reinterpret_cast<uintptr_t>(&Ordinary), sizeof Ordinary}).ok());
  EXPECT_TRUE(R.release(Begin));
  EXPECT_FALSE(R.release(Begin));
  EXPECT_FALSE(readable(P + 3 * Part));
}

TEST(ReservedMemoryTest, NothingIsReservedForNoBytesOrTooMany) {
  ReservedMemory R;
  uintptr_t Begin = 0;
  EXPECT_EQ(R.reserve(0, false, Begin).code(), errc::out_of_memory);
  EXPECT_EQ(R.reserve(UINT64_MAX, false, Begin).code(), errc::out_of_memory);
  EXPECT_EQ(R.reserve(uint64_t(1) << 60, false, Begin).code(), errc::out_of_memory);
  EXPECT_FALSE(R.any());
}

#if !HSCHED_ASAN && !HSCHED_TSAN
TEST(HomelessTest, NoMemoryForAHomeIsAnErrorOfWhoNeedsIt) {
  Harness H;
  const uint64_t Bytes = uint64_t(1) << 40;
  void *At = nullptr;
  ASSERT_TRUE(H.Dir->makeHomeless(Bytes, At).ok());
  auto *P = static_cast<uint8_t *>(At);
  TestTask Small({section(P, 1000, HSCHED_OUT)}), OnHost({section(P, 1000, HSCHED_INOUT)});
  ASSERT_TRUE(H.run(Small, 1).ok());
  rlimit Was{}, Less{1 << 20, 0};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &Was), 0);
  Less.rlim_max = Was.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &Less), 0);
  Acquisition A;
  const status Task = H.acquire(OnHost, HostNode, A), Asked = H.Dir->bringHome(P, 1000, HomeUse::Read);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &Was), 0);
  EXPECT_EQ(Task.code(), errc::out_of_memory);
  EXPECT_NE(Task.message().find("bytes of host memory"), std::string::npos) << Task.message();
  EXPECT_FALSE(A.Acquired);
  EXPECT_EQ(Asked.code(), errc::out_of_memory);
  EXPECT_TRUE(H.run(OnHost, HostNode).ok()); // Nothing was lost.
  EXPECT_EQ(H.down(), 1000u);
}
#endif

} // namespace

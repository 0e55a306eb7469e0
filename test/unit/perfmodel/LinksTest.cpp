// Measured links against a simulated device whose links are known; what is kept of them on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/Links.h"
#include "backends/sim/Sim.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::sim;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct Simulated {
  std::shared_ptr<ManualClock> Time = std::make_shared<ManualClock>();
  SimOptions Options;
  Simulated() {
    Options.MemoryBytes = uint64_t(1) << 30;
    Options.Mode = SimMode::Virtual;
    Options.Time = Time;
    Options.Costs.PerOperation = 12us;
    Options.Costs.UploadNsPerByte = 0.02;   // 50 GB/s.
    Options.Costs.DownloadNsPerByte = 0.25; // 4 GB/s.
    Options.Costs.CopyNsPerByte = 0.001;    // 1 TB/s.
  }
};

void expectLink(const LinkCost &Link, double LatencyNs, double NsPerByte) {
  EXPECT_NEAR(Link.LatencyNs, LatencyNs, 2);
  EXPECT_NEAR(Link.NsPerByte, NsPerByte, NsPerByte * 0.001);
}

class LinkStoreTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = fs::temp_directory_path() / "hsched-links-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    Info.Name = "Device";
    Info.Driver = "1.0";
  }
  void TearDown() override { fs::remove_all(Folder); }
  LinkStore store(const std::string &Machine = "machine") { return {DiskCache(Folder, 1 << 20), Machine}; }

  static constexpr LinkTimes Known = {{1000.5, 0.02}, {2000, 1.0 / 3}, {30, 0}};
  static bool same(const std::optional<LinkTimes> &A, const LinkTimes &B) {
    return A && A->ToDevice.LatencyNs == B.ToDevice.LatencyNs && A->ToDevice.NsPerByte == B.ToDevice.NsPerByte &&
           A->ToHost.LatencyNs == B.ToHost.LatencyNs && A->ToHost.NsPerByte == B.ToHost.NsPerByte &&
           A->Within.LatencyNs == B.Within.LatencyNs && A->Within.NsPerByte == B.Within.NsPerByte;
  }

  std::string Folder;
  DeviceInfo Info;
};

} // namespace

TEST(LinkCalibrationTest, FindsWhatTheLinksAre) {
  Simulated S;
  SimDevice D(0, S.Options);
  auto Found = measureLinks(D, *S.Time);
  ASSERT_TRUE(Found);
  expectLink(Found->ToDevice, 12e3, 0.02);
  expectLink(Found->ToHost, 12e3, 0.25);
  expectLink(Found->Within, 12e3, 0.001);
  EXPECT_EQ(Found->ToHost.time(4000).count(), 13000);
  EXPECT_EQ(D.bytesInUse(), 0u) << "its memory is given back";
}

// A transfer during which others had the core looks long enough to tell; the others of its size tell that it was not.
TEST(LinkProbeTest, OneThatWasInterruptedDoesNotDecide) {
  constexpr double NsPerByte = 0.1; // 64 KiB in 6.5 us, less than the scatter of 50 us.
  for (unsigned Interrupted = 0; Interrupted < 10; ++Interrupted) {
    LinkProbe P(16 << 20);
    unsigned Step = 0;
    for (; !P.over() && Step < 100; ++Step) {
      auto Took = Duration(50000 + static_cast<int64_t>(NsPerByte * static_cast<double>(P.next())));
      if (P.next() > 64 && P.next() <= 65536)
        Took -= 10us;
      if (Step == Interrupted || Step == Interrupted + 4)
        Took += 2ms;
      P.took({Took, Took});
    }
    ASSERT_TRUE(P.over());
    EXPECT_NEAR(P.result().NsPerByte, NsPerByte, NsPerByte / 20) << Interrupted;
  }
}

// A device may keep no times of short transfers. What the host sees of one is no part of a long one's time.
TEST(LinkProbeTest, ShortTransfersWithoutTimes) {
  LinkProbe P(16 << 20);
  for (unsigned Step = 0; !P.over() && Step < 100; ++Step) {
    const Duration Seen = Duration(100'000 + static_cast<int64_t>(0.1 * static_cast<double>(P.next())));
    P.took({Seen, P.next() <= 512 << 10 ? Seen : Seen - 100us});
  }
  ASSERT_TRUE(P.over());
  EXPECT_NEAR(P.result().NsPerByte, 0.1, 0.001);
  EXPECT_NEAR(P.result().LatencyNs, 100e3, 1e3);
}

TEST(LinkCalibrationTest, IsTheSameEachTime) {
  Simulated A, B;
  SimDevice DA(0, A.Options), DB(0, B.Options);
  ASSERT_TRUE(measureLinks(DA, *A.Time));
  ASSERT_TRUE(measureLinks(DB, *B.Time));
  EXPECT_EQ(A.Time->now(), B.Time->now()) << "down to the time that it took";
}

TEST(LinkCalibrationTest, TakesShortStepsAndLittleTime) {
  // From 1 GB/s to 1 TB/s.
  for (double NsPerByte : {1.0, 0.1, 0.01, 0.001}) {
    Simulated S;
    S.Options.Costs.UploadNsPerByte = S.Options.Costs.DownloadNsPerByte = S.Options.Costs.CopyNsPerByte = NsPerByte;
    SimDevice D(0, S.Options);
    LinkCalibration C(D, *S.Time);
    TimePoint Begin = S.Time->now(), Last = Begin;
    Duration Longest{0};
    unsigned Steps = 0;
    do {
      Longest = std::max(Longest, S.Time->now() - Last);
      Last = S.Time->now();
      EXPECT_EQ(D.bytesInUse(), 0u) << "between steps others may have all memory";
    } while (C.step() && ++Steps < 1000);
    EXPECT_LT(Steps, 60u);
    EXPECT_TRUE(C.result());
    EXPECT_FALSE(C.step()) << "over is over";
    // A step is two transfers; the last size is at most four times one that took half a millisecond.
    EXPECT_LE(Longest, 4200us) << NsPerByte;
    EXPECT_LE(S.Time->now() - Begin, 60ms) << NsPerByte;
  }
}

TEST(LinkCalibrationTest, GivesUpWhereTheDeviceRefuses) {
  for (SimOp Op : {SimOp::Allocate, SimOp::Write, SimOp::Read, SimOp::Copy})
    for (bool AtCall : {false, true})
      for (unsigned Nth : {1u, 2u, 9u}) {
        Simulated S;
        S.Options.Faults = {{Op, Nth, true, AtCall}};
        SimDevice D(0, S.Options);
        EXPECT_FALSE(measureLinks(D, *S.Time)) << static_cast<int>(Op) << " " << Nth;
        EXPECT_EQ(D.bytesInUse(), 0u);
      }
}

TEST(LinkCalibrationTest, LeavesSmallMemoriesAlone) {
  Simulated S;
  S.Options.MemoryBytes = 1 << 19;
  SimDevice Tiny(0, S.Options);
  EXPECT_FALSE(measureLinks(Tiny, *S.Time));
  EXPECT_EQ(S.Time->now(), ManualClock().now()) << "nothing was tried";
  S.Options.MemoryBytes = 4 << 20; // Pieces of 256 KiB are what it may take.
  SimDevice Small(1, S.Options);
  auto Found = measureLinks(Small, *S.Time);
  ASSERT_TRUE(Found);
  EXPECT_NEAR(Found->ToHost.NsPerByte, 0.25, 0.25 * 0.01);
}

// As a relay and a directory do, for devices that reach each other.
static const CopyBetween Directly = [](Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst,
                                       size_t Bytes, EventRef &Done) {
  return To.copyFrom(From, Src, 0, Dst, 0, {1, Bytes, 0, 0}, {}, Done);
};

TEST(PairCalibrationTest, FindsWhatTheWayIs) {
  Simulated S;
  S.Options.In = makeContext();
  S.Options.Costs.PeerNsPerByte = 0.05;
  SimDevice A(0, S.Options), B(1, S.Options);
  auto Found = measurePair(A, B, *S.Time, Directly);
  ASSERT_TRUE(Found);
  expectLink(*Found, 12e3, 0.05);
  EXPECT_EQ(A.bytesInUse() + B.bytesInUse(), 0u) << "their memory is given back";
}

// Drivers keep what a context's devices share where it was used last: both devices work on their blocks in between.
TEST(PairCalibrationTest, EachCopyFindsItsBlocksWhereTasksLeaveThem) {
  Simulated S;
  S.Options.In = makeContext();
  S.Options.Costs.PeerNsPerByte = 0.05;
  S.Options.Costs.CopyNsPerByte = 0.2;
  SimDevice A(0, S.Options), B(1, S.Options);
  std::optional<TimePoint> Last;
  unsigned Copies = 0;
  auto Found = measurePair(
      A, B, *S.Time,
      [&](Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done) {
        if (Last) {
          EXPECT_GE((S.Time->now() - *Last).count(), 2 * 0.2 * static_cast<double>(Bytes));
        }
        ++Copies;
        status Went = Directly(From, Src, To, Dst, Bytes, Done);
        EXPECT_TRUE(Went.ok() && Done->wait().ok());
        Last = S.Time->now();
        return Went;
      });
  ASSERT_TRUE(Found);
  expectLink(*Found, 12e3, 0.05);
  EXPECT_GT(Copies, 10u);
}

// The 56 ways between eight devices in no more than a second.
TEST(PairCalibrationTest, TakesShortStepsAndLittleTime) {
  for (double NsPerByte : {1.0, 0.1, 0.01, 0.001}) { // From 1 GB/s to 1 TB/s.
    Simulated S;
    S.Options.In = makeContext();
    S.Options.Costs.PeerNsPerByte = NsPerByte;
    S.Options.Costs.CopyNsPerByte = 0.0005;
    SimDevice A(0, S.Options), B(1, S.Options);
    PairCalibration C(A, B, *S.Time, Directly);
    TimePoint Begin = S.Time->now(), Last = Begin;
    Duration Longest{0};
    unsigned Steps = 0;
    while (C.step()) {
      ++Steps;
      Longest = std::max(Longest, S.Time->now() - Last);
      Last = S.Time->now();
      EXPECT_EQ(A.bytesInUse() + B.bytesInUse(), 0u) << "between steps others may have all memory";
    }
    EXPECT_TRUE(C.result());
    EXPECT_FALSE(C.step()) << "over is over";
    EXPECT_LT(Steps, 20u);
    EXPECT_LE(Longest, 4200us) << NsPerByte;
    EXPECT_LE((S.Time->now() - Begin) * 56, 1s) << NsPerByte;
  }
}

TEST(PairCalibrationTest, GivesUpWhereADeviceRefuses) {
  for (SimOp Op : {SimOp::Allocate, SimOp::Copy})
    for (bool AtCall : {false, true})
      for (bool Second : {false, true})
        for (unsigned Nth : {1u, 2u, 9u}) {
          Simulated S;
          S.Options.In = makeContext();
          SimOptions Faulty = S.Options;
          Faulty.Faults = {{Op, Nth, true, AtCall}};
          SimDevice A(0, Second ? S.Options : Faulty), B(1, Second ? Faulty : S.Options);
          EXPECT_FALSE(measurePair(A, B, *S.Time, Directly)) << Second << Nth;
          EXPECT_EQ(A.bytesInUse() + B.bytesInUse(), 0u);
        }
}

TEST(PairCalibrationTest, LeavesSmallMemoriesAndLostDevicesAlone) {
  Simulated S;
  S.Options.In = makeContext();
  SimOptions Little = S.Options;
  Little.MemoryBytes = 1 << 19;
  SimDevice Large(0, S.Options), Tiny(1, Little), Gone(2, S.Options);
  Gone.lose(status::error(errc::device_lost, "it has gone"));
  for (SimDevice *D : {&Tiny, &Gone}) {
    EXPECT_FALSE(measurePair(Large, *D, *S.Time, Directly));
    EXPECT_FALSE(measurePair(*D, Large, *S.Time, Directly));
  }
  EXPECT_EQ(S.Time->now(), ManualClock().now()) << "nothing was tried";
}

TEST(LinksTest, WaysBetweenDevices) {
  Links L(4);
  EXPECT_EQ(L.between(2, 3).NsPerByte, throughHost(UnmeasuredLinks, UnmeasuredLinks).NsPerByte);
  L.set(2, {{1, 2}, {3, 4}, {5, 6}});
  L.set(3, {{10, 20}, {30, 40}, {50, 60}});
  EXPECT_EQ(L.between(2, 3).LatencyNs, 3 + 10) << "down from the one, up to the other";
  EXPECT_EQ(L.between(2, 3).NsPerByte, 4 + 20);
  L.setBetween(2, 3, {100, 0.5});
  EXPECT_EQ(L.between(2, 3).LatencyNs, 100);
  EXPECT_EQ(L.between(3, 2).LatencyNs, 30 + 1) << "the way back is another one";
  L.setBetween(1, 3, {200, 0.25});
  L.setBetween(2, 3, {101, 0.5});
  EXPECT_EQ(L.between(2, 3).LatencyNs, 101);
  EXPECT_EQ(L.between(1, 3).LatencyNs, 200);
  L.setBetween(4, 1, {}); // No such worker.
  L.setBetween(1, 4, {});
  EXPECT_EQ(L.between(1, 4).LatencyNs, throughHost(UnmeasuredLinks, UnmeasuredLinks).LatencyNs);
}

TEST(LinksTest, BetweenDevicesThroughTheHost) {
  LinkTimes A = {{1, 10}, {2, 20}, {3, 30}}, B = {{100, 1000}, {200, 2000}, {300, 3000}};
  EXPECT_EQ(throughHost(A, B).LatencyNs, 102);
  EXPECT_EQ(throughHost(A, B).NsPerByte, 1020);
}

TEST(LinksTest, AreKnownOnceTheyAreSet) {
  Links L(3);
  EXPECT_EQ(L.of(1), nullptr);
  L.set(1, {{1, 2}, {3, 4}, {5, 6}});
  const LinkTimes *Old = L.of(1);
  ASSERT_NE(Old, nullptr);
  L.set(1, {{7, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(L.of(1)->ToDevice.LatencyNs, 7);
  EXPECT_EQ(Old->ToDevice.LatencyNs, 1) << "who has the old ones may go on";
  EXPECT_EQ(L.of(0), nullptr);
  L.set(3, {});
  EXPECT_EQ(L.of(3), nullptr) << "no such worker";
}

TEST_F(LinkStoreTest, KeepsNumbersAsTheyAre) {
  EXPECT_FALSE(store().load(Info));
  store().store(Info, Known);
  EXPECT_TRUE(same(store().load(Info), Known));
}

TEST_F(LinkStoreTest, ADeviceADriverAMachine) {
  store().store(Info, Known);
  EXPECT_FALSE(store("another machine").load(Info));
  auto expectUnknown = [&](auto Change) {
    DeviceInfo Other = Info;
    Change(Other);
    EXPECT_FALSE(store().load(Other));
  };
  expectUnknown([](DeviceInfo &I) { I.Name = "Device 2"; });
  expectUnknown([](DeviceInfo &I) { I.Driver = "1.1"; });
  expectUnknown([](DeviceInfo &I) { I.Vendor = "?"; });
  expectUnknown([](DeviceInfo &I) { I.Platform = "?"; });
  expectUnknown([](DeviceInfo &I) { I.Backend = "cuda"; });
  expectUnknown([](DeviceInfo &I) { I.Index = 1; });
  expectUnknown([](DeviceInfo &I) { I.SharesHostMemory = true; });
  expectUnknown([](DeviceInfo &I) { I.ComputeUnits = 7; });
  expectUnknown([](DeviceInfo &I) { I.Part = 0; });
  expectUnknown([](DeviceInfo &I) { I.TransferSettings = "pinned never"; });
}

TEST_F(LinkStoreTest, AWayADirection) {
  Simulated Together, Apart;
  Together.Options.In = makeContext();
  SimDevice A(0, Together.Options), B(1, Together.Options), C(0, Apart.Options), D(1, Apart.Options);
  store().store(A, B, {1000.5, 0.02});
  auto Found = store().load(A, B);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->LatencyNs, 1000.5);
  EXPECT_EQ(Found->NsPerByte, 0.02);
  EXPECT_FALSE(store().load(B, A)) << "the way back";
  EXPECT_FALSE(store().load(C, D)) << "alike, but they do not reach each other";
  EXPECT_FALSE(store("another machine").load(A, B));
  EXPECT_FALSE(store().load(A.info()));
}

TEST_F(LinkStoreTest, CutShortAtEveryLength) {
  store().store(Info, Known);
  std::string Path = store().pathOf(Info), Whole;
  {
    std::ifstream In(Path, std::ios::binary);
    Whole.assign(std::istreambuf_iterator<char>(In), {});
  }
  ASSERT_GT(Whole.size(), 60u);
  for (size_t Length = 0; Length < Whole.size(); ++Length) {
    std::ofstream(Path, std::ios::binary | std::ios::trunc) << Whole.substr(0, Length);
    EXPECT_FALSE(store().load(Info)) << Length;
  }
  store().store(Info, Known);
  EXPECT_TRUE(same(store().load(Info), Known)) << "written anew";
}

TEST_F(LinkStoreTest, NonsenseIsNotBelieved) {
  store().store(Info, Known);
  // Whole entries, as far as the cache knows, whose values make no sense: of another version of hsched, say. The
  // entry's key is the file's part behind its header, as long as the header says.
  std::ifstream In(store().pathOf(Info), std::ios::binary);
  std::string Whole(std::istreambuf_iterator<char>(In), {});
  std::string Key = Whole.substr(40, Whole.find("1000.5 ") - 40);
  DiskCache Disk(Folder, 1 << 20);
  ASSERT_TRUE(Disk.load(Key));
  for (const char *Bad : {"", "1 2 3 4 5 6", "1 2 3 4 5 ", "1 2 3 4 5 6 7 ", "1 2 3 4 5 -6 ", "1 2 3 4 5 1e10 ",
                          "1 2 nan 4 5 6 ", "inf 2 3 4 5 6 ", "1  2 3 4 5 6 ", "a b c d e f ", "1 2 3 4 5 6 \n"}) {
    Disk.store(Key, Bad);
    EXPECT_FALSE(store().load(Info)) << "'" << Bad << "'";
  }
  Disk.store(Key, "1 2 3 4 5 6 ");
  EXPECT_TRUE(same(store().load(Info), {{1, 2}, {3, 4}, {5, 6}}));
}

TEST_F(LinkStoreTest, SeveralProcessesAtOnce) {
  std::vector<pid_t> Children;
  for (int P = 0; P < 4; ++P) {
    pid_t Child = fork();
    ASSERT_GE(Child, 0);
    if (Child == 0) {
      bool Good = true;
      for (int Round = 0; Round < 500; ++Round) {
        double N = P * 1000 + Round;
        store().store(Info, {{N, N}, {N, N}, {N, N}});
        auto Back = store().load(Info);
        Good &= Back && Back->ToDevice.LatencyNs == Back->Within.NsPerByte && Back->ToHost.NsPerByte <= 3499;
      }
      _exit(Good ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = 0;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  }
}

// With the directory's lock held, no driver is called, and no thread is waited for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <chrono>
#include <condition_variable>
#include <numeric>
#include <set>
#include <string>
#include <thread>

using namespace hsched;
using namespace hsched::rt;
using namespace std::chrono_literals;

namespace {

// Time limit of an answer. A call under the lock exceeds it; nothing else takes so long.
constexpr auto ForEver = 20s;

// At each call of a driver, asks a directory something on a thread of its own. The thread gets no answer as long as the
// caller holds the lock.
class Probe {
public:
  Probe() : Asker([this] { loop(); }) {}
  ~Probe() { stop(); }
  void watch(Directory *D) {
    std::lock_guard Guard(Lock);
    Dir = D;
  }
  // Several threads may query at once: each receives an answer to a query that began after its own call.
  void called(const char *What) {
    std::unique_lock Guard(Lock);
    if (!Dir)
      return;
    Seen.insert(What);
    const uint64_t Mine = ++Asked;
    Changed.notify_all();
    if (!Changed.wait_for(Guard, ForEver, [&] { return Answered >= Mine || !CalledUnderLock.empty(); }) &&
        CalledUnderLock.empty())
      CalledUnderLock = What;
  }
  void stop() {
    {
      std::lock_guard Guard(Lock);
      Stopping = true;
      Changed.notify_all();
    }
    if (Asker.joinable())
      Asker.join();
  }

  std::set<std::string> Seen;  // Calls.
  std::string CalledUnderLock; // The first call under the lock.

private:
  void loop() {
    std::unique_lock Guard(Lock);
    for (;;) {
      Changed.wait(Guard, [&] { return Stopping || Answered < Asked; });
      if (Stopping)
        return;
      const uint64_t Question = Asked;
      Guard.unlock();
      (void)Dir->stats();
      Guard.lock();
      Answered = Question;
      Changed.notify_all();
    }
  }

  std::mutex Lock; // All but Asker.
  std::condition_variable Changed;
  Directory *Dir = nullptr;
  uint64_t Asked = 0, Answered = 0;
  bool Stopping = false;
  std::thread Asker;
};

sim::SimOptions watched(const std::shared_ptr<Probe> &P, uint64_t Bytes, bool Apart, sim::SimMode Mode) {
  sim::SimOptions O;
  O.Devices = 2;
  O.MemoryBytes = Bytes;
  O.Apart = Apart;
  O.Mode = Mode;
  O.Called = [P](const char *What) { P->called(What); };
  return O;
}

// Uploads, downloads, copies within a device and across, evictions, merged blocks, tiles, failed tasks.
void everything(Harness &H, bool Apart) {
  ByteVector X(4096);
  std::iota(X.begin(), X.end(), uint8_t(1));
  void *Made = nullptr;
  ASSERT_TRUE(H.Dir->makeHomeless(2048, Made).ok());
  auto *D = static_cast<uint8_t *>(Made);
  auto run = [&](std::vector<Access> List, MemoryNode Node) {
    status S = H.run(TestTask(std::move(List)), Node);
    EXPECT_TRUE(S.ok()) << S.message();
  };
  for (MemoryNode Node : {1, 2}) {
    run({section(X.data(), 256, HSCHED_INOUT)}, Node);
    run({section(X.data() + 200, 256, HSCHED_INOUT)}, Node); // Merged.
    run({packedTile(X.data() + 1000, 16, 8, 40, HSCHED_INOUT)}, Node);
    run({section(D, 256, HSCHED_OUT)}, Node);
    run({section(X.data() + 2048, 700, HSCHED_INOUT)}, Node); // Drives out others.
    run({section(D, 256, HSCHED_INOUT)}, Node);
    run({section(X.data() + 300, 100, HSCHED_INOUT)}, HostNode);
  }
  // A task that is still to write what is merged meanwhile.
  TestTask Writer({section(X.data() + 3000, 100, HSCHED_INOUT)}), Beside({section(X.data() + 3050, 200, HSCHED_IN)});
  Acquisition A, B;
  ASSERT_TRUE(H.acquire(Writer, 1, A).ok());
  ASSERT_TRUE(H.acquire(Beside, 1, B).ok());
  EventRef Done;
  ASSERT_TRUE(H.launch(Writer, A, Done).ok());
  ASSERT_TRUE(Done->wait().ok());
  H.Dir->release(Writer.T, A, false);
  H.Dir->release(Beside.T, B, true, FailedOutputs::Untouched);
  ASSERT_TRUE(H.flush(false).ok());
  ASSERT_TRUE(H.Dir->bringHome(D, 100, Directory::HomeUse::Update).ok());
  ASSERT_TRUE(H.Dir->bringHome(D, 100, Directory::HomeUse::Overwrite).ok());
  H.Dir->discard(X.data(), 100);
  ASSERT_TRUE(H.flush(true).ok());
  run({section(D, 1000, HSCHED_INOUT)}, 1);
  ASSERT_TRUE(H.Dir->dropHomeless(D).ok());
  run({section(X.data(), 900, HSCHED_INOUT)}, 2);
  EXPECT_GT(H.across(), 0u) << Apart;
  EXPECT_GT(H.within(), 0u);
  ASSERT_TRUE(H.Dir->shutdown().ok());
}

TEST(UnlockedTest, NoDriverIsCalledUnderTheLock) {
  for (bool Apart : {false, true})
    for (sim::SimMode Mode : {sim::SimMode::Threads, sim::SimMode::Manual}) {
      auto P = std::make_shared<Probe>();
      {
        Harness H(watched(P, 1024, Apart, Mode));
        P->watch(H.Dir.get());
        everything(H, Apart);
        P->watch(nullptr);
      }
      P->stop();
      EXPECT_EQ(P->CalledUnderLock, "") << "the lock was held in a call of a driver";
      for (const char *What : {"allocate", "free", "write", "read", "copy", "flush", "wait"})
        EXPECT_TRUE(P->Seen.contains(What)) << What;
      EXPECT_TRUE(Apart || P->Seen.contains("copyFrom"));
    }
}

// While device 1's driver takes its time over a call, tasks of device 2 and of the host go on, and so do waits for
// them.
TEST(UnlockedTest, ASlowCallDelaysNoOtherThread) {
  for (const char *Slow : {"allocate", "free", "write", "read", "flush", "wait"}) {
    struct Gate {
      std::mutex Lock;
      std::condition_variable Changed;
      bool Armed = false, Entered = false, Open = false;
    };
    auto G = std::make_shared<Gate>();
    sim::SimOptions O;
    O.MemoryBytes = 1024;
    O.Apart = true;
    O.Called = [G, Slow](const char *What) {
      std::unique_lock Guard(G->Lock);
      if (!G->Armed || std::string_view(What) != Slow)
        return;
      G->Armed = false;
      G->Entered = true;
      G->Changed.notify_all();
      EXPECT_TRUE(G->Changed.wait_for(Guard, ForEver, [&] { return G->Open; })) << Slow;
    };
    SteadyClock Time;
    sim::SimDevice First(0, O);
    O.Called = nullptr;
    sim::SimDevice Second(1, O);
    Directory Dir({{nullptr, 0}, {&First, 1}, {&Second, 2}}, Time, nullptr);
    auto run = [&](const TestTask &T, MemoryNode Node) {
      Acquisition A;
      status S = Dir.acquire(T.T, Node, A);
      for (const EventRef &E : A.Wait)
        EXPECT_TRUE(E->wait().ok());
      if (S.ok())
        Dir.release(T.T, A, false);
      return S;
    };
    ByteVector X(4096, 1);
    ASSERT_TRUE(run(TestTask({section(X.data(), 600, HSCHED_INOUT)}), 1).ok());
    {
      std::lock_guard Guard(G->Lock);
      G->Armed = true;
    }
    std::thread Slowly([&] { // Evicts, allocates, uploads.
      EXPECT_TRUE(run(TestTask({section(X.data() + 1024, 600, HSCHED_INOUT)}), 1).ok());
    });
    {
      std::unique_lock Guard(G->Lock);
      ASSERT_TRUE(G->Changed.wait_for(Guard, ForEver, [&] { return G->Entered; })) << Slow;
    }
    ASSERT_TRUE(run(TestTask({section(X.data() + 2048, 600, HSCHED_INOUT)}), 2).ok());
    ASSERT_TRUE(run(TestTask({section(X.data() + 2048 + 600, 600, HSCHED_INOUT)}), 2).ok()); // Evicts, too.
    ASSERT_TRUE(run(TestTask({section(X.data() + 2048, 100, HSCHED_INOUT)}), HostNode).ok());
    const Access Part = section(X.data() + 2048, 2048, HSCHED_IN);
    ASSERT_TRUE(Dir.flush({&Part, 1}, false, true).ok());
    (void)Dir.stats();
    {
      std::lock_guard Guard(G->Lock);
      G->Open = true;
      G->Changed.notify_all();
    }
    Slowly.join();
    ASSERT_TRUE(Dir.shutdown().ok());
  }
}

} // namespace

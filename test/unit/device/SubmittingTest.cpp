// A device whose commands are handed over by a thread of its own: order, threads, refusals, events.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/Sim.h"
#include "device/SubmittingDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <numeric>
#include <set>

using namespace hsched;
using namespace hsched::rt;
using sim::SimDevice, sim::SimFault, sim::SimMode, sim::SimOp, sim::SimOptions;

namespace {

// Records calls. Each command ends at once.
class Recorder final : public Device {
public:
  const DeviceInfo &info() const override { return Info; }
  status allocate(size_t, BufferRef &) override { return note("allocate"); }
  status wrap(void *, size_t, BufferRef &) override { return note("wrap"); }
  status kernel(const hsched_kernel_desc &, KernelRef &) override { return note("kernel"); }
  status write(const BufferRef &, size_t, const void *, size_t, std::span<const EventRef>, EventRef &Done) override {
    return note("write", &Done);
  }
  // Refuses if a predecessor has failed, as devices do.
  status read(const BufferRef &, size_t, void *, size_t, std::span<const EventRef> Wait, EventRef &Done) override {
    for (const EventRef &E : Wait)
      if (status S = E ? E->wait() : status(); !S.ok())
        return S;
    return note("read", &Done);
  }
  status writeRows(const BufferRef &, size_t, const void *, const RowLayout &, std::span<const EventRef>,
                   EventRef &Done) override {
    return note("writeRows", &Done);
  }
  status readRows(const BufferRef &, size_t, void *, const RowLayout &, std::span<const EventRef>,
                  EventRef &Done) override {
    return note("readRows", &Done);
  }
  status pin(void *, size_t) override { return note("pin"); }
  void unpin(void *) override {}
  status copy(const BufferRef &, size_t, const BufferRef &, size_t, size_t, std::span<const EventRef>,
              EventRef &Done) override {
    return note("copy", &Done);
  }
  status launch(const KernelRef &, const hsched_ndrange &, std::span<const BoundArg>, std::span<const EventRef>,
                EventRef &Done, CompletionReport, unsigned) override {
    return note("launch", &Done);
  }
  void preferQueue(unsigned Queue, bool) override {
    (void)note(Queue == AnyQueue ? "prefer any" : "prefer " + std::to_string(Queue));
  }
  bool takesNativeWork() const override { return true; }
  status beginNative(const char *Name, std::span<const EventRef>, std::unique_ptr<NativeWork> &, unsigned) override {
    return note(std::string("native ") + Name);
  }
  void flush() override { (void)note("flush"); }
  unsigned computeQueues() const override { return 2; }
  unsigned streamOf(const Event &) const override { return 1; }

  // Called by each call of these functions, on its thread, before it is recorded.
  std::function<void(const std::string &)> Before;
  std::string Refuses; // Constant while commands are queued.
  std::vector<std::string> calls() {
    std::lock_guard Guard(Lock);
    return Calls;
  }

private:
  struct Over final : Event {
    bool done() override { return true; }
    status wait() override { return {}; }
    status outcome() override { return {}; }
    std::optional<Interval> times() override { return std::nullopt; }
  };
  status note(const std::string &What, EventRef *Done = nullptr) {
    if (Before)
      Before(What);
    std::lock_guard Guard(Lock);
    if (What == Refuses)
      return status::error(errc::out_of_memory, "no " + What);
    Calls.push_back(What);
    if (Done)
      *Done = std::make_shared<Over>();
    return {};
  }
  DeviceInfo Info;
  std::mutex Lock;
  std::vector<std::string> Calls;
};

// Gives writes until the device's thread has begun one, in which it stops until release().
class BlockedThread {
public:
  explicit BlockedThread(Recorder &Of, Device &D) : D(D) {
    Of.Before = [this, Here = std::this_thread::get_id()](const std::string &) {
      if (std::this_thread::get_id() != Here && !Begun.exchange(true))
        Released.get_future().wait();
    };
    while (!Begun)
      (void)D.write(nullptr, 0, nullptr, 0, {}, Last);
  }
  ~BlockedThread() { release(); }
  void release() {
    if (!std::exchange(Over, true))
      Released.set_value();
  }
  EventRef give() {
    EventRef Done;
    (void)D.write(nullptr, 0, nullptr, 0, {}, Done);
    return Done;
  }

private:
  Device &D;
  std::atomic<bool> Begun{false};
  std::promise<void> Released;
  bool Over = false;
  EventRef Last;
};

template <class D> std::unique_ptr<SubmittingDevice> decorate(std::unique_ptr<D> Of, D *&Bare) {
  Bare = Of.get();
  return std::make_unique<SubmittingDevice>(std::move(Of));
}

hsched_ndrange items(size_t N) {
  hsched_ndrange R{};
  R.dims = 1;
  R.global[0] = N;
  return R;
}

} // namespace

// The value's memory changes as soon as a launch has been given.
TEST(Submitting, KeepsTheOrderAndTheValues) {
  sim::simRegisterKernel("submit_step", [](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
    auto *X = Args[0].pointer<uint64_t>();
    *X = *X * 3 + Args[1].value<uint16_t>() + Args[2].value<uint64_t>();
    return status();
  });
  SubmittingDevice D(std::make_unique<SimDevice>(0, SimOptions{}));
  BufferRef Memory;
  ASSERT_TRUE(D.allocate(sizeof(uint64_t), Memory).ok());
  hsched_kernel_desc Desc{};
  Desc.entry = "submit_step";
  KernelRef K;
  ASSERT_TRUE(D.kernel(Desc, K).ok());
  uint64_t Begin = 5, End = 0, Expected = Begin;
  EventRef Done;
  ASSERT_TRUE(D.write(Memory, 0, &Begin, sizeof(Begin), {}, Done).ok());
  for (unsigned I = 0; I < 400; ++I) {
    uint16_t Short = static_cast<uint16_t>(I);
    uint64_t Long = I * 1000003;
    BoundArg Args[3];
    Args[0].K = BoundArg::Kind::Buffer;
    Args[0].Mem = Memory;
    Args[1].Value = &Short;
    Args[1].Bytes = sizeof(Short);
    Args[2].Value = &Long;
    Args[2].Bytes = sizeof(Long);
    const EventRef Before = Done;
    ASSERT_TRUE(D.launch(K, items(1), Args, {&Before, 1}, Done, CompletionReport::Soon, AnyQueue).ok());
    Expected = Expected * 3 + Short + Long;
    Short = 7;
    Long = 9;
  }
  const EventRef Before = Done;
  ASSERT_TRUE(D.read(Memory, 0, &End, sizeof(End), {&Before, 1}, Done).ok());
  EXPECT_TRUE(Done->wait().ok());
  EXPECT_TRUE(Done->done());
  EXPECT_EQ(End, Expected);
}

// Many commands at once wake the thread.
TEST(Submitting, AThreadTakesOver) {
  Recorder *Bare;
  auto D = decorate(std::make_unique<Recorder>(), Bare);
  BlockedThread H(*Bare, *D);
  const EventRef Later = H.give();
  EXPECT_FALSE(Later->done());
  EXPECT_TRUE(D->hasBacklog());
  EXPECT_EQ(D->streamOf(*Later), NotSubmitted);
  EXPECT_TRUE(D->isReported(*Later)) << "a request would come too early";
  H.release();
  EXPECT_TRUE(Later->wait().ok());
  EXPECT_NE(D->streamOf(*Later), NotSubmitted);
}

// A single command is handed over by the thread that gives it.
TEST(Submitting, OneCommandNeedsNoThread) {
  Recorder *Bare;
  auto D = decorate(std::make_unique<Recorder>(), Bare);
  std::set<std::thread::id> By;
  Bare->Before = [&](const std::string &) { By.insert(std::this_thread::get_id()); };
  EventRef Done;
  ASSERT_TRUE(D->write(nullptr, 0, nullptr, 0, {}, Done).ok());
  EXPECT_TRUE(Done->done());
  EXPECT_EQ(By, std::set{std::this_thread::get_id()});
}

// Kernels that go to given queues are handed over by the threads that give them.
TEST(Submitting, GivenQueuesNeedNoThread) {
  Recorder *Bare;
  auto D = decorate(std::make_unique<Recorder>(), Bare);
  std::atomic<bool> Elsewhere{false};
  Bare->Before = [&, Here = std::this_thread::get_id()](const std::string &) {
    Elsewhere = Elsewhere || std::this_thread::get_id() != Here;
  };
  EventRef Done;
  for (unsigned I = 0; I < 2000; ++I) {
    ASSERT_TRUE(D->write(nullptr, 0, nullptr, 0, {}, Done).ok());
    ASSERT_TRUE(D->launch(nullptr, items(1), {}, {}, Done, CompletionReport::Late, I % 2).ok());
  }
  D.reset(); // Hands over what is left.
  EXPECT_FALSE(Elsewhere);
}

// Calls of two threads make a driver slower.
TEST(Submitting, OnlyTheThreadPolls) {
  std::atomic<unsigned> PollsHere{0};
  std::promise<void> Released;
  std::atomic<bool> Begun{false};
  SimOptions O;
  const auto Here = std::this_thread::get_id();
  O.Polled = [&] { PollsHere += std::this_thread::get_id() == Here; };
  O.Called = [&](const char *What) {
    if (std::this_thread::get_id() != Here && std::strcmp(What, "write") == 0 && !Begun.exchange(true))
      Released.get_future().wait();
  };
  SubmittingDevice D(std::make_unique<SimDevice>(0, O));
  BufferRef Memory;
  ASSERT_TRUE(D.allocate(8, Memory).ok());
  uint64_t Value = 0;
  EventRef First, Done;
  ASSERT_TRUE(D.write(Memory, 0, &Value, 8, {}, First).ok());
  while (!Begun)
    ASSERT_TRUE(D.write(Memory, 0, &Value, 8, {}, Done).ok());
  const unsigned Before = PollsHere;
  for (unsigned I = 0; I < 100; ++I)
    (void)First->done(), (void)Done->done();
  EXPECT_EQ(PollsHere, Before);
  EXPECT_FALSE(Done->done());
  Released.set_value();
  while (!Done->done()) // The thread sees it, or it sleeps and this thread does.
    std::this_thread::yield();
  EXPECT_TRUE(Done->outcome().ok());
}

// A command that this thread hands over is refused at once.
TEST(Submitting, RefusedAtOnce) {
  SimOptions O;
  O.Faults = {SimFault{SimOp::Write, 1, false, true}};
  SubmittingDevice D(std::make_unique<SimDevice>(0, O));
  BufferRef Memory;
  ASSERT_TRUE(D.allocate(8, Memory).ok());
  uint64_t Value = 3;
  EventRef Done;
  EXPECT_FALSE(D.write(Memory, 0, &Value, 8, {}, Done).ok());
  EXPECT_EQ(Done, nullptr);
}

// One that the thread hands over has an event that fails.
TEST(Submitting, RefusedLater) {
  Recorder *Bare;
  auto D = decorate(std::make_unique<Recorder>(), Bare);
  BlockedThread H(*Bare, *D);
  const EventRef First = H.give();
  Bare->Refuses = "copy";
  EventRef Second, Third;
  ASSERT_TRUE(D->copy(nullptr, 0, nullptr, 0, 0, {&First, 1}, Second).ok());
  ASSERT_TRUE(D->read(nullptr, 0, nullptr, 0, {&Second, 1}, Third).ok());
  H.release();
  EXPECT_EQ(Second->wait().message(), "no copy");
  EXPECT_TRUE(Second->done());
  EXPECT_EQ(Second->outcome().code(), errc::out_of_memory);
  EXPECT_TRUE(D->refused(*Second));
  EXPECT_EQ(Third->wait().message(), "no copy") << "it came after what was refused";
  EXPECT_FALSE(D->refused(*First));
  EXPECT_TRUE(First->wait().ok());
}

TEST(Submitting, APreferenceGoesWithTheWrite) {
  Recorder *Bare;
  auto D = decorate(std::make_unique<Recorder>(), Bare);
  BlockedThread H(*Bare, *D);
  const size_t Before = Bare->calls().size();
  D->preferQueue(1, true);
  (void)H.give();
  D->preferQueue(AnyQueue, true);
  (void)H.give();
  std::thread([&] { (void)H.give(); }).join();
  H.release();
  EventRef Done;
  ASSERT_TRUE(D->read(nullptr, 0, nullptr, 0, {}, Done).ok());
  EXPECT_TRUE(Done->wait().ok());
  std::vector<std::string> Calls = Bare->calls();
  std::vector<std::string> Last(Calls.end() - 6, Calls.end());
  EXPECT_EQ(Last, (std::vector<std::string>{"prefer 1", "write", "prefer any", "write", "write", "read"}));
  EXPECT_GT(Calls.size(), Before);
}

TEST(Submitting, NativeWorkComesAfterAll) {
  Recorder *Bare;
  auto D = decorate(std::make_unique<Recorder>(), Bare);
  BlockedThread H(*Bare, *D);
  (void)H.give();
  D->flush();
  std::thread Releases([&] { H.release(); });
  std::unique_ptr<NativeWork> Work;
  ASSERT_TRUE(D->beginNative("gemm", {}, Work, AnyQueue).ok());
  Releases.join();
  const std::vector<std::string> Calls = Bare->calls();
  EXPECT_EQ(Calls.back(), "native gemm");
  EXPECT_EQ(Calls[Calls.size() - 2], "flush");
}

// The other device's command has not been handed over yet.
TEST(Submitting, WaitsForAnotherDevicesCommand) {
  Recorder *First, *Second;
  auto A = decorate(std::make_unique<Recorder>(), First), B = decorate(std::make_unique<Recorder>(), Second);
  BlockedThread H(*First, *A);
  const EventRef Of = H.give();
  std::promise<void> Given;
  std::thread Gives([&] {
    EventRef Done;
    Given.set_value();
    EXPECT_TRUE(B->write(nullptr, 0, nullptr, 0, {&Of, 1}, Done).ok());
    EXPECT_TRUE(Done->wait().ok());
  });
  Given.get_future().wait();
  EXPECT_TRUE(Second->calls().empty());
  H.release();
  Gives.join();
  EXPECT_EQ(Second->calls(), std::vector<std::string>{"write"});
}

TEST(Submitting, EventsOutliveTheDevice) {
  EventRef Done;
  uint64_t Value = 3;
  {
    SimOptions O;
    O.Mode = SimMode::Manual;
    SubmittingDevice D(std::make_unique<SimDevice>(0, O));
    BufferRef Memory;
    ASSERT_TRUE(D.allocate(8, Memory).ok());
    ASSERT_TRUE(D.write(Memory, 0, &Value, 8, {}, Done).ok());
    EXPECT_FALSE(Done->done());
  }
  EXPECT_TRUE(Done->done());
  EXPECT_TRUE(Done->outcome().ok());
}

// Without decorators the devices reach each other's memory, so they do with them.
TEST(Submitting, ReachesADecoratedDevice) {
  SimOptions O;
  O.In = sim::makeContext();
  SubmittingDevice A(std::make_unique<SimDevice>(0, O)), B(std::make_unique<SimDevice>(1, O));
  SubmittingDevice Apart(std::make_unique<SimDevice>(2, SimOptions{}));
  EXPECT_TRUE(A.reaches(B));
  EXPECT_FALSE(A.reaches(Apart));
  BufferRef Here, There;
  ASSERT_TRUE(A.allocate(8, Here).ok());
  ASSERT_TRUE(B.allocate(8, There).ok());
  uint64_t Value = 11, Read = 0;
  EventRef Sent, Copied, Got;
  ASSERT_TRUE(A.write(Here, 0, &Value, 8, {}, Sent).ok());
  ASSERT_TRUE(B.copyFrom(A, Here, 0, There, 0, {1, 8, 8, 8}, {&Sent, 1}, Copied).ok());
  ASSERT_TRUE(B.read(There, 0, &Read, 8, {&Copied, 1}, Got).ok());
  EXPECT_TRUE(Got->wait().ok());
  EXPECT_EQ(Read, 11u);
}

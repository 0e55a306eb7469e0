// Memory that runs out on a worker's thread, inside the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body says which of its thread's next allocations fails, and returns: it is the engine's. On a device's own thread
// each allocation of a run fails in turn. A task may fail. The program does not end, and no wait lasts for ever.
#include "../FailingNew.h"
#include "AddType.h"

#include <array>
#include <atomic>
#include <thread>
#include <tuple>

using namespace hsched::rt;
using namespace hsched::rt::test;

static thread_local bool OfDevice = false;         // This is a device's own thread.
static std::atomic<int> FailsOfDevice{0}, Seen{0}; // Which allocation there fails; their number so far.

static bool failsOnDevice() { return OfDevice && ++Seen == FailsOfDevice.load(); }

namespace {

struct NoMemory : testing::TestWithParam<std::tuple<const char *, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(All, NoMemory,
                         testing::Combine(testing::Values("eager", "versioning", "adaptive"), testing::Values(0u, 1u)),
                         [](const auto &Info) {
                           return std::string(std::get<0>(Info.param)) + (std::get<1>(Info.param) ? "Device" : "");
                         });

TEST_P(NoMemory, OnAWorkersThread) {
  Captured Log;
  NumFailures = 0;
  for (int At = 1; At <= 40; ++At) {
    AddType Both;
    MachineOptions O;
    O.Cpus = 3;
    O.Policy = std::get<0>(GetParam());
    O.Devices = std::get<1>(GetParam());
    Machine M(O);
    std::array<std::array<long, 64>, 8> X{};
    std::atomic<int> Armed{0};
    const std::thread::id Main = std::this_thread::get_id();
    int Thrown = 0;
    auto wait = [&] {
      while (M.Exec->outstanding() != 0) // The main thread is away.
        std::this_thread::yield();
      try {
        M.wait();
      } catch (const std::exception &) {
        ++Thrown;
      }
    };
    for (int Round = 0; Round < 4; ++Round) {
      for (auto &Row : X) {
        Both.submit(M, Row.data(), Row.size(), 1);
        M.submit({on(HSCHED_INOUT, Row.data(), sizeof(Row))}, [&] {
          if (std::this_thread::get_id() != Main && Armed++ % 3 == 0)
            FailsIn = At;
        });
        Both.submit(M, Row.data(), Row.size(), 1);
      }
      wait();
    }
    FailsIn = 0;
    for (auto &Row : X)
      ASSERT_TRUE(Thrown != 0 || Row[0] == 8) << "allocation " << At;
    long Y = 0;
    M.submit({out(Y)}, [&] { Y = 1; });
    wait();
    FailsIn = 0;
  }
  EXPECT_GT(NumFailures, 0);
}

// Kernels in rows, some of which follow others on the device, with too little memory for all data. Among them are a
// body on the CPU, a kernel that fails, and a version for another device. From the first allocation of the device's
// thread to the last.
struct OnADevicesThread : testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(NoMemory, OnADevicesThread, testing::Values("eager", "versioning", "dmdas", "adaptive"),
                         [](const auto &Info) { return std::string(Info.param); });

TEST_P(OnADevicesThread, EachAllocationFailsInTurn) {
  Captured Log;
  FailsNow = failsOnDevice;
  int Last = 0;
  bool Whole = false;
  for (int At = 0; !Whole; At += At < 40 ? 1 : 11) {
    AddType There(AddType::Device), Both;
    MachineOptions O;
    O.Cpus = 2;
    O.Devices = 1;
    O.Policy = GetParam();
    O.Sim.MemoryBytes = 3 * 512;
    O.Exec.AtStart = [] { OfDevice = threadState().S->W->Dev != nullptr; };
    Seen = 0;
    NumFailures = 0;
    FailsOfDevice = At;
    Machine M(O);
    int Thrown = 0;
    auto wait = [&] {
      try {
        M.wait();
      } catch (const std::exception &) {
        ++Thrown;
      }
    };
    std::array<std::array<long, 64>, 6> X{};
    for (int Round = 0; Round < 2; ++Round) {
      for (int Each = 0; Each < 3; ++Each)
        for (auto &Row : X)
          There.submit(M, Row.data(), Row.size(), 1);
      for (auto &Row : X)
        Both.submit(M, Row.data(), Row.size(), 1);
      M.submit({on(HSCHED_INOUT, X[0].data(), sizeof(X[0]))}, [&] { X[0][0] += 4; });
      if (Round == 0)
        M.device(0).inject({sim::SimOp::Launch, 20});
      wait();
    }
    FailsOfDevice = 0;
    for (size_t Row = 0; Row < X.size(); ++Row)
      ASSERT_TRUE(Thrown != 0 || X[Row][0] == (Row ? 8 : 16)) << "allocation " << At << ", row " << Row;
    long Y = 0; // It goes on.
    M.submit({out(Y)}, [&] { Y = 1; });
    Both.submit(M, X[1].data(), X[1].size(), 1);
    wait();
    ASSERT_EQ(Y, 1);
    Whole = At > 0 && NumFailures == 0;
    Last = At;
  }
  FailsNow = nullptr;
  EXPECT_GT(Last, 60);
}

// Times of earlier runs are asked for on the device's thread.
TEST(NoMemory, ALookupOfTimesOnADevicesThread) {
  AddType There(AddType::Device);
  MachineOptions O;
  O.Devices = 1;
  O.Exec.AtStart = [] { OfDevice = threadState().S->W->Dev != nullptr; };
  std::atomic<int> Asked{0};
  O.Known = [&](const TaskType &) -> std::vector<HistoryRow> {
    if (OfDevice && Asked++ == 0)
      throw std::bad_alloc();
    return {};
  };
  Machine M(O);
  std::array<long, 8> X{};
  for (int I = 0; I < 4; ++I)
    There.submit(M, X.data(), X.size(), 1);
  M.wait();
  EXPECT_EQ(Asked, 1);
  EXPECT_EQ(X[7], 4);
}

// A submission that finds no memory throws, and leaves no trace of the task. Later tasks of its queue and waits for
// everything do not wait for it, and its arguments are destroyed once.
TEST(NoMemory, ASubmissionThatFailsLeavesNothingBehind) {
  Captured Log;
  bool Whole = false;
  int Refused = 0;
  for (int At = 1; !Whole; ++At) {
    ASSERT_LT(At, 200);
    static std::atomic<int> Alive{0};
    struct Counted {
      Counted() { ++Alive; }
      Counted(const Counted &) { ++Alive; }
      ~Counted() { --Alive; }
      long Pad[4]{};
    };
    FunctionType Kind;
    Kind.Desc.args_bytes = sizeof(Counted);
    Kind.Desc.args_align = alignof(Counted);
    Kind.Desc.destroy = [](void *A) { static_cast<Counted *>(A)->~Counted(); };
    static std::atomic<int> Ran{0};
    Kind.Cpu.run = [](void *) { ++Ran; };
    Ran = Alive = 0;
    AddType There(AddType::Device);
    MachineOptions O;
    O.Devices = 1;
    O.Sim.Queues = 2;
    Machine M(O);
    long Value = 0;
    int Expected = 0;
    const std::string Long(100, 'x');
    auto submit = [&](TaskType &Type, void *Args, hsched_ref *Declared, bool OnQueue, hsched_ref **Result) {
      const unsigned Device = 2;
      hsched_placement Place{sizeof(Place), &Device, 1, nullptr, HSCHED_PLACEMENT_QUEUE, 1};
      hsched_submit_options Options{};
      Options.label = Long.c_str();
      hsched_access A = on(HSCHED_IN, &Value, sizeof(long), 0);
      hsched_submission What{};
      What.type = &Type;
      What.args = Args;
      What.accesses = &A;
      What.n_accesses = 1;
      What.options = &Options;
      What.placement = OnQueue ? &Place : nullptr;
      What.declared = Declared;
      if (!OnQueue)
        What.move = [](void *To, void *From) { new (To) Counted(*static_cast<Counted *>(From)); };
      TaskNode *T = nullptr;
      M.Exec->submit(threadState(), What, Result ? &T : nullptr);
      if (Result)
        *Result = reinterpret_cast<hsched_ref *>(T);
    };
    AddArgs OfKernel{&Value, 1, 0};
    submit(There.Type, &OfKernel, nullptr, true, nullptr);
    TaskNode &Promised = M.Exec->declare(threadState(), "promised");
    Whole = true;
    const auto once = [&](auto Do) {
      FailsIn = At;
      try {
        Do();
        ++Expected;
      } catch (const std::bad_alloc &) {
        Whole = false;
        ++Refused;
      }
      FailsIn = 0;
    };
    {
      Counted Args;
      once([&] { submit(There.Type, &OfKernel, nullptr, true, nullptr); });
      Expected = 0;
      submit(There.Type, &OfKernel, nullptr, true, nullptr); // Behind it.
      once([&] { submit(Kind.Type, &Args, nullptr, false, nullptr); });
      once([&] { submit(Kind.Type, &Args, reinterpret_cast<hsched_ref *>(&Promised), false, nullptr); });
      if (Expected == 0 || Promised.Type == nullptr) { // It can be submitted again.
        submit(Kind.Type, &Args, reinterpret_cast<hsched_ref *>(&Promised), false, nullptr);
        ++Expected;
      }
    }
    bool Failed = false; // Fails a task that was submitted: it was linked in part, or no queue had room for it.
    try {
      M.wait();
    } catch (const std::bad_alloc &) {
      Failed = true;
      Whole = false;
    }
    Executor::releaseNamed(threadState(), Promised);
    EXPECT_TRUE(Failed ? Ran <= Expected : Ran == Expected) << "allocation " << At << ": " << Ran << ", " << Expected;
    EXPECT_EQ(M.Exec->outstanding(), 0u);
    EXPECT_EQ(Alive, 0) << "allocation " << At;
  }
  EXPECT_GT(Refused, 5);
}

// What one thread has planned when it runs out of memory it carries out itself. Otherwise the next thread would do so,
// in a release, which may run out of memory as well.
TEST(NoMemory, AReleaseCarriesOutNoOtherThreadsPlan) {
  int Failed = 0;
  for (int At = 1; At <= 40; ++At) {
    SteadyClock Time;
    sim::SimOptions O;
    sim::SimDevice Dev(0, O);
    Directory Data({{nullptr, NoWorker}, {&Dev, 0}}, Time, nullptr);
    std::array<long, 64> X{}, Y{}, Z{};
    Task Writes, Reads, Other;
    Access OfDevice[] = {out(X), out(Y)}, Back[] = {in(X), in(Y)}, Own[] = {inout(Z)};
    const auto with = [](Task &T, std::span<Access> List) {
      T.AccessList = List.data();
      T.NumAccesses = static_cast<unsigned>(List.size());
    };
    with(Writes, OfDevice);
    with(Reads, Back);
    with(Other, Own);
    Acquisition A, B, C;
    ASSERT_TRUE(Data.acquire(Writes, 1, A).ok());
    Data.release(Writes, A, false);
    ASSERT_TRUE(Data.acquire(Other, HostNode, B).ok());
    FailsIn = At;
    try {
      const hsched::status Came = Data.acquire(Reads, HostNode, C);
      EXPECT_TRUE(Came.ok() || Came.code() == hsched::errc::out_of_memory) << Came.message();
      Failed += !Came.ok();
    } catch (const std::bad_alloc &) {
      ++Failed;
    }
    FailsIn = 1;
    EXPECT_NO_THROW(Data.release(Other, B, false));
    FailsIn = 0;
    Data.release(Reads, C, false);
    EXPECT_TRUE(Data.flush({}, true, true).ok()) << "allocation " << At;
  }
  EXPECT_GT(Failed, 0);
}

} // namespace

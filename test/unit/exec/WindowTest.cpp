// How many tasks are outstanding at a time: of several threads that submit, inside tasks, several deep.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AddType.h"

#include <atomic>
#include <deque>
#include <random>
#include <semaphore>
#include <thread>
#include <utility>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct EmptyObserver : Observer {
} Bystander;

// Number of tasks that are submitted and not begun, and its maximum.
class Count {
public:
  void more() {
    int64_t Is = ++Now;
    for (int64_t Was = Most; Was < Is && !Most.compare_exchange_weak(Was, Is);) {
    }
  }
  void less() { --Now; }
  int64_t now() const { return Now; }
  int64_t most() const { return Most; }

private:
  std::atomic<int64_t> Now{0}, Most{0};
};

// One thread at a time submits some, and nothing is run but by a thread that has to wait for room.
TEST(Window, SeveralSubmittersHaveOne) {
  const unsigned Seed = std::random_device()();
  std::mt19937 Random(Seed);
  for (unsigned Threads : {2u, 3u, 8u, 70u}) { // More than have queues of their own.
    MachineOptions O;
    O.Cpus = 1;
    O.Watch = &Bystander; // No task is to be a call.
    O.Exec.Window = 256;
    Machine M(O);
    Count Outstanding;
    std::vector<std::pair<unsigned, unsigned>> Turns; // Who, and how many.
    for (unsigned T = 0; T < Threads; ++T)
      Turns.emplace_back(T, 1); // Has been given a share.
    for (unsigned I = 0; I < 1000; ++I)
      Turns.emplace_back(Random() % Threads, 1 + Random() % 40);
    std::deque<std::binary_semaphore> Turn; // A turn for each step.
    for (size_t I = 0; I <= Turns.size(); ++I)
      Turn.emplace_back(I == 0);
    std::vector<std::thread> All;
    for (unsigned Me = 0; Me < Threads; ++Me)
      All.emplace_back([&, Me] {
        for (size_t I = 0; I < Turns.size(); ++I) {
          if (Turns[I].first != Me)
            continue;
          Turn[I].acquire();
          for (unsigned N = Turns[I].second; N > 0; --N) {
            TaskNode &T = M.Exec->begin(threadState(), M.Functions.Type, 0); // There is room after this.
            Outstanding.more();
            new (T.Args) FunctionType::Args{[&] { Outstanding.less(); }};
            M.Exec->submit(threadState(), T, hsched_submit_options{});
          }
          Turn[I + 1].release();
        }
      });
    for (std::thread &T : All)
      T.join();
    M.wait();
    EXPECT_EQ(Outstanding.now(), 0);
    EXPECT_LE(Outstanding.most(), 256) << Threads << " threads, seed " << Seed;
  }
}

struct Inside : testing::TestWithParam<std::tuple<unsigned, const char *>> {
  static constexpr unsigned Window = 16;
  MachineOptions options() {
    MachineOptions O;
    O.Cpus = std::get<0>(GetParam());
    O.Policy = std::get<1>(GetParam());
    if (O.Policy == "watched") {
      O.Policy = "eager";
      O.Watch = &Bystander;
    }
    O.Exec.Window = Window;
    O.Exec.BundleBelow = 0; // Else some are calls.
    return O;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Inside,
                         testing::Combine(testing::Values(1u, 2u, 3u, 5u, 8u, 16u),
                                          testing::Values("eager", "versioning", "watched")),
                         [](const auto &Info) {
                           return std::string(std::get<1>(Info.param)) + std::to_string(std::get<0>(Info.param));
                         });

// Nothing that the task submits can run before its first child has, which ends when the task submits no more, or far
// too many.
TEST_P(Inside, ATaskThatSubmitsMany) {
  Machine M(options());
  Count Outstanding;
  const int Many = 3000;
  std::atomic<int> Ran{0};
  long Gate = 0;
  M.submit({}, [&] {
    M.submit({out(Gate)}, [&] {
      int64_t Was = -1;
      for (int Still = 0; Still < 50 && Outstanding.now() < 10 * Window; ++Still) {
        if (int64_t Is = Outstanding.now(); std::exchange(Was, Is) != Is)
          Still = 0;
        std::this_thread::yield();
      }
    });
    for (int I = 0; I < Many; ++I) {
      M.submit({in(Gate)}, [&] {
        Outstanding.less();
        ++Ran;
      });
      Outstanding.more();
    }
  });
  M.wait();
  EXPECT_EQ(Ran, Many);
  EXPECT_LE(Outstanding.most(), Window);
}

// Each of its children does the same, three deep. Every running body exceeds the window by three quarters of a window.
// In some the children come one after the other, some are run in place.
TEST_P(Inside, TasksWithinTasks) {
  MachineOptions O = options();
  const int Deep = 3, Each = 20;
  const int64_t Bodies = int64_t(O.Cpus) * (MaxDepth + Deep);
  Count Outstanding;
  std::atomic<int> Ran{0};
  {
    Machine M(O);
    std::function<void(int)> Body = [&](int Level) {
      Outstanding.less();
      ++Ran;
      long Sum = 0;
      for (int I = 0; Level < Deep && I < Each; ++I) {
        hsched_submit_options How{};
        How.priority = I == 2 ? 1 : 0;
        How.flags = (I == 3 ? unsigned(HSCHED_SUBMIT_UNDEFERRED) : 0) |
                    (I == 4 && Level > 1 ? unsigned(HSCHED_SUBMIT_FINAL) : 0);
        std::vector<Access> Sections;
        if (Level % 2)
          Sections.push_back(on(I % 3 ? HSCHED_INOUT : HSCHED_COMMUTATIVE, &Sum, sizeof(Sum)));
        Outstanding.more();
        M.submitTo(M.Functions.Type, Sections, FunctionType::Args{[&Body, Level] { Body(Level + 1); }}, How);
      }
      if (Level % 2)
        M.wait();
    };
    Outstanding.more();
    M.submit({}, [&] { Body(0); });
    M.wait();
  }
  int Expected = 0;
  for (int Level = 0, N = 1; Level <= Deep; ++Level, N *= Each)
    Expected += N;
  EXPECT_EQ(Ran, Expected);
  EXPECT_LE(Outstanding.most(), Window + Bodies * Window * 3 / 4);
}

// What comes after a combination fills the window, and the combination submits a task: it cannot wait for them.
TEST_P(Inside, ACombinationThatSubmits) {
  static Machine *Running;
  static std::atomic<int> Ran;
  static const hsched_reduction_op Op = {
      sizeof(hsched_reduction_op),
      "+",
      sizeof(long),
      alignof(long),
      [](void *Copy, const void *, size_t N) { std::fill_n(static_cast<long *>(Copy), N, 0); },
      [](void *Into, const void *From, size_t N) {
        for (size_t I = 0; I < N; ++I)
          static_cast<long *>(Into)[I] += static_cast<const long *>(From)[I];
        for (int I = 0; I < 3; ++I)
          Running->submit({}, [] { ++Ran; });
      },
      nullptr,
      0};
  struct Reducing {
    long *X;
  };
  hsched_task_desc Desc{};
  Desc.struct_bytes = sizeof(Desc);
  Desc.name = Desc.linker_name = "reducing";
  Desc.file = "test.cpp";
  Desc.args_bytes = sizeof(Reducing);
  Desc.args_align = alignof(Reducing);
  hsched_version_desc Cpu{};
  Cpu.struct_bytes = sizeof(Cpu);
  Cpu.linker_name = Cpu.name = "reducing";
  Cpu.device = HSCHED_DEVICE_CPU;
  Cpu.run = [](void *A) { ++*static_cast<Reducing *>(A)->X; };
  TaskType Type;
  Type.Desc = &Desc;
  addVersion(Type, Cpu);

  Machine M(options());
  Running = &M;
  Ran = 0;
  for (bool InTask : {false, true}) {
    auto submits = [&] {
      long X = 0, Read = 0;
      TaskNode &T = M.Exec->begin(threadState(), Type, 1);
      auto *Args = new (T.Args) Reducing{&X};
      T.AccessList[0] = on(HSCHED_REDUCTION, &X, sizeof(X), 0);
      hsched_reduction R{0, &Args->X, &Op};
      hsched_submit_options How{};
      How.reductions = &R;
      How.n_reductions = 1;
      M.Exec->submit(threadState(), T, How);
      for (unsigned I = 0; I < 3 * Window; ++I)
        M.submit({in(X)}, [&] {
          std::atomic_ref(Read).fetch_add(X);
          ++Ran;
        });
      M.wait();
      EXPECT_EQ(Read, 3 * Window);
    };
    if (InTask)
      M.submit({}, submits);
    else
      submits();
    M.wait();
  }
  EXPECT_EQ(Ran, 2 * (3 * int(Window) + 3));
}

} // namespace

// Loops that are shared out: each iteration runs once, in any order of the workers' arrival; waits, failures, tasks in
// iterations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Machine.h"

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

using Iterations = std::function<void(uint64_t First, uint64_t Count)>;

void work(void *Closure, hsched_loop_share *Share) {
  uint64_t First = 0, Count = 0;
  while (Executor::loopNext(threadState(), *Share, First, Count))
    (*static_cast<Iterations *>(Closure))(First, Count);
}

hsched_shared_loop loopOf(const char *Name) { return {sizeof(hsched_shared_loop), Name, "test.cpp", 1, {}}; }

// As generated code does. Whether it was shared out.
bool runLoop(Executor &E, hsched_shared_loop &L, uint64_t N, Iterations Body, uint64_t Grain = 0) {
  uint64_t Began = 0;
  if (E.loopBegin(threadState(), L, N, Began)) {
    E.loopRun(threadState(), L, N, Grain, work, &Body);
    return true;
  }
  Body(0, N);
  E.loopEnd(threadState(), L, N, Began);
  return false;
}

MachineOptions workers(unsigned Cpus) {
  MachineOptions O;
  O.Cpus = Cpus;
  return O;
}

TEST(Loops, EachIterationRunsOnce) {
  for (unsigned Cpus : {1u, 2u, 3u, 8u}) {
    Machine M(workers(Cpus));
    hsched_shared_loop L = loopOf("once");
    for (uint64_t N : {1u, 2u, 3u, 7u, 64u, 1000u, 4097u})
      for (uint64_t Grain : {0u, 1u, 3u, 100u}) {
        for (unsigned Round = 0; Round < 20; ++Round) {
          if (Round == 7) // As if nothing were known of it.
            L = loopOf("once");
          std::vector<std::atomic<unsigned>> Runs(N);
          runLoop(
              *M.Exec, L, N,
              [&](uint64_t First, uint64_t Count) {
                for (uint64_t I = First; I < First + Count; ++I)
                  Runs[I].fetch_add(1, std::memory_order_relaxed);
              },
              Grain);
          for (uint64_t I = 0; I < N; ++I)
            ASSERT_EQ(Runs[I].load(), 1u) << I << " of " << N << ", " << Cpus << " workers, grain " << Grain;
        }
      }
  }
}

// Two iterations that wait for each other need two threads.
TEST(Loops, WorkersJoin) {
  Machine M(workers(2));
  hsched_shared_loop L = loopOf("both");
  const std::thread::id Submitter = std::this_thread::get_id();
  for (unsigned Round = 0; Round < 50; ++Round) {
    std::atomic<unsigned> There{0}, Ended{0};
    stateOf(L, LoopState::Serial) = 1'000'000'000; // A millisecond each: worth a wake-up.
    stateOf(L, LoopState::Balance) = 0;
    stateOf(L, LoopState::Runs) = 1;
    EXPECT_TRUE(runLoop(*M.Exec, L, 2, [&](uint64_t, uint64_t Count) {
      ASSERT_EQ(Count, 1u);
      There.fetch_add(1);
      while (There.load() != 2)
        std::this_thread::yield();
      if (std::this_thread::get_id() != Submitter)
        for (unsigned I = 0; I < 100; ++I)
          std::this_thread::yield();
      Ended.fetch_add(1);
    }));
    ASSERT_EQ(Ended.load(), 2u);
  }
}

TEST(Loops, AShortLoopIsNotSharedOut) {
  Machine M(workers(4));
  hsched_shared_loop L = loopOf("short");
  stateOf(L, LoopState::Serial) = 100'000; // 100 ns an iteration.
  for (unsigned Round = 0; Round < 100; ++Round)
    EXPECT_FALSE(runLoop(*M.Exec, L, 4, [](uint64_t, uint64_t) {}));
}

// What was lost by sharing a loop out is made up for by serial runs before it is tried again.
TEST(Loops, OneThatIsLongerWhenSharedOutIsNot) {
  hsched_shared_loop L = loopOf("worse");
  LoopTeam Team;
  Team.NumWorkers = 2;
  Team.NumSearching = 1;
  stateOf(L, LoopState::Serial) = 1'000'000; // A microsecond each.
  auto way = [&] { return Team.wayOf(L, 10, 0); };
  stateOf(L, LoopState::Runs) = 2;
  ASSERT_EQ(way(), LoopTeam::Way::Serial); // Measured anew in runs 1, 2, 4, 8.
  ASSERT_EQ(way(), LoopTeam::Way::Shared);
  noteLoopWay(L, 10, 15'000, true); // 5 us more than serially.
  unsigned Serial = 0;
  for (; way() == LoopTeam::Way::Serial && Serial < 1000; ++Serial)
    noteLoopWay(L, 10, 10'000, false);
  EXPECT_EQ(Serial, 25u);
  // What it saves makes up for a loss as well.
  for (unsigned Round = 0; Round < 10; ++Round)
    noteLoopWay(L, 10, 6'000, true);
  noteLoopWay(L, 10, 45'000, true);
  EXPECT_EQ(way(), LoopTeam::Way::Shared);
  noteLoopWay(L, 10, 20'000, true);
  EXPECT_EQ(way(), LoopTeam::Way::Serial);
}

TEST(Loops, PartsAreEqualAndWholeGrains) {
  auto Slot = std::make_unique<LoopSlot>();
  auto parts = [&] {
    std::vector<uint64_t> Lengths;
    for (unsigned I = 0; I < Slot->NumParts; ++I)
      Lengths.push_back(Slot->part(I).Left.load());
    return Lengths;
  };
  Slot->Least = 128;
  Slot->divide(0, 4100, 0b11110, 16); // Four workers and the submitter.
  EXPECT_EQ(parts(), (std::vector<uint64_t>{820, 820, 820, 820, 820}));
  EXPECT_EQ(Slot->Order[0], LoopSlot::OwnLine);
  EXPECT_EQ(Slot->Order[3], 3u);
  Slot->divide(90, 101, 0b11110, 3); // No more than three.
  EXPECT_EQ(parts(), (std::vector<uint64_t>{4, 4, 3}));
  EXPECT_EQ(Slot->part(2).End, 101u);
  Slot->Exact = true;
  Slot->Least = 30;
  Slot->divide(0, 100, 0b110, 16);
  EXPECT_EQ(parts(), (std::vector<uint64_t>{60, 30, 10}));
  Slot->divide(0, 30, 0b110, 16);
  EXPECT_EQ(parts(), (std::vector<uint64_t>{30}));
}

// The submitter takes the part of a worker that has not come. Two threads that had one seat do not share its line.
TEST(Loops, APartIsOfOneThreadAndOfWhoTakesIt) {
  LoopTeam Team;
  LoopSlot *S = Team.takeSlot();
  S->Least = 1;
  S->divide(0, 10, 0b10, 2);
  hsched_loop_share Mine;
  Mine.Slot = S;
  uint64_t First = 0, Count = 0, Sum = 0;
  EXPECT_EQ(Team.joinOwn(2), nullptr);
  EXPECT_EQ(Team.joinOwn(1), S);
  EXPECT_EQ(Team.joinOwn(1), nullptr);
  S->Lines[1].leave();
  while (S->take(Mine, First, Count))
    Sum += Count;
  EXPECT_EQ(Sum, 10u);
  EXPECT_EQ(Team.joinOwn(1), nullptr); // Nothing is left.
  LoopTeam::close(*S);
  // No thread is in it now. A thread that comes for the rest of a loop finds the next loop.
  S->divide(0, 7, 0b10, 2);
  EXPECT_EQ(Team.joinOwn(1), S);
  hsched_loop_share Worker;
  Worker.Slot = S;
  Worker.Part = S->Lines[1].Number;
  Worker.Steals = false;
  for (Sum = 0; S->take(Worker, First, Count); Sum += Count)
    EXPECT_GE(First, 4u);
  EXPECT_EQ(Sum, 3u);
  std::atomic<bool> Ended{false};
  std::thread Other([&] {
    for (unsigned I = 0; I < 1000; ++I)
      std::this_thread::yield();
    Ended = true;
    S->Lines[1].leave();
  });
  S->drain();
  LoopTeam::close(*S);
  EXPECT_TRUE(Ended.load());
  Other.join();
  LoopTeam::giveSlot(*S);
}

// Loops of several threads at once, which their workers cannot distinguish.
TEST(Loops, OfSeveralThreads) {
  Machine M(workers(4));
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Wrong{0};
  for (unsigned T = 0; T < 3; ++T)
    Threads.emplace_back([&, T] {
      hsched_shared_loop L = loopOf("mine");
      std::vector<unsigned> Runs(100 + T);
      for (unsigned Round = 0; Round < 300; ++Round) {
        if (Round % 3 == 0)
          stateOf(L, LoopState::Serial) = Round % 2 ? 1'000'000 : 200'000; // A fifth of a microsecond each, or one.
        stateOf(L, LoopState::Balance) = 0;
        runLoop(*M.Exec, L, Runs.size(), [&](uint64_t First, uint64_t Count) {
          for (uint64_t I = First; I < First + Count; ++I)
            ++Runs[I];
        });
        for (unsigned Each : Runs)
          Wrong += Each != Round + 1;
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong.load(), 0u);
}

TEST(Loops, AFailureIsThrown) {
  Machine M(workers(4));
  for (uint64_t Bad : {0u, 500u, 999u})
    for (unsigned Round = 0; Round < 20; ++Round) {
      hsched_shared_loop L = loopOf("fails");
      if (Round % 2)
        stateOf(L, LoopState::Serial) = 1'000'000'000;
      EXPECT_THROW(runLoop(*M.Exec, L, 1000,
                           [&](uint64_t First, uint64_t Count) {
                             if (First <= Bad && Bad < First + Count)
                               throw std::runtime_error("iteration");
                           }),
                   std::runtime_error);
    }
  // And nothing is left of it.
  hsched_shared_loop L = loopOf("later");
  std::atomic<uint64_t> Sum{0};
  runLoop(*M.Exec, L, 1000, [&](uint64_t, uint64_t Count) { Sum += Count; });
  EXPECT_EQ(Sum.load(), 1000u);
}

TEST(Loops, TasksBeforeItAndInItAreWaitedFor) {
  Machine M(workers(3));
  for (unsigned Round = 0; Round < 50; ++Round) {
    hsched_shared_loop L = loopOf("tasks");
    if (Round % 2)
      stateOf(L, LoopState::Serial) = 1'000'000'000;
    int Before = 0;
    M.submit({out(Before)}, [&] { Before = 1; });
    std::array<std::atomic<int>, 16> In{};
    runLoop(*M.Exec, L, In.size(), [&](uint64_t First, uint64_t Count) {
      EXPECT_EQ(Before, 1);
      for (uint64_t I = First; I < First + Count; ++I)
        M.submit({}, [&In, I] { In[I] = 1; });
    });
    for (const auto &Done : In)
      ASSERT_EQ(Done.load(), 1);
  }
}

TEST(Loops, OneInAnother) {
  Machine M(workers(4));
  hsched_shared_loop Outer = loopOf("outer"), Inner = loopOf("inner");
  for (unsigned Round = 0; Round < 20; ++Round) {
    std::array<std::atomic<int>, 400> Runs{};
    stateOf(Outer, LoopState::Serial) = stateOf(Inner, LoopState::Serial) = 1'000'000'000;
    runLoop(*M.Exec, Outer, 20, [&](uint64_t First, uint64_t Count) {
      for (uint64_t I = First; I < First + Count; ++I)
        runLoop(*M.Exec, Inner, 20, [&, I](uint64_t From, uint64_t N) {
          for (uint64_t J = From; J < From + N; ++J)
            ++Runs[20 * I + J];
        });
    });
    for (const auto &Each : Runs)
      ASSERT_EQ(Each.load(), 1);
  }
}

TEST(Loops, ChunksThatAreTasksLastAsLongAsATaskShould) {
  Machine M(workers(2));
  hsched_shared_loop L = loopOf("chunks");
  uint64_t Began = 0;
  (void)M.Exec->loopBegin(threadState(), L, 1, Began); // Counts the workers.
  EXPECT_EQ(M.Exec->loopGrain(L, 1600), 100u);         // Nothing is known: eight chunks a worker.
  stateOf(L, LoopState::Chunk) = 1'000'000;            // A microsecond each.
  EXPECT_EQ(M.Exec->loopGrain(L, 40), 40u);
  EXPECT_EQ(M.Exec->loopGrain(L, 400), 50u);
  EXPECT_EQ(M.Exec->loopGrain(L, 160'000), 10'000u);
}

// One cold iteration was measured. Loops that are taken to be long are not measured again.
TEST(Loops, ATimeThatIsTooHighIsBoundedByWhatAllThreadsHad) {
  hsched_shared_loop L{};
  noteLoop(L, LoopState::Serial, 1, 20'000);
  EXPECT_EQ(stateOf(L, LoopState::Serial), 20'000'000u);
  EXPECT_EQ(stateOf(L, LoopState::Balance), 500'000u); // What the first shared runs may lose.
  boundLoop(L, 25'000, 20'000);
  EXPECT_EQ(stateOf(L, LoopState::Serial), 800u);
  boundLoop(L, 25'000, 400'000); // A slower run tells nothing.
  EXPECT_EQ(stateOf(L, LoopState::Serial), 800u);
}

} // namespace

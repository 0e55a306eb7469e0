// A domain in which several threads submit: parts, and how memory comes to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestTasks.h"
#include "graph/Bundle.h"
#include "graph/Claims.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bitset>
#include <random>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr uintptr_t Page = 4096;

TEST(Claims, AreASet) {
  unsigned Seed = std::random_device()();
  SCOPED_TRACE(Seed);
  std::mt19937 Random(Seed);
  constexpr unsigned Most = 200;
  for (int Round = 0; Round < 50; ++Round) {
    Claims Set;
    std::bitset<Most> Expected;
    for (int Step = 0; Step < 60; ++Step) {
      uintptr_t Begin = Random() % (Most - 1), End = Begin + 1 + Random() % std::min<uintptr_t>(30, Most - Begin);
      bool Add = Random() % 2;
      if (Add) {
        if (Random() % 2)
          Set.prepare(Begin);
        Set.add(Begin, End);
      } else {
        Set.cut(Begin);
        Set.cut(End);
        Set.removeCut(Begin, End);
      }
      for (uintptr_t I = Begin; I < End; ++I)
        Expected[I] = Add;
      for (uintptr_t At = 0; At < Most; At += 7)
        for (uintptr_t To = At + 1; To < Most; To += 5) {
          bool All = true, Any = false;
          for (uintptr_t I = At; I < To; ++I) {
            All = All && Expected[I];
            Any = Any || Expected[I];
          }
          ASSERT_EQ(Set.overlaps(At, To), Any) << At << " to " << To << ", step " << Step;
          // What a cut divides may count as not covered, until something is added there.
          ASSERT_TRUE(!Set.covers(At, To) || All) << At << " to " << To << ", step " << Step;
        }
    }
    Set.add(0, Most);
    EXPECT_TRUE(Set.covers(0, Most));
    EXPECT_EQ(Set.size(), 1u);
  }
}

struct Sharing : testing::Test {
  // Submits a task by Who; whether it was ready.
  bool submit(Hand &Who, std::initializer_list<Access> Accesses) {
    Tasks.push_back(makeTask({Accesses.begin(), Accesses.size()}, Tasks.size() + 1));
    bool Ready = false;
    Who.run([&] { Ready = Domain.submit(*Tasks.back(), nullptr); });
    return Ready;
  }
  ~Sharing() override {
    for (TaskNode *T : Tasks)
      release(*T);
  }
  DependenceDomain Domain{true};
  std::vector<TaskNode *> Tasks;
  Hand A, B;
};

TEST_F(Sharing, TheSameMemoryHasOneOrderForAllSubmitters) {
  EXPECT_TRUE(submit(A, {out(Page, 8)}));
  EXPECT_FALSE(submit(B, {in(Page, 8)}));
  EXPECT_FALSE(submit(A, {inout(Page, 4)}));
  EXPECT_TRUE(submit(B, {out(Page + 8, 8)}));
  EXPECT_FALSE(submit(A, {in(Page + 4, 12)}));
  // Behind the first come the second and the third, behind that one none.
  EXPECT_EQ(complete(*Tasks[0], false), Tasks[1]);
  EXPECT_EQ(complete(*Tasks[1], false), Tasks[2]);
}

// While A is inside the domain, held up there, B still submits: they have no lock in common.
TEST_F(Sharing, ThreadsWithDataOfTheirOwnDoNotMeet) {
  struct Blocking : GraphListener {
    std::binary_semaphore Inside{0}, Go{0};
    void dependence(TaskId, TaskId) override {
      Inside.release();
      Go.acquire();
    }
  } Listener;
  EXPECT_TRUE(submit(A, {out(Page, 8)}));
  EXPECT_TRUE(submit(B, {out(8 * Page, 8)})); // Both have memory from here on.
  EXPECT_TRUE(submit(A, {out(Page + 8, 8)}));
  Tasks.push_back(makeTask(std::vector{in(Page, 8)}, 99));
  TaskNode *T = Tasks.back();
  A.begin([&] { Domain.submit(*T, &Listener); });
  Listener.Inside.acquire();
  for (uintptr_t I = 1; I < 100; ++I)
    submit(B, {inout(8 * Page + 8 * I, 8)});
  EXPECT_EQ(Domain.openBundle(0), 0u);
  Listener.Go.release();
  A.finish();
}

TEST_F(Sharing, MemoryIsClaimedOnceAndByThePage) {
  submit(A, {out(Page, 8)});
  submit(B, {out(8 * Page, 8)});
  submit(A, {out(Page + 8, 8)}); // Which was alone before: its page, now.
  size_t Before = Domain.claims();
  for (uintptr_t I = 0; I < Page / 8; ++I) {
    submit(A, {inout(Page + 8 * I, 8)});
    submit(B, {inout(8 * Page + 8 * I, 8)});
  }
  EXPECT_EQ(Domain.claims(), Before);
  submit(A, {inout(2 * Page, 8)});
  EXPECT_EQ(Domain.claims(), Before + 1);
  submit(A, {inout(8 * Page, 8)}); // B's until now.
  submit(A, {inout(8 * Page, 8)});
  EXPECT_EQ(Domain.claims(), Before + 2);
  submit(B, {inout(8 * Page + 8, 8)}); // Still B's.
  EXPECT_EQ(Domain.claims(), Before + 2);
}

TEST_F(Sharing, ASingleSubmitterClaimsNothing) {
  for (uintptr_t I = 1; I < 100; ++I)
    submit(A, {out(Page * I, 8)});
  EXPECT_LE(Domain.claims(), 1u); // The part of another thread was there before.
  submit(B, {out(Page, 8)});
  size_t Before = Domain.claims();
  for (TaskNode *T : Tasks)
    complete(*T, false);
  Domain.sweep(true);
  EXPECT_EQ(Domain.size(), 0u);
  for (uintptr_t I = 1; I < 100; ++I)
    submit(B, {out(Page * I, 8)});
  EXPECT_LE(Domain.claims(), Before + 1);
}

// A tile whose first rows are named by another thread goes there as a whole.
TEST_F(Sharing, TilesMoveWhole) {
  constexpr size_t Rows = 4, Stride = 1024;
  EXPECT_TRUE(submit(A, {section(HSCHED_OUT, Page, 64, Rows, Stride)}));
  EXPECT_TRUE(submit(B, {out(Page + 64, 64)})); // Between the rows.
  EXPECT_FALSE(submit(B, {in(Page + 32, 8)}));
  EXPECT_FALSE(submit(A, {in(Page + 3 * Stride, 8)}));
  EXPECT_FALSE(submit(A, {in(Page + 64, 8)}));
  EXPECT_TRUE(submit(A, {in(Page + 128, 8)}));
  EXPECT_FALSE(submit(B, {section(HSCHED_INOUT, Page, 64, Rows, Stride)}));
}

// A thread's open bundle is closed before another thread's task comes after it.
TEST_F(Sharing, AnOpenBundleIsClosedWhenItsMemoryMoves) {
  struct {
    BundleItem Item{};
    ItemSection Section{Page, 8, HSCHED_OUT};
  } First;
  First.Item.NumSections = 1;
  TaskNode *Parent = makeTask({}, 1000);
  BundledTask Result;
  A.run([&] { Domain.open(First.Item, 100, 1, *Parent, 1, Result); });
  EXPECT_TRUE(Result.Opened);
  EXPECT_TRUE(Domain.anyOpenBundle());
  Tasks.push_back(makeTask(std::vector{in(Page, 8)}, 1));
  TaskNode *Closed = nullptr;
  bool Ready = true;
  B.run([&] { Ready = Domain.submit(*Tasks.back(), nullptr, &Closed); });
  EXPECT_FALSE(Ready);
  EXPECT_FALSE(Domain.anyOpenBundle());
  ASSERT_TRUE(Closed && Closed->isBundle());
  EXPECT_EQ(complete(*Closed, false), Tasks.back());
  release(*Closed);
  release(*Parent);
}

// Unsynchronised: every task that names a datum is alone with it, and none waits for ever.
TEST(SharingStress, ManyThreadsAtOnce) {
  constexpr unsigned Threads = 4, Each = 3000, Data = 24;
  unsigned Seed = std::random_device()();
  SCOPED_TRACE(Seed);
  DependenceDomain Domain(true);
  struct Datum {
    std::atomic<int> In{0};
    uint64_t Count = 0; // Guarded by the dependences.
  };
  std::vector<Datum> All(Data);
  std::vector<std::vector<unsigned>> Named(Threads * Each);
  std::atomic<unsigned> Wrong{0}, Done{0};
  auto runAll = [&](TaskNode *List) {
    std::vector<TaskNode *> Ready;
    auto take = [&](TaskNode *L) {
      for (TaskNode *T = L; T; T = T->NextReady)
        Ready.push_back(T);
    };
    take(List);
    while (!Ready.empty()) {
      TaskNode &T = *Ready.back();
      Ready.pop_back();
      const auto &Mine = Named[T.Id - 1];
      for (unsigned I : Mine)
        Wrong += All[I].In.fetch_add(1, std::memory_order_relaxed) != 0;
      for (unsigned I : Mine)
        ++All[I].Count;
      for (unsigned I : Mine)
        All[I].In.fetch_sub(1, std::memory_order_relaxed);
      take(complete(T, false));
      ++Done;
      release(T);
    }
  };
  std::vector<std::thread> Submitters;
  for (unsigned Thread = 0; Thread < Threads; ++Thread)
    Submitters.emplace_back([&, Thread] {
      std::mt19937 Random(Seed + Thread);
      for (unsigned I = 0; I < Each; ++I) {
        size_t Id = size_t(Thread) * Each + I;
        std::vector<Access> Accesses;
        for (unsigned N = 1 + Random() % 3; N > 0; --N) {
          // Mostly of its own, in a page with others'.
          unsigned D = Random() % 4 ? Thread * (Data / Threads) + Random() % (Data / Threads) : Random() % Data;
          if (std::ranges::find(Named[Id], D) == Named[Id].end()) {
            Named[Id].push_back(D);
            Accesses.push_back(inout(Page + 64 * D, 64));
          }
        }
        TaskNode *T = makeTask(Accesses, Id + 1), *Closed = nullptr;
        if (Domain.submit(*T, nullptr, &Closed)) {
          T->NextReady = nullptr;
          runAll(T);
        }
        if (I % 100 == 0)
          Domain.sweep(true);
      }
    });
  for (std::thread &T : Submitters)
    T.join();
  EXPECT_EQ(Wrong, 0u);
  EXPECT_EQ(Done, Threads * Each);
  uint64_t Sum = 0, Expected = 0;
  for (const Datum &D : All)
    Sum += D.Count;
  for (const auto &N : Named)
    Expected += N.size();
  EXPECT_EQ(Sum, Expected);
}

} // namespace

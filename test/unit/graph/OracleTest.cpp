// Random programs over overlapping ranges, run by several threads, against running them one after another.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RapidCheck prints the seed; RC_PARAMS="seed=..." repeats a run.
#include "TestTasks.h"
#include "graph/Exclusion.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr size_t MemoryBytes = 96;
using Memory = std::array<uint32_t, MemoryBytes>; // One word stands for a byte of the program's memory.

// Addresses of the program's memory begin here. Combinations write to the memory behind.
constexpr uintptr_t Origin = 4096;
Memory *Behind = nullptr;

// Private copies count in bytes: no program has so many tasks that one overflows.
const hsched_reduction_op Counting = {sizeof(hsched_reduction_op),
                                      "+",
                                      1,
                                      1,
                                      [](void *Copy, const void *, size_t N) { std::memset(Copy, 0, N); },
                                      [](void *Into, const void *From, size_t N) {
                                        for (size_t I = 0; I < N; ++I)
                                          (*Behind)[reinterpret_cast<uintptr_t>(Into) - Origin + I] +=
                                              static_cast<const unsigned char *>(From)[I];
                                      },
                                      nullptr,
                                      0};
const hsched_reduction_op Other = Counting; // Another operation: the domain compares addresses.

struct Section {
  unsigned Mode;
  size_t Begin, Bytes, Rows, Stride;
  bool Otherwise = false; // Reduced as Other.

  bool overlaps(const Section &S) const { return Begin < S.end() && S.Begin < end(); }
  bool same(const Section &S) const {
    return Begin == S.Begin && Bytes == S.Bytes && Rows == S.Rows && Stride == S.Stride && Otherwise == S.Otherwise;
  }

  size_t end() const { return Begin + (Rows - 1) * Stride + Bytes; }
  template <class F> void each(F Visit) const {
    for (size_t Row = 0; Row < Rows; ++Row)
      for (size_t I = 0; I < Bytes; ++I)
        Visit(Begin + Row * Stride + I);
  }
};

struct TaskSpec {
  std::vector<Section> Sections;
  bool Fails = false;

  // What the section's mode comes to: a task has for itself what it names in several ways.
  unsigned mode(size_t I) const {
    const Section &S = Sections[I];
    for (size_t J = 0; J < Sections.size(); ++J)
      if (S.Mode > HSCHED_INOUT && I != J && S.overlaps(Sections[J]) &&
          (S.Mode != Sections[J].Mode || S.Mode == HSCHED_REDUCTION))
        return HSCHED_INOUT;
    return S.Mode;
  }

  // Reads what it says it reads, then writes what it says it writes, and adds where order does not count. Copies has
  // the private copy for each section, or null.
  void run(Memory &M, size_t Id, const std::vector<unsigned char *> &Copies = {}) const {
    uint32_t Sum = static_cast<uint32_t>(Id) * 2654435761u;
    for (const Section &S : Sections)
      if (S.Mode == HSCHED_IN || S.Mode == HSCHED_INOUT)
        S.each([&](size_t At) { Sum = Sum * 31 + M[At]; });
    for (const Section &S : Sections)
      if (S.Mode == HSCHED_OUT || S.Mode == HSCHED_INOUT)
        S.each([&](size_t At) { M[At] = Sum + static_cast<uint32_t>(At); });
    for (size_t I = 0; I < Sections.size(); ++I) {
      const Section &S = Sections[I];
      S.each([&](size_t At) {
        if (S.Mode == HSCHED_CONCURRENT)
          std::atomic_ref(M[At]).fetch_add(Sum, std::memory_order_relaxed);
        else if (S.Mode == HSCHED_COMMUTATIVE)
          M[At] += Sum;
        else if (S.Mode == HSCHED_REDUCTION && !Copies.empty() && Copies[I])
          Copies[I][At - S.Begin] += 1;
        else if (S.Mode == HSCHED_REDUCTION)
          M[At] += 1;
      });
    }
  }

  // Whether both touch something and one updates it.
  bool meets(const TaskSpec &Task) const {
    for (const Section &A : Sections)
      for (const Section &B : Task.Sections)
        if (A.overlaps(B) && (A.Mode != HSCHED_IN || B.Mode != HSCHED_IN))
          return true;
    return false;
  }

  // Whether section I is ordered with Task's section J: plain ones by rows, those of groups by their hulls.
  bool touches(size_t I, const TaskSpec &Task, size_t J) const {
    bool Meet = false;
    auto ranges = [](const Section &S, unsigned Mode, auto Visit) {
      if (Mode > HSCHED_INOUT || S.Rows == 1 || S.Stride <= S.Bytes)
        return Visit(S.Begin, S.end());
      for (size_t Row = 0; Row < S.Rows; ++Row)
        Visit(S.Begin + Row * S.Stride, S.Begin + Row * S.Stride + S.Bytes);
    };
    ranges(Sections[I], mode(I), [&](size_t Begin, size_t End) {
      ranges(Task.Sections[J], Task.mode(J),
             [&](size_t First, size_t Last) { Meet |= Begin < Last && First < End && Begin < End && First < Last; });
    });
    return Meet;
  }

  // Whether one has to come after the other; TakeTurns: or only must not meet it.
  bool conflicts(const TaskSpec &Task, bool *TakeTurns = nullptr) const {
    bool Turns = false;
    for (size_t I = 0; I < Sections.size(); ++I)
      for (size_t J = 0; J < Task.Sections.size(); ++J) {
        unsigned A = mode(I), B = Task.mode(J);
        if (!touches(I, Task, J) || (A == HSCHED_IN && B == HSCHED_IN))
          continue;
        if (A != B || A <= HSCHED_INOUT || (A == HSCHED_REDUCTION && !Sections[I].same(Task.Sections[J])))
          return true;
        Turns |= A == HSCHED_COMMUTATIVE;
      }
    if (TakeTurns)
      *TakeTurns = Turns;
    return false;
  }
};

std::ostream &operator<<(std::ostream &Out, const TaskSpec &T) {
  static const char *const Names[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
  for (const Section &S : T.Sections)
    Out << Names[S.Mode] << (S.Otherwise ? "'" : "") << "[" << S.Begin << ";" << S.Bytes << "]x" << S.Rows << "/"
        << S.Stride << " ";
  return Out << (T.Fails ? "fails" : "");
}

// Places and sizes from a grid as often as from anywhere, so that sections are the same often enough.
rc::Gen<Section> anySection() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::element<unsigned>(HSCHED_IN, HSCHED_OUT, HSCHED_INOUT, HSCHED_CONCURRENT,
                                                HSCHED_CONCURRENT, HSCHED_COMMUTATIVE, HSCHED_COMMUTATIVE,
                                                HSCHED_REDUCTION, HSCHED_REDUCTION, HSCHED_REDUCTION),
                     rc::gen::inRange<size_t>(0, 64), rc::gen::inRange<size_t>(1, 17),
                     rc::gen::weightedElement<size_t>({{4, 1}, {1, 2}, {1, 3}}), rc::gen::inRange<int>(0, 12)),
      [](const std::tuple<unsigned, size_t, size_t, size_t, int> &V) {
        auto [Mode, Begin, Bytes, Rows, Choice] = V;
        if (Choice < 5) {
          Begin = Begin / 16 * 16;
          Bytes = Choice < 4 ? 16 : 32;
          Rows = 1;
        }
        size_t Room = MemoryBytes - Begin;
        if (Choice >= 8) { // A tile of one of two matrices, of as many rows as fit or fewer.
          size_t Stride = Choice < 11 ? 8 : 12;
          Bytes = 1 + Bytes % (Stride - 1);
          size_t Most = Bytes > Room ? 1 : 1 + (Room - Bytes) / Stride;
          size_t Several = Rows == 1 ? Most : std::min(Most, Rows * Begin % 7 + 2);
          return Section{Mode, Begin, std::min(Bytes, Room), Several, Several > 1 ? Stride : 0, false};
        }
        Bytes = std::min(Bytes, Room);
        if (Rows > 1 && Bytes > Room / Rows)
          Bytes = Room / Rows;
        return Section{Mode,
                       Begin,
                       Bytes,
                       Rows,
                       Rows > 1 ? (Room - Bytes) / (Rows - 1) : 0,
                       Mode == HSCHED_REDUCTION && Choice == 3};
      });
}

rc::Gen<TaskSpec> anyTask(bool MayFail) {
  return rc::gen::mapcat(rc::gen::inRange<size_t>(1, 5), [MayFail](size_t N) {
    return rc::gen::build<TaskSpec>(
        rc::gen::set(&TaskSpec::Sections, rc::gen::container<std::vector<Section>>(N, anySection())),
        rc::gen::set(&TaskSpec::Fails,
                     MayFail ? rc::gen::weightedElement<bool>({{9, false}, {1, true}}) : rc::gen::just(false)));
  });
}

// Runs ready tasks on a few threads.
class Pool {
public:
  Pool(const std::vector<TaskSpec> &Specs, DependenceDomain &Domain, Memory &M)
      : Specs(Specs), Domain(Domain), M(M), Began(Specs.size()), Over(Specs.size()) {
    for (int I = 0; I < 3; ++I)
      Threads.emplace_back([this] { work(); });
  }

  // T and what is linked to it by NextReady.
  void ready(TaskNode *T) {
    for (TaskNode *Next; T; T = Next) {
      Next = T->NextReady;
      if (!T->Groups || T->Groups->Ranges.empty() || T->has(Signal::Poisoned) || Domain.exclusion().take(*T))
        runnable(T);
    }
  }
  void runnable(TaskNode *T) {
    std::lock_guard Guard(Lock);
    Queue.push_back(T);
    Changed.notify_all();
  }

  void join(size_t Combinations) {
    {
      std::unique_lock Guard(Lock);
      Changed.wait(Guard, [&] { return NumOver == Specs.size() + Combinations; });
      Stop = true;
      Changed.notify_all();
    }
    for (std::thread &T : Threads)
      T.join();
  }

  bool ran(size_t I) const { return Began[I] != 0; }
  uint64_t began(size_t I) const { return Began[I]; }
  uint64_t over(size_t I) const { return Over[I]; }

private:
  void work() {
    std::unique_lock Guard(Lock);
    for (;;) {
      Changed.wait(Guard, [this] { return Stop || !Queue.empty(); });
      if (Queue.empty())
        return;
      TaskNode *T = Queue.front();
      Queue.pop_front();
      bool Poisoned = T->has(Signal::Poisoned), Fails = false;
      if (T->isCombination()) {
        Guard.unlock();
        if (!Poisoned)
          for (const auto &Copy : T->Groups->Combines->All)
            Copy->combineInto(T->AccessList[0]);
      } else {
        size_t Index = T->Id - 1;
        const TaskSpec &Spec = Specs[Index];
        Fails = Spec.Fails;
        if (!Poisoned)
          Began[Index] = ++Ticks;
        Guard.unlock();
        if (!Poisoned && !Fails)
          Spec.run(M, T->Id, copies(*T));
        Guard.lock();
        Over[Index] = ++Ticks;
        Guard.unlock();
        if (T->Groups && !T->Groups->Ranges.empty())
          for (TaskNode *Next, *R = Domain.exclusion().give(*T); R; R = Next) {
            Next = R->NextReady;
            runnable(R);
          }
      }
      ready(complete(*T, Poisoned || Fails));
      release(*T);
      Guard.lock();
      ++NumOver;
      Changed.notify_all();
    }
  }

  static std::vector<unsigned char *> copies(TaskNode &T) {
    std::vector<unsigned char *> Result(T.NumAccesses);
    if (T.Groups)
      for (ReductionPart &P : T.Groups->Parts) {
        P.Copy = &P.Combination->Groups->Combines->take(
            HostNode, [&] { return std::make_unique<PrivateCopy>(*P.Op, T.AccessList[P.Access]); });
        Result[P.Access] = static_cast<unsigned char *>(const_cast<void *>(P.Copy->section().base));
      }
    return Result;
  }

  const std::vector<TaskSpec> &Specs;
  DependenceDomain &Domain;
  Memory &M;
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<TaskNode *> Queue;
  std::vector<uint64_t> Began, Over; // Ticks; 0: did not run.
  uint64_t Ticks = 0;
  size_t NumOver = 0;
  bool Stop = false;
  std::vector<std::thread> Threads;
};

constexpr unsigned NumHands = 3;

struct EdgeCheck : GraphListener {
  std::map<std::pair<TaskId, TaskId>, int> Reported;
  TaskId Combinations = 0;
  static constexpr TaskId FirstCombination = 1 << 20;
  void dependence(TaskId From, TaskId To) override { ++Reported[{From, To}]; }
  TaskId combination(const TaskNode &) override { return FirstCombination + Combinations++; }
};

// Submitters: by task, by turns, which thread submits it; empty: this one does, in a domain that is not shared.
void runAndCompare(const std::vector<TaskSpec> &Specs, bool SweepOften, const std::vector<unsigned> &Submitters = {}) {
  Memory Expected{}, Actual{};
  EdgeCheck Edges;
  DependenceDomain Domain(!Submitters.empty());
  std::vector<Hand> Hands(Submitters.empty() ? 0 : NumHands);
  Behind = &Actual;
  Pool P(Specs, Domain, Actual);
  for (size_t I = 0; I < Specs.size(); ++I) {
    std::vector<Access> Accesses;
    for (const Section &S : Specs[I].Sections)
      Accesses.push_back(section(S.Mode, Origin + S.Begin, S.Bytes, S.Rows, S.Stride));
    TaskNode *T = makeTask(Accesses, I + 1);
    for (unsigned A = 0; A < Accesses.size(); ++A)
      if (const Section &S = Specs[I].Sections[A]; S.Mode == HSCHED_REDUCTION)
        addReduction(*T, A, &Behind, S.Otherwise ? Other : Counting);
    TaskNode *Closed = nullptr;
    bool Ready = false;
    auto submit = [&] { Ready = Domain.submit(*T, &Edges, &Closed); };
    Hands.empty() ? submit() : Hands[Submitters[I % Submitters.size()]].run(submit);
    P.ready(Closed);
    if (Ready)
      P.ready(T);
    if (SweepOften && I % 3 == 0)
      Domain.sweep(false);
  }
  P.ready(Domain.closeAll());
  P.join(Edges.Combinations);

  // What comes after something that did not run to its end is cancelled, and nothing else is. Where threads take turns,
  // a group ends when another one wants its memory: then a member comes after one that it would have been beside.
  std::vector<bool> Dead(Specs.size());
  for (size_t I = 0; I < Specs.size(); ++I) {
    bool Cancelled = false, May = false;
    for (size_t J = 0; J < I; ++J) {
      Cancelled |= Dead[J] && Specs[I].conflicts(Specs[J]);
      May |= Dead[J] && !Submitters.empty() && Specs[I].meets(Specs[J]);
    }
    RC_ASSERT(!P.ran(I) || !Cancelled);
    RC_ASSERT(P.ran(I) || Cancelled || May);
    Dead[I] = !P.ran(I) || Specs[I].Fails;
    if (!Dead[I])
      Specs[I].run(Expected, I + 1);
  }

  // A group of which a member fails leaves the original as it was.
  bool Lost[MemoryBytes] = {};
  if (std::ranges::any_of(Dead, [](bool D) { return D; }))
    for (const TaskSpec &T : Specs)
      for (const Section &S : T.Sections)
        if (S.Mode == HSCHED_REDUCTION)
          std::fill(Lost + S.Begin, Lost + S.end(), true);
  for (size_t At = 0; At < MemoryBytes; ++At)
    RC_ASSERT(Lost[At] || Actual[At] == Expected[At]);
  for (size_t I = 0; I < Specs.size(); ++I) {
    for (size_t J = 0; J < I; ++J) {
      bool TakeTurns = false;
      if (!P.ran(I))
        continue;
      if (Specs[I].conflicts(Specs[J], &TakeTurns))
        RC_ASSERT(P.over(J) < P.began(I));
      else if (TakeTurns && P.ran(J))
        RC_ASSERT((P.over(J) < P.began(I) || P.over(I) < P.began(J)));
    }
  }
  for (const auto &[Pair, Times] : Edges.Reported) {
    RC_ASSERT(Times == 1);
    if (Pair.first >= EdgeCheck::FirstCombination || Pair.second >= EdgeCheck::FirstCombination)
      continue;
    RC_ASSERT(Pair.first < Pair.second);
    RC_ASSERT(Specs[Pair.first - 1].meets(Specs[Pair.second - 1]));
  }
}

TEST(Oracle, ResultAndOrderAreThoseOfTheSerialProgram) {
  EXPECT_TRUE(rc::check("serial elision", [] {
    runAndCompare(*rc::gen::container<std::vector<TaskSpec>>(anyTask(false)), *rc::gen::arbitrary<bool>());
  }));
}

TEST(Oracle, WhatDependsOnAFailureDoesNotRunAndTheRestDoes) {
  EXPECT_TRUE(rc::check("cancellation", [] {
    runAndCompare(*rc::gen::container<std::vector<TaskSpec>>(anyTask(true)), *rc::gen::arbitrary<bool>());
  }));
}

// Each thread has a part of the domain, and what is known moves from one to another.
TEST(Oracle, SeveralThreadsSubmitByTurns) {
  EXPECT_TRUE(rc::check("parts of a domain", [] {
    auto Turns = *rc::gen::nonEmpty(rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0u, NumHands)));
    runAndCompare(*rc::gen::container<std::vector<TaskSpec>>(anyTask(*rc::gen::arbitrary<bool>())),
                  *rc::gen::arbitrary<bool>(), Turns);
  }));
}

} // namespace

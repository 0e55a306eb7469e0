// Random programs over overlapping ranges, run by several threads, against running them one after another.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RapidCheck prints the seed; RC_PARAMS="seed=..." repeats a run.
#include "TestTasks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr size_t MemoryBytes = 96;
using Memory = std::array<uint32_t, MemoryBytes>; // one word stands for a byte of the program's memory

struct Section {
  unsigned Mode;
  size_t Begin, Bytes, Rows, Stride;

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

  // Reads what it says it reads, then writes what it says it writes.
  void run(Memory &M, size_t Id) const {
    uint32_t Sum = static_cast<uint32_t>(Id) * 2654435761u;
    for (const Section &S : Sections)
      if (S.Mode != HSCHED_OUT)
        S.each([&](size_t At) { Sum = Sum * 31 + M[At]; });
    for (const Section &S : Sections)
      if (S.Mode != HSCHED_IN)
        S.each([&](size_t At) { M[At] = Sum + static_cast<uint32_t>(At); });
  }

  bool conflicts(const TaskSpec &Other) const {
    for (const Section &A : Sections)
      for (const Section &B : Other.Sections)
        if ((A.Mode != HSCHED_IN || B.Mode != HSCHED_IN) && A.Begin < B.end() && B.Begin < A.end())
          return true;
    return false;
  }
};

std::ostream &operator<<(std::ostream &Out, const TaskSpec &T) {
  for (const Section &S : T.Sections)
    Out << (S.Mode == HSCHED_IN    ? "in"
            : S.Mode == HSCHED_OUT ? "out"
                                   : "inout")
        << "[" << S.Begin << ";" << S.Bytes << "]x" << S.Rows << "/" << S.Stride << " ";
  return Out << (T.Fails ? "fails" : "");
}

rc::Gen<Section> anySection() {
  return rc::gen::map(rc::gen::tuple(rc::gen::element<unsigned>(HSCHED_IN, HSCHED_OUT, HSCHED_INOUT),
                                     rc::gen::inRange<size_t>(0, 64), rc::gen::inRange<size_t>(1, 17),
                                     rc::gen::weightedElement<size_t>({{4, 1}, {1, 2}, {1, 3}})),
                      [](const std::tuple<unsigned, size_t, size_t, size_t> &V) {
                        auto [Mode, Begin, Bytes, Rows] = V;
                        size_t Room = MemoryBytes - Begin;
                        Bytes = std::min(Bytes, Room);
                        if (Rows > 1 && Bytes > Room / Rows)
                          Bytes = Room / Rows;
                        return Section{Mode, Begin, Bytes, Rows, Rows > 1 ? (Room - Bytes) / (Rows - 1) : 0};
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
  Pool(const std::vector<TaskSpec> &Specs, Memory &M) : Specs(Specs), M(M), Began(Specs.size()), Over(Specs.size()) {
    for (int I = 0; I < 3; ++I)
      Threads.emplace_back([this] { work(); });
  }

  void ready(TaskNode *T) {
    std::lock_guard Guard(Lock);
    Queue.push_back(T);
    Changed.notify_all();
  }

  void join() {
    {
      std::unique_lock Guard(Lock);
      Changed.wait(Guard, [this] { return NumOver == Specs.size(); });
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
      size_t Index = T->Id - 1;
      const TaskSpec &Spec = Specs[Index];
      bool Poisoned = T->Poisoned.load();
      if (!Poisoned)
        Began[Index] = ++Ticks;
      Guard.unlock();
      if (!Poisoned && !Spec.Fails)
        Spec.run(M, T->Id);
      Guard.lock();
      Over[Index] = ++Ticks;
      Guard.unlock();
      TaskNode *Next;
      for (TaskNode *R = complete(*T, Poisoned || Spec.Fails); R; R = Next) {
        Next = R->NextReady;
        ready(R);
      }
      release(*T);
      Guard.lock();
      ++NumOver;
      Changed.notify_all();
    }
  }

  const std::vector<TaskSpec> &Specs;
  Memory &M;
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<TaskNode *> Queue;
  std::vector<uint64_t> Began, Over; // ticks; 0: did not run
  uint64_t Ticks = 0;
  size_t NumOver = 0;
  bool Stop = false;
  std::vector<std::thread> Threads;
};

struct EdgeCheck : GraphListener {
  std::map<std::pair<TaskId, TaskId>, int> Told;
  void dependence(TaskId From, TaskId To) override { ++Told[{From, To}]; }
};

void runAndCompare(const std::vector<TaskSpec> &Specs, bool SweepOften) {
  Memory Expected{}, Actual{};
  std::vector<bool> Cancelled(Specs.size()), Dead(Specs.size());
  for (size_t I = 0; I < Specs.size(); ++I) {
    for (size_t J = 0; J < I && !Cancelled[I]; ++J)
      Cancelled[I] = Dead[J] && Specs[I].conflicts(Specs[J]);
    Dead[I] = Cancelled[I] || Specs[I].Fails;
    if (!Dead[I])
      Specs[I].run(Expected, I + 1);
  }

  EdgeCheck Edges;
  DependenceDomain Domain;
  Pool P(Specs, Actual);
  for (size_t I = 0; I < Specs.size(); ++I) {
    std::vector<Access> Accesses;
    for (const Section &S : Specs[I].Sections)
      Accesses.push_back(section(S.Mode, 4096 + S.Begin, S.Bytes, S.Rows, S.Stride));
    TaskNode *T = makeTask(Accesses, I + 1);
    if (Domain.submit(*T, &Edges))
      P.ready(T);
    if (SweepOften && I % 3 == 0)
      Domain.sweep(false);
  }
  P.join();

  RC_ASSERT(Actual == Expected);
  for (size_t I = 0; I < Specs.size(); ++I) {
    RC_ASSERT(P.ran(I) != Cancelled[I]);
    for (size_t J = 0; J < I; ++J)
      if (Specs[I].conflicts(Specs[J]) && P.ran(I))
        RC_ASSERT(P.over(J) < P.began(I));
  }
  for (const auto &[Pair, Times] : Edges.Told) {
    RC_ASSERT(Times == 1);
    RC_ASSERT(Pair.first < Pair.second);
    RC_ASSERT(Specs[Pair.first - 1].conflicts(Specs[Pair.second - 1]));
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

} // namespace

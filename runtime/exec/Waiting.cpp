// Waits: for children, for data, for room in the window. Who waits works.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"
#include <hsched/hsched.h>

#include <algorithm>

namespace hsched::rt {
namespace {

// Parkers of threads that are no workers. A late unpark may reach one after its thread has ended, so they are reused
// and never freed.
class ForeignParker {
public:
  ForeignParker() {
    std::lock_guard Guard(pool().Lock);
    if (pool().Free.empty()) {
      P = new Parker;
      pool().All.push_back(P);
    } else {
      P = pool().Free.back();
      pool().Free.pop_back();
    }
  }
  ~ForeignParker() {
    std::lock_guard Guard(pool().Lock);
    pool().Free.push_back(P);
  }
  Parker &operator*() { return *P; }

private:
  struct Pool {
    std::mutex Lock;
    std::vector<Parker *> Free, All; // All keeps them reachable
  };
  static Pool &pool() {
    static auto *Made = new Pool;
    return *Made;
  }
  Parker *P;
};

Parker &ownParker() {
  static thread_local ForeignParker P;
  return *P;
}

} // namespace

bool Executor::tryTakeSeat0() {
  if (Seats[0].Taken.load(std::memory_order_relaxed) || Seats[0].Taken.exchange(true))
    return false;
  threadState().S = &Seats[0];
  return true;
}

void Executor::leaveSeat0() {
  threadState().S = nullptr;
  Seats[0].Taken.store(false);
  notifyWaiters(); // another thread that waits may take it
  if (Seats[0].P.pending())
    wake(0);
}

void Executor::wake(WorkerId W) {
  Seats[W].P.unpark();
  if (W != 0 || Seats[0].Taken.load())
    return;
  // Nobody sits there just now: whoever waits for a seat, and another CPU worker, may have a look.
  notifyWaiters();
  auto NumCpus = static_cast<uint32_t>(
      std::ranges::find_if(Machine.Workers, [](const Worker &Other) { return Other.Dev != nullptr; }) -
      Machine.Workers.begin());
  if (NumCpus > 1)
    Seats[1 + NextCpu.fetch_add(1, std::memory_order_relaxed) % (NumCpus - 1)].P.unpark();
}

void Executor::notifyWaiters() {
  if (NumWaiters.load() == 0)
    return;
  std::lock_guard Guard(WaitersLock);
  for (Parker *P : Waiters)
    P->unpark();
}

// What makes Done true must be followed by a notifyWaiters, or by an unpark of the caller's seat.
void Executor::workUntil(const std::function<bool()> &Done) {
  ThreadState &Me = threadState();
  bool Guest = Me.S == nullptr;
  while (!Done()) {
    if (!Me.S)
      tryTakeSeat0();
    if (Me.S && runOne(*Me.S))
      continue;
    Parker &P = Me.S ? Me.S->P : ownParker();
    {
      std::lock_guard Guard(WaitersLock);
      Waiters.push_back(&P);
      NumWaiters.fetch_add(1);
    }
    if (!Done() && (Me.S || Seats[0].Taken.load()))
      P.park();
    std::lock_guard Guard(WaitersLock);
    Waiters.erase(std::ranges::find(Waiters, &P));
    NumWaiters.fetch_sub(1);
  }
  if (Guest && Me.S)
    leaveSeat0();
}

void Executor::makeRoom() {
  if (Outstanding.load(std::memory_order_relaxed) < Options.Window)
    return;
  ThreadState &Me = threadState();
  if (!Me.Current)
    return workUntil([this] { return Outstanding.load() <= LowWater; });
  // Inside a task: all that is outstanding may be waiting for it, so it only lends a hand and is then let through.
  while (Me.S && Me.Depth < MaxDepth && Outstanding.load(std::memory_order_relaxed) > LowWater)
    if (!runOne(*Me.S))
      break;
}

void Executor::flushFor(std::span<const Access> Ranges, bool All) {
  if (!Data.anyReplica())
    return;
  if (status Home = Data.flush(Ranges, All, true); !Home.ok())
    throw task_error("taskwait", "", "data could not be brought home: " + Home.message());
}

void Executor::taskwait(bool Flush) {
  TaskNode &Self = context();
  endGroups(Self, threadState().S ? threadState().S->W->Id : NoWorker);
  if (&Self == Root) {
    workUntil([this] { return Root->Live.load() == 1; });
    RootDomain.sweep(true);
  } else {
    Self.Waiter.store(&threadState().S->P);
    workUntil([&Self] { return Self.Live.load() == 1; });
    Self.Waiter.store(nullptr);
    if (Self.Children)
      Self.Children->sweep(true);
  }
  if (Flush)
    flushFor({}, true);
  throwFailure(Self);
}

void Executor::taskwaitOn(std::span<const Access> Sections, bool Flush) {
  TaskNode &Self = context();
  DependenceDomain *Domain = &Self == Root ? &RootDomain : Self.Children.get();
  bool Failed = false;
  if (Domain) {
    TaskNode &Wait = *createTask(nullptr, static_cast<unsigned>(Sections.size()));
    std::ranges::copy(Sections, Wait.AccessList);
    Wait.IsWait = true;
    retain(Wait); // given up by whoever finds it ready
    TaskNode *Closed = nullptr;
    bool Ready = Domain->await(Wait, &Closed);
    if (Closed)
      completeAll(Closed, threadState().S ? threadState().S->W->Id : NoWorker);
    if (Ready)
      release(Wait);
    else
      workUntil([&Wait] { return Wait.Live.load() == 0; });
    Failed = Wait.Poisoned.load(std::memory_order_relaxed);
    release(Wait);
  }
  if (Flush)
    flushFor(Sections, false);
  if (Failed) {
    Domain->sweep(true);
    throwFailure(Self);
  }
}

} // namespace hsched::rt

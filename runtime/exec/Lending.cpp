// Waits inside tasks: what they run, and who works in their place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body that waits may hold something that another task waits for, a mutex for instance. If its thread ran that other
// task, both would wait for ever. So its thread runs only descendants of the task that waits, as the serial program and
// OpenMP's task scheduling constraint have it. What else it finds it gives to a spare thread, together with its seat:
// as many threads work as before. When the wait is over, both threads work for a moment. The spare thread returns the
// seat when its task has ended, if the first one has not come to its own end before.
//
//   lender   has the seat -> lend -> waits without a seat -> claim -> goes on -> takeBack, endLoan
//   spare    serve -> returnSeat, or stays
//
// See test/model/lend.pml.
#include "base/Log.h"
#include "exec/DeviceWorker.h"
#include "exec/EngineScope.h"
#include "exec/Executor.h"

#include <algorithm>
#include <csignal>
#include <new>

#include <pthread.h>

namespace hsched::rt {

// A thread's that lent its seat and is not at its end yet. By that thread, unless said otherwise.
struct Loan {
  Loan(Seat &Of, Parker &P) : Of(Of), P(&P) {
    Instead.W = Of.W;
    Instead.P = &P;
    Instead.Lent = this;
  }
  Seat Instead; // What the thread has for a seat; nobody is told of it.
  Seat &Of;
  Parker *const P;                   // The thread's.
  bool Claimed = false;              // The seat's Claimant may be this one.
  bool Beside = false;               // Counts in Executor::Beside: the thread works beside who has its seat.
  std::atomic<bool> Returned{false}; // Set by the thread that found it there: the last that does with it.
};

namespace {

// Nobody tells a wait without a seat of what it may run: other threads have seats, and find it. Only where all of them
// wait for what this body holds, it has to look itself.
constexpr Duration FirstPause = std::chrono::microseconds(500), LongestPause = std::chrono::milliseconds(16);

// Most waits are over soon, and then there is one thread more than there are seats until the spare one's task has
// ended. So a wait lasts this long before a seat is lent, and as long again for each thread that works beside a seat:
// threads without a core of their own make other waits longer. docs/decisions/0018 has what less of this costs.
constexpr Duration SoonOver = std::chrono::milliseconds(1);
constexpr int MostCounted = 15;

// For debuggers, profilers and top. A name has no more than 15 letters: "hsched CPU 3", "hsched dev 0".
void nameCurrentThread(const Worker &W) {
  std::string Name = "hsched " + (W.Dev ? "dev " + std::to_string(W.Dev->info().Index) : W.Name);
  Name.resize(std::min<size_t>(Name.size(), 15));
  (void)pthread_setname_np(pthread_self(), Name.c_str());
}

} // namespace

void Executor::sit(Seat &S) {
  if (Parker &P = ownParker(); S.P.load(std::memory_order_relaxed) != &P)
    S.P.store(&P);
}

void Executor::serve(Seat &S, const Found &First) {
  struct AtEnd {
    ~AtEnd() { giveQueueBack(); } // Others look through all that have an owner.
  } End;
  ThreadState &Me = threadState();
  EngineScope::forLife(self());
  Me.S = &S;
  sit(S);
  nameCurrentThread(*S.W);
  WorkerId W = S.W->Id;
  if (Options.AtStart)
    Options.AtStart();
  if (Options.Pin && W < Options.CoreOf.size() && Options.CoreOf[W] >= 0)
    if (status Pinned = Options.Pin(static_cast<unsigned>(Options.CoreOf[W])); !Pinned.ok())
      log(LogLevel::Debug, "%s is not pinned: %s", S.W->Name.c_str(), Pinned.message().c_str());
  if (S.W->Dev) {
    DeviceWorker(*this, S).loop();
    Me.S = nullptr;
    return;
  }
  // What a body starts, processes and threads, finds what it would in the serial program.
  pthread_sigmask(SIG_SETMASK, &ProgramsSignals, nullptr);
  if (First.T)
    run(S, First);
  while (!Stopping.load()) {
    if (Me.S->Lent) {
      letGoOfNext();
      if (!endLoan())
        return; // Another thread has it.
    }
    if (returnSeat(S))
      return;
    if (W == 0)
      Called0.store(false);
    if (runOne(S))
      continue;
    if (W == 0 && S.Loans.load() == 0)
      return leaveSeat0(); // For a thread of the program.
    rest(S);
  }
  if (!Me.S->Lent || endLoan())
    Me.S = nullptr;
}

void Executor::callSpare() {
  if (SpareCalled.exchange(true))
    return;
  if (!Hands->run([this] {
        SpareCalled.store(false);
        if (tryTakeSeat0())
          serve(Seats[0], {});
      }))
    SpareCalled.store(false);
}

// --- the wait

bool Executor::isInside(const TaskNode &T, const TaskNode &Within) {
  const TaskNode *Up = T.Parent;
  while (Up && Up != &Within)
    Up = Up->Parent;
  return Up != nullptr;
}

// What this thread queued since the body began is behind what it had before.
bool Executor::runChild(const TaskNode &Within) {
  ThreadState &Me = threadState();
  if (!Stealing)
    return false;
  TaskNode *T = std::exchange(Me.Next, nullptr);
  if (!T)
    T = ownQueue().Ready.pop();
  if (!T)
    return false;
  if (!isInside(*T, Within)) {
    ownQueue().Ready.push(T); // There is room: it has just been there.
    wakeForWork();            // Who looked meanwhile saw one less.
    return false;
  }
  if (!Me.S->Lent)
    takesUp(*Me.S);
  runKept(*Me.S, *T);
  return true;
}

bool Executor::findInside(WorkerId W, const TaskNode &Within, Found &F) {
  if (Stealing && InPolicy.load(std::memory_order_relaxed) == 0)
    return false;
  Assignment A;
  if (!Scheduler.popWanted(
          W,
          [&](const Task &T) {
            return (!T.Placed || mayRunOn(T, W)) && isInside(static_cast<const TaskNode &>(T), Within);
          },
          A))
    return false;
  leftPolicy(A, F);
  return true;
}

// Whose threads may all be in bodies that wait for what this one holds. A task cannot be looked at before it is taken:
// what is of no use here goes into this thread's queue, where others find it.
bool Executor::robInside(const TaskNode &Within, Found &F) {
  OwnQueue &Own = ownQueue();
  if (!Stealing || &Own == &Table->shared())
    return false;
  for (OwnQueue &L : Table->used())
    for (TaskNode *T = nullptr; &L != &Own && !F.T && (T = L.Ready.steal());)
      if (isInside(*T, Within))
        F.T = T;
      else
        (void)enqueue(*T);
  return F.T != nullptr;
}

// Until Done, or a wait has lasted as long as one does before a seat is lent.
void Executor::awaitSoon(const std::function<bool()> &Done, int64_t At) {
  const TimePoint Begin = Time.now();
  while (!Done()) {
    const Duration Lasted = Time.now() - Begin;
    if (Lasted < SoonOver)
      std::this_thread::yield();
    else if (Lasted < SoonOver * (1 + std::min(Beside.load(std::memory_order_relaxed), MostCounted)))
      parkUntil(Done, At, FirstPause);
    else
      return;
  }
}

void Executor::workInside(const std::function<bool()> &Done, int64_t At, const TaskNode &Within) {
  ThreadState &Me = threadState();
  const WorkerId W = Me.S->W->Id;
  const bool OfDevice = Me.S->W->Dev != nullptr; // Which runs no other tasks.
  bool Alone = false;                            // No other thread can be had.
  bool Patient = true;                           // Something may end this wait soon.
  Duration Pause = FirstPause;
  if (Me.S->Lent)
    worksBeside(*Me.S->Lent, false);
  while (!Done()) {
    Found F;
    if (OfDevice) {
      parkUntil(Done, At);
    } else if (runChild(Within)) {
      Pause = FirstPause;
      Patient = true;
    } else if (findInside(W, Within, F)) {
      run(*Me.S, F);
      Pause = FirstPause;
    } else if (!Alone && (!Me.S->Lent || takeBack())) {
      Seat &S = *Me.S;
      sit(S);
      if (W == 0)
        Called0.store(false);
      if (std::exchange(Patient, false)) {
        awaitSoon(Done, At);
      } else if (!find(S, F, true)) {
        parkUntil(Done, At);
        Patient = true;
      } else if (isInside(*F.T, Within)) {
        run(S, F);
        Patient = true;
      } else if (!lend(F)) {
        Alone = true;
        putBack(S, F);
      }
    } else if (robInside(Within, F)) {
      run(*Me.S, F);
      Pause = FirstPause;
    } else {
      parkUntil(Done, At, Pause);
      Pause = std::min(2 * Pause, LongestPause);
    }
  }
  letGoOfNext();
  if (Me.S->Lent) {
    claim(*Me.S->Lent);
    worksBeside(*Me.S->Lent, true);
  } else if (!OfDevice) {
    comeBack(*Me.S);
  }
}

void Executor::worksBeside(Loan &L, bool Does) {
  if (std::exchange(L.Beside, Does) != Does)
    Beside.fetch_add(Does ? 1 : -1, std::memory_order_relaxed);
}

void Executor::putBack(Seat &S, const Found &F) {
  if (F.V)
    return giveBack(*F.T, *F.V, S.W->Id, F.FromPolicy);
  if (F.T->IsBundle)
    return enqueueBundle(*F.T);
  if (!enqueue(*F.T)) {
    pushes(*F.T);
    Scheduler.push(*F.T, NoWorker);
  }
}

// --- the seat

bool Executor::lend(const Found &First) {
  ThreadState &Me = threadState();
  Seat &S = *Me.S;
  auto *L = new (std::nothrow) Loan(S, ownParker());
  if (!L)
    return false;
  // A call that runs outside any task has a node: the task that waits is inside it.
  if (S.W->Id == 0)
    Seat0.store(Taken);
  S.Loans.fetch_add(1);
  Me.S = &L->Instead;
  try {
    if (Hands->run([this, &S, First] { serve(S, First); }))
      return true;
  } catch (const std::bad_alloc &) { // For the function object.
  }
  Me.S = &S;
  S.Loans.fetch_sub(1);
  delete L;
  return false;
}

bool Executor::returnSeat(Seat &S) {
  if (!S.Claimant.load(std::memory_order_relaxed))
    return false;
  Loan *L = S.Claimant.exchange(nullptr);
  if (!L)
    return false;
  letGoOfNext();
  comeBack(S);
  S.P.store(L->P);
  threadState().S = nullptr;
  L->Returned.store(true, std::memory_order_release);
  return true;
}

void Executor::claim(Loan &L) {
  Loan *Other = nullptr;
  L.Claimed = L.Claimed || L.Of.Claimant.compare_exchange_strong(Other, &L);
}

bool Executor::withdraw(Loan &L) {
  if (!std::exchange(L.Claimed, false))
    return true;
  Loan *Seen = &L;
  if (L.Of.Claimant.compare_exchange_strong(Seen, nullptr))
    return true;
  while (!L.Returned.load(std::memory_order_acquire))
    Parker::pause();
  return false;
}

bool Executor::takeBack() {
  ThreadState &Me = threadState();
  Loan &L = *Me.S->Lent;
  Seat &S = L.Of;
  uintptr_t Seen = Free;
  if (withdraw(L) && (S.W->Id != 0 || !Seat0.compare_exchange_strong(Seen, Taken)))
    return false;
  Me.S = &S;
  S.Loans.fetch_sub(1);
  worksBeside(L, false);
  delete &L;
  return true;
}

bool Executor::endLoan() {
  ThreadState &Me = threadState();
  Loan *L = Me.S->Lent;
  if (!L)
    return true;
  Seat &S = L->Of;
  const bool Back = !withdraw(*L);
  Me.S = Back ? &S : nullptr;
  S.Loans.fetch_sub(1);
  worksBeside(*L, false);
  delete L;
  if (!Back && S.W->Id == 0)
    S.P.load()->unpark(); // Who has it may leave.
  return Back;
}

} // namespace hsched::rt

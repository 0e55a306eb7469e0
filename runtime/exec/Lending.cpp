// Waits inside tasks: the tasks that they run, and substitutes for their threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A waiting body may hold something, such as a mutex, that another task waits for. If its thread ran that task, both
// would deadlock. So its thread runs only descendants of the waiting task, as in the serial program and in OpenMP's
// task scheduling constraint. It gives any other task that it finds to a substitute thread, with its seat: the number
// of working threads stays the same. After the wait, both threads work for a while. The substitute returns the seat
// when its task has ended, unless the lender's task has ended before.
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
#include <utility>

#include <pthread.h>

namespace hsched::rt {

// The loan of a thread that lent its seat and whose body has not ended. Used by that thread, unless stated otherwise.
struct Loan {
  Loan(Seat &Of, Parker &P) : Of(Of), P(&P) {
    PrivateSeat.W = Of.W;
    PrivateSeat.P = &P;
    PrivateSeat.OwnLoan = this;
  }
  Seat PrivateSeat; // The thread's private seat meanwhile; other threads do not know it.
  Seat &Of;
  Parker *const P;            // Parker of the thread.
  bool Claimed = false;       // The seat's Claimant may be this one.
  bool ActiveLenders = false; // Counted in Executor::ActiveLenders: the thread works in parallel to its substitute.
  std::atomic<bool> Returned{false}; // Set by the thread that returns the seat, as its last access.
};

namespace {

// A wait without a seat is not woken for tasks that it may run: threads with seats find them. Only if all of these wait
// for something that this body holds, it must search itself.
constexpr Duration FirstPause = std::chrono::microseconds(500), LongestPause = std::chrono::milliseconds(16);

// Most waits are short. After a loan there is one thread too many until the substitute's task has ended. So a seat is
// lent only after this time, multiplied by the number of surplus threads plus one: threads without a core lengthen
// other waits. Costs of shorter times: docs/decisions/0018.
constexpr Duration SoonOver = std::chrono::milliseconds(1);
constexpr int MostCounted = 15;

// A wait searches other threads' queues at its begin, after this time, and then after twice the time each.
constexpr Duration FirstSearch = std::chrono::microseconds(20);

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

void Executor::serve(Seat &S, const FoundTask &First) {
  ThreadState &Me = threadState(); // This thread is a worker's from here on.
  struct AtEnd {
    ThreadState &Me;
    ~AtEnd() { giveQueueBack(Me); } // Other threads visit all queues with an owner.
  } End{Me};
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
    DeviceWorker(Me, *this, S).loop();
    Me.S = nullptr;
    return;
  }
  // Processes and threads started by a body inherit the same mask as in the serial program.
  pthread_sigmask(SIG_SETMASK, &ProgramsSignals, nullptr);
  if (First.T)
    run(Me, S, First);
  while (!Stopping.load()) {
    if (Me.S->OwnLoan) {
      ReadyTasks.requeueNext(Me);
      if (!endLoan(Me))
        return; // Another thread has it.
    }
    if (returnSeat(Me, S))
      return;
    if (W == 0)
      Called0.store(false);
    if (runOne(Me, S))
      continue;
    if (W == 0 && S.Loans.load() == 0)
      return leaveSeat0(Me); // For a thread of the program.
    rest(Me, S);
  }
  if (!Me.S->OwnLoan || endLoan(Me))
    Me.S = nullptr;
}

void Executor::rest(ThreadState &Me, Seat &S) {
  Parker &P = ownParker();
  if (joinLoops(Me, S) || ReadyTasks.pollWhileIdle(S.W->Id, P, Stopping))
    return;
  P.park(std::exchange(S.AskAgain, Parker::Forever));
  (void)joinLoops(Me, S);
}

void Executor::attendSeat0() {
  // A thread may be about to leave the seat after it found nothing: see leaveSeat0. One of the two sees the other.
  if (!ReadyTasks.Paths.Stealing)
    Called0.store(true);
  if (Seat0.load() == Free) [[unlikely]]
    requestSubstitute();
}

void Executor::requestSubstitute() {
  if (SubstituteRequested.exchange(true))
    return;
  if (!WorkerThreads->run([this] {
        SubstituteRequested.store(false);
        if (tryTakeSeat0(threadState()))
          serve(Seats[0], {});
      }))
    SubstituteRequested.store(false);
}

// --- the wait

bool Executor::runChild(ThreadState &Me, const TaskNode &Within) {
  TaskNode *T = ReadyTasks.takeChild(Me, Within);
  if (!T)
    return false;
  runFound(Me, *T);
  return true;
}

void Executor::runFound(ThreadState &Me, TaskNode &T) {
  Seat &S = *Me.S;
  if (!S.OwnLoan)
    ReadyTasks.leaveIdle(Me, S);
  runKept(Me, S, T);
}

// Waits until Done, or until the time before a loan is over. Meanwhile it runs descendants of Within that other threads
// stole: true if it did.
bool Executor::awaitSoon(ThreadState &Me, const std::function<bool()> &Done, int64_t At, const TaskNode &Within) {
  const TimePoint Begin = Time.now();
  Duration NextSearch{0};
  while (!Done()) {
    const Duration Lasted = Time.now() - Begin;
    if (Lasted >= NextSearch) {
      if (TaskNode *T = ReadyTasks.stealBack(Me, Within)) {
        runFound(Me, *T);
        return true;
      }
      NextSearch = std::max(FirstSearch, 2 * Lasted);
    }
    if (Lasted < SoonOver)
      std::this_thread::yield();
    else if (Lasted < SoonOver * (1 + std::min(ActiveLenders.load(std::memory_order_relaxed), MostCounted)))
      parkUntil(Done, At, FirstPause);
    else
      return false;
  }
  return false;
}

void Executor::workInside(ThreadState &Me, const std::function<bool()> &Done, int64_t At, const TaskNode &Within) {
  const WorkerId W = Me.S->W->Id;
  const bool OfDevice = Me.S->W->Dev != nullptr; // Its thread runs no other tasks.
  bool Alone = false;                            // No substitute thread is available.
  bool Patient = true;                           // Some event may end this wait soon.
  Duration Pause = FirstPause;
  if (Me.S->OwnLoan)
    setActiveLender(*Me.S->OwnLoan, false);
  while (!Done()) {
    FoundTask F;
    if (OfDevice) {
      parkUntil(Done, At);
    } else if (runChild(Me, Within)) {
      Pause = FirstPause;
      Patient = true;
    } else if (ReadyTasks.findInside(Me, W, Within, F)) {
      run(Me, *Me.S, F);
      Pause = FirstPause;
    } else if (!Alone && (!Me.S->OwnLoan || takeBack(Me))) {
      Seat &S = *Me.S;
      sit(S);
      if (W == 0)
        Called0.store(false);
      if (std::exchange(Patient, false)) {
        Patient = awaitSoon(Me, Done, At, Within);
      } else if (!find(Me, S, F, true)) {
        parkUntil(Done, At, std::exchange(S.AskAgain, Parker::Forever));
        Patient = true;
      } else if (Hub::isInside(*F.T, Within)) {
        run(Me, S, F);
        Patient = true;
      } else if (!lend(Me, F)) {
        Alone = true;
        putBack(Me, S, F);
      }
    } else if (ReadyTasks.stealInside(Me, Within, F)) {
      run(Me, *Me.S, F);
      Pause = FirstPause;
    } else {
      parkUntil(Done, At, Pause);
      Pause = std::min(2 * Pause, LongestPause);
    }
  }
  ReadyTasks.requeueNext(Me);
  if (Me.S->OwnLoan) {
    claim(*Me.S->OwnLoan);
    setActiveLender(*Me.S->OwnLoan, true);
  } else if (!OfDevice) {
    ReadyTasks.cancelIdle(*Me.S);
  }
}

void Executor::setActiveLender(Loan &L, bool Does) {
  if (std::exchange(L.ActiveLenders, Does) != Does)
    ActiveLenders.fetch_add(Does ? 1 : -1, std::memory_order_relaxed);
}

void Executor::putBack(ThreadState &Me, Seat &S, const FoundTask &F) {
  if (F.V)
    return giveBack(Me, *F.T, *F.V, S.W->Id, F.FromPolicy);
  ReadyTasks.putBack(Me, *F.T);
}

// --- the seat

bool Executor::lend(ThreadState &Me, const FoundTask &First) {
  Seat &S = *Me.S;
  auto *L = new (std::nothrow) Loan(S, ownParker());
  if (!L)
    return false;
  // A call outside any task has a node here, because the waiting task is inside it.
  if (S.W->Id == 0)
    Seat0.store(Taken);
  S.Loans.fetch_add(1);
  Me.S = &L->PrivateSeat;
  try {
    if (WorkerThreads->run([this, &S, First] { serve(S, First); }))
      return true;
  } catch (const std::bad_alloc &) { // Allocation of the function object.
  }
  Me.S = &S;
  S.Loans.fetch_sub(1);
  delete L;
  return false;
}

bool Executor::returnSeat(ThreadState &Me, Seat &S) {
  if (!S.Claimant.load(std::memory_order_relaxed))
    return false;
  Loan *L = S.Claimant.exchange(nullptr);
  if (!L)
    return false;
  ReadyTasks.requeueNext(Me);
  ReadyTasks.cancelIdle(S);
  S.P.store(L->P);
  Me.S = nullptr;
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

bool Executor::takeBack(ThreadState &Me) {
  Loan &L = *Me.S->OwnLoan;
  Seat &S = L.Of;
  uintptr_t Seen = Free;
  if (withdraw(L) && (S.W->Id != 0 || !Seat0.compare_exchange_strong(Seen, Taken)))
    return false;
  Me.S = &S;
  S.Loans.fetch_sub(1);
  setActiveLender(L, false);
  delete &L;
  return true;
}

bool Executor::endLoan(ThreadState &Me) {
  Loan *L = Me.S->OwnLoan;
  if (!L)
    return true;
  Seat &S = L->Of;
  const bool Back = !withdraw(*L);
  Me.S = Back ? &S : nullptr;
  S.Loans.fetch_sub(1);
  setActiveLender(*L, false);
  delete L;
  if (!Back && S.W->Id == 0)
    S.P.load()->unpark(); // The thread that has it may leave.
  return Back;
}

} // namespace hsched::rt

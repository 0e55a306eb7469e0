// Waits: for children, for data, for space in the window. A waiting thread runs tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Fork.h"
#include "base/Log.h"
#include "exec/Executor.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <utility>

namespace hsched::rt {
namespace {

// Parkers of threads that are no workers. A late unpark may reach one after its thread has ended, so they are reused
// and never freed.
struct Pool {
  std::mutex Lock;
  std::vector<Parker *> Free, All; // All keeps them reachable.

  Parker &take() {
    std::lock_guard Guard(Lock);
    if (Free.empty()) {
      Free.reserve(All.size() + 1); // So that each can be returned without allocation.
      return *All.emplace_back(new Parker);
    }
    Parker &P = *Free.back();
    Free.pop_back();
    return P;
  }
  void give(Parker &P) {
    std::lock_guard Guard(Lock);
    Free.push_back(&P);
  }
};
Pool &pool() {
  static auto *Made = new Pool;
  return *Made;
}

constinit thread_local Parker *Own = nullptr;
// Returns the thread's parker. A later wait, in a destructor, takes one permanently.
struct Giver {
  ~Giver() {
    if (Own && !inForkedChild())
      pool().give(*std::exchange(Own, nullptr));
  }
};

} // namespace

Parker &ownParker() {
  if (!Own) {
    static thread_local Giver G;
    (void)G;
    Own = &pool().take();
  }
  return *Own;
}

bool Executor::tryTakeSeat0(ThreadState &Me) {
  uintptr_t Seen = Seat0.load(std::memory_order_relaxed);
  if (Seen != Free || !Seat0.compare_exchange_strong(Seen, Taken))
    return false;
  Me.S = &Seats.front();
  return true;
}

void Executor::leaveSeat0(ThreadState &Me) {
  if (!endLoan(Me))
    return;
  Me.S = nullptr;
  ReadyTasks.cancelIdle(Seats[0]);
  Seat0.store(Free);
  Sleeping.notify(); // Another waiting thread may take it.
  if (Called0.load())
    wake(0);
  else if (ReadyTasks.OneCpu && ReadyTasks.Paths.Stealing && ReadyTasks.anyWork())
    attendSeat0();
}

void Executor::wake(WorkerId W) {
  if (W == 0)
    Called0.store(true);
  Seats[W].P.load()->unpark();
  if (W != 0 || Seat0.load() != Free)
    return;
  // The seat is free: wakes threads that wait for a seat, and another CPU worker.
  Sleeping.notify();
  auto NumCpus = static_cast<uint32_t>(
      std::ranges::find_if(Machine.Workers, [](const Worker &Other) { return Other.Dev != nullptr; }) -
      Machine.Workers.begin());
  if (NumCpus > 1)
    Seats[1 + NextCpu.fetch_add(1, std::memory_order_relaxed) % (NumCpus - 1)].P.load()->unpark();
  else
    requestSubstitute();
}

// A change that makes Done true must be followed by Waiters::notify, or by an unpark of the caller's seat.
void Executor::workUntil(ThreadState &Me, const std::function<bool()> &Done, const TaskNode *Within, int64_t At) {
  if (Within)
    return workInside(Me, Done, At, *Within);
  bool HadNoSeat = Me.S == nullptr;
  // With WakeAt, Done is not evaluated while the thread has local work: it would read every worker's counter for each
  // task.
  auto runNext = [&] {
    if (HadNoSeat && Me.S && Me.S->OwnLoan)
      (void)endLoan(Me);
    return Me.S && !Me.S->OwnLoan && runOne(Me, *Me.S);
  };
  // A search beyond this thread's own queue takes longer than Done.
  auto runAll = [&] {
    while ((ReadyTasks.hasOwnWork(Me) || !Done()) && runNext()) {
    }
  };
  if (Me.S && At == 0)
    sit(*Me.S);
  if (At == 0)
    runAll();
  for (unsigned Runs = 0; (At > 0 && Runs % 16) || !Done();) {
    ++Runs;
    if (!Me.S)
      tryTakeSeat0(Me);
    if (Me.S) {
      sit(*Me.S);
      if (Me.S->W->Id == 0 && Called0.load(std::memory_order_relaxed))
        Called0.store(false); // It looks now.
    }
    if (runNext()) {
      if (At == 0)
        runAll();
      continue;
    }
    if (Me.S && Me.S->OwnLoan) // Bodies on this thread's stack rely on its present seat.
      return workInside(Me, Done, At, *Root);
    Runs = 0;
    ReadyTasks.requeueNext(Me); // It may be the awaited task.
    parkUntil([&] { return Done() || (!Me.S && Seat0.load() == Free); }, At,
              Me.S ? std::exchange(Me.S->AskAgain, Parker::Forever) : Parker::Forever);
  }
  ReadyTasks.requeueNext(Me);
  if (HadNoSeat && Me.S)
    leaveSeat0(Me);
  else if (Me.S)
    ReadyTasks.cancelIdle(*Me.S);
}

void Executor::makeRoom(ThreadState &Me) {
  OwnQueue &Own = ownQueue(Me);
  if (Own.Submitted.load(std::memory_order_relaxed) < Own.Granted.load(std::memory_order_relaxed))
    return;
  if (Table->grant(Own, Options.Window))
    return;
  // All outstanding tasks may depend on this thread's present work, or be for the device of this thread.
  if (Me.Completing || (Me.S && Me.S->W->Dev))
    return;
  if (Me.inTask())
    return awaitRoom(Me, context(Me));
  WaitReport Waiting(*this, Me, Awaits::Room);
  workUntil(Me, [this] { return Table->outstanding() <= LowWater; }, nullptr, LowWater);
}

// Inside a task, all outstanding tasks may depend on the task, except its own children, which depend on earlier
// submissions only. It runs the children that it finds. If there are many, it waits until there is space in the window,
// or no child is left.
void Executor::awaitRoom(ThreadState &Me, TaskNode &Parent) {
  for (unsigned Runs = 0; Me.Depth < MaxDepth && (Runs % 16 || Table->outstanding() > LowWater); ++Runs)
    if (!runChild(Me, Parent))
      break;
  ReadyTasks.requeueNext(Me);
  if (Parent.Live.load() - 1 <= LowWater)
    return;
  WaitReport Waiting(*this, Me, Awaits::Room);
  beginWait(Parent);
  workUntil(Me, [&] { return Table->outstanding() <= LowWater || Parent.Live.load() == 1; }, &Parent, LowWater);
  // See test/model/family.pml: after decrementing Live, the last child still has to clear the bit.
  for (uint32_t Seen = Parent.Live.load(); Seen != 1;)
    if (Seen == (TaskNode::BodyWaits | 1)) {
      Parker::pause();
      Seen = Parent.Live.load();
    } else if (Parent.Live.compare_exchange_weak(Seen, Seen & ~TaskNode::BodyWaits)) {
      break;
    }
}

std::exception_ptr Executor::flushFor(std::span<const Access> Ranges, bool All) {
  if (!Data.anyReplica())
    return nullptr;
  WorkerId Blame = NoWorker;
  status Home = Data.flush(Ranges, All, true, &Blame);
  if (Home.ok())
    return nullptr;
  return std::make_exception_ptr(task_error("taskwait", Blame == NoWorker ? "" : Machine.Workers[Blame].Name,
                                            "data could not be brought home: " + Home.message()));
}

void Executor::beginWait(TaskNode &Parent) {
  Parent.extras().Waiter = &ownParker();
  if (Parent.Live.fetch_or(TaskNode::BodyWaits) == 1)
    Parent.Live.store(1); // No child is left to do so.
}

void Executor::awaitChildren(ThreadState &Me, TaskNode &Parent) {
  WaitReport Waiting(*this, Me, Awaits::Children);
  endGroups(Me, Parent, Me.S->W->Id);
  beginWait(Parent);
  workUntil(Me, [&Parent] { return Parent.Live.load() == 1; }, &Parent);
}

// For children that have all been awaited. Outside any task: throwRootFailure.
static void forgetFailures(TaskNode &Parent, DependenceDomain &Domain) {
  Parent.clear(Signal::ChildFailed);
  Domain.sweep(true);
}

// A task's failure is thrown instead.
static void logHomeless(const std::exception_ptr &Homeless) {
  if (Homeless)
    try {
      std::rethrow_exception(Homeless);
    } catch (const std::exception &E) {
      log(LogLevel::Error, "%s", E.what());
    }
}

namespace {

// Reports a wait at its end, also one without unfinished tasks: in a replay there might be some.
class WaitNote {
public:
  WaitNote(Observer *Watch, const Clock &Time, TaskId Within, bool Flush, std::span<const Access> Sections)
      : Watch(Watch), Time(Time), What{Within, {}, Flush, Sections} {
    if (Watch) [[unlikely]]
      What.Waited.Begin = Time.now();
  }
  ~WaitNote() {
    if (Watch) [[unlikely]] {
      What.Waited.End = Time.now();
      Watch->waited(What);
    }
  }
  WaitNote(const WaitNote &) = delete;
  WaitNote &operator=(const WaitNote &) = delete;

private:
  Observer *const Watch;
  const Clock &Time;
  WaitRecord What;
};

} // namespace

void Executor::taskwait(ThreadState &Me, bool Flush) {
  const WaitNote Note(EachTask ? Watch : nullptr, Time, EachTask ? context(Me).Id : 0, Flush, {});
  if (childrenAreDone(Me))
    return Log ? logWait(Me) : void();
  TaskNode &Self = context(Me);
  if (&Self == Root) {
    WaitReport Waiting(*this, Me, Awaits::Everything);
    endGroups(Me, Self, Me.S ? Me.S->W->Id : NoWorker);
    ReadyTasks.passOnBundles(Me);
    if (Flush && (NumNodes.load() > 1 || Coming.expecting())) // What they write on a device can go home at once.
      RootDomain.markLastWriters();
    workUntil(Me, [this] { return allDone(); }, nullptr, 0);
  } else {
    awaitChildren(Me, Self);
    if (DependenceDomain *Domain = Self.children())
      forgetFailures(Self, *Domain);
  }
  if (Log)
    logWait(Me);
  std::exception_ptr Homeless = Flush ? flushFor({}, true) : nullptr;
  try {
    &Self == Root ? throwRootFailure(Me, true) : throwFailure(Me, Self);
  } catch (...) {
    logHomeless(Homeless);
    throw;
  }
  if (Homeless)
    std::rethrow_exception(Homeless);
}

bool Executor::awaitUsers(ThreadState &Me, std::span<const Access> Sections, TaskNode &Self, DependenceDomain &Domain) {
  TaskNode &Wait = *createTask(nullptr, static_cast<unsigned>(Sections.size()));
  const struct Own { // Also if the wait ends by an exception.
    TaskNode &T;
    ~Own() { release(T); }
  } Reference{Wait};
  std::ranges::copy(Sections, Wait.AccessList);
  Wait.Kind = NodeKind::Wait;
  retain(Wait); // Released by the thread that finds it ready.
  TaskNode *Closed = nullptr;
  bool Ready = Domain.await(Wait, &Closed);
  if (Closed)
    closed(Me, Closed, Me.S ? Me.S->W->Id : NoWorker);
  if (Ready)
    release(Wait);
  else {
    WaitReport Waiting(*this, Me, Awaits::Data, Sections);
    workUntil(Me, [&Wait] { return Wait.Live.load() == 0; }, inside(Self));
  }
  return !Wait.has(Signal::Poisoned);
}

void Executor::awaitUsers(ThreadState &Me, const Access &Section) {
  if (childrenAreDone(Me))
    return;
  TaskNode &Self = context(Me);
  if (DependenceDomain *Domain = &Self == Root ? &RootDomain : Self.children())
    (void)awaitUsers(Me, {&Section, 1}, Self, *Domain);
}

void Executor::taskwaitOn(ThreadState &Me, std::span<const Access> Sections, bool Flush) {
  const WaitNote Note(EachTask ? Watch : nullptr, Time, EachTask ? context(Me).Id : 0, Flush, Sections);
  if (childrenAreDone(Me))
    return;
  TaskNode &Self = context(Me);
  DependenceDomain *Domain = &Self == Root ? &RootDomain : Self.children();
  const bool Failed = Domain && !awaitUsers(Me, Sections, Self, *Domain);
  std::exception_ptr Homeless = Flush ? flushFor(Sections, false) : nullptr;
  if (Failed) {
    logHomeless(Homeless);
    if (&Self != Root)
      Domain->sweep(true);
    throwFailure(Me, Self);
    // Already thrown, by a wait that left some successors of the failed task unfinished.
    throw task_error("taskwait", "",
                     "what is waited for was not computed: a task that it depends on failed, as an earlier wait said");
  }
  if (Homeless)
    std::rethrow_exception(Homeless);
}

} // namespace hsched::rt

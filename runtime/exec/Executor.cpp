// Start, submission, shutdown.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"
#include "base/Log.h"
#include "base/Signals.h"
#include "exec/DeviceWorker.h"

#include <algorithm>

namespace hsched::rt {

ThreadState &threadState() {
  static constinit thread_local ThreadState State;
  return State;
}

Executor::Executor(const Platform &Machine, Policy &Scheduler, Directory &Data, History &Times, const Clock &Time,
                   Observer *Watch, ExecutorOptions Options)
    : Machine(Machine), Scheduler(Scheduler), Data(Data), Times(Times), Time(Time), Watch(Watch),
      Options(std::move(Options)), LowWater(this->Options.Window - std::max(1u, this->Options.Window / 4)),
      Seats(Machine.Workers.size()), Root(createTask(nullptr, 0)), Detours(Machine.Workers.size()) {
  for (const Worker &W : Machine.Workers)
    Seats[W.Id].W = &W;
}

Executor::~Executor() { release(*Root); }

void Executor::announceRows() {
  if (!Watch)
    return;
  for (const Worker &W : Machine.Workers) {
    if (!W.Dev) {
      Watch->rowAdded({cpuRow(W.Id), RowKind::CpuWorker, W.Id, W.Name});
      continue;
    }
    if (W.Node != HostNode) {
      Watch->rowAdded({uploadRow(W.Id), RowKind::DeviceUpload, W.Id, W.Name + " upload"});
      Watch->rowAdded({downloadRow(W.Id), RowKind::DeviceDownload, W.Id, W.Name + " download"});
    }
    for (unsigned Queue = 0; Queue < std::max(1u, W.Dev->computeQueues()); ++Queue)
      Watch->rowAdded(
          {computeRow(W.Id, Queue), RowKind::DeviceCompute, W.Id, W.Name + " queue " + std::to_string(Queue)});
  }
}

void Executor::start() {
  announceRows();
  Scheduler.start(*this);
  SignalsBlocked Blocked;
  for (Seat &S : Seats) {
    if (S.W->Id == 0)
      continue;
    S.Thread = std::thread([this, &S] {
      threadState().S = &S;
      WorkerId W = S.W->Id;
      if (Options.Pin && W < Options.CoreOf.size() && Options.CoreOf[W] >= 0)
        if (status Pinned = Options.Pin(static_cast<unsigned>(Options.CoreOf[W])); !Pinned.ok())
          log(LogLevel::Debug, "%s is not pinned: %s", S.W->Name.c_str(), Pinned.message().c_str());
      if (S.W->Dev)
        DeviceWorker(*this, S).loop();
      else
        cpuLoop(S);
    });
  }
}

// "in, reduction": the modes of T's accesses, each once.
static std::string modesOf(const TaskNode &T) {
  static const char *const Names[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
  std::string Text;
  for (unsigned Mode = HSCHED_IN; Mode <= HSCHED_REDUCTION; ++Mode)
    if (std::ranges::any_of(T.accesses(), [&](const Access &A) { return A.mode == Mode; }))
      Text += (Text.empty() ? "" : ", ") + std::string(Names[Mode]);
  return Text;
}

TaskNode &Executor::begin(TaskType &Type, unsigned NumAccesses) {
  makeRoom();
  return *createTask(&Type, NumAccesses);
}

void Executor::abandon(TaskNode &T) { release(T); }

void Executor::submit(TaskNode &T, const hsched_submit_options &How) {
  ThreadState &Me = threadState();
  T.ArgsLive = true;
  T.Priority = How.priority;
  setLabel(T, How.label);
  T.DataBytes = dataBytes(T.accesses());
  if (How.flags & HSCHED_SUBMIT_COST)
    T.Cost = How.cost;
  T.Id = NextTask.fetch_add(1, std::memory_order_relaxed);

  TaskNode &Parent = context();
  T.Final = Parent.Final || (How.flags & HSCHED_SUBMIT_FINAL);
  if (T.Final || (How.flags & HSCHED_SUBMIT_UNDEFERRED)) {
    T.Awaited = T.InPlace = true;
    retain(T); // given up when it has run
  }
  if (Parent.HeldData)
    letGoOfData(Parent);
  retain(Parent);
  T.Parent = &Parent;
  if (std::ranges::any_of(T.accesses(), [](const Access &A) { return A.mode > HSCHED_INOUT; }))
    prepareGroups(T, How);
  Parent.Live.fetch_add(1, std::memory_order_relaxed);
  Outstanding.fetch_add(1, std::memory_order_relaxed);
  if (Watch)
    Watch->submitted({T.Id, Parent.Id, T.Type->name(), T.Label, T.DataBytes, Time.now(), T.Cost, modesOf(T).c_str()});

  WorkerId From = Me.S ? Me.S->W->Id : NoWorker;
  TaskNode *Closed = nullptr;
  bool Ready = domainOf(Parent).submit(T, Watch ? this : nullptr, &Closed);
  if (Closed)
    completeAll(Closed, From);
  bool Cancelled = Ready && T.Poisoned.load(std::memory_order_relaxed);
  if (Ready && !Cancelled && T.Groups)
    Ready = takeTurn(T);
  if (T.Awaited)
    return runInPlace(T, Ready);
  if (!Ready)
    return;

  if (Cancelled) {
    neverRan(T, Outcome::Cancelled);
    bodyEnded(T, From);
    return;
  }
  // Deep in waiting tasks, what is ready runs on the spot: otherwise the stack would grow with every level of a
  // program that recurses, under a policy that runs the oldest task first.
  if (Me.Depth >= MaxDepth && Me.S)
    if (const Version *V = cpuVersion(T, *Me.S->W)) {
      (void)runOnCpu(*Me.S, T, *V, false);
      return;
    }
  if (!dispatch(T, From, false))
    bodyEnded(T, From);
}

void Executor::shutdown() {
  endGroups(*Root, NoWorker);
  workUntil([this] { return Root->Live.load() == 1; });
  Stopping.store(true);
  for (Seat &S : Seats)
    S.P.unpark();
  for (Seat &S : Seats)
    if (S.Thread.joinable())
      S.Thread.join();
  if (status Home = Data.shutdown(); !Home.ok())
    log(LogLevel::Error, "data could not be brought home at the end: %s", Home.message().c_str());
  RootDomain.sweep(true);
  try {
    throwFailure(*Root);
  } catch (const std::exception &E) {
    log(LogLevel::Error, "nothing waited for a task that failed: %s", E.what());
  } catch (...) {
    log(LogLevel::Error, "nothing waited for a task that failed with an exception of an unknown type");
  }
}

} // namespace hsched::rt

// Execution of tasks with concurrent, commutative and reduced sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"
#include "exec/Runs.h"
#include "graph/Exclusion.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <cstring>

namespace hsched::rt {

DependenceDomain &Executor::domainOf(TaskNode &Parent) {
  if (&Parent == Root)
    return RootDomain;
  auto &Children = Parent.extras().Children;
  if (!Children)
    Children = std::make_unique<DependenceDomain>();
  return *Children;
}

// Call before T's submission: adapts the modes of its accesses.
void Executor::prepareGroups(TaskNode &T, const hsched_submit_options &How) {
  bool OnDevice = false;
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
    OnDevice |= Coming.expecting() && T.Type->Versions[I].Desc->device != HSCHED_DEVICE_CPU;
    for (const Worker &W : Machine.Workers)
      OnDevice |= W.Dev && Platform::suits(W, T.Type->Versions[I]);
  }
  for (Access &A : std::span(T.AccessList, T.NumAccesses)) {
    if (A.mode <= HSCHED_INOUT)
      continue;
    // In a final task the next call may be a plain call, which no group orders.
    if (T.Parent->Final || A.mode > HSCHED_REDUCTION)
      A.mode = HSCHED_INOUT;
    // Changes by a task on a device are only in that device's memory.
    else if (A.mode == HSCHED_CONCURRENT && OnDevice)
      A.mode = HSCHED_COMMUTATIVE;
  }
  for (const hsched_reduction &R : std::span(How.reductions, How.n_reductions))
    for (unsigned I = 0; I < T.NumAccesses; ++I) {
      const Access &A = T.AccessList[I];
      if (A.mode == HSCHED_REDUCTION && A.param == R.param && R.op->element_bytes &&
          A.bytes % R.op->element_bytes == 0 && beginOf(A) != endOf(A))
        addReduction(T, I, R.slot, *R.op);
    }
}

bool Executor::takeTurn(TaskNode &T) {
  if (!T.Groups || T.Groups->Ranges.empty())
    return true;
  // If it must wait, it may have run before take returns.
  if (HangMonitor)
    HangMonitor->enteredCommutative(T, false);
  bool Got = domainOf(*T.Parent).exclusion().take(T);
  if (Got && HangMonitor)
    HangMonitor->enteredCommutative(T, true);
  return Got;
}

TaskNode *Executor::passTurn(TaskNode &T) {
  return !T.Groups || T.Groups->Ranges.empty() ? nullptr : domainOf(*T.Parent).exclusion().give(T);
}

// Points T's reduced sections, and the pointers in its arguments, to private copies. Throws what the program's
// initialisers throw.
void Executor::usePrivateCopies(TaskNode &T, MemoryNode Node) {
  for (ReductionPart &P : T.Groups->Parts) {
    if (P.Copy)
      continue;
    Access &A = T.AccessList[P.Access];
    ReductionGroup &G = *P.Combination->Groups->Combines;
    P.Copy = &G.take(Node, [&] {
      if (!(P.Op->flags & HSCHED_REDUCTION_ORIGINAL))
        return std::make_unique<PrivateCopy>(*P.Op, A);
      // The original does not change until the combination. An init function needs it on the host.
      Access Read = A;
      Read.mode = HSCHED_IN;
      Task Reader;
      Reader.Id = T.Id;
      Reader.AccessList = &Read;
      Reader.NumAccesses = 1;
      Acquisition Acquired;
      bool Known = Data.anyReplica();
      if (Known)
        fetchTo(Reader, Acquired);
      auto Copy = std::make_unique<PrivateCopy>(*P.Op, A);
      if (Known)
        Data.release(Reader, Acquired, false);
      return Copy;
    });
    Access Private = P.Copy->section();
    uintptr_t Pointer;
    std::memcpy(&Pointer, P.Slot, sizeof(Pointer));
    Pointer += beginOf(Private) - beginOf(A);
    std::memcpy(P.Slot, &Pointer, sizeof(Pointer));
    A.base = Private.base;
  }
}

// Brings T's inputs to the host; throws if that fails.
void Executor::fetchTo(Task &T, Acquisition &Acquired) {
  status Result = Data.acquire(T, HostNode, Acquired);
  if (Result.ok()) {
    for (const EventRef &E : Acquired.Wait)
      if (E && Result.ok())
        Result = E->wait();
    if (!Result.ok())
      Data.release(T, Acquired, true);
  }
  if (!Result.ok())
    throw task_error("reduction", "", "data could not be brought home: " + Result.message());
}

// All members of the group are complete. An error becomes C's failure.
void Executor::combine(ThreadState &Me, TaskNode &C, WorkerId From) {
  ReductionGroup &G = *C.Groups->Combines;
  TimePoint Begin = Time.now();
  const TaskLog::Stamp LoggedBegin = Log ? Log->now() : 0;
  bool Cancelled = C.has(Signal::Poisoned);
  try {
    std::vector<Access> Copies;
    for (const auto &Copy : G.All)
      Copies.push_back(Copy->section());
    if (Data.anyReplica() && !Copies.empty())
      if (status Home = Data.flush(Copies, false, true); !Home.ok() && !Cancelled)
        throw task_error(C.Label, "", "private copies could not be brought home: " + Home.message());
    if (!Cancelled && !G.All.empty()) {
      Acquisition Acquired;
      bool Known = Data.anyReplica();
      if (Known)
        fetchTo(C, Acquired);
      try {
        for (const auto &Copy : G.All)
          Copy->combineInto(C.AccessList[0]);
      } catch (...) {
        if (Known)
          Data.release(C, Acquired, true);
        throw;
      }
      if (Known)
        Data.release(C, Acquired, false);
    }
  } catch (...) {
    recordFailure(C, std::current_exception(), C);
  }
  if (Watch) {
    WorkerId W = From == NoWorker || Machine.Workers[From].Dev ? 0 : From;
    Outcome How = Cancelled ? Outcome::Cancelled : C.has(Signal::HasFailure) ? Outcome::Failed : Outcome::Done;
    if (Log)
      return withLog(Me, [&](TaskLog::Part &P) {
        Log->called(
            P, {NextTask.fetch_add(1, std::memory_order_relaxed), C.Parent->Id, TaskLog::Combination, C.Label, NoCost},
            C.accesses(), {Cancelled ? nullptr : "combine", LoggedBegin, Log->now(), W, How});
      });
    Watch->ran({C.Id,
                "reduction",
                How == Outcome::Cancelled ? nullptr : "combine",
                C.Label,
                cpuRow(W),
                W,
                dataBytes(C.accesses()),
                {Begin, Time.now()},
                How});
  }
}

TaskId Executor::combination(const TaskNode &C) {
  TaskId Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  if (Watch && !Log)
    Watch->submitted({Id, C.Parent->Id, "reduction", C.Label, dataBytes(C.accesses()), Time.now(), NoCost, "inout"});
  if (HangMonitor)
    HangMonitor->combination(C, Id);
  return Id;
}

} // namespace hsched::rt

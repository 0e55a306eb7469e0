// CPU workers: a task's CPU version is a plain call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"

namespace hsched::rt {

void Executor::cpuLoop(Seat &S) {
  while (!Stopping.load())
    if (!runOne(S))
      S.P.park();
}

bool Executor::runOne(Seat &S) {
  Detour D;
  if (takeDetour(S.W->Id, D)) {
    runOnCpu(S, *D.T, *D.V, false);
    return true;
  }
  Assignment A;
  if (!Scheduler.pop(S.W->Id, A))
    return false;
  runOnCpu(S, static_cast<TaskNode &>(*A.T), *A.V, true);
  return true;
}

// Brings what T reads home and waits for it.
status Executor::fetchHome(TaskNode &T, Acquisition &Held) {
  if (status S = Data.acquire(T, HostNode, Held); !S.ok())
    return S;
  for (const EventRef &E : Held.Wait)
    if (E)
      if (status S = E->wait(); !S.ok()) {
        Data.release(T, Held, true);
        return S;
      }
  T.HeldData = &Held;
  return {};
}

void Executor::letGoOfData(TaskNode &T) {
  // Its children come after what the body has written so far. From here on their writes count, wherever they are made:
  // a release at the body's end would declare the host's copy the newest.
  auto *Held = static_cast<Acquisition *>(std::exchange(T.HeldData, nullptr));
  Data.release(T, *Held, false);
}

bool Executor::runOnCpu(Seat &S, TaskNode &T, const Version &V, bool FromPolicy) {
  WorkerId W = S.W->Id;
  if (!Platform::usable(*S.W, V)) {
    giveBack(T, V, W, FromPolicy);
    return false;
  }
  if (!V.Desc->run) {
    disable(V, W, status::error(errc::unsupported, "the version has no body"));
    giveBack(T, V, W, FromPolicy);
    return false;
  }
  std::exception_ptr Thrown;
  if (T.Groups)
    try {
      usePrivateCopies(T, HostNode);
    } catch (...) {
      Thrown = std::current_exception();
    }
  Acquisition Held;
  if (!Thrown && Data.anyReplica())
    if (status Fetched = fetchHome(T, Held); !Fetched.ok()) {
      exclude(T, V, W, FromPolicy, Fetched);
      return false;
    }

  ThreadState &Me = threadState();
  TaskNode *Outer = std::exchange(Me.Current, &T);
  ++Me.Depth;
  TimePoint Begin = Time.now();
  try {
    if (!Thrown)
      V.Desc->run(T.Args);
  } catch (...) {
    Thrown = std::current_exception();
  }
  TimePoint End = Time.now();
  --Me.Depth;
  Me.Current = Outer;

  if (T.HeldData) {
    T.HeldData = nullptr;
    Data.release(T, Held, Thrown != nullptr);
  }
  if (Watch)
    Watch->ran({T.Id,
                T.Type->name(),
                V.Desc->name,
                T.Label,
                cpuRow(W),
                W,
                T.DataBytes,
                {Begin, End},
                Thrown ? Outcome::Failed : Outcome::Done,
                T.Cost});
  if (!Thrown)
    Times.record(*T.Type, T.sizeClass(), V.Index, End - Begin);
  else
    recordFailure(T, std::move(Thrown), T);
  if (FromPolicy)
    Scheduler.completed(T, V, W, T.HasFailure.load(std::memory_order_relaxed) ? Duration(-1) : End - Begin);
  bodyEnded(T, W);
  return true;
}

} // namespace hsched::rt

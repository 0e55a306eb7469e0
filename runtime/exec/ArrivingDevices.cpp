// Devices that are opened while tasks run, and kernels that are built meanwhile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/ArrivingDevices.h"

#include "base/Log.h"
#include "base/NoMemory.h"
#include "exec/Executor.h"

#include <algorithm>

namespace hsched::rt {

void ArrivingDevices::admit(ThreadState &Me, Platform &P, std::vector<Worker> New) {
  const size_t Room = E.Seats.size() - P.Workers.size();
  const size_t Threads = E.WorkerThreads->prepare(static_cast<unsigned>(std::min(New.size(), Room)));
  if (Threads < New.size()) {
    log(LogLevel::Warning, "%zu of %zu devices are left out: %s", New.size() - Threads, New.size(),
        Room < New.size() ? "there are too many" : "no threads can be made for them");
    New.resize(Threads);
  }
  const size_t First = P.Workers.size();
  {
    std::lock_guard Guard(ArrivalLock);
    for (Worker &W : New) {
      const Worker &Here = P.Workers.append(std::move(W));
      E.Seats[Here.Id].W = &Here;
      if (Here.Node != HostNode) {
        E.NodeWorkers[Here.Node] = Here.Id;
        E.NumNodes.store(std::max<size_t>(E.NumNodes.load(), Here.Node + size_t(1)), std::memory_order_release);
      }
      for (const SubmittedType &A : Types) {
        const std::shared_ptr<void> Code = A.Code.lock(), TypeOwner = A.TypeOwner.lock();
        if (!A.RunTime || TypeOwner)
          addBuilds(*A.Type, 0, Here, Code, TypeOwner);
      }
    }
    E.announceRows(P.Workers.appended().subspan(First));
    E.Scheduler.moreUsable();
    P.Workers.publish();
  }
  for (size_t I = First; I < P.Workers.size(); ++I)
    if (Seat &S = E.Seats[I]; !E.WorkerThreads->run([&E = E, &S] { E.serve(S, {}); }))
      log(LogLevel::Error, "%s has no thread", S.W->Name.c_str()); // A thread was available a moment ago.
  callBuilder(Me);
  release(Me);
}

void ArrivingDevices::endArrivals(ThreadState &Me) {
  Expecting.store(false);
  release(Me);
}

// --- tasks that nothing can run yet

bool ArrivingDevices::mayBecomeUsable(const TaskNode &T) const {
  const bool MoreWorkers = Expecting.load();
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
    const Version &V = T.Type->Versions[I];
    if (V.Removed.load() || V.Desc->device == HSCHED_DEVICE_CPU)
      continue;
    if (MoreWorkers)
      return true;
    for (const Worker &W : E.Machine.Workers)
      if (Platform::suits(W, V) && V.unbuiltOn(W.slot()) && !V.disabledOn(W.slot()) && mayRunOn(T, W.Id))
        return true;
  }
  return false;
}

// Events that make a task runnable, or show that it never will be, happen before release takes the lock. Either this
// call sees the event, or release sees the task.
ArrivingDevices::Standing ArrivingDevices::hold(TaskNode &T) {
  {
    std::lock_guard Guard(DeferredLock);
    // In this order, so that an event that makes the task runnable is seen.
    const bool MayBecomeUsable = mayBecomeUsable(T);
    for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
      for (const Worker &W : E.Machine.Workers)
        if (Platform::usable(W, T.Type->Versions[I], T) && !T.excludes(I, W.Id))
          return Standing::Usable;
    if (!MayBecomeUsable)
      return Standing::Never;
    Deferred.push_back(&T);
    NumDeferred.store(Deferred.size());
  }
  if (Expecting.load())
    E.Options.RequestDevices(false);
  return Standing::Deferred;
}

void ArrivingDevices::release(ThreadState &Me) {
  std::vector<TaskNode *> Now;
  {
    std::lock_guard Guard(DeferredLock);
    Now.swap(Deferred);
    NumDeferred.store(0);
  }
  for (TaskNode *T : Now) {
    bool Placed;
    if (T->excludes()) {
      std::string Device, Cause;
      try {
        Cause = E.whyUnusable(*T, Device);
      } catch (const std::bad_alloc &) {
      }
      Placed = E.detour(Me, *T, Device, Cause);
    } else {
      Placed = E.dispatch(Me, *T, NoWorker, false);
    }
    if (!Placed)
      E.bodyEnded(Me, *T, NoWorker);
  }
}

void ArrivingDevices::await() const {
  if (expecting())
    E.Options.RequestDevices(true);
}

ArrivingDevices::ArrivingDevices(Executor &E, bool Expected)
    : E(E), Expecting(Expected), KnownModels(E.Machine.Models.size()) {}

void ArrivingDevices::count(const TaskNode &T, Duration Took) {
  CountedRuns.fetch_add(1, std::memory_order_relaxed);
  bool Capable = false;
  double Least = 0; // The shortest time on a device; 0: unknown.
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
    if (T.Type->Versions[I].Desc->device == HSCHED_DEVICE_CPU)
      continue;
    Capable = true;
    for (size_t M = CpuModel + 1; M < KnownModels; ++M)
      if (const RunStats On = E.Times.lookup(*T.Type, T.sizeClass(), I, static_cast<ModelId>(M)); On.Runs)
        Least = Least > 0 ? std::min(Least, On.medianNs()) : std::max(On.medianNs(), 1.0);
  }
  if (!Capable)
    return;
  CapableNs.fetch_add(Took.count(), std::memory_order_relaxed);
  if (Least > 0) {
    KnownNs.fetch_add(Took.count(), std::memory_order_relaxed);
    OnDeviceNs.fetch_add(static_cast<int64_t>(Least), std::memory_order_relaxed);
  }
}

// --- kernels

void ArrivingDevices::startBuilding(ThreadState &Me, const TaskNode &T) {
  const NamedTask *Named = T.Extras ? T.Extras->Named.get() : nullptr;
  const std::shared_ptr<void> Code = Named ? Named->Code : nullptr, TypeOwner = Named ? Named->TypeOwner : nullptr;
  {
    std::lock_guard Guard(ArrivalLock);
    const unsigned From = T.Type->BuildRequested.load(), N = T.Type->numVersions();
    if (From >= N)
      return;
    if (From == 0)
      Types.push_back({T.Type, TypeOwner != nullptr, Code, TypeOwner});
    for (const Worker &W : E.Machine.Workers)
      addBuilds(*T.Type, From, W, Code, TypeOwner);
    T.Type->BuildRequested.store(N, std::memory_order_release);
  }
  callBuilder(Me);
}

// Requires ArrivalLock.
void ArrivingDevices::addBuilds(TaskType &Type, unsigned From, const Worker &W, const std::shared_ptr<void> &Code,
                                const std::shared_ptr<void> &TypeOwner) {
  for (unsigned I = From, N = Type.numVersions(); I < N && W.Dev && E.Options.BuildsOnOwnThread; ++I) {
    Version &V = Type.Versions[I];
    if (!V.Desc->kernel || !Platform::suits(W, V) || V.disabledOn(W.slot()) || !V.setUnbuilt(W.slot(), true))
      continue;
    ToBuild.push_back({&V, W.Id, Code, TypeOwner});
    NumToBuild.fetch_add(1);
  }
}

void ArrivingDevices::callBuilder(ThreadState &Me) {
  {
    std::lock_guard Guard(ArrivalLock);
    if (Building || ToBuild.empty())
      return;
    Building = true;
  }
  if (!E.WorkerThreads->run([this] { buildAll(threadState()); }))
    buildAll(Me); // No thread can be made for it.
}

void ArrivingDevices::buildAll(ThreadState &Me) {
  for (;;) {
    Build Next{};
    std::unique_lock Busy(BuildLock);
    {
      std::lock_guard Guard(ArrivalLock);
      if (ToBuild.empty()) {
        Building = false;
        return;
      }
      Next = std::move(ToBuild.front());
      ToBuild.pop_front();
      if (!MayBuild) { // The program is ending, and no task needs it.
        NumToBuild.fetch_sub(1);
        continue;
      }
    }
    const Worker &W = E.Machine.Workers[Next.W];
    KernelRef K;
    const TimePoint Begin = E.Time.now();
    const status Built =
        W.Dev->lost() ? W.Dev->whyLost() : statusOf([&] { return W.Dev->kernel(*Next.V->Desc->kernel, K); });
    BuildNs.fetch_add((E.Time.now() - Begin).count());
    Busy.unlock();
    if (Built.code() == errc::device_lost)
      W.Dev->lose(Built);
    else if (Built.code() == errc::build_failed)
      E.disable(*Next.V, W.Id, Built);
    // Another error may not recur when the device's thread builds it.
    const_cast<Version *>(Next.V)->setUnbuilt(W.slot(), false);
    NumToBuild.fetch_sub(1);
    {
      std::lock_guard Guard(ArrivalLock);
      E.Scheduler.moreUsable();
    }
    release(Me);
  }
}

void ArrivingDevices::stopBuilding() {
  {
    std::lock_guard Guard(ArrivalLock);
    MayBuild = false;
  }
  std::lock_guard Done(BuildLock);
}

} // namespace hsched::rt

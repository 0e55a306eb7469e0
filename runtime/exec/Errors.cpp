// Versions that fail, and tasks that must run elsewhere.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "base/NoMemory.h"
#include "exec/Executor.h"

#include <algorithm>

namespace hsched::rt {
namespace {

std::string firstLine(const std::string &Text) { return Text.substr(0, Text.find('\n')); }

std::string doesNotWork(const Version &V, const std::string &Device, const std::string &Cause) {
  return "version '" + std::string(V.Desc->name) + "' does not work on " + Device + ": " + firstLine(Cause);
}

const char *nameOf(unsigned Device) {
  switch (Device) {
  case HSCHED_DEVICE_CPU:
    return "a CPU";
  case HSCHED_DEVICE_OPENCL:
    return "an OpenCL device";
  case HSCHED_DEVICE_CUDA:
    return "a CUDA device";
  }
  return "a device of an unknown kind";
}

} // namespace

bool Executor::usableSomewhere(const TaskNode &T) const {
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
    for (const Worker &W : Machine.Workers)
      if (Platform::usable(W, T.Type->Versions[I], T))
        return true;
  return false;
}

bool Executor::usableOnOther(const TaskNode &T, const Version &V, WorkerId W) const {
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
    for (const Worker &Other : Machine.Workers)
      if ((I != V.Index || Other.Id != W) && Platform::usable(Other, T.Type->Versions[I], T) &&
          !T.excludes(I, Other.Id))
        return true;
  return false;
}

// "its submission lets only CPU 1, CPU 2 run it, ", or the other reason why T cannot use the workers that could run it.
std::string Executor::wherePlaced(const TaskNode &T) const {
  if (!T.Placed)
    return "";
  const TaskPlace &Where = placementOf(T);
  std::string Names;
  bool Any = false;
  for (const Worker &W : Machine.Workers)
    if (Where.allows(W.Id)) {
      Names += (Names.empty() ? "" : ", ") + W.Name;
      for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
        Any = Any || Platform::usable(W, T.Type->Versions[I]);
    }
  return Any ? ""
             : "no worker that its submission allows (" +
                   (!Names.empty()                 ? Names
                    : Where.RequestedNames.empty() ? "none"
                                                   : "none here is among " + Where.RequestedNames) +
                   ") can run it: ";
}

// Device is set if only one device was tried.
std::string Executor::whyUnusable(const TaskNode &T, std::string &Device) const {
  unsigned N = T.Type->numVersions();
  if (N == 0)
    return "it has no version: the file that defines it was not linked";
  if (std::string Placed = wherePlaced(T); !Placed.empty()) {
    std::string Versions;
    for (unsigned I = 0; I < N; ++I)
      if (const Version &V = T.Type->Versions[I]; !V.Removed.load())
        Versions += (Versions.empty() ? "" : "; ") + ("version '" + std::string(V.Desc->name)) + "' needs " +
                    nameOf(V.Desc->device);
    return Placed + (Versions.empty() ? "all its versions were removed" : Versions);
  }
  std::string Cause;
  std::vector<std::string> DeviceNames;
  std::lock_guard Guard(ErrorLock);
  for (unsigned I = 0; I < N; ++I) {
    const Version &V = T.Type->Versions[I];
    if (V.Removed.load()) {
      Cause += (Cause.empty() ? "" : "; ") + ("version '" + std::string(V.Desc->name)) + "' was removed";
      continue;
    }
    bool Known = false;
    for (const Disabled &D : DisabledVersions) {
      if (D.V != &V)
        continue;
      Known = true;
      DeviceNames.push_back(Machine.Workers[D.W].Name);
      Cause += (Cause.empty() ? "" : "; ") + doesNotWork(V, DeviceNames.back(), D.Cause);
    }
    if (!Known)
      Cause += (Cause.empty() ? "" : "; ") + ("version '" + std::string(V.Desc->name)) + "' needs " +
               nameOf(V.Desc->device) + " that is not here";
  }
  if (!DeviceNames.empty() &&
      std::ranges::all_of(DeviceNames, [&](const std::string &Name) { return Name == DeviceNames[0]; }))
    Device = DeviceNames[0];
  return Cause;
}

void Executor::disable(const Version &V, WorkerId W, const status &Cause) {
  // Versions are const for the policy; only the executor changes them.
  if (!const_cast<Version &>(V).disableOn(Machine.Workers[W].slot()))
    return;
  try {
    std::lock_guard Guard(ErrorLock);
    DisabledVersions.push_back({&V, W, Cause.message()});
  } catch (const std::bad_alloc &) { // The message has no cause then.
  }
  const Device *Dev = Machine.Workers[W].Dev;
  // The loss of a device has already been logged.
  log(Dev && Dev->lost() ? LogLevel::Debug : LogLevel::Warning, "version '%s' is not used on %s any more: %s",
      V.Desc->name, Machine.Workers[W].Name.c_str(), Cause.message().c_str());
}

void Executor::disableAll(const TaskNode &T, WorkerId W, const status &Cause) {
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
    if (const Version &V = T.Type->Versions[I]; Platform::suits(Machine.Workers[W], V))
      disable(V, W, Cause);
}

void Executor::giveBack(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W, bool FromPolicy,
                        const status &Cause) {
  if (FromPolicy)
    Scheduler.completed(T, V, W, Duration(-1));
  T.Decided = false;
  auto why = [&]() -> std::string {
    if (!Cause.ok())
      return Cause.message();
    std::lock_guard Guard(ErrorLock); // V was disabled on W after the choice.
    for (const Disabled &D : DisabledVersions)
      if (D.V == &V && D.W == W)
        return doesNotWork(V, Machine.Workers[W].Name, D.Cause);
    return "no version is left that can run it";
  };
  bool Placed;
  if (T.excludes()) {
    std::string Text;
    try {
      Text = why();
    } catch (const std::bad_alloc &) {
    }
    Placed = detour(Me, T, Machine.Workers[W].Name, Text);
  } else {
    Placed = dispatch(Me, T, W, false);
  }
  if (!Placed)
    bodyEnded(Me, T, W);
}

void Executor::failUnusable(ThreadState &Me, TaskNode &T) {
  std::string Device, Cause;
  try {
    Cause = whyUnusable(T, Device);
  } catch (const std::bad_alloc &) {
  }
  fail(Me, T, Device, Cause);
}

ArrivingDevices::Standing Executor::holdOrFail(ThreadState &Me, TaskNode &T) {
  try {
    return Coming.hold(T);
  } catch (const std::bad_alloc &) {
    recordFailure(T, std::current_exception(), T);
    neverRan(Me, T, Outcome::Failed);
    return ArrivingDevices::Standing::Never;
  }
}

void Executor::redirectTask(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W) {
  Scheduler.completed(T, V, W, Duration(-1));
  std::string Device, Cause;
  try {
    Cause = whyUnusable(T, Device);
  } catch (const std::bad_alloc &) {
  }
  if (!detour(Me, T, Device, Cause))
    bodyEnded(Me, T, W);
}

// Only T cannot run as V, so the policy does not count it as refused.
void Executor::cameLate(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W, bool FromPolicy,
                        const status &Cause) {
  if (FromPolicy)
    Scheduler.completed(T, V, W, Duration(-1));
  exclude(Me, T, V, W, false, Cause);
}

void Executor::exclude(ThreadState &Me, TaskNode &T, const Version &V, WorkerId W, bool FromPolicy, const status &Cause,
                       WorkerId Blame) {
  if (FromPolicy) {
    Scheduler.completed(T, V, W, Duration(-1));
    Scheduler.refused(T, V, W);
  }
  const std::string &Device = Machine.Workers[W].Name;
  bool First = false;
  LogLevel Level = LogLevel::Debug;
  std::string Label;
  try {
    {
      std::lock_guard Guard(ErrorLock);
      First = LoggedExclusions.emplace(&V, W).second;
    }
    Level = First ? LogLevel::Warning : LogLevel::Debug;
    // Another worker may complete it, and free its label, once it is passed on.
    Label = logEnabled(Level) ? T.Label : "";
    // CPU workers share their detours: data that one of them cannot fetch, none can.
    for (const Worker &Other : Machine.Workers)
      if (Other.Id == W || (!Other.Dev && !Machine.Workers[W].Dev))
        T.extras().Excluded.emplace_back(V.Index, Other.Id);
  } catch (const std::bad_alloc &) {
    recordFailure(T, std::current_exception(), T);
    neverRan(Me, T, Outcome::Failed);
    return bodyEnded(Me, T, W);
  }
  const bool Placed = detour(Me, T, Blame == NoWorker ? Device : Machine.Workers[Blame].Name, Cause.message());
  log(Level, "task '%s' cannot run as '%s' on %s%s: %s", Label.c_str(), V.Desc->name, Device.c_str(),
      Placed ? " and is run otherwise" : ", and nothing else can run it", Cause.message().c_str());
  if (!Placed)
    bodyEnded(Me, T, W);
}

// The policy does not know a task's own exclusions.
bool Executor::detour(ThreadState &Me, TaskNode &T, const std::string &Device, const std::string &Cause) {
  try {
    if (ReadyTasks.detour(T))
      return true;
  } catch (const std::bad_alloc &) {
    recordFailure(T, std::current_exception(), T);
    neverRan(Me, T, Outcome::Failed);
    return false;
  }
  if (auto Now = holdOrFail(Me, T); Now != ArrivingDevices::Standing::Never)
    return Now == ArrivingDevices::Standing::Deferred || detour(Me, T, Device, Cause);
  if (!T.has(Signal::HasFailure))
    fail(Me, T, Device, Cause);
  return false;
}

} // namespace hsched::rt

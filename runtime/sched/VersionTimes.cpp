// Which side runs a task where a device shares the CPU workers' cores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/VersionTimes.h"

#include <algorithm>

namespace hsched::rt {

bool VersionTimes::PerVersion::usableSomewhere(const Version &V, const Task &T, const Platform &Machine,
                                               const WorkerClasses &Classes) const {
  if (!Suited || (!T.Placed && !Classes.disabledSomewhere(V)))
    return Suited != 0;
  return std::ranges::any_of(Machine.Workers,
                             [&](const Worker &W) { return takes(W.Id, Classes) && Platform::usable(W, V, T); });
}

VersionTimes::Ns VersionTimes::onCpu(const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                                     bool &Any) const {
  Ns Least = 0;
  Any = false;
  for (unsigned V = 0; V < NumVersions; ++V) {
    const Version &Of = T.Type->Versions[V];
    if (Of.Desc->device != HSCHED_DEVICE_CPU || !Versions[V].usableSomewhere(Of, T, Machine, Classes))
      continue;
    Any = true;
    if (Versions[V].Runs && (Least == 0 || Versions[V].Mean < Least))
      Least = std::max<Ns>(Versions[V].Mean, 1);
  }
  return Least;
}

VersionTimes::Side VersionTimes::preferred(const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                                           unsigned Lambda) const {
  bool Any = false;
  const Ns Cpu = onCpu(T, Machine, Classes, Any);
  if (!Any)
    return Side::Both;
  for (const Worker &W : Machine.Workers)
    for (unsigned V = 0; W.SharedCores && V < NumVersions; ++V)
      if (Cpu && Versions[V].Runs >= Lambda && Versions[V].Mean * W.SharedCores < Cpu &&
          Versions[V].takes(W.Id, Classes) && Platform::usable(W, T.Type->Versions[V], T))
        return Side::Device;
  return Side::Cpus;
}

bool VersionTimes::waitsToLearn(unsigned V, const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                                const Loads &Busy) const {
  Ns Cores = 0;
  bool Free = false;
  for (const Worker &W : Machine.Workers)
    if (Versions[V].takes(W.Id, Classes) && Platform::usable(W, T.Type->Versions[V], T)) {
      if (!W.SharedCores)
        return false;
      Cores = W.SharedCores;
      Free |= Busy[W.Id].tasks() == 0;
    }
  bool Any = false;
  const Ns Cpu = onCpu(T, Machine, Classes, Any);
  if (!Cores || !Any)
    return false;
  return !Cpu || !Free || (Versions[V].Runs && Versions[V].Mean * Cores > HopelessFactor * Cpu);
}

} // namespace hsched::rt

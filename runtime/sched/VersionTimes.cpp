// Lookup of versions' times, and the choice of a side if a device shares the CPU workers' cores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/VersionTimes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace hsched::rt {

namespace {

constexpr double MostError = 1.3; // Limit for a prediction from other sizes: see SizeFit::Guess::Factor.

// Replaces missing runs. A single run may be wrong by any factor, so the geometric mean of it and the prediction is
// used.
void predictFromSizes(VersionTimes::Known &Known, const SizeFit::Guess &Guess, unsigned Lambda) {
  const double Ns = Known.Runs == 0   ? Guess.Ns
                    : Known.Runs == 1 ? std::sqrt(Guess.Ns * static_cast<double>(Known.Mean))
                                      : static_cast<double>(Known.Mean);
  Known.Mean = Known.Least = static_cast<VersionTimes::Ns>(Ns + 0.5);
  Known.Runs = std::max<uint64_t>(Known.Runs, Lambda);
}

} // namespace

const VersionTimes::Known VersionTimes::Unknown;

void VersionTimes::refresh(PolicyHost &Host, const WorkerClasses &Classes, Estimates How, const TaskType &Type,
                           SizeClass Size) {
  const unsigned Before = NumVersions;
  const bool ArrivingDevices = NumClasses < Classes.size();
  if (ArrivingDevices) {
    for (unsigned V = 0; V < NumVersions; ++V)
      Versions[V].Suited |= Classes.suited(Type.Versions[V]) & ~(classBit(NumClasses) - 1);
    NumClasses = Classes.size();
  }
  for (unsigned N = Type.numVersions(); NumVersions < N; ++NumVersions)
    Versions.emplace_back().Suited = Classes.suited(Type.Versions[NumVersions]);
  if (!ArrivingDevices && NumVersions == Before && Counted)
    return;
  Counted = false; // Also if memory is exhausted on the way.
  Pairs = 0;
  for (unsigned V = 0; V < NumVersions; ++V) {
    uint64_t Kinds = 0;
    forEachClass(Versions[V].Suited, [&](unsigned Class) { Kinds |= Class < NumClasses ? Classes.models(Class) : 0; });
    Pairs += static_cast<unsigned>(std::popcount(Kinds));
    if (const auto Most = static_cast<size_t>(std::bit_width(Kinds)); Versions[V].Times.size() < Most) {
      Versions[V].Times.resize(Most);
      Versions[V].AsOf = UINT64_MAX;
    }
    measure(Host, How, Type, Size, V);
  }
  Counted = true;
}

void VersionTimes::measure(PolicyHost &Host, Estimates How, const TaskType &Type, SizeClass Size, unsigned V) {
  History &Recorded = Host.history();
  const uint64_t Now = Recorded.changes();
  if (std::exchange(Versions[V].AsOf, Now) == Now)
    return;
  const bool Robust = How == Estimates::Robust;
  for (size_t I = 0; I < Versions[V].Times.size(); ++I) {
    const auto Model = static_cast<ModelId>(I);
    const RunStats Stats = Recorded.lookup(Type, Size, V, Model);
    Known &K = Versions[V].Times[I];
    K.Runs = Stats.Runs;
    K.Mean = static_cast<Ns>((Robust ? Stats.medianNs() : Stats.MeanNs) + 0.5);
    K.Least = Stats.Runs ? std::min(K.Mean, static_cast<Ns>(Stats.recent().back())) : 0;
    if (!Robust || Stats.Runs >= Host.lambda())
      continue;
    if (const std::optional<SizeFit::Guess> Guess = Recorded.predict(Type, Size, V, Model);
        Guess && Guess->Factor <= MostError)
      predictFromSizes(K, *Guess, Host.lambda());
    else if (const std::optional<SizeFit::Neighbour> Near = Recorded.neighbour(Type, Size, V, Model);
             Near && K.Runs == 0) {
      K.Mean = K.Least = static_cast<Ns>(Near->Ns + 0.5);
      K.Runs = std::clamp<uint64_t>(static_cast<uint64_t>(Near->Runs + 0.5), 1, Host.lambda());
    }
  }
}

VersionTimes::Ns VersionTimes::estimate(unsigned V, ModelId Model) const {
  if (const Known &Own = Versions[V].on(Model); Own.Runs)
    return Own.Mean;
  Ns Slowest = 0;
  for (const PerVersion &Other : Versions)
    for (const Known &On : Other.Times)
      Slowest = std::max(Slowest, On.Mean);
  return Slowest;
}

bool VersionTimes::PerVersion::usableSomewhere(const Version &V, const Task &T, const Platform &Machine,
                                               const WorkerClasses &Classes) const {
  if (!Suited || (!T.Placed && !Classes.disabledSomewhere(V)))
    return Suited != 0;
  return std::ranges::any_of(Machine.Workers,
                             [&](const Worker &W) { return takes(W.Id, Classes) && Platform::usable(W, V, T); });
}

bool VersionTimes::learning(const Task &T, const Platform &Machine, const WorkerClasses &Classes, const Loads &Busy,
                            unsigned Lambda, bool Sharing) const {
  unsigned Usable = 0, Unmeasured = 0;
  for (unsigned V = 0; V < NumVersions; ++V) {
    const PerVersion &Of = Versions[V];
    unsigned New = 0;
    auto count = [&](const Known &K) {
      ++Usable;
      New += K.Runs < Lambda;
    };
    if (Of.Times.size() == 1) { // All kinds that can run it are one kind.
      if (Of.usableSomewhere(T.Type->Versions[V], T, Machine, Classes))
        count(Of.Times[0]);
    } else {
      uint64_t Seen = 0;
      for (const Worker &W : Machine.Workers)
        if (const uint64_t Bit = uint64_t(1) << W.Model;
            !(Seen & Bit) && Of.takes(W.Id, Classes) && Platform::usable(W, T.Type->Versions[V], T)) {
          Seen |= Bit;
          count(Of.on(W.Model));
        }
    }
    if (New && !(Sharing && mustNotMeasure(V, T, Machine, Classes, Busy)))
      Unmeasured += New;
  }
  return Usable > 1 && Unmeasured > 0;
}

std::optional<VersionTimes::Pair> VersionTimes::dueForRetry(const Task &T, const Platform &Machine,
                                                            const WorkerClasses &Classes, const Loads &Busy,
                                                            bool MainToo) {
  constexpr Ns CheckShare = 100;
  constexpr uint64_t LeastBetween = 32; // Number of choices between two retries of a pair.
  const Known *Oldest = nullptr;
  Pair Found{};
  for (const Worker &W : Machine.Workers) {
    if (Busy[W.Id].tasks() > 0 || (W.Id == 0 && !MainToo))
      continue;
    for (unsigned V = 0; V < NumVersions; ++V) {
      const Known &K = Versions[V].on(W.Model);
      if (K.Chosen + LeastBetween > Choices || (Oldest && K.Chosen >= Oldest->Chosen) ||
          K.Least * std::max(1u, W.SharedCores) > SinceRetry / CheckShare || !Versions[V].takes(W.Id, Classes) ||
          !Platform::usable(W, T.Type->Versions[V], T))
        continue;
      Oldest = &K;
      Found = {&T.Type->Versions[V], W.Id};
    }
  }
  if (!Oldest)
    return std::nullopt;
  SinceRetry = 0;
  return Found;
}

const Version *VersionTimes::staysOn(const Worker &W, const Task &T, Ns HandOver, const WorkerClasses &Classes) const {
  const Version *Fastest = nullptr;
  for (unsigned V = 0; V < NumVersions; ++V) {
    if (T.Type->Versions[V].Desc->device == HSCHED_DEVICE_CPU && Versions[V].Suited)
      return nullptr;
    if (const Known &K = Versions[V].on(W.Model); K.Runs && K.Mean <= HandOver && Versions[V].takes(W.Id, Classes) &&
                                                  Platform::usable(W, T.Type->Versions[V], T)) {
      HandOver = K.Mean;
      Fastest = &T.Type->Versions[V];
    }
  }
  return Fastest;
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
    if (const Known &K = Versions[V].on(CpuModel); K.Runs && (Least == 0 || K.Mean < Least))
      Least = std::max<Ns>(K.Mean, 1);
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
      if (const Known &K = Versions[V].on(W.Model); Cpu && K.Runs >= Lambda && K.Mean * W.SharedCores < Cpu &&
                                                    Versions[V].takes(W.Id, Classes) &&
                                                    Platform::usable(W, T.Type->Versions[V], T))
        return Side::Device;
  return Side::Cpus;
}

bool VersionTimes::mustNotMeasure(unsigned V, const Task &T, const Platform &Machine, const WorkerClasses &Classes,
                                  const Loads &Busy) const {
  Ns Cores = 0;
  ModelId Model = CpuModel;
  bool Free = false;
  for (const Worker &W : Machine.Workers)
    if (Versions[V].takes(W.Id, Classes) && Platform::usable(W, T.Type->Versions[V], T)) {
      if (!W.SharedCores)
        return false;
      Cores = W.SharedCores;
      Model = W.Model;
      Free |= Busy[W.Id].tasks() == 0;
    }
  bool Any = false;
  const Ns Cpu = onCpu(T, Machine, Classes, Any);
  if (!Cores || !Any)
    return false;
  const Known &K = Versions[V].on(Model);
  return !Cpu || !Free || (K.Runs && K.Mean * Cores > PruneFactor * Cpu);
}

} // namespace hsched::rt
